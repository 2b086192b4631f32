"""Records as arguments of launches: one for all threads, and the caller sees what they write."""

from __future__ import annotations

import numpy as np
import pytest

from cutaway import cuda

POINT = np.dtype([("x", np.int32), ("y", np.float64)], align=True)


@pytest.mark.parametrize("plain", [False, True])
def test_what_a_kernel_writes_is_in_the_record(plain):
    @cuda.jit
    def kernel(point, out):
        if cuda.grid(1) == 0:
            point.y = point.x + 0.5
            out[0] = point.y

    points, out = np.zeros(3, POINT), np.zeros(1)
    points["x"] = 7
    cuda.simulate(kernel, plain=plain)[1, 2](points[1], out)
    assert out[0] == 7.5
    assert points["y"].tolist() == [0, 7.5, 0]


def test_a_record_that_cannot_be_written_stays_as_it_is():
    @cuda.jit
    def kernel(point, out):
        out[0] = point.x

    points, out = np.ones(2, POINT), np.zeros(1)
    points.flags.writeable = False
    cuda.simulate(kernel)[1, 1](points[0], out)
    assert out[0] == 1


def test_threads_race_for_a_field():
    @cuda.jit
    def kernel(point):
        point.x += 1

    with pytest.raises(cuda.RaceError, match="point"):
        cuda.simulate(kernel)[1, 32](np.zeros(1, POINT)[0])
