"""Random numbers in kernels: a generator for each thread, named as in `numba.cuda.random`.

    states = cuda.random.create_xoroshiro128p_states(threads, seed=1)

    @cuda.jit
    def kernel(states, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = cuda.random.xoroshiro128p_uniform_float32(states, i)

The generator is xoroshiro128+ of Blackman and Vigna (2016, constants 55, 14, 36), a state of 128
bits that begins with splitmix64 of the seed. The state of each next thread is 2 ** 64 numbers
ahead, so that their sequences do not overlap. Bits and uniform numbers equal Numba's for the same
seed.

All functions are compiled by `cutaway.jit`, so that code for the CPU can call them too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutaway import cuda
from cutaway.api import jit

xoroshiro128p_dtype = np.dtype([("s0", np.uint64), ("s1", np.uint64)], align=True)

_MASK = (1 << 64) - 1
_JUMP = (np.uint64(0xBEAC0467EBA5FACB), np.uint64(0xD86B048B86AA9922))
_TO_UNIT = 1.0 / (1 << 53)
_TWO_PI = 2.0 * math.pi
# Replaces 0 under a logarithm; it is less than any other number.
_LEAST = 1.0 / (1 << 54)


@jit
def _rotated(x, k):
    return (x << np.uint64(k)) | (x >> np.uint64(64 - k))


@jit
def init_xoroshiro128p_state(states, index, seed):
    """Initialize the generator `states[index]` from a seed, an integer (splitmix64)."""
    z = np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    states[index]["s0"] = z
    states[index]["s1"] = z


@jit
def xoroshiro128p_next(states, index):
    """Return the next 64 bits of the generator `states[index]`: a uint64."""
    s0 = states[index]["s0"]
    s1 = states[index]["s1"]
    result = s0 + s1
    s1 ^= s0
    states[index]["s0"] = _rotated(s0, 55) ^ s1 ^ (s1 << np.uint64(14))
    states[index]["s1"] = _rotated(s1, 36)
    return result


@jit
def xoroshiro128p_jump(states, index):
    """Advance the generator `states[index]` by 2 ** 64 numbers."""
    s0 = np.uint64(0)
    s1 = np.uint64(0)
    for word in _JUMP:
        for bit in range(64):
            if word & (np.uint64(1) << np.uint64(bit)):
                s0 ^= states[index]["s0"]
                s1 ^= states[index]["s1"]
            xoroshiro128p_next(states, index)
    states[index]["s0"] = s0
    states[index]["s1"] = s1


@jit
def uint64_to_unit_float64(x):
    """Convert 64 random bits to a float64 in [0, 1)."""
    return (np.uint64(x) >> np.uint64(11)) * _TO_UNIT


@jit
def uint64_to_unit_float32(x):
    """Convert 64 random bits to a float32 in [0, 1]: the float64, rounded."""
    return np.float32(uint64_to_unit_float64(x))


@jit
def xoroshiro128p_uniform_float64(states, index):
    """Return a uniform float64 in [0, 1) from the generator `states[index]`."""
    return uint64_to_unit_float64(xoroshiro128p_next(states, index))


@jit
def xoroshiro128p_uniform_float32(states, index):
    """Return a uniform float32 in [0, 1] from the generator `states[index]`."""
    return uint64_to_unit_float32(xoroshiro128p_next(states, index))


@jit
def xoroshiro128p_normal_float64(states, index):
    """Return a normally distributed float64, mean 0 and variance 1 (Box and Muller, 1958)."""
    u = max(xoroshiro128p_uniform_float64(states, index), _LEAST)
    v = xoroshiro128p_uniform_float64(states, index)
    return math.sqrt(-2.0 * math.log(u)) * math.cos(_TWO_PI * v)


@jit
def xoroshiro128p_normal_float32(states, index):
    """Return a normally distributed float32, mean 0 and variance 1 (Box and Muller, 1958)."""
    u = max(xoroshiro128p_uniform_float32(states, index), np.float32(_LEAST))
    v = xoroshiro128p_uniform_float32(states, index)
    root = math.sqrt(np.float32(-2.0) * math.log(u))
    return root * math.cos(np.float32(_TWO_PI) * v)


@jit
def _fill(states, seed, start):
    if states.size == 0:
        return
    init_xoroshiro128p_state(states, 0, seed)
    for _ in range(start):
        xoroshiro128p_jump(states, 0)
    for i in range(1, states.size):
        states[i]["s0"] = states[i - 1]["s0"]
        states[i]["s1"] = states[i - 1]["s1"]
        xoroshiro128p_jump(states, i)


def init_xoroshiro128p_states(
    states: Any, seed: int, subsequence_start: int = 0, stream: Any = 0
) -> None:
    """Initialize the generators of an array in place: the i-th is `subsequence_start + i` jumps of
    2 ** 64 numbers ahead of the seed. Each jump takes about 0.6 us."""
    if isinstance(states, np.ndarray):
        _fill(states, np.uint64(seed & _MASK), subsequence_start)
        return
    host = np.empty(states.shape, xoroshiro128p_dtype)
    _fill(host, np.uint64(seed & _MASK), subsequence_start)
    states.copy_to_device(host, stream=stream)


def create_xoroshiro128p_states(
    n: int, seed: int, subsequence_start: int = 0, stream: Any = 0
) -> Any:
    """Make an array of n generators on the GPU, see `init_xoroshiro128p_states`.

    Raises CudaError without a GPU, unless kernels are simulated.
    """
    states = np.empty(n, xoroshiro128p_dtype)
    init_xoroshiro128p_states(states, seed, subsequence_start)
    return cuda.to_device(states, stream=stream)
