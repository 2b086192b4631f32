"""`vectorize` for a GPU: an elementwise function, and the kernels around it."""

from __future__ import annotations

from functools import cached_property
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from cutaway.cuda.kernels import Kernel
from cutaway.cuda.ufuncs import element_calls, reductions
from cutaway.cuda.ufuncs.options import Options
from cutaway.cuda.ufuncs.ufunc import Ufunc

if TYPE_CHECKING:
    from cutaway.cuda.ufuncs.loops import Row
    from cutaway.typing.types import Type


class Vectorized(Ufunc):
    """An elementwise function, called with arrays of the host or of a GPU."""

    decorator = "vectorize"

    def __init__(self, py_func: FunctionType, options: Options) -> None:
        super().__init__(py_func, options)
        self.nin = py_func.__code__.co_argcount
        self.nout = 1

    def row_of(self, written: Any) -> Row:
        signature = self.loops().element_signature(self.__name__, self.nin, written)
        row: Row = self.loops().element_row(self.half, signature.args, signature.returns)
        return row

    def row_for(self, argtypes: tuple[Type, ...]) -> Row:
        row: Row = self.loops().element_row(self.half, argtypes, None)
        return row

    @cached_property
    def calls(self) -> ModuleType:
        """The module of its calls."""
        return element_calls

    def prepared(self, *args: Any) -> tuple[Kernel, tuple[Type, ...]]:
        kernel, lanes = self.calls.ElementCall(self, args, {}).prepared()
        return kernel, self.loops().arguments_of(lanes)

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Compute all elements: the arguments are the inputs, and then arrays for the outputs, if
        any.

        With an array on the GPU among them the result stays there; else it is an array of the host,
        or a number if all inputs are numbers.

        Options: `out`, `where`, `casting`, `order`, `dtype` and `signature` as in NumPy's ufuncs,
        and `stream`, in which all work is queued.

        Raises TypeError or ValueError as NumPy does, CompileError if the function cannot be
        compiled for the types, CudaError without a GPU.
        """
        return self.calls.ElementCall(self, args, options).run()

    def reduce(self, array: Any, axis: Any = 0, initial: Any = None, stream: Any = 0) -> Any:
        """Combine the elements along an axis, or along all with `axis=None`, by this function of
        two; the order of combining is unspecified, but the same each time.

        Raises ValueError for a function of another number of arguments, and for a reduction without
        elements, `initial` and identity.
        """
        return reductions.reduce(self, array, axis, initial, stream)
