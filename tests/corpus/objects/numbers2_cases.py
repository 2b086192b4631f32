"""Integers whose memory is used again, where their digits change, and loops over ranges."""

from __future__ import annotations

from corpus.control.cases import Cases

CASES = Cases()

_SIZES = (0, 5, 256, 2**15, 2**30, 2**31, 2**32, 2**45, 2**59, 2**60, 2**61, 2**63, 2**64, 2**90)
EDGES = sorted({sign * size + k for size in _SIZES for sign in (1, -1) for k in (-1, 0, 1)})
SHIFTS = (0, 1, 2, 29, 30, 31, 32, 59, 60, 61, 62, 63, 64, 100)


def others(edges):
    """Numbers that nobody else has."""
    return [int(str(edge)) for edge in edges]


@CASES.case()
def results_at_the_edges():
    log = []
    left, right = others(EDGES), others(EDGES)
    for x in left:
        for y in right:
            log.append((x + y, x - y, x * y, x & y, x | y, x ^ y, -x, +x, ~x))
            log.append((x < y, x <= y, x == y, x != y, x > y, x >= y))
            if y:
                log.append((x // y, x % y))
    return hash(tuple(log)), left == EDGES, right == EDGES


@CASES.case()
def results_in_place_at_the_edges():
    log = []
    left, right = others(EDGES), others(EDGES)
    for x in left:
        for y in right:
            z = x
            z += y
            log.append(z)
            z -= x
            z *= y
            log.append(z)
            z &= x
            z ^= y
            z |= x
            log.append(z)
            if y:
                z //= y
                log.append(z)
                z += x
                z %= y
                log.append(z)
    return hash(tuple(log)), left == EDGES, right == EDGES


@CASES.case()
def shifts_at_the_edges():
    log = []
    left = others(EDGES)
    for x in left:
        for k in SHIFTS:
            z = x << k
            w = x >> k
            log.append((z, w, z >> k == x))
            z <<= k
            w >>= k
            log.append((z, w))
    return hash(tuple(log)), left == EDGES


@CASES.case()
def chains_of_results_that_nobody_keeps():
    log = []
    for x in others(EDGES):
        y = x
        for k in range(12):
            y = y + k - 3 * y + x
            y = -y
            log.append(y)
            y = (y * 5 - (y + 7)) // 3 + (y % 11)
    return log


@CASES.case((1 << 40, 1 << 20), (1000, 1000), (-7, 7))
def results_that_somebody_keeps(x, y):
    kept = []
    z = x + y
    for k in range(6):
        kept.append(z)
        w = z
        z = z + 1
        z += x
        kept.append((w, z))
        x = x + k
        y -= x

    def inner():
        return x, y, z

    before = inner()
    x += 1
    y *= 3
    z -= y
    return kept, before, inner(), x, y, z


@CASES.case((70_000,), (1 << 33,), (-300,))
def an_argument_keeps_its_value(n):
    m = n
    n = n + 1
    n += 1
    m -= 1
    m = m - 1
    return n, m, n + m


@CASES.case()
def small_results_are_the_known_ones():
    log = []
    for k in range(-8, 260, 3):
        x = k + 100000
        x -= 100000
        y = k * 7 // 7
        log.append((x is y if -5 <= k <= 256 else x == y, x))
    return log


@CASES.case((1 << 35,))
def operands_that_are_one_object(x):
    y = x + 1
    y = y + y
    y -= y
    z = x * 3
    z *= z
    w = x + 5
    v = w
    w = w + v
    return y, z, w, v


@CASES.case()
def one_number_in_many_places():
    table = {}
    x = 1 << 31
    for k in range(5):
        table[x] = [x, (x,), {x: x}]
        x += 1 << 31
        x += k
    return table, x


RANGES = (
    *((0,), (1,), (5,), (-3,), (300, 310), (310, 300), (10, 0, -3), (0, 10, 3), (0, -10, -3)),
    *((5, 5), (True,), (False, True), (2**30 - 2, 2**30 + 2), (-(2**30), 2 - 2**30)),
    *((2**60 - 2, 2**60 + 2), (2**63 - 2, 2**63 + 2), (2**64, 2**64 + 3), (-(2**63) - 2, -(2**63))),
    *((0, 2**62, 2**61), (0, -(2**62), -(2**60)), (0, 2**70, 2**69), (2**59, -(2**59), -(2**59))),
    *((0, 1, 2**62), (1, 0), (0, 1, -1), (2**60, 2**60 - 1, -(2**59))),
)


@CASES.case(*((one,) for one in RANGES))
def loops_over_ranges(bounds):
    log = []
    for k in range(*bounds):
        log.append(k)
        k += 1
        log.append(k)
    else:
        log.append("else")
    kept = [k for k in range(*bounds)]
    pairs = [(i, j) for i in range(*bounds) for j in range(*bounds) if i <= j]
    again = range(*bounds)
    for _ in again:
        for k in again:
            log.append(k)
            break
    return log, kept, pairs, {k: -k for k in range(*bounds)}


@CASES.case((0,), (1,), (-1,), (2.5,), ("3",), (None,))
def loops_over_ranges_of_a_step(step):
    log = []
    try:
        for k in range(3, 9, step):
            log.append(k)
    except (TypeError, ValueError) as error:
        log.append((type(error).__name__, str(error)))
    return log


class Index(int):
    """An int of a class of its own."""

    def __add__(self, other):
        return "added"


@CASES.case((Index(4),), (Index(1 << 40),))
def numbers_of_other_classes(n):
    log = [type(k).__name__ for k in range(Index(2), Index(4))]
    m = n + 1
    k = n - 1
    k += n
    return log, m, k, n * 2, -n, type(-n).__name__, n // 3, n & 7, True + True, -True, True << 3


@CASES.case((4,))
def ranges_that_wait(n):
    def waits():
        for k in range(n):
            for j in range(k, 1000, 300):
                yield k * 1000 + j

    items = waits()
    first = [next(items) for _ in range(3)]
    return first, list(items)


@CASES.case((3,), (0,))
def iterators_that_programs_see(n):
    items = iter(range(n + 2))
    log = [type(items).__name__, next(items)]
    for k in items:
        log.append(k)
        log.append(next(items, "none"))
    view = (k for k in range(n))
    return log, list(view), list(map(type, (range(n), iter(range(n)))))
