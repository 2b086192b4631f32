"""No pass is said to change what made-up programs, and those of the tables, do."""

from __future__ import annotations

import pytest

import corpora
from corpus.programs.cases import CASES
from cutaway import api
from cutaway.errors import TypingError
from fuzz.generate import Program
from fuzz.parts import each_program

pytestmark = pytest.mark.sampled(test=8, others=24)

PARTS = 4


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_made_up_programs_raise_no_false_alarm(part):
    def check_program(program: Program) -> None:
        check(program.function(), program.fresh(), program.source)

    each_program(check_program, part, PARTS, "WITNESSED")


@pytest.mark.slow
@pytest.mark.parametrize("case", corpora.sample(12, CASES))
def test_the_programs_of_the_tables_raise_no_false_alarm(case):
    check(case.function, case.arguments[0](), case.name)


def check(function, args, what):
    trace = api.trace(function, *args)
    if trace.error is not None:
        assert isinstance(trace.error, TypingError), trace.error
        return
    found = trace.witness(*args, seconds=60)
    assert found.ok, f"{what}\n{found}"
    assert len(found) == len(trace.passes)
