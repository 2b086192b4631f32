"""The option `vector_math`: where it is on, what it does to code, and what is told about it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cutaway
from cutaway.errors import OptionError
from cutaway.foundation.options import flags_from_options

pytestmark = pytest.mark.sampled(others=3, fast=6)


def exp_of(a):
    return np.exp(a) * a + 1.0


def by_hand(a, b):
    for i in range(len(a)):
        b[i] = np.exp(a[i]) + math.sin(a[i])


def power_by_hand(a, b):
    for i in range(len(a)):
        b[i] = a[i] ** 2.5 + math.atan2(a[i], 2.0)


A = np.linspace(-4.0, 4.0, 1001)


@pytest.mark.parametrize(
    ("options", "on"),
    [
        ({}, False),
        ({"vector_math": True}, True),
        ({"fastmath": True}, True),
        ({"fastmath": {"afn"}}, True),
        ({"fastmath": {"nsz", "contract"}}, False),
        ({"fastmath": True, "vector_math": False}, False),
        ({"vector_math": True, "fastmath": False}, True),
    ],
)
def test_it_is_on_where_it_is_asked_for_or_functions_may_be_approximate(options, on):
    assert flags_from_options(options).vector_math is on


def test_it_is_true_or_false():
    with pytest.raises(OptionError, match="vector_math must be True or False"):
        cutaway.jit(vector_math=2)(exp_of)


def test_without_it_the_bits_are_numpys():
    assert np.array_equal(cutaway.jit(exp_of)(A), exp_of(A))


def test_with_it_an_expression_is_one_loop_with_vectors():
    f = cutaway.jit(vector_math=True)(exp_of)
    assert np.allclose(f(A), exp_of(A), rtol=1e-15, atol=0)
    text = str(f.inspect_llvm(f.signatures[0]))
    assert "numpy.exp" not in text and "llvm.fmuladd.f64" in text
    assert " x double>" in str(f.trace(A).at("llvm_opt"))
    plain = cutaway.jit(exp_of)
    plain(A)
    assert "numpy.exp.d.d" in str(plain.inspect_llvm(plain.signatures[0]))


@pytest.mark.parametrize("program", [by_hand, power_by_hand])
def test_loops_by_hand_have_vectors_where_nothing_raises(program):
    a, b, c = np.abs(A) + 0.1, np.empty_like(A), np.empty_like(A)
    f = cutaway.jit(program, vector_math=True, error_model="numpy", boundscheck=False)
    f(a, b)
    program(a, c)
    assert np.allclose(b, c, rtol=1e-14, atol=0)
    assert " x double>" in str(f.trace(a, b).at("llvm_opt"))


def test_math_raises_as_it_does_in_python():
    log = cutaway.jit(vector_math=True)(lambda x: math.log(x))
    exp = cutaway.jit(vector_math=True)(lambda x: math.exp(x))
    power = cutaway.jit(vector_math=True)(lambda x, y: x**y)
    for call in (lambda: log(-1.0), lambda: log(0.0), lambda: power(-2.0, 0.5)):
        with pytest.raises(ValueError):
            call()
    for call in (lambda: exp(1e4), lambda: power(1e200, 2.5)):
        with pytest.raises(OverflowError):
            call()
    with pytest.raises(ZeroDivisionError):
        power(0.0, -1.5)
    assert exp(1.0) == pytest.approx(math.e, rel=1e-15)


def test_remarks_say_what_computes_a_function():
    def program(a, x):
        return np.exp(a) + math.exp(x)

    def said(**options):
        f = cutaway.jit(program, **options)
        return {row.raw: row for row in f.trace(A, 1.0).remarks}

    plain, vectors = said(), said(vector_math=True)
    assert "numpy.exp.d.d" in plain["numpy_loop"].message
    assert "vector_math=True" in plain["numpy_loop"].hint
    assert "C library" in plain["c_library"].message
    assert "1.1 units in the last place" in vectors["vector_math"].message
    assert "numpy_loop" not in vectors and "c_library" not in vectors


def test_the_witness_permits_what_is_within_budgets():
    found = cutaway.jit(vector_math=True)(exp_of).trace(A).witness(A)
    assert found.ok
    assert any("vector-math" in row.entries for row in found.rows)
    assert not any("fastmath" in row.entries for row in found.rows)


def test_arrays_of_any_layout_and_sums_of_them():
    f = cutaway.jit(vector_math=True)(lambda a, b: np.exp(a) * np.sin(b) + np.cbrt(a))
    total = cutaway.jit(vector_math=True)(lambda a: np.sum(np.exp(a)))
    a = np.random.default_rng(5).uniform(-5, 5, (12, 14))
    for one in (a, a.T, a[::-1, ::2], np.asfortranarray(a), a[:0], a[3], np.array(2.5), a[:, :1]):
        with np.errstate(all="ignore"):
            expected = np.exp(one) * np.sin(one[..., ::-1] if one.ndim else one) + np.cbrt(one)
        other = one[..., ::-1] if one.ndim else one
        assert np.allclose(f(one, other), expected, rtol=1e-13, atol=1e-15)
        if one.ndim:
            assert np.allclose(total(one), np.exp(one).sum(), rtol=1e-13)


def test_an_array_is_computed_in_place():
    def program(a):
        np.sin(a, out=a)
        a[:] = np.exp(a[::-1])
        a += np.tanh(a)

    a, b = A.copy() * 1e7, A.copy() * 1e7
    cutaway.jit(vector_math=True)(program)(a)
    program(b)
    assert np.allclose(a, b, rtol=1e-13, atol=0)


def test_integers_and_complex_numbers_are_computed_as_ever():
    f = cutaway.jit(vector_math=True)(lambda a: np.exp(a))
    whole, complex_ = np.arange(-3, 4), np.linspace(-1, 1, 9) * (1 + 2j)
    assert np.allclose(f(whole), np.exp(whole), rtol=1e-15)
    assert np.array_equal(f(complex_), np.exp(complex_))
    assert f(np.float32([1, 2])).dtype == np.float32
    powers = cutaway.jit(vector_math=True)(lambda a, n: a**n)
    assert np.array_equal(powers(whole, np.int64(3)), whole**3)


def test_code_is_not_shared_between_values_of_the_option(tmp_path, monkeypatch):
    monkeypatch.setenv("CUTAWAY_CACHE_DIR", str(tmp_path))
    sharp = cutaway.jit(cache=True)(exp_of)
    vectors = cutaway.jit(cache=True, vector_math=True)(exp_of)
    sharp(A)
    vectors(A)
    again = cutaway.jit(cache=True)(exp_of)
    assert np.array_equal(again(A), exp_of(A))
    assert not np.array_equal(cutaway.jit(cache=True, vector_math=True)(exp_of)(A), exp_of(A))
