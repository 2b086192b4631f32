"""What words mean, as the simulator carries them out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cuda.language.programs import FIELDS, PACKED
from cutaway import cuda

pytestmark = pytest.mark.sampled(others=5, fast=30)

TABLE = np.asfortranarray(np.arange(1.0, 7.0).reshape(2, 3))
RECORDS = np.array([(1.5, 2, (3, 4)), (5, 6, (7, 8))], FIELDS)
NAN = math.nan


def run(kernel, *args, block=1, shared=0):
    cuda.simulate(cuda.jit(kernel))[1, block, 0, shared](*args)


def test_a_bfloat16_is_kept_in_16_bits():
    def kernel(a, b):
        held = cuda.local.array(2, cuda.bfloat16)
        held[0] = cuda.float32_to_bf16(b[0])
        a[0] = held[0]
        b[1] = cuda.bf16_to_float32(a[0])

    a, b = np.zeros(1, np.uint16), np.array([1.01171875, 0], np.float32)
    run(kernel, a, b)
    assert a[0] == cuda.float32_to_bf16(b[0]) == 0x3F82
    assert b[1] == 1.015625


def test_float32_is_rounded_to_the_nearest_bfloat16():
    given = np.array([1, 1.00390625, 1.01171875, NAN, math.inf, -3.4e38, 1e-40], np.float32)
    bits = cuda.float32_to_bf16(given)
    assert bits.tolist() == [0x3F80, 0x3F80, 0x3F82, 0x7FFF, 0x7F80, 0xFF80, 1]
    np.testing.assert_array_equal(cuda.bf16_to_float32(bits)[:3], np.float32([1, 1, 1.015625]))


def test_the_smallest_and_the_greatest_float_with_nan():
    def kernel(a, before):
        before[0] = cuda.atomic.max(a, 0, a[4])  # a NaN is ignored
        before[1] = cuda.atomic.max(a, 1, 2.0)  # a NaN stays
        before[2] = cuda.atomic.nanmax(a, 2, 2.0)  # a NaN gives way
        before[3] = cuda.atomic.min(a, 3, 2.0)
        cuda.atomic.nanmin(a, 3, a[4])

    a, before = np.array([1, NAN, NAN, 3, NAN]), np.zeros(4)
    run(kernel, a, before)
    np.testing.assert_array_equal(a, [1, NAN, 2, 2, NAN])
    np.testing.assert_array_equal(before, [1, NAN, NAN, 3])


def test_atomic_operations_on_bytes_wrap_around():
    def kernel(a):
        cuda.atomic.add(a, 0, 100)
        cuda.atomic.sub(a, 1, 1)
        cuda.atomic.exch(a, 2, 7)
        cuda.atomic.cas(a, 3, 5, 6)
        cuda.atomic.cas(a, 4, 5, 6)

    a = np.array([200, 0, 1, 5, 4], np.uint8)
    run(kernel, a)
    assert a.tolist() == [44, 255, 7, 6, 4]


def test_counters_begin_anew():
    def kernel(a):
        cuda.atomic.inc(a, 0, 3)
        cuda.atomic.inc(a, 1, 3)
        cuda.atomic.dec(a, 2, 3)
        cuda.atomic.dec(a, 3, 3)

    a = np.array([2, 3, 0, 9], np.uint32)
    run(kernel, a)
    assert a.tolist() == [3, 0, 3, 3]


def test_fields_are_attributes():
    def kernel(a, p):
        r = a[0]
        r.x = 2 * a[1].x
        r.y += p[0].k
        a.z[1, 0] = a["z"][0, 1]
        p[0].x = r["z"][1]

    a, p = RECORDS.copy(), np.array([(3, 0)], PACKED)
    run(kernel, a, p)
    assert (a[0]["x"], a[0]["y"], a[1]["z"][0], p[0]["x"]) == (10, 5, 4, 4)


def test_constant_arrays_of_any_layout():
    def kernel(out):
        i = cuda.threadIdx.x
        out[i] = cuda.const.array_like(TABLE)[i, 2] + cuda.const.array_like(RECORDS)[i]["z"][1]

    out = np.zeros(2)
    run(kernel, out, block=2)
    assert out.tolist() == [3 + 4, 6 + 8]


def test_parts_of_arrays_are_copied():
    def kernel(a, b):
        held = cuda.local.array(3, np.float64)
        held[:] = a[1]
        b[1:] = held[:2]
        a[0, 1:] = a[0, :2]

    a, b = np.arange(6.0).reshape(2, 3), np.zeros(3)
    run(kernel, a, b)
    assert a.tolist() == [[0, 0, 1], [3, 4, 5]]
    assert b.tolist() == [0, 3, 4]


def test_dynamic_memory_is_seen_as_several_dtypes():
    def kernel(a, b):
        whole = cuda.shared.array(0, np.uint8)
        floats, integers = whole[:16].view(np.float64), whole[16:].view(np.int32)
        i = cuda.threadIdx.x
        floats[i], integers[i] = i + 0.5, i + 7
        cuda.syncthreads()
        a[i], b[i] = floats[1 - i], integers[1 - i]

    a, b = np.zeros(2), np.zeros(2, np.int32)
    run(kernel, a, b, block=2, shared=24)
    assert (a.tolist(), b.tolist()) == ([1.5, 0.5], [8, 7])


def test_powers_of_complex_numbers():
    def kernel(a):
        a[0], a[1], a[2] = a[0] ** 2, a[1] ** 0.5, a[2] ** a[3]

    a = np.array([1j, -4, 1 + 2j, 0.5 - 1j])
    wanted = [a[0] ** 2, a[1] ** 0.5, a[2] ** a[3]]
    run(kernel, a)
    np.testing.assert_allclose(a[:3], wanted, rtol=1e-12)
