"""The runner is the only place that runs, times and names passes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cutaway.errors import InternalError, PipelineError, TypingError
from cutaway.foundation.options import Flags
from cutaway.ir.levels import Level
from cutaway.stages.catalog import PASSES
from cutaway.stages.observers import Observer
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.runner import PassManager
from cutaway.stages.unit import CompileUnit


def add(a, b):
    """The function that is never really compiled here."""
    return a + b


def fresh_unit() -> CompileUnit:
    """A unit with nothing done."""
    return CompileUnit(add, (), Flags(), None, "add_1")


def nothing(unit: CompileUnit) -> None:
    """Stand in for a pass."""


def pipeline_with(**runs) -> Pipeline:
    """The first passes, faked; `runs` gives some of them something to do."""
    first = PASSES[: [row.name for row in PASSES].index("ssa") + 1]
    return Pipeline(tuple(replace(row, run=runs.get(row.name, nothing)) for row in first))


class Log(Observer):
    """Writes down all events."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def compilation_started(self, unit, pipeline) -> None:
        self.events.append("start")

    def before_pass(self, unit, step) -> None:
        self.events.append(f"> {step.name}")

    def after_pass(self, unit, step, seconds) -> None:
        assert seconds >= 0
        self.events.append(f"< {step.name}")

    def rewrite(self, unit, record) -> None:
        self.events.append(f"note {record}")

    def compilation_finished(self, unit, error) -> None:
        self.events.append(f"end {type(error).__name__}")


def test_passes_run_in_order_and_the_level_rises() -> None:
    seen: list[tuple[str, Level]] = []
    runs = {
        name: lambda unit, name=name: seen.append((name, unit.level))
        for name in ("decode_bytecode", "build_ir", "ssa")
    }
    unit = PassManager.run(fresh_unit(), pipeline_with(**runs))
    assert seen == [
        ("decode_bytecode", Level.source),
        ("build_ir", Level.cfg),
        ("ssa", Level.ir),
    ]
    assert unit.level is Level.ssa


def test_observers_see_every_pass_and_every_note() -> None:
    log = Log()
    runs = {"ssa": lambda unit: unit.note("fact") if unit.recording else None}
    PassManager.run(fresh_unit(), pipeline_with(**runs), [log])
    assert log.events[:3] == ["start", "> decode_bytecode", "< decode_bytecode"]
    assert log.events[-4:] == ["> ssa", "note fact", "< ssa", "end NoneType"]


def test_nobody_records_without_observers() -> None:
    unit = PassManager.run(fresh_unit(), pipeline_with())
    assert not unit.recording
    unit.note("nobody hears this")


def test_a_compilation_inside_a_pass_is_seen_inside_it() -> None:
    log = Log()

    def inner(unit: CompileUnit) -> None:
        PassManager.run(fresh_unit(), pipeline_with().until("decode_bytecode"), unit.observers)

    PassManager.run(fresh_unit(), pipeline_with(ssa=inner), [log])
    assert log.events[-6:] == [
        "start",
        "> decode_bytecode",
        "< decode_bytecode",
        "end NoneType",
        "< ssa",
        "end NoneType",
    ]


def test_an_unexpected_error_names_the_pass_and_the_function() -> None:
    log = Log()
    with pytest.raises(InternalError, match="pass ssa failed on add: ZeroDivisionError") as caught:
        PassManager.run(fresh_unit(), pipeline_with(ssa=lambda unit: 1 // 0), [log])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert log.events[-1] == "end InternalError"


def test_an_internal_error_gets_the_name_of_its_pass() -> None:
    with pytest.raises(InternalError, match="pass build_ir failed on add: unit.types is not"):
        PassManager.run(fresh_unit(), pipeline_with(build_ir=lambda unit: unit.types))


def test_an_error_of_the_users_program_passes_untouched() -> None:
    error = TypingError("no")

    def fail(unit: CompileUnit) -> None:
        raise error

    with pytest.raises(TypingError) as caught:
        PassManager.run(fresh_unit(), pipeline_with(ssa=fail), [Log()])
    assert caught.value is error
    assert error.__cause__ is None


def test_a_manager_takes_one_step_at_a_time_and_goes_back() -> None:
    manager = PassManager(fresh_unit(), pipeline_with())
    assert manager.upcoming is manager.pipeline.passes[0]
    assert manager.step().name == "decode_bytecode"
    assert manager.position == 1
    manager.rewind(0)
    assert manager.step().name == "decode_bytecode"
    while not manager.finished:
        manager.step()
    assert manager.upcoming is None


def test_a_unit_must_have_reached_where_a_fragment_starts() -> None:
    with pytest.raises(PipelineError, match="at level source, the pipeline starts at ir"):
        PassManager(fresh_unit(), Pipeline.parse("ssa", Level.ir))
