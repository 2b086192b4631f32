"""A sample of the fuzzer of compiled handlers."""

from __future__ import annotations

import corpora
from fuzz import handlers
from fuzz.batches import run


def test_made_up_programs_do_what_they_do_in_python():
    report = run(handlers.check, corpora.seeds("HANDLERS"))
    assert not report.findings, "\n".join(
        f"cd tests; python -m fuzz handlers 1 --seed {seed}: {verdict.words}\n{verdict.source}"
        for seed, verdict in report.findings
    )
