"""The common part of elementwise and generalized functions: their loops, and how one is added.

A NumPy ufunc chooses among the loops, by NumPy's rules; the work is done by kernels (`texts.py`),
one for each memory layout of the operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from cutaway.cuda import compiling
from cutaway.cuda.kernels import Kernel, KernelHalf, make_kernel
from cutaway.cuda.ufuncs import loops
from cutaway.cuda.ufuncs import operands as laid
from cutaway.cuda.ufuncs.options import Options
from cutaway.errors import OptionError
from cutaway.foundation.dataclass import replace
from cutaway.foundation.options import shown
from cutaway.ufuncs.described import LOCKS, Described
from cutaway.ufuncs.half import concrete, explained

if TYPE_CHECKING:
    from cutaway.cuda.ufuncs.loops import Row
    from cutaway.inspection.trace import Compilation
    from cutaway.typing.types import Type
    from cutaway.ufuncs.layout import Layout

THREADS = 256  # of a block: as many as hide the latency of memory, and any GPU has registers for
_MOST_PLANS = 256  # of a function


class Ufunc(Described):
    """A function that runs on a GPU for each element, or each part, of its arguments.

    `kernel` is the device function that computes one of them.
    """

    runs_on_gpus = True  # read by caches
    decorator = ""
    layout: Layout | None = None
    nin: int
    nout: int

    def __init__(self, py_func: FunctionType, options: Options) -> None:
        self.py_func = self.__wrapped__ = py_func
        self.__name__, self.__qualname__ = py_func.__name__, py_func.__qualname__
        self.__doc__, self.__module__ = py_func.__doc__, py_func.__module__
        self.options = options
        self.kernel = self._device_function()
        self.kernels: dict[Any, Kernel] = {}
        self.rows: list[Row] = []
        self.frozen = False
        self._most_threads = THREADS
        self._resolver: np.ufunc | None = None
        self._resolved: dict[tuple[Any, str], tuple[np.dtype[Any], ...]] = {}
        self._plans: dict[Any, Any] = {}
        self._made: dict[Any, Any] = {}

    def _device_function(self) -> Kernel:
        options = replace(self.options.kernel, device=True)
        return make_kernel(self.py_func, options, self.options.flags)

    # --- making -------------------------------------------------------------------------------

    def closed(self, written: Sequence[Any]) -> Any:
        """Return it with loops for these signatures alone."""
        for one in written:
            self.add(self.row_of(one))
        self.frozen = True
        return self

    def growing(self) -> Any:
        """Return it in the mode that compiles a loop for each call without a matching one."""
        return self

    def row_of(self, written: Any) -> Row:
        """Return the loop for a user's signature."""
        raise NotImplementedError

    def row_for(self, argtypes: tuple[Type, ...]) -> Row:
        """Return the loop for elements of these types."""
        raise NotImplementedError

    def add(self, row: Row) -> None:
        """Add a loop behind the existing ones, unless there is one for its inputs."""
        with LOCKS[0]:
            count = self.nin
            if all(known.types[:count] != row.types[:count] for known in self.rows):
                self.nout = len(row.types) - count
                self.rows = [*self.rows, row]
                self._resolver, self._resolved = None, {}

    def compile(self, signature: Any) -> None:
        """Add a loop now, before any call.

        Raises SignatureError for a signature that cannot be read, CompileError if the function
        cannot be compiled for it.
        """
        self.add(self.row_of(signature))

    def disable_compile(self) -> None:
        """Compile no more loops: calls use the existing ones."""
        self.frozen = True

    def loops(self) -> ModuleType:
        """Return the module that compiles, which loads the compiler."""
        return loops

    # --- which loop a call gets -----------------------------------------------------------------

    @property
    def resolver(self) -> np.ufunc:
        """The NumPy ufunc that chooses among the loops."""
        if self._resolver is None:
            self._resolver = self.loops().resolver(
                self.__name__, self, self.nin, self.rows, self.layout, self.options.identity
            )
        return self._resolver

    def takes(self, wanted: Sequence[Any]) -> bool:
        """True if there is a loop for inputs of these types."""
        try:
            self.resolved((*wanted, *[None] * (self.nargs - len(wanted))), "same_kind")
        except TypeError:
            return False
        return True

    def resolved(self, wanted: tuple[Any, ...], casting: str) -> tuple[np.dtype[Any], ...]:
        """Return the dtypes of the loop for operands of these types; cached.

        Raises TypeError if there is none.
        """
        dtypes = self._resolved.get((wanted, casting))
        if dtypes is None:
            dtypes = self.resolver.resolve_dtypes(wanted, casting=casting)  # type: ignore[arg-type]
            self._resolved[wanted, casting] = dtypes
        return dtypes

    def ensure(self, wanted: Sequence[Any]) -> None:
        """Compile a loop for operands of these types, if no loop accepts them.

        (Any: dtypes, and classes of numbers.)  Raises CompileError if that fails.
        """
        if self.frozen or self.takes(wanted[: self.nin]):
            return
        argtypes = self.loops().types_of(concrete(wanted))
        if None in argtypes:
            return
        self.add(self.row_for(argtypes))

    def row_with(self, dtypes: Sequence[np.dtype[Any]]) -> Row:
        """Return the loop whose elements have these dtypes."""
        wanted = tuple(dtypes)
        return next(row for row in self.rows if row.dtypes == wanted)

    def resolve_dtypes(self, *args: Any, **kwargs: Any) -> Any:
        """Resolve dtypes among the existing loops, like `np.ufunc.resolve_dtypes`."""
        return self.resolver.resolve_dtypes(*args, **kwargs)

    # --- launches -----------------------------------------------------------------------------

    @property
    def max_blocksize(self) -> int:
        """The most threads of a block."""
        return self._most_threads

    @max_blocksize.setter
    def max_blocksize(self, count: int) -> None:
        if type(count) is not int or count < 1:
            raise OptionError(f"max_blocksize must be a number of threads, not {shown(count)}")
        self._most_threads = min(count, 1024)

    def made_once(self, key: Any, make: Any) -> Any:
        """Return the result of `make`, cached by a key."""
        known = self._made.get(key)
        if known is None:
            known = self._made.setdefault(key, make())
        return known

    def made_kernel(self, key: Any, write: Any) -> Kernel:
        """Return the kernel for a key, which is made if necessary."""
        known = self.kernels.get(key)
        if known is None:
            made = make_kernel(write(), self.options.kernel, self.options.flags)
            known = self.kernels.setdefault(key, made)
        return known

    def plan(self, key: Any, make: Any) -> Any:
        """Return the result of `make` for operands of a layout; the last ones are cached."""
        known = self._plans.get(key)
        if known is None:
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            known = self._plans[key] = make()
        return known

    def launch(self, kernel: Kernel, count: int, stream: Any, operands: Sequence[Any]) -> None:
        """Run a kernel with a thread for each of `count` elements."""
        threads = min(self._most_threads, -(-count // 32) * 32)
        kernel[-(-count // threads), threads, stream](*operands)

    # --- attributes
    # ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<{self.decorator} function {self.py_func.__qualname__} for a GPU>"

    def __reduce__(self) -> str:
        return self.__qualname__

    @property
    def half(self) -> KernelHalf:
        """The Python half of the device function, which `cutaway.trace` inspects."""
        return self.kernel.half

    # --- inspection
    # ---------------------------------------------------------------------------------

    def trace(self, *args: Any, level: str = "pass", memory: bool = False) -> Compilation:
        """Record the compilation of the kernel that a call launches."""
        kernel, operands = self.prepared(*args)
        return kernel.trace(*operands, level=level, memory=memory)

    def prepared(self, *args: Any) -> tuple[Kernel, tuple[Type, ...]]:
        """Return the kernel that a call launches, and the types of its arguments."""
        raise NotImplementedError

    def inspect_ptx(self, *args: Any) -> Any:
        """Return the PTX of the kernel that a call with these arguments launches; without any, of
        all existing kernels, by the types of their arguments."""
        return self._inspected("ptx", args)

    inspect_asm = inspect_ptx

    def inspect_llvm(self, *args: Any) -> Any:
        """Return the LLVM IR before optimization, in the same way."""
        return self._inspected("llvm", args)

    def explain_dispatch(self, *args: Any) -> str:
        """Return a sentence on the loop that a call would run, and its conversions."""
        wanted = [laid.Operand(one).wanted for one in args]
        return explained(self.resolver, wanted, self.frozen)

    def __dir__(self) -> list[str]:
        return sorted({*_PUBLIC, *(name for name in object.__dir__(self) if name[0] == "_")})

    def _inspected(self, level: str, args: tuple[Any, ...]) -> Any:
        show = compiling.texts
        if args:
            kernel, types = self.prepared(*args)
            return show(kernel.half, types, level)
        return {
            types: text
            for kernel in self.kernels.values()
            for types, text in show(kernel.half, None, level).items()
        }


# The public attributes.
_PUBLIC = (
    *("compile", "disable_compile", "explain_dispatch", "half", "identity", "inspect_asm"),
    *("inspect_llvm", "inspect_ptx", "kernel", "kernels", "max_blocksize", "nargs", "nin", "nout"),
    *("ntypes", "py_func", "reduce", "resolve_dtypes", "signature", "signatures", "trace", "types"),
)
