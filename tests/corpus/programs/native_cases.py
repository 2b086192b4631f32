"""Native containers: `cutaway.typed`, as arguments, results, and made by the programs."""

from __future__ import annotations

from corpus.programs.cases import case
from cutaway import typed, types

KNOWN = typed.List([2, 3, 5])
ROWS = types.ListType(types.int64)


def ints():
    return typed.List([3, 1, 2])


def texts():
    return typed.List(["b", "a", ""])


def nested():
    return typed.List([[1, 2], [], [3]])


def table():
    return typed.Dict({"a": 1, "b": 2})


def names():
    return typed.Set(["a", "b"])


@case(lambda: (ints(), 7), lambda: (typed.List([0]), 0))
def native_list_changes(a, x):
    a.append(x)
    a[0] += 10
    a.insert(1, x)
    a.extend(a[1:])
    del a[-1]
    a.sort(reverse=True)
    return a, a[0], len(a), x in a, a.count(x)


@case(
    lambda: (ints(), 5),
    lambda: (ints(), -4),
    lambda: (ints(), 2),
    lambda: (typed.List.empty_list(types.int64), 0),
)
def native_list_item_that_may_be_missing(a, k):
    a.append(k)
    return a[k]


@case(lambda: (ints(),), lambda: (texts(),))
def native_list_parts(a):
    a[1:1] = a[:2]
    return a[::-1], a + a[1:], a * 2, list(a), sorted(a), [x for x in a], a == a.copy(), min(a)


@case(lambda: (nested(), [4, 5]), lambda: (nested(), []))
def native_list_of_lists(rows, row):
    rows.append(row)
    rows[0].append(9)
    rows[1] = rows[0]
    return rows, rows[1] is rows[0], sum([len(x) for x in rows]), rows[-1]


@case(lambda: (table(), "c"), lambda: (table(), "a"))
def native_dict_changes(d, k):
    d[k] = d.get(k, 0) + 1
    total = 0
    for key, value in d.items():
        total += value * len(key)
    return d, total, k in d, d.pop(k), list(d.keys()), dict(d)


@case(lambda: (table(), "a"), lambda: (table(), "x"))
def native_dict_key_that_may_be_missing(d, k):
    d["y"] = 1
    return d[k]


@case(lambda: (names(), "c"), lambda: (names(), "a"))
def native_set_changes(s, x):
    s.add(x)
    s.discard("b")
    return len(s), x in s, "b" in s, sorted(s)


@case((4,), (0,))
def native_containers_made(n):
    rows = typed.List.empty_list(ROWS)
    counts = typed.Dict.empty(types.int64, types.int64)
    names = typed.Set()
    for k in range(n):
        row = typed.List()
        row.append(k)
        rows.append(row)
        counts[k % 2] = counts.get(k % 2, 0) + 1
        names.add("ab"[k % 2])
    return rows, counts, len(names)


@case((2,), (9,))
def native_global(k):
    total = 0
    for x in KNOWN:
        total += x * k
    return total, KNOWN[0], k in KNOWN, len(KNOWN)


@case(lambda: ((ints(), 1), [texts(), texts()], {"x": table()}))
def native_members(pair, several, tables):
    pair[0].append(pair[1])
    several[0].append("z")
    tables["x"]["z"] = 26
    return pair, several[1] is several[0], tables["x"], several


@case(lambda: (ints(), True), lambda: (ints(), False))
def native_or_built_in(a, c):
    b = a if c else typed.List([1])
    b.append(5)
    return b, isinstance(b, list), isinstance(b, typed.List)
