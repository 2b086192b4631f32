"""The loop of a call: the shape that its operands are broadcast to, and as few axes of it as
possible.

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
    """What a kernel is given for an operand: elements of a dtype with a shape and strides, or,
    without a shape, one number."""

    dtype: np.dtype[Any]
    shape: Numbers | None = None
    strides: Numbers = ()


def broadcast(name: str, shapes: Sequence[Numbers]) -> Numbers:
    """The shape of all loops over arrays of these shapes.

    Raises ValueError where there is none.
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
    """The strides of an array along the axes of a loop: 0 where one element is for all."""
    missing = (0,) * (len(loop) - len(shape))
    return missing + tuple(
        0 if size == 1 else stride for size, stride in zip(shape, strides, strict=True)
    )


def contiguous(shape: Numbers, itemsize: int, order: str = "C") -> Numbers:
    """The strides of an array whose elements lie side by side: the last index first, or with order
    F the first."""
    if order == "F":
        return contiguous(shape[::-1], itemsize)[::-1]
    return tuple(itemsize * prod(shape[k + 1 :]) for k in range(len(shape)))


def merged(shape: Numbers, strides: Sequence[Numbers]) -> tuple[Numbers, list[Numbers]]:
    """The same elements along fewer axes, at least one: in the order in which the last array has
    them in memory, so that threads side by side write side by side."""
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
