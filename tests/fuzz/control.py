"""Made-up programs with exceptions, `with` and generators: at level ir and in SSA form they do what
they do in Python.

    python -m fuzz control 20000                    # from the folder tests

A program logs what it does.  Its statements are `try` in all forms, `with` of managers that raise
or swallow exceptions, loops with `break`, `continue` and `else`, conditions, assignments that may
raise, `raise` in all forms, and in generators `yield`, which is resumed, thrown into and closed.
"""

from __future__ import annotations

from random import Random
from types import FunctionType
from typing import Any

from corpus.control.cases import Case, outcome
from corpus.control.levels import at_ir, at_ssa, runner
from cutaway.errors import CutawayError, InternalError, UnsupportedError
from fuzz.arrays import function_of
from fuzz.batches import FINDING, REFUSED, SAME, Verdict

DEEPEST = 4
MOST_LINES = 60
MOST_LOGGED = 400
_CLASSES = ("ValueError", "KeyError", "ZeroDivisionError", "LookupError", "Exception", "Own")
_CAUGHT = (*_CLASSES, "(KeyError, ValueError)", "(Own, (IndexError, TypeError))", "int")
_VARIABLES = ("x", "y", "z")
_VALUES = (
    "1",
    "x",
    "y",
    "z",
    "i",
    "x + 1",
    "y * 2",
    "1 // x",
    "log[5]",
    "z // (y - 3)",
    "len(log)",
)

BEGIN = """\
class Own(ValueError):
    pass


class Managed:
    def __init__(self, log, how):
        self.log, self.how = log, how

    def __enter__(self):
        if self.how == "enter":
            raise Own("enter")
        return self.how

    def __exit__(self, cls, error, traceback):
        self.log.append(cls and cls.__name__)
        if self.how == "exit":
            raise KeyError("exit")
        return self.how == "swallow"


def program(log, x, y):
    z = 3
"""


class Writer:
    """The text of one program."""

    caught: tuple[str, ...] = _CAUGHT

    def __init__(self, random: Random, generator: bool) -> None:
        self.random, self.generator = random, generator
        self.lines: list[str] = []
        self.loops = self.handlers = self.count = 0

    def text(self) -> str:
        """All of it."""
        if self.generator:
            self.add(1, "yield 'begin'")
        self.block(1, self.random.randint(2, 4))
        self.add(1, "return x, y, z")
        return BEGIN + "\n".join(self.lines) + "\n"

    def add(self, depth: int, text: str) -> None:
        """Add a line."""
        self.lines.append(f"{'    ' * depth}{text}")

    def block(self, depth: int, count: int) -> None:
        """Some statements."""
        for _ in range(max(count, 1)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        """One statement, which has others in it while there is room."""
        compound = depth < DEEPEST and len(self.lines) < MOST_LINES
        kinds = [self.assign, self.note, self.leave]
        if compound:
            kinds += [self.attempt] * 4 + [self.managed, self.loop, self.choice, self.loop]
        if self.generator:
            kinds += [self.suspend] * 2
        self.random.choice(kinds)(depth)

    def assign(self, depth: int) -> None:
        """An assignment, whose value may raise."""
        name, value = self.random.choice(_VARIABLES), self.random.choice(_VALUES)
        how = self.random.choice(("=", "=", "+=", "-="))
        if value == "i" and not self.loops:
            value = "x"
        if self.random.random() < 0.15:
            self.add(depth, f"{name}, {self.random.choice(_VARIABLES)} = {value}, y // 1")
        elif self.random.random() < 0.1:
            self.add(depth, f"del {name}")
        else:
            self.add(depth, f"{name} {how} {value}")

    def note(self, depth: int) -> None:
        """A line of the log."""
        self.count += 1
        self.add(depth, f"log.append(({self.count}, {self.random.choice(_VARIABLES)}))")

    def suspend(self, depth: int) -> None:
        """A place where a generator waits."""
        kind = self.random.random()
        if kind < 0.6:
            self.add(depth, f"yield {self.random.choice(_VARIABLES)}")
        elif kind < 0.8:
            self.add(depth, f"{self.random.choice(_VARIABLES)} = yield len(log)")
        else:
            self.add(depth, f"{self.random.choice(_VARIABLES)} = yield from [x, 7]")

    def leave(self, depth: int) -> None:
        """What leaves a block."""
        kinds = ["return x", f"raise {self.random.choice(_CLASSES)}(x)", "raise Own from None"]
        kinds += ["raise KeyError(1) from Own(2)", "assert x != y, z"]
        if self.loops:
            kinds += ["break", "continue"] * 2
        if self.handlers:
            kinds += ["raise"] * 2
        line = self.random.choice(kinds)
        if self.random.random() < 0.7:
            self.add(depth, f"if {self.condition()}:")
            depth += 1
        self.add(depth, line)

    def condition(self) -> str:
        """A condition, which may raise."""
        return self.random.choice(
            ("x > y", "x % 2", "z", "len(log) % 3 == 1", "1 // y > 0", "not x")
        )

    def choice(self, depth: int) -> None:
        """An `if`."""
        self.add(depth, f"if {self.condition()}:")
        self.block(depth + 1, self.random.randint(1, 2))
        if self.random.random() < 0.5:
            self.add(depth, "else:")
            self.block(depth + 1, self.random.randint(1, 2))

    def loop(self, depth: int) -> None:
        """A loop with an end."""
        if self.random.random() < 0.7:
            self.add(depth, f"for i in range({self.random.randint(1, 4)}):")
        else:
            self.add(depth, f"while len(log) < {self.random.randint(1, 9)}:")
            self.add(depth + 1, "log.append('round')")
        self.loops += 1
        self.block(depth + 1, self.random.randint(1, 3))
        self.loops -= 1
        if self.random.random() < 0.3:
            self.add(depth, "else:")
            self.block(depth + 1, 1)

    def managed(self, depth: int) -> None:
        """A `with`."""
        how = [self.random.choice(("plain", "swallow", "exit", "enter", "plain")) for _ in range(2)]
        managers = [f"Managed(log, {one!r})" for one in how[: self.random.randint(1, 2)]]
        if self.random.random() < 0.5:
            managers[0] += f" as {self.random.choice(('w', 'z'))}"
        self.add(depth, f"with {', '.join(managers)}:")
        self.block(depth + 1, self.random.randint(1, 2))

    def attempt(self, depth: int) -> None:
        """A `try` with handlers, `else` and `finally` as it comes."""
        self.add(depth, "try:")
        self.block(depth + 1, self.random.randint(1, 3))
        count = self.random.choice((0, 1, 1, 2))
        for _ in range(count):
            self.add(depth, f"except {self.random.choice(self.caught)}{self.handled_as()}:")
            self.handlers += 1
            self.block(depth + 1, self.random.randint(1, 2))
            self.handlers -= 1
        if count and self.random.random() < 0.2:
            self.add(depth, "except:")
            self.handlers += 1
            self.block(depth + 1, 1)
            self.handlers -= 1
        if count and self.random.random() < 0.3:
            self.add(depth, "else:")
            self.block(depth + 1, 1)
        if not count or self.random.random() < 0.4:
            self.add(depth, "finally:")
            self.block(depth + 1, self.random.randint(1, 2))

    def handled_as(self) -> str:
        """What a handler calls its exception."""
        return self.random.choice(("", " as e", " as x"))


class Log(list[Any]):
    """A log that ends what has no end."""

    def append(self, value: Any) -> None:
        if len(self) > MOST_LOGGED:
            raise SystemExit("too much is logged")
        super().append(value)


_ERROR = ("throw", KeyError("thrown"))
_STEPS: tuple[tuple[Any, ...], ...] = (
    (),
    ("next", "next", _ERROR, "next", "next"),
    ("next", ("send", 4), ("send", 5), ("throw", ValueError("v")), ("throw", GeneratorExit())),
    ("next", "next", "next", "close", "next"),
)
_ARGUMENTS = ((1, 2), (0, 0), (3, 0))


def check(seed: int) -> Verdict:
    """Compare one program at both levels with Python."""
    random = Random(seed)
    generator = random.random() < 0.4
    source = Writer(random, generator).text()
    function = function_of(source, f"<control {seed}>")
    assert isinstance(function, FunctionType)
    for build in (at_ir, at_ssa):
        try:
            run = runner(build(function))
        except UnsupportedError as error:
            return Verdict(REFUSED, str(error).splitlines()[0], source)
        except (InternalError, CutawayError, AssertionError) as error:
            return Verdict(FINDING, f"{build.__name__}: {type(error).__name__} {error}", source)
        for steps in _STEPS if generator else ((),):
            for args in _ARGUMENTS:
                case = Case(function, (), steps)
                expected = outcome(function, case, (Log(), *args))
                found = outcome(run, case, (Log(), *args))
                if found != expected:
                    words = f"{build.__name__} {args} {steps}\n  {expected}\n  {found}"
                    return Verdict(FINDING, words, source)
    return Verdict(SAME, "", source)
