"""`raise` of a class that is called with names or with a star: what Python raises."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

import cutaway
from cutaway import cuda
from cutaway.errors import TypingError


class Coded(ValueError):
    def __init__(self, message="coded", *, code=0, scale=1.0):
        super().__init__(message)
        self.code, self.scale = code, scale


class Pair(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)
        self.a, self.b = a, b


def constant(x, t):
    raise Coded(code=3)


def computed(x, t):
    raise Coded("a text", code=x + 1, scale=x / 2)


def no_positions(x, t):
    raise Pair(b=x, a="first")


def of_import(x, t):
    raise ImportError("no such thing", name="thing", path="somewhere")


def starred(x, t):
    raise KeyError(*t)


def starred_after_others(x, t):
    raise KeyError(x, "b", *t)


def starred_display(x, t):
    raise Pair(*(x, t[1]))


def starred_and_named(x, t):
    raise Coded(*t[:1], code=x, scale=0.5)


def starred_nothing(x, t):
    raise KeyError(*())


def with_cause(x, t):
    try:
        x // 0
    except ZeroDivisionError as e:
        raise Coded("later", code=x) from e


def with_no_cause(x, t):
    try:
        x // 0
    except ZeroDivisionError:
        raise Coded(*t[:1], code=x) from None


def caught(x, t):
    try:
        raise Coded(*t[:1], code=x)
    except Coded as e:
        return str(e)


def wrong_name(x, t):
    raise Pair(x, c=1)


def takes_no_names(x, t):
    raise KeyError(code=x)


def too_many(x, t):
    raise Pair(*t, x)


def on_one_path(x, t):
    if x > 100:
        raise Coded(code=x)
    return x + 1


PROGRAMS = [
    *(constant, computed, no_positions, of_import, starred, starred_after_others),
    *(starred_display, starred_and_named, starred_nothing, with_cause, with_no_cause, caught),
    *(wrong_name, takes_no_names, too_many, on_one_path),
]
ARGUMENTS = (7, ("t", 2.5, 3))


def described(function: Any, args: tuple[Any, ...], lines: bool = True) -> Any:
    """What a call gives, or all that can be seen of what it raises."""
    try:
        return function(*args)
    except Exception as error:  # noqa: BLE001  whatever the program raises
        places = [(s.name, s.lineno) for s in traceback.extract_tb(error.__traceback__)][1:]
        cause = repr(error.__cause__), error.__suppress_context__, repr(error.__context__)
        own = vars(error), getattr(error, "name", None), getattr(error, "path", None)
        return type(error), error.args, str(error), own, cause, places if lines else None


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_the_exception_is_the_one_of_python(program):
    wanted = described(program, ARGUMENTS)
    assert described(cutaway.jit(program), ARGUMENTS) == wanted
    assert described(cutaway.jit(forceobj=True)(program), ARGUMENTS) == wanted


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_so_it_is_at_every_level(program):
    wanted = described(program, ARGUMENTS, lines=False)
    c = cutaway.trace(program, *ARGUMENTS)
    for level in ("ir", "ssa", "typed"):
        assert described(c.at(level).run, ARGUMENTS, lines=False) == wanted, level


def test_the_names_survive_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CUTAWAY_CACHE_DIR", str(tmp_path))
    for _ in range(2):
        f = cutaway.jit(cache=True)(computed)
        assert described(f, ARGUMENTS) == described(computed, ARGUMENTS)
    assert f.stats.cache_hits


def test_in_a_kernel():
    @cuda.jit
    def kernel(x):
        if x[0] > 1:
            raise Coded("in a kernel", code=x[0])

    sim = cuda.simulate(kernel)
    with pytest.raises(Coded) as caught_one:
        sim[1, 1](np.array([5]))
    assert caught_one.value.code == 5


def test_what_a_star_may_be():
    @cutaway.jit
    def f(n):
        raise KeyError(*range(n))

    with pytest.raises(TypingError, match="only a tuple can be passed as"):
        f(3)


def test_a_call_has_a_star_and_names():
    @cutaway.jit
    def g(a, b, c=1):
        return a + 10 * b + 100 * c

    @cutaway.jit
    def f(t, x):
        return g(*t, c=x)

    assert f((1, 2), 3) == 321
