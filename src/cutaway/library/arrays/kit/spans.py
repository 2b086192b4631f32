"""Lines of integers that lie close together, whose distinct elements a table of bytes tells."""

from __future__ import annotations

import numpy as np

from cutaway.library.arrays.kit.typers import private

ROOM = 8  # bytes of a table for each element: it is still faster than to sort
LEAST = 1024


@private
def span_of(line):
    """The smallest of some integers, and how far the largest is from it; -1 where that is so far
    that a table is not worth its memory, or nothing is there."""
    if len(line) == 0:
        return np.uint64(0), -1
    low, high = np.uint64(line.min()), np.uint64(line.max())
    span = high - low  # of negative numbers, too: both wrap around
    return low, np.int64(span) if span < np.uint64(max(ROOM * len(line), LEAST)) else np.int64(-1)


@private
def distinct_in_span(line, low, span):
    """The distinct elements of a line in their order, by what `span_of` says of it."""
    table, count = np.zeros(span + 1, np.uint8), 0
    for x in line:
        table[np.int64(np.uint64(x) - low)] = 1
    for seen in table:
        count += seen
    out, n = np.empty(count, line.dtype), 0
    for k in range(len(table)):
        if table[k]:
            out[n] = line.dtype.type(np.uint64(k) + low)
            n += 1
    return out
