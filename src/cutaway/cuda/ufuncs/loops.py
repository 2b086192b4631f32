"""From a function and its argument types to a loop of it, among which NumPy chooses.

Loaded with the first loop, and with it the compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cutaway.compiling import compiler
from cutaway.cuda.ufuncs.axes import Lane, Numbers, contiguous
from cutaway.dispatch_c import _dispatch
from cutaway.errors import CompileError, TypingError
from cutaway.foundation.source import line_of
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple, Type
from cutaway.ufuncs.loops import (
    check_outputs,
    core_signature,
    core_types,
    element_signature,
    elements_of,
)

if TYPE_CHECKING:
    from cutaway.cuda.kernels import KernelHalf
    from cutaway.ufuncs.layout import Layout


class Row(NamedTuple):
    """One loop: the types of its elements, the outputs last, and those of the function's
    arguments."""

    types: tuple[Type, ...]
    arguments: tuple[Type, ...]

    @property
    def dtypes(self) -> tuple[np.dtype[Any], ...]:
        """The dtypes of its elements."""
        return tuple(map(types.to_dtype, self.types))

    @property
    def numbers(self) -> tuple[bool, ...]:
        """Whether each argument of the function is a number."""
        return tuple(not isinstance(ty, Array) for ty in self.arguments)


assert core_signature and core_types and element_signature, "read here, too"  # type: ignore[truthy-function]


def element_row(half: KernelHalf, argtypes: tuple[Type, ...], returns: Type | None) -> Row:
    """Make the loop of an elementwise function.

    Raises CompileError if it cannot be compiled, or does not return numbers.
    """
    if returns is not None:
        half.returns[argtypes] = returns
    try:
        made = compiler.lower(half, argtypes).return_type
    except CompileError:
        half.returns.pop(argtypes, None)
        raise
    outputs = made.items if isinstance(made, Tuple) else (made,)
    if not outputs or not all(map(types.is_number, outputs)):
        code = half.py_func.__code__
        raise TypingError(
            f"{code.co_name} returns {made}, which cannot be an element of an array",
            line_of(code.co_filename, code.co_firstlineno),
            "return a number, or a tuple of numbers: one for each output",
        )
    return Row((*argtypes, *outputs), argtypes)


def core_row(half: KernelHalf, argtypes: tuple[Type, ...], layout: Layout) -> Row:
    """Make the loop of a function of parts of arrays.

    Raises CompileError if it cannot be compiled, returns a value, or rebinds the name of an output
    that it never stores in.
    """
    check_outputs(half.py_func, layout)
    kinds = tuple(Array(ty.dtype, ty.ndim, "A") if isinstance(ty, Array) else ty for ty in argtypes)
    half.returns[kinds] = types.none
    try:
        compiler.lower(half, kinds)
    except CompileError:
        half.returns.pop(kinds, None)
        raise
    return Row(elements_of(kinds), kinds)


def resolver(
    name: str, owner: object, nin: int, rows: Sequence[Row], layout: Layout | None, identity: int
) -> np.ufunc:
    """Make a NumPy ufunc with these loops, which chooses among them and runs none."""
    count = len(rows[0].types) if rows else nin + (len(layout.outputs) if layout else 1)
    extra: tuple[bytes, bytes, bytes] = b"", b"", b""
    if layout is not None:
        cores, names = layout.operands, layout.names
        counts = bytes(map(len, cores))
        extra = counts, counts, bytes(names.index(one) for core in cores for one in core)
    packed = tuple((bytes(dtype.num for dtype in row.dtypes), None, None, *extra) for row in rows)
    text = None if layout is None else str(layout)
    made: np.ufunc = _dispatch.make_ufunc(
        name, None, owner, nin, count - nin, identity, text, packed
    )
    return made


def types_of(dtypes: Sequence[np.dtype[Any]]) -> tuple[Type, ...]:
    """Return the types of elements of these dtypes."""
    return tuple(map(types.from_dtype, dtypes))  # type: ignore[arg-type]


def arguments_of(lanes: Sequence[Lane]) -> tuple[Type, ...]:
    """Return the types of a kernel's arguments."""
    kinds: list[Type] = []
    for dtype, shape, strides in lanes:
        ty = types.from_dtype(dtype)
        assert ty is not None
        kinds.append(ty if shape is None else Array(ty, len(shape), _layout(dtype, shape, strides)))
    return tuple(kinds)


def _layout(dtype: np.dtype[Any], shape: Numbers, strides: Numbers) -> str:
    """Return the layout of an array by NumPy's rules: strides of axes of size 1 do not count."""
    kept = [k for k, size in enumerate(shape) if size != 1]
    for order in "CF":
        wanted = contiguous(shape, dtype.itemsize, order)
        if all(strides[k] == wanted[k] for k in kept):
            return order
    return "A"
