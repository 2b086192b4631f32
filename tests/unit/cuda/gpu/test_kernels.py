"""The corpus of kernels on a GPU: what NumPy computes, and the simulator, bit by bit or nearly."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from corpus.kernels.corpus import RIGHT
from corpus.kernels.emitting import emitted
from cutaway import cuda

assert emitted  # imported for the rows of the corpus


def on_gpu(kernel, grid, block, shared):
    return kernel[grid, block, 0, shared]


def on_device_arrays(kernel, grid, block, shared):
    """The same with arrays that are copied by hand."""

    def run(*args):
        moved = [cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in args]
        kernel[grid, block, 0, shared](*moved)
        for host, data in zip(args, moved):
            if isinstance(host, np.ndarray) and host.flags.writeable:
                data.copy_to_host(host)

    return run


def simulated(kernel, grid, block, shared):
    return cuda.simulate(kernel)[grid, block, 0, shared]


def same(found, wanted, close):
    for name, value in wanted.items():
        for field in value.dtype.names or [...]:
            np.testing.assert_allclose(
                found[name][field], value[field], rtol=close, atol=close, err_msg=name
            )


@pytest.mark.parametrize("run", [on_gpu, on_device_arrays], ids=["host", "device"])
@pytest.mark.parametrize("row", RIGHT, ids=lambda row: row.name)
def test_a_kernel_computes_what_numpy_does(row, run):
    given = row.given()
    wanted = row.answer(**copy.deepcopy(given))
    row.steps(run, **given)
    same(given, wanted, row.close)


@pytest.mark.parametrize("row", RIGHT, ids=lambda row: row.name)
def test_a_kernel_computes_what_the_simulator_does(row):
    given, simulated_given = row.given(), row.given()
    row.steps(on_gpu, **given)
    row.steps(simulated, **simulated_given)
    arrays = {n: a for n, a in simulated_given.items() if isinstance(a, np.ndarray)}
    same(given, arrays, row.close)


def without_ptxas(monkeypatch):
    monkeypatch.setattr("cutaway.cuda.code.ptxas_for", lambda cc: None)


@pytest.mark.parametrize("row", RIGHT[::4], ids=lambda row: row.name)
def test_the_compiler_of_the_driver_does_as_well(row, monkeypatch):
    without_ptxas(monkeypatch)
    cuda.close()  # modules that are loaded would be used again
    kernels = [copy.copy(row)]
    for one in kernels:
        given = one.given()
        wanted = one.answer(**copy.deepcopy(given))
        one.steps(lambda kernel, *how: on_gpu(cuda.jit(kernel.py_func), *how), **given)
        same(given, wanted, max(one.close, 1e-5))
