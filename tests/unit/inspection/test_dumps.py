"""What the environment asks for is printed, or written to files, and nothing else."""

from __future__ import annotations

import pytest
from fakes import FIRST_LINE, fresh_unit, inner_compilation, nothing, pipeline_with, type_error

from cutaway import config
from cutaway.errors import TypingError, VerifyError
from cutaway.inspection.observers import dumps
from cutaway.inspection.witness.execution import sample_arguments
from cutaway.ir.nodes import Block, Const, Return
from cutaway.stages.runner import PassManager
from cutaway.typing import types
from cutaway.typing.inference.events import TypeEvent

pytestmark = [pytest.mark.sampled(fast=4), pytest.mark.usefixtures("one_processor")]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting is made by the environment that the tests run in."""
    for row in config.SETTINGS.values():
        for variable in (row.variable, *row.also):
            monkeypatch.delenv(variable, raising=False)


def compile_add(**runs) -> None:
    """Compile as the top of the system does, with the observers that are asked for."""
    with dumps.observed() as observers:
        PassManager.run(fresh_unit(), pipeline_with(**runs), observers)


def test_nothing_is_printed_and_nobody_observes_by_default(capsys) -> None:
    with dumps.observed() as observers:
        assert observers == ()
    compile_add()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("variable", "title", "words"),
    [
        ("CUTAWAY_DUMP_BYTECODE", "BYTECODE: add", "LOAD_FAST a"),
        ("NUMBA_DUMP_BYTECODE", "BYTECODE: add", "LOAD_FAST a"),
        ("CUTAWAY_DUMP_CFG", "CFG: add", "CFG adjacency lists:"),
        ("CUTAWAY_DUMP_IR", "IR: add", "$0.2 = a + b"),
        ("CUTAWAY_DUMP_IR", "REWRITING: add", "an unused constant was dropped"),
        ("CUTAWAY_DUMP_SSA", "SSA: add", "$0.2 = a + b"),
        ("CUTAWAY_DUMP_ANNOTATION", "ANNOTATION: add", f"# --- LINE {FIRST_LINE} ---"),
        ("CUTAWAY_DUMP_LLVM", "LLVM: add", "define i64 @add()"),
        ("CUTAWAY_TIME_PASSES", "TIME OF PASSES: add", "total"),
    ],
)
def test_a_dump_is_printed_under_its_title(monkeypatch, capsys, variable, title, words) -> None:
    monkeypatch.setenv(variable, "1")
    compile_add()
    out = capsys.readouterr().out
    assert f" {title} ".center(80, "-") in out
    assert words in out


def test_the_annotation_puts_typed_ops_above_their_source_line(monkeypatch, capsys) -> None:
    monkeypatch.setenv("CUTAWAY_DUMP_ANNOTATION", "1")
    compile_add()
    lines = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    at = lines.index(f"    # --- LINE {FIRST_LINE + 2} ---")
    assert lines[at + 1 : at + 6] == [
        "    # label 0",
        "    #   $0.2 = a + b  :: int64",
        "    #   $0.3 = $0.2  :: int64",
        "    #   $0.4 = cast(value=$0.3)  :: int64",
        "    #   return $0.4",
    ]
    assert lines[at + 6] == "    return a + b"


def test_the_ir_is_dumped_where_a_pipeline_leaves_a_pass_out(monkeypatch, capsys) -> None:
    monkeypatch.setenv("CUTAWAY_DUMP_IR", "1")
    with dumps.observed() as observers:
        PassManager.run(fresh_unit(), pipeline_with().without("insert_dels"), observers)
    assert " IR: add " in capsys.readouterr().out


def test_dumps_go_to_files_one_for_each_function_and_dump(monkeypatch, capsys, tmp_path) -> None:
    monkeypatch.setenv("CUTAWAY_DUMP_DIR", str(tmp_path / "dumps"))
    monkeypatch.setenv("NUMBA_DEBUG_FRONTEND", "1")
    compile_add()
    names = sorted(path.name for path in (tmp_path / "dumps").iterdir())
    assert names == [
        "add_1.bytecode.txt",
        "add_1.cfg.txt",
        "add_1.ir.txt",
        "add_1.rewrites.txt",
        "add_1.ssa.txt",
    ]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("pattern", "printed"), [("add", True), ("a*", True), ("sub", False)])
def test_only_functions_whose_name_fits_are_dumped(monkeypatch, capsys, pattern, printed) -> None:
    monkeypatch.setenv("CUTAWAY_DUMP_SSA", "1")
    monkeypatch.setenv("CUTAWAY_FILTER", pattern)
    compile_add()
    assert ("SSA: add" in capsys.readouterr().out) is printed


def test_the_program_is_printed_before_and_after_passes_that_are_named(monkeypatch, capsys) -> None:
    monkeypatch.setenv("CUTAWAY_PRINT_AFTER", "simplify")
    monkeypatch.setenv("CUTAWAY_PRINT_BEFORE", "simplify")
    compile_add()
    before, _, after = capsys.readouterr().out.partition("AFTER simplify: add")
    assert "BEFORE simplify: add" in before
    assert "$0.1 = const(7)" in before
    assert "$0.1 = const(7)" not in after


def test_a_pass_that_does_not_exist_is_warned_about(monkeypatch) -> None:
    monkeypatch.setenv("CUTAWAY_PRINT_AFTER", "simplfy")
    with pytest.warns(UserWarning, match="did you mean simplify?"):
        compile_add()


def test_changes_are_printed_as_diffs_and_new_levels_in_full(monkeypatch, capsys) -> None:
    monkeypatch.setenv("CUTAWAY_PRINT_CHANGED", "1")
    compile_add()
    out = capsys.readouterr().out
    assert "build_ir GIVES ir: add" in out
    assert "CHANGED BY simplify: add" in out
    assert "-    $0.1 = const(7)" in out
    assert "prune_branches" not in out


def test_type_events_are_printed_also_when_inference_fails(monkeypatch, capsys) -> None:
    monkeypatch.setenv("CUTAWAY_DEBUG_TYPEINFER", "1")

    def infer(unit) -> None:
        op = unit.fn.blocks[0].ops[0]
        unit.note(TypeEvent("a", None, types.int64, op, ()))
        type_error(unit)

    with pytest.raises(TypingError):
        compile_add(infer_types=infer)
    assert "a: unknown -> int64" in capsys.readouterr().out


def test_nested_compilations_are_timed_as_a_tree(monkeypatch, capsys) -> None:
    monkeypatch.setenv("CUTAWAY_TIME_PASSES", "1")
    compile_add(infer_types=inner_compilation)
    out = capsys.readouterr().out
    assert out.count("TIME OF PASSES") == 1
    assert "  add(int64, int64)" in out


def _break(unit) -> None:
    unit.fn.blocks[0] = Block(0, [Return("never_defined")])


def test_a_broken_program_is_found_behind_the_pass_that_broke_it(monkeypatch) -> None:
    monkeypatch.setenv("CUTAWAY_VERIFY", "structure")
    compile_add()
    with pytest.raises(VerifyError, match="pass simplify left add invalid at level ssa"):
        compile_add(simplify=_break)


def _return_seven(unit) -> None:
    new = [Const("x", 7, id=unit.fn.new_id()), Return("x", id=unit.fn.new_id())]
    unit.fn.blocks[0] = Block(0, [*unit.fn.blocks[0].ops[:2], *new])


def test_a_program_that_does_something_else_is_found(monkeypatch) -> None:
    monkeypatch.setenv("CUTAWAY_VERIFY", "execute")
    compile_add()
    with pytest.raises(VerifyError, match="pass simplify changed what add does"):
        compile_add(simplify=_return_seven, infer_types=nothing)


def test_sample_arguments_have_the_types_that_are_asked_for() -> None:
    asked = (types.float64, types.Array(types.float64, 2, "A"), types.none, types.boolean)
    samples = sample_arguments(asked)
    assert samples
    number, array, none, truth = samples[0]
    assert isinstance(number, float)
    assert array.ndim == 2 and not array.flags.c_contiguous
    assert none is None
    assert isinstance(truth, bool)
