"""Arrays written with brackets: `np.mgrid np.ogrid np.r_ np.c_`.

The parts of an index differ in type, so the function for a call is generated as text, some lines
for each part.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.dtypes import element_dtype, promoted
from cutaway.library.arrays.kit.typers import is_array, is_number
from cutaway.typing import types
from cutaway.typing.types import IndexTool, ListDisplay, Span, String, Tuple, Type
from cutaway.typing.types.sequences import array_type

# Sizes are divided with Python's semantics.
_OPTIONS = {"boundscheck": True, "overflow": "wrap"}
_GRIDS, _JOINERS = (np.mgrid, np.ogrid), (np.r_, np.c_)


@overload(operator.getitem, jit_options=_OPTIONS)
def _indexed(tool, index):
    if not isinstance(tool, IndexTool):
        return None
    alone = not isinstance(index, Tuple) or isinstance(index, ListDisplay)
    parts = [index] if alone else list(index.items)
    if any(tool.value is one for one in _GRIDS):
        lines = _grid(parts, alone, tool.value is np.ogrid)
    else:
        lines = _joined(parts, tool.value is np.c_)
    if lines is None:
        return None
    names = ["index"] if alone else [f"index[{k}]" for k in range(len(parts))]
    given = [f"i{k} = {name}" for k, name in enumerate(names)]
    return _made("\n    ".join(["def indexed(tool, index):", *given, *lines]) + "\n")


@cache
def _made(text: str) -> Callable[..., Any]:
    space: dict[str, Any] = {"np": np, "ceil": math.ceil, "__name__": __name__}
    exec(compile(text, __file__, "exec"), space)  # noqa: S102
    made: Callable[..., Any] = space["indexed"]
    return made


# --- grids ------------------------------------------------------------------------------------


def _grid(parts: list[Type], alone: bool, is_open: bool) -> list[str] | None:
    """The lines that compute a grid with one axis for each slice."""
    if not parts or not all(_is_told(part) for part in parts):
        return None
    lines = [line for k, part in enumerate(parts) for line in _bounds(part, k)]
    dtype = f"np.dtype({_dtype_of(parts).name!r})"
    if alone:
        made = "np.arange(n0) * d0 + s0" if _is_counted(parts[0]) else "np.arange(s0, e0, d0)"
        return [*lines, f"return {made}"]
    # Each axis gets its own line, in the dtype of the whole grid.
    lines.append(f"dtype = {dtype}")
    lines += [f"line{k} = np.arange(n{k}).astype(dtype) * d{k} + s{k}" for k in range(len(parts))]
    shapes = [
        f"({', '.join(f'n{k}' if axis == k else '1' for axis in range(len(parts)))},)"
        for k in range(len(parts))
    ]
    if is_open:
        turned = [f"line{k}.astype(dtype).reshape({shape})" for k, shape in enumerate(shapes)]
        return [*lines, f"return ({', '.join(turned)},)"]
    sizes = ", ".join(f"n{k}" for k in range(len(parts)))
    lines.append(f"out = np.empty(({len(parts)}, {sizes}), dtype)")
    lines += [f"out[{k}] = line{k}.reshape({shape})" for k, shape in enumerate(shapes)]
    return [*lines, "return out"]


def _is_told(part: Type) -> bool:
    """True for a slice with a numeric end."""
    has_end = isinstance(part, Span) and types.is_number(part.stop)
    return has_end and not any(isinstance(one, types.Optional) for one in part.bounds)


def _is_counted(part: Span) -> bool:
    """True if a slice's step counts points: `0:1:5j`."""
    return isinstance(part.step, types.Complex)


def _bounds(part: Span, k: int) -> list[str]:
    """The lines that compute the start, end, step and size of a slice."""
    start = "0" if part.start is types.none else f"i{k}.start"
    lines = [f"s{k} = {start}", f"e{k} = i{k}.stop"]
    if not _is_counted(part):
        step = "1" if part.step is types.none else f"i{k}.step"
        return [*lines, f"d{k} = {step}", f"n{k} = int(ceil((e{k} - s{k}) / d{k}))"]
    lines += [f"n{k} = int(abs(i{k}.step))", f"d{k} = float(n{k})"]
    return [*lines, f"if n{k} != 1:", f"    d{k} = (e{k} - s{k}) / float(n{k} - 1)"]


def _dtype_of(parts: list[Type]) -> np.dtype[Any]:
    """The dtype of the elements that slices with these bounds produce."""
    bounds = [one for part in parts for one in part.bounds if types.is_number(one)]
    whole = [types.float64 if isinstance(one, types.Complex) else one for one in bounds]
    return promoted(types.int64, *whole)


# --- joined -----------------------------------------------------------------------------------


def _joined(parts: list[Type], as_columns: bool) -> list[str] | None:
    """The lines that join the parts one after the other."""
    axis, least, place, parts, first = *((-1, 2, 0) if as_columns else (0, 1, -1)), parts, 0
    if parts and isinstance(parts[0], String):
        axis, least, place = _directive(parts[0].value, (axis, least, place))
        parts, first = parts[1:], 1
    if not parts:
        return None
    kinds, lines = [], []
    for k, part in enumerate(parts, first):
        made = _part(part, k, least, place)
        if made is None:
            return None
        kinds.append(made[0])
        lines += made[1]
    dtype = promoted(*kinds)
    if all(is_number(kind) for kind in kinds):
        dtype = np.result_type(*map(element_dtype, kinds))
    joined = ", ".join(f"p{k}" for k in range(first, first + len(parts)))
    call = f"np.concatenate(({joined},), axis={axis}, dtype=np.dtype({dtype.name!r}))"
    return [*lines, f"return {call}"]


def _directive(text: str, usual: tuple[int, int, int]) -> tuple[int, int, int]:
    """The axis, the least number of dimensions, and the position of old ones, in a directive."""
    try:
        numbers = [int(one) for one in text.split(",")]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= 3:
        raise TypingError(
            f"the directive {text!r} is not supported in compiled code",
            hint="write the axis, and the least number of dimensions: '0,2'",
        )
    return (*numbers, *usual[len(numbers) :])


def _part(part: Type, k: int, least: int, place: int) -> tuple[Any, list[str]] | None:
    """The operand that a part adds to dtype promotion, and the lines that make it an array."""
    if isinstance(part, Span):
        return _part_of_slice(part, k, least, place) if _is_told(part) else None
    if is_number(part):
        return part, [f"p{k} = np.full({(1,) * least}, i{k})"]
    text, array = f"i{k}", part
    if isinstance(part, Tuple):
        array = array_type(part)
        text = f"np.array({text})"
    if not is_array(array):
        return None
    shaped = _shaped(array.ndim, least, place)
    lines = [f"a{k} = {text}"]
    turned = "" if shaped is None else f".reshape(({shaped.format(f'a{k}')},))"
    return types.to_dtype(array.dtype), [*lines, f"p{k} = a{k}{turned}"]


def _part_of_slice(part: Span, k: int, least: int, place: int) -> tuple[Any, list[str]]:
    lines, dtype = _bounds(part, k), _dtype_of([part])
    made = f"np.linspace(s{k}, e{k}, n{k})" if _is_counted(part) else f"np.arange(s{k}, e{k}, d{k})"
    sizes = ["1"] * least
    sizes[place] = "-1"
    turned = f".reshape(({', '.join(sizes)},))" if least > 1 else ""
    return dtype, [*lines, f"p{k} = {made}{turned}"]


def _shaped(ndim: int, least: int, place: int) -> str | None:
    """The text of a shape with added dimensions; None if the array has enough."""
    if ndim >= least:
        return None
    sizes = ["1"] * (least - ndim) + [f"{{0}}.shape[{axis}]" for axis in range(ndim)]
    if place != -1:
        new, first = least - ndim, place + (least - ndim + 1 if place < 0 else 0)
        axes = list(range(least))
        sizes = [sizes[axis] for axis in axes[:first] + axes[new:] + axes[first:new]]
    return ", ".join(sizes)
