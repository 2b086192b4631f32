"""A sample of the fuzzer of programs of whole arrays, what it has found, and faults that are
planted to see whether they are found; `make fuzz WHICH=arrays` runs many."""

from __future__ import annotations

import contextlib
import io

import numpy as np
import pytest

import corpora
import cutaway
from cutaway import runtime
from fuzz import array_faults, arrays
from fuzz.array_faults import FAULTS
from fuzz.array_writer import ArrayWriter
from fuzz.batches import FINDING, SAME, run

pytestmark = pytest.mark.sampled(fast=4)


def shown(what, report):
    return "\n".join(
        f"cd tests; python -m fuzz {what} 1 --seed {seed}: {v.words}\n{v.source}"
        for seed, v in report.findings
    )


@pytest.mark.slow
def test_made_up_programs_of_arrays_do_what_python_does():
    report = run(arrays.check, corpora.seeds("EXPRESSIONS"))
    assert not report.findings, shown("arrays", report)


@pytest.mark.slow
def test_made_up_programs_of_arrays_do_what_python_does_at_every_level():
    report = run(arrays.check_levels, corpora.seeds("EXPRESSION_LEVELS"))
    assert not report.findings, shown("array-levels", report)


def test_a_seed_gives_always_the_same_program_and_arguments():
    assert ArrayWriter(7).written() == ArrayWriter(7).written()
    assert ArrayWriter(7).written() != ArrayWriter(8).written()


@pytest.mark.slow
def test_planted_faults_are_found_and_by_what_is_told():
    numbers = corpora.sample(9, range(len(FAULTS)))
    report = run(array_faults.looked_for, numbers)
    assert report.counts[SAME] == len(numbers), shown("array-faults", report)


def test_there_are_forty_faults_and_each_is_another_one():
    assert len({fault.said for fault in FAULTS}) == len(FAULTS) >= 40


def test_programs_without_a_fault_are_not_suspected():
    for fault in corpora.sample(15, FAULTS):
        function = arrays.function_of(fault.program, "<program 0>")
        kind, words = arrays.one_call(
            fault.written(), function, cutaway.jit(function), fault.arguments
        )
        assert kind != FINDING, (fault.said, words)


# --- what was found -----------------------------------------------------------------------------


def compared(function, *arguments):
    """What Python gives, or raises on which line, is what compiled code gives."""

    def outcome(called):
        args = [one() if callable(one) else one for one in arguments]
        try:
            return repr(called(*args)), repr(args)
        except Exception as error:  # noqa: BLE001  whatever the program raises
            place = error.__traceback__
            lines = []
            while place is not None:
                lines.append((place.tb_frame.f_code.co_filename, place.tb_lineno))
                place = place.tb_next
            own = [line for name, line in lines if name == function.__code__.co_filename]
            return type(error), str(error), own[-1], repr(args)

    assert outcome(cutaway.jit(function)) == outcome(function)


def test_an_error_is_told_of_the_line_whose_sizes_do_not_fit():
    def lines(a, b):
        t = a * b
        u = a + 1
        return t + u

    compared(lines, np.ones(2), np.ones(3))


def test_steps_of_one_expression_raise_in_their_order():
    def twice_wrong(a, b):
        return (a + b) * (a[1:] + b)

    compared(twice_wrong, np.ones(4), np.ones(7))


def test_a_shape_by_keyword_is_no_example():
    def by_keyword():
        dtype = np.float64
        return np.zeros(dtype=dtype, shape=3) + np.zeros(dtype=dtype, shape=4)

    compared(by_keyword)


def test_what_may_raise_does_not_move_over_what_is_seen():
    def number(n, c):
        t = np.zeros(3, np.uint8) + n
        c[0] = 7.0
        return t * 2

    compared(number, 300, lambda: np.ones(2))

    def spoken(a, b):
        t = a + b
        print("seen")
        return t * 2

    said = io.StringIO()
    with contextlib.redirect_stdout(said), pytest.raises(ValueError, match="broadcast"):
        cutaway.jit(spoken)(np.ones(2), np.ones(3))
    assert not said.getvalue()


def test_views_that_a_loop_carries_are_of_the_same_memory():
    def carried(n):
        t = np.zeros(3)
        u = t[:]
        total = 0.0
        for _ in range(n):
            q = u + 1
            v = u[:]
            s = v * 2.0
            t[0] += 1.0
            total += float(s.sum()) + float(q.sum())
            u = v
        return total

    compared(carried, 3)


def reversed_part(a, b):
    a[:] = b[::-1] * 2


def reversed_part_and_all(a, b):
    a[:] = b[::-1] * 2 + b


def row(a, b):
    a[:] = b[0] + a


def turned(a, b):
    a[:] = b.T + 1


@pytest.mark.parametrize("function", [reversed_part, reversed_part_and_all, row, turned])
def test_an_array_is_assigned_what_is_computed_of_other_parts_of_itself(function):
    one, other = np.arange(9.0).reshape(3, 3), np.arange(9.0).reshape(3, 3)
    function(one, one)
    cutaway.jit(function)(other, other)
    assert repr(one) == repr(other)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_the_largest_along_an_axis_without_elements(shape):
    def largest(a):
        return (a * 2).max(axis=1)

    compared(largest, np.ones(shape))


# --- memory -------------------------------------------------------------------------------------


def taken():
    made, given = runtime.stats()
    return made - given


@cutaway.jit
def outer(a, b):
    t = a * 2
    return t + b, t


def test_a_result_that_is_too_large_raises_and_leaves_nothing():
    column, line = np.zeros((1 << 21, 1)), np.zeros((1, 1 << 21))
    outer(column[:2], line[:, :2])
    before = taken()
    with pytest.raises(MemoryError):
        outer(column, line)
    assert taken() == before


def test_a_sum_of_what_is_too_large_to_be_held_needs_no_memory():
    @cutaway.jit
    def summed(a, b):
        return float(((a + b) * 0).sum())

    assert summed(np.zeros((1 << 14, 1)), np.zeros((1, 1 << 13))) == 0.0


def test_errors_between_expressions_leave_no_memory():
    @cutaway.jit
    def program(a, b):
        t = a * 2
        for i in range(3):
            t = t + 1
            u = t * t + i
            u[1:] = b + u[:-1]
        return t, u

    program(np.ones(4), np.ones(3))
    before = taken()
    with pytest.raises(ValueError, match="broadcast"):
        program(np.ones(4), np.ones(2))
    assert taken() == before


def test_arrays_that_cannot_be_written_to_are_told_before_there_is_code():
    def part(a, b):
        a[1:] = b * 2

    def whole(a, b):
        a += b

    fixed = np.zeros(3)
    fixed.flags.writeable = False
    for program, other in ((part, np.ones(2)), (whole, np.ones(3))):
        with pytest.raises(cutaway.errors.TypingError, match="read-only"):
            cutaway.jit(program)(fixed, other)
    assert not fixed.any()
