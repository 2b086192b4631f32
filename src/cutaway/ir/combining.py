"""What the operators of a parfor mean that depend on the order of its iterations.

    first_least         the part's value where it is less: of equal ones the first stays
    last_least.2        the part's where it is less or equal, and the part's number 2 is true
    first_greatest, last_greatest       the same for greater ones
    with.0              the part's value where that of number 0 is taken
    given.1             the part's value where the part's number 1 is true

Numbers are places among what is carried.  A part is one iteration, or some that follow each other;
what parts give is combined in the order of the loop.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.ir.operators import BINARY, Operator

WITH, GIVEN = "with", "given"
COMPARED = {
    **{"first_least": BINARY["<"], "last_least": BINARY["<="]},
    **{"first_greatest": BINARY[">"], "last_greatest": BINARY[">="]},
}


@dataclass(frozen=True, slots=True)
class Choice:
    """An operator that takes what a part has, or leaves what is there.

    It takes where the comparison of both holds, if there is one, where the part's variable number
    `flag` is true, and where that of number `key` is taken.
    """

    compared: Operator | None = None
    flag: int | None = None
    key: int | None = None


def choice_of(name: str) -> Choice | None:
    """The meaning of an operator that depends on the order; None for others."""
    stem, _, number = name.partition(".")
    place = int(number) if number else None
    if stem in COMPARED:
        return Choice(COMPARED[stem], flag=place)
    if stem == WITH:
        return Choice(key=place)
    return Choice(flag=place) if stem == GIVEN else None


def is_compared(name: str) -> bool:
    """True for an operator that compares what a part has with what is there: a part begins with
    what the loop begins with, so that one that has assigned nothing is not taken."""
    choice = choice_of(name)
    return choice is not None and choice.compared is not None


def ordered_places(operators: Sequence[str]) -> set[int]:
    """The places of variables that depend on the order, and of those that they ask."""
    places: set[int] = set()
    for k, name in enumerate(operators):
        choice = choice_of(name)
        if choice is not None:
            places |= {k, *(p for p in (choice.flag, choice.key) if p is not None)}
    return places


def takes(
    operators: Sequence[str],
    place: int,
    compare: Callable[[Operator, int], Any],
    flag: Callable[[int], Any],
    both: Callable[[Any, Any], Any] = operator.and_,
) -> Any:
    """Whether what a part has is taken: as a value, or as whatever the functions make of it."""
    choice = choice_of(operators[place])
    assert choice is not None
    if choice.key is not None:
        return takes(operators, choice.key, compare, flag, both)
    answers = [] if choice.compared is None else [compare(choice.compared, place)]
    answers += [] if choice.flag is None else [flag(choice.flag)]
    return answers[0] if len(answers) == 1 else both(*answers)
