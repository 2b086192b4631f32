"""Calling functions so that their outcomes can be compared."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import GeneratorType
from typing import Any

import numpy as np

import cutaway
from cutaway.runtime import _runtime


@contextmanager
def quiet() -> Iterator[None]:
    """NumPy warns of NaN and of what overflows."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def outcome(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """("returned", value, arguments afterward) or ("raised", class, arguments of it), and then the
    arguments that hold lists, which are as they were when it was raised."""
    try:
        value = function(*args)
        if isinstance(value, GeneratorType | _runtime.generator):
            value = list(value)
    except Exception as error:  # noqa: BLE001  whatever the program raises
        return ("raised", type(error), error.args, *filter(_holds_a_list, args))
    return ("returned", value, args)


def same(left: Any, right: Any) -> bool:
    """Whether two outcomes are the same: NaN like NaN, -0.0 unlike 0.0, True unlike 1.

    NumPy's scalars count as the Python numbers that compiled code returns in their place; times
    and records are what they are, unit and fields included.
    """
    if isinstance(left, _KEPT):
        return type(left) is type(right) and same(np.asarray(left), np.asarray(right))
    left, right = _plain(left), _plain(right)
    if isinstance(left, np.ndarray) and left.dtype.names and isinstance(right, np.ndarray):
        fields = left.dtype.names  # and not what lies between them
        equal = left.dtype == right.dtype and left.dtype.type is right.dtype.type
        return equal and all(same(left[name], right[name]) for name in fields)
    if isinstance(left, np.ndarray):
        return (
            isinstance(right, np.ndarray)
            and left.dtype == right.dtype
            and left.shape == right.shape
            and left.tobytes() == right.tobytes()
        )
    if isinstance(left, tuple | list):
        kind = tuple if isinstance(left, tuple) else list
        return isinstance(right, kind) and len(left) == len(right) and all(map(same, left, right))
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return same(list(left.items()), list(right.items()))  # in their order
    if isinstance(left, float):
        return _bits(left) == _bits(right) or (left != left and right != right)
    if isinstance(left, complex):
        return same((left.real, left.imag), (right.real, right.imag))
    return bool(left == right)


def check_levels(function: Any, args: tuple[Any, ...], *levels: str) -> None:
    """Check that a program gives, compiled and interpreted at these levels, what Python gives."""
    wanted = outcome(function, args)
    assert same(outcome(cutaway.jit(function), args), wanted)
    c = cutaway.trace(function, *args)
    for level in levels:
        assert same(outcome(c.at(level).run, args), wanted), level


_KEPT = (np.datetime64, np.timedelta64, np.void)


def _holds_a_list(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, tuple) and any(map(_holds_a_list, value)))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _bits(value: float) -> bytes:
    return struct.pack("<d", value)
