"""Rows of the case table: Fourier transforms."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row

_RANDOM = np.random.default_rng(9)
LINE = _RANDOM.random(9)
COMPLEX = LINE[:8] - 1j * _RANDOM.random(8)
TABLE = _RANDOM.random((4, 6))
BOX = _RANDOM.random((2, 3, 4)) + 0.5j


def store(a, out):
    np.fft.fft(a, out=out)
    return out


ROWS = [
    row(lambda a: np.fft.fft(a), COMPLEX),
    row(lambda a: np.fft.fft(a), LINE.astype("f")),
    row(lambda a: np.fft.fft(a, norm="ortho"), COMPLEX.astype("F")),
    row(lambda a: np.fft.fft(a, 5, 0), TABLE.T),
    row(lambda a: np.fft.fft(a, 12), LINE[::-1]),
    row(lambda a: np.fft.fft(a), LINE > 0.5),
    row(lambda a: np.fft.fft(a), LINE[:0]),
    row(lambda a: np.fft.fft(a, axis=1), LINE),
    row(store, LINE, np.zeros(9, "D")),
    row(store, LINE, np.zeros(8, "D")),
    row(lambda a: np.fft.ifft(a), COMPLEX),
    row(lambda a: np.fft.ifft(a, norm="forward"), TABLE),
    row(lambda a: np.fft.rfft(a), LINE),
    row(lambda a: np.fft.rfft(a, 8, norm="ortho"), LINE.astype("e")),
    row(lambda a: np.fft.irfft(a), COMPLEX),
    row(lambda a: np.fft.irfft(a, 7, norm="forward"), COMPLEX.astype("F")),
    row(lambda a: np.fft.hfft(a), COMPLEX),
    row(lambda a: np.fft.ihfft(a, norm="ortho"), LINE),
    row(lambda a: np.fft.fft2(a), TABLE),
    row(lambda a: np.fft.ifft2(a, (3, 3)), BOX),
    row(lambda a: np.fft.rfft2(a), TABLE),
    row(lambda a: np.fft.irfft2(a, norm="ortho"), BOX),
    row(lambda a: np.fft.fftn(a), BOX),
    row(lambda a: np.fft.ifftn(a, axes=(0, 2)), BOX),
    row(lambda a: np.fft.rfftn(a, (2, 5), (1, 0)), TABLE.astype("f")),
    row(lambda a: np.fft.irfftn(a), BOX),
    row(lambda n: np.fft.fftfreq(n, 0.1), 7),
    row(lambda n: np.fft.fftfreq(n), 0),
    row(lambda n: np.fft.rfftfreq(n, d=2.0), 8),
    row(lambda a: np.fft.fftshift(a), TABLE),
    row(lambda a: np.fft.ifftshift(a, 0), BOX),
    row(lambda a: np.fft.fftshift(a, (0, 1)), TABLE),
    row(lambda a: np.fft.fftshift(a.reshape(())), LINE[:1]),
    row(lambda a, k: np.fft.ifftshift(a, k), TABLE, 2),
    row(lambda a, k: np.fft.fftshift(a, (0, k)), TABLE, -3),
]
