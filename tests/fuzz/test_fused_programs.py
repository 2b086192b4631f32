"""A sample of the fuzzer of loops over generators."""

from __future__ import annotations

import corpora
from fuzz import fused
from fuzz.batches import run


def test_made_up_programs_do_what_they_do_in_python():
    report = run(fused.check, corpora.seeds("FUSED"))
    assert not report.findings, "\n".join(
        f"cd tests; python -m fuzz fused 1 --seed {seed}: {verdict.words}\n{verdict.source}"
        for seed, verdict in report.findings
    )
