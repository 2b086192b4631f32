"""Nothing is left behind: references, memory, machine code."""

from __future__ import annotations

import gc
import sys
import weakref

import numpy as np
import pytest

import cutaway
from corpus.control.compiled_cases import CASES as HANDLERS
from corpus.programs.cases import CASES
from corpus.programs.compare import outcome
from cutaway.runtime import stats

pytestmark = pytest.mark.sampled(test=8, others=24, fast=0)

ROUNDS = 50
MOST_ARGUMENTS = 6  # of a program


def live_blocks() -> int:
    allocated, released = stats()
    return allocated - released


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_calls_leave_references_and_memory_as_they_were(case):
    compiled = cutaway.jit(case.function)
    gc.freeze()  # what other tests left need not be gone through again and again
    step = -(-len(case.arguments) // MOST_ARGUMENTS)
    for make in case.arguments[::step]:
        arguments = make()
        arrays = [a for a in arguments if isinstance(a, np.ndarray)]
        # Lists that a program changes grow from call to call.
        given = (lambda arguments=arguments: arguments) if arrays else make
        for _ in range(3):
            outcome(compiled, given())
        gc.collect()
        before = ([sys.getrefcount(a) for a in arrays], live_blocks())
        for _ in range(ROUNDS):
            outcome(compiled, given())
        gc.collect()
        assert ([sys.getrefcount(a) for a in arrays], live_blocks()) == before, make


@pytest.mark.parametrize("case", HANDLERS, ids=lambda case: case.name)
def test_handlers_leave_memory_and_exceptions_as_they_were(case):
    compiled = cutaway.jit(case.function)
    for args in case.calls:
        outcome(compiled, args)
    gc.collect()
    before = (live_blocks(), len(gc.get_objects()))
    for args in case.calls * ROUNDS:
        outcome(compiled, args)
    gc.collect()
    blocks, objects = live_blocks(), len(gc.get_objects())
    assert blocks == before[0] and objects - before[1] < ROUNDS


def test_an_array_that_is_returned_keeps_its_memory_and_then_frees_it():
    @cutaway.jit
    def squares(n):
        a = np.empty(n, dtype=np.int64)
        for i in range(n):
            a[i] = i * i
        return a[2:]

    before = live_blocks()
    result = squares(1000)
    assert live_blocks() == before + 1
    assert result[:3].tolist() == [4, 9, 16]
    view = result[1:]
    del result
    assert view[0] == 9 and live_blocks() == before + 1
    del view
    gc.collect()
    assert live_blocks() == before


def test_memory_is_freed_when_an_exception_leaves():
    @cutaway.jit
    def fails(n):
        a = np.zeros(n)
        for i in range(n):
            b = np.ones(i + 1)
            a[i + n // 2] = b[0]
        return a

    before = live_blocks()
    for _ in range(20):
        with pytest.raises(IndexError):
            fails(10)
    assert live_blocks() == before


def test_a_dispatcher_and_its_machine_code_are_collected():
    def make():
        @cutaway.jit
        def f(x):
            return x + 1

        assert f(1) == 2
        return weakref.ref(f), f.half

    reference, half = make()
    library = weakref.ref(half.units[(cutaway.types.int64,)].library)
    del half
    gc.collect()
    assert reference() is None
    assert library() is None


def test_a_specialization_can_be_forgotten_and_made_again():
    @cutaway.jit
    def f(x):
        return x * 2

    assert f(2) == 4 and f(2.5) == 5.0
    assert len(f.signatures) == 2
    library = weakref.ref(f.units[f.signatures[0]].library)
    f.forget((cutaway.types.int64,))
    gc.collect()
    assert library() is None
    assert len(f.signatures) == 1
    assert f(2) == 4 and len(f.signatures) == 2


@pytest.mark.parametrize("made", (np.float64, np.complex128, np.int8))
def test_what_an_attribute_of_an_array_makes_is_freed(made):
    @cutaway.jit
    def attributes(a):
        return a.imag.sum() + a.real.sum() + a.T.sum() + a.mT[0, 0]

    @cutaway.jit
    def returned(a):
        return a.imag, a.real, a.T, a.mT

    a = np.ones((3, 4), made)
    attributes(a), returned(a)
    before = live_blocks()
    for _ in range(20):
        attributes(a), returned(a)
    assert live_blocks() == before


def test_the_memory_of_an_array_says_how_many_hold_it():
    halves = cutaway.jit(lambda a: (a[:2], a[2:]))
    a = cutaway.jit(lambda n: np.zeros(n))(4)
    assert a.base.refcount == 1
    held = halves(cutaway.jit(lambda n: np.ones(n))(4))
    del held
    assert a.base.refcount == 1
