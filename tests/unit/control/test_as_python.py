"""Exceptions, `with`, generators and what else Python's bytecode has: the interpreter does what
Python does, at level ir and in SSA form."""

from __future__ import annotations

import pytest

from corpus.control.cases import Case, cases_of, outcome
from corpus.control.levels import at_ir, at_ssa, runner

CASES = cases_of("corpus.control")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_level_does_what_python_does(case: Case):
    compared = [at_ir] if case.only_ir else [at_ir, at_ssa]
    for build in compared:
        run = runner(build(case.function))
        for args in case.calls:
            assert outcome(run, case, args) == outcome(case.function, case, args), build.__name__


def test_there_are_many():
    assert len(CASES) >= 300
    assert len({case.name for case in CASES}) == len(CASES)
