"""The kernels in C, compiled by gcc into a library that ctypes calls."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from loops.kernel import Kernel

HEAD = "#include <math.h>\n#include <stdint.h>\n"
FLAGS = ("-O3", "-march=native", "-fPIC", "-shared", "-w")
# Without contraction a product and a sum round twice, as in Python.
ROUNDING = ("-ffp-contract=off",)


def library(kernels: Sequence[Kernel], flags: Sequence[str]) -> ctypes.CDLL:
    """Compile all kernels with some more flags.

    Raises FileNotFoundError where there is no gcc.
    """
    folder = Path(tempfile.mkdtemp(prefix="kernels"))
    source, target = folder / "kernels.c", folder / "kernels.so"
    source.write_text(HEAD + "\n".join(kernel.c for kernel in kernels), encoding="utf-8")
    subprocess.run(["gcc", *FLAGS, *flags, "-o", target, source, "-lm"], check=True)
    return ctypes.CDLL(str(target))


def call_of(kernel: Kernel, compiled: ctypes.CDLL, given: tuple[Any, ...]) -> Callable[[], Any]:
    """A function without arguments that calls the C function with these."""
    function = getattr(compiled, kernel.name)
    function.restype = {"d": ctypes.c_double, "q": ctypes.c_int64}.get(kernel.returns)
    words: list[Any] = []
    for one in given:
        if isinstance(one, np.ndarray):
            words.append(ctypes.c_void_p(one.ctypes.data))
            words += [ctypes.c_int64(size) for size in one.shape]
        else:
            words.append(ctypes.c_double(one) if isinstance(one, float) else ctypes.c_int64(one))
    return lambda: function(*words)
