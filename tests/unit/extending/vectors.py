"""A package in the style of `vector`: objects with coordinates as named tuples, methods, operators,
attributes, constructors, and a type per kind of coordinates."""

from __future__ import annotations

import math
import operator
from typing import NamedTuple

from cutaway import types
from cutaway.errors import TypingError
from cutaway.extending import (
    NativeValue,
    box,
    cgutils,
    lower_builtin,
    make_attribute_wrapper,
    models,
    overload,
    overload_attribute,
    overload_method,
    register_jitable,
    register_model,
    type_callable,
    typeof_impl,
    unbox,
)


class XY(NamedTuple):
    x: float
    y: float


class Polar(NamedTuple):
    rho: float
    phi: float


class Vector:
    """A vector of the plane; Python and compiled code compute with it alike."""

    def __init__(self, azimuthal):
        self.azimuthal = azimuthal

    @property
    def x(self):
        return x_of(*self._as_numbers())

    @property
    def y(self):
        return y_of(*self._as_numbers())

    @property
    def rho(self):
        return math.hypot(self.x, self.y)

    def _as_numbers(self):
        return isinstance(self.azimuthal, Polar), *self.azimuthal

    def dot(self, other):
        return self.x * other.x + self.y * other.y

    def scale(self, factor=2.0):
        return Vector(XY(self.x * factor, self.y * factor))

    def __add__(self, other):
        return Vector(XY(self.x + other.x, self.y + other.y))

    def __neg__(self):
        return Vector(XY(-self.x, -self.y))

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __bool__(self):
        return self.rho > 0

    __hash__ = None


@register_jitable
def x_of(is_polar, a, b):
    return a * math.cos(b) if is_polar else a


@register_jitable
def y_of(is_polar, a, b):
    return a * math.sin(b) if is_polar else b


class VectorType(types.Type):
    def __init__(self, azimuthal):
        super().__init__(name=f"VectorType({azimuthal})")
        self.azimuthal = azimuthal


def is_azimuthal(ty):
    kinds = types.NamedTuple | types.NamedUniTuple
    return isinstance(ty, kinds) and ty.instance_class in (XY, Polar)


@typeof_impl.register(Vector)
def typeof_vector(value, c):
    return VectorType(typeof_impl(value.azimuthal, c))


@register_model(VectorType)
class VectorModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("azimuthal", fe_type.azimuthal)])


make_attribute_wrapper(VectorType, "azimuthal", "azimuthal")


@type_callable(Vector)
def type_vector(context):
    def typer(azimuthal):
        if not is_azimuthal(azimuthal):
            raise TypingError("a Vector is made of XY or Polar")
        return VectorType(azimuthal)

    return typer


@lower_builtin(Vector, types.Type)
def make_vector(context, builder, sig, args):
    made = cgutils.create_struct_proxy(sig.return_type)(context, builder)
    made.azimuthal = args[0]
    return made._getvalue()


@unbox(VectorType)
def unbox_vector(typ, obj, c):
    azimuthal = c.pyapi.object_getattr_string(obj, "azimuthal")
    made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    made.azimuthal = c.pyapi.to_native_value(typ.azimuthal, azimuthal).value
    c.pyapi.decref(azimuthal)
    failed = cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    return NativeValue(made._getvalue(), failed)


@box(VectorType)
def box_vector(typ, val, c):
    cls = c.pyapi.unserialize(c.pyapi.serialize_object(Vector))
    held = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=val)
    azimuthal = c.pyapi.from_native_value(typ.azimuthal, held.azimuthal)
    made = c.pyapi.call_function_objargs(cls, (azimuthal,))
    c.pyapi.decref(cls)
    c.pyapi.decref(azimuthal)
    return made


def _attribute(name, function):
    @overload_attribute(VectorType, name)
    def type_attribute(v):
        is_polar = v.azimuthal.instance_class is Polar
        return lambda v: function(is_polar, v.azimuthal[0], v.azimuthal[1])


_attribute("x", x_of)
_attribute("y", y_of)


@overload_attribute(VectorType, "rho", inline=lambda expr, caller, callee: True)
def type_rho(v):
    return lambda v: math.hypot(v.x, v.y)


@overload_method(VectorType, "dot")
def type_dot(v, other):
    if isinstance(other, VectorType):
        return lambda v, other: v.x * other.x + v.y * other.y


@overload_method(VectorType, "scale")
def type_scale(v, factor=2.0):
    return lambda v, factor=2.0: Vector(XY(v.x * factor, v.y * factor))


@overload(operator.add)
def type_add(v, other):
    if isinstance(v, VectorType) and isinstance(other, VectorType):
        return lambda v, other: Vector(XY(v.x + other.x, v.y + other.y))


@overload(operator.neg)
def type_neg(v):
    if isinstance(v, VectorType):
        return lambda v: Vector(XY(-v.x, -v.y))


@overload(operator.eq)
def type_eq(v, other):
    if isinstance(v, VectorType) and isinstance(other, VectorType):
        return lambda v, other: v.x == other.x and v.y == other.y


@overload(operator.truth)
@overload(bool)
def type_truth(v):
    if isinstance(v, VectorType):
        return lambda v: v.rho > 0
