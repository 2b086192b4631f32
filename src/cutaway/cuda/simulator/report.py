"""The findings of a simulated launch, for users."""

from __future__ import annotations

from typing import Any

from cutaway.cuda.simulator import drawing
from cutaway.foundation.dataclass import dataclass, field
from cutaway.foundation.source import Loc, short_file, source_line
from cutaway.inspection.showing.displayed import Displayed

Sides = tuple[int, int, int]
MOST_SHOWN = 10
_VERBS = {"r": "reads", "w": "writes", "a": "updates, atomically,"}


def shown_index(index: Sides) -> str:
    """Format the index of a thread or a block with as few dimensions as possible."""
    x, y, z = index
    return str(index) if z else str((x, y)) if y else str(x)


@dataclass(frozen=True, slots=True)
class Access:
    """An access of a thread: `kind` is "r", "w" or "a", `name` the array's name in the line."""

    kind: str
    loc: Loc
    name: str
    thread: Sides
    block: Sides

    @property
    def verb(self) -> str:
        """The verb for the access."""
        return _VERBS[self.kind]

    @property
    def lines(self) -> tuple[str, ...]:
        """The access as lines of text."""
        who = f"thread {shown_index(self.thread)} of block {shown_index(self.block)}"
        text = source_line(self.loc.filename, self.loc.line).strip()
        head = f"{who} {self.verb} it in line {self.loc.line}"
        head += f" of {short_file(self.loc.filename)}"
        return (f"    {head}", *([f"        {text}"] if text else []))


@dataclass(slots=True)
class Race:
    """Two unordered accesses of one element, of which one writes.

    `element` is the first one in the user's words, `memory` "global" or "shared", `count` the
    number of such pairs of accesses at these two lines.
    """

    element: str
    memory: str
    accesses: tuple[Access, Access]
    count: int = 1

    @property
    def first(self) -> Access:
        """The access that was simulated first."""
        return self.accesses[0]

    @property
    def hint(self) -> str:
        """The suggested correction."""
        one, other = self.accesses
        if one.block != other.block:
            return (
                "threads of different blocks wait for each other in no other way than by the end "
                "of the kernel: launch a second one, or use cuda.atomic"
            )
        if "a" in (one.kind, other.kind):
            return "use an atomic operation in both places, or cuda.syncthreads() between them"
        if one.kind == other.kind == "w" and one.loc == other.loc:
            return "let each thread write an element of its own, or use cuda.atomic"
        return "let the threads wait for each other in between: cuda.syncthreads()"

    @property
    def lines(self) -> tuple[str, ...]:
        """The race as lines of text, without the hint."""
        times = f", {self.count} times" if self.count > 1 else ""
        head = f"race for `{self.element}` in {self.memory} memory{times}"
        return (head, *self.accesses[0].lines, *self.accesses[1].lines)

    def __str__(self) -> str:
        return "\n".join((*self.lines, f"    hint: {self.hint}"))


@dataclass(frozen=True, slots=True)
class Remark:
    """A costly access pattern: `average` and `worst` are the ways of a bank conflict, or the
    sectors of a request, of which `least` would suffice."""

    kind: str
    loc: Loc
    name: str
    average: float
    least: float
    worst: int

    @property
    def what(self) -> str:
        """The remark without the array and the line."""
        if self.kind == "bank conflict":
            return f"{self.average:.3g}-way bank conflict"
        return f"uncoalesced: {self.average:.3g} sectors a request, {self.least:.3g} would do"

    @property
    def lines(self) -> tuple[str, ...]:
        """The remark as lines of text."""
        text = source_line(self.loc.filename, self.loc.line).strip()
        head = f"{self.what}: `{self.name}` in line {self.loc.line}"
        return (head, *([f"        {text}"] if text else []))

    def __str__(self) -> str:
        return "\n".join(self.lines)


@dataclass(eq=False)
class SimulationReport(Displayed):
    """The counts and findings of a simulated launch; true if there are races."""

    kernel: str
    grid: Sides
    block: Sides
    blocks: int = 0
    threads: int = 0
    barriers: int = 0
    accesses: int = 0
    races: tuple[Race, ...] = ()
    remarks: tuple[Remark, ...] = field(default=())

    def __bool__(self) -> bool:
        return bool(self.races)

    def __rich__(self) -> Any:
        return drawing.drawn(self)

    @property
    def shown_races(self) -> tuple[Race, ...]:
        """The first races."""
        return self.races[:MOST_SHOWN]

    @property
    def more_races(self) -> str:
        """The number of further races, as a line; empty for none."""
        count = len(self.races) - MOST_SHOWN
        return f"and {count} more races" if count > 0 else ""

    @property
    def headline(self) -> str:
        """The counts in one line."""
        found = f"{len(self.races)} race{'s' * (len(self.races) != 1)}" if self.races else "no race"
        return (
            f"{self.kernel}: {self.blocks} block{'s' * (self.blocks != 1)}, {self.threads} threads,"
            f" {self.barriers} barriers, {self.accesses} accesses; {found}"
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """The report as lines of text."""
        lines = [self.headline]
        for group in (self.races, self.remarks):
            for one in group[:MOST_SHOWN]:
                lines += ["", *one.lines]
            if len(group) > MOST_SHOWN:
                lines += ["", f"and {len(group) - MOST_SHOWN} more"]
        return tuple(lines)

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def __repr__(self) -> str:
        return f"<SimulationReport: {self.headline}>"
