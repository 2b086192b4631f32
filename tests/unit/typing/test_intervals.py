"""The intervals of integers, and division that relies on them."""

from __future__ import annotations

import operator
import re
from random import Random

import numpy as np
import pytest

import cutaway
from cutaway.typing.analysis import intervals
from cutaway.typing.analysis.intervals import Interval

LEAST, MOST = -(2**63), 2**63 - 1
EDGES = (0, 1, 2, 3, 7, 8, 10, 100, 2**31, 2**32 - 1, 2**40 + 3, 2**62, MOST - 1, MOST)


def remainder_of_sizes(a, i):
    return (i % len(a) + 1) % len(a)


def digits(n):
    total = 0
    for k in range(n):
        while k > 0:
            total += k % 10
            k //= 10
    return total


def greatest_common(a, b):
    a, b = max(a, 0), min(max(b, 0), 100)
    while b != 0:
        a, b = b, a % b
    return a


def may_wrap_around(n):
    if n > 0:
        return (3 * n + 1) % 7
    return 0


def behind_comparisons(a, b):
    if a < 0 or not b > 0:
        return -1
    return a // b


def counting_down(n):
    total = 0
    for i in range(n - 1, -1, -1):
        total += i // 3
    return total


def of_bytes(a, k):
    total = 0
    for x in a:
        total += (x >> 1) % (k & 15 | 1)
    return total


def of_a_tuple(data):
    a, b = 1, 0
    for x in data:
        a = (a + (x & 255)) % 65521
        b = (b + a) % 65521
    return a + b


def of_places(data, n):
    total = 0
    for i, _ in enumerate(data):
        total += i // 3 + i % max(n, 1)
    return total


def of_squares(n):
    total = 0
    for k in range(min(n, 1000)):
        total += (k - 500) ** 2 // 7 + abs(k - 500) // 3
    return total


@pytest.mark.parametrize(
    "function, args, signed",
    [
        (remainder_of_sizes, (np.zeros(5), 7), True),  # the first one only
        (digits, (100,), False),
        (greatest_common, (21, 14), False),
        (may_wrap_around, (5,), True),
        (behind_comparisons, (17, 5), False),
        (counting_down, (10,), False),
        (of_bytes, (np.arange(9, dtype="u1"), 7), False),
        (of_a_tuple, (np.arange(9),), False),
        (of_places, (np.arange(9), 3), False),
        (of_squares, (12,), False),
    ],
)
def test_numbers_that_are_not_negative_are_divided_without_signs(function, args, signed):
    compiled = cutaway.jit(function)
    assert compiled(*args) == function(*args)
    (signature,) = compiled.signatures
    text = compiled.inspect_llvm(signature)
    assert bool(re.search(r" srem | sdiv | ashr i64 .*, 63\b", text)) == signed


def test_what_a_loop_carries_is_found_though_it_grew():
    compiled = cutaway.jit(of_a_tuple)
    compiled(np.arange(3))
    text = compiled.inspect_llvm(compiled.signatures[0])
    assert "urem" not in text and " udiv " not in text  # less than twice the divisor


@pytest.mark.parametrize("divisor", [1, 2, 3, 7, 8, 10, 1 << 62, MOST, -1, -2, -7, -(1 << 40)])
def test_constants_divide_as_in_python(divisor):
    space: dict = {}
    exec(f"def f(a):\n    return a // ({divisor}), a % ({divisor})", space)
    f = cutaway.jit(space["f"])
    for a in {sign * edge for edge in EDGES for sign in (1, -1)} | {LEAST}:
        assert f(a) == (wrapped(a // divisor), a % divisor)


@cutaway.jit
def quotient_and_rest(a, b):
    return a // b, a % b


def test_variables_divide_as_in_python():
    numbers = sorted({sign * edge for edge in EDGES for sign in (1, -1)} | {LEAST})
    for a in numbers:
        for b in filter(None, numbers):
            assert quotient_and_rest(a, b) == (wrapped(a // b), a % b)


# --- made-up programs -----------------------------------------------------------------------------


def wrapped(number):
    return (number - LEAST) % 2**64 + LEAST


class Writer:
    """A made-up function of three integers, as it is compiled and with sums that wrap around."""

    def __init__(self, seed):
        self.random = Random(f"intervals {seed}")
        self.lines: list[tuple[str, str]] = []

    def value(self, depth=0):
        pick = self.random.random()
        if depth > 2 or pick < 0.35:
            name = self.random.choice("axyzxyzxyzn")
            return name, name
        if pick < 0.39:
            return self.near_to_limit()
        if pick < 0.5:
            number = str(self.random.choice([0, 1, 2, 3, 5, 8, 60, 255, 1 << 31, 1 << 62, -1, -4]))
            return f"({number})", f"({number})"
        (a, c), (b, d) = self.value(depth + 1), self.value(depth + 1)
        if pick < 0.6:
            word = self.random.choice(["min", "max", "abs"])
            if word == "abs":
                return f"abs({a})", f"w(abs({c}))"
            return f"{word}({a}, {b})", f"{word}({c}, {d})"
        symbol = self.random.choice(
            ["+", "-", "*", "//", "%", "//", "%", "&", "|", "^", ">>", "<<", "**"]
        )
        (a, c), (b, d) = self.value(depth + 1), self.value(depth + 1)
        if symbol in ("//", "%") and self.random.random() < 0.8:
            b, d = f"({b} | 1)", f"w({d} | 1)"
        if symbol in (">>", "<<"):
            bits = self.random.choice([7, 31, 63, 127])
            b, d = f"({b} & {bits})", f"({d} & {bits})"
        if symbol == "**":
            a = c = self.random.choice("abcxyz")  # of constants Python has computed it
            b = d = self.random.choice("0123")
        return f"({a} {symbol} {b})", f"w({c} {symbol} {d})"

    def near_to_limit(self):
        """A number that is likely to be a step away from the range of rests by `n`."""
        name, symbol = self.random.choice("xyz"), self.random.choice("+-")
        step = self.random.choice(["1", "1", "2", "b", "(c & 1)"])
        divided = self.random.choice(["%", "%", "//"])
        limit = self.random.choice("nnny")
        return (
            f"(({name} {symbol} {step}) {divided} {limit})",
            f"w(w({name} {symbol} {step}) {divided} {limit})",
        )

    def block(self, indent, depth):
        for _ in range(self.random.randint(1, 3)):
            pad, target = "    " * indent, self.random.choice("xyzxyzn")
            pick = self.random.random()
            ours, theirs = self.value()
            if pick < 0.6 or depth > 1:
                self.lines.append((f"{pad}{target} = {ours}", f"{pad}{target} = {theirs}"))
            elif pick < 0.8:
                (a, c), (b, d) = self.value(2), self.value(2)
                symbol = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
                self.lines.append((f"{pad}if {a} {symbol} {b}:", f"{pad}if {c} {symbol} {d}:"))
                self.block(indent + 1, depth + 1)
            else:
                low, high = self.random.choice([(0, 4), (-3, 3), (2, 5), (0, "n"), (0, "n")])
                step = self.random.choice([1, 1, 2])
                line = f"{pad}for {target} in range({low}, {high}, {step}):"
                if high == "n":
                    line = line.replace(", 1)", ")").replace("0, n)", "n)")
                self.lines.append((line, line))
                self.block(indent + 1, depth + 1)

    def sources(self):
        self.block(1, 0)
        limit = self.random.choice(["c % 7", "b % 7 - 3", "min(c & 15, 9)", "3 + (b & 3)"])
        head = f"def f(a, b, c):\n    n, x, y, z = {limit}, a & 63, b & 7, c % 5\n"
        if self.random.random() < 0.5:
            head += "    x = y = 0\n"
        tails = (
            "(x - y) // 3, (y * z) % 7, (z % (x | 1)) // 5, x, y, z",
            ("w(x - y) // 3, w(y * z) % 7, (z % (x | 1)) // 5, x, y, z"),
        )
        bodies = ("\n".join(lines) for lines in zip(*self.lines, strict=True))
        pairs = zip(bodies, tails, strict=True)
        return tuple(f"{head}{body}\n    return {tail}" for body, tail in pairs)


def result_of(function, args):
    try:
        return function(*args)
    except ZeroDivisionError:
        return "zero"


def difference(seed):
    """The first call of a made-up program that is not as in Python."""
    ours, theirs = Writer(seed).sources()
    compiled, plain = {}, {"w": wrapped}
    exec(ours, compiled)
    exec(theirs, plain)
    f, random = cutaway.jit(compiled["f"]), Random(seed)
    for _ in range(12):
        args = tuple(
            random.choice([random.randint(-20, 20), random.choice(EDGES), -random.choice(EDGES)])
            for _ in "abc"
        )
        if result_of(f, args) != result_of(plain["f"], args):
            return f"{ours}\nf{args} is {result_of(f, args)}"
    return ""


@pytest.mark.parametrize("seed", range(25))
def test_made_up_programs_divide_as_in_python(seed):
    assert not difference(seed)


@pytest.mark.parametrize(
    "symbol, rule",
    [
        ("-", lambda a, b: Interval(a.low - b.low, a.high - b.high)),
        ("*", lambda a, b: Interval(0, MOST)),
        ("%", lambda a, b: Interval(0, 5)),
    ],
)
def test_a_wrong_rule_is_found(monkeypatch, symbol, rule):
    monkeypatch.setitem(intervals.RULES, symbol, rule)
    assert any(map(difference, range(40)))


def test_the_operators_of_the_table_are_pythons():
    small = [Interval(low, high) for low in range(-3, 4) for high in range(low, 4)]
    functions = {"+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv}
    functions |= {"%": operator.mod, "&": operator.and_, "|": operator.or_, "^": operator.xor}
    functions |= {"**": operator.pow}
    functions |= {"<<": operator.lshift, ">>": operator.rshift}
    for symbol, rule in intervals.RULES.items():
        for a in small:
            for b in small:
                found = rule(a, b)
                for x in range(a.low, a.high + 1):
                    for y in range(b.low, b.high + 1):
                        if (
                            found
                            and not (symbol in ("//", "%") and y == 0)
                            and not (symbol in ("<<", ">>", "**") and y < 0)
                        ):
                            assert found.low <= functions[symbol](x, y) <= found.high
