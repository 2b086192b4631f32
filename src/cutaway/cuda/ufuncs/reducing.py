"""`cuda.reduce`: a reduction of an array by a function of two elements."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from cutaway.cuda.kernels import Kernel, make_kernel
from cutaway.cuda.options import kernel_options
from cutaway.cuda.ufuncs import reductions
from cutaway.errors import OptionError
from cutaway.foundation.dataclass import replace
from cutaway.foundation.options import shown


class Reduce:
    """A reduction: `cuda.reduce(lambda a, b: a + b)`, called with an array of one dimension.

    The function must be associative and commutative, as sums, products and maxima are.  The order
    of combining depends on nothing but the number of elements, so that a sum of floats is the same
    each time and on each GPU.  The function's results are converted to the type of the elements.
    """

    def __init__(self, functor: Callable[[Any, Any], Any]) -> None:
        if not callable(functor):
            raise OptionError(
                f"cuda.reduce takes a function of two elements, not {shown(functor)}",
                hint="cuda.reduce(lambda a, b: a + b)",
            )
        options, flags = kernel_options({})
        function: Any = getattr(functor, "py_func", functor)
        if isinstance(function, FunctionType):
            _check_parameters(function)
            made = make_kernel(function, replace(options, device=True), flags)
            function = functor if isinstance(functor, Kernel) else made
        self._combine, self._flags, self._options = function, flags, options
        self.__name__ = getattr(functor, "__name__", "function")
        self._trees: Any = None

    def __repr__(self) -> str:
        return f"<reduction by {self.__name__}>"

    def __call__(
        self, arr: Any, size: int | None = None, res: Any = None, init: Any = None, stream: Any = 0
    ) -> Any:
        """Combine the first `size` elements, or all, and `init` with them if it is passed.

        The result goes into the first element of `res`, if that is passed; if `res` is on the GPU
        the call does not wait.  Without elements the result is `init`, or 0.

        Raises TypeError or ValueError for unsupported arrays, CompileError if the function cannot
        be compiled for the elements, CudaError without a GPU.
        """
        return reductions.call(self.trees, arr, size, res, init, stream)

    @property
    def trees(self) -> Any:
        """The kernels, one for each type of elements."""
        if self._trees is None:
            self._trees = reductions.Trees(self._combine, self.__name__, self._flags, self._options)
        return self._trees


def _check_parameters(function: FunctionType) -> None:
    if function.__code__.co_argcount != 2:
        raise OptionError(
            f"cuda.reduce takes a function of two elements, and {function.__name__} has"
            f" {function.__code__.co_argcount} parameters",
            hint="cuda.reduce(lambda a, b: a + b)",
        )
