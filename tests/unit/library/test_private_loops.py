"""NumPy's loops for linear algebra and transforms are where they are looked for, one by one, and do
what NumPy's functions do."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import cutaway
import warm
from cutaway.errors import TypingError
from cutaway.runtime import numpy_loops

pytestmark = pytest.mark.sampled(fast=8)

LINALG = {
    "cholesky_lo": ("t", "t"),
    "cholesky_up": ("t", "t"),
    "det": ("t", "t"),
    "eig": ("t", "DD"),
    "eigh_lo": ("t", "dt"),
    "eigh_up": ("t", "dt"),
    "eigvals": ("t", "D"),
    "eigvalsh_lo": ("t", "d"),
    "eigvalsh_up": ("t", "d"),
    "inv": ("t", "t"),
    "lstsq": ("ttd", "tdid"),
    "qr_complete": ("tt", "t"),
    "qr_r_raw": ("t", "t"),
    "qr_reduced": ("tt", "t"),
    "slogdet": ("t", "td"),
    "solve": ("tt", "t"),
    "solve1": ("tt", "t"),
    "svd": ("t", "d"),
    "svd_f": ("t", "tdt"),
    "svd_s": ("t", "tdt"),
}
FFT = {
    "fft": ("Dd.D", "Ff.F"),
    "ifft": ("Dd.D", "Ff.F"),
    "irfft": ("Dd.d", "Ff.f"),
    "rfft_n_even": ("dd.D", "ff.F"),
    "rfft_n_odd": ("dd.D", "ff.F"),
}


@pytest.mark.parametrize("letter", "dD")
@pytest.mark.parametrize("name", LINALG)
def test_a_loop_of_linear_algebra_is_found(name, letter):
    inputs, outputs = (side.replace("t", letter) for side in LINALG[name])
    assert numpy_loops.address(f"numpy.linalg.{name}.{inputs}.{outputs}")


@pytest.mark.parametrize("name", FFT)
def test_a_loop_of_transforms_is_found(name):
    for kinds in FFT[name]:
        assert numpy_loops.address(f"numpy.fft.{name}.{kinds}")


@pytest.mark.parametrize("name", ["matmul", "matvec", "vecdot", "vecmat"])
def test_a_loop_of_products_is_found(name):
    for char in "?bBhHiIlLqQefdFD":
        assert numpy_loops.address(f"numpy.{name}.{char}{char}.{char}")


def test_without_the_loops_a_call_is_refused_and_products_are_not():
    program = """
import numpy as np, cutaway
from cutaway.errors import TypingError
a = np.arange(9.0).reshape(3, 3)
print(np.array_equal(cutaway.jit(lambda a: a @ a)(a), a @ a))
for function in (lambda a: np.linalg.inv(a), lambda a: np.fft.fft(a)):
    try:
        cutaway.jit(function)(a)
    except TypingError as error:
        print(str(error).splitlines()[0], "|", error.hint)
"""
    done = warm.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"CUTAWAY_NUMPY_LOOPS": "0", "PYTHONPATH": ":".join(sys.path)},
    )
    hint = "NumPy 2 is needed, and CUTAWAY_NUMPY_LOOPS must not be 0"
    cannot = "of this NumPy cannot be called from compiled code [CA102]"
    assert done.stdout.splitlines() == [
        "True",
        f"numpy.linalg.inv {cannot} | {hint}",
        f"numpy.fft.fft {cannot} | {hint}",
    ]


def test_a_stack_of_several_axes_is_gone_through_once():
    a = np.random.default_rng(3).random((2, 1, 3, 4, 4))
    b = np.random.default_rng(4).random((5, 1, 4, 2))
    solved = cutaway.jit(lambda a, b: np.linalg.solve(a, b))
    for left in (a, a[:, :, ::-1], a.transpose(2, 1, 0, 4, 3), a[:0]):
        assert np.array_equal(solved(left, b), np.linalg.solve(left, b))


def test_operands_are_left_as_they_are():
    a = np.random.default_rng(3).random((4, 4))
    a.flags.writeable = False
    before = a.copy()
    for function in (np.linalg.inv, np.linalg.qr, np.linalg.svd, np.linalg.eig, np.fft.fft):
        compiled = cutaway.jit(_calling(function))
        compiled(a)
        assert np.array_equal(a, before)


def _calling(function):
    return lambda a: function(a)


def test_other_kinds_of_numbers_are_refused_in_numpys_words():
    with pytest.raises(TypingError, match="array type float16 is unsupported in linalg"):
        cutaway.jit(lambda a: np.linalg.inv(a))(np.eye(2, dtype="e"))
    with pytest.raises(TypingError, match="1-dimensional array given"):
        cutaway.jit(lambda a: np.linalg.inv(a))(np.ones(2))


def test_real_eigenvalues_are_complex_numbers():
    a = np.diag([3.0, 1.0, 2.0])
    values, vectors = cutaway.jit(lambda a: np.linalg.eig(a))(a)
    expected = np.linalg.eig(a)
    assert values.dtype == vectors.dtype == np.complex128
    assert np.array_equal(values, expected.eigenvalues)
    assert np.array_equal(vectors, expected.eigenvectors)


@pytest.mark.parametrize(
    "program",
    [
        lambda a: np.linalg.solve(a, a[0]),
        lambda a: np.linalg.norm(a, 1),
        lambda a: np.fft.fft(a),
        lambda a: np.einsum("ij,kj->ik", a, a),
    ],
)
def test_every_level_does_the_same(program):
    a = np.arange(9.0).reshape(3, 3) + np.eye(3)
    found = cutaway.trace(program, a).witness()
    assert found.ok, str(found)
