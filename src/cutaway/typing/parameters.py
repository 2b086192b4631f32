"""The parameters of a Python function, and how a call's arguments fall to them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cutaway.errors import TypingError, UnsupportedError
from cutaway.source import Loc
from cutaway.typing.templates import REQUIRED, Call
from cutaway.typing.types import Type, omitted


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a function: names in order, defaults, how many take no keyword, and
    how many take nothing but one."""

    function: str
    names: tuple[str, ...]
    defaults: tuple[Any, ...]  # Any: default values; REQUIRED where there is none
    positional_only: int = 0
    keyword_only: int = 0

    @property
    def required(self) -> int:
        """How many leading parameters have no default."""
        return next((k for k, d in enumerate(self.defaults) if d is not REQUIRED), len(self.names))

    def lay_out(self, call: Call) -> tuple[int | None, ...] | None:
        """For each parameter the position of its argument in the call, None for its default;
        None in all where the call does not fit."""
        count = len(call.arguments)
        positional = count - len(call.keywords)
        if positional > len(self.names) - self.keyword_only:
            return None
        places = dict(zip(self.names, range(positional), strict=False))
        for offset, name in enumerate(call.keywords):
            if name in places or name not in self.names[self.positional_only :]:
                return None
            places[name] = positional + offset
        for name, default in zip(self.names, self.defaults, strict=True):
            if name not in places and default is REQUIRED:
                return None
        return tuple(places.get(name) for name in self.names)

    def argument_types(self, call: Call, loc: Loc) -> tuple[Type, ...]:
        """The type of each parameter for a call; that of a default is `omitted`.

        Raises TypingError where the call does not fit the parameters.
        """
        layout = self.lay_out(call)
        if layout is None:
            wanted = ", ".join(self.names)
            raise TypingError(
                f"the arguments of this call do not fit {self.function}({wanted})", loc
            )
        return tuple(
            omitted(default) if place is None else call.arguments.types[place]
            for place, default in zip(layout, self.defaults, strict=True)
        )


def parameters_of(function: Callable[..., Any]) -> Parameters:  # Any: a user's function
    """The parameters of a Python function.

    Raises UnsupportedError for `*args` and `**kwargs`.
    """
    code = function.__code__
    loc = Loc(code.co_firstlineno, 0, code.co_firstlineno, 0, code.co_filename)
    if code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        raise UnsupportedError(
            "a compiled function cannot take *args or **kwargs",
            loc,
            "name each parameter, or take a tuple",
        )
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    given = function.__defaults__ or ()
    plain: list[Any] = [REQUIRED] * (code.co_argcount - len(given)) + list(given)
    named = function.__kwdefaults__ or {}
    plain += [named.get(name, REQUIRED) for name in names[code.co_argcount :]]
    return Parameters(
        function.__name__,
        names,
        tuple(plain),
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
    )
