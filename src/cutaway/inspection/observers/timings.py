"""The times of passes as a tree: nested compilations and LLVM's passes stand below their pass.

own ms     total  share
           9.120         outer(int64)
 0.031     0.031   0.3%  ├─ decode_bytecode
 0.240     3.120   2.6%  ├─ infer_types
           2.880         │  └─ inner(int64)
 0.025     0.025   0.3%  │     ├─ decode_bytecode
                         ...
 0.420     2.410   4.6%  └─ optimize_llvm
 1.100     1.100  12.1%     ├─ InstCombinePass
 0.300     0.300   3.3%     └─ 14 others
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.showing.displayed import Displayed
from cutaway.targets.cpu.engine import PassTime

if TYPE_CHECKING:
    from cutaway.inspection.recording.recording import PassRecord, Recording

SMALL = 0.04  # share of LLVM's time below which a pass is one of the others
SMALL_NESTED = 0.005  # share of the whole time, likewise for passes of nested compilations
MOST = 8  # of LLVM's passes, that are shown


@dataclass(frozen=True, slots=True)
class Timing:
    """One row, of a `kind`: a "function", a "pass" of it, or an "llvm" pass within that.

    `depth` counts the compilations around it. `own_seconds` excludes the rows below; for a function
    it is the time between its passes.
    """

    function: str
    depth: int
    name: str
    stage: str
    seconds: float
    own_seconds: float
    kind: str = "pass"

    @property
    def title(self) -> str:
        """The title of the row in the tree."""
        return self.function if self.kind == "function" else self.name

    @property
    def level(self) -> int:
        """The depth of the row in the tree."""
        return 2 * self.depth + ("function", "pass", "llvm").index(self.kind)


@dataclass(frozen=True, eq=False)
class Timings(Displayed):
    """A table of times. `own_seconds` add up to the whole; `seconds` include nested rows."""

    rows: tuple[Timing, ...]

    @property
    def total(self) -> float:
        """The time of all passes together."""
        return sum(row.own_seconds for row in self.rows)

    def __iter__(self) -> Iterator[Timing]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def folded(self) -> Timings:
        """Fold the small passes of each nested compilation into one row, for display."""
        small = SMALL_NESTED * self.total
        rows: list[Timing] = []
        folds: dict[int, list[Timing]] = {}
        for row in self.rows:
            while folds and max(folds) >= row.depth + (row.kind != "function"):
                rows += _as_one(folds.pop(max(folds)))
            whole = row.kind == "pass" and row.seconds == row.own_seconds
            if row.depth and whole and row.seconds < small:
                folds.setdefault(row.depth, []).append(row)
            else:
                rows.append(row)
        for depth in sorted(folds, reverse=True):
            rows += _as_one(folds[depth])
        return Timings(tuple(rows))

    def tree(self) -> Iterator[tuple[str, Timing]]:
        """Yield each row with the tree lines drawn before it."""
        for position, row in enumerate(self.rows):
            lines = ["├─ " if self._goes_on(position, row.level) else "└─ "] if row.level else []
            for level in range(row.level - 1, 0, -1):
                lines.append("│  " if self._goes_on(position, level) else "   ")
            yield "".join(reversed(lines)), row

    def _goes_on(self, position: int, level: int) -> bool:
        """True if a later row is at this level, with none above it in between."""
        following = next((r.level for r in self.rows[position + 1 :] if r.level <= level), -1)
        return following == level

    def __str__(self) -> str:
        total = self.total or 1.0
        lines = [f"{'own ms':>9} {'total':>9} {'share':>6}"]
        for branch, row in self.folded().tree():
            own, share = f"{row.own_seconds * 1e3:.3f}", f"{row.own_seconds / total:.1%}"
            if row.kind == "function" and not row.own_seconds:
                own = share = ""
            numbers = f"{own:>9} {row.seconds * 1e3:9.3f} {share:>6}"
            lines.append(f"{numbers}  {branch}{row.title}")
        return "\n".join([*lines, f"{self.total * 1e3:9.3f} ms total"])


def _as_one(rows: list[Timing]) -> list[Timing]:
    if len(rows) < 2:
        return rows
    seconds = sum(row.seconds for row in rows)
    first, name = rows[0], f"{len(rows)} others"
    return [Timing(first.function, first.depth, name, "", seconds, seconds)]


def timings_of(compilation: Recording) -> Timings:
    """Return the times of a compilation and its nested ones."""
    return Timings(tuple(_rows(compilation, 0)))


def _rows(compilation: Recording, depth: int) -> Iterator[Timing]:
    function = compilation.signature
    passes = sum(record.seconds for record in compilation.passes)
    whole = max(passes, compilation.seconds) if depth else passes
    yield Timing(function, depth, "", "", whole, whole - passes, "function")
    for record in compilation.passes:
        below = _llvm_rows(record, function, depth)
        own = max(0.0, record.own_seconds - sum(row.own_seconds for row in below))
        yield Timing(function, depth, record.name, record.stage, record.seconds, own)
        for inner in record.nested:
            yield from _rows(inner, depth + 1)
        yield from below


def _llvm_rows(record: PassRecord, function: str, depth: int) -> list[Timing]:
    """Return the rows of LLVM's passes, the slowest first; the small ones are one row."""
    times = record.llvm_passes
    whole = sum(row.seconds for row in times)
    if not whole:
        return []
    # LLVM's clock differs from ours: scale its sum down to the time of the pass.
    scale = min(1.0, record.own_seconds / whole)
    shown = [row for row in times[:MOST] if row.seconds >= SMALL * whole]
    rest = times[len(shown) :]
    if rest:
        others = sum(row.seconds for row in rest)
        shown.append(PassTime(f"{len(rest)} others", others))
    return [
        Timing(function, depth, row.name, record.stage, *(row.seconds * scale,) * 2, "llvm")
        for row in shown
    ]
