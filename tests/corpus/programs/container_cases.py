"""Frozensets, tuples of run-time length, deques: every operation, as arguments, results, items and
keys; `hash`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from corpus.programs.cases import case

FROZEN = frozenset((1, 2))
TEXTS = frozenset(("b", "a"))
NOTHING = frozenset()

SETS: dict[str, Callable[[], list[Any]]] = {
    "ints": lambda: [3, -1, 2, 2**40],
    "texts": lambda: ["b", "", "ab", "ü€"],
    "pairs": lambda: [(1, 2.5), (2, 1.5), (0, 0.0)],
    "frozensets": lambda: [frozenset((1, 2)), frozenset(), frozenset((3,))],
}
LEFT = (frozenset, set)


def two_sets() -> list[Callable[[], tuple[Any, ...]]]:
    """A frozenset and a set or another one, in both orders, with some items in common."""
    made = []
    for name in SETS:
        for left, right in ((frozenset, set), (set, frozenset), (frozenset, frozenset)):
            made.append(
                lambda name=name, left=left, right=right: (
                    left(SETS[name]()),
                    right(SETS[name]()[1:]),
                )
            )
    return made


def one_set() -> list[Callable[[], tuple[Any, ...]]]:
    """A frozenset of each kind."""
    return [lambda name=name: (frozenset(SETS[name]()),) for name in SETS]


@case(*two_sets())
def frozen_operators(a, b):
    return a | b, a & b, a - b, a ^ b, a == b, a != b, a <= b, a < b, a >= b, a > b


@case(*two_sets())
def frozen_methods(a, b):
    united, common, left = a.union(b), a.intersection(b), a.difference(b)
    either = a.symmetric_difference(b)
    return united, common, left, either, a.issubset(b), a.issuperset(b), a.isdisjoint(b)


@case(*two_sets())
def frozen_in_place(a, b):
    before = a
    a |= b
    a -= b
    a ^= b
    a &= b
    return a, before, before is a


@case(*one_set(), lambda: (frozenset(),))
def frozen_itself(s):
    return s, s.copy() is s, frozenset(s) is s, len(s), bool(s), set(s), frozenset(set(s)) == s


@case((), lambda: ([1, 2, 2],), lambda: (["a", "b"],), lambda: (range(3),), lambda: ({1: 2},))
def made_frozen(items=()):
    return frozenset(items), frozenset(x for x in items)


@case((0,), (5,))
def grown_frozenset(n):
    s = frozenset()
    for k in range(n):
        s |= {k % 3}
    return s


@case((7,))
def frozen_keys(n):
    d = {}
    for k in range(n):
        key = frozenset((k % 3, k % 2))
        d[key] = d.get(key, 0) + 1
    nested = {(frozenset(key), len(key)) for key in d}
    return d, nested, frozenset(d), [key for key in d if 2 in key]


@case(
    lambda: ({FROZEN: 1}, frozenset((2, 1))),
    lambda: ({FROZEN: 1}, frozenset((2, 5))),
    lambda: ({frozenset(("ab", "€")): 1}, frozenset(("€", "ab"))),
    lambda: ({frozenset(("ab",)): 1}, frozenset(("xy",))),
    lambda: ({(frozenset(((1, 2.5),)), "a"): 1}, (frozenset(((1, 2.5), (3, 4.0))), "a")),
)
def frozen_key_looked_up(d, key):
    return d[key]


@case(lambda: ({FROZEN, frozenset((5,))}, {2, 1}), lambda: ({FROZEN}, {3}))
def set_looked_up_as_frozen(s, one):
    was = one in s, one not in s
    s.discard(one)
    s.remove(frozenset((5,)))
    return was, s


@case(lambda: ({5},))
def constant_frozensets(s):
    return s | FROZEN, FROZEN | s, len(FROZEN), 1 in FROZEN, sorted(FROZEN), FROZEN, NOTHING | s


@case(("a",), ("c",))
def constant_texts(word):
    return (
        word in TEXTS,
        word in {"x", "c"},
        {word} | TEXTS,
        sum(1 for x in {"a", "b"} if x == word),
    )


@case(lambda: (FROZEN, FROZEN), lambda: (FROZEN, frozenset((1, 2))), lambda: (FROZEN, {1, 2}))
def frozen_identity(a, b):
    return a is b, a is not b, a == b, a, b


@case((3,))
def many_frozensets(n):
    made = [frozenset((k, 2 * k)) for k in range(n)]
    made.append(made[0])
    return made, set(made), frozenset(made), made[0] is made[-1], min(len(x) for x in made)


@case(
    (0,), (-1,), (2**61 - 1,), (-(2**61),), (-(2**63),), (1.0,), (-0.0,), (0.1,),
    (5e-324,), (1e300,),
    (float("inf"),), (True,), (1 + 2j,), ((),), ((1, 2.5),), ((1, (2, -1)),), (frozenset(),),
    (frozenset(range(20)),), (frozenset(((1, 2), (3, 4))),), (frozenset((NOTHING, FROZEN)),),
)  # fmt: skip
def hashed(x):
    return hash(x), hash((x, 1)), hash((x,)) == hash((x,))


@case(("",), ("ab€",))
def hashed_text(s):
    return hash(s) == hash(s + ""), hash((s, 1)) == hash((s, 1)), hash(s + "x") == hash(s)


# --- tuples of run-time length ------------------------------------------------------------------


@case(
    lambda: ([1, 2],), lambda: (["a", "b€"],), lambda: ([],), (range(3),), ((1, 2),),
    lambda: ({1: 2},), lambda: ([(1, 2.5)],), lambda: ([[1], []],),
)  # fmt: skip
def made_tuple(items):
    t = tuple(items)
    return t, tuple(x for x in items), len(t), not t, tuple(reversed(t))


@case((0,), (4,))
def grown_tuple(n):
    t, u = (), (7, 8)
    for k in range(n):
        t = t + (k,)
        u += (k,)
    return t, u, u[0], u[-1], u[1:], u[::-1], sum(u), max(u), min(u), sorted(u), list(u), t + u


@case(((1, 2), 3), ((), 2), ((1.5,), -1))
def repeated_tuple(t, n):
    u = t * n
    u *= 2
    return u, n * t, u == t * (2 * n), t == u


@case(
    lambda: ([1, 2], [1, 3]),
    lambda: ([1], [1, 2]),
    lambda: ([1, 2], [1, 2]),
    lambda: ([1.5], [2.5, 1.0]),
    lambda: (["a"], ["b", ""]),
    lambda: ([(1, 2)], [(1, 0)]),
)
def compared_tuples(a, b):
    s, t = tuple(a), tuple(b)
    order = s < t, s <= t, s > t, s >= t, s == t, s != t
    return (
        order,
        s + t,
        s is tuple(s),
        s == a,
        hash(s) == hash(tuple(a)),
        s.count(s[0]),
        t.index(t[-1]),
        t[0] in s,
    )


@case(lambda: ([1, 2],), lambda: ([1],), lambda: ([1, 2, 3],))
def beside_fixed_tuples(items):
    t = tuple(items)
    return t == (1, 2), (1, 2) != t, t < (1, 3), (1, 2) <= t, t + (5,), (7,) + t


@case(lambda: ([1], 1), lambda: ([1], -2), lambda: ([3, 4], -2))
def tuple_item(items, k):
    return tuple(items)[k]


@case(lambda: ([1, 2],), lambda: ([1],), lambda: ([1, 2, 3],), lambda: ([],))
def unpacked_tuple(items):
    first, *rest = tuple(items)
    a, b = tuple(items)
    return a, b, first, rest


@case(lambda: ([1, 2, 3],), lambda: ([1],), lambda: ({1: 2, 3: 4},), (range(5),))
def unpacked_with_star(items):
    first, *rest, last = items
    rest.append(last)
    return first, rest, last


@case(lambda: ([5],))
def not_in_tuple(items):
    return tuple(items).index(6)


@case((1,), (0,))
def tuples_of_two_lengths(c):
    t = (1, 2) if c else (3,)
    u = ("a", (1.5, 2.5)) if c else ("b", ())
    total = 0
    for x in t:
        total += x
    return t, u, total, (1, 2, 3)[c:]


@case((2,), (1,), (0,))
def tuple_or_none(n):
    t = (1, 2) if n else None
    return (1,) if n > 1 else t


@case((10,))
def tuple_keys(n):
    d = {}
    for k in range(n):
        key = tuple(range(k % 4))
        d[key] = d.get(key, 0) + 1
    return d, {(key, len(key)) for key in d}, (0, 1) in d, (0, 7) in d


@case(
    lambda: ([[1, 2], [1], [1, 2]],),
    lambda: ([["a"], ["b", "a€"], ["a"]],),
    lambda: ([[1.5], [0.0], [-0.0]],),
    lambda: ([[(1, "a")], []],),
    lambda: ([[True], [False, True]],),
    lambda: ([[frozenset((1,))], [frozenset((2,))]],),
)
def sets_of_tuples(rows):
    s = {tuple(row) for row in rows}
    return len(s), [tuple(row) in s for row in rows], tuple([tuple(row) for row in rows])


@case(lambda: ({(1, 2): 3, (1, 2, 3): 4}, 1), lambda: ({(): 3, ("a",): 4}, "a"))
def keys_of_several_lengths(d, x):
    d[(x, x)] = 1
    return d[(x, x)], d.get((x,), 5), (x,) in d, d.pop((x, x)), d


@case(lambda: ([(1, 2), (1, 2, 3)], 4), lambda: ([(), (1.5,)], 2.5))
def items_of_several_lengths(items, x):
    items.append((x, x))
    items[0] = (x,)
    items.insert(0, ())
    return items, items.index((x, x)), (x,) in items, [(), (1,), (1, 2)]


@case(lambda: (["text " * 9], 1), lambda: (["text " * 9, "b"], 0))
def tuple_in_an_exception(words, c):
    t = (words[0], words[0]) if c else (words[0],)
    raise KeyError(t, tuple(words))


@case((1,), (0,))
def arrays_in_tuples(c):
    a = np.arange(3)
    t = (a, a) if c else (a,)
    for x in t:
        x[0] += 1
    return t, a


# --- deques -------------------------------------------------------------------------------------

DEQUES: dict[str, tuple[Callable[[], Any], Any]] = {
    "ints": (lambda: deque([1, 2, 3]), 7),
    "texts": (lambda: deque(["a", "long text " * 4], 4), "b€"),
    "floats": (lambda: deque([1.5], 0), 2.5),
    "pairs": (lambda: deque([(1, "a"), (2, "b")], 2), (3, "c")),
    "lists": (lambda: deque([[1], []]), [5]),
}


def with_item() -> list[Callable[[], tuple[Any, ...]]]:
    """A deque of each kind, and an item."""
    return [lambda name=name: (DEQUES[name][0](), DEQUES[name][1]) for name in DEQUES]


@case((5,), (1,))
def filled_deque(n):
    q = deque()
    for k in range(n):
        q.append(k)
    return q, q.popleft(), q.maxlen, len(q), bool(q), deque(), deque([])


@case((5,), (1,))
def bounded_deque(n):
    q = deque(maxlen=3)
    for k in range(n):
        q.append(k)
    q.appendleft(9)
    made = q, q.maxlen, q.copy(), q + q, q * 2, 2 * q, q * 0
    return made, 2 in q, list(q), tuple(q), sum(q), max(q), sorted(q), q[0], q[-1]


@case((2,), (0,), (None,), (-1,))
def deques_with_maxlen(n):
    return deque(maxlen=n), deque([1, 2, 3], n), deque(range(4), maxlen=n)


@case(*with_item())
def deque_methods(q, x):
    q.append(x)
    q.appendleft(x)
    q.rotate()
    q.rotate(-3)
    q.extend([x, x])
    q.extendleft((x, x))
    q.reverse()
    n = q.count(x)
    if q:
        q[-1] = x
        del q[0]
    q += [x]
    return n, len(q), q, q.copy() == q, q is q.copy()


@case(lambda: (deque([1, 2, 3]), 2), lambda: (deque(["a", "b"], 5), "b"), lambda: (deque([1]), 9))
def deque_search(q, x):
    before = x in q, q.count(x), [y for y in q if y == x], list(reversed(q))
    q.insert(1, x)
    k = q.index(x, 1)
    q.remove(x)
    q.remove(x)
    return before, k, q


@case(lambda: (deque([1]),), lambda: (deque([], 3),))
def deque_popped(q):
    q.pop()
    q.append(2)
    q.popleft()
    q.popleft()


@case(lambda: (deque([1, 2]), -1), lambda: (deque([1, 2]), 2), lambda: (deque([1, 2], 2), 0))
def deque_at(q, k):
    q[k] = q[k] + 1
    del q[k]
    q.insert(k, 5)
    q.insert(-9, 6)
    return q


@case(lambda: (deque([1, 2]),), lambda: (deque([], 4),))
def deque_changes_in_a_loop(q):
    for x in q:
        q.append(x)
    return len(q)


@case(lambda: (deque([1, 2, 3]),))
def deque_pops_in_a_loop(q):
    for n, _ in enumerate(reversed(q)):
        if n == 1:
            q.pop()


@case(
    lambda: (deque([1]), deque([1, 2])),
    lambda: (deque([2]), deque([1, 2], 2)),
    lambda: (deque([1, 2]), deque([1, 2], 5)),
)
def compared_deques(a, b):
    return a == b, a != b, a < b, a <= b, a > b, a >= b, a + b, b + a, a == [1, 2]


@case(lambda: ([deque([1], 3)] * 2,), lambda: ([deque([1]), deque([1])],))
def shared_deques(rows):
    a, b = rows[0], rows[1]
    a.append(1)
    return a is b, a, len(b), rows, {1: a}, (b, b)


@case(lambda: (0, {0: [1, 2], 1: [3], 3: [0]}))
def breadth_first(start, edges):
    seen, q, order = {start}, deque([start]), []
    while q:
        v = q.popleft()
        order.append(v)
        for w in edges.get(v, []):
            if w not in seen:
                seen.add(w)
                q.append(w)
    return order


@case((300,))
def long_queue(n):
    q = deque()
    for k in range(n):
        q.append((k, k + 1))
        if k % 3:
            q.popleft()
        if k % 7 == 0:
            q.appendleft((-k, 0))
    return [k for k, _ in q]


# --- texts of values that change later ----------------------------------------------------------


@case(lambda: ([1, 2],), lambda: (["a'b"],), lambda: ([[1], []],), lambda: (deque([1.5], 2),))
def text_before_a_change(items):
    s, t, u = f"{items}", str(items), f"{(items, 1)} {len(items)} {items!r:>12}|"
    items.append(items[0])
    items[0] = items[-1]
    print(s, t, u, items)


@case(lambda: ({1: [2]}, {3}), lambda: ({"a": [2.5], "b": []}, {"x"}))
def texts_of_tables(d, s):
    text, other = f"{d} {s}", repr({1: d})
    for key in d:
        d[key].clear()
    s.clear()
    raise KeyError(text, other, f"{d} {s}")


@case((3,))
def text_of_arrays(n):
    a = np.arange(n)
    rows = [a, a[::-1]]
    s, t, u = f"{a}", str(a), f"{rows} {a[::2]} {(a,)}"
    a[0] = 9
    print(s, t, u, a)


@case((3,))
def texts_in_a_loop(n):
    for k in range(n):
        xs = [k]
        s = f"{xs}"
        xs.append(k)
        print(s, f"{xs}")


# --- views of dicts -----------------------------------------------------------------------------


@case(lambda: ({1: 2, 3: 4}, {3: 5, 6: 7}), lambda: ({"a": 1}, {"b": 2}))
def algebra_of_views(a, b):
    one, other = a.keys(), b.keys()
    return one | other, one & other, one - other, one ^ other, one == other, one <= other


@case(lambda: ({1: 2, 3: 4}, {3, 1}), lambda: ({1: 2, 3: 4}, frozenset((1,))))
def views_beside_sets(d, s):
    keys, items = d.keys(), d.items()
    asked = keys == s, keys != s, keys <= s, s >= keys, items == items
    return asked, keys & s, s | keys, keys - s, items & {(1, 2)}, keys | [9], keys & (3, 9)
