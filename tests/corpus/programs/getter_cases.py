"""`operator`: functions made of constants, and `hash`."""

from __future__ import annotations

import operator
import sys
from typing import NamedTuple

import numpy as np

from corpus.programs.cases import case

SECOND = operator.itemgetter(-1)


class Point(NamedTuple):
    x: int
    y: float


@case(([(1, 4.5), (2, 3.5), (0, 4.5)],), ([],))
def getter_of_items(rows):
    by_second = sorted(rows, key=operator.itemgetter(1)), sorted(rows, key=SECOND, reverse=True)
    return by_second, [operator.itemgetter(1, 0)(row) for row in rows], list(map(SECOND, rows))


@case(({"a": 1, "b": 3},))
def getter_of_entries(table):
    best = max(table.items(), key=operator.itemgetter(1))
    return best, operator.itemgetter("a")(table), operator.itemgetter("b", "a")(table)


@case(([1, 2, 3],), ([1],))
def getter_out_of_range(items):
    get = operator.itemgetter(-2)
    return get(items)


@case(([Point(2, 1.5), Point(1, 2.5)],))
def getter_of_attributes(points):
    both = operator.attrgetter("y", "x")
    return sorted(points, key=operator.attrgetter("x")), both(points[0])


@case(([3, 1, 3],))
def caller_of_methods(items):
    return operator.methodcaller("count", 3)(items), operator.methodcaller("index", 1)(items)


@case((np.array([3.5, 1.0]),))
def getter_of_arrays(a):
    return operator.itemgetter(0)(a) + 0.0, operator.methodcaller("sum")(a) + 0.0


@case(([1, 2],))
def operator_functions(items):
    operator.setitem(items, 0, 5)
    operator.iconcat(items, [7, 8])
    operator.delitem(items, 1)
    whole = operator.concat(items, items), operator.length_hint(items), operator.contains(items, 7)
    return items, whole, operator.countOf(items, 5), operator.truth(items)


INTEGERS = (0, 1, -1, -2, 2**61 - 1, 2**61, -(2**61), 1 - 2**61, 2**63 - 1, -(2**63), 12345678901)
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 3.7, 1e300, -1e-300, 5e-324, float("inf"), float("-inf"))


@case(*[(number,) for number in (*INTEGERS, *FLOATS)], (True,), (1 + 2j,), (-1j,), (0j,))
def hash_of_number(x):
    return hash(x)


@case((np.uint64(2**64 - 1),), (np.int8(-1),), (np.float32(0.1),), (np.uint16(7),))
def hash_of_numpy_number(x):
    return hash(x)


@case((1, 2.5), (-1, float("inf")), (True, 0.0))
def hash_of_tuples(x, y):
    return hash((x, y)), hash(()), hash((x,)), hash(((x, y), (y, x), -1))


@case(("",), ("abc",), ("ü",), ("x€y",), ("\U0001f40d",), (b"",), (b"abc",))
def hash_of_text(text):
    return hash(text), hash((text, 1)), hash("constant")


if sys.version_info >= (3, 12):

    @case((1,))
    def hash_of_none(x):
        return hash(None), hash((None, x))
