"""Threads that access a whole record race with those that access a field of it."""

from __future__ import annotations

import numpy as np
import pytest

from cutaway import cuda
from cutaway.errors import RaceError

PAIR = np.dtype([("x", "i8"), ("y", "f8")])
NESTED = np.dtype([("pair", PAIR), ("row", "f8", (3,)), ("other", PAIR)])


@cuda.jit
def copied_and_set_by_attribute(r, s):
    i = cuda.grid(1)
    if i == 0:
        r[0].x = 1
    else:
        s[1] = r[0]


@cuda.jit
def copied_and_set_by_name(r, s):
    i = cuda.grid(1)
    if i == 0:
        r[0]["y"] = 1
    else:
        s[1] = r[0]


@cuda.jit
def replaced_and_set(r, s):
    i = cuda.grid(1)
    if i == 0:
        r[0]["y"] = 1
    else:
        r[0] = s[1]


@cuda.jit
def replaced_and_read(r, s):
    i = cuda.grid(1)
    if i == 0:
        s[0].x = r[0].x
    else:
        r[0] = s[1]


@cuda.jit
def set_and_another_field_read(r, s):
    i = cuda.grid(1)
    if i == 0:
        r[0]["y"] = 1
    else:
        s[1].x = r[0].x


@cuda.jit
def other_records(r, s):
    i = cuda.grid(1)
    r[i].x = i
    s[i] = r[i]


@cuda.jit
def inner_set_and_all_copied(r, s):
    i = cuda.grid(1)
    if i == 0:
        r[0]["pair"]["y"] = 1
    else:
        s[1] = r[0]


@cuda.jit
def inner_set_and_the_field_copied(r, s):
    i = cuda.grid(1)
    if i == 0:
        r[0]["pair"]["y"] = 1
    else:
        s[1]["pair"] = r[0]["pair"]


@cuda.jit
def element_set_and_all_copied(r, s):
    i = cuda.grid(1)
    if i == 0:
        r[0]["row"][2] = 1
    else:
        s[1] = r[0]


@cuda.jit
def inner_set_and_another_copied(r, s):
    i = cuda.grid(1)
    if i == 0:
        r[0]["pair"]["y"] = 1
    else:
        s[1]["other"] = r[0]["other"]


RACES = [
    (copied_and_set_by_attribute, PAIR, "r[0]['x']"),
    (copied_and_set_by_name, PAIR, "r[0]['y']"),
    (replaced_and_set, PAIR, "r[0]['y']"),
    (replaced_and_read, PAIR, "r[0]['x']"),
    (inner_set_and_all_copied, NESTED, "r[0]['pair']"),
    (inner_set_and_the_field_copied, NESTED, "r[0]['pair']"),
    (element_set_and_all_copied, NESTED, "r[0]['row']"),
]


@pytest.mark.parametrize(
    ("kernel", "dtype", "words"), RACES, ids=[kernel.__name__ for kernel, _, _ in RACES]
)
def test_an_access_of_the_whole_is_one_of_each_field(kernel, dtype, words):
    with pytest.raises(RaceError) as raised:
        cuda.simulate(kernel)[1, 2](np.zeros(2, dtype), np.zeros(2, dtype))
    assert words in str(raised.value)


FREE = [
    (set_and_another_field_read, PAIR),
    (other_records, PAIR),
    (inner_set_and_another_copied, NESTED),
]


@pytest.mark.parametrize(("kernel", "dtype"), FREE, ids=[kernel.__name__ for kernel, _ in FREE])
def test_different_fields_and_records_do_not_race(kernel, dtype):
    cuda.simulate(kernel)[1, 2](np.zeros(2, dtype), np.zeros(2, dtype))
