"""Faults that are planted in the proofs of indices, each with a seed of `walks` that shows it.

A fault is what one might get wrong: an end that is off by one, a sign, a sum that wraps around, a
comparison that holds elsewhere, a loop that runs no time, a size that changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np

from cutaway.typing.analysis import comparisons, proofs
from cutaway.typing.analysis.proofs import Proofs
from cutaway.typing.analysis.sizes import Sizes
from fuzz import walks
from fuzz.batches import FINDING, SAME, Verdict

Patch = tuple[Any, str, Any]  # Any: modules, classes and what they have
# A seed of `walks`, or the lines of a program, the sizes of its arrays, and its two numbers.
Shown = int | tuple[str, int, int, int, int]
FAULTS: dict[str, tuple[Patch, Shown]] = {}

BOTH_WAYS = """
if n >= 0:
    if n < len(a):
        out[1] = 1
    else:
        out[0] = a[n]"""
OPPOSITE = """
if n < 0:
    raise ValueError
if n <= len(a):
    out[0] = a[n - 1]"""
DIFFERENT = """
c = np.zeros(5, np.int64)
if n != 3:
    out[0] = c[n]"""
ELSEWHERE = """
if n >= 0:
    if m > 3:
        out[0] = a[n]
    out[1] = a[n]"""
ROOM = """
if n >= 0:
    t = n + 1
    if t < len(a):
        out[0] = a[t]"""
REMAINDER = """
t = n % m
if t < len(a):
    out[0] = a[t]"""
MASK = REMAINDER.replace("%", "&")
DIFFERENCE = """
if n >= 0 and m >= 0:
    t = n - m
    if t < len(a):
        out[0] = a[t]"""
QUOTIENT = """
if n < len(a):
    t = n // -2
    if t >= 0:
        out[0] = a[t]"""
DIVISOR = """
if m <= len(a):
    t = n % m
    if t >= 0:
        out[0] = a[t]"""

within, low, high, all_of = Proofs.within, Proofs.low, Proofs.high, Proofs._all
compared, sides, ways_in = Proofs._compared, Proofs._sides, Proofs._ways_in
held, behind = comparisons.held, Proofs._is_behind
low_of_operator, high_of_operator = Proofs._low_of_operator, Proofs._high_of_operator


def fault(
    name: str, owner: Any, attribute: str, shown: Shown
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what stands in the place of an attribute."""

    def register(wrong: Callable[..., Any]) -> Callable[..., Any]:
        FAULTS[name] = ((owner, attribute, wrong), shown)
        return wrong

    return register


@contextmanager
def planted(name: str) -> Iterator[None]:
    """Plant a fault for a while."""
    (owner, attribute, wrong), _ = FAULTS[name]
    with mock.patch.object(owner, attribute, wrong):
        yield


def looked_for(number: int) -> Verdict:
    """Whether the fault of a number is found: a verdict `same` if it is."""
    name = list(FAULTS)[number]
    _, shown = FAULTS[name]
    with planted(name):
        found = walks.check(shown) if isinstance(shown, int) else program_compared(*shown)
    return Verdict(SAME if found.kind == FINDING else FINDING, name)


def program_compared(lines: str, first: int, second: int, n: int, m: int) -> Verdict:
    """Compare the calls of a program of these lines."""
    source = "def program(a, b, u, out, n, m):" + lines.replace("\n", "\n    ") + "\n"
    a, b = (np.arange(10, 10 + size) for size in (first, second))
    given = (a, b, np.zeros(1, np.uint8), np.zeros(2, np.int64), n, m)
    return walks.compared(source, "<fault>", [given])


# --- ends ---------------------------------------------------------------------------------------


@fault("an index may be as large as the size", Proofs, "within", 49)
def too_long(self, index, size, point):
    return within(self, index, size.plus(1), point)


@fault("an index may be -1", Proofs, "low", 2)
def too_low(self, value, least, point):
    return low(self, value, least - (least == 0), point)


@fault("only the upper end counts", Proofs, "low", 2)
def no_low(self, value, least, point):
    return ()


@fault("only the lower end counts", Proofs, "high", 4)
def no_high(self, value, most, point):
    return ()


@fault("less is as good as less or equal", Proofs, "_compared", 15)
def less_by_one(self, value, point):
    for symbol, other in compared(self, value, point):
        yield {"<=": "<", ">=": ">"}.get(symbol, symbol), other


# --- comparisons --------------------------------------------------------------------------------


@fault("what is compared holds everywhere", Proofs, "_compared", 31)
def everywhere(self, value, point):
    return ((symbol, other) for _, symbol, other in self._held.get(value, ()))


@fault("what is compared holds on both ways", proofs, "held", (BOTH_WAYS, 3, 3, 9, 0))
def both_ways(fn, makers):
    for reached, comparison in held(fn, makers):
        yield reached, comparison
        for other in comparisons.graph_of(fn).predecessors(reached):
            branch = fn.blocks[other].terminator
            yield branch.orelse if branch.then == reached else branch.then, comparison


WRONG = {"<": ">", ">=": "<=", ">": "<", "<=": ">=", "==": "!=", "!=": "=="}
FAULTS["the opposite of less is greater"] = (comparisons, "OPPOSITE", WRONG), (OPPOSITE, 5, 5, 0, 0)


@fault("sides are not mirrored", Proofs, "_sides", 4)
def not_mirrored(self, comparison):
    for value, symbol, other in sides(self, comparison):
        yield value, symbol, other
        yield other, symbol, value


@fault("different is equal", Proofs, "_compared", (DIFFERENT, 3, 3, 9, 0))
def different(self, value, point):
    for symbol, other in compared(self, value, point):
        yield symbol.replace("!=", "=="), other


# --- what was indexed before --------------------------------------------------------------------


@fault("an index was checked wherever it is", Proofs, "_is_behind", 11)
def always_behind(self, use, point):
    return True


@fault("an index was checked in its own op", Proofs, "_is_behind", 11)
def in_itself(self, use, point):
    return behind(self, use, point._replace(position=point.position + 1))


@fault("an index was checked on another way", Proofs, "_is_behind", (ELSEWHERE, 3, 3, 9, 0))
def elsewhere(self, use, point):
    return use.block != point.block


# --- loops --------------------------------------------------------------------------------------


@fault("only what comes first into a phi counts", Proofs, "_ways_in", 22)
def first_way(self, phi, point, least=None, most=None):
    return list(ways_in(self, phi, point, least, most))[:1]


@fault("only what comes last into a phi counts", Proofs, "_ways_in", 2)
def last_way(self, phi, point, least=None, most=None):
    return list(ways_in(self, phi, point, least, most))[-1:]


# --- arithmetic ---------------------------------------------------------------------------------


@fault("sums never wrap around at the upper end", Proofs, "_room", (ROOM, 3, 3, 2**63 - 1, 0))
def always_room(self, base, offset, point):
    return ()


@fault("one of two conditions is enough", Proofs, "_all", 4)
def any_of(self, parts):
    return next((part for part in parts if part is not None), None)


@fault("a remainder is not negative", Proofs, "_low_of_operator", (REMAINDER, 5, 5, 3, -5))
def any_remainder(self, symbol, left, right, least, point):
    if symbol == "%" and least <= 0:
        return iter([()])
    return low_of_operator(self, symbol, left, right, least, point)


@fault(
    "a mask is not negative",
    Proofs,
    "_low_of_operator",
    (MASK, 5, 5, -2, -2),
)
def any_mask(self, symbol, left, right, least, point):
    if symbol == "&" and least <= 0:
        return iter([()])
    return low_of_operator(self, symbol, left, right, least, point)


@fault("a difference is not negative", Proofs, "_low_of_operator", (DIFFERENCE, 5, 5, 1, 3))
def any_difference(self, symbol, left, right, least, point):
    if symbol == "-" and least <= 0:
        return iter([self._all([self.low(left, 0, point), self.low(right, 0, point)])])
    return low_of_operator(self, symbol, left, right, least, point)


@fault(
    "a quotient is at most the dividend",
    Proofs,
    "_high_of_operator",
    (QUOTIENT, 3, 3, -40, 0),
)
def any_half(self, symbol, left, right, most, point):
    if symbol == "//":
        return iter([self.high(left, most, point)])
    return high_of_operator(self, symbol, left, right, most, point)


@fault("a remainder is less than any divisor", Proofs, "_high_of_operator", (DIVISOR, 0, 0, 5, -5))
def any_divisor(self, symbol, left, right, most, point):
    if symbol == "%":
        return iter([self.high(right, most.plus(1), point)])
    return high_of_operator(self, symbol, left, right, most, point)


@fault("the middle is below the larger number", Proofs, "_high_of_middle", 41)
def any_middle(self, left, right, most, point):
    yield self.high(right, most.plus(1), point)
    yield self.high(left, most.plus(1), point)


@fault("an array is longer than it is", Sizes, "size", 49)
def longer(self, array, axis, block=None):
    return self._linear(self.of(array, block)[axis]).plus(1)
