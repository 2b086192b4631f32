"""`@guvectorize(target="cuda")`: a thread for each part, and NumPy's rules for shapes and types."""

from __future__ import annotations

import numpy as np
import pytest

from cutaway import cuda, guvectorize
from cutaway.errors import OptionError, SignatureError, TypingError

pytestmark = pytest.mark.sampled(others=4)


@guvectorize(["void(float64[:],float64[:],float64[:])"], "(n),(n)->()", target="cuda")
def dot(a, b, out):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    out[0] = total


@guvectorize(["void(float64[:,:],float64[:,:],float64[:,:])"], "(m,k),(k,n)->(m,n)", target="cuda")
def product(a, b, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = 0.0
            for k in range(a.shape[1]):
                out[i, j] += a[i, k] * b[k, j]


@guvectorize("(n),()->(n)", target="cuda")
def shifted(x, by, out):
    for i in range(x.shape[0]):
        out[i] = x[i] + by


A = np.arange(24.0).reshape(2, 3, 4)


def check(found, wanted):
    assert type(found) is type(wanted)
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (A, A),
        (A, A[0, 0]),
        (A[0, 0], A[0, 0]),
        (A[:, ::2], A[:, 1:, None, :][:, :1, 0]),
        (A[..., ::2], A[..., ::-2]),
        (A.astype("i4"), A.astype("f4")),
        (np.asfortranarray(A), A),
        (A.T, A.T),
        (np.zeros((2, 0)), np.zeros((2, 0))),
        (np.zeros((0, 2)), np.zeros((0, 2))),
        (np.broadcast_to(A[0], (5, 3, 4)), A[0, 0]),
        ([1, 2], [3, 4]),
    ],
)
def test_parts_are_those_of_numpy(a, b):
    wanted = np.einsum("...i,...i->...", np.asarray(a, "f8"), np.asarray(b, "f8"))
    check(dot(a, b), wanted[()])


def test_products_of_matrices_are_broadcast():
    check(product(A, A[0].T), A @ A[0].T)
    check(product(A[:, None], A.transpose(0, 2, 1)), A[:, None] @ A.transpose(0, 2, 1))
    on_gpu = product(cuda.to_device(A), cuda.to_device(np.asfortranarray(A[0].T)))
    assert isinstance(on_gpu, cuda.DeviceArray)
    check(on_gpu.copy_to_host(), A @ A[0].T)


def test_results_go_where_out_says():
    out = np.zeros((2, 6), "f4")[:, ::2]
    assert dot(A, A, out) is out and dot(A, A, out=out) is out
    check(np.array(out), np.sum(A * A, -1).astype("f4"))
    for dtype in ("f8", "f4"):
        on_gpu = cuda.device_array((2, 3), dtype)
        assert dot(A, A, out=on_gpu, stream=cuda.stream()) is on_gpu
        check(on_gpu.copy_to_host(), np.sum(A * A, -1).astype(dtype))


def test_the_types_of_outputs_say_which_loop_is_compiled():
    with pytest.raises(TypeError, match="the types of the outputs are not known"):
        shifted(A, 1)
    out = np.zeros((2, 3, 4))
    check(shifted(A, np.arange(3.0), out), A + np.arange(3.0)[:, None])
    check(shifted(A, 2.0), A + 2.0)
    assert shifted.types == ["dd->d"] and shifted.nin == 2 and shifted.nout == 1
    single = shifted(A.astype("f4"), np.float32(1), out=np.zeros((2, 3, 4), "f4"))
    assert single.dtype == np.float32 and shifted.types == ["dd->d"]  # which loses nothing


def test_a_function_may_have_no_inputs_and_sizes_may_be_numbers():
    @guvectorize(["void(int64[:])"], "->(3)", target="cuda")
    def counted(out):
        for i in range(3):
            out[i] = i

    check(counted(), np.arange(3))
    with pytest.raises(ValueError, match="size 2 is different from 3"):
        counted(out=np.zeros(2, int))


def test_inputs_that_are_written_to_come_back():
    @guvectorize(
        ["void(float64[:],int64[:],float64[:,:])"],
        "(n),()->(n,n)",
        target="cuda",
        writable_args=("x",),
    )
    def outer(x, more, out):
        for i in range(x.shape[0]):
            for j in range(x.shape[0]):
                out[i, j] = x[i] * x[j] + more[0]
        x[0] = -1

    x = np.arange(6.0).reshape(2, 3)
    wanted = x[:, :, None] * x[:, None, :] + 5
    check(outer(x, 5), wanted)
    assert x.tolist() == [[-1, 1, 2], [-1, 4, 5]]
    on_gpu = cuda.to_device(np.arange(3))  # of another type
    outer(on_gpu, 5)
    assert on_gpu.copy_to_host().tolist() == [-1, 1, 2]


def test_a_result_over_an_input_is_no_race():
    @guvectorize(["void(float64[:],float64[:])"], "(n)->(n)", target="cuda")
    def reversed_(x, out):
        for i in range(x.shape[0]):
            out[i] = x[x.shape[0] - 1 - i]

    x = cuda.to_device(A[0])
    reversed_(x, out=x)
    check(x.copy_to_host(), A[0, :, ::-1])
    square = cuda.to_device(np.arange(9.0).reshape(3, 3))
    reversed_(square.T, out=square)
    check(square.copy_to_host(), np.arange(9.0).reshape(3, 3).T[:, ::-1])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: dot(A), TypeError, "takes from 2 to 3 positional arguments but 1 was given"),
        (lambda: dot(A, A[..., :3]), ValueError, r"core dimension 0, with gufunc signature \(n\)"),
        (lambda: dot(A, 1.0), ValueError, "Input operand 1 does not have enough dimensions"),
        (lambda: dot(A[0], A[0, :2]), ValueError, r"with shapes \(3,\) \(2,\)"),
        (lambda: dot(A, A, out=np.zeros((3, 2))), ValueError, "broadcast together with shapes"),
        (lambda: dot(A[0], A[0], out=np.zeros((1,))), ValueError, "non-broadcastable output"),
        (lambda: dot(A * 1j, A), TypeError, "not supported for the input types"),
        (lambda: dot(A, A, where=False), TypeError, "unexpected keyword argument 'where'"),
        (lambda: dot(A, A, axis=0), TypeError, "unexpected keyword argument 'axis'"),
        (
            lambda: guvectorize(["void(f8,f8)"], "(n)->(n)", target="cuda")(lambda x, y: None),
            SignatureError,
            "takes 1 dimension",
        ),
        (
            lambda: guvectorize("(n)->(n)", target="cuda", writable_args=("z",))(lambda x, y: None),
            OptionError,
            "has no input 'z'",
        ),
    ],
)
def test_what_does_not_fit_is_told(call, error, words):
    with pytest.raises(error, match=words):
        call()


def _assigned(x, out):
    if x[0] < 0:
        out = x  # noqa: F841
    else:
        out[0] = 1


def test_an_output_whose_name_is_assigned_is_refused_with_the_line():
    with pytest.raises(TypingError, match="nothing is stored in the output `out`") as caught:
        guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", target="cuda")(_assigned)
    assert caught.value.loc.line == _assigned.__code__.co_firstlineno + 2
    growing = guvectorize("(n)->(n)", target="cuda")(_assigned)
    with pytest.raises(TypingError, match="nothing is stored in the output `out`"):
        growing(np.ones(3), np.ones(3))
