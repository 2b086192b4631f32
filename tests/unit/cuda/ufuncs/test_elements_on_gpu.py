"""`@vectorize(target="cuda")`: the same values, dtypes, shapes and errors as of NumPy's ufuncs."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest

from cutaway import config, cuda, guvectorize, jit, vectorize
from cutaway.cuda.ufuncs import axes
from cutaway.errors import CudaError, OptionError, SignatureError, TypingError, UnsupportedError

pytestmark = pytest.mark.sampled(others=4)

LOOPS = [
    "float32(float32,float32)",
    "float64(float64,float64)",
    "complex128(complex128,complex128)",
]


@vectorize(LOOPS, target="cuda", identity=0)
def add(a, b):
    return a + b


@vectorize(target="cuda")
def divide(a, b):
    return a // b, a % b


F4, F8 = np.float32, np.float64
CUBE = np.arange(240.0).reshape(4, 5, 12)


def check(found, wanted):
    assert type(found) is type(wanted)
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 2.5),
        (np.float32(1), np.arange(4, dtype=F4)),
        (np.arange(4, dtype=F4), 1),
        (np.arange(4.0), 1j),
        (np.arange(4, dtype="i4"), np.arange(4, dtype=F4)),
        (np.arange(4, dtype="i1"), np.arange(4, dtype="u1") + 0.5),
        (np.arange(6.0)[:, None], np.arange(3.0)),
        (CUBE[::2, ::-1, ::3], CUBE[0, :, :4]),
        (CUBE.T, CUBE[0, 0, 0]),
        (np.asfortranarray(CUBE[0]), CUBE[1]),
        (np.asfortranarray(CUBE[0]), np.asfortranarray(CUBE[1])),
        (np.broadcast_to(np.arange(3.0), (4, 3)), np.zeros((4, 1))),
        (np.empty((0, 3)), 1.0),
        (np.array(2.0), np.array(3.0)),
        (np.ones((1, 1, 1)), 1.0),
        ([1, 2.0], (3.0, 4)),
        (np.arange(3.0).astype(">f8"), 1.0),
        (True, np.ones(2, bool) * 1.5),
    ],
)
def test_a_call_gives_what_numpy_gives(a, b):
    wanted = np.add(a, b)
    if wanted.dtype.char in "hHbBiIlLqQ":
        wanted = wanted.astype(F8)
    check(add(a, b), wanted)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_every_dtype_has_loops_of_its_own(dtype):
    @vectorize(target="cuda")
    def second(a, b):
        return b

    x = np.arange(5).astype(dtype)
    check(second(x[::-1], x), x)
    assert second.types == [f"{2 * x.dtype.char}->{x.dtype.char}"]


def test_several_results_are_several_arrays():
    quotients, rests = divide(np.arange(10), 3)
    check(quotients, np.arange(10) // 3)
    check(rests, np.arange(10) % 3)
    outs = np.zeros(10, "i8"), np.zeros(10, "f4")
    assert divide(np.arange(10), 3, out=outs)[1] is outs[1]
    check(outs[1], (np.arange(10) % 3).astype("f4"))


def test_results_go_where_out_says():
    out = np.zeros((2, 5, 8), F4)[..., ::2]
    x = CUBE[::2, :, :4]
    assert add(x, 1, out) is out
    check(np.array(out), (x + 1).astype(F4))
    big_endian = np.zeros(3, ">f8")
    assert add(np.arange(3.0), 1, out=big_endian) is big_endian
    assert big_endian.tolist() == [1, 2, 3]
    assert add(1.0, 2.0, out=np.zeros((2, 2))).tolist() == [[3, 3], [3, 3]]


@pytest.mark.parametrize("mask", [CUBE[0] % 2 == 0, CUBE[0, 0] > 3, False, np.True_])
def test_where_leaves_elements_as_they_are(mask):
    out, wanted = np.full((5, 12), -1.0), np.full((5, 12), -1.0)
    add(CUBE[0], 1, out=out, where=mask)
    np.add(CUBE[0], 1, out=wanted, where=mask)
    check(out, wanted)
    on_gpu = cuda.to_device(np.full((5, 12), -1.0))
    add(CUBE[0], 1, out=on_gpu, where=mask)
    check(on_gpu.copy_to_host(), wanted)


def test_types_are_chosen_as_numpy_chooses_them():
    check(add(np.arange(3.0), 1, dtype="c16"), np.arange(3) + 1 + 0j)
    check(add(np.arange(3.0, dtype=F4), 1, signature="dd->d"), np.arange(3.0) + 1)
    check(add(np.arange(3) * 2j, 1, dtype=F8, casting="unsafe"), np.ones(3))
    assert add.types == ["ff->f", "dd->d", "DD->D"] and add.nargs == 3
    on_cpu = vectorize(LOOPS)(add.py_func)
    for one in ("?", "i2", "u4", "f2", "f8", "c8"):
        for other in (int, float, complex, np.dtype("i1"), np.dtype("f4")):
            given = np.dtype(one), other, None
            assert add.resolve_dtypes(given) == on_cpu.resolve_dtypes(given)


# --- arrays on the GPU --------------------------------------------------------------------------


def test_an_array_on_the_gpu_stays_there():
    x = cuda.to_device(np.arange(6.0))
    found = add(x, np.arange(6.0))
    assert isinstance(found, cuda.DeviceArray)
    check(found.copy_to_host(), np.arange(6.0) * 2)
    check(add(x[::-2], 1, stream=cuda.stream()).copy_to_host(), np.arange(6.0)[::-2] + 1)
    host = np.zeros(6)
    assert add(x, 1, out=host) is host and host[5] == 6
    out = cuda.device_array(6, F4)
    assert add(x, 1, out=out) is out
    check(out.copy_to_host(), (np.arange(6.0) + 1).astype(F4))


class Foreign:
    """An array of another library."""

    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__
        self.owner = array.owner
        self.array_of = getattr(array.owner, "array_of", None)  # of the simulator's memory


def test_arrays_of_other_libraries_are_taken():
    x = Foreign(cuda.to_device(np.arange(4.0)))
    check(add(x, 1).copy_to_host(), np.arange(4.0) + 1)
    out = Foreign(cuda.to_device(np.zeros(4)))
    assert add(x, x, out=out) is out
    check(cuda.as_cuda_array(out).copy_to_host(), np.arange(4.0) * 2)


def test_outputs_over_inputs_are_no_race():
    x = cuda.to_device(np.arange(6.0))
    add(x, 1, out=x)
    check(x.copy_to_host(), np.arange(6.0) + 1)
    add(x[1:], x[:-1], out=x[1:])
    check(x.copy_to_host(), np.array([1, 3, 5, 7, 9, 11.0]))
    square = cuda.to_device(np.arange(9.0).reshape(3, 3))
    add(square, square.T, out=square)
    wanted = np.arange(9.0).reshape(3, 3)
    check(square.copy_to_host(), wanted + wanted.T)


def test_blocks_have_no_more_threads_than_is_said():
    @vectorize(target="cuda")
    def threads(x):
        return x + cuda.blockDim.x

    assert threads(np.zeros(1000, int)).max() == 256
    threads.max_blocksize = 64
    assert threads(np.zeros(1000, int)).max() == 64
    assert threads(np.zeros(33, int)).max() == 64 and threads(np.zeros(3, int)).max() == 32
    with pytest.raises(OptionError, match="max_blocksize"):
        threads.max_blocksize = 0


# --- errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: add(1.0), TypeError, "takes from 2 to 3 positional arguments but 1 was given"),
        (lambda: add(1, 2, 3, 4), TypeError, "from 2 to 3 positional arguments but 4 were"),
        (lambda: add(1, 2, 3.0), TypeError, "return arrays must be of ArrayType"),
        (lambda: add(1, 2, axis=0), TypeError, "unexpected keyword argument 'axis'"),
        (lambda: add(1, 2, np.ones(1), out=np.ones(1)), TypeError, "positional and keyword"),
        (lambda: add(1, 2, order="Z"), ValueError, "order must be one of"),
        (lambda: add(1, 2, dtype="f8", sig="dd->d"), TypeError, "both 'signature' and 'dtype'"),
        (lambda: add(CUBE, np.ones(5)), ValueError, r"shapes \(4, 5, 12\) \(5,\)"),
        (lambda: add(1, 2, out=np.ones(1, int)), TypeError, "Cannot cast ufunc 'add' output"),
        (lambda: add("a", 1), TypeError, "not supported for the input types"),
        (lambda: add(np.zeros(3, "i4,f4"), 1), TypeError, "not supported for the input types"),
        (lambda: add(CUBE, CUBE, out=np.zeros((1, 5, 12))), ValueError, "non-broadcastable"),
        (lambda: add(1, 2, where=np.ones(3, int)), TypeError, "where must be an array of bool"),
        (lambda: add(1, 2, out=np.broadcast_to(0.0, 3)), ValueError, "read-only"),
        (lambda: divide(1, 2, out=np.ones(1)), TypeError, "has 2 outputs: out must be a tuple"),
        (lambda: divide(1, 2, out=(np.ones(1),)), ValueError, "exactly one entry per"),
        (lambda: vectorize(target="cuda", identiy=1), OptionError, "did you mean identity?"),
        (lambda: vectorize(target="cuda", nogil=True), OptionError, "has no option 'nogil'"),
        (lambda: vectorize(target="opencl"), OptionError, "'cpu', 'parallel' or 'cuda', not"),
        (lambda: vectorize("f8(f8,f8)", target="cuda")(abs_of), SignatureError, "has 1 parameter"),
        (lambda: vectorize("f8(f8)", target="cuda")(texts_of), TypingError, "no element|float64"),
        (lambda: vectorize(target="cuda")(texts_of)(1), TypingError, "cannot be an element"),
        (lambda: vectorize(target="cuda")(caught)(1), UnsupportedError, "cannot catch exceptions"),
        (lambda: itself(1), UnsupportedError, "itself calls itself"),
    ],
)
def test_what_does_not_fit_is_told(call, error, words):
    with pytest.raises(error, match=words):
        call()


def abs_of(x):
    return abs(x)


def texts_of(x):
    return "a"


def caught(x):
    try:
        return 1 // x
    except ZeroDivisionError:
        return 0


@vectorize(target="cuda")
def itself(x):
    return itself(x - 1) if x > 0 else x


@pytest.mark.skipif(bool(os.environ.get("CUTAWAY_TEST_GPU")), reason="there is a GPU")
def test_without_a_gpu_a_call_says_so_in_a_line(tmp_path):
    path = str(tmp_path / "no_library")
    with config.using(CUDA_SIMULATOR=False, CUDA_DRIVER=path), pytest.raises(CudaError) as told:
        add(1.0, 2.0)
    assert str(told.value).startswith("no GPU:") and "CUTAWAY_CUDA_SIMULATOR=1" in told.value.hint


def test_kernels_call_the_function_for_one_element():
    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = add(x[i], 1.0)

    x = np.arange(3.0)
    kernel[1, 32](x)
    assert x.tolist() == [1, 2, 3]
    with pytest.raises(UnsupportedError, match="add is compiled for GPUs"):
        jit(lambda x: add(x, x))(1.0)


def test_an_exception_of_an_element_is_raised():
    @vectorize(target="cuda")
    def checked(x):
        if x > 2:
            raise ValueError("too large")
        return x

    check(checked(np.arange(3.0)), np.arange(3.0))
    with pytest.raises(ValueError, match="too large"):
        checked(np.arange(5.0))


def test_no_more_loops_are_compiled_when_that_was_said():
    @vectorize(target="cuda")
    def twice(x):
        return x + x

    twice.compile("float32(float32)")
    assert twice(np.arange(3, dtype="i1")).dtype == F4
    twice.disable_compile()
    assert twice.types == ["f->f"] and twice.ntypes == 1 and twice.nin == twice.nout == 1
    with pytest.raises(TypeError, match="not supported for the input types"):
        twice(1.0 + np.zeros(2))


def test_a_function_at_the_top_of_a_module_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(add)) is add
    assert repr(add) == "<vectorize function add for a GPU>" and add.identity == 0
    assert add.signature is None and len(add.signatures) == 3
    assert {"types", "reduce", "max_blocksize", "inspect_ptx"} <= set(dir(add))


def test_the_loop_of_a_call_is_told():
    told = add.explain_dispatch(np.int8(1), cuda.to_device(np.zeros(3)))
    assert told.startswith("add runs the loop dd->d: argument 0 is converted from int8 to float64")
    assert "so one is compiled" in vectorize(abs_of, target="cuda").explain_dispatch(1)


# --- loops of few axes --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "strides", "wanted"),
    [
        ((2, 3, 4), [(96, 32, 8), (96, 32, 8)], ((24,), [(8,), (8,)])),
        ((2, 3, 4), [(0, 32, 8), (96, 32, 8)], ((2, 12), [(0, 8), (96, 8)])),
        ((3, 4), [(8, 24), (8, 24)], ((12,), [(8,), (8,)])),
        ((3, 4), [(32, 8), (8, 24)], ((4, 3), [(8, 32), (24, 8)])),
        ((1, 5, 1), [(0, -8, 0), (40, 8, 8)], ((5,), [(-8,), (8,)])),
        ((), [(), ()], ((1,), [(0,), (0,)])),
    ],
)
def test_a_loop_has_as_few_axes_as_there_can_be(shape, strides, wanted):
    assert axes.merged(shape, strides) == wanted


def test_guvectorize_and_vectorize_have_names_of_their_kind():
    made = guvectorize("(n)->()", target="cuda")(lambda x, out: None)
    assert repr(made).startswith("<guvectorize function") and made.signature == "(n)->()"
