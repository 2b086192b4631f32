"""A sample of the fuzzer of loops that run with types in functions of objects."""

from __future__ import annotations

from fuzz import lifted
from fuzz.batches import run

SEEDS = range(1, 31)


def test_lifted_loops_see_cells_and_attributes_as_python_does():
    report = run(lifted.check, SEEDS)
    assert not report.findings, "\n".join(
        f"cd tests; python -m fuzz lifted 1 --seed {seed}: {verdict.words}\n{verdict.source}"
        for seed, verdict in report.findings
    )
