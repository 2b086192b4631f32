"""Arrays of memory that is lent keep it."""

from __future__ import annotations

import array

import numpy as np
import pytest

import cutaway


@cutaway.jit
def seen(lent):
    return np.asarray(lent)


@pytest.mark.parametrize("lent", [bytearray(b"abc"), array.array("b", b"abc")], ids=type)
def test_memory_that_an_array_shows_stays_where_it_is(lent):
    shown = seen(lent)
    shown[0] = 1
    assert lent[0] == 1
    with pytest.raises(BufferError):
        lent.extend(lent)
    del shown
    lent.extend(lent)
    assert len(lent) == 6


def test_a_memoryview_may_be_released_while_an_array_shows_its_memory():
    memory = bytearray(b"abc")
    view = memoryview(memory)
    shown = seen(view)
    view.release()
    assert shown.tolist() == [97, 98, 99]
