"""The functions of the library as the plain Python that they are written in.

Any in this file: arguments and results of any function.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from cutaway.extending.registry import CONTEXT
from cutaway.library import areas
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call
from cutaway.typing.types import ListDisplay, Tuple
from cutaway.typing.values.typeof import typeof, typeof_constant


def in_python(program: FunctionType, *args: Any) -> Any:
    """Call a program whose `np` has the library's own functions."""
    names = {**program.__globals__, "np": Implementations()}
    return FunctionType(program.__code__, names, closure=program.__closure__)(*args)


def type_in_a_program(value: Any) -> Any:
    """The type of an argument, as it is where a program has it."""
    if isinstance(value, list):
        return ListDisplay(tuple(map(type_in_a_program, value)))
    if type(value) is tuple:
        return Tuple(tuple(map(type_in_a_program, value)))
    constant = isinstance(value, str | type) or value is None or callable(value)
    return typeof_constant(value) if constant else typeof(value)


def is_plain(value: Any) -> bool:
    """True if a program that spells an argument knows its value."""
    if type(value) in (tuple, list):
        return len(value) > 0 and all(map(is_plain, value))
    return type(value) in (int, bool, str)


class Implementations:
    """NumPy, but for functions that the library has in Python: these are called themselves."""

    def __getattr__(self, name: str) -> Any:
        function = getattr(np, name)
        if not areas.has(function):
            return function
        return lambda *args, **named: self.call(function, args, named)

    def call(self, function: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        given = (*args, *named.values())
        types = tuple(map(type_in_a_program, given))
        known = tuple(one if is_plain(one) else MISSING for one in given)
        call = Call(Arguments(types, known), tuple(named))
        found = CONTEXT.resolve(function, call)
        if found is None or found.implementation is None:
            return function(*args, **named)
        return found.implementation(*args, **named)
