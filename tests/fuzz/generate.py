"""Made-up programs: well-typed source text that always ends, with arguments.

Values stay small by masking, so that integers do not wrap; what is read from arrays is made a
Python number, since NumPy's own divide by zero without an exception; what may raise (division
by zero, an index out of range, a failed assertion) does so in Python in the same way.
"""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

INTS = ("i", "j", "n", "m")
FLOATS = ("x", "y", "z")
LARGEST_DEPTH = 3


@dataclass(frozen=True)
class Program:
    """Source text of a function `program`, and arguments for it."""

    source: str
    arguments: tuple[Any, ...]

    def function(self) -> Callable[..., Any]:
        """The function; its source can be shown in messages."""
        filename = f"<program {hash(self.source)}>"
        linecache.cache[filename] = (
            len(self.source),
            None,
            self.source.splitlines(keepends=True),
            filename,
        )
        space: dict[str, Any] = {"math": math, "np": np}
        exec(compile(self.source, filename, "exec"), space)  # noqa: S102
        return space["program"]

    def fresh(self) -> tuple[Any, ...]:
        """Arguments of its own for one call."""
        return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in self.arguments)


@st.composite
def int_expressions(draw: Any, depth: int = 0) -> str:
    kind = draw(st.integers(0, 17 if depth < LARGEST_DEPTH else 2))
    deeper = int_expressions(depth=depth + 1)
    if kind == 0:
        return str(draw(st.integers(-9, 99)))
    if kind in (1, 2):
        return draw(st.sampled_from((*INTS, "len(a)", "v[0]", "int(b[n % 4])")))
    if kind in (3, 4):
        return f"({draw(deeper)} {draw(st.sampled_from('+-*'))} {draw(deeper)}) % 1009"
    if kind == 5:
        return f"({draw(deeper)} {draw(st.sampled_from(('//', '%')))} {draw(deeper)})"
    if kind == 6:
        return f"({draw(deeper)} {draw(st.sampled_from('&|^'))} {draw(deeper)})"
    if kind == 7:
        return f"({draw(deeper)} if {draw(bool_expressions(depth=depth + 1))} else {draw(deeper)})"
    if kind == 8:
        return f"{draw(st.sampled_from(('min', 'max')))}({draw(deeper)}, {draw(deeper)})"
    if kind == 9:
        return f"abs({draw(deeper)})"
    if kind == 10:
        return f"(-{draw(deeper)})"
    if kind == 11:
        return f"int({draw(float_expressions(depth=depth + 1))})"
    if kind == 12:
        return f"({draw(deeper)}, {draw(deeper)}, 3)[n % 3]"
    if kind == 13:
        return f"sum(({draw(deeper)}, {draw(deeper)} % 11, 2))"
    if kind == 14:
        return f"divmod({draw(deeper)}, 7)[{draw(st.sampled_from((0, 1, -1)))}]"
    if kind == 15:
        return f"len(range({draw(deeper)} % 17, {draw(deeper)} % 29, {draw(st.integers(1, 4))}))"
    if kind == 16:
        return (
            f"(0 if o is None else o % 7) + round({draw(float_expressions(depth=depth + 1))} % 9.0)"
        )
    return f"(e := {draw(deeper)} % 101)"


@st.composite
def float_expressions(draw: Any, depth: int = 0) -> str:
    kind = draw(st.integers(0, 8 if depth < LARGEST_DEPTH else 2))
    deeper = float_expressions(depth=depth + 1)
    if kind == 0:
        return repr(draw(st.sampled_from((0.0, 0.5, -1.25, 3.0, 10.0))))
    if kind in (1, 2):
        return draw(
            st.sampled_from((*FLOATS, "float(a[0])", "float(a[-1])", "v[1]", "float(c[1, 0])"))
        )
    if kind in (3, 4):
        return f"({draw(deeper)} {draw(st.sampled_from('+-*'))} {draw(deeper)}) % 97.0"
    if kind == 5:
        return f"({draw(deeper)} / {draw(deeper)})"
    if kind == 6:
        return f"float({draw(int_expressions(depth=depth + 1))})"
    if kind == 7:
        return f"math.sqrt(abs({draw(deeper)}))"
    return f"float(a[{draw(int_expressions(depth=depth + 1))}])"


@st.composite
def bool_expressions(draw: Any, depth: int = 0) -> str:
    kind = draw(st.integers(0, 8 if depth < LARGEST_DEPTH else 1))
    deeper = bool_expressions(depth=depth + 1)
    symbol = draw(st.sampled_from(("<", "<=", "==", "!=", ">", ">=")))
    if kind <= 1:
        ints = int_expressions(depth=depth + 1)
        return f"({draw(ints)} {symbol} {draw(ints)})"
    if kind == 2:
        floats = float_expressions(depth=depth + 1)
        return f"({draw(floats)} {symbol} {draw(floats)})"
    if kind == 3:
        return f"({draw(deeper)} {draw(st.sampled_from(('and', 'or')))} {draw(deeper)})"
    if kind == 4:
        return f"(not {draw(deeper)})"
    ints = int_expressions(depth=depth + 1)
    if kind == 5:
        return f"({draw(ints)} < {draw(ints)} <= {draw(ints)})"
    if kind == 6:
        return f"({draw(ints)} % 5 in ({draw(ints)}, 1, 3))"
    if kind == 7:
        return f"{draw(st.sampled_from(('any', 'all')))}(({draw(deeper)}, {draw(deeper)}))"
    return draw(
        st.sampled_from(("o is None", "o is not None", "(i, x) < (j, y)", "(n, m) == (i, j)"))
    )


@st.composite
def statements(draw: Any, depth: int = 0, in_loop: bool = False) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        lines += draw(statement(depth=depth, in_loop=in_loop))
    return lines


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


@st.composite
def statement(draw: Any, depth: int = 0, in_loop: bool = False) -> list[str]:
    kind = draw(st.integers(0, 22 if depth < LARGEST_DEPTH else 6))
    inner = statements(depth=depth + 1, in_loop=in_loop)
    if kind in (0, 1):
        name = draw(st.sampled_from(INTS))
        return [f"{name} = {draw(int_expressions())}"]
    if kind == 2:
        return [f"{draw(st.sampled_from(FLOATS))} = {draw(float_expressions())}"]
    if kind == 3:
        return [f"{draw(st.sampled_from(INTS))} += {draw(int_expressions())} % 11"]
    if kind == 4:
        return [f"x, y = {draw(float_expressions())}, {draw(float_expressions())}"]
    if kind == 5:
        return [f"a[{draw(int_expressions())}] = {draw(float_expressions())}"]
    if kind == 6:
        if in_loop and draw(st.booleans()):
            word = draw(st.sampled_from(("break", "continue")))
            return [f"if {draw(bool_expressions())}:", f"    {word}"]
        return [f"c[{draw(int_expressions())} % 2, n % 3] += {draw(float_expressions())}"]
    if kind in (7, 8):
        lines = [f"if {draw(bool_expressions())}:", *_indented(draw(inner))]
        if draw(st.booleans()):
            lines += ["else:", *_indented(draw(inner))]
        return lines
    body = statements(depth=depth + 1, in_loop=True)
    if kind in (9, 10):
        name = f"k{depth}"
        bounds = draw(
            st.sampled_from(("len(a)", "n % 7", "1, len(a) - 1", "5, 0, -1", "0, n % 13, 3"))
        )
        use = draw(st.sampled_from((f"x += float(a[{name}])", f"a[{name}] = z", f"i = {name}")))
        return [f"for {name} in range({bounds}):", f"    {use}", *_indented(draw(body))]
    if kind == 11:
        return [f"for w{depth} in a:", f"    z += float(w{depth}) % 5.0", *_indented(draw(body))]
    if kind == 12:
        count = f"left{depth}"
        return [
            f"{count} = {draw(st.integers(0, 5))}",
            f"while {count} > 0 and {draw(bool_expressions())}:",
            f"    {count} -= 1",
            *_indented(draw(body)),
        ]
    if kind == 13:
        return [f"assert {draw(bool_expressions())}, f'unlucky {{i % 7}} {{x!r}}'"]
    return draw(_newer_statement(kind, depth, in_loop))


@st.composite
def _newer_statement(draw: Any, kind: int, depth: int, in_loop: bool) -> list[str]:
    inner = statements(depth=depth + 1, in_loop=in_loop)
    body = statements(depth=depth + 1, in_loop=True)
    if kind == 14:
        start = draw(int_expressions())
        return [
            f"for e{depth}, w{depth} in enumerate(a, {start} % 5):",
            f"    j = (j + e{depth}) % 1009",
            f"    z += float(w{depth}) % 5.0",
            *_indented(draw(body)),
        ]
    if kind == 15:
        return [
            f"for w{depth}, u{depth} in zip(a, reversed(v)):",
            f"    y = (y + float(w{depth}) * u{depth}) % 13.0",
            *_indented(draw(body)),
        ]
    if kind == 16:
        items = ", ".join(draw(int_expressions()) for _ in range(3))
        return [f"for t{depth} in ({items}):", f"    i = t{depth} % 211", *_indented(draw(body))]
    if kind == 17:
        return [
            f"match {draw(int_expressions())} % 4:",
            "    case 0:",
            *_indented(_indented(draw(inner))),
            "    case 1 | 2:",
            *_indented(_indented(draw(inner))),
            "    case _:",
            f"        m = {draw(int_expressions())}",
        ]
    if kind == 18:
        name, change = f"h{depth}", draw(st.booleans())
        result = f"(p * q + {draw(st.sampled_from(('i', 'j', 'n')))}) % 1009"
        lines = [f"def {name}(p, q={draw(int_expressions())} % 19, *, r=1):"]
        if change:
            lines += ["    nonlocal m", "    m = (m + p) % 23"]
        lines.append(f"    return {result} + r")
        calls = (
            f"{name}(j)",
            f"{name}({draw(int_expressions())} % 31, r=2)",
            f"{name}(q=3, p=i % 9)",
        )
        lines += [f"j = {draw(st.sampled_from(calls))} % 1009" for _ in range(2)]
        return lines
    if kind == 19:
        return [f"if {draw(bool_expressions())}:", f"    o = {draw(int_expressions())}"]
    if kind == 20:
        return [
            f"p, *q, r = (i, {draw(int_expressions())}, n, m)",
            "i, (j, m) = (p + len(q)) % 1009, (q[0], r)",
            "del p, q",
        ]
    if kind == 21:
        return [
            f"if {draw(bool_expressions())} and i % 5 == 4:",
            "    raise ValueError('bad', i % 7, x, (n, None))",
        ]
    return [f"if (s := {draw(int_expressions())} % 10) > 4:", "    j = s"]


@st.composite
def programs(draw: Any) -> Program:
    """A program and arguments for it."""
    body = draw(statements())
    more = draw(statements())
    lines = [
        "def program(n, m, x, a, b, c, v):",
        "    i = j = 0",
        "    y = z = 0.5",
        "    o, e = None, 0",
        *_indented(body + more),
        "    return i, j, n, m, x, y, z, o, e",
    ]
    size = draw(st.integers(1, 6))
    arguments = (
        draw(st.integers(-20, 60)),
        draw(st.integers(-5, 5)),
        draw(st.sampled_from((0.0, 1.5, -2.25))),
        np.arange(size, dtype=np.float64) - 1.0,
        np.array([3, -1, 4, 1]),
        np.arange(6, dtype=np.float64).reshape(2, 3),
        (draw(st.integers(0, 9)), 2.5),
    )
    return Program("\n".join(lines) + "\n", arguments)
