"""Sums of views whose elements lie in runs, or on axes without a step, have NumPy's bits."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway


@cutaway.jit
def added(a):
    return a.sum()


def views(dtype, seed):
    """Views of one to four dimensions: cut, turned around, transposed, spread."""
    rng = np.random.default_rng(seed)
    largest = 0 if dtype is np.float16 else 6
    plain = rng.normal(size=24_000) * 10.0 ** rng.integers(-6, largest, 24_000)
    base = (plain + 1j * plain[::-1] if np.dtype(dtype).kind == "c" else plain).astype(dtype)
    yield base.reshape(-1, 4)[:, :3]
    yield base.reshape(200, 120)[::-1]
    yield base.reshape(200, 120)[:, ::-1]
    yield base.reshape(40, 30, 20)[:, 1:29, ::2]
    yield base[::-1]
    for shape in ((3, 24_000), (2, 3, 24_000)):
        yield np.broadcast_to(base, shape)
    yield np.broadcast_to(base[:50, None], (50, 7))
    yield np.broadcast_to(base[:60].reshape(4, 1, 15), (4, 6, 15))
    yield np.broadcast_to(base[:60].reshape(4, 1, 15), (3, 4, 6, 15)).transpose(3, 0, 2, 1)
    for _ in range(12):
        shape = tuple(rng.integers(1, 9, rng.integers(2, 5)))
        one = base[: np.prod(shape)].reshape(shape).transpose(rng.permutation(len(shape)))
        steps = [slice(None, None, int(rng.choice([-2, -1, 1, 2]))) for _ in shape]
        cut = one[tuple(steps)]
        yield cut
        yield np.broadcast_to(cut[..., None, :], (*cut.shape[:-1], 5, cut.shape[-1]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.complex128])
def test_sums_of_views(dtype):
    with np.errstate(all="ignore"):
        for k, view in enumerate(views(dtype, 5)):
            expected = view.sum()
            found = expected.dtype.type(added(view))
            assert expected.tobytes() == found.tobytes(), (k, view.shape, view.strides)


def test_an_array_without_elements():
    assert added(np.zeros((3, 0, 4))[:, :, ::2]) == 0.0
