"""Remarks on the registers and memory of a kernel, as `ptxas` reports them, and on its occupancy.

    line 5   note    ptxas   a thread takes 26 registers, a block 2048 bytes of shared memory
    line 5   missed  ptxas   registers do not suffice: a thread stores 40 bytes outside of them, ...

There are none without `ptxas`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from cutaway.foundation.patterns import Pattern
from cutaway.inspection.gpu.figures import figures_of
from cutaway.inspection.linking.user_places import UserFunction
from cutaway.inspection.llvm.remarks import Remark
from cutaway.stages.unit import CompileUnit
from cutaway.targets.ptx.assembling import KernelFigures, Version
from cutaway.targets.ptx.capabilities import version_of

PTXAS = "ptxas"

_LIMITED = Pattern(r"\n\.max(ntid|nreg)")
_MORE = "a larger max_registers, or smaller launch_bounds, gives a thread more registers"
_THREADS = Pattern(r"^\.maxntid (\d+)(?:, (\d+))?(?:, (\d+))?")

# Limits of a multiprocessor: its registers, their allocation unit per warp, its resident warps by
# compute capability, and its shared memory in kB, of which each block reserves one.
_REGISTERS = 65536
_UNIT = 256
_WARPS = {(7, 5): 32, (8, 6): 48, (8, 7): 48, (8, 9): 48, (12, 0): 48, (12, 1): 48}
_MOST_WARPS = 64
_SHARED = {
    **{(7, 0): 96, (7, 2): 96, (7, 5): 64, (8, 0): 164, (8, 6): 100, (8, 7): 164, (8, 9): 100},
    **{(9, 0): 228, (10, 0): 228, (10, 1): 228, (10, 3): 228, (12, 0): 100, (12, 1): 100},
}


def remarks_of(unit: CompileUnit) -> Iterator[Remark]:
    """Yield the remarks about a kernel's resources, at its head."""
    user = UserFunction(unit)
    line = user.places.head.line or user.first
    for figures in figures_of(unit):
        if figures.name == user.entry:
            for kind, message, hint in _words(figures, unit):
                raw = f"{figures.registers} registers"
                advice = partial(str, hint)
                yield Remark(PTXAS, kind, message, raw, line, function=unit.name, advice=advice)


def _words(figures: KernelFigures, unit: CompileUnit) -> Iterator[tuple[str, str, str]]:
    """Kind, message and hint of each remark."""
    if not figures.registers:  # of a device function
        return
    yield "note", _taken(figures), ""
    if figures.spill_stores or figures.spill_loads:
        yield (
            "missed",
            "registers do not suffice: a thread stores"
            f" {_bytes(figures.spill_stores)} outside of them, and loads"
            f" {_bytes(figures.spill_loads)}",
            _MORE if _LIMITED.search(unit.ptx) else "fewer values at a time need fewer registers",
        )
    if unit.target.launched:
        yield from _occupancy(figures, unit)


def _taken(figures: KernelFigures) -> str:
    thread = [f"{figures.registers} registers"]
    if figures.stack:
        thread.append(f"{_bytes(figures.stack)} of local memory")
    block = []
    if figures.shared:
        block.append(f"{_bytes(figures.shared)} of shared memory")
    if figures.barriers:
        block.append(_counted(figures.barriers, "barrier"))
    words = f"a thread takes {' and '.join(thread)}"
    return f"{words}, a block {' and '.join(block)}" if block else words


def _occupancy(figures: KernelFigures, unit: CompileUnit) -> Iterator[tuple[str, str, str]]:
    """Yield the remark on occupancy if registers or memory limit the resident warps."""
    cc = version_of(unit.target.machine)
    most = _WARPS.get(cc, _MOST_WARPS)
    warp = -(-figures.registers * 32 // _UNIT) * _UNIT
    by_registers = min(most, _REGISTERS // warp)
    threads = _threads(unit.ptx)
    if threads:
        of_block = -(-threads // 32)
        by_registers = by_registers // of_block * of_block
        if not by_registers:
            yield (
                "missed",
                f"a block of {threads} threads cannot run: it needs {warp * of_block} registers,"
                f" and there are {_REGISTERS}",
                "launch_bounds makes ptxas take fewer, max_registers says how many",
            )
            return
        by_memory = _by_memory(figures, cc, of_block, most)
        if by_memory < by_registers:
            yield _warps(by_memory, most, "shared memory", "less of it for each block")
            return
    if by_registers < most:
        fitting = _REGISTERS // most // 32 // 8 * 8
        hint = f"max_registers={fitting} lets all run, and may make a thread spill"
        yield _warps(by_registers, most, "registers", hint)


def _by_memory(figures: KernelFigures, cc: Version, of_block: int, most: int) -> int:
    if not figures.shared:
        return most
    return min(most, (_SHARED.get(cc, 100) << 10) // (figures.shared + 1024) * of_block)


def _warps(count: int, most: int, limit: str, hint: str) -> tuple[str, str, str]:
    """Return the remark for so many warps; below half of the maximum, latency shows."""
    words = f"{limit} for {count} of the {most} warps that a multiprocessor can hold at once"
    return ("note", words, "") if 2 * count >= most else ("missed", words, hint)


def _threads(ptx: str) -> int:
    """Return the most threads of a block, as launch bounds declare it; else 0."""
    for row in ptx.splitlines():
        if match := _THREADS.match(row):
            return int(match[1]) * int(match[2] or 1) * int(match[3] or 1)
    return 0


def _bytes(count: int) -> str:
    return _counted(count, "byte")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
