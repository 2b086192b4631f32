"""Kernels of a few lines for each word and each kind of value, with what their PTX must have in it.

    @kernel("void(int32[::1])", "vote.sync.ballot.b32")
    def ballot(a): ...

A word with `!` before it must not be there.  `device=True` is a device function.
"""

# ruff: noqa

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import cutaway
from cutaway import cuda


class Program(NamedTuple):
    """A function, its signature, what its PTX has, and options of `@cuda.jit`."""

    name: str
    function: Any
    signature: Any
    wanted: tuple[str, ...]
    options: dict[str, Any]


PROGRAMS: list[Program] = []


def kernel(signature: Any, *wanted: str, name: str = "", **options: Any) -> Callable[[Any], Any]:
    """Add a program."""

    def add(function: Any) -> Any:
        PROGRAMS.append(Program(name or function.__name__, function, signature, wanted, options))
        return function

    return add


def each(kinds: str, signature: str, *wanted: str, **options: Any) -> Callable[[Any], Any]:
    """Add a program for each of several types of elements."""

    def add(function: Any) -> Any:
        for kind in kinds.split():
            written = signature.replace("T", kind)
            kernel(written, *wanted, name=f"{function.__name__}_{kind}", **options)(function)
        return function

    return add


F, I = "float64[::1]", "int32[::1]"
INTEGERS = "int8 uint8 int16 uint16 int32 uint32 int64 uint64"
REALS = INTEGERS + " float16 float32 float64"
N = 16

# --- the grid ---------------------------------------------------------------------------------


@kernel(f"void({F})", "%tid.x", "%tid.y", "%tid.z", "%ctaid.z", "%ntid.y", "%nctaid.x", "%laneid")
def places(a):
    a[0] = cuda.threadIdx.x + cuda.threadIdx.y + cuda.threadIdx.z + cuda.blockIdx.z
    a[1] = cuda.blockDim.y + cuda.gridDim.x + cuda.laneid + cuda.warpsize


@kernel(f"void({F})", "mul.wide.u32")
def grids(a):
    a[cuda.grid(1)] = cuda.gridsize(ndim=1)
    x, y = cuda.gridsize(2)
    i, j, k = cuda.grid(ndim=3)
    a[i] = x + y + j + k


@kernel(f"void({I})", "!shr.s64", "!shr.u64")
def an_index_of_the_grid_is_not_negative(a):
    a[cuda.threadIdx.x] = a[cuda.grid(1) + 1]


# --- memory -----------------------------------------------------------------------------------

FIELDS = np.dtype([("x", "f4"), ("y", "i4"), ("z", "f8", (2,))], align=True)
PACKED = np.dtype([("k", "i1"), ("x", "f8")])


@kernel(f"void({F})", "st.shared.b32", "ld.shared.b32", ".shared .align 16 .b8", "!ld.b32")
def shared_of_all_dtypes(a):
    i = cuda.threadIdx.x
    s = cuda.shared.array(shape=(N,), dtype="f4")
    s2 = cuda.shared.array(N * 2, dtype=np.dtype(np.int16))
    s3 = cuda.shared.array((2, N), dtype=cutaway.int8)
    s4 = cuda.shared.array((2, N), np.complex64)
    s5 = cuda.shared.array((2, N), cutaway.float16)
    s6 = cuda.shared.array((2, N), bool)
    s7 = cuda.shared.array(N, a.dtype)
    s[i], s2[i], s3[1, i], s4[1, i], s5[1, i], s6[1, i], s7[i] = a[i], i, i, 1j, 2, True, a[i]
    cuda.syncthreads()
    a[i] = s[i + 1] + s2[i + 2] + s3[0, i] + s4[0, i].real + s5[1, i] + s6[0, i] + s7[0]


@kernel(f"void({F})", "st.shared.b32", "ld.shared.b64", "!.b8 \t%")
def shared_of_records(a):
    i = cuda.threadIdx.x
    s = cuda.shared.array(N, FIELDS)
    s[i].x = a[i]
    s["y"][i] = 2
    s[i]["z"][1] = 2.5
    cuda.syncthreads()
    a[i] = s[0].x + s.y[1] + s[2].z[1]


@kernel(f"void({F})", "st.local.b64", "ld.local.b64")
def local_with_indices(a):
    held = cuda.local.array((2, N), np.float64)
    for i in range(N):
        held[i % 2, i] = a[i]
    a[0] = held[int(a[1]), int(a[2])]


@kernel(f"void({F})", "!.local")
def local_in_registers(a):
    held = cuda.local.array(3, np.float64)
    for i in range(3):
        held[i] = a[i]
    a[0] = held[0] + held[2]


TABLE = np.arange(1.0, 7.0).reshape(2, 3)
RECORDS = np.array([(1.5, 2, (3, 4)), (5, 6, (7, 8))], FIELDS)


@kernel(f"void({F})", "ld.const.b64", ".const .align")
def constants(a):
    i = cuda.threadIdx.x
    a[i] = cuda.const.array_like(TABLE)[i, 1] + cuda.const.array_like(RECORDS)[i]["x"]


@kernel(f"void({F})", ".extern .shared .align 16", "%dynamic_smem_size", "st.shared.b64")
def dynamic_by_size(a):
    s = cuda.shared.array(0, np.float64)
    for i in range(s.size):
        s[i] = a[i]


@kernel(f"void({F})", "st.shared.b64", "st.shared.b32", "ld.shared.b32", "!st.shared.b8")
def dynamic_of_several_dtypes(a):
    i = cuda.threadIdx.x
    whole = cuda.shared.array(0, np.uint8)
    first, second = whole[:64].view(np.float64), whole[64:96].view(np.int32)
    third = cuda.shared.array(0, np.float32)[24:].reshape(2, 4)
    first[i], second[i], third[1, i] = 1, 2, 3
    cuda.syncthreads()
    a[i] = first[i + 1] + second[i + 1] + third[1, i + 1]


# --- waiting ----------------------------------------------------------------------------------


@kernel(f"void({F})", "bar.sync \t0;", "bar.warp.sync \t-1;", "bar.warp.sync \t255;", "nanosleep")
def waiting(a):
    cuda.syncthreads()
    cuda.syncwarp()
    cuda.syncwarp(0xFF)
    cuda.nanosleep(100)


@kernel(f"void({F})", "membar.gl", "membar.cta", "membar.sys")
def fences(a):
    a[0] = 1
    cuda.threadfence()
    a[1] = 2
    cuda.threadfence_block()
    a[2] = 3
    cuda.threadfence_system()


@kernel(f"void({I})", "bar.red.and.pred", "bar.red.or.pred", "bar.red.popc.u32")
def votes_of_blocks(a):
    i = cuda.threadIdx.x
    a[i] = cuda.syncthreads_and(a[i]) + cuda.syncthreads_or(a[i] > 1) + cuda.syncthreads_count(i)


# --- warps ------------------------------------------------------------------------------------


@each(
    REALS + " complex64 complex128 boolean",
    "void(T[::1])",
    "shfl.sync.idx.b32",
    "shfl.sync.up.b32",
    "shfl.sync.down.b32",
    "shfl.sync.bfly.b32",
)
def shuffles(a):
    i = cuda.threadIdx.x
    a[i] = cuda.shfl_sync(-1, a[i], 0)
    a[i] = cuda.shfl_up_sync(0xFFFFFFFF, a[i], 1)
    a[i] = cuda.shfl_down_sync(0xFFFFFFFF, a[i], 1)
    a[i] = cuda.shfl_xor_sync(0xFFFFFFFF, a[i], 1)


@kernel(
    f"void({I}, {F})",
    "vote.sync.all.pred",
    "vote.sync.any.pred",
    "vote.sync.uni.pred",
    "vote.sync.ballot.b32",
    "match.any.sync.b32",
    "match.all.sync.b64",
    "activemask.b32",
    "%lanemask_lt",
)
def votes(a, b):
    i = cuda.threadIdx.x
    m = cuda.activemask()
    a[0] = cuda.all_sync(m, a[i] > 1) + cuda.any_sync(m, a[i]) + cuda.eq_sync(m, True)
    a[3] = cuda.ballot_sync(m, a[i])
    a[4] = cuda.match_any_sync(m, a[i])
    a[5], a[6] = cuda.match_all_sync(m, b[i])
    a[7] = cuda.lanemask_lt()


# --- atomic operations ------------------------------------------------------------------------


@each(REALS, "void(T[::1], T[:,:])", "atom.", ".shared.", ".global.")
def atomics(a, b):
    i = cuda.threadIdx.x
    s = cuda.shared.array(4, a.dtype)
    r = cuda.atomic.add(a, i, a[1]) + cuda.atomic.sub(b, (i, 0), 2)
    r += cuda.atomic.add(s, 1, 1) + cuda.atomic.exch(s, i, 3) + cuda.atomic.cas(a, i, 1, 2)
    r += cuda.atomic.max(a, i, 3) + cuda.atomic.min(s, -1, 3) + cuda.atomic.nanmax(b, (i, 1), 3)
    a[1] = r + cuda.atomic.nanmin(a, 0, 1) + cuda.atomic.compare_and_swap(a, 0, 1)


@each(INTEGERS, "void(T[::1], T[:,:])", "atom.")
def atomics_on_bits(a, b):
    i = cuda.threadIdx.x
    r = cuda.atomic.and_(a, i, a[1]) + cuda.atomic.or_(b, (i, 0), 2)
    a[0] = r + cuda.atomic.xor(a, i, 1)


@each("uint32 uint64", "void(T[::1])", "atom.")
def atomic_counters(a):
    a[1] = cuda.atomic.inc(a, 0, 5) + cuda.atomic.dec(a, 0, 5)


@each("float16 float32 float64", "void(T[::1])", "atom.global.add", "!cas")
def sums_of_floats_are_one_instruction(a):
    cuda.atomic.add(a, 0, 1)
    cuda.atomic.sub(a, 0, a[1])
