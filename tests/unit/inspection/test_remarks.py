"""What LLVM says that it did and did not do, in the user's words, and what lines cost."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

import cutaway
from cutaway.foundation.source import Loc
from cutaway.inspection.linking.line_bytes import bytes_by_line
from cutaway.inspection.llvm.remark_words import NOISE, in_words
from cutaway.inspection.llvm.remarks import Remarks
from cutaway.targets.cpu.object_file import section

pytestmark = [pytest.mark.sampled(others=3, fast=0), pytest.mark.usefixtures("one_processor")]


@cutaway.jit
def scaled(x):
    """Inlined into its caller."""
    return x * 2.0 + 1.0


@cutaway.jit(fastmath=True)
def mixed(a, b, n):
    """A loop that is vectorized, and one that is not."""
    t = 0.0
    for i in range(len(a)):
        b[i] = scaled(a[i]) * n + b[i]
    while t < n:
        t += b[int(t)]
    return t + np.sum(b)


@cutaway.jit
def total(a):
    """A sum whose order counts."""
    s = 0.0
    for x in a:
        s += x
    return s


DATA = np.arange(9.0)


@pytest.fixture(scope="module")
def compilation():
    """The record of one compilation."""
    return mixed.trace(DATA, DATA.copy(), 2.0)


@pytest.fixture(scope="module")
def remarks(compilation):
    """The remarks about it."""
    return compilation.remarks


def line_of(text: str) -> int:
    """The line of this file that has a text first."""
    with open(__file__, encoding="utf-8") as file:
        return next(k for k, line in enumerate(file, 1) if text in line)


def test_a_loop_that_is_vectorized_says_so_on_its_line(remarks) -> None:
    found = remarks.at(line_of("for i in range(len(a))"))
    done = next(row for row in found if row.pass_name == "LoopVectorize" and row.kind == "done")
    assert "items at once" in done.message
    assert "vectorization width" in done.raw
    assert done.function == "mixed"


def test_a_loop_that_is_not_vectorized_says_why_and_what_to_do() -> None:
    found = total.trace(DATA).remarks
    row = next(row for row in found if "makes no vectors" in row.message)
    assert "add floats to `s`, in order" in row.message
    assert row.hint.startswith("write @jit(fastmath=True); the loop is vectorized, ")
    assert row.line in range(line_of("for x in a:"), line_of("for x in a:") + 2)


def test_inlining_is_told_at_the_call(remarks) -> None:
    row = next(row for row in remarks if row.pass_name == "Inliner" and "scaled" in row.message)
    assert row.line == line_of("b[i] = scaled(a[i])")
    assert "$" not in row.message


def test_what_is_inside_of_an_inlined_function_is_told_at_its_call(remarks) -> None:
    inner = [row for row in remarks if "reductions.py" in row.inner]
    assert {row.line for row in inner} <= {line_of("return t + np.sum(b)"), 0}


def test_remarks_are_said_once(remarks) -> None:
    keys = [(r.pass_name, r.kind, r.message, r.line, r.column, r.inner) for r in remarks]
    assert len(keys) == len(set(keys))
    assert not any(NOISE.search(row.raw) for row in remarks)


def test_the_entry_point_is_no_function_of_the_user(remarks) -> None:
    assert not any(".entry" in row.message for row in remarks)


def test_the_size_of_the_code_is_a_note(remarks) -> None:
    assert any("machine instructions" in row.message for row in remarks.of("note"))


def test_history_and_remarks_come_from_one_run(compilation) -> None:
    assert compilation.llvm_history is compilation.llvm_history
    assert compilation._observed.remarks.rows


def test_remarks_show_themselves_and_are_json(remarks) -> None:
    bundle = remarks._repr_mimebundle_()
    assert "LoopVectorize" in bundle["text/html"]
    assert "for i in range(len(a)):" in bundle["text/plain"]
    rows = json.loads(json.dumps(remarks.to_dict()))["remarks"]
    assert {"pass_name", "kind", "message", "raw", "line", "column", "function"} <= set(rows[0])


def test_decisions_of_our_own_passes_stand_among_them() -> None:
    loc = Loc(3, 4, 3, 9, "f.py")
    said = SimpleNamespace(
        subject="bounds of a", verdict="missed", rule="r", reason="i may grow", loc=loc, cure=""
    )
    found = Remarks(()).with_decisions([("bounds_checks", said)])
    assert found.at(3)[0].message == "bounds of a: i may grow"
    assert found.of("missed")[0].pass_name == "bounds_checks"
    nowhere = SimpleNamespace(**{**vars(said), "loc": None, "reason": ""})
    assert Remarks(()).with_decisions([("x", nowhere)]).at(0)[0].message == "bounds of a"


def test_words_that_are_not_known_are_not_shown() -> None:
    assert in_words("something new") is None
    assert in_words("loop not vectorized: something new") is None
    assert in_words("completely unrolled loop with 4 iterations").sentence.endswith("4 iterations")


@pytest.mark.parametrize(
    ("said", "word"),
    [
        (
            "loop not vectorized: value that could not be identified as reduction is used",
            "before it",
        ),
        ("loop not vectorized: unsafe dependent memory operations in loop.", "another one writes"),
        (
            "'f$1' not inlined into 'g$2.entry' because too costly to inline (cost=9)",
            "`f` is not inlined",
        ),
        ("2 spills 1.5 total spills cost 3 reloads 2.0 total generated in loop", "the loop needs"),
        ("hoisting load", "before the loop"),
        ("load of type double eliminated in favor of load", "once instead of twice"),
        ("vectorized loop (vectorization width: 4, interleaved count: 1)", "4 items at once"),
    ],
)
def test_what_llvm_says_is_translated(said, word) -> None:
    assert word in in_words(said).sentence


# --- cost -----------------------------------------------------------------------------------------


def test_each_line_has_a_cost(compilation) -> None:
    rows = {row.line: row for row in compilation.cost}
    body = rows[line_of("b[i] = scaled(a[i])")]
    assert body.machine > 0
    assert body.llvm > 0
    assert body.bytes > body.machine
    assert body.ops > 0
    assert body.vectors.endswith("x double")
    assert rows[line_of("while t < n:")].vectors == ""
    assert "b[i] = scaled" in body.source


def test_the_bytes_of_all_lines_are_the_code_that_runs(compilation) -> None:
    unit = compilation.at("asm").unit
    code = section(unit.object_code, ".text")
    assert sum(row.bytes + row.rare_bytes for row in compilation.cost) == len(code)
    assert section(unit.module.with_table().object_code(), ".text") == code


def test_an_object_without_a_table_or_of_another_kind_has_no_bytes_by_line(compilation) -> None:
    assert bytes_by_line(compilation.at("asm").unit.object_code) == {}
    assert bytes_by_line(b"MZ") == {}
    table = compilation.at("asm").unit.module.with_table().object_code()
    assert bytes_by_line(table[: len(table) // 2]) == {}


def test_costs_show_themselves_and_are_json(compilation) -> None:
    assert "x double" in compilation.cost._repr_mimebundle_()["text/html"]
    packed = json.loads(json.dumps(compilation.cost.to_dict()))
    assert packed["function"] == "mixed"
    machine = sum(row["machine"] + row["rare"] for row in packed["lines"])
    text = compilation.at("asm").text
    assert machine == sum(line.startswith("\t") and line[1:2] != "." for line in text.splitlines())
