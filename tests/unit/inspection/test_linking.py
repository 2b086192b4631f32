"""Each line of each level leads to its place in the source."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from corpus.programs.cases import CASES
from cutaway.inspection.linking.lines import LinkedLine, linked_lines
from cutaway.inspection.llvm.text import folded, folds, without_attributes
from cutaway.targets.cpu.engine import Module
from cutaway.targets.cpu.line_table import readable
from cutaway.targets.cpu.object_file import section
from cutaway.targets.cpu.optimization import Plan

pytestmark = [pytest.mark.sampled(others=3, fast=0), pytest.mark.usefixtures("one_processor")]

SAMPLE = CASES[::40]


@cutaway.jit
def scaled(x):
    """Called by another function, which LLVM inlines it into."""
    return x * 3.0 + 1.0


@cutaway.jit
def distance(a, b):
    """A loop with a branch and calls in it."""
    s = scaled(b[0])
    for i in range(len(a)):
        d = a[i] - b[i]
        if d > 0:
            s += scaled(d)
    return s + np.average(a)


DATA = np.arange(5.0)
OURS = ("ir", "ssa", "typed")


@pytest.fixture(scope="module")
def compilation():
    """The record of one compilation."""
    return distance.trace(DATA, DATA)


@pytest.fixture(scope="module")
def corpus():
    """Records of a sample of the programs."""
    found = [cutaway.trace(case.function, *case.arguments[0]()) for case in SAMPLE]
    return [c for c in found if c.error is None]


def line_of(text: str) -> int:
    """The line of this file that has a text first."""
    with open(__file__, encoding="utf-8") as file:
        return next(k for k, line in enumerate(file, 1) if text in line)


def rows_of(compilation, level: str, text: str) -> list[LinkedLine]:
    """The linked lines of a level that have a text."""
    return [row for row in linked_lines(compilation.at(level)) if text in row.text]


def share(rows: list[LinkedLine]) -> float:
    """How many of the lines have a span."""
    return sum(row.has_span for row in rows) / len(rows)


def test_linked_lines_are_the_text(compilation, corpus) -> None:
    for record in (compilation, *corpus):
        for level in record.levels:
            view = record.at(level)
            texts = [row.text for row in linked_lines(view)]
            assert "\n".join(texts) == view.text.removesuffix("\n")


def test_values_of_our_own_ir_have_spans(corpus) -> None:
    rows = [r for c in corpus for level in OURS for r in linked_lines(c.at(level)) if r.variable]
    assert share(rows) >= 0.98


def test_instructions_of_llvm_and_of_the_machine_have_spans(corpus) -> None:
    for level in ("llvm", "llvm_opt", "asm"):
        rows = [row for c in corpus for row in linked_lines(c.at(level)) if row.is_instruction]
        assert share(rows) >= 0.88, level  # not what LLVM adds for vectors


def test_most_machine_instructions_have_a_place_of_their_own(corpus) -> None:
    rows = [row for c in corpus for row in linked_lines(c.at("asm")) if row.is_instruction]
    assert sum(row.origin > 0 for row in rows) / len(rows) >= 0.8


def test_a_subtraction_is_followed_from_bytecode_to_machine_code(compilation) -> None:
    line = line_of("d = a[i] - b[i]")
    span = (line, 12, line, 23)
    for level, text in (
        ("bytecode", "BINARY_OP '-'"),
        ("typed", "d = $"),
        ("llvm", "= fsub"),
        ("llvm_opt", "= fsub"),
        ("asm", "subsd"),
    ):
        row = rows_of(compilation, level, text)[0]
        assert (row.line, row.column, row.end_line, row.end_column) == span, level


def test_an_instruction_of_the_machine_leads_to_the_value_of_llvm(compilation) -> None:
    lines = linked_lines(compilation.at("llvm_opt"))
    for row in linked_lines(compilation.at("asm")):
        if row.origin:
            assert lines[row.origin - 1].op == row.op
            assert lines[row.origin - 1].is_instruction
    names = {row.variable for row in rows_of(compilation, "asm", "subsd")}
    assert "d" in names


def test_what_was_inlined_is_at_its_call(compilation) -> None:
    call = line_of("s = scaled(b[0])")
    inlined = [r for r in rows_of(compilation, "llvm_opt", "= fmul") if "scaled" in r.inner]
    row = next(row for row in inlined if row.line == call)  # the others are in loops
    assert f":{line_of('return x * 3.0 + 1.0')}:" in row.inner
    rows = linked_lines(compilation.at("asm"))
    summed = [row for row in rows if "moments.py" in row.inner]
    assert {row.line for row in summed} == {line_of("return s + np.average(a)")}


def test_what_is_executed_ahead_of_a_branch_stays_at_its_own_line(compilation) -> None:
    """LLVM gives it the place of the branch, and leaves it its name; vectors of it have none."""
    added = [row for row in rows_of(compilation, "llvm_opt", "= fadd") if row.op.startswith("s.")]
    assert {row.line for row in added} == {line_of("s += scaled(d)")}
    ahead = [row for row in rows_of(compilation, "llvm_opt", "= fmul double") if not row.inner]
    assert ahead and all(row.near and not row.variable for row in ahead)


def test_arguments_are_at_their_parameters(compilation) -> None:
    row = rows_of(compilation, "ir", "b = arg(1")[0]
    line = line_of("def distance(a, b)")
    assert (row.line, row.column, row.end_column) == (line, 16, 17)


def test_values_that_a_line_mentions_are_named(compilation) -> None:
    row = rows_of(compilation, "typed", "d = $")[0]
    assert row.names[0] == "d"
    assert len(row.names) == 3
    assert row.op.isdecimal()
    llvm = rows_of(compilation, "llvm", "= fsub")[0]
    assert llvm.names[0] == llvm.op
    assert llvm.variable == "d"


def test_a_function_without_source_is_linked_as_far_as_its_code_tells() -> None:
    space: dict[str, object] = {}
    exec("def made(x):\n    return x + 1\n", space)  # noqa: S102
    c = cutaway.trace(space["made"], 2)
    assert any(row.line == 2 for row in linked_lines(c.at("asm")))
    assert any(row.line == 2 for row in linked_lines(c.at("typed")))


def test_a_lambda_and_a_closure_are_linked() -> None:
    factor = 2.0
    c = cutaway.trace(lambda x: [x * factor for _ in range(3)][0], 1.5)
    if c.error is None:
        assert any(row.has_span for row in linked_lines(c.at("asm")))
    plain = cutaway.trace(lambda x: x * 3, 1.5)
    row = rows_of(plain, "asm", "mulsd")[0]
    assert row.line == line_of("plain = cutaway.trace(lambda")


def test_a_body_that_our_passes_inlined_from_another_file_stands_at_its_call() -> None:
    filename = "<the other file>"
    space: dict[str, object] = {}
    exec(compile("\n" * 500 + "def far(x):\n    return x * 7.0\n", filename, "exec"), space)  # noqa: S102
    far = cutaway.jit(inline="always")(space["far"])

    def near(y):
        z = far(y)
        return z + 1.0

    c = cutaway.trace(near, 1.5)
    for level, text in (("typed", "7.0"), ("llvm", "= fmul"), ("asm", "mulsd")):
        row = rows_of(c, level, text)[0]
        assert "the other file" in row.inner, level
        assert row.line == line_of("z = far(y)"), level
        assert not row.near


# --- assembly -----------------------------------------------------------------------------------


def test_assembly_for_reading_has_no_directives_of_debuggers(compilation) -> None:
    text = compilation.at("asm").text
    assert "subsd" in text
    for hidden in (".loc", ".cfi_", ".file", "debug_", ".Ltmp"):
        assert hidden not in text


def test_the_listing_has_the_instructions_of_the_object_that_runs(compilation, corpus) -> None:
    for record in (compilation, *corpus):
        unit = record.at("asm").unit
        assert ".loc" in unit.listing
        assert readable(unit.listing) == unit.asm == readable(unit.module.assembly)
        code = unit.module.with_table().object_code()
        assert section(code, ".text") == section(unit.object_code, ".text") != b""


def test_objects_have_no_line_table(compilation) -> None:
    assert b".debug_" not in compilation.at("asm").unit.object_code


def test_llvm_text_without_places_has_a_listing_without_lines() -> None:
    module = Module("define i64 @f() {\n  ret i64 7\n}\n")
    module.optimize(Plan())
    assert readable(module.listing) == readable(module.assembly)


# --- LLVM's text for reading ----------------------------------------------------------------------


def test_all_but_functions_folds_away(compilation) -> None:
    text = compilation.at("llvm_opt").text
    titles = [fold.title for fold in folds(text)]
    assert titles[0] == "head"
    assert titles[-1] == "metadata"
    shown = folded(text)
    assert "!dbg" not in shown
    assert "DILocation" not in shown
    assert "; metadata: " in shown
    assert shown.count("= fsub") == text.count("= fsub")


def test_attributes_can_be_left_out() -> None:
    line = "  %x = add nuw nsw i64 %a, 1"
    assert without_attributes(line) == "  %x = add i64 %a, 1"
    call = "  tail call void @f(ptr noundef nonnull %p) #4"
    assert without_attributes(call) == "  call void @f(ptr %p)"
    plain = "  %y = load double, ptr %p, align 8"
    assert without_attributes(plain) == "  %y = load double, ptr %p"


def test_a_function_whose_source_is_not_there_has_lines_all_the_same():
    names: dict[str, object] = {}
    exec(compile("\n\ndef f(x):\n    return x + 1\n", "<nowhere>", "exec"), names)
    compilation = cutaway.trace(names["f"], 1)
    for level in compilation.levels:
        assert all(isinstance(row, LinkedLine) for row in linked_lines(compilation.at(level)))
    assert compilation.record.passes


def test_a_guessed_place_is_marked_and_makes_no_variable():
    def swapped(a, b, n):
        for i in range(n):
            for k in range(len(a)):
                a[k], b[k] = b[k] * 1.5, a[k] + i
        return a[0] + b[0]

    c = cutaway.trace(swapped, np.ones(4), np.ones(4), 3)
    rows = linked_lines(c.at("asm"))
    guessed = [row for row in rows if row.near]
    assert guessed
    assert not any(row.variable for row in guessed)
    assert all(row.is_instruction and row.line for row in guessed)
    pushed = [r for r in rows if r.text.startswith("\tpush") and r.block.endswith(".entry")]
    assert pushed and all(row.near for row in pushed)
    kept = [line for line in c.record.at("asm").lines if line.near]
    assert [line.text for line in kept] == [row.text for row in guessed]
    counted = sum(row.machine + row.rare for row in c.cost if row.line)
    assert counted == sum(row.is_instruction and row.line > 0 and not row.near for row in rows)
