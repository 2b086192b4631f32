"""`intrinsic`, and what code that writes LLVM IR is given: `context`, `cgutils`, `nrt`."""

from __future__ import annotations

import sys
import traceback

import numpy as np
import pytest
from llvmlite import ir

import cutaway
from cutaway import types
from cutaway.errors import ExtensionError, TypingError
from cutaway.extending import cgutils, intrinsic, signature
from extending.point import Point, make_point, point_type

pytestmark = pytest.mark.sampled(fast=6)

I64, F64 = types.int64, types.float64


def run(function, *args):
    return cutaway.jit(function)(*args)


def emitting(returns, *kinds):
    """An intrinsic of these types whose code is the decorated function."""

    def decorate(code):
        if len(kinds) == 1:

            @intrinsic
            def made(typingctx, a):
                return returns(*kinds), code

        elif len(kinds) == 2:

            @intrinsic
            def made(typingctx, a, b):
                return returns(*kinds), code

        else:

            @intrinsic
            def made(typingctx):
                return returns(), code

        return made

    return decorate


# --- parameters -------------------------------------------------------------------------------


def test_no_arguments():
    @emitting(I64)
    def answer(context, builder, sig, args):
        assert args == ()
        return context.get_constant(I64, 42)

    assert run(lambda: answer()) == 42


def test_arguments_are_converted_to_the_signature():
    @emitting(F64, F64)
    def same(context, builder, sig, args):
        return args[0]

    assert run(lambda x: same(x), 3) == 3.0
    assert run(lambda x: same(x), True) == 1.0
    with pytest.raises(TypingError):
        run(lambda x: same(x), Point(1.0, 2.0))


def test_keywords_and_defaults():
    @intrinsic
    def minus(typingctx, a, b):
        def code(context, builder, sig, args):
            return builder.sub(*args)

        return I64(I64, I64), code

    assert run(lambda a, b: (minus(a, b), minus(b=a, a=b), minus(a, b=b)), 7, 2) == (5, -5, 5)

    @intrinsic
    def less(typingctx, a, by=3):
        left_out = not isinstance(by, types.Type)

        def code(context, builder, sig, args):
            amount = context.get_constant(I64, by) if left_out else args[1]
            return builder.sub(args[0], amount)

        return I64(I64, types.Omitted(by) if left_out else I64), code

    assert run(lambda a: (less(a, 1), less(a), less(a, by=a)), 7) == (6, 4, 0)


def test_arguments_of_a_star_stand_before_those_that_are_passed_by_name_alone():
    @intrinsic
    def digits(typingctx, first, *rest, by=3, less=1):
        named = [types.Omitted(ty) if isinstance(ty, int) else I64 for ty in (by, less)]

        def code(context, builder, sig, args):
            found = args[0]
            for arg in args[1:-2]:
                found = builder.mul(found, context.get_constant(I64, 10))
                found = builder.add(found, builder.fptosi(arg, args[0].type))
            for ty, arg in zip(sig.args[-2:], args[-2:], strict=True):
                left_out = isinstance(ty, types.Omitted)
                arg = context.get_constant(I64, ty.value) if left_out else arg
                found = builder.sub(found, arg)
            return found

        return signature(I64, I64, *[F64] * len(rest), *named), code

    assert run(lambda a, x: digits(a, x, a), 1, 2.0) == 121 - 3 - 1
    assert run(lambda a, x: digits(a, x, less=5), 1, 2.0) == 12 - 3 - 5
    assert run(lambda a, x: digits(a, x, a, x, by=a), 1, 2.0) == 1212 - 1 - 1
    assert run(lambda a: digits(a), 7) == 7 - 3 - 1


def test_star_arguments():
    @intrinsic
    def total(typingctx, *items):
        def code(context, builder, sig, args):
            found = context.get_constant(I64, 0)
            for arg in args:
                found = builder.add(found, arg)
            return found

        return signature(I64, *[I64] * len(items)), code

    assert run(lambda a, b: (total(), total(a), total(a, b, a)), 1, 2) == (0, 1, 4)
    assert run(lambda t: total(*t), (1, 2, 3)) == 6


def test_literal_arguments():
    @intrinsic(prefer_literal=True)
    def power(typingctx, x, n):
        if not isinstance(n, types.IntegerLiteral):
            return None

        def code(context, builder, sig, args):
            found = args[0]
            for _ in range(n.literal_value - 1):
                found = builder.fmul(found, args[0])
            return found

        return F64(F64, n), code

    assert run(lambda x: power(x, 3), 2.0) == 8.0
    with pytest.raises(TypingError):
        run(lambda x, n: power(x, n), 2.0, 3)


def test_arguments_of_every_kind():
    @intrinsic
    def same(typingctx, x):
        return x(x), lambda context, builder, sig, args: args[0]

    for value in (
        *(1, 2.5, True, 1 + 2j, None, "text", (1, 2.5), (1, 2), (), ((1,), "x")),
        *(np.float32(1.5), np.int8(-3), np.uint8(200), Point(1.0, 2.0), (Point(1.0, 2.0), 3)),
    ):
        found = run(lambda x: same(x), value)
        assert found == value, value
    assert list(run(lambda x: same(x), range(3))) == [0, 1, 2]


def test_a_result_that_owns_memory_is_a_new_reference():
    @intrinsic
    def same(typingctx, x):
        def code(context, builder, sig, args):
            context.nrt.incref(builder, x, args[0])
            return args[0]

        return x(x), code

    a = np.arange(6.0).reshape(2, 3)
    before = sys.getrefcount(a)
    for _ in range(10):
        np.testing.assert_array_equal(run(lambda x: same(x), a), a)
        np.testing.assert_array_equal(run(lambda x: same((x, 1))[0], a), a)
    assert sys.getrefcount(a) == before


def test_none_is_what_code_without_a_value_gives():
    @emitting(types.void, I64)
    def nothing(context, builder, sig, args):
        return context.get_dummy_value()

    @emitting(types.none, I64)
    def python_none(context, builder, sig, args):
        return None

    assert run(lambda a: nothing(a), 1) is None
    assert run(lambda a: python_none(a), 1) is None


# --- context ----------------------------------------------------------------------------------


def test_constants():
    cases = [
        (types.int8, -3), (types.uint64, 2**64 - 1), (types.boolean, True), (F64, 2.5),
        (types.float32, 0.5), (types.complex128, 1 - 2j), (types.UniTuple(I64, 2), (1, 2)),
        (types.Tuple((I64, F64)), (1, 2.5)), (types.none, None),
    ]  # fmt: skip
    for ty, value in cases:

        @emitting(ty)
        def plain(context, builder, sig, args):
            return context.get_constant(ty, value)

        @emitting(ty)
        def generic(context, builder, sig, args):
            return context.get_constant_generic(builder, ty, value)

        assert run(lambda: plain()) == value, ty
        assert run(lambda: generic()) == value, ty


def test_constants_that_there_are_not():
    @emitting(types.float64[:])
    def array(context, builder, sig, args):
        return context.get_constant(types.float64[:], np.zeros(3))

    with pytest.raises(ExtensionError, match="no constants"):
        run(lambda: array())

    @emitting(I64)
    def text(context, builder, sig, args):
        return context.get_constant(I64, "no number")

    with pytest.raises(ExtensionError, match="no number|LLVM|raised"):
        run(lambda: text())


def test_null_undef_and_sizes():
    @emitting(types.Tuple((F64, I64)))
    def null(context, builder, sig, args):
        return context.get_constant_null(sig.return_type)

    @emitting(I64)
    def sizes(context, builder, sig, args):
        context.get_constant_undef(F64)
        assert context.get_data_type(types.boolean) == ir.IntType(8)
        assert context.get_value_type(types.boolean) == ir.IntType(1)
        assert context.get_argument_type(F64) == ir.DoubleType()
        assert context.get_dummy_type() == ir.PointerType()
        kinds = (types.boolean, types.int16, types.Tuple((types.int8, F64)), point_type)
        found = [context.get_abi_sizeof(context.get_value_type(ty)) for ty in kinds]
        return context.get_constant(I64, found[0] + 10 * found[1] + 100 * (found[2] + found[3]))

    assert run(lambda: null()) == (0.0, 0)
    assert run(lambda: sizes()) == 1 + 20 + 3200


def test_casts_truth_and_tuples():
    @emitting(types.Tuple((F64, types.boolean, types.boolean)), I64)
    def several(context, builder, sig, args):
        number = context.cast(builder, args[0], I64, F64)
        truth = context.is_true(builder, I64, args[0])
        other = context.is_true(builder, F64, number)
        return context.make_tuple(builder, sig.return_type, [number, truth, other])

    assert run(lambda a: several(a), 3) == (3.0, True, True)
    assert run(lambda a: several(a), 0) == (0.0, False, False)

    @emitting(I64, types.float64[:])
    def wrong(context, builder, sig, args):
        return context.cast(builder, args[0], sig.args[0], I64)

    with pytest.raises(cutaway.errors.CutawayError) as caught:
        run(lambda a: wrong(a), np.zeros(3))
    assert __file__ in str(caught.value)


def test_functions_attributes_and_compiled_python():
    def python(a, b):
        total = 0
        for k in range(a):
            total += k * b
        return total

    @emitting(I64, I64, I64)
    def by_python(context, builder, sig, args):
        return context.compile_internal(builder, python, sig, args)

    @emitting(F64, point_type)
    def attribute(context, builder, sig, args):
        read = context.get_getattr(point_type, "y")
        return read(context, builder, point_type, args[0], "y")

    @emitting(I64, I64)
    def function(context, builder, sig, args):
        return context.get_function(abs, sig)(builder, args)

    assert run(lambda a, b: by_python(a, b), 4, 10) == 60
    assert run(lambda p: attribute(p), Point(1.0, 5.0)) == 5.0
    assert run(lambda a: function(a), -4) == 4


@pytest.mark.parametrize("which", ["function", "attribute", "member", "implementation"])
def test_what_there_is_not_is_said_with_the_place_of_the_extension(which):
    def broken(p):
        return p + "text"

    @emitting(F64, point_type)
    def code(context, builder, sig, args):
        if which == "function":
            return context.get_function(round, F64(point_type))(builder, args)
        if which == "attribute":
            return context.get_getattr(point_type, "zzz")(context, builder, point_type, args[0], "")
        if which == "implementation":
            return context.compile_internal(builder, broken, sig, args)
        return context.make_helper(builder, point_type, args[0]).zzz

    with pytest.raises(cutaway.errors.CutawayError) as caught:
        run(lambda p: code(p), Point(1.0, 2.0))
    assert __file__ in str(caught.value)


def test_arrays():
    @emitting(F64, types.float64[::1])
    def total(context, builder, sig, args):
        array = context.make_array(sig.args[0])(context, builder, args[0])
        (size,) = cgutils.unpack_tuple(builder, array.shape)
        found = cgutils.alloca_once_value(builder, ir.DoubleType()(0.0))
        with cgutils.for_range(builder, size) as loop:
            place = builder.gep(array.data, [loop.index])
            item = builder.load(place)
            builder.store(builder.fadd(builder.load(found), item), found)
        return builder.load(found)

    assert run(lambda a: total(a), np.arange(5.0)) == 10.0
    assert run(lambda a: total(a), np.zeros(0)) == 0.0


def test_cgutils():
    @emitting(I64, I64)
    def branches(context, builder, sig, args):
        found = cgutils.alloca_once(builder, cgutils.intp_t)
        zero, one = cgutils.intp_t(0), cgutils.intp_t(1)
        builder.store(zero, found)
        with cgutils.if_likely(builder, cgutils.is_true(builder, args[0])):
            builder.store(one, found)
        with cgutils.if_unlikely(builder, cgutils.is_false(builder, args[0])):
            builder.store(cgutils.intp_t(2), found)
        pair = cgutils.pack_struct(builder, [one, builder.load(found)])
        array = cgutils.pack_array(builder, cgutils.unpack_tuple(builder, pair))
        first, second = cgutils.unpack_tuple(builder, array, 2)
        return builder.add(first, second)

    assert run(lambda a: branches(a), 5) == 2
    assert run(lambda a: branches(a), 0) == 3


def test_c_functions():
    @emitting(F64, F64)
    def cosine(context, builder, sig, args):
        kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType()])
        first = cgutils.get_or_insert_function(builder.module, kind, "cos")
        second = context.declare_external_function(builder.module, kind, "cos")
        assert first is second
        return builder.call(first, args)

    assert run(lambda x: cosine(x), 0.5) == np.cos(0.5)


def test_a_c_function_that_there_is_not():
    @emitting(F64, F64)
    def nowhere(context, builder, sig, args):
        kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType()])
        return builder.call(
            cgutils.get_or_insert_function(builder.module, kind, "no_such_function_anywhere"), args
        )

    with pytest.raises(cutaway.errors.CutawayError, match="no_such_function_anywhere"):
        run(lambda x: nowhere(x), 0.5)


def test_a_string_constant():
    @emitting(I64)
    def length(context, builder, sig, args):
        text = context.insert_const_string(builder.module, "four")
        kind = ir.FunctionType(ir.IntType(64), [ir.PointerType()])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "strlen"), [text])

    assert run(lambda: length()) == 4
    assert run(lambda: length() + length()) == 8


# --- raising ----------------------------------------------------------------------------------


def checked_root():
    @emitting(F64, F64)
    def root(context, builder, sig, args):
        negative = builder.fcmp_ordered("<", args[0], ir.DoubleType()(0.0))
        with builder.if_then(negative, likely=False):
            context.call_conv.return_user_exc(builder, ValueError, ("negative", 3))
        return builder.call(builder.module.declare_intrinsic("llvm.sqrt", [ir.DoubleType()]), args)

    return root


def test_raising_from_code():
    root = checked_root()

    @cutaway.jit
    def inner(x):
        return root(x)  # raises here

    @cutaway.jit
    def f(x):
        total = 0.0
        for k in range(3):
            total += inner(x - k)
        return total

    assert f(6.25) == sum((6.25 - k) ** 0.5 for k in range(3))
    with pytest.raises(ValueError) as caught:
        f(1.0)
    assert caught.value.args == ("negative", 3)
    lines = traceback.format_exception(caught.value)
    assert "raises here" in "".join(lines)
    assert "inner(x - k)" in "".join(lines)


def test_an_exception_from_python_that_code_calls():
    def python(x):
        if x < 0:
            raise KeyError("negative")
        return x

    @emitting(F64, F64)
    def checked(context, builder, sig, args):
        return context.compile_internal(builder, python, sig, args)

    assert run(lambda x: checked(x), 1.0) == 1.0
    with pytest.raises(KeyError, match="negative"):
        run(lambda x: checked(x), -1.0)


def test_code_that_always_raises():
    @emitting(F64, F64)
    def refused(context, builder, sig, args):
        context.call_conv.return_user_exc(builder, RuntimeError)

    with pytest.raises(RuntimeError):
        run(lambda x: refused(x), 1.0)


# --- what can go wrong ------------------------------------------------------------------------


def test_a_value_of_another_function():
    kept = []

    @emitting(F64, F64)
    def keeps(context, builder, sig, args):
        kept.append(builder.fadd(args[0], args[0]))
        return kept[-1]

    @emitting(F64, F64)
    def uses(context, builder, sig, args):
        return builder.fadd(kept[0], args[0])

    assert run(lambda x: keeps(x), 1.0) == 2.0
    try:
        run(lambda x: uses(x), 1.0)
    except ExtensionError as error:
        assert __file__ in str(error)


def test_a_signature_of_types_that_cannot_be():
    @intrinsic
    def odd(typingctx, x):
        return I64("text"), lambda context, builder, sig, args: args[0]

    with pytest.raises(cutaway.errors.CutawayError):
        run(lambda x: odd(x), 1)

    @intrinsic
    def numbers(typingctx, x):
        return x.name(x), None

    with pytest.raises(ExtensionError):
        run(lambda x: numbers(x), 1)


def test_an_intrinsic_in_an_intrinsic():
    @emitting(point_type, F64)
    def diagonal(context, builder, sig, args):
        return context.get_function(make_point, point_type(F64, F64))(builder, [args[0], args[0]])

    assert run(lambda x: diagonal(x), 2.0) == Point(2.0, 2.0)


def test_blocks_behind_the_end():
    @emitting(F64, F64)
    def returns_itself(context, builder, sig, args):
        builder.ret(ir.IntType(32)(0))

    @emitting(F64, F64)
    def unreachable(context, builder, sig, args):
        builder.unreachable()

    run(lambda x: returns_itself(x), 1.0)  # what it left unsaid is undefined, and no crash

    @emitting(F64, F64)
    def wrong_return(context, builder, sig, args):
        builder.ret(args[0])

    with pytest.raises(ExtensionError):
        run(lambda x: wrong_return(x), 1.0)


def test_metadata_and_attributes_in_the_code():
    @emitting(I64, I64)
    def noted(context, builder, sig, args):
        builder.comment("a comment with ; and quotes")
        found = builder.add(args[0], args[0], flags=["nsw"])
        return builder.select(builder.icmp_signed("<", found, found.type(0)), args[0], found)

    assert run(lambda x: noted(x), 4) == 8


def test_an_intrinsic_with_a_strange_name():
    def strange(typingctx, x):
        return x(x), lambda context, builder, sig, args: args[0]

    strange.__name__ = 'a "name" \\\\ with %s {0} ü\\n'
    made = intrinsic(strange)
    assert run(lambda x: made(x), 3) == 3
