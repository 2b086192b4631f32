"""Loops that hardly ever run, outlined into functions that LLVM does not optimize.

    before:  br i1 %fits, label %B4, label %B9       before:  br i1 %fits, label %B4, label %B9
    B4:      the loop without checks            ->   B4:      the loop without checks
    B9:      the loop with checks                    B9:      %way = call @f.slow.9(...)
    meet:    phi [ %s, %B4 ], [ %s.2, %B9 ]          meet:    phi [ %s, %B4 ], [ %out, %B9 ]

A loop whose checks were hoisted has a second version, for when they fail: then an index is out of
range soon, as a rule.  To LLVM it is a loop like any other, and half of the compile time went
there: it was simplified, and its checks were moved about, to make an error come a little sooner.
Outlined with the attribute `optnone` a loop costs the time to read it and to emit instructions, two
fifths of that; it then takes two to six times as long to run.

The function receives the loop's live-in values and returns a struct: the number of its exit, the
status if it raised, and the operands of the phis behind the loop.  Stack memory that it shares with
the function around, such as the counter of a range, is passed and returned by value: memory whose
address escapes cannot become a register.  A loop with a line that is not recognized here stays
inline.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.patterns import Pattern
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import Graph
from cutaway.lowering.build.builder import CodeLine, FunctionCode, local, symbol
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.regions import block_name

ATTRIBUTES = "noinline optnone cold"
CLEANUP = "cleanup"  # the block that frees a function's memory when it raises

SLOW = ".slow."  # in the names of such functions
_TYPE = r"(?:ptr|i\d+|half|float|double)"
_NAME = r"%(?:\"[^\"]*\"|[-\w$.]+)"
_VALUE = Pattern(_NAME)
_DEFINED = Pattern(rf"({_NAME}) = (.*)")
_PHI = Pattern(rf"({_NAME}) = phi ({_TYPE}) \[")
_PAIR = Pattern(r"\[ (.*?), %([-\w$.]+) \]")
_TARGET = Pattern(r"label %([-\w$.]+)")
_SLOT = Pattern(rf"({_NAME}) = alloca (?:({_TYPE})|\\[.*\\]), align")
_RETURN = Pattern(r"ret i32 (.*)")
# The type of an instruction's result: the first pattern that matches.
_KINDS = (
    Pattern(r"[if]cmp (?P<truth>)"),
    Pattern(r"getelementptr (?P<pointer>)"),
    Pattern(rf"select i1 [^,]*, ({_TYPE}) "),
    Pattern(rf".* to ({_TYPE})$"),
    Pattern(rf"(?:\w+ )*?call (?:\w+ )*?({_TYPE}) @"),
    Pattern(rf"(?:load|phi) ({_TYPE})[ ,]"),
    Pattern(
        rf"(?:add|sub|mul|and|or|xor|shl|ashr|lshr|[us]div|[us]rem|f[a-z]+)(?: \w+)*? ({_TYPE}) "
    ),
)


@dataclass(frozen=True, slots=True)
class _Way:
    """An exit of a loop: the block that it jumps to, and the phis there, each with its type and the
    values from the loop, by their blocks."""

    target: str
    phis: tuple[tuple[CodeLine, str, dict[str, str]], ...]


def move_out(
    build: FunctionBuilder,
    fn: Function,
    graph: Graph,
    lowered: Mapping[int, Sequence[CodeLine]],
    parameters: Iterable[tuple[str, str]],
) -> None:
    """Outline the loops that a branch marks as rarely run, from the lines of their blocks; the
    enclosing function has these parameters, types and names."""
    kinds = {name: kind for kind, name in parameters} | {"%ret": "ptr", "%exc": "ptr"}
    loops = graph.loops()
    for block in fn.blocks.values():
        branch = block.terminator
        if not isinstance(branch, nodes.Branch) or "orelse" not in branch.rare:
            continue
        loop = loops.get(_past_jumps(fn, branch.orelse))
        if loop is None or len(loop.entries) != 1:
            continue
        # With the blocks on its exits, where the lifetimes of variables end.
        within = [label for label in lowered if graph.dominates(loop.header, label)]
        if not any(isinstance(fn.blocks[label].terminator, nodes.Return) for label in within):
            lines = [line for label in within for line in lowered[label]]
            _move(_Loop(build, block_name(loop.header), lines), kinds)


def _past_jumps(fn: Function, label: int) -> int:
    """Return the first block with more than a jump: variables may die on the way to a loop."""
    while isinstance(fn.blocks[label].ops[0], nodes.Jump):
        label = fn.blocks[label].ops[0].target
    return label


def is_part_of(name: str, function: str) -> bool:
    """True for the name of a function that was outlined from a loop of another one."""
    return name.startswith(f"{function}{SLOW}")


def _move(loop: _Loop, parameters: Mapping[str, str]) -> None:
    """Outline one loop, and replace it by a call."""
    live_in = loop.given(parameters)
    if live_in is None or not loop.ways or not loop.read_slots():
        return
    code = loop.build.code
    part = FunctionCode(f"{code.name}{SLOW}{loop.header}", code.filename, code.first_line)
    part.locs = code.locs
    taken = [*live_in.items(), *((loop.taken(slot), kind) for slot, kind in loop.shared.items())]
    operands = ", ".join(f"{kind} {value}" for value, kind in taken)
    part.header = f"define internal {loop.returned} {symbol(part.name)}({operands}) {ATTRIBUTES}"
    part.lines = loop.moved()
    loop.put(loop.calling(f"call {loop.returned} {symbol(part.name)}({operands})"))
    code.parts.append(part)


class _Loop:
    """A loop that is being outlined.

    `shared` are stack slots that the enclosing function uses as well, and the types of their
    contents: the loop receives and returns these.
    """

    def __init__(self, build: FunctionBuilder, header: str, lines: Sequence[CodeLine]) -> None:
        self.build, self.header, self.lines = build, header, lines
        self.within = {id(line) for line in lines}
        self.outside = [line for line in build.code.lines if id(line) not in self.within]
        self.labels = {line.text[:-1] for line in lines if line.text.endswith(":")}
        self.statuses = {label: status for status, label in build.exits if label in self.labels}
        targets = dict.fromkeys(t for line in lines for t in _TARGET.findall(line.text))
        leaving = [one for one in targets if one not in self.labels and one != CLEANUP]
        self.ways = [_way(target, self.labels, self.outside) for target in leaving]
        self.shared: dict[str, str] = {}
        self.own: list[CodeLine] = []

    @property
    def phis(self) -> list[tuple[CodeLine, str, dict[str, str]]]:
        """The phis behind the loop."""
        return [phi for way in self.ways for phi in way.phis]

    @property
    def returned(self) -> str:
        """The return type of the new function."""
        kinds = [kind for _, kind, _ in self.phis]
        return f"{{ {', '.join(['i32', 'i32', *kinds, *self.shared.values()])} }}"

    def taken(self, slot: str) -> str:
        """Return the name of the contents of a shared slot when the loop begins."""
        return local(f"{slot[1:].strip(chr(34))}.{self.header}")

    # --- its live-in values
    # -------------------------------------------------------------------------

    def given(self, parameters: Mapping[str, str]) -> dict[str, str] | None:
        """Return the live-in values of the loop with their types; None if one is not recognized."""
        inside = {found[1] for line in self.lines if (found := _DEFINED.match(line.text))}
        slots = {slot[1] for line in self.build.stack if (slot := _SLOT.match(line.text))}
        used = [value for line in self.lines for value in _used(line.text)]
        used += [one for _, _, pairs in self.phis for text in pairs.values() for one in _used(text)]
        outer_values = dict.fromkeys(one for one in used if one not in inside and one not in slots)
        kinds = dict(parameters)
        for line in (*self.build.stack, *self.outside):
            found = _DEFINED.match(line.text)
            if found and found[1] in outer_values and (kind := _kind(found[2])):
                kinds[found[1]] = kind
        if any(value not in kinds for value in outer_values) or not self._leaves_by_phis(inside):
            return None
        return {value: kinds[value] for value in outer_values}

    def _leaves_by_phis(self, inside: set[str]) -> bool:
        """True if code outside uses the loop's values only in the phis behind it."""
        exit_phis = {id(line) for line, _, _ in self.phis}
        beyond = (line.text for line in self.outside if id(line) not in exit_phis)
        return not any(value in inside for text in beyond for value in _used(text))

    def read_slots(self) -> bool:
        """Find the stack slots that the loop uses; False if the address of a shared one escapes."""
        used = {value for line in self.lines for value in _used(line.text)}
        beyond = [*self.outside, *(one for one in self.build.stack if not _SLOT.match(one.text))]
        others = {value for line in beyond for value in _used(line.text)}
        for line in self.build.stack:
            slot = _SLOT.match(line.text)
            if slot is None or slot[1] not in used:
                continue
            if slot[1] not in others:
                self.own.append(line)
                continue
            if slot[2] is None:
                return False
            self.shared[slot[1]] = slot[2]
        whole = [line.text for line in (*self.lines, *beyond)]
        return all(_only_holds(slot, kind, whole) for slot, kind in self.shared.items())

    # --- the new function -----------------------------------------------------------------------

    def moved(self) -> list[CodeLine]:
        """Return the lines of the new function."""
        moved = [CodeLine("entry:", -1), *self.own]
        self.build.stack[:] = [one for one in self.build.stack if one not in self.own]
        for slot, kind in self.shared.items():
            moved.append(CodeLine(f"{slot} = alloca {kind}, align 8", -1))
            moved.append(CodeLine(f"store {kind} {self.taken(slot)}, ptr {slot}, align 8", -1))
        moved.append(CodeLine(f"br label %{self.header}", -1))
        failing, block = dict(self.statuses), ""
        for line in self.lines:
            text = line.text
            if text.endswith(":"):
                block = text[:-1]
            elif status := _RETURN.match(text):
                failing[block], text = status[1], "br label %failed"
            if line.declares is None:  # alias scopes only serve optimization
                moved.append(CodeLine(self._within_it(text), line.loc, line.loop))
        moved += self._returns()
        if failing:
            moved.append(CodeLine("failed:", -1))
            moved.append(CodeLine(f"%$status = phi i32 {_pairs(failing)}", -1))
            moved += self._return("failed", {0: "i32 -1", 1: "i32 %$status"})
        return moved

    def _within_it(self, text: str) -> str:
        """Return a line of the loop, with outer values renamed for the new function."""
        if " = phi " in text:  # only the header has one with a value from outside
            return str(_PAIR.sub(self._from_entry, text))
        return str(_TARGET.sub(self._led_on, text))

    def _from_entry(self, pair: re.Match[str]) -> str:
        return pair[0] if pair[2] in self.labels else f"[ {pair[1]}, %entry ]"

    def _led_on(self, target: re.Match[str]) -> str:
        name = target[1]
        if name in self.labels or name == "failed":
            return target[0]
        numbers = {way.target: k for k, way in enumerate(self.ways)}
        return "label %failed" if name == CLEANUP else f"label %way.{numbers[name]}"

    def _returns(self) -> Iterator[CodeLine]:
        """Emit a block for each exit."""
        place = 2
        for k, way in enumerate(self.ways):
            yield CodeLine(f"way.{k}:", -1)
            fields = {0: f"i32 {k}"}
            for _, kind, pairs in way.phis:
                yield CodeLine(f"%out.{place} = phi {kind} {_pairs(pairs)}", -1)
                fields[place] = f"{kind} %out.{place}"
                place += 1
            yield from self._return(f"way.{k}", fields)

    def _return(self, stem: str, fields: dict[int, str]) -> Iterator[CodeLine]:
        """Return the struct with these fields, and the contents of the shared slots."""
        for place, (slot, kind) in enumerate(self.shared.items(), 2 + len(self.phis)):
            yield CodeLine(f"%{stem}.held.{place} = load {kind}, ptr {slot}, align 8", -1)
            fields[place] = f"{kind} %{stem}.held.{place}"
        last = "poison"
        for place, field in fields.items():
            name = f"%{stem}.with.{place}"
            yield CodeLine(f"{name} = insertvalue {self.returned} {last}, {field}, {place}", -1)
            last = name
        yield CodeLine(f"ret {self.returned} {last}", -1)

    # --- the call -------------------------------------------------------------------------------

    def calling(self, call: str) -> list[CodeLine]:
        """Return the lines of the call and the jumps after it; the exit phis use the results."""
        header, result = self.header, f"%{self.header}.slow"
        texts = [f"{header}:"]
        for slot, kind in self.shared.items():
            texts.append(f"{self.taken(slot)} = load {kind}, ptr {slot}, align 8")
        texts.append(f"{result} = {call}")

        def part(place: int) -> str:
            texts.append(f"%{header}.{place} = extractvalue {self.returned} {result}, {place}")
            return f"%{header}.{place}"

        way = part(0)
        for place, (slot, kind) in enumerate(self.shared.items(), 2 + len(self.phis)):
            texts.append(f"store {kind} {part(place)}, ptr {slot}, align 8")
        outs = [part(place) for place, _ in enumerate(self.phis, 2)]
        block = header
        for k, one in enumerate(self.ways):
            for line, _, inside in one.phis:
                kept = {at: value for value, at in _PAIR.findall(line.text) if at not in inside}
                front = line.text.partition("[")[0]
                line.text = f"{front}{_pairs({**kept, block: outs.pop(0)})}"
            following = f"{header}.way.{k + 1}" if one is not self.ways[-1] else f"{header}.failed"
            texts.append(f"%{header}.is.{k} = icmp eq i32 {way}, {k}")
            texts.append(f"br i1 %{header}.is.{k}, label %{one.target}, label %{following}")
            texts.append(f"{following}:")
            block = following
        status = part(1)
        texts.append(f"br label %{CLEANUP}" if self.statuses else f"ret i32 {status}")
        return [CodeLine(text, -1) for text in texts]

    def put(self, calling: list[CodeLine]) -> None:
        """Replace the loop with the lines of the call."""
        build = self.build
        first = next(k for k, line in enumerate(build.code.lines) if id(line) in self.within)
        build.code.lines[:] = [*self.outside[:first], *calling, *self.outside[first:]]
        if self.statuses:
            build.exits[:] = [pair for pair in build.exits if pair[1] not in self.labels]
            build.exits.append((f"%{self.header}.1", f"{self.header}.failed"))


# --- reading lines ------------------------------------------------------------------------------


def _used(text: str) -> list[str]:
    """Return the values that an instruction uses."""
    _, equals, right = text.partition(" = ")
    right = right if equals else text
    if right.startswith("phi "):
        return [value for pair in _PAIR.finditer(right) for value in _VALUE.findall(pair[1])]
    return [] if text.endswith(":") else list(_VALUE.findall(_TARGET.sub("", right)))


def _kind(text: str) -> str | None:
    """Return the type of an instruction's result."""
    for pattern in _KINDS:
        if found := pattern.match(text):
            names = found.groupdict()
            return "i1" if "truth" in names else "ptr" if "pointer" in names else str(found[1])
    return None


def _only_holds(slot: str, kind: str, texts: Iterable[str]) -> bool:
    """True if a stack slot is only loaded and stored, as one type."""
    read, written = f" = load {kind}, ptr {slot}, ", f", ptr {slot}, align "
    for text in texts:
        if slot in _used(text) and read not in text:
            value = text.partition(written)[0]
            if not text.startswith(f"store {kind} ") or written not in text or slot in value:
                return False
    return True


def _way(target: str, labels: set[str], outside: Iterable[CodeLine]) -> _Way:
    block, phis = "", []
    for line in outside:
        if line.text.endswith(":"):
            block = line.text[:-1]
        elif block == target and (phi := _PHI.match(line.text)):
            pairs = {label: value for value, label in _PAIR.findall(line.text) if label in labels}
            phis.append((line, phi[2], pairs))
    return _Way(target, tuple(phis))


def _pairs(values: Mapping[str, str]) -> str:
    return ", ".join(f"[ {value}, %{label} ]" for label, value in values.items())
