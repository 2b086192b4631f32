"""Signatures, overloads, and the choice among the overloads of one function (SPEC C4).

An overload has signatures, or a rule that computes one from the arguments, or a template, which
chooses an implementation in Python.  Rules and templates are asked first, in order; signatures are
ranked by their worst conversions, every argument counting alike.
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
    """The arguments of a call as a typing rule sees them: types, and the values of constants."""

    types: tuple[Type, ...]
    constants: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.types)


Rule = Callable[[Arguments], Signature | None]


@dataclass(frozen=True, slots=True)
class ElementWise:
    """An operation that does the same with each element: the `function` of a `nodes.Element`, and
    the places of its operands among the arguments."""

    function: str
    operands: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reducing:
    """A reduction of the elements of the first argument: the `function` of a `nodes.ArrayReduce`,
    `var` or `std`, the axis, and whether it stays with length one."""

    function: str
    axis: int | None
    keepdims: bool


@dataclass(frozen=True, slots=True)
class Overload:
    """One way to call a function.

    One of `rule`, `signatures` and `template` is set.
    `parameters` and `defaults` name the arguments, for calls by keyword; without them only
    positional arguments are taken.  `lower` belongs to the lowering; typing only carries it.
    `template` is asked with a call as it stands, and lays out the arguments by itself: it gives the
    function to compile, or what to convert the arguments to.
    `any_elements` says that it also takes arrays whose elements are no numbers.
    `gives_new_reference` says that what `lower` gives owns its memory, wherever it is used: so it
    is with all code of extensions.  `shares` says the opposite of a call: its result is what it was
    given, or a part of that, and has no reference of its own.
    `elements` says what it does with each element, where it is element-wise for a signature; `loop`
    names NumPy's own loop that does it for many elements, empty where there is none.  `reducing`
    says how it reduces an array, where a template has found that it does.
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
    lowering, unless the overload has it, and how it reduces an array, if it does."""

    signature: Signature
    layout: tuple[int | None, ...]
    lower: Callable[..., Any] | None = None
    reducing: Reducing | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """The overload chosen for a call, the signature to convert to, and how it lays out arguments:
    for each argument of the signature the position in the call, or None for a default.

    Where `implementation` is set it is compiled for the signature's arguments, and what it
    returns is not known here (`signature.returns` is undefined).
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
    """A call to resolve: positional and keyword arguments with what is known of them.

    `literal` are the places of arguments whose values an implementation in Python has asked for.
    `facts` are the values of arguments that are known besides, or empty: they decide branches of
    what is compiled for the call, and nothing is resolved by them.
    """

    arguments: Arguments
    keywords: tuple[str, ...] = ()
    literal: frozenset[int] = frozenset()
    facts: tuple[Any, ...] = ()

    def fact(self, place: int) -> Any:
        """The value of an argument as far as it is known; MISSING where it is not."""
        value = self.arguments.constants[place]
        return self.facts[place] if value is MISSING and self.facts else value

    @property
    def all_facts(self) -> tuple[Any, ...]:
        """The values of all arguments as far as they are known; empty where none is."""
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
    """The call's arguments in the overload's order; None where they do not fit its names."""
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
    """Any number of positional arguments, then the keyword-only ones."""
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
    """The best overload for the call, None where none fits.

    Raises AmbiguousCallError where two concrete signatures fit equally well, and what a template
    raised where nothing else fits.
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
        found = lay_out(overload, call)
        if found is None:
            continue
        fitting.append((overload, found))
        arguments, layout = found
        if overload.rule is not None:
            signature = _asked(overload.rule, arguments)
            if signature is not None:
                return Resolution(overload, signature, layout)
    best = _best_concrete(fitting)
    if best is None and refused is not None:
        raise refused
    return best


def _asked(ask: Callable[[T], U], given: T) -> U:
    """Ask a rule or a template about a call: the one place where they are called.

    Raises TypingError for whatever they raise that is not an error of ours, such as NumPy's own
    refusal of a value that the user wrote.
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
    """The resolution that a template chose: a function takes the call as it is.

    Raises TypingError where an argument does not convert to what the template says.
    """
    if isinstance(found, Typed):
        _check_conversions(found, call)
        if found.lower is not None:
            overload = replace(overload, lower=found.lower, reducing=found.reducing)
        return Resolution(overload, found.signature, found.layout)
    converted = getattr(overload.template, "argument_types", None)
    signature = Signature(undefined, call.arguments.types if converted is None else converted(call))
    layout = tuple(range(len(call.arguments)))
    known = enumerate(call.arguments.constants)
    constants = tuple(
        value if place in call.literal or type(value) in (bool, int) else MISSING
        for place, value in known
    )
    return Resolution(overload, signature, layout, found, call.keywords, constants, call.literal)


def _check_conversions(found: Typed, call: Call) -> None:
    given = call.arguments.types
    for wanted, place in zip(found.signature.args, found.layout, strict=True):
        if place is None or isinstance(wanted, Literal):  # whose value is known, and needs none
            continue
        if conversion(given[place], wanted) is Conversion.NONE:
            raise TypingError(f"argument {place + 1}: {given[place]} does not convert to {wanted}")


Fitting = list[tuple[Overload, tuple[Arguments, tuple[int | None, ...]]]]


def _best_concrete(fitting: Fitting) -> Resolution | None:
    winners = _winners(fitting)
    if not winners:
        return None
    if (
        len(winners) > 1
    ):  # a bool, a small integer or a float16 fits floats of each size: Python's is meant
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
    """The concrete signatures that cost least."""
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
