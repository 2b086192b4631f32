"""Outcomes of one call in Python and compiled: how they differ, and which differences are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutaway.errors import CompileError

LARGEST = 1 << 20  # elements that are looked at


@dataclass(frozen=True)
class Outcome:
    """What a call returned and left of its arguments, or what it raised."""

    returned: Any = None
    arguments: tuple[Any, ...] = ()
    error: BaseException | None = None

    def __str__(self) -> str:
        if self.error is not None:
            return f"{type(self.error).__name__}: {str(self.error)[:300]}"
        dtype = f" {self.returned.dtype}" if isinstance(self.returned, np.ndarray) else ""
        shape = f" {self.returned.shape}" if dtype and not self.returned.size else ""
        return f"{self.returned!r:.300}{dtype}{shape}"


def outcome(function: Callable[..., Any], args: list[Any]) -> Outcome:
    """Make a call."""
    try:
        return Outcome(function(*args), tuple(args))
    except (Exception, RecursionError) as error:  # noqa: BLE001  whatever it raises
        return Outcome(error=error)


# --- how they differ --------------------------------------------------------------------------


def difference(expected: Outcome, found: Outcome, template: str) -> str:
    """What differs in a word or two; empty where nothing does."""
    if isinstance(found.error, CompileError):
        return "refused"
    if expected.error is None and found.error is None:
        close, unordered = template.startswith("~"), template.startswith("=")
        different = _value_difference(expected.returned, found.returned, close, unordered)
        if different:
            return different
        pairs = zip(expected.arguments, found.arguments, strict=True)
        if any(_value_difference(a, b, False, False) for a, b in pairs):
            return "arguments"
        return memory_difference(expected, found)
    if found.error is None:
        return f"no {type(expected.error).__name__}"
    if expected.error is None:
        return f"{type(found.error).__name__} raised"
    if type(expected.error) is not type(found.error):
        return f"{type(found.error).__name__} in the place of {type(expected.error).__name__}"
    return "" if str(expected.error) == str(found.error) else "words"


# How far apart numbers of less precision than others may be, where they may be.
_NARROW = {"f2": 4e-3, "f4": 1e-4, "c8": 1e-4}


def _value_difference(expected: Any, found: Any, close: bool, unordered: bool) -> str:
    if isinstance(expected, np.random.Generator) and isinstance(found, np.random.Generator):
        expected, found = expected.bit_generator.state, found.bit_generator.state
    if isinstance(expected, dict) and isinstance(found, dict):
        expected, found = tuple(expected.items()), tuple(found.items())
    if isinstance(expected, list) and isinstance(found, tuple):  # the ledger's parts-in-tuples
        expected = tuple(expected)
    if isinstance(expected, tuple) and isinstance(found, np.ndarray):  # which has them too
        found = tuple(found)
    if isinstance(expected, tuple):
        if not isinstance(found, tuple) or len(found) != len(expected):
            return "kind"
        pairs = zip(expected, found, strict=True)
        return next((d for a, b in pairs if (d := _value_difference(a, b, close, unordered))), "")
    if isinstance(expected, np.ndarray) or isinstance(found, np.ndarray):
        return _array_difference(expected, found, close, unordered)
    if isinstance(found, np.generic) and type(found) is type(expected):
        found = found.item()
    if isinstance(expected, np.generic) and expected.dtype.kind not in "Mm":
        narrow = _NARROW.get(expected.dtype.str[1:])
        expected = expected.item()
        if narrow and close:
            return "" if _near(np.asarray(expected), np.asarray(found), narrow) else "value"
    if type(expected) is not type(found):
        return "kind"
    if isinstance(expected, float | complex):
        return _array_difference(np.asarray(expected), np.asarray(found), close, unordered)
    return "" if expected == found or expected is found or expected != expected else "value"  # noqa: PLR0124


def _array_difference(expected: Any, found: Any, close: bool, unordered: bool) -> str:
    if not isinstance(expected, np.ndarray) or not isinstance(found, np.ndarray):
        return "kind"
    if expected.dtype != found.dtype:
        return "dtype"
    if expected.shape != found.shape:
        return "shape"
    if expected.size > LARGEST:
        return ""
    if unordered:
        expected, found = np.sort(expected, axis=None), np.sort(found, axis=None)
    if expected.dtype.kind not in "fc":
        return "" if _items(expected) == _items(found) else "value"
    if close and _near(expected, found, _NARROW.get(expected.dtype.str[1:], 1e-9)):
        return ""
    if expected.dtype.kind == "c":
        parts = ((expected.real, found.real), (expected.imag, found.imag))
        return next((d for a, b in parts if (d := _array_difference(a, b, close, unordered))), "")
    equal = np.array_equal(expected, found, equal_nan=True)
    numbers = ~np.isnan(expected)
    signs = np.array_equal(np.signbit(expected)[numbers], np.signbit(found)[numbers])
    return ("" if signs else "sign of zero") if equal else "value"


# --- whose memory a result has, and how it lies in it -----------------------------------------


def memory_difference(expected: Outcome, found: Outcome) -> str:
    """How the memory of two equal results differs: whose it is, whether it may be written to, and
    the steps from one element to the next."""
    return _placed_apart(expected.returned, found.returned, expected, found)


def _placed_apart(one: Any, other: Any, expected: Outcome, found: Outcome) -> str:
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        pairs = zip(one, other, strict=False)
        return next((d for a, b in pairs if (d := _placed_apart(a, b, expected, found))), "")
    if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        return ""
    if _shared(one, expected.arguments) != _shared(other, found.arguments):
        return "memory"
    if one.flags.writeable != other.flags.writeable:
        return "writeable"
    orders = [(a.flags.c_contiguous, a.flags.f_contiguous) for a in (one, other)]
    if orders[0] != orders[1]:
        return "order"
    return "" if _steps(one) == _steps(other) else "strides"


def _shared(a: np.ndarray[Any, Any], arguments: tuple[Any, ...]) -> list[int]:
    """Which arguments an array lies in."""
    given = [one for many in arguments for one in (many if isinstance(many, tuple) else (many,))]
    return [
        number
        for number, one in enumerate(given)
        if isinstance(one, np.ndarray) and np.may_share_memory(a, one)
    ]


def _steps(a: np.ndarray[Any, Any]) -> list[int]:
    """The strides that lead from one element to another."""
    pairs = zip(a.strides, a.shape, strict=True)
    return [step for step, size in pairs if size > 1] if a.size else []


def _items(a: np.ndarray[Any, Any]) -> bytes:
    return np.ascontiguousarray(a).tobytes()


def _near(expected: Any, found: Any, part: float) -> bool:
    finite = expected[np.isfinite(expected)]
    scale = float(np.abs(finite).max(initial=0.0)) if finite.size else 0.0
    return bool(np.allclose(found, expected, part, part * scale, equal_nan=True))


# --- what the ledger permits ------------------------------------------------------------------

_C_INTEGERS = ("C int", "C long", "signed integer is", "Maximum allowed", "too big", "too large")


def allowed(template: str, args: list[Any], expected: Outcome, found: Outcome, kind: str) -> bool:
    """Whether an entry of the ledger permits a difference."""
    both = Both(template, args, expected, found, kind)
    return any(permits(both) for permits in _PERMITTED)


def _numbers(args: list[Any]) -> list[Any]:
    found: list[Any] = []
    for one in args:
        found += one if isinstance(one, tuple) else [] if isinstance(one, np.ndarray) else [one]
    return found


@dataclass(frozen=True)
class Both:
    """A call with its two outcomes, and what differs."""

    template: str
    args: list[Any]
    expected: Outcome
    found: Outcome
    kind: str

    @property
    def arrays(self) -> list[np.ndarray[Any, Any]]:
        """The arrays among the arguments."""
        return [one for one in self.args if isinstance(one, np.ndarray)]

    @property
    def first(self) -> np.ndarray[Any, Any]:
        """The first array; one number where there is none."""
        return self.arrays[0] if self.arrays else np.ones(1)

    @property
    def both_raised(self) -> bool:
        """Whether neither returned."""
        return self.expected.error is not None and self.found.error is not None


def _extreme_sizes(both: Both) -> bool:
    if isinstance(both.expected.error, MemoryError) and isinstance(both.found.error, MemoryError):
        return True
    far = any(isinstance(n, int | float) and abs(n) >= 1 << 31 for n in _numbers(both.args))
    places = [a for a in both.arrays[1:] if a.dtype.kind in "iu" and a.size]
    far = far or any(abs(int(n)) >= 1 << 31 for a in places for n in (a.min(), a.max()))
    told = any(word in str(both.expected.error) for word in _C_INTEGERS)
    failed = isinstance(both.expected.error, MemoryError)
    return far and (both.found.error is not None or told or failed)


def _int64_wrap(both: Both) -> bool:
    value = both.expected.returned
    values = value if isinstance(value, tuple) else (value,)
    if any(isinstance(one, int) and not -(1 << 63) <= one < 1 << 63 for one in values):
        return True
    sums = "sum((" in both.template and any(abs(n) >= 1 << 62 for n in _numbers(both.args))
    return sums or isinstance(both.expected.error, MemoryError) and "<<" in both.template


def _numpy_scalars(both: Both) -> bool:
    if isinstance(both.found.error, OverflowError) and both.expected.error is None:
        return False
    single = both.template == "sum(L)" and both.first.dtype.kind in "fiu"
    divides = isinstance(both.found.error, ZeroDivisionError) and both.expected.error is None
    return single or divides or any(isinstance(one, np.generic) for one in both.args)


def _one_type(both: Both) -> bool:
    mixed = len({type(one) for one in _numbers(both.args)}) > 1 or both.template == "sum(L)"
    if both.kind != "kind" or not mixed or both.found.error is not None:
        return False
    kind = type(both.found.returned)
    return kind in (int, float, complex) and kind(both.expected.returned) == both.found.returned


def _flat_store(both: Both) -> bool:
    return ".flat[" in both.template and "setting single item" in str(both.expected.error)


def _wrapped(both: Both) -> bool:
    stores = ("[O] = X", ".flat[", "np.uint", "np.int")
    wraps = any(one in both.template for one in stores)
    return wraps and isinstance(both.expected.error, OverflowError) and both.found.error is None


def _powers_and_shifts(both: Both) -> bool:
    text = str(both.found.error)
    return "power of" in text or "lshift" in both.template


def _fixed_types(both: Both) -> bool:
    if "polyval" in both.template or "np.poly(" in both.template:
        return not both.first.size
    if "bincount" in both.template:
        return both.kind == "dtype" and not both.first.size
    if "nanquantile" in both.template:
        return isinstance(both.found.error, IndexError) and not both.first.size
    if "histogram2d" in both.template or "histogramdd" in both.template:
        return both.kind == "dtype" and not all(one.size for one in both.arrays)
    if "np.cross" in both.template and "in compiled code" in str(both.found.error):
        return True
    return "np.cov" in both.template or "np.corrcoef" in both.template and both.kind == "kind"


def _which_fault(both: Both) -> bool:
    same = both.both_raised and type(both.expected.error) is type(both.found.error)
    if same and "negative dimensions" in str(both.found.error):  # and something else beside
        return "size" not in str(both.expected.error)
    return same and "out of bounds" in str(both.expected.error) and len(both.arrays) > 0


def _undefined_cast(both: Both) -> bool:
    made = both.expected.returned
    integers = isinstance(made, np.ndarray | np.generic) and made.dtype.kind in "iu"
    casts = ("dtype=D", "astype", ",D)", "full", "[...] = B", "[O:O] = M", "T[O, :] = L")
    return (
        both.kind in ("value", "arguments")
        and integers
        and any(one in both.template for one in casts)
    )


def _uint64_mix(both: Both) -> bool:
    dtypes = {a.dtype.str[1:] for a in both.arrays}
    return "u8" in dtypes and len(dtypes) > 1 and "1d(" in both.template


def _unused_strides(both: Both) -> bool:
    return ".strides" in both.template and min(both.first.shape, default=2) < 2


_ZEROS = ("maximum", "minimum", "clip", "sort", "unique", "1d", "partition", ".max", ".min", "nanm")


def _open_order(both: Both) -> bool:
    return both.kind == "sign of zero" and any(one in both.template for one in _ZEROS)


def _reduction_order(both: Both) -> bool:
    expected, found = both.expected.returned, both.found.returned
    if "prod(A,P)" in both.template:
        return both.kind == "value"
    if not isinstance(expected, np.ndarray | np.generic) or expected.dtype.kind not in "fc":
        return False
    if expected.dtype.kind == "f" and not both.template.startswith(("~", "np.dot")):
        return False
    one, other = np.asarray(expected), np.asarray(found)
    if one.shape != other.shape or both.kind not in ("value", "sign of zero"):
        return False
    kept = np.isfinite(one) & np.isfinite(other)
    return _near(one[kept], other[kept], _NARROW.get(one.dtype.str[1:], 1e-9))


def _complex_results(both: Both) -> bool:
    names = ("np.poly(", "roots(", "eig(", "eigvals(")
    return both.kind == "dtype" and any(one in both.template for one in names)


_KEEPS_ORDER = ("concatenate(", "copy(", "astype(", "_like(", "sin(", "add(", "negative(")


def _result_order(both: Both) -> bool:
    if both.kind not in ("order", "strides") or _is_view(both.expected):
        return False
    tables = [one for one in both.arrays if one.ndim > 1]
    if not tables or any(not one.flags.f_contiguous or one.flags.c_contiguous for one in tables):
        return True
    keeps = any(one in both.template for one in _KEEPS_ORDER)
    return not keeps or not _is_fortran(both.expected)


def _results(outcome: Outcome) -> list[np.ndarray[Any, Any]]:
    value = outcome.returned
    values = value if isinstance(value, tuple | list) else (value,)
    return [one for one in values if isinstance(one, np.ndarray)]


def _is_view(outcome: Outcome) -> bool:
    return any(_shared(one, outcome.arguments) for one in _results(outcome))


def _is_fortran(outcome: Outcome) -> bool:
    return all(one.flags.f_contiguous for one in _results(outcome))


_MADE_ANEW = ("reshape", "ravel", "contiguous", "asfortran", "require", "order=", "diff", "flat")


def _reshaped_copies(both: Both) -> bool:
    locked = any(not one.flags.writeable or not one.flags.aligned for one in both.arrays)
    named = any(one in both.template for one in _MADE_ANEW)
    return locked and named and both.kind in ("memory", "writeable", "order", "strides")


_PERMITTED: tuple[Callable[[Both], bool], ...] = (
    _extreme_sizes,
    _int64_wrap,
    _numpy_scalars,
    _one_type,
    _flat_store,
    _wrapped,
    _powers_and_shifts,
    _fixed_types,
    _which_fault,
    _undefined_cast,
    _uint64_mix,
    _unused_strides,
    _open_order,
    _reduction_order,
    _complex_results,
    _result_order,
    _reshaped_copies,
)
