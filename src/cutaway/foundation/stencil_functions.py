"""The interface of stencils that all layers share: a kernel, and how it is applied to arrays."""

from __future__ import annotations

from typing import Any

from cutaway.foundation.dataclass import dataclass

# The lowest and the highest relative index along each axis.
Neighborhood = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class StencilOptions:
    """The options of a stencil that are not about its code.

    `neighborhood` is None if the kernel's indices determine it, `cval` None by default.
    """

    neighborhood: Neighborhood | None = None
    cval: Any = None
    standard_indexing: tuple[str, ...] = ()


class StencilFunction:
    """A kernel that computes one element of an array from those around it.

    `kernel` is the compiled function of one element.
    """

    kernel: Any
    options: StencilOptions
    __name__: str
    __qualname__: str

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the kernel's parameters."""
        code = self.kernel.py_func.__code__
        names: tuple[str, ...] = code.co_varnames[: code.co_argcount]
        return names

    def reach(self, relative: tuple[str, ...], ndim: int) -> Neighborhood:
        """Return the neighborhood for arrays of `ndim` axes; `relative` are the parameters that are
        indexed relatively.

        Raises TypingError if it cannot be determined.
        """
        raise NotImplementedError

    def result_type(self, argtypes: tuple[Any, ...]) -> Any:
        """Return the type of one element of the result.

        Raises CompileError if the kernel cannot be compiled.
        """
        raise NotImplementedError
