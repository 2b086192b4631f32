"""The result of a race check, for users."""

from __future__ import annotations

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc, short_file, source_line

MOST_SHOWN = 10

# Advice for each kind of conflict.
_HINTS = {
    "update": "change a variable, as s += x, or let each iteration change an element of its own",
    "write-write": "let each iteration write elements of its own",
    "read-write": "read from a copy that is made before the loop, or write to another array",
    "container": "store in an array, at a place of its own in each iteration",
    "same value": "nothing is lost as long as all store the same",
}
_REMAINING = 'or write range in the place of prange; parallel={"races": "allowed"} says it is meant'


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two iterations of a parallel loop that touch the same element, one of them writing.

    `kind` is "update" (each reads the element and stores a value computed from it), "write-write",
    "read-write", "container" (a list, dict or set that they change) or "same value" (they store the
    value that it has). `element` is the first one in the user's words, `count` the number of
    conflicts, with this element and others. The rest are pairs, for one iteration and the other:
    the values of the loop's variables, whether it writes, and its location. `loop` is the location
    of the loop.
    """

    kind: str
    name: str
    element: str
    count: int
    iterations: tuple[tuple[int, ...], tuple[int, ...]]
    writes: tuple[bool, bool]
    locs: tuple[Loc, Loc]
    variables: tuple[str, ...]
    loop: Loc

    @property
    def hint(self) -> str:
        """Advice on what to write instead."""
        text = _HINTS[self.kind]
        return text if self.kind == "same value" else f"{text}; {_REMAINING}"

    @property
    def lines(self) -> tuple[str, ...]:
        """The conflict as lines of text, without the hint."""
        times = f", {self.count} times" if self.count > 1 else ""
        found = [f"{self.kind}: `{self.element}`{times}, of the loop in line {self.loop.line}"]
        rows = zip(self.iterations, self.writes, self.locs, strict=True)
        for values, writes, loc in rows:
            named = zip(self.variables, values, strict=True)
            at = ", ".join(f"{name} = {value}" for name, value in named)
            verb = _verb(self.kind, writes)
            text = source_line(loc.filename, loc.line).strip()
            file = "" if loc.filename == self.loop.filename else f" of {short_file(loc.filename)}"
            found.append(f"    {at} {verb} it in line {loc.line}{file}")
            found += [f"        {text}"] if text else []
        return tuple(found)

    def __str__(self) -> str:
        return "\n".join((*self.lines, f"    hint: {self.hint}"))


def _verb(kind: str, writes: bool) -> str:
    if kind == "update":
        return "changes"
    if kind == "container":
        return "changes" if writes else "looks at"
    return "stores" if writes else "reads"


@dataclass(frozen=True, slots=True)
class RaceReport:
    """The conflicts between iterations of a program's parallel loops, for certain arguments.

    It is true if there are `conflicts`: then the result depends on the timing of threads.
    `same_values` are elements in which several iterations store the value that they have, which is
    harmless. `unchecked` lists omitted checks: if it and `conflicts` are empty, there are
    none for these arguments. `loops` counts the checked runs of parallel loops.
    """

    conflicts: tuple[Conflict, ...]
    same_values: tuple[Conflict, ...]
    unchecked: tuple[str, ...]
    loops: int

    def __bool__(self) -> bool:
        return bool(self.conflicts)

    @property
    def lines(self) -> tuple[str, ...]:
        """The report as lines of text, without hints."""
        found = [self._headline()]
        for group in (self.conflicts, self.same_values):
            for one in group[:MOST_SHOWN]:
                found += ["", *one.lines]
            if len(group) > MOST_SHOWN:
                found += ["", f"and {len(group) - MOST_SHOWN} more"]
        if self.unchecked:
            found += ["", "not looked into:", *(f"    {text}" for text in self.unchecked)]
        return tuple(found)

    def __str__(self) -> str:
        every = (*self.conflicts, *self.same_values)
        hints = dict.fromkeys(f"hint ({one.kind}): {one.hint}" for one in every)
        return "\n".join((*self.lines, *([""] if hints else []), *hints))

    def __repr__(self) -> str:
        return f"<RaceReport: {self._headline()}>"

    def _headline(self) -> str:
        if self.conflicts:
            count = len(self.conflicts)
            return f"{count} conflict{'s' * (count > 1)} between iterations"
        if not self.loops:
            return "no parallel loop was run"
        known = "in what was looked into" if self.unchecked else "for these arguments"
        return f"no conflicts between iterations {known}"
