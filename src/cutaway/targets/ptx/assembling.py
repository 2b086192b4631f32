"""From PTX to the machine code of one kind of GPU, by `ptxas`, with its figures for each kernel.

The driver can do that too, on a machine with a GPU; `ptxas` needs none.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from typing import NamedTuple

from cutaway.errors import CudaError
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.patterns import Pattern
from cutaway.targets.ptx.toolkit import (
    EXTRA,
    Version,
    abilities,
    find_nvdisasm,
    find_ptxas,
    ptxas_for,
)

_SECONDS = 300  # timeout, after which it counts as hanging


@dataclass(frozen=True, slots=True)
class KernelFigures:
    """The GPU resources of a kernel, or of a function that it calls.

    `registers` of a thread; bytes that a thread spills to memory and reloads (`spill_stores`,
    `spill_loads`) and has on its `stack`; bytes of `shared` memory of a block and of `constant`
    memory; `barriers` of a block.
    """

    name: str
    registers: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    stack: int = 0
    shared: int = 0
    constant: int = 0
    barriers: int = 0


class Assembled(NamedTuple):
    """Machine code, the figures of each function in it, and the output of `ptxas`."""

    cubin: bytes
    figures: tuple[KernelFigures, ...]
    log: str


def assemble(
    ptx: str,
    cc: Version,
    *,
    opt: int = 3,
    lineinfo: bool = False,
    max_registers: int | None = None,
) -> Assembled:
    """Assemble PTX for a compute capability.

    Raises CudaError if no installed `ptxas` supports it, or with the message of the one that
    refuses the text.
    """
    ptxas = ptxas_for(cc)
    if ptxas is None:
        raise _no_ptxas(cc)
    with tempfile.TemporaryDirectory(prefix="cutaway-ptxas-") as folder:
        path = os.path.join(folder, "cubin")
        words = [ptxas, "-v", f"-arch=sm_{cc[0]}{cc[1]}", f"-O{opt}", "-o", path]
        words += ["-lineinfo"] if lineinfo else []
        words += [f"-maxrregcount={max_registers}"] if max_registers is not None else []
        try:
            ran = subprocess.run(
                [*words, "-"], input=ptx.encode(), capture_output=True, timeout=_SECONDS
            )
        except subprocess.TimeoutExpired:
            raise CudaError(f"ptxas was ended after {_SECONDS} seconds") from None
        except OSError as error:
            raise CudaError(f"ptxas cannot be run: {error}", hint=EXTRA) from None
        log = (ran.stderr + ran.stdout).decode(errors="replace")
        if ran.returncode != 0 or not os.path.exists(path):
            raise CudaError(f"ptxas refuses the code for sm_{cc[0]}{cc[1]}: {_complaint(log)}")
        with open(path, "rb") as file:
            return Assembled(file.read(), read_figures(log), log)


def _no_ptxas(cc: Version) -> CudaError:
    """Return the error for a capability that no installed `ptxas` supports."""
    path = find_ptxas()
    if path is None:
        return CudaError("ptxas is not installed, which makes machine code of PTX", hint=EXTRA)
    able = abilities(path)
    if able.problem:
        return CudaError(f"ptxas ({path}): {able.problem}", hint=EXTRA)
    words = f"ptxas of CUDA {able.release} has no code for compute capability {cc[0]}.{cc[1]}"
    least = min(able.capabilities)
    if cc < least:
        return CudaError(words, hint=f"{EXTRA} of CUDA 12, or compile for a newer GPU: cc={least}")
    return CudaError(words, hint=f"install a newer one; this one is of {able}")


def disassemble(cubin: bytes) -> str:
    """Disassemble machine code with `nvdisasm`.

    Raises CudaError if `nvdisasm` is not installed, or with its message if it cannot read the code.
    """
    nvdisasm = find_nvdisasm()
    if nvdisasm is None:
        raise CudaError(
            "nvdisasm is not installed, which shows the machine code of a GPU",
            hint="pip install nvidia-cuda-nvdisasm, or set CUDA_HOME to a toolkit",
        )
    with tempfile.TemporaryDirectory(prefix="cutaway-nvdisasm-") as folder:
        path = os.path.join(folder, "cubin")
        with open(path, "wb") as file:
            file.write(cubin)
        try:
            ran = subprocess.run(
                [nvdisasm, "-c", path], capture_output=True, timeout=_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CudaError(f"nvdisasm cannot be run: {error}") from None
    if ran.returncode != 0:
        raise CudaError(f"nvdisasm: {ran.stderr.decode(errors='replace').strip()}")
    return ran.stdout.decode(errors="replace")


def _complaint(log: str) -> str:
    """Return the first error in the output of `ptxas`."""
    lines = [line for line in log.splitlines() if "info" not in line.partition(":")[0]]
    line = next((line for line in lines if "error" in line or "fatal" in line), log)
    return _FILE.sub("", line.removeprefix("ptxas ")).strip()


_FILE = Pattern(r"\S*_stdin'?,? ?(?=;|line|$)")  # its name of the input
_ENTRY = Pattern(r"ptxas info\s*: Compiling entry function '([^']+)'")
_FUNCTION = Pattern(r"ptxas info\s*: Function properties for (\S+)")
_STACK = Pattern(r"\s*(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = Pattern(r"ptxas info\s*: Used (\d+) registers(.*)")
_SHARED = Pattern(r"(\d+)(?:\+(\d+))? bytes smem")
_CONSTANT = Pattern(r"(\d+) bytes cmem\[\d+\]")
_BARRIERS = Pattern(r"used (\d+) barriers")


def read_figures(log: str) -> tuple[KernelFigures, ...]:
    """Parse the figures of each function from the output of `ptxas -v`: kernels first, as they were
    compiled."""
    known: dict[str, KernelFigures] = {}
    kernel = function = ""
    for line in log.splitlines():
        if entry := _ENTRY.match(line):
            kernel = function = entry[1]
            known[kernel] = KernelFigures(kernel)
        elif properties := _FUNCTION.match(line):
            function = properties[1]
            known.setdefault(function, KernelFigures(function))
        elif (stack := _STACK.match(line)) and function:
            frame, stores, loads = map(int, stack.groups())
            known[function] = replace(
                known[function], stack=frame, spill_stores=stores, spill_loads=loads
            )
        elif (used := _USED.match(line)) and (kernel or function):
            name = kernel or function
            known[name] = replace(known[name], registers=int(used[1]), **_memory(used[2]))
    return tuple(known.values())


def _memory(text: str) -> dict[str, int]:
    shared, barriers = _SHARED.search(text), _BARRIERS.search(text)
    constants = _CONSTANT.findall(text)
    return {
        "shared": sum(int(part or 0) for part in shared.groups()) if shared else 0,
        "constant": sum(map(int, constants)),
        "barriers": int(barriers[1]) if barriers else 0,
    }
