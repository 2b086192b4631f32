"""Copies of arrays in another dtype or order, made only if needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import static
from cutaway.library.arrays.kit.dtypes import asked_dtype
from cutaway.library.arrays.kit.shapes import shape_of
from cutaway.library.arrays.kit.typers import element, left_out, private, said
from cutaway.library.elements.kernels import KernelMaker
from cutaway.lowering.arrays import nests
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts
from cutaway.typing import types
from cutaway.typing.types import Array


def converted(build: FunctionBuilder, ty: Array, value: Value) -> Value:
    """A new array of the same elements, in another dtype and order."""
    own = value.ty
    assert isinstance(own, Array)
    maker = KernelMaker(build, [own])
    kernel = maker.made(0 if own.dtype is ty.dtype else maker.step(f"as.{ty.dtype}", 0))
    return nests.compute(build, kernel, [value], ty)


def itself_or_copy(
    build: FunctionBuilder, value: Value, is_kept: str, ty: Array
) -> tuple[str, str]:
    """The owner and data of the array itself if an i1 is true, else of a copy."""
    same, copy, done = map(build.new_label, ("same", "copy", "either"))
    build.branch(is_kept, same, copy)
    build.start(same)
    own = array_parts(value)
    build.call("void", "cutaway_incref", [("ptr", own.owner)])
    build.jump(done)
    build.start(copy)
    new = array_parts(converted(build, ty, value))
    last = build.block
    build.jump(done)
    build.start(done)
    owner = build.phi("ptr", [(own.owner, same), (new.owner, last)])
    return owner, build.phi("ptr", [(own.data, same), (new.data, last)])


# --- in a requested order ----------------------------------------------------------------------


def order_of(order: Any, default: str) -> str | None:
    """The order that an argument requests; None if it is unknown."""
    name = default if left_out(order) else said(order)
    return name if name in ("C", "F", "A", "K") else None


@static
def _is_copied_in_columns(a: Array, order: Any) -> bool:
    way = order_of(order, "K")
    return way == "F" or (way in ("A", "K") and a.layout == "F")


@private
def copied(a, order):
    """A copy of an array in an order."""
    return a.T.copy().T if _is_copied_in_columns(a, order) else a.copy()


@static
def _wanted_dtype(a: Any, dtype: Any) -> np.dtype[Any] | None:
    """The requested dtype, or None if the array has it. Raises TypingError for a non-numeric
    one."""
    item_type = asked_dtype(dtype, element(a))
    if item_type is None:
        raise TypingError("this dtype is not one of numbers", hint="for example np.float64")
    is_same = item_type is element(a) and isinstance(a, Array)
    return None if is_same else types.to_dtype(item_type)


@private
def as_wanted(a, dtype, order):
    """The array in a dtype and an order; the array itself if it has both."""
    kind = _wanted_dtype(a, dtype)
    if order == "C" and len(shape_of(a)) > 0:
        return np.ascontiguousarray(a, kind)
    if order == "F" and len(shape_of(a)) > 0:
        return np.asfortranarray(a, kind)
    return a if kind is None else np.asarray(a, kind)
