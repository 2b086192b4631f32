"""Python's language by subjects: what runs a function does what CPython does."""

from __future__ import annotations

import pytest

from control.test_as_python import CASES as OTHERS
from corpus.control.cases import Case, cases_of, outcome
from corpus.control.levels import at_ir, runner

CASES = cases_of("corpus.objects")

# The interpreter of the IR keeps temporaries until its function ends, so it says nothing about when
# an object dies.
LIFETIMES = [case for case in CASES if case.function.__module__ == "objects.lifetimes_cases"]
# What only object mode does as CPython does: the words of its instructions, annotations.
MODE_ALONE = {
    "stars_before_what_is_no_iterable",
    "keywords_given_twice_while_an_exception_is_handled",
    "inner_functions_with_annotations",
    "comprehensions_that_read_what_is_unbound",
    "comprehensions_that_read_what_an_inner_function_deletes",
}
INTERPRETED = [case for case in CASES if case not in LIFETIMES and case.name not in MODE_ALONE]


@pytest.mark.parametrize("case", INTERPRETED, ids=lambda case: case.name)
def test_the_ir_does_what_python_does(case: Case):
    run = runner(at_ir(case.function))
    for args in case.calls:
        assert outcome(run, case, args) == outcome(case.function, case, args)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_does_the_same_each_time(case: Case):
    for args in case.calls:
        assert outcome(case.function, case, args) == outcome(case.function, case, args)


def test_there_are_many():
    functions = {case.function for case in CASES}  # some have a row for each course of steps
    assert len(functions) >= 340
    names = [function.__name__ for function in functions] + [case.name for case in OTHERS]
    assert len(set(names)) == len(names)
