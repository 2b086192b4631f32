"""Pipelines are values that are checked when they are made."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway.stages
from cutaway.errors import PipelineError
from cutaway.ir.levels import Level
from cutaway.stages import pipelines
from cutaway.stages.catalog import NEEDS, ORDER, PASSES
from cutaway.stages.passes import Pass
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.pipelines import nopython, object_mode, parallel, ptx
from cutaway.stages.unit import CompileUnit

# What stands in stages/ beside the passes.
MACHINERY = {"__init__", "unit", "passes", "pipeline", "pipelines", "runner", "observers"}


def nothing(unit: CompileUnit) -> None:
    """Change nothing."""


def ssa_pass(name: str) -> Pass:
    """A pass of the user's own that works on SSA form."""
    return Pass(name, nothing, Level.ssa, Level.ssa, "3 rewrite untyped", required=False)


def test_the_table_and_the_folder_name_the_same_passes() -> None:
    folder = Path(cutaway.stages.__file__).parent
    modules = {path.stem: path for path in folder.rglob("*.py")}
    assert {row.name for row in PASSES} <= set(modules)
    helpers = set(modules) - MACHINERY - {row.name for row in PASSES}
    texts = {name: modules[name].read_text() for name in helpers}
    assert [name for name, text in texts.items() if "\ndef run(unit" in text] == []


def test_a_pass_runs_the_function_of_its_own_module() -> None:
    for row in PASSES:
        assert row.function.__module__.startswith("cutaway.stages.")
        assert row.function.__module__.endswith(f".{row.name}")
        assert row.summary


def test_the_order_table_names_passes_and_holds_in_the_table() -> None:
    names = [row.name for row in PASSES]
    for row in ORDER:
        assert names.index(row.before) < names.index(row.after)
        assert row.reason


def test_what_passes_need_is_required_and_says_why() -> None:
    rows = {row.name: row for row in PASSES}
    for need in NEEDS:
        assert rows[need.needed].reads.leads_to(rows[need.by].reads) and need.reason
    needed = {need.needed for need in NEEDS}
    for row in PASSES:
        raises = row.gives is not row.reads or row.name == "link"
        assert row.required == (raises or row.name in needed), row.name


def test_the_named_pipelines_are_made_and_reach_what_they_say() -> None:
    assert pipelines.nopython.reaches is Level.asm
    assert pipelines.untyped.reaches is Level.ssa
    assert pipelines.own_ir.reaches is Level.arrayexpr
    assert len(pipelines.plain) < len(pipelines.nopython)


def test_the_text_form_is_read_back() -> None:
    assert Pipeline.parse(str(nopython)) == nopython


def test_a_pass_of_the_user_is_read_back_when_it_is_given() -> None:
    mine = ssa_pass("mine")
    pipeline = nopython.insert_after("ssa", mine)
    assert Pipeline.parse(str(pipeline), extra=(mine,)) == pipeline


def test_passes_are_inserted_replaced_and_left_out_in_new_pipelines() -> None:
    mine = ssa_pass("mine")
    before = nopython.insert_before("simplify", mine)
    after = nopython.insert_after("simplify", mine)
    assert before.position("mine") == nopython.position("simplify")
    assert after.position("mine") == nopython.position("simplify") + 1
    assert "mine" in nopython.replace("simplify", mine).names
    assert "simplify" not in nopython.without("simplify").names
    of_objects = [one for one in PASSES if one.stage.startswith("6b")]
    of_gpus = [one for one in PASSES if one in ptx and one not in nopython]
    others = (*of_objects, *of_gpus)
    assert parallel == Pipeline(tuple(one for one in PASSES if one not in others))
    assert [one.name for one in of_gpus] == ["check_kernel", "check_selection", "emit_ptx"]
    assert [one for one in object_mode if one in of_objects] == of_objects
    assert parallel.without() == parallel
    only = [one.name for one in PASSES if one.stage.startswith("5b")]
    assert len(only) == 9 and parallel.without(*only).names == nopython.names


def test_until_takes_a_pass_or_all_of_a_level() -> None:
    assert nopython.until("ssa").names[-1] == "ssa"
    assert nopython.until(Level.ssa).names[-1] == "simplify"
    assert nopython.until("typed").names[-1] == "bounds_checks"
    assert nopython.until(Level.source).names == ()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Pipeline.parse("decode_bytecode,controlflow"), "did you mean control_flow?"),
        (lambda: nopython.until("typd"), "did you mean typed?"),
        (lambda: nopython.position("nonsense"), "there are: decode_bytecode"),
        (lambda: nopython.insert_after("ssa", nopython.passes[0]), "twice"),
        (lambda: nopython.insert_after("build_ir", ssa_pass("mine")), "only ir is reached"),
        (
            lambda: nopython.insert_after("infer_types", ssa_pass("mine")),
            "does not come after typed",
        ),
        (lambda: nopython.without("ssa"), "reads level ssa"),
        (lambda: nopython.without("check_unbound"), "ssa needs check_unbound: a variable"),
        (
            lambda: Pipeline.parse("ssa,simplify,prune_branches", Level.ir),
            "leaves dead definitions",
        ),
    ],
)
def test_a_pipeline_that_makes_no_sense_is_refused_with_the_reason(make, words) -> None:
    with pytest.raises(PipelineError) as caught:
        make()
    assert words in str(caught.value)


def test_a_fragment_may_lack_what_is_required() -> None:
    fragment = Pipeline.parse("ssa, simplify", Level.ir)
    assert fragment.names == ("ssa", "simplify")
