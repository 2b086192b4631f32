"""A trace holds every pass with the program before and after it."""

from __future__ import annotations

import io

import pytest
from fakes import fresh_unit, inner_compilation, pipeline_with, type_error
from rich.console import Console

from cutaway.errors import PipelineError, TypingError
from cutaway.inspection.recording.recorder import record
from cutaway.inspection.trace import Compilation
from cutaway.ir.levels import Level
from cutaway.stages.runner import PassManager


def compilation_of_add(**runs) -> Compilation:
    """A recorded run of the fake compiler."""
    return record(fresh_unit(), pipeline_with(**runs), PassManager.run)


def test_the_levels_are_those_that_were_reached() -> None:
    c = compilation_of_add()
    assert c.levels == ("source", "bytecode", "cfg", "ir", "ssa", "typed", "arrayexpr", "llvm")


def test_a_level_is_shown_as_its_last_pass_left_it() -> None:
    c = compilation_of_add()
    assert "$0.1" in c.at("ir").text
    assert "$0.1" not in c.at("ssa").text
    assert "int64" in c.at(Level.typed).text
    assert "int64" not in c.at("ssa").text
    assert "def add(a, b):" in c.at("source").text


def test_the_program_behind_one_pass_is_shown_by_its_name() -> None:
    assert "$0.1" in compilation_of_add().at("prune_branches").text


def test_own_ir_runs_and_verifies_at_each_level() -> None:
    c = compilation_of_add()
    for level in ("source", "bytecode", "cfg", "ir", "ssa", "typed"):
        assert c.at(level).run(20, 22) == 42
        assert c.at(level).verify() == ()


def test_native_code_runs_where_the_way_is_supplied() -> None:
    def native(unit, level):
        return lambda a, b: (level, a + b)

    c = record(fresh_unit(), pipeline_with(), PassManager.run, native)
    assert c.at("llvm").run(1, 2) == (Level.llvm, 3)
    with pytest.raises(PipelineError, match="cannot be run"):
        compilation_of_add().at("llvm").run(1, 2)


def test_own_ir_has_a_graph() -> None:
    assert compilation_of_add().at("ssa").graph().source.startswith("digraph")
    with pytest.raises(PipelineError, match="no graph"):
        compilation_of_add().at("source").graph()


def test_a_pass_knows_whether_it_changed_anything() -> None:
    changed = {p.name: p.changed for p in compilation_of_add().passes}
    assert changed["simplify"]
    assert changed["infer_types"]
    assert not changed["prune_branches"]


def test_a_pass_has_its_texts_stage_and_facts() -> None:
    simplify = next(p for p in compilation_of_add().passes if p.name == "simplify")
    assert "$0.1" in simplify.before
    assert "$0.1" not in simplify.after
    assert simplify.stage == "3 rewrite untyped"
    assert simplify.rewrites == ["an unused constant was dropped"]


def test_an_unknown_level_is_an_error_that_says_which_there_are() -> None:
    with pytest.raises(PipelineError, match="levels: source, bytecode"):
        compilation_of_add().at("nonsense")


def test_a_program_with_an_error_is_recorded_as_far_as_it_got() -> None:
    c = compilation_of_add(infer_types=type_error)
    assert isinstance(c.error, TypingError)
    assert c.levels[-1] == "ssa"
    with pytest.raises(TypingError):
        c.at("typed")
    assert not c.passes[-1].changed
    assert "failed: + does not work" in str(c)


def test_a_compilation_inside_a_pass_stands_inside_its_record() -> None:
    c = compilation_of_add(infer_types=inner_compilation)
    infer = next(p for p in c.passes if p.name == "infer_types")
    assert [inner.name for inner in infer.nested] == ["add"]
    assert infer.nested[0].levels[-1] == "ssa"


def test_own_times_add_up_to_the_whole() -> None:
    c = compilation_of_add(infer_types=inner_compilation)
    infer = next(p for p in c.passes if p.name == "infer_types")
    assert infer.own_seconds < infer.seconds
    outer = sum(p.seconds for p in c.passes)
    assert c.timings.total <= outer
    assert {row.depth for row in c.timings} == {0, 1}
    assert "total" in str(c.timings)


@pytest.mark.parametrize("what", ["compilation", "view", "pass", "timings"])
def test_everything_shows_itself_in_terminal_and_notebook(what: str) -> None:
    c = compilation_of_add(infer_types=inner_compilation)
    shown = {
        "compilation": c,
        "view": c.at("typed"),
        "pass": next(p for p in c.passes if p.name == "simplify"),
        "timings": c.timings,
    }[what]
    out = io.StringIO()
    Console(file=out, width=120).print(shown)
    assert out.getvalue().strip()
    if what == "compilation":  # the record of one is made of what a real compiler leaves
        return
    bundle = shown._repr_mimebundle_()
    assert bundle["text/plain"] == str(shown)
    assert bundle["text/html"].startswith(("<pre", "<table", "<iframe"))
