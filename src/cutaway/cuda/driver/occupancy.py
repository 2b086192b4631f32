"""The resources of a compiled kernel on the current GPU, and its occupancy."""

from __future__ import annotations

from typing import Any

from cutaway.cuda.driver import access, devices
from cutaway.cuda.driver.launching import function_of
from cutaway.cuda.kernels import Kernel
from cutaway.dispatch.signatures import wanted_types
from cutaway.errors import CudaError
from cutaway.foundation.dataclass import dataclass
from cutaway.typing.types import Type

# The driver's numbers of function attributes.
_MAX_THREADS, _SHARED, _CONSTANT, _LOCAL, _REGISTERS = range(5)


@dataclass(frozen=True, slots=True)
class Figures:
    """The resources of a kernel: registers and bytes of local memory per thread, bytes of static
    shared memory per block, of constant memory, and the most threads per block."""

    registers: int
    local_bytes: int
    shared_bytes: int
    constant_bytes: int
    max_threads: int


@dataclass(frozen=True, slots=True)
class Occupancy:
    """The occupancy of a kernel: `blocks` of it are resident on a multiprocessor, with `share` of
    the warps that it can hold."""

    blocks: int
    share: float


def figures(kernel: Kernel, signature: Any = None) -> Figures:
    """Return the resources of a kernel, for the only signature or the given one.

    Raises CudaError if it was compiled for none, or several.
    """
    function = function_of(kernel, _wanted(kernel, signature))
    ask = access.driver().function_attribute
    numbers = (_REGISTERS, _LOCAL, _SHARED, _CONSTANT, _MAX_THREADS)
    return Figures(*(ask(function, number) for number in numbers))


def max_blocks_per_sm(
    kernel: Kernel, threads: int, shared_bytes: int = 0, signature: Any = None
) -> int:
    """Return the number of blocks of `threads` threads that are resident on a multiprocessor."""
    function = function_of(kernel, _wanted(kernel, signature))
    return int(access.driver().active_blocks(function, threads, shared_bytes))


def occupancy(
    kernel: Kernel, threads: int, shared_bytes: int = 0, signature: Any = None
) -> Occupancy:
    """Return the occupancy of a kernel on the current GPU, in blocks of `threads` threads."""
    blocks = max_blocks_per_sm(kernel, threads, shared_bytes, signature)
    device = devices.get_current_device()
    warps = -(-threads // device.WARP_SIZE) * blocks
    room = device.MAX_THREADS_PER_MULTI_PROCESSOR // device.WARP_SIZE
    return Occupancy(blocks, warps / room)


def _wanted(kernel: Kernel, signature: Any) -> tuple[Type, ...]:
    if signature is not None:
        return wanted_types(kernel.half, signature)
    known = kernel.signatures
    if len(known) != 1:
        raise CudaError(
            f"{kernel.__name__} is compiled for {len(known)} signatures",
            hint="pass the one that is meant; kernel.signatures has all",
        )
    return known[0]
