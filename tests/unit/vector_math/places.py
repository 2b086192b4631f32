"""Places at which functions are compared: any bits, their domains, and where they are hard."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# Where most of what is interesting about a function happens.
RANGES = {
    "exp": (-750, 715),
    "exp2": (-1080, 1030),
    "expm1": (-50, 715),
    "sinh": (-715, 715),
    "cosh": (-715, 715),
    "tanh": (-30, 30),
    "log": (0.3, 3),
    "log1p": (-0.9, 3),
    "log2": (0.3, 3),
    "log10": (0.3, 3),
    "arcsin": (-1, 1),
    "arccos": (-1, 1),
}
OF_FLOAT32 = {"exp": (-110, 90), "exp2": (-152, 130), "expm1": (-20, 90), "sinh": (-92, 92),
              "cosh": (-92, 92)}  # fmt: skip

# Doubles that are very near to a multiple of a quarter turn, or to where results leave the range of
# doubles; those of other functions are near their thresholds.
_HARD = (
    *(6381956970095103 * 2.0**797, 5319372648326541 * 2.0**-75, 1.5707963267948966),
    *(math.pi, 1e22, 3.0 * 2.0**1022, 1e6, math.nextafter(1e6, 2e6), 355.0, 2.0**20, 103993.0),
    *(709.782712893384, 709.7827128933841, -745.1332191019411, -745.1332191019412),
    *(710.4758600739439, 710.475860073944, 88.72283, 88.72284, -103.97208, -103.27893),
    *(1024.0, 1023.9999999999999, -1074.0, -1075.0, -1074.5, -1022.5, 0.34657359027997264),
    *(0.7071067811865475, 0.7071067811865476, 1.4142135623730951, 0.9999999999999999),
    *(1.0000000000000002, 1.0, 0.5, 0.5000000000000001, 0.41421356237309503, 2.414213562373095),
    *(2.0**-1022, 2.0**-1074, 2.2250738585072011e-308, 1.7976931348623157e308, 2.0**-149),
    *(2.0**-126, 3.4028234663852886e38, 22.0, 19.0615, 36.7368005696771, -708.3964185322641),
    *(1e-8, 1e-300, 8.0, 27.0),
)  # fmt: skip


def places(name: str, dtype: Any, count: int, rng: Any) -> Any:  # Any: a dtype, numbers
    """Arguments for a function of one number, of which there are about so many."""
    integer = np.int64 if dtype is np.float64 else np.int32
    info = np.iinfo(integer)
    low, high = RANGES.get(name, (-10, 10))
    if dtype is np.float32:
        low, high = OF_FLOAT32.get(name, (low, high))
    hard = np.array([sign * x for x in _HARD for sign in (1, -1)])
    parts = [
        rng.integers(info.min, info.max, count // 3, dtype=integer).view(dtype),
        rng.uniform(low, high, count // 3),
        rng.choice([-1, 1], count // 6) * np.exp2(rng.uniform(-60, 20, count // 6)),
        1 + rng.uniform(-1, 1, count // 6) * np.exp2(-rng.uniform(0, 50, count // 6)),
        hard,
    ]
    with np.errstate(all="ignore"):
        found = np.concatenate([part.astype(dtype) for part in parts])
        near = np.nextafter(found[-len(hard) :], dtype(np.inf))
    found = np.concatenate([found, near])
    return found[np.isfinite(found)]


def pairs(name: str, dtype: Any, count: int, rng: Any) -> tuple[Any, Any]:  # Any: see places
    """Arguments for a function of two numbers."""
    x, y = places(name, dtype, count, rng), places(name, dtype, count, rng)
    x, y = x[: min(len(x), len(y))], rng.permutation(y[: min(len(x), len(y))])
    half = slice(0, None, 2)
    with np.errstate(all="ignore"):
        if name == "power":  # results all over the range
            reach = 750 if dtype is np.float64 else 105
            wanted = rng.uniform(-reach, reach, len(x)) / np.log(np.abs(x.astype(float)))
            y[half] = wanted[half].astype(dtype)
        else:
            y[half] = (x * np.exp2(rng.uniform(-30, 30, len(x))).astype(dtype))[half]
        keep = np.isfinite(y) & (x != 0) & (y != 0)  # mpmath has one zero
        if name == "power":
            whole = y == np.trunc(y)
            keep &= (x != 0) & ((x > 0) | whole) & (np.abs(y) < 1e300)
            # Far beyond all floats, where a number of mpmath has no end.
            keep &= np.abs(y.astype(float) * np.log2(np.abs(x.astype(float)))) < 3000
    return x[keep], y[keep]


def in_domain(name: str, x: Any) -> Any:  # Any: see places
    """The places at which a function has a value that is finite, but for overflow."""
    match name:
        case "log" | "log2" | "log10":
            return x[x > 0]
        case "log1p":
            return x[x > -1]
        case "arcsin" | "arccos":
            return x[np.abs(x) <= 1]
        case "exp" | "exp2" | "expm1" | "sinh" | "cosh":
            return x[np.abs(x) < 3000]
    return x
