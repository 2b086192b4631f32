"""Python's C API in boxing and unboxing code: each method of `c.pyapi`."""

from __future__ import annotations

import sys

import pytest
from llvmlite import ir

import cutaway
from cutaway import types
from cutaway.extending import NativeValue, box, cgutils, models, register_model, typeof_impl, unbox

pytestmark = pytest.mark.sampled(fast=5)

I64, F64 = ir.IntType(64), ir.DoubleType()


def crossing(unboxing=None, boxing=None):
    """A class of objects with `value`, and a compiled function that gives what boxing makes of the
    i64 that unboxing made of one."""

    class Crossing:
        def __init__(self, value):
            self.value = value

    class CrossingType(types.Type):
        def __init__(self):
            super().__init__(name=f"Crossing{id(Crossing)}")

    ty = CrossingType()
    typeof_impl.register(Crossing, fingerprint=())(lambda value, c: ty)
    register_model(CrossingType)(models.IntegerModel)

    @unbox(CrossingType)
    def unbox_one(typ, obj, c):
        if unboxing is not None:
            return unboxing(obj, c)
        member = c.pyapi.object_getattr_string(obj, "value")
        native = c.unbox(types.int64, member)
        c.pyapi.decref(member)
        return native

    @box(CrossingType)
    def box_one(typ, val, c):
        return c.pyapi.long_from_longlong(val) if boxing is None else boxing(val, c)

    same = cutaway.jit(lambda x: x)
    return lambda value=0: same(Crossing(value))


BOXES = {
    "float": (lambda v, c: c.pyapi.float_from_double(c.builder.sitofp(v, F64)), 5.0),
    "int": (lambda v, c: c.pyapi.long_from_long(v), 5),
    "signed": (lambda v, c: c.pyapi.long_from_signed_int(c.builder.trunc(v, ir.IntType(8))), 5),
    "unsigned": (lambda v, c: c.pyapi.long_from_unsigned_int(v), 5),
    "ulonglong": (lambda v, c: c.pyapi.long_from_ulonglong(v), 5),
    "bool": (lambda v, c: c.pyapi.bool_from_bool(cgutils.is_true(c.builder, v)), True),
    "complex": (lambda v, c: c.pyapi.complex_from_doubles(F64(1.0), F64(2.0)), 1 + 2j),
    "none": (lambda v, c: c.pyapi.make_none(), None),
    "text": (lambda v, c: c.pyapi.string_from_constant_string("ü text"), "ü text"),
}


@pytest.mark.parametrize("kind", BOXES)
def test_what_is_made(kind):
    code, expected = BOXES[kind]
    call = crossing(boxing=code)
    for _ in range(3):
        found = call(5)
        assert found == expected and type(found) is type(expected)


def test_containers():
    def boxing(val, c):
        api, items = c.pyapi, [c.pyapi.long_from_longlong(val) for _ in range(3)]
        found = api.tuple_new(2)
        listed = api.list_new(0)
        for item in items:
            api.list_append(listed, item)
        size = api.long_from_longlong(api.list_size(listed))
        named = api.dict_new()
        api.dict_setitem_string(named, "first", api.list_getitem(listed, 0))
        api.dict_setitem_string(named, "size", size)
        again = api.dict_getitem_string(named, "first")
        packed = api.tuple_pack([again, listed])
        api.decref(listed)
        api.decref(size)
        for item in items:
            api.decref(item)
        api.tuple_setitem(found, 0, packed)
        api.tuple_setitem(found, 1, named)
        api.incref(api.tuple_getitem(found, 0))
        api.decref(api.tuple_getitem(found, 0))
        return found

    call = crossing(boxing=boxing)
    number = 123456789
    for _ in range(20):
        found = call(number)
        assert found == ((number, [number] * 3), {"first": number, "size": 3})
    assert sys.getrefcount(found) == 2
    assert sys.getrefcount(found[0]) <= 3


class Target:
    def __init__(self):
        self.seen = []

    def note(self, *args, **named):
        self.seen.append((args, named))
        return len(self.seen)

    def __getitem__(self, key):
        return key * 2

    def __setitem__(self, key, value):
        self.seen.append((key, value))


def test_calls_items_and_attributes():
    target = Target()

    def boxing(val, c):
        api, builder = c.pyapi, c.builder
        held = api.unserialize(api.serialize_object(target))
        number = api.long_from_longlong(val)
        made = [api.call_method(held, "note", [number]), api.call_method(held, "note")]
        args, named = api.tuple_pack([number]), api.dict_new(1)
        api.dict_setitem_string(named, "k", number)
        note = api.object_getattr_string(held, "note")
        made += [api.call(note, args), api.call(note, args, named)]
        made += [api.object_getitem(held, number), note, args, named, number, held]
        api.object_setitem(held, number, api.borrow_none())
        api.object_setattr_string(held, "mark", number)
        made += [api.object_str(number), api.object_repr(number), api.object_type(held)]
        module = api.import_module("math")
        made += [api.object_getattr_string(module, "pi"), module]
        there = api.object_hasattr_string(held, "mark")
        kind = api.isinstance(number, api.object_constant(int))
        truth = api.object_istrue(number)
        answers = [builder.sext(x, I64) for x in (there, kind, truth)]
        found = api.tuple_pack([made[-2], made[4], made[-5]])
        for x in made:
            api.decref(x)
        total = api.long_from_longlong(builder.add(builder.add(*answers[:2]), answers[2]))
        pair = api.tuple_pack([found, total])
        api.decref(found)
        api.decref(total)
        return pair

    call = crossing(boxing=boxing)
    call(1234)  # the code keeps the objects that it names
    before = sys.getrefcount(target)
    for _ in range(5):
        target.seen.clear()
        (pi, item, text), answers = call(1234)
        assert (round(pi, 2), item, text, answers) == (3.14, 2468, "1234", 3)
        assert target.seen == [
            ((1234,), {}), ((), {}), ((1234,), {}), ((1234,), {"k": 1234}), (1234, None)
        ]  # fmt: skip
        assert target.mark == 1234
    assert sys.getrefcount(target) == before


def reading(method, kind=I64):
    def unboxing(obj, c):
        member = c.pyapi.object_getattr_string(obj, "value")
        value = getattr(c.pyapi, method)(member)
        failed = cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
        c.pyapi.decref(member)
        if kind is F64:
            value = c.builder.fptosi(value, I64)
        return NativeValue(value, is_error=failed)

    return crossing(unboxing=unboxing)


def test_numbers_that_are_read():
    assert reading("long_as_longlong")(-5) == -5
    assert reading("long_as_ulonglong")(5) == 5
    assert reading("number_as_ssize_t")(7) == 7
    assert reading("float_as_double", F64)(2.5) == 2
    with pytest.raises(OverflowError):
        reading("long_as_longlong")(1 << 70)
    with pytest.raises(TypeError):
        reading("float_as_double", F64)("text")


def test_conversions_to_numbers():
    def unboxing(obj, c):
        member = c.pyapi.object_getattr_string(obj, "value")
        whole = c.pyapi.number_long(member)
        real = c.pyapi.number_float(whole)
        value = c.builder.fptosi(c.pyapi.float_as_double(real), I64)
        for used in (member, whole, real):
            c.pyapi.decref(used)
        return NativeValue(value)

    assert crossing(unboxing=unboxing)(3.75) == 3
    assert crossing(unboxing=unboxing)("12") == 12


@pytest.mark.parametrize("how", ["string", "object", "format", "name", "cleared"])
def test_exceptions(how):
    def unboxing(obj, c):
        api, failed = c.pyapi, ir.IntType(1)(1)
        if how == "string":
            api.err_set_string(ValueError, "told")
        elif how == "name":
            api.err_set_string("PyExc_ValueError", "told")
        elif how == "object":
            text = api.string_from_constant_string("told")
            api.err_set_object(ValueError, text)
            api.decref(text)
        elif how == "format":
            times = c.context.insert_const_string(c.builder.module, "times")
            api.err_format(ValueError, "told %d %s", ir.IntType(32)(3), times)
        else:
            api.err_set_string(ValueError, "told")
            api.err_clear()
            failed = ir.IntType(1)(0)
        return NativeValue(I64(1), is_error=failed)

    call = crossing(unboxing=unboxing)
    if how == "cleared":
        assert call() == 1
        return
    with pytest.raises(ValueError, match="told 3 times" if how == "format" else "told"):
        call()


def test_an_exception_that_is_set_without_a_failure_is_no_crash():
    def unboxing(obj, c):
        c.pyapi.err_set_string(ValueError, "forgotten")
        return NativeValue(I64(1))

    with pytest.raises((ValueError, SystemError)):
        crossing(unboxing=unboxing)()


def test_unboxing_a_null_object_is_no_crash():
    def unboxing(obj, c):
        return c.unbox(types.int64, c.pyapi.object_getattr_string(obj, "nowhere"))

    with pytest.raises(AttributeError, match="nowhere"):
        crossing(unboxing=unboxing)()
