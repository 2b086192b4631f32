"""A fixed-point number: an integer of 1/65536ths, with casts, operators and constants.

Run it: `python examples/extending/fixed_point.py`
"""

import math
import operator

from llvmlite import ir

import cutaway
from cutaway import extending, types

ONE = 1 << 16  # the number 1


class Fixed:
    def __init__(self, value, raw=None):
        self.raw = round(value * ONE) if raw is None else raw

    def __float__(self):
        return self.raw / ONE

    def __repr__(self):
        return f"Fixed({float(self)})"


class FixedType(types.Type):
    def __init__(self):
        super().__init__(name="Fixed")

    def can_convert_to(self, typingctx, other):  # passed where a float64 is wanted
        return extending.Conversion.safe if other is types.float64 else None

    def can_convert_from(self, typingctx, other):  # an integer, where one of these is wanted
        return extending.Conversion.unsafe if isinstance(other, types.Integer) else None


fixed_type = FixedType()


@extending.typeof_impl.register(Fixed, fingerprint=())
def typeof_fixed(value, c):
    return fixed_type


extending.register_model(FixedType)(extending.models.IntegerModel)  # of 64 bits


@extending.unbox(FixedType)
def unbox_fixed(typ, obj, c):
    raw = c.pyapi.object_getattr_string(obj, "raw")
    native = c.unbox(types.int64, raw)
    c.pyapi.decref(raw)
    return native


@extending.box(FixedType)
def box_fixed(typ, val, c):
    cls, none = c.pyapi.unserialize(Fixed), c.pyapi.make_none()
    raw = c.box(types.int64, val)
    result = c.pyapi.call_function_objargs(cls, (none, raw))
    for used in (cls, none, raw):
        c.pyapi.decref(used)
    return result


@extending.lower_constant(FixedType)
def fixed_constant(context, builder, ty, pyval):
    return context.get_constant(types.int64, pyval.raw)


@extending.lower_cast(FixedType, types.float64)
def fixed_to_float(context, builder, fromty, toty, val):
    number = builder.sitofp(val, context.get_value_type(toty))
    return builder.fdiv(number, context.get_constant(toty, float(ONE)))


@extending.lower_cast(types.Integer, FixedType)
def integer_to_fixed(context, builder, fromty, toty, val):
    wide = context.cast(builder, val, fromty, types.int64)
    return builder.shl(wide, context.get_constant(types.int64, 16))


# What types the operators take; an integer operand is converted, since that can be.
@extending.infer_global(operator.mul)
@extending.infer_global(operator.add)
class FixedOperator(extending.ConcreteTemplate):
    cases = [extending.signature(fixed_type, fixed_type, fixed_type)]


@extending.lower_builtin(operator.add, FixedType, FixedType)
def add(context, builder, sig, args):
    return builder.add(*args)


@extending.lower_builtin(operator.mul, FixedType, FixedType)
def multiply(context, builder, sig, args):
    """The product, computed with 128 bits and rounded down."""
    wide = ir.IntType(128)
    first, second = (builder.sext(arg, wide) for arg in args)
    return builder.trunc(builder.ashr(builder.mul(first, second), wide(16)), ir.IntType(64))


HALF = Fixed(0.5)


@cutaway.jit
def polynomial(x, n):
    """3 + 1/2 + x/2 + x*x/2 + ..., n terms, and its root."""
    result, power = HALF, HALF
    for _ in range(n - 1):
        power = power * x
        result = result + power
    return result + 3, math.sqrt(result + 3)  # an integer is converted, and so is what sqrt takes


if __name__ == "__main__":
    print(*polynomial(Fixed(0.25), 3))
