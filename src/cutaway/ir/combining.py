"""The operators of a parfor that depend on the order of its iterations.

    first_least         the part's value if it is less: of equal ones the first stays
    last_least.2        the part's if it is less or equal, and the part's number 2 is true
    first_greatest, last_greatest       likewise for greater ones
    with.0              the part's value if that of number 0 is taken
    given.1             the part's value if the part's number 1 is true

Numbers are indices of carried variables.  A part is one iteration, or several consecutive ones; the
results of parts are combined in the order of the loop.
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
    """An operator that takes the part's value, or keeps the current one.

    It takes if the comparison of the two holds, if there is one, if the part's variable number
    `flag` is true, and if that of number `key` is taken.
    """

    compared: Operator | None = None
    flag: int | None = None
    key: int | None = None


def choice_of(name: str) -> Choice | None:
    """Decode an operator that depends on the order; None for others."""
    stem, _, number = name.partition(".")
    index = int(number) if number else None
    if stem in COMPARED:
        return Choice(COMPARED[stem], flag=index)
    if stem == WITH:
        return Choice(key=index)
    return Choice(flag=index) if stem == GIVEN else None


def is_compared(name: str) -> bool:
    """True for an operator that compares the part's value with the current one: a part starts with
    the loop's initial value, so that one without assignments is not taken."""
    choice = choice_of(name)
    return choice is not None and choice.compared is not None


def ordered_places(operators: Sequence[str]) -> set[int]:
    """Return the indices of variables with an ordered operator, and of those they refer to."""
    indices: set[int] = set()
    for k, name in enumerate(operators):
        choice = choice_of(name)
        if choice is not None:
            indices |= {k, *(p for p in (choice.flag, choice.key) if p is not None)}
    return indices


def takes(
    operators: Sequence[str],
    place: int,
    compare: Callable[[Operator, int], Any],
    flag: Callable[[int], Any],
    both: Callable[[Any, Any], Any] = operator.and_,
) -> Any:
    """Return whether a part's value is taken: a bool, or whatever the functions make of it."""
    choice = choice_of(operators[place])
    assert choice is not None
    if choice.key is not None:
        return takes(operators, choice.key, compare, flag, both)
    answers = [] if choice.compared is None else [compare(choice.compared, place)]
    answers += [] if choice.flag is None else [flag(choice.flag)]
    return answers[0] if len(answers) == 1 else both(*answers)
