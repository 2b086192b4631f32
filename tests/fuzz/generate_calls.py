"""Made-up modules of functions that call each other, with all that a call can do to types.

Values that decide types (`literally`), loops over items of several types, declared variables,
functions that are inlined, chosen, maybe None, or recursive, alone or in pairs.  A module is text:
run with `jit` it is compiled, run with a decorator that does nothing it is Python.
"""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable
from random import Random
from typing import Any

import cutaway

HEAD = """\
MIXED = (3, 2.5, True, -7)
WORDS = ("low", "high")

@jit
def item(i):
    return MIXED[literally(i)]

@jit
def by_word(word, x):
    if literally(word) == "low":
        return x - 1
    return x * 0.5
"""


class Writer:
    """Writes one module; every choice is the random generator's."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.helpers: list[str] = []

    def one(self, *texts: str) -> str:
        return self.random.choice(texts)

    def whole(self, depth: int = 0) -> str:
        """An expression of an integer."""
        if depth > 2 or self.random.random() < 0.3:
            return self.one("n", "m", "i", "j", str(self.random.randint(-9, 30)))
        a, b = self.whole(depth + 1), self.whole(depth + 1)
        return self.one(
            f"({a} + {b}) % 101",
            f"({a} * {b}) % 97",
            f"({a} - {b})",
            f"({a} if {self.condition(depth + 1)} else {b})",
            f"({a} // {b})",
            f"abs({a})",
            f"min({a}, {b})",
        )

    def number(self, depth: int = 0) -> str:
        """An expression of a number."""
        if depth > 2 or self.random.random() < 0.2:
            return self.one("x", "y", self.whole(2), repr(self.random.randint(-8, 8) / 4))
        a, b = self.number(depth + 1), self.number(depth + 1)
        return self.one(
            f"({a} + {b})",
            f"({a} * {b}) % 89",
            f"({a} if {self.condition(depth + 1)} else {b})",
            f"({a} / {b})",
            self.call(depth + 1),
            self.call(depth + 1),
        )

    def condition(self, depth: int = 0) -> str:
        a, b = self.whole(depth + 1), self.whole(depth + 1)
        return self.one("c", f"{a} < {b}", f"{a} % 3 == 1", f"not {a} > {b}")

    def call(self, depth: int) -> str:
        """A call of a function of the module."""
        a = self.number(depth + 1)
        known = [
            f"item({self.one('0', '1', '2', '3', '-1', 'm')})",
            f"by_word({self.one(repr('low'), repr('high'), 'word')}, {a})",
        ]
        for name in self.helpers:
            count = f"({self.whole(depth + 1)}) % 6"
            known.append(f"{name}({count if name.startswith('again') else a}, {a})")
        return self.random.choice(known)

    def unrolled(self, k: int) -> list[str]:
        items = self.one("MIXED", "(i, x, y)", "(1, x)", "(n, 2.5, True)")
        return [f"for t{k} in literal_unroll({items}):", f"    y = (y + t{k} * x) % 71.0"]

    def chosen(self, k: int) -> list[str]:
        """A function that is one of several, or None."""
        functions = [
            "math.sin",
            "math.atan",
            "abs",
            "(lambda v: v + 1)",
            "(lambda v: v * x)",
            "(lambda v, w=x: v - w)",
            "half",
        ]
        a, b = self.random.sample(functions, 2)
        kind = self.random.randrange(3)
        if kind == 0:
            return [
                f"g{k} = {a} if {self.condition()} else {b}",
                f"y = g{k}({self.number()})",
            ]
        if kind == 1:
            return [
                f"g{k} = None",
                f"if {self.condition()}:",
                f"    g{k} = {self.one(a, b)}",
                f"if g{k} is not None:",
                f"    y = g{k}(x)",
            ]
        return [f"y = (math.sin, half, abs)[({self.whole()}) % 3](x)"]

    def statement(self, k: int) -> list[str]:
        kind = self.random.randrange(8)
        if kind <= 1:
            return [f"{self.one('i', 'j')} = {self.whole()}"]
        if kind == 2:
            return [f"y = {self.number()}"]
        if kind == 3:
            return [f"if {self.condition()}:", f"    y = {self.number()}", "else:", "    i += 1"]
        if kind == 4:
            return [f"for k{k} in range(n % 5):", f"    y = (y + {self.number()}) % 59.0"]
        if kind == 5:
            return self.unrolled(k)
        return self.chosen(k)

    def helper(self, k: int) -> list[str]:
        """A function that the ones after it can call."""
        kind = self.random.randrange(5)
        options = self.one("", "(inline='always')", "(locals={'s': 'float64'})", "(cache=False)")
        start = "    n, m, i, j, c, word, y = 5, 1, 2, 3, x > 1, 'low', x"
        if kind <= 1:
            name = f"plain{k}"
            lines = [
                f"@jit{options}",
                f"def {name}(x, z):",
                start,
                f"    s = float({self.number()})",
                f"    return s + {self.number()} - z",
            ]
        elif kind <= 3:
            name = f"again{k}"
            lines = [
                "@jit",
                f"def {name}(n, x):",
                "    m, i, j, c, word, y = 1, 2, 3, x > 1, 'high', x",
                "    if n <= 0:",
                f"        return {self.number()}",
                f"    if {self.condition()}:",
                f"        return {name}(n - 1, x) {self.one('+', '-', '*')} 1",
                f"    return ({self.number()} + {name}(n - 2, x)) % 83",
            ]
        else:
            name, other = f"again{k}", f"other{k}"
            lines = [
                "@jit",
                f"def {other}(n, x):",
                "    if n <= 0:",
                f"        return {self.one('x', '1', '2.5')}",
                f"    return {name}(n - 1, x) {self.one('+', '*')} {self.one('1', '0.5', 'x')}",
                "@jit",
                f"def {name}(n, x):",
                "    if n <= 1:",
                f"        return {self.one('x', '0', '1.5')}",
                f"    return {other}(n - 1, x) - {self.one('1', 'x')}",
            ]
        self.helpers.append(name)
        return ["", *lines]

    def module(self) -> str:
        lines = [HEAD, "@jit", "def half(x):", "    return x / 2"]
        for k in range(self.random.randint(1, 3)):
            lines += self.helper(k)
        lines += ["", "@jit", "def program(n, m, x, c, word):", "    i, j, y = 1, 2, x"]
        for k in range(self.random.randint(2, 5)):
            lines += ["    " + line for line in self.statement(k)]
        return "\n".join([*lines, f"    return i, j, y, {self.number()}", ""])


def arguments(seed: int) -> tuple[Any, ...]:
    """Arguments for the program of a module."""
    random = Random(seed + 1)
    return (
        random.randint(0, 20),
        random.randint(0, 3),
        random.choice((1.5, -0.25, 3.0)),
        random.random() < 0.5,
        random.choice(("low", "high")),
    )


def bare(*given: Any, **options: Any) -> Any:
    """A decorator like `jit` that does nothing."""
    return given[0] if given and callable(given[0]) else bare


def functions(source: str, jit: Callable[..., Any]) -> dict[str, Any]:
    """The names of a module whose functions are decorated by `jit`."""
    filename = f"<module {hash(source)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    space: dict[str, Any] = {"math": math, "jit": jit, "__name__": "made_up"}
    space |= {"literally": cutaway.literally, "literal_unroll": cutaway.literal_unroll}
    exec(compile(source, filename, "exec"), space)  # noqa: S102
    return space
