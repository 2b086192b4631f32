"""A sample of the fuzzer of programs; `make fuzz WHICH=programs` runs many."""

from __future__ import annotations

import os
import signal

import pytest

import corpora
from fuzz import programs
from fuzz.batches import FINDING, SAME, Verdict, run
from fuzz.writer import Writer

pytestmark = pytest.mark.sampled(test=2, others=3, fast=200)


def shown(what, report):
    return "\n".join(
        f"cd tests; python -m fuzz {what} 1 --seed {seed}: {v.words}\n{v.source}"
        for seed, v in report.findings
    )


@pytest.mark.slow
def test_made_up_programs_do_what_python_does():
    report = run(programs.check, corpora.seeds("FUZZED"))
    assert not report.findings, shown("programs", report)
    assert report.counts[SAME] > 0.7 * sum(report.counts.values()), str(report)


@pytest.mark.slow
def test_made_up_programs_do_what_python_does_at_every_level():
    report = run(programs.check_levels, corpora.seeds("LEVELS"))
    assert not report.findings, shown("levels", report)


def test_a_seed_gives_always_the_same_program():
    assert Writer(7).program() == Writer(7).program()
    assert Writer(7).program() != Writer(8).program()


def test_what_takes_its_process_down_is_a_finding_and_the_rest_goes_on():
    def check(seed: int) -> Verdict:
        if seed == 3:
            os.kill(os.getpid(), signal.SIGSEGV)
        if seed == 5:
            raise RuntimeError("not so")
        return Verdict(SAME)

    report = run(check, range(8))
    assert report.counts == {SAME: 6, FINDING: 2}
    assert [(seed, verdict.words[:27]) for seed, verdict in sorted(report.findings, key=first)] == [
        (3, "ended its process with -11"),
        (5, "the check failed: Traceback"),
    ]


def first(pair):
    return pair[0]


def test_a_wrong_result_is_a_finding(monkeypatch):
    def wrong(function, *_, **options):
        return lambda *args: ("wrong", *args)

    monkeypatch.setattr(programs.cutaway, "jit", wrong)
    monkeypatch.setattr(programs, "judged", lambda *_: Verdict(FINDING, "different"))
    assert programs.check(1).kind == FINDING
