"""Python's objects: truth and comparisons, `match`, imports."""

# ruff: noqa: B018, E713, E714, F401, I001  programs as they may be written

from __future__ import annotations

import collections
import math
import sys
import types

from corpus.control.cases import Cases

CASES = Cases()


class Truth:
    """An object that counts how often it is asked whether it is true."""

    def __init__(self, answer, log):
        self.answer = answer
        self.log = log

    def __bool__(self):
        self.log.append(self.answer)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Compared:
    """An object whose comparisons give what they are told to."""

    def __init__(self, answer):
        self.answer = answer

    def __lt__(self, other):
        return self.answer

    def __eq__(self, other):
        return self.answer

    __hash__ = None


class Point:
    """A class with patterns by position."""

    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    @property
    def far(self):
        if self.x is None:
            raise AttributeError("far")
        return self.x + self.y


class Colors:
    """Names for value patterns."""

    RED = 1
    BLUE = "blue"
    NAN = float("nan")


# --- truth and comparisons ------------------------------------------------------------------------


@CASES.case((True,), (False,), (OSError("truth"),))
def truth_is_asked_where_nothing_depends_on_it(answer):
    """A condition is asked though both ways go on at the same place."""
    log = []
    one = Truth(answer, log)
    try:
        if one:
            pass
        while one:
            break
        for _ in range(2):
            if one:
                continue
        one and None
        not one
    except OSError as error:
        log.append(error.args)
    return log


@CASES.case((True,), (OSError("truth"),))
def truth_that_leaves_a_loop(answer):
    """`break` and `continue` behind a condition that may raise, in a `try`."""
    log = []
    one = Truth(answer, log)
    try:
        for k in range(4):
            if k > 1:
                log.append(k)
            if one:
                break
        while True:
            if one:
                break
    except OSError:
        log.append("caught")
    return log


@CASES.case((0,), (1,), (2,), (3,), (4,))
def truth_that_raises(place):
    """What `__bool__` raises comes from where the truth is asked for."""
    log = []
    bad = Truth(OSError("truth"), log)
    try:
        match place:
            case 0:
                return bad and 1
            case 1:
                return not bad
            case 2:
                assert bad, "message"
            case 3:
                return [x for x in (1, 2) if x == 2 and bad]
        while bad:
            log.append("never")
    except OSError as error:
        return error.args, log


@CASES.case((2,), ([],), (None,))
def truth_that_is_no_bool(answer):
    """`__bool__` and `__len__` must give the right kind of object."""
    one = Truth(answer, [])
    try:
        return "true" if one else "false"
    except TypeError as error:
        return error.args


@CASES.case((1, 2, 3), (1, 1, 3), (3, 2, "a"), ("a", 1, 2))
def comparison_chain_computes_the_middle_once(a, b, c):
    """A chain ends at the first comparison that is false."""
    log = []

    def note(x):
        log.append(x)
        return x

    try:
        return note(a) < note(b) <= note(c) != note(a), log
    except TypeError as error:
        return error.args, log


@CASES.case(([],), ([1],), ("",), (0,), (NotImplemented,))
def comparison_chain_of_what_is_no_bool(answer):
    """A chain gives the first false result, or the last one."""
    one = Compared(answer)
    try:
        return one < 1 < 2, one == one, (one < one == one), one in [one]
    except TypeError as error:
        return error.args


@CASES.case((2, [1, 2], [[1, 2]]), (3, [1], [[1]]), (1, "a", []))
def comparison_chain_with_in_and_is(a, b, c):
    """`in`, `is` and the like are links of chains as well."""
    return a in b in c, a not in b is b, a is not None is not b, not a in b


@CASES.case((0, 5), (3, 0), ("", ""))
def comparison_values_of_short_circuits(a, b):
    """`and` and `or` give operands, not bools, also across assignments."""
    found = [a and b, a or b, not a or b, (a and b) or "c", a or (b and "d")]
    x = a or (a := b) or "none"
    return found, x, a, (a if b else b) or (b if a else "neither")


@CASES.case((None,), (0,))
def comparison_with_none_written_in_all_ways(x):
    """Tests for None, on either side and negated."""
    found = ["a" if x is None else "b", "a" if None is not x else "b"]
    if not (x is None):
        found.append("not none")
    while x is not None and not x:
        x = None
    return found, x is None is None, (x is None) is (x is not None)


# --- match ----------------------------------------------------------------------------------------


@CASES.case(
    *(([1, 2, 3],), ((),), ([[5]],), ("abc",), (range(3),), ({1: 2},), ([0],)),
    *((["go", "north", "fast"],), (["go"],), ([(1, 2), [3, [4, 5, 6]]],), (b"ab",)),
)
def match_on_sequences(subject):
    """Sequences of fixed and open length, nested; texts are none."""
    match subject:
        case []:
            return "empty"
        case [[x]] | [0 as x]:
            return "one", x
        case ["go", *rest] if rest:
            return [*rest]
        case (a, b), [c, [*_, d]]:
            return a, b, c, d
        case [first, *middle, last]:
            return first, [*middle], last
        case [str(only)]:
            return only
        case _:
            return "other"


@CASES.case(
    *(({},), ({"kind": "a", "x": 1},), ({"kind": "b"},), ([("kind", "a")],)),
    *(({"kind": {"in": [1, 2]}, 3: 4},), (collections.OrderedDict(kind="c", y=2, z=3),)),
)
def match_on_mappings(subject):
    """Mappings with some keys, and what else they hold."""
    match subject:
        case {"kind": "a", **rest}:
            rest["added"] = 1
            return rest, subject
        case {"kind": {"in": [_, last]}, 3: other}:
            return last, other
        case {"kind": "b"}:
            return "b"
        case {"kind": name, "y": y, **rest}:
            return name, y, rest, type(rest).__name__
        case {**rest}:
            return "any", rest


@CASES.case(("missing",), ("there",))
def match_does_not_fill_a_defaultdict(key):
    """A mapping is asked by `get`, so that nothing is made."""
    subject = collections.defaultdict(list, there=[1])
    match subject:
        case {"there": [_], "missing": []}:
            found = "filled"
        case {"there": [x]} if key in subject:
            found = x
        case _:
            found = None
    return found, dict(subject)


@CASES.case((Point(0, 0),), (Point(0, 5),), (Point(2, 2),), (Point(None, 1),), ((0, 0),))
def match_on_classes(subject):
    """Attributes by position, by name, and both; a missing one is no match."""
    match subject:
        case Point(0, 0):
            return "origin"
        case Point(0, y=y) | Point(y, y=0):
            return "axis", y
        case Point(x, y) if x == y:
            return "diagonal", x, y
        case Point(far=far):
            return far
        case Point(x=None) as whole:
            return "no far", whole.y
        case tuple() | list():
            return "sequence"


@CASES.case(
    *((5,), (True,), ("a",), (b"b",), (2.5,), (None,), ([1],), ({},), ({1},), ((1, 2),), (1j,)),
)
def match_on_classes_of_python(subject):
    """Some classes of Python take the object itself by position."""
    match subject:
        case bool(x):
            return "bool", x
        case int(x) | float(x):
            return "number", x
        case str(x) | bytes(x):
            return "text", x
        case list([x]) | tuple((_, x)):
            return "sequence", x
        case dict(x) | set(x):
            return "hashed", x
        case None:
            return "None"
        case complex(real=0.0, imag=x):
            return "imaginary", x


@CASES.case((1,), (1.0,), (True,), (None,), (-1,), (1 + 2j,), ("a",), (b"a",), (Colors.NAN,))
def match_on_literals_and_values(subject):
    """Numbers are compared by `==`, True and None by `is`."""
    match subject:
        case True | None:
            return "is"
        case Colors.RED | Colors.NAN:
            return "value"
        case -1 | 1 + 2j:
            return "literal"
        case Colors.BLUE | "a" | b"a":
            return "text", subject


@CASES.case(([1, 2, 3],), ([1, 2],), ([],), ([4, 4],))
def match_captures_that_stay_although_a_guard_fails(subject):
    """Names are bound before the guard, and stay bound where it fails."""
    log, a, b = [], "a", "b"
    match subject:
        case [a, b] if log.append((a, b)):
            pass
        case [a, *b] if b and (log.append("second") or a > 3):
            return "second", a, [*b], log
        case [a, *_] | a:
            return a, [*b], log


@CASES.case((1, 0), (0, 1), ("x", 1))
def match_guard_that_raises(a, b):
    """What a guard raises leaves the statement."""
    try:
        match a, b:
            case (x, 0) if 1 // b:
                return "never", x
            case y, z if y // z:
                return y, z
            case b, a:
                return "swapped", a, b
    except (ZeroDivisionError, TypeError) as error:
        return error.args, b


@CASES.case((1,), ({2: "two"},))
def match_on_what_is_no_class(subject):
    """The name in a class pattern must be a class."""
    Colors.kind = len
    try:
        match subject:
            case {2: _}:
                return "mapping"
            case Colors.kind(x):
                return x
    except TypeError as error:
        return error.args
    finally:
        del Colors.kind


@CASES.case(*(((kind),) for kind in (["x"], None, (), ("x", 5), ("x", "x"), ("x", "none"))))
def match_args_that_are_wrong(names):
    """`__match_args__` must be a tuple of different texts, and long enough."""

    class Odd:
        __match_args__ = names
        x = 5

    try:
        match Odd():
            case Odd(1, 2):
                return "no"
            case Odd(5, y):
                return y
            case _:
                return "no match"
    except TypeError as error:
        return error.args


@CASES.case((collections.deque([1]),), (5,))
def match_by_position_on_a_class_without_names(subject):
    """A class without `__match_args__` takes nothing by position."""
    try:
        match subject:
            case int(real=5, imag=0):
                return "five"
            case collections.deque(first):
                return first
    except TypeError as error:
        return error.args


@CASES.case((Point(1, 2),))
def match_on_an_attribute_twice(subject):
    """An attribute that is given by position and by name."""
    match subject:
        case Point(1, 2, x=1):
            return "twice"


@CASES.case(({1: "a"},), ({},))
def match_on_a_key_twice(subject):
    """Keys that are values may turn out to be the same; that is found where the first is there."""
    match subject:
        case {Colors.RED: _, math.inf: _}:
            return "two"
        case {Colors.RED: _, Colors.RED.real: _}:
            return "same"
        case _:
            return "none"


@CASES.case(([("add", 2), ("skip",), ("mul", 3), ("odd", 1), ("stop",), ("add", 1)],), ([],))
def match_in_a_loop(steps):
    """`break`, `continue` and `else` of a loop around `match`."""
    total = 0
    for step in steps:
        match step:
            case ["add", int(n)]:
                total += n
            case ["skip"]:
                continue
            case "mul", n:
                total *= n
            case ["stop"]:
                break
        total += 1
    else:
        return "ended", total
    return total, step


@CASES.case((ValueError("a", 1),), (KeyError("k"),), (OSError(2, "no"),), (None,))
def match_on_an_exception_in_a_handler(error):
    """A handler that looks at its exception with `match`, and may raise it again."""
    try:
        raise error or TypeError()
    except Exception as caught:
        match caught:
            case ValueError(args=(first, *_)):
                return first
            case OSError(errno=2, strerror=text):
                return text
            case LookupError():
                raise RuntimeError(caught.args) from caught
        raise


# --- imports --------------------------------------------------------------------------------------


@CASES.case()
def import_in_all_forms():
    """What the names of import statements are bound to."""
    import collections.abc
    import os.path
    import os.path as joined
    import xml.dom.minidom as dom
    from importlib import abc, machinery as how
    from os import path as path_of_os, sep

    names = [os.__name__, joined is path_of_os, abc.__name__, how.__name__, sep == os.sep]
    return names, collections.abc.Sized.__name__, dom.__name__


@CASES.case()
def import_from_this_package():
    """Imports with dots go by the package of the function's module."""
    from . import cases
    from .cases import Cases as Own

    return cases.Cases is Own, Own is Cases


@CASES.case(("first",), ("second",), ("third",), ("fourth",))
def import_that_fails(which):
    """The errors of modules, and of names in modules, that are not there."""
    if which == "first":
        import math.nothing
    elif which == "second":
        from os.path import nothing
    elif which == "third":
        from control.not_there import nothing
    else:
        from .. import nothing
    return math


@CASES.case()
def import_error_is_handled_by_another_import():
    """A name is bound by one import or the other."""
    try:
        from math import nothing as found
    except ImportError as error:
        from math import floor as found

        return found(2.5), error.msg.split(" (")[0], error.name, error.__context__
    return found


@CASES.case()
def import_from_a_module_that_is_made_by_hand():
    """A module without a file, with names that are made when they are asked for."""
    made = types.ModuleType("made_by_hand")
    made.__getattr__ = lambda name: {"odd": 1}[name] if name != "other" else made.none
    sys.modules["made_by_hand"] = made
    try:
        from made_by_hand import odd

        try:
            from made_by_hand import other
        except ImportError as error:
            other = error
        from made_by_hand import strange
    except KeyError as error:
        return odd, other, error
    finally:
        del sys.modules["made_by_hand"]
    return strange


@CASES.case()
def import_of_what_is_none():
    """None in the place of a module forbids it."""
    sys.modules["forbidden_here"] = None
    try:
        import forbidden_here
    finally:
        del sys.modules["forbidden_here"]
    return forbidden_here
