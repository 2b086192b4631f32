"""Calls in compiled code convert to the explicit signatures of what they call, as calls from Python
do."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import cutaway
from cutaway import cuda
from cutaway.errors import AmbiguousCallError, CutawayError, NoMatchError
from cutaway.typing import types


def same(x):
    return x


def calling(function):
    return cutaway.jit(lambda x: function(x))


def outcome(function, *args):
    try:
        result = function(*args)
    except (TypeError, OverflowError) as error:
        return type(error)
    return type(result), repr(result)


WANTED = ["int8", "int32", "int64", "uint8", "uint64", "bool", "float32", "float64"]
NUMBERS = [
    *(0, 1, 2, 3, -1, 255, 256, 2**31, 2**40, 2**63 - 1, -(2**63), True),
    *(3.0, 0.5, -1.0, 1e30, 1e300, float("nan"), float("inf"), -0.0, 2.0**63, 2.0**64),
    *(np.uint8(200), np.uint64(2**63), np.int8(-7), np.float32(1.5), np.float32(7)),
]


@pytest.mark.parametrize("wanted", WANTED)
def test_a_number_is_converted_or_refused_as_in_a_call_from_python(wanted):
    f = cutaway.jit(f"{wanted}({wanted})")(same)
    for number in NUMBERS:
        assert outcome(calling(f), number) == outcome(f, number), number


def test_items_of_tuples_are_converted():
    @cutaway.jit("int64(UniTuple(int64, 2))")
    def first(pair):
        return pair[0]

    assert calling(first)((3.0, 4.0)) == 3
    with pytest.raises(TypeError, match="does not hold the argument 'pair'"):
        calling(first)((3.0, 4.5))


def test_the_error_names_the_parameter_and_the_type():
    @cutaway.jit("int64(float64[:], int64)")
    def at(a, i):
        return i

    with pytest.raises(TypeError, match="the signature asks for int64, .* the argument 'i'"):
        cutaway.jit(lambda a: at(a, a[0]))(np.array([0.5]))
    assert at.signatures == [(types.Array(types.float64, 1, "A"), types.int64)]


def test_the_best_of_several_signatures_is_called():
    @cutaway.jit(["float64(float64)", "int64(int64)"])
    def halved(x):
        return x / 2

    assert outcome(calling(halved), 5) == (int, "2")
    assert outcome(calling(halved), 5.0) == (float, "2.5")
    assert outcome(calling(halved), np.float32(5)) == (float, "2.5")
    assert len(halved.signatures) == 2


def test_nothing_else_is_compiled():
    @cutaway.jit("float64(float64)")
    def f(x):
        return x

    calling(f)(3), calling(f)(np.int8(3)), calling(f)(True)
    assert list(f.half.units) == [(types.float64,)]


def test_a_call_that_several_accept_is_refused_where_it_stands():
    @cutaway.jit(["float64(float32, float64)", "float64(float64, float32)"])
    def f(x, y):
        return x

    g = cutaway.jit(lambda x: f(x, x))
    with pytest.raises(AmbiguousCallError) as refused:
        g(1.0)
    assert refused.value.loc.line == g.py_func.__code__.co_firstlineno
    with pytest.raises(AmbiguousCallError):
        f(1.0, 1.0)


@pytest.mark.parametrize("argument", ["text", 1j, None, np.zeros(3)])
def test_a_call_that_none_accepts_is_refused_where_it_stands(argument):
    f = cutaway.jit("float64(float64)")(same)
    g = calling(f)
    with pytest.raises(NoMatchError) as refused:
        g(argument)
    assert refused.value.loc.filename == __file__
    assert "signature: (float64)" in str(refused.value)
    with pytest.raises(NoMatchError):
        f(argument)


def test_arrays_of_a_layout_go_where_any_is_asked_for_and_not_the_other_way():
    any_layout = cutaway.jit("float64(float64[:])")(lambda a: a.sum())
    dense = cutaway.jit("float64(float64[::1])")(lambda a: a.sum())
    assert cutaway.jit(lambda a: any_layout(a) + any_layout(a[::2]))(np.arange(4.0)) == 8.0
    assert any_layout.signatures == [(types.Array(types.float64, 1, "A"),)]
    with pytest.raises(NoMatchError):
        cutaway.jit(lambda a: dense(a[::2]))(np.arange(4.0))


def test_defaults_keywords_and_star():
    @cutaway.jit("float64(float64, float64)")
    def f(x, y=2):
        return x / y

    @cutaway.jit("float64(float64, Tuple((float64, float64)))")
    def rest(x, *more):
        return x / more[0] / more[1]

    @cutaway.jit
    def calls(x):
        return f(x), f(x, 4), f(y=5, x=x), rest(x, 2, 4)

    assert calls(20) == (10.0, 5.0, 4.0, 2.5) == calls.py_func(20)


def test_recursive_calls_convert():
    @cutaway.jit("int64(int64)")
    def fibonacci(n):
        return n if n < 2 else fibonacci(n - 1.0) + fibonacci(n - 2)

    @cutaway.jit(["int64(int64)", "float64(float64)"])
    def count(n):
        return count(n / 2.0) + 1 if n > 1 else n

    assert fibonacci(10) == 55
    assert outcome(count, 3.0) == (float, "2.75")
    assert outcome(count, 3) == (int, "2")  # the float, cut off by the signature of integers


def test_in_parallel_loops_and_as_values():
    @cutaway.jit("float64(float64)")
    def f(x):
        return x / 2

    @cutaway.jit("float64(float64)")
    def g(x):
        return x * 2

    @cutaway.jit(parallel=True)
    def loop(n):
        out = np.zeros(n)
        for i in cutaway.prange(n):
            out[i] = f(i)
        return out

    @cutaway.jit
    def either(x, first):
        chosen = f if first else g
        return chosen(x)

    assert loop(5).tolist() == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert (either(3, True), either(3, False)) == (1.5, 6.0)


def test_they_outlast_pickles():
    f = cutaway.jit("float64(float64)")(same)
    again = pickle.loads(pickle.dumps(calling(f)))
    assert outcome(again, 3) == (float, "3.0")


def test_every_level_and_every_explanation_has_the_conversion():
    @cutaway.jit("float64(float64)")
    def f(x):
        return x / 2

    g = cutaway.jit(lambda x: f(x) + 1)
    compilation = g.trace(3)
    for level in ("ir", "typed"):
        assert compilation.at(level).run(3) == 2.5
    assert "float64" in str(compilation.why("return"))


def test_kernels_and_the_simulator():
    @cutaway.jit("float64(int64, float64)")
    def f(i, k=2):
        return i * k

    @cuda.jit
    def kernel(out, x):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = f(x[i])

    out = np.zeros(4)
    cuda.simulate(kernel)[1, 4](out, np.full(4, 3.0))
    assert out.tolist() == [6.0] * 4
    with pytest.raises(Exception, match="does not hold the argument 'i'"):
        cuda.simulate(kernel)[1, 4](out, np.full(4, 3.5))
    array = types.Array(types.float64, 1, "C")
    assert ".visible .entry" in cuda.compile_ptx(kernel.py_func, (array, array))[0]


def test_object_mode_calls_as_python_does():
    f = cutaway.jit("int64(int64)")(same)
    g = cutaway.jit(forceobj=True)(lambda x: f(x))
    assert g(3.0) == 3
    with pytest.raises((TypeError, CutawayError)):
        g(3.5)


def test_what_is_inlined_always_is_called_with_other_types_too():
    @cutaway.jit("void(float64[:], int64)", inline="always")
    def filled(a, x):
        a[:] = x

    @cutaway.jit
    def f(a, x):
        filled(a, x)
        return a[0]

    assert f(np.zeros(2, np.float32), 3) == 3.0
    assert f(np.zeros(2), 3) == 3.0
    assert len(filled.signatures) == 1
