"""Indices that need no check, by what was compared, computed and indexed before; and such that
do."""

from __future__ import annotations

from typing import Any

import numpy as np
import proofs_programs as programs
import pytest
from test_sizes import bounds_of

import cutaway
from cutaway.ir.interpreter import InterpreterError

A, NONE = np.arange(9), np.zeros(0, np.int64)

PROVED: list[tuple[Any, tuple[Any, ...]]] = [
    (programs.inserted, (A[::-1].copy(),)),
    (programs.found, (A, 4)),
    (programs.found_within, (A, 4)),
    (programs.guarded, (A, 4)),
    (programs.refused, (A, 4)),
    (programs.from_both_ends, (A, 11)),
    (programs.turned, (A,)),
    (programs.shorter, (A, A)),
    (programs.clamped, (A, 70)),
    (programs.of_bytes, (A,)),
    (programs.around, (A,)),
]
LEFT: list[tuple[Any, tuple[Any, ...], str]] = [
    (programs.behind_it, (A, 20), "below"),
    (programs.before_it, (A, -10), "check"),
    (programs.at_the_end, (A, 7), "check"),
    (programs.reassigned, (A, A[:3]), "below"),
    (programs.grown, (A.copy(), 10), "below"),
    (programs.any_remainder, (A, -2), "check"),
]


@pytest.mark.parametrize(("function", "args"), PROVED, ids=lambda x: getattr(x, "__name__", ""))
def test_such_indices_need_no_check(function, args):
    assert set(bounds_of(function, *args)) == {"proved"}
    compiled = cutaway.jit(function)
    for given in (args, (NONE, *args[1:]), (np.arange(1), *args[1:])):
        if function is programs.refused and len(given[0]) < 5:
            with pytest.raises(ValueError, match="place"):
                compiled(*given)
        elif function is programs.of_bytes or len(given[0]) or function is not programs.inserted:
            copies = [np.copy(one) if isinstance(one, np.ndarray) else one for one in given]
            assert compiled(*given) == function(*copies)


@pytest.mark.parametrize(("function", "args", "word"), LEFT)
def test_such_indices_are_compared(function, args, word):
    assert word in bounds_of(function, *args)
    try:
        expected = function(*args)
    except IndexError as error:
        with pytest.raises(IndexError, match=str(error)):
            cutaway.jit(function)(*args)
    else:
        assert cutaway.jit(function)(*args) == expected


def test_a_sum_that_wraps_around_is_not_taken_for_small():
    compiled = cutaway.jit(programs.at_the_end)
    with pytest.raises(IndexError, match="index -9223372036854775807 is out of bounds"):
        compiled(A, 2**63 - 1)


def test_without_checks_an_index_that_is_never_negative_is_not_wrapped():
    compiled = cutaway.jit(programs.grown, boundscheck=False)
    view = compiled.trace(A.copy(), 3).at("typed")
    assert "bounds=(unchecked)" in view.text
    text = compiled.trace(A.copy(), 3).at("llvm").text
    assert "select" not in text


def test_the_interpreter_refuses_a_wrong_proof():
    view = cutaway.trace(programs.before_it, A, 3).at("typed")
    changed = view.edit(view.text.replace("bounds=(check)", "bounds=(below)"))
    with pytest.raises(InterpreterError, match="was proved not to be negative, and is"):
        changed.run(A, -3)


def test_what_is_left_tells_why_and_what_would_help():
    remarks = [str(one) for one in cutaway.trace(programs.before_it, A, 3).remarks]
    hint = "hint: put `assert 0 <= k < len(a)` in front of line"
    (told,) = [one for one in remarks if hint in one]
    assert "it is not known of `k` that it is at least 0" in told
    remarks = [str(one) for one in cutaway.trace(programs.guarded, A, 3).remarks]
    assert any("what was compared and computed keeps `k` within the axis" in one for one in remarks)
