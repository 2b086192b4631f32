"""A sample of the odd objects, each in one use: see `odd_objects`."""

from __future__ import annotations

import pytest

from fuzz import odd_objects
from fuzz.batches import FINDING

USES = ("G", "G(k)", "G.x", "len(G)", "np.add(a, k, where=G)")


@pytest.mark.parametrize(
    "name",
    ["c function", "mock", "raising getattr", "not hashable", "answers all", "raising class",
     "lying ndarray", "lying dtype", "own list", "surrogate", "tuple of nan", "raising eq", "partial"],
)
def test_an_odd_global_is_used_or_refused(name: str) -> None:
    """Each use has Python's value or an error with a code of its own."""
    for use in USES:
        verdict = odd_objects.check_one(name, use, "global")
        assert verdict.kind != FINDING, verdict.words
