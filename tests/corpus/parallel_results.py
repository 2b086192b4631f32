"""Whether two outcomes are the same but for the order in which floats are added up."""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np

from corpus.programs.compare import same

RAISED = sys.intern("raised")


def alike(left: Any, right: Any) -> bool:  # Any: outcomes, and what is in them
    """True for the same outcome; sums of floats may differ in the last bits, and messages about
    sizes name the arrays besides."""
    if same(left, right):
        return True
    if isinstance(left, tuple) and left and left[0] is RAISED:
        is_same = isinstance(right, tuple) and left[:2] == right[:2]
        return is_same and _same_message(left[2], right[2])
    if isinstance(left, tuple | list):
        is_row = isinstance(right, type(left)) and len(left) == len(right)
        return is_row and all(map(alike, left, right))
    left, right = np.asarray(left), np.asarray(right)
    if left.dtype != right.dtype or left.shape != right.shape or left.dtype.kind not in "fc":
        return False
    half = np.complex64 if left.dtype.kind == "c" else np.float32
    with np.errstate(over="ignore"):  # a number that was a float32 is one of Python's by now
        single = np.array_equal(left.astype(half), left, equal_nan=True)
    return np.allclose(left, right, rtol=1e-4 if single else 1e-11, atol=1e-300, equal_nan=True)


def _same_message(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    if one == other:
        return True
    texts = [args[0] if args and isinstance(args[0], str) else "" for args in (one, other)]
    texts = [re.sub(r" \([^()]+, [^()]+\)$", "", text) for text in texts]
    if texts[0] == texts[1] != "":
        return True
    stems = [text.partition("with shape")[0] for text in texts]
    return stems[0] == stems[1] != texts[0]
