"""Made-up modules whose exceptions cross functions: contexts, causes and tracebacks are Python's.

    python -m fuzz across 2000                      # from the folder tests

Functions that are called, inlined, or generators that loops or `next` take values of, each with
handlers of its own, raise and handle what others raise.
"""

from __future__ import annotations

import linecache
import traceback
from random import Random
from types import TracebackType
from typing import Any

import cutaway
from cutaway.errors import CutawayError, InternalError, TypingError, UnsupportedError
from fuzz.batches import FINDING, REFUSED, SAME, Verdict

BEGIN = "import cutaway\n\n\nclass Own(ValueError):\n    pass\n\n\n"
CLASSES = ("ValueError", "KeyError", "ZeroDivisionError", "StopIteration", "RuntimeError", "Own")
CAUGHT = (*CLASSES, "Exception", "(KeyError, Own)", "ArithmeticError")
MOST_LINES = 60
KINDS = ("@cutaway.jit", '@cutaway.jit(inline="always")', "generator", "@cutaway.jit")


class Writer:
    """The text of one module."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[str] = []
        self.known: list[tuple[str, bool]] = []  # functions, and whether they are generators
        self.handled = 0
        self.left = 3  # generators that are taken from: each may become a part of what takes

    def text(self) -> str:
        """All of it."""
        for k in range(self.random.randint(2, 4)):
            kind = self.random.choice(KINDS)
            waits = kind == "generator"
            self.lines += ["@cutaway.jit" if waits else kind, f"def f{k}(x):"]
            self.block(1, 2)
            if waits:
                self.add(1, "for k in range(2):")
                self.add(2, f"yield {self.value()} + k")
                self.block(1, 1)
            else:
                self.add(1, f"return {self.value()}")
            self.lines += ["", ""]
            self.known.append((f"f{k}", waits))
        self.lines += ["@cutaway.jit", "def program(x):"]
        self.block(1, 3)
        self.add(1, f"return {self.value()}")
        return BEGIN + "\n".join(self.lines) + "\n"

    def add(self, depth: int, text: str) -> None:
        """One line."""
        self.lines.append("    " * depth + text)

    def value(self) -> str:
        """An expression, which may raise."""
        called = [name for name, waits in self.known if not waits]
        kinds = [f"6 // (x - {self.random.randint(0, 4)})", "x"]
        if called:
            kinds += [f"{self.random.choice(called)}(x - {self.random.randint(0, 2)})"] * 5
        for name in self.generators():
            kinds += [f"next({name}(x))", f"sum({name}(x - 1))", f"max(v // x for v in {name}(x))"]
        chosen = self.random.choice(kinds)
        self.left -= any(f"{name}(" in chosen for name in self.generators())
        return chosen

    def generators(self) -> list[str]:
        """Those that can still be taken from."""
        return [name for name, waits in self.known if waits and self.left > 0]

    def block(self, depth: int, count: int) -> None:
        """Some statements."""
        for _ in range(count):
            kind = self.random.random()
            if kind < 0.45 and depth < 4 and len(self.lines) < MOST_LINES:
                self.attempt(depth)
            elif kind < 0.6:
                self.add(depth, f"if x % {self.random.randint(2, 3)} == {self.random.randint(0, 2)}:")
                self.add(depth + 1, self.raised())
            elif kind < 0.75 and self.generators():
                self.add(depth, f"for v in {self.random.choice(self.generators())}(x):")
                self.left -= 1
                self.block(depth + 1, 1)
            else:
                self.add(depth, f"x += {self.value()}")

    def raised(self) -> str:
        """A statement that raises."""
        text = f"raise {self.random.choice(CLASSES)}({self.random.randint(0, 9)})"
        if self.handled and self.random.random() < 0.4:
            return self.random.choice(("raise", f"{text} from e{self.handled}", f"{text} from None"))
        return text

    def attempt(self, depth: int) -> None:
        """A `try`."""
        self.add(depth, "try:")
        self.block(depth + 1, self.random.randint(1, 2))
        ends = self.random.random() < 0.3
        if not ends or self.random.random() < 0.5:
            self.handled += 1
            self.add(depth, f"except {self.random.choice(CAUGHT)} as e{self.handled}:")
            self.block(depth + 1, self.random.randint(1, 2))
            self.add(depth + 1, self.random.choice(("x += 1", self.raised())))
            self.handled -= 1
        if ends:
            self.add(depth, "finally:")
            self.add(depth + 1, self.random.choice(("x += 1", f"x += {self.value()}")))


def _frames(trace: TracebackType | None, name: str) -> list[tuple[str, int]]:
    found = traceback.extract_tb(trace)
    return [(one.name, one.lineno or 0) for one in found if one.filename == name]


def _chain(error: BaseException | None, name: str, depth: int = 8) -> Any:  # Any: nested tuples
    if error is None or not depth:
        return None
    rest = (_chain(one, name, depth - 1) for one in (error.__cause__, error.__context__))
    shown = _frames(error.__traceback__, name)
    return type(error).__name__, error.args, error.__suppress_context__, shown, *rest


def _outcome(run: Any, x: int, name: str) -> Any:  # Any: a function
    try:
        return run(x)
    except CutawayError:
        raise
    except Exception as error:  # noqa: BLE001  compared
        return _chain(error, name)


def _function(source: str, name: str, function: str = "program") -> Any:  # Any: a function
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space: dict[str, Any] = {}
    exec(compile(source, name, "exec"), space)  # noqa: S102
    return space[function]


def _plain(source: str) -> str:
    return source.replace('@cutaway.jit(inline="always")', "#").replace("@cutaway.jit", "#")


def compared_with_python(source: str, function: str, x: int) -> tuple[Any, Any]:  # Any: outcomes
    """What a function of a module does in Python, and compiled."""
    name = f"<{function}>"
    wanted = _outcome(_function(_plain(source), name, function), x, name)
    return wanted, _outcome(_function(source, name, function), x, name)


def check(seed: int) -> Verdict:
    """Compare one module with Python."""
    source, name = Writer(seed).text(), f"<across {seed}>"
    expected, compiled = _function(_plain(source), name), _function(source, name)
    for x in (3, 0, 1, 2, 5):
        wanted = _outcome(expected, x, name)
        try:
            found = _outcome(compiled, x, name)
        except (UnsupportedError, TypingError) as error:
            return Verdict(REFUSED, str(error).splitlines()[0], source)
        except (InternalError, CutawayError) as error:
            return Verdict(FINDING, f"{type(error).__name__} {error}", source)
        if found != wanted:
            return Verdict(FINDING, f"{x}\n  {wanted}\n  {found}", source)
    return Verdict(SAME, "", source)
