"""References of extension values: on no road is one lost or taken twice."""

from __future__ import annotations

import gc
import operator
import resource
import sys

import numpy as np
import pytest
from llvmlite import ir

import cutaway
from cutaway import types
from cutaway.extending import (
    AttributeTemplate,
    NativeValue,
    box,
    cgutils,
    infer_getattr,
    intrinsic,
    lower_getattr,
    lower_setattr,
    make_attribute_wrapper,
    models,
    overload,
    overload_attribute,
    overload_method,
    register_model,
    typeof_impl,
    unbox,
)
from extending.point import Point

pytestmark = pytest.mark.sampled(others=3, fast=20)


class Holder:
    """Two arrays and a number."""

    def __init__(self, a, b, n=0):
        self.a = a
        self.b = b
        self.n = n


class HolderType(types.Type):
    def __init__(self, array):
        self.array = array
        super().__init__(name=f"Holder({array})")


@typeof_impl.register(Holder, fingerprint=("a",))
def typeof_holder(value, c):
    return HolderType(cutaway.typeof(value.a))


@register_model(HolderType)
class HolderModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        members = [("a", fe_type.array), ("n", types.int64), ("b", fe_type.array)]
        super().__init__(dmm, fe_type, members)


for _name in ("a", "b", "n"):
    make_attribute_wrapper(HolderType, _name, _name)


@unbox(HolderType)
def unbox_holder(typ, obj, c):
    holder = c.context.make_helper(c.builder, typ)
    errors = []
    for name, ty in (("a", typ.array), ("n", types.int64), ("b", typ.array)):
        member = c.pyapi.object_getattr_string(obj, name)
        native = c.unbox(ty, member)
        setattr(holder, name, native.value)
        errors.append(native.is_error)
        c.pyapi.decref(member)
    failed = errors[0]
    for error in errors[1:]:
        failed = c.builder.or_(failed, error)
    return NativeValue(holder._getvalue(), is_error=failed)


@box(HolderType)
def box_holder(typ, val, c):
    holder = c.context.make_helper(c.builder, typ, val)
    cls = c.pyapi.unserialize(Holder)
    given = [c.box(typ.array, holder.a), c.box(typ.array, holder.b), c.box(types.int64, holder.n)]
    result = c.pyapi.call_function_objargs(cls, given)
    for used in (cls, *given):
        c.pyapi.decref(used)
    return result


@intrinsic
def hold(typingctx, a, b):
    ty = HolderType(a)
    if a is not b:
        return None

    def code(context, builder, sig, args):
        holder = context.make_helper(builder, ty)
        holder.a, holder.b = args
        context.nrt.incref(builder, a, args[0])
        context.nrt.incref(builder, a, args[1])
        return holder._getvalue()

    return ty(a, b), code


@overload_method(HolderType, "swapped")
def swapped(h):
    return lambda h: hold(h.b, h.a)


@overload(operator.add)
def added(h, g):
    if isinstance(h, HolderType) and h is g:
        return lambda h, g: hold(h.a.copy(), g.b)


@overload(operator.getitem)
def item(h, k):
    if isinstance(h, HolderType) and isinstance(k, types.Integer):
        return lambda h, k: (h.a if k else h.b).copy()


@overload(operator.neg)
def negative(h):
    if isinstance(h, HolderType):
        return lambda h: hold(h.b, h.a)


@overload_attribute(HolderType, "copied")
def copied(h):
    return lambda h: h.a.copy()


@overload_attribute(HolderType, "first")
def first(h):
    return lambda h: h.a


def counts(holder):
    return sys.getrefcount(holder.a), sys.getrefcount(holder.b), sys.getrefcount(holder)


def in_place(h):
    for _ in range(3):
        h += h
    return h


ROADS = {
    "returned": lambda h: h,
    "member returned": lambda h: h.a,
    "pair": lambda h: (h, h),
    "pair of members": lambda h: (h.a, h.b, h.n),
    "made": lambda h: hold(h.a, h.b),
    "made and dropped": lambda h: hold(h.a, h.b).n,
    "swapped": lambda h: h.swapped().swapped().a,
    "operators": lambda h: -(h + h) + h,
    "operators dropped": lambda h: (-h + -(h + h)).n,
    "items": lambda h: (h[0], h[h.n], h[1].sum()),
    "attribute": lambda h: h.first,
    "attributes of what is made": lambda h: ((-h).first, (h + h).copied, h.copied.sum()),
    "in place": in_place,
    "only read": lambda h: h.a[0] + h.b[1],
    "sum": lambda h: h.a.sum() + h.b.sum(),
    "copied": lambda h: hold(h.a.copy(), h.b),
    "view": lambda h: hold(h.a[1:], h.b[2:]),
    "choice": lambda h: h if h.n > 0 else h.swapped(),
    "optional": lambda h: h if h.n > 0 else None,
    "optional made": lambda h: h.swapped() if h.n < 1 else None,
}


@pytest.mark.parametrize("road", ROADS)
def test_a_road(road):
    f = cutaway.jit(ROADS[road])
    a = np.arange(6.0)
    for n in (0, 1):
        holder = Holder(a[:], a + 1, n)
        before = counts(holder)
        for _ in range(20):
            found = f(holder)
            del found
        assert counts(holder) == before
        found = [f(holder) for _ in range(5)]
        kept = found[0]
        del found
        if isinstance(kept, Holder):
            assert kept.a[0] in (0.0, 1.0)
        del kept
        assert counts(holder) == before


def test_a_value_outlives_what_it_was_made_of():
    @cutaway.jit
    def f(n):
        return hold(np.linspace(0.0, n - 1.0, n), np.ones(n))

    found = f(5)
    again = [f(1000) for _ in range(100)]
    np.testing.assert_array_equal(found.a, np.arange(5.0))
    np.testing.assert_array_equal(again[50].b, np.ones(1000))
    references = sys.getrefcount(found.a)
    assert references == 2


def grown_kib(function, *args, times=300):
    """How much memory the process has more behind many calls."""
    function(*args)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(times):
        function(*args)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before


MAKING = {
    "operator": lambda n: (hold(np.ones(n), np.ones(n)) + hold(np.ones(n), np.ones(n))).n,
    "item": lambda n: hold(np.ones(n), np.ones(n))[0].size,
    "attribute": lambda n: hold(np.ones(n), np.ones(n)).copied.size,
    "attribute of the argument's": lambda n: hold(np.ones(n), np.ones(n)).first.size,
    "dropped": lambda n: hold(np.ones(n), np.ones(n)).n,
    "returned": lambda n: hold(np.ones(n), np.ones(n)),
    "member": lambda n: hold(np.ones(n), np.ones(n)).a,
    "tuple": lambda n: (hold(np.ones(n), np.ones(n)), 1)[0].swapped(),
    "optional": lambda n: hold(np.ones(n), np.ones(n)) if n > 3 else None,
}


@pytest.mark.parametrize("road", MAKING)
def test_nothing_is_kept_of_what_is_made(road):
    assert grown_kib(cutaway.jit(MAKING[road]), 50_000) < 30_000  # of 240 MB in all


READING = {
    "operator": lambda h: (h + h).n,
    "item": lambda h: h[0].size,
    "attribute": lambda h: h.copied.size,
    "returned": lambda h: h.copied,
    "items returned": lambda h: (h[0], h[1]),
    "operator returned": lambda h: -(h + h),
}


@pytest.mark.parametrize("road", READING)
def test_nothing_is_kept_of_what_is_made_of_arguments(road):
    holder = Holder(np.ones(50_000), np.ones(50_000), 1)
    assert grown_kib(cutaway.jit(READING[road]), holder) < 30_000


def test_nothing_is_kept_in_loops_and_behind_exceptions():
    @cutaway.jit
    def loop(n, limit):
        h = hold(np.ones(n), np.zeros(n))
        total = 0.0
        for k in range(5):
            h = hold(h.b, h.a.copy()) if k % 2 else h.swapped()
            total += h.a[0]
        return total, h

    assert grown_kib(loop, 50_000, 3) < 30_000


def test_an_exception_behind_the_unboxing_lets_go_of_the_object():
    @cutaway.jit
    def f(h, k):
        if h.n > k:
            raise ValueError("n")
        return h.a[k]

    holder = Holder(np.ones(3), np.ones(3), 5)
    before = counts(holder)
    for _ in range(20):
        with pytest.raises(ValueError):
            f(holder, 1)
        with pytest.raises(IndexError):
            f(holder, 7)
    assert counts(holder) == before


@pytest.mark.parametrize("wrong", [{"n": "text"}, {"b": None}, {"b": np.ones(3, np.int8)}])
def test_unboxing_that_fails_lets_go_of_everything(wrong):
    @cutaway.jit
    def f(h, g):
        return h.a[0] + g.a[0]

    good = Holder(np.ones(3), np.ones(3))
    bad = Holder(np.ones(3), np.ones(3))
    bad.__dict__.update(wrong)
    f(good, good)
    before = counts(good), counts(bad)
    for _ in range(20):
        with pytest.raises(TypeError):
            f(good, bad)
        with pytest.raises(TypeError):
            f(bad, good)
        with pytest.raises(TypeError):
            f(bad, bad)
    assert (counts(good), counts(bad)) == before
    assert f(good, good) == 2.0


def test_a_missing_attribute_while_unboxing():
    @cutaway.jit
    def f(h):
        return h.a[0]

    holder = Holder(np.ones(3), np.ones(3))
    assert f(holder) == 1.0
    del holder.b
    before = sys.getrefcount(holder.a), sys.getrefcount(holder)
    for _ in range(20):
        with pytest.raises(AttributeError, match="b"):
            f(holder)
    assert (sys.getrefcount(holder.a), sys.getrefcount(holder)) == before


# --- boxing that fails, cleanup ---------------------------------------------------------------


class Picky:
    """Refuses to be made of what is negative; counts what is cleaned up."""

    made = 0
    events: list[str] = []

    def __init__(self, n):
        if n < 0:
            raise ValueError("negative")
        self.n = n


class PickyType(types.Type):
    def __init__(self):
        super().__init__(name="Picky")


@typeof_impl.register(Picky, fingerprint=())
def typeof_picky(value, c):
    return PickyType()


@register_model(PickyType)
class PickyModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("n", types.int64)])


make_attribute_wrapper(PickyType, "n", "n")


def note(event):
    Picky.events.append(event)


@unbox(PickyType)
def unbox_picky(typ, obj, c):
    number = c.pyapi.object_getattr_string(obj, "n")
    native = c.unbox(types.int64, number)
    c.pyapi.decref(number)
    picky = c.context.make_helper(c.builder, typ)
    picky.n = native.value

    def cleanup():
        noted, text = c.pyapi.unserialize(note), c.pyapi.object_repr(obj)
        found = c.pyapi.call_function_objargs(noted, [text])
        for used in (noted, text, found):
            c.pyapi.decref(used)

    return NativeValue(picky._getvalue(), is_error=native.is_error, cleanup=cleanup)


@box(PickyType)
def box_picky(typ, val, c):
    picky = c.context.make_helper(c.builder, typ, val)
    cls, n = c.pyapi.unserialize(Picky), c.box(types.int64, picky.n)
    found = c.pyapi.call_function_objargs(cls, [n])
    c.pyapi.decref(cls)
    c.pyapi.decref(n)
    return found


@intrinsic
def picky_of(typingctx, n):
    def code(context, builder, sig, args):
        picky = context.make_helper(builder, sig.return_type)
        picky.n = args[0]
        return picky._getvalue()

    return PickyType()(types.int64), code


def test_boxing_that_raises():
    @cutaway.jit
    def f(n):
        return picky_of(n)

    @cutaway.jit
    def g(a, n):
        return a, picky_of(n), a

    assert f(3).n == 3
    a = np.ones(3)
    before, classes = sys.getrefcount(a), sys.getrefcount(Picky)
    for _ in range(20):
        with pytest.raises(ValueError, match="negative"):
            f(-1)
        with pytest.raises(ValueError, match="negative"):
            g(a, -1)
        assert g(a, 1)[1].n == 1
    assert sys.getrefcount(a) == before
    assert sys.getrefcount(Picky) <= classes + 1


class Labeled(Picky):
    """One that the events tell apart."""

    def __repr__(self):
        return f"<{self.n}>"


@typeof_impl.register(Labeled, fingerprint=())
def typeof_labeled(value, c):
    return PickyType()


def test_cleanups_run_in_reverse_order_whatever_came_of_the_call():
    @cutaway.jit
    def f(a, b, c, k):
        if k:
            raise ValueError("asked for")
        return a.n + b.n + c.n

    given = [Labeled(1), Labeled(2), Labeled(3)]
    Picky.events.clear()
    assert f(*given, 0) == 6
    assert Picky.events == ["<3>", "<2>", "<1>"]
    Picky.events.clear()
    with pytest.raises(ValueError, match="asked for"):
        f(*given, 1)
    assert Picky.events == ["<3>", "<2>", "<1>"]


def test_a_cleanup_that_raises_is_told_of_and_the_call_has_its_result(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda event: told.append(event.exc_type))

    class Broken(Labeled):
        def __repr__(self):
            raise KeyError("no name")

    typeof_impl.register(Broken, fingerprint=())(typeof_labeled)

    @cutaway.jit
    def f(a, k):
        if k:
            raise ValueError("asked for")
        return a.n

    assert f(Broken(3), 0) == 3
    with pytest.raises(ValueError, match="asked for"):
        f(Broken(3), 1)
    assert len(told) == 2


def test_the_cleanups_of_what_was_unboxed_run_where_a_later_argument_fails():
    @cutaway.jit
    def f(a, b):
        return a.n + b.n

    f(Labeled(1), Labeled(2))
    bad = Labeled(2)
    bad.n = "text"
    Picky.events.clear()
    with pytest.raises(TypeError):
        f(Labeled(1), bad)
    assert Picky.events == ["<1>"]


def test_more_arguments_than_there_is_room_for_on_the_stack():
    @cutaway.jit
    def f(*args):
        total = 0
        for arg in args:
            total += arg.n
        return total

    given = [Labeled(k) for k in range(12)]
    Picky.events.clear()
    assert f(*given) == 66
    assert len(Picky.events) == 12


# --- tuples, optionals, named tuples ----------------------------------------------------------


def test_tuples_of_extension_values():
    @cutaway.jit
    def f(t):
        (p, h), n = t
        return h, p, n, (h.a, p.x)

    holder = Holder(np.ones(3), np.ones(3), 4)
    before = counts(holder)
    for _ in range(10):
        found = f(((Point(1.0, 2.0), holder), 3))
        assert found[1] == Point(1.0, 2.0) and found[3][1] == 1.0 and found[0].n == 4
        del found
    assert counts(holder) == before


def test_nogil():
    @cutaway.jit(nogil=True)
    def f(h):
        return h.swapped()

    holder = Holder(np.ones(3), np.zeros(3), 4)
    before = counts(holder)
    for _ in range(10):
        assert f(holder).b[0] == 1.0
    assert counts(holder) == before


# --- a mutable type ---------------------------------------------------------------------------


class CounterType(types.Type):
    """Two numbers in memory that is counted: what one holder changes, the others see."""

    def __init__(self):
        super().__init__(name="Counter")


counter_type = CounterType()
payload = types.MemInfoPointer(types.int64)


@register_model(CounterType)
class CounterModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("memory", payload)])


def _place(context, builder, value, name):
    counter = context.make_helper(builder, counter_type, value)
    data = context.nrt.meminfo_data(builder, counter.memory)
    index = ir.IntType(64)(("count", "step").index(name))
    return builder.gep(builder.bitcast(data, ir.IntType(64).as_pointer()), [index])


@intrinsic
def new_counter(typingctx, step):
    def code(context, builder, sig, args):
        counter = context.make_helper(builder, counter_type)
        counter.memory = context.nrt.meminfo_alloc(builder, ir.IntType(64)(16))
        with cgutils.if_unlikely(builder, cgutils.is_null(builder, counter.memory)):
            context.call_conv.return_user_exc(builder, MemoryError, ("no counter",))
        value = counter._getvalue()
        builder.store(ir.IntType(64)(0), _place(context, builder, value, "count"))
        builder.store(args[0], _place(context, builder, value, "step"))
        return value

    return counter_type(types.int64), code


@infer_getattr
class CounterAttributes(AttributeTemplate):
    key = CounterType

    def resolve_count(self, ty):
        return types.int64

    def resolve_step(self, ty):
        return types.int64


for _field in ("count", "step"):

    @lower_getattr(CounterType, _field)
    def read(context, builder, ty, value, name=_field):
        return builder.load(_place(context, builder, value, name), typ=ir.IntType(64))

    @lower_setattr(CounterType, _field)
    def write(context, builder, sig, args, name=_field):
        builder.store(args[1], _place(context, builder, args[0], name))


def test_a_mutable_type():
    @cutaway.jit
    def bump(c):
        c.count += c.step

    @cutaway.jit
    def f(n):
        c = new_counter(3)
        d = c
        for k in range(n):
            bump(d)
            if k == 2:
                d.step = 10
        return c.count, c.step

    assert f(3) == (9, 10)
    assert f(5) == (29, 10)

    @cutaway.jit
    def many(n):
        total = 0
        for k in range(n):
            c = new_counter(k)
            bump(c)
            total += c.count
        return total

    assert many(10) == 45
    assert grown_kib(many, 20_000, times=100) < 10_000


def test_a_value_that_has_no_way_out_is_told_at_the_call():
    @cutaway.jit
    def f(n):
        return new_counter(n)

    with pytest.raises(cutaway.errors.CutawayError, match="Counter"):
        f(3)
