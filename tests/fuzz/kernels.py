"""Made-up kernels: compiled for a GPU, assembled, and run in the simulator beside Python.

    python -m fuzz kernels 20000                    # from the folder tests
    python -m fuzz kernels 1 --seed 1234 --show

A death of the process, an internal error, a complaint of `ptxas`, a race that is none, and any
difference between the simulator and Python are findings.
"""

from __future__ import annotations

import linecache
import math
from random import Random
from typing import Any

import numpy as np

from cutaway import cuda, typeof
from cutaway.errors import CudaError, CutawayError, InternalError
from cutaway.targets.ptx.assembling import assemble
from cutaway.targets.ptx.toolkit import ptxas_for
from fuzz import kernel_threads
from fuzz.batches import FINDING, REFUSED, SAME, Verdict
from fuzz.kernel_writer import KernelWriter

CAPABILITIES = ((7, 0), (8, 0), (9, 0))


def check(seed: int) -> Verdict:
    """Compile, assemble and run one kernel."""
    return checked(seed, assembled=True)


def checked(seed: int, assembled: bool, simulated: bool = True) -> Verdict:
    """The same, without what takes long."""
    writer = KernelWriter(seed)
    kernel = function_of(writer, seed)
    given = arguments(writer, seed)
    types = tuple(map(typeof, given))
    cc = CAPABILITIES[seed % len(CAPABILITIES)]
    options: dict[str, Any] = {"cc": cc, **Random(seed).choice(OPTIONS)}
    try:
        ptx = cuda.jit(**options)(kernel.py_func).inspect_ptx(types)
    except InternalError as error:
        return Verdict(FINDING, f"{error}", writer.source)
    except CutawayError as error:
        return Verdict(REFUSED, str(error).partition("\n")[0], writer.source)
    if assembled and ptxas_for(cc) is not None:
        try:
            assemble(ptx, cc, opt=seed % 4)
        except CudaError as error:
            return Verdict(FINDING, error.message, writer.source)
    return _compared(kernel, writer, seed) if simulated else Verdict(SAME, "", writer.source)


OPTIONS: tuple[dict[str, Any], ...] = (
    *({}, {}, {"fastmath": True}, {"fma": False}, {"debug": True}, {"lineinfo": True}),
    *({"boundscheck": True}, {"opt": 0}, {"max_registers": 32}, {"error_model": "python"}),
)


def function_of(writer: KernelWriter, seed: int) -> Any:
    """The kernel of a program, as `cuda.jit` makes it."""
    filename = f"<made-up kernel {seed}>"
    lines = writer.source.splitlines(keepends=True)
    linecache.cache[filename] = (len(writer.source), None, lines, filename)
    space: dict[str, Any] = {"cuda": cuda, "np": np, "math": math}
    exec(compile(writer.source, filename, "exec"), space)  # noqa: S102
    return cuda.jit(space["program"])


def arguments(writer: KernelWriter, seed: int) -> tuple[Any, ...]:
    """Values for one launch."""
    random = np.random.default_rng(seed)
    threads = writer.grid * writer.block

    def numbers(kind: str, *shape: int) -> Any:
        values = random.integers(0, 2 if kind == "?" else 50, shape)
        return (values / 8 if kind[0] == "f" else values).astype(kind)

    b = numbers(writer.kinds["b"], 4, 6)
    return (
        numbers(writer.kinds["a"], 11),
        *(b if seed % 3 else b[:, ::2],),
        numbers("i8", 3, 3),
        np.zeros(threads),
        np.zeros(threads, "i8"),
        np.zeros(threads, writer.kinds["t"]),
        int(random.integers(0, 20)),
        float(random.integers(0, 40) / 8),
    )


def _compared(kernel: Any, writer: KernelWriter, seed: int) -> Verdict:
    """The arrays that the simulator leaves beside those that Python leaves."""
    left, wanted = arguments(writer, seed), arguments(writer, seed)
    space = kernel.py_func.__globals__
    plain = {name: getattr(value, "py_func", value) for name, value in space.items()}
    kernel_function = type(kernel.py_func)(kernel.py_func.__code__, plain)
    try:
        kernel_threads.run(kernel_function, writer.grid, writer.block, wanted)
    except (OverflowError, ZeroDivisionError, ValueError) as error:
        return Verdict(SAME, f"Python raises {type(error).__name__}", writer.source)
    try:
        cuda.simulate(kernel, seed=seed)[writer.grid, writer.block](*left)
    except CutawayError as error:
        return Verdict(FINDING, f"{type(error).__name__}: {error}", writer.source)
    for name, ours, pythons in zip("abcrst", left, wanted, strict=False):
        if not _same(ours, pythons):
            return Verdict(FINDING, f"{name} is {ours!r}, in Python {pythons!r}", writer.source)
    return Verdict(SAME, "", writer.source)


def _same(ours: Any, pythons: Any) -> bool:
    if ours.dtype.kind == "f":
        close = 1e-2 if ours.dtype.itemsize == 2 else 1e-5
        return bool(np.allclose(ours, pythons, rtol=close, atol=close, equal_nan=True))
    return bool(np.array_equal(ours, pythons))
