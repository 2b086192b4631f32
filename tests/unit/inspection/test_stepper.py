"""The stepper drives the same runner by hand, in both directions."""

from __future__ import annotations

import pytest
from fakes import fresh_unit, pipeline_with, type_error

from cutaway.errors import PipelineError, TypingError
from cutaway.inspection.recording.stepper import Stepper


def stepper_of_add(**runs) -> Stepper:
    """A stepper in front of the first pass."""
    return Stepper(fresh_unit(), pipeline_with(**runs))


def test_next_runs_one_pass_and_gives_its_record() -> None:
    s = stepper_of_add()
    assert s.current.level == "source"
    assert s.upcoming == "decode_bytecode"
    assert s.next().name == "decode_bytecode"
    assert s.current.level == "bytecode"


def test_back_takes_a_pass_back_and_it_can_run_again() -> None:
    s = stepper_of_add()
    s.run_until("simplify")
    after = s.current.text
    before = s.back().text
    assert before != after
    s.next()
    assert s.current.text == after


def test_run_until_takes_a_pass_or_a_level_in_both_directions() -> None:
    s = stepper_of_add()
    assert s.run_until("typed").level == "typed"
    assert s.upcoming == "array_expressions"
    assert s.run_until("build_ir").level == "ir"
    assert s.passes[-1].name == "build_ir"


def test_at_the_end_no_pass_is_left() -> None:
    s = stepper_of_add()
    s.run_until("llvm")
    assert s.finished
    with pytest.raises(PipelineError, match="all passes have run"):
        s.next()
    s.back()
    assert not s.finished
    s.next()
    assert s.finished


def test_at_the_beginning_no_pass_can_be_taken_back() -> None:
    with pytest.raises(PipelineError, match="no pass has run"):
        stepper_of_add().back()


def test_a_pass_that_fails_leaves_the_program_in_front_of_it() -> None:
    s = stepper_of_add(infer_types=type_error)
    with pytest.raises(TypingError):
        s.run_until("typed")
    assert s.upcoming == "infer_types"
    assert s.current.level == "ssa"


def test_a_stepper_says_where_it_stands() -> None:
    s = stepper_of_add()
    s.next()
    assert "[x] decode_bytecode" in str(s)
    assert "[>] control_flow" in str(s)
    assert s._repr_mimebundle_()["text/html"]
