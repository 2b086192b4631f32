"""The ways in which a kernel is run: NumPy, Numba, JAX, Cutaway, and Cutaway's own loops.

A package that is not installed, or not wanted, is not loaded; its kernels are rows that say so.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable

import numpy as np

import cutaway
from whole_arrays.kernel import Kernel

# Lines of Numba's messages that stand before the one that says something.
HEADINGS = ("Failed in", "- Resolution failure", "No implementation of function")


def in_numpy(kernel: Kernel) -> Callable[..., object]:
    """The kernel as it is."""
    return kernel.function


def in_numba(kernel: Kernel) -> Callable[..., object]:
    """The kernel, compiled by Numba with its defaults."""
    return importlib.import_module("numba").njit(kernel.function)


def in_cutaway(kernel: Kernel) -> Callable[..., object]:
    """The kernel, compiled by Cutaway with its defaults."""
    return cutaway.jit(kernel.function)


def as_loop(kernel: Kernel) -> Callable[..., object]:
    """The loop that stands beside an expression, compiled by Cutaway."""
    return cutaway.jit(kernel.loop)


def in_jax(kernel: Kernel) -> Callable[..., object]:
    """The kernel, or its twin, compiled by JAX; a call waits for its result."""
    jax = importlib.import_module("jax")
    twins = importlib.import_module("whole_arrays.twins")
    function = getattr(twins, kernel.function.__name__, None) or with_jax_numpy(kernel.function)
    whole = [k for k, value in enumerate(kernel.make(kernel.small)) if isinstance(value, int)]
    compiled = jax.jit(function, static_argnums=whole)

    def call(*arguments: object) -> object:
        result = compiled(*arguments)
        for array in result if isinstance(result, tuple) else (result,):
            array.block_until_ready()
        return result

    return call


def with_jax_numpy(function: types.FunctionType) -> types.FunctionType:
    """A function with `jax.numpy` where it says `np`."""
    names = {**function.__globals__, "np": importlib.import_module("jax.numpy")}
    return types.FunctionType(function.__code__, names, function.__name__)


def arguments_for_jax(arguments: tuple) -> tuple:
    """Arrays as JAX has them; other arguments as they are."""
    put = importlib.import_module("jax").device_put
    return tuple(put(a.copy()) if isinstance(a, np.ndarray) else a for a in arguments)


WAYS: dict[str, Callable[[Kernel], Callable[..., object]]] = {
    "numpy": in_numpy,
    "numba": in_numba,
    "jax": in_jax,
    "cutaway": in_cutaway,
    "loop": as_loop,
}


def reason(error: Exception) -> str:
    """The line of an error that says what a compiler refuses."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith(HEADINGS)]
    return f"refused: {(said or lines or [type(error).__name__])[0]}"
