"""`try` in compiled code: what it does is what Python does, with the context of what it raises."""

from __future__ import annotations

import gc
import traceback
import weakref

import numpy as np
import pytest

import cutaway
from cutaway.runtime import _runtime


def inner(a, i):
    return a[i]


def test_tracebacks_name_the_lines_of_each_function():
    called = cutaway.jit(inner)

    @cutaway.jit
    def outer(a, i):
        try:
            return called(a, i)
        except IndexError:
            raise ValueError("outer")  # noqa: B904

    with pytest.raises(ValueError, match="outer") as raised:
        outer(np.ones(3), 7)
    lines = traceback.extract_tb(raised.value.__traceback__)
    assert [line.name for line in lines][-1:] == ["outer"]
    context = traceback.extract_tb(raised.value.__context__.__traceback__)
    assert [line.name for line in context] == ["outer", "inner"]
    assert context[1].lineno == inner.__code__.co_firstlineno + 1


def test_an_exception_raised_again_keeps_its_traceback_through_calls():
    called = cutaway.jit(inner)

    @cutaway.jit
    def middle(a, i):
        try:
            return called(a, i)
        except KeyError:
            return 0.0

    @cutaway.jit
    def outer(a, i):
        return middle(a, i)

    with pytest.raises(IndexError) as raised:
        outer(np.ones(3), 7)
    names = [line.name for line in traceback.extract_tb(raised.value.__traceback__)]
    assert names[1:] == ["outer", "middle", "inner"]


def test_what_is_handled_outside_is_the_context():
    @cutaway.jit
    def fails(x):
        try:
            return 1 // x
        except ZeroDivisionError:
            raise ValueError(x)  # noqa: B904

    try:
        raise KeyError("outside")
    except KeyError as outside:
        with pytest.raises(ValueError) as raised:
            fails(0)
        assert isinstance(raised.value.__context__, ZeroDivisionError)
        assert raised.value.__context__.__context__ is outside


class Marked(ValueError):
    """An exception that says when it is gone."""

    gone: list[int] = []  # noqa: RUF012

    def __init__(self, number):
        super().__init__(number)
        weakref.finalize(self, self.gone.append, number)


def test_exceptions_and_arrays_are_freed():
    @cutaway.jit
    def f(a, n):
        total = 0.0
        for k in range(n):
            b = a + k
            try:
                if k % 3 == 0:
                    raise Marked(k)
                c = b * 2
                total += c[k % 5]
            except Marked:
                d = b[1:]
                total += d[0]
            except IndexError as e:
                total += len(str(e))
            finally:
                total += b[0]
        return total

    f(np.ones(4), 1)
    Marked.gone.clear()
    made, released = _runtime.stats()
    f(np.ones(4), 30)
    gc.collect()
    now_made, now_released = _runtime.stats()
    assert now_made - made == now_released - released > 0
    assert sorted(Marked.gone) == list(range(0, 30, 3))


def test_nothing_is_parallel_in_a_function_that_handles_exceptions():
    @cutaway.jit(parallel=True)
    def f(a, b):
        s = 0
        try:
            for k in cutaway.prange(len(a)):
                s += a[k] // b[k]
        except ZeroDivisionError:
            s = -s
        return s

    a = np.arange(10)
    assert f(a, np.ones(10, int)) == 45
    assert f(np.arange(2, 12), np.array([1, 1, 1, 0] + [1] * 6)) == -9
    assert "handles exceptions" in str(f.trace(a, a).remarks)


def test_a_handler_is_kept_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("CUTAWAY_CACHE_DIR", str(tmp_path))

    def f(a, i):
        try:
            return a[i]
        except IndexError:
            return -1.0

    first, second = cutaway.jit(cache=True)(f), cutaway.jit(cache=True)(f)
    assert first(np.ones(3), 5) == -1.0
    assert second(np.ones(3), 5) == -1.0
    assert second(np.ones(3), 1) == 1.0


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("except 3:\n        return 0", "`except` needs classes of exceptions"),
        ("except (KeyError, (IndexError,)):\n        return 0", "`except` needs classes"),
        ("except KeyError as e:\n        raise 3", "cannot be raised"),
        ("except KeyError as e:\n        raise ValueError from 3", "a cause of type"),
        ("except KeyError as e:\n        raise a from e", "cannot be raised"),
        ("except KeyError as e:\n        return e.args[0] + 1", "argument of an exception"),
        ("except KeyError as e:\n        return e.errno", "no attribute 'errno'"),
    ],
)
def test_what_is_not_compiled_is_refused(body, words):
    space: dict[str, object] = {}
    exec(f"def f(a):\n    try:\n        return a[0]\n    {body}\n", space)  # noqa: S102
    with pytest.raises(cutaway.errors.CutawayError, match=words.replace(".", r"\.")):
        cutaway.jit(space["f"])(np.ones(3))
