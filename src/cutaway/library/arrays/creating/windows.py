"""Windows of signals: `bartlett blackman hamming hanning kaiser`; `sinc`, and the Bessel function
`i0` that `kaiser` is computed with."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import Takes, static
from cutaway.library.arrays.kit.dtypes import inexact_dtype
from cutaway.library.arrays.kit.elements import single
from cutaway.library.arrays.kit.shapes import shape_of
from cutaway.library.arrays.kit.takes import Operands, Real, numpy
from cutaway.library.arrays.kit.typers import are_elements, is_complex, private

# --- sums of cosines --------------------------------------------------------------------------


@private
def _bartlett_of(n, last):
    return np.where(n <= 0, 1 + n / last, 1 - n / last)


@private
def _hanning_of(n, last):
    return 0.5 + 0.5 * np.cos(np.pi * n / last)


@private
def _hamming_of(n, last):
    return 0.54 + 0.46 * np.cos(np.pi * n / last)


@private
def _blackman_of(n, last):
    return 0.42 + 0.5 * np.cos(np.pi * n / last) + 0.08 * np.cos(2.0 * np.pi * n / last)


def _register_window(function: Any, values: Any) -> None:
    @numpy(function)
    def window(M: Real):  # noqa: N803  NumPy's name
        size = float(M)
        if size < 1:
            return np.empty(0)
        if size == 1:
            return np.ones(1)
        return values(np.arange(1 - size, size, 2.0), size - 1)


_register_window(np.bartlett, _bartlett_of)
_register_window(np.blackman, _blackman_of)
_register_window(np.hamming, _hamming_of)
_register_window(np.hanning, _hanning_of)


# --- i0 and kaiser ----------------------------------------------------------------------------

# Chebyshev coefficients of exp(-x) I0(x) for x up to 8, and of exp(-x) sqrt(x) I0(x) beyond it.
_NEAR = (
    -4.4153416464793395e-18,
    3.3307945188222384e-17,
    -2.431279846547955e-16,
    1.715391285555133e-15,
    -1.1685332877993451e-14,
    7.676185498604936e-14,
    -4.856446783111929e-13,
    2.95505266312964e-12,
    -1.726826291441556e-11,
    9.675809035373237e-11,
    -5.189795601635263e-10,
    2.6598237246823866e-09,
    -1.300025009986248e-08,
    6.046995022541919e-08,
    -2.670793853940612e-07,
    1.1173875391201037e-06,
    -4.4167383584587505e-06,
    1.6448448070728896e-05,
    -5.754195010082104e-05,
    0.00018850288509584165,
    -0.0005763755745385824,
    0.0016394756169413357,
    -0.004324309995050576,
    0.010546460394594998,
    -0.02373741480589947,
    0.04930528423967071,
    -0.09490109704804764,
    0.17162090152220877,
    -0.3046826723431984,
    0.6767952744094761,
)
_FAR = (
    -7.233180487874754e-18,
    -4.830504485944182e-18,
    4.46562142029676e-17,
    3.461222867697461e-17,
    -2.8276239805165836e-16,
    -3.425485619677219e-16,
    1.7725601330565263e-15,
    3.8116806693526224e-15,
    -9.554846698828307e-15,
    -4.150569347287222e-14,
    1.54008621752141e-14,
    3.8527783827421426e-13,
    7.180124451383666e-13,
    -1.7941785315068062e-12,
    -1.3215811840447713e-11,
    -3.1499165279632416e-11,
    1.1889147107846439e-11,
    4.94060238822497e-10,
    3.3962320257083865e-09,
    2.266668990498178e-08,
    2.0489185894690638e-07,
    2.8913705208347567e-06,
    6.889758346916825e-05,
    0.0033691164782556943,
    0.8044904110141088,
)


@private
def _series(table, x):
    """Evaluate a Chebyshev series at a number, rounding each step to the table's dtype."""
    cast = table.dtype.type
    last, before, older = table[0], cast(0.0), cast(0.0)
    for k in range(1, len(table)):
        last, before, older = cast(cast(cast(x * last) - before) + table[k]), last, before
    return cast(cast(0.5) * cast(last - older))


@private
def _fill_with_i0(out, x, grown):
    """Store the value of `i0` at each element of `x` in `out`; no element is negative."""
    cast = out.dtype.type
    near, far = np.array(_NEAR).astype(out.dtype), np.array(_FAR).astype(out.dtype)
    two, thirty_two = cast(2.0), cast(32.0)
    for k in range(len(out)):
        if x[k] <= 8.0:
            out[k] = cast(grown[k] * _series(near, cast(cast(x[k] / two) - two)))
        elif x[k] > 8.0:
            rest = cast(grown[k] * _series(far, cast(cast(thirty_two / x[k]) - two)))
            out[k] = cast(rest / np.sqrt(x[k]))
        else:
            out[k] = cast(grown[k] * _series(far, cast(cast(thirty_two / x[k]) - two)))


RealElements = Takes("real numbers", lambda x: are_elements(x) and not is_complex(x))


@numpy(np.i0)
def i0(x: RealElements):
    """The modified Bessel function of the first kind, of order 0."""
    if len(shape_of(x)) == 0:
        return np.i0(np.full(1, single(x), inexact_dtype(x))).reshape(())
    places = np.abs(x.astype(inexact_dtype(x))).ravel()
    out = np.empty(x.shape, places.dtype)
    _fill_with_i0(out.ravel(), places, np.exp(places))
    return out


@numpy(np.kaiser)
def kaiser(M: Real, beta: Real):  # noqa: N803  NumPy's name
    size, shape = float(M), float(beta)
    if size == 1:
        return np.ones(1)
    n = np.arange(0.0, size, 1.0)
    middle = (size - 1) / 2.0
    ratio = (n - middle) / middle
    return np.i0(shape * np.sqrt(1 - ratio * ratio)) / np.i0(np.full(1, shape))


# --- sinc -------------------------------------------------------------------------------------


@static
def _tiny(x: Any) -> float:
    """The number that `sinc` computes with instead of zero."""
    kind = inexact_dtype(x)
    return float(np.finfo(kind).eps) if kind.kind == "f" else 1e-20


@numpy(np.sinc)
def sinc(x: Operands):
    dtype = inexact_dtype(x)
    if len(shape_of(x)) == 0:
        return np.sinc(np.full(1, single(x), dtype))[0]
    scaled = dtype.type(np.pi) * x.astype(dtype)
    places = np.where(scaled != 0, scaled, dtype.type(_tiny(x)))
    return np.sin(places) / places
