"""Made-up indices of arrays, compiled and in Python alone, side by side.

    python -m fuzz indexed 20000                    # from the folder tests
    python -m fuzz indexed 1 --seed 1234

A program reads, assigns or updates what an index chooses; the index has integers, arrays of them
that are broadcast, masks, bools, slices, new axes and an ellipsis, in any order.  Some are wrong.
Compared are the result (its type, shape and values), what is left of the array, and what is raised.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import cutaway
from cutaway.errors import CutawayError, InternalError
from fuzz.arrays import function_of
from fuzz.batches import ALLOWED, FINDING, REFUSED, SAME, Verdict

CALLS = 3
DTYPES = ("f8", "f8", "f4", "i8", "i4", "i2", "u1", "u8", "?", "c16", "c8", "f2", "M8[s]", "m8[D]")
INDEX_DTYPES = ("i8", "i8", "i8", "i4", "i2", "i1", "u1", "u2", "u4", "u8")
RECORD = np.dtype([("x", "f4"), ("n", "i8"), ("b", "?")])

Arguments = dict[str, Any]
Program = Callable[..., Any]


class Writer:
    """A program with an index, and values for it: of fixed types, so that one compilation does for
    all calls."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        self.ndim = random.choice((1, 1, 1, 2, 2, 2, 3, 4))
        self.dtype = random.choice(DTYPES) if random.random() < 0.95 else RECORD
        self.layout = random.choice(("C", "C", "C", "F", "T", "-", "2"))
        self.places = random.choice((1, 1, 1, 2, 2, 3))  # axes of index arrays, at most
        self.parts: list[tuple[str, str, int, str]] = []  # kind, name, axes, dtype
        self._draw_index()
        self.action = random.choice(("read", "set", "set", "add", "fused", "cut"))
        if self.action not in ("read", "set") and self._is_odd():
            self.action = "set"
        self.value = self._draw_value()
        self.source = self._written()

    def _is_odd(self) -> bool:
        return self.dtype is RECORD or self.dtype[0] in "?Mm"

    # --- the program ------------------------------------------------------------------------------

    def _draw_index(self) -> None:
        random, axes = self.random, 0
        while axes < self.ndim and random.random() < 0.8:
            kind = random.choice(
                ("places", "places", "places", "mask", "number", "number", "slice", "new", "bool")
            )
            if kind in ("new", "bool") and random.random() < 0.5:
                continue
            if kind == "bool" and self.ndim + self.places > 5:
                continue
            name, own, dtype = f"i{len(self.parts)}", 0, ""
            if kind == "places":
                own, dtype = random.randint(0, self.places), random.choice(INDEX_DTYPES)
                axes += 1
            elif kind == "mask":
                own = min(random.choice((1, 1, 2, 3)), self.ndim - axes)
                axes += own
            elif kind in ("number", "slice"):
                axes += 1
            elif kind == "bool":
                own = random.choice((0, 1))
            self.parts.append((kind, name, own, dtype))
        if random.random() < 0.3:
            place = random.randint(0, len(self.parts))
            self.parts.insert(place, ("ellipsis", "...", 0, ""))
        if not self.parts:
            self.parts.append(("places", "i0", 1, "i8"))

    def _draw_value(self) -> tuple[int, str]:
        """The axes of a value, -1 for a number, and its dtype."""
        random = self.random
        dtype = random.choice(("f8", "i8", "f4", "i4", "u1", "?"))
        if self._is_odd() and self.dtype != "?":
            return random.choice((0, 1, 2)), "own"
        if random.random() < 0.4:
            dtype = "own"
        return random.choice((-1, -1, 0, 1, 1, 2, 3)), dtype

    def _written(self) -> str:
        names, given = [], []
        for kind, name, own, _ in self.parts:
            if kind == "new":
                names.append("None")
            elif kind == "slice":
                start = self.random.choice(("", "1", "-2", "0"))
                stop = self.random.choice(("", "-1", "2", "0"))
                step = self.random.choice(("", "", ":-1", ":2", f":{name}"))
                if ":" in step and name in step:
                    given.append(name)
                if step == ":-1":
                    start = stop = ""
                names.append(f"{start}:{stop}{step}")
            else:
                is_computed = self.action == "fused" and kind == "places" and own > 0
                names.append(f"{name} + 0" if is_computed and name != "i0" else name)
                if kind != "ellipsis":
                    given.append(name)
        index = ", ".join(names) + ("," if len(names) > 1 and self.random.random() < 0.2 else "")
        head = ""
        if len(names) > 1 and ":" not in index and self.random.random() < 0.2:
            head, index = f"    t = ({index})\n", "t"
        self.given = given
        body = {
            "read": f"    return a[{index}]\n",
            "set": f"    a[{index}] = v\n    return 0\n",
            "add": f"    a[{index}] += v\n    return 0\n",
            "fused": f"    return (a[{index}] + a[{index}] * 3).sum()\n",
            "cut": f"    a[a > {self.random.randint(0, 9)}] = v\n    return a[{index}]\n",
        }[self.action]
        start = f"def program(a, v, {', '.join(given)}):\n{head}"
        self.reading = f"{start}    return a[{index}]\n"
        return start + body

    # --- arguments --------------------------------------------------------------------------------

    def arguments(self, call: int) -> Arguments:
        """The arguments of a call."""
        random = Random(f"{self.source} {call}")
        shape = tuple(random.choice((1, 2, 3, 4, 5, 5)) for _ in range(self.ndim))
        if random.random() < 0.06:
            shape = (*shape[:-1], 0)
        array = laid_out(values(random, self.dtype, shape), self.layout)
        given = self._of_parts(random, shape)
        return {"a": array, "v": self._of_value(random, array, given), **given}

    def _of_parts(self, random: Random, shape: tuple[int, ...]) -> Arguments:
        together = tuple(random.choice((1, 2, 3, 4)) for _ in range(self.places))
        wrong = random.random() < 0.15  # something may be out of bounds, or of no fitting shape
        found: Arguments = {}
        used = sum(_axes(kind, own) for kind, _, own, _ in self.parts)
        axis = 0
        for kind, name, own, dtype in self.parts:
            if kind == "ellipsis":
                axis += len(shape) - used
                continue
            if kind == "new":
                continue
            size = shape[axis] if axis < len(shape) else 1
            found[name] = _part(random, kind, own, dtype, shape[axis : axis + own], size, together)
            if wrong and random.random() < 0.3:
                found[name] = _part(random, kind, own, dtype, (3, 2, 2)[:own], 7, (3, 2, 2))
            axis += _axes(kind, own)
        return {name: found[name] for name in self.given}

    def _of_value(self, random: Random, array: Any, given: Arguments) -> Any:
        ndim, dtype = self.value
        dtype = self.dtype if dtype == "own" else dtype
        if ndim < 0:
            kind = np.dtype(dtype).kind
            number = random.choice((0, 1, -1 if kind in "iu" else 3, 300 if kind in "iu" else 2))
            return float(number) + 0.5 if kind == "f" else bool(number) if kind == "b" else number
        if ndim == array.ndim and random.random() < 0.25 and dtype == self.dtype:
            return array[::-1] if random.random() < 0.5 else array  # it overlaps
        wanted: tuple[int, ...] = ()
        with contextlib.suppress(IndexError, ValueError, AttributeError):
            wanted = function_of(self.reading, "<reading>")(array, 0, *given.values()).shape
        wanted = (1,) * (ndim - len(wanted)) + wanted
        last = wanted[len(wanted) - ndim :]
        shape = tuple(1 if random.random() < 0.25 else size for size in last)
        if random.random() < 0.06:
            shape = tuple(size + 1 for size in shape)
        return laid_out(values(random, dtype, shape), random.choice("CCFT-"))


def _axes(kind: str, own: int) -> int:
    return own if kind == "mask" else int(kind in ("places", "number", "slice"))


def _part(
    random: Random,
    kind: str,
    own: int,
    dtype: str,
    shape: tuple[int, ...],
    size: int,
    together: tuple[int, ...],
) -> Any:
    if kind == "mask":
        density = random.choice((0.0, 0.2, 0.5, 0.9, 1.0))
        count = int(np.prod(shape))
        flat = [random.random() < density for _ in range(count)]
        return np.array(flat, dtype=bool).reshape(shape)
    if kind == "bool":
        truth = random.random() < 0.7
        return np.array(truth) if own else truth
    if kind == "slice":
        return random.choice((1, 2, -1, -2, 0 if random.random() < 0.2 else 1))
    if kind == "number":
        return random.randint(-size, size - 1) if size else 0
    low = 0 if dtype[0] == "u" else -size
    axes = tuple(1 if random.random() < 0.2 else n for n in together[len(together) - own :])
    if random.random() < 0.04:
        axes = (0,) * own
    count = int(np.prod(axes))
    flat = [random.randint(low, size - 1) if size else 0 for _ in range(count)]
    return np.array(flat, dtype=dtype).reshape(axes)


def values(random: Random, dtype: Any, shape: tuple[int, ...]) -> Any:
    """An array with different elements, as far as its dtype has them."""
    count = int(np.prod(shape))
    first = random.randint(0, 3)
    if dtype is RECORD:
        rows = [(k + 0.5, k, k % 3 == 0) for k in range(first, first + count)]
        return np.array(rows, dtype=RECORD).reshape(shape)
    numbers = np.arange(first, first + count)
    if np.dtype(dtype).kind == "b":
        numbers = numbers * 7 % 3 == 0
    elif np.dtype(dtype).kind in "iu":
        numbers = numbers % 120
    return numbers.astype(dtype).reshape(shape)


def laid_out(array: Any, layout: str) -> Any:
    """The array with another order in memory; `-` with negative strides, `2` with gaps."""
    if layout == "F":
        return np.asfortranarray(array)
    if layout == "T" and array.ndim > 1:
        order = (*range(1, array.ndim), 0)
        back = tuple(int(k) for k in np.argsort(order))
        return np.ascontiguousarray(array.transpose(order)).transpose(back)
    if layout == "-" and array.ndim:
        return array[::-1].copy()[::-1]
    if layout == "2" and array.ndim:
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    return array


def outcome(function: Program, arguments: Arguments) -> tuple[Any, ...]:
    """What a call gives, or what it raises; and what it leaves of its array."""
    warnings.simplefilter("ignore")
    result: Any
    try:
        result = ("gives", told(function(*arguments.values())))
    except (CutawayError, AssertionError):
        raise
    except Exception as error:  # noqa: BLE001  any that Python raises
        result = ("raises", type(error).__name__, str(error))
    return (*result, told(arguments["a"]))


def told(value: Any) -> Any:
    """A value as what can be compared, bits and all."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return repr(value.item() if isinstance(value, np.generic) else value)


def check(seed: int) -> Verdict:
    """Compare the calls of a seed's program."""
    writer = Writer(seed)
    return compared(writer, function_of(writer.source, f"<index {seed}>"))


def compared(writer: Writer, function: Program, twin: Program | None = None) -> Verdict:
    """What becomes of some calls of a program, which NumPy may run in the form of a twin."""
    compiled = cutaway.jit(function)
    for call in range(CALLS):
        expected = outcome(twin or function, writer.arguments(call))
        try:
            found = outcome(compiled, writer.arguments(call))
        except InternalError as error:
            return Verdict(FINDING, str(error), shown(writer, call))
        except CutawayError as error:
            words = str(error).splitlines()[0].partition(": ")[2] or str(error)
            kind = REFUSED if expected[0] == "gives" else ALLOWED
            return Verdict(kind, " ".join(words.split())[:90], shown(writer, call))
        if _is_wrapped(writer, expected, found):
            return Verdict(ALLOWED, "store-wrap", shown(writer, call))
        if found not in (expected, _read_before(twin or function, writer.arguments(call))):
            return Verdict(FINDING, f"{expected} is {found}"[:2000], shown(writer, call), call + 1)
    return Verdict(SAME, calls=CALLS)


def _is_wrapped(writer: Writer, expected: tuple[Any, ...], found: tuple[Any, ...]) -> bool:
    """Whether a number was added to one element that NumPy's does not hold (ledger: store-wrap)."""
    single = all(
        kind == "number" or (kind, own) == ("places", 0) for kind, _, own, _ in writer.parts
    )
    overflows = expected[:2] == ("raises", "OverflowError")
    return writer.action == "add" and single and overflows and found[0] == "gives"


def _read_before(function: Program, arguments: Arguments) -> tuple[Any, ...] | None:
    """What a value that overlaps the array gives where it is read as a whole before anything is
    written (ledger: overlapping-assignment); None for others."""
    array, value = arguments["a"], arguments["v"]
    if not isinstance(value, np.ndarray) or not np.shares_memory(array, value):
        return None
    return outcome(function, {**arguments, "v": value.copy()})


def shown(writer: Writer, call: int) -> str:
    """The program, and what it is called with."""
    rows = [
        f"# {name}: {getattr(value, 'dtype', '')} {getattr(value, 'shape', '')} "
        + " ".join(repr(value).split())[:150]
        for name, value in writer.arguments(call).items()
    ]
    return "\n".join((*rows, f"# {writer.layout}", writer.source))
