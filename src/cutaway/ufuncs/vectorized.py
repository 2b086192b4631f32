"""Functions made by `vectorize`: a kernel of elements, and the loop around it."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from cutaway.dispatch.dispatcher import Half
from cutaway.ufuncs.half import LoopHalf, UfuncHalf
from cutaway.ufuncs.options import Options

if TYPE_CHECKING:
    from cutaway.typing.types import Type
    from cutaway.ufuncs.loops import UfuncLoop


class Vectorized(UfuncHalf):
    """A function of elements, with the methods of a NumPy ufunc."""

    decorator = "vectorize"
    area = "arrays.elementwise.ufuncs"

    def __init__(self, py_func: FunctionType, options: Options, kernel: Any = None) -> None:
        super().__init__(py_func, options, kernel)
        self.nin = py_func.__code__.co_argcount
        self.nout = 1
        self._loop_half = LoopHalf(self.half)

    def row_of(self, written: Any) -> UfuncLoop:
        loops = self.loops()
        signature = loops.element_signature(self.__name__, self.nin, written)
        if signature.returns is not None:
            self.half.returns[signature.args] = signature.returns  # for code that calls the kernel
        row: UfuncLoop = loops.element_row(self._loop_half, signature.args, signature.returns)
        self.nout = len(row.types) - self.nin
        return row

    def row_for(self, argtypes: tuple[Type, ...]) -> UfuncLoop:
        row: UfuncLoop = self.loops().element_row(self._loop_half, argtypes, None)
        return row

    def row_types(self, signature: Any) -> tuple[Type, ...]:
        found: tuple[Type, ...] = (
            self.loops().element_signature(self.__name__, self.nin, signature).args
        )
        return found

    def loop_types(self, row: UfuncLoop) -> tuple[Type, ...]:
        return row.types[: self.nin]

    def loop_half(self) -> Half:
        return self._loop_half

    def one_of(self, value: Any) -> Any:
        """Return one element of an array, its first if it has one."""
        if not isinstance(value, np.ndarray | np.generic | list | tuple):
            return value
        array = np.asarray(value)
        return array.flat[0] if array.size else array.dtype.type(0)

    # --- NumPy's methods ------------------------------------------------------------------------

    def reduce(self, array: Any, *args: Any, **kwargs: Any) -> Any:
        """Call `np.ufunc.reduce`, with a loop compiled for the elements."""
        return self._over_one("reduce", array, args, kwargs)

    def accumulate(self, array: Any, *args: Any, **kwargs: Any) -> Any:
        """Call `np.ufunc.accumulate`, with a loop compiled for the elements."""
        return self._over_one("accumulate", array, args, kwargs)

    def reduceat(self, array: Any, *args: Any, **kwargs: Any) -> Any:
        """Call `np.ufunc.reduceat`, with a loop compiled for the elements."""
        return self._over_one("reduceat", array, args, kwargs)

    def outer(self, *args: Any, **kwargs: Any) -> Any:
        """Call `np.ufunc.outer`, with a loop compiled for the elements."""
        return self._with_loop("outer", args, kwargs, args)

    def at(self, *args: Any) -> None:
        """Call `np.ufunc.at`, with a loop compiled for the elements."""
        self._with_loop("at", args, {}, (*args[:1], *args[2:]))

    def _over_one(
        self, method: str, array: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        dtype = kwargs.get("dtype")
        given = array if dtype is None else np.empty(0, dtype)
        return self._with_loop(method, (array, *args), kwargs, (given,) * self.nin)

    def resolve_dtypes(self, dtypes: Any, **kwargs: Any) -> Any:
        """Call `np.ufunc.resolve_dtypes`, with a loop compiled for the dtypes where all are
        known."""
        inputs = tuple(dtypes)[: self.nin]
        if not all(isinstance(dtype, np.dtype) for dtype in inputs):
            return self.ufunc.resolve_dtypes(dtypes, **kwargs)
        elements = tuple(np.empty(0, dtype) for dtype in inputs)
        return self._with_loop("resolve_dtypes", (dtypes,), kwargs, elements)
