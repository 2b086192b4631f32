"""`guvectorize` for a GPU: a function of parts of arrays, and the kernels around it."""

from __future__ import annotations

from functools import cached_property
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from cutaway.cuda.kernels import Kernel
from cutaway.cuda.ufuncs import part_calls
from cutaway.cuda.ufuncs.options import Options
from cutaway.cuda.ufuncs.ufunc import Ufunc
from cutaway.ufuncs.layout import Layout
from cutaway.ufuncs.options import writable_places

if TYPE_CHECKING:
    from cutaway.cuda.ufuncs.loops import Row
    from cutaway.typing.types import Type


class Generalized(Ufunc):
    """A function of the core dimensions of its arguments; each of its threads computes one part."""

    decorator = "guvectorize"
    layout: Layout

    def __init__(self, py_func: FunctionType, options: Options, layout: Layout) -> None:
        super().__init__(py_func, options)
        self.layout = layout
        self.nin, self.nout = len(layout.inputs), len(layout.outputs)
        names = py_func.__code__.co_varnames[: self.nin]
        self.writable = writable_places(self.__name__, names, options.writable)

    def row_of(self, written: Any) -> Row:
        argtypes = self.loops().core_signature(self.__name__, self.layout, written)
        row: Row = self.loops().core_row(self.half, argtypes, self.layout)
        return row

    def row_for(self, argtypes: tuple[Type, ...]) -> Row:
        kinds = self.loops().core_types(self.layout, argtypes)
        row: Row = self.loops().core_row(self.half, kinds, self.layout)
        return row

    @cached_property
    def calls(self) -> ModuleType:
        """The module of its calls."""
        return part_calls

    def prepared(self, *args: Any) -> tuple[Kernel, tuple[Type, ...]]:
        kernel, lanes = self.calls.PartCall(self, args, {}).prepared()
        return kernel, self.loops().arguments_of(lanes)

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Compute all parts: the arguments are the inputs, and then arrays for the outputs, if any.

        With an array on the GPU among them the result stays there.  Options: `out`, `casting`,
        `order`, `signature` and `dtype` as in NumPy's generalized ufuncs, and `stream`, in which
        all work is queued.

        Raises TypeError or ValueError as NumPy does, CompileError if the function cannot be
        compiled for the types, CudaError without a GPU.
        """
        return self.calls.PartCall(self, args, options).run()
