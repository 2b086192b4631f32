"""Comprehensions and generator expressions: scopes, order, conditions, and what escapes."""

# ruff: noqa: E731, F821  programs as they may be written

from __future__ import annotations

from corpus.control.cases import Cases

CASES = Cases()

base = 100


def said(error):
    """The class of an exception and what it says."""
    return type(error).__name__, error.args


@CASES.case((3,), (0,))
def comprehensions_of_all_kinds(n):
    """A list, a set, a dictionary and a generator over the same items."""
    listed = [x * x for x in range(n)]
    hashed = {x % 2 for x in range(n)}
    named = {x: -x for x in range(n)}
    lazy = (x + 1 for x in range(n))
    return listed, hashed, named, list(lazy), tuple(x for x in listed), sum(x for x in listed), n


@CASES.case(([[1, 2], [], [3, [4]]],), ([],), (["ab", "c"],))
def comprehensions_that_flatten(rows):
    """Two loops in one comprehension go from left to right."""
    flat = [item for row in rows for item in row]
    places = [(i, k, item) for i, row in enumerate(rows) for k, item in enumerate(row)]
    return flat, places, [[item for item in row] for row in rows], [item for item in [*rows]]


@CASES.case(([[1, 2, 3], [4, 5, 6]],), ([[1]],), ([],))
def comprehensions_that_transpose(rows):
    """Rows become columns in three ways."""
    width = len(rows[0]) if rows else 0
    one = [[row[k] for row in rows] for k in range(width)]
    two = [list(column) for column in zip(*rows)]
    three = []
    for k in range(width):
        three.append([row[k] for row in rows])
    return one, one == two == three, {k: [row[k] for row in rows] for k in range(width)}


@CASES.case((10,), (1,))
def comprehensions_with_several_conditions(n):
    """All conditions must hold; a conditional expression is something else."""
    a = [x for x in range(n) if x % 2 if x % 3]
    b = [x if x % 2 else -x for x in range(n) if x != 4]
    c = [x for x in range(n) if (x > 2 and x < 5) or x == 7 if not x == 3]
    d = [(x, y) for x in range(n) if x > n - 3 for y in range(x) if y < 2 if x + y]
    return a, b, c, d, [x for x in range(n) if 0 < x < 5], [None for x in range(n) if x < 0]


@CASES.case(([],))
def comprehensions_compute_in_order(log):
    """The outer iterable once, the inner one in each turn, conditions before items."""

    def note(kind, value):
        log.append((kind, value))
        return value

    found = [
        note("item", x + y)
        for x in note("outer", [1, 2])
        if note("first", x)
        for y in note("inner", [10, 0])
        if note("second", y)
    ]
    return found, log


@CASES.case((2,), (5,))
def comprehensions_read_variables_around_them(n):
    """Variables of the function, of the module, and of an outer comprehension."""
    factor = n
    first = [x * factor + base for x in range(n)]
    factor = -1
    second = [[x * y * factor for y in range(x)] for x in range(n)]
    third = {factor: {factor: base for factor in "ab"} for factor in range(2)}
    return first, second, third, factor


@CASES.case((3,), (1,))
def comprehensions_with_functions_that_close_over_their_variable(n):
    """Functions made in one comprehension share its variable, which had its last value."""
    shared = [lambda: k for k in range(n)]
    own = [lambda k=k: k for k in range(n)]
    lazy = (lambda: k for k in range(n))
    later = list(lazy)
    in_turn = [f() for f in (lambda: k for k in range(n))]
    k = "outer"
    both = {k: lambda: (k, n) for k in range(n)}
    n = -1
    return [f() for f in shared], [f() for f in own], [f() for f in later], in_turn, both[0](), k


@CASES.case(([1, 2, 3, 4],), ([],))
def comprehensions_with_walrus_that_carry_on(items):
    """A running total, and the last item that passed."""
    total = 0
    running = [total := total + x for x in items]
    passed = [y for x in items if (y := x * 10) > 15]
    found = any((hit := x) > 2 for x in items)
    try:
        return running, total, passed, y, found, hit
    except UnboundLocalError as error:
        return running, passed, found, error.args


@CASES.case((0,), (1,), (2,))
def comprehensions_that_raise(kind):
    """An exception in an item, a condition, or what is iterated over."""
    found = []
    try:
        if kind == 0:
            found = [10 // x for x in (2, 1, 0)]
        elif kind == 1:
            found = {x: x for x in (1, 2) if undefined_here}
        else:
            found = {x for y in (1, 2) for x in y}
    except (ZeroDivisionError, NameError, TypeError) as error:
        return found, said(error)
    return found


@CASES.case(([3, 1, 2],), ([],))
def comprehensions_of_generators_are_lazy(items):
    """Only the first iterable is computed at once; items may still change."""
    log = []
    lazy = (log.append(x) or x * 2 for x in items)
    before = log[:]
    items.append(9)
    taken = next(lazy, "none")
    items.append(8)
    rest = list(lazy)
    return before, taken, rest, log, next(lazy, "end"), list(lazy)


@CASES.case((5,), ("x",))
def comprehensions_of_generators_that_fail_later(n):
    """An outer iterable that is none fails at once, an inner one when it is reached."""
    found = []
    try:
        lazy = (x for x in n)
        found.append("made")
        found.append(list(lazy))
    except TypeError as error:
        found.append(said(error))
    lazy = (y for x in [1] for y in n)
    found.append("made")
    try:
        found.append(list(lazy))
    except TypeError as error:
        found.append(said(error))
    return found


@CASES.case(([("a", 1), ("b", 2)],), ([("a", (1, 2)), ("a", 3)],), ([("a",)],), ([5],))
def comprehensions_with_targets_that_unpack(pairs):
    """Targets with parts, stars and parentheses."""
    try:
        named = {key: value for key, value in pairs}
        turned = {str(value): key for (key, value) in pairs}
        firsts = [first for first, *rest in pairs]
        return named, turned, firsts, [(*pair, n) for n, (pair) in enumerate(pairs)]
    except (ValueError, TypeError) as error:
        return said(error)


@CASES.case((4,), (0,), (1,))
def comprehensions_in_recursion(n):
    """A helper that calls itself in a comprehension."""

    def orders(items):
        if not items:
            return [[]]
        return [
            [item, *rest]
            for k, item in enumerate(items)
            for rest in orders(items[:k] + items[k + 1 :])
        ]

    def parts(n, most):
        return (
            [[]]
            if n == 0
            else [[k, *p] for k in range(min(n, most), 0, -1) for p in parts(n - k, k)]
        )

    return orders(list(range(n)))[-3:], len(orders("abcd"[:n])), parts(n, n)


@CASES.case((8,), (4,), (1,))
def comprehensions_that_place_queens(n):
    """A search written as nested comprehensions, level by level."""
    boards = [()]
    for row in range(n):
        boards = [
            (*board, column)
            for board in boards
            for column in range(n)
            if all(column != c and abs(column - c) != row - r for r, c in enumerate(board))
        ]
    return len(boards), boards[:2]


@CASES.case((20,), (2,))
def comprehensions_that_are_nested_conditions(n):
    """Membership in comprehensions inside of comprehensions."""
    primes = [p for p in range(2, n) if all(p % d for d in range(2, int(p**0.5) + 1))]
    pairs = {(p, q) for p in primes for q in primes if q - p == 2}
    sums = {p: [q for q in primes if p - q in {*primes} and q <= p - q] for p in range(2, n)}
    lonely = [p for p in primes if not any(p in pair for pair in pairs)]
    return primes, sorted(pairs), {k: v for k, v in sums.items() if v}, lonely


@CASES.case(((1, 2),), ((),))
def comprehensions_as_arguments_and_operands(items):
    """Comprehensions where any expression may stand."""
    text = "-".join(str(x) for x in items) + f"|{[x for x in items]}|{len([x for x in items]):03d}"
    picked = [x for x in items][-1:] + [*(x for x in items)] * 2
    kept = (lambda y: [x + y for x in items])(10)
    return text, picked, kept, max((x for x in items), default=0), not [x for x in items if x > 1]


@CASES.case((3,))
def comprehensions_leave_variables_of_the_function_alone(n):
    """A comprehension's own variable, also where it is deleted or raised in between."""
    x, y = "x", "y"
    a = [x for x in range(n)]
    try:
        [y for y in range(n) if 1 // (2 - y)]
    except ZeroDivisionError:
        b = y
    for x in [x for x in "ab"]:
        a.append(x)
    del y
    c = {y: x for y in range(2)}
    try:
        return a, b, c, y
    except UnboundLocalError as error:
        return a, b, c, x, error.args


@CASES.case((2,), (3,))
def comprehensions_in_classes_and_lambdas(n):
    """The first iterable of a comprehension in a class body sees the body's names."""

    class Made:
        size = n
        items = [x for x in range(size)]
        pairs = [(x, n) for x in items]
        late = lambda self: [x + self.size for x in self.items]

    one = Made()
    return Made.items, Made.pairs, one.late(), (lambda: {x for x in one.items})()
