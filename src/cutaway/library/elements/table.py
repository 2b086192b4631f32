"""The table of instructions for element operations, by operation and kind of number.

    @inline("add", "iufc")
    def add(build, loop, args): ...     what np.add does with integers, floats, complex numbers

    @formula("heaviside", "f")
    def heaviside(n, x, y): ...         the same by parts of its arguments, and `Instructions`

The arguments have the types of the loop's inputs. Results are equal to NumPy's to the last bit, on
every processor; where no instructions achieve this, NumPy's own loop is called (`by_loop.py`).
Kinds are letters as in `np.dtype.kind`: "iufc" for operands of any of these, "m+i" for operands of
both.

NumPy computes float16 in float32 and rounds the result; functions registered for floats do the
same. A function that depends on the bits of a float16 has "e" among its kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from cutaway.library.elements.by_loop import BY_LOOP
from cutaway.library.math.numbers import Instructions
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.types import Type
from cutaway.typing.ufuncs import Loop

Inline = Callable[[FunctionBuilder, Loop, list[Value]], Any]
Formula = Callable[..., str | tuple[str, ...]]  # of Instructions and parts

INLINE: dict[str, list[tuple[str, Inline]]] = {}


def inline(names: str, kinds: str) -> Callable[[Inline], Inline]:
    """Register the instructions of element operations for operands of these kinds."""

    def register(function: Inline) -> Inline:
        for name in names.split():
            INLINE.setdefault(name, []).append((kinds, function))
        return function

    return register


def formula(names: str, kinds: str) -> Callable[[Formula], Formula]:
    """Register an operation by a function of its arguments' parts, which returns one part or
    several."""

    def register(function: Formula) -> Formula:
        @inline(names, kinds)
        def lower(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Any:
            n = Instructions(build, loop.inputs[0])
            found = function(n, *(part for arg in args for part in arg.parts))
            if len(loop.outputs) > 1:
                pairs = zip(loop.outputs, found, strict=True)
                return tuple(Value(ty, (part,)) for ty, part in pairs)
            return Value(loop.outputs[0], (found,) if isinstance(found, str) else found)

        return function

    return register


def each_part(names: str, kinds: str) -> Callable[[Formula], Formula]:
    """Register an operation that treats each part of complex numbers alike."""

    def register(function: Formula) -> Formula:
        @inline(names, kinds)
        def lower(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
            n = Instructions(build, loop.inputs[0])
            parts = zip(*(arg.parts for arg in args), strict=True)
            return Value(loop.outputs[0], tuple(function(n, *each) for each in parts))

        return function

    return register


def row_of(name: str, inputs: Sequence[Type]) -> Inline | None:
    """The instructions that executed modules have for an operation on these types, or None."""
    kinds = {"e" if ty is types.float16 else types.to_dtype(ty).kind for ty in inputs}
    row = _row_of(name, kinds)
    if row is not None or "e" not in kinds:
        return row
    row = _row_of(name, kinds - {"e"} | {"f"})
    return None if row is None else _in_single(row)


def _row_of(name: str, kinds: set[str]) -> Inline | None:
    rows = INLINE.get(name, ())
    return next((function for known, function in rows if _fits(kinds, known)), None)


def _fits(kinds: set[str], known: str) -> bool:
    return kinds == set(known.split("+")) if "+" in known else kinds.issubset(known)


@cache
def _in_single(function: Inline) -> Inline:
    """An operation on float16 computed by the one on float32."""

    def single(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Any:
        wide = [types.float32 if ty is types.float16 else ty for ty in loop.inputs]
        outputs = tuple(types.float32 if ty is types.float16 else ty for ty in loop.outputs)
        given = [build.cast(arg, ty) for arg, ty in zip(args, wide, strict=True)]
        result = function(build, Loop(tuple(wide), outputs), given)
        if isinstance(result, tuple):
            pairs = zip(result, loop.outputs, strict=True)
            return tuple(build.cast(one, ty) for one, ty in pairs)
        return build.cast(result, loop.outputs[0])

    return single


def loop_name(name: str, loop: Loop) -> str:
    """The name of the NumPy loop, by which the loader finds its address."""
    kinds = {types.to_dtype(ty).kind for ty in loop.inputs}
    assert all((name, kind) in BY_LOOP for kind in kinds), f"no row for {name} of {loop.inputs}"
    chars = ["".join(_char(ty) for ty in row) for row in (loop.inputs, loop.outputs)]
    return f"numpy.{name}.{chars[0]}.{chars[1]}"


def _char(ty: Type) -> str:
    dtype: np.dtype[Any] = types.to_dtype(ty)
    return dtype.char
