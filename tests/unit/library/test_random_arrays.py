"""Functions of the library, of random small arrays of all dtypes and layouts, as NumPy has them.

How many arrays for each program, and which, is the corpus ARRAYS of `tests/corpora.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import corpora
import cutaway
from corpus.programs.compare import quiet
from cutaway.errors import TypingError, UnsupportedError

pytestmark = pytest.mark.sampled(test=4, others=12, fast=40)

EXAMPLES = corpora.seeds("ARRAYS")
DTYPES = ("?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c16")
LAYOUTS = ("C", "F", "A", "read-only")
FLOATS = (0.0, -0.0, 1.0, -1.5, 2.0, 2.0, 3.25, 7.0, np.nan, np.inf, -np.inf)
WHOLE = (0, 1, 1, 2, 3, 5, 7, -1, -2)

Program = Callable[..., Any]

OF_ONE: list[Program] = [
    lambda a: np.cumsum(a),
    lambda a: np.cumprod(a, axis=0),
    lambda a: np.diff(a),
    lambda a: np.ediff1d(a),
    lambda a: np.nancumsum(a),
    lambda a: np.sort(a),
    lambda a: np.sort(a, 0),
    lambda a: np.argsort(a, kind="stable"),
    lambda a: np.argsort(a, axis=0, kind="stable"),
    lambda a: np.unique(a),
    lambda a: np.unique(a, return_index=True, return_counts=True),
    lambda a: np.unique(a, return_inverse=True),
    lambda a: np.nonzero(a),
    lambda a: np.flatnonzero(a),
    lambda a: np.argwhere(a),
    lambda a: np.count_nonzero(a),
    lambda a: np.count_nonzero(a, axis=0),
    lambda a: np.clip(a, 0, 2),
    lambda a: np.clip(a, None, 1),
    lambda a: np.isnan(a),
    lambda a: np.isfinite(a),
    lambda a: np.nan_to_num(a),
    lambda a: np.repeat(a, 2),
    lambda a: np.repeat(a, 2, axis=0),
    lambda a: np.take(a, 1),
    lambda a: np.take(a, -1, axis=0),
    lambda a: np.expand_dims(a, 0),
    lambda a: np.squeeze(a, 0),
    lambda a: np.flip(a),
    lambda a: np.flip(a, 0),
    lambda a: np.flipud(a),
    lambda a: np.fliplr(a),
    lambda a: np.roll(a, 1),
    lambda a: np.roll(a, -1, axis=0),
    lambda a: np.rot90(a),
    lambda a: np.transpose(a),
    lambda a: np.swapaxes(a, 0, -1),
    lambda a: np.moveaxis(a, 0, -1),
    lambda a: np.atleast_1d(a),
    lambda a: np.atleast_2d(a),
    lambda a: np.atleast_3d(a),
    lambda a: np.diag(a),
    lambda a: np.diagonal(a),
    lambda a: np.diagflat(a),
    lambda a: np.trace(a),
    lambda a: np.tril(a),
    lambda a: np.triu(a, 1),
    lambda a: np.var(a),
    lambda a: np.std(a, axis=0),
    lambda a: np.ptp(a),
    lambda a: np.median(a),
    lambda a: np.median(a, axis=0),
    lambda a: np.percentile(a, 30),
    lambda a: np.quantile(a, 0.75),
    lambda a: np.average(a),
    lambda a: np.nansum(a),
    lambda a: np.nanprod(a, axis=0),
    lambda a: np.nanmean(a),
    lambda a: np.nanmean(a, axis=0),
    lambda a: np.nanvar(a),
    lambda a: np.nanstd(a, axis=0),
    lambda a: np.nanmin(a),
    lambda a: np.nanmax(a, axis=0),
    lambda a: np.nanmedian(a),
    lambda a: np.nanargmin(a),
    lambda a: np.nanargmax(a, axis=0),
    lambda a: np.sum(a, axis=0, keepdims=True),
    lambda a: np.sum(a, axis=(0, 1)),
    lambda a: np.max(a, axis=(0, 1), keepdims=True),
    lambda a: np.mean(a, axis=-1, keepdims=True),
    lambda a: np.any(a, keepdims=True),
    lambda a: np.all(a, axis=(0, -1)),
    lambda a: np.histogram(a),
    lambda a: np.histogram(a, 3, (0.0, 4.0)),
    lambda a: np.bincount(a),
    lambda a: np.tile(a, 2),
    lambda a: np.delete(a, 0),
    lambda a: np.delete(a, slice(0, 2)),
    lambda a: np.insert(a, 0, 1),
    lambda a: np.vander(a),
    lambda a: np.partition(a, 0),
    lambda a: np.trapezoid(a),
    lambda a: np.broadcast_to(a, (2, 3)),
    lambda a: np.full_like(a, 1),
]
OF_TWO: list[Program] = [
    lambda a, b: np.where(a, a, b),
    lambda a, b: np.maximum(a, b),
    lambda a, b: np.minimum(a, b),
    lambda a, b: np.concatenate((a, b)),
    lambda a, b: np.stack((a, b)),
    lambda a, b: np.hstack((a, b)),
    lambda a, b: np.vstack((a, b)),
    lambda a, b: np.dstack((a, b)),
    lambda a, b: np.column_stack((a, b)),
    lambda a, b: np.append(a, b),
    lambda a, b: np.dot(a, b),
    lambda a, b: np.vdot(a, b),
    lambda a, b: np.inner(a, b),
    lambda a, b: np.outer(a, b),
    lambda a, b: np.kron(a, b),
    lambda a, b: a @ b,
    lambda a, b: np.isin(a, b),
    lambda a, b: np.union1d(a, b),
    lambda a, b: np.intersect1d(a, b),
    lambda a, b: np.setdiff1d(a, b),
    lambda a, b: np.setxor1d(a, b),
    lambda a, b: np.isclose(a, b),
    lambda a, b: np.array_equal(a, b),
    lambda a, b: np.take(a, b),
    lambda a, b: np.extract(a, b),
    lambda a, b: np.take_along_axis(a, b, 0),
    lambda a, b: np.searchsorted(np.sort(a), b),
    lambda a, b: np.convolve(a, b),
    lambda a, b: np.correlate(a, b),
    lambda a, b: np.polyval(a, b),
    lambda a, b: np.digitize(a, np.sort(b)),
]


def random_array(random: np.random.Generator) -> np.ndarray[Any, Any]:
    """A small array of any dtype, shape and layout."""
    dtype = np.dtype(DTYPES[random.integers(len(DTYPES))])
    dims = random.choice((0, 1, 1, 1, 2, 2, 2, 3))
    shape = tuple(random.choice((0, 1, 2, 2, 3, 3, 4), dims))
    values = FLOATS if dtype.kind in "fc" else WHOLE
    items = random.choice(values, shape)
    if dtype.kind == "u":
        items = np.abs(items)
    return laid_out(np.asarray(items).astype(dtype), LAYOUTS[random.integers(len(LAYOUTS))])


def laid_out(a: np.ndarray[Any, Any], layout: str) -> np.ndarray[Any, Any]:
    """The array in a layout."""
    if layout == "F":
        return np.asfortranarray(a) if a.ndim else a
    if layout == "A" and a.ndim:
        wide = np.zeros((*a.shape[:-1], 2 * a.shape[-1]), a.dtype)
        wide[..., ::2] = a
        return wide[..., ::2]
    a.flags.writeable = layout != "read-only"
    return a


def outcome(function: Program, args: tuple[Any, ...]) -> Any:
    """The result, or the class of the exception; None where compiled code refuses the types."""
    with quiet():
        try:
            return function(*args)
        except (TypingError, UnsupportedError):
            return None
        except (ValueError, TypeError, IndexError, ZeroDivisionError, OverflowError) as error:
            return type(error)


def alike(found: Any, expected: Any) -> bool:
    """Whether results are of one type and shape, and nearly equal."""
    if isinstance(expected, tuple):
        return isinstance(found, tuple) and all(map(alike, found, expected))
    if isinstance(expected, type) or isinstance(found, type):
        both = isinstance(expected, type) and isinstance(found, type)
        return both and issubclass(found, expected)
    if not isinstance(found, np.ndarray) and not isinstance(expected, np.ndarray):
        found = np.asarray(found, np.asarray(expected).dtype)  # numbers come as Python's
    found, expected = np.asarray(found), np.asarray(expected)
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return False
    if expected.dtype.kind in "biu":
        return bool(np.array_equal(found, expected))
    error = {"e": 2e-3, "f": 1e-5}.get(expected.dtype.char, 1e-12)
    return bool(np.allclose(found, expected, error, 0, equal_nan=True))


def check(program: Program, *args: Any) -> None:
    found = outcome(cutaway.jit(program), args)
    if found is not None:
        expected = outcome(program, args)
        assert alike(found, expected), (args, found, expected)


def arguments(count: int, place: int, example: int) -> Iterator[Any]:
    """As many random arrays."""
    random = np.random.default_rng((place, example))
    return (random_array(random) for _ in range(count))


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("place", range(len(OF_ONE)))
def test_a_function_of_a_random_array_gives_what_numpy_gives(place: int, example: int) -> None:
    check(OF_ONE[place], *arguments(1, place, example))


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("place", range(len(OF_TWO)))
def test_a_function_of_two_random_arrays_gives_what_numpy_gives(place: int, example: int) -> None:
    program, args = OF_TWO[place], tuple(arguments(2, place, example))
    products = any(name in program.__code__.co_names for name in ("dot", "inner"))
    if products and any(one.ndim == 0 and not one for one in args):
        pytest.skip("a zero times NaN: zero-times-nan in the ledger")
    check(program, *args)
