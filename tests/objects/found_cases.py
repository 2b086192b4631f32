"""What made-up programs have found (tests/fuzz/objects.py): the smallest programs of each."""

# ruff: noqa: F821, F841  programs as they may be written

from __future__ import annotations

from control.cases import Cases

CASES = Cases()


@CASES.case((1,), (3,))
def handles_that_a_shared_variable_is_unbound(q):
    """Nothing else in the `try` raises."""
    if q == 3:
        n = 1
    try:
        m = n
    except NameError as error:
        m = str(error)

    def inner():
        nonlocal n
        n = 3

    n = 2
    inner()
    return n, m


@CASES.case((1,), (0,))
def handles_that_an_inner_function_has_deleted_a_variable(q):
    """The variable is bound on all ways through the function itself."""
    n = 1

    def inner():
        nonlocal n
        del n

    if q:
        inner()
    try:
        m = n
    except NameError:
        return "none"
    return m
