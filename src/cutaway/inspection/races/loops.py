"""One run of a parallel loop: its iterations, their accesses, and their conflicts."""

from __future__ import annotations

from typing import Any

from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.source import Loc
from cutaway.inspection.races.report import Conflict
from cutaway.inspection.races.shadow import SITES, Clash, Extent, Shadow, Touch
from cutaway.ir import nodes

WHOLE = None  # the key of a container itself: its items and their order


@dataclass(frozen=True, slots=True)
class Site:
    """An access in the source: its location, the name of the object, and whether it writes."""

    loc: Loc
    name: str
    writes: bool


class _Raw:
    """A conflict as it is found: the codes of both sides, and its count."""

    def __init__(self, kind: str, clash: Clash, code: int, writes: bool) -> None:
        self.kind, self.element, self.memory, self.count = kind, "", clash.memory, 0
        self.codes, self.writes = (clash.code, code), (clash.was_write, writes)


class LoopRun:
    """One run of a parallel loop; `named` are its captured arrays, by name."""

    def __init__(
        self, op: nodes.Parfor, inside: frozenset[int], named: list[tuple[str, Extent]]
    ) -> None:
        self.op, self.inside, self.named = op, inside, named
        self.iterations: list[tuple[int, ...]] = []
        self._numbers: dict[int, int] = {}  # of sites, by identity
        self._places: list[Site] = []
        self._shadow = Shadow()
        # By the identity of an object: itself, and the first writer and reader of its parts.
        self._objects: dict[int, tuple[Any, dict[Any, list[int]]]] = {}
        self._found: dict[tuple[str, int, int], _Raw] = {}

    def begin_iteration(self, place: tuple[int, ...]) -> None:
        """Begin the next iteration."""
        if self.iterations:
            self._shadow.forget(len(self.iterations))
        self.iterations.append(place)

    def further_index(self, value: int) -> None:
        """Add the next index of a multidimensional iteration."""
        self.iterations[-1] = (*self.iterations[-1], value)

    def _code(self, site: Site) -> int:
        number = self._numbers.get(id(site))
        if number is None:
            number = self._numbers[id(site)] = len(self._places)
            self._places.append(site)
        return len(self.iterations) << SITES | number

    def touch(self, touch: Touch, site: Site, same: bool) -> None:
        """Record elements that the current iteration reads or writes; `same`: it writes the value
        they have."""
        if not self.iterations:
            return
        code = self._code(site)
        for clash in self._shadow.touch(touch, code):
            if clash.was_write and touch.is_write:
                kind = "same value" if same else "write-write"
            else:
                kind = "read-write"
            raw = self._add(kind, clash, code, touch.is_write)
            raw.element = raw.element or self._element(clash, site)

    def touch_object(self, thing: Any, key: Any, site: Site, writes: bool, kind: str) -> None:
        """Record an access to a part of an object."""
        if not self.iterations:
            return
        code = self._code(site)
        parts = self._objects.setdefault(id(thing), (thing, {}))[1]
        first = parts.setdefault(key, [0, 0])  # the first writer, the first reader
        name = site.name if key is WHOLE else _part(site.name, key)
        for was_write, old in ((True, first[0]), (False, first[1])):
            if old and old >> SITES != code >> SITES and (writes or was_write):
                how = kind or ("write-write" if writes and was_write else "read-write")
                clash = Clash(was_write, old, 1, lambda: 0, id(thing))
                self._add(how, clash, code, writes).element = name
        first[not writes] = first[not writes] or code

    def _add(self, kind: str, clash: Clash, code: int, writes: bool) -> _Raw:
        mask = (1 << SITES) - 1
        key = kind, clash.code & mask, code & mask
        if key not in self._found:
            self._found[key] = _Raw(kind, clash, code, writes)
        raw = self._found[key]
        raw.count += clash.count
        return raw

    def _element(self, clash: Clash, site: Site) -> str:
        """Name an element in the user's words, by the captured array that holds it."""
        rows, address = sorted(self.named, key=lambda row: row[0] != site.name), clash.address()
        for name, span in rows:
            place = span.place_of(address)
            if place is not None:
                return f"{name}[{', '.join(map(str, place))}]" if place else name
        return site.name

    # --- conflicts ------------------------------------------------------------------------------

    def conflicts(self, variables: tuple[str, ...]) -> list[Conflict]:
        """Return the conflicts, one for each pair of lines and piece of memory."""
        by_lines: dict[tuple[Any, ...], list[Conflict]] = {}
        for raw in self._found.values():
            conflict = self._conflict(raw, variables)
            lines = sorted((loc.filename, loc.line) for loc in conflict.locs)
            is_same = conflict.kind == "same value"
            key = (*lines, raw.memory, is_same)
            by_lines.setdefault(key, []).append(conflict)
        return [_told(group) for group in by_lines.values()]

    def _conflict(self, raw: _Raw, variables: tuple[str, ...]) -> Conflict:
        mask = (1 << SITES) - 1
        rows = [
            (self.iterations[(code >> SITES) - 1], writes, self._places[code & mask])
            for code, writes in zip(raw.codes, raw.writes, strict=True)
        ]
        rows.sort(key=lambda row: row[0])
        (first, second) = rows
        return Conflict(
            kind=raw.kind,
            name=raw.element.partition("[")[0],
            element=raw.element,
            count=raw.count,
            iterations=(first[0], second[0]),
            writes=(first[1], second[1]),
            locs=(first[2].loc, second[2].loc),
            variables=variables,
            loop=self.op.loc,
        )


def _part(name: str, key: Any) -> str:
    return f"{name}.{key}" if isinstance(key, str) else f"{name}[{key}]"


def _told(group: list[Conflict]) -> Conflict:
    """Merge the conflicts of the same lines and the same array."""
    group.sort(
        key=lambda one: ("write-write", "read-write").count(one.kind) and not all(one.writes)
    )
    told = group[0]
    kinds = {one.kind for one in group}
    one_line = told.locs[0].line == told.locs[1].line
    if one_line and kinds >= {"write-write", "read-write"}:
        told = replace(told, kind="update")
    return replace(told, count=max(one.count for one in group))
