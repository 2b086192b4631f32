"""The dispatch of calls: explained for one call, counted for all.

The C half reports (dispatch_c) the path of a call, and the fingerprint and type code of each
argument.  This module puts that into words.  (SPEC B.)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np

from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.showing.displayed import Displayed
from cutaway.typing.analysis.changing import leads_to_container
from cutaway.typing.overloads import choice
from cutaway.typing.overloads.choice import Candidate
from cutaway.typing.types import Array, Tuple, Type, describe, is_number, shortened
from cutaway.typing.types.conversions import Conversion

WAYS = {
    "guards": "the guards of specialization {place} in the inline cache accept the arguments",
    "codes": "the type codes are in the function's table",
    "conversion": "the type codes are in the function's table, with a conversion",
    "resolution": "no specialization matches: the Python half {outcome}",
}
BY_HAND = "installed by hand; compiled callers still use the original"
# Returns the object with a number in a fingerprint, None once it is gone.
Named = Callable[[int], Any]
# The letters of fingerprints (dispatch_c/fingerprints.c) that stand alone, and those that an
# object's number follows.
_LETTERS = {
    "i": "int",
    "f": "float",
    "c": "complex",
    "?": "bool",
    "N": "None",
    "R": "range",
    "s": "str",
    "b": "bytes",
    "B": "bytearray",
}
_OF_NAMES = {"n": "NumPy number", "x": "a value of", "E": "a member of", "K": "the object"}
_ELEMENTS = {np.dtype(letter).num: np.dtype(letter).name for letter in "?bBhHiIlLqQefdgFDGOSUMm"}
_UNITS, _SIZED, _RECORD = (21, 22), (18, 19), 20  # NumPy's type numbers with words of their own


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call: its fingerprint in words, the code and name of its type, and the
    place where the C half looks up that code: a "table" of usual classes, its "fingerprint", or
    "typeof" in Python each time; "default" is an omitted argument.  `written_back`: the call may
    change lists, dicts or sets in it; None where there are none, or nothing is compiled yet."""

    name: str
    fingerprint: str
    code: int
    type: Type
    found_by: str
    written_back: bool | None = None


@dataclass(frozen=True, eq=False)
class DispatchExplanation(Displayed):
    """The outcome of a call's dispatch, and the reasons.

    `way` is "guards", "codes", "conversion" or "resolution"; `outcome` "hit", "compile",
    "ambiguous" or "refused".  `candidates` are all specializations with the conversions that they
    would cost and the reason why each was rejected; `nearest` is the most similar signature,
    `differences` its differences.  `installed` is true if the chosen one was installed by hand.
    """

    function: str
    mode: str
    arguments: tuple[Argument, ...]
    way: str
    guards: int
    outcome: str
    chosen: tuple[Type, ...] | None
    candidates: tuple[Candidate, ...]
    nearest: tuple[Type, ...] | None
    differences: tuple[str, ...]
    installed: bool = False

    @property
    def road(self) -> str:
        """The path of the call in a sentence."""
        outcome = {"compile": "compiles a new specialization", "hit": "selects one"}
        said = outcome.get(self.outcome, f"reports that the call is {self.outcome}")
        by_hand = f"; it was {BY_HAND}" if self.installed else ""
        return WAYS[self.way].format(place=self.guards, outcome=said) + by_hand

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data."""
        listed = {"chosen": self.chosen, "nearest": self.nearest}
        return {
            "function": self.function,
            "mode": self.mode,
            "arguments": [
                {name: getattr(a, name) for name in Argument.__slots__} | {"type": str(a.type)}
                for a in self.arguments
            ],
            "way": self.way,
            "outcome": self.outcome,
            **{k: None if v is None else list(map(str, v)) for k, v in listed.items()},
            "candidates": [
                {
                    "signature": list(map(str, c.argtypes)),
                    "conversions": [kind.name.lower() for kind in c.kinds],
                    "reason": c.reason,
                }
                for c in self.candidates
            ],
            "differences": list(self.differences),
            "installed": self.installed,
        }

    def __str__(self) -> str:
        arguments = ", ".join(str(a.type) for a in self.arguments)
        lines = [f"{self.function}({arguments}): {self.outcome}", f"  {self.road}"]
        for a in self.arguments:
            lines.append(f"  {a.name}: {a.type}, code {a.code} by {a.found_by}: {a.fingerprint}")
            if a.written_back is not None:
                done = "is written back" if a.written_back else "is not changed by the call"
                lines.append(f"    {a.name} {done}")
        for c in self.candidates:
            mark = "->" if c.argtypes == self.chosen else "  "
            lines.append(f"  {mark} {c.described()}")
        if self.differences:
            assert self.nearest is not None
            lines.append(f"  nearest: ({', '.join(map(str, self.nearest))})")
            lines += [f"    {difference}" for difference in self.differences]
        return "\n".join(lines)


def explain(
    function: str,
    mode: str,
    names: tuple[str, ...],
    argtypes: tuple[Type, ...],
    plan: dict[str, Any],
    signatures: tuple[tuple[Type, ...], ...],
    described: Callable[[Any], tuple[Any, int, str]],
    named: Named,
    installed: tuple[tuple[Type, ...], ...] = (),
) -> DispatchExplanation:
    """Explain a call from the report of the C half."""
    arguments = []
    compiled = plan["specialization"] is not None
    for k, (name, ty, value) in enumerate(zip(names, argtypes, plan["arguments"], strict=True)):
        words, code, found_by = described(value)
        text = "none" if words is None else fingerprint_text(words, named)
        written = k in plan["written_back"] if compiled and leads_to_container(ty) else None
        arguments.append(Argument(name, text, code or ty.typecode, ty, found_by, written))
    candidates = choice.candidates(argtypes, signatures, unsafe=mode == "written")
    if mode == "open":
        candidates = [_only_exact(c, argtypes) for c in candidates]
    chosen = next((c.argtypes for c in candidates if c.argtypes == plan["chosen"]), None)
    best = [c for c in candidates if c.is_best]
    if chosen is None and len(best) == 1:
        chosen = best[0].argtypes
    outcome = "hit" if chosen else "compile" if mode == "open" else "refused"
    if chosen is None and len(best) > 1:
        outcome = "ambiguous"
    nearest = None if chosen == argtypes else _nearest(argtypes, signatures)
    differences = () if nearest is None else _differences(names, argtypes, nearest)
    return DispatchExplanation(
        function, mode, tuple(arguments), plan["way"], plan["guards"], outcome, chosen,
        tuple(candidates), nearest, tuple(text for _, text in differences), chosen in installed,
    )  # fmt: skip


def _only_exact(candidate: Candidate, argtypes: tuple[Type, ...]) -> Candidate:
    """Return a candidate for a function without signatures: an inexact conversion would make the
    result of a call depend on earlier calls."""
    if candidate.argtypes == argtypes:
        return candidate
    reason = candidate.reason
    if not reason:
        index = next(k for k, kind in enumerate(candidate.kinds) if kind is not Conversion.EXACT)
        kind = candidate.kinds[index].name.lower()
        reason = (
            f"argument {index + 1}: {kind}, but a function without signatures needs exact types"
        )
    return Candidate(candidate.argtypes, candidate.kinds, reason)


# --- the nearest signature ----------------------------------------------------------------------


def _nearest(
    argtypes: tuple[Type, ...], signatures: tuple[tuple[Type, ...], ...]
) -> tuple[Type, ...] | None:
    """Return the signature with the fewest differences; another kind of type weighs more."""
    fitting = [wanted for wanted in signatures if len(wanted) == len(argtypes)]
    names = ("",) * len(argtypes)

    def distance(wanted: tuple[Type, ...]) -> int:
        return sum(weight for weight, _ in _differences(names, argtypes, wanted))

    return min(fitting, key=distance, default=None)


def _differences(
    names: tuple[str, ...], argtypes: tuple[Type, ...], wanted: tuple[Type, ...]
) -> Iterator[tuple[int, str]]:
    """Yield the differences and their weights."""
    for name, one, other in zip(names, argtypes, wanted, strict=True):
        if one is not other:
            yield from _difference(name, one, other)


def _difference(name: str, ty: Type, wanted: Type) -> Iterator[tuple[int, str]]:
    if isinstance(ty, Array) and type(ty) is type(wanted):
        for attribute in ("dtype", "ndim", "layout", "readonly", "aligned"):
            one, other = getattr(ty, attribute), getattr(wanted, attribute)
            if one != other:
                yield 1, f"{name}: {attribute} is {one} here, {other} there"
    elif (
        isinstance(ty, Tuple)
        and isinstance(wanted, Tuple)
        and getattr(ty, "cls", None) is getattr(wanted, "cls", None)
        and len(ty.items) == len(wanted.items)
    ):
        for index, (one, other) in enumerate(zip(ty.items, wanted.items, strict=True)):
            if one is not other:
                yield from _difference(f"{name}[{index}]", one, other)
    else:
        weight = 2 if is_number(ty) and is_number(wanted) else 10
        yield (
            weight,
            f"{name}: type is {shortened(str(ty))} here, {shortened(str(wanted))} there",
        )


# --- fingerprints as text -------------------------------------------------------------------------


def fingerprint_text(words: tuple[int, ...], named: Named) -> str:
    """Format a fingerprint as text; its words are described in dispatch_c/fingerprints.c."""
    reader = _FingerprintReader(list(words), named)
    text = reader.value()
    assert not reader.words, "a fingerprint is of one value"
    return text


@dataclass(slots=True)
class _FingerprintReader:
    """A reader of a fingerprint's words, which it consumes from the front."""

    words: list[int]
    named: Named

    def value(self) -> str:
        word = self.words.pop(0)
        letter, number = chr(word & 255), word >> 8
        match letter:
            case "(":
                return self.items("tuple", number)
            case "T":
                return self.items(self.name(), number)
            case "S":
                return self.items("slice", 3)
            case "[":
                return f"{'deque' if number else 'list'}({self.kinds()})"
            case "{":
                return f"{'frozen' * number}set({self.kinds()})"
            case ":":
                return f"dict({self.kinds()}: {self.kinds()})"
            case "l":
                kind = {"H": "List", "Q": "Set", "I": "Dict"}[chr(number)]
                return f"typed.{kind} of type code {self.words.pop(0)}"
            case "A":
                return self.array(number)
            case "a":
                return f"{self.name()}: {self.value()}"
            case "y":
                return f"array.array {self.text()!r}"
            case "v":
                ndim, _size = self.words.pop(0), self.words.pop(0)
                access = " read-only" if number & 1 else ""
                return f"memoryview {ndim}d {self.text()!r}{access}"
            case "M" | "m":
                return f"{self.name()} in {self.unit()}"
            case "V":
                return f"{self.name()} of {self.dtype()}{' read-only' if number else ''}"
            case "d":
                return f"the dtype {self.dtype()}"
            case "O":
                head, parts = self.name(), []
                while self.words:
                    parts.append(self.value())
                return f"{head}({', '.join(parts)})"
            case "n" | "x" | "E" | "K":
                return f"{_OF_NAMES[letter]} {self.name()}"
        return _LETTERS[letter]

    def items(self, head: str, count: int) -> str:
        return f"{head}({', '.join(self.value() for _ in range(count))})"

    def kinds(self) -> str:
        """The different kinds of items in a container, up to the mark of their end."""
        parts = []
        while chr(self.words[0] & 255) != "]":
            parts.append(self.value())
        self.words.pop(0)
        return ", ".join(parts)

    def array(self, number: int) -> str:
        kind, ndim, layout = number & 255, number >> 8 & 127, "CFA"[number >> 15 & 3]
        element = _ELEMENTS.get(kind, f"type {kind}")
        if kind in _UNITS:
            element += f" in {self.unit()}"
        elif kind in _SIZED:
            element += f" of {self.words.pop(0)} bytes"
        elif kind == _RECORD:
            element = f"of {self.dtype()}"
        marks = ("read-only", "unaligned", "byte-swapped")
        flags = "".join(f" {mark}" for k, mark in enumerate(marks) if number >> (17 + k) & 1)
        return f"array {element} {ndim}d {layout}{flags}"

    def dtype(self) -> str:
        number = self.words.pop(0) >> 8
        size, cls = self.words.pop(0), self.name()
        kind = number & 255
        text = _ELEMENTS.get(kind, f"type {kind}")
        if kind in _UNITS:
            text += f" in {self.unit()}"
        elif kind in _SIZED:
            text += f" of {size} bytes"
        if number >> 11 & 1:
            count = self.words.pop(0) >> 8
            shape = [self.words.pop(0) for _ in range(count)]
            return f"{self.dtype()} by {shape}"
        if number >> 10 & 1:
            count = self.words.pop(0) >> 8
            self.words.pop(0)
            text = f"{cls}{{{', '.join(self.field() for _ in range(count))}}}"
        return text

    def field(self) -> str:
        name, offset = self.text(), self.words.pop(0)
        return f"{name} at {offset}: {self.dtype()}"

    def unit(self) -> str:
        base, multiple = self.words.pop(0), self.words.pop(0)
        return f"{multiple} of unit {base}"

    def name(self) -> str:
        number = self.words.pop(0)
        value = self.named(number)
        return f"#{number}" if value is None else describe(value)

    def text(self) -> str:
        length = self.words.pop(0)
        count = (length + 3) // 4
        data = b"".join(word.to_bytes(4, "little") for word in self.words[:count])
        del self.words[:count]
        return data[:length].decode(errors="replace")


# --- counters -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SpecializationRecord:
    """One specialization: its signature, the number of its calls and how they were dispatched (see
    DispatchExplanation), the seconds that compiling it took, and whether it was installed by
    hand."""

    signature: tuple[Type, ...]
    returns: Type
    calls: int
    hits: dict[str, int]
    compile_seconds: float
    installed: bool = False

    def __str__(self) -> str:
        argtypes = ", ".join(map(str, self.signature))
        ways = ", ".join(f"{count} by {way}" for way, count in self.hits.items() if count)
        roads = f" ({ways})" if ways else ""
        milliseconds = self.compile_seconds * 1e3
        by_hand = f", {BY_HAND}" if self.installed else ""
        counted = f"{self.calls} calls{roads}, {milliseconds:.1f} ms"
        return f"({argtypes}) -> {self.returns}: {counted}{by_hand}"


@dataclass(frozen=True, eq=False)
class Specializations(Displayed):
    """The specializations of a function, in the order they were made; a sequence of records."""

    function: str
    records: tuple[SpecializationRecord, ...]

    def __iter__(self) -> Iterator[SpecializationRecord]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, place: int) -> SpecializationRecord:
        return self.records[place]

    def __str__(self) -> str:
        count = len(self.records)
        head = f"{self.function}: {count} specialization{'s' * (count != 1)}"
        return "\n".join([head, *(f"  {record}" for record in self.records)])


@dataclass(frozen=True, slots=True)
class Stats:
    """The counters of a function's calls and compilations.

    `hits` counts calls by the way in which their specialization was selected.  `cache_path`,
    `cache_hits` and `cache_misses` describe the cache on disk (`cache=True`): `cache_path` is the
    folder of its files, None if there are none; each compilation is a miss.
    """

    calls: int
    hits: dict[str, int]
    compilations: int
    compile_seconds: float
    cache_path: str | None
    cache_hits: dict[tuple[Type, ...], int]
    cache_misses: dict[tuple[Type, ...], int]


def stats_of(
    records: Specializations,
    cached: Collection[tuple[Type, ...]] = (),
    cache_path: str | None = None,
) -> Stats:
    """Sum the counters of all specializations; those in `cached` were loaded from disk."""
    hits: dict[str, int] = {}
    for record in records:
        for way, count in record.hits.items():
            hits[way] = hits.get(way, 0) + count
    seconds = sum(record.compile_seconds for record in records)
    found = {record.signature: 1 for record in records if record.signature in cached}
    misses = {record.signature: 1 for record in records if record.signature not in cached}
    calls, compilations = sum(hits.values()), len(misses)
    return Stats(calls, hits, compilations, seconds, cache_path, found, misses)
