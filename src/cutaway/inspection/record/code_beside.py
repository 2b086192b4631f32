"""The code of two compilations of one source side by side, by source line.

cutaway.diff(f.trace(x), cuda.jit(device=True)(f.py_func).trace(x)).code()

4  y = x * x + 1.0
   mulsd %xmm0, %xmm0               mul.f64 %rd2, %rd1, %rd1;
   addsd (%rip), %xmm0              add.f64 %rd3, %rd2, 0d3FF0000000000000;
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from cutaway.errors import RecordError
from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.record.comparing import bare, kind_of
from cutaway.inspection.record.model import FunctionRecord, State
from cutaway.inspection.showing.displayed import Displayed

_CODE = ("asm", "ptx")
WIDTH = 44  # of a column


@dataclass(frozen=True, slots=True)
class LineOfCode:
    """A line of the source, and its instructions in each of the two."""

    line: int
    source: str
    left: tuple[str, ...]
    right: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class CodeBeside(Displayed):
    """The machine code, or PTX, of two compilations; line 0 is code without a line."""

    left: str
    right: str
    rows: tuple[LineOfCode, ...]

    def __iter__(self) -> Iterator[LineOfCode]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def at(self, line: int) -> LineOfCode:
        """Return the code of a source line; raises RecordError for one without code."""
        for row in self.rows:
            if row.line == line:
                return row
        known = ", ".join(str(row.line) for row in self.rows if row.line)
        raise RecordError(f"line {line} became no instruction", hint=f"lines: {known}")

    def __str__(self) -> str:
        lines = [f"{self.left:<{WIDTH}} | {self.right}"]
        for row in self.rows:
            lines.append(f"{row.line or '-':>4}  {row.source.strip()}".rstrip())
            for left, right in zip_longest(row.left, row.right, fillvalue=""):
                lines.append(f"      {left:<{WIDTH - 6}} | {right}".rstrip())
        return "\n".join(lines)


def code_beside(left: FunctionRecord, right: FunctionRecord) -> CodeBeside:
    """Compare the code of two compilations of one source.

    Raises RecordError if the sources differ, or one of the two has no code.
    """
    if left.source.lines != right.source.lines:
        raise RecordError(
            f"{left.name} and {right.name} are not of one source",
            hint="compare them level by level: cutaway.diff(a, b).at(...)",
        )
    states = _code(left), _code(right)
    found = [_by_line(state) for state in states]
    offset = right.source.first_line - left.source.first_line
    lines = sorted({*found[0], *(line and line - offset for line in found[1])})
    lines = [line for line in lines if line] + [0] * (0 in lines)
    rows = [
        LineOfCode(
            line,
            _source(left, line),
            found[0].get(line, ()),
            found[1].get(line and line + offset, ()),
        )
        for line in lines
    ]
    names = [f"{one.signature} ({state.level})" for one, state in zip((left, right), states)]
    return CodeBeside(names[0], names[1], tuple(rows))


def _code(function: FunctionRecord) -> State:
    for state in reversed(function.states):
        if state.level in _CODE:
            return state
    raise RecordError(
        f"the compilation of {function.name} reached no machine code",
        hint="its error says why" if function.error else "trace the function",
    )


def _by_line(state: State) -> dict[int, tuple[str, ...]]:
    """Return the instructions of each line."""
    instructions: dict[int, tuple[str, ...]] = {}
    for line in state.lines:
        if kind_of(line, state.language) == "instruction" and line.text[:1].isspace():
            text = " ".join(bare(line.text, state.language).split())
            instructions[line.span[0]] = (*instructions.get(line.span[0], ()), text)
    return instructions


def _source(function: FunctionRecord, line: int) -> str:
    place = line - function.source.first_line
    return function.source.lines[place] if 0 <= place < len(function.source.lines) else ""
