"""Compiled generators that are objects: Python takes their values, or compiled code does where they
are not fused into its loops."""

from __future__ import annotations

import gc
import sys
import threading
from itertools import islice

import numpy as np
import pytest

import cutaway
from corpus.control import yielding_cases
from cutaway.runtime import _runtime

pytestmark = pytest.mark.sampled(test=2, others=6)


@cutaway.jit
def rows(a):
    b = a + 1
    for k in range(len(a)):
        c = b * k
        yield c


@cutaway.jit
def numbers(n):
    for k in range(n):  # noqa: UP028
        yield k


@pytest.mark.parametrize("taken", [0, 1, 3, 9])
@pytest.mark.parametrize("how", ["close", "del"])
def test_a_generator_that_is_left_releases_what_it_has(taken, how):
    a = np.arange(4.0)
    list(rows(a))
    before, references = _runtime.stats(), sys.getrefcount(a)
    values = rows(a)
    kept = list(islice(values, taken))
    if how == "close":
        values.close()
        values.close()
        assert list(values) == []
    del values, kept
    gc.collect()
    after = _runtime.stats()
    assert after[0] - before[0] == after[1] - before[1]
    assert sys.getrefcount(a) == references


def test_it_is_an_iterator():
    values = numbers(3)
    assert iter(values) is values
    assert type(values).__name__ == "generator"
    assert next(values) == 0
    assert list(values) == [1, 2]
    assert list(values) == []
    with pytest.raises(TypeError, match="pickle"):
        __import__("pickle").dumps(values)
    with pytest.raises(TypeError):
        type(values)()


def test_code_lives_as_long_as_a_generator():
    def made():
        @cutaway.jit
        def f(n):
            for k in range(n):
                yield k + 0.5

        return f(4)

    values = made()
    gc.collect()
    assert list(values) == [0.5, 1.5, 2.5, 3.5]


def test_threads_take_values_in_turn():
    values, taken = numbers(20_000), []

    def take():
        for x in values:
            taken.append(x)

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == list(range(20_000))


def test_a_generator_is_kept_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("CUTAWAY_CACHE_DIR", str(tmp_path))

    def f(n):
        for k in range(n):
            yield 6 / (k - 2)

    first, second = cutaway.jit(cache=True)(f), cutaway.jit(cache=True)(f)
    assert list(first(2)) == list(second(2)) == [-3.0, -6.0]
    with pytest.raises(ZeroDivisionError):
        list(second(4))


def test_llvm_text_without_optimization_runs():
    values = cutaway.jit(numbers.py_func).trace(3).at("llvm").run(3)
    assert list(values) == [0, 1, 2]


@pytest.mark.parametrize("signature", ["int64(int64)", "void(int64)"])
def test_a_signature_cannot_say_what_a_generator_returns(signature):
    with pytest.raises(cutaway.errors.TypingError, match="but its signature says"):
        cutaway.jit(signature)(numbers.py_func)


def test_inline_means_nothing_for_a_generator():
    inlined = cutaway.jit(inline="always")(yielding_cases.upward)

    @cutaway.jit
    def total(n):
        values = inlined(n)
        return next(values, 0), sum(values), sum(inlined(n))

    assert total(5) == (0, 10, 10)


def test_nothing_is_parallel_in_a_generator():
    @cutaway.jit(parallel=True)
    def f(a):
        b = a * 2 + 1
        for k in cutaway.prange(len(a)):
            yield b[k]

    a = np.arange(5.0)
    assert list(f(a)) == [1, 3, 5, 7, 9]
    assert "yields values" in str(f.trace(a).remarks)


def test_an_edit_that_leaves_half_a_coroutine_is_refused():
    view = cutaway.jit(numbers.py_func).trace(3).at("llvm")
    edited = view.edit(lambda text: text.replace(" presplitcoroutine", ""))
    with pytest.raises(cutaway.errors.CutawayError, match="invalid at level llvm"):
        edited.run(3)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("try:\n        yield n\n    finally:\n        n", "a `yield` within `try`"),
        ("x = yield from range(n)\n    yield x", "the value of `yield from`"),
        ("yield n\n    yield np.zeros(n)", "no common type"),
    ],
)
def test_what_is_not_compiled_is_refused(body, words):
    space: dict[str, object] = {"np": np}
    exec(f"def f(n):\n    {body}\n", space)  # noqa: S102
    with pytest.raises(cutaway.errors.CutawayError, match=words):
        cutaway.jit(space["f"])(3)


def test_what_is_refused_beside_a_delegation_is_explained():
    @cutaway.jit
    def f(n):
        def waits(k):
            try:
                yield k
            except ValueError:
                yield -k

        def outer(k):
            yield sum(v for v in waits(k))
            yield from (v for v in range(k))

        total = 0
        for v in outer(n):
            total += v
        kept = outer(n)
        return total + next(kept, 7)

    with pytest.raises(cutaway.errors.UnsupportedError, match="a `yield` within `try`"):
        f(3)


def test_a_generator_is_no_argument():
    @cutaway.jit
    def total(values):
        return sum(values)

    with pytest.raises(cutaway.errors.TypingError, match="generator cannot be passed"):
        total(numbers(3))


def test_a_generator_that_raises_before_it_yields_anything():
    @cutaway.jit
    def raises(x):
        raise ValueError(x)
        yield x

    @cutaway.jit
    def caught(x):
        count = 0
        try:
            for _ in raises(x):
                count += 1
        except ValueError:
            count = -1
        return count

    assert caught(3) == -1
    with pytest.raises(ValueError, match="3"):
        next(raises(3))
