"""Statements that write to memory that they read leave there what NumPy leaves: `overlaps.py`."""

from __future__ import annotations

import warnings

import pytest

import corpora
import cutaway
from library import overlaps

pytestmark = pytest.mark.sampled(test=9, others=0, fast=0)

OPTIONS = ({}, {"parallel": True})


def wrong(axes, text, options):
    """The kinds of overlap for which a statement does something else."""
    function, found = overlaps.function_of(text), []
    compiled = cutaway.jit(function, **options)
    kinds = (overlaps.lines if axes == 1 else overlaps.tables)(overlaps.memory())
    for kind in kinds:
        here = overlaps.outcome(compiled, overlaps.arguments(axes, kind, False))
        permitted = [overlaps.outcome(function, overlaps.arguments(axes, kind, False))]
        if text.startswith(overlaps.READ_FIRST):
            permitted.append(overlaps.outcome(function, overlaps.arguments(axes, kind, True)))
        if not any(overlaps.are_equal(here, one) for one in permitted):
            found.append(kind)
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.part
@pytest.mark.parametrize("options", OPTIONS, ids=["", "parallel"])
def test_what_is_written_is_what_numpy_writes(options):
    chosen = corpora.sample(24, overlaps.STATEMENTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {text: wrong(axes, text, options) for axes, text in chosen}
    assert not {text: kinds for text, kinds in found.items() if kinds}


@pytest.mark.parametrize(
    "text",
    [
        "reversed_line(b, a)",
        "reversed_and(b, b[0], out=a)",
        "two_lines(b, c, a)",
        "np.put(a, np.arange(8)[::-1], b)",
        "np.putmask(a, b > 4, b)",
        "np.add.at(a, np.arange(8)[::-1], b)",
    ],
)
def test_what_once_read_elements_that_it_had_written(text):
    assert not wrong(1, text, {})


def test_the_oracle_sees_a_statement_that_reads_what_it_has_written():
    def careless(a, b, c, k, M, z, u):
        for i in range(len(a)):
            a[i] = b[len(b) - 1 - i]

    given = [overlaps.arguments(1, "same", False) for _ in range(2)]
    here, there = (
        overlaps.outcome(function, one)
        for function, one in zip(
            (cutaway.jit(careless), overlaps.function_of("a[:] = b[::-1]")), given, strict=True
        )
    )
    assert not overlaps.are_equal(here, there)
