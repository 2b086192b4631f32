"""Overload resolution: signatures, overloads, and the choice among those of one function (SPEC C4).

An overload has signatures, or a rule that computes one from the arguments, or a template, which
selects an implementation in Python.  Rules and templates are tried first, in order; signatures are
ranked by their worst conversions, with equal weight for every argument.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

from cutaway.errors import AmbiguousCallError, CutawayError, TypingError
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.ir.constants import MISSING
from cutaway.ir.traversal import by_place_and_name
from cutaway.typing.overloads import choice
from cutaway.typing.types import (
    Literal,
    Signature,
    Type,
    float16,
    float64,
    has_other_elements,
    is_integral,
    omitted,
    undefined,
)
from cutaway.typing.types.conversions import Conversion, conversion

T = TypeVar("T")
U = TypeVar("U")


REQUIRED = object()  # in `Overload.defaults`: the parameter has no default


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call for a typing rule: types, and the values of constants."""

    types: tuple[Type, ...]
    constants: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.types)


Rule = Callable[[Arguments], Signature | None]


@dataclass(frozen=True, slots=True)
class ElementWise:
    """An element-wise operation: the `function` of a `nodes.Element`, and the positions of its
    operands among the arguments."""

    function: str
    operands: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reducing:
    """A reduction of the elements of the first argument: the `function` of a `nodes.ArrayReduce`,
    `var` or `std`, the axis, and whether the axis remains with length one."""

    function: str
    axis: int | None
    keepdims: bool


@dataclass(frozen=True, slots=True)
class Overload:
    """One way to call a function.

    One of `rule`, `signatures` and `template` is set.
    `parameters` and `defaults` name the arguments, for calls by keyword; without them only
    positional arguments are accepted.  `lower` belongs to the lowering; typing only carries it.
    `template` gets the call unchanged, and lays out the arguments by itself: it returns the
    function to compile, or the types to convert the arguments to.
    With `any_elements` it also accepts arrays whose elements are not numbers.
    With `gives_new_reference` the result of `lower` owns its memory in every use: so it is with all
    code of extensions.  With `shares` the result of a call is an argument or a part of one, and not
    a new reference.
    `elements` returns its element-wise operation for a signature, or None; `loop` the name of
    NumPy's own loop for many elements, or an empty text.  `reducing` is its reduction of an array,
    if a template has recognized one.
    """

    rule: Rule | None
    signatures: tuple[Signature, ...]
    lower: Callable[..., Any] | None
    parameters: tuple[str, ...] | None = None
    defaults: tuple[Any, ...] = ()
    named: tuple[tuple[str, Any], ...] = ()  # keyword-only arguments and their defaults
    any_elements: bool = False
    gives_new_reference: bool = False
    shares: bool = False
    template: Callable[[Call], FunctionType | Typed | None] | None = None
    elements: Callable[[Signature], ElementWise | None] | None = None
    loop: Callable[[Signature, bool], str] | None = None
    reducing: Reducing | None = None


@dataclass(frozen=True, slots=True)
class Typed:
    """A template's answer that is lowered: a signature, its layout (as in Resolution), the
    lowering, unless the overload has it, and the reduction of an array, if it is one."""

    signature: Signature
    layout: tuple[int | None, ...]
    lower: Callable[..., Any] | None = None
    reducing: Reducing | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """The overload chosen for a call, the signature to convert to, and the layout of arguments:
    for each argument of the signature the position in the call, or None for a default.

    If `implementation` is set it is compiled for the signature's arguments, and its return type is
    not known here (`signature.returns` is undefined).
    """

    overload: Overload
    signature: Signature
    layout: tuple[int | None, ...]
    implementation: FunctionType | None = None
    keywords: tuple[str, ...] = ()
    constants: tuple[Any, ...] = ()
    literal: frozenset[int] = frozenset()  # see Call
    facts: tuple[Any, ...] = ()  # see Call

    @property
    def call(self) -> Call:
        """The call of the implementation."""
        constants = self.constants or (MISSING,) * len(self.signature.args)
        arguments = Arguments(self.signature.args, constants)
        return Call(arguments, self.keywords, self.literal, self.facts)


@dataclass(frozen=True, slots=True)
class Call:
    """A call to resolve: positional and keyword arguments, with constants and facts.

    `literal` are the positions of arguments whose values an implementation in Python requires.
    `facts` are known values of arguments that are not constants, or empty: they decide branches of
    the function that is compiled for the call, and do not affect resolution.
    """

    arguments: Arguments
    keywords: tuple[str, ...] = ()
    literal: frozenset[int] = frozenset()
    facts: tuple[Any, ...] = ()

    def fact(self, place: int) -> Any:
        """Return the known value of an argument, a constant or a fact; else MISSING."""
        value = self.arguments.constants[place]
        return self.facts[place] if value is MISSING and self.facts else value

    @property
    def all_facts(self) -> tuple[Any, ...]:
        """The known values of all arguments, MISSING for others; empty if none is known."""
        facts = tuple(map(self.fact, range(len(self.arguments))))
        return () if all(value is MISSING for value in facts) else facts

    @property
    def positional(self) -> int:
        """The number of arguments that are passed by position."""
        return len(self.arguments) - len(self.keywords)

    @property
    def split_types(self) -> tuple[tuple[Type, ...], dict[str, Type]]:
        """The types of the arguments passed by position, and of those passed by name."""
        return by_place_and_name(self.arguments.types, self.keywords)


def lay_out(overload: Overload, call: Call) -> tuple[Arguments, tuple[int | None, ...]] | None:
    """Return a call's arguments in the overload's order; None if they do not fit its parameters."""
    count = len(call.arguments)
    positional = call.positional
    if overload.parameters is None:
        return _with_named(overload, call, positional)
    if count > len(overload.parameters) or not set(call.keywords) <= set(overload.parameters):
        return None
    places = dict(zip(overload.parameters, range(positional), strict=False))
    for offset, name in enumerate(call.keywords):
        if name in places:
            return None
        places[name] = positional + offset
    return _with_defaults(overload, call.arguments, places)


def _with_named(
    overload: Overload, call: Call, positional: int
) -> tuple[Arguments, tuple[int | None, ...]] | None:
    """Lay out any number of positional arguments, then the keyword-only ones."""
    places = dict(zip(call.keywords, range(positional, len(call.arguments)), strict=True))
    if not set(places) <= {name for name, _ in overload.named}:
        return None
    types = list(call.arguments.types[:positional])
    constants = list(call.arguments.constants[:positional])
    for name, default in overload.named:
        place = places.get(name)
        types.append(omitted(default) if place is None else call.arguments.types[place])
        constants.append(default if place is None else call.arguments.constants[place])
    layout = (*range(positional), *(places.get(name) for name, _ in overload.named))
    return Arguments(tuple(types), tuple(constants)), layout


def _with_defaults(
    overload: Overload, given: Arguments, places: dict[str, int]
) -> tuple[Arguments, tuple[int | None, ...]] | None:
    assert overload.parameters is not None
    types: list[Type] = []
    constants: list[Any] = []
    for name, default in zip(overload.parameters, overload.defaults, strict=True):
        place = places.get(name)
        if place is None and default is REQUIRED:
            return None
        types.append(omitted(default) if place is None else given.types[place])
        constants.append(default if place is None else given.constants[place])
    layout = tuple(places.get(name) for name in overload.parameters)
    return Arguments(tuple(types), tuple(constants)), layout


def resolve(overloads: list[Overload], call: Call) -> Resolution | None:
    """Return the best overload for a call, None if none accepts it.

    Raises AmbiguousCallError if two concrete signatures match equally well, and the error of a
    template if no other overload matches.
    """
    if any(map(has_other_elements, call.arguments.types)):
        overloads = [overload for overload in overloads if overload.any_elements]
    fitting: Fitting = []
    refused: TypingError | None = None
    for overload in overloads:
        if overload.template is not None:
            try:
                chosen = _asked(overload.template, call)
                if chosen is not None:
                    return _of_template(overload, call, chosen)
            except TypingError as error:
                refused = refused or error
            continue
        laid_out = lay_out(overload, call)
        if laid_out is None:
            continue
        fitting.append((overload, laid_out))
        arguments, layout = laid_out
        if overload.rule is not None:
            signature = _asked(overload.rule, arguments)
            if signature is not None:
                return Resolution(overload, signature, layout)
    best = _best_concrete(fitting)
    if best is None and refused is not None:
        raise refused
    return best


def _asked(ask: Callable[[T], U], given: T) -> U:
    """Call a rule or a template: the only place where they are called.

    Raises TypingError for any exception that is not a CutawayError, such as NumPy's own refusal of
    a value that the user wrote.
    """
    try:
        return ask(given)
    except CutawayError:
        raise
    except Exception as error:
        said = f": {error}" if str(error) else ""
        raise TypingError(
            f"the arguments of this call are refused with {type(error).__name__}{said}"
        ) from error


def _of_template(overload: Overload, call: Call, found: FunctionType | Typed) -> Resolution:
    """Return the resolution of a template's answer: a function gets the call unchanged.

    Raises TypingError if an argument does not convert to the template's type.
    """
    if isinstance(found, Typed):
        _check_conversions(found, call)
        if found.lower is not None:
            overload = replace(overload, lower=found.lower, reducing=found.reducing)
        return Resolution(overload, found.signature, found.layout)
    converted = getattr(overload.template, "argument_types", None)
    signature = Signature(undefined, call.arguments.types if converted is None else converted(call))
    layout = tuple(range(len(call.arguments)))
    constants = tuple(
        value if position in call.literal or type(value) in (bool, int) else MISSING
        for position, value in enumerate(call.arguments.constants)
    )
    return Resolution(overload, signature, layout, found, call.keywords, constants, call.literal)


def _check_conversions(found: Typed, call: Call) -> None:
    argtypes = call.arguments.types
    for target, k in zip(found.signature.args, found.layout, strict=True):
        if k is None or isinstance(target, Literal):  # a literal's value needs no conversion
            continue
        if conversion(argtypes[k], target) is Conversion.NONE:
            raise TypingError(f"argument {k + 1}: {argtypes[k]} does not convert to {target}")


Fitting = list[tuple[Overload, tuple[Arguments, tuple[int | None, ...]]]]


def _best_concrete(fitting: Fitting) -> Resolution | None:
    winners = _winners(fitting)
    if not winners:
        return None
    if len(winners) > 1:
        # A bool, a small integer or a float16 fits floats of every size: prefer Python's float64.
        as_floats = [
            (overload, (Arguments(_as_floats(arguments.types), arguments.constants), layout))
            for overload, (arguments, layout) in fitting
        ]
        winners = [one for one in _winners(as_floats) if one in winners] or winners
    if len(winners) > 1:
        names = tuple(f"candidate: {winner.signature}" for winner in winners)
        raise AmbiguousCallError(
            "this call is ambiguous: several overloads match equally well", notes=names
        )
    return winners[0]


def _winners(fitting: Fitting) -> list[Resolution]:
    """Return the concrete signatures with the lowest cost."""
    ranked = []
    for overload, (arguments, layout) in fitting:
        for signature in overload.signatures:
            rank = choice.rank(arguments.types, signature.args)
            if rank is not None:
                ranked.append((rank, Resolution(overload, signature, layout)))
    best = min((rank for rank, _ in ranked), default=None)
    return [resolution for rank, resolution in ranked if rank == best]


def _as_floats(given: tuple[Type, ...]) -> tuple[Type, ...]:
    return tuple(float64 if is_integral(ty) or ty is float16 else ty for ty in given)
