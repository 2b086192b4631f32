"""The parameters of a Python function, and the binding of a call's arguments to them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import Any

from cutaway.errors import NoMatchError, TypingError, UnsupportedError
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.source import Loc, head_of
from cutaway.typing.overloads import choice
from cutaway.typing.overloads.resolution import REQUIRED, Call
from cutaway.typing.types import Omitted, Tuple, Type, omitted
from cutaway.typing.values.typeof import typeof

# For each parameter the position of its argument in the call, None for its default, and for
# `*args` the positions of its arguments.
Place = int | None | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a function.

    `names` are in the order of the function's variables: positional ones, keyword-only ones,
    then `*args` if there is one (`star`), and `**kwargs` if there is one (`named`).
    `defaults` has an entry for all but these two, REQUIRED for a parameter without a default.
    """

    function: str
    names: tuple[str, ...]
    defaults: tuple[Any, ...]
    positional_only: int = 0
    keyword_only: int = 0
    star: bool = False
    named: bool = False

    def __str__(self) -> str:
        return f"{self.function}({', '.join(self.written())})"

    @property
    def single(self) -> tuple[str, ...]:
        """The parameters that take one argument."""
        return self.names[: len(self.defaults)]

    @property
    def positional(self) -> int:
        """The number of parameters that can be passed by position, `*args` aside."""
        return len(self.defaults) - self.keyword_only

    def without_first(self) -> Parameters:
        """Return all parameters but the first one."""
        fewer = max(self.positional_only - 1, 0)
        return replace(
            self, names=self.names[1:], defaults=self.defaults[1:], positional_only=fewer
        )

    def written(self) -> list[str]:
        """Return the source text of each parameter, with `/`, `*` and `=...`."""
        names = list(self.single)
        for k, default in enumerate(self.defaults):
            names[k] += "" if default is REQUIRED else "=..."
        if self.star:
            names.insert(self.positional, f"*{self.names[len(self.defaults)]}")
        elif self.keyword_only:
            names.insert(self.positional, "*")
        if self.positional_only:
            names.insert(self.positional_only, "/")
        if self.named:
            names.append(f"**{self.names[-1]}")
        return names

    def places(self, positional: int, keywords: tuple[str, ...]) -> tuple[Place, ...] | None:
        """Return each parameter's position in the arguments of a call: `positional` ones, then
        those of `keywords`.  None if the call does not fit."""
        if self.problem(positional, keywords):
            return None
        by_name: dict[str, int] = dict(zip(self.single[: self.positional], range(positional)))
        for offset, name in enumerate(keywords):
            by_name[name] = positional + offset
        places: list[Place] = [by_name.get(name) for name in self.single]
        if self.star:
            places.append(tuple(range(self.positional, positional)))
        return tuple(places)

    def problem(self, positional: int, keywords: tuple[str, ...]) -> str:
        """Return the reason why a call does not fit, in Python's words; empty if it does."""
        if positional > self.positional and not self.star:
            return self._too_many(positional)
        by_keyword = self.single[self.positional_only :]
        for name in keywords:
            if name in self.single[:positional] and name in self.single[: self.positional]:
                if name in by_keyword:
                    return f"{self.function}() got multiple values for argument {name!r}"
            if name not in by_keyword:
                return f"{self.function}() got an unexpected keyword argument {name!r}"
        bound = {*self.single[: min(positional, self.positional)], *keywords}
        missing = [
            repr(name)
            for name, default in zip(self.single, self.defaults, strict=True)
            if default is REQUIRED and name not in bound
        ]
        if not missing:
            return ""
        by_position = sum(repr(name) in missing for name in self.single[: self.positional])
        kind = "positional" if by_position else "keyword-only"
        missing = missing[: by_position or None]
        plural = "s" if len(missing) > 1 else ""
        return (
            f"{self.function}() missing {len(missing)} required {kind} argument{plural}:"
            f" {_listed(missing)}"
        )

    def misfit(self, positional: int, keywords: tuple[str, ...], loc: Loc) -> TypingError:
        """Return the error for a call that does not fit."""
        message = f"the arguments of this call do not match {self}"
        return TypingError(message, loc, self.problem(positional, keywords))

    def _too_many(self, count: int) -> str:
        defaults = self.defaults[: self.positional]
        least = sum(default is REQUIRED for default in defaults)
        wanted = (
            str(len(defaults)) if least == len(defaults) else f"from {least} to {len(defaults)}"
        )
        plural = "" if wanted == "1" else "s"
        were = "was" if count == 1 else "were"
        return (
            f"{self.function}() takes {wanted} positional argument{plural} but {count} {were} given"
        )

    def bind(self, args: Sequence[Any], missing: Any = None) -> tuple[Any, ...]:
        """Return the values of all parameters for positional arguments; those without one get
        `missing`, or their default if it is None.  Raises TypeError if the call does not fit.
        """
        places = self.places(len(args), ())
        if places is None:
            raise TypeError(self.problem(len(args), ()))
        values = []
        for k, place in enumerate(places):
            if isinstance(place, tuple):
                values.append(tuple(args[p] for p in place))
            elif place is not None:
                values.append(args[place])
            else:
                values.append(self.defaults[k] if missing is None else missing)
        return (*values, {}) if self.named else tuple(values)

    def unbind(self, values: Sequence[Any], left_out: Sequence[bool]) -> tuple[Any, ...] | None:
        """Return the positional arguments of a call that binds the parameters to these values, of
        which some are omitted; None if the call needs keywords."""
        count = self.positional
        while count and left_out[count - 1]:
            count -= 1
        rest = tuple(values[-1]) if self.star else ()
        named = left_out[self.positional : len(self.defaults)]
        if any(left_out[:count]) or not all(named) or rest and count < self.positional:
            return None
        return (*values[:count], *rest)

    def lay_out(self, call: Call) -> tuple[Place, ...] | None:
        """Return each parameter's position in the arguments of a call; None if it does not fit."""
        return self.places(call.positional, call.keywords)

    def one_by_one(self, places: Sequence[Place]) -> list[int | Omitted]:
        """Return the position in the call, or the default, of each argument of a layout, in the
        order in which parameters are written, with those of `*args` expanded."""
        single: list[int | Omitted] = []
        rest: tuple[int, ...] = ()
        for k, place in enumerate(places):
            if isinstance(place, tuple):
                rest = place
            else:
                single.append(omitted(self.defaults[k]) if place is None else place)
        return [*single[: self.positional], *rest, *single[self.positional :]]

    def argument_types(self, call: Call, loc: Loc) -> tuple[Type, ...]:
        """Return the type of each parameter for a call; that of a default is `omitted`.

        Raises TypingError if the call does not fit the parameters.
        """
        layout = self.lay_out(call)
        if layout is None:
            raise self.misfit(call.positional, call.keywords, loc)
        argtypes = call.arguments.types
        kinds: list[Type] = []
        for k, place in enumerate(layout):
            if isinstance(place, tuple):
                kinds.append(Tuple(tuple(argtypes[p] for p in place)))
            else:
                kinds.append(omitted(self.defaults[k]) if place is None else argtypes[place])
        return tuple(kinds)


def called_types(function: Any, call: Call, loc: Loc) -> tuple[Type, ...]:
    """Return the argument types for which a call in compiled code compiles a function: those of the
    call, or of the explicit signature that they convert to, where an omitted argument has the type
    of its default.

    Raises TypingError if the call does not fit the parameters, NoMatchError if it fits no signature
    and is not always inlined, AmbiguousCallError if several signatures match equally well.
    """
    plain: tuple[Type, ...] = function.parameters.argument_types(call, loc)
    if not function.declared:
        return plain
    argtypes = tuple(typeof(ty.value) if isinstance(ty, Omitted) else ty for ty in plain)
    rows = choice.candidates(argtypes, function.declared, unsafe=True)
    best = [candidate.argtypes for candidate in rows if candidate.is_best]
    if len(best) == 1:
        return best[0]
    error = choice.refusal(function.py_func.__name__, argtypes, rows, written=True)
    if isinstance(error, NoMatchError) and function.flags.inline == "always":
        return plain  # the body replaces the call, so signatures do not apply
    error.loc = loc
    raise error


def call_places(arguments: Sequence[int | Omitted]) -> tuple[int | None, ...]:
    """Return the positions of arguments in a call; None for defaults."""
    return tuple(None if isinstance(one, Omitted) else one for one in arguments)


def _listed(names: list[str]) -> str:
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def parameters_of(function: Callable[..., Any], named: bool = False) -> Parameters:
    """Return the parameters of a Python function.

    Raises UnsupportedError for `**kwargs`, unless `named` allows them.
    """
    defaults = function.__defaults__ or (), function.__kwdefaults__ or {}
    return parameters_of_code(function.__code__, *defaults, allow_named=named)


def parameters_of_code(
    code: CodeType, defaults: tuple[Any, ...], named: Mapping[str, Any], allow_named: bool = False
) -> Parameters:
    """Return the parameters of a code object with the defaults of its last positional parameters
    and of its keyword-only ones.

    Raises UnsupportedError for `**kwargs`, unless these are allowed.
    """
    if code.co_flags & inspect.CO_VARKEYWORDS and not allow_named:
        raise UnsupportedError(
            "a compiled function cannot have **kwargs",
            head_of(code),
            "name each parameter",
        )
    star = bool(code.co_flags & inspect.CO_VARARGS)
    rest = bool(code.co_flags & inspect.CO_VARKEYWORDS)
    count = code.co_argcount + code.co_kwonlyargcount
    plain: list[Any] = [REQUIRED] * (code.co_argcount - len(defaults)) + list(defaults)
    plain += [named.get(name, REQUIRED) for name in code.co_varnames[code.co_argcount : count]]
    return Parameters(
        code.co_name,
        code.co_varnames[: count + star + rest],
        tuple(plain),
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        star,
        rest,
    )
