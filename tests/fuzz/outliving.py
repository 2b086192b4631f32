"""Made-up programs whose iterators outlive the function that makes them: Python does the same.

    MALLOC_PERTURB_=165 python -m fuzz outliving 2000          # from the folder tests

Every kind of iterator leaves its maker in every way: as a generator, through a helper, in a tuple,
captured, yielded, carried by a loop.  Between two items other code uses the stack and memory, and
tries to move what the iterators go through.  References and memory are as they were in the end.
"""

from __future__ import annotations

import array
import gc
import sys
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

import cutaway
from cutaway.errors import CutawayError, InternalError, TypingError, UnsupportedError
from cutaway.runtime import _runtime
from fuzz.arrays import function_of
from fuzz.batches import FINDING, REFUSED, SAME, Verdict

BEGIN = """\
import numpy as np
import cutaway


@cutaway.jit
def through(it):
    for x in it:
        yield x


@cutaway.jit
def twice(it, k):
    for x in it:
        yield k, x
        k += 1
    yield from ((k, x) for x in it)


@cutaway.jit
def kept(it):
    return through(it)


@cutaway.jit
def first(it):
    for x in it:
        return 1
    return 0

"""
PARAMETERS = "a, m, b, v, r, s, w, n"
# What is gone through, and what an item is.
SEQUENCES = (
    *("a", "a[1:]", "a * 2", "(n, 2.5, 3)", "(1, n, 3)", "range(n)", "range(n, -3, -2)"),
    *("range(0, n + 9, n)", "b", "v", "r", "s", "np.arange(n)", "np.ones(2)[::-1]", "a.flat"),
    *("m.T.flat", "m[0]", "(a[0], a[1])", "((1, n), (3, 4))", "w"),
)
ITERATORS = (
    *("np.ndindex(2, n)", "np.ndindex(m.shape)", "np.ndenumerate(m)", "np.ndenumerate(a)"),
    *("reversed(range(n))", "reversed(a)", "reversed((1, n))", "(q + n for q in a)", "(q for q in b)"),
)
WALKS = ("np.nditer(a)", "np.nditer(m.T)", "np.nditer(m, order='F')", "np.nditer((a * 1.0))")


class Writer:
    """The text of one program."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[str] = []
        self.count = 0

    def text(self) -> str:
        """All of it."""
        for _ in range(self.random.randint(0, 2)):
            self.random.choice((self.named, self.taken, self.carried))()
        self.random.choice((self.returned, self.yielded, self.inner, self.pair, self.advanced))()
        return BEGIN + f"def program({PARAMETERS}):\n" + "\n".join(self.lines) + "\n"

    def add(self, text: str, depth: int = 1) -> None:
        """One line."""
        self.lines.append("    " * depth + text)

    def iterator(self, depth: int = 0) -> str:
        """What can be gone through."""
        kind = self.random.random()
        if depth < 2 and kind < 0.2:
            start = self.random.choice(("", ", 3", ", start=n"))
            return f"enumerate({self.iterator(depth + 1)}{start})"
        if depth < 2 and kind < 0.4:
            inner = [self.iterator(depth + 1) for _ in range(self.random.randint(1, 3))]
            return f"zip({', '.join(inner)})"
        if kind < 0.6:
            return self.random.choice(ITERATORS)
        return self.random.choice(SEQUENCES)

    def generator(self) -> str:
        """A generator that has an iterator."""
        if self.random.random() < 0.1:
            return f"(float(x) for x in {self.random.choice(WALKS)})"
        source = self.iterator()
        return self.random.choice(
            (
                f"(x for x in {source})",
                f"((n, x) for x in {source} if n)",
                f"((x, y) for x in {source} for y in range(2))",
                f"through({source})",
                f"twice({source}, n)",
                f"kept({source})",
                f"through(through({source}))",
                f"kept(x for x in {source})",
            )
        )

    def name(self) -> str:
        """The name of something new."""
        self.count += 1
        return f"g{self.count}"

    def named(self) -> None:
        """An iterator that is begun, and goes on elsewhere."""
        name = self.name()
        made = self.random.choice((f"enumerate({self.iterator(1)})", f"zip({self.iterator(1)}, r)"))
        self.add(f"{name} = {made}")
        if self.random.random() < 0.5:
            self.add(f"for _ in {name}:")
            self.add("break", 2)
        if self.random.random() < 0.5:
            self.add(f"n += first({name})")
        self.add(f"for _ in through({name}):")
        self.add("n += 1", 2)
        self.add("break", 2)

    def taken(self) -> None:
        """A generator of which compiled code takes some values, and that is dropped."""
        name = self.name()
        self.add(f"{name} = {self.generator()}")
        self.add(f"for _ in {name}:")
        self.add("n += 1", 2)
        if self.random.random() < 0.5:
            self.add("break", 2)

    def carried(self) -> None:
        """An iterator that a loop carries on to its next run, which makes another one."""
        name, source = self.name(), self.iterator(2)
        self.add(f"{name} = enumerate({source})")
        self.add("for k in range(3):")
        self.add(f"other = enumerate({source})", 2)
        self.add("for i, _ in other:", 2)
        self.add("if i >= k:", 3)
        self.add("break", 4)
        self.add(f"for i, _ in {name}:", 2)
        self.add("n += i", 3)
        self.add("break", 3)
        self.add(f"{name} = other", 2)

    def returned(self) -> None:
        """One generator leaves."""
        self.add(f"return {self.generator()}")

    def pair(self) -> None:
        """Two leave that share an iterator, or the same one twice."""
        if self.random.random() < 0.5:
            name = self.name()
            self.add(f"{name} = enumerate({self.iterator(1)})")
            self.add(f"return through({name}), through({name})")
        else:
            self.add(f"return {self.generator()}, n, ({self.generator()},)")

    def advanced(self) -> None:
        """One leaves of which values have been taken."""
        name = self.name()
        self.add(f"{name} = {self.generator()}")
        self.add(f"x = next({name})")
        self.add(f"return x, {name}")

    def inner(self) -> None:
        """One leaves that an inner function makes, which has captured the iterator."""
        self.add(f"it = enumerate({self.iterator(1)})")
        self.add("def inner(k):")
        self.add("for x in it:", 2)
        self.add("yield k, x", 3)
        self.add("return inner(n)")

    def yielded(self) -> None:
        """The program is a generator itself, and yields others."""
        made = self.generator()
        self.add(f"yield {made}")
        if self.random.random() < 0.5:
            self.add("for k in range(2):")
            self.add(f"yield {made}", 2)


def _arguments() -> tuple[Any, ...]:
    items = bytearray(b"hello")
    numbers = array.array("i", [3, 1, 2])
    words = np.array(["ab", "c", "def"])
    a, m = np.arange(4.0) / 2 + 1000, np.arange(6).reshape(2, 3) + 1000
    return a, m, items, memoryview(bytearray(b"world")), numbers, b"abc", words, 3


@cutaway.jit
def _stack(k):  # type: ignore[no-untyped-def]
    filled = np.full(100, k)
    for j in range(100):
        filled[j] += filled[j - 1]
    return filled[7]


def _disturb(args: tuple[Any, ...]) -> None:
    """Use the stack and memory, and move what may be moved, with the items that were there."""
    _stack(-7)
    for size in (16, 80, 144, 300):
        np.full(size // 8, -7)
    for buffer in (args[2], args[4]):
        items = list(buffer)
        try:
            buffer.extend(items * 50)
            del buffer[len(items) :]
        except BufferError:
            pass


def _drained(found: Any, args: tuple[Any, ...], turn: int = 0) -> Any:  # Any: what a program gives
    """All values of all generators in a result, in turns."""
    if isinstance(found, tuple):
        return [_drained(one, args, k) for k, one in enumerate(found)]
    if not isinstance(found, Iterator):
        return found.item() if isinstance(found, np.generic) else found
    values = []
    for item in found:
        _disturb(args)
        values.append(_drained(item, args, turn + 1))
        if turn % 3 == 1 and len(values) == 2:
            return values  # and drop the rest
    return values


def _outcome(run: Any, args: tuple[Any, ...]) -> Any:  # Any: a function
    try:
        return _drained(run(*args), args)
    except Exception as error:  # noqa: BLE001  compared
        return type(error).__name__, str(error)


def _held(args: tuple[Any, ...]) -> tuple[Any, ...]:
    gc.collect()
    made, released = _runtime.stats()
    return made - released, *(sys.getrefcount(one) for one in args[:-1])


def check(seed: int) -> Verdict:
    """Compare one program with Python, and the references and memory that it leaves."""
    source, name = Writer(seed).text(), f"<outliving {seed}>"
    plain = function_of(source.replace("@cutaway.jit\n", ""), name)
    compiled = cutaway.jit(function_of(source, name))
    wanted, args = _outcome(plain, _arguments()), _arguments()
    try:
        found = _drained(compiled(*args), args)
    except (UnsupportedError, TypingError) as error:
        return Verdict(REFUSED, str(error).splitlines()[0], source)
    except (InternalError, CutawayError, AssertionError) as error:
        return Verdict(FINDING, f"{type(error).__name__} {error}", source)
    except Exception as error:  # noqa: BLE001  compared
        found = type(error).__name__, str(error)
    if found != wanted:
        return Verdict(FINDING, f"\n  {wanted}\n  {found}", source)
    before = _held(args)
    for _ in range(3):
        _outcome(compiled, args)
    if _held(args) != before:
        return Verdict(FINDING, f"references are left: {before} {_held(args)}", source)
    return Verdict(SAME, "", source)
