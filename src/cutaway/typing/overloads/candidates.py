"""Explains a call site: each candidate that was tried, and why it was not chosen (SPEC C4).

It asks the same questions as inference, one overload at a time.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from cutaway.errors import AmbiguousCallError, CompileError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc, is_ours
from cutaway.typing import types
from cutaway.typing.overloads import choice
from cutaway.typing.overloads.context import TypingContext
from cutaway.typing.overloads.parameters import Parameters, parameters_of
from cutaway.typing.overloads.resolution import (
    REQUIRED,
    Arguments,
    Call,
    Overload,
    Resolution,
    Signature,
    lay_out,
)
from cutaway.typing.types import Type
from cutaway.typing.types.conversions import Conversion, conversion


@dataclass(frozen=True, slots=True)
class Tried:
    """One candidate: its text, the conversion of each argument, and the reason of its rejection.

    `kinds` are empty if the arguments were not compared one by one: they do not fit the
    parameters, or a rule decides on all of them together.  `reason` is empty for the chosen one.
    """

    signature: str
    kinds: tuple[Conversion, ...] = ()
    reason: str = ""

    @property
    def is_chosen(self) -> bool:
        """True for the candidate that is called."""
        return not self.reason

    def __str__(self) -> str:
        ranks = f" [{', '.join(kind.name.lower() for kind in self.kinds)}]" if self.kinds else ""
        return f"{self.signature}{ranks}: {self.reason or 'chosen'}"


def tried(
    context: TypingContext, function: Any, call: Call, chosen: Resolution | None = None
) -> list[Tried]:
    """Return all candidates for a call of a library function, in the order of resolution, which
    depends on the order in which modules were loaded; sorted if none is chosen.

    `chosen` is the resolution by inference; without one the call is resolved here.
    """
    ambiguous = False
    try:
        chosen = chosen or context.resolve(function, call)
    except AmbiguousCallError:
        ambiguous = True
    except CompileError:  # a rule refuses the call with its own error
        pass
    rows: list[Tried] = []
    for overload in context.candidates(function):
        rows += _tried_of(overload, call, chosen, ambiguous)
    return rows if chosen is not None or ambiguous else sorted(rows, key=str)


def tried_of_callee(parameters: Parameters, call: Call, returns: Type | None) -> Tried:
    """Return the only candidate for the call of a compiled function, which accepts all types."""
    problem = parameters.problem(call.positional, call.keywords)
    if problem:
        return Tried(str(parameters), (), problem)
    if returns is None:
        return Tried(str(parameters), (), "it does not compile for these argument types")
    return Tried(f"{returns} {parameters}")


def _tried_of(
    overload: Overload, call: Call, chosen: Resolution | None, ambiguous: bool
) -> list[Tried]:
    if overload.template is not None:
        candidate = _of_typer(overload, call, chosen)
        # Typers of extensions are about their own types, and irrelevant for other calls.
        is_asked_for = candidate.is_chosen or is_ours(_typer_of(overload))
        return [candidate] if is_asked_for else []
    if overload.elements is not None and (chosen is None or chosen.overload is not overload):
        # Overloads for arrays are loaded only for programs that have some, so they are not listed.
        if not any(isinstance(ty, types.Array) for ty in call.arguments.types):
            return []
    others = any(map(types.has_other_elements, call.arguments.types))
    laid_out = lay_out(overload, call)
    reason = ""
    if others and not overload.any_elements:
        reason = "it accepts only arrays of numbers"
    elif laid_out is None:
        reason = misfit(overload, call)
    rows: list[Tried] = []
    if overload.rule is not None:
        arguments = None if reason else laid_out
        rows.append(_of_rule(overload, arguments and arguments[0], chosen, reason))
    for signature in overload.signatures:
        if reason or laid_out is None:
            rows.append(Tried(str(signature), (), reason))
        else:
            argtypes = laid_out[0].types
            rows.append(_of_signature(overload, signature, argtypes, chosen, ambiguous))
    return rows


def _of_rule(
    overload: Overload, arguments: Arguments | None, chosen: Resolution | None, reason: str
) -> Tried:
    """Return the candidate of an overload whose rule considers all arguments at once."""
    written = f"{rule_name(overload)}({_written(overload)})"
    if arguments is None:
        return Tried(written, (), reason)
    try:
        assert overload.rule is not None
        signature = overload.rule(arguments)
    except CompileError as error:
        return Tried(written, (), f"its rule raises: {error.message}")
    if signature is None:
        return Tried(written, (), "its rule does not accept these types")
    wanted = signature.args
    kinds = tuple(map(conversion, arguments.types, wanted))
    if chosen is not None and chosen.overload is overload:
        return Tried(f"{written} as ({_types(wanted)})", kinds)
    return Tried(f"{written} as ({_types(wanted)})", kinds, "matches too, but has lower priority")


def _of_typer(overload: Overload, call: Call, chosen: Resolution | None) -> Tried:
    """Return the candidate of an overload whose typer gets the call unchanged."""
    assert overload.template is not None
    written, problem = _written_typer(overload, call)
    if chosen is not None and chosen.overload.template is overload.template:
        return Tried(written)
    if problem:
        return Tried(written, (), problem)
    try:
        taken = overload.template(call)
    except CompileError as error:
        return Tried(written, (), f"its typer raises: {error.message}")
    if taken is not None and chosen is not None:
        return Tried(written, (), "matches too, but has lower priority")
    refusal = getattr(overload.template, "refusal", None)
    said = "" if refusal is None else refusal(call)
    return Tried(written, (), said or "its typer does not accept these types")


def _written_typer(overload: Overload, call: Call) -> tuple[str, str]:
    """Return the text of a candidate with a typer, and why a call does not fit its parameters."""
    typer = _typer_of(overload)
    name = getattr(typer, "__name__", "typer").strip("_")
    if overload.parameters is not None:
        problem = "" if lay_out(overload, call) is not None else misfit(overload, call)
        return f"{name}({_written(overload)})", problem
    if not isinstance(typer, FunctionType):
        return f"{name}(...)", ""
    parameters = parameters_of(typer)
    problem = parameters.problem(call.positional, call.keywords)
    return f"{name}({', '.join(parameters.written())})", problem


def _typer_of(overload: Overload) -> Any:
    return getattr(overload.template, "typer", overload.template)


def rule_name(overload: Overload) -> str:
    """Return the name of an overload with a rule for messages: that of the function that lowers it,
    or of the rule."""
    made = overload.lower or overload.rule
    name = getattr(made, "__name__", "rule").strip("_")
    return name if name.isidentifier() else "rule"


def _types(given: tuple[Type, ...]) -> str:
    return types.shortened(", ".join(map(str, given)))


def _of_signature(
    overload: Overload,
    signature: Signature,
    given: tuple[Type, ...],
    chosen: Resolution | None,
    ambiguous: bool,
) -> Tried:
    (candidate,) = choice.candidates(given, [signature.args], unsafe=True)
    reason = candidate.reason
    if not reason and ambiguous:
        reason = f"ambiguous, another one matches equally well: {candidate.cost()}"
    elif not reason and chosen is None:
        reason = "a rule rejects the call"
    elif not reason and (chosen.overload is not overload or chosen.signature != signature):
        reason = f"matches, but less closely: {candidate.cost()}"
    return Tried(str(signature), candidate.kinds, reason)


def misfit(overload: Overload, call: Call) -> str:
    """Return the reason why a call does not fit an overload's parameters."""
    count, keywords = len(call.arguments), call.keywords
    if overload.parameters is None:
        known = [name for name, _ in overload.named]
        strange = [repr(word) for word in keywords if word not in known]
        return f"it has no parameter {', '.join(strange)}"
    strange = [repr(word) for word in keywords if word not in overload.parameters]
    if strange:
        return f"it has no parameter {', '.join(strange)}"
    if count > len(overload.parameters):
        return f"it takes at most {len(overload.parameters)} arguments, not {count}"
    positional = overload.parameters[: call.positional]
    twice = [repr(word) for word in keywords if word in positional]
    if twice:
        return f"{', '.join(twice)} is passed twice"
    given = {*positional, *keywords}
    pairs = zip(overload.parameters, overload.defaults, strict=True)
    missing = [name for name, default in pairs if default is REQUIRED and name not in given]
    return f"{', '.join(map(repr, missing))} is missing"


def _written(overload: Overload) -> str:
    if overload.parameters is None:
        return ", ".join(["...", *(f"{name}={value!r}" for name, value in overload.named)])
    pairs = zip(overload.parameters, overload.defaults, strict=True)
    shown = (name if value is REQUIRED else f"{name}={_default(value)}" for name, value in pairs)
    return types.shortened(", ".join(shown))


def _default(value: Any) -> str:
    return types.describe(value)


@dataclass(frozen=True, slots=True)
class Site:
    """One call site: its source and location, the function and argument types, the result type, and
    the candidates.  `returns` is None if no candidate fits."""

    source: str
    loc: Loc
    function: str
    given: tuple[Type, ...]
    returns: Type | None
    candidates: tuple[Tried, ...]

    def __str__(self) -> str:
        given = types.shortened(", ".join(map(str, self.given)))
        gives = "matches no overload" if self.returns is None else f"returns {self.returns}"
        return f"`{self.source}`: {self.function}({given}) {gives}"
