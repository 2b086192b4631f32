"""Comparisons, truth, and what is contained in what."""

# ruff: noqa: E711, E712, E713  programs as they may be written

from __future__ import annotations

from functools import total_ordering

from corpus.control.cases import Cases

CASES = Cases()


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


class Truth:
    """An object whose truth is noted."""

    def __init__(self, name, answer, log):
        self.name, self.answer, self.log = name, answer, log

    def __bool__(self):
        self.log.append(self.name)
        return self.answer


class Compared:
    """An object whose comparisons give what they are told to."""

    def __init__(self, answer, log):
        self.answer, self.log = answer, log

    def __lt__(self, other):
        self.log.append(("lt", type(other).__name__))
        return self.answer

    def __eq__(self, other):
        self.log.append(("eq", type(other).__name__))
        return self.answer


@total_ordering
class Version:
    """A class with an order that is made of two methods."""

    def __init__(self, *parts):
        self.parts = parts

    def __eq__(self, other):
        return self.parts == other.parts if isinstance(other, Version) else NotImplemented

    def __lt__(self, other):
        return self.parts < other.parts if isinstance(other, Version) else NotImplemented


# --- chains ---------------------------------------------------------------------------------------


@CASES.case((1, 2, 3), (3, 2, 1), (1, 1, 1), (1.5, True, 2), ("a", "b", "c"), (1, "b", 3))
def comparing_in_chains(a, b, c):
    """A chain is true where each pair is; later operands may not be reached."""
    first = a < b < c, a <= b <= c, a == b == c, a != b != c
    return first, a < b > c, a < c == (b < c), not a < b < c, (a < b) < c if a == 1 else None


@CASES.case(([],))
def comparing_in_chains_computes_each_operand_once(log):
    """The middle is computed once, the end only where it is needed."""

    def note(value):
        log.append(value)
        return value

    found = [note(1) < note(2) < note(3) < note(4), note(5) < note(4) < note(9)]
    found.append(note(1) < note(2) in [note(2)] != note("x") is not None)
    return found, log


@CASES.case(([], [1]), ([], []), ([], 0), ([], "yes"))
def comparing_in_chains_gives_operands_not_booleans(log, answer):
    """What a comparison gives is the chain's value where it is false, or the last."""
    x = Compared(answer, log)
    return x < 5, x < 5 < 9, 3 > x, (x == 1) == x, x < x == x, log


@CASES.case((3,), (-1,), (10,), (2.5,))
def comparing_in_conditions(x):
    """Chains in `if`, `while` and conditional expressions, with `not`, `and` and `or`."""
    found = []
    if 0 <= x < 5:
        found.append("low")
    if not 0 <= x <= 3 or x == 3 != 4:
        found.append("odd")
    while 0 < x <= 8 and x != 5:
        x += 1
    found.append("in" if 4 < x < 6 else "out")
    if (x > 2) is True and (x > 2) == 1:
        found.append("is")
    return found, x


# --- identity and equality ------------------------------------------------------------------------


@CASES.case((None,), (0,), ([],), (True,), (1,), ("",), (NotImplemented,), (...,), (1.0,))
def comparing_with_constants_by_identity(x):
    """`is` looks at the object, `==` at its value."""
    found = x is None, x is not None, x is True, x is not False, x is ..., x is NotImplemented
    return found, x == None, x != None, x == True, x == 1, x == "", x == []


@CASES.case(([1, 2],), ((1,),), ({},), (object(),), ("text",))
def comparing_copies_and_other_names(x):
    """Another name is the same object; a copy is equal at best."""
    y, z = x, list(x) if isinstance(x, (list, tuple)) else x
    return x is y, x is z, x == z, type(x) is type(z), [x] == [y], (x, [x]) == (z, [z])


@CASES.case(
    *(([1, 2], [1, 2, 0]), ((1, 2), (1, 3)), ([], [0]), ([1], (1,)), ("b", "abc"), (b"a", "a")),
    *(({1, 2}, {2}), ({1}, {2}), ({1: 2}, {1: 2.0}), ([[1], 2], [[1], "x"]), (range(3), range(4))),
)
def comparing_containers(a, b):
    """Sequences by their first difference, sets by what they contain, dictionaries not at all."""
    found = [a == b, a != b]
    try:
        found += [a < b, a <= b, a > b, a >= b]
    except TypeError as error:
        found.append(said(error))
    return found


@CASES.case((1, "a"), ([], None), ((), {}), (1j, 2j), (object, int), (len, max), ("1", b"1"))
def comparing_what_has_no_order(a, b):
    """Equality never fails, order does."""
    found = [a == b, a != b]
    try:
        found.append(a < b)
    except TypeError as error:
        found.append(said(error))
    return found, a >= b


@CASES.case(((1, 2), (1, 2, 3), (0,)), ((1, 0), (1, 0), (1, 0, 0)), ((2,), (1, 9), (2, 0)))
def comparing_by_a_total_order(a, b, c):
    """A class whose other comparisons follow from `<` and `==`."""
    x, y, z = Version(*a), Version(*b), Version(*c)
    ordered = [version.parts for version in sorted([x, y, z])]
    found = x < y, x <= y, x > y, x >= y, x == y, x != y, min(x, y, z).parts, x < y < z
    try:
        return ordered, found, x < 5
    except TypeError as error:
        return ordered, found, said(error)


# --- truth ----------------------------------------------------------------------------------------


@CASES.case(*((x,) for x in (0, 1, "", "a", [], [0], (), {}, {1: 2}, None, 0.0, 0j, b"", range(0))))
def comparing_truth_of_python_objects(x):
    """Empty and nothing are false."""
    found = [bool(x), not x, not not x, x and "and", x or "or"]
    if x:
        found.append("if")
    elif not x:
        found.append("elif")
    while x:
        found.append("while")
        break
    else:
        found.append("else")
    return found, 1 if x else 2, [1 for _ in "a" if x]


@CASES.case(([], True, True), ([], True, False), ([], False, True), ([], False, False))
def comparing_truth_is_asked_as_often_as_needed(log, first, second):
    """`and`, `or` and `not` ask each operand once, and give operands."""
    a, b = Truth("a", first, log), Truth("b", second, log)
    found = [(a and b).name, (a or b).name, not a, not (a and b), bool(a or b)]
    log.append("conditions")
    if a and b or not a and not b:
        found.append("alike")
    if not (a or b) and (a if b else b):
        found.append("never")
    found.append((a or b or a) is a)
    return found, log


@CASES.case(([], [1], 5), ([], "", 0), ([], 0, []), ([], "yes", "x"))
def comparing_truth_that_is_turned_twice(log, answer, y):
    """`not not` gives a boolean, of objects and of what comparisons give."""
    x = Compared(answer, log)
    found = [not not y, not not x == 1, not not x < 2, not not not y, not not not not y]
    found += [not not y and not not x, not not (y or x == 3), [not not z for z in (y, x, "")]]
    kept = not not y or not not found
    turns = 0
    while not not y and turns < 2:
        turns += 1
    text = f"{not not y} {not not (y in [y])}"
    return found, kept, turns, text, not not (answer if not not y else x == 0)


@CASES.case(([], 1), ([], None), ([], "no"), ([], False))
def comparing_truth_that_is_no_boolean(log, answer):
    """`__bool__` must give a boolean."""
    x = Truth("x", answer, log)
    try:
        if x:
            return "true", log
    except TypeError as error:
        log.append(said(error))
    return not x


@CASES.case((0,), (3,), (-1,), ("x",), (True,))
def comparing_truth_by_length(n):
    """Without `__bool__` the length decides, which must be an integer from zero on."""

    class Sized:
        def __len__(self):
            return n

    x = Sized()
    try:
        return ("full" if x else "empty"), len(x)
    except (TypeError, ValueError) as error:
        return said(error), bool([x])


@CASES.case((1, 0, "end"), (0, "", None), ([], {}, ()), (1, 2, 3))
def comparing_with_short_circuits(a, b, c):
    """`and` binds more than `or`; both give the operand that decided."""
    return a or b and c, (a or b) and c, a and b or c, not a or not b, a and (b or c), not (a and c)


# --- contained ------------------------------------------------------------------------------------


@CASES.case(
    *((1, [1, 2]), (3, (1, 2)), ("b", "abc"), ("", "abc"), (1, "abc"), (97, b"abc"), (2, {2: 1})),
    *(([], {1}), (5, range(0, 10, 5)), (5.0, range(9)), ("k", 5), (None, [None]), ({1}, [{1}])),
)
def comparing_whether_it_contains(item, container):
    """`in` asks the container, which may refuse."""
    return item in container, item not in container, not item in [container]


@CASES.case(([],))
def comparing_whether_it_contains_by_method_iterator_or_items(log):
    """`__contains__` first, then `__iter__`, then `__getitem__` with integers from zero on."""

    class Says:
        def __contains__(self, item):
            log.append(("contains", item))
            return item

    class Goes:
        def __iter__(self):
            log.append("iter")
            return iter("abc")

    class Has:
        def __getitem__(self, index):
            log.append(index)
            if index > 2:
                raise IndexError
            return index * 10

    class Refuses(Goes):
        __contains__ = None

    found = ["x" in Says(), "" in Says(), [] not in Says(), "b" in Goes(), 20 in Has(), 5 in Has()]
    try:
        found.append("a" in Refuses())
    except TypeError as error:
        found.append(said(error))
    return found, log


@CASES.case((2,), (7,), ("x",))
def comparing_whether_an_iterator_contains(item):
    """A search takes items from an iterator up to the one it looks for."""
    items = iter(range(5))
    found = item in items
    rest = list(items)
    pairs = enumerate("abc")
    return found, rest, (1, "b") in pairs, next(pairs, "none"), item in (k for k in [item, item])


@CASES.case(([3, 1, 2], 1), ([[2], [1]], 1), (["b", "B", "a"], 2), ([], 5))
def comparing_by_keys_in_sorting(items, n):
    """Sorting is stable, forward and backward, and takes keys."""
    by_text = sorted(items, key=str, reverse=True)
    by_nothing = sorted(items, key=lambda item: 0)
    backward = sorted(items, key=lambda item: 0, reverse=True)
    items.sort()
    return by_text, by_nothing == backward, items, items.sort(key=repr), max(items, default=n)


@CASES.case(([1, "a", 2],), ([1, None],), ([1j, 2j],), ([1, 2.0, True],), ([3, 2, 1, "end"],))
def comparing_in_a_sorting_that_fails(items):
    """A list that cannot be sorted keeps its items in some order."""
    before = len(items)
    try:
        items.sort()
    except TypeError as error:
        return said(error), len(items) == before, set(map(str, items))
    return items


@CASES.case(([],))
def comparing_in_a_sorting_that_changes_its_list(log):
    """The list looks empty while it is sorted, and a change of it is noticed."""
    items = [3, 1, 2]

    def key(item):
        log.append((item, len(items)))
        if item == 2:
            items.append("new")
        return item

    try:
        items.sort(key=key)
    except ValueError as error:
        return said(error), items, log
    return items, log
