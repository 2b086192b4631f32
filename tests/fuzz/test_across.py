"""A sample of the fuzzer of exceptions that cross functions."""

from __future__ import annotations

import corpora
from fuzz import across
from fuzz.batches import run


def test_exceptions_that_cross_functions_are_pythons():
    report = run(across.check, corpora.seeds("ACROSS"))
    assert not report.findings, "\n".join(
        f"cd tests; python -m fuzz across 1 --seed {seed}: {verdict.words}\n{verdict.source}"
        for seed, verdict in report.findings
    )
    assert report.counts["same"] > report.counts["refused"]
