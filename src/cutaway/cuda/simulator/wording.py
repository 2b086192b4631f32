"""The words of a kernel as Python: a thread's position, synchronization, and shared memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cutaway.cuda.simulator import accesses, arithmetic
from cutaway.cuda.simulator.shapes import shape_of
from cutaway.cuda.simulator.threads import Thread
from cutaway.cuda.simulator.warps import ALL
from cutaway.gpu import words
from cutaway.ir import nodes
from cutaway.typing import types
from cutaway.typing.types import Array, Tuple

if TYPE_CHECKING:
    from cutaway.cuda.simulator.writing import FunctionWriter

Word = Callable[["FunctionWriter", nodes.Call, list[str]], None]
WORDING: dict[Any, Word] = {}


def _word(*functions: Any) -> Callable[[Word], Word]:
    def register(function: Word) -> Word:
        for one in functions:
            WORDING[one] = function
        return function

    return register


# --- the grid -----------------------------------------------------------------------------------


@_word(words.grid)
def _grid(w: FunctionWriter, op: nodes.Call, texts: list[str]) -> None:
    _by_axis(w, op, lambda axis: f"t.blockIdx_{axis} * blockDim_{axis} + t.threadIdx_{axis}")


@_word(words.gridsize)
def _gridsize(w: FunctionWriter, op: nodes.Call, texts: list[str]) -> None:
    _by_axis(w, op, lambda axis: f"gridDim_{axis} * blockDim_{axis}")


def _by_axis(w: FunctionWriter, op: nodes.Call, text: Callable[[str], str]) -> None:
    ty = w.types[op.result]
    if not isinstance(ty, Tuple):
        w.assign(op.result, text("x"))
        return
    w.assign(op.result, f"({', '.join(text(axis) for axis in 'xyz'[: len(ty.items)])})")


# --- waiting ------------------------------------------------------------------------------------


def _waits(w: FunctionWriter, op: nodes.Call, kind: str, texts: list[str]) -> str:
    """Return an expression that waits; its value is the result of the synchronization."""
    w.is_generator = True
    wait = w.program.wait(kind, op.loc, w.types[op.result])
    return f"yield ({', '.join([wait, *texts])})" if texts else f"yield {wait}"


@_word(words.syncthreads)
def _syncthreads(w: FunctionWriter, op: nodes.Call, texts: list[str]) -> None:
    w.text.line(_waits(w, op, "syncthreads", []))


def _told(function: Any) -> None:
    @_word(function)
    def write(w: FunctionWriter, op: nodes.Call, texts: list[str]) -> None:
        if function is words.syncwarp and not texts:
            texts = [f"{ALL:#x}"]
        text = _waits(w, op, function.__name__, texts)
        if w.types[op.result] is types.none:
            w.text.line(text)
        else:
            w.assign(op.result, text)


for _name in """
    syncthreads_and syncthreads_or syncthreads_count syncwarp shfl_sync shfl_up_sync
    shfl_down_sync shfl_xor_sync all_sync any_sync eq_sync ballot_sync match_any_sync
    match_all_sync activemask
""".split():
    _told(getattr(words, _name))


@_word(words.threadfence, words.threadfence_system)
def _threadfence(w: FunctionWriter, op: nodes.Call, texts: list[str]) -> None:
    w.program.uses_fences = True
    w.text.line(f"t.{Thread.fence.__name__}()")


@_word(words.threadfence_block)
def _threadfence_block(w: FunctionWriter, op: nodes.Call, texts: list[str]) -> None:
    w.program.uses_fences = True
    w.text.line(f"t.{Thread.fence_block.__name__}()")


@_word(words.nanosleep)
def _nanosleep(w: FunctionWriter, op: nodes.Call, texts: list[str]) -> None:
    w.is_generator = True
    w.text.line(f"yield {w.program.wait('spin', op.loc)}")


@_word(words.lanemask_lt)
def _lanemask_lt(w: FunctionWriter, op: nodes.Call, texts: list[str]) -> None:
    w.assign(op.result, "((1 << t.lane) - 1)", pure=True)


# --- numbers ------------------------------------------------------------------------------------


def _bits(w: FunctionWriter, op: nodes.Call) -> int:
    ty = w.types[op.args[0]]
    return max(getattr(ty, "bits", 32), 32)


@_word(words.popc, words.clz, words.ffs, words.brev)
def _count_bits(w: FunctionWriter, op: nodes.Call, texts: list[str]) -> None:
    name = w.program.calling.callee_of(w, op).__name__
    text = f"{name}({texts[0]}, {_bits(w, op)})"
    ty = w.types[op.result]
    if name == "brev":
        arithmetic.give(w, op.result, text, ty)
    else:
        w.assign(op.result, text, pure=True)


@_word(words.fma, words.cbrt, words.rsqrt, words.sincos)
def _of_floats(w: FunctionWriter, op: nodes.Call, texts: list[str]) -> None:
    name = w.program.calling.callee_of(w, op).__name__
    ty = w.types[op.result]
    if isinstance(ty, Tuple):
        narrow = ty.items[0] is types.float32
        w.assign(op.result, f"{name}({texts[0]}, {narrow})")
    elif name == "fma" and ty is types.float32:
        w.assign(op.result, f"fma_single({', '.join(texts)})")
    else:
        arithmetic.give(w, op.result, f"{name}({', '.join(texts)})", ty)


@_word(words.selp)
def _selp(w: FunctionWriter, op: nodes.Call, texts: list[str]) -> None:
    cond, then, orelse = texts
    w.assign(op.result, f"({then} if {cond} else {orelse})", pure=True)


# --- memory -------------------------------------------------------------------------------------


def _place(w: FunctionWriter, op: nodes.Call) -> str:
    ty = w.types[op.result]
    assert isinstance(ty, Array)
    return str(w.program.shared(w, op, ty, shape_of(w, op)))


@_word(words.shared.array)
def _shared(w: FunctionWriter, op: nodes.Call, texts: list[str]) -> None:
    w.assign(op.result, f"t.shared({_place(w, op)})")


@_word(words.local.array)
def _local(w: FunctionWriter, op: nodes.Call, texts: list[str]) -> None:
    w.assign(op.result, f"local_array({_place(w, op)})")


@_word(words.const.array_like)
def _constant(w: FunctionWriter, op: nodes.Call, texts: list[str]) -> None:
    w.assign(op.result, texts[0])


# --- atomics ------------------------------------------------------------------------------------


def _atomic(function: Any) -> None:
    @_word(function)
    def write(w: FunctionWriter, op: nodes.Call, texts: list[str]) -> None:
        array = op.args[0]
        ty = w.types[array]
        assert isinstance(ty, Array)
        if function is words.atomic.compare_and_swap:
            parts, values = [("0", types.int64, (0, 0))] * ty.ndim, texts[1:]
        else:
            parts, values = accesses.index_parts(w, op.args[1]), texts[2:]
        unit = accesses.unit_of(w, array, parts, (), op)
        w.program.uses_atomics = True
        accesses.note(w, op, array, unit, "a")
        w.text.line(f"if FENCES: t.meet({w.part_name(array, 'at')} + {unit})")
        cells = w.part_name(array, "cells")
        old = w.name_of(op.result)
        w.text.line(f"{old} = {cells}[{unit}]")
        if accesses.may_be_unset(w, array):
            w.text.line(f"if {old} is None:")
            with w.text.indented():
                where = f"{w.use(array)}, {unit}, {w.program.place(op.loc)}"
                w.text.line(f"{old} = t.unset({where})")
        name = w.program.atomic(function.__name__, ty.dtype)
        w.text.line(f"{cells}[{unit}] = {name}({', '.join([old, *values])})")


for _name in """
    add sub min max nanmin nanmax and_ or_ xor exch inc dec cas compare_and_swap
""".split():
    _atomic(getattr(words.atomic, _name))
