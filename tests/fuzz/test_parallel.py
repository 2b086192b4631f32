"""Samples of the fuzzers of programs that run in parallel."""

from __future__ import annotations

import pytest

import corpora
import cutaway
from fuzz import parallel, prange
from fuzz.batches import run


@pytest.fixture(autouse=True)
def own_threads():
    before, most = cutaway.get_num_threads(), cutaway.config.NUM_THREADS
    yield
    cutaway.config.NUM_THREADS = most
    cutaway.set_num_threads(before)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "corpus"), [("parallel", "PARALLEL"), ("prange", "PRANGE")], ids=("arrays", "loops")
)
def test_made_up_programs_do_the_same_in_parallel(what, corpus):
    check = {"parallel": parallel, "prange": prange}[what].check
    report = run(check, corpora.seeds(corpus))
    assert not report.findings, "\n".join(
        f"cd tests; python -m fuzz {what} 1 --seed {seed}: {verdict.words}\n{verdict.source}"
        for seed, verdict in report.findings
    )
