"""Kernels run by Python itself, unchanged: each simulated thread is a Python thread.

Nothing is translated, and no access is checked: numbers are Python's and NumPy's, and debuggers and
`print` work in every line.  One thread runs at a time, until it waits; then it is handled by
`blocks` like a thread of a translated kernel.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from cutaway.cuda.simulator import helpers
from cutaway.cuda.simulator.atomics import function_of
from cutaway.cuda.simulator.places import Wait
from cutaway.cuda.simulator.threads import Sides, Thread
from cutaway.cuda.simulator.values import plain
from cutaway.cuda.simulator.warps import ALL
from cutaway.foundation.source import Loc, is_our_file, line_of
from cutaway.gpu import words
from cutaway.typing.types.elements import element_type
from cutaway.typing.values.typeof import typeof

_STACK = 256 * 1024  # bytes, of a Python thread
_TURNS = 8  # atomic operations of a thread, after which other threads run


class Ended(BaseException):
    """Ends a Python thread whose launch is over."""


class Baton:
    """A Python thread that runs only while another one waits for it, like a generator."""

    def __init__(self, place: PlainThread, function: FunctionType, args: tuple[Any, ...]) -> None:
        self.place, self.function, self.args = place, function, args
        self.mine, self.yours = threading.Semaphore(0), threading.Semaphore(0)
        self.told: Any = None
        self.waits: Any = None
        self.error: BaseException | None = None
        self.is_over = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        self.mine.acquire()
        try:
            if not self.is_over:
                self.function(*self.args)
        except Ended:
            pass
        except BaseException as error:  # noqa: BLE001  raised where the launch is
            self.error = error
        self.is_over = True
        self.yours.release()

    def send(self, told: Any) -> Any:
        """Run the thread until it waits.

        Raises StopIteration at its end, and the kernel's exceptions.
        """
        self.told = told
        words.RUNNING.append(self.place)
        try:
            self.mine.release()
            self.yours.acquire()
        finally:
            words.RUNNING.pop()
        if self.error is not None:
            raise self.error
        if self.is_over:
            raise StopIteration
        return self.waits

    def wait(self, waits: Any) -> Any:
        """Wait, in the thread itself."""
        self.waits = waits
        self.yours.release()
        self.mine.acquire()
        if self.is_over:
            raise Ended
        return self.told

    def close(self) -> None:
        """End the thread where it is."""
        if not self.is_over:
            self.is_over = True
            self.mine.release()
            self.thread.join()


class PlainThread:
    """The state of a thread that the words of a kernel query while Python runs it."""

    def __init__(
        self, sides: dict[str, Sides], lane: int, memory: dict[Any, Any], shared_bytes: int
    ) -> None:
        self.sides, self.lane, self.memory, self.shared_bytes = sides, lane, memory, shared_bytes
        self.baton: Baton | None = None
        self.made = self.atomics = 0

    def index(self, of: str) -> Sides:
        return self.sides[of]

    def do(self, function: Any, *args: Any, **named: Any) -> Any:
        name = function.__qualname__
        if name in _DOING:
            return _DOING[name](self, *args, **named)
        if name.startswith("atomic."):
            return self._update(function.__name__, *args)
        return self._wait(function.__name__, args)

    # --- waiting --------------------------------------------------------------------------------

    def _wait(self, kind: str, args: tuple[Any, ...]) -> Any:
        if self.baton is None:
            return _alone(kind, args)
        if kind == "syncwarp" and not args:
            args = (ALL,)
        wait = _wait_at(kind, _place())
        return self.baton.wait((wait, *args) if args else wait)

    def turn(self) -> None:
        """Let other threads run from time to time."""
        self.atomics += 1
        if self.baton is not None and self.atomics % _TURNS == 0:
            self.baton.wait(_wait_at("spin", _place()))

    # --- memory ---------------------------------------------------------------------------------

    def shared(self, shape: Any, dtype: Any) -> Any:
        """Return `shared.array(shape, dtype)`: one per line, or the nth of each thread."""
        frame = sys._getframe()
        while frame.f_back is not None and is_our_file(frame.f_code.co_filename):
            frame = frame.f_back
        self.made += 1
        key: Any = (frame.f_code, frame.f_lasti) if self.baton is not None else self.made
        if key not in self.memory:
            kind = _dtype(dtype)
            if shape == 0 or shape == (0,):
                whole = self.memory.setdefault("dynamic", np.zeros(self.shared_bytes, np.uint8))
                count = self.shared_bytes // kind.itemsize
                self.memory[key] = whole[: count * kind.itemsize].view(kind)
            else:
                self.memory[key] = np.zeros(shape, kind)
        return self.memory[key]

    def _update(self, name: str, array: Any, *args: Any) -> Any:
        """Execute an atomic operation; returns the old value."""
        self.turn()
        index, values = (
            ((0,) * array.ndim, args)
            if name == "compare_and_swap"
            else (
                args[0],
                args[1:],
            )
        )
        ty = element_type(array.dtype)
        assert ty is not None
        old = array[index]
        held = [plain(ty, one) for one in (old, *values)]
        array[index] = function_of(name, ty)(*held)
        return old


# --- words --------------------------------------------------------------------------------------


def _along(thread: PlainThread, ndim: int, place: Callable[[int], int]) -> Any:
    """Return a number, or a tuple of 2 or 3."""
    positions = tuple(place(axis) for axis in range(ndim))
    return positions[0] if ndim == 1 else positions


def _grid(thread: PlainThread, ndim: int) -> Any:
    block, width = thread.index("blockIdx"), thread.index("blockDim")
    own = thread.index("threadIdx")
    return _along(thread, ndim, lambda k: block[k] * width[k] + own[k])


def _gridsize(thread: PlainThread, ndim: int) -> Any:
    count, width = thread.index("gridDim"), thread.index("blockDim")
    return _along(thread, ndim, lambda k: count[k] * width[k])


def _bits(value: Any) -> tuple[int, int]:
    return int(value), max(getattr(typeof(value), "bits", 64), 32)


def _of_bits(function: Callable[[int, int], int]) -> Callable[..., int]:
    return lambda thread, value: function(*_bits(value))


def _sincos(thread: PlainThread, value: float) -> tuple[float, float]:
    return helpers.sincos(value, False)


def _local(thread: PlainThread, shape: Any, dtype: Any) -> Any:
    return np.zeros(shape, _dtype(dtype))


def _nanosleep(thread: PlainThread, ns: int = 0) -> None:
    thread.atomics = -1  # which makes this thread wait now
    thread.turn()


_DOING: dict[str, Callable[..., Any]] = {
    "grid": _grid,
    "gridsize": _gridsize,
    "threadfence": lambda thread: None,
    "threadfence_block": lambda thread: None,
    "threadfence_system": lambda thread: None,
    "nanosleep": _nanosleep,
    "lanemask_lt": lambda thread: (1 << thread.lane) - 1,
    "popc": _of_bits(helpers.popc),
    "clz": _of_bits(helpers.clz),
    "ffs": _of_bits(helpers.ffs),
    "brev": _of_bits(helpers.brev),
    "fma": lambda thread, a, b, c: helpers.fma(a, b, c),
    "cbrt": lambda thread, x: helpers.cbrt(x),
    "rsqrt": lambda thread, x: helpers.rsqrt(x),
    "sincos": _sincos,
    "selp": lambda thread, cond, a, b: a if cond else b,
    "shared.array": PlainThread.shared,
    "local.array": _local,
    "const.array_like": lambda thread, array: array,
}


def _alone(kind: str, args: tuple[Any, ...]) -> Any:
    """Return the result of a synchronization for the only thread of a block."""
    if kind in ("syncthreads", "syncwarp"):
        return None
    if kind.startswith("syncthreads"):
        return int(bool(args[0]))
    if kind == "activemask":
        return 1
    if kind.startswith("shfl"):
        return args[1]
    if kind in ("all_sync", "any_sync"):
        return bool(args[1])
    if kind == "eq_sync":
        return True
    if kind == "ballot_sync":
        return int(bool(args[1]))
    return (1, True) if kind == "match_all_sync" else 1


def _dtype(dtype: Any) -> np.dtype[Any]:
    """Return the NumPy dtype of a dtype argument in a kernel."""
    named = {int: np.int64, float: np.float64, bool: np.bool_, complex: np.complex128}
    try:
        return np.dtype(named.get(dtype, dtype))
    except TypeError:
        return np.dtype(str(dtype))


_WAITS: dict[tuple[str, Loc], Wait] = {}


def _wait_at(kind: str, place: Loc) -> Wait:
    return _WAITS.setdefault((kind, place), Wait(kind, place))


def _place() -> Loc:
    """Return the user's line that is running."""
    frame = sys._getframe()
    while frame.f_back is not None and is_our_file(frame.f_code.co_filename):
        frame = frame.f_back
    return line_of(frame.f_code.co_filename, frame.f_lineno)


def with_attributes(value: Any) -> Any:
    """Return an argument whose records have their fields as attributes too, as in a kernel."""
    if isinstance(value, np.ndarray) and value.dtype.names is not None:
        return value.view(np.recarray)
    if isinstance(value, np.void) and value.dtype.names is not None:
        return np.array([value]).view(np.recarray)[0]
    return value


# --- launches -----------------------------------------------------------------------------------


def starter(function: FunctionType, grid: Sides, block: Sides, batons: list[Baton]) -> Any:
    """Return the starter of a simulated thread as a Python thread, one of the batons."""

    def start(thread: Thread, *args: Any) -> Baton:
        sides = {
            "threadIdx": (thread.threadIdx_x, thread.threadIdx_y, thread.threadIdx_z),
            "blockIdx": thread.block.index,
            "blockDim": block,
            "gridDim": grid,
        }
        memory, size = thread.block.plain_memory, thread.block.launch.shared_bytes
        place = PlainThread(sides, thread.lane, memory, size)
        before = threading.stack_size(_STACK)
        try:
            place.baton = Baton(place, function, args)
        finally:
            threading.stack_size(before)
        batons.append(place.baton)
        return place.baton

    return start


@contextmanager
def one_thread(
    thread: Sides = (0, 0, 0),
    block: Sides = (0, 0, 0),
    threads: Sides = (1, 1, 1),
    blocks: Sides = (1, 1, 1),
    shared_bytes: int = 0,
) -> Iterator[None]:
    """Let words of a kernel mean one thread, the only one that runs: for the interpreter, and for
    inspecting a level of a kernel.

        with cuda.one_thread(thread=(3, 0, 0), threads=(32, 1, 1)):
            kernel.trace(x).at("ssa").run(x)

    It never waits, and shuffles return their own values.
    """
    sides = {"threadIdx": thread, "blockIdx": block, "blockDim": threads, "gridDim": blocks}
    number = thread[0] + threads[0] * (thread[1] + threads[1] * thread[2])
    words.RUNNING.append(PlainThread(sides, number % 32, {}, shared_bytes))
    try:
        yield
    finally:
        words.RUNNING.pop()
