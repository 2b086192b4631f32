"""Made-up programs that walk over arrays: `while` loops, stacks, halves, what was compared before.

Each is compiled with the pass that leaves bounds checks out, and without: both must do the same,
raise the same, and leave the same in their arrays.  The programs have what indices are computed
of (sums, halves, remainders, masks, the smaller of two), comparisons in all positions, loops that
are left and gone on with, arrays of sizes that are related, and arrays under a name that a loop
gives to another one.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import numpy as np

import cutaway
from fuzz.arrays import function_of
from fuzz.batches import FINDING, SAME, Verdict
from fuzz.ranges import FAR, SMALL, UNCHECKED, outcome

CALLS = 14
MOST_STEPS = 300
NAMES = "ijkt"
ARRAYS = "abc"
MADE = (
    "np.zeros(len(a), np.int64)",
    "np.zeros(len(b) + 1, np.int64)",
    "np.zeros_like(a)",
    "a.copy()",
    "b.copy()",
    "a[1:]",
    "b[:-1]",
    "np.zeros(n & 7, np.int64)",
    "a",
)
FIRST = (
    "assert len(a) <= len(b)",
    "assert len(a) == len(b)",
    "if len(a) != len(b):\n        raise ValueError",
    "if len(c) < len(a):\n        raise ValueError",
    "if n > len(a):\n        raise ValueError",
    "if n < 0 or m < 1:\n        raise ValueError",
)


class WalkWriter:
    """Writes the program of a seed, and makes arguments for it."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"walks {seed}")
        self.lines: list[str] = []
        self.loops = 0

    def written(self) -> str:
        """The source."""
        random = self.random
        self.lines = ["def program(a, b, u, out, n, m):", f"    c = {random.choice(MADE)}"]
        if random.random() < 0.3:
            self.lines.append(f"    {random.choice(FIRST)}")
        for name in NAMES:
            self.lines.append(
                f"    {name} = {random.choice(('0', '0', '1', '-1', self._number()))}"
            )
        self._block("    ", 3)
        return "\n".join([*self.lines, "    return out", ""])

    # --- statements -------------------------------------------------------------------------------

    def _block(self, indent: str, depth: int) -> None:
        for _ in range(self.random.choice((1, 2, 2, 3))):
            self._statement(indent, depth)

    def _statement(self, indent: str, depth: int) -> None:
        random = self.random
        kind = random.randrange(12)
        if kind < 3:
            self._access(indent)
        elif kind < 5 or depth == 0:
            self._probe(indent)
        elif kind < 7:
            self._assignment(indent)
        elif kind < 9:
            self.lines.append(f"{indent}if {self._condition()}:")
            self._block(indent + "    ", depth - 1)
            if random.random() < 0.4:
                self.lines.append(f"{indent}else:")
                self._block(indent + "    ", depth - 1)
        else:
            self._loop(indent, depth)

    def _probe(self, indent: str) -> None:
        """An index of which one end is compared: the other one follows from what it is computed
        of, or not."""
        random, name, array = self.random, self.random.choice(NAMES), self.random.choice(ARRAYS)
        self.lines.append(f"{indent}{name} = {self._value()}")
        ends = (f"{name} < len({array})", f"{name} >= 0", f"{name} != 0", f"0 < {name}")
        self.lines.append(f"{indent}if {random.choice(ends)}:")
        moved = random.choice((name, name, f"{name} - 1", f"{name} + 1"))
        self.lines.append(f"{indent}    out[0] = (3 * out[0] + {array}[{moved}]) & 1048575")

    def _assignment(self, indent: str) -> None:
        random, name = self.random, self.random.choice(NAMES)
        match random.randrange(9):
            case 0 | 1 | 2:
                line = f"{name} {random.choice(('+=', '+=', '-='))} {random.choice((1, 1, 1, 2))}"
            case 3:
                line = f"{name} = {random.choice(ARRAYS)}[{self._sum()}]"
            case 4:
                line = f"{name} = u[{self._sum()}]"
            case 5 if random.random() < 0.3:
                line = f"{random.choice('ac')} = {random.choice(('b', 'a', 'c', 'c[1:]'))}"
            case _:
                line = f"{name} = {self._value()}"
        self.lines.append(f"{indent}{line}")

    def _loop(self, indent: str, depth: int) -> None:
        random, name = self.random, self.random.choice(NAMES)
        self.loops += 1
        if random.random() < 0.3:
            bounds = random.choice(
                ("{s}", "{v}, {s}", "{s} - 1, -1, -1", "{v}, {s}, 2", "{v}, {v}", "a[{v}], a[{v}]")
            )
            bounds = bounds.format(s=self._size(), v=self._sum())
            self.lines.append(f"{indent}for {name} in range({bounds}):")
        else:
            self.lines.append(f"{indent}while {self._condition()}:")
        indent += "    "
        self.lines.append(f"{indent}out[1] += 1")
        self.lines.append(f"{indent}if out[1] > {MOST_STEPS}:")
        self.lines.append(f"{indent}    raise ValueError")
        self._block(indent, depth - 1)
        if random.random() < 0.25:
            self.lines.append(f"{indent}if {self._condition()}:")
            self.lines.append(f"{indent}    {random.choice(('break', 'continue'))}")
        self._assignment(indent)

    def _access(self, indent: str) -> None:
        random, array = self.random, self.random.choice(ARRAYS)
        place = f"{array}[{self._index()}]"
        if random.random() < 0.4:
            self.lines.append(f"{indent}{place} = {random.choice(('out[0] & 7', *NAMES))}")
        else:
            self.lines.append(f"{indent}out[0] = (3 * out[0] + {place}) & 1048575")

    # --- expressions ------------------------------------------------------------------------------

    def _size(self) -> str:
        return self.random.choice(("len(a)", "len(b)", "len(c)", "n", "m"))

    def _number(self) -> str:
        return self.random.choice(("n", "m", "len(a)", "len(a) - 1", "len(b)", "len(c)", "2", "3"))

    def _sum(self) -> str:
        random, name = self.random, self.random.choice(NAMES)
        if random.random() < 0.6:
            return name
        return f"{name} {random.choice('+-')} {random.choice((1, 1, 2))}"

    def _index(self) -> str:
        return self._value() if self.random.random() < 0.2 else self._sum()

    def _value(self) -> str:
        random = self.random
        x, y = random.choice(NAMES), random.choice((*NAMES, self._number()))
        return random.choice(
            (
                self._sum(),
                self._number(),
                f"({x} + {y}) // 2",
                f"({x} + {y}) >> 1",
                f"{x} + ({y} - {x}) // 2",
                f"{x} // {random.choice((2, 3))}",
                f"{x} % {random.choice((self._number(), '3'))}",
                f"{x} & {random.choice((1, 7, y))}",
                f"min({x}, {y})",
                f"max({x}, {y})",
                f"max({x} - 1, 0)",
                f"2 * {x} + {random.choice((1, 2))}",
                f"{x} - {y}",
                f"{x} + {y}",
                f"{y} - 1 - {x}",
                f"-{x}",
            )
        )

    def _condition(self) -> str:
        random, x = self.random, self._sum()
        sign, size = random.choice(("<", "<", "<=", ">", ">=", "!=", "==")), self._size()
        return random.choice(
            (
                f"{x} < {size}",
                f"0 <= {x} < {size}",
                f"{x} >= 0 and {x} < {size}",
                f"{x} >= 0",
                f"{x} > 0 and {random.choice(ARRAYS)}[{self._sum()}] > {random.randrange(5)}",
                f"{x} >= 0 and {random.choice(ARRAYS)}[{x}] != {self._sum()}",
                f"{x} {sign} {random.choice((*NAMES, '0', size))}",
                f"not ({x} < 0 or {x} >= {size})",
                f"{x} < 0 or {x} >= {size}",
                f"{x} < {random.choice(NAMES)}",
                f"{x} <= {random.choice(NAMES)} and {self._sum()} < {size}",
            )
        )

    # --- arguments --------------------------------------------------------------------------------

    def arguments(self) -> tuple[object, ...]:
        """Arrays and numbers, mostly such that some indices are in range."""
        random = self.random
        sizes = [random.choice((0, 1, 2, 3, 5, 7)) for _ in range(3)]
        if random.random() < 0.5:
            sizes = sizes[:1] * 3
        a, b = (
            np.array([random.choice((k, k, 0, -1, size)) for k in range(size)], np.int64)
            for size in sizes[:2]
        )
        u = np.array([random.choice((0, 1, 2, 200)) for _ in range(sizes[2])], np.uint8)
        numbers = [self._argument(sizes) for _ in range(2)]
        return a, b, u, np.zeros(2, np.int64), *numbers

    def _argument(self, sizes: list[int]) -> int:
        random = self.random
        return random.choice(sizes) if random.random() < 0.6 else random.choice((*SMALL, *FAR))


def check(seed: int) -> Verdict:
    """Compare the two compiled functions of a seed."""
    writer = WalkWriter(seed)
    given = (writer.arguments() for _ in range(CALLS))
    return compared(writer.written(), f"<walks {seed}>", given)


def compared(source: str, name: str, arguments: Iterable[tuple[object, ...]]) -> Verdict:
    """Compare calls of a program that is compiled with the pass, and without."""
    function = function_of(source, name)
    fast, safe = cutaway.jit(function), cutaway.jit(function, pipeline=UNCHECKED)
    for given in arguments:
        one, other = outcome(fast, given), outcome(safe, given)
        if one != other:
            words = f"{given}\n    with the pass:    {one}\n    without the pass: {other}"
            return Verdict(FINDING, words, source)
    return Verdict(SAME, source=source, calls=CALLS)
