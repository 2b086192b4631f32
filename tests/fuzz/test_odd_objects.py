"""A sample of the odd objects, each in one use: see `odd_objects`."""

from __future__ import annotations

import pytest

import corpora
from fuzz import odd_objects
from fuzz.batches import FINDING, run

USES = ("G", "G(k)", "G.x", "len(G)", "np.add(a, k, where=G)")


@pytest.mark.parametrize(
    "name",
    [
        "c function",
        "mock",
        "raising getattr",
        "not hashable",
        "answers all",
        "raising class",
        "lying ndarray",
        "lying dtype",
        "own list",
        "surrogate",
        "tuple of nan",
        "raising eq",
        "partial",
    ],
)
def test_an_odd_global_is_used_or_refused(name: str) -> None:
    """Each use has Python's value or an error with a code of its own."""
    for use in USES:
        verdict = odd_objects.check_one(name, use, "global")
        assert verdict.kind != FINDING, verdict.words


OWN_NUMBERS = ("G", "G == k", "k == G", "G < k", "G + k", "-G", "np.full(3, G)", "np.sin(G)")


@pytest.mark.parametrize("how", odd_objects.AS)
@pytest.mark.parametrize("name", ["own float", "own int"])
def test_a_number_that_computes_in_its_own_way_is_refused(name: str, how: str) -> None:
    """Its class may say what its sum, its comparison or its value is."""
    for use in OWN_NUMBERS:
        verdict = odd_objects.check_one(name, use, how)
        assert verdict.kind != FINDING, verdict.words


def test_a_sample_of_all_uses_has_values_or_clear_errors() -> None:
    """Any object, in any use, in any way into the function."""
    report = run(odd_objects.check, corpora.seeds("ODD_OBJECTS"))
    told = "\n".join(f"{seed}: {found.words}" for seed, found in report.findings)
    assert not report.findings, told
