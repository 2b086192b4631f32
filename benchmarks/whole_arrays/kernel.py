"""What a kernel of the benchmark is, and how its arguments are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Kernel:
    """A function in NumPy style, with all that timing and comparing it needs."""

    function: Callable[..., object]
    make: Callable[[int], tuple]  # the arguments, for a size
    size: int
    small: int = 8  # the size that tests use
    changes: tuple[int, ...] = ()  # the arguments that are changed in place
    rtol: float = 1e-9
    outliers: float = 0.0  # the share of elements that may differ by more
    label: str = ""  # the name, where several kernels share a function
    loop: Callable[..., object] | None = None  # the same, as loops written by hand

    @property
    def name(self) -> str:
        """What tables call it, and `--only`."""
        return self.label or self.function.__name__


def draw(
    *shapes: str,
    low: float = 0.1,
    high: float = 1.0,
    dtype: type = np.float64,
    then: tuple = (),
) -> Callable[[int], tuple]:
    """A maker of random arrays, one for each shape, with other arguments after them.

    A shape is words: numbers, and `n` for the size.
    """

    def make(n: int) -> tuple:
        random = np.random.default_rng(7)
        sizes = [[n if word == "n" else int(word) for word in shape.split()] for shape in shapes]
        return (*(random.uniform(low, high, size).astype(dtype) for size in sizes), *then)

    return make
