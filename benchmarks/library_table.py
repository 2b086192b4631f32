"""Sixty functions of NumPy, each with arguments of any size, and kernels of `vectorize`, for
`numpy_library.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SIZES = (10, 1_000, 1_000_000)
Make = Callable[[int], tuple[Any, ...]]


@dataclass(frozen=True)
class Case:
    """A function, and what makes its arguments for about so many elements."""

    name: str
    function: Callable[..., Any]
    make: Make


def _random(n: int, seed: int = 5) -> np.random.Generator:
    return np.random.default_rng(seed + n)


def _line(n: int) -> tuple[Any, ...]:
    return (_random(n).random(n),)


def _lines(n: int) -> tuple[Any, ...]:
    return _random(n).random(n), _random(n, 6).random(n)


def _table(n: int) -> tuple[Any, ...]:
    rows = max(2, int(n**0.5))
    return (_random(n).random((rows, max(1, n // rows))),)


def _square(n: int) -> tuple[Any, ...]:
    side = max(3, int(n**0.5))
    return (_random(n).random((side, side)) + side * np.eye(side),)


def _squares(n: int) -> tuple[Any, ...]:
    (a,) = _square(n)
    return a, a + 1.0


def _stack(n: int) -> tuple[Any, ...]:
    return (_random(n).random((max(1, n // 9), 3, 3)) + 3 * np.eye(3),)


def _system(n: int) -> tuple[Any, ...]:
    (a,) = _square(min(n, 40_000))
    return a, a[0].copy()


def _counts(n: int) -> tuple[Any, ...]:
    return (_random(n).integers(0, 1000, n),)


def _places(n: int) -> tuple[Any, ...]:
    return _random(n).random(n), _random(n).integers(0, n, n)


def _holes(n: int) -> tuple[Any, ...]:
    line = _random(n).random(n)
    line[::7] = np.nan
    return (line,)


def _mask(n: int) -> tuple[Any, ...]:
    line = _random(n).random(n)
    return line, line > 0.5


def _sorted(n: int) -> tuple[Any, ...]:
    return np.sort(_random(n).random(n)), _random(n, 6).random(n)


def _complex(n: int) -> tuple[Any, ...]:
    random = _random(n)
    return (random.random(n) + 1j * random.random(n),)


def _generator(n: int) -> tuple[Any, ...]:
    return _random(n), n


def _short(n: int) -> tuple[Any, ...]:
    return _random(n).random(n), _random(n).random(min(n, 9))


def _clear(a: Any, mask: Any) -> Any:
    a[mask] = 0.0
    return a


def _add(a: Any, places: Any) -> Any:
    a[places] += 1.0
    return a


CASES = {
    case.name: case
    for case in (
        # indexing
        Case("a[k]", lambda a, k: a[k], _places),
        Case("a[mask]", lambda a, m: a[m], _mask),
        Case("a[mask] = 0", _clear, _mask),
        Case("a[k] += 1", _add, _places),
        Case("take", lambda a, k: np.take(a, k), _places),
        Case("compress", lambda a, m: np.compress(m, a), _mask),
        Case("where", lambda a, m: np.where(m, a, 0.0), _mask),
        Case("nonzero", lambda a, m: np.nonzero(m), _mask),
        # reductions and statistics
        Case("sum", lambda a: np.sum(a), _line),
        Case("sum(axis=0)", lambda a: np.sum(a, axis=0), _table),
        Case("mean(axis=1)", lambda a: np.mean(a, axis=1), _table),
        Case("max", lambda a: np.max(a), _line),
        Case("argmax", lambda a: np.argmax(a), _line),
        Case("std", lambda a: np.std(a), _line),
        Case("median", lambda a: np.median(a), _line),
        Case("percentile", lambda a: np.percentile(a, 30.0), _line),
        Case("nansum", lambda a: np.nansum(a), _holes),
        Case("nanmean", lambda a: np.nanmean(a), _holes),
        Case("average", lambda a, w: np.average(a, weights=w), _lines),
        Case("any", lambda a: np.any(a > 2.0), _line),
        Case("ptp", lambda a: np.ptp(a), _line),
        Case("cov", lambda a, b: np.cov(a, b), _lines),
        # sorting, searching, sets
        Case("sort", lambda a: np.sort(a), _line),
        Case("argsort", lambda a: np.argsort(a), _line),
        Case("partition", lambda a: np.partition(a, 5), _line),
        Case("searchsorted", lambda s, a: np.searchsorted(s, a), _sorted),
        Case("unique", lambda a: np.unique(a), _counts),
        Case("isin", lambda a: np.isin(a, np.arange(0, 1000, 7)), _counts),
        Case("bincount", lambda a: np.bincount(a), _counts),
        Case("histogram", lambda a: np.histogram(a, 50, (0.0, 1.0)), _line),
        Case("digitize", lambda a: np.digitize(a, np.linspace(0.0, 1.0, 20)), _line),
        Case("lexsort", lambda a, b: np.lexsort((a, b)), _lines),
        # shapes
        Case("concatenate", lambda a, b: np.concatenate((a, b)), _lines),
        Case("stack", lambda a, b: np.stack((a, b)), _lines),
        Case("repeat", lambda a: np.repeat(a, 3), _line),
        Case("tile", lambda a: np.tile(a, 2), _line),
        Case("roll", lambda a: np.roll(a, 3), _line),
        Case("pad", lambda a: np.pad(a, 2), _line),
        Case("flip", lambda a: np.flip(a).copy(), _line),
        Case("triu", lambda a: np.triu(a), _square),
        Case("arange", lambda n: np.arange(n), lambda n: (n,)),
        Case("linspace", lambda n: np.linspace(0.0, 1.0, n), lambda n: (n,)),
        # curves and sums along
        Case("cumsum", lambda a: np.cumsum(a), _line),
        Case("diff", lambda a: np.diff(a), _line),
        Case("gradient", lambda a: np.gradient(a), _line),
        Case("interp", lambda s, a: np.interp(a, s, s), _sorted),
        Case("convolve", lambda a, b: np.convolve(a, b), _short),
        Case("trapezoid", lambda a: np.trapezoid(a), _line),
        Case("polyval", lambda a: np.polyval(np.array((1.0, 2.0, 3.0)), a), _line),
        Case("clip", lambda a: np.clip(a, 0.25, 0.75), _line),
        Case("allclose", lambda a, b: np.allclose(a, b + a - b), _lines),
        # linear algebra, transforms
        Case("dot", lambda a, b: np.dot(a, b), _lines),
        Case("a @ b", lambda a, b: a @ b, _squares),
        Case("outer", lambda a, b: np.outer(a[:1000], b[:1000]), _lines),
        Case("einsum", lambda a, b: np.einsum("ij,ij->i", a, b), _squares),
        Case("solve", lambda a, b: np.linalg.solve(a, b), _system),
        Case("inv of a stack", lambda a: np.linalg.inv(a), _stack),
        Case("det of a stack", lambda a: np.linalg.det(a), _stack),
        Case("norm", lambda a: np.linalg.norm(a), _line),
        Case("fft", lambda a: np.fft.fft(a), _complex),
        Case("rfft", lambda a: np.fft.rfft(a), _line),
        # random numbers
        Case("Generator.random", lambda rng, n: rng.random(n), _generator),
        Case("Generator.normal", lambda rng, n: rng.normal(0.0, 1.0, n), _generator),
        Case("random.rand", lambda n: np.random.rand(n), lambda n: (n,)),
    )
}


def _steps(x: Any, n: Any) -> Any:
    total = 0.0
    for k in range(n):
        total += x / (k + 1)
    return total


# Kernels of `vectorize`, each with its signature.
KERNELS: dict[str, tuple[str, Callable[..., Any]]] = {
    "sum and product": ("f8(f8,f8)", lambda x, y: x * y + 2.0),
    "square root": ("f8(f8)", lambda x: math.sqrt(x * x + 1.0)),
    "larger": ("f8(f8,f8)", lambda x, y: x if x > y else y),
    "sine": ("f8(f8)", lambda x: math.sin(x)),
    "remainder": ("i8(i8,i8)", lambda x, y: x % y if y else 0),
    "single": ("f4(f4,f4,f4)", lambda x, y, z: x + y * z),
    "complex": ("c16(c16,c16)", lambda x, y: x * y),
    "steps": ("f8(f8,i8)", _steps),
}
