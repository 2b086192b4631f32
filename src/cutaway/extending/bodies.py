"""Functions of the library that are written once: one body in Python for all types.

    @numpy(np.ptp)
    def ptp(a: Numbers, axis: Axes = None, out: Output = None, keepdims: Flag = False):
        result = a.max(axis, keepdims=keepdims) - a.min(axis, keepdims=keepdims)
        return stored(out, result)

Annotations declare which arguments a parameter takes, and branches on types and constants choose:
excluded branches are not compiled for a call.  Conditions that Python cannot express are `static`
functions, which are called with the types when a body is compiled.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.registry import CONTEXT
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.options import OWN_OPTIONS
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing.inference.literals import literal
from cutaway.typing.inference.statics import (
    mark_by_value,
    mark_static,
    seen_type,
    static_answer,
)
from cutaway.typing.overloads.parameters import Parameters, Place, parameters_of
from cutaway.typing.overloads.resolution import Call, Overload, Typed
from cutaway.typing.types import ListDisplay, Signature, Tuple, Type
from cutaway.typing.values.typeof import typeof, typeof_constant

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Takes:
    """A parameter's annotation: a predicate on the type of its argument (a literal type for a
    constant), and its description in words.  A default is always taken.  For `*args` each argument
    is tested.

    A body is compiled for the value of a constant argument where `by_value` says so.  A list that
    is written out in the call is a tuple in the body, unless the parameter `takes_lists`.
    """

    words: str
    fits: Callable[[Any], Any]
    by_value: bool = False
    takes_lists: bool = False


def static(function: F) -> F:
    """Let bodies call a function on the types of its arguments when they are compiled.

    It is called with types as typers are, and returns a number, a bool, a string, a dtype, a class
    or None: a constant.  If it raises TypingError, a call that leads there is refused with that. In
    Python it also accepts values.
    """

    @wraps(function)
    def asked(*given: Any) -> Any:
        return function(*(one if isinstance(one, Type) else _type_of(one) for one in given))

    def template(call: Call) -> Typed | None:
        return constant_call(
            static_answer(asked, call.arguments.types, call.arguments.constants), call
        )

    mark_static(asked)
    CONTEXT.add(asked, Overload(None, (), None, any_elements=True, template=template))
    return asked  # type: ignore[return-value]


def answers(*keys: Any) -> Callable[[F], F]:
    """Type calls of NumPy functions by a function of types with the same parameters.

    It is called as a static function is, and its result is that of the call, a constant.  It
    returns None for arguments that it does not take.
    """

    def register(function: F) -> F:
        def template(call: Call) -> Typed | None:
            parameters = parameters_of(function)
            layout = parameters.lay_out(call)
            if layout is None:
                return None
            seen = list(map(seen_type, call.arguments.types, call.arguments.constants))
            positions = parameters.one_by_one(layout)
            answer = function(*(seen[one] if isinstance(one, int) else one for one in positions))
            return None if answer is None else constant_call(answer, call)

        template.typer = function  # type: ignore[attr-defined]  # whom lists of candidates name
        overload = Overload(None, (), None, any_elements=True, template=template)
        for key in keys:
            CONTEXT.add(key, overload)
        return function

    return register


def constant_call(answer: Any, call: Call) -> Typed:
    """Return the typing of a call whose result is a constant."""
    ty = typeof_constant(answer)
    assert ty is not None, f"{answer} is no constant"

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return build.constant(ty, answer)

    places = tuple(range(len(call.arguments)))
    return Typed(Signature(ty, call.arguments.types), places, lower)


def _type_of(value: Any) -> Any:
    """Return the type of a Python value, with the value of a constant."""
    if type(value) in (bool, int, str):
        return literal(value)
    return typeof(value) if isinstance(value, np.ndarray) else typeof_constant(value)


@static
def refuse(message: Any, hint: Any = None) -> None:
    """Refuse a call whose types lead here, with a message and a hint, which are constants."""
    raise TypingError(message.value, hint="" if hint is None else hint.value)


class Body:
    """Chooses a body for the calls whose arguments it takes."""

    def __init__(self, function: Any, options: Mapping[str, Any]) -> None:
        self.function: FunctionType = function
        self.typer = function
        self.parameters: Parameters | None = None  # they need the compiler
        self.takes: tuple[Takes | None, ...] = ()
        function.__dict__[OWN_OPTIONS] = dict(options)

    def __call__(self, call: Call) -> FunctionType | None:
        """Return the body for a call whose arguments it takes; None for others."""
        fits = self._lay_out(call) is not None and self._misfit(call) is None
        return self.function if fits else None

    def refusal(self, call: Call) -> str:
        """Return the requirement that the first unfit argument misses; empty where all fit."""
        index = self._misfit(call)
        if index is None or self.parameters is None:
            return ""
        takes = self.takes[index]
        assert takes is not None, "it takes any argument"
        each = "each of " if index >= len(self.parameters.defaults) else ""
        return f"{each}`{self.parameters.names[index]}` has to be {takes.words}"

    def argument_types(self, call: Call) -> tuple[Type, ...]:
        """Return the types of a call's arguments in the body, which the call converts them to."""
        own = list(call.arguments.types)
        for takes, position in zip(self.takes, self._lay_out(call) or (), strict=True):
            if takes is not None and takes.takes_lists:
                continue
            for one in _all_of(position):
                ty = own[one]
                if isinstance(ty, ListDisplay) and ty.items:  # an empty one has no memory
                    own[one] = Tuple(ty.items)
        return tuple(own)

    def _misfit(self, call: Call) -> int | None:
        """Return the index of the first parameter that does not take its argument."""
        arguments = call.arguments
        for k, position in enumerate(self._lay_out(call) or ()):
            takes = self.takes[k]
            if takes is None:
                continue
            seen = (
                seen_type(arguments.types[one], arguments.constants[one])
                for one in _all_of(position)
            )
            if not all(map(takes.fits, seen)):
                return k
        return None

    def _lay_out(self, call: Call) -> tuple[Place, ...] | None:
        self._prepare()
        assert self.parameters is not None
        return self.parameters.lay_out(call)

    def _prepare(self) -> None:
        if self.parameters is None:
            self.parameters = parameters_of(self.function)
            self.takes = take_by_value(self.function)


def take_by_value(function: Any) -> tuple[Takes | None, ...]:
    """Have a function compiled for the constants that its annotations ask for; return the
    annotations."""
    annotations = inspect.get_annotations(function, eval_str=True)
    found = [annotations.get(name) for name in parameters_of(function).names]
    takes = tuple(one if isinstance(one, Takes) else None for one in found)
    mark_by_value(function, [k for k, one in enumerate(takes) if one is not None and one.by_value])
    return takes


def _all_of(place: Place) -> tuple[int, ...]:
    """Return the positions in a call of the arguments that a parameter takes."""
    return place if isinstance(place, tuple) else () if place is None else (place,)


def body(*keys: Any, **options: Any) -> Callable[[F], F]:
    """Register a body for functions, and for methods by their keys, with options of `jit`."""

    def register(written: F) -> F:
        overload = Overload(None, (), None, any_elements=True, template=Body(written, options))
        for key in keys:
            CONTEXT.add(key, overload)
        return written

    return register


# Returns the generator function for a call, by the number of its positional arguments, and the
# constants among those with names and among all; None where it has none.
Maker = Callable[[int, dict[str, Any], tuple[Any, ...]], FunctionType | None]


def makes_generators(*keys: Any, needs: str = "") -> Callable[[Maker], Maker]:
    """Register a maker of generator functions, for the calls of these functions.

    `needs` names the constant that the length of the generators' tuples depends on, if one does.
    """

    def register(maker: Maker) -> Maker:
        def template(call: Call) -> FunctionType | None:
            constants = call.arguments.constants
            named = dict(zip(call.keywords, constants[call.positional :], strict=True))
            made = maker(call.positional, named, constants)
            made = getattr(made, "at_call", made)  # which makes the generator
            if made is not None and made not in bodies:
                bodies[made] = Body(made, GENERATOR_OPTIONS)
            if made is None and needs:
                raise TypingError(
                    f"the tuples of this iterator have a length that depends on `{needs}`, and the"
                    " length of a tuple is part of its type",
                    hint="pass it as a constant, or write the loops",
                )
            return None if made is None else bodies[made](call)

        bodies: dict[FunctionType, Body] = {}
        for key in keys:
            CONTEXT.add(key, Overload(None, (), None, any_elements=True, template=template))
            CONTEXT.generators.setdefault(key, []).append(maker)
        return maker

    return register


def generator(*keys: Any) -> Callable[[F], F]:
    """Register a generator function for functions of Python with the same parameters."""

    def register(written: F) -> F:
        def maker(positional: int, named: dict[str, Any], constants: tuple[Any, ...]) -> Any:
            fits = parameters_of(written).places(positional, tuple(named)) is not None
            return written if fits else None

        makes_generators(*keys)(maker)
        return written

    return register


GENERATOR_OPTIONS = {"boundscheck": True, "error_model": "python", "overflow": "wrap"}
