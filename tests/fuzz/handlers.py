"""Made-up programs of numbers and arrays with `try` in all forms, compiled: machine code does what
Python does.

    python -m fuzz handlers 2000                    # from the folder tests

A program counts and notes what it does in an array, which can be full, and makes arrays of its own
that every way out has to free.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

import cutaway
from corpus.control.cases import Case, outcome
from cutaway.errors import CutawayError, InternalError, TypingError, UnsupportedError
from cutaway.runtime import _runtime
from fuzz.arrays import function_of
from fuzz.batches import FINDING, REFUSED, SAME, Verdict
from fuzz.control import DEEPEST, MOST_LINES, Writer

ROOM = 60
_CLASSES = ("ValueError", "KeyError", "ZeroDivisionError", "LookupError", "Exception", "Own")
_VALUES = ("1", "x", "y", "z", "x + 1", "y - 2", "1 // x", "log[x]", "z // (y - 3)", "log[0]")
_SMALL = ("1", "1 // x", "z // (y - 3)", "log[0]", "3 // y")

BEGIN = """\
import numpy as np
import cutaway


class Own(ValueError):
    pass


@cutaway.jit
def called(a, k):
    if k < 0:
        raise Own(k)
    return a[k * 9] // k


def program(log, x, y):
    z = 3
    w = log[:2] + 0
"""


class HandlersWriter(Writer):
    """The text of one program."""

    caught = (*_CLASSES, "(KeyError, ValueError)", "(Own, IndexError, TypeError)")

    def __init__(self, random: Random) -> None:
        super().__init__(random, generator=False)

    def text(self) -> str:
        """All of it."""
        self.block(1, self.random.randint(2, 4))
        self.add(1, "return x, y, z, w[1]")
        return BEGIN + "\n".join(self.lines) + "\n"

    def statement(self, depth: int) -> None:
        """One statement, which has others in it while there is room."""
        kinds = [self.assign, self.note, self.leave, self.array]
        if depth < DEEPEST and len(self.lines) < MOST_LINES:
            kinds += [self.attempt] * 4 + [self.loop, self.choice, self.loop]
        self.random.choice(kinds)(depth)

    def assign(self, depth: int) -> None:
        """An assignment, whose value may raise."""
        name = self.random.choice("xyz")
        if self.random.random() < 0.5:
            self.add(depth, f"{name} = {self.random.choice(_VALUES)}")
        else:  # by little, so that nothing overflows
            how, value = self.random.choice(("+=", "-=")), self.random.choice(_SMALL)
            self.add(depth, f"{name} {how} {value}")

    def array(self, depth: int) -> None:
        """What makes an array, reads from one or calls a function with one."""
        kinds = ("w = w + x", "w = log[x:x + 2] * 2", "w[y] = x", "z = w[z]", "w = log[:y] + 1")
        kinds += ("z = called(w, x)", "z += called(log, y)", "x, z = z // 2, w[0]")
        self.add(depth, self.random.choice(kinds))

    def note(self, depth: int) -> None:
        """A line of the log."""
        self.count += 1
        self.add(depth, "log[0] += 1")
        self.add(depth, f"log[log[0]] = {100 * self.count} + {self.random.choice('xyz')} % 100")

    def leave(self, depth: int) -> None:
        """What leaves a block."""
        kinds = ["return x, y, z, w[0]", f"raise {self.random.choice(_CLASSES)}(x)"]
        kinds += ["raise KeyError('text', y)", "assert x != y, z"]
        if self.loops:
            kinds += ["break", "continue"] * 2
        if self.handlers:
            kinds += ["raise", "raise", f"raise {self.random.choice(_CLASSES)}(y) from None"]
            kinds += ["raise e", "raise KeyError from e", "raise e from None"]
        if self.random.random() < 0.7:
            self.add(depth, f"if {self.condition()}:")
            depth += 1
        self.add(depth, self.random.choice(kinds))

    def condition(self) -> str:
        """A condition, which may raise."""
        return self.random.choice(
            ("x > y", "x % 2", "z", "log[0] % 3 == 1", "1 // y > 0", "not x", "w[1]")
        )

    def loop(self, depth: int) -> None:
        """A loop with an end."""
        if self.random.random() < 0.7:
            name, count = self.random.choice("ix"), self.random.choice("34y")
            self.add(depth, f"for {name} in range({count}):")
        else:
            self.add(depth, f"while log[0] < {self.random.randint(1, 9)}:")
            self.add(depth + 1, "log[0] += 1")
        self.loops += 1
        self.block(depth + 1, self.random.randint(1, 3))
        self.loops -= 1
        if self.random.random() < 0.3:
            self.add(depth, "else:")
            self.block(depth + 1, 1)

    def handled_as(self) -> str:
        """What a handler calls its exception."""
        return self.random.choice(("", " as e"))


class _Numbers(np.ndarray):
    """An array of Python's own numbers."""

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return found.item() if isinstance(found, np.generic) else found


SIGNATURE = "(int64[::1], int64, int64)"
_CASE = Case(lambda: None, ())  # type: ignore[arg-type]
_ARGUMENTS = ((1, 2), (0, 0), (3, 0), (-1, 1), (2, 70))


def check(seed: int) -> Verdict:
    """Compare one program with Python."""
    return compare(HandlersWriter(Random(seed)).text(), f"<handlers {seed}>")


def compare(source: str, name: str) -> Verdict:
    """Compare a program, its exceptions and the memory that it leaves with Python."""
    plain = function_of(source.replace("@cutaway.jit\n", ""), name)
    compiled = cutaway.jit(function_of(source, name))
    try:
        compiled.compile(SIGNATURE)
    except (UnsupportedError, TypingError) as error:
        return Verdict(REFUSED, str(error).splitlines()[0], source)
    except (InternalError, CutawayError, AssertionError) as error:
        return Verdict(FINDING, f"{type(error).__name__} {error}", source)
    before = _in_use()
    for args in _ARGUMENTS:
        expected, found = _result(plain, args, _Numbers), _result(compiled, args, np.ndarray)
        if found != expected:
            return Verdict(FINDING, f"{args}\n  {expected}\n  {found}", source)
    if _in_use() != before:
        return Verdict(FINDING, f"memory is left: {before} {_in_use()}", source)
    return Verdict(SAME, "", source)


def _result(run: Any, args: tuple[int, ...], kind: type[np.ndarray]) -> Any:  # Any: a function
    log = np.zeros(ROOM, np.int64).view(kind)
    result, _ = outcome(lambda: run(log, *args), _CASE, ())
    return result, log.tolist()


def _in_use() -> int:
    made, released = _runtime.stats()
    return int(made - released)
