"""A sample of the fuzzer of indices, and faults that are planted to see whether they are found."""

from __future__ import annotations

import pytest

import corpora
from fuzz import index_faults, indexed
from fuzz.batches import SAME, run
from fuzz.index_faults import FAULTS


def test_made_up_indices_choose_what_they_choose_in_python():
    report = run(indexed.check, corpora.seeds("INDEXED"))
    told = "\n".join(f"{seed}: {found.words}\n{found.source}" for seed, found in report.findings)
    assert not report.findings, told


def test_a_seed_gives_always_the_same_program_and_arguments():
    first, second = indexed.Writer(11), indexed.Writer(11)
    assert first.source == second.source
    assert str(first.arguments(0)) == str(second.arguments(0))
    assert indexed.Writer(12).source != first.source


@pytest.mark.slow
def test_planted_faults_are_found():
    numbers = corpora.sample(6, range(len(FAULTS)))
    report = run(index_faults.looked_for, numbers)
    assert report.counts[SAME] == len(numbers), report.findings
