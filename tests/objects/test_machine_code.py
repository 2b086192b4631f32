"""Object mode: machine code does what CPython does, in types, exceptions and order."""

from __future__ import annotations

import pytest

import cutaway
from control.cases import Case, outcome
from control.test_as_python import CASES as CONTROL
from objects.test_language import CASES as LANGUAGE

# Ledger: an argument belongs to the caller until the call ends.
LATER_OR_EARLIER = {
    "lifetimes_of_locals_end_with_their_function",
    "lifetimes_of_arguments_and_results",
}
CASES = [case for case in (*CONTROL, *LANGUAGE) if case.name not in LATER_OR_EARLIER]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_machine_code_does_what_python_does(case: Case):
    compiled = cutaway.jit(forceobj=True)(case.function)
    for args in case.calls:
        wanted = outcome(case.function, case, args)
        assert outcome(compiled, case, args) == wanted
        assert outcome(compiled, case, args) == wanted
