"""What each kernel of the corpus is as PTX."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cutaway
from corpus.kernels import blocks, elements, neighbors
from corpus.kernels.corpus import RIGHT, Right
from cutaway import cuda

Version = tuple[int, int]
assert all((elements, blocks, neighbors))  # imported for their rows


def launches(row: Right) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """The kernels that a row starts, with their argument types, by name."""
    found: dict[str, tuple[Any, tuple[Any, ...]]] = {}

    def run(kernel: Any, grid: Any, block: Any, shared: int) -> Any:
        def note(*args: Any) -> None:
            found[kernel.__name__] = kernel, tuple(map(cutaway.typeof, args))

        return note

    row.steps(run, **row.given())
    return found


def emitted(cc: Version, rows: list[Right] = RIGHT) -> Iterator[tuple[str, str]]:
    """The names and the PTX of all kernels that rows start."""
    for row in rows:
        for name, (kernel, types) in launches(row).items():
            compiled = cuda.jit(cc=cc)(kernel.py_func)
            yield name, compiled.inspect_ptx(types)
