"""A sample of the fuzzer of exceptions, `with` and generators."""

from __future__ import annotations

import corpora
from fuzz import control
from fuzz.batches import run


def test_made_up_programs_do_what_they_do_in_python():
    report = run(control.check, corpora.seeds("CONTROL"))
    assert not report.findings, "\n".join(
        f"cd tests; python -m fuzz control 1 --seed {seed}: {verdict.words}\n{verdict.source}"
        for seed, verdict in report.findings
    )
