"""A ufunc that several of these tests call."""

from __future__ import annotations

from cutaway import guvectorize


@guvectorize(["void(float64[:], float64, float64[:], float64[:])"], "(n),()->(n),()")
def scaled(a, factor, out, total):
    total[0] = 0.0
    for k in range(a.shape[0]):
        out[k] = a[k] * factor
        total[0] += out[k]
