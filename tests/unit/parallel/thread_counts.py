"""Any number of threads for a test, on any machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import cutaway


@contextmanager
def number_of_threads(count: int) -> Iterator[None]:
    """Parallel loops of this thread run on so many threads, also where there are fewer cores."""
    before = cutaway.get_num_threads()
    with cutaway.config.using(NUM_THREADS=max(count, before)):
        cutaway.set_num_threads(count)
        yield
        cutaway.set_num_threads(before)
