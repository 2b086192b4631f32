"""A sample of the fuzzer of iterators that outlive their maker."""

from __future__ import annotations

import corpora
from fuzz import outliving
from fuzz.batches import run


def test_iterators_that_outlive_their_maker_do_what_they_do_in_python():
    report = run(outliving.check, corpora.seeds("OUTLIVING"))
    assert not report.findings, "\n".join(
        f"cd tests; python -m fuzz outliving 1 --seed {seed}: {verdict.words}\n{verdict.source}"
        for seed, verdict in report.findings
    )
    assert report.counts["same"] > report.counts["refused"]
