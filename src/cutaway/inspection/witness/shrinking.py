"""Shrink arguments that show a fault: shorter arrays, smaller numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.typing.values.typeof import typeof

Arguments = tuple[Any, ...]
MOST_TRIES = 24
SECONDS = 5.0


def shrunk(args: Arguments, fails: Callable[[Arguments], bool]) -> Arguments:
    """Find smaller arguments that also fail; return the given ones if none do.

    Each argument in turn is shrunk while it still fails, within limits of tries and time.
    """
    best, tries, end = args, 0, monotonic() + SECONDS
    progress = True
    while progress:
        progress = False
        for smaller in _smaller(best):
            if tries == MOST_TRIES or monotonic() > end:
                return best
            tries += 1
            if fails(smaller):
                best, progress = smaller, True
                break
    return best


def _smaller(args: Arguments) -> Iterator[Arguments]:
    """Yield arguments of which one, or all arrays together, are smaller."""
    arrays = [k for k, value in enumerate(args) if isinstance(value, np.ndarray)]
    if len(arrays) > 1:
        together = tuple(_halved(v) if k in arrays else v for k, v in enumerate(args))
        if _same_types(together, args) and not _equal(together, args):
            yield together
    for place, value in enumerate(args):
        for smaller in _smaller_values(value):
            changed = (*args[:place], smaller, *args[place + 1 :])
            if _same_types((smaller,), (value,)):
                yield changed


def _smaller_values(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray):
        yield from _smaller_arrays(value)
    elif isinstance(value, bool):
        return
    elif isinstance(value, int):
        yield from (n for n in (0, 1, value // 2, value - 1) if abs(n) < abs(value))
    elif isinstance(value, float) and value == value:
        yield from (x for x in (0.0, 1.0, float(round(value))) if _simpler(x, value))
    elif type(value) is tuple:
        for place, item in enumerate(value):
            for smaller in _smaller_values(item):
                yield (*value[:place], smaller, *value[place + 1 :])


def _simpler(one: float, other: float) -> bool:
    return len(repr(one)) < len(repr(other)) or (abs(one) < abs(other) and one.is_integer())


def _smaller_arrays(value: Any) -> Iterator[Any]:
    if value.ndim and value.shape[0] > 1:
        yield _halved(value)
        yield value[: value.shape[0] - 1]
    if value.dtype.kind in "iuf" and value.size and value.flags.c_contiguous:
        plain = np.arange(value.size, dtype=value.dtype).reshape(value.shape)
        plain.flags.writeable = value.flags.writeable
        if not np.array_equal(plain, value):
            yield plain


def _halved(value: Any) -> Any:
    return value[: (value.shape[0] + 1) // 2] if value.ndim and value.shape[0] > 1 else value


def _same_types(one: Arguments, other: Arguments) -> bool:
    try:
        return all(typeof(a) is typeof(b) for a, b in zip(one, other, strict=True))
    except TypingError:
        return False


def _equal(one: Arguments, other: Arguments) -> bool:
    return all(a is b for a, b in zip(one, other, strict=True))
