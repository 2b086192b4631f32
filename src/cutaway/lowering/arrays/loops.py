"""Calls of NumPy's own functions by their names: loops of ufuncs, functions of dtypes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.lowering.build.builder import symbol
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.runtime import numpy_loops


def has_loop(name: str) -> bool:
    """True if there is such a function in this NumPy, and it can be called."""
    return numpy_loops.address(name) is not None


def ufunc_of(name: str) -> Any:  # Any: a ufunc, or None
    """NumPy's ufunc whose loop has a name; None where there is none."""
    return numpy_loops.ufunc_of(name)


def loop_parts(build: FunctionBuilder, name: str) -> tuple[str, str]:
    """The address of a function of NumPy's, and what it is called with beside the data."""
    loop = loop_pointer(build, name)
    function = build.load("ptr", loop, 8)
    return function, build.load("ptr", build.offset(loop, "8"), 8)


def loop_pointer(build: FunctionBuilder, name: str) -> str:
    """The address of the runtime's `cutaway_loop` that a function of NumPy's is."""
    build.code.globals[name] = f"{symbol(name)} = external constant {{ ptr, ptr }}"
    return symbol(name)


def call_loop(
    build: FunctionBuilder,
    name: str,
    sizes: Sequence[str],
    addresses: Sequence[str],
    steps: Sequence[str],
) -> None:
    """Call a loop of NumPy's with the sizes that it goes over, the addresses of its operands and
    results, and the strides of these."""
    function, data = loop_parts(build, name)
    rows = [
        stored(build, kind, texts)
        for kind, texts in (("ptr", addresses), ("i64", sizes), ("i64", steps))
    ]
    build.emit(f"call void {function}({', '.join(f'ptr {row}' for row in (*rows, data))})")


def stored(build: FunctionBuilder, kind: str, texts: Sequence[str]) -> str:
    """Numbers or addresses in the function's stack memory; the address of the first."""
    place = build.alloca(kind, max(len(texts), 1))
    for k, text in enumerate(texts):
        build.store(kind, text, build.offset(place, str(8 * k)), 8)
    return place
