"""The five conversion kinds between types, and the union of two types (SPEC B5, C1, C4).

exact < promotion (same kind, lossless) < safe (other kind, reasonable) < unsafe (lossy) < none.
This is the order of preference in overload resolution.

The rules are rows of tables by pairs of classes; the file of a type adds its own.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import cache
from typing import Any, TypeVar

from cutaway.typing.types.base import Literal, Type

Classes = type[Type] | tuple[type[Type], ...]
Rule = Callable[..., Any]
R = TypeVar("R", bound=Rule)


class Conversion(IntEnum):
    """The kind of conversion from one type to another."""

    EXACT = 0
    PROMOTION = 1
    SAFE = 2
    UNSAFE = 3
    NONE = 4

    exact = EXACT  # the names in extensions
    promote = PROMOTION
    safe = SAFE
    unsafe = UNSAFE


class RuleOrder(IntEnum):
    """The order among several rules that fit a pair: after FIRST and SECOND, rules for two classes
    precede rules for one class and any other, which follow in this order."""

    FIRST = 0
    SECOND = 1
    PAIR = 2
    FUNCTIONS = 3
    OPTIONAL = 4
    OMITTED = 5
    UNDEFINED = 6
    NUMBERS = 7


class Pairs:
    """Rules by pairs of classes of types.

    A rule returns an answer, or None to defer to the next rule.
    """

    def __init__(self) -> None:
        self._rows: list[tuple[Classes, Classes, RuleOrder, Rule]] = []
        self._known: dict[tuple[type, type], tuple[Rule, ...]] = {}

    def add(
        self, first: Classes, second: Classes, turn: RuleOrder = RuleOrder.PAIR
    ) -> Callable[[R], R]:
        """Register a rule for types of these classes and their subclasses."""

        def register(rule: R) -> R:
            self._rows.append((first, second, turn, rule))
            # Extensions add rules after some were applied.
            self._known.clear()
            return rule

        return register

    def add_both(self, first: Classes, second: Classes, turn: RuleOrder = RuleOrder.PAIR) -> Any:
        """Register a rule for both orders of the classes."""

        def register(rule: R) -> R:
            self.add(first, second, turn)(rule)
            self.add(second, first, turn)(lambda one, other: rule(other, one))
            return rule

        return register

    def rules(self, first: type, second: type) -> tuple[Rule, ...]:
        """Return the rules that fit two classes, in the order of application."""
        rules = self._known.get((first, second))
        if rules is None:
            rows = [
                (turn, _distance(first, one) + _distance(second, other), rule)
                for one, other, turn, rule in self._rows
                if issubclass(first, one) and issubclass(second, other)
            ]
            rules = tuple(rule for _, _, rule in sorted(rows, key=lambda row: row[:2]))
            self._known[first, second] = rules
        return rules

    def ask(self, first: Type, second: Type, *more: Any) -> Any:
        """Return the first rule's answer for two types; None if there is none."""
        for rule in self.rules(type(first), type(second)):
            answer = rule(first, second, *more)
            if answer is not None:
                return answer
        return None


def _distance(cls: type, wanted: Classes) -> int:
    """Return the distance of a class from the nearest of the bases."""
    bases = wanted if isinstance(wanted, tuple) else (wanted,)
    return next(place for place, base in enumerate(cls.__mro__) if base in bases)


# (source, wanted) -> a Conversion; and (first, second) -> the type above both.
CONVERSIONS, UNIONS = Pairs(), Pairs()


@cache
def conversion(source: Type, wanted: Type) -> Conversion:
    """Return the kind of the conversion from `source` to `wanted`."""
    if source is wanted:
        return Conversion.EXACT
    if isinstance(wanted, Literal):
        return Conversion.NONE
    kind: Conversion | None = CONVERSIONS.ask(source, wanted)
    return _of_extensions(source, wanted) if kind is None else kind


def _of_extensions(source: Type, wanted: Type) -> Conversion:
    """Return the conversion that types of extensions define, from them or to them."""
    answer = None
    if type(source).by_key:
        answer = source.can_convert_to(None, wanted)
    if answer is None and type(wanted).by_key:
        answer = wanted.can_convert_from(None, source)
    return Conversion.NONE if answer is None else Conversion(answer)


def promoted(fits: bool) -> Conversion:
    """Return PROMOTION if a value fits, else NONE."""
    return Conversion.PROMOTION if fits else Conversion.NONE


@cache
def unify(first: Type, second: Type) -> Type | None:
    """Return the least type that can hold values of both; None if there is none.

    It is commutative, associative, idempotent, and never below either type, so that inference,
    which only replaces types by such unions, terminates.
    """
    if first is second:
        return first
    union: Type | None = UNIONS.ask(first, second)
    if union is None and (type(first).by_key or type(second).by_key):
        return _unify_extensions(first, second)
    return union


def _unify_extensions(first: Type, second: Type) -> Type | None:
    """Return the union that types of extensions define, or the one that the other converts to."""
    for own, other in ((first, second), (second, first)):
        union = own.unify(None, other) if type(own).by_key else None
        if union is not None:
            return union
    for own, other in ((first, second), (second, first)):
        if conversion(own, other) <= Conversion.SAFE:
            return other
    return None


def unify_all(items: tuple[Type, ...]) -> Type | None:
    """Return the union of some types; None if there is none, undefined for no types."""
    common: Type | None = NO_VALUE[0]
    for item in items:
        common = None if common is None else unify(common, item)
    return common


# The type of a variable that has no value yet: absent.py, which imports this file, adds it.
NO_VALUE: list[Type] = []
