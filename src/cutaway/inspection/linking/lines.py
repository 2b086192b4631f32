"""Link every line of every level to its location in the user's source.

    for row in linked_lines(c.at("asm")):
        row.text                    vaddsd  %xmm4, %xmm0, %xmm0
        row.line, row.column        5, 9
        row.op                      s.2.14.i: the LLVM value that it computes

Our own IR has spans. LLVM has only their starts; the end is looked up among the spans of the IR,
first that of the variable which the value is named after. Assembly links to lines of the optimized
LLVM text (`targets/cpu/line_table.py`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.source import UNKNOWN, Loc
from cutaway.inspection.linking.user_places import CallSites, UserFunction, end_of
from cutaway.inspection.llvm import ptx_text
from cutaway.inspection.llvm.places import Place, Places
from cutaway.inspection.llvm.text import TextLine, lines_of, rare_functions
from cutaway.inspection.views import VIEWS
from cutaway.ir.levels import Level
from cutaway.ir.nodes import Op
from cutaway.ir.parser import edge_of_region
from cutaway.ir.traversal import definitions, uses, walk
from cutaway.lowering.module import is_lowered
from cutaway.stages.unit import CompileUnit
from cutaway.targets.cpu.line_table import shown

if TYPE_CHECKING:
    from cutaway.inspection.recording.recording import LevelView


@dataclass(frozen=True, slots=True)
class LinkedLine:
    """A line of text at some level, linked to the source.

    `line` counts from 1, 0 is none; columns count from 0, the end is exclusive. `op` is the id of
    an op, the offset of an instruction, or the name of an LLVM value; `names` are the values that
    the line mentions, `variable` is the variable of our IR that it computes. In inlined code the
    location is that of the call in the user's function, and `inner` that of the inlined code.
    `origin` is, for assembly, the line of the optimized LLVM text, from 1. `near` is true if the
    location is a neighbor's, because the line has none of its own. In LLVM IR and in assembly
    `is_instruction` is false for labels and the like; `rare` is true in a function that rarely
    runs: the copy of a loop for failed checks before it.
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
    is_instruction: bool = False
    rare: bool = False

    @property
    def has_span(self) -> bool:
        """True if the columns of the line are known."""
        return self.line > 0 and (self.end_line, self.end_column) > (self.line, self.column)


def linked_lines(view: LevelView) -> tuple[LinkedLine, ...]:
    """Return the lines of a level's text; joined by newlines they are the text, except for a final
    newline."""
    return unit_lines(view.unit)


def unit_lines(unit: CompileUnit) -> tuple[LinkedLine, ...]:
    """Return the lines of a unit's program at the level that it has reached."""
    return tuple(_LINKED.get(unit.level, _plain)(unit))


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
    for text, instruction in zip(rows, instructions, strict=False):
        names = (instruction.value,) if isinstance(instruction.value, str) else ()
        yield _at(instruction.loc, text, op=str(instruction.offset), names=names)
    for text, reach in zip(rows[len(instructions) :], unit.bytecode.reaches, strict=True):
        yield _at(reach.loc, text)


def _control_flow(unit: CompileUnit) -> Iterator[LinkedLine]:
    """Link a block to the source from its first to its last instruction."""
    for text in _rows(_text(unit)):
        match = _BLOCK_ROW.match(text)
        block = unit.control_flow.blocks.get(int(match[1])) if match else None
        locs = [i.loc for i in block or () if i.loc.line]
        if not match or not locs:
            yield LinkedLine(text)
            continue
        first, last = min(locs, key=lambda loc: (loc.line, loc.col)), max(locs, key=end_of)
        span = Loc(first.line, first.col, last.end_line, last.end_col, first.filename)
        yield _at(span, text, block=match[1])


_BLOCK_ROW = re.compile(r"^[ {]*(\d+): \{")


# --- our own IR ---------------------------------------------------------------------------------


def _own_ir(unit: CompileUnit) -> Iterator[LinkedLine]:
    user = UserFunction(unit)
    ops = walk(unit.fn)
    block, around = "", list[str]()  # the blocks around the open regions
    last = UNKNOWN
    has_regions = any(op.REGIONS for op in walk(unit.fn))
    for text in _rows(_text(unit)):
        edge = edge_of_region(text) if has_regions else 0
        if edge > 0:
            around.append(block)
        elif edge < 0:
            block = around.pop()
        elif label := _LABEL.match(text):
            block = label[1]
        if edge or not _OP_ROW.search(text):
            yield LinkedLine(text, block=block)
            continue
        op = next(ops)
        loc = user.place(op)
        row = _op_row(op, loc, text, block)
        if user.owns(loc.filename, loc.line):
            last = loc
            yield row
        else:  # inlined; ops added to an inlined body get the location before
            call = unit.inlined_at(op.id)
            yield _inlined(row, loc, call or last, near=call is None)
            last = call or last


_LABEL = re.compile(r"^\s*label (\d+)(?:, except \d+)?:$")
_OP_ROW = re.compile(r"^\s.*\]$")  # each op's line ends with the list of its variables


def _op_row(op: Op, loc: Loc, text: str, block: str) -> LinkedLine:
    defined = definitions(op)
    names = tuple(dict.fromkeys((*defined, *uses(op))))
    variable = defined[0] if defined else ""
    return _at(loc, text, block=block, op=str(op.id), names=names, variable=variable)


def _inlined(row: LinkedLine, loc: Loc, call: Loc, near: bool) -> LinkedLine:
    inner = f"{os.path.basename(loc.filename)}:{loc.line}:{loc.col}" if loc.line else ""
    return replace(_moved(row, call, row.variable, inner), near=near)


# --- LLVM ---------------------------------------------------------------------------------------


def _llvm(text: str, unit: CompileUnit) -> Iterator[LinkedLine]:
    user, places = UserFunction(unit), Places(text)
    lines = list(lines_of(text))
    calls = CallSites(lines, places, user)
    rare = rare_functions(text)
    last: dict[str, Loc] = {}  # by function
    for line in lines:
        row = replace(_llvm_row(line, calls.chain(line), user), rare=line.function in rare)
        if row.line:
            last[line.function] = Loc(
                row.line, row.column, row.end_line, row.end_column, user.filename
            )
        elif row.inner:  # in a body that our passes inlined, see `_own_ir`
            call = user.calls.get(row.variable) or last.get(line.function, user.places.head)
            near = row.variable not in user.calls
            row = replace(_moved(row, call, row.variable, row.inner), near=near)
            last[line.function] = call
        yield row


def _llvm_row(line: TextLine, chain: tuple[Place, ...], user: UserFunction) -> LinkedLine:
    if not line.is_instruction and not line.text.startswith("  ]"):  # the end of a `switch`
        return LinkedLine(line.text, block=line.block)
    row = LinkedLine(line.text, block=line.block, op=line.result, names=line.names)
    row = replace(row, is_instruction=line.is_instruction)
    own = user.is_own(line.function) and len(chain) < 2
    variable = user.variable(line.result) if own and line.result else ""
    if not chain:  # a phi has no location, its variable has; the rest unpacks arguments
        loc = user.variables.get(variable, UNKNOWN)
        if not loc.line and line.function == user.entry and _UNPACKS.match(line.text):
            loc = user.places.head
        owned = user.owns(loc.filename, loc.line)
        return _moved(row, loc, variable) if owned else replace(row, variable=variable)
    place = chain[0]
    if own and user.is_of_callee(line):
        return replace(_moved(row, user.span(place.line, place.column), ""), near=True)
    if (loc := user.variables.get(variable, UNKNOWN)).line and user.owns(loc.filename, loc.line):
        return _moved(row, loc, variable)
    if not user.owns(place.filename, place.line):
        # A location elsewhere, under our name, is of a body that our passes inlined.
        inner = chain[0].where if len(chain) == 1 else str(chain[-1])
        return replace(row, inner=inner, variable=variable)
    span = user.span(place.line, place.column, variable)
    inner = str(chain[-1]) if len(chain) > 1 else ""
    return _moved(row, span, variable, inner)


_UNPACKS = re.compile(r'^  (%"?arg\.\d+"? = (?!phi)|ret )')


def _moved(row: LinkedLine, loc: Loc, variable: str, inner: str = "") -> LinkedLine:
    return replace(
        row,
        line=loc.line,
        column=loc.col,
        end_line=loc.end_line,
        end_column=loc.end_col,
        variable=variable,
        inner=inner,
    )


# --- assembly -----------------------------------------------------------------------------------


def _assembly(unit: CompileUnit) -> Iterator[LinkedLine]:
    rows = _rows(unit.asm)
    origins = _origins(unit.listing) if unit.has("listing") else []
    if [text for text, _ in origins] != list(filter(_ASM_INSTRUCTION.match, rows)):
        # Code from another text, or code that a line table changes.
        for text in rows:
            yield LinkedLine(text, is_instruction=_ASM_INSTRUCTION.match(text) is not None)
        return
    llvm = list(_llvm(unit.llvm_opt, unit))
    rare = rare_functions(unit.llvm_opt)
    linked: list[LinkedLine] = []
    following = iter(origins)
    block = function = ""
    for row in rows:
        if label := _ASM_LABEL.match(row):
            block = label[1]
            function = function if block.startswith(".L") else block.strip('"')
        if _ASM_INSTRUCTION.match(row):
            _, origin = next(following)
            linked.append(replace(_asm_row(row, block, origin, llvm), rare=function in rare))
        else:
            linked.append(LinkedLine(row, block=block, rare=function in rare))
    yield from _from_neighbors(linked)


def _origins(listing: str) -> list[tuple[str, int]]:
    """Return the instructions of a listing, each with its line of the optimized LLVM text."""
    rows = []
    origin = 0
    for text, row in zip(listing.split("\n"), shown(listing), strict=False):
        if place := _LOC.match(text):
            origin = int(place[1]) if place[2] == "1" else 0
        if row is not None and _ASM_INSTRUCTION.match(row):
            rows.append((row, origin))
    return rows


_LOC = re.compile(r"\t\.loc\t\d+ (\d+) (\d+)")
_ASM_LABEL = re.compile(r"^([^\s#][^:]*):")
_ASM_INSTRUCTION = re.compile(r"^\t[a-z]")
_ASM_NAME = re.compile(r"%\w+|\.L\w+|[\w.$]+@\w+")


def _asm_row(text: str, block: str, origin: int, llvm: list[LinkedLine]) -> LinkedLine:
    names = tuple(dict.fromkeys(_ASM_NAME.findall(text)))
    if not 0 < origin <= len(llvm):
        return LinkedLine(text, block=block, names=names, is_instruction=True)
    row = replace(llvm[origin - 1], text=text, block=block, names=names, origin=origin)
    return replace(row, is_instruction=True)


def _from_neighbors(rows: list[LinkedLine]) -> list[LinkedLine]:
    """Locate instructions without a location at the next one in the block, else at the last: mostly
    they load a constant for it."""
    for order in (range(len(rows) - 1, -1, -1), range(len(rows))):
        known: LinkedLine | None = None
        for k in order:
            row = rows[k]
            if not row.is_instruction:
                known = None
            elif row.line:
                known = row
            elif known is not None and known.block == row.block:
                rows[k] = replace(
                    known,
                    text=row.text,
                    names=row.names,
                    op=row.op,
                    variable=row.variable,
                    origin=row.origin,
                    near=True,
                    rare=row.rare,
                )
    return rows


# --- PTX ----------------------------------------------------------------------------------------


def _ptx(unit: CompileUnit) -> Iterator[LinkedLine]:
    rows = _rows(unit.ptx)
    origins = ptx_text.origins(unit.ptx, unit.ptx_listing) if unit.has("ptx_listing") else None
    llvm = [] if origins is None else list(_llvm(unit.llvm_opt, unit))
    parameters = _Parameters(unit)
    linked: list[LinkedLine] = []
    block = ""
    for number, text in enumerate(rows):
        label = ptx_text.LABEL.match(text) or ptx_text.HEAD.match(text)
        block = label[1] if label else block
        names = tuple(dict.fromkeys(ptx_text.NAME.findall(text)))
        row = LinkedLine(text, block=block, names=names)
        if ptx_text.INSTRUCTION.match(text):
            origin = 0 if origins is None else origins[number]
            row = replace(_asm_row(text, block, origin, llvm), names=names)
        linked.append(parameters.placed(row))
    yield from linked if origins is None else _from_neighbors(list(_of_pointers(linked)))


def _of_pointers(rows: Iterable[LinkedLine]) -> Iterator[LinkedLine]:
    """Locate a pointer conversion, which has no location, at the pointer's load."""
    loaded: dict[str, LinkedLine] = {}
    for row in rows:
        if match := _CONVERTS.match(row.text):
            known = loaded.get(match[1])
            if known is not None and not row.line:
                row = replace(known, text=row.text, block=row.block, names=row.names, near=True)
        elif match := _LOADS.match(row.text):
            loaded[match[1]] = row
        yield row


_CONVERTS = re.compile(r"^\tcvta\.to\.\S+\s+%\w+, (%\w+);")
_LOADS = re.compile(r"^\tld\.param\.\S+\s+(%\w+), ")


class _Parameters:
    """The locations of a kernel's parameters, which PTX numbers."""

    def __init__(self, unit: CompileUnit) -> None:
        self.user = UserFunction(unit)
        head = re.search(rf"^define .*?@{re.escape(self.user.entry)}\((.*)$", unit.llvm, re.M)
        self.values = _PARAMETER_OF_LLVM.findall(head[1]) if head else []

    def placed(self, row: LinkedLine) -> LinkedLine:
        """Locate a row at its parameter, or at the function's head."""
        match = ptx_text.PARAMETER.search(row.text)
        if match and match[1] == self.user.entry and int(match[2]) < len(self.values):
            value = self.values[int(match[2])].strip('"')
            variable = self.user.variable(value)
            loc = self.user.variables.get(variable, self.user.places.head)
            return replace(_moved(row, loc, variable), op=value, origin=0, near=False)
        head = ptx_text.HEAD.match(row.text)
        return (
            _moved(row, self.user.places.head, "") if head and head[1] == self.user.entry else row
        )


_PARAMETER_OF_LLVM = re.compile(r'%("[^"]+"|[\w.$-]+)(?=[,)])')


def _at(loc: Loc, text: str, **more: Any) -> LinkedLine:
    return LinkedLine(text, loc.line, loc.col, loc.end_line, loc.end_col, **more)


def _text(unit: CompileUnit) -> str:
    return VIEWS[unit.level].text(unit)


def _plain(unit: CompileUnit) -> Iterator[LinkedLine]:
    """Yield the lines of a level without links: a target's own."""
    yield from map(LinkedLine, _rows(_text(unit)))


# Of a function in a restarted compilation: its callee was lowered after it.
_PART = LinkedLine("; it was lowered before its callee, so the compilation restarted")


def _is_whole(unit: CompileUnit) -> bool:
    """True if a unit has a module: all of its callees are lowered."""
    return unit.callee is not None and is_lowered(unit.callee)


_LINKED: dict[Level, Callable[[CompileUnit], Iterator[LinkedLine]]] = {
    Level.source: _source,
    Level.bytecode: _bytecode,
    Level.cfg: _control_flow,
    Level.ir: _own_ir,
    Level.objects: _own_ir,
    Level.ssa: _own_ir,
    Level.typed: _own_ir,
    Level.arrayexpr: _own_ir,
    Level.parfor: _own_ir,
    Level.llvm: lambda unit: _llvm(unit.llvm, unit) if _is_whole(unit) else iter((_PART,)),
    Level.llvm_opt: lambda unit: _llvm(unit.llvm_opt, unit),
    Level.asm: _assembly,
    Level.ptx: _ptx,
}
