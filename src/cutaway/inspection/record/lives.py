"""The life of each value, pass by pass: derived once, stored in the record, and drawn by all views.

    build_ir        appears as `s`
    ssa             becomes `s`, `s.1`, `s.2`
    lower_llvm      is `%s.1.2`, `%s.2.8` in LLVM, and the constant 0.0
    optimize_llvm   is `%s.1.23.i`, `%s.2.8.i`
    emit_object     is in `%xmm0`, worked out by `vaddsd (%rcx,%rsi,8), %xmm0, %xmm0`

Events in LLVM IR and machine code follow LLVM's own reports (`llvm/following.py`), if there are
any. A value is called gone only if nothing holds or uses it any more.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cutaway.foundation.dataclass import dataclass, field, replace
from cutaway.inspection.llvm.following import Followed, Place
from cutaway.inspection.llvm.registers import register_of, targets_in_ptx, targets_of
from cutaway.inspection.record.model import FunctionRecord, LifeEvent, Line, PassEntry, Span, State
from cutaway.ir.function import is_temporary, user_name
from cutaway.lowering.llvm_values import LlvmPart
from cutaway.stages.arrays.decisions import FUSED

_OWN = "cutaway"
_MOST = 6  # names in a list
_FURTHEST = 40  # most rows between an instruction and the report of its location
_PASSING = re.compile(r"\.lcssa\d*(\.|$)")  # copies at the end of a loop
_HEX = re.compile(r"^0x[0-9A-Fa-f]{16}$")
_HEX_OF_16_BITS = re.compile(r"^0xH[0-9A-Fa-f]{4}$")
_ASSIGNED = re.compile(r'^\s*%"?([^"\s=]+)"? = ')
_TEMPORARY = re.compile(r"^\$[A-Za-z_]*\d*\.[^.]+")
_WORDS = re.compile(r"\s+")
_PARAMETER = re.compile(r"^\t\.param ")  # of PTX, declared
_OPCODE = re.compile(r"^\s*%\S+ = (?:tail )?(\w+)")


@dataclass(frozen=True, slots=True)
class ValueFacts:
    """Facts about a compilation's values beyond its states: the lowered form of each, its locations
    as LLVM reports them, and the variables that the results of parallel loops stand for."""

    lowered: Mapping[str, Sequence[LlvmPart]] = field(default_factory=dict)
    followed: Followed = Followed()
    joined: Mapping[str, str] = field(default_factory=dict)


def names_of(function: FunctionRecord) -> list[str]:
    """Return the names of the values that have lives: the user's variables, and temporaries."""
    own = (state for state in function.states if state.language == _OWN)
    names = (name for state in own for line in state.lines for name in line.defines)
    return list(dict.fromkeys(map(_life_name, names)))


def lives_of(function: FunctionRecord, kept: ValueFacts) -> dict[str, tuple[LifeEvent, ...]]:
    """Return the life of every value of a function."""
    index = {k: _Index(state) for k, state in enumerate(_states(function)) if state is not None}
    versions: dict[str, list[str]] = {}
    for name in kept.lowered:
        versions.setdefault(_life_name(name), []).append(name)
        if name in kept.joined:
            versions.setdefault(_life_name(kept.joined[name]), []).append(name)
    return {
        name: tuple(_Life(function, name, kept, index, versions.get(name, [])).told())
        for name in names_of(function)
    }


def life_of(function: FunctionRecord, name: str) -> tuple[LifeEvent, ...]:
    """Return the life of one value; for a record without lives, derived from names alone."""
    return (function.lives or lives_of(function, ValueFacts())).get(name, ())


def with_lives(function: FunctionRecord) -> FunctionRecord:
    """Return a function's record with lives, if it has none: for records of older versions."""
    return function if function.lives else replace(function, lives=lives_of(function, ValueFacts()))


def _states(function: FunctionRecord) -> list[State | None]:
    """Return the states before and after passes, by position; None for others."""
    used = {k for entry in function.passes for k in (entry.before, entry.after)}
    return [state if k in used else None for k, state in enumerate(function.states)]


class _Index:
    """The lines of a state, indexed by the values that they define and mention."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.defining: dict[str, list[Line]] = {}
        self.mentioning: dict[str, list[Line]] = {}
        self.by_op: dict[str, list[Line]] = {}
        for line in state.lines:
            if line.rare:
                continue
            if line.op:
                self.by_op.setdefault(line.op, []).append(line)
            if not line.near:
                for name in line.defines or _named(line, state):
                    self.defining.setdefault(_life_name(name), []).append(line)
            for name in dict.fromkeys(map(_life_name, line.mentions)):
                self.mentioning.setdefault(name, []).append(line)


def _named(line: Line, state: State) -> tuple[str, ...]:
    """Return the name that a line of LLVM IR defines, if the record does not contain it."""
    match = _ASSIGNED.match(line.text) if state.language == "llvm" else None
    return (match[1].removeprefix("arg."),) if match else ()


def _life_name(name: str) -> str:
    """Return the common name of all versions of a value: `s` of `s.2`, `$phi6.1` of `$phi6.1.2`."""
    match = _TEMPORARY.match(name) if is_temporary(name) else None
    return match[0] if match else user_name(name)


class _Life:
    """Derives the life of one value."""

    def __init__(
        self,
        function: FunctionRecord,
        name: str,
        kept: ValueFacts,
        index: Mapping[int, _Index],
        versions: Sequence[str],
    ) -> None:
        self.function = function
        self.name = name
        self.kept = kept
        self.index = index
        self.names: tuple[str, ...] = ()  # its versions in our own IR
        self.said = "", ""  # the last sentence, and the language of its state
        self.is_typed = False
        self.spans: dict[str, set[Span]] = {}  # of the ops that define each version, without phis
        for life in index.values():
            for line in life.defining.get(name, ()) if life.state.language == _OWN else ():
                if line.span[3] and " = phi(" not in line.text:
                    for version in line.defines:
                        self.spans.setdefault(version, set()).add(line.span)
        self.versions = versions
        self.opcodes: set[str] = set()  # of the instructions that compute it, as lowered
        self.is_there = False  # in LLVM IR, as far as known
        self.as_constant = ""  # the sentence, if it was lowered to constants only
        self.is_constant = False  # in the optimized program, at all uses
        self.merged_into: list[str] = []  # the LLVM values that it became a part of
        self.untracked: list[str] = []  # the values identified by their names alone

    def told(self) -> Iterator[LifeEvent]:
        for position, entry in enumerate(self.function.passes):
            if entry.failed or entry.before == entry.after:
                continue
            state = self.function.states[entry.after]
            for kind, text in self._behind(entry, state):
                self.is_there = kind != "gone" and bool(self.versions)
                if (text, state.language) != self.said:
                    yield LifeEvent(position, kind, text)
                    self.said = text, state.language

    def _behind(self, entry: PassEntry, state: State) -> Iterator[tuple[str, str]]:
        match state.language, state.level:
            case "cutaway", _:
                yield from self._own(entry, self.index[entry.before], self.index[entry.after])
            case "llvm", "llvm":
                yield from self._lowered(self.index[entry.after])
            case "llvm", _:
                yield from self._optimized(self.index[entry.after])
            case "gas" | "ptx", _:
                yield from self._machine(self.index[entry.after])

    # --- our own IR -----------------------------------------------------------------------------

    def _own(self, entry: PassEntry, before: _Index, after: _Index) -> Iterator[tuple[str, str]]:
        lines = after.defining.get(self.name, ())
        names = tuple(
            dict.fromkeys(n for line in lines for n in line.defines if _life_name(n) == self.name)
        )
        if names and not self.names:
            argument = ", an argument" if " = arg(" in lines[0].text else ""
            yield "born", f"appears as {_quoted(names)}{argument}"
        elif names and names != self.names:
            yield "named", f"becomes {_quoted(names)}{self._joins(after)}"
        elif self.names and not names:
            yield self._fused(entry) or self._not_there(before, after)
        self.names = names
        if after.state.level == "typed" and names and not self.is_typed:
            self.is_typed = True
            types = dict.fromkeys(self.function.types.get(name, "") for name in names)
            quoted_types = [f"`{ty}`" for ty in types if ty]
            yield (
                "typed",
                f"has the type {' and '.join(quoted_types)}" if quoted_types else "has no type",
            )

    def _joins(self, after: _Index) -> str:
        """Name the results of parallel loops that hold the value after them."""
        results = [
            result
            for result, name in self.kept.joined.items()
            if _life_name(name) == self.name
            and any("= reduce(" in line.text for line in after.mentioning.get(result, ()))
        ]
        return f"; after the parallel loop it is {_quoted(results)}" if results else ""

    def _fused(self, entry: PassEntry) -> tuple[str, str] | None:
        """Return the event for a result that this pass fused into another loop."""
        if entry.name != FUSED or self.function.fusion is None:
            return None
        for part in self.function.fusion["parts"]:
            if part["verdict"] == "fused" and _life_name(part["variable"]) == self.name:
                return (
                    "merged",
                    f"is computed in the loop of line {part['line']}: no array holds it",
                )
        return None

    def _not_there(self, before: _Index, after: _Index) -> tuple[str, str]:
        """Return the event for a value without a definition."""
        renamed = [
            name
            for line in before.defining.get(self.name, ())
            if line.op in after.by_op
            for name in after.by_op[line.op][0].defines
        ]
        if renamed:
            return "named", f"is renamed to {_quoted(dict.fromkeys(renamed))}"
        users = [
            line
            for line in before.mentioning.get(self.name, ())
            if line.op and self.name not in map(_life_name, line.defines) and not _is_del(line)
        ]
        left = [(line, after.by_op[line.op][0]) for line in users if line.op in after.by_op]
        if not left:
            return "gone", (
                "is gone, with everything that used it" if users else "is gone: it was unused"
            )
        instead = [
            name
            for old, new in left
            for name in new.mentions
            if name not in old.mentions and name not in new.defines
        ]
        if instead:
            takes = _quoted(dict.fromkeys(instead))
            return "replaced", f"is replaced: its users take {takes} instead"
        return "replaced", "is gone: its users no longer need it"

    # --- LLVM -----------------------------------------------------------------------------------

    def _lowered(self, after: _Index) -> Iterator[tuple[str, str]]:
        if not self.kept.lowered:
            yield from self._by_name(after, " in LLVM")
            return
        parts = [part for name in self.versions for part in self.kept.lowered[name]]
        values = dict.fromkeys(part.text for part in parts if part.text.startswith("%"))
        lines = (line for v in values for line in after.by_op.get("%" + v.strip('%"'), ()))
        self.opcodes = {_opcode(line) for line in lines} - {"phi"}
        constants = dict.fromkeys(_constant(p.text) for p in parts if not p.text.startswith("%"))
        said = [f"is {_quoted(values)} in LLVM"] if values else []
        if constants:
            kind = "constant" if len(constants) == 1 else "constants"
            said.append(f"{'' if values else 'is '}the {kind} {_quoted(constants)}")
        if said:
            self.as_constant = "" if values else said[0]
            yield "named", ", and ".join(said)
        elif self.versions:
            yield "folded", "needs no value in LLVM: its type determines the value"

    def _optimized(self, after: _Index) -> Iterator[tuple[str, str]]:
        values = [held for n in self.versions for held in self.kept.followed.values.get(n, ())]
        tracked = [n for n in self.versions if n in self.kept.followed.values]
        if not self.kept.followed.is_known or not tracked:
            if not self.kept.lowered or self._is_in_llvm():
                yield from self._by_name(after, "")
            return
        if self._is_in_memory() and not any(held.text for held in values):
            yield from self._by_name(after, "")  # a stack slot that became a register
            return
        known = [held for held in values if held.text]
        direct = {h.text: None for h in known if h.direct and not _PASSING.search(h.text)}
        named = [text for text in direct if text.startswith("%")]
        constants = self._constants(text for text in direct if not text.startswith("%"))
        self.is_constant = (
            known == values
            and len(direct) > len(named) == 0
            and all(held.direct and not held.text.startswith("%") for held in known)
        )
        lost = [n for n in tracked if not any(h.text for h in self.kept.followed.values[n])]
        self.untracked = self._under_own_names(after, lost)
        if named and self.untracked:
            yield "named", f"is {_quoted(dict.fromkeys((*named, *self.untracked)))}"
        elif named:
            there = self._merged(after, lost)
            more = f"; {_quoted(lost)} {there}" if there else ""
            yield "named", f"is {_quoted(named)}{more}"
        elif self.is_constant:
            yield "folded", _folded(constants)
        elif any(held.text.startswith("%") for held in known):
            of = dict.fromkeys(held.text for held in known if held.text.startswith("%"))
            yield "named", f"is recomputed from {_quoted(of)} where it is needed"
        elif direct:
            yield "merged", _in_places(constants)
        else:
            instead = self._instead(after)
            there = self._merged(after, lost)
            if not there and instead:
                there = f"no longer has a value of its own: {instead}"
            yield ("merged", there) if there else ("gone", _GONE)

    def _under_own_names(self, after: _Index, lost: Sequence[str]) -> list[str]:
        """The values with the names of versions that LLVM reports lost. A value that it hoists over
        a branch has no variable any more, but keeps its name."""
        parts = (part for name in lost for part in self.kept.lowered.get(name, ()))
        before = [part.text for part in parts if part.text.startswith("%")]
        return [op for op in after.by_op if any(op.startswith(f"{text}.") for text in before)]

    def _merged(self, after: _Index, lost: Sequence[str]) -> str:
        """Describe the instructions in place of versions that LLVM reports lost: they may be part
        of a vector. Empty if there are none."""
        spans = {span for name in lost for span in self.spans.get(name, ())}
        lines = (line for line in after.state.lines if not line.near and not line.rare)
        there = [line for line in lines if line.span in spans]
        same = [line for line in there if line.op and _opcode(line) in self.opcodes]
        self.merged_into = [line.op for line in same]
        if same:
            return f"no longer has a value of its own: {_instructions(same)} takes its place"
        return "no longer has a value of its own" if there else ""

    def _instead(self, after: _Index) -> str:
        """Describe what replaces the value in the program; empty if nothing does.

        LLVM's vectors of operations on several lines have no line, so vectors are a guess.
        """
        own = [one for one in self.index.values() if one.state.language == _OWN][-1:]
        users = {line.span for one in own for line in one.mentioning.get(self.name, ())}
        lines = (line for line in after.state.lines if line.op and not line.near and not line.rare)
        is_used = any(line.span in users and line.span[3] for line in lines)
        if is_used:
            return "what uses it computes it"
        has_vectors = any(_VECTOR.search(line.text) for line in after.state.lines if not line.rare)
        return "it may be part of a vector" if has_vectors else ""

    def _constants(self, texts: Iterable[str]) -> str:
        """Return the constants that it has become, with those from its lowering."""
        parts = (part for name in self.versions for part in self.kept.lowered[name])
        known = [part.text for part in parts if not part.text.startswith("%")]
        return _quoted(dict.fromkeys(map(_constant, (*known, *texts))))

    def _is_in_llvm(self) -> bool:
        parts = (part for name in self.versions for part in self.kept.lowered[name])
        return any(part.text.startswith("%") for part in parts)

    def _is_in_memory(self) -> bool:
        return any(part.memory for name in self.versions for part in self.kept.lowered[name])

    def _by_name(self, after: _Index, where: str) -> Iterator[tuple[str, str]]:
        """Derive the events from names alone."""
        lines = after.defining.get(self.name, ())
        ops = dict.fromkeys(
            line.op or line.text.split()[0] for line in lines if not _PASSING.search(line.op)
        )
        parameters = [f"%{n}" for n in _parameters(after.state) if n.split(".")[1] == self.name]
        values = [*dict.fromkeys(parameters), *ops]
        if values:
            yield "named", f"is {_quoted(values)}{where}"
        elif self.said[0] and self.names:
            yield "merged", "no longer has a name of its own"

    # --- machine code ---------------------------------------------------------------------------

    def _machine(self, after: _Index) -> Iterator[tuple[str, str]]:
        followed = self.kept.followed
        places = [place for name in self.versions for place in followed.places.get(name, ())]
        held = dict.fromkeys(
            "%" + one.text.strip('%"')
            for name in self.versions
            for one in followed.values.get(name, ())
            if one.direct
        )
        held.update(dict.fromkeys(self.untracked))
        lines = [line for op in held for line in after.by_op.get(op, ()) if not line.near]
        parameters = [line for line in lines if _PARAMETER.match(line.text)]
        lines = [line for line in lines if line not in parameters]
        registers = [place for place in places if place.direct and "%" in place.text]
        derived = dict.fromkeys(place.text for place in places if not place.direct)
        if registers:
            by = [line for place in registers for line in _writers(place, after.state, held)]
            put = f", put there by {_instructions(by)}" if by else ""
            yield "held", f"is in {_quoted(dict.fromkeys(p.text for p in registers))}{put}"
        elif derived:
            yield "held", f"is recomputed from {_quoted(derived)} where it is needed"
        elif places:
            constants = self._constants(place.text for place in places)
            yield (
                ("folded", _folded(constants))
                if self.is_constant
                else ("merged", _in_places(constants))
            )
        elif lines:
            yield "held", f"is computed by {_instructions(lines)}"
        elif merged := [line for op in self.merged_into for line in after.by_op.get(op, ())]:
            there = _instructions(merged)
            yield "merged", f"has no register of its own: {there} takes its place"
        elif self.as_constant:
            yield "folded", self.as_constant
        elif parameters:
            yield "merged", "has no register: nothing loads it from the parameters"
        elif followed.has_places and held:
            yield "merged", "has no register or stack slot of its own: its users recompute it"
        elif self.said[1] == "llvm" and followed.is_known and self.is_there:
            instead = self._instead(after)
            there = f"has no register of its own: {instead}"
            yield ("merged", there) if instead else ("gone", _NO_INSTRUCTION)


# An operation on floats in LLVM IR and, on x86, in machine code.
_VECTOR = re.compile(r"= f\w+ [a-z ]*<\d+ x |^\s*v?(?:add|sub|mul|div)p[sd]\b")
_NO_INSTRUCTION = "is gone: no instruction computes it, or uses it"
_GONE = "is gone: no value of the optimized program represents it"


def _folded(constants: str) -> str:
    return f"is {constants}: a constant everywhere"


def _in_places(constants: str) -> str:
    return f"is {constants} in some places, and folded into its users in others"


def _is_del(line: Line) -> bool:
    return line.text.lstrip().startswith("del ")


def _parameters(state: State) -> Iterator[str]:
    """Yield the names of arguments in the heads of functions."""
    for line in state.lines:
        if line.text.startswith("define "):
            yield from re.findall(r'%"?(arg\.[\w.]+)', line.text)


def _opcode(line: Line) -> str:
    match = _OPCODE.match(line.text)
    return match[1] if match else ""


def _writers(place: Place, state: State, held: Mapping[str, None]) -> Iterator[Line]:
    """The instructions that put a value in a register: the last write before each row where LLVM
    reports the value there, if it computes the value."""
    targets = targets_in_ptx if state.language == "ptx" else targets_of
    target = register_of(place.text)
    for row in place.rows:
        for line in reversed(state.lines[max(0, row - _FURTHEST) : row]):
            if not line.op and not line.text.startswith("\t"):
                break  # a label: other paths lead here
            if target in targets(line.text):
                if line.op in held and not line.rare:
                    yield line
                break


def _instructions(lines: Iterable[Line]) -> str:
    texts = (line.text.partition(", !")[0].partition("  ; ")[0] for line in lines)
    return _quoted(dict.fromkeys(_WORDS.sub(" ", text).strip(" ;") for text in texts), 3)


def _constant(text: str) -> str:
    """Format an LLVM constant for readers: LLVM writes doubles and float16 in hexadecimal."""
    if _HEX.match(text):
        return repr(struct.unpack(">d", bytes.fromhex(text[2:]))[0])
    if _HEX_OF_16_BITS.match(text):
        return repr(struct.unpack(">e", bytes.fromhex(text[3:]))[0])
    if re.match(r"^-?\d\.\d+e[+-]\d+$", text):
        return repr(float(text))
    return text


def _quoted(names: Iterable[str], most: int = _MOST) -> str:
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(f"`{name}`" for name in listed[:most]) + more
