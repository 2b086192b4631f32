"""Stencils as users call them: functions of whole arrays."""

from __future__ import annotations

import ast
import linecache
import sys
import threading
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from cutaway.dispatch.dispatcher import Half, make_dispatcher
from cutaway.errors import TypingError
from cutaway.foundation.stencil_functions import (
    Neighborhood,
    StencilFunction,
    StencilOptions,
)
from cutaway.stencils import reach

if TYPE_CHECKING:
    from cutaway.dispatch_c._dispatch import Dispatcher


class Stencil(StencilFunction):
    """A function that applies a kernel to each element of an array.

    Python calls it through a compiled function that only calls the stencil, one for calls with
    `out` and one for those without.
    """

    def __init__(self, kernel: Dispatcher, options: StencilOptions) -> None:
        self.kernel, self.options = kernel, options
        function = self.__wrapped__ = kernel.py_func
        self.__name__, self.__qualname__ = function.__name__, function.__qualname__
        self.__doc__, self.__module__ = function.__doc__, function.__module__
        self._reaches: dict[Any, Neighborhood] = {}
        self._typed_in: set[int] = set()  # threads that compile the kernel
        self._new = self._caller("")
        self._into = self._caller("out")

    def __call__(self, *args: Any, out: Any = None, **named: Any) -> Any:
        """Return the new array, or `out` with the results in it.

        Raises TypeError for a wrong number of arguments, CompileError for arrays that the stencil
        does not take, ValueError for sizes that do not fit.
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
        """The declared neighborhood; None if the kernel's indices determine it."""
        return self.options.neighborhood

    @property
    def half(self) -> Half:
        """The Python half of the function that Python calls, which `cutaway.trace` inspects."""
        half: Half = self._new.half
        return half

    def reach(self, relative: tuple[str, ...], ndim: int) -> Neighborhood:
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

    def result_type(self, argtypes: tuple[Any, ...]) -> Any:
        thread = threading.get_ident()
        if thread in self._typed_in:
            raise TypingError(
                f"the kernel of {self.__name__} calls {self.__name__} itself",
                hint="apply the stencil again to its result, outside of the kernel",
            )
        self._typed_in.add(thread)
        try:
            return self._compiling().result_type(self.kernel, argtypes)
        finally:
            self._typed_in.discard(thread)

    def _compiling(self) -> ModuleType:
        """Return the module that needs the compiler."""
        return reach

    def _caller(self, out: str) -> Dispatcher:
        """Return a compiled function that calls the stencil, with the kernel's location for
        messages and cache files."""
        kernel = self.kernel.py_func
        given = ", ".join([*self.parameters, *[out] * bool(out)])
        last = f", {out}={out}" if out else ""
        called = ", ".join(self.parameters)
        text = f"def made(__stencil):\n def called({given}):\n  return __stencil({called}{last})"
        text += "\n return called"
        space: dict[str, Any] = {"__name__": self.__module__}
        tree = _placed(ast.parse(text), kernel.__code__)
        exec(compile(tree, kernel.__code__.co_filename, "exec"), space)  # noqa: S102
        function: FunctionType = space["made"](self)
        names = self.__name__, self.__qualname__ + (f".{out}" if out else "")
        function.__code__ = function.__code__.replace(co_name=names[0], co_qualname=names[1])
        function.__name__, function.__qualname__ = names
        function.__doc__ = self.__doc__
        return make_dispatcher(function, self.kernel.half.flags)


def _placed(tree: ast.Module, code: CodeType) -> ast.Module:
    """Move the whole tree to the first line of the kernel, as messages show it."""
    line = linecache.getline(code.co_filename, code.co_firstlineno).rstrip()
    start = len(line) - len(line.lstrip())
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = code.co_firstlineno  # type: ignore[attr-defined]
            node.col_offset, node.end_col_offset = start, max(len(line), start + 1)  # type: ignore[attr-defined]
    return tree
