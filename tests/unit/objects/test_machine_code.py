"""Object mode: machine code does what CPython does, in types, exceptions and order."""

from __future__ import annotations

import os

import pytest

import corpora
import cutaway
from control.test_as_python import CASES as CONTROL
from corpus.control.cases import Case, outcome
from objects.test_language import CASES as LANGUAGE

pytestmark = pytest.mark.sampled(test=6, others=18)

# Ledger: an argument belongs to the caller until the call ends.
LATER_OR_EARLIER = {
    "lifetimes_of_locals_end_with_their_function",
    "lifetimes_of_arguments_and_results",
}
CASES = [case for case in (*CONTROL, *LANGUAGE) if case.name not in LATER_OR_EARLIER]


# Under the sanitizers, which take several times as long, a part that turns.
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
TESTED = corpora.sample(3, CASES) if SANITIZED else CASES


@pytest.mark.parametrize("case", TESTED, ids=lambda case: case.name)
def test_machine_code_does_what_python_does(case: Case):
    compiled = cutaway.jit(forceobj=True, looplift=False)(case.function)
    for args in case.calls:
        wanted = outcome(case.function, case, args)
        assert outcome(compiled, case, args) == wanted
        assert outcome(compiled, case, args) == wanted


# Ledger: integers wrap in a loop that is lifted (`lifted-int64`).
WRAP = {"arithmetic_horner_sum", "integers_of_factorials", "integers_of_fibonacci"}


@pytest.mark.part
@pytest.mark.parametrize("case", corpora.sample(4, CASES), ids=lambda case: case.name)
def test_with_lifted_loops_it_does_the_same(case: Case):
    compiled = cutaway.jit(forceobj=True)(case.function)
    for args in case.calls:
        wanted = outcome(case.function, case, args)
        got = outcome(compiled, case, args), outcome(compiled, case, args)
        if case.name not in WRAP:
            assert got == (wanted, wanted)
