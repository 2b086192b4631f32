"""The registers and memory of kernels, and the errors of their PTX, as `ptxas` reports them.

PTX has unlimited virtual registers; only `ptxas` knows the final number.
"""

from __future__ import annotations

from functools import lru_cache

from cutaway.errors import CudaError
from cutaway.stages.unit import CompileUnit
from cutaway.targets.ptx.assembling import KernelFigures, Version, assemble
from cutaway.targets.ptx.capabilities import version_of
from cutaway.targets.ptx.toolkit import ptxas_for


def figures_of(unit: CompileUnit) -> tuple[KernelFigures, ...]:
    """The resources of each function in a unit's PTX; empty if `ptxas` refuses the PTX or none for
    the GPU is installed."""
    return _assembled(unit.ptx, version_of(unit.target.machine), unit.target.effort)[0]


def complaints(unit: CompileUnit) -> tuple[str, ...]:
    """Return the error of `ptxas` for a unit's PTX; empty if none for the GPU is installed."""
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
