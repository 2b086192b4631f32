"""Functions made by `guvectorize`: a kernel of parts of arrays, called once for each part."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from cutaway.dispatch_c import _dispatch
from cutaway.ufuncs.half import UfuncHalf, concrete
from cutaway.ufuncs.layout import Layout
from cutaway.ufuncs.options import Options, writable_places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cutaway.typing.types import Type
    from cutaway.ufuncs.loops import UfuncLoop


class Generalized(UfuncHalf):
    """A function of the core dimensions of its arguments, which loops over all others."""

    decorator = "guvectorize"
    area = "arrays.elementwise.generalized"

    def __init__(
        self, py_func: FunctionType, options: Options, layout: Layout, kernel: Any = None
    ) -> None:
        super().__init__(py_func, options, kernel)
        self.layout = layout
        self.layout_text = str(layout)
        self.nin, self.nout = len(layout.inputs), len(layout.outputs)
        names = py_func.__code__.co_varnames[: self.nin]
        self.writable = writable_places(self.__name__, names, options.writable)

    def _made(self, rows: Sequence[UfuncLoop]) -> np.ufunc:
        made = super()._made(rows)
        for index in self.writable:
            _dispatch.set_writable(made, index)
        return made

    def row_of(self, written: Any) -> UfuncLoop:
        loops = self.loops()
        argtypes = loops.core_signature(self.__name__, self.layout, written)
        row: UfuncLoop = loops.core_row(self.half, self.layout, argtypes)
        return row

    def row_for(self, argtypes: tuple[Type, ...]) -> UfuncLoop:
        loops = self.loops()
        kinds = loops.core_types(self.layout, argtypes)
        row: UfuncLoop = loops.core_row(self.half, self.layout, kinds)
        return row

    def row_types(self, signature: Any) -> tuple[Type, ...]:
        loops = self.loops()
        argtypes = loops.core_signature(self.__name__, self.layout, signature)
        found: tuple[Type, ...] = loops.elements_of(argtypes)[: self.nin]
        return found

    def loop_types(self, row: UfuncLoop) -> tuple[Type, ...]:
        return row.compiled

    def _given(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        outputs = kwargs.get("out", args[self.nin :])
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        return (*args[: self.nin], *(one for one in outputs if one is not None))

    def _count(self) -> int:
        return self.nargs

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Call it; the types of outputs are those of the arrays passed for them."""
        return self._with_loop("__call__", args, kwargs, self._given(args, kwargs))

    def has_grown(self, *args: Any, **kwargs: Any) -> bool:
        """Compile a missing loop.  Raises TypeError where an output is missing, and no loop takes
        the inputs."""
        given = self._given(args, kwargs)
        is_short = self.nin <= len(args) and len(given) < self.nargs
        if is_short and not self.frozen and not self._takes(self._dtypes(given[: self.nin])):
            raise TypeError(
                f"{self.__name__}() has no loop for these inputs, and the types of the outputs are"
                " not known: pass arrays for them, as further arguments or as out=, or give"
                " guvectorize a signature"
            )
        return self.ensure(given)

    def loop_for(
        self, given: Sequence[Any], casting: str, signature: Any
    ) -> tuple[np.dtype[Any], ...]:
        """Return the dtypes of a loop, compiled only if the outputs' dtypes are known."""
        inputs = tuple(given[: self.nin])
        known = all(one is not None for one in given)  # a dtype may equal None
        if known and not self.frozen and not self._takes(inputs):
            argtypes = self.loops().element_types(concrete(given))
            if argtypes is not None:
                self._grow(argtypes)
        # The dtypes of outputs do not choose among loops.
        return self.ufunc.resolve_dtypes((*inputs, *[None] * self.nout), casting=casting)  # type: ignore[arg-type]

    def arrays_for(self, dtypes: Sequence[np.dtype[Any]]) -> tuple[bool, ...]:
        """Return, for each input of the loop for these dtypes, whether the kernel receives a number
        as an array of one element."""
        argtypes = self.loops().element_types(dtypes)
        (row,) = (row for row in self.rows if row.types == argtypes)
        return tuple(
            not core and dimensions != 255
            for core, dimensions in zip(self.layout.inputs, row.dimensions, strict=False)
        )

    def one_of(self, value: Any) -> Any:
        """Return the argument itself, which may have no more than the core dimensions."""
        return value
