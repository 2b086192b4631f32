"""A machine that changes two lists, deques or sets by steps, compiled and in Python.

    python -m fuzz lists 2000                              # from the folder tests

A step is four numbers: what is done, and three that choose items, bounds and values.  The lists are
arguments, two of them or the same one twice, and may share their items; lists that were passed are
the same objects wherever they are found afterward, and an exception in the middle leaves them as
Python does.  References and memory are as they were in the end.

Any in this file: lists of any items.
"""

from __future__ import annotations

import copy
import gc
import sys
from collections import deque
from collections.abc import Callable
from functools import cache
from random import Random
from textwrap import indent
from typing import Any

import cutaway
from cutaway.runtime import stats
from fuzz.arrays import function_of
from fuzz.batches import FINDING, SAME, Verdict

# What is done, with `a` and `b` the lists, `x` an item, and i, j, k numbers from -4 to 9.
STEPS = (
    *("a.append(x)", "a.insert(i, x)", "log.append(len(a))\na.pop(i)", "a.remove(x)"),
    *("a[i] = x", "del a[i]", "a[i:j] = b", "a[i:j] = b[j:]", "a[i:j:k] = b[:3]", "del a[i:j:k]"),
    *("del a[i:j]", "a.extend(b)", "a += a[i:j]", "a += b", "a.reverse()", "a.clear()"),
    *("a *= j % 3", "a = a + b[:4]", "a = a[i:j:k]", "a = b.copy()", "a, b = b, a", "a = b"),
    *("a[i], a[j] = a[j], a[i]", "a[i:] = reversed(a)", "a[:] = a[::-1]", "a = list(b)"),
    *("log.append(a.index(x))", "log.append(a.count(x))", "log.append(a.index(x, i, j))"),
    *("log.append(10 if x in a else 20)", "log.append(int(a == b))", "log.append(int(a is b))"),
    "for one in a:\n    if len(a) < 40:\n        a.append(one)",
    "for one in a:\n    a.pop()",
    "for one in reversed(a):\n    del a[0]",
    "for n, one in enumerate(a):\n    if n % 2:\n        a[n - 1] = one",
    "for one, two in zip(a, b):\n    log.append(1 if one == two else 0)",
    "a = [one for one in a if one != x]",
    "x = a.pop()\na.append(x)\nb.append(x)",
)
ORDERED = (
    *("a.sort()", "a.sort(reverse=True)", "a = sorted(b)", "log.append(int(a < b))", "x = min(a)"),
    *("a.append(max(a))", "a.sort(key=lambda one: one == pool[0])", "log.append(int(a >= b))"),
)
NESTED = (
    *(
        "a[i].append(j)",
        "a[i] = a[j]",
        "x.append(k)",
        "a[i] += [j]",
        "a.append([])",
        "a[i].clear()",
    ),
    *("a.append(a[i][:])", "del a[i][:1]", "log.append(int(a[i] is a[j]))", "a[j] = x + a[i]"),
)
DEQUES = (
    *("a.append(x)", "a.appendleft(x)", "log.append(len(a))\na.pop()", "a.popleft()"),
    *("a.rotate(i)", "a.rotate(-j)", "a.extend(b)", "a.extendleft(b)", "a.insert(i, x)"),
    *("a.remove(x)", "a[i] = x", "del a[i]", "a.reverse()", "a.clear()", "a = a + b", "a *= 2"),
    *("a = a * (j % 3)", "a += list(b)[:3]", "a, b = b, a", "a = b", "a = b.copy()"),
    *("a = deque(b, 4)", "a = deque(b, maxlen=7)", "a = deque(reversed(b))", "a.extend(a)"),
    *("log.append(a.index(x))", "log.append(a.count(x))", "log.append(10 if x in a else 20)"),
    *("log.append(int(a == b))", "log.append(int(a is b))", "log.append(a.index(x, i, j))"),
    "if a.maxlen is not None:\n    log.append(7)",
    "for one in a:\n    if one == x:\n        a.append(one)",
    "for one in reversed(a):\n    a.pop()",
    "for one, two in zip(a, b):\n    log.append(1 if one == two else 0)",
    "x = a.pop()\na.append(x)\nb.appendleft(x)",
)
SETS = (
    *("a.add(x)", "a.discard(x)", "a.remove(x)", "a.update(b)", "a |= b", "a &= b", "a -= b"),
    *("a ^= b", "a = a | b", "a = a & b", "a = a - b", "a = a ^ b", "a = a.union(b)", "a = b"),
    *("a = a.copy()", "a.clear()", "a, b = b, a", "log.append(len(a))", "log.append(int(a <= b))"),
    *("log.append(int(a < b))", "log.append(int(a == b))", "log.append(int(a.isdisjoint(b)))"),
    *("log.append(10 if x in a else 20)", "a = {one for one in b if one != x}"),
    *("a.difference_update(b)", "a.symmetric_difference_update(b)", "a = set(frozenset(a) | b)"),
    "kept = frozenset(a)\nlog.append(int(kept in {kept, frozenset(b)}))\na &= kept - b",
    "for one in a:\n    a.clear()",
)
OF_KIND = {"deques": deque, "sets": set}
POOLS: dict[str, tuple[Callable[[], list[Any]], tuple[str, ...]]] = {
    "ints": (lambda: [0, 1, -7, 2**40, 5, 5], (*STEPS, *ORDERED)),
    "floats": (lambda: [0.5, -0.0, 0.0, 1e300, -2.25], (*STEPS, *ORDERED)),
    "texts": (lambda: ["", "a", "ab", "ü€", "\U0001f600"], (*STEPS, *ORDERED)),
    "tuples": (lambda: [(1, 2.5), (0, 0.0), (1, -1.0)], (*STEPS, *ORDERED)),
    "tuples of texts": (lambda: [("a", 1), ("", 2), ("a", 0)], (*STEPS, *ORDERED)),
    "optionals": (lambda: [None, 1, 2, None], STEPS),
    "lists": (lambda: [[1], [2, 3], [], [1]], (*STEPS, *ORDERED, *NESTED)),
    "lists in tuples": (lambda: [([1], 2), ([], 0), ([1], 2)], STEPS),
    "deques of ints": (lambda: [0, 1, -7, 2**40, 5], (*DEQUES, "log.append(int(a < b))")),
    "deques of texts": (lambda: ["", "a", "ab", "ü€"], DEQUES),
    "deques of lists": (lambda: [[1], [2, 3], [], [1]], (*DEQUES, "a[i].append(j)")),
    "sets of ints": (lambda: [0, 1, -7, 2**40, 5], SETS),
    "sets of texts": (lambda: ["", "a", "ab", "ü€"], SETS),
    "sets of pairs": (lambda: [(1, 2.5), (0, 0.0), (1, -1.0)], SETS),
    "sets of frozensets": (lambda: [frozenset((1, 2)), frozenset(), frozenset((3,))], SETS),
}
LONGEST = 60
_FAILING = (
    ("        a.append(pool[0])", "        a[99 + len(a)] = pool[0]"),
    ("        a.discard(pool[0])", "        a.remove(pool[0])"),
)


@cache
def program(kind: str) -> str:
    """The text of the machine for items of a kind."""
    lines = [
        "from collections import deque",
        "def program(a, b, pool, steps, log):",
        "    for step, i, j, k in steps:",
        "        x = pool[j % len(pool)]",
        f"        if len(a) > {LONGEST}:",
        f"            {'a.clear()' if kind.split()[0] in OF_KIND else 'del a[9:]'}",
        "        try:",
        "            k = k or 1",
    ]
    for number, text in enumerate(POOLS[kind][1]):
        lines.append(f"            {'if' if not number else 'elif'} step == {number}:")
        lines.append(indent(text, " " * 16))
    lines += [
        "        except IndexError:",
        "            log.append(-1)",
        "        except ValueError:",
        "            log.append(-2)",
        "        except RuntimeError:",
        "            log.append(-3)",
        "        except KeyError:",
        "            log.append(-4)",
        "    if len(steps) % 5 == 4:",
        *_FAILING[kind.split()[0] == "sets"],
        "    return a, b",
    ]
    return "\n".join(lines) + "\n"


@cache
def machines(kind: str) -> tuple[Any, Any]:
    """The machine for items of a kind, in Python and compiled."""
    function = function_of(program(kind), f"<lists {kind}>")
    return function, cutaway.jit(function)


def _arguments(kind: str, seed: int) -> tuple[list[Any], ...]:
    random = Random(seed)
    pool = POOLS[kind][0]()
    a = pool[:2] + [random.choice(pool) for _ in range(random.randint(0, 7))]
    b = a if random.random() < 0.2 else pool[:3] + random.choices(pool, k=random.randint(0, 5))
    cls = OF_KIND.get(kind.split()[0])
    if cls is not None:
        a, b = (made := cls(a)), made if b is a else cls(b)
    steps = [
        (
            random.randrange(len(POOLS[kind][1])),
            *(random.randint(-4, 9) for _ in range(2)),
            random.choice((-2, -1, 1, 2, 3)),
        )
        for _ in range(random.randint(3, 25))
    ]
    return copy.deepcopy((a, b, pool, steps, [0]))


def _numbered(value: Any, known: dict[int, int]) -> None:
    """Number the lists in a value."""
    if isinstance(value, list | tuple | deque | set):
        known.setdefault(id(value), len(known))
        for one in value:
            _numbered(one, known)


def _shape(value: Any, known: dict[int, int]) -> Any:
    """A value with its types; a list that was passed has its number."""
    if isinstance(value, list | tuple | deque | set):
        number = -2 if isinstance(value, tuple) else known.get(id(value), -1)
        items = [_shape(one, known) for one in value]
        items = sorted(items) if isinstance(value, set) else items
        return (number, *items, getattr(value, "maxlen", None))
    if isinstance(value, frozenset):
        return sorted(_shape(one, known) for one in value)
    return type(value).__name__, repr(value)


def _outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    known: dict[int, int] = {}
    kept = copy.copy(args), [list(one) for one in args]  # while their addresses are compared
    _numbered(args, known)
    try:
        result = function(*args)
    except Exception as error:  # noqa: BLE001  compared
        result = (type(error).__name__, str(error))
    shape = _shape((args, result), known)
    del kept
    return shape


def _held(args: tuple[Any, ...]) -> tuple[int, ...]:
    gc.collect()
    made, released = stats()
    plain = (str, int, float, type(None))  # which Python itself holds in many places
    counted = (one for one in args[2] if not isinstance(one, plain))
    return (made - released, *map(sys.getrefcount, counted))


def check(seed: int) -> Verdict:
    """Compare one course of the machine with Python, and the memory that it leaves."""
    kind = list(POOLS)[seed % len(POOLS)]
    plain, compiled = machines(kind)
    steps = [POOLS[kind][1][row[0]] for row in _arguments(kind, seed)[3]]
    source = program(kind) + f"# {_arguments(kind, seed)}\n# {steps}"
    wanted = _outcome(plain, _arguments(kind, seed))
    args = _arguments(kind, seed)
    found = _outcome(compiled, args)
    if found != wanted:
        return Verdict(FINDING, f"{kind}\n  {wanted}\n  {found}", source)
    first, second = (_left_by(compiled, kind, seed) for _ in range(2))
    if first != second:
        return Verdict(FINDING, f"memory is left: {first} {second}", source)
    return Verdict(SAME, "", source)


def _left_by(compiled: Callable[..., Any], kind: str, seed: int) -> tuple[int, ...]:
    """The blocks of memory, and references of items, that a call leaves."""
    args = _arguments(kind, seed)
    _outcome(compiled, args)
    return _held(args)
