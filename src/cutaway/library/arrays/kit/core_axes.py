"""Axes of generalized ufuncs: `axes= axis= keepdims=` as axis permutations, known at compile time.

np.vecdot(a, b, axis=0, keepdims=True)      a and b with axis 0 last, the result with it first
"""

from __future__ import annotations

from typing import Any, NamedTuple

from cutaway.errors import TypingError

Order = tuple[int, ...]


class CoreAxes(NamedTuple):
    """Permutations of axes: each input's with the core axes last, and the result's into the
    requested positions. `added` is the number of axes of length one kept for reduced ones."""

    inputs: tuple[Order, ...]
    output: Order
    added: int


def core_axes(  # noqa: PLR0913  the parameters of a call
    name: str,
    ranks: tuple[int, ...],
    cores: tuple[int, ...],
    result: int,
    axes: Any,
    axis: Any,
    keepdims: bool,
) -> CoreAxes:
    """The permutations for inputs of these ranks and core ranks; the last core rank is the
    result's. Raises TypingError for invalid axes."""
    *inner, outer = cores
    if axes is not None and axis is not None:
        raise TypingError("cannot specify both 'axis' and 'axes'")
    if keepdims and (outer or len(set(inner)) > 1):
        raise TypingError(
            f"{name} does not support keepdims: it needs inputs with the same number of core"
            " dimensions and an output without any"
        )
    if axis is not None:
        if set(inner) != {1} or outer > 1:
            raise TypingError(f"{name}: axis can only be used with a single shared core dimension")
        axes = [axis] * len(inner) + ([axis] if outer or keepdims else [()])
    if axes is None:
        axes = [tuple(range(-core, 0)) for core in (cores if outer else inner)]
    elif not isinstance(axes, list):
        raise TypingError("axes should be a list.")
    added = inner[0] if keepdims else 0
    if len(axes) == len(inner) and not outer:
        axes = [*axes, tuple(range(-added, 0))]
    if len(axes) != len(cores):
        raise TypingError(
            f"axes should be a list with an entry for all {len(cores)} inputs and outputs; entries"
            " for outputs can only be omitted if none of them has core axes."
        )
    inputs = tuple(
        _with_last(rank, _counted(name, k, rank, core, given))
        for k, (rank, core, given) in enumerate(zip(ranks, inner, axes, strict=False))
    )
    count = result + added
    chosen = _counted(name, len(inner), count, outer + added, axes[-1])
    order = _with_last(count, chosen)
    return CoreAxes(inputs, tuple(order.index(k) for k in range(count)), added)


def _counted(name: str, operand: int, rank: int, core: int, given: Any) -> Order:
    """The core axes of one operand, counted from 0."""
    axes = given if isinstance(given, tuple) else (given,)
    if len(axes) != core:
        raise TypingError(
            f"{name}: operand {operand} has {core} core dimensions, but {len(axes)} dimensions are"
            " specified by axes tuple."
        )
    for axis in axes:
        if type(axis) is not int or not -rank <= axis < rank:
            raise TypingError(f"axis {axis} is out of bounds for array of dimension {rank}")
    counted = tuple(axis % rank for axis in axes)
    if len(set(counted)) < len(counted):
        raise TypingError(f"axes tuple {operand}: an axis is there twice")
    return counted


def _with_last(rank: int, axes: Order) -> Order:
    """The permutation that moves some axes last."""
    return (*(k for k in range(rank) if k not in axes), *axes)
