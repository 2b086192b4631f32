"""`a += x` and the like: in-place updates of arrays, computed by ufuncs."""

from __future__ import annotations

import operator
from typing import Any

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.extending.registry import CONTEXT
from cutaway.library.elements.kernels import kernel_of
from cutaway.lowering.arrays import nests
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, ElementWise, Overload, Signature
from cutaway.typing.types import Array, Type
from cutaway.typing.ufuncs import element_of, loop_of, result_type

_OPERATORS = {
    "add": operator.iadd,
    "subtract": operator.isub,
    "multiply": operator.imul,
    "divide": operator.itruediv,
    "floor_divide": operator.ifloordiv,
    "remainder": operator.imod,
    "power": operator.ipow,
    "bitwise_and": operator.iand,
    "bitwise_or": operator.ior,
    "bitwise_xor": operator.ixor,
    "left_shift": operator.ilshift,
    "right_shift": operator.irshift,
}

# --- powers ---------------------------------------------------------------------------------------

BY_POWER = ("square", "reciprocal", "sqrt")


def power_function(arguments: Arguments) -> str:
    """The ufunc by which NumPy computes an array's constant power; empty for `power` itself."""
    base, constant = arguments.types[0], arguments.constants[1]
    if not isinstance(base, Array):
        return ""
    if type(constant) is int and constant == 2:
        return "square"
    if not isinstance(base.dtype, types.Float | types.Complex):
        return ""
    if type(constant) is int and constant == -1:
        return "reciprocal"
    return "sqrt" if type(constant) is float and constant == 0.5 else ""


# --- rules ----------------------------------------------------------------------------------------


def check_output(name: str, operands: tuple[Type, ...], target: Type) -> bool:
    """True if an array can hold the result of a ufunc on operands.

    Raises TypingError, in NumPy's words, if its type cannot.
    """
    if not isinstance(target, Array) or target.readonly:
        return False
    loop = loop_of(name, operands, element_of(target))
    if loop is None:
        return False
    _check_units(loop.outputs[0], element_of(target))
    return True


def _check_units(computed: Type, stored: Type) -> None:
    if computed is not stored and isinstance(stored, types.Dated):
        raise TypingError(
            f"a result of type {computed} cannot be stored as {stored} in compiled code",
            hint="convert the operands first: x.astype(...)",
        )


def check_dimensions(target: Type | None, operand: Type) -> None:
    """Raise TypingError if an array has fewer dimensions than the value it is to hold."""
    if isinstance(target, Array) and isinstance(operand, Array) and operand.ndim > target.ndim:
        raise TypingError(
            f"an array of {target.ndim} dimensions cannot hold the result for one of {operand.ndim}"
        )


def _operands_of(name: str, arguments: Arguments) -> tuple[Type, ...]:
    return arguments.types[:1] if name in BY_POWER else arguments.types


def _rule(name: str) -> Any:
    def rule(arguments: Arguments) -> Signature | None:
        target, operand = arguments.types
        if not isinstance(target, Array):
            return None
        if name in BY_POWER and power_function(arguments) != name:
            return None
        operands = _operands_of(name, arguments)
        if loop_of(name, operands) is None:
            return None
        if target.readonly:
            raise TypingError("the array is read-only", hint="pass a writeable array")
        check_dimensions(target, operand)
        return Signature(target, arguments.types) if check_output(name, operands, target) else None

    return rule


def _register(name: str, function: Any) -> None:
    places = (0,) if name in BY_POWER else (0, 1)

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        operands = [args[place] for place in places]
        kernel = kernel_of(build, name, tuple(value.ty for value in operands))
        nests.store_into(build, kernel, operands, args[0], output=True, same=(0,))
        return args[0]

    def elements(sig: Signature) -> ElementWise:
        return ElementWise(name, places)

    lower.__name__ = name
    CONTEXT.add(function, Overload(_rule(name), (), lower, any_elements=True, elements=elements))


def _register_new(name: str, function: Any) -> None:
    """`x += a` of a number and an array, which makes a new array."""

    def rule(arguments: Arguments) -> Signature | None:
        target, operand = arguments.types
        if isinstance(target, Array) or not isinstance(operand, Array):
            return None
        loop = loop_of(name, arguments.types)
        if loop is None:
            return None
        return Signature(result_type(loop.outputs[0], arguments.types), arguments.types)

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return nests.compute(build, kernel_of(build, name, sig.args), args, sig.returns)

    lower.__name__ = name
    CONTEXT.add(
        function,
        Overload(
            rule,
            (),
            lower,
            any_elements=True,
            gives_new_reference=True,
            elements=lambda sig: None,
        ),
    )


for _name in BY_POWER:
    _register(_name, operator.ipow)
for _name, _function in _OPERATORS.items():
    _register(_name, _function)
    _register_new(_name, _function)


@overload(operator.imatmul)
def _matrix_product(a, b):
    def product(a, b):
        a[...] = a @ b
        return a

    tables = isinstance(a, Array) and isinstance(b, Array) and a.ndim == b.ndim == 2
    return product if tables else None
