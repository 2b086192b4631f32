"""A sample of the fuzzer of lists."""

from __future__ import annotations

import corpora
from fuzz import lists
from fuzz.batches import run


def test_lists_that_a_machine_changes_are_as_python_has_them():
    report = run(lists.check, corpora.seeds("LISTS"))
    assert not report.findings, "\n".join(
        f"cd tests; python -m fuzz lists 1 --seed {seed}: {verdict.words}\n{verdict.source}"
        for seed, verdict in report.findings
    )
    assert report.counts["same"] == corpora.count("LISTS")
