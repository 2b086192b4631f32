"""`cgutils`: every function in code that is compiled and run, and what wrong use is told."""

from __future__ import annotations

import inspect
import os
import sys
from contextlib import ExitStack

import numpy as np
import pytest
from llvmlite import ir

import cutaway
import warm
from cutaway import types
from cutaway.errors import ExtensionError
from cutaway.extending import cgutils, intrinsic
from cutaway.extending.cgutils import Loop

pytestmark = pytest.mark.sampled(fast=6)

I64, F64, BOOL = types.int64, types.float64, types.boolean
i8, i32, i64, f64 = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.DoubleType()
PAIR = types.Tuple((I64, BOOL))
VECTOR = types.float64[::1]

CASES = []


def case(*calls, returns=I64, kinds=(I64,)):
    """A piece of code with calls of it: `(arguments..., result)`, where a result may be a class of
    exceptions.  It is named by the functions that it is about: `memcpy__gep`."""

    def register(code):
        CASES.append((code, returns, kinds, calls))
        return code

    return register


def compiled(code, returns, kinds):
    """A compiled function whose result the code computes."""

    def answer(typingctx, *given):
        def codegen(context, builder, sig, args):
            return code(context, builder, *args)

        return returns(*kinds), codegen

    call = intrinsic(answer)
    return cutaway.jit(lambda *args: call(*args))


# --- questions --------------------------------------------------------------------------------


def told(builder, *bits):
    """Bits as decimal digits."""
    found = i64(0)
    for bit in bits:
        found = builder.add(builder.mul(found, i64(10)), builder.zext(bit, i64))
    return found


@case((0, 10), (1, 1))
def is_null__is_not_null(context, builder, x):
    pointer = builder.inttoptr(x, cgutils.voidptr_t)
    return told(builder, cgutils.is_null(builder, pointer), cgutils.is_not_null(builder, pointer))


@case((0, 1), (5, 110), (-5, 110))
def is_true__as_bool_bit__is_false(context, builder, x):
    questions = (cgutils.is_true, cgutils.as_bool_bit, cgutils.is_false)
    return told(builder, *(ask(builder, x) for ask in questions))


@case((0, 1010), (5, 100), (-5, 10101))
def is_neg_int__is_scalar_zero__is_not_scalar_zero__is_scalar_zero_or_nan__is_scalar_neg(
    context, builder, x
):
    return told(
        builder,
        cgutils.is_neg_int(builder, x),
        cgutils.is_scalar_zero(builder, x),
        cgutils.is_not_scalar_zero(builder, x),
        cgutils.is_scalar_zero_or_nan(builder, x),
        cgutils.is_scalar_neg(builder, x),
    )


@case((0.0, 1010), (-0.0, 1010), (1.5, 100), (-1.5, 101), (np.nan, 110), kinds=(F64,))
def is_scalar_zero__of_floats(context, builder, x):
    return told(
        builder,
        cgutils.is_scalar_zero(builder, x),
        cgutils.is_not_scalar_zero(builder, x),
        cgutils.is_scalar_zero_or_nan(builder, x),
        cgutils.is_scalar_neg(builder, x),
    )


@case((1, 1100))
def is_pointer__is_nonelike__is_empty_tuple(context, builder, x):
    assert cgutils.is_pointer(i64.as_pointer()) and not cgutils.is_pointer(i64)
    assert cgutils.is_nonelike(None) and cgutils.is_nonelike(types.none)
    assert cgutils.is_nonelike(types.Omitted(3)) and not cgutils.is_nonelike(I64)
    assert cgutils.is_empty_tuple(types.Tuple(())) and not cgutils.is_empty_tuple(PAIR)
    return i64(1100)


# --- arithmetic -------------------------------------------------------------------------------


@case((41, 42), (-1, 0))
def increment_index(context, builder, x):
    return cgutils.increment_index(builder, x)


@case(
    (3, 4, 5, (17, False)),
    (2**62, 2, 0, (-(2**63), True)),
    (2**62, 1, 2**62, (-(2**63), True)),
    (-(2**62), 2, 0, (-(2**63), False)),
    returns=PAIR,
    kinds=(I64, I64, I64),
)
def muladd_with_overflow(context, builder, a, b, c):
    return context.make_tuple(builder, PAIR, cgutils.muladd_with_overflow(builder, a, b, c))


@case(
    *[(x, (x // 7, x % 7)) for x in (0, 6, 7, 8, -1, -6, -7, -8, -(2**63), 2**63 - 1)],
    returns=types.UniTuple(I64, 2),
)
def divmod_by_constant(context, builder, x):
    return cgutils.pack_array(builder, cgutils.divmod_by_constant(builder, x, 7))


# --- several values as one --------------------------------------------------------------------


@case((5, 5 + 1 + 2 + 3 + 6))
def pack_array__pack_struct__unpack_tuple__make_anonymous_struct(context, builder, x):
    array = cgutils.pack_array(builder, [i64(1), i64(2)])
    assert cgutils.pack_array(builder, [], ty=i64).type.count == 0
    struct = cgutils.pack_struct(builder, [i64(3), x])
    kind = ir.LiteralStructType([i64])
    named = cgutils.make_anonymous_struct(builder, [i64(6)], struct_type=kind)
    assert named.type is kind
    items = [
        *cgutils.unpack_tuple(builder, array),
        *cgutils.unpack_tuple(builder, struct, 2),
        *cgutils.unpack_tuple(builder, named),
    ]
    total = items[0]
    for item in items[1:]:
        total = builder.add(total, item)
    return total


@case((7, 7))
def create_struct_proxy__copy_struct(context, builder, x):
    ty = types.complex128
    first = cgutils.create_struct_proxy(ty)(context, builder)
    first.real, first.imag = builder.sitofp(x, f64), f64(1.0)
    second = cgutils.create_struct_proxy(ty, kind="data")(context, builder, ref=first._getpointer())
    third = cgutils.create_struct_proxy(ty)(context, builder, value=second._getvalue())
    third._setvalue(context.get_constant(ty, 0))
    cgutils.copy_struct(third, second, {"imag": f64(0.0)})
    total = builder.fadd(third.real, third.imag)
    return builder.fptosi(builder.fadd(total, builder.load(third._get_ptr_by_name("imag"))), i64)


@case((1, 20), (2, 30))
def create_constant_array__global_constant__gep_inbounds(context, builder, k):
    table = cgutils.create_constant_array(i64, [10, 20, i64(30)])
    held = cgutils.global_constant(builder, "table", table)
    return builder.load(cgutils.gep_inbounds(builder, held, 0, k))


@case((1, ord("b")))
def make_bytearray__gep(context, builder, k):
    held = cgutils.global_constant(builder.module, "text", cgutils.make_bytearray(b"abc"))
    return builder.zext(builder.load(cgutils.gep(builder, held, 0, k)), i64)


@case((4, 4))
def get_null_value(context, builder, x):
    return builder.add(x, cgutils.get_null_value(i64))


# --- memory -----------------------------------------------------------------------------------


@case((3, 103))
def alloca_once__alloca_once_value(context, builder, x):
    zero = cgutils.alloca_once(builder, i64)  # starts as zero
    several = cgutils.alloca_once(builder, i64, size=4, zfill=True)
    one = cgutils.alloca_once_value(builder, x)
    last = builder.load(cgutils.gep(builder, several, 3))
    total = builder.add(builder.load(zero), builder.add(last, builder.load(one)))
    return builder.add(total, i64(100))


@case((3, 0))
def alloca_once__that_is_zeroed_in_each_turn(context, builder, n):
    seen = cgutils.alloca_once(builder, i64)
    with cgutils.for_range(builder, n):
        place = cgutils.alloca_once(builder, i64, zfill=True)
        builder.store(builder.load(place), seen)
        builder.store(i64(9), place)
    return builder.load(seen)


@case((5, 12))
def add_global_variable(context, builder, x):
    held = cgutils.add_global_variable(builder.module, i64, "counter")
    held.initializer, held.linkage = i64(7), "internal"
    builder.store(builder.add(builder.load(held), x), held)
    found = builder.load(held)
    builder.store(i64(7), held)
    return found


@case((2, 30))
def pointer_add__sizeof(context, builder, k):
    data = cgutils.alloca_once_value(builder, cgutils.create_constant_array(i64, [10, 20, 30]))
    size = cgutils.sizeof(builder, i64.as_pointer())
    assert (size.constant, cgutils.sizeof(builder, data).constant) == (8, 24)
    first = cgutils.pointer_add(builder, data, 0, i64.as_pointer())
    assert cgutils.pointer_add(builder, first, 8).type == first.type
    return builder.load(cgutils.pointer_add(builder, first, builder.mul(k, size)))


@case((300, 0x05 + 300))
def get_record_member(context, builder, x):
    record = cgutils.alloca_once(builder, ir.ArrayType(i8, 12))
    builder.store(i32(5), cgutils.get_record_member(builder, record, 0, i32))
    builder.store(x, cgutils.get_record_member(builder, record, 4, i64))
    first = builder.load(cgutils.get_record_member(builder, record, 0, i32))
    second = builder.load(cgutils.get_record_member(builder, record, 4, i64))
    return builder.add(builder.zext(first, i64), second)


def numbers(builder, *given):
    return cgutils.alloca_once_value(builder, cgutils.create_constant_array(i64, given))


def first_of(builder, array):
    return cgutils.gep(builder, array, 0, 0)


@case((2, 120), (3, 123), (0, 0))
def memcpy(context, builder, n):
    source, target = numbers(builder, 100, 20, 3), numbers(builder, 0, 0, 0)
    cgutils.memcpy(builder, first_of(builder, target), first_of(builder, source), n)
    return total_of(builder, target, 3)


def total_of(builder, array, count):
    found = i64(0)
    for k in range(count):
        found = builder.add(found, builder.load(cgutils.gep(builder, array, 0, k)))
    return found


@case((2, 120))
def raw_memcpy(context, builder, n):
    source, target = numbers(builder, 100, 20, 3), numbers(builder, 0, 0, 0)
    cgutils.raw_memcpy(builder, target, source, n, 8, align=8)
    return total_of(builder, target, 3)


@case((2, 1 + 1 + 2))
def raw_memmove(context, builder, n):
    array = numbers(builder, 1, 2, 3)
    second = cgutils.gep(builder, array, 0, 1)
    cgutils.raw_memmove(builder, second, first_of(builder, array), n, i32(8))
    return total_of(builder, array, 3)


@case((16, 0x0101010101010101 * 2), (8, 0x0101010101010101))
def memset(context, builder, n):
    array = numbers(builder, 0, 0)
    cgutils.memset(builder, array, n, 1)
    return total_of(builder, array, 2)


@case((7, 7))
def memset_padding(context, builder, x):
    kind = ir.LiteralStructType([i8, i64])
    struct = cgutils.alloca_once(builder, kind)
    cgutils.memset(builder, struct, 16, 255)
    builder.store(i8(0), cgutils.gep(builder, struct, 0, 0))
    builder.store(x, cgutils.gep(builder, struct, 0, 1))
    cgutils.memset_padding(builder, struct)
    first = cgutils.pointer_add(builder, struct, 0, i64.as_pointer())
    return builder.add(builder.load(first), builder.load(cgutils.gep(builder, struct, 0, 1)))


@case((9.0, 3.0), returns=F64, kinds=(F64,))
def get_or_insert_function(context, builder, x):
    kind = ir.FunctionType(f64, [f64])
    first = cgutils.get_or_insert_function(builder.module, kind, "sqrt")
    assert cgutils.get_or_insert_function(builder.module, kind, "sqrt") is first
    return builder.call(first, [x])


@case(
    (np.arange(4.0), 1, 1.0),
    (np.arange(4.0), -1, 3.0),
    (np.arange(4.0), 4, IndexError),
    (np.arange(4.0), -5, IndexError),
    returns=F64,
    kinds=(VECTOR, I64),
)
def get_item_pointer__get_item_pointer2__do_boundscheck(context, builder, a, k):
    array = context.make_array(VECTOR)(context, builder, a)
    place = cgutils.get_item_pointer(
        context, builder, VECTOR, array, [k], wraparound=True, boundscheck=True
    )
    (size,) = cgutils.unpack_tuple(builder, array.shape)
    (stride,) = cgutils.unpack_tuple(builder, array.strides)
    known = builder.select(cgutils.is_neg_int(builder, k), builder.add(k, size), k)
    cgutils.do_boundscheck(context, builder, known, size)
    given = (array.data, [size], [stride], "C", [known])
    again = cgutils.get_item_pointer2(context, builder, *given)
    return builder.select(builder.icmp_unsigned("==", place, again), builder.load(again), f64(-1.0))


# --- control ----------------------------------------------------------------------------------


def digits(builder, *conditional):
    """A number to which pieces of code add."""
    found = cgutils.alloca_once(builder, i64)
    for enter, value in conditional:
        with enter:
            builder.store(builder.add(builder.load(found), i64(value)), found)
    return builder.load(found)


@case((0, 1110), (3, 1))
def if_likely__if_unlikely__ifnot__if_zero(context, builder, x):
    zero = cgutils.is_false(builder, x)
    return digits(
        builder,
        (cgutils.if_likely(builder, zero), 1000),
        (cgutils.if_unlikely(builder, zero), 100),
        (cgutils.if_zero(builder, x, likely=True), 10),
        (cgutils.ifnot(builder, zero), 1),
    )


@case((0, 7), (1, 8))
def cbranch_or_continue__terminate(context, builder, x):
    found = cgutils.alloca_once_value(builder, i64(7))
    end = builder.append_basic_block("end")
    cgutils.cbranch_or_continue(builder, cgutils.is_false(builder, x), end)
    builder.store(i64(8), found)
    cgutils.terminate(builder, end)
    cgutils.terminate(builder, end)  # it has its end already
    builder.position_at_end(end)
    return builder.load(found)


@case((0, 100), (1, 10), (5, 1))
def early_exit_if__early_exit_if_null(context, builder, x):
    found = cgutils.alloca_once(builder, i64)
    with ExitStack() as stack:
        pointer = builder.inttoptr(x, cgutils.voidptr_t)
        with cgutils.early_exit_if_null(builder, stack, pointer):
            builder.store(i64(100), found)
        one = builder.icmp_signed("==", x, i64(1))
        with cgutils.early_exit_if(builder, stack, one):
            builder.store(i64(10), found)
        builder.store(i64(1), found)
    return builder.load(found)


@case((5, 5), (0, ZeroDivisionError))
def guard_zero(context, builder, x):
    cgutils.guard_zero(context, builder, x, (ZeroDivisionError, "no zero here"))
    return x


@case((5, 5), (0, ValueError))
def guard_null(context, builder, x):
    pointer = builder.inttoptr(x, cgutils.voidptr_t)
    cgutils.guard_null(context, builder, pointer, (ValueError,))
    return x


@case((5, 5), (0, MemoryError))
def guard_memory_error(context, builder, x):
    pointer = builder.inttoptr(x, cgutils.voidptr_t)
    cgutils.guard_memory_error(context, builder, pointer, "none left")
    cgutils.guard_memory_error(context, builder, pointer)
    return x


def summed(builder):
    """Memory for a sum, and what adds to it."""
    total = cgutils.alloca_once(builder, i64)

    def add(value):
        builder.store(builder.add(builder.load(total), value), total)

    return total, add


@case((5, 0 + 1 + 2 + 3 + 4), (0, 0), (-3, 0))
def for_range(context, builder, n):
    total, add = summed(builder)
    with cgutils.for_range(builder, n) as loop:
        add(loop.index)
    return builder.load(total)


@case((10, 2 + 3 + 4), (3, 2), (1, 0))
def for_range__Loop__from_a_start_with_a_break(context, builder, n):
    total, add = summed(builder)
    with cgutils.for_range(builder, n, start=i64(2), intp=i64) as loop:
        with builder.if_then(builder.icmp_signed("==", loop.index, i64(5))):
            loop.do_break()
        add(loop.index)
    assert isinstance(loop, Loop)
    return builder.load(total)


def tens(builder, add, index, count):
    add(builder.add(builder.mul(index, i64(10)), count))


@case((2, 9, 3, 150 + 3), (2, 2, 1, 0), kinds=(I64, I64, I64))
def for_range_slice(context, builder, start, stop, step):
    total, add = summed(builder)
    with cgutils.for_range_slice(builder, start, stop, step, intp=i64) as (index, count):
        tens(builder, add, index, count)
    return builder.load(total)


@case((9, 2, -3, 180 + 3), (2, 2, -1, 0), kinds=(I64, I64, I64))
def for_range_slice__downward(context, builder, start, stop, step):
    total, add = summed(builder)
    with cgutils.for_range_slice(builder, start, stop, step, inc=False) as (index, count):
        tens(builder, add, index, count)
    return builder.load(total)


@case((2, 9, 3, 150 + 3), (9, 2, -3, 180 + 3), kinds=(I64, I64, I64))
def for_range_slice_generic(context, builder, start, stop, step):
    total, add = summed(builder)
    with cgutils.for_range_slice_generic(builder, start, stop, step) as (up, down):
        with up as (index, count):
            tens(builder, add, index, count)
        with down as (index, count):
            tens(builder, add, index, count)
    return builder.load(total)


def order_of(builder, n, order):
    """The indices of two axes in the order in which they come, as digits."""
    found = cgutils.alloca_once(builder, i64)
    with cgutils.loop_nest(builder, (n, i64(2)), i64, order) as (j, k):
        digit = builder.add(builder.mul(j, i64(2)), k)
        shifted = builder.mul(builder.load(found), i64(10))
        builder.store(builder.add(shifted, digit), found)
    return builder.load(found)


@case((2, 123), (3, 12345), (0, 0))
def loop_nest(context, builder, n):
    return order_of(builder, n, "C")


@case((2, 213))
def loop_nest__of_arrays_of_fortran(context, builder, n):
    return order_of(builder, n, "F")


@case((4, 5))
def loop_nest__of_no_axes(context, builder, x):
    total, add = summed(builder)
    with cgutils.loop_nest(builder, (), i64) as indices:
        assert indices == ()
        add(builder.add(x, i64(1)))
    return builder.load(total)


# --- text -------------------------------------------------------------------------------------


@case(
    (
        -42,
        0x78_34_3A_32_34_2D,
    ),
    (7, 0x34_3A_37),
    kinds=(I64,),
)
def snprintf(context, builder, x):
    buffer = cgutils.alloca_once(builder, ir.ArrayType(i8, 8), zfill=True)
    pointer = builder.bitcast(buffer, cgutils.voidptr_t)
    length = cgutils.snprintf(builder, pointer, 8, "%ld:4", x)
    with cgutils.if_unlikely(builder, builder.icmp_signed(">", length, i32(4))):
        cgutils.pointer_add(builder, pointer, 0)
        builder.store(i8(0x78), cgutils.gep(builder, buffer, 0, 5))
    return builder.load(builder.bitcast(buffer, i64.as_pointer()))


@case((3, ord("3")))
def snprintf_stackbuffer(context, builder, x):
    buffer = cgutils.snprintf_stackbuffer(
        builder,
        4,
        "%d%s",
        x,
        context.insert_const_string(builder.module, "longer than there is room for"),
    )
    last = builder.load(cgutils.gep(builder, buffer, 3))
    return builder.add(builder.zext(builder.load(buffer), i64), builder.zext(last, i64))


IN_A_PROCESS = """
import cutaway
from cutaway import types
from cutaway.extending import cgutils, intrinsic

@intrinsic
def said(typingctx, x, y):
    def codegen(context, builder, sig, args):
        x, y = args
        text = context.insert_const_string(builder.module, "text")
        narrow = builder.fptrunc(y, context.get_value_type(types.float32))
        yes = builder.icmp_signed(">", x, x.type(0))
        cgutils.printf(builder, "%ld %d|%5.2f|%g|%s|%*d|%d%%\\n", x, x, y, narrow, text,
                       cgutils.int32_t(4), x, yes)
        place = cgutils.alloca_once_value(builder, x)
        cgutils.hexdump(builder, place, 2)
        return x

    return types.int64(types.int64, types.float64), codegen

cutaway.jit(lambda x, y: said(x, y))(258, 2.5)
"""


def test_printf_and_hexdump_write_to_the_standard_output():
    ran = warm.run(
        [sys.executable, "-c", IN_A_PROCESS], capture_output=True, text=True, env=dict(os.environ)
    )
    assert ran.stderr == ""
    assert ran.stdout == "258 258| 2.50|2.5|text| 258|1%\n\n02 01\n"


# --- all of them ------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda k: CASES[k][0].__name__)
def test_code_of_an_extension_runs(number):
    code, returns, kinds, calls = CASES[number]
    function = compiled(code, returns, kinds)
    for *args, wanted in calls:
        if inspect.isclass(wanted):
            with pytest.raises(wanted):
                function(*args)
        else:
            assert function(*args) == wanted, args


def test_each_function_has_a_case():
    named = {name for code, *_ in CASES for name in code.__name__.split("__")}
    held = {name: getattr(cgutils, name) for name in cgutils.__all__}
    functions = {name for name, one in held.items() if inspect.isroutine(one) or one is Loop}
    assert functions - named == {"printf", "hexdump"}  # which have a test of their own


# --- wrong use --------------------------------------------------------------------------------

WRONG = {
    "a format with too few arguments": lambda c, b, x: cgutils.printf(b, "%d %d", x),
    "a format with too many arguments": lambda c, b, x: cgutils.printf(b, "%%", x),
    "a text for a number": lambda c, b, x: cgutils.printf(b, "%s", x),
    "a number for a text": lambda c, b, x: cgutils.printf(
        b, "%d", c.insert_const_string(b.module, "a")
    ),
    "a float for an integer": lambda c, b, x: cgutils.printf(b, "%d", f64(1.0)),
    "an integer for a float": lambda c, b, x: cgutils.printf(b, "%f", x),
    "a conversion that C does not know": lambda c, b, x: cgutils.printf(b, "%y", x),
    "a conversion that writes": lambda c, b, x: cgutils.printf(b, "%n", x),
    "a format that is no text": lambda c, b, x: cgutils.printf(b, b"%d", x),
    "a number as a value": lambda c, b, x: cgutils.printf(b, "%d", 3),
    "a buffer of no size": lambda c, b, x: cgutils.snprintf_stackbuffer(b, 0, "a"),
    "a number as a pointer": lambda c, b, x: cgutils.gep(b, x, 0),
    "a pointer to nothing in particular": lambda c, b, x: cgutils.gep(
        b, b.inttoptr(x, ir.PointerType()), 0
    ),
    "members of a number": lambda c, b, x: cgutils.gep(b, cgutils.alloca_once(b, i64), 0, 1),
    "a place beyond the last member": lambda c, b, x: cgutils.gep(
        b, cgutils.alloca_once(b, ir.LiteralStructType([i64])), 0, 5
    ),
    "a step from a number": lambda c, b, x: cgutils.pointer_add(b, x, 8),
    "a step of a float": lambda c, b, x: cgutils.pointer_add(
        b, cgutils.alloca_once(b, i64), f64(1.0)
    ),
    "the size of a number": lambda c, b, x: cgutils.sizeof(b, x),
    "a copy of another type": lambda c, b, x: cgutils.memcpy(
        b, cgutils.alloca_once(b, i64), cgutils.alloca_once(b, f64), 1
    ),
    "a copy to a number": lambda c, b, x: cgutils.raw_memcpy(b, x, x, 1, 8),
    "a copy of half an object": lambda c, b, x: cgutils.raw_memcpy(
        b, cgutils.alloca_once(b, i64), cgutils.alloca_once(b, i64), f64(0.5), 8
    ),
    "a fill of a number": lambda c, b, x: cgutils.memset(b, x, 8, 0),
    "a fill with more than a byte": lambda c, b, x: cgutils.memset(
        b, cgutils.alloca_once(b, i64), 8, x
    ),
    "too few indices": lambda c, b, x: cgutils.get_item_pointer2(
        c, b, cgutils.alloca_once(b, i64), [x], [x], "C", []
    ),
    "a guard without an exception": lambda c, b, x: cgutils.guard_zero(c, b, x, ("text",)),
    "a guard with nothing": lambda c, b, x: cgutils.guard_zero(c, b, x, ()),
    "a division by nothing": lambda c, b, x: cgutils.divmod_by_constant(b, x, 0),
    "zero of a pointer": lambda c, b, x: cgutils.is_scalar_zero(b, cgutils.alloca_once(b, i64)),
    "null of a number": lambda c, b, x: b.zext(cgutils.is_null(b, f64(1.0)), i64),
    "an order that there is not": lambda c, b, x: cgutils.loop_nest(b, [x], i64, "X").__enter__(),
    "a proxy of another kind": lambda c, b, x: cgutils.create_struct_proxy(VECTOR, "page"),
    "members of an integer": lambda c, b, x: cgutils.create_struct_proxy(I64)(c, b),
    "memory that is a number": lambda c, b, x: cgutils.create_struct_proxy(types.complex128)(
        c, b, ref=x
    ),
    "a member that is not replaced": lambda c, b, x: cgutils.copy_struct(
        *[cgutils.create_struct_proxy(types.complex128)(c, b) for _ in range(2)], {"radius": x}
    ),
    "a member of an array that there is not": lambda c, b, x: c.make_array(VECTOR)(c, b).length,
    "a shape of too many axes": lambda c, b, x: c.populate_array(
        c.make_array(VECTOR)(c, b), shape=[x, x]
    ),
    "data that are a number": lambda c, b, x: c.populate_array(c.make_array(VECTOR)(c, b), data=x),
    "a parent of an array": lambda c, b, x: c.populate_array(
        c.make_array(VECTOR)(c, b), parent=b.inttoptr(x, cgutils.voidptr_t)
    ),
    "an array of nothing": lambda c, b, x: cgutils.pack_array(b, []),
    "items that do not fit": lambda c, b, x: cgutils.pack_array(b, [x, f64(1.0)]),
    "constants that do not fit": lambda c, b, x: cgutils.global_constant(b, "t", x),
    "a loop that is never entered": lambda c, b, x: cgutils.for_range(b, x),
    "a loop to a float": lambda c, b, x: cgutils.for_range(b, f64(1.0)).__enter__(),
    "a loop that is left open": lambda c, b, x: cgutils.for_range(b, x).__enter__().index,
    "a value as a type": lambda c, b, x: cgutils.alloca_once(b, x),
    "sums of two widths": lambda c, b, x: cgutils.muladd_with_overflow(b, x, i32(1), x)[0],
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_use_is_an_error_of_the_extension(what):
    with pytest.raises(ExtensionError) as refused:
        compiled(WRONG[what], I64, (I64,))(3)
    assert __file__ in str(refused.value)


# --- names ------------------------------------------------------------------------------------


def test_constants_of_two_extensions_by_one_name_are_two():
    def table(*items):
        @intrinsic
        def item(typingctx, k):
            def codegen(context, builder, sig, args):
                held = ir.GlobalVariable(builder.module, ir.ArrayType(i64, 2), "table")
                held.initializer = cgutils.create_constant_array(i64, items)
                held.global_constant = True
                helper = ir.Function(builder.module, ir.FunctionType(i64, [i64]), "helper")
                inside = ir.IRBuilder(helper.append_basic_block())
                inside.ret(inside.add(helper.args[0], i64(items[0])))
                found = builder.load(cgutils.gep(builder, held, 0, args[0]))
                return builder.add(found, builder.call(helper, [i64(0)]))

            return I64(I64), codegen

        return item

    first, second = table(10, 20), table(300, 400)
    assert cutaway.jit(lambda k: (first(k), second(k)))(1) == (30, 700)
