"""`lower_builtin`, attributes, casts, constants, and the templates that type what they lower."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from llvmlite import ir

import cutaway
from cutaway import types
from cutaway.errors import ExtensionError, TypingError
from cutaway.extending import (
    AbstractTemplate,
    AttributeTemplate,
    CallableTemplate,
    ConcreteTemplate,
    Conversion,
    NativeValue,
    box,
    infer,
    infer_getattr,
    infer_global,
    intrinsic,
    lower_builtin,
    lower_cast,
    lower_constant,
    lower_getattr,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    overload,
    register_model,
    signature,
    type_callable,
    typeof_impl,
    unbox,
)
from extending.point import Point, make_point, point_type

pytestmark = pytest.mark.sampled(fast=6)


def run(function, *args):
    return cutaway.jit(function)(*args)


def typed(returns):
    """A function that compiled code knows the types of, and nothing more."""

    def stub(*args):
        raise NotImplementedError

    @infer_global(stub)
    class Template(AbstractTemplate):
        key = stub

        def generic(self, args, kws):
            return signature(returns, *args)

    return stub


def number(n):
    return lambda context, builder, sig, args: context.get_constant(types.int64, n)


# --- lower_builtin: patterns ------------------------------------------------------------------


def test_the_nearest_pattern_is_taken():
    stub = typed(types.int64)
    lower_builtin(stub, types.Any)(number(1))
    lower_builtin(stub, types.Number)(number(2))
    lower_builtin(stub, types.Integer)(number(3))
    lower_builtin(stub, types.int32)(number(4))
    given = ("text", 1.5, 1, np.int32(1), True)
    assert [run(lambda x: stub(x), x) for x in given[:4]] == [1, 2, 3, 4]
    assert run(lambda p: stub(p), Point(1.0, 2.0)) == 1


def test_any_number_of_arguments():
    stub = typed(types.int64)
    lower_builtin(stub, types.Integer, types.VarArg(types.Float))(number(1))
    lower_builtin(stub, types.VarArg(types.Any))(number(2))
    assert run(lambda a: (stub(), stub(a), stub(a, 1.0), stub(a, 1.0, a)), 1) == (2, 1, 1, 2)


def test_of_two_that_fit_alike_the_later_one_is_taken():
    stub = typed(types.int64)
    lower_builtin(stub, types.Integer)(number(1))
    lower_builtin(stub, types.Integer)(number(2))
    assert run(lambda a: stub(a), 1) == 2


def test_types_for_which_there_is_no_code():
    stub = typed(types.int64)
    lower_builtin(stub, types.Integer)(number(1))
    with pytest.raises(ExtensionError, match="no code is registered") as caught:
        run(lambda a: stub(a), 1.5)
    assert __file__ in str(caught.value)


def test_an_operator_by_its_symbol():
    @infer
    class Remainder(AbstractTemplate):
        key = "%"

        def generic(self, args, kws):
            if args == (point_type, types.float64):
                return signature(types.float64, *args)

    @lower_builtin("%", point_type, types.float64)
    def remainder(context, builder, sig, args):
        point = context.make_helper(builder, point_type, args[0])
        return builder.frem(point.x, args[1])

    assert run(lambda p, x: p % x, Point(7.5, 0.0), 2.0) == 1.5
    assert run(lambda a, b: a % b, 7, 4) == 3


# --- templates --------------------------------------------------------------------------------


def test_a_concrete_template_ranks_conversions():
    def stub(x):
        raise NotImplementedError

    @infer_global(stub)
    class Cases(ConcreteTemplate):
        key = stub
        cases = [
            signature(types.int64, types.int64),
            signature(types.int64, types.float64),
            signature(types.int64, types.complex128),
        ]

    lower_builtin(stub, types.int64)(number(1))
    lower_builtin(stub, types.float64)(number(2))
    lower_builtin(stub, types.complex128)(number(3))
    given = (1, np.int8(1), 1.5, np.float32(1), 1j)
    assert [run(lambda x: stub(x), x) for x in given] == [1, 1, 2, 2, 3]
    with pytest.raises(TypingError):
        run(lambda x: stub(x), "text")


def test_a_callable_template_with_defaults():
    def stub(x, n=None, *rest):
        raise NotImplementedError

    @infer_global(stub)
    class Callable(CallableTemplate):
        key = stub

        def generic(self):
            def typer(x, n=None, *rest):
                if isinstance(x, types.Integer):
                    return types.int64

            return typer

    @lower_builtin(stub, types.VarArg(types.Any))
    def code(context, builder, sig, args):
        return context.get_constant(types.int64, len(args))

    assert run(lambda x: (stub(x), stub(x, n=3), stub(x, 1, 2.0, "x")), 1) == (2, 2, 4)
    with pytest.raises(TypingError):
        run(lambda x: stub(x), 1.5)


def test_infer_global_of_a_value():
    def stub(x):
        raise NotImplementedError

    class Template(AbstractTemplate):
        key = stub

        def generic(self, args, kws):
            return signature(types.int64, *args)

    infer_global(stub, Template)
    lower_builtin(stub, types.Any)(number(7))
    assert run(lambda x: stub(x), 1) == 7


def test_type_callable_and_a_default():
    def stub(x, k=5):
        raise NotImplementedError

    @type_callable(stub)
    def type_stub(context):
        def typer(x, k=5):
            return types.int64

        return typer

    @lower_builtin(stub, types.Integer, types.Any)
    def code(context, builder, sig, args):
        if isinstance(sig.args[1], types.Omitted):
            return context.get_constant(types.int64, sig.args[1].value)
        return args[1]

    assert run(lambda x: (stub(x), stub(x, 9)), 1) == (5, 9)


def test_type_callable_with_a_star_in_front_of_what_is_passed_by_name_alone():
    def stub(x, *rest, k=5):
        raise NotImplementedError

    @type_callable(stub)
    def type_stub(context):
        return lambda x, *rest, k=5: types.int64

    @lower_builtin(stub, types.Integer, types.VarArg(types.Any))
    def code(context, builder, sig, args):
        left_out = isinstance(sig.args[-1], types.Omitted)
        return context.get_constant(types.int64, sig.args[-1].value) if left_out else args[-1]

    assert run(lambda x: (stub(x), stub(x, 1.5), stub(x, 1.5, k=x)), 7) == (5, 5, 7)


# --- a type of its own ------------------------------------------------------------------------


class Box:
    """A number whose attributes are named by code."""

    def __init__(self, n):
        self.n = n


class BoxType(types.Type):
    def __init__(self):
        super().__init__(name="Box")

    def can_convert_to(self, typingctx, other):
        if other is types.int64:
            return Conversion.safe

    def can_convert_from(self, typingctx, other):
        if isinstance(other, types.Boolean):
            return Conversion.promote

    def unify(self, typingctx, other):
        return self if isinstance(other, types.Integer) else None


box_type = BoxType()


@typeof_impl(Box)
def typeof_box(value, c):
    return box_type


@register_model(BoxType)
class BoxModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, ir.IntType(64))


@unbox(BoxType)
def unbox_box(typ, obj, c):
    n = c.pyapi.object_getattr_string(obj, "n")
    native = c.unbox(types.int64, n)
    c.pyapi.decref(n)
    return native


@box(BoxType)
def box_box(typ, val, c):
    cls, n = c.pyapi.unserialize(Box), c.box(types.int64, val)
    found = c.pyapi.call_function_objargs(cls, [n])
    c.pyapi.decref(cls)
    c.pyapi.decref(n)
    return found


@lower_cast(BoxType, types.int64)
def box_to_int(context, builder, fromty, toty, val):
    return val


@lower_cast(types.Integer, BoxType)
@lower_cast(types.Boolean, BoxType)
def int_to_box(context, builder, fromty, toty, val):
    return context.cast(builder, val, fromty, types.int64)


@lower_constant(BoxType)
def constant_box(context, builder, ty, pyval):
    return context.get_constant(types.int64, pyval.n)


@infer_getattr
class BoxAttributes(AttributeTemplate):
    key = BoxType

    def resolve_doubled(self, ty):
        return types.int64

    def generic_resolve(self, ty, name):
        if name.startswith("plus_"):
            return types.int64


@lower_getattr(BoxType, "doubled")
def doubled(context, builder, ty, value):
    return builder.add(value, value)


@lower_getattr_generic(BoxType)
def plus(context, builder, ty, value, name):
    return builder.add(value, context.get_constant(types.int64, int(name[5:])))


def test_attributes_by_name_and_generic():
    assert run(lambda b: (b.doubled, b.plus_3, b.plus_40), Box(5)) == (10, 8, 45)
    with pytest.raises(TypingError, match="other"):
        run(lambda b: b.other, Box(5))
    with pytest.raises(ExtensionError, match="invalid literal") as caught:
        run(lambda b: b.plus_x, Box(5))
    assert __file__ in str(caught.value)


def test_casts():
    @intrinsic
    def plus_one(typingctx, n):
        def code(context, builder, sig, args):
            return builder.add(args[0], args[0].type(1))

        return types.int64(types.int64), code

    assert run(lambda b: plus_one(b), Box(5)) == 6


def test_unification():
    def f(b, k):
        if k:
            x = b
        else:
            x = k + 4
        return x

    assert run(f, Box(5), 1).n == 5
    assert run(f, Box(5), 0).n == 4


def test_unification_with_none_is_an_optional():
    def f(b, k):
        return b if k else None

    assert run(f, Box(5), 1).n == 5
    assert run(f, Box(5), 0) is None

    def g(b, k):
        x = b if k else None
        if x is None:
            return -1
        return x.doubled

    assert (run(g, Box(5), 1), run(g, Box(5), 0)) == (10, -1)


def test_types_that_do_not_unify():
    def f(b, k):
        return b if k else "text"

    with pytest.raises(TypingError, match="Box"):
        run(f, Box(5), 1)


FIVE = Box(5)
POINTS = (Point(1.0, 2.0), Point(3.0, 4.0))


def test_constants():
    closed = Box(7)
    assert run(lambda: FIVE.doubled) == 10
    assert run(lambda: closed.doubled + FIVE.doubled) == 24
    assert run(lambda: FIVE).n == 5
    assert run(lambda: POINTS[1]) == Point(3.0, 4.0)
    assert run(lambda k: POINTS[k].x, 1) == 3.0


def test_a_constant_that_cannot_be_made():
    broken = Point("text", 2.0)
    with pytest.raises(ExtensionError) as caught:
        run(lambda: broken.x)
    assert "point.py" in str(caught.value)


def test_a_setter_of_any_name():
    seen = []

    @lower_setattr_generic(BoxType)
    def setter(context, builder, sig, args, name):
        seen.append((name, sig.args))

    def f(b):
        b.first = 1
        b.second = 2.5

    run(f, Box(3))
    assert [name for name, _ in seen] == ["first", "second"]
    assert seen[1][1] == (box_type, types.float64)


# --- iteration by code ------------------------------------------------------------------------


class CountType(types.Type):
    """An iterator: what is left, in memory that is counted."""

    def __init__(self):
        super().__init__(name="Count")


count_type = CountType()
register_model(CountType)(
    type(
        "CountModel",
        (models.StructModel,),
        {
            "__init__": lambda self, dmm, ty: models.StructModel.__init__(
                self, dmm, ty, [("left", types.MemInfoPointer(types.int64))]
            )
        },
    )
)


def looped():
    """Teach compiled code to count down from the number in a box."""

    @infer
    class Begin(AbstractTemplate):
        key = "getiter"

        def generic(self, args, kws):
            return signature(count_type, *args) if args[0] is box_type else None

    @infer
    class Advance(AbstractTemplate):
        key = "iternext"

        def generic(self, args, kws):
            return signature(types.int64, *args) if args[0] is count_type else None

    @lower_builtin("getiter", BoxType)
    def begin(context, builder, sig, args):
        count = context.make_helper(builder, count_type)
        count.left = context.nrt.meminfo_alloc(builder, ir.IntType(64)(8))
        builder.store(args[0], place(context, builder, count._getvalue()))
        return count._getvalue()


def place(context, builder, value):
    count = context.make_helper(builder, count_type, value)
    data = context.nrt.meminfo_data(builder, count.left)
    return builder.bitcast(data, ir.IntType(64).as_pointer())


def sums(b):
    total = 0
    for x in b:
        if x == 100:
            break
        total += x
    return total


def test_loops_by_code():
    looped()

    @lower_builtin("iternext", CountType)
    def advance(context, builder, sig, args):
        left = place(context, builder, args[0])
        number = builder.load(left, typ=ir.IntType(64))
        builder.store(builder.sub(number, number.type(1)), left)
        return number, builder.icmp_signed(">", number, number.type(0))

    assert run(sums, Box(4)) == 10
    assert run(sums, Box(0)) == 0
    assert run(sums, Box(102)) == 102 + 101
    f = cutaway.jit(sums)
    for _ in range(1000):
        f(Box(100))


@pytest.mark.parametrize("found", ["item", "three", "nothing"])
def test_code_of_a_loop_that_gives_no_pair(found):
    looped()

    @lower_builtin("iternext", CountType)
    def advance(context, builder, sig, args):
        number = context.get_constant(types.int64, 1)
        return {"item": number, "three": (number,) * 3, "nothing": None}[found]

    with pytest.raises(ExtensionError, match="iternext|lowering of") as caught:
        run(sums, Box(4))
    assert __file__ in str(caught.value)


# --- typeof -----------------------------------------------------------------------------------


class Base:
    pass


class Derived(Base):
    pass


class TagType(types.Type):
    def __init__(self, name):
        super().__init__(name=name)


@register_model(TagType)
class TagModel(models.OpaqueModel):
    pass


@unbox(TagType)
def unbox_tag(typ, obj, c):
    return NativeValue(c.context.get_dummy_value())


def test_typeof_of_derived_classes_and_hooks():
    typeof_impl.register(Base)(lambda value, c: TagType("Base"))
    assert cutaway.typeof(Derived()) is TagType("Base")
    typeof_impl.register(Derived)(lambda value, c: TagType("Derived"))
    assert cutaway.typeof(Derived()) is TagType("Derived")
    assert cutaway.typeof(Base()) is TagType("Base")

    class Hooked:
        pass

    @typeof_impl.hook
    def hook(value, c):
        return TagType("Hooked") if isinstance(value, Hooked) else None

    f = cutaway.jit(lambda x: 1)
    assert cutaway.typeof(Hooked()) is TagType("Hooked")
    assert f(Hooked()) == f(Hooked()) == 1
    assert f.signatures == [(TagType("Hooked"),)]
    with pytest.raises(TypingError):
        f(object())


def test_types_on_classes_and_instances():
    class OnClass:
        _cutaway_type_ = TagType("OnClass")

    class OnInstance:
        def __init__(self, name):
            self._numba_type_ = TagType(name)

    class ByProperty:
        @property
        def _cutaway_type_(self):
            return TagType("ByProperty")

    class Wrong:
        _cutaway_type_ = "no type"

    f = cutaway.jit(lambda x: 1)
    assert cutaway.typeof(OnClass()) is TagType("OnClass")
    assert cutaway.typeof(ByProperty()) is TagType("ByProperty")
    assert [f(OnClass()), f(ByProperty()), f(OnClass())] == [1, 1, 1]
    with pytest.raises(TypingError):
        f(Wrong())


def test_a_fingerprint_tells_types_apart():
    class Kind:
        def __init__(self, name, data):
            self.name, self.data = name, data

    asked = []

    @typeof_impl.register(Kind, fingerprint=("name", "data"))
    def typeof_kind(value, c):
        asked.append(value)
        return TagType(f"Kind({cutaway.typeof(value.name)}, {cutaway.typeof(value.data)})")

    f = cutaway.jit(lambda x: 1)
    for _ in range(5):
        for name, data in (("a", 1), (2, 1), ("b", 1.5), ("a", np.zeros(2))):
            assert f(Kind(name, data)) == 1
    assert len(f.signatures) == 4 and len(asked) <= 8
    with pytest.raises(ExtensionError, match="no attribute 'name'"):
        f(Kind.__new__(Kind))


def test_typeof_of_hostile_values():
    class Raises:
        @property
        def _cutaway_type_(self):
            raise ValueError("hostile")

    f = cutaway.jit(lambda x: 1)
    with pytest.raises(Exception, match="hostile"):
        f(Raises())

    class Meta(type):
        def __hash__(cls):
            raise RuntimeError("no hash")

        def __eq__(cls, other):
            raise RuntimeError("no equality")

    class Strange(metaclass=Meta):
        pass

    typeof_impl.register(Strange)(lambda value, c: TagType("Strange"))
    assert f(Strange()) == 1


# --- unusual places ---------------------------------------------------------------------------


def test_named_tuples_and_star_arguments_of_points():
    from collections import namedtuple  # noqa: PLC0415  of this test alone

    Pair = namedtuple("Pair", "first second")

    def f(pair, *rest):
        return Pair(rest[0], pair.first), len(rest)

    found, n = run(f, Pair(Point(1.0, 2.0), 3), Point(5.0, 6.0), 7)
    assert found == Pair(Point(5.0, 6.0), Point(1.0, 2.0)) and n == 2


def test_default_arguments_and_keywords():
    f = cutaway.jit(lambda a, p=POINTS[0]: (p.x + a, p))
    assert f(1) == (2.0, Point(1.0, 2.0))
    assert f(1, p=Point(8.0, 9.0)) == (9.0, Point(8.0, 9.0))


def test_a_closure_and_a_compiled_callee_over_points():
    inner = cutaway.jit(lambda p, q: make_point(p.x + q.x, p.y))

    def f(p):
        def g(q):
            return inner(p, q)

        return g(p).x

    assert run(f, Point(2.0, 1.0)) == 4.0


def test_recursion_over_points():
    @cutaway.jit
    def f(p, n):
        if n == 0:
            return p
        return f(make_point(p.x + 1, p.y), n - 1)

    assert f(Point(0.0, 1.0), 5) == Point(5.0, 1.0)


def test_explicit_signatures():
    f = cutaway.jit([types.float64(point_type), types.float64(types.float64)])(lambda x: 1.0)
    assert f(Point(1.0, 2.0)) == 1.0 and len(f.signatures) == 2
    with pytest.raises(TypingError, match="str does not convert to Point"):
        f("text")


def test_operators_with_a_point_that_nothing_fits_name_both_types():
    with pytest.raises(TypingError, match="Point"):
        run(lambda p: p << 1, Point(1.0, 2.0))


def test_an_overload_of_an_operator_of_library_types():
    @overload(operator.lshift)
    def shifted(a, b):
        if isinstance(a, types.UnicodeType) and isinstance(b, types.Integer):
            return lambda a, b: b + 1

    assert run(lambda s: s << 4, "text") == 5
    assert run(lambda a: a << 4, 1) == 16


def test_code_for_none_is_taken_where_an_argument_is_left_out():
    def root(x=None):
        raise NotImplementedError

    @type_callable(root)
    def type_root(context):
        return lambda x=None: types.int32 if x in (None, types.none) else x

    @lower_builtin(root)
    @lower_builtin(root, types.none)
    def lower_root(context, builder, sig, args):
        return context.get_constant(sig.return_type, 42)

    @lower_builtin(root, types.Float)
    def lower_root_of(context, builder, sig, args):
        return args[0]

    @cutaway.njit
    def f():
        return root(), root(None), root(x=None), root(2.5)

    assert f() == (42, 42, 42, 2.5)
