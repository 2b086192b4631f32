"""A small compiler for the tests of inspection: real ops, passes of a few lines each."""

from __future__ import annotations

from dataclasses import replace

from cutaway.errors import TypingError
from cutaway.foundation.options import Flags
from cutaway.foundation.source import Loc
from cutaway.ir.function import Function
from cutaway.ir.nodes import Arg, Binary, Block, Cast, Const, Copy, Return
from cutaway.ir.operators import BINARY
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.pipelines import nopython
from cutaway.stages.runner import PassManager
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types


def add(a, b):
    """The function that the fake compiler knows."""
    return a + b


FIRST_LINE = add.__code__.co_firstlineno


def fresh_unit() -> CompileUnit:
    """A unit of `add` for two integers, with nothing done."""
    return CompileUnit(add, (types.int64, types.int64), Flags(), None, "add$1")


def nothing(unit: CompileUnit) -> None:
    """Change nothing."""


class Listing(str):
    """Bytecode of which there is only a heading."""

    instructions = ()


def _decode(unit: CompileUnit) -> None:
    unit.bytecode = Listing("LOAD_FAST a")


def _flow(unit: CompileUnit) -> None:
    unit.control_flow = "CFG adjacency lists:\n{0: []}"


def _build(unit: CompileUnit) -> None:
    line = Loc(FIRST_LINE + 2, 11, FIRST_LINE + 2, 16, __file__)
    head = Loc(FIRST_LINE, 8, FIRST_LINE, 9, __file__)
    ops = [
        Arg("a", 0, "a", loc=head, id=1),
        Arg("b", 1, "b", loc=head, id=2),
        Const("$0.1", 7, loc=line, id=3),
        Binary("$0.2", BINARY["+"], "a", "b", loc=line, id=4),
        Copy("$0.3", "$0.2", loc=line, id=5),
        Cast("$0.4", "$0.3", loc=line, id=6),
        Return("$0.4", loc=line, id=7),
    ]
    unit.fn = Function("add", ("a", "b"), {0: Block(0, ops)}, __file__, FIRST_LINE, 8, 0)


def _simplify(unit: CompileUnit) -> None:
    unit.note("an unused constant was dropped")
    del unit.fn.blocks[0].ops[2]


def _infer(unit: CompileUnit) -> None:
    unit.types = {name: types.int64 for name in ("a", "b", "$0.2", "$0.3", "$0.4")}
    unit.return_type = types.int64


def _lower(unit: CompileUnit) -> None:
    unit.llvm = "define i64 @add() {\n  ret i64 0\n}"


RUNS = {
    "decode_bytecode": _decode,
    "control_flow": _flow,
    "build_ir": _build,
    "simplify": _simplify,
    "infer_types": _infer,
    "lower_llvm": _lower,
}


def pipeline_with(**runs) -> Pipeline:
    """The pipeline up to LLVM IR, faked; `runs` gives some passes something else to do."""
    known = {**RUNS, **runs}
    rows = tuple(replace(row, run=known.get(row.name, nothing)) for row in nopython)
    return Pipeline(rows).until("lower_llvm")


def inner_compilation(unit: CompileUnit) -> None:
    """As a pass: compile another function, then infer types."""
    PassManager.run(fresh_unit(), pipeline_with().until("simplify"), unit.observers)
    _infer(unit)


def type_error(unit: CompileUnit) -> None:
    """As a pass: find an error in the user's program."""
    raise TypingError("+ does not work between these")
