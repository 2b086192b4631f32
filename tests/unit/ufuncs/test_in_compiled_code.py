"""Functions that `vectorize` and `guvectorize` make, called in compiled code."""

from __future__ import annotations

import traceback

import numpy as np
import pytest

import cutaway
from cutaway import guvectorize, jit, vectorize
from cutaway.errors import TypingError
from ufuncs.kernels import scaled

pytestmark = pytest.mark.sampled(test=2, others=12, fast=5)


@vectorize(["float64(float64, float64)"])
def choose(a, b):
    return a * b + 1 if a > b else b


@vectorize
def double(a):
    return a * 2


@vectorize(["Tuple((float64, float64))(float64)"])
def around(a):
    return a + 1, a - 1


@vectorize(["float64(float64)"])
def positive(x):
    if x < 0:
        raise ValueError("a negative number")
    return x


@guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->()")
def dot(a, b, out):
    total = 0.0
    for k in range(a.shape[0]):
        total += a[k] * b[k]
    out[0] = total


@guvectorize("(n)->(n)")
def tripled(a, out):
    for k in range(a.shape[0]):
        out[k] = a[k] * 3


A, B = np.arange(6.0).reshape(2, 3), np.array([2.0, 1.0, 4.0])


def of_expressions(a, b):
    return np.sqrt(choose(a, b) + double(a)) - choose(b, 2.0)


def of_numbers(x):
    return choose(x, 2.0) + double(3)


def of_outputs(a, b):
    out = np.zeros(a.shape)
    choose(a, b, out)
    choose(out, b, out=out)
    return out


def of_masks(a, b):
    out = np.zeros(a.shape)
    choose(a, b, out=out, where=a > 1)
    return out


def of_several(a, b):
    high, low = around(a)
    return high * low + b


def of_sums(a, b):
    return np.sum(choose(a, b)), (double(a) * 0.5).max()


def of_parts(a, b):
    return dot(a, b), dot(b, b), dot(a[:1], a)


def of_numbers_and_parts(a, b):
    return scaled(a, 2.0), scaled(b, 3), scaled(a, a[:, 0])


def of_given_outputs(a, b):
    out, total = np.zeros(a.shape), np.zeros(2)
    scaled(a, 2.0, out, total)
    dot(a, b, out=total)
    tripled(out, out)
    return out, total


def of_other_types(a, b):
    return dot(a.astype(np.int8), b.astype(np.float32)), double(a.astype(np.int8))


PROGRAMS = [
    *(of_expressions, of_outputs, of_masks, of_several, of_sums, of_parts, of_numbers_and_parts),
    *(of_given_outputs, of_other_types),
]


def assert_same(one, other):
    if isinstance(one, tuple):
        for left, right in zip(one, other, strict=True):
            assert_same(left, right)
    else:
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_a_program_gives_what_it_gives_in_python(program):
    for a in (A, A[::-1, ::-1]):
        assert_same(jit(program)(a.copy("K"), B), program(a.copy("K"), B))


@pytest.mark.parametrize("a", [np.asfortranarray(A), A[:0], A[:, :0]], ids=["F", "none", "empty"])
def test_layouts_and_sizes_of_all_kinds_are_gone_over(a):
    def both(a):
        return choose(a, a), dot(a, a)

    assert_same(jit(both)(a), both(a))


def test_numbers_are_inlined():
    assert jit(of_numbers)(3.0) == of_numbers(3.0) == 13.0
    llvm = jit(of_numbers).trace(3.0).at("llvm_opt").text
    assert "call" not in llvm.partition("of_numbers")[2].partition("\n}")[0]


def test_it_is_a_part_of_the_expression_around_it():
    trace = cutaway.trace(of_expressions, A, B)
    (expression,) = [
        line for line in str(trace.at("arrayexpr").text).splitlines() if "expr(" in line
    ]
    assert "choose_" in expression
    assert "double_" in expression
    assert "sqrt" in expression


@pytest.mark.parametrize("program", [of_outputs, of_parts])
def test_the_witness_sees_no_difference(program):
    report = cutaway.trace(program, A, B).witness(A, B)
    assert "no pass of" in str(report)


def test_what_the_kernel_raises_has_the_lines_of_both():
    def calls(a):
        return positive(a) * 2

    with pytest.raises(ValueError, match="^a negative number$") as caught:
        jit(calls)(np.array([1.0, -1.0]))
    assert [frame.name for frame in traceback.extract_tb(caught.tb)[-2:]] == ["calls", "positive"]


def test_a_loop_is_compiled_for_a_call_in_compiled_code():
    function = vectorize(lambda a: a + 1)
    assert jit(lambda a: function(a))(np.arange(3, dtype="h")).tolist() == [1, 2, 3]
    assert function.types == ["h->l"]


def test_sizes_and_types_that_do_not_fit_are_told():
    for program in (lambda a, b: dot(a, b), jit(lambda a, b: dot(a, b))):
        with pytest.raises(ValueError, match=r"operand 1 has a mismatch .*\(size 2 is different"):
            program(np.ones(3), np.ones(2))
        with pytest.raises(ValueError, match="could not be broadcast"):
            program(np.ones((2, 3)), np.ones((3, 3)))
    with pytest.raises(TypingError, match="not supported for the input types"):
        jit(lambda a: choose(a, 1j))(A)
    with pytest.raises(TypingError, match="Cannot cast array data"):
        jit(lambda a, out: dot(a, a, out))(A, np.zeros((), int))


def test_an_output_of_another_dtype_is_converted_as_numpy_does():
    table = np.arange(6.0).reshape(2, 3) / 3
    out, expected = np.zeros(2, "f"), np.zeros(2, "f")
    dot(table, table, expected)
    assert jit(lambda a, out: dot(a, a, out))(table, out).tolist() == expected.tolist()


@guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->()", writable_args=(0,))
def marked(a, b, out):
    a[0] = 9.0
    out[0] = a.sum() + b[0]


@guvectorize(["void(float64[:], float64, float64[:])"], "(),()->()", writable_args=("total",))
def added(total, x, out):
    total[0] += x
    out[0] = total[0]


@pytest.mark.parametrize(
    "given",
    [
        (marked, np.ones((2, 3)), np.ones(3)),
        (marked, np.ones(3), np.ones(3)),
        (marked, np.ones((2, 3), "f4"), np.ones(3)),
        (marked, np.ones((2, 3), "i8")[:, ::-1], np.ones((2, 3))),
        (added, np.ones(3), 1.0),
        (added, np.ones((2, 3)).T, 2.0),
        (added, np.array(5.0), 1.0),
        (added, 5.0, 1.0),
    ],
    ids=str,
)
def test_inputs_that_a_kernel_writes_to_are_written_to(given):
    function, *args = given

    def outcome(call):
        mine = [np.copy(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
        return call(*mine), mine

    expected, written = outcome(function)
    found, ours = outcome(jit(lambda a, b: function(a, b)))
    assert np.array_equal(found, expected)
    for one, other in zip(ours, written, strict=True):
        assert np.array_equal(one, other) and np.result_type(one) == np.result_type(other)


def test_inputs_that_cannot_be_written_to_are_told():
    f = jit(lambda a, b: marked(a, b))
    for narrow in (np.ones(3), np.ones((1, 3))):
        for call in (marked, f):
            with pytest.raises(ValueError, match="operand"):
                call(narrow, np.ones((2, 3)))
    constant = np.ones(3)
    constant.flags.writeable = False
    with pytest.raises(TypingError, match="marked writes to argument 1, which is read-only"):
        f(constant, np.ones(3))


def test_one_may_be_passed_to_compiled_code():
    def applied(f, a):
        return f(a) + 1

    compiled = jit(applied)
    others = [vectorize(lambda a: a * 3), vectorize(["float64(float64)"])(lambda a: a * 5)]
    for function in (double, *others, double):
        assert compiled(function, B).tolist() == applied(function, B).tolist()


def test_functions_of_one_name_are_not_mixed_up():
    def made(k):
        return vectorize(["float64(float64)"])(lambda x: x + k)

    first, second = made(1), made(2)
    assert jit(lambda a: first(a) * second(a))(np.ones(2)).tolist() == [6, 6]
    again = [guvectorize(["void(float64, float64[:])"], "()->()")(adding(k)) for k in (1, 2)]
    assert [jit(lambda x, g=g: g(x))(1.0) for g in again] == [2.0, 3.0]


def adding(k):
    def kernel(x, out):
        out[0] = x + k

    return kernel
