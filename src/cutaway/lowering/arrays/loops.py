"""Calls of NumPy functions by their names: loops of ufuncs, functions of dtypes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.lowering.build.builder import symbol
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.processors import has_feature
from cutaway.runtime import numpy_loops


def has_loop(name: str) -> bool:
    """True if this NumPy has such a function, and it can be called."""
    return numpy_loops.address(name) is not None


def ufunc_of(name: str) -> Any:
    """NumPy's ufunc whose loop has a name; None where there is none."""
    return numpy_loops.ufunc_of(name)


def loop_parts(build: FunctionBuilder, name: str) -> tuple[str, str]:
    """Return the address of a NumPy function, and its auxiliary data argument."""
    loop = loop_pointer(build, name)
    function = build.load("ptr", loop, 8)
    return function, build.load("ptr", build.offset(loop, "8"), 8)


def loop_pointer(build: FunctionBuilder, name: str) -> str:
    """Return the address of the runtime's `cutaway_loop` for a NumPy function."""
    build.code.globals[name] = f"{symbol(name)} = external constant {{ ptr, ptr }}"
    return symbol(name)


def call_loop(
    build: FunctionBuilder,
    name: str,
    sizes: Sequence[str],
    addresses: Sequence[str],
    steps: Sequence[str],
) -> None:
    """Call a NumPy loop with its sizes, and its operands' and results' addresses and strides."""
    function, data = loop_parts(build, name)
    rows = [
        stored(build, kind, texts)
        for kind, texts in (("ptr", addresses), ("i64", sizes), ("i64", steps))
    ]
    build.emit(f"call void {function}({', '.join(f'ptr {row}' for row in (*rows, data))})")


_KINDS = {"d": "double", "f": "float", "D": "{ double, double }"}
_LANES = {"d": (4, 8), "f": (8, 16), "D": ()}


def has_number_function(name: str) -> bool:
    """True if the runtime has a scalar function for a loop."""
    return numpy_loops.address(_of_numbers(name)) is not None


def call_number_function(build: FunctionBuilder, name: str, parts: Sequence[str]) -> list[str]:
    """Call the runtime's scalar function for a loop.

    It has vector versions, which LLVM calls where it vectorizes a loop.
    """
    letter, function = name[-1], symbol(_of_numbers(name))
    kind = _KINDS[letter]
    kinds = ["double"] * 2 if letter == "D" else [kind] * len(parts)
    _declare_number_function(build, name, kinds)
    args = ", ".join(f"{each} {part}" for each, part in zip(kinds, parts, strict=True))
    result = build.result(f"call {kind} {function}({args})")
    if letter != "D":
        return [result]
    return [build.result(f"extractvalue {kind} {result}, {k}") for k in range(2)]


def _of_numbers(name: str, way: str = "number") -> str:
    """Return the name of the scalar function for a loop: `numpy.number.exp.d.d`."""
    return f"numpy.{way}.{name.removeprefix('numpy.')}"


def _declare_number_function(build: FunctionBuilder, name: str, kinds: Sequence[str]) -> None:
    own, letter = _of_numbers(name), name[-1]
    if own in build.code.globals:
        return
    attributes = "nounwind willreturn memory(none)"
    lines, variants = [], []
    for lanes in _LANES[letter] if has_feature(build, "avx512vl") else ():
        if numpy_loops.address(_of_numbers(name, f"numbers{lanes}")) is None:
            continue
        vectors = [f"<{lanes} x {kind}>" for kind in kinds]
        for way, more in (("numbers", []), ("masked", [f"<{lanes} x i1>"])):
            version = _of_numbers(name, f"{way}{lanes}")
            operands = ", ".join((*vectors, *more))
            lines.append(f"declare {vectors[0]} {symbol(version)}({operands}) {attributes}")
            letters = "v" * len(kinds)
            variants.append(f"_ZGV_LLVM_{'M' if more else 'N'}{lanes}{letters}_{own}({version})")
            build.code.versions[version] = None
    mapping = f' "vector-function-abi-variant"="{",".join(variants)}"' if variants else ""
    operands = ", ".join(kinds)
    lines.append(f"declare {_KINDS[letter]} {symbol(own)}({operands}) {attributes}{mapping}")
    build.code.globals[own] = "\n".join(lines)


def stored(build: FunctionBuilder, kind: str, texts: Sequence[str]) -> str:
    """Store numbers or addresses in the function's stack memory; returns the first's address."""
    slots = build.alloca(kind, max(len(texts), 1))
    for k, text in enumerate(texts):
        build.store(kind, text, build.offset(slots, str(8 * k)), 8)
    return slots


def in_memory_order(
    build: FunctionBuilder, sizes: Sequence[str], steps: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """Return the sizes and steps of axes with the largest step first, as NumPy's iterators do."""
    if len(sizes) < 2:
        return tuple(sizes), tuple(steps)
    rows = [stored(build, "i64", texts) for texts in (sizes, steps)]
    arguments = [("i64", str(len(sizes))), *(("ptr", row) for row in rows)]
    build.call("void", "cutaway_memory_order", arguments)
    return tuple(
        tuple(build.load("i64", build.offset(row, str(8 * k)), 8) for k in range(len(sizes)))
        for row in rows
    )
