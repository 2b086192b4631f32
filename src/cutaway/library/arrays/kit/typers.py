"""What typers ask about the arguments of a call, and how they are registered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from cutaway.extending.overloads import overload, overload_method, register_jitable
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments
from cutaway.typing.types import Array, Type

T = TypeVar("T", bound=Callable[..., Any])  # Any: a typer, of what it stands for

# Implementations divide as NumPy does.  Bounds are checked: that costs less than what an index
# costs that is not checked, but may be negative.
OPTIONS = {"boundscheck": True, "error_model": "numpy", "overflow": "wrap"}


def numpy(function: Any, *methods: str) -> Callable[[T], T]:  # Any: a function of NumPy
    """Register a typer for a function of NumPy, and for methods of arrays that do the same."""

    def register(typer: T) -> T:
        for name in methods:
            overload_method(Array, name, jit_options=OPTIONS)(typer)
        return overload(function, jit_options=OPTIONS)(typer)

    return register


def private(function: T) -> T:
    """Let implementations call a Python function of the library's own."""
    found: T = register_jitable(**OPTIONS)(function)
    return found


def left_out(given: Any) -> bool:  # Any: a type, or the default of a parameter
    """Whether an argument is None or was not given."""
    omitted = isinstance(given, types.Omitted) and given.value is None
    return given is None or given is types.none or omitted


def flag(given: Any) -> bool | None:  # Any: see `left_out`
    """Whether an argument is true; None where that is not known when compiling."""
    if isinstance(given, types.Literal):
        return bool(given.literal_value)
    if isinstance(given, types.Omitted):
        return bool(given.value)
    if given is types.none:
        return False
    return None if isinstance(given, Type) else bool(given)


def is_left_out_or(kind: Callable[[Type], bool], given: Any) -> bool:  # Any: see `left_out`
    """Whether an argument is None, a default, or of a kind."""
    return not isinstance(given, Type) or left_out(given) or _has_kind(kind, given)


def _has_kind(kind: Callable[[Type], bool], given: Type) -> bool:
    return isinstance(given, types.Omitted) or kind(given)


def are_numbers_or_left_out(*given: Any) -> bool:  # Any: see `left_out`
    """Whether each argument is a number with an order, None, or a default."""
    return all(is_left_out_or(types.is_real, one) for one in given)


def is_array(given: Any) -> bool:  # Any: see `left_out`
    """Whether an argument is an array of numbers."""
    return isinstance(given, Array) and types.is_number(given.dtype)


def is_number(given: Any) -> bool:  # Any: see `left_out`
    """Whether an argument is a number."""
    return isinstance(given, Type) and types.is_number(given)


def is_real(given: Any) -> bool:  # Any: see `left_out`
    """Whether an argument is a number with an order."""
    return isinstance(given, Type) and types.is_real(given)


def is_integral(given: Any) -> bool:  # Any: see `left_out`
    """Whether an argument is a bool or an integer."""
    return isinstance(given, Type) and types.is_integral(given)


def is_integral_or_default(given: Any) -> bool:  # Any: see `left_out`
    """Whether an argument is an integer or was not given."""
    return is_left_out_or(types.is_integral, given)


def is_shape(given: Any) -> bool:  # Any: see `left_out`
    """Whether an argument is a tuple of integers."""
    return isinstance(given, types.Tuple) and all(map(is_integral, given.items))


def are_elements(*given: Any) -> bool:  # Any: see `left_out`
    """Whether all arguments are arrays of numbers or numbers."""
    return all(is_array(one) or is_number(one) for one in given)


def dimensions(given: Any) -> int:  # Any: see `left_out`
    """How many dimensions an argument has; a number has none."""
    return given.ndim if isinstance(given, Array) else 0


def has_real_elements(*given: Any) -> bool:  # Any: see `left_out`
    """Whether all arguments are numbers with an order, or arrays of such."""
    return are_elements(*given) and all(types.is_real(element(one)) for one in given)


def element(given: Any) -> Any:  # Any: see `left_out`; a type
    """The type of the elements of an array, or of the number itself."""
    return given.dtype if isinstance(given, Array) else given


def array_alone(arguments: Arguments) -> Array | None:
    """The type of the only argument, where that is an array; what a rule asks."""
    ty = arguments.types[0] if len(arguments) == 1 else None
    return ty if isinstance(ty, Array) else None
