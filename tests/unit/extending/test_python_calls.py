"""The functions of `c.pyapi` that the reference has, each in a function that boxes or unboxes."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from llvmlite import ir

import cutaway
from cutaway import types
from cutaway.errors import ExtensionError
from cutaway.extending import NativeValue, box, models, register_model, typeof_impl, unbox
from extending.test_pyapi import crossing

pytestmark = pytest.mark.sampled(fast=8)

I32, I64, F64 = ir.IntType(32), ir.IntType(64), ir.DoubleType()


def of_python(value, *calls):
    """What a boxing function makes of a Python object by these methods of `c.pyapi`, the last of
    which gives the object that is returned."""

    def boxing(val, c):
        held = c.pyapi.unserialize(c.pyapi.serialize_object(value))
        found = calls[0](c.pyapi, held)
        c.pyapi.decref(held)
        return found

    return crossing(boxing=boxing)()


PAIRS = {
    "number_add": ((7, 3), 10),
    "number_subtract": ((7, 3), 4),
    "number_multiply": ((7, 3), 21),
    "number_truedivide": ((7, 2), 3.5),
    "number_floordivide": ((7, 2), 3),
    "number_remainder": ((7, 4), 3),
    "number_lshift": ((7, 2), 28),
    "number_rshift": ((7, 1), 3),
    "number_and": ((7, 5), 5),
    "number_or": ((4, 3), 7),
    "number_xor": ((7, 5), 2),
    "number_power": ((7, 2), 49),
    "object_getattr": ((3 + 4j, "imag"), 4.0),
    "object_getitem": (((1, 2, 3), 1), 2),
    "isinstance": ((1, int), 1),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_function_of_two_objects(name):
    pair, expected = PAIRS[name]

    def call(api, held):
        found = getattr(api, name)(api.tuple_getitem(held, 0), api.tuple_getitem(held, 1))
        return found if found.type != I32 else api.long_from_signed_int(found)

    assert of_python(pair, call) == expected


SINGLE = {
    "number_negative": (5, -5),
    "number_positive": (5, 5),
    "number_invert": (5, ~5),
    "number_index": (5, 5),
    "number_float": (5, 5.0),
    "number_long": (5.5, 5),
    "object_str": (5, "5"),
    "object_repr": ("a", "'a'"),
    "object_type": (5, int),
    "get_type": (5, int),
    "list_as_tuple": ([1, 2], (1, 2)),
    "object_istrue": ([], 0),
    "object_not": ([], 1),
    "object_hash": (12, 12),
    "object_size": ("abc", 3),
    "set_size": ({1, 2}, 2),
    "dict_size": ({1: 2}, 1),
    "bytes_size": (b"abc", 3),
    "tuple_size": ((1,), 1),
    "long_as_ulonglong": (2**63, -(2**63)),
    "long_as_ulong": (5, 5),
    "complex_real_as_double": (3 + 4j, 3.0),
    "complex_imag_as_double": (3 + 4j, 4.0),
}


@pytest.mark.parametrize("name", SINGLE)
def test_a_function_of_one_object(name):
    value, expected = SINGLE[name]

    def call(api, held):
        found = getattr(api, name)(held)
        if found.type == F64:
            return api.float_from_double(found)
        return api.long_from_signed_int(found) if isinstance(found.type, ir.IntType) else found

    found = of_python(value, call)
    assert (found, type(found)) == (expected, type(expected))


COMPARISONS = {
    "<": True, "<=": True, "==": False, "!=": True, ">": False, ">=": False, "is": False,
    "is not": True,
}  # fmt: skip


@pytest.mark.parametrize("how", COMPARISONS)
def test_comparisons(how):
    def call(api, held):
        return api.object_richcompare(api.tuple_getitem(held, 0), api.tuple_getitem(held, 1), how)

    assert of_python((1, 2), call) is COMPARISONS[how]


@pytest.mark.parametrize("how", ["in", "not in"])
def test_a_comparison_with_what_holds_items(how):
    def call(api, held):
        return api.object_richcompare(api.tuple_getitem(held, 0), api.tuple_getitem(held, 1), how)

    assert of_python((1, [1, 2]), call) is (how == "in")


def test_what_is_no_comparison():
    with pytest.raises(ExtensionError, match="no comparison") as caught:
        of_python(1, lambda api, held: api.object_richcompare(held, held, "<>"))
    assert "test_pyapi.py" in str(caught.value)  # whose function calls these


def test_a_dict_of_names():
    def boxing(val, c):
        number = c.pyapi.long_from_longlong(val)
        found = c.pyapi.dict_pack([("first", number), ("second", number)])
        key = c.pyapi.string_from_string("third")
        c.pyapi.dict_setitem(found, key, c.pyapi.dict_getitem(found, key))  # there is none
        c.pyapi.err_clear()
        c.pyapi.dict_setitem(found, key, number)
        c.pyapi.decref(key)
        c.pyapi.decref(number)
        return found

    number = 123456789
    call = crossing(boxing=boxing)
    for _ in range(3):
        found = call(number)
        assert found == dict.fromkeys(("first", "second", "third"), number)
    count = sys.getrefcount(found["first"])
    assert count == 4


def test_lists_sets_and_iterators():
    def call(api, held):
        listed = api.list_new(2)
        items = api.object_getiter(held)
        api.list_setitem(listed, 0, api.iter_next(items))
        api.list_setitem(listed, 1, api.iter_next(items))
        api.decref(items)
        packed = api.list_pack([listed, api.list_getitem(listed, 0)])
        made = api.set_new(held)
        api.set_add(made, api.list_getitem(listed, 1))
        api.list_setslice(packed, 1, 1, listed)
        found = api.tuple_pack([packed, made])
        for used in (listed, packed, made):
            api.decref(used)
        return found

    assert of_python((5, 7), call) == ([[5, 7], 5, 7, 5], {5, 7})


def test_attributes_and_items_that_are_set_and_deleted():
    class Held:
        pass

    target = Held()
    target.items = {1: 2, 3: 4}

    def call(api, held):
        items = api.object_getattr_string(held, "items")
        one = api.long_from_ssize_t(I64(1))
        api.object_delitem(items, one)
        name = api.string_from_constant_string("seen")
        api.object_setattr(held, name, one)
        api.object_setattr_string(held, "other", one)
        api.object_delattr_string(held, "other")
        for used in (items, one, name):
            api.decref(used)
        return api.make_none()

    assert of_python(target, call) is None
    assert vars(target) == {"items": {3: 4}, "seen": 1}


def test_texts_and_bytes():
    def call(api, held):
        text = api.tuple_getitem(held, 0)
        there, data, length = api.string_as_string_and_size(text)
        again = api.string_from_string_and_size(data, length)
        whole = api.string_from_string(api.string_as_string(text))
        data = api.bytes_as_string(api.tuple_getitem(held, 1))
        first = api.bytes_from_string_and_size(data, 2)
        wide = api.string_from_kind_and_data(I32(1), data, 3)
        found = api.tuple_pack([again, whole, first, wide, api.bool_from_bool(there)])
        for used in (again, whole, first, wide):
            api.decref(used)
        return found

    assert of_python(("ü ab", b"xyz"), call) == ("ü ab", "ü ab", b"xy", "xyz", True)


def test_addresses_by_way_of_an_integer():
    def call(api, held):
        return api.long_from_voidptr(api.long_as_voidptr(held))

    assert of_python(0x7F00DEADBEEF, call) == 0x7F00DEADBEEF
    with pytest.raises(TypeError):
        crossing(
            unboxing=lambda obj, c: NativeValue(
                c.builder.ptrtoint(c.pyapi.long_as_voidptr(obj), I64), c.pyapi.c_api_error()
            )
        )()


def test_an_exception_without_a_value():
    def unboxing(obj, c):
        c.pyapi.err_set_none(KeyError)
        return NativeValue(I64(1), is_error=c.pyapi.c_api_error())

    with pytest.raises(KeyError):
        crossing(unboxing=unboxing)()


def test_printing(capsys):
    def call(api, held):
        api.print_object(held)
        api.print_string(held)
        return api.make_none()

    of_python([1, "a"], call)
    assert capsys.readouterr().out == "[1, 'a']\n" * 2


def test_the_lock():
    def call(api, held):
        state = api.gil_ensure()
        api.gil_release(state)
        return api.make_none()

    assert of_python(1, call) is None


def test_objects_by_number():
    one, other = ["one"], ["other"]

    def boxing(val, c):
        numbers = [c.env_manager.add_const(x) for x in (one, other, one)]
        assert numbers == [0, 1, 0]
        held = c.env_manager.read_const(1)
        c.pyapi.incref(held)
        return held

    assert crossing(boxing=boxing)() is other
    with pytest.raises(ExtensionError, match="no object has number 3"):
        crossing(boxing=lambda val, c: c.env_manager.read_const(3))()


# --- what fails -------------------------------------------------------------------------------


def test_an_object_that_is_not_there_is_no_crash():
    """What follows a failure is not called: the first exception is the one that is seen."""

    def unboxing(obj, c):
        missing = c.pyapi.object_getattr_string(obj, "nowhere")
        deeper = c.pyapi.object_getattr_string(missing, "deeper")
        made = c.pyapi.tuple_pack([deeper, obj])
        called = c.pyapi.call_function_objargs(obj, [made, deeper])
        c.pyapi.call_method(called, "name", [deeper])
        c.pyapi.dict_pack([("x", deeper)])
        c.pyapi.object_setattr_string(missing, "x", obj)
        c.pyapi.object_istrue(missing)
        c.pyapi.object_str(missing)
        c.pyapi.call(missing, made)
        value = c.pyapi.number_as_ssize_t(missing)
        c.pyapi.decref(called)
        return NativeValue(value, is_error=c.pyapi.c_api_error())

    with pytest.raises(AttributeError, match="nowhere"):
        crossing(unboxing=unboxing)()


@pytest.mark.parametrize(
    "code, words",
    [
        (lambda api, v: api.long_from_longlong(I32(1)), "takes an i64, not i32"),
        (lambda api, v: api.float_from_double(v), "takes a double, not i64"),
        (lambda api, v: api.object_str(5), "takes a pointer, not 5"),
        (lambda api, v: api.object_str(), "takes 1 arguments, not 0"),
        (lambda api, v: api.no_such_function(), "pyapi has no function 'no_such_function'"),
        (lambda api, v: api.err_set_string("NoSuchError", "x"), "there is no exception"),
    ],
)
def test_what_does_not_fit_is_refused_at_its_line(code, words):
    with pytest.raises(ExtensionError, match=words) as caught:
        crossing(boxing=lambda val, c: code(c.pyapi, val))()
    assert "test_pyapi.py" in str(caught.value)  # whose function calls these


# --- values, and who counts their references --------------------------------------------------


class Pair:
    def __init__(self, array, other):
        self.array = array
        self.other = other


class PairType(types.Type):
    def __init__(self):
        super().__init__(name="PairOfTests")


pair_type, array_type = PairType(), types.float64[::1]


@typeof_impl.register(Pair, fingerprint=())
def typeof_pair(value, c):
    return pair_type


@register_model(PairType)
class PairModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("array", array_type), ("other", types.pyobject)])


@pytest.fixture(params=["plain", "dropped", "counted", "forgotten", "too often"])
def pairs(request):
    """A compiled function that passes a pair on; its unboxing and boxing count references in one
    of several ways, none of which may cost a reference or keep one."""
    how = request.param

    @unbox(PairType)
    def unbox_pair(typ, obj, c):
        pair = c.context.make_helper(c.builder, typ)
        array, other = (c.pyapi.object_getattr_string(obj, name) for name in ("array", "other"))
        native = c.pyapi.to_native_value(array_type, array)
        pair.array, pair.other = native.value, c.pyapi.to_native_value(types.pyobject, other).value
        if how == "dropped":
            c.context.nrt.decref(c.builder, array_type, native.value)
        if how == "counted":
            c.context.nrt.incref(c.builder, array_type, native.value)
            c.context.nrt.decref(c.builder, array_type, native.value)
        if how == "forgotten":
            c.context.nrt.incref(c.builder, array_type, native.value)
            c.unbox(array_type, array)
        if how == "too often":
            for _ in range(3):
                c.context.nrt.decref(c.builder, array_type, native.value)
        c.pyapi.decref(array)
        c.pyapi.decref(other)
        return NativeValue(pair._getvalue(), is_error=native.is_error)

    @box(PairType)
    def box_pair(typ, val, c):
        pair = c.context.make_helper(c.builder, typ, val)
        if how == "counted":
            c.context.nrt.incref(c.builder, array_type, pair.array)
            c.context.nrt.decref(c.builder, array_type, pair.array)
        array = c.pyapi.from_native_value(array_type, pair.array)
        if how == "too often":
            c.pyapi.decref(c.box(array_type, pair.array))
        cls = c.pyapi.unserialize(c.pyapi.serialize_object(Pair))
        c.pyapi.incref(pair.other)
        other = c.pyapi.from_native_value(types.pyobject, pair.other)
        found = c.pyapi.call_function_objargs(cls, (array, other))
        for used in (array, cls, other):
            c.pyapi.decref(used)
        return found

    return cutaway.jit(lambda p: p)


def test_references_are_in_balance(pairs):
    array, other = np.arange(3.0), ["other"]
    given = Pair(array, other)
    found = pairs(given)
    before = sys.getrefcount(array), sys.getrefcount(other)
    for _ in range(10):
        found = pairs(given)
        assert found.array is array and found.other is other
    assert (sys.getrefcount(array), sys.getrefcount(other)) == before
    del found
    assert sys.getrefcount(array) == before[0] - 1


def test_an_object_as_a_member_that_is_built_in_compiled_code_stays_who_it_is(pairs):
    given = Pair(np.arange(3.0), ["other"])
    f = cutaway.jit(lambda p, q, n: p if n else q)
    assert f(given, Pair(np.ones(3), None), 1).other is given.other
    assert f(given, Pair(np.ones(3), None), 0).other is None


def test_no_function_is_called_while_an_exception_is_set():
    """Python's own lookups clear an exception that they find, as if it were theirs."""
    seen = []

    def unboxing(obj, c):
        c.pyapi.err_set_string(ValueError, "first")
        held = c.pyapi.unserialize(c.pyapi.serialize_object(seen))
        c.pyapi.call_method(held, "append", [obj])
        c.pyapi.object_getattr_string(obj, "value")
        c.pyapi.decref(held)
        return NativeValue(I64(1), is_error=c.pyapi.c_api_error())

    with pytest.raises(ValueError, match="first"):
        crossing(unboxing=unboxing)()
    assert seen == []
