"""Decodes the bytecode of a function to the same instructions for all Python versions (stage 1)."""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterator
from functools import partial
from itertools import islice
from types import CodeType
from typing import TYPE_CHECKING, Any, NoReturn

from cutaway.errors import UnsupportedError
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.source import UNKNOWN, Loc, head_of, source_line
from cutaway.frontend import (
    comparisons,
    comprehensions,
    contexts,
    delegation,
    inlined,
    reaches,
    splicing,
)
from cutaway.frontend.versions import (
    COMMON_CONSTANTS,
    COMPARING,
    IGNORED,
    PAIRS,
    RENAMED,
    UNSUPPORTED,
    VERSION,
)
from cutaway.ir.constants import object_text

if TYPE_CHECKING:
    from cutaway.frontend.reaches import Reach


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction.

    `arg` is its numeric argument, `value` the meaning of it: a name, a constant, an operator's
    symbol, or the offset of a jump's target.
    """

    offset: int
    name: str
    arg: int
    value: Any
    loc: Loc

    def __str__(self) -> str:
        value = "" if self.value is None and self.arg == 0 else f" {_value_text(self.value)}"
        return f"{self.offset:6} {self.name}{value}"


def _value_text(value: Any) -> str:
    """Return the text of a value, equal in every process: no addresses, no hash order."""
    match value:
        case CodeType():
            return object_text(value)
        case frozenset():
            return f"frozenset({{{', '.join(sorted(map(_value_text, value)))}}})"
    return repr(value)


@dataclass(frozen=True, slots=True)
class Bytecode:
    """The decoded instructions of a code object, and the ranges that handlers guard."""

    code: CodeType
    instructions: tuple[Instruction, ...]
    reaches: tuple[Reach, ...] = ()

    def __str__(self) -> str:
        lines = [f"bytecode of {self.code.co_qualname}:"]
        line = -1
        for instruction in self.instructions:
            mark = f"{instruction.loc.line:5}" if instruction.loc.line != line else " " * 5
            line = instruction.loc.line
            lines.append(f"{mark} {instruction}")
        lines += [
            f"      {one.start} to {one.end}: exceptions go to {one.target}" for one in self.reaches
        ]
        return "\n".join(lines)


def decode(code: CodeType, part: bool = False) -> Bytecode:
    """Decode a code object, or a comprehension that is a `part` of another one.

    Raises UnsupportedError, with the source location, for an instruction that no level of the IR
    represents, such as those of `async` and of `except*`.
    """
    locations = _Locations(code)
    instructions: list[Instruction] = []
    raw = list(dis.get_instructions(code))
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        pauses = [one for one in raw if one.opname in _PAUSES]
        where = locations.of(pauses[0].positions) if pauses else head_of(code)
        _refuse("GET_AWAITABLE", where)
    for position, instruction in enumerate(raw):
        loc = locations.of(instruction.positions)
        if instruction.opname in UNSUPPORTED:
            _refuse(instruction.opname, loc)
        if instruction.opname not in IGNORED and not _starts_generator(raw, position):
            canonical = list(_canonical(code, instruction, loc))
            before = raw[position - 1] if position else instruction
            if before.opname == "TO_BOOL" and not _keeps_truth(raw, position - 1):
                # Here the test converts to bool, in CPython the TO_BOOL, which a handler may guard.
                canonical[0] = replace(canonical[0], offset=before.offset)
            instructions.extend(canonical)
        if _keeps_truth(raw, position):
            instructions += [Instruction(instruction.offset, "UNARY_NOT", 0, None, loc)] * 2

    def location_before(offset: int) -> Loc:
        before = [one for one in raw if one.offset < offset]
        return locations.of(before[-1].positions) if before else UNKNOWN

    names = {one.name for one in instructions}
    found: tuple[Reach, ...] = ()
    if code.co_exceptiontable:
        found = reaches.reaches_of(code, instructions, location_before)
    if "LOAD_SPECIAL" in names:
        instructions = contexts.with_entries(instructions)
    if not _INLINED.isdisjoint(names):
        instructions = inlined.in_one_form(instructions)
    if "GET_YIELD_FROM_ITER" in names:
        instructions, found = delegation.without_delegation(instructions, found)
    if VERSION.splices and any(isinstance(value, CodeType) for value in code.co_consts):
        body_of = partial(decode, part=True)
        instructions, found = splicing.spliced(code, instructions, found, body_of)
        names = {one.name for one in instructions}
    if not part:
        if "LOAD_FAST_AND_CLEAR" in names:
            instructions = comprehensions.with_own_variables(instructions)
        if not COMPARING.isdisjoint(names):
            instructions = comparisons.with_exact_places(instructions)
    return Bytecode(code, tuple(instructions), found)


# The instructions that are written in several forms.
_INLINED = {"LOAD_BUILTIN", "GET_ITER", "CONTAINS_OP", "UNPACK_SEQUENCE"}
if VERSION.pairs_iterators:
    _INLINED.add("CALL")

_PAUSES = ("YIELD_VALUE", "GET_AWAITABLE", "GET_AITER", "GET_YIELD_FROM_ITER")


def _refuse(name: str, loc: Loc) -> NoReturn:
    what, hint = UNSUPPORTED[name]
    raise UnsupportedError(f"{what} not supported in compiled code", loc, hint)


def _starts_generator(raw: list[dis.Instruction], position: int) -> bool:
    """True for RETURN_GENERATOR, and for the pop of its result."""
    generator = "RETURN_GENERATOR"
    return generator in (raw[position].opname, raw[position - 1].opname if position else "")


_TESTS = frozenset({"POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE", "UNARY_NOT"})
_ASKS_FOR_BOOL = 16  # in the argument of a comparison of 3.13


def _keeps_truth(raw: list[dis.Instruction], position: int) -> bool:
    """True for the `not not` of 3.13: an instruction that converts to bool, without a test after
    it."""
    one = raw[position]
    compares = one.opname == "COMPARE_OP" and VERSION.compare_shift == 5
    if one.opname != "TO_BOOL" and not (compares and (one.arg or 0) & _ASKS_FOR_BOOL):
        return False
    idle = IGNORED - {"TO_BOOL"}
    following = (later.opname for later in islice(raw, position + 1, None))
    return next(name for name in following if name not in idle) not in _TESTS


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
    elif name == "LOAD_SMALL_INT":
        yield Instruction(raw.offset, "LOAD_CONST", arg, arg, loc)
    elif name == "LOAD_COMMON_CONSTANT":
        yield _common_constant(raw.offset, arg, loc)
    elif name == "LOAD_CONST" and _has_slice(raw.argval):
        yield from _written_out(raw.offset, raw.argval, loc)
    elif name == "BINARY_OP" and raw.argrepr == "[]":
        yield Instruction(raw.offset, "BINARY_SUBSCR", 0, None, loc)
    elif name == "GET_ITER" and VERSION.pairs_iterators:
        yield Instruction(raw.offset, "GET_YIELD_FROM_ITER" if arg else name, 0, None, loc)
        yield Instruction(raw.offset, "PUSH_NULL", 0, None, loc)
    elif name == "COMPARE_OP":
        # The low bits are masks for the specialized instructions of 3.12 and 3.13, and in 3.13 one
        # requests a bool.
        symbol = dis.cmp_op[arg >> VERSION.compare_shift]
        yield Instruction(raw.offset, name, arg, symbol, loc)
    elif name == "KW_NAMES":
        yield Instruction(raw.offset, name, arg, code.co_consts[arg], loc)
    elif name == "BINARY_OP":
        yield Instruction(raw.offset, name, arg, raw.argrepr, loc)
    else:
        yield Instruction(raw.offset, RENAMED.get(name, name), arg, raw.argval, loc)


def _common_constant(offset: int, arg: int, loc: Loc) -> Instruction:
    value: Any = COMMON_CONSTANTS[arg]
    if value is AssertionError:
        return Instruction(offset, "LOAD_ASSERTION_ERROR", 0, None, loc)
    if callable(value):  # Python's compiler refers to the builtin itself, whatever its name means
        return Instruction(offset, "LOAD_BUILTIN", arg, value, loc)
    return Instruction(offset, "LOAD_CONST", arg, value, loc)


def _has_slice(value: Any) -> bool:
    if type(value) is tuple:
        return any(map(_has_slice, value))
    return type(value) is slice


def _written_out(offset: int, value: Any, loc: Loc) -> Iterator[Instruction]:
    """Yield the instructions that build a constant with a slice in it, as before 3.14."""
    parts: tuple[Any, ...]
    if type(value) is tuple and _has_slice(value):
        name, parts = "BUILD_TUPLE", value
    elif type(value) is slice:
        name, parts = "BUILD_SLICE", (value.start, value.stop, value.step)
        parts = parts[: 2 if value.step is None else 3]
    else:
        yield Instruction(offset, "LOAD_CONST", 0, value, loc)
        return
    for part in parts:
        yield from _written_out(offset, part, loc)
    yield Instruction(offset, name, len(parts), None, loc)


def place_of_iteration(code: CodeType) -> Loc:
    """Return the location of the iterable in a generator expression."""
    iterates = (one for one in dis.get_instructions(code) if one.opname == "GET_ITER")
    return _Locations(code).of(next(iterates).positions)


class _Locations:
    """The source spans of instructions, with columns in characters rather than in bytes."""

    def __init__(self, code: CodeType) -> None:
        self.filename = code.co_filename
        self.known: dict[Any, Loc] = {}

    def of(self, positions: Any) -> Loc:
        """Return the span for an instruction's `positions`; UNKNOWN without a line."""
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
