"""From LLVM IR as text to machine code in memory.

Position-independent code for a processor that is a part of a module's plan, one pipeline per
module, and a linker that only receives objects, of the host's kind of machine.  A `Library` is
unloaded when nothing refers to it any more.  LLVM is entered by one thread at a time; other Python
code runs meanwhile.
"""

from __future__ import annotations

import ctypes
import importlib
import itertools
import re
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from cutaway.errors import InternalError
from cutaway.foundation import interrupts, loading
from cutaway.foundation.loading import guard_forks
from cutaway.foundation.patterns import Pattern
from cutaway.runtime import NUMPY_LOOP, c_functions, frozen, load_object, made_up, numpy_loops
from cutaway.targets.cpu import line_table
from cutaway.targets.cpu.llvm_binding import DirectBinding, UnknownLibrary, open_library
from cutaway.targets.cpu.object_file import has_code, undefined_symbols
from cutaway.targets.cpu.optimization import (
    COROUTINE,
    HOST,
    LIGHT,
    NOTHING,
    UNOPTIMIZED,
    Cpu,
    PassTime,
    Plan,
    pass_times,
)

if TYPE_CHECKING:
    Held = frozen.FrozenMemory | c_functions.HeldFunction

__all__ = ["LIGHT", "NOTHING", "Library", "Module", "PassTime", "Plan"]


class Llvm(Protocol):
    """The interface to LLVM that the engine needs (Any: handles that only the binding
    interprets)."""

    triple: str
    host: Cpu

    def set_option(self, option: str) -> None: ...
    def data_layout(self, cpu: Cpu) -> str: ...
    def parse(self, text: str) -> Any: ...
    def read_bitcode(self, data: bytes) -> Any: ...
    def complaint(self, handle: Any) -> str: ...
    def text(self, handle: Any) -> str: ...
    def free(self, handle: Any) -> None: ...
    def optimize(self, handle: Any, plan: Plan, timing: bool) -> str: ...
    def set_verbosity(self, plan: Plan, verbose: bool) -> None: ...
    def emit(self, handle: Any, plan: Plan, as_object: bool) -> bytes: ...
    def new_jit(self) -> Any: ...
    def free_jit(self, jit: Any) -> None: ...
    def link(
        self,
        jit: Any,
        name: str,
        object_code: bytes,
        exports: Sequence[str],
        symbols: Mapping[str, int],
    ) -> tuple[Any, dict[str, int]]: ...
    def unload(self, tracker: Any) -> None: ...


# --- entering LLVM ----------------------------------------------------------------------------

_LOCK = threading.RLock()
_WAITING: deque[Callable[[], None]] = deque()  # resources to be freed

# A child process must not inherit LLVM in the middle of another thread's work.
guard_forks(_LOCK.acquire, _LOCK.release, rank=loading.INNERMOST)


@cache
def _binding() -> Llvm:
    """Open LLVM; once in a process."""
    try:
        return DirectBinding(open_library())
    except UnknownLibrary as unknown:
        try:
            fallback: Llvm = importlib.import_module(
                "cutaway.targets.cpu.llvm_fallback"
            ).LlvmliteBinding()
        except ImportError:
            raise unknown from None
        return fallback


@contextmanager
def _llvm() -> Iterator[Llvm]:
    """Enter LLVM, in one thread at a time."""
    with _LOCK:
        _free_waiting()
        yield _binding()


def _free_later(free: Callable[[], None]) -> None:
    """Free a resource of a collected object, in any thread at any time.

    If LLVM is busy, that is left to the next thread that enters: a collection must not wait.
    """
    _WAITING.append(free)
    with interrupts.deferred():
        if _LOCK.acquire(blocking=False):
            try:
                _free_waiting()
            finally:
                _LOCK.release()


def _free_waiting() -> None:
    while _WAITING:
        _WAITING.popleft()()


def _freed_with(owner: object, free: Callable[[], None]) -> None:
    # At the end of the process the system frees everything at once.
    weakref.finalize(owner, _free_later, free).atexit = False


def set_option(option: str) -> None:
    """Set one of LLVM's own options, for the whole process, which should be a dedicated one."""
    with _llvm() as llvm:
        llvm.set_option(option)


def host() -> tuple[str, Cpu]:
    """Return LLVM's name of this kind of machine, and its processor."""
    with _llvm() as llvm:
        return llvm.triple, llvm.host


# --- modules ----------------------------------------------------------------------------------

# A phi without `[ value, %label ]`; a type may contain brackets of its own.
_EMPTY_PHI = Pattern(r"^.*= *phi (?!.*, *%(?:\"[^\"\n]*\"|[-\w$.]+) *\]).*$", re.MULTILINE)


_WAIT = Pattern(r"call [^@\n]*@(llvm\.coro\.\w+)")


class Module:
    """LLVM IR in memory, in a context of its own."""

    def __init__(self, text: str, cpu: Cpu = HOST) -> None:
        """Parse and verify a module for a kind of machine, so that LLVM never runs on invalid IR.

        Raises InternalError with LLVM's message and the line that it is about.
        """
        self._plan = NOTHING.on(cpu)
        with _llvm() as llvm:
            handle = self._handle = _parsed(llvm, text, cpu)
            _freed_with(self, lambda: llvm.free(handle))
            self.verify()
            if " phi " in text and _EMPTY_PHI.search(text):
                self._refuse_empty_phis()
        self._waits = COROUTINE in text

    def verify(self) -> None:
        """Raise InternalError if the module violates an LLVM rule."""
        with _llvm() as llvm:
            complaint = llvm.complaint(self._handle)
        if complaint:
            raise InternalError(f"the LLVM IR is not valid: {complaint}")

    def _refuse_empty_phis(self) -> None:
        """Raise InternalError for a phi without values: LLVM's verifier accepts one in an
        unreachable block, and its passes crash the process."""
        phi = _EMPTY_PHI.search(self.text)  # LLVM writes each phi in one line
        if phi is not None:
            raise InternalError(f"the LLVM IR is not valid: a phi without values: {phi[0]}")

    @property
    def text(self) -> str:
        """The module as text."""
        with _llvm() as llvm:
            return llvm.text(self._handle)

    def optimize(self, plan: Plan, timing: bool = False) -> list[PassTime]:
        """Run the plan's passes; with `timing`, returns the time of each, the slowest first."""
        self._plan = plan
        if plan.level == "none":
            return []
        if plan.level != "full":
            self._split_coroutines()
        with _llvm() as llvm:
            times = pass_times(llvm.optimize(self._handle, plan, timing))
        if self._waits:
            self._refuse_coroutines()
        return times

    def _split_coroutines(self) -> None:
        """Split coroutines into functions: to generate code for them ends the process."""
        if self._waits:
            with _llvm() as llvm:
                llvm.optimize(self._handle, UNOPTIMIZED.on(self._plan.cpu), False)
            self._refuse_coroutines()

    def _refuse_coroutines(self) -> None:
        """Raise InternalError for a function that suspends but is not marked as a coroutine."""
        self._waits = False
        left = _WAIT.search(self.text)
        if left is not None:
            raise InternalError(
                f"the LLVM IR is not valid: {left[1]} in a function that is not presplitcoroutine"
            )

    @property
    def assembly(self) -> str:
        """The machine code as assembly."""
        text = self._emit(as_object=False).decode(errors="replace")
        return renumbered(text) if self._plan.cpu.triple else text

    @property
    def listing(self) -> str:
        """The assembly with a table of the lines of `text` that its instructions come from."""
        return self.with_table().assembly

    def commented(self, plan: Plan) -> str:
        """Return the assembly that a plan generates, with LLVM's comments."""
        self._plan = plan
        with _llvm() as llvm:
            llvm.set_verbosity(plan, True)
            try:
                return self.assembly
            finally:
                llvm.set_verbosity(plan, False)

    def with_table(self) -> Module:
        """Copy the module, for machine code with a table of the lines of this one's `text`."""
        table = line_table.LINES if self._plan.cpu.triple else line_table.TABLE
        return self._copy(line_table.numbered(self.text, table))

    def with_users_lines(self) -> Module:
        """Copy the module, for machine code with a table of the user's lines."""
        return self._copy(line_table.with_users_lines(self.text))

    def _copy(self, text: str) -> Module:
        copy = Module(text, self._plan.cpu)
        copy._plan = self._plan
        return copy

    def object_code(self) -> bytes:
        """Return the machine code as an object file."""
        return self._emit(as_object=True)

    def _emit(self, as_object: bool) -> bytes:
        self._split_coroutines()
        with _llvm() as llvm:
            try:
                return llvm.emit(self._handle, self._plan, as_object)
            except InternalError as error:
                raise InternalError(f"LLVM cannot generate code: {error.message}") from None


# The number in a function's name, in its symbol and in those of its memory; that of a call.
_NUMBER = Pattern(r"(?<=\w)\$(\d+)(?=_\$_|[^\w$])")
_CALL = Pattern(r"(?<=// )callseq (\d+)")


def renumbered(assembly: str) -> str:
    """Renumber the symbols of assembly in order of appearance, so that the same program has the
    same text independently of earlier compilations."""
    numbers: dict[str, int] = {}
    calls: dict[str, int] = {}
    text = _NUMBER.sub(lambda one: f"${numbers.setdefault(one[1], len(numbers) + 1)}", assembly)
    return _CALL.sub(lambda one: f"callseq {calls.setdefault(one[1], len(calls) + 1)}", text)


def _parsed(llvm: Llvm, text: str, cpu: Cpu) -> Any:
    if "\0" in text:
        raise InternalError("the LLVM IR cannot be read: it contains a null character")
    # On the first line of the text, so that the line numbers in LLVM's messages match.
    layout, triple = llvm.data_layout(cpu), cpu.triple or llvm.triple
    target = f'target datalayout = "{layout}" target triple = "{triple}" '
    try:
        return llvm.parse(target + text)
    except InternalError as error:
        raise InternalError(f"the LLVM IR cannot be read: {error.message}") from None


def text_of_bitcode(data: bytes) -> str:
    """Convert a module from bitcode to text.

    Raises InternalError with LLVM's message if it is not valid.
    """
    with _llvm() as llvm:
        try:
            handle = llvm.read_bitcode(data)
        except InternalError as error:
            raise InternalError(f"the bitcode cannot be read: {error.message}") from None
        try:
            return llvm.text(handle)
        finally:
            llvm.free(handle)


# --- loading ----------------------------------------------------------------------------------

_LIBRARIES_PER_LINKER = 256  # LLVM forgets no name: 9 kB per library stay until the linker is freed
_SERIAL = itertools.count(1)


class _Linker:
    """An instance of LLVM's JIT; freed after the last library that it has loaded."""

    def __init__(self, llvm: Llvm) -> None:
        self.llvm = llvm
        self.served = 0
        jit = self.jit = llvm.new_jit()
        _freed_with(self, lambda: llvm.free_jit(jit))

    def link(
        self, object_code: bytes, exports: Sequence[str], symbols: Mapping[str, int]
    ) -> tuple[Any, dict[str, int]]:
        """Load an object; returns a handle for `unload` and the addresses of its exports."""
        self.served += 1
        name = f"cutaway{next(_SERIAL)}"
        return self.llvm.link(self.jit, name, object_code, exports, symbols)

    def unload(self, tracker: Any) -> None:
        """Unload an object."""
        self.llvm.unload(tracker)


_linkers: list[_Linker] = []  # the current one, once there is one


def _linker(llvm: Llvm) -> _Linker:
    if not _linkers or _linkers[0].served >= _LIBRARIES_PER_LINKER:
        _linkers[:] = [_Linker(llvm)]
    return _linkers[0]


class Library:
    """Machine code in memory; unloaded when the object is collected."""

    def __init__(self, addresses: dict[str, int], memory: object = None) -> None:
        self._addresses = addresses
        self._memory = memory  # of objects that the runtime has loaded
        self._constants: dict[str, Held] = {}  # those that the code refers to by address

    @classmethod
    def load(
        cls, object_code: bytes, exports: Sequence[str], symbols: Mapping[str, int]
    ) -> Library:
        """Load an object file; `symbols` are the addresses of all its external symbols.

        The runtime loads it; LLVM's linker, which takes twenty times as long, only if the runtime
        does not support the object. Raises InternalError if it needs another symbol, or lacks an
        export.
        """
        if not has_code(object_code):  # LLVM's linker would end the process
            raise InternalError(
                "there is no machine code: LLVM found that every path is unreachable",
                hint="an extension or an edit that writes `unreachable` must never get there",
            )
        constants = _constants(object_code)
        held = {name: memory.address for name, memory in constants.items()}
        needed = _needed(object_code, {**symbols, **held})
        try:
            memory, addresses = load_object(object_code, tuple(exports), needed)
            library = cls(dict(zip(exports, addresses, strict=True)), memory)
        except ValueError:
            library = cls._linked(object_code, exports, needed)
        library._constants = constants
        return library

    @classmethod
    def _linked(
        cls, object_code: bytes, exports: Sequence[str], needed: Mapping[str, int]
    ) -> Library:
        with _llvm() as llvm:
            linker = _linker(llvm)
            try:
                tracker, addresses = linker.link(object_code, exports, needed)
            except InternalError as error:
                raise InternalError(f"the machine code cannot be loaded: {error.message}") from None
            library = cls(addresses)
            _freed_with(library, lambda: linker.unload(tracker))
        return library

    def address(self, name: str) -> int:
        """Return the address of an exported function."""
        return self._addresses[name]


def address_in_process(name: str) -> int | None:
    """Return the address of a C function in the process: Python's, the C library's; or None."""
    try:
        return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
    except AttributeError:
        return None


def _constants(object_code: bytes) -> dict[str, Held]:
    """Return the constants, and the user's C functions, that an object refers to by address."""
    names = undefined_symbols(object_code)
    if names is None:
        return {**frozen.live(), **c_functions.live()}
    found = ((name, frozen.memory(name) or c_functions.held(name)) for name in names)
    return {name: held for name, held in found if held is not None}


def _needed(object_code: bytes, symbols: Mapping[str, int]) -> dict[str, int]:
    """Return the addresses of an object's undefined symbols; no others are looked up in the
    process.

    A file whose symbols cannot be read gets all of them.
    """
    names = undefined_symbols(object_code)
    if names is None:
        return dict(symbols)
    addresses = {name: _known_address(name, symbols) for name in names}
    missing = [name for name, address in addresses.items() if address is None]
    if missing:
        absent = [name for name in missing if name.startswith(NUMPY_LOOP)]
        raise InternalError(
            f"the machine code calls {', '.join(missing)}, whose address is not known",
            hint=f"this NumPy has no {absent[0]}" if absent else "",
        )
    return {name: address for name, address in addresses.items() if address is not None}


def _known_address(name: str, symbols: Mapping[str, int]) -> int | None:
    if name in symbols or name in made_up:
        return symbols.get(name, made_up.get(name))
    if name.startswith(NUMPY_LOOP):
        loop: int | None = numpy_loops.address(name)
        return loop
    return address_in_process(name) if name in _SIMPLER_CALLS else None


# Functions of the C library that LLVM calls in place of others, such as `puts` for `printf`.
_SIMPLER_CALLS = frozenset(
    """
    abort bcmp exp10 exp2 fputc fputs fwrite ldexp memccpy memchr memcmp memcpy memmove memrchr
    memset putchar puts sprintf stpcpy stpncpy strcat strchr strcpy strlen strncmp strncpy strnlen
    strrchr strstr strtol
    """.split()
)
