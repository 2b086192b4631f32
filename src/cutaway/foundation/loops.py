"""The ranges of loops: `range`, and `prange`, whose iterations run in any order."""

from __future__ import annotations


def prange(*bounds: int) -> range:
    """`range`, for a loop whose iterations do not depend on each other.

    With `@jit(parallel=True)` threads share the iterations of `for i in prange(n)`; without it, and
    in Python, it is `range`.  Takes the arguments of `range` and raises the same exceptions.
    """
    return range(*bounds)


RANGES = (range, prange)
