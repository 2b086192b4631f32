"""Faults that are planted in the proofs of indices, each with a seed of `walks` that shows it.

A fault is what one might get wrong: an end that is off by one, a sign, a sum that wraps around, a
comparison that holds elsewhere, a loop that runs no time, a size that changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from cutaway.typing.analysis import comparisons, proofs
from cutaway.typing.analysis.proofs import Proofs
from cutaway.typing.analysis.sizes import Sizes

Patch = tuple[Any, str, Any]  # Any: modules, classes and what they have
FAULTS: dict[str, tuple[Patch, int]] = {}

within, low, high, all_of = Proofs.within, Proofs.low, Proofs.high, Proofs._all
compared, sides, ways_in = Proofs._compared, Proofs._sides, Proofs._ways_in
on_way, held, behind = comparisons.on_way, comparisons.held, Proofs._is_behind
low_of_operator, high_of_operator = Proofs._low_of_operator, Proofs._high_of_operator


def fault(
    name: str, owner: Any, attribute: str, seed: int
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what stands in the place of an attribute."""

    def register(wrong: Callable[..., Any]) -> Callable[..., Any]:
        FAULTS[name] = ((owner, attribute, wrong), seed)
        return wrong

    return register


@contextmanager
def planted(name: str) -> Iterator[None]:
    """Plant a fault for a while."""
    (owner, attribute, wrong), _ = FAULTS[name]
    with mock.patch.object(owner, attribute, wrong):
        yield


# --- ends ---------------------------------------------------------------------------------------


@fault("an index may be as large as the size", Proofs, "within", 0)
def too_long(self, index, size, point):
    return within(self, index, size.plus(1), point)


@fault("an index may be -1", Proofs, "low", 0)
def too_low(self, value, least, point):
    return low(self, value, least - (least == 0), point)


@fault("only the upper end counts", Proofs, "low", 0)
def no_low(self, value, least, point):
    return ()


@fault("only the lower end counts", Proofs, "high", 0)
def no_high(self, value, most, point):
    return ()


@fault("less is as good as less or equal", Proofs, "_compared", 0)
def less_by_one(self, value, point):
    for symbol, other in compared(self, value, point):
        yield {"<=": "<", ">=": ">"}.get(symbol, symbol), other


# --- comparisons --------------------------------------------------------------------------------


@fault("what is compared holds everywhere", Proofs, "_compared", 0)
def everywhere(self, value, point):
    return ((symbol, other) for _, symbol, other in self._held.get(value, ()))


@fault("what is compared holds on both ways", comparisons, "held", 0)
def both_ways(fn, makers):
    for reached, comparison in held(fn, makers):
        yield reached, comparison
        for other in comparisons.graph_of(fn).predecessors(reached):
            branch = fn.blocks[other].terminator
            yield branch.orelse if branch.then == reached else branch.then, comparison


@fault("the other way is the same", proofs, "on_way", 0)
def same_way(branch, target, makers):
    found = on_way(branch, target, makers)
    if found is None:
        return None
    return found[0], {"<": "<=", ">": ">=", "!=": "=="}.get(found[1], found[1]), found[2]


WRONG = {"<": ">", ">=": "<=", ">": "<", "<=": ">=", "==": "!=", "!=": "=="}
FAULTS["the opposite of less is greater"] = (comparisons, "OPPOSITE", WRONG), 0


@fault("sides are not mirrored", Proofs, "_sides", 0)
def not_mirrored(self, comparison):
    for value, symbol, other in sides(self, comparison):
        yield value, symbol, other
        yield other, symbol, value


@fault("different is equal", Proofs, "_compared", 0)
def different(self, value, point):
    for symbol, other in compared(self, value, point):
        yield symbol.replace("!=", "=="), other


# --- what was indexed before --------------------------------------------------------------------


@fault("an index was checked wherever it is", Proofs, "_is_behind", 0)
def always_behind(self, use, point):
    return True


@fault("an index was checked in its own op", Proofs, "_is_behind", 0)
def in_itself(self, use, point):
    return behind(self, use, point._replace(position=point.position + 1))


@fault("an index was checked on another way", Proofs, "_is_behind", 0)
def elsewhere(self, use, point):
    return use.block != point.block


# --- loops --------------------------------------------------------------------------------------


@fault("a counter counts behind its loop", Proofs, "_counts", 0)
def still_counts(self, counter, point):
    return True


@fault("only what comes first into a phi counts", Proofs, "_ways_in", 0)
def first_way(self, phi, point, least=None, most=None):
    return list(ways_in(self, phi, point, least, most))[:1]


@fault("only what comes last into a phi counts", Proofs, "_ways_in", 0)
def last_way(self, phi, point, least=None, most=None):
    return list(ways_in(self, phi, point, least, most))[-1:]


@fault("each sum stays what it is in a loop", Proofs, "_is_fixed", 0)
def always_fixed(self, most, phi):
    return True


@fault("a variable of a loop is known before it", Sizes, "available", 0)
def always_available(self, base, loop):
    return self.place(base) is None and self.block_of(base) in loop.body


@fault("a value is above each block", Proofs, "_is_above", 0)
def always_above(self, base, block):
    return True


# --- arithmetic ---------------------------------------------------------------------------------


@fault("sums never wrap around at the upper end", Proofs, "_room", 0)
def always_room(self, base, offset, point):
    return ()


@fault("differences never wrap around", Proofs, "_stays", 0)
def always_stays(self, value, point):
    return ()


@fault("one of two conditions is enough", Proofs, "_all", 0)
def any_of(self, parts):
    return next((part for part in parts if part is not None), None)


@fault("a remainder is not negative", Proofs, "_low_of_operator", 0)
def any_remainder(self, symbol, left, right, least, point):
    if symbol == "%" and least <= 0:
        return iter([()])
    return low_of_operator(self, symbol, left, right, least, point)


@fault("a mask is not negative", Proofs, "_low_of_operator", 0)
def any_mask(self, symbol, left, right, least, point):
    if symbol == "&" and least <= 0:
        return iter([()])
    return low_of_operator(self, symbol, left, right, least, point)


@fault("a difference is not negative", Proofs, "_low_of_operator", 0)
def any_difference(self, symbol, left, right, least, point):
    if symbol == "-" and least <= 0:
        return iter([self._all([self.low(left, 0, point), self.low(right, 0, point)])])
    return low_of_operator(self, symbol, left, right, least, point)


@fault("a half is at most the whole, of negative numbers too", Proofs, "_high_of_operator", 0)
def any_half(self, symbol, left, right, most, point):
    if symbol == "//":
        return iter([self.high(left, most, point)])
    return high_of_operator(self, symbol, left, right, most, point)


@fault("a remainder is less than any divisor", Proofs, "_high_of_operator", 0)
def any_divisor(self, symbol, left, right, most, point):
    if symbol == "%":
        return iter([self.high(right, most.plus(1), point)])
    return high_of_operator(self, symbol, left, right, most, point)


@fault("the middle is below the larger number", Proofs, "_high_of_middle", 0)
def any_middle(self, left, right, most, point):
    yield self.high(right, most.plus(1), point)
    yield self.high(left, most.plus(1), point)


@fault("the smaller of two is as large as each", Proofs, "_chooses", 0)
def never_chooses(self, call):
    return False


@fault("an array is longer than it is", Sizes, "size", 0)
def longer(self, array, axis, block=None):
    return self._linear(self.of(array, block)[axis]).plus(1)
