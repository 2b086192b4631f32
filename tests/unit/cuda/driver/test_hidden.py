"""What lies in the memory of a GPU is never an array that Python code could read."""

from __future__ import annotations

import sys
from collections import namedtuple

import numpy as np
import pytest

from cutaway import cuda
from cutaway.driver_c import _driver
from cutaway.typing.values.typeof import typeof

Pair = namedtuple("Pair", "left right")


def readonly(array):
    array.flags.writeable = False
    return array


VALUES = [
    np.zeros(5),
    np.zeros((3, 4), order="F"),
    np.zeros((4, 6, 8))[:, ::2],
    np.zeros(9)[::3],
    np.array(3, np.int8),
    readonly(np.zeros((2, 2))),
    readonly(np.zeros((6, 6))[::2, ::3]),
    np.zeros(17, np.uint8)[1:].view(np.float64),
    np.zeros((2,) * 12, np.float32),
    np.zeros(3, "M8[s]"),
    np.zeros(3, [("a", np.int8), ("b", np.float64)]),
    np.zeros(3, [("a", np.int8), ("b", np.float64)])[0],
    (1, np.zeros(3), (np.zeros((2, 2)),)),
    Pair(np.zeros(3), Pair(1, None)),
    2.5,
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: str(typeof(value)))
def test_a_stand_in_has_the_type_of_what_it_stands_for(value):
    made = _driver.stand_in(value)
    assert typeof(made) is typeof(value)
    assert repr(made) and made is not value or value == 2.5


def test_a_compilation_is_traced_for_arrays_on_the_gpu(fake):
    traced = cuda.jit(lambda x, y: None).trace(cuda.to_device(np.zeros(3)), cuda.In(np.zeros(3)))
    assert traced.signature.count("array(float64, 1d, C)") == 2


def test_no_frame_has_an_array_of_the_gpu_among_its_variables(fake):
    data = cuda.to_device(np.arange(6.0))
    seen, frames = [], 0

    def is_of_gpu(value):
        if isinstance(value, tuple | list):
            return any(map(is_of_gpu, value))
        if isinstance(value, dict):
            return any(map(is_of_gpu, value.values()))
        return isinstance(value, np.ndarray) and value.ctypes.data == data.address

    def trace(frame, event, arg):
        nonlocal frames
        frames += 1
        if any(map(is_of_gpu, frame.f_locals.values())) or is_of_gpu(arg):
            seen.append(frame.f_code.co_qualname)
        return trace if "cuda" in frame.f_code.co_filename or event == "call" else None

    def kernel(x, *rest, n=2):
        pass

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        cuda.jit(kernel)[1, 1](data, (data, 1), data, n=data)
        with pytest.raises(TypeError):
            cuda.jit(kernel)[1, 1](data, m=data)
    finally:
        sys.settrace(before)
    assert seen == [] and frames > 1000
