"""Outcomes of calls, and the differences between outcomes that should be equal.

    done = perform(f, args)       result, final arguments, exception, output
    compare(expected, done)       None, or a Difference: "result[3]: 1.5 in Python, 2.5 here"

Values are equal if they have the same bits, except that all NaNs are equal; the sign of zero
counts. A `Tolerance` relaxes this.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import re
import struct
from collections.abc import Callable, Iterator
from types import GeneratorType, TracebackType
from typing import Any

import numpy as np

from cutaway.errors import CutawayError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc
from cutaway.inspection.witness.copies import arrays_in, fresh
from cutaway.runtime import _runtime

RETURNED, RAISED = "returned", "raised"
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_LONGEST = 60  # characters of values in messages
MOST_ITEMS = 1000  # most items taken from a generator

# Python's messages for one error, which depend on the operand types.
_SAME_WORDS = (
    frozenset(
        {
            "division by zero",
            "float division by zero",
            "complex division by zero",
            "integer division or modulo by zero",
            "integer modulo by zero",
            "float modulo",
            "float modulo by zero",
            "float floor division by zero",
            "float divmod()",
        }
    ),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a call.

    `arguments` are those after the call. `lines` are the lines of the user's file that the
    exception passed through, as far as known. `shared` are the positions of the arguments whose
    memory the result shares.
    """

    kind: str
    value: Any = None
    arguments: tuple[Any, ...] = ()
    exception: str = ""
    message: str = ""
    lines: tuple[int, ...] = ()
    printed: str = ""
    shared: tuple[int, ...] = ()

    def __str__(self) -> str:
        if self.kind == RETURNED:
            return f"returns {shown(self.value)}"
        line = f" in line {self.lines[-1]}" if self.lines else ""
        return f"raises {self.exception}{line}" + (f": {self.message}" if self.message else "")


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between two outcomes.

    `place` is `result`, `result[3]`, `argument 1[0, 2]`, `exception`, ...; `kind` is "value",
    "type" (the values are equal, their types are not), "scalar" (a plain number instead of an equal
    NumPy number), "dtype", "shape", "outcome", "message", "line", "printed" or "sharing".
    """

    place: str
    kind: str
    expected: str
    found: str

    def in_words(self, left: str = "in Python", right: str = "here") -> str:
        """Describe the difference in a sentence."""
        return f"{self.place}: {self.expected} {left}, {self.found} {right}"

    def __str__(self) -> str:
        return self.in_words()


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The tolerance for floats: so many units in the last place, and `relative` to the largest
    item of their array; whether -0.0 equals 0.0, and whether NaN and infinities matter."""

    ulps: int = 0
    relative: float = 0.0
    zero_signs: bool = True
    specials: bool = True


EXACT = Tolerance()


def perform(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    filename: str = "",
    failed_at: Callable[[BaseException], Loc | None] | None = None,
) -> Outcome:
    """Call a function with copies of arguments, and return the outcome.

    `filename` is the user's file, whose lines are recorded for an exception; `failed_at` returns
    the location of one that the interpreter knows.  Raises our own errors, which are not the
    program's.
    """
    own = fresh(args)
    paper = io.StringIO()
    try:
        with contextlib.redirect_stdout(paper):
            value = function(*own)
            if isinstance(value, GeneratorType | _runtime.generator):  # it runs only now
                value = list(itertools.islice(value, MOST_ITEMS))
    except CutawayError:
        raise
    except Exception as error:  # any exception of the program
        loc = None if failed_at is None else failed_at(error)
        lines = _lines(error.__traceback__, filename)
        if loc is not None and loc.filename == filename:
            lines = (loc.line, *lines)
        name = type(error).__name__
        return Outcome(RAISED, None, kept(own), name, _text_of(error), lines, paper.getvalue())
    shared = tuple(
        place
        for place, argument in enumerate(own)
        if any(_share(a, b) for a, b in itertools.product(*map(arrays_in, (value, argument))))
    )
    return Outcome(RETURNED, kept(value), kept(own), printed=paper.getvalue(), shared=shared)


def _share(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    """True if two arrays share an element, or if checking that would take too long."""
    return bool(np.may_share_memory(one, other, max_work=10_000))


def _lines(trace: TracebackType | None, filename: str) -> tuple[int, ...]:
    result = []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == filename:
            result.append(trace.tb_lineno)
        trace = trace.tb_next
    return tuple(result)


def _text_of(error: Exception) -> str:
    try:
        return _ADDRESS.sub("0x...", str(error))
    except Exception:  # a user's class may raise anything
        return ""


@dataclass(frozen=True, slots=True)
class Described:
    """An object of which only the class and the text are recorded."""

    cls: str
    text: str

    def __repr__(self) -> str:
        return self.text


_PLAIN = (bool, int, float, complex, str, bytes, bytearray, range, slice, type(None))


def kept(value: Any) -> Any:
    """Convert a value to a form that can be stored and pickled: arrays are copied; objects other
    than numbers, strings, tuples and the like are described."""
    if type(value) in _PLAIN or isinstance(value, np.generic) and not isinstance(value, np.void):
        return value
    if isinstance(value, np.ndarray) and value.dtype != object:
        return np.array(value, copy=True, subok=False)
    if isinstance(value, np.void):
        return np.array(value)
    if type(value) in (tuple, list):
        return type(value)(map(kept, value))
    if isinstance(value, tuple):
        return (f"{type(value).__name__}", *map(kept, value))
    if isinstance(value, set | frozenset):  # whose order the ledger permits to differ
        return Described(type(value).__name__, f"{{{', '.join(sorted(map(_repr, value)))}}}")
    return Described(type(value).__name__, _ADDRESS.sub("0x...", _repr(value)))


def _repr(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # see _text_of
        return f"<{type(value).__name__}>"


def shown(value: Any) -> str:
    """Format a value for a message, on one line."""
    text = " ".join(_repr(value).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


# --- comparing ----------------------------------------------------------------------------------


def compare(expected: Outcome, actual: Outcome, tolerance: Tolerance = EXACT) -> Difference | None:
    """Return the most important difference of two outcomes: values before mere types."""
    all_found = list(itertools.islice(differences(expected, actual, tolerance), 50))
    grave = (one for one in all_found if one.kind not in ("type", "scalar"))
    return next(grave, all_found[0] if all_found else None)


def differences(
    expected: Outcome, actual: Outcome, tolerance: Tolerance = EXACT
) -> Iterator[Difference]:
    """Yield all differences of two outcomes."""
    if expected.kind != actual.kind:
        yield Difference("outcome", "outcome", str(expected), str(actual))
        return
    if expected.kind == RAISED:
        yield from _of_exceptions(expected, actual)
    else:
        yield from _of_values("result", expected.value, actual.value, tolerance)
        if expected.shared != actual.shared:
            words = [_sharing(one.shared) for one in (expected, actual)]
            yield Difference("memory of the result", "sharing", *words)
    arguments = zip(expected.arguments, actual.arguments, strict=False)
    for place, (left, right) in enumerate(arguments):
        yield from _of_values(f"argument {place}", left, right, tolerance)
    if expected.printed != actual.printed:
        yield _of_prints(expected.printed, actual.printed)


def _sharing(places: tuple[int, ...]) -> str:
    if not places:
        return "its own"
    return f"that of argument {' and '.join(map(str, places))}"


def _of_exceptions(expected: Outcome, actual: Outcome) -> Iterator[Difference]:
    if expected.exception != actual.exception:
        yield Difference("outcome", "outcome", str(expected), str(actual))
    elif not _same_words(expected.message, actual.message):
        left, right = repr(expected.message), repr(actual.message)
        yield Difference(f"message of {expected.exception}", "message", left, right)
    elif expected.lines and actual.lines and not set(expected.lines) & set(actual.lines):
        left, right = f"line {expected.lines[-1]}", f"line {actual.lines[-1]}"
        yield Difference(f"place of {expected.exception}", "line", left, right)


def _same_words(left: str, right: str) -> bool:
    return left == right or any(left in group and right in group for group in _SAME_WORDS)


def _of_prints(left: str, right: str) -> Difference:
    pairs = itertools.zip_longest(left.splitlines(), right.splitlines(), fillvalue="nothing")
    for number, (one, other) in enumerate(pairs, 1):
        if one != other:
            return Difference(f"line {number} of the output", "printed", shown(one), shown(other))
    return Difference("the output", "printed", shown(left), shown(right))


def _of_values(place: str, left: Any, right: Any, tolerance: Tolerance) -> Iterator[Difference]:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        yield from _of_arrays(place, left, right, tolerance)
        return
    if isinstance(left, tuple | list) and isinstance(right, tuple | list):
        yield from _of_items(place, left, right, tolerance)
        return
    if not _same(_item(left), _item(right), tolerance):
        yield Difference(place, "value", shown(left), shown(right))
    elif type(left) is not type(right):
        is_scalar = isinstance(left, np.generic) and type(left.item()) is type(right)
        yield Difference(place, "scalar" if is_scalar else "type", _typed(left), _typed(right))


def _typed(value: Any) -> str:
    return f"{shown(value)} ({type(value).__name__})"


def _of_items(place: str, left: Any, right: Any, tolerance: Tolerance) -> Iterator[Difference]:
    if len(left) != len(right):
        yield Difference(place, "shape", f"{len(left)} items", f"{len(right)} items")
        return
    if type(left) is not type(right):
        yield Difference(place, "type", f"a {type(left).__name__}", f"a {type(right).__name__}")
    for position, (one, other) in enumerate(zip(left, right, strict=True)):
        yield from _of_values(f"{place}[{position}]", one, other, tolerance)


def _of_arrays(place: str, left: Any, right: Any, tolerance: Tolerance) -> Iterator[Difference]:
    if left.shape != right.shape:
        yield Difference(f"shape of {place}", "shape", str(left.shape), str(right.shape))
        return
    if left.dtype != right.dtype:
        yield Difference(f"dtype of {place}", "dtype", str(left.dtype), str(right.dtype))
        return
    fields = left.dtype.names
    if fields:
        for name in fields:
            yield from _of_arrays(f"{place}[{name!r}]", left[name], right[name], tolerance)
        return
    unlike = ~_alike(left, right, tolerance)
    if unlike.any():
        index = tuple(map(int, np.argwhere(unlike)[0]))
        where = f"{place}[{', '.join(map(str, index))}]" if index else place
        more = f" (and {int(unlike.sum()) - 1} more)" if unlike.sum() > 1 else ""
        one, other = left[index], right[index]
        yield Difference(where, "value", shown(_item(one)), shown(_item(other)) + more)


def _alike(left: Any, right: Any, tolerance: Tolerance) -> Any:
    """Return a mask of the equal elements, for two arrays of one shape and dtype."""
    if left.dtype.kind == "c":
        return _alike(left.real, right.real, tolerance) & _alike(left.imag, right.imag, tolerance)
    if left.dtype.kind in "mM":
        return (left == right) | (np.isnat(left) & np.isnat(right))
    if left.dtype.kind != "f":
        return np.asarray(left == right)
    equal = (left == right) | (np.isnan(left) & np.isnan(right))
    if tolerance.zero_signs:
        equal &= (left != 0) | (np.signbit(left) == np.signbit(right))
    if tolerance.specials and not (tolerance.ulps or tolerance.relative):
        return equal
    finite = np.isfinite(left) & np.isfinite(right)
    with np.errstate(all="ignore"):
        largest = np.max(np.abs(left), where=np.isfinite(left), initial=0.0)
        allowed = tolerance.ulps * np.spacing(np.maximum(np.abs(left), np.abs(right)))
        near = np.abs(left - right) <= np.maximum(allowed, tolerance.relative * largest)
    return equal | (finite & near) | (~finite & (not tolerance.specials))


def _item(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) and value.dtype.kind in "biufc" else value


def _same(left: Any, right: Any, tolerance: Tolerance) -> bool:
    """True if two values are equal, ignoring their types."""
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return False
    if isinstance(left, complex) or isinstance(right, complex):
        if not isinstance(left, int | float | complex) or not isinstance(
            right, int | float | complex
        ):
            return False
        one, other = complex(left), complex(right)
        return _same(one.real, other.real, tolerance) and _same(one.imag, other.imag, tolerance)
    if isinstance(left, float) and isinstance(right, float):
        if tolerance == EXACT:
            return _bits(left) == _bits(right) or (left != left and right != right)
        return bool(_alike(np.array(left), np.array(right), tolerance))
    if isinstance(left, np.generic) and isinstance(right, np.generic) and left.dtype.kind in "mM":
        return left.dtype == right.dtype and bool(
            _alike(np.array(left), np.array(right), tolerance)
        )
    return type(left == right) is not np.ndarray and bool(left == right)


def _bits(value: float) -> bytes:
    return struct.pack("<d", value)


def unlike(
    expected: tuple[Outcome, ...],
    actual: tuple[Outcome, ...],
    tolerance: Tolerance = EXACT,
    lines: bool = True,
) -> Difference | None:
    """The first difference between the outcomes of equally many calls; without `lines`, the lines
    of exceptions are ignored."""
    for one, other in zip(expected, actual, strict=True):
        difference = compare(one, other, tolerance)
        if difference is not None and (lines or difference.kind != "line"):
            return difference
    return None
