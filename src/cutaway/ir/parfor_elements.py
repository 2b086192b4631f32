"""The interpretation of the ops that whole-array operations become in parfors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway.ir import nodes
from cutaway.ir.reductions import nothing_to_reduce


def named(texts: tuple[str, ...]) -> str:
    """Return the end of messages about sizes."""
    return f"({', '.join(texts)})"


def _sizes_of(run: Any, op: nodes.SizesOf) -> None:
    shapes = [np.shape(run.value(name)) for name in op.args]
    target = None if op.target is None else np.shape(run.value(op.target))
    is_output = op.target in op.args
    if is_output and target is not None:
        shapes.append(target)
    shape = _together(shapes, op.texts if is_output else op.texts[: len(shapes)])
    if target is not None:
        _require(op, shape, target, is_output)
    for name, size in zip(op.results, shape if target is None else target, strict=True):
        run.set(op, name, size)


def _together(shapes: list[tuple[int, ...]], texts: tuple[str, ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        shown = "".join(f"{_text(shape)} " for shape in shapes)
        message = f"operands could not be broadcast together with shapes {shown}"
        raise ValueError(message + named(texts)) from None


def _require(
    op: nodes.SizesOf, shape: tuple[int, ...], target: tuple[int, ...], is_output: bool
) -> None:
    """Raise ValueError if a shape cannot be broadcast to a target."""
    if is_output and shape != target:
        message = f"non-broadcastable output operand with shape {_text(target)} doesn't match the"
        raise ValueError(f"{message} broadcast shape {_text(shape)} {named(op.texts)}")
    extra = shape[: max(len(shape) - len(target), 0)]
    pairs = zip(shape[::-1], target[::-1], strict=False)
    if any(size != 1 for size in extra) or any(a not in (1, b) for a, b in pairs):
        message = f"could not broadcast input array from shape {_text(shape)} into shape"
        raise ValueError(f"{message} {_text(target)} {named(op.texts)}")


def _text(shape: tuple[int, ...]) -> str:
    return f"({','.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _new_array(run: Any, op: nodes.NewArray) -> None:
    sizes = [run.value(name) for name in op.sizes]
    run.set(op, op.result, np.zeros(sizes, op.dtype, order="F" if op.layout == "F" else "C"))


def _apart(run: Any, op: nodes.Apart) -> None:
    value, target = run.value(op.value), run.value(op.target)
    shares = np.may_share_memory(value, target) and not _is_same(value, target)
    run.set(op, op.result, value.copy() if shares else value)


def _is_same(one: Any, other: Any) -> bool:
    kept = "data", "shape", "strides", "typestr"
    a, b = one.__array_interface__, other.__array_interface__
    return all(a[key] == b[key] for key in kept)


def _require_elements(run: Any, op: nodes.RequireElements) -> None:
    if 0 in (run.value(name) for name in op.sizes):
        raise ValueError(nothing_to_reduce(op.function))


def _load(run: Any, op: nodes.Load) -> None:
    array = run.value(op.array)
    places = zip((run.value(name) for name in op.indices), array.shape, strict=True)
    run.set(op, op.result, array[tuple(0 if size == 1 else at for at, size in places)])


def _line(run: Any, op: nodes.Line) -> None:
    array = run.value(op.array)
    sizes = [*array.shape[: op.axis], *array.shape[op.axis + 1 :]]
    places = zip((run.value(name) for name in op.indices), sizes, strict=True)
    index: list[Any] = [0 if size == 1 else at for at, size in places]
    index.insert(op.axis, slice(None))
    run.set(op, op.result, array[tuple(index)])


def _store(run: Any, op: nodes.Store) -> None:
    target, place = run.value(op.target), tuple(run.value(name) for name in op.indices)
    target[(*place, ...)] = np.asarray(run.value(op.value)).astype(target.dtype)


EXECUTED: dict[type[nodes.Op], Callable[[Any, Any], None]] = {
    nodes.SizesOf: _sizes_of,
    nodes.NewArray: _new_array,
    nodes.Apart: _apart,
    nodes.RequireElements: _require_elements,
    nodes.Load: _load,
    nodes.Line: _line,
    nodes.Store: _store,
}
