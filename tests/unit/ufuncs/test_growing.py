"""Functions that `vectorize` makes without signatures: they gain loops when they are called."""

from __future__ import annotations

import copy
import gc
import pickle
import pydoc
import threading
import weakref

import numpy as np
import pytest

import cutaway
from cutaway import vectorize
from cutaway.errors import TypingError
from cutaway.foundation.element_functions import ufunc_half

pytestmark = pytest.mark.sampled(fast=4)


@vectorize
def plus(a, b):
    """The sum."""
    return a + b


def fresh(**options):
    return vectorize(**options)(lambda a, b: a + b)


def test_it_has_what_a_ufunc_has():
    function = fresh(identity=0)
    assert (function.nin, function.nout, function.nargs, function.ntypes) == (2, 1, 3, 0)
    assert (function.types, function.identity, function.signature) == ([], 0, None)
    assert function.__name__ == "<lambda>"
    assert plus.__doc__ == "The sum."
    assert plus.__module__ == __name__
    assert plus.py_func(1, 2) == plus.__wrapped__(1, 2) == 3
    assert repr(plus) == "<vectorize function plus>"
    assert "reduceat" in dir(plus)
    assert "The sum." in pydoc.render_doc(plus)
    plus.note = 5
    assert plus.note == 5
    with pytest.raises(AttributeError, match="'nothing'"):
        _ = plus.nothing


def test_a_loop_is_compiled_where_none_takes_the_types_without_loss():
    function = fresh()
    assert function(1, 2) == 3
    assert function.types == ["ll->l"]
    assert function(np.int8(1), np.uint16([2])).dtype == np.int64  # both are int64 without loss
    assert function.types == ["ll->l"]
    assert function(np.float32(1), np.float32(2)).dtype == np.float32
    assert function(1.5, 2) == 3.5
    assert function.types == ["ll->l", "ff->f", "dl->d"]
    assert function(np.ones(2, "f"), 2.0).dtype == np.float32  # a number of Python's fits in
    assert function.signatures == [
        (cutaway.int64, cutaway.int64),
        (cutaway.float32, cutaway.float32),
        (cutaway.float64, cutaway.int64),
    ]
    assert list(function.overloads) == function.signatures


def test_numbers_of_python_take_on_the_type_of_the_arrays_beside_them():
    for a, b, types in [
        (np.ones(2, "f"), 2.0, "ff->f"),
        (np.ones(2, "b"), 2, "bb->l"),  # the kernel's own: int8 + int8 is int64 in compiled code
        (np.ones(2, "b"), 2.0, "bd->d"),
        (np.ones(2, "f"), 2j, "fF->F"),
        (2, np.ones(2, "h"), "hh->l"),
    ]:
        function = fresh()
        function(a, b)
        assert function.types == [types]


def test_all_dtypes_make_loops_of_their_own():
    for dtype in "?bBhHiIlLefdFD":
        function = fresh()
        a = np.ones(3, dtype)
        assert (
            np.array_equal(function(a, a), [True] * 3 if dtype == "?" else [2] * 3) or dtype == "?"
        )
        assert function.types[0].startswith(dtype * 2)


def test_what_numpy_refuses_is_refused_in_its_words():
    function = fresh()
    with pytest.raises(TypeError, match="takes from 2 to 3 positional arguments but 1"):
        function(1)
    with pytest.raises(TypeError, match="did not contain a loop with signature matching types"):
        function("a", "b")
    with pytest.raises(TypeError, match="not supported for the input types|did not contain a loop"):
        function(np.array([object()]), 1)
    assert function.types == []
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        function(1, 2, foo=3)
    with pytest.raises(ValueError, match="could not be broadcast"):
        function(np.ones(3), np.ones(4))


def test_methods_compile_loops_too():
    a = np.arange(6.0).reshape(2, 3)
    for method in ("reduce", "accumulate"):
        assert np.array_equal(
            getattr(fresh(identity=0), method)(a, 1), getattr(np.add, method)(a, 1)
        )
    assert np.array_equal(fresh().reduceat(a[0], [0, 1]), np.add.reduceat(a[0], [0, 1]))
    assert np.array_equal(fresh().outer(a[0], [1, 2]), np.add.outer(a[0], [1, 2]))
    ours = a[0].copy()
    fresh().at(ours, [0, 0], 2.0)
    assert ours.tolist() == [4, 1, 2]
    assert fresh().reduce(np.arange(3, dtype="b"), dtype="d") == 3.0
    assert fresh().reduce([1, 2, 3]) == 6


def test_loops_can_be_compiled_ahead_and_no_more_later():
    function = fresh()
    function.compile("float64(float64, float64)")
    function.compile("float64(float64, float64)")
    assert function.types == ["dd->d"]
    function.disable_compile()
    assert function(1, 2) == 3.0
    with pytest.raises(TypeError, match="not supported"):
        function(1j, 2)
    assert "none is compiled any more" in function.explain_dispatch(1j, 2)
    assert "define" in function.inspect_llvm("(float64, float64)")


def test_explain_dispatch_says_what_a_call_would_do():
    function = fresh()
    assert function.explain_dispatch(1, 2).endswith("so one is compiled; loops: none yet")
    function(1.0, 2.0)
    assert function.explain_dispatch(np.int8(1), 2.0) == (
        "<lambda> runs the loop dd->d: argument 0 is converted from int8 to float64; loops: dd->d"
    )


def test_a_kernel_that_cannot_be_compiled_is_told_and_leaves_no_loop():
    function = vectorize(lambda x: x.nothing)
    for _ in range(2):
        with pytest.raises(TypingError, match="no attribute 'nothing'"):
            function(1.0)
    assert function.types == []


@vectorize
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def test_a_kernel_that_calls_itself_is_told_what_to_write():
    with pytest.raises(TypingError, match="the kernel factorial calls itself"):
        factorial(5)
    assert factorial.types == []


def test_what_the_kernel_raises_arrives():
    @vectorize
    def checked(x):
        if x > 1:
            raise TypeError("too large")
        return x

    for _ in range(2):
        with pytest.raises(TypeError, match="^too large$"):
            checked(np.arange(3.0))
    assert checked.types == ["d->d"]


class Units:
    """An array with a unit, which takes part in ufuncs."""

    def __init__(self, value):
        self.value = value

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        plain = [one.value if isinstance(one, Units) else one for one in inputs]
        if out is not None:
            options["out"] = tuple(one.value if isinstance(one, Units) else one for one in out)
        return Units(getattr(ufunc, method)(*plain, **options))


def test_it_takes_part_in_array_ufunc():
    function = fresh(identity=0)
    assert function(Units(np.arange(3)), 1).value.tolist() == [1, 2, 3]
    assert function.types == ["ll->l"]  # gained behind the object
    assert function.reduce(Units(np.arange(3))).value == 3
    assert function.outer([1, 2], Units([1.5])).value.tolist() == [[2.5], [3.5]]
    target = Units(np.zeros(3, int))
    assert function(np.arange(3), 1, out=target).value is target.value
    assert target.value.tolist() == [1, 2, 3]

    class Absent:
        __array_ufunc__ = None

    class Silent:
        def __array_ufunc__(self, *given, **options):
            return NotImplemented

    with pytest.raises(TypeError, match="operand 'Absent' does not support ufuncs"):
        function(Absent(), 1)
    with pytest.raises(TypeError, match="all returned NotImplemented .*: 'Silent'"):
        function(Silent(), 1)

    class Finer(Units):
        def __array_ufunc__(self, *given, **options):
            return "finer"

    assert function(Units(1), Finer(1)) == "finer"


def test_arrays_of_classes_of_their_own_stay_what_they_are():
    class Named(np.ndarray):
        pass

    named = np.arange(3.0).view(Named)
    assert type(plus(named, 1.0)) is Named


def test_it_is_pickled_by_its_name_or_by_its_kernel():
    assert pickle.loads(pickle.dumps(plus)) is plus
    assert copy.copy(plus) is plus
    assert copy.deepcopy(plus) is plus
    cloudpickle = pytest.importorskip("cloudpickle")
    again = pickle.loads(cloudpickle.dumps(fresh(identity=1)))
    assert again(2, 3) == 5
    assert again.identity == 1


def test_it_is_freed_with_its_loops():
    function = fresh()
    function(1, 2)
    made = vectorize(["f8(f8)"])(lambda x: x + 1)
    halves = [weakref.ref(ufunc_half(one)) for one in (function, made)]
    del function, made
    gc.collect()
    assert [one() for one in halves] == [None, None]


def test_threads_that_want_the_same_loop_get_one():
    function, results = fresh(), []
    barrier = threading.Barrier(4)

    def work(k):
        barrier.wait()
        results.append(float(function(np.ones(3), k).sum()))

    threads = [threading.Thread(target=work, args=(float(k),)) for k in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(results) == [3.0, 6.0, 9.0, 12.0]
    assert function.types == ["dd->d"]


def test_a_question_about_dtypes_compiles_a_loop_for_them():
    @cutaway.vectorize
    def add(x, y):
        return x + y

    given = np.dtype(np.int8), np.dtype(np.int16)
    assert add.resolve_dtypes((*given, None)) == (*given, add(*map(np.ones, (1, 1), given)).dtype)
