"""Bounds checks that are left out in made-up nests of loops were not needed."""

from __future__ import annotations

from unittest import mock

import pytest

import corpora
from cutaway.ir.affine import Affine
from cutaway.typing.analysis import ranges as analysis
from cutaway.typing.analysis.ranges import Bounds, Ranges
from fuzz import ranges
from fuzz.batches import run

pytestmark = pytest.mark.sampled(fast=4)

counted = Ranges._of_counter


def ends_sooner(self: Ranges, *args: object) -> Bounds:
    low, high, conditions = counted(self, *args)
    return Bounds(low, high.plus(-1), conditions)


def test_made_up_nests_do_the_same_with_and_without_the_pass():
    report = run(ranges.check, corpora.seeds("RANGES"))
    assert not report.findings, report.findings[0]


def no_sum(*args: object) -> list[Affine]:
    return []


@pytest.mark.parametrize(
    ("owner", "name", "wrong", "seed"),
    [
        (Ranges, "_of_counter", ends_sooner, 5005),
        (analysis, "_near", no_sum, 5006),
        (Ranges, "_of_rest", lambda self, divisor: Bounds(Affine((), 0), divisor.plus(-1)), 5045),
    ],
    ids=["a range ends sooner", "sums wrap around", "a divisor of zero"],
)
def test_a_planted_fault_is_found(owner, name, wrong, seed):
    with mock.patch.object(owner, name, wrong):
        assert run(ranges.check, [seed]).findings
