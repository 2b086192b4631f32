"""Made-up nests of loops over ranges, with indices that are sums of their counters.

Each is compiled with the pass that leaves bounds checks out, and without: both must do the same,
for usual sizes and for numbers at the ends of an int64.  In `batches`, since a check that was
wrongly left out may end the process.
"""

from __future__ import annotations

from random import Random

import numpy as np

import cutaway
from cutaway import pipelines
from fuzz.arrays import function_of
from fuzz.batches import FINDING, SAME, Verdict

CALLS = 12
MOST_STEPS = 3000
SMALL = (0, 1, 2, 3, 4, 5, 6, 7, 9, -1, -3)
FAR = (2**63 - 1, -(2**63), 2**63 - 3, -(2**63) + 2, 2**62, -(2**62), 2**48 + 1, 2**31)
SIZES = ("n", "m", "len(a)", "b.shape[0]", "b.shape[1]")
UNCHECKED = pipelines.nopython.without("bounds_checks")


class RangeWriter:
    """Writes the program of a seed, and makes arguments for it."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"ranges {seed}")
        self.counters: list[str] = []

    def written(self) -> str:
        """The source: what is read is added up in `out`, so that nothing leaves the loops."""
        lines = ["def program(a, b, out, n, m):"]
        self._loop(lines, "    ", self.random.choice((1, 2, 2, 3)))
        if self.random.random() < 0.3:
            self.counters.clear()
            self._loop(lines, "    ", 1)
        return "\n".join([*lines, "    return out", ""])

    def _loop(self, lines: list[str], indent: str, depth: int) -> None:
        name = "ijkx"[len(self.counters)]
        lines.append(f"{indent}for {name} in range({self._range()}):")
        self.counters.append(name)
        indent += "    "
        if self.random.random() < 0.6 or depth == 1:
            self._access(lines, indent)
        if depth > 1:
            self._loop(lines, indent, depth - 1)
        lines.append(f"{indent}out[1] += 1")
        lines.append(f"{indent}if out[1] > {MOST_STEPS}:")
        lines.append(f"{indent}    raise ValueError")

    def _range(self) -> str:
        random = self.random
        step = random.choice((1, 1, 1, 1, 2, -1, -1, -2, 3))
        if step == 1 and random.random() < 0.4:
            return self._bound()
        ends = self._bound(), self._bound()
        return ", ".join((*ends, *([str(step)] if step != 1 else [])))

    def _bound(self) -> str:
        random = self.random
        base = random.choice((*SIZES, *self.counters * 2, str(random.randint(-2, 5))))
        match random.randrange(8):
            case 0 | 1:
                return f"{base} {random.choice('+-')} {random.randint(1, 4)}"
            case 2:
                return f"{random.randint(-2, 3)} * {base}"
            case 3:
                return f"{base} {random.choice('+-')} {random.choice(SIZES)}"
        return base

    def _index(self) -> str:
        random = self.random
        terms = [random.choice(self.counters)]
        for _ in range(random.choice((0, 0, 1, 1, 2))):
            terms.append(random.choice((*self.counters, *SIZES, "1", "2", "3", "-1")))
        words = terms[0] if random.random() < 0.85 else f"{random.randint(-2, 3)} * {terms[0]}"
        for term in terms[1:]:
            words += f" {random.choice('++-')} {term}"
        match random.randrange(10):
            case 0:
                return f"({words}) % {random.choice(SIZES)}"
            case 1:
                return f"({words}) & {random.choice((1, 3, 7))}"
            case 2:
                return f"({words}) % {random.randint(1, 6)}"
        return words

    def _access(self, lines: list[str], indent: str) -> None:
        place = f"a[{self._index()}]"
        if self.random.random() < 0.4:
            place = f"b[{self._index()}, {self._index()}]"
        if self.random.random() < 0.3:
            lines.append(f"{indent}{place} = out[0]")
        lines.append(f"{indent}out[0] = 3 * out[0] + {place}")

    def arguments(self) -> tuple[object, ...]:
        """Arrays and numbers, mostly such that some indices are in range."""
        random = self.random
        sizes = [random.choice((0, 1, 3, 4, 5, 6, 7)) for _ in range(3)]
        if random.random() < 0.4:
            sizes = sizes[:1] * 3
        a = np.arange(1, sizes[0] + 1)
        b = np.arange(sizes[1] * sizes[2]).reshape(sizes[1], sizes[2])
        numbers = [self._number(sizes) for _ in range(2)]
        return a, b, np.zeros(2, np.int64), *numbers

    def _number(self, sizes: list[int]) -> int:
        random = self.random
        return random.choice(sizes) if random.random() < 0.5 else random.choice((*SMALL, *FAR))


def check(seed: int) -> Verdict:
    """Compare the two compiled functions of a seed."""
    writer = RangeWriter(seed)
    source = writer.written()
    function = function_of(source, f"<ranges {seed}>")
    fast, safe = cutaway.jit(function), cutaway.jit(function, pipeline=UNCHECKED)
    for _ in range(CALLS):
        given = writer.arguments()
        one, other = outcome(fast, given), outcome(safe, given)
        if one != other:
            words = f"{given}\n    with the pass:    {one}\n    without the pass: {other}"
            return Verdict(FINDING, words, source)
    return Verdict(SAME, source=source, calls=CALLS)


def outcome(function: object, given: tuple[object, ...]) -> str:
    """What a call leaves in copies of the arrays, and how it ends."""
    args = [one.copy() if isinstance(one, np.ndarray) else one for one in given]
    ending = "returned"
    try:
        function(*args)  # type: ignore[operator]
    except (IndexError, ValueError, ZeroDivisionError, AssertionError) as error:
        ending = repr(error)
    return f"{ending}: {[one.tolist() for one in args if isinstance(one, np.ndarray)]}"
