"""The bytecode of a function, decoded to one naming for all versions of Python (stage 1)."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterator
from types import CodeType
from typing import Any

from cutaway.errors import UnsupportedError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import UNKNOWN, Loc, source_line
from cutaway.frontend.comparisons import with_exact_places
from cutaway.frontend.comprehensions import with_own_variables
from cutaway.frontend.versions import IGNORED, PAIRS, RENAMED, UNSUPPORTED, VERSION
from cutaway.ir.constants import object_text


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction.

    `arg` is its number, `value` what the number stands for: a name, a constant, an operator's
    symbol, or the offset that a jump goes to.
    """

    offset: int
    name: str
    arg: int
    value: Any  # Any: a constant of the program, a name, an offset
    loc: Loc

    def __str__(self) -> str:
        value = "" if self.value is None and self.arg == 0 else f" {_value_text(self.value)}"
        return f"{self.offset:6} {self.name}{value}"


def _value_text(value: Any) -> str:  # Any: see Instruction
    """The text of a value, the same in each process: no address, no order of hashes."""
    match value:
        case CodeType():
            return object_text(value)
        case frozenset():
            return f"frozenset({{{', '.join(sorted(map(_value_text, value)))}}})"
    return repr(value)


@dataclass(frozen=True, slots=True)
class Bytecode:
    """The decoded instructions of a code object."""

    code: CodeType
    instructions: tuple[Instruction, ...]

    def __str__(self) -> str:
        lines = [f"bytecode of {self.code.co_qualname}:"]
        line = -1
        for instruction in self.instructions:
            mark = f"{instruction.loc.line:5}" if instruction.loc.line != line else " " * 5
            line = instruction.loc.line
            lines.append(f"{mark} {instruction}")
        return "\n".join(lines)


def decode(code: CodeType) -> Bytecode:
    """Decode a code object.

    Raises UnsupportedError, at its place in the source, for an instruction that stands for
    something that is not compiled.
    """
    locations = _Locations(code)
    instructions: list[Instruction] = []
    raw = list(dis.get_instructions(code))
    for position, instruction in enumerate(raw):
        if instruction.opname in UNSUPPORTED:
            raise _unsupported(code, raw, position, locations)
        if instruction.opname == "LOAD_FAST_AND_CLEAR" and not _makes_list(raw, position):
            raise UnsupportedError(
                "comprehensions are not supported in compiled code",
                locations.of(instruction.positions),
                "write a loop that fills an array",
            )
        if instruction.opname not in IGNORED:
            instructions.extend(_canonical(code, instruction, locations.of(instruction.positions)))
    return Bytecode(code, with_exact_places(with_own_variables(instructions)))


def _makes_list(raw: list[dis.Instruction], position: int) -> bool:
    """True if the comprehension whose variables are put aside here is one of a list."""
    names = (one.opname for one in raw[position:])
    return next(name for name in names if name.startswith("BUILD_")) == "BUILD_LIST"


def _unsupported(
    code: CodeType, raw: list[dis.Instruction], position: int, locations: _Locations
) -> UnsupportedError:
    """The error for an instruction that stands for something that is not compiled."""
    name = raw[position].opname
    what, hint = UNSUPPORTED[name]
    if name == "RETURN_GENERATOR":
        pause = _first_pause(raw)
        first = code.co_firstlineno
        loc = Loc(first, 0, first, 0, code.co_filename)
        if pause is not None:
            loc = locations.of(pause.positions)
        if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            what, hint = UNSUPPORTED["GET_AWAITABLE"]
        return UnsupportedError(f"{what} not supported in compiled code", loc, hint)
    loc = locations.of(raw[position].positions)
    if loc is UNKNOWN:
        # Handlers have no place of their own: what they guard has.  The instruction in front of
        # the first one that is guarded is the `try` itself.
        guarded = min(entry.start for entry in dis.Bytecode(code).exception_entries)
        before = [r for r in raw if r.offset < guarded]
        loc = locations.of(before[-1].positions) if before else UNKNOWN
    return UnsupportedError(f"{what} not supported in compiled code", loc, hint)


def _first_pause(raw: list[dis.Instruction]) -> dis.Instruction | None:
    """The first `yield` or `await` of a generator or coroutine; None where there is none."""
    pauses = ("YIELD_VALUE", "GET_AWAITABLE", "GET_AITER", "GET_YIELD_FROM_ITER")
    return next((r for r in raw if r.opname in pauses), None)


def _canonical(code: CodeType, raw: dis.Instruction, loc: Loc) -> Iterator[Instruction]:
    name, arg = raw.opname, raw.arg or 0
    if name in PAIRS:
        # CPython joins two instructions only where both arguments fit into four bits.
        first, second = PAIRS[name]
        yield Instruction(raw.offset, first, arg >> 4, code.co_varnames[arg >> 4], loc)
        yield Instruction(raw.offset, second, arg & 15, code.co_varnames[arg & 15], loc)
    elif name == "RETURN_CONST":
        yield Instruction(raw.offset, "LOAD_CONST", arg, raw.argval, loc)
        yield Instruction(raw.offset, "RETURN_VALUE", 0, None, loc)
    elif name == "BINARY_SLICE":
        yield Instruction(raw.offset, "BUILD_SLICE", 2, None, loc)
        yield Instruction(raw.offset, "BINARY_SUBSCR", 0, None, loc)
    elif name == "STORE_SLICE":
        yield Instruction(raw.offset, "BUILD_SLICE", 2, None, loc)
        yield Instruction(raw.offset, "STORE_SUBSCR", 0, None, loc)
    elif name == "COMPARE_OP":
        # Below the comparison 3.12 and 3.13 keep masks for their specialized instructions, and 3.13
        # a bit that asks for a bool.
        symbol = dis.cmp_op[arg >> VERSION.compare_shift]
        yield Instruction(raw.offset, name, arg, symbol, loc)
    elif name == "KW_NAMES":
        yield Instruction(raw.offset, name, arg, code.co_consts[arg], loc)
    elif name == "BINARY_OP":
        yield Instruction(raw.offset, name, arg, raw.argrepr, loc)
    else:
        yield Instruction(raw.offset, RENAMED.get(name, name), arg, raw.argval, loc)


class _Locations:
    """Spans of instructions, with columns in characters rather than in bytes."""

    def __init__(self, code: CodeType) -> None:
        self.filename = code.co_filename
        self.known: dict[Any, Loc] = {}  # Any: dis.Positions

    def of(self, positions: Any) -> Loc:  # Any: dis.Positions
        """The span of an instruction's positions."""
        if positions is None or positions.lineno is None:
            return UNKNOWN
        loc = self.known.get(positions)
        if loc is None:
            loc = self.known[positions] = Loc(
                positions.lineno,
                self._column(positions.lineno, positions.col_offset),
                positions.end_lineno or positions.lineno,
                self._column(positions.end_lineno or positions.lineno, positions.end_col_offset),
                self.filename,
            )
        return loc

    def _column(self, line: int, column: int | None) -> int:
        # CPython counts columns in bytes of UTF-8, editors and tracebacks in characters.
        if not column:
            return 0
        text = source_line(self.filename, line)
        if text.isascii():
            return column
        return len(text.encode()[:column].decode(errors="ignore"))
