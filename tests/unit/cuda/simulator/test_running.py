"""Launches in the simulator: order, arguments, what is reported."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

import warm
from corpus.kernels import blocks, elements, neighbors
from corpus.kernels.corpus import RIGHT
from cutaway import cuda, types
from cutaway.errors import CudaError, OptionError

assert all((blocks, elements, neighbors))  # imported for their kernels

BOTH_WAYS = """
    sum_by_tree scan_blelloch bitonic_sort histogram_in_shared sum_by_last_block particles_move
    one_atomic_for_a_warp stencil_1d_with_halo
""".split()


@pytest.mark.parametrize(
    "row", [row for row in RIGHT if row.name in BOTH_WAYS], ids=lambda row: row.name
)
def test_python_and_what_the_simulator_writes_agree(row):
    results = []
    for plainly in (False, True):
        given = row.given()

        def run(kernel, grid, block, shared=0, plainly=plainly):
            return cuda.simulate(kernel, plain=plainly)[grid, block, 0, shared]

        row.steps(run, **given)
        results.append(given)
    for name, value in results[0].items():
        if isinstance(value, np.ndarray) and value.dtype.names is None:
            assert np.allclose(value, results[1][name], rtol=1e-6), name


@cuda.jit
def in_order(order, place):
    order[cuda.atomic.add(place, 0, 1)] = cuda.grid(1)


def ordered(seed):
    order = np.zeros(64, np.int64)
    cuda.simulate(in_order, seed=seed)[4, 16](order, np.zeros(1, np.int64))
    return list(order)


def test_the_order_of_threads_follows_from_the_seed():
    assert ordered(1) == ordered(1)
    assert ordered(1) != ordered(2)
    assert sorted(ordered(3)) == list(range(64))


@cuda.jit
def types_of_the_machine(a, b, c, d):
    a[0] += np.int32(1)
    b[0] = b[0] * b[1]
    c[0] = c[0] + np.uint8(250)
    d[0] = d[0] * d[1] + np.float32(0.1)


def test_numbers_are_those_of_the_machine():
    a, b = np.array([2**31 - 1], np.int32), np.array([2**40, 2**40 + 1])
    c, d = np.array([10], np.uint8), np.array([0.1, 3], np.float32)
    cuda.simulate(types_of_the_machine)[1, 1](a, b, c, d)
    assert (a[0], c[0]) == (-(2**31), 4)
    assert b[0] == (2**80 + 2**40) % 2**64
    assert d[0] == np.float32(0.1) * np.float32(3) + np.float32(0.1)


@cuda.jit
def all_kinds(x, pair, flag, z, h):
    i = cuda.grid(1)
    if flag:
        x[i] += pair[0] * pair[1]
        z[i] = z[i] * z[i] + 1j
        h[i] = h[i] * h[i]


def test_arguments_of_many_kinds():
    x, z, h = np.ones(4)[::2], np.full(2, 1 + 2j, np.complex64), np.full(2, 0.1, np.float16)
    wanted = h * h
    cuda.simulate(all_kinds)[1, 2](x, (2, 0.5), True, z, h)
    assert list(x) == [2, 2]
    assert list(z) == [-3 + 5j] * 2
    assert np.array_equal(h, wanted)


@cuda.jit
def overlapping(a, b):
    i = cuda.threadIdx.x
    a[i] = b[i]


def test_arrays_that_share_memory_race():
    x = np.arange(33.0)
    with pytest.raises(cuda.RaceError):
        cuda.simulate(overlapping)[1, 32](x[:32], x[1:])
    cuda.simulate(overlapping)[1, 32](x[:32], x[:32].copy())


@cuda.jit
def by_columns(a, out):
    i = cuda.threadIdx.x
    s = cuda.shared.array((32, 32), np.float32)
    for k in range(32):
        s[i, k] = a[i, k]
    cuda.syncthreads()
    out[i] = s[0, i]


def test_access_patterns_are_remarked():
    simulation = cuda.simulate(by_columns)
    simulation[1, 32](np.ones((32, 32), np.float32), np.zeros(32, np.float32))
    kinds = {(one.kind, one.name): one for one in simulation.report.remarks}
    assert kinds["bank conflict", "s"].worst == 32
    assert kinds["uncoalesced access", "a"].average == 32
    assert len(kinds) == 2
    assert simulation.report.barriers == 1
    assert simulation.report.threads == 32
    assert "32-way bank conflict: `s`" in str(simulation.report)


@cuda.jit(device=True)
def doubled(x):
    return x + x


@cuda.jit
def looped(x):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        x[i] = doubled(x[i])


def test_the_source_can_be_read():
    text = cuda.simulate(looped).source(np.zeros(3))
    assert text == cuda.simulate(looped).source(types.float64[::1])
    assert "for i in " in text
    assert "def doubled(t, x):" in text
    assert "test_running.py:" in text
    compile(text, "text", "exec")


def test_a_traceback_shows_the_lines_of_the_kernel():
    @cuda.jit
    def fails(x):
        y = x[0]
        x[10] = y

    with pytest.raises(IndexError) as caught:
        cuda.simulate(fails)[1, 1](np.zeros(3))
    line = fails.py_func.__code__.co_firstlineno + 3
    assert ("fails", line) in [(one.name, one.lineno + 1) for one in caught.traceback]


def test_what_is_no_kernel_is_refused():
    with pytest.raises(CudaError, match="only a kernel"):
        cuda.simulate(len)
    with pytest.raises(CudaError, match="device function"):
        cuda.simulate(doubled)
    with pytest.raises(OptionError):
        cuda.simulate(looped, on_race="ignore")


PROGRAM = """
import numpy as np
from cutaway import cuda
@cuda.jit
def f(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = i
x = np.zeros(5)
f[1, 8](x)
print(x.tolist())
"""


@pytest.mark.parametrize("name", ["CUTAWAY_CUDA_SIMULATOR", "NUMBA_ENABLE_CUDASIM"])
def test_a_setting_has_launches_simulated(name, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    run = warm.run(
        [sys.executable, path], env={**os.environ, name: "1"}, capture_output=True, text=True
    )
    assert run.stdout.strip().endswith("[0.0, 1.0, 2.0, 3.0, 4.0]"), run.stderr


def test_a_level_runs_with_one_thread():
    x = np.arange(6.0)
    with cuda.one_thread(thread=(1, 0, 0), threads=(2, 1, 1)):
        looped.trace(x).at("typed").run(x)
    assert list(x) == [0, 2, 2, 6, 4, 10]
    with pytest.raises(CudaError, match="many threads"):
        looped.trace(x).at("typed").run(x)
