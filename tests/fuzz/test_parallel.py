"""A sample of the fuzzer of programs of whole arrays that run in parallel."""

from __future__ import annotations

import pytest

import corpora
import cutaway
from fuzz import parallel
from fuzz.batches import run


@pytest.mark.slow
def test_made_up_programs_of_arrays_do_the_same_in_parallel():
    most = cutaway.config.NUM_THREADS
    report = run(parallel.check, corpora.seeds("PARALLEL"))
    cutaway.config.NUM_THREADS = most
    assert not report.findings, "\n".join(
        f"cd tests; python -m fuzz parallel 1 --seed {seed}: {verdict.words}\n{verdict.source}"
        for seed, verdict in report.findings
    )
