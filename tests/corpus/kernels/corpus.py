"""Rows of the corpus of kernels: what each is launched with, and what it must compute.

    @right(grid=2, block=64, given=lambda: {"a": 2.0, "x": numbers(100), "y": numbers(100)},
           answer=lambda a, x, y: {"y": y + a * x})
    def saxpy(a, x, y): ...

`given` makes the arguments by the names of parameters, and `answer` says with NumPy what the arrays
hold at the end.  Where several kernels run in turn, `steps(run, **given)` starts each as
`run(kernel, grid, block, shared)(...)`.

    @wrong("a race", grid=2, block=64, given=...)
    def unguarded(a): ...

is a kernel with a planted fault: the lines that the simulator has to name end in `# <-`.
The files use only names that users of Numba's `cuda` know, so that they also run there.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutaway import cuda

Given = dict[str, Any]
Run = Callable[..., Callable[..., None]]  # run(kernel, grid, block, shared bytes)(*arguments)


@dataclass
class Right:
    """A kernel that is right, or several that run in turn."""

    name: str
    given: Callable[[], Given]
    answer: Callable[..., Given]
    steps: Callable[..., None]
    close: float  # the greatest relative error of floats


@dataclass
class Wrong:
    """A kernel with a fault of a kind, and the lines that have to be named."""

    name: str
    kind: str
    given: Callable[[], Given]
    steps: Callable[..., None]
    lines: tuple[int, ...]


RIGHT: list[Right] = []
WRONG: list[Wrong] = []


def _one(kernel: Any, grid: Any, block: Any, shared: int) -> Callable[..., None]:
    def steps(run: Run, **given: Any) -> None:
        run(kernel, grid, block, shared)(*given.values())

    return steps


def right(
    given: Callable[[], Given],
    answer: Callable[..., Given],
    grid: Any = 1,
    block: Any = 32,
    shared: int = 0,
    steps: Callable[..., None] | None = None,
    close: float = 1e-12,
    **options: Any,
) -> Callable[[Any], Any]:
    """A kernel that is right; `options` are those of `@cuda.jit`."""

    def add(function: Any) -> Any:
        kernel = cuda.jit(**options)(function)
        made = steps or _one(kernel, grid, block, shared)
        RIGHT.append(Right(function.__name__, given, answer, made, close))
        return kernel

    return add


def wrong(
    kind: str,
    given: Callable[[], Given],
    grid: Any = 1,
    block: Any = 32,
    shared: int = 0,
    within: Any = None,
) -> Callable[[Any], Any]:
    """A kernel with a fault; `within` is a device function that has a part of it."""

    def add(function: Any) -> Any:
        kernel = cuda.jit(function)
        sources = [function] if within is None else [function, within.py_func]
        marked = tuple(line for source in sources for line in _marked(source))
        steps = _one(kernel, grid, block, shared)
        WRONG.append(Wrong(function.__name__, kind, given, steps, marked))
        return kernel

    return add


def _marked(function: Any) -> list[int]:
    text, first = inspect.getsourcelines(function)
    return [first + k for k, line in enumerate(text) if line.rstrip().endswith("# <-")]


def numbers(*shape: int, dtype: Any = np.float64, seed: int = 1) -> Any:
    """Numbers that are the same each time: floats from -1 to 1, integers from 0 to 99."""
    random = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "f":
        return random.uniform(-1, 1, shape).astype(dtype)
    if kind == "c":
        return (random.uniform(-1, 1, shape) + 1j * random.uniform(-1, 1, shape)).astype(dtype)
    return random.integers(0, 100, shape).astype(dtype)
