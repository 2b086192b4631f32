"""The `context` of code that extensions write: constants, members, C functions, calls."""

from __future__ import annotations

import ctypes
import operator
import sys

import numpy as np
import pytest
from llvmlite import ir

import cutaway
from cutaway import types
from cutaway.errors import CompileError, ExtensionError, TypingError
from cutaway.extending import (
    ExternalFunction,
    ExternalFunctionPointer,
    cgutils,
    codepoint_to_kind,
    empty_string,
    get_code_point,
    intrinsic,
    make_function_type,
    overload,
    set_code_point,
)

pytestmark = pytest.mark.sampled(fast=8)

I8, I32, I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
LIBM = ctypes.CDLL("libm.so.6")
LIBM.pow.argtypes, LIBM.pow.restype = [ctypes.c_double, ctypes.c_double], ctypes.c_double


def compiled(returns, code, *args):
    """What code gives for these arguments: `code(context, builder, sig, args)`; `returns` is a
    type, or a function of the types of the arguments."""

    @intrinsic
    def written(typingctx, *given):
        wanted = returns if isinstance(returns, types.Type) else returns(*given)
        return wanted(*given), code

    return cutaway.jit(lambda *given: written(*given))(*args)


# --- members ----------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [slice(1, 5), slice(2, 9, 3), slice(None, 4), slice(None)])
def test_bounds_of_a_slice(given):
    def code(context, builder, sig, args):
        bounds = context.make_helper(builder, sig.args[0], args[0])
        return context.make_tuple(builder, sig.returns, (bounds.start, bounds.stop, bounds.step))

    found = compiled(types.UniTuple(types.int64, 3), code, given)
    expected = given.indices(sys.maxsize)
    assert found == expected


def test_members_of_a_str():
    def code(context, builder, sig, args):
        text = context.make_helper(builder, types.unicode_type, args[0])
        other = context.make_helper(builder, types.unicode_type)
        other.data, other.length, other.kind = text.data, text.length, text.kind
        other.meminfo, other.hash, other.is_ascii = text.meminfo, I64(0), I32(1)
        context.nrt.incref(builder, types.unicode_type, args[0])
        kind = builder.sext(text.kind, I64)
        items = (other._getvalue(), builder.add(builder.mul(kind, I64(100)), text.length))
        return context.make_tuple(builder, sig.returns, items)

    pair = types.Tuple((types.unicode_type, types.int64))
    for given, kind in (("abc", 1), ("aü€", 2), ("a\U0001f600", 4)):
        assert compiled(pair, code, given) == (given, 100 * kind + len(given))


def test_members_of_what_may_be_none():
    def code(context, builder, sig, args):
        maybe = context.make_helper(builder, sig.returns)
        maybe.valid = builder.fcmp_ordered(">", args[0], ir.DoubleType()(0.0))
        maybe.data = args[0]
        again = context.make_helper(builder, sig.returns, maybe._getvalue())
        again.data = builder.select(again.valid, again.data, again.data)
        return again._getvalue()

    assert compiled(types.Optional(types.float64), code, 2.5) == 2.5
    assert compiled(types.Optional(types.float64), code, -2.5) is None


def test_bytes_that_code_makes():
    def code(context, builder, sig, args):
        made = context.make_helper(builder, types.bytes_type)
        made.meminfo = context.nrt.meminfo_alloc(builder, I64(3))
        made.data = context.nrt.meminfo_data(builder, made.meminfo)
        for k, byte in enumerate(b"xyz"):
            builder.store(I8(byte), builder.gep(made.data, [I64(k)]))
        made.shape, made.strides = (I64(3),), (I64(1),)
        made.nitems = made.itemsize = I64(1)
        made.parent = cgutils.get_null_value(made.parent.type)
        return made._getvalue()

    assert compiled(types.bytes_type, code, 1) == b"xyz"


def test_a_str_of_numbers_of_characters():
    @cutaway.jit
    def shifted(text):
        widest = 0
        for k in range(len(text)):
            widest = max(widest, get_code_point(text, k) + 1)
        made = empty_string(codepoint_to_kind(widest), len(text), 0)
        for k in range(len(text)):
            set_code_point(made, k, get_code_point(text, k) + 1)
        return made

    for given in ("abc", "aü€", "a\U0001f600", ""):
        assert shifted(given) == "".join(chr(ord(c) + 1) for c in given)


def test_a_member_that_a_str_does_not_have():
    def code(context, builder, sig, args):
        return context.make_helper(builder, types.unicode_type, args[0]).charset

    with pytest.raises(ExtensionError, match="no member 'charset'") as caught:
        compiled(types.int64, code, "abc")
    assert __file__ in str(caught.value)


def test_an_array_is_no_struct_for_c():
    def code(context, builder, sig, args):
        return context.make_array(sig.args[0])(context, builder, args[0])._getpointer()

    with pytest.raises(ExtensionError, match="no struct in memory"):
        compiled(types.voidptr, code, np.ones(3))


# --- values in memory, constants --------------------------------------------------------------


@pytest.mark.parametrize("given", [True, False, 5, 2.5, 3 + 4j])
def test_a_value_in_memory_and_back(given):
    def code(context, builder, sig, args):
        ty = sig.returns
        place = cgutils.alloca_once(builder, context.get_data_type(ty))
        builder.store(context.get_value_as_data(builder, ty, args[0]), place)
        first = context.get_data_as_value(builder, ty, builder.load(place))
        context.pack_value(builder, ty, first, place, align=1)
        again = context.unpack_value(builder, ty, place)
        passed = context.get_value_as_argument(builder, ty, again)
        return context.get_argument_value(builder, ty, passed)

    assert compiled(lambda ty: ty, code, given) == given


NUMBERS = np.arange(12.0).reshape(3, 4)


def test_an_array_as_a_constant():
    def code(context, builder, sig, args):
        return context.make_constant_array(builder, sig.returns, NUMBERS)

    found = compiled(cutaway.typeof(NUMBERS), code, 1)
    assert found.tolist() == NUMBERS.tolist()


def test_constants_in_memory():
    def code(context, builder, sig, args):
        table = cgutils.create_constant_array(I64, [5, 6, 7])
        place = context.insert_unique_const(builder.module, "table", table)
        return builder.load(cgutils.gep_inbounds(builder, place, 0, args[0]))

    assert [compiled(types.int64, code, k) for k in range(3)] == [5, 6, 7]


# --- C functions ------------------------------------------------------------------------------


def test_a_function_by_its_symbol():
    erf = ExternalFunction("erf", types.float64(types.float64))
    abs32 = ExternalFunction("abs", types.int32(types.int32))
    assert cutaway.jit(lambda x: erf(x))(0.5) == pytest.approx(0.5204998778)
    assert cutaway.jit(lambda x: abs32(x))(np.int32(-7)) == 7
    assert ExternalFunction("erf", types.float64(types.float64)) is erf


def test_a_function_by_its_address():
    address = ctypes.cast(LIBM.pow, ctypes.c_void_p).value
    power = ExternalFunctionPointer(types.float64(types.float64, types.float64), lambda ty: address)

    def code(context, builder, sig, args):
        return context.get_function(power, sig)(builder, args)

    assert cutaway.jit(lambda x: power(x, 3))(2.0) == 8.0
    assert compiled(types.float64, code, 2.0, 5.0) == 32.0


def test_a_pointer_that_code_calls():
    kind = make_function_type(LIBM.pow)
    assert kind.sig == types.float64(types.float64, types.float64)

    def code(context, builder, sig, args):
        address = context.add_dynamic_addr(builder, kind.get_pointer(LIBM.pow), info="pow")
        function = builder.bitcast(address, context.get_function_pointer_type(kind))
        return context.call_function_pointer(builder, function, args)

    assert compiled(types.float64, code, 2.0, 4.0) == 16.0


def test_pointers_go_to_c_as_pointers_to_anything():
    libc = ctypes.CDLL(None)
    libc.memcpy.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64), ctypes.c_size_t]
    libc.memcpy.restype = ctypes.c_void_p
    kind = make_function_type(libc.memcpy)
    assert kind.sig.args[1] is types.CPointer(types.int64)

    def code(context, builder, sig, args):
        source, target = (cgutils.alloca_once(builder, I64) for _ in range(2))
        builder.store(args[0], source)
        address = context.add_dynamic_addr(builder, kind.get_pointer(libc.memcpy))
        function = builder.bitcast(address, context.get_function_pointer_type(kind))
        context.call_function_pointer(builder, function, (target, source, I64(8)))
        return builder.load(target)

    assert compiled(types.int64, code, 77) == 77


class Wrapped:
    """An object that has an address of its own."""

    def __init__(self, sig=None, address=None):
        self.sig = types.float64(types.float64, types.float64) if sig is None else sig
        self.address = ctypes.cast(LIBM.pow, ctypes.c_void_p).value if address is None else address

    def __wrapper_address__(self):
        return self.address

    def signature(self):
        return self.sig


def test_an_object_with_an_address_is_called():
    wrapped = Wrapped()
    assert cutaway.jit(lambda x: wrapped(x, 2))(5.0) == 25.0


@pytest.mark.parametrize(
    "wrapped, words",
    [
        (Wrapped(sig="f8(f8)"), "the signature of .* is 'f8"),
        (Wrapped(address=0), "has no address: 0"),
        (Wrapped(sig=types.float64(types.float64[:])), "cannot take or give"),
    ],
)
def test_an_object_that_does_not_say_what_it_is(wrapped, words):
    with pytest.raises(CompileError, match=words):
        cutaway.jit(lambda x: wrapped(x, 2.0))(5.0)


def _calls(make):
    def code(context, builder, sig, args):
        return make(context, builder, args)

    return code


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda c, b, a: c.call_function_pointer(b, c.add_dynamic_addr(b, 1), a), "does not say"),
        (lambda c, b, a: _pow(c, b, a[:1]), "2 arguments is given 1"),
        (lambda c, b, a: _pow(c, b, (a[0], I64(1))), "takes double is given i64"),
        (lambda c, b, a: c.insert_func_defn([]), "lower_builtin"),
        (lambda c, b, a: c.get_ufunc_info("add"), "context has no 'get_ufunc_info'"),
        (lambda c, b, a: c.call_conv.return_value(b, a[0]), "its Python function returns"),
        (lambda c, b, a: c.get_function("nothing", types.int64())(b, ()), "does not accept"),
    ],
)
def test_what_does_not_work_is_said_at_its_line(make, words):
    with pytest.raises(ExtensionError, match=words) as caught:
        compiled(types.float64, _calls(make), 1.0, 2.0)
    assert __file__ in str(caught.value)


def _pow(context, builder, args):
    kind = make_function_type(LIBM.pow)
    address = context.add_dynamic_addr(builder, kind.get_pointer(LIBM.pow))
    function = builder.bitcast(address, context.get_function_pointer_type(kind))
    return context.call_function_pointer(builder, function, args)


def test_functions_that_cannot_be_declared():
    with pytest.raises(ExtensionError, match="in the manner 'fastcc'"):
        ExternalFunctionPointer(types.float64(), lambda ty: 1, cconv="fastcc")
    with pytest.raises(ExtensionError, match="cannot take or give"):
        ExternalFunction("f", types.float64[:](types.int64))
    with pytest.raises(ExtensionError, match="argtypes"):
        make_function_type(ctypes.CDLL("libm.so.6").cos)
    with pytest.raises(ExtensionError, match="no class of numbers"):
        LIBM.sinh.argtypes = [ctypes.py_object]
        make_function_type(LIBM.sinh)


# --- calls ------------------------------------------------------------------------------------


def test_parts_that_functions_give_have_references_of_their_own():
    def code(context, builder, sig, args):
        return context.get_function(operator.getitem, sig)(builder, args)

    def item(context, builder, sig, args):
        inner = sig.returns(sig.args[0], types.int64)
        return context.get_function(operator.getitem, inner)(builder, (args[0], I64(1)))

    array = np.arange(10.0)
    before = sys.getrefcount(array)
    for _ in range(10):
        part = compiled(lambda a, s: types.float64[:], code, array, slice(2, 5))
        assert part.tolist() == [2.0, 3.0, 4.0]
        pair = compiled(lambda t: t.items[1], item, (array, array))
        assert pair is array
        del part, pair
    assert sys.getrefcount(array) == before


def test_a_python_function_that_is_compiled_apart():
    def code(context, builder, sig, args):
        subroutine = context.compile_subroutine(builder, lambda x, y: x * 10 + y, sig)
        return context.call_internal(builder, subroutine, sig, args)

    assert compiled(types.int64, code, 4, 2) == 42


def test_attributes_that_are_read_and_set():
    def code(context, builder, sig, args):
        get = context.get_getattr(sig.args[0], "real")
        return get(context, builder, sig.args[0], args[0], "real")

    assert compiled(types.float64, code, 3 + 4j) == 3.0


HELD = []


def test_python_from_code_that_holds_its_lock():
    def code(context, builder, sig, args):
        api = context.get_python_api(builder)
        state = api.gil_ensure()
        held = api.unserialize(api.serialize_object(HELD))
        number = api.long_from_longlong(args[0])
        api.decref(api.call_method(held, "append", [number]))
        api.decref(number)
        api.decref(held)
        api.gil_release(state)
        return args[0]

    HELD.clear()
    before = sys.getrefcount(HELD)
    for k in range(10):
        assert compiled(types.int64, code, 1000 + k) == 1000 + k
    # The code of each has a reference, and whoever looks at it may have another one or two.
    assert HELD == list(range(1000, 1010)) and sys.getrefcount(HELD) < before + 15


def test_boxing_is_for_functions_that_box():
    def code(context, builder, sig, args):
        return context.get_python_api(builder).from_native_value(types.int64, args[0])

    with pytest.raises(ExtensionError, match="for functions that box and unbox"):
        compiled(types.int64, code, 1)


def test_text_on_the_standard_output(capfd):
    def code(context, builder, sig, args):
        context.printf(builder, "%lld|", args[0])
        context.debug_print(builder, "text")
        return args[0]

    compiled(types.int64, code, 5)
    ctypes.CDLL(None).fflush(None)
    assert capfd.readouterr().out == "5|text\n"


# --- questions about types --------------------------------------------------------------------


def test_questions_to_the_typing_context():
    seen = {}

    @intrinsic
    def asked(typingctx, x):
        seen["sum"] = typingctx.resolve_function_type(operator.add, (x, types.float64), {})
        seen["none"] = typingctx.resolve_function_type(operator.add, (x, types.none))
        seen["value"] = typingctx.resolve_value_type(2.5)
        seen["attribute"] = typingctx.resolve_getattr(types.complex128, "imag")
        seen["missing"] = typingctx.resolve_getattr(types.complex128, "nothing")
        seen["common"] = typingctx.unify_types(types.int8, types.int64, types.float64)
        seen["pair"] = typingctx.unify_pairs(types.float64, types.unicode_type)
        seen["converts"] = typingctx.can_convert(types.int64, types.float64) is not None
        seen["does not"] = typingctx.can_convert(types.unicode_type, types.int64)
        typingctx.refresh()
        with pytest.raises(TypingError, match="has no type"):
            typingctx.resolve_value_type(object())
        return x(x), lambda context, builder, sig, args: args[0]

    assert cutaway.jit(lambda x: asked(x))(1) == 1
    assert seen.pop("sum").return_type is types.float64
    assert seen == {
        "none": None,
        "value": types.float64,
        "attribute": types.float64,
        "missing": None,
        "common": types.float64,
        "pair": None,
        "converts": True,
        "does not": None,
    }


def test_what_only_compilation_tells():
    def helper(x):
        raise NotImplementedError

    @overload(helper)
    def type_helper(x):
        return lambda x: x + 1

    @intrinsic
    def asked(typingctx, x):
        with pytest.raises(TypingError, match="known when it is compiled"):
            typingctx.resolve_function_type(helper, (x,))
        return x(x), lambda context, builder, sig, args: args[0]

    assert cutaway.jit(lambda x: asked(x))(1) == 1
