"""Every line of every level, with the place in the user's source that it comes from.

    for row in linked_lines(c.at("asm")):
        row.text                    vaddsd  %xmm4, %xmm0, %xmm0
        row.line, row.column        5, 9
        row.op                      s.2.14.i: the value of LLVM that it computes

Our own IR knows spans.  LLVM knows where a span begins; its end is looked up among the spans of
the IR, first that of the variable which the value is named after.  Assembly leads to lines of the
optimized LLVM text (`lowering/line_table.py`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from types import CodeType
from typing import TYPE_CHECKING, Any

from cutaway.dataclass import dataclass, replace
from cutaway.inspection.definition_places import definition_places
from cutaway.inspection.llvm_places import Place, Places
from cutaway.inspection.llvm_text import TextLine, lines_of
from cutaway.inspection.views import VIEWS
from cutaway.ir import nodes
from cutaway.ir.levels import Level
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, uses, walk
from cutaway.lowering.line_table import readable, shown
from cutaway.lowering.module import entry_name
from cutaway.source import UNKNOWN, Loc
from cutaway.stages.unit import CompileUnit

if TYPE_CHECKING:
    from cutaway.inspection.trace import LevelView


@dataclass(frozen=True, slots=True)
class LinkedLine:
    """A line of text at some level, and what it belongs to.

    `line` counts from 1, 0 is none; columns count from 0, the end is not included.  `op` is the
    id of an op, the offset of an instruction, or the name of LLVM's value; `names` are the values
    that the line mentions, `variable` is that of our IR which it computes.  Where the code was
    inlined, the place is that of the call in the user's function, and `inner` says what is there.
    `origin` is, for assembly, the line of the optimized LLVM text, from 1.  `near` marks a place
    that was taken from a neighbor, since the line has none of its own.
    """

    text: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    block: str = ""
    op: str = ""
    names: tuple[str, ...] = ()
    inner: str = ""
    variable: str = ""
    origin: int = 0
    near: bool = False

    @property
    def has_span(self) -> bool:
        """Whether it is known from which column to which column the line reaches."""
        return self.line > 0 and (self.end_line, self.end_column) > (self.line, self.column)


def linked_lines(view: LevelView) -> tuple[LinkedLine, ...]:
    """The lines of a level's text; joined by newlines they are the text, but for a last newline."""
    return unit_lines(view.unit)


def unit_lines(unit: CompileUnit) -> tuple[LinkedLine, ...]:
    """The lines of a unit's program at the level that it has reached."""
    return tuple(_LINKED[unit.level](unit))


class UserFunction:
    """The function that is compiled: which places are in it, and its spans."""

    def __init__(self, unit: CompileUnit) -> None:
        code = unit.pyfunc.__code__
        self.filename = code.co_filename
        self.first = code.co_firstlineno
        self.last = max(_lines(code), default=self.first)
        self.symbol = unit.symbol if unit.callee is None else unit.callee.symbol
        self.entry = "" if unit.callee is None else entry_name(unit.callee)
        self.places = definition_places(code)
        self.variables: dict[str, Loc] = {}
        self._spans: dict[tuple[int, int], Loc] = {}
        if unit.has("fn"):
            self._read(unit)

    def _read(self, unit: CompileUnit) -> None:
        for op in walk(unit.fn):
            loc = self.place(op)
            for name in definitions(op):
                self.variables.setdefault(name, loc)
            if self.owns(loc.filename, loc.line):
                key = (loc.line, loc.col)
                self._spans[key] = max(loc, self._spans.get(key, loc), key=_end)

    def place(self, op: Op) -> Loc:
        """Where an op comes from; for an argument that is its parameter."""
        known = self.places.parameters.get(op.name) if isinstance(op, nodes.Arg) else None
        return known or op.loc

    def owns(self, filename: str, line: int) -> bool:
        """Whether a place is in the function."""
        return filename == self.filename and self.first <= line <= self.last

    def span(self, line: int, column: int, variable: str = "") -> Loc:
        """The span that begins at a place: that of a variable's definition, or the longest."""
        own = self.variables.get(variable, UNKNOWN)
        if (own.line, own.col, own.filename) == (line, column, self.filename):
            return own
        empty = Loc(line, column, line, column, self.filename)
        return self._spans.get((line, column), empty)

    def variable(self, value: str) -> str:
        """The variable that a value of LLVM is named after: `s.1` of `s.1.14.i`."""
        if value.startswith("arg."):
            return value.split(".")[1] if value.split(".")[1] in self.variables else ""
        name = value
        while name and name not in self.variables:
            name = name.rpartition(".")[0]
        return name


def _end(loc: Loc) -> tuple[int, int]:
    return loc.end_line, loc.end_col


def _lines(code: CodeType) -> Iterator[int]:
    for _, _, line in code.co_lines():
        if line is not None:
            yield line
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _lines(constant)


def _rows(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


# --- source, bytecode, control flow -------------------------------------------------------------


def _source(unit: CompileUnit) -> Iterator[LinkedLine]:
    from_line = unit.pyfunc.__code__.co_firstlineno
    for number, text in enumerate(_rows(_text(unit)), from_line):
        yield LinkedLine(text, number, 0, number, len(text))


def _bytecode(unit: CompileUnit) -> Iterator[LinkedLine]:
    header, *rows = _rows(_text(unit))
    instructions = unit.bytecode.instructions
    yield LinkedLine(header)
    for text, instruction in zip(rows, instructions, strict=True):
        names = (instruction.value,) if isinstance(instruction.value, str) else ()
        yield _at(instruction.loc, text, op=str(instruction.offset), names=names)


def _control_flow(unit: CompileUnit) -> Iterator[LinkedLine]:
    """What is said of one block belongs to the source from its first to its last instruction."""
    for text in _rows(_text(unit)):
        found = _BLOCK_ROW.match(text)
        block = unit.control_flow.blocks.get(int(found[1])) if found else None
        locs = [i.loc for i in block or () if i.loc.line]
        if not found or not locs:
            yield LinkedLine(text)
            continue
        first, last = min(locs, key=lambda loc: (loc.line, loc.col)), max(locs, key=_end)
        span = Loc(first.line, first.col, last.end_line, last.end_col, first.filename)
        yield _at(span, text, block=found[1])


_BLOCK_ROW = re.compile(r"^[ {]*(\d+): \{")


# --- our own IR ---------------------------------------------------------------------------------


def _own_ir(unit: CompileUnit) -> Iterator[LinkedLine]:
    user = UserFunction(unit)
    ops = walk(unit.fn)
    block = ""
    last = UNKNOWN
    for text in _rows(_text(unit)):
        if label := _LABEL.match(text):
            block = label[1]
        if not _OP_ROW.search(text):
            yield LinkedLine(text, block=block)
            continue
        op = next(ops)
        loc = user.place(op)
        row = _op_row(op, loc, text, block)
        if user.owns(loc.filename, loc.line):
            last = loc
            yield row
        else:  # of a body that was inlined: shown at the last place of the user's before it
            yield _inlined(row, loc, last)


_LABEL = re.compile(r"^\s*label (\d+):$")
_OP_ROW = re.compile(r"^\s.*\]$")  # each op's line ends with the list of its variables


def _op_row(op: Op, loc: Loc, text: str, block: str) -> LinkedLine:
    defined = definitions(op)
    names = tuple(dict.fromkeys((*defined, *uses(op))))
    variable = defined[0] if defined else ""
    return _at(loc, text, block=block, op=str(op.id), names=names, variable=variable)


def _inlined(row: LinkedLine, loc: Loc, call: Loc) -> LinkedLine:
    inner = f"{os.path.basename(loc.filename)}:{loc.line}:{loc.col}" if loc.line else ""
    return replace(
        row,
        line=call.line,
        column=call.col,
        end_line=call.end_line,
        end_column=call.end_col,
        inner=inner,
        near=True,
    )


# --- LLVM ---------------------------------------------------------------------------------------


def _llvm(text: str, unit: CompileUnit) -> Iterator[LinkedLine]:
    user, places = UserFunction(unit), Places(text)
    lines = list(lines_of(text))
    calls = _Calls(lines, places, user)
    for line in lines:
        yield _llvm_row(line, calls.chain(line), user)


def _llvm_row(line: TextLine, chain: tuple[Place, ...], user: UserFunction) -> LinkedLine:
    row = LinkedLine(line.text, block=line.block, op=line.result, names=line.names)
    if not line.is_instruction:
        return row
    own = line.function in (user.symbol, user.entry) and len(chain) < 2
    variable = user.variable(line.result) if own and line.result else ""
    if not chain:  # a phi has no location, its variable has; the rest unpacks arguments
        loc = user.variables.get(variable, UNKNOWN)
        if not loc.line and line.function == user.entry and " phi " not in line.text:
            loc = user.places.head
        owned = user.owns(loc.filename, loc.line)
        return _at(loc, **_kept(row), variable=variable) if owned else row
    place = chain[0]
    if not user.owns(place.filename, place.line):
        return replace(row, inner=str(chain[-1]), variable=variable)
    span = user.span(place.line, place.column, variable)
    inner = str(chain[-1]) if len(chain) > 1 else ""
    return _at(span, **_kept(row), variable=variable, inner=inner)


def _kept(row: LinkedLine) -> dict[str, Any]:  # Any: a field of the row
    return {"text": row.text, "block": row.block, "op": row.op, "names": row.names}


class _Calls:
    """Where each function of a module is called from, up to the user's function."""

    def __init__(self, lines: list[TextLine], places: Places, user: UserFunction) -> None:
        self._places = places
        self._user = user
        self._callers: dict[str, TextLine] = {}
        for line in lines:
            if line.is_instruction and (found := _CALL.search(line.text)):
                name = found[1].strip('"')
                if name != line.function:
                    self._callers.setdefault(name, line)

    def chain(self, line: TextLine) -> tuple[Place, ...]:
        """The chain of a line that begins in the user's function, as if all were inlined; empty
        where the line has no place."""
        chain = self._places.of(line.text)
        function = line.function
        seen = {function}
        while chain and function not in (self._user.symbol, self._user.entry):
            caller = self._callers.get(function)
            if caller is None or caller.function in seen:
                break
            chain = self._places.of(caller.text) + chain
            function = caller.function
            seen.add(function)
        while chain and chain[0].function == self._user.entry:
            chain = chain[1:]
        # Line 0 is what LLVM gives to code that it has merged from several places.
        return tuple(place for place in chain if place.line)


_CALL = re.compile(r"\bcall .*?@(\"(?:[^\"\\]|\\.)*\"|[\w.$-]+)\(")


# --- assembly -----------------------------------------------------------------------------------


def _assembly(unit: CompileUnit) -> Iterator[LinkedLine]:
    rows = _rows(unit.asm)
    if not unit.has("listing") or readable(unit.listing) != unit.asm:
        # Code that was not made from this module's text, or is not the same without a table.
        yield from map(LinkedLine, rows)
        return
    llvm = list(_llvm(unit.llvm_opt, unit))
    made: list[LinkedLine] = []
    origin = 0
    block = ""
    for text, row in zip(unit.listing.split("\n"), shown(unit.listing), strict=False):
        if place := _LOC.match(text):
            origin = int(place[1]) if place[2] == "1" else 0
        if row is None:
            continue
        if label := _ASM_LABEL.match(row):
            block = label[1]
        if _ASM_INSTRUCTION.match(row):
            made.append(_asm_row(row, block, origin, llvm))
        else:
            made.append(LinkedLine(row, block=block))
    yield from _from_neighbors(made[: len(rows)])


_LOC = re.compile(r"\t\.loc\t\d+ (\d+) (\d+)")
_ASM_LABEL = re.compile(r"^([^\s#][^:]*):")
_ASM_INSTRUCTION = re.compile(r"^\t[a-z]")
_ASM_NAME = re.compile(r"%\w+|\.L\w+|[\w.$]+@\w+")


def _asm_row(text: str, block: str, origin: int, llvm: list[LinkedLine]) -> LinkedLine:
    names = tuple(dict.fromkeys(_ASM_NAME.findall(text)))
    if not 0 < origin <= len(llvm):
        return LinkedLine(text, block=block, names=names)
    return replace(llvm[origin - 1], text=text, block=block, names=names, origin=origin)


def _from_neighbors(rows: list[LinkedLine]) -> list[LinkedLine]:
    """Instructions without a place get that of the next one in the block, else of the last:
    mostly they load a constant that is needed there."""
    for order in (range(len(rows) - 1, -1, -1), range(len(rows))):
        known: LinkedLine | None = None
        for k in order:
            row = rows[k]
            if not _ASM_INSTRUCTION.match(row.text):
                known = None
            elif row.line:
                known = row
            elif known is not None and not row.inner and known.block == row.block:
                rows[k] = replace(
                    known, text=row.text, names=row.names, op=row.op, origin=row.origin, near=True
                )
    return rows


def _at(loc: Loc, text: str, **more: Any) -> LinkedLine:  # Any: fields
    return LinkedLine(text, loc.line, loc.col, loc.end_line, loc.end_col, **more)


def _text(unit: CompileUnit) -> str:
    return VIEWS[unit.level].text(unit)


_LINKED: dict[Level, Callable[[CompileUnit], Iterator[LinkedLine]]] = {
    Level.source: _source,
    Level.bytecode: _bytecode,
    Level.cfg: _control_flow,
    Level.ir: _own_ir,
    Level.ssa: _own_ir,
    Level.typed: _own_ir,
    Level.arrayexpr: _own_ir,
    Level.parfor: _own_ir,
    Level.llvm: lambda unit: _llvm(unit.llvm, unit),
    Level.llvm_opt: lambda unit: _llvm(unit.llvm_opt, unit),
    Level.asm: _assembly,
}
