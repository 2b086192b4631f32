"""A fixed-point number: an integer of 1/65536ths, with casts, operators and constants.

Run it: `python examples/extending/fixed_point.py`
"""

import operator

import cutaway
from cutaway import types
from cutaway.extending import (
    Conversion,
    NativeValue,
    box,
    intrinsic,
    lower_cast,
    lower_constant,
    models,
    overload,
    register_model,
    typeof_impl,
    unbox,
)

ONE = 1 << 16  # the number 1


class Fixed:
    """A number of 1/65536ths."""

    def __init__(self, value, raw=None):
        self.raw = round(value * ONE) if raw is None else raw

    def __float__(self):
        return self.raw / ONE

    def __repr__(self):
        return f"Fixed({float(self)})"


class FixedType(types.Type):
    def __init__(self):
        super().__init__(name="Fixed")

    def can_convert_to(self, typingctx, other):
        """Any of these can be passed where a float64 is wanted, and be asked for its truth."""
        if other is types.float64:
            return Conversion.safe
        if other is types.boolean:
            return Conversion.unsafe

    def can_convert_from(self, typingctx, other):
        """So can an integer, where a fixed-point number is wanted."""
        if isinstance(other, types.Integer):
            return Conversion.unsafe


fixed_type = FixedType()


@typeof_impl.register(Fixed, fingerprint=())
def typeof_fixed(value, c):
    return fixed_type


@register_model(FixedType)
class FixedModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, "i64")


@unbox(FixedType)
def unbox_fixed(typ, obj, c):
    raw = c.pyapi.object_getattr_string(obj, "raw")
    native = c.unbox(types.int64, raw)
    c.pyapi.decref(raw)
    return NativeValue(native.value, is_error=native.is_error)


@box(FixedType)
def box_fixed(typ, val, c):
    cls, none = c.pyapi.unserialize(Fixed), c.pyapi.make_none()
    raw = c.box(types.int64, val)
    result = c.pyapi.call_function_objargs(cls, (none, raw))
    for used in (cls, none, raw):
        c.pyapi.decref(used)
    return result


@lower_constant(FixedType)
def fixed_constant(context, builder, ty, pyval):
    return context.get_constant(types.int64, pyval.raw)


@lower_cast(FixedType, types.float64)
def fixed_to_float(context, builder, fromty, toty, val):
    number = builder.sitofp(val, context.get_value_type(toty))
    return builder.fdiv(number, context.get_constant(toty, float(ONE)))


@lower_cast(types.Integer, FixedType)
def integer_to_fixed(context, builder, fromty, toty, val):
    wide = context.cast(builder, val, fromty, types.int64)
    return builder.shl(wide, context.get_constant(types.int64, 16))


@lower_cast(FixedType, types.Boolean)
def fixed_truth(context, builder, fromty, toty, val):
    return builder.icmp_signed("!=", val, context.get_constant(types.int64, 0))


@intrinsic
def product(typingctx, a, b):
    """The product of two, computed with 128 bits and rounded down."""
    if (a, b) != (fixed_type, fixed_type):
        return None

    def code(context, builder, sig, args):
        from llvmlite import ir

        wide = ir.IntType(128)
        first, second = (builder.sext(arg, wide) for arg in args)
        return builder.trunc(builder.ashr(builder.mul(first, second), wide(16)), ir.IntType(64))

    return fixed_type(fixed_type, fixed_type), code


@intrinsic
def total(typingctx, a, b):
    if (a, b) == (fixed_type, fixed_type):
        return fixed_type(a, b), lambda context, builder, sig, args: builder.add(*args)


@overload(operator.mul)
def multiply(a, b):
    if a is fixed_type and b is fixed_type:
        return lambda a, b: product(a, b)


@overload(operator.add)
def add(a, b):
    if a is fixed_type and b is fixed_type:
        return lambda a, b: total(a, b)


HALF = Fixed(0.5)


@cutaway.jit
def polynomial(x, n):
    """1/2 + x/2 + x*x/2 + ..., n terms."""
    result, power = HALF, HALF
    for _ in range(n - 1):
        power = power * x
        result = result + power
    return result


if __name__ == "__main__":
    print(polynomial(Fixed(0.25), 3), 0.5 + 0.125 + 0.03125)
