"""Bytes of machine code of one function: ours, Numba's and C's.

What is counted is the code of the function itself and of parts that a compiler put elsewhere
(`name.cold`), as tables of symbols have it: no entry for Python, no constants, no debug data. What
other functions it calls is not counted.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any


def of_ours(dispatcher: Any, arguments: tuple[Any, ...]) -> int:
    """The bytes of all lines of a function, from `cost` of its trace."""
    return sum(line.bytes for line in dispatcher.trace(*arguments).cost)


def of_numba(dispatcher: Any) -> int | None:
    """The bytes of a function of Numba's with one signature."""
    (specialization,) = dispatcher.overloads.values()
    name = specialization.fndesc.llvm_func_name
    with tempfile.NamedTemporaryFile(suffix=".o") as file:
        file.write(specialization.library._get_compiled_object())
        file.flush()
        return of_symbol(Path(file.name), name)


def in_library(library: Any, name: str) -> int | None:
    """The bytes of a function of a library that ctypes has loaded."""
    return of_symbol(Path(library._name), name)


def of_symbol(path: Path, name: str) -> int | None:
    """The bytes of a function in an object file; None where `nm` does not find it."""
    if shutil.which("nm") is None:
        return None
    done = subprocess.run(["nm", "--print-size", path], capture_output=True, text=True)
    rows = (line.split() for line in done.stdout.splitlines())
    sizes = [
        int(row[1], 16)
        for row in rows
        if len(row) == 4 and row[2] in "tTwW" and row[3] in (name, f"{name}.cold")
    ]
    return sum(sizes) or None
