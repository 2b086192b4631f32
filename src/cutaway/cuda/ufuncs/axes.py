"""The loop of a call: the broadcast shape of its operands, with as few axes as possible.

shape (2, 3, 4), strides (96, 32, 8) and (0, 32, 8)    ->    shape (2, 12), (96, 8) and (0, 8)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from math import prod
from typing import Any, NamedTuple

import numpy as np

Numbers = tuple[int, ...]


class Lane(NamedTuple):
    """A kernel's argument for an operand: elements of a dtype with a shape and strides, or, without
    a shape, one number."""

    dtype: np.dtype[Any]
    shape: Numbers | None = None
    strides: Numbers = ()


def broadcast(name: str, shapes: Sequence[Numbers]) -> Numbers:
    """Return the shape that shapes broadcast to.

    Raises ValueError if they do not.
    """
    if len(set(shapes)) < 2:
        return shapes[0] if shapes else ()
    found: list[int] = []
    for sizes in zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1):
        wanted = {size for size in sizes if size != 1}
        if len(wanted) > 1:
            shown = " ".join(map(str, shapes))
            raise ValueError(
                f"{name}: operands could not be broadcast together with shapes {shown}"
            )
        found.append(wanted.pop() if wanted else 1)
    return tuple(found[::-1])


def strides_in(loop: Numbers, shape: Numbers, strides: Numbers) -> Numbers:
    """Return the strides of an array along the axes of a loop: 0 where it is broadcast."""
    missing = (0,) * (len(loop) - len(shape))
    return missing + tuple(
        0 if size == 1 else stride for size, stride in zip(shape, strides, strict=True)
    )


def contiguous(shape: Numbers, itemsize: int, order: str = "C") -> Numbers:
    """Return the strides of a contiguous array: in C order, or with order F in Fortran order."""
    if order == "F":
        return contiguous(shape[::-1], itemsize)[::-1]
    return tuple(itemsize * prod(shape[k + 1 :]) for k in range(len(shape)))


def merged(shape: Numbers, strides: Sequence[Numbers]) -> tuple[Numbers, list[Numbers]]:
    """Merge axes of the same elements, to at least one: in the memory order of the last array, so
    that adjacent threads write adjacent elements."""
    axes = [axis for axis, size in enumerate(shape) if size != 1]
    axes.sort(key=lambda axis: [-abs(steps[axis]) for steps in reversed(strides)])
    sizes: list[int] = []
    steps: list[list[int]] = []  # of each axis, for each array
    for axis in axes:
        size, of_axis = shape[axis], [one[axis] for one in strides]
        if steps and all(
            before == size * step for before, step in zip(steps[-1], of_axis, strict=True)
        ):
            sizes[-1] *= size
            steps[-1] = of_axis
        else:
            sizes.append(size)
            steps.append(of_axis)
    if not sizes:
        sizes, steps = [1], [[0] * len(strides)]
    return tuple(sizes), [tuple(one[k] for one in steps) for k in range(len(strides))]
