"""Unpacking in assignments, loops, calls and displays."""

# ruff: noqa: E741, F841  programs as they may be written

from __future__ import annotations

from corpus.control.cases import Cases

CASES = Cases()


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


class Sequence:
    """An object with items and nothing else."""

    def __init__(self, *items):
        self.items = items

    def __getitem__(self, index):
        return self.items[index]


class Iterated:
    """An object that says what is asked of it."""

    def __init__(self, log, items):
        self.log, self.items = log, items

    def __iter__(self):
        self.log.append("iter")
        for item in self.items:
            self.log.append(item)
            yield item
        self.log.append("end")


class Keyed:
    """A mapping that is none of Python's."""

    def __init__(self, *keys):
        self.given = keys

    def keys(self):
        return self.given

    def __getitem__(self, key):
        return f"<{key}>"


# --- assignments ----------------------------------------------------------------------------------


@CASES.case(((1, 2, 3),), ([1, 2, 3],), ("abc",), ({1, 2, 3},), ({"a": 1, "b": 2, "c": 3},))
def unpacking_of_containers_of_python(items):
    """Each kind of container in three variables."""
    a, b, c = items
    (d, e, f) = items
    [g, *h] = items
    return (a, b, c) == (d, e, f), sorted([a, b, c]), len(h), g == a, type(h).__name__


@CASES.case(((1, 2),), ((1, 2, 3, 4),), ([],), ("a",), (range(3),), (5,), (None,), (int,))
def unpacking_of_the_wrong_number(items):
    """What is said for too few, for too many, and for what is no iterable."""
    a = b = c = "unset"
    try:
        a, b, c = items
    except (ValueError, TypeError) as error:
        return a, b, c, said(error)
    return a, b, c


@CASES.case(((1, 2),), ((1, 2, 3),), ((1,),), ((),))
def unpacking_by_items_from_zero_on(items):
    """Objects without `__iter__` are unpacked by their items until an IndexError."""
    one = Sequence(*items)
    try:
        a, b = one
    except ValueError as error:
        first, *rest = one, *one
        return said(error), rest
    return a, b, [*one]


@CASES.case(([], (1, 2)), ([], (1, 2, 3, 4)), ([], (1,)))
def unpacking_asks_for_one_item_too_many(log, items):
    """The iterator is asked once more than there are targets."""
    try:
        a, b = Iterated(log, items)
    except ValueError as error:
        log.append(said(error))
    return log


@CASES.case(([], (1, 2, 3)), ([], (1,)), ([], ()))
def unpacking_with_a_star_takes_all(log, items):
    """A star takes the iterator to its end."""
    try:
        a, *b = Iterated(log, items)
        log.append((a, b))
        *c, d, e = Iterated(log, items)
        log.append((c, d, e))
    except ValueError as error:
        log.append(said(error))
    return log


@CASES.case((1, 2, 3), ("x", None, []))
def unpacking_that_exchanges_variables(a, b, c):
    """All values are read before the first target is assigned."""
    a, b = b, a
    first = a, b, c
    a, b, c = c, a, b
    second = a, b, c
    a, b, c, d = d, *_ = c, b, a, 0
    third = a, b, c, d
    (a, b), c = (c, a), b
    return first, second, third, (a, b, c)


@CASES.case(([1, 2, 3],), (["a", "b", "c"],))
def unpacking_into_the_list_that_is_unpacked(items):
    """Targets may be items of what is unpacked."""
    k = 0
    items[0], items[1] = items[1], items[0]
    k, items[k] = 1, "k"
    items[k], k = k, 2
    [items[2], *items[:2]] = [*items]
    return items, k


@CASES.case(
    (1, 2),
)
def unpacking_in_chains_of_assignments(x, y):
    """One value for several targets, from left to right."""
    a = b, c = d = [x, y]
    (e, f), g = h = (a, b)
    *i, j = k, *l = x, y, x + y
    return a is d, b, c, e, f, g, h, i, j, k, l


@CASES.case((((1, 2), [3, (4, 5)], "xy"),), (([1], [2, (3,)], "ab"),), (((1, 2), 3, "xy"),))
def unpacking_with_targets_in_targets(value):
    """Parentheses and brackets in any depth, with stars on each level."""
    a = c = e = "unset"
    try:
        (a, *b), [c, (d, *e)], (f, g) = value
        (h, i, *j), *k = value[0] + (0,), *value[1:]
    except (ValueError, TypeError) as error:
        return a, c, e, said(error)
    return a, b, c, d, e, f, g, h, i, j, k


@CASES.case((0,), (1,), (2,))
def unpacking_that_fails_in_the_middle(n):
    """Targets on the left keep what they got."""
    log, items = [], [0, 0]
    a = "unset"
    try:
        a, items[n], log[0:1], items[5] = 1, 2, "xy", 3
    except IndexError as error:
        return a, items, log, said(error)


# --- loops and calls ------------------------------------------------------------------------------


@CASES.case(([(1, (2, 3)), (4, (5, 6, 7))],), ([],), ([(1, (2,)), (3, ())],), ([1],))
def unpacking_in_loops(rows):
    """The target of a loop is unpacked in each turn."""
    found = []
    try:
        for a, (b, *c) in rows:
            found.append((a, b, c))
        for k, [a, (*c,)] in enumerate(rows):
            found.append((k, a, c))
        else:
            found.append("else")
    except (ValueError, TypeError) as error:
        found.append(said(error))
    return found


@CASES.case(([1, 2], (3,), "ab"), ([], (), ""), ([0], (None,), "z"))
def unpacking_in_displays(a, b, c):
    """Stars in lists, tuples, sets and returned values."""
    listed = [*a, 0, *b, *c]
    tupled = *a, *b
    hashed = {*a, *a, *c}
    single = (*c,)
    return listed, tupled, hashed, single, *a, [*[*[*b]]], [*range(3), *{"k": 1}, *(x for x in a)]


@CASES.case(({"a": 1}, {"a": 2, "b": 3}), ({}, {}), ({1: 2}, {"x": 0}))
def unpacking_of_dictionaries_in_displays(first, second):
    """Later keys win, and the place of the first is kept."""
    both = {**first, "c": 0, **second, "a": "last"}
    return both, list(both), {**{}, **first} == first, {"c": 1, **{"c": 2}}, [*first, *second]


@CASES.case((("x", "y"),), (("x", "x"),), ((1,),), ((),))
def unpacking_of_mappings_that_are_none_of_python(keys):
    """Two stars ask for `keys` and items."""
    one = Keyed(*keys)
    found = [{**one}, {**one, "x": 0}]
    try:
        found.append(dict(**one))
    except TypeError as error:
        found.append(said(error))
    return found, (lambda **named: named)(**one, z=1)


@CASES.case((5,), (None,), ([1],), ("ab",))
def unpacking_of_what_is_none_in_displays(value):
    """One star takes iterables, two take mappings."""
    found = []
    try:
        found.append([0, *value])
        found.append((*value, 0))
    except TypeError as error:
        found.append(type(error).__name__)
    try:
        found.append({*value})
        found.append({"k": 0, **value})
    except TypeError as error:
        found.append(said(error))
    return found


@CASES.case(("a=1;b=2",), ("a=1;b",), ("",), ("a=b=c",))
def unpacking_of_what_a_text_is_split_into(text):
    """A small parser by unpacking."""
    named, odd = {}, []
    for part in text.split(";"):
        try:
            key, value = part.split("=")
        except ValueError as error:
            odd.append((part, *error.args))
            continue
        named[key] = int(value) if value.isdigit() else value
    head, *tail = text.partition(";")
    return named, odd, head, tail


@CASES.case(([5, 3, 8, 1],), ([1],), ([],))
def unpacking_in_recursion(items):
    """A sorting that takes the first item off."""

    def ordered(items):
        if not items:
            return []
        first, *rest = items
        below = [x for x in rest if x < first]
        above = [x for x in rest if x >= first]
        return [*ordered(below), first, *ordered(above)]

    def depth(items):
        match items:
            case [_, *rest]:
                return 1 + depth(rest)
        return 0

    return ordered(items), depth(items)


@CASES.case(([[1, 2], [3, 4]],), ([[5]],))
def unpacking_with_what_is_assigned_by_walrus(rows):
    """Targets, and a walrus inside of what is unpacked."""
    (a, *b), *c = (first := rows[0]), *(rest := rows[1:]), n if (n := len(rows)) > 1 else "one"
    return a, b, c, first, rest, n
