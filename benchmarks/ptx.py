"""What kernels for a GPU cost: from Python to PTX and machine code, beside numba-cuda.

    python benchmarks/ptx.py [--rounds N] [--quick] [--figures FILE]

Ten kernels (`gpu_programs.py`), for the compute capability 8.0.  Nothing of it needs a GPU, but for
the time of a launch and of three kernels, which is measured where there is one (`on_gpu.py`).

`LLVM to PTX`: what follows the lowering, `optimize_llvm` to `emit_ptx`.  `to PTX`: all from Python
on, compiled again in a process that has compiled before.  `with ptxas`: the same, to machine code,
which another program makes; its time counts as well.  `first`: in a fresh process, after the
import.  All times are of the processor.  numba-cuda makes PTX by NVVM, and has no `ptxas`.
Registers are those that `ptxas` gives a thread, of both PTX.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import process_time
from types import ModuleType
from typing import Any, NamedTuple

import on_gpu
from collected.figures import Figure, spread
from gpu_programs import PROGRAMS, Program
from harness import hand_over, interleaved, is_installed, parsed, parser, show, with_children

from cutaway import cuda, errors
from cutaway.compiling.compiler import back_half
from cutaway.cuda.code import code_of
from cutaway.cuda.compiling import PIPELINE, compile_signature
from cutaway.targets.ptx.assembling import KernelFigures, assemble
from cutaway.targets.ptx.toolkit import EXTRA, find_ptxas

CC = (8, 0)
HERE = Path(__file__).parent
OURS, THEIRS = "cutaway", "numba-cuda"

PROBE = """
import json, resource, sys
from time import process_time
import numpy, {package}
sys.path.insert(0, {here!r})
def now():
    ran = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + ran.ru_utime + ran.ru_stime
started = now()
from {package} import cuda
imported = now() - started
import gpu_programs
program = next(one for one in gpu_programs.PROGRAMS if one.name == {name!r})
function = program.on(cuda)
started = now()
ptx, _ = cuda.compile_ptx(function, program.signature, cc=(8, 0))
compiled = now() - started
if {assembled}:
    from cutaway.targets.ptx.assembling import assemble
    assemble(ptx, (8, 0))
print(json.dumps([imported, compiled, now() - started]))
"""


class Measured(NamedTuple):
    """Seconds of one kernel, by what was done, and the figures of each compiler's code."""

    seconds: dict[str, list[float]]
    figures: dict[str, KernelFigures]
    has_libdevice: bool


def main() -> None:
    """Measure everything in interleaved rounds, and hand the figures over."""
    options = parsed(parser("What kernels for a GPU cost.", 15, 5))
    theirs, why = numba_cuda()
    programs = [one for one in PROGRAMS if compiles(one)]
    timed = programs[::4] if options.quick else programs
    firsts = {one.name: first_times(one.name, theirs is not None, options.rounds) for one in timed}
    found = {one.name: measured(one, theirs, options.rounds) for one in programs}
    show_times(found, firsts, why)
    on_device = on_gpu.figures(theirs, options.rounds)
    hand_over([*figures(found, firsts, why), *on_device], options)


def numba_cuda() -> tuple[ModuleType | None, str]:
    """numba-cuda, if it can make PTX here; else why it cannot."""
    if not is_installed("numba_cuda"):
        return None, "numba-cuda is not installed"
    from numba import cuda as module  # noqa: PLC0415  an extra

    try:
        compiled_by(module, PROGRAMS[0])
    except Exception as error:  # whatever its libraries raise where one of them is missing
        return None, f"numba-cuda makes no PTX here: {str(error).partition(chr(10))[0]}"
    return module, ""


def compiles(program: Program) -> bool:
    """True if a kernel can be compiled here; else it is said why not."""
    try:
        compiled_by(cuda, program)
    except errors.CutawayError as error:  # there is no libdevice
        print(f"Without {program.name}: {error.message}")
        return False
    return True


def compiled_by(module: Any, program: Program) -> str:  # Any: a `cuda` of either compiler
    """A kernel's PTX, compiled anew."""
    text: str = module.compile_ptx(program.on(module), program.signature, cc=CC)[0]
    return text


# --- measured here --------------------------------------------------------------------------------


def measured(program: Program, theirs: ModuleType | None, rounds: int) -> Measured:
    """The times of one kernel, and what its code takes."""
    function = program.on(cuda)
    unit = compile_signature(cuda.jit(function, cc=CC).half, program.signature)
    passes = back_half(PIPELINE).passes

    def to_ptx() -> None:
        for step in passes:
            step.run(unit)

    runs = {"LLVM to PTX": to_ptx, "to PTX": lambda: compiled_by(cuda, program)}
    texts = {OURS: unit.ptx}
    if theirs is not None:
        runs[THEIRS] = lambda: compiled_by(theirs, program)
        texts[THEIRS] = compiled_by(theirs, program)
    for run in runs.values():
        run()
    seconds = interleaved(runs, rounds, process_time)
    if find_ptxas() is None:
        return Measured(seconds, {}, "@__nv_" in unit.llvm)
    seconds |= interleaved({"with ptxas": lambda: to_machine_code(program)}, rounds, with_children)
    taken = {name: figures_of(text) for name, text in texts.items()}
    return Measured(seconds, {k: v for k, v in taken.items() if v}, "@__nv_" in unit.llvm)


def to_machine_code(program: Program) -> None:
    """Compile a kernel anew, to what a GPU runs."""
    half = cuda.jit(program.on(cuda), cc=CC).half
    code_of(half, compile_signature(half, program.signature).argtypes)


def figures_of(ptx: str) -> KernelFigures | None:
    """What the kernel takes; None where this `ptxas` is too old for the PTX."""
    try:
        return assemble(ptx, CC).figures[0]
    except errors.CudaError:
        return None


# --- measured in processes of their own -----------------------------------------------------------


def first_times(name: str, has_theirs: bool, rounds: int) -> dict[str, list[list[float]]]:
    """Seconds of the import, of the first compilation to PTX, and of it with `ptxas`; per compiler
    and round."""
    packages = {OURS: "cutaway", **({THEIRS: "numba"} if has_theirs else {})}
    for package in packages.values():
        probe(package, name)  # so that files are in memory, bytecode and libdevice cached
    found: dict[str, list[list[float]]] = {one: [] for one in packages}
    for _ in range(rounds):
        for one, package in packages.items():
            found[one].append(probe(package, name))
    return found


def probe(package: str, name: str) -> list[float]:
    """The three times of one compiler in a fresh process."""
    assembled = package == "cutaway" and find_ptxas() is not None
    script = PROBE.format(here=str(HERE), package=package, name=name, assembled=assembled)
    # Who runs a program has its bytecode.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    times: list[float] = json.loads(done.stdout)
    return times


# --- what is told ---------------------------------------------------------------------------------

Firsts = Mapping[str, Mapping[str, Sequence[Sequence[float]]]]


def both(seconds: Sequence[float]) -> tuple[float, float]:
    """Milliseconds, by median and by minimum."""
    return statistics.median(seconds) * 1e3, min(seconds) * 1e3


def show_times(found: Mapping[str, Measured], firsts: Firsts, why: str) -> None:
    """Print the times and registers of all kernels."""
    kinds = ("LLVM to PTX", "to PTX", THEIRS, "with ptxas")
    rows = []
    for name, one in found.items():
        cells = [_cell(one.seconds.get(kind)) for kind in kinds]
        first = firsts.get(name, {})
        cells += [
            _cell([times[k] for times in first.get(of, ())])
            for of, k in ((OURS, 1), (THEIRS, 1), (OURS, 2))
        ]
        cells += [_registers(one.figures.get(of)) for of in (OURS, THEIRS)]
        rows.append((name + (" *" if one.has_libdevice else ""), *cells))
    columns = ("kernel (* with libdevice)", *kinds, "first to PTX", f"first, {THEIRS}",
               "first with ptxas", "registers", f"of {THEIRS}")  # fmt: skip
    show("Milliseconds: median (minimum); registers and bytes spilled", columns, rows)
    if why:
        print(f"Without {THEIRS}: {why}")
    if find_ptxas() is None:
        print(f"Without ptxas, which makes machine code of PTX: {EXTRA}")


def _cell(seconds: Sequence[float] | None) -> str:
    return "{:.1f} ({:.1f})".format(*both(seconds)) if seconds else ""


def _registers(figures: KernelFigures | None) -> str:
    if figures is None:
        return ""
    spilled = figures.spill_stores + figures.spill_loads
    return f"{figures.registers}, {spilled} B" if spilled else str(figures.registers)


def figures(found: Mapping[str, Measured], firsts: Firsts, why: str) -> list[Figure]:
    """The figures of this benchmark, but for those of a GPU."""
    no_ptxas = "" if find_ptxas() else "ptxas is not installed"

    def mean(key: str, with_libdevice: bool) -> Figure:
        chosen = {
            name: both(one.seconds["LLVM to PTX"])
            for name, one in found.items()
            if one.has_libdevice == with_libdevice
        }
        return spread(key, chosen, why="no kernel of that kind")

    imports = [times[0] for first in firsts.values() for times in first[OURS]]
    first = {name: both([times[2] for times in first[OURS]]) for name, first in firsts.items()}
    again = {name: both(one.seconds["with ptxas"]) for name, one in found.items() if not no_ptxas}
    return [
        mean("ptx.plain", False),
        mean("ptx.libdevice", True),
        Figure("ptx.import", *both(imports)),
        spread("ptx.first", {} if no_ptxas else first, why=no_ptxas),
        spread("ptx.again", again, why=no_ptxas),
        spread("ptx.numba", beside_numba(found), why=why),
        *figures_of_code(found, no_ptxas or why),
    ]


def beside_numba(found: Mapping[str, Measured]) -> dict[str, tuple[float, float]]:
    """Our time to PTX as a multiple of numba-cuda's, by kernel."""
    pairs = {
        name: (both(one.seconds["to PTX"]), both(one.seconds[THEIRS]))
        for name, one in found.items()
        if THEIRS in one.seconds
    }
    return {name: (o[0] / t[0], o[1] / t[1]) for name, (o, t) in pairs.items()}


def figures_of_code(found: Mapping[str, Measured], why: str) -> list[Figure]:
    """Registers beside numba-cuda's, and what spills."""
    pairs = {name: (one.figures[OURS], one.figures[THEIRS]) for name, one in found.items()
             if len(one.figures) == 2}  # fmt: skip
    if not pairs:
        why = why or "this ptxas does not read numba-cuda's PTX"
        return [Figure(key, why=why) for key in ("ptx.registers", "ptx.spills")]
    ratios = {name: ours.registers / theirs.registers for name, (ours, theirs) in pairs.items()}
    worst = max(ratios, key=lambda name: ratios[name])
    spilling = [n for n, (o, t) in pairs.items() if o.spill_stores and not t.spill_stores]
    mean = statistics.geometric_mean(ratios.values())
    where = f"of {len(ratios)}; worst: {worst} {ratios[worst]:.2f}"
    return [
        Figure("ptx.registers", mean, where=where),
        Figure("ptx.spills", float(len(spilling)), where=", ".join(spilling)),
    ]


if __name__ == "__main__":
    main()
