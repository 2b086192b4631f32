"""Products of float16, to the last bit.

NumPy multiplies a run of elements in float32 and rounds the product after each run; a run ends
where the buffer does, or the array.
"""

from __future__ import annotations

import numpy as np

from cutaway.library.arrays.kit.lines import in_memory_order
from cutaway.library.arrays.kit.sums import buffer_sizes
from cutaway.library.arrays.kit.typers import private

_ONE = np.float32(1)


@private
def product_of_halves(a):
    """The product of all elements."""
    runs = in_memory_order(a)
    size, outer = buffer_sizes(runs, False)
    if runs.shape[-1] == runs.size:  # which goes through no buffer
        size = outer = max(runs.size, 1)
    total, position, done, limit = _ONE, 0, 0, size
    for element in runs.flat:
        total *= element
        position += 1
        if position == limit:
            total = np.float32(np.float16(total))
            done += position
            position = 0
            limit = min(size, outer - done % outer)
    return np.float16(total)
