"""Rows of the case table: as_strided and the rest of its area."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row
from corpus.library.values import BOX, COMPLEX, SMALL, TABLE


def parts_of_bytes(b, start, step):
    """Parts of bytes are bytes, which are compared, counted, taken apart and returned."""
    rest, total = b[start:], 0
    while len(rest) > 1:
        total += rest[0]
        rest = rest[1:]
    return b[:-1], b[start : start + 2] == b"el", b[::step], total


ROWS = [
    row(lambda a: np.lib.stride_tricks.as_strided(a, (2, 2), a.strides), TABLE),
    row(lambda a: np.lib.stride_tricks.as_strided(a, shape=(2, 3), writeable=False), SMALL),
    row(lambda a: np.lib.stride_tricks.sliding_window_view(a, 3), SMALL),
    row(lambda a: np.lib.stride_tricks.sliding_window_view(a, (2, 2)), TABLE.T),
    row(lambda a: np.lib.stride_tricks.sliding_window_view(a, (2, 2), (0, 0)), BOX),
    row(lambda a: np.lib.stride_tricks.sliding_window_view(a, 9, axis=0), TABLE),
    row(lambda a: np.lib.stride_tricks.sliding_window_view(a, 2), TABLE),
    row(lambda a: (np.may_share_memory(a[::2], a[1::2]), np.may_share_memory(a[:2], a[2:])), SMALL),
    row(lambda a: (np.shares_memory(a[::2], a[1::2]), np.shares_memory(a[::2], a[::3])), SMALL),
    row(lambda a: np.shares_memory(a[::-1, ::2], a[1:, 1:]), TABLE),
    row(lambda a: np.shares_memory(a.real, a.imag), COMPLEX),
    row(lambda a: np.frombuffer(a, np.int16), bytes(range(8))),
    row(lambda a: np.frombuffer(a, "i4", 1, 3), bytes(range(8))),
    row(lambda a: np.frombuffer(a, np.uint8, offset=9), bytes(8)),
    row(lambda a: np.frombuffer(a, np.int64, count=2), bytes(8)),
    row(lambda a: np.frombuffer(a, np.float32), bytes(7)),
    row(lambda a: np.frombuffer(a, np.uint8), BOX),
    *(row(parts_of_bytes, data, 1, step) for data in (b"hello", b"") for step in (1, -2, 0)),
    row(lambda b: np.frombuffer(b[8:], np.int32), bytes(range(16))),
]
