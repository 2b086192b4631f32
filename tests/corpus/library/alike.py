"""Whether a function of the library did what NumPy's does."""

from __future__ import annotations

from typing import Any

import numpy as np

from corpus.programs.compare import same

# Any in this file: outcomes, and what is in them.


def alike(found: Any, expected: Any, close: bool) -> bool:
    """Whether two outcomes are the same; with `close` floats may differ in the last bits."""
    if same(found[1:2], expected[1:2]) and found[0] == expected[0]:
        return expected[0] == "returned" or same(found[2], expected[2])
    if not close or (found[0], expected[0]) != ("returned", "returned"):
        return all_alike(found[:2], expected[:2])
    return found[1].dtype == expected[1].dtype and np.allclose(found[1], expected[1], 1e-13, 0)


def all_alike(found: Any, expected: Any) -> bool:
    """Whether results differ only in which of many NaNs is there, or in the sign of a zero."""
    if isinstance(expected, tuple):
        pairs = zip(found, expected, strict=True)
        return (
            isinstance(found, tuple)
            and len(found) == len(expected)
            and all(all_alike(a, b) for a, b in pairs)
        )
    if isinstance(expected, np.ndarray):
        exact = isinstance(found, np.ndarray) and found.dtype == expected.dtype
        floats = expected.dtype.kind in "fc"
        return exact and np.array_equal(found, expected, equal_nan=floats)
    return same(found, expected)
