"""Bounds checks that are left out of made-up walks over arrays were not needed."""

from __future__ import annotations

import pytest

import corpora
from fuzz import walk_faults, walks
from fuzz.batches import SAME, run
from fuzz.walk_faults import FAULTS


def test_made_up_walks_do_the_same_with_and_without_the_pass():
    report = run(walks.check, corpora.seeds("WALKS"))
    assert not report.findings, report.findings[0]


def test_the_programs_that_show_faults_are_right():
    shown = [shown for _, shown in FAULTS.values() if not isinstance(shown, int)]
    assert [walk_faults.program_compared(*one).kind for one in shown[::3]] == [SAME] * len(
        shown[::3]
    )


@pytest.mark.slow
def test_faults_that_are_planted_in_proofs_are_found():
    numbers = corpora.sample(6, range(len(FAULTS)))
    report = run(walk_faults.looked_for, numbers)
    assert report.counts[SAME] == len(numbers), report.findings
