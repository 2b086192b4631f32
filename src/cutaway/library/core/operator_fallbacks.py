"""Python's fallbacks for operators that a class does not define, for types of extensions.

    a += b       a = a + b
    a != b       not (a == b)
    a > b        b < a, and so for each comparison
    x in a       operator.contains(a, x)
    not a        False if a else True
    bool(a)      len(a) != 0
    str(a)       a.__str__(), a.__repr__()
    repr(a)      a.__repr__()

Each is a Python function that is compiled in place of the operator. They are tried last, and only
if an argument has an extension's type: built-in types have overloads of their own.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any

from cutaway.extending.registry import CONTEXT
from cutaway.ir.operators import BINARY, COMPARISONS, INPLACE, binary_of_inplace
from cutaway.library.core.operators import contains
from cutaway.lowering.layout import is_extension
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call, Overload, resolve
from cutaway.typing.types import Type

Fits = Callable[..., bool]  # of the types of the arguments

_FALLBACKS: list[Overload] = []


def _falls_back(function: Any, fits: Fits) -> Callable[[FunctionType], FunctionType]:
    def register(implementation: FunctionType) -> FunctionType:
        def template(call: Call) -> FunctionType | None:
            args = call.arguments.types
            ours = not any(map(is_extension, args))
            return None if ours or call.keywords or not fits(*args) else implementation

        overload = Overload(None, (), None, any_elements=True, template=template)
        _FALLBACKS.append(overload)
        CONTEXT.add(function, overload)
        return implementation

    return register


def _has(function: Any, *given: Type) -> bool:
    """True if an overload other than a fallback accepts values of these types."""
    overloads = [
        overload
        for overload in CONTEXT.overloads_of(function)
        if not any(overload is known for known in _FALLBACKS)
    ]
    return resolve(overloads, _call(*given)) is not None


def _call(*given: Type) -> Call:
    return Call(Arguments(given, (MISSING,) * len(given)))


# --- operators in place -----------------------------------------------------------------------


def _in_place(function: Any, plain: Any) -> None:
    @_falls_back(function, lambda a, b: CONTEXT.resolve(plain, _call(a, b)) is not None)
    def updated(a, b):
        return plain(a, b)


for _row in INPLACE.values():
    _in_place(_row.function, binary_of_inplace(_row).function)


# --- comparisons ------------------------------------------------------------------------------


def _reflected(function: Any, other: Any) -> None:
    @_falls_back(function, lambda a, b: _has(other, b, a))
    def compared(a, b):
        return other(b, a)


for _row in COMPARISONS.values():
    if _row.symbol != "!=":
        _reflected(_row.function, COMPARISONS[_row.mirrored].function)


@_falls_back(operator.ne, lambda a, b: _has(operator.eq, a, b) or _has(operator.eq, b, a))
def _differ(a, b):
    return not (a == b)


# --- membership -------------------------------------------------------------------------------


def _is_container(item: Type, container: Type) -> bool:
    """True if an extension defines `operator.contains` for these types; the library's own body only
    calls `in` again."""
    overloads = CONTEXT.overloads_of(operator.contains)
    others = [o for o in overloads if getattr(o.template, "typer", None) is not contains]
    return resolve(others, _call(container, item)) is not None


@_falls_back(BINARY["in"].function, _is_container)
def _contained(item, container):
    return operator.contains(container, item)


@_falls_back(BINARY["not in"].function, lambda a, b: _is_container(a, b) or _has_in(a, b))
def _missing(item, container):
    result = item in container  # a separate statement: `not in` would call this function again
    return not result


def _has_in(item: Type, container: Type) -> bool:
    return _has(BINARY["in"].function, item, container)


# --- truth ------------------------------------------------------------------------------------


@_falls_back(operator.not_, lambda a: CONTEXT.resolve(bool, _call(a)) is not None)
def _negated(a):
    return False if a else True  # noqa: SIM211  `not` is this function


@_falls_back(bool, lambda a: CONTEXT.resolve(len, _call(a)) is not None)
def _filled(a):
    return len(a) != 0


# --- texts ------------------------------------------------------------------------------------


def _has_method(name: str) -> Fits:
    return lambda a: CONTEXT.method_of(a, name) is not None


@_falls_back(str, _has_method("__str__"))
def _text(a):
    return a.__str__()


@_falls_back(str, _has_method("__repr__"))
@_falls_back(repr, _has_method("__repr__"))
def _representation(a):
    return a.__repr__()
