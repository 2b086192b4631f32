"""A pipeline of one's own that goes from IR straight to LLVM text: no types, no SSA."""

from __future__ import annotations

import pytest

import cutaway
from cutaway import config
from cutaway.errors import PipelineError, UnsupportedError
from cutaway.foundation.dataclass import replace
from cutaway.ir import nodes
from cutaway.ir.levels import Level
from cutaway.stages.passes import Pass
from cutaway.stages.pipeline import Pipeline
from cutaway.targets.cpu.optimization import LIGHT
from cutaway.typing import types


def words(unit):
    """Write every variable as a word of memory, and every operation as one of 64 bits."""
    fn, lines = unit.fn, []
    names = {name for block in fn.blocks.values() for op in block.ops for name in made(op)}
    lines += [f"  %{name}.at = alloca i64" for name in sorted(names)]
    for label, block in fn.blocks.items():
        if label != fn.entry.label:
            lines.append(f"block{label + 1}:")
        for op in block.ops:
            lines += instruction(op)
    header = f'define i32 @"{unit.callee.symbol}.entry"(ptr %ret, ptr %args, ptr %exc) {{'
    unit.llvm = "\n".join([header, "entry:", *lines, "}", ""])
    unit.plan, unit.symbols, unit.return_type = LIGHT, {}, types.int64


def made(op):
    return [op.result] if hasattr(op, "result") else []


def instruction(op):
    """The lines of one operation."""
    match op:
        case nodes.Arg(result, index, _):
            place = f"getelementptr i64, ptr %args, i64 {index}"
            yield f"  %{result}.from = {place}"
            yield f"  %{result}.in = load i64, ptr %{result}.from"
            yield f"  store i64 %{result}.in, ptr %{result}.at"
        case nodes.Const(result, value):
            yield f"  store i64 {value}, ptr %{result}.at"
        case nodes.Copy(result, value) | nodes.Cast(result, value):
            yield f"  %{result}.copy = load i64, ptr %{value}.at"
            yield f"  store i64 %{result}.copy, ptr %{result}.at"
        case nodes.Binary(result, sign, lhs, rhs):
            word = {"+": "add", "-": "sub", "*": "mul"}[sign.symbol]
            yield f"  %{result}.lhs = load i64, ptr %{lhs}.at"
            yield f"  %{result}.rhs = load i64, ptr %{rhs}.at"
            yield f"  %{result}.new = {word} i64 %{result}.lhs, %{result}.rhs"
            yield f"  store i64 %{result}.new, ptr %{result}.at"
        case nodes.Jump(target):
            yield f"  br label %block{target + 1}"
        case nodes.Return(value):
            yield f"  %{value}.out = load i64, ptr %{value}.at"
            yield f"  store i64 %{value}.out, ptr %ret"
            yield "  ret i32 0"
        case _:
            raise UnsupportedError(f"no word does {type(op).__name__}", op.loc)


WORDS = Pass("words", words, Level.ir, Level.llvm, "6a lower")
STRAIGHT = Pipeline.parse(
    "decode_bytecode, control_flow, build_ir, words, optimize_llvm, emit_object, link",
    extra=(WORDS,),
)


def scaled(a, b):
    c = a * 3
    return c - b + 1


@pytest.fixture
def function():
    return cutaway.jit(pipeline=STRAIGHT)(scaled)


def test_it_is_a_pipeline_and_a_wrong_one_is_none():
    assert STRAIGHT.reaches is Level.asm and "infer_types" not in STRAIGHT.names
    with pytest.raises(PipelineError, match="words reads level ir, but only cfg is reached"):
        STRAIGHT.without("build_ir")
    with pytest.raises(PipelineError, match="gives level llvm, which does not come after llvm_opt"):
        STRAIGHT.insert_after("optimize_llvm", replace(WORDS, name="again"))


def test_it_compiles_functions_that_run(function):
    assert [function(a, b) for a in (-2, 7) for b in (0, 5)] == [
        scaled(a, b) for a in (-2, 7) for b in (0, 5)
    ]


def test_it_is_traced_at_each_of_its_levels(function):
    c = function.trace(4, 2)
    assert c.levels == ("source", "bytecode", "cfg", "ir", "llvm", "llvm_opt", "asm")
    assert "alloca" in c.at("llvm").text and "alloca" not in c.at("llvm_opt").text
    assert [c.at(level).run(4, 2) for level in c.levels] == [scaled(4, 2)] * len(c.levels)
    assert "no pass of 7 changed what it does" in str(c.witness())
    assert "words" in str(c) and "words" in str(c.timings)


def test_it_is_recorded_drawn_and_written_as_a_page(function, tmp_path):
    c = function.trace(4, 2)
    c.save(tmp_path / "scaled.cutaway")
    assert cutaway.load(tmp_path / "scaled.cutaway").levels == c.levels
    assert "words" in c.report(tmp_path / "page.html").read_text()
    assert "words.at" not in str(c.record.diff("ir", "llvm_opt"))
    assert "alloca i64" in c.at("llvm").graph().source


def test_it_is_dumped(capsys):
    with config.using(DUMP_LLVM=True):
        cutaway.jit(pipeline=STRAIGHT)(scaled)(4, 2)
    said = capsys.readouterr()
    assert "store i64" in said.out + said.err
