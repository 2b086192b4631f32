"""What a kernel takes of a GPU, as `ptxas` says, and whether it takes the PTX.

PTX has as many registers as it likes; how many there are in the end only `ptxas` knows.
"""

from __future__ import annotations

from functools import lru_cache

from cutaway.errors import CudaError
from cutaway.stages.unit import CompileUnit
from cutaway.targets.ptx.assembling import KernelFigures, Version, assemble
from cutaway.targets.ptx.capabilities import version_of
from cutaway.targets.ptx.toolkit import ptxas_for


def figures_of(unit: CompileUnit) -> tuple[KernelFigures, ...]:
    """What each function in a unit's PTX takes; empty where no `ptxas` for the GPU is
    installed, or it refuses the PTX."""
    return _assembled(unit.ptx, version_of(unit.target.machine), unit.target.effort)[0]


def complaints(unit: CompileUnit) -> tuple[str, ...]:
    """What `ptxas` has against a unit's PTX; empty where none for the GPU is installed."""
    problem = _assembled(unit.ptx, version_of(unit.target.machine), unit.target.effort)[1]
    return (problem,) if problem else ()


@lru_cache(maxsize=32)
def _assembled(ptx: str, cc: Version, effort: int) -> tuple[tuple[KernelFigures, ...], str]:
    if ptxas_for(cc) is None:
        return (), ""
    try:
        return assemble(ptx, cc, opt=effort).figures, ""
    except CudaError as error:
        return (), error.message
