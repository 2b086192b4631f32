"""The Python half of a function that `vectorize` or `guvectorize` has made.

It keeps the loops and the NumPy ufunc that is made of them.  With signatures users receive that
ufunc itself.  Without, they receive a callable in front of it (`GrowingUfunc`): a call whose types
no loop takes compiles another one, and a new ufunc replaces the old.
"""

from __future__ import annotations

import copyreg
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from cutaway.dispatch.dispatcher import Half, make_dispatcher
from cutaway.dispatch_c import _dispatch
from cutaway.errors import NotCompiledError, TypingError
from cutaway.foundation import element_functions
from cutaway.ufuncs import loops as compiled_loops
from cutaway.ufuncs import pickling
from cutaway.ufuncs.described import LOCKS, Described
from cutaway.ufuncs.overriding import overridden

if TYPE_CHECKING:
    from cutaway.caching.calls import CacheInfo
    from cutaway.inspection.recording.stepper import Stepper
    from cutaway.inspection.trace import Compilation
    from cutaway.typing.types import Type
    from cutaway.ufuncs.loops import UfuncLoop
    from cutaway.ufuncs.options import Options

_WEAK = (int, float, complex)  # Python's numbers take on the types of arrays (NEP 50)


class LoopHalf(Half):
    """A kernel that is compiled with the loop around it, which NumPy calls; no dispatcher does."""

    is_loop = True

    def __init__(self, kernel: Half) -> None:
        super().__init__(kernel.py_func, kernel.flags, (), kernel._pipeline)
        self.dispatcher = _NoDispatcher()  # type: ignore[assignment]


class _NoDispatcher:
    """A stand-in for the C half where NumPy calls the compiled code."""

    _mode = "open"

    def _add(self, *_: object) -> None:
        """Do nothing: only NumPy chooses among loops."""

    _remember = _clear = _set_mode = _add


_reduce_numpys = copyreg.dispatch_table[np.ufunc]


def _reduced(ufunc: np.ufunc) -> Any:
    """Return the `pickle` result for a ufunc, which may be one of Cutaway's."""
    half = element_functions.ufunc_half(ufunc)
    return _reduce_numpys(ufunc) if half is None else half.reduced(ufunc)


# NumPy's own result is the name, which does not lead to a ufunc made inside of a function.
copyreg.pickle(np.ufunc, _reduced)


class UfuncHalf(Described):
    """One function: its kernel, its loops, and the ufunc made of them.

    `kernel` is the compiled function that computes one element, or one part; compiled code calls
    it. `public` is the object that users call: the ufunc, or the `GrowingUfunc` in front of it.
    """

    decorator = ""
    area = ""
    layout_text: str | None = None
    nin: int
    nout: int

    def __init__(self, py_func: FunctionType, options: Options, kernel: Any = None) -> None:
        self.py_func = self.__wrapped__ = py_func
        self.__name__, self.__qualname__ = py_func.__name__, py_func.__qualname__
        self.__doc__, self.__module__ = py_func.__doc__, py_func.__module__
        self.options = options
        self.kernel = kernel or make_dispatcher(py_func, options.flags)
        self.element_name = element_functions.new_name(py_func.__name__)
        self.rows: list[UfuncLoop] = []
        self.written: tuple[Any, ...] = ()
        self.identity_of_copies: str | None = None  # once it has been pickled by value
        self.frozen = False
        self._growing: set[int] = set()  # threads that compile a loop
        self.ufunc: np.ufunc
        self.public: Any = None

    # --- construction ---------------------------------------------------------------------------

    def closed(self, written: Sequence[Any]) -> np.ufunc:
        """Return a ufunc with loops for these signatures only."""
        self.written = tuple(written)
        self.rows = [self.row_of(one) for one in written]
        self._remake()
        self.frozen = True
        ufunc = self.public = self.ufunc
        for name in _ATTRIBUTES:
            with suppress(AttributeError):  # before NumPy 2.2 a ufunc has no settable attributes
                value = getattr(self, name)
                if name != "__doc__" or value is not None:
                    setattr(ufunc, name, value)
        element_functions.register(self, ufunc)
        return ufunc

    def growing(self) -> Any:
        """Return a callable that gains a loop whenever it is called with types that no loop
        takes."""
        self.public = _dispatch.GrowingUfunc(self)
        self._remake()
        element_functions.register(self, self.public)
        return self.public

    def _remake(self) -> None:
        self.ufunc = self._made(self.rows)
        if self.public is not None:
            self.public._set_ufunc(self.ufunc)

    def _made(self, rows: Sequence[UfuncLoop]) -> np.ufunc:
        packed = tuple(row.packed for row in rows)
        made: np.ufunc = _dispatch.make_ufunc(
            *(self.__name__, self.py_func.__doc__, self, self.nin, self.nout),
            *(self.options.identity, self.layout_text, packed),
        )
        return made

    def row_of(self, written: Any) -> UfuncLoop:
        """Return the loop for a signature that a user wrote."""
        raise NotImplementedError

    def row_for(self, argtypes: tuple[Type, ...]) -> UfuncLoop:
        """Return the loop for elements of these types."""
        raise NotImplementedError

    def add(self, row: UfuncLoop) -> None:
        """Append a loop, unless one with the same input types exists."""
        with LOCKS[0]:
            count = self.nin
            if all(known.types[:count] != row.types[:count] for known in self.rows):
                self.nout = len(row.types) - count
                self.rows = [*self.rows, row]
                self._remake()

    def _grow(self, argtypes: tuple[Type, ...]) -> None:
        """Compile a loop for elements of these types.

        Raises TypingError where this thread is already compiling one: the kernel calls itself.
        """
        thread = threading.get_ident()
        if thread in self._growing:
            raise TypingError(
                f"the kernel {self.__name__} calls itself, as the ufunc that is made of it",
                hint="write the recursion as a function with @jit, and call that in the kernel",
            )
        self._growing.add(thread)
        try:
            self.add(self.row_for(argtypes))
        finally:
            self._growing.discard(thread)

    def compile(self, signature: Any) -> None:
        """Compile a loop now, before any call.

        Raises SignatureError for a signature that cannot be read, CompileError where the kernel
        cannot be compiled for it.
        """
        self.add(self.row_of(signature))

    def disable_compile(self) -> None:
        """Compile no more loops: calls use the existing ones."""
        self.frozen = True

    def loops(self) -> ModuleType:
        """Load the compiler and return the module that compiles loops."""
        self.kernel.half._resolution()
        return compiled_loops

    # --- calls ----------------------------------------------------------------------------------

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Call it, with a loop compiled for the arguments if none takes their types."""
        return self._with_loop("__call__", args, kwargs, args[: self.nin])

    def has_grown(self, *args: Any, **kwargs: Any) -> bool:
        """Compile a loop after a call for whose types none existed; True if one was compiled."""
        return self.ensure(self._given(args, kwargs))

    def _given(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """Return the arguments that determine the loop of a call."""
        return args[: self.nin]

    def _with_loop(
        self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any], given: tuple[Any, ...]
    ) -> Any:
        answer = overridden(self.public, method, args, kwargs)
        if answer is not NotImplemented:
            return answer
        if given is not None:
            self.ensure(given)
        return getattr(self.ufunc, method)(*args, **kwargs)

    def ensure(self, given: tuple[Any, ...]) -> bool:
        """Compile a loop for arguments, if none takes them; True if one was.

        Raises CompileError where the kernel cannot be compiled for them.
        """
        if self.frozen or len(given) != self._count():
            return False
        dtypes = self._dtypes(given)
        if self._takes(dtypes):
            return False
        argtypes = self.loops().element_types(concrete(dtypes))
        if argtypes is None:
            return False
        self._grow(argtypes)
        return True

    def _dtypes(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        return dtypes_of(given)

    def _count(self) -> int:
        """Return the number of arguments that determine the loop of a call."""
        return self.nin

    def _takes(self, wanted: Sequence[Any]) -> bool:
        try:
            self.ufunc.resolve_dtypes((*wanted, *[None] * (self.ufunc.nargs - len(wanted))))
        except TypeError:
            return False
        return True

    def loop_for(
        self, given: Sequence[Any], casting: str, signature: Any
    ) -> tuple[np.dtype[Any], ...]:
        """Return the dtypes of the loop for operands of these dtypes, or Python's number classes;
        compile one if there is none.

        Raises TypeError where none can be compiled for them.
        """
        self.gain_loop(tuple(given[: self.nin]))
        options = {} if signature is None else {"signature": signature}
        return self.ufunc.resolve_dtypes(tuple(given), casting=casting, **options)  # type: ignore[arg-type]

    def gain_loop(self, wanted: tuple[Any, ...]) -> None:
        """Compile a loop for operands of these dtypes, where none takes them."""
        if not self.frozen and not self._takes(wanted):
            argtypes = self.loops().element_types(concrete(wanted))
            if argtypes is not None:
                self._grow(argtypes)

    # --- attributes -----------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<{self.decorator} function {self.py_func.__qualname__}>"

    @property
    def doc(self) -> str | None:
        """The docstring of the kernel."""
        return self.py_func.__doc__

    @property
    def module(self) -> str:
        """The module of the kernel."""
        return self.py_func.__module__

    @property
    def half(self) -> Half:
        """The Python half of the kernel, which `cutaway.trace` inspects."""
        half: Half = self.kernel.half
        return half

    @property
    def resolver(self) -> np.ufunc:
        """The NumPy ufunc that chooses a loop, and computes."""
        return self.ufunc

    @property
    def overloads(self) -> dict[tuple[Type, ...], Any]:
        """The compiled code of each loop, by the types of its inputs."""
        return {row.types[: self.nin]: row.specialization for row in self.rows}

    def names(self, plain: list[str]) -> list[str]:
        """Return the result of `dir`; `plain` are the C half's names."""
        return sorted({*plain, *(one for one in _PUBLIC if hasattr(self, one))})

    def reduced(self, public: Any) -> Any:
        """Return the result for `pickle`: the name, or the kernel with the options."""
        return pickling.reduce(self, public)

    # --- inspection -----------------------------------------------------------------------------

    def trace(self, *args: Any, level: str = "pass", memory: bool = False) -> Compilation:
        """Return the recorded compilation of the kernel for one element of each argument."""
        return self.half.trace(*map(self.one_of, args), level=level, memory=memory)

    def step(self, *args: Any) -> Stepper:
        """Return a stepper before the first pass of the kernel's compilation."""
        return self.half.step(*map(self.one_of, args))

    def one_of(self, value: Any) -> Any:
        """Return the kernel's value for an argument."""
        return value

    def loop_half(self) -> Half:
        """Return the half whose specializations are the loops."""
        return self.half

    def cache_info(self) -> CacheInfo:
        """Return hits and misses of the cache on disk, its files, and why something was not
        cached."""
        return self.loop_half().cache_info()

    def _inspected(self, signature: Any, text: Any) -> Any:
        known = {row.types[: self.nin]: self.loop_types(row) for row in self.rows}
        if signature is None:
            return {types: text(self.loop_half(), found) for types, found in known.items()}
        argtypes = self.row_types(signature)
        if argtypes not in known:
            shown = ", ".join(map(str, argtypes))
            raise NotCompiledError(
                f"{self.__name__} has no loop for ({shown})",
                hint="call it with such arguments first, or use f.compile(signature)",
                notes=tuple(f"loop: {one}" for one in self.types),
            )
        return text(self.loop_half(), known[argtypes])

    def row_types(self, signature: Any) -> tuple[Type, ...]:
        """Return the input types of a signature."""
        raise NotImplementedError

    def loop_types(self, row: UfuncLoop) -> tuple[Type, ...]:
        """Return the types that the code of a loop was compiled for."""
        raise NotImplementedError

    def inspect_llvm(self, signature: Any = None) -> Any:
        """Return the LLVM IR of the loops before optimization, of one signature or by signature."""
        return self._inspected(signature, self.loops().llvm_of)

    def inspect_asm(self, signature: Any = None) -> Any:
        """Return the assembly of the loops, of one signature or by signature."""
        return self._inspected(signature, self.loops().asm_of)

    def explain_dispatch(self, *args: Any, **kwargs: Any) -> str:
        """Return a sentence on the loop that a call would run, and its conversions."""
        return explained(self.ufunc, dtypes_of(self._given(args, kwargs)), self.frozen)


# Attributes that a ufunc takes from its half, besides NumPy's own.
_ATTRIBUTES = (
    *("__doc__", "__module__", "__qualname__", "__wrapped__", "py_func", "half", "signatures"),
    *("overloads", "trace", "step", "inspect_llvm", "inspect_asm", "explain_dispatch"),
    "cache_info",
)


# Attributes of a half that a growing ufunc has.
_PUBLIC = (
    *("accumulate", "at", "cache_info", "compile", "disable_compile", "explain_dispatch", "half"),
    *("identity", "inspect_asm", "inspect_llvm", "kernel", "nargs", "nin", "nout", "ntypes"),
    *("outer", "overloads", "py_func", "reduce", "reduceat", "resolve_dtypes", "signature"),
    *("signatures", "step", "trace", "types"),
)


def dtypes_of(given: Sequence[Any]) -> tuple[Any, ...]:
    """Return for each argument its dtype, or its class if it is a Python number."""
    return tuple(type(one) if type(one) in _WEAK else np.asarray(one).dtype for one in given)


def explained(ufunc: np.ufunc, wanted: Sequence[Any], frozen: bool) -> str:
    """Return a sentence on the loop of a ufunc for arguments, and its conversions."""
    loops = f"loops: {', '.join(ufunc.types) or 'none yet'}"
    try:
        dtypes = ufunc.resolve_dtypes((*wanted, *[None] * (ufunc.nargs - len(wanted))))
    except TypeError:
        shown = ", ".join(str(np.dtype(one)) for one in wanted)
        end = "and none is compiled any more" if frozen else "so one is compiled"
        return f"{ufunc.__name__}({shown}): no loop takes these, {end}; {loops}"
    changes = [
        f"argument {k} is converted from {np.dtype(one)} to {dtype}"
        for k, (one, dtype) in enumerate(zip(wanted, dtypes))
        if np.dtype(one) != dtype
    ]
    letters = "".join(dtype.char for dtype in dtypes)
    loop = f"{letters[: ufunc.nin]}->{letters[ufunc.nin :]}"
    how = "; ".join(changes) or "nothing is converted"
    return f"{ufunc.__name__} runs the loop {loop}: {how}; {loops}"


def concrete(wanted: Sequence[Any]) -> tuple[np.dtype[Any], ...]:
    """Return the dtypes to compile for: a Python number takes the dtype of the arrays, as far as it
    is of their kind."""
    strong = [one for one in wanted if isinstance(one, np.dtype)]
    if not strong:
        return tuple(np.dtype(one) for one in wanted)
    try:
        of_class = {one: np.result_type(*strong, one(0)) for one in wanted if one in _WEAK}
    except TypeError:
        return tuple(np.dtype(one) for one in wanted)
    return tuple(of_class.get(one, one) for one in wanted)
