"""`match`: patterns of all kinds, in small programs."""

# ruff: noqa: F841  programs as they may be written

from __future__ import annotations

import dataclasses
import enum
from collections import OrderedDict, UserDict, deque, namedtuple

from corpus.control.cases import Cases

CASES = Cases()

Pair = namedtuple("Pair", "first second")


class Side(enum.Enum):
    """Two values to be matched by name."""

    LEFT = "l"
    RIGHT = "r"


@dataclasses.dataclass
class Leaf:
    """A node with a value."""

    value: object


@dataclasses.dataclass
class Node:
    """A node with an operator and two others."""

    name: str
    left: object
    right: object


class Logs:
    """An object that notes which attributes are read."""

    __match_args__ = ("x", "y")

    def __init__(self, log):
        self.log = log

    def __getattr__(self, name):
        self.log.append(name)
        if name == "missing":
            raise AttributeError(name)
        return name


class Anything(type):
    """A metaclass whose classes have all objects as instances."""

    def __instancecheck__(cls, one):
        return one != "never"


class Any(metaclass=Anything):
    """A class that every object seems to be of."""

    __match_args__ = ("real",)


@CASES.case(*((x,) for x in (0, 1, -1, 2.5, "a", b"a", None, True, 1j, 10**20, -0.0, "", 3 - 4j)))
def matching_literals(x):
    """Numbers and texts by equality, None and booleans by identity."""
    match x:
        case True:
            return "true"
        case None:
            return "none"
        case 0:
            return "zero"
        case 1 | -1:
            return "one"
        case 2.5 | 3 - 4j:
            return "number"
        case "a" | "bc":
            return "text"
        case b"a":
            return "bytes"
        case 100000000000000000000:
            return "large"
        case "":
            return "empty"
    return "nothing"


@CASES.case(*((x,) for x in ([], [1], (1, 2), [1, 2, 3], [1, [2, 3]], "ab", {1, 2}, deque([1, 2]))))
def matching_sequences(x):
    """Lengths, stars in each place, and what is no sequence."""
    match x:
        case []:
            return "empty"
        case [1, [a, b]]:
            return "nested", a, b
        case [a]:
            return "one", a
        case (a, b):
            return "two", a, b, type(x).__name__
        case [first, *_, last]:
            return "more", first, last
        case str() | set():
            return "no sequence"


@CASES.case(([1, 2, 3, 4],), ([1, 2],), ([1],), (range(5),), (bytearray(b"ab"),), (b"ab",), (None,))
def matching_sequences_with_stars(x):
    """What a star takes is always a list."""
    found = []
    match x:
        case [*items]:
            found.append(items)
    match x:
        case [a, *middle, b]:
            found.append((a, middle, b))
        case [*_]:
            found.append("short")
    match x:
        case [_, _, *rest] if rest:
            found.append(rest)
        case _:
            found.append("otherwise")
    return found


@CASES.case(
    *(({},), ({"a": 1},), ({"a": 1, "b": 2},), ({"b": {"c": [1, 2]}},), ({1: "x", None: "y"},)),
    *((OrderedDict(a=1),), (UserDict(a=1),), ([("a", 1)],)),
)
def matching_mappings(x):
    """Some keys, the rest of them, and mappings that are none of Python's."""
    match x:
        case {"a": 1, "b": b, **rest}:
            return "both", b, rest
        case {"b": {"c": [first, *_]}}:
            return "deep", first
        case {"a": int(a), **rest}:
            return "a", a, rest
        case {1: one, None: none}:
            return "keys", one, none
        case {**rest}:
            return "mapping", rest
        case _:
            return "no mapping"


@CASES.case(
    (Leaf(1),), (Node("+", Leaf(1), Leaf(2)),), (Leaf([1, 2]),), (Node("-", 0, Leaf(None)),)
)
def matching_classes(x):
    """Attributes by place, by name, and nested."""
    match x:
        case Leaf(int(n)):
            return "integer", n
        case Leaf([*items]):
            return "list", items
        case Node("+", Leaf(a), Leaf(value=b)):
            return "sum", a + b
        case Node(name=name, right=Leaf(None)) as node:
            return name, node.left


@CASES.case((Node("*", Node("+", Leaf(1), Leaf(2)), Leaf("x")), {"x": 5}), (Leaf("y"), {}), (3, {}))
def matching_in_an_interpreter(tree, names):
    """Formulas as trees, computed and made shorter."""

    def value(node):
        match node:
            case Leaf(str(name)) if name in names:
                return names[name]
            case Leaf(str(name)):
                raise NameError(name)
            case Leaf(number):
                return number
            case Node("+", left, right):
                return value(left) + value(right)
            case Node("*", left, right):
                return value(left) * value(right)
            case other:
                raise TypeError("no tree", other)

    def shown(node):
        match node:
            case Leaf(v):
                return str(v)
            case Node(name, l, r):
                return f"({shown(l)} {name} {shown(r)})"
            case _:
                return "?"

    match tree:
        case Leaf() | Node():
            return shown(tree), value(tree)
    return shown(tree), value(tree)


@CASES.case((Side.LEFT,), (Side.RIGHT,), ("l",), (Pair(1, 2),), (Pair(Side.LEFT, 3),))
def matching_values_by_their_names(x):
    """Dotted names are values."""
    match x:
        case Side.LEFT:
            return "left"
        case Side.RIGHT | "l":
            return "right or text", x
        case Pair(Side.LEFT, n) | Pair(n, 2):
            return "pair", n


@CASES.case((1, 2), (2, 1), (1, 1), ("a", 1), (5, [5]))
def matching_with_guards(a, b):
    """Guards see what was bound, and the next case is tried where they fail."""
    log = []
    match a, b:
        case x, y if log.append(("first", x, y)) or x == y:
            return "equal", log
        case int(x), int(y) if x < y:
            return "up", log
        case int(x), int(y) if (z := x - y) > 0:
            return "down", z, log
        case x, [y] if x == y:
            return "inside", log
    return x, y, log


@CASES.case(([1, [2, 3]],), ([1, 2],), ({"k": [1]},), (7,))
def matching_with_names_for_parts(x):
    """`as` for the whole and for parts."""
    match x:
        case [a, [b, *_] as inner] as whole:
            return a, b, inner, whole is x
        case [1 as one, (2 | 3) as other]:
            return one, other
        case {"k": [_] as items} as whole:
            return items, whole
        case int() | float() as number:
            return number


@CASES.case(([1, 2],), ([1, "a"],), ((0, 5),), ([[]],))
def matching_with_alternatives(x):
    """Alternatives bind the same names in each."""
    match x:
        case [1, int(n)] | [int(n), 5] | [str(n), _]:
            return "number", n
        case [(1 | 2) as n, ("a" | "b") as text]:
            return n, text
        case [[] | () | {}]:
            return "empty"


@CASES.case(([],), ([0],))
def matching_reads_attributes_in_order(log):
    """Attributes are read from left to right, until one does not fit."""
    one = Logs(log)
    match one:
        case Logs("no", y=_):
            return "never"
        case Logs("x", missing=_):
            return "never"
        case Logs("x", "y", z="z"):
            return "found", log


@CASES.case((5,), ("text",), ("never",), (2.5,), (Any(),))
def matching_asks_the_metaclass(x):
    """`isinstance` decides, which a metaclass may answer."""
    match x:
        case Any(5):
            return "five"
        case Any(real=r):
            return "number", r
        case Any():
            return "any"
    return "none"


@CASES.case(([],), ([1],))
def matching_computes_its_subject_once(log):
    """The subject is computed once; items of a sequence are read as often as needed."""

    def subject():
        log.append("subject")
        return [len(log), "item"]

    match subject():
        case [0, _]:
            return "zero"
        case [n, "other"]:
            return "never"
        case [n, _] if n > 1:
            return "more", n, log
        case [n, item]:
            return n, item, log


@CASES.case((1, 2), (5, 5), (None, 1))
def matching_several_subjects(a, b):
    """A tuple of subjects, also with a star, and one with a comma."""
    match a, *[b, a], b:
        case 1, 2, _, _:
            return "one two"
        case x, *_ if x == b:
            return "equal", x
    match (a,):
        case (None,):
            return "none"
        case (x,):
            return x


@CASES.case(("go north",), ("get lamp",), ("drop",), ("quit",), ("go",), ("go up fast",), ("",))
def matching_commands(line):
    """A game's commands as lists of words."""
    match line.split():
        case ["go", ("north" | "south" | "up") as way]:
            return "go", way
        case ["go", *rest]:
            return "where", rest
        case ["get" | "drop" as verb, *things] if things:
            return verb, things
        case ["quit" | "exit"]:
            return "bye"
        case []:
            return "nothing"
        case [verb, *_]:
            return "unknown", verb


@CASES.case(({"type": "circle", "r": 2},), ({"type": "box", "size": [3, 4]},), ({"type": "line"},))
def matching_records(record):
    """Records as dictionaries, with values that are checked on the way."""
    match record:
        case {"type": "circle", "r": int() | float() as r}:
            return 3 * r * r
        case {"type": "box", "size": [w, h]} if w > 0 < h:
            return w * h
        case {"type": kind, **rest} if not rest:
            raise ValueError("no size", kind)


@CASES.case(([1, 2, 3],), ([],), ([4],))
def matching_changes_what_it_matches(items):
    """The body of a case changes the subject, and names that were bound stay."""
    turns = 0
    while True:
        match items:
            case [first, *rest]:
                items = rest
                turns += first
                continue
            case []:
                break
    try:
        return turns, first, rest, items
    except UnboundLocalError as error:
        return turns, error.args


@CASES.case((1,), ([2],), ({"k": 3},), (Leaf(4),))
def matching_in_each_other(x):
    """A `match` in the body of another one, with names of the same kind."""
    match x:
        case int(n):
            match n:
                case 1:
                    found = "one"
                case _:
                    found = "other"
        case [n]:
            match [n, x]:
                case [a, [b]] if a == b:
                    found = "same", a
        case {"k": n} | Leaf(n):
            match n, match_as := n + 1:
                case 3, match:
                    found = match, match_as
                case _, case:
                    found = case, match_as
    return found, n


@CASES.case(([1],), ((1,),), (5,), ({},))
def matching_nothing_binds_nothing(x):
    """Without a case that fits the names stay as they were, or unbound."""
    a = "before"
    match x:
        case [a, b]:
            return "never"
        case {"k": c}:
            return "never"
        case Leaf(d):
            return "never"
    try:
        return a, d
    except UnboundLocalError as error:
        return a, error.args


@CASES.case((int, 5), (str, "a"), ((int, str), 5), (5, 5), (Pair, Pair(1, 2)), (None, 1))
def matching_a_class_that_is_computed(kind, x):
    """The class of a pattern is looked up when it is matched, and must be one."""
    try:
        match x:
            case kind():
                return "fits"
            case _:
                return "does not"
    except TypeError as error:
        return type(error).__name__, error.args
