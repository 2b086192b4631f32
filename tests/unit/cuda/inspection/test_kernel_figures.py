"""What ptxas says of a kernel's registers and memory, as remarks."""

from __future__ import annotations

import numpy as np
import pytest

from cuda.inspection.kernels import CALLS, DOUBLES, line_of, saxpy
from cutaway import cuda
from cutaway.errors import PipelineError
from cutaway.inspection.gpu import figure_remarks, figures
from cutaway.inspection.gpu.figure_remarks import _words
from cutaway.targets.ptx.assembling import KernelFigures
from cutaway.targets.ptx.toolkit import ptxas_for

pytestmark = pytest.mark.sampled(others=4, fast=6)

needs_ptxas = pytest.mark.skipif(ptxas_for((8, 0)) is None, reason="no ptxas has code for sm_80")


def said(compilation):
    return [row for row in compilation.remarks if row.pass_name == "ptxas"]


class Unit:
    """As much of a unit as the words need."""

    def __init__(self, unit, threads=0):
        self.target = unit.target
        self.ptx = f".maxntid {threads}, 1, 1\n" if threads else ""
        self.ptx = f"{{\n{self.ptx}"


@needs_ptxas
def test_a_remark_tells_registers_and_memory_at_the_head(traced):
    (row,) = said(traced["total"])
    (known,) = traced["total"].figures
    assert row.line == line_of("def total(") and row.kind == "note"
    assert row.message == (
        f"a thread takes {known.registers} registers,"
        " a block 2048 bytes of shared memory and 1 barrier"
    )
    assert any("2048 bytes" in row.reason for row in traced["total"].record.remarks)


@needs_ptxas
def test_what_spills_is_missed():
    @cuda.jit(cc=(8, 0), max_registers=16)
    def heavy(x, out):
        a = cuda.local.array(64, np.float64)
        i = cuda.grid(1)
        for k in range(64):
            a[k] = x[(i + k) % x.size]
        s = 0.0
        for k in range(64):
            for j in range(64):
                s += a[k] * a[j] + a[(k * j) % 64]
        out[i] = s

    compilation = heavy.trace(DOUBLES, DOUBLES)
    missed, note = said(compilation)
    assert "registers do not suffice: a thread stores" in missed.message
    assert "max_registers" in missed.hint
    assert "of local memory" in note.message


def test_nothing_is_said_without_ptxas(monkeypatch):
    monkeypatch.setattr(figures, "ptxas_for", lambda cc: None)
    figures._assembled.cache_clear()
    compilation = saxpy.trace(*CALLS[0][1])
    assert compilation.figures == () and said(compilation) == []
    assert compilation.at("ptx").verify() == ()
    figures._assembled.cache_clear()


@pytest.mark.parametrize(
    ("known", "threads", "kind", "words"),
    [
        (KernelFigures("k", 32), 0, "", ""),
        (KernelFigures("k", 40), 0, "note", "registers for 51 of the 64 warps"),
        (KernelFigures("k", 255), 0, "missed", "registers for 8 of the 64 warps"),
        (KernelFigures("k", 40), 512, "note", "registers for 48 of the 64 warps"),
        (KernelFigures("k", 255), 512, "missed", "a block of 512 threads cannot run"),
        (KernelFigures("k", 32, shared=48 << 10), 256, "missed", "shared memory for 24 of the 64"),
        (KernelFigures("k", 32, shared=1 << 10), 256, "", ""),
    ],
)
def test_warps_that_fit_are_counted(traced, known, threads, kind, words):
    unit = Unit(traced["saxpy"].at("ptx").unit, threads)
    taken, *more = _words(known, unit)
    assert taken[0] == "note" and "a thread takes" in taken[1]
    assert [(said[0], words in said[1]) for said in more] == [(kind, True)] * bool(words)


def test_the_threads_of_launch_bounds_are_read():
    kernel = cuda.jit(cc=(8, 0), launch_bounds=(256, 2))(saxpy.py_func)
    assert figure_remarks._threads(kernel.trace(*CALLS[0][1]).at("ptx").text) == 256


def test_a_function_of_the_cpu_has_no_figures():
    import cutaway

    with pytest.raises(PipelineError, match="no level or pass 'ptx'"):
        _ = cutaway.trace(lambda x: x + 1, 2).figures


def test_loops_are_not_said_to_miss_vectors(traced):
    """Of a GPU each thread has one value at a time."""
    passes = {row.pass_name for row in traced["total"].remarks}
    assert "LoopVectorize" not in passes
    assert "LoopFullUnroll" in passes
    assert traced["total"].remarks.error == ""
