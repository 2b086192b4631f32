"""The words of a kernel: thread indices, shared memory, synchronization.

Compiled code recognizes each by its identity; in Python it queries the running simulated thread,
and is an error outside of one.  The names are those of Numba.
"""

from __future__ import annotations

import operator
from typing import Any, ClassVar, Protocol

from cutaway.errors import CudaError

__all__ = """
    grid gridsize syncthreads syncthreads_and syncthreads_or syncthreads_count syncwarp
    threadfence threadfence_block threadfence_system nanosleep shfl_sync shfl_up_sync
    shfl_down_sync shfl_xor_sync all_sync any_sync eq_sync ballot_sync match_any_sync
    match_all_sync activemask lanemask_lt popc clz ffs brev fma cbrt rsqrt sincos selp threadIdx
    blockIdx blockDim gridDim warpsize laneid shared local const atomic
""".split()

Sides = tuple[int, int, int]


class Thread(Protocol):
    """The running simulated thread, as this module uses it."""

    def index(self, of: str) -> Sides:
        """Return `threadIdx`, `blockIdx`, `blockDim` or `gridDim`."""

    lane: int

    def do(self, function: object, *args: Any, **named: Any) -> Any:
        """Execute a function of this module for the thread."""


RUNNING: list[Thread] = []  # the running simulated thread, if there is one


def _thread(name: str) -> Thread:
    if not RUNNING:
        raise CudaError(
            f"cuda.{name} means something only in a kernel",
            hint="launch the kernel, or simulate it: cuda.simulate(kernel)[blocks, threads](...)",
        )
    return RUNNING[-1]


class Index3:
    """Three numbers of a thread: `x`, `y` and `z`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def x(self) -> int:
        """The first."""
        return _thread(self.name).index(self.name)[0]

    @property
    def y(self) -> int:
        """The second."""
        return _thread(self.name).index(self.name)[1]

    @property
    def z(self) -> int:
        """The third."""
        return _thread(self.name).index(self.name)[2]

    def __repr__(self) -> str:
        return f"cuda.{self.name}"

    def __reduce__(self) -> str:
        return self.name


threadIdx = Index3("threadIdx")
blockIdx = Index3("blockIdx")
blockDim = Index3("blockDim")
gridDim = Index3("gridDim")

warpsize = 32


class LaneId:
    """The number of a thread within its warp, from 0 to 31: an integer where it is used."""

    __slots__ = ()

    def __index__(self) -> int:
        return _thread("laneid").lane

    __int__ = __index__

    def __repr__(self) -> str:
        return "cuda.laneid"

    def __reduce__(self) -> str:
        return "laneid"


def _lane_operator(name: str) -> None:
    """Make the number of the lane an operand of an operator, on either side."""
    function = getattr(operator, {"and": "and_", "or": "or_"}.get(name, name))

    def left(self: LaneId, other: Any) -> Any:
        if not RUNNING and name in ("eq", "ne"):  # the word, not a number
            return (self is other) == (name == "eq")
        return function(int(self), int(other) if isinstance(other, LaneId) else other)

    def right(self: LaneId, other: Any) -> Any:
        return function(other, int(self))

    setattr(LaneId, f"__{name}__", left)
    if name not in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(LaneId, f"__r{name}__", right)


for _name in "add sub mul truediv floordiv mod and or xor lshift rshift lt le gt ge eq ne".split():
    _lane_operator(_name)

laneid = LaneId()


def _word(name: str, doc: str, of: str = "") -> Any:
    """Make a function that a simulated thread executes."""

    def word(*args: Any, **named: Any) -> Any:
        return _thread(full).do(word, *args, **named)

    full = f"{of}.{name}" if of else name
    word.__name__ = name
    word.__qualname__ = full
    word.__doc__ = doc
    word.__module__ = "cutaway.cuda"
    WORDS[full] = word
    return word


WORDS: dict[str, Any] = {}

# --- the grid ---------------------------------------------------------------------------------

grid = _word("grid", "The place of the thread in the grid: an int64, or a tuple of 2 or 3.")
gridsize = _word("gridsize", "The number of threads in the grid along 1, 2 or 3 dimensions.")

# --- waiting ----------------------------------------------------------------------------------

syncthreads = _word("syncthreads", "Wait for all threads of the block.")
syncthreads_and = _word("syncthreads_and", "Wait; 1 if the value is true in every thread, else 0.")
syncthreads_or = _word("syncthreads_or", "Wait; 1 if the value is true in any thread, else 0.")
syncthreads_count = _word("syncthreads_count", "Wait; the number of threads where it is true.")
syncwarp = _word("syncwarp", "Wait for the threads of the warp that a mask names; all without one.")
threadfence = _word("threadfence", "What was written before is seen first, on the whole device.")
threadfence_block = _word("threadfence_block", "The same, for the threads of the block.")
threadfence_system = _word("threadfence_system", "The same, for the host and other devices too.")
nanosleep = _word("nanosleep", "Sleep for about so many nanoseconds.")

# --- warps ------------------------------------------------------------------------------------

shfl_sync = _word("shfl_sync", "`shfl_sync(mask, value, lane)`: the value of another lane.")
shfl_up_sync = _word("shfl_up_sync", "`(mask, value, delta)`: of the lane `delta` below.")
shfl_down_sync = _word("shfl_down_sync", "`(mask, value, delta)`: of the lane `delta` above.")
shfl_xor_sync = _word("shfl_xor_sync", "`(mask, value, bits)`: of the lane with these bits turned.")
all_sync = _word("all_sync", "`(mask, predicate)`: true if it holds in every lane of the mask.")
any_sync = _word("any_sync", "`(mask, predicate)`: true if it holds in any lane of the mask.")
eq_sync = _word("eq_sync", "`(mask, predicate)`: true if it is the same in all lanes of the mask.")
ballot_sync = _word("ballot_sync", "`(mask, predicate)`: the lanes of the mask where it holds.")
match_any_sync = _word("match_any_sync", "`(mask, value)`: the lanes that have the same value.")
match_all_sync = _word(
    "match_all_sync",
    "`(mask, value)`: the mask and true if all have the same value, else 0.",
)
activemask = _word("activemask", "The lanes of the warp that run here now.")
lanemask_lt = _word("lanemask_lt", "The lanes with smaller numbers.")

# --- numbers ----------------------------------------------------------------------------------

popc = _word("popc", "The number of bits that are set.")
clz = _word("clz", "The number of zero bits above the highest one that is set.")
ffs = _word("ffs", "The place of the lowest bit that is set, from 1; 0 where none is.")
brev = _word("brev", "The bits in the opposite order.")
fma = _word("fma", "`fma(a, b, c)`: a * b + c, rounded once.")
cbrt = _word("cbrt", "The cube root.")
rsqrt = _word("rsqrt", "1 / sqrt(x).")
sincos = _word("sincos", "The sine and the cosine.")
selp = _word("selp", "`selp(c, a, b)`: a where c is true, else b; both are computed.")


# --- memory -----------------------------------------------------------------------------------


class shared:  # noqa: N801  Numba's name
    """Memory that the threads of a block share."""

    array: ClassVar[Any] = _word(
        "array",
        "`shared.array(shape, dtype)`: an array in it; shape 0 is what the launch asks for.",
        "shared",
    )


class local:  # noqa: N801  Numba's name
    """Memory that is private to each thread."""

    array: ClassVar[Any] = _word("array", "`local.array(shape, dtype)`: an array in it.", "local")


for _maker in (shared.array, local.array):
    _maker.__takes_shape__ = True  # so that its sizes count in proofs of indices


class const:  # noqa: N801  Numba's name
    """Memory that is constant while a kernel runs."""

    array_like: ClassVar[Any] = _word(
        "array_like",
        "`const.array_like(a)`: an array known at compile time.",
        "const",
    )


def _atomic(name: str, doc: str) -> Any:
    return staticmethod(_word(name, doc, "atomic"))


class atomic:  # noqa: N801  Numba's name
    """Atomic operations that read, change and write an element; each returns the old value."""

    add: ClassVar[Any] = _atomic("add", "`add(a, i, x)`: a[i] += x")
    sub: ClassVar[Any] = _atomic("sub", "`sub(a, i, x)`: a[i] -= x")
    min: ClassVar[Any] = _atomic("min", "`min(a, i, x)`: a[i] = min(a[i], x); a NaN in a stays")
    max: ClassVar[Any] = _atomic("max", "`max(a, i, x)`: a[i] = max(a[i], x); a NaN in a stays")
    nanmin: ClassVar[Any] = _atomic("nanmin", "`nanmin(a, i, x)`: min; a NaN gives way")
    nanmax: ClassVar[Any] = _atomic("nanmax", "`nanmax(a, i, x)`: max; a NaN gives way")
    and_: ClassVar[Any] = _atomic("and_", "`and_(a, i, x)`: a[i] &= x")
    or_: ClassVar[Any] = _atomic("or_", "`or_(a, i, x)`: a[i] |= x")
    xor: ClassVar[Any] = _atomic("xor", "`xor(a, i, x)`: a[i] ^= x")
    exch: ClassVar[Any] = _atomic("exch", "`exch(a, i, x)`: a[i] = x")
    inc: ClassVar[Any] = _atomic("inc", "`inc(a, i, x)`: a[i] = 0 if a[i] >= x else a[i] + 1")
    dec: ClassVar[Any] = _atomic(
        "dec", "`dec(a, i, x)`: a[i] = x if a[i] == 0 or a[i] > x else a[i] - 1"
    )
    cas: ClassVar[Any] = _atomic("cas", "`cas(a, i, old, x)`: a[i] = x if a[i] == old")
    compare_and_swap: ClassVar[Any] = _atomic(
        "compare_and_swap", "`compare_and_swap(a, old, x)`: cas of the first element"
    )
