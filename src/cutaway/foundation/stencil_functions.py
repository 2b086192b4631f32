"""Stencils as all layers know them: a kernel, and how it is applied to arrays."""

from __future__ import annotations

from typing import Any

from cutaway.foundation.dataclass import dataclass

# Of each axis the lowest and the highest relative index.
Neighborhood = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class StencilOptions:
    """The options of a stencil that are not about its code.

    `neighborhood` is None where the indices in the kernel say it, `cval` None where none is given.
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
        """The neighborhood for arrays of so many axes, `relative` being the parameters that are
        indexed relatively.

        Raises TypingError where it is not known.
        """
        raise NotImplementedError

    def result_type(self, argtypes: tuple[Any, ...]) -> Any:
        """The type of one element of the result.

        Raises CompileError where the kernel cannot be compiled.
        """
        raise NotImplementedError
