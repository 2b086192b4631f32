"""C functions of ctypes, called from compiled code and from its interpreted levels."""

from __future__ import annotations

import ctypes
import ctypes.util
import gc
import weakref

import numpy as np
import pytest

import cutaway
from cutaway.errors import CutawayError, TypingError, UnsupportedError

pytestmark = pytest.mark.sampled(test=2, others=8)

libm = ctypes.CDLL(ctypes.util.find_library("m"))
libc = ctypes.CDLL(None)
DOUBLES = ctypes.POINTER(ctypes.c_double)
lgamma, sinf, ldexp, modf = libm.lgamma, libm.sinf, libm.ldexp, libm.modf
memcpy, memset, absolute, qsort = libc.memcpy, libc.memset, libc.abs, libc.qsort
malloc, free = libc.malloc, libc.free
COMPARING = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
for function, restype, *argtypes in (
    (lgamma, ctypes.c_double, ctypes.c_double),
    (sinf, ctypes.c_float, ctypes.c_float),
    (ldexp, ctypes.c_double, ctypes.c_double, ctypes.c_int),
    (modf, ctypes.c_double, ctypes.c_double, DOUBLES),
    (memcpy, None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t),
    (memset, None, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t),
    (absolute, ctypes.c_int, ctypes.c_int),
    (qsort, None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, COMPARING),
    (malloc, ctypes.c_void_p, ctypes.c_size_t),
    (free, None, ctypes.c_void_p),
):
    function.argtypes, function.restype = argtypes, restype


def called_back(restype, *argtypes):
    return lambda function: ctypes.CFUNCTYPE(restype, *argtypes)(function)


@COMPARING
def by_size(first, second):
    one, other = (ctypes.c_double.from_address(place).value for place in (first, second))
    return (one > other) - (one < other)


def check(function, *args):
    """Python, compiled code and each level that is run give the same."""
    given = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
    expected = function(*given)
    found = cutaway.jit(function)(*args)
    assert type(found) is type(expected) and np.array_equal(found, expected, equal_nan=True)
    witness = cutaway.trace(function, *args).witness()
    assert "no pass of" in str(witness)


def refused(function, *args):
    with pytest.raises(CutawayError) as error:
        cutaway.jit(function)(*args)
    return error.value


# --- numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [3.5, 3, True, -0.5, float("inf"), float("nan")])
def test_a_function_of_a_float(x):
    check(lambda x: lgamma(x), x)


def test_an_attribute_of_a_library():
    check(lambda x: libm.lgamma(x), 2.5)


def test_results_are_what_python_has():
    check(lambda x: sinf(x), 0.3)
    check(lambda x: absolute(x) + 2**31, -(2**31) + 1)
    check(lambda x: ldexp(x, 5), 3)


def test_an_integer_is_cut_to_its_width():
    check(lambda x: absolute(x), 2**33 - 5)


INTEGERS = [
    *(ctypes.c_int8, ctypes.c_uint8, ctypes.c_int16, ctypes.c_uint16, ctypes.c_int32),
    *(ctypes.c_uint32, ctypes.c_int64, ctypes.c_uint64, ctypes.c_bool),
]


@pytest.mark.parametrize("cls", INTEGERS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("value", [0, 1, -1, 200, -200, 70000, 2**40 + 3, -(2**63)])
def test_integers_of_each_width(cls, value):
    seen = []

    @called_back(cls, cls)
    def same(x):
        seen.append(x)
        return x

    expected = same(value)
    found = cutaway.jit(lambda x: same(x))(value)
    assert seen[0] == seen[1] and found == expected and type(found) is type(expected)


def test_more_arguments_than_registers():
    kinds = [ctypes.c_int8, ctypes.c_double, ctypes.c_float, ctypes.c_uint16] * 6

    @called_back(ctypes.c_double, *kinds)
    def weighed(*args):
        return float(sum(place * arg for place, arg in enumerate(args, 1)))

    def f(i, x):
        four = (i, x, x, i)
        return weighed(*(four + four + four + four + four + four))

    check(f, -5 & 0x7F, 2.5)


def test_anything_has_a_truth():
    @called_back(ctypes.c_int, ctypes.c_bool)
    def truth(x):
        return 10 + x

    check(lambda x: truth(x), 0.5)
    check(lambda x: truth(x), 256)
    check(lambda x: truth(x), False)


# --- memory -----------------------------------------------------------------------------------


def test_arrays_lend_their_memory():
    def f(a):
        b = np.zeros(len(a))
        place = b.ctypes.data
        memcpy(place, a.ctypes, a.nbytes)
        return b * 2

    check(f, np.arange(5.0))


def test_the_address_of_an_array_keeps_it():
    def f(n):
        place = np.full(n, 3.0).ctypes.data  # in Python its memory is gone already
        other = np.full(n, 7.0)
        copied = np.zeros(n)
        memcpy(copied.ctypes.data, place, copied.nbytes)
        return copied + other

    assert set(cutaway.jit(f)(100_000)) == {10.0}


def test_what_was_computed_before_is_not_computed_after():
    def f(a):
        place = a.ctypes.data
        before = a + 1
        memset(place, 0, 16)
        return before * 2 + a

    check(f, np.ones(4))


def test_two_arrays_at_one_address():
    def f(place):
        one, other = (cutaway.carray(place, 4, np.float64), cutaway.carray(place, 4, np.float64))
        before = one + 1
        other[0] = 50.0
        return before * 2

    memory = np.ones(4)
    assert cutaway.jit(f)(memory.ctypes.data).tolist() == [4.0] * 4
    assert memory[0] == 50.0


def test_memory_of_c():
    def f(n):
        place = malloc(8 * n)
        if place is None:
            return -1.0
        a = cutaway.carray(place, n, np.float64)
        a[:] = 2.5
        total = a.sum()
        free(place)
        free(None)
        return total

    assert cutaway.jit(f)(6) == 15.0
    assert cutaway.jit(f)(2**58) == -1.0


def test_a_typed_pointer():
    def f(x):
        whole = np.zeros(1)
        rest = modf(x, whole.ctypes.data_as(DOUBLES))
        return rest, float(whole[0])

    assert cutaway.jit(f)(5.25) == f(5.25) == (0.25, 5.0)
    assert not cutaway.trace(f, 5.25).error

    def g(x):
        whole = np.zeros(1)
        return modf(x, whole.ctypes) + whole[0]  # as the reference takes it

    assert cutaway.jit(g)(5.25) == 5.25


def test_what_ndpointer_says_of_an_array():
    clear = ctypes.CDLL(None).memset
    clear.argtypes = [
        np.ctypeslib.ndpointer(np.float64, 2, flags="C_CONTIGUOUS, WRITEABLE"),
        ctypes.c_int,
        ctypes.c_size_t,
    ]
    clear.restype = None

    def f(a):
        clear(a, 0, 16)
        return a

    check(f, np.ones((2, 3)))
    constant = np.ones((2, 3))
    constant.flags.writeable = False
    for wrong, hint in (
        (np.ones((2, 3), "f4"), "pass an array of float64"),
        (np.ones(3), "pass an array of 2 dimensions"),
        (np.ones((2, 3)).T, "np.ascontiguousarray(a)"),
        (constant, "pass a writeable array"),
    ):
        with pytest.raises(ctypes.ArgumentError):
            f(wrong)
        assert hint in refused(f, wrong).hint


# --- functions as values ----------------------------------------------------------------------


def test_a_function_for_c_to_call():
    def f(a):
        qsort(a.ctypes, len(a), a.itemsize, by_size)
        return a

    check(f, np.array([3.0, 1.0, 2.0]))
    other = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 1)
    wrong = refused(lambda a: qsort(a.ctypes, 1, 8, other), np.ones(3))
    assert "CFUNCTYPE" in wrong.hint


def test_a_function_as_an_argument():
    f = cutaway.jit(lambda function, x: function(x))
    assert f(lgamma, 3.5) == lgamma(3.5) and f(sinf, 3.5) == sinf(3.5)


def test_one_of_two_functions():
    def f(which, x):
        function = lgamma if which else sinf
        return function(x)

    check(f, True, 0.5)
    check(f, False, 0.5)


def test_code_holds_what_it_calls():
    def made():
        function = called_back(ctypes.c_double, ctypes.c_double)(lambda x: x + 1)
        f = cutaway.jit(lambda x: function(x))
        assert f(1.0) == 2.0
        return f, weakref.ref(function)

    f, function = made()
    f.__wrapped__ = None
    gc.collect()
    assert function() is not None and f(2.0) == 3.0


def test_what_the_function_says_when_it_is_compiled_counts():
    own = ctypes.CDLL(None).abs
    assert "argtypes are not set" in str(refused(lambda x: own(x), 3))
    own.argtypes = [ctypes.c_int]
    assert cutaway.jit(lambda x: own(x))(-3) == 3
    own.argtypes = [ctypes.c_int8]
    assert cutaway.jit(lambda x: own(x))(255) == own(255) == 1


def test_parallel_loops_and_free_threads():
    function = called_back(ctypes.c_double, ctypes.c_double)(lambda x: x + 1)

    @cutaway.jit(parallel=True)
    def in_parallel(n):
        total = 0.0
        for i in cutaway.prange(n):
            total += function(i) + lgamma(i + 1)
        return total

    @cutaway.jit(nogil=True)
    def without_lock(n):
        total = 0.0
        for i in range(n):
            total += function(i) + lgamma(i + 1)
        return total

    assert np.isclose(in_parallel(2000), without_lock(2000))


def test_nothing_with_an_address_is_cached(tmp_path, monkeypatch):
    monkeypatch.setenv("CUTAWAY_CACHE_DIR", str(tmp_path))

    @cutaway.jit(cache=True)
    def f(x):
        return lgamma(x)

    assert f(2.5) == lgamma(2.5)
    assert "its address is another one in each process" in f.cache_info().reasons[0]
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size]


# --- what is refused --------------------------------------------------------------------------


def with_types(restype, *argtypes, library=None):
    function = (library or ctypes.CDLL(None)).abs
    function.argtypes, function.restype = argtypes, restype
    return function


def test_a_wrong_call_is_refused_in_words():
    wrong = refused(lambda x: lgamma(x, x), 1.5)
    assert isinstance(wrong, TypingError) and "lgamma takes 1 argument, not 2" in str(wrong)
    wrong = refused(lambda x: ldexp(x, x), 1.5)
    assert "argument 2 of ldexp: float64 cannot be passed as c_int" in str(wrong)
    assert wrong.hint == "convert it: int(x)"
    assert "cannot be passed as c_double" in str(refused(lambda x: lgamma("a"), 1.5))
    assert "pass a number" in refused(lambda x: lgamma(x), 1j).hint
    assert refused(lambda a: free(a), np.ones(3)).hint == "pass its memory: a.ctypes"
    assert "a.copy().ctypes" in refused(lambda a: free(a.ctypes), np.broadcast_to(1.0, 3)).hint
    wrong = refused(lambda a: modf(1.0, a.ctypes), np.ones(3, "f4"))
    assert wrong.hint == "pass an array of float64"
    assert "to a C function" in refused(lambda a: a.ctypes.data + 8, np.ones(3)).hint


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (with_types(ctypes.c_char_p, ctypes.c_int), "returns c_char_p"),
        (with_types(ctypes.py_object, ctypes.c_int), "returns py_object"),
        (with_types(int, ctypes.c_int), "returns int"),
        (with_types(type("Own", (ctypes.c_int,), {}), ctypes.c_int), "returns Own"),
        (with_types(ctypes.c_int, ctypes.c_char_p), "is of c_char_p"),
        (with_types(ctypes.c_int, type("Own", (ctypes.c_int,), {})), "is of Own"),
        (
            with_types(ctypes.c_int, ctypes.c_int, library=ctypes.CDLL(None, use_errno=True)),
            "keeps a copy of errno",
        ),
        (ctypes.pythonapi.Py_IsInitialized, "needs Python's lock"),
        (ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int)(abs), "needs Python's lock"),
        (ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(0), "null pointer"),
    ],
)
def test_a_function_that_does_more_is_refused(function, words):
    assert words in str(refused(lambda x: function(x), 1))


def test_a_function_that_checks_its_results_is_refused():
    function = with_types(ctypes.c_int, ctypes.c_int)
    function.errcheck = lambda result, function, args: result + 1
    wrong = refused(lambda x: function(x), 1)
    assert isinstance(wrong, UnsupportedError) and "errcheck" in str(wrong)


def test_an_address_stays_in_compiled_code():
    assert "cannot be returned" in str(refused(lambda a: a.ctypes, np.ones(3)))
