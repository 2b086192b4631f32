"""GPU kernels in Python, with the names that users of Numba's `cuda` know.

    from cutaway import cuda

    @cuda.jit
    def saxpy(a, x, y):
        i = cuda.grid(1)
        if i < y.size:
            y[i] += a * x[i]

    saxpy[blocks, threads](2.0, x, y)                   # on a GPU
    cuda.simulate(saxpy)[blocks, threads](2.0, x, y)    # without one, and with a check for races

Importing it loads neither the compiler nor a driver.
"""

from __future__ import annotations

from typing import Any

from cutaway.foundation import loading
from cutaway.gpu import words
from cutaway.gpu.words import *  # noqa: F403

# Names whose modules are loaded at their first use.
_LATER: dict[str, tuple[str, str]] = {
    "jit": ("cutaway.cuda.kernels", "jit"),
    "compile_ptx": ("cutaway.cuda.compiling", "compile_ptx"),
    "random": ("cutaway.cuda.random", ""),  # the module itself
}
_LOADS_COMPILER = frozenset({"cutaway.cuda.compiling"})

__all__ = [*words.__all__, *_LATER]


def __getattr__(name: str) -> Any:  # Any: classes and functions
    if name not in _LATER:
        raise AttributeError(f"module 'cutaway.cuda' has no attribute {name!r}")
    module, attribute = _LATER[name]
    loaded = loading.load(module) if module in _LOADS_COMPILER else loading.load_light(module)
    value = globals()[name] = getattr(loaded, attribute) if attribute else loaded
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATER])
