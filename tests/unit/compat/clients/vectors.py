"""In the style of vector and awkward: a class of the package that compiled code learns."""

import numba
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.typing.templates import signature
from numba.extending import (
    NativeValue,
    box,
    intrinsic,
    lower_builtin,
    make_attribute_wrapper,
    overload,
    overload_attribute,
    register_model,
    type_callable,
    typeof_impl,
    unbox,
)


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y


class VectorType(types.Type):
    def __init__(self):
        super().__init__(name="Vector")


vector_type = VectorType()
typeof_impl.register(Vector)(lambda value, context: vector_type)


@register_model(VectorType)
class VectorModel(models.StructModel):
    def __init__(self, manager, ty):
        super().__init__(manager, ty, [("x", types.float64), ("y", types.float64)])


make_attribute_wrapper(VectorType, "x", "x")
make_attribute_wrapper(VectorType, "y", "y")


@type_callable(Vector)
def type_vector(context):
    def typer(x, y):
        if isinstance(x, types.Float) and isinstance(y, types.Float):
            return vector_type
        return None

    return typer


@lower_builtin(Vector, types.Float, types.Float)
def lower_vector(context, builder, sig, args):
    made = cgutils.create_struct_proxy(sig.return_type)(context, builder)
    made.x, made.y = args
    return made._getvalue()


@unbox(VectorType)
def unbox_vector(typ, obj, c):
    made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    for name in ("x", "y"):
        number = c.pyapi.object_getattr_string(obj, name)
        setattr(made, name, c.pyapi.float_as_double(number))
        c.pyapi.decref(number)
    error = cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    return NativeValue(made._getvalue(), is_error=error)


@box(VectorType)
def box_vector(typ, val, c):
    made = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=val)
    numbers = [c.pyapi.float_from_double(part) for part in (made.x, made.y)]
    cls = c.pyapi.unserialize(c.pyapi.serialize_object(Vector))
    result = c.pyapi.call_function_objargs(cls, numbers)
    for number in (*numbers, cls):
        c.pyapi.decref(number)
    return result


@overload_attribute(VectorType, "squared")
def squared(vector):
    return lambda vector: vector.x * vector.x + vector.y * vector.y


def add(a, b):
    raise NotImplementedError


@overload(add)
def _add(a, b):
    if isinstance(a, VectorType) and isinstance(b, VectorType):
        return lambda a, b: Vector(a.x + b.x, a.y + b.y)
    return None


@intrinsic
def doubled(typingctx, number):
    def code(context, builder, sig, args):
        return builder.fadd(args[0], args[0])

    return signature(types.float64, types.float64), code


@numba.njit
def moved(a, b):
    c = add(a, b)
    return c, c.squared, doubled(c.x)


def test_a_class_of_the_package():
    result, length, twice = moved(Vector(1.0, 2.0), Vector(3.0, 4.0))
    assert (result.x, result.y, length, twice) == (4.0, 6.0, 52.0, 8.0)
