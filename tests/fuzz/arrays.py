"""Made-up programs of whole arrays, compiled and in Python alone, side by side.

    python -m fuzz arrays 20000                     # from the folder tests
    python -m fuzz arrays 1 --seed 1234 --show
    python -m fuzz array-levels 500                 # each level, as the witness does

Compared are what a call returns (types, shapes, bits, which results lie in the same memory, which
can be written to), what it raises, what it leaves of its arguments, and the memory that is
taken after it.  Every fifth program is compiled without `fuse_arrays`, too.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import cutaway
from corpus.programs.compare import quiet
from cutaway import runtime
from cutaway.errors import CutawayError, InternalError, VerifyError
from fuzz.array_writer import ArrayWriter, Written
from fuzz.batches import ALLOWED, FINDING, REFUSED, SAME, Verdict

CALLS = 3
UNFUSED = cutaway.pipelines.nopython.without("fuse_arrays")

Function = Callable[..., Any]


def function_of(source: str, name: str) -> Function:
    """The function of a program; its source is shown in messages."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space: dict[str, Any] = {"np": np}
    exec(compile(source, name, "exec"), space)  # noqa: S102
    return space["program"]


def check(seed: int) -> Verdict:
    """Compare the calls of a seed's program, compiled and in Python."""
    written = ArrayWriter(seed).written()
    return compared(written, seed)


def compared(written: Written, seed: int) -> Verdict:
    """What becomes of some calls of a program."""
    function = function_of(written.source, f"<program {seed}>")
    compilers = [cutaway.jit(function)]
    if seed % 5 == 0:
        compilers.append(cutaway.jit(function, pipeline=UNFUSED))
    reasons: set[str] = set()
    for call in range(CALLS):
        for number, compiled in enumerate(compilers):
            fresh = lambda: written.arguments(Random(f"{seed} {call}"))  # noqa: B023, E731
            kind, words = one_call(written, function, compiled, fresh)
            if words.startswith("?"):  # another error: does fusing alone make it another one?
                other = cutaway.jit(function, pipeline=UNFUSED)
                is_last = compiled is not compilers[0] or one_call(written, function, other, fresh)[
                    1
                ].startswith("?")
                kind, words = (FINDING, words[1:]) if is_last else (ALLOWED, "which-fault")
            if kind in (FINDING, REFUSED):
                how = " without fuse_arrays" if number else ""
                return Verdict(kind, words + how, shown(written, fresh), call + 1)
            if kind == ALLOWED:
                reasons.add(words)
    if reasons:
        return Verdict(ALLOWED, ", ".join(sorted(reasons)), calls=CALLS)
    return Verdict(SAME, calls=CALLS)


def shown(written: Written, fresh: Callable[[], tuple[Any, ...]]) -> str:
    """The program and what it is called with."""
    told = []
    for form, value in zip(written.forms, fresh(), strict=True):
        if isinstance(value, np.ndarray):
            told.append(f"# {form.name}: {value.dtype} {value.shape} {form.layout} {form.like}")
        else:
            told.append(f"# {form.name} = {value}")
    return "\n".join([written.source, *told])


def one_call(
    written: Written, function: Function, compiled: Any, fresh: Callable[[], tuple[Any, ...]]
) -> tuple[str, str]:
    """The kind of verdict of one call, and its words."""
    with quiet():
        wanted = Outcome(function, fresh())
    before = _taken()
    try:
        found = Outcome(compiled, fresh())
    except BaseException as error:  # such as SystemError out of the C code
        return FINDING, f"raised {error!r}"
    if isinstance(found.error, InternalError | VerifyError):
        return FINDING, f"{type(found.error).__name__}: {found.error}"
    if isinstance(found.error, CutawayError):
        return REFUSED, str(found.error).partition("\n")[0][:60]
    words = difference(wanted, found, written)
    del found
    if not words and _taken() != before:
        return FINDING, f"{_taken() - before} pieces of memory are left"
    if words.startswith("~"):
        return ALLOWED, words[1:]
    return (FINDING, words) if words else (SAME, "")


def _taken() -> int:
    taken, given = runtime.stats()
    return int(taken - given)


class Outcome:
    """What a call gave or raised, and what it left of its arguments."""

    def __init__(self, function: Function, args: tuple[Any, ...]) -> None:
        self.args = args
        self.error: Exception | None = None
        self.line = 0
        self.value: Any = None
        try:
            self.value = function(*args)
        except Exception as error:  # noqa: BLE001  whatever the program raises
            place = error.__traceback__
            while place is not None and place.tb_next is not None:
                place = place.tb_next
            lines = []
            place = error.__traceback__
            while place is not None:
                if place.tb_frame.f_code.co_filename.startswith("<program"):
                    lines.append(place.tb_lineno)
                place = place.tb_next
            self.line = lines[-1] if lines else 0
            self.error = error.with_traceback(None)

    def parts(self) -> list[Any]:
        """The values that it gave, one by one."""
        return list(self.value) if isinstance(self.value, tuple) else [self.value]


def difference(wanted: Outcome, found: Outcome, written: Written) -> str:
    """How two outcomes differ: nothing, or after `~` an entry of the ledger that permits it."""
    if (wanted.error is None) != (found.error is None):
        return f"raised {found.error!r} and not {wanted.error!r}"
    told = ""
    for name, (a, b) in zip(
        [form.name for form in written.forms],
        zip(wanted.args, found.args, strict=True),
        strict=True,
    ):
        told = told or _with(f"argument {name}", different(a, b, written))
    if wanted.error is not None and found.error is not None:
        if type(wanted.error) is not type(found.error) and wanted.line == found.line:
            return "~which-fault"
        if type(wanted.error) is not type(found.error):
            return f"raised {found.error!r} and not {wanted.error!r}"
        if told:
            return f"{told}, after {wanted.error!r}"
        if str(wanted.error) != str(found.error):
            if isinstance(wanted.error, MemoryError):
                return "~words of MemoryError"
            return f"?raised {found.error!r} and not {wanted.error!r}"
        if wanted.line != found.line:
            return f"?line {found.line} raised it and not line {wanted.line}: {wanted.error!r}"
        return ""
    ones, others = wanted.parts(), found.parts()
    if len(ones) != len(others):
        return "another number of results"
    for k, (a, b) in enumerate(zip(ones, others, strict=True)):
        told = told or _with(f"result {k}", different(a, b, written))
        told = told or _with(f"result {k}", _flags(a, b, written))
    return told or _sharing([*wanted.args, *ones], [*found.args, *others])


def _with(subject: str, words: str) -> str:
    return words if words.startswith("~") or not words else f"{subject}: {words}"


def different(wanted: Any, found: Any, written: Written) -> str:
    """How two values differ."""
    if isinstance(wanted, np.ndarray) or isinstance(found, np.ndarray):
        if type(wanted) is not type(found):
            return f"{type(found).__name__} and not {type(wanted).__name__}"
        if wanted.dtype != found.dtype:
            return f"{found.dtype} and not {wanted.dtype}"
        if wanted.shape != found.shape:
            return f"shape {found.shape} and not {wanted.shape}"
    elif isinstance(wanted, np.generic):
        wanted = wanted.item()
    if type(wanted) is not type(found):
        return f"{type(found).__name__} and not {type(wanted).__name__}"
    one, other = np.asarray(wanted), np.asarray(found)
    equal = _bits_equal(one, other)
    if equal.all():
        return ""
    place = tuple(int(k) for k in np.argwhere(~equal)[0])
    entry = _permitted(one, other, written)
    if entry:
        return f"~{entry}"
    count = int((~equal).sum())
    return f"{count} of {equal.size} differ: at {place} {other[place]!r} and not {one[place]!r}"


def _bits_equal(one: Any, other: Any) -> Any:
    if one.dtype.kind == "c":
        return _bits_equal(one.real, other.real) & _bits_equal(one.imag, other.imag)
    if one.dtype.kind == "f":
        nan = np.isnan(one) & np.isnan(other)
        return ((one == other) & (np.signbit(one) == np.signbit(other))) | nan
    return one == other


# Loops of NumPy's whose last bits depend on the strides.
_BY_STRIDE = ("exp", "log", "sin", "cos", "tanh", "hypot", "arctan2")
# Sums that follow the order in memory, which types do not tell of all arrays.
_BY_ORDER = ("sum", "mean", "var", "std")


def _permitted(one: Any, other: Any, written: Written) -> str:
    source = written.source
    zeros = ("maximum", "minimum", "fmax", "max(", "min(")
    if any(word in source for word in zeros) and one.dtype.kind in "fc":
        if np.array_equal(one, other, equal_nan=True):
            return "open-order"
    unordered = not _in_order(written)
    if one.dtype.kind not in "fc":
        return ""
    if one.dtype.kind == "c" or "prod" in source or (unordered and _has(source, _BY_ORDER)):
        return "reduction-order" if _near(one, other) else ""
    if (unordered or _has(source, _CUT)) and _has(source, _BY_STRIDE) and _near(one, other):
        return "last bits of NumPy's loops"
    return ""


_CUT = ("::", ", :", ", 1:", ", 2:", ", n:", ", -")  # what gives an array other strides


def _has(source: str, words: tuple[str, ...]) -> bool:
    return any(word in source for word in words)


def _near(one: Any, other: Any) -> bool:
    with np.errstate(all="ignore"):
        finite = np.isfinite(one)
        if not np.array_equal(finite, np.isfinite(other)):
            return False
        scale = np.abs(one[finite]).max(initial=0.0)
        part = 1e-4 if one.dtype.char in "fF" else 1e-9
        return bool((np.abs(one - other)[finite] <= part * scale).all())


def _flags(wanted: Any, found: Any, written: Written) -> str:
    if not isinstance(wanted, np.ndarray):
        return ""
    if wanted.flags.writeable != found.flags.writeable:
        return f"writeable is {found.flags.writeable}"
    for name in ("c_contiguous", "f_contiguous"):
        if getattr(wanted.flags, name) != getattr(found.flags, name):
            if not _in_order(written):
                return "~order of results"
            return f"{name} is not the same: strides {found.strides} and not {wanted.strides}"
    return ""


def _in_order(written: Written) -> bool:
    """Whether all arrays of a program are in C order, so that new ones are, too."""
    layouts = {form.layout for form in written.forms}
    odd = ("F", "transposed", "strided", "reversed")
    return layouts.isdisjoint(odd) and ".T" not in written.source


def _sharing(wanted: list[Any], found: list[Any]) -> str:
    arrays = [k for k, value in enumerate(wanted) if isinstance(value, np.ndarray)]
    for at, k in enumerate(arrays):
        for n in arrays[at + 1 :]:
            if np.may_share_memory(wanted[k], wanted[n]) != np.may_share_memory(found[k], found[n]):
                return f"results or arguments {k} and {n} share memory in one only"
    return ""


def check_levels(seed: int) -> Verdict:
    """Run a seed's program at every level, and compare each with Python."""
    written = ArrayWriter(seed).written()
    function = function_of(written.source, f"<program {seed}>")
    fresh = lambda: written.arguments(Random(f"{seed} 0"))  # noqa: E731
    try:
        seen = cutaway.jit(function).trace(*fresh()).witness(*fresh())
    except InternalError as error:
        return Verdict(FINDING, str(error), shown(written, fresh))
    except CutawayError as error:
        return Verdict(REFUSED, error.message.partition("\n")[0][:60])
    if not seen.ok:
        return Verdict(FINDING, seen.summary, shown(written, fresh))
    entries = sorted({entry for row in seen.rows for entry in row.entries})
    return Verdict(ALLOWED, ", ".join(entries)) if entries else Verdict(SAME)
