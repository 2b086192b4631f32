"""Every loop of every ufunc, and arrays of elements that are worth a look."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

UFUNCS = {
    function.__name__: function
    for function in vars(np).values()
    if isinstance(function, np.ufunc) and function.signature is None
}
COMPILED = set("?bBhHiIlLqQefdFDmM")  # letters of dtypes that are compiled
TIMES = {"m": "m8[s]", "M": "M8[s]"}
SHAPE = (13, 21)


class Row(NamedTuple):
    """One loop of a ufunc: letters of the dtypes of its operands."""

    name: str
    letters: str

    @property
    def function(self) -> np.ufunc:
        return UFUNCS[self.name]


def _rows() -> list[Row]:
    rows = dict.fromkeys(
        Row(name, loop.partition("->")[0])
        for name, function in sorted(UFUNCS.items())
        for loop in function.types
        if set(loop.replace("->", "")) <= COMPILED
    )
    return list(rows)


ROWS = _rows()


def values(letter: str, count: int, random: np.random.Generator) -> np.ndarray[Any, Any]:
    """Numbers of a dtype: extremes, small ones, and any."""
    dtype = np.dtype(TIMES.get(letter, letter))
    match dtype.kind:
        case "b":
            return random.integers(0, 2, count).astype(dtype)
        case "i" | "u":
            return _integers(dtype, count, random)
        case "f":
            return _floats(dtype, count, random)
        case "c":
            part = np.dtype(f"f{dtype.itemsize // 2}")
            parts = _floats(part, 2 * count, random)
            return parts.view(dtype)
    return _integers(np.dtype("i8"), count, random).view(dtype)


def _integers(dtype: np.dtype[Any], count: int, random: np.random.Generator) -> Any:  # Any: array
    info = np.iinfo(dtype)
    low, high = info.min, info.max
    wide = random.integers(low, high, count, dtype=dtype, endpoint=True)
    small = random.integers(max(low, -9), 10, count).astype(dtype)
    ends = np.array([low, low + 1, high, high - 1, 0, 1], dtype)
    return np.choose(random.integers(0, 3, count), [wide, small, random.choice(ends, count)])


def _floats(dtype: np.dtype[Any], count: int, random: np.random.Generator) -> Any:  # Any: array
    info = np.finfo(dtype)
    tiny = info.smallest_subnormal
    ends = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 1.5, 2.5, -0.5, -2.0, 3.0]
    ends += [info.max, info.min, info.tiny, tiny, -tiny, info.tiny / 3, 1 / info.eps]
    wide = random.standard_normal(count) * 10.0 ** random.integers(-3, 4, count)
    chosen = random.choice(np.array(ends, dtype), count)
    return np.where(random.random(count) < 0.5, wide.astype(dtype), chosen)


def tables(letters: str, random: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    """A table of numbers for each operand."""
    return [values(letter, SHAPE[0] * SHAPE[1], random).reshape(SHAPE) for letter in letters]


LAYOUTS = {
    "C": lambda x: x,
    "F": np.asfortranarray,
    "strided": lambda x: np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, ::3],
    "reversed": lambda x: x[::-1, ::-1],
    "row": lambda x: x[:1],
    "column": lambda x: x[:, :1],
    "single": lambda x: x[:1, :1],
    "empty": lambda x: x[:, :0],
}


def same_bits(first: Any, second: Any) -> bool:  # Any: results
    """True if two results have the same types, shapes and bits; one NaN is like another."""
    if isinstance(first, tuple):
        return all(map(same_bits, first, second)) and len(first) == len(second)
    one, other = np.asarray(first), np.asarray(second)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.kind not in "fc":
        return one.tobytes() == other.tobytes()
    part = np.dtype(f"f{one.dtype.itemsize // (2 if one.dtype.kind == 'c' else 1)}")
    left, right = (np.ascontiguousarray(x).reshape(-1).view(part) for x in (one, other))
    bits = left.view(f"u{part.itemsize}") == right.view(f"u{part.itemsize}")
    return bool((bits | (np.isnan(left) & np.isnan(right))).all())
