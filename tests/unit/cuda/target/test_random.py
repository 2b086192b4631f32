"""Random numbers in kernels: the bits of xoroshiro128+, apart for each thread."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway import cuda
from cutaway.cuda import random

MASK = (1 << 64) - 1


def splitmix(seed):
    z = (seed + 0x9E3779B97F4A7C15) & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def step(state):
    """The generator as its authors write it, in Python's integers."""
    s0, s1 = state

    def rotated(x, k):
        return (x << k | x >> 64 - k) & MASK

    result = s0 + s1 & MASK
    s1 ^= s0
    state[:] = rotated(s0, 55) ^ s1 ^ s1 << 14 & MASK, rotated(s1, 36)
    return result


@pytest.mark.parametrize("seed", [0, 1, 2**63, -1])
def test_the_bits_are_those_of_xoroshiro(seed):
    states = np.zeros(1, random.xoroshiro128p_dtype)
    random.init_xoroshiro128p_states(states, seed)
    expected = [splitmix(seed & MASK)] * 2
    for _ in range(100):
        assert random.xoroshiro128p_next(states, 0) == step(expected)


def test_each_state_is_a_jump_on_from_the_one_before():
    states = np.zeros(4, random.xoroshiro128p_dtype)
    random.init_xoroshiro128p_states(states, 7)
    later = np.zeros(2, random.xoroshiro128p_dtype)
    random.init_xoroshiro128p_states(later, 7, subsequence_start=2)
    assert (later == states[2:]).all() and len({tuple(s) for s in states.tolist()}) == 4


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_numbers_are_distributed_as_said(kind):
    uniform = getattr(random, f"xoroshiro128p_uniform_{kind}")
    normal = getattr(random, f"xoroshiro128p_normal_{kind}")
    states = np.zeros(1, random.xoroshiro128p_dtype)
    random.init_xoroshiro128p_states(states, 3)

    @cutaway.jit
    def draw(states, flat, bell):
        for i in range(flat.size):
            flat[i] = uniform(states, 0)
            bell[i] = normal(states, 0)

    flat, bell = np.zeros((2, 20_000), kind)
    draw(states, flat, bell)
    assert flat.min() >= 0 and flat.max() <= 1 and abs(flat.mean() - 0.5) < 0.01
    assert abs(bell.mean()) < 0.03 and abs(bell.std() - 1) < 0.03


def test_a_kernel_draws_numbers():
    def kernel(states, out):
        i = cuda.grid(1)
        out[i] = cuda.random.xoroshiro128p_uniform_float32(states, i)

    states = cutaway.typeof(np.zeros(1, random.xoroshiro128p_dtype))
    text, _ = cuda.compile_ptx(kernel, (states, cutaway.typeof(np.zeros(1, np.float32))))
    assert "shf.l.wrap" in text


def test_no_states_are_no_states():
    states = np.zeros(0, random.xoroshiro128p_dtype)
    random.init_xoroshiro128p_states(states, 1)


def test_a_program_draws_numbers_in_the_simulator(monkeypatch):
    monkeypatch.setattr(cutaway.config, "CUDA_SIMULATOR", True, raising=False)

    @cuda.jit
    def kernel(states, out):
        i = cuda.grid(1)
        out[i] = random.xoroshiro128p_uniform_float32(states, i)

    states, out = random.create_xoroshiro128p_states(4, seed=5), np.zeros(4, np.float32)
    kernel[2, 2](states, out)
    host = np.zeros(4, random.xoroshiro128p_dtype)
    random.init_xoroshiro128p_states(host, 5)
    expected = [random.xoroshiro128p_uniform_float32(host, i) for i in range(4)]
    assert out.tolist() == expected
