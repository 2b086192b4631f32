"""The ledger's entries about GPUs, as PTX shows them."""

from __future__ import annotations

import math

import pytest

from cutaway import cuda
from cutaway.targets.ptx import toolkit


def ptx_of(function, signature, **options):
    return cuda.compile_ptx(function, signature, cc=(8, 0), **options)[0]


def mixed(a, x):
    a[0] = a[0] * x + a[1] / x + math.sqrt(a[2])


def test_gpu_fma():
    signature = "(float32[::1], float32)"
    assert "fma.rn.f32" in ptx_of(mixed, signature)
    assert "fma" not in ptx_of(mixed, signature, fma=False)


@pytest.mark.skipif(toolkit.find_libdevice() is None, reason="libdevice is not installed")
def test_gpu_functions():
    def sine(a):
        a[0] = math.sin(a[0])

    signature = "(float32[::1],)"
    assert "__internal_trig" in ptx_of(sine, "(float64[::1],)")
    assert "sin.approx" not in ptx_of(sine, signature)
    assert "sin.approx" in ptx_of(sine, signature, fastmath=True)


def test_quotients_and_roots_are_exact_without_fastmath():
    text = ptx_of(mixed, "(float32[::1], float32)")
    assert "div.rn.f32" in text and "sqrt.rn.f32" in text
    text = ptx_of(mixed, "(float32[::1], float32)", fastmath=True)
    assert "div.rn" not in text and "sqrt.rn" not in text


def test_gpu_exceptions():
    def refuse(a):
        if a[0] > 1:
            raise ValueError("too large")
        a[0] = 2

    text = ptx_of(refuse, "(float32[::1],)")
    assert "cutaway_error" in text and "trap" not in text


def test_gpu_checks():
    def first(a, i, n):
        a[i] = a[0] // n

    assert "cutaway_raise" not in ptx_of(first, "(int64[::1], int64, int64)")
    assert ptx_of(first, "(int64[::1], int64, int64)", debug=True).count("cutaway_raise") > 2
