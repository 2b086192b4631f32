"""`isinstance`, `type`, and attributes of dtypes: known at compile time, except for a handled
exception."""

from __future__ import annotations

from functools import partial

from cutaway.extending.registry import attribute, primitive
from cutaway.library.math.numbers import boolean
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.exception_questions import asked
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Class, Type
from cutaway.typing.values import classes
from cutaway.typing.values.typeof import typeof_constant


def _isinstance_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2 or classes.is_instance(*arguments.types) is None:
        return None
    return Signature(types.boolean, arguments.types)


@primitive(isinstance, _isinstance_rule, any_elements=True)
def is_instance(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`isinstance(x, cls)`."""
    return boolean("true" if classes.is_instance(*sig.args) else "false")


def _optional_rule(arguments: Arguments) -> Signature | None:
    """The rule for a value that may be None: the answer depends on which of the two it is."""
    if len(arguments) != 2 or not isinstance(arguments.types[0], types.Optional):
        return None
    inner, asked = arguments.types[0].inner, arguments.types[1]
    answers = [classes.is_instance(ty, asked) for ty in (inner, types.none)]
    return None if None in answers else Signature(types.boolean, arguments.types)


@primitive(isinstance, _optional_rule)
def is_instance_or_none(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`isinstance(x, cls)` of a value that may be None."""
    owner, asked = args
    assert isinstance(owner.ty, types.Optional)
    sides = [
        "true" if classes.is_instance(ty, asked.ty) else "false"
        for ty in (owner.ty.inner, types.none)
    ]
    return boolean(build.select(owner.parts[0], "i1", *sides))


def _exception_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2 or arguments.types[0] is not types.caught_exception:
        return None
    tested = types.classes_of(arguments.types[1])
    return None if tested is None else Signature(types.boolean, arguments.types)


@primitive(isinstance, _exception_rule)
def is_exception_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`isinstance(e, classes)`."""
    tested = types.classes_of(sig.args[1])
    assert tested is not None
    return asked(build, partial(_is_one, tested), args[0])


def _is_one(known: tuple[type[BaseException], ...], exception: BaseException) -> bool:
    return isinstance(exception, known)


def _type_rule(arguments: Arguments) -> Signature | None:
    cls = _class_of(arguments.types[0]) if len(arguments) == 1 else None
    if cls is None:
        return None
    return Signature(types.constant_type(Class, cls), arguments.types)


def _class_of(ty: Type) -> type | None:
    """The class of a value: NumPy's for numbers that no Python class represents."""
    is_numpy = types.is_number(ty) and ty not in _OF_PYTHON
    return types.to_dtype(ty).type if is_numpy else ty.value_class


_OF_PYTHON = (types.boolean, types.int64, types.float64, types.complex128)


@primitive(type, _type_rule, any_elements=True)
def type_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`type(x)`."""
    return Value(sig.returns, ())


@attribute(types.DType, "type", lambda ty: types.constant_type(Class, ty.value.type))
def scalar_class(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.dtype.type`: the class of the array's numbers."""
    return Value(sig.returns, ())


@attribute(types.DType, "itemsize", lambda ty: types.int64)
def itemsize(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.dtype.itemsize`."""
    assert isinstance(args[0].ty, types.DType)
    return build.constant(types.int64, args[0].ty.value.itemsize)


def _told(name: str) -> None:
    """Register an attribute of dtypes, which is a compile-time constant."""

    def told_type(ty: types.DType) -> types.Type | None:
        return typeof_constant(getattr(ty.value, name))

    @attribute(types.DType, name, told_type)
    def told(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        assert isinstance(args[0].ty, types.DType)
        return build.constant(sig.returns, getattr(args[0].ty.value, name))


for _name in ("kind", "char", "name", "str", "byteorder", "names", "num", "alignment", "ndim"):
    _told(_name)
