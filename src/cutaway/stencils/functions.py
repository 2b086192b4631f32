"""Stencils as users have them: functions of whole arrays."""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from cutaway.dispatch.dispatcher import Half, make_dispatcher
from cutaway.errors import TypingError
from cutaway.foundation.loading import load
from cutaway.foundation.stencil_functions import (
    Neighborhood,
    StencilFunction,
    StencilOptions,
)

if TYPE_CHECKING:
    from cutaway.dispatch_c._dispatch import Dispatcher


class Stencil(StencilFunction):
    """A function that applies a kernel to each place of an array.

    Python calls it through a compiled function that does nothing but call the stencil, one for
    calls with `out` and one for those without.
    """

    def __init__(self, kernel: Dispatcher, options: StencilOptions) -> None:
        self.kernel, self.options = kernel, options
        function = self.__wrapped__ = kernel.py_func
        self.__name__, self.__qualname__ = function.__name__, function.__qualname__
        self.__doc__, self.__module__ = function.__doc__, function.__module__
        self._reaches: dict[Any, Neighborhood] = {}  # Any: parameters, and a number of axes
        self._new = self._caller("")
        self._into = self._caller("out")

    def __call__(self, *args: Any, out: Any = None, **named: Any) -> Any:
        """The new array, or `out` with the results in it.

        Raises TypeError for a wrong number of arguments, CompileError for arrays that the stencil
        does not take, ValueError for sizes that do not fit.  (Any: arrays and numbers.)
        """
        if out is None:
            return self._new(*args, **named)
        return self._into(*args, out=out, **named)

    def __repr__(self) -> str:
        return f"<stencil {self.__qualname__}>"

    def __reduce__(self) -> str | tuple[Any, ...]:
        value: Any = sys.modules.get(self.__module__)
        for name in self.__qualname__.split("."):
            value = getattr(value, name, None)
        return self.__qualname__ if value is self else (Stencil, (self.kernel, self.options))

    @property
    def neighborhood(self) -> Neighborhood | None:
        """The neighborhood that was given; None where the indices in the kernel say it."""
        return self.options.neighborhood

    @property
    def half(self) -> Half:
        """The Python half of what Python calls: what `cutaway.trace` looks at."""
        half: Half = self._new.half
        return half

    def reach(self, relative: tuple[str, ...], ndim: int) -> Neighborhood:
        """See StencilFunction."""
        given = self.options.neighborhood
        if given is None:
            key = relative, ndim
            if key not in self._reaches:
                self._reaches[key] = self._compiling().neighborhood_of(self.kernel, relative, ndim)
            return self._reaches[key]
        if len(given) != ndim:
            raise TypingError(
                f"the neighborhood of {self.__name__} has {len(given)}"
                f" pair{'' if len(given) == 1 else 's'}, and {relative[0]} has {ndim}"
                f" dimension{'' if ndim == 1 else 's'}",
                hint="neighborhood= has one pair for each dimension",
            )
        return given

    def result_type(self, argtypes: tuple[Any, ...]) -> Any:  # Any: types
        """See StencilFunction."""
        return self._compiling().returned_type(self.kernel.half, argtypes)

    def _compiling(self) -> ModuleType:
        """The part that compiles."""
        return load("cutaway.stencils.reach")

    def _caller(self, out: str) -> Dispatcher:
        """A compiled function that calls the stencil; it stands where the kernel does, so that
        messages and files of the cache do, too."""
        kernel = self.kernel.py_func
        given = ", ".join(self.parameters)
        last = ", out=out" if out else ""
        text = f"def called(stencil):\n def {self.__name__}({given}{', out' * bool(out)}):"
        text += f" return stencil({given}{last})\n return {self.__name__}"
        space: dict[str, Any] = {"__name__": self.__module__}
        lines = "\n" * max(kernel.__code__.co_firstlineno - 2, 0)
        exec(compile(lines + text, kernel.__code__.co_filename, "exec"), space)  # noqa: S102
        function: FunctionType = space["called"](self)
        function.__qualname__ = self.__qualname__ + (".out" if out else "")
        function.__doc__ = self.__doc__
        return make_dispatcher(function, self.kernel.half.flags)
