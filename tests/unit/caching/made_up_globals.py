"""Made-up functions with made-up globals, and what another process changes of these."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

# What a global is, as text; and, for its name, what a function sees of it.
Made = tuple[str, str]


def number(random: Random) -> str:
    """A number, text or None."""
    kinds = (
        lambda: str(random.randrange(-3, 4)),
        lambda: str(random.randrange(-3, 4) / 2),
        lambda: f"complex({random.randrange(2)}, {random.choice(('0.0', '-0.0', '1.5'))})",
        lambda: random.choice(("True", "False", "None", "math.nan", "-math.inf", "-0.0")),
        lambda: repr(random.choice(("", "a", "ab", "\u2603"))),
        lambda: f"np.{random.choice(('int8', 'uint16', 'float32'))}({random.randrange(4)})",
        lambda: f"np.timedelta64({random.randrange(3)}, '{random.choice(('s', 'ms'))}')",
    )
    return random.choice(kinds)()


def nested(random: Random) -> Made:
    """A tuple of them, and of tuples."""

    def item(depth: int) -> str:
        if depth and random.random() < 0.4:
            return "(" + "".join(f"{item(depth - 1)}, " for _ in range(random.randrange(3))) + ")"
        return number(random)

    return f"({item(2)}, {item(1)})", "{}"


def array(random: Random) -> Made:
    """An array in any layout."""
    dtype = random.choice(("i1", "i4", "i8", "f2", "f4", "f8", "c16", "?"))
    shape = random.choice(((3,), (2, 3), (3, 2), (1, 3), (0, 2), ()))
    count = max(1, shape[0] if shape else 1) * (shape[1] if len(shape) > 1 else 1)
    items = [random.randrange(3) for _ in range(count if 0 not in shape else 0)]
    text = f"np.array({items}, '{dtype}').reshape({shape}, order='{random.choice('CF')}')"
    if shape:
        text += random.choice(("", "", "[::-1]", ".T", "[::2]", "[1:]"))
    if random.random() < 0.2:
        text = f"np.broadcast_to({text}, (2, *{text}.shape))"
    return text, "({0}.shape, {0}.strides, {0}.copy())"


def records(random: Random) -> Made:
    """An array of records."""
    names = random.sample("ab", 2)
    fields = ", ".join(f"('{name}', '{random.choice(('i4', 'f8'))}')" for name in names)
    return f"np.ones(2, np.dtype([{fields}], align={random.random() < 0.5}))", "{0}['a'][0]"


def named(random: Random) -> Made:
    """A named tuple; its class has defaults."""
    names = " ".join(random.sample("abc", 3))
    made = f"collections.namedtuple('T', '{names}', defaults=[{random.randrange(3)}])"
    return f"{made}({random.randrange(2)}, {number(random)})", "{0}.a"


def named_class(random: Random) -> Made:
    """A class of named tuples."""
    names = " ".join(random.sample("ab", 2))
    return f"collections.namedtuple('T', '{names}', defaults=[{random.randrange(3)}])", "{0}(7).a"


def member(random: Random) -> Made:
    """A member of an enumeration."""
    names, values = random.sample(("red", "blue", "green"), 3), random.sample(range(4), 3)
    pairs = ", ".join(f"('{n}', {v})" for n, v in zip(names, values, strict=True))
    kind = random.choice(("Enum", "IntEnum"))
    return f"enum.{kind}('E', [{pairs}]).red", "({0}.value, {0}.name)"


def sliced(random: Random) -> Made:
    """A slice."""
    start, stop, step = (random.choice(("None", *some)) for some in ((0, 1), (3, 5), (1, 2)))
    return f"slice({start}, {stop}, {step})", "np.arange(9)[{}]"


KINDS: tuple[Callable[[Random], Made], ...] = (
    lambda random: (number(random), "{}"),
    nested,
    array,
    records,
    named,
    named_class,
    member,
    sliced,
    lambda random: (f"range({random.randrange(3)}, 9, {random.randrange(1, 4)})", "sum({})"),
    lambda random: (f"np.dtype('{random.choice(('i4', 'f8', 'M8[s]'))}')", "np.zeros(1, {})"),
    lambda random: (random.choice(("int", "float", "np.int8", "np.float32")), "{}(1) + 0.5"),
    lambda random: (f"math.{random.choice(('sin', 'cos', 'exp'))}", "{}(0.0)"),
    lambda random: (f"cutaway.{random.choice(('int8', 'int32', 'float32'))}", "{}(1)"),
    lambda random: (f"jit(lambda x, n={random.randrange(3)}: x + n)", "{}(1)"),
    lambda random: (f"adder({random.randrange(3)})", "{}(1)"),
)

PREFACE = """
import collections, enum, math
import numpy as np
import cutaway
from cutaway import jit
def adder(n):
    @jit
    def add(x): return x + n
    return add
"""


def module(seed: int, functions: int, changed: bool) -> str:
    """A module of functions f0, f1, ..., each with three globals; in the changed one, about half of
    the globals are others of the same kind, in the same lines."""
    random, lines = Random(seed), [PREFACE]
    for k in range(functions):
        seen = []
        for place in range(3):
            kind, state, changes = random.choice(KINDS), random.random(), random.random() < 0.3
            text, look = kind(Random(f"{state} {changes and changed}"))
            lines.append(f"K{k}_{place} = {text}")
            seen.append(look.format(f"K{k}_{place}"))
        lines.append(f"@jit(cache=True)\ndef f{k}(): return {', '.join(seen)}")
    return "\n".join(lines) + "\n"
