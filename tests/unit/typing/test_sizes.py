"""Which sizes are known to be the same, and what follows for bounds checks and expressions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import ranges_programs as ranges
import sizes_programs as programs

import cutaway
from cutaway.ir import nodes
from cutaway.ir.traversal import walk

A, M = np.arange(6.0), np.arange(12.0).reshape(3, 4)


PROVED: list[tuple[Any, tuple[Any, ...]]] = [
    (programs.asserted, (A, A)),
    (programs.refused, (M, M)),
    (programs.number, (A, 6)),
    (programs.constant, (A,)),
    (programs.part, (A,)),
    (programs.of_elements, (A, A)),
    (programs.in_turn, (A, A)),
    (programs.new_part, (7,)),
    (programs.parts, (A,)),
    (programs.made_with, (7,)),
    (programs.made_after, (A,)),
]


def bounds_of(function: Any, *args: Any) -> list[str]:
    """The words of all axes of all item ops."""
    fn = cutaway.trace(function, *args).at("typed").unit.fn
    items = [op for op in walk(fn) if isinstance(op, nodes.GetItem | nodes.SetItem)]
    return [word for op in items for word in op.bounds]


@pytest.mark.parametrize(("function", "args"), PROVED, ids=lambda x: getattr(x, "__name__", ""))
def test_what_was_compared_proves_indices(function, args):
    assert set(bounds_of(function, *args)) == {"proved"}
    copies = [np.copy(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
    expected = function(*copies)
    assert np.array_equal(cutaway.jit(function)(*args), expected)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (programs.other_branch, (A, A[:3])),
        (programs.after_both, (A, A[:3])),
        (programs.too_far, (A,)),
        (programs.other_order, (np.ones((4, 3)), np.ones((3, 4)))),
        (programs.longer, (A, 9)),
    ],
)
def test_what_was_not_compared_is_checked(function, args):
    assert not {"check", "below"}.isdisjoint(bounds_of(function, *args))
    with pytest.raises(IndexError):
        cutaway.jit(function)(*args)


def test_sizes_that_were_compared_are_not_compared_again():
    compared = cutaway.trace(programs.sums, M, M).at("llvm").text
    unknown = cutaway.trace(programs.unknown, M, M).at("llvm").text
    assert compared.count(" icmp ") < unknown.count(" icmp ")
    assert " %arg.b.shape.0" not in compared.split("cutaway_alloc", 1)[1]
    with pytest.raises(AssertionError):
        cutaway.jit(programs.sums)(M, M[:1])


# --- machine integers that are no int64 ---------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "places"),
    [
        ("int8", [k if k < 128 else k - 256 for k in range(200)]),
        ("uint8", [k % 256 for k in range(300)]),
        ("int16", list(range(200))),
    ],
)
def test_a_declared_type_that_is_narrower_than_an_index_may_wrap_around(kind, places):
    line = np.arange(float(len(places)))
    f = cutaway.jit(programs.copied_counter, locals={"k": kind})
    assert f(line) == sum(line[place] for place in places)
    counted = f.trace(line).at("typed").unit.fn
    items = [op for op in walk(counted) if isinstance(op, nodes.GetItem)]
    assert {op.bounds for op in items} <= {("check",), ("below",)}


def test_a_declared_int64_is_the_counter():
    assert bounds_of(programs.copied_counter, A) == ["proved"]


# --- ranges whose bounds wrap around ------------------------------------------------------------

LINE, LEAST, MOST = np.arange(10.0), -(2**63), 2**63 - 1
REPEATED = np.broadcast_to(np.uint8(0), MOST)


EXTREMES: list[tuple[Any, Any, Any]] = [
    (ranges.up, 10, LEAST),
    (ranges.down, 10, LEAST),
    (ranges.stored, 9, LEAST + 1),
    (ranges.from_outside, 9, LEAST),
    (ranges.in_a_loop, 10, LEAST),
    (ranges.begun_later, 2, MOST),
    (ranges.begun_after, np.zeros(2, np.uint8), REPEATED),
    (ranges.sum_of_counters, 10, LEAST),
    (ranges.rest_of_division, 10, 11),
]


def test_indices_of_several_counters_are_tested_before_the_nest():
    words = bounds_of(ranges.sum_of_counters, LINE, 10) + bounds_of(
        ranges.rest_of_division, LINE, 9
    )
    assert words == ["proved", "check", "proved", "check"]


@pytest.mark.parametrize(
    ("function", "usual", "extreme"), EXTREMES, ids=lambda x: getattr(x, "__name__", "")
)
def test_a_bound_that_wraps_around_is_no_reason_to_leave_out_a_check(function, usual, extreme):
    f = cutaway.jit(function)
    assert f(LINE.copy(), usual) == function(LINE.copy(), usual)
    with pytest.raises(IndexError):
        f(LINE.copy(), extreme)
