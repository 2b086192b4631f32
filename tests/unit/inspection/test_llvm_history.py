"""What LLVM's passes make of a module, one by one."""

from __future__ import annotations

import json
import zlib

import numpy as np
import pytest

import cutaway
from cutaway.errors import TypingError
from cutaway.foundation.dataclass import replace
from cutaway.inspection.llvm import remarks
from cutaway.inspection.llvm import run as llvm_run
from cutaway.inspection.llvm.history import HistoryReader, LlvmHistory, history
from cutaway.inspection.llvm.run import run_llvm
from cutaway.inspection.llvm.text import functions_of
from cutaway.inspection.showing.terminal.book import Book, Frame
from cutaway.targets.cpu.engine import NOTHING
from cutaway.targets.cpu.optimization import Plan

pytestmark = [pytest.mark.sampled(others=3, fast=0), pytest.mark.usefixtures("one_processor")]


@cutaway.jit
def distance(a, b):
    """Ten lines with a loop and a branch."""
    s = 0.0
    for i in range(len(a)):
        d = a[i] - b[i]
        if d > 0:
            s += d * d
        else:
            s -= d
    return s**0.5


@cutaway.jit
def plain(x, y):
    """No loop: the light plan."""
    return x * 2 + y


DATA = np.arange(9.0)


@pytest.fixture(scope="module")
def compilation():
    """The record of one compilation."""
    return distance.trace(DATA, DATA)


@pytest.fixture(scope="module")
def shown(compilation):
    """The history of one module."""
    return compilation.llvm_history


def opcodes(text: str) -> list[str]:
    """The instructions of all functions, without names, places and metadata."""
    lines = [line for _, blocks in functions_of(text) for b in blocks.values() for line in b]
    return [line.partition(" = ")[2].partition(" ")[0] or line.split()[0] for line in lines]


def test_passes_come_in_order_with_the_text_behind_each(shown) -> None:
    names = [step.name for step in shown]
    assert names.index("SROA") < names.index("InstCombine") < names.index("LoopUnroll")
    assert [step.number for step in shown] == list(range(len(shown)))
    sroa = shown.passes[names.index("SROA")]
    assert "alloca" in shown.before(sroa.number)
    assert "alloca" not in sroa.text
    assert sroa.removed > 0
    assert "registers" in sroa.summary


def test_the_last_state_is_what_the_compiler_made(compilation, shown) -> None:
    last = shown.text(len(shown) - 1)
    assert opcodes(last) == opcodes(compilation.at("llvm_opt").text)
    assert opcodes(shown.initial) == opcodes(compilation.at("llvm").text)


def test_passes_over_loops_show_the_function(shown) -> None:
    loops = [step for step in shown if step.target.startswith("loop ")]
    assert loops
    for step in loops:
        assert step.function == step.target.rpartition(" in ")[2]
        assert step.text.startswith("define ")


def test_inlining_removes_the_function_that_was_called(compilation, shown) -> None:
    inlined = next(step for step in shown if step.name == "AlwaysInliner")
    symbol = compilation.at("llvm").unit.callee.symbol
    assert set(inlined.functions) == {symbol, f"{symbol}.entry"}
    assert symbol not in shown.passes[-1].state
    assert symbol in shown.functions()


def test_lines_tell_their_place_in_the_source(shown) -> None:
    with open(__file__, encoding="utf-8") as file:
        line = next(k for k, text in enumerate(file, 1) if "d = a[i] - b[i]" in text)
    assert any(
        "= fsub" in text and text.endswith(f"; {line}:12") for text in shown.text(0).splitlines()
    )
    rows = shown.linked(len(shown) - 1)
    assert "\n".join(row.text for row in rows) == shown.text(len(shown) - 1)
    # The loop that hardly ever runs subtracts in both arms.
    assert {row.line for row in rows if "= fsub" in row.text} == {line, line + 4}


def test_what_changed_nothing_is_counted(shown) -> None:
    assert shown.unchanged["LICM"] > 0
    assert "did not" in str(shown)


def test_a_history_is_small_and_comes_back(shown) -> None:
    packed = json.dumps(shown.to_dict())
    assert len(zlib.compress(packed.encode(), 9)) < 60_000
    again = LlvmHistory.from_dict(json.loads(packed))
    assert str(again) == str(shown)
    assert [again.text(k) for k in range(-1, len(again))] == [
        shown.text(k) for k in range(-1, len(shown))
    ]
    assert again.passes == shown.passes


def test_it_draws_itself(shown) -> None:
    bundle = shown._repr_mimebundle_()
    assert "InstCombine" in bundle["text/html"]
    assert "InstCombine" in bundle["text/plain"]


def test_the_light_plan_has_a_history_too() -> None:
    names = {step.name for step in plain.trace(1.5, 2).llvm_history}
    assert "AlwaysInliner" in names
    assert "LoopVectorize" not in names


def test_a_plan_of_nothing_has_no_passes() -> None:
    assert len(history("define i64 @f() {\n  ret i64 7\n}\n", NOTHING)) == 0


def test_a_program_that_is_refused_has_no_history() -> None:
    with pytest.raises(TypingError):
        _ = cutaway.trace(lambda x: x + "text", 2).llvm_history


# --- what goes wrong ------------------------------------------------------------------------------


def test_text_that_is_no_module_gives_an_error_record() -> None:
    broken = history("define i64 @f( {\n", Plan())
    assert len(broken) == 0
    assert "LLVM exited with" in broken.error
    assert "no history" in str(broken)
    assert broken._repr_mimebundle_()["text/html"]
    assert LlvmHistory.from_dict(broken.to_dict()).error == broken.error


def test_a_process_that_hangs_gives_an_error_record() -> None:
    output = run_llvm("define i64 @f() {\n  ret i64 7\n}\n", Plan(), longest=0.01)
    assert "was stopped after 0.01 s of processor time" in output.error
    assert list(output.changes) == []


def test_a_process_that_cannot_start_gives_an_error_record(monkeypatch) -> None:
    monkeypatch.setattr(llvm_run.sys, "executable", "/nowhere/python")
    assert "no process" in history("", Plan()).error


def test_a_process_that_is_killed_gives_an_error_record(monkeypatch) -> None:
    monkeypatch.setattr(llvm_run, "_child", lambda *_: -9)
    assert "LLVM exited with -9" in history("", Plan()).error


def test_text_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    lines = ["*** IR Dump At Start ***", "define i64 @f() {", "  ret i64 7", "}", "*** IR Dump Af"]
    read = HistoryReader().read(lines)
    assert read.initial.startswith("define i64 @f()")
    assert len(read) == 0


def test_what_took_too_long_is_shown_as_far_as_it_went(monkeypatch) -> None:
    compilation = distance.trace(np.ones(3), np.zeros(3))
    output = run_llvm(compilation.at("llvm").unit.llvm, Plan())
    half = list(output.changes)[:400]
    late = replace(output, changes=iter(half), late="LLVM was stopped after 120 s")
    monkeypatch.setattr(remarks, "run_llvm", lambda text, plan: late)
    history = compilation.llvm_history
    assert history.passes
    assert str(history).endswith("incomplete: LLVM was stopped after 120 s")
    assert not compilation.remarks.error
    assert compilation.record.llvm
    (sentence,) = compilation.record.function.left_out
    assert sentence.startswith("The passes within LLVM end after number ")
    assert str(compilation.record).endswith(sentence)
    assert sentence in Book(compilation.record).words(Frame(0))
