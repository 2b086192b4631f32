"""Made-up loops over `prange`, on four threads in pieces of one place, beside Python.

    python -m fuzz prange 20000                     # from the folder tests

A program has one loop or two, whose iterations store in elements of their own, change variables
by one operator each, look for the least, have loops and conditions of their own, and may raise.
They set variables that have no value before the loop, under conditions and in loops, read them in
the iteration, and the program reads them and the counters after the loops.
"""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import numpy as np

import cutaway
from corpus.parallel_results import alike
from cutaway.errors import CutawayError, InternalError, RaceWarning, VerifyError
from cutaway.stages.parallel.own_values import OWN
from fuzz.arrays import Outcome, _taken, function_of
from fuzz.batches import ALLOWED, FINDING, REFUSED, SAME, Verdict

THREADS = 4
CALLS = 3
_UPDATES = (
    *("{v} += {x}", "{v} -= {x}", "{v} = max({v}, {x})", "{v} = min({v}, {x})"),
    *("{v} *= 1.0 + 0.001 * {x}", "if {x} < {v}:\n    {v} = {x}", "if {c}:\n    {v} += {x}"),
    "if {x} > {v}:\n    {v} = {x}\n    {v}at = i",
)
_DECIDED = (
    "{v} = {v} or {c}",
    "{v} = {c} or {v}",
    "{v} = {v} and {c}",
    "if not {v}:\n    {v} = {c}",
)
_SETS = (
    *("{w} = {x}", "if {c}:\n    {w} = {x}", "if {c}:\n    {w} = {x}\nelse:\n    {w} = {y}"),
    *("for {k} in range(i % 3):\n    {w} = {x} + {k}", "for {k} in range(3):\n    {w} = {x} * {k}"),
    *("if {c}:\n    {w} = {x}\nelif {d}:\n    {w} = {y}", "if {c} and {d}:\n    {w} = {x}"),
    "for {k} in range(2):\n    if {c}:\n        {w} = {x} - {k}",
)
_READS = (
    *(
        "b[i] += {w}",
        "if {c}:\n    b[i] += {w}",
        "if not ({c}):\n    b[i] += 1\nelse:\n    b[i] += {w}",
    ),
    *("if {c} and {d}:\n    b[i] -= {w}", "for {k} in range(2):\n    if {c}:\n        b[i] += {w}"),
    "if {c} or {d}:\n    b[i] -= {w}",
)


class _Writer:
    """The text of one program."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.names: list[str] = []
        self.unset: list[str] = []  # variables that have no value before the loops

    def text(self) -> str:
        """All of it."""
        self.add(0, "def program(a, b, t, n, x):")
        count = self.random.randint(1, 3)
        for k in range(count):
            first = self.random.choice(("0.0", "1.5", "x", "-3"))
            self.add(1, f"v{k} = {first}")
            self.add(1, f"v{k}at = -1")
            self.names += [f"v{k}", f"v{k}at"]
        if self.random.random() < 0.4:
            self.add(1, "acc = np.zeros(t.shape[1])")
            self.names.append("acc")
        if self.random.random() < 0.3:
            self.add(1, f"decided = {self.random.choice(('True', 'False', 'x > 2'))}")
            self.names.append("decided")
        if self.random.random() < 0.2:
            self.add(1, "w0 = 2.5")
        for _ in range(self.random.randint(1, 2)):
            self._loop(count)
        self.names += [self._after(name) for name in dict.fromkeys(self.unset)]
        self.add(1, f"return {', '.join(self.names)}, b, t")
        return "\n".join(self.lines) + "\n"

    def _after(self, name: str) -> str:
        """A read of a variable after the loops."""
        return self.random.choice((f"({name} if len(a) > n else -1)", name, "0"))

    def add(self, depth: int, text: str) -> None:
        """Add lines."""
        self.lines += [f"{'    ' * depth}{line}" for line in text.split("\n")]

    def _loop(self, count: int) -> None:
        bounds = self.random.choice(("len(a)", "len(a)", "1, len(a)", "n, len(a)", "0, len(a), 2"))
        self.add(1, f"for i in prange({bounds}):")
        kinds = [self._store, self._inner, self._row]
        kinds += [lambda k=k: self._update(k) for k in range(count)]
        if "acc" in self.names:
            kinds.append(lambda: self.add(2, "acc += t[i]"))
        if "decided" in self.names:
            kinds.append(self._decide)
        self.unset.append("i")
        kinds += [self._own, self._own]
        for kind in self.random.sample(kinds, self.random.randint(1, len(kinds))):
            kind()
        if self.random.random() < 0.2:
            self.add(2, f"if {self._condition()}:\n    raise ValueError(i)")

    def _value(self) -> str:
        return self.random.choice(
            ("a[i]", "a[i] * x", "a[i] + i", "abs(a[i])", "a[i - 1]", "np.sqrt(abs(a[i]))", "i")
        )

    def _condition(self) -> str:
        return self.random.choice(
            ("a[i] > x", "i % 3 == 0", "a[i] < 0", "i == n", "x > 2", "n > 1", "n")
        )

    def _store(self) -> None:
        line = f"b[i] = {self._value()}"
        guarded = self.random.random() < 0.4
        self.add(2, f"if {self._condition()}:\n    {line}" if guarded else line)

    def _inner(self) -> None:
        stop = self.random.choice(("t.shape[1]", "i % 5", "3"))
        self.add(2, f"s = 0.0\nfor j in range({stop}):\n    s += a[i] * j\nb[i] = s")

    def _row(self) -> None:
        self.add(2, f"for j in range(t.shape[1]):\n    t[i, j] = {self._value()} + j")

    def _decide(self) -> None:
        text = self.random.choice(_DECIDED)
        self.add(2, text.format(v="decided", c=self._condition()))

    def _own(self) -> None:
        """Set a variable in some way, and read it in another, under the same conditions mostly."""
        w, k = self.random.choice(("w0", "w1", "w2")), self.random.choice("jk")
        c, d = self._condition(), self._condition()
        sets, reads = self.random.choice(_SETS), self.random.choice(_READS)
        self.add(2, sets.format(w=w, k=k, c=c, d=d, x=self._value(), y=self._value()))
        self.unset += [w] + [k] * ("{k}" in sets)
        if self.random.random() < 0.4:
            self._store()
        if self.random.random() < 0.8:
            if self.random.random() < 0.2:
                c, d = d, c
            self.add(2, reads.format(w=w, k="q", c=c, d=d))

    def _update(self, k: int) -> None:
        update = self.random.choice(_UPDATES)
        self.add(2, update.format(v=f"v{k}", x=self._value(), c=self._condition()))


def _arguments(random: Random) -> tuple[Any, ...]:
    size = random.choice((0, 1, 2, 7, 40))
    rng = np.random.default_rng(random.randrange(1000))
    a = rng.integers(-4, 9, size) / 2
    return a, np.zeros(size), np.zeros((size, 3)), random.choice((0, 2, 5)), 1.5


def check(seed: int) -> Verdict:
    """Compare the calls of a seed's program with Python's."""
    source = _Writer(Random(seed)).text()
    function = function_of(source, f"<program {seed}>")
    function.__globals__["prange"] = cutaway.prange
    compiled = cutaway.jit(parallel=True)(function)
    cutaway.config.NUM_THREADS = THREADS
    cutaway.set_num_threads(THREADS)
    for call in range(CALLS):
        wanted = Outcome(function, _arguments(Random(f"{seed} {call}")))
        before = _taken()
        with warnings.catch_warnings(), cutaway.parallel_chunksize(1):
            warnings.simplefilter("error", RaceWarning)
            found = Outcome(compiled, _arguments(Random(f"{seed} {call}")))
        verdict = _verdict(wanted, found)
        if verdict is not None:
            return Verdict(*verdict, source, call + 1)
        del found
        if _taken() != before:
            return Verdict(FINDING, f"{_taken() - before} pieces of memory are left", source)
    return Verdict(SAME, calls=CALLS)


def _verdict(wanted: Outcome, found: Outcome) -> tuple[str, str] | None:
    if isinstance(found.error, InternalError | VerifyError):
        return FINDING, f"{type(found.error).__name__}: {found.error}"
    if isinstance(found.error, CutawayError):
        return REFUSED, str(found.error).partition("\n")[0][:60]
    if isinstance(found.error, RaceWarning):
        return ALLOWED, "a warning of a race"
    if wanted.error is not None or found.error is not None:
        if str(found.error).endswith(OWN):
            return ALLOWED, "parallel-own"
        if type(wanted.error) is not type(found.error):
            return FINDING, f"raised {found.error!r} and not {wanted.error!r}"
        return None
    for what, ones, others in (
        ("argument", wanted.args, found.args),
        ("result", wanted.parts(), found.parts()),
    ):
        for k, (a, b) in enumerate(zip(ones, others, strict=True)):
            if not alike(np.asarray(a, float), np.asarray(b, float)):
                return FINDING, f"{what} {k}: {b!r} and not {a!r}"
    return None
