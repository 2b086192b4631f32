"""All kernels, by the class of their loop."""

from __future__ import annotations

from loops import dense, integer_programs, integers, science, stencils, tables
from loops.kernel import Kernel

CLASSES = {
    "dense": dense.KERNELS,
    "stencils": stencils.KERNELS,
    "integers": integers.KERNELS,
    "integers in programs": integer_programs.KERNELS,
    "tables and graphs": tables.KERNELS,
    "science": science.KERNELS,
}
KERNELS: dict[str, Kernel] = {one.name: one for rows in CLASSES.values() for one in rows}
