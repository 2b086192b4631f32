"""A point: an extension type of two floats, which the tests of this folder work with."""

from __future__ import annotations

from cutaway import types
from cutaway.extending import (
    NativeValue,
    as_cutaway_type,
    box,
    cgutils,
    intrinsic,
    lower_constant,
    make_attribute_wrapper,
    models,
    register_model,
    typeof_impl,
    unbox,
)


class Point:
    """A point of the plane."""

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __eq__(self, other):
        return isinstance(other, Point) and (self.x, self.y) == (other.x, other.y)

    __hash__ = None

    def __repr__(self):
        return f"Point({self.x}, {self.y})"


class PointType(types.Type):
    def __init__(self):
        super().__init__(name="Point")


point_type = PointType()
as_cutaway_type.register(Point, point_type)


@typeof_impl.register(Point, fingerprint=())
def typeof_point(value, c):
    return point_type


@register_model(PointType)
class PointModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("x", types.float64), ("y", types.float64)])


make_attribute_wrapper(PointType, "x", "x")
make_attribute_wrapper(PointType, "y", "y")


@unbox(PointType)
def unbox_point(typ, obj, c):
    point = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    for name in ("x", "y"):
        number = c.pyapi.object_getattr_string(obj, name)
        setattr(point, name, c.unbox(types.float64, number).value)
        c.pyapi.decref(number)
    failed = cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    return NativeValue(point._getvalue(), is_error=failed)


@box(PointType)
def box_point(typ, val, c):
    point = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=val)
    cls = c.pyapi.unserialize(c.pyapi.serialize_object(Point))
    x, y = c.box(types.float64, point.x), c.box(types.float64, point.y)
    result = c.pyapi.call_function_objargs(cls, (x, y))
    for used in (x, y, cls):
        c.pyapi.decref(used)
    return result


@lower_constant(PointType)
def point_constant(context, builder, ty, pyval):
    point = cgutils.create_struct_proxy(ty)(context, builder)
    point.x = context.get_constant(types.float64, pyval.x)
    point.y = context.get_constant(types.float64, pyval.y)
    return point._getvalue()


@intrinsic
def make_point(typingctx, x, y):
    """A point of two numbers, in compiled code."""
    if not all(isinstance(ty, types.Number) for ty in (x, y)):
        return None

    def code(context, builder, sig, args):
        point = context.make_helper(builder, sig.return_type)
        point.x, point.y = args
        return point._getvalue()

    return point_type(types.float64, types.float64), code
