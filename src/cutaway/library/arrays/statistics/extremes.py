"""The place of the largest or smallest element by NumPy's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import static
from cutaway.extending.registry import primitive
from cutaway.lowering.arrays.loops import has_loop, loop_parts
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array


@static
def has_place_by_numpy(a: Array) -> bool:
    """True if NumPy finds the place in an array of a type; one of one axis is copied for it."""
    lies = a.is_c_contig or a.ndim == 1
    return lies and a.aligned and types.is_number(a.dtype) and has_loop(_name("argmax", a))


def _name(function: str, a: Array) -> str:
    return f"numpy.dtype.{function}.{types.to_dtype(a.dtype).char}"


def place_of_largest(line):
    """The place of the first of the largest elements of a line that is not empty."""
    return np.argmax(line)


def place_of_smallest(line):
    """The place of the first of the smallest elements of a line that is not empty."""
    return np.argmin(line)


_FUNCTIONS = {np.argmax: place_of_largest, np.argmin: place_of_smallest}


def _rule(arguments: Arguments) -> Signature | None:
    (line,) = arguments.types
    return Signature(types.int64, (line,)) if isinstance(line, Array) and line.ndim == 1 else None


def _register(function: Any) -> None:
    @primitive(_FUNCTIONS[function], _rule)
    def place(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        line = args[0]
        assert isinstance(line.ty, Array)
        parts = array_parts(line)
        address, data = loop_parts(build, _name(function.__name__, line.ty))
        out = build.alloca("i64")
        operands = f"ptr {parts.data}, i64 {parts.shape[0]}, ptr {out}, ptr {data}"
        build.result(f"call i32 {address}({operands})")
        return Value(types.int64, (build.load("i64", out, 8),))


for _function in _FUNCTIONS:
    _register(_function)
