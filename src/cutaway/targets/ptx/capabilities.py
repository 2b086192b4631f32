"""The kinds of GPU that code can be generated for, by compute capability."""

from __future__ import annotations

from cutaway.errors import CudaError
from cutaway.targets.cpu.optimization import Cpu

TRIPLE = "nvptx64-nvidia-cuda"
Version = tuple[int, int]  # a compute capability: (8, 0)

# The first version of PTX that supports each.  Before 7.0 threads of a warp cannot diverge
# independently, which operations on lane masks assume.
_PTX: dict[Version, int] = {
    (7, 0): 60,
    (7, 2): 61,
    (7, 5): 63,
    (8, 0): 70,
    (8, 6): 71,
    (8, 7): 74,
    (8, 8): 90,
    (8, 9): 78,
    (9, 0): 78,
    (10, 0): 86,
    (10, 1): 86,
    (10, 3): 88,
    (11, 0): 90,
    (12, 0): 87,
    (12, 1): 88,
}
_LEAST = 70  # the oldest that CUDA 11.0 reads


def nearest(capability: Version) -> Version:
    """Return the capability whose code a GPU runs best: its own, or the largest supported one
    below, whose code the driver translates."""
    return max((known for known in _PTX if known <= capability), default=capability)


def machine_of(capability: Version) -> Cpu:
    """Return the machine of a compute capability.

    Raises CudaError for one that LLVM does not support.
    """
    if capability not in _PTX:
        major, minor = capability
        known = ", ".join(f"{a}.{b}" for a, b in _PTX)
        raise CudaError(
            f"there is no code for compute capability {major}.{minor}",
            hint=f"the capabilities are {known}; code for a smaller one of the same first number"
            " runs, too",
        )
    major, minor = capability
    return Cpu(f"sm_{major}{minor}", f"+ptx{max(_PTX[capability], _LEAST)}", TRIPLE)


def version_of(machine: Cpu) -> Version:
    """Return the compute capability of a machine: (8, 0) for `sm_80`."""
    return divmod(int(machine.name.removeprefix("sm_")), 10)
