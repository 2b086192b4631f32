"""The resources of a kernel on the current GPU, as methods of the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cutaway.cuda.driver import occupancy

if TYPE_CHECKING:
    from cutaway.cuda.driver.occupancy import Figures, Occupancy
    from cutaway.cuda.kernels import Kernel


class Measured:
    """The resource queries of a compiled kernel, which need a GPU.

    A signature is text or a tuple of types; if a kernel is compiled for only one, it can be
    omitted.
    """

    def figures(self, signature: Any = None) -> Figures:
        """Return the registers, bytes of memory of each kind, and the most threads of a block.

        Raises CudaError without a GPU.
        """
        return occupancy.figures(self._kernel(), signature)

    def max_blocks_per_sm(self, threads: int, shared_bytes: int = 0, signature: Any = None) -> int:
        """Return the number of resident blocks of `threads` threads on a multiprocessor."""
        return occupancy.max_blocks_per_sm(self._kernel(), threads, shared_bytes, signature)

    def occupancy(self, threads: int, shared_bytes: int = 0, signature: Any = None) -> Occupancy:
        """Return the kernel's occupancy of the GPU, in blocks of `threads` threads."""
        return occupancy.occupancy(self._kernel(), threads, shared_bytes, signature)

    def get_regs_per_thread(self, signature: Any = None) -> Any:
        """Return the registers of a thread: for a signature, or for each."""
        return self._each(signature, lambda found: found.registers)

    def get_local_mem_per_thread(self, signature: Any = None) -> Any:
        """Return the bytes of a thread's local memory: for a signature, or for each."""
        return self._each(signature, lambda found: found.local_bytes)

    def get_shared_mem_per_block(self, signature: Any = None) -> Any:
        """Return the bytes of shared memory of a block: for a signature, or for each."""
        return self._each(signature, lambda found: found.shared_bytes)

    def get_const_mem_size(self, signature: Any = None) -> Any:
        """Return the bytes of constant memory: for a signature, or for each."""
        return self._each(signature, lambda found: found.constant_bytes)

    def get_max_threads_per_block(self, signature: Any = None) -> Any:
        """Return the most threads of a block: for a signature, or for each."""
        return self._each(signature, lambda found: found.max_threads)

    def _kernel(self) -> Kernel:
        return self  # type: ignore[return-value]  # no other class inherits from this one

    def _each(self, signature: Any, number: Callable[[Figures], int]) -> Any:
        if signature is not None:
            return number(self.figures(signature))
        return {types: number(self.figures(types)) for types in self._kernel().signatures}
