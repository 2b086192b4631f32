"""Programs of lists, dicts and sets, each in Python and, where there is one, in C++.

Arguments are arrays and numbers where a program is not about what it is passed, so that nothing is
converted in the time.  Numba needs the types of an empty dict: it compiles `numba` in the place of
the function, a text whose names are those of this module.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Make = Callable[[np.random.Generator], tuple[Any, ...]]


@dataclass(frozen=True)
class Program:
    """A function, what makes its arguments, how many operations a call has, and its twins.

    `cpp` is the body of a C++ function with these parameters: `p0`, `n0` of an array, else `p0`.
    `numba` are pairs of texts, which stand for each other in the source that Numba compiles;
    None where it compiles no such program.
    """

    name: str
    function: Callable[..., Any]
    make: Make
    operations: int
    numba: tuple[tuple[str, str], ...] | None = ()
    cpp: str = ""


PROGRAMS: dict[str, Program] = {}


def program(
    make: Make,
    operations: int = 1,
    numba: tuple[tuple[str, str], ...] | None = (),
    cpp: str = "",
    name: str = "",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a program."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        key = name or function.__name__
        PROGRAMS[key] = Program(key, function, make, operations, numba, cpp)
        return function

    return register


MILLION = 1_000_000
INTS = ("{}", "Dict.empty(int64, int64)")
PAIRS = ("{}", "Dict.empty(UniTuple(int64, 2), int64)")
TEXTS = ("{}", "Dict.empty(unicode_type, int64)")
LISTS = ("{}", "Dict.empty(int64, ListType(int64))")


def keys(count: int, distinct: int, spread: int = 1) -> Make:
    """What makes an array of random keys."""
    return lambda rng: (rng.integers(0, distinct, count) * spread,)


# --- dicts ----------------------------------------------------------------------------------------

COUNT = "Table t; for (long k = 0; k < n0; k++) t[p0[k]] += 1; return t.size();"


def count(keys):
    counts = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    return len(counts)


for _name, _distinct in (("1e3", 1000), ("1e5", 100_000), ("1e6", MILLION)):
    program(keys(MILLION, _distinct, 7919), MILLION, (INTS,), COUNT, f"count, {_name} keys")(count)


def look_up(keys):
    table = {}
    for key in range(0, len(keys), 2):
        table[key] = key
    found = 0
    for key in keys:
        if key in table:
            found += table[key]
    return found


LOOK_UP = """Table t; for (long k = 0; k < n0; k += 2) t[k] = k;
long s = 0; for (long k = 0; k < n0; k++) {
  auto i = t.find(p0[k]); if (i != t.end()) s += i->second; }
return s;"""
for _name, _distinct in (("1e3", 1000), ("1e5", 100_000)):
    program(keys(_distinct, _distinct), _distinct, (INTS,), LOOK_UP, f"look up, {_name} keys")(
        look_up
    )


@program(
    keys(100_000, 100_000),
    100_000,
    (INTS,),
    """Table t; for (long k = 0; k < n0; k++) t[p0[k]] = k;
    for (long k = 0; k < n0; k++) t.erase(p0[k]); return t.size();""",
)
def delete(keys):
    table = {}
    for k in range(len(keys)):
        table[keys[k]] = k
    for key in keys:
        if key in table:
            del table[key]
    return len(table)


@program(
    lambda rng: (10_000, 100),
    MILLION,
    (INTS,),
    """Table t; for (long k = 0; k < p0; k++) t[k * 7919] = k;
    long s = 0; for (long r = 0; r < p1; r++) for (auto &i : t) s += i.first ^ i.second;
    return s;""",
)
def iterate(size, rounds):
    table = {}
    for k in range(size):
        table[k * 7919] = k
    total = 0
    for _ in range(rounds):
        for key, value in table.items():
            total += key ^ value
    return total


@program(
    lambda rng: (rng.integers(0, 100, MILLION), rng.integers(0, 100, MILLION)),
    MILLION,
    (PAIRS,),
    """absl::flat_hash_map<std::pair<long, long>, long> t;
    for (long k = 0; k < n0; k++) t[{p0[k], p1[k]}] += 1; return t.size();""",
)
def count_pairs(xs, ys):
    counts = {}
    for k in range(len(xs)):
        key = (xs[k], ys[k])
        counts[key] = counts.get(key, 0) + 1
    return len(counts)


def words(count: int, distinct: int, rounds: int) -> Make:
    """What makes random words, and how often a program goes over them."""

    def make(rng: np.random.Generator) -> tuple[list[str], int]:
        return [f"word{k}" for k in rng.integers(0, distinct, count)], rounds

    return make


@program(words(5000, 1000, 20), 100_000, (TEXTS,))
def word_count(words, rounds):
    counts = {}
    for _ in range(rounds):
        for word in words:
            counts[word] = counts.get(word, 0) + 1
    return len(counts)


@program(words(5000, 1000, 20), 100_000, (TEXTS,))
def look_up_texts(words, rounds):
    table = {}
    for word in words:
        table[word] = 1
    found = 0
    for _ in range(rounds):
        for word in words:
            found += table[word]
    return found


@program(
    lambda rng: (rng.integers(0, 500, 100_000), rng.normal(size=100_000)),
    100_000,
    None,
    """absl::flat_hash_map<long, std::vector<double>> t;
    for (long k = 0; k < n0; k++) t[p0[k]].push_back(p1[k]);
    double s = 0; for (auto &i : t) for (double x : i.second) s += x; return s;""",
)
def group_by(keys, values):
    groups = {}
    for k in range(len(keys)):
        if keys[k] not in groups:
            groups[keys[k]] = []
        groups[keys[k]].append(values[k])
    total = 0.0
    for group in groups.values():
        for value in group:
            total += value
    return total


@program(
    keys(100_000, 2000),
    100_000,
    (INTS, ("cache.pop(key)", "cache.pop(key)")),
)
def least_recently_used(keys):
    cache, hits = {}, 0
    for key in keys:
        if key in cache:
            hits += 1
            value = cache.pop(key)
        else:
            value = key * 2
        cache[key] = value
        if len(cache) > 1000:
            for _oldest in cache:
                break
            del cache[_oldest]
    return hits


@program(
    lambda rng: (rng.integers(0, 20_000, 60_000), rng.integers(0, 20_000, 60_000)),
    120_000,
    None,
    """absl::flat_hash_map<long, std::vector<long>> g; absl::flat_hash_map<long, long> d;
    for (long k = 0; k < n0; k++) { g[p0[k]].push_back(p1[k]); g[p1[k]].push_back(p0[k]); }
    std::vector<long> q{p0[0]}; d[p0[0]] = 0;
    for (size_t k = 0; k < q.size(); k++) for (long o : g[q[k]])
      if (!d.count(o)) { d[o] = d[q[k]] + 1; q.push_back(o); }
    long s = 0; for (auto &i : d) s += i.second; return s;""",
)
def breadth_first(sources, targets):
    graph = {}
    for k in range(len(sources)):
        graph.setdefault(sources[k], []).append(targets[k])
        graph.setdefault(targets[k], []).append(sources[k])
    distance = {sources[0]: 0}
    queue = [sources[0]]
    for node in queue:
        for other in graph[node]:
            if other not in distance:
                distance[other] = distance[node] + 1
                queue.append(other)
    total = 0
    for value in distance.values():
        total += value
    return total


@program(words(4000, 1500, 1), 30_000, None)
def trie(words, rounds):
    children, ends = [{"": 0}], [False]
    for word in words:
        node = 0
        for k in range(len(word)):
            letter = word[k]
            if letter not in children[node]:
                children[node][letter] = len(children)
                children.append({"": 0})
                ends.append(False)
            node = children[node][letter]
        ends[node] = True
    return len(children)


# --- sets -----------------------------------------------------------------------------------------


@program(
    lambda rng: (rng.integers(0, 40_000, 20_000), rng.integers(0, 40_000, 20_000)),
    80_000,
)
def set_algebra(xs, ys):
    first, second = set(), set()
    for x in xs:
        first.add(x)
    for y in ys:
        second.add(y)
    return len(first & second) + len(first | second) + len(first - second) + len(first ^ second)


@program(lambda rng: (8,), 2000)
def queens(size):
    columns, rising, falling = {-1}, {-1}, {-1}
    placed = [0]
    solutions = 0
    while placed:
        row = len(placed) - 1
        column = placed[-1]
        if column == size:
            placed.pop()
            if placed:
                column = placed[-1]
                row -= 1
                columns.remove(column)
                rising.remove(row + column)
                falling.remove(row - column + 100)
                placed[-1] = column + 1
        elif column in columns or row + column in rising or row - column + 100 in falling:
            placed[-1] = column + 1
        elif row == size - 1:
            solutions += 1
            placed[-1] = column + 1
        else:
            columns.add(column)
            rising.add(row + column)
            falling.add(row - column + 100)
            placed.append(0)
    return solutions


# --- lists ----------------------------------------------------------------------------------------


@program(
    lambda rng: (MILLION,),
    MILLION,
    cpp="std::vector<long> v; for (long k = 0; k < p0; k++) v.push_back(k ^ 5); return v.back();",
)
def append(size):
    made = []
    for k in range(size):
        made.append(k ^ 5)
    return made[-1]


@program(
    lambda rng: (MILLION,),
    2 * MILLION,
    cpp="""std::vector<long> v; long s = 0;
    for (long k = 0; k < p0; k++) {
      v.push_back(k); if (k % 3 == 2) { s += v.back(); v.pop_back(); } }
    while (!v.empty()) { s ^= v.back(); v.pop_back(); } return s;""",
)
def append_and_pop(size):
    stack, total = [], 0
    for k in range(size):
        stack.append(k)
        if k % 3 == 2:
            total += stack.pop()
    while stack:
        total ^= stack.pop()
    return total


SORT = "std::vector<double> v(p0, p0 + n0); std::stable_sort(v.begin(), v.end()); return v[n0 / 2];"


def sort(values):
    made = []
    for value in values:
        made.append(value)
    made.sort()
    return made[len(made) // 2]


program(lambda rng: (rng.normal(size=100_000),), 100_000, cpp=SORT, name="sort, random")(sort)
program(lambda rng: (np.sort(rng.normal(size=100_000)),), 100_000, cpp=SORT, name="sort, sorted")(
    sort
)


@program(
    lambda rng: (1000, 1000),
    MILLION,
    cpp="""std::vector<long> v; for (long k = 0; k < p0; k++) v.push_back(k);
    long s = 0; for (long r = 0; r < p1; r++) {
      std::vector<long> w(v.begin() + r % 10, v.end()); s += w.size() + w[0]; } return s;""",
)
def slices(size, rounds):
    items = []
    for k in range(size):
        items.append(k)
    total = 0
    for k in range(rounds):
        part = items[k % 10 :]
        total += len(part) + part[0]
    return total


@program(
    lambda rng: (MILLION,),
    3 * MILLION,
    cpp="""std::vector<char> s(p0, 1); for (long k = 2; k * k < p0; k++) if (s[k])
      for (long m = k * k; m < p0; m += k) s[m] = 0;
    long c = 0; for (long k = 2; k < p0; k++) c += s[k]; return c;""",
)
def sieve(size):
    prime = [True] * size
    k = 2
    while k * k < size:
        if prime[k]:
            for multiple in range(k * k, size, k):
                prime[multiple] = False
        k += 1
    total = 0
    for k in range(2, size):
        if prime[k]:
            total += 1
    return total


@program(
    lambda rng: (rng.normal(size=1000), 1000),
    MILLION,
    cpp="""std::vector<double> v(p0, p0 + n0); double s = 0;
    for (long r = 0; r < p1; r++) for (double x : v) s += x * x; return s;""",
)
def sum_of_squares(values, rounds):
    items = []
    for value in values:
        items.append(value)
    total = 0.0
    for _ in range(rounds):
        for item in items:
            total += item * item
    return total


@program(
    lambda rng: (1000, 1000),
    MILLION,
    cpp="""std::vector<long> v; for (long k = 0; k < p0; k++) v.push_back(k);
    for (long r = 0; r < p1; r++) for (size_t k = 0; k < v.size(); k++) v[k] += r; return v[7];""",
)
def update_items(size, rounds):
    items = [k for k in range(size)]
    for r in range(rounds):
        for k in range(len(items)):
            items[k] += r
    return items[7]


@program(
    lambda rng: (300,),
    300 * 300 * 2,
    cpp="""std::vector<std::vector<long>> t; for (long r = 0; r < p0; r++) {
      t.emplace_back(); for (long c = 0; c < p0; c++) t.back().push_back(r * c); }
    long s = 0; for (long r = 0; r < p0; r++) for (long c = 0; c < p0; c++) s += t[c][r];
    return s;""",
)
def nested(size):
    table = []
    for r in range(size):
        row = []
        for c in range(size):
            row.append(r * c)
        table.append(row)
    total = 0
    for r in range(size):
        for c in range(size):
            total += table[c][r]
    return total


@program(lambda rng: (rng.normal(size=(2000, 16)),), 2000 * 16)
def list_of_arrays(table):
    rows = []
    for k in range(len(table)):
        rows.append(table[k] * 2.0)
    total = 0.0
    for row in rows:
        total += row.sum()
    return total


@program(
    lambda rng: (100_000,),
    100_000,
    cpp="""std::vector<std::pair<long, double>> v;
    for (long k = 0; k < p0; k++) v.push_back({k, k * .5});
    double s = 0; for (auto &i : v) s += i.first * i.second; return s;""",
)
def list_of_tuples(size):
    pairs = []
    for k in range(size):
        pairs.append((k, k * 0.5))
    total = 0.0
    for number, weight in pairs:
        total += number * weight
    return total


@program(
    lambda rng: (
        rng.integers(0, 3000, 20_000),
        rng.integers(0, 3000, 20_000),
        rng.random(20_000),
    ),
    40_000,
)
def shortest_path(sources, targets, lengths):
    # Dijkstra's algorithm with a heap by hand
    nodes = 3000
    graph = [[(0, 0.0)] for _ in range(nodes)]
    for k in range(len(sources)):
        graph[sources[k]].append((targets[k], lengths[k]))
    distance = [1e18] * nodes
    distance[0] = 0.0
    heap = [(0.0, 0)]
    while heap:
        near, node = heap[0]
        final = heap.pop()
        if heap:
            k = 0
            while True:
                child = 2 * k + 1
                if child >= len(heap):
                    break
                if child + 1 < len(heap) and heap[child + 1] < heap[child]:
                    child += 1
                if final <= heap[child]:
                    break
                heap[k] = heap[child]
                k = child
            heap[k] = final
        if near > distance[node]:
            continue
        for other, length in graph[node]:
            far = near + length
            if far < distance[other]:
                distance[other] = far
                heap.append((far, other))
                k = len(heap) - 1
                while k > 0 and heap[k] < heap[(k - 1) // 2]:
                    heap[k], heap[(k - 1) // 2] = heap[(k - 1) // 2], heap[k]
                    k = (k - 1) // 2
    total = 0.0
    for one in distance:
        if one < 1e18:
            total += one
    return total


SUDOKU = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"


@program(lambda rng: (np.array([int(digit) for digit in SUDOKU]),), 10_000)
def sudoku(given):
    grid = [int(digit) for digit in given]
    empty = [k for k in range(81) if grid[k] == 0]
    depth, steps = 0, 0
    while 0 <= depth < len(empty):
        place = empty[depth]
        row, column = place // 9, place % 9
        grid[place] += 1
        while grid[place] <= 9:
            steps += 1
            digit = grid[place]
            fits = True
            for k in range(9):
                other, below = row * 9 + k, k * 9 + column
                box = (row // 3 * 3 + k // 3) * 9 + column // 3 * 3 + k % 3
                if (
                    (other != place and grid[other] == digit)
                    or (below != place and grid[below] == digit)
                    or (box != place and grid[box] == digit)
                ):
                    fits = False
                    break
            if fits:
                break
            grid[place] += 1
        if grid[place] > 9:
            grid[place] = 0
            depth -= 1
        else:
            depth += 1
    return steps


@program(
    lambda rng: ("\n".join(f"{a},{b:.3f},{a * b:.2f}" for a, b in enumerate(rng.random(2000))),),
    6000,
)
def parse_table(text):
    values, whole, places = [], 0, -1
    for k in range(len(text)):
        code = ord(text[k])
        if 48 <= code <= 57:
            whole = whole * 10 + code - 48
            places += places >= 0
        elif code == 46:
            places = 0
        else:
            values.append(whole / 10.0 ** max(places, 0))
            whole, places = 0, -1
    total = 0.0
    for value in values:
        total += value
    return total + len(values)


# --- in and out -----------------------------------------------------------------------------------

SIZE = 10_000


@program(lambda rng: (rng.random(SIZE).tolist(),), SIZE)
def take_floats(items):
    return items[-1]


@program(lambda rng: (rng.integers(0, MILLION, SIZE).tolist(),), SIZE)
def take_ints(items):
    return items[-1]


@program(lambda rng: ([(k, k * 0.5) for k in range(SIZE)],), SIZE)
def take_tuples(items):
    return items[-1][0]


@program(lambda rng: ([[k, k + 1, k + 2] for k in range(SIZE // 4)],), SIZE)
def take_lists(items):
    return items[-1][0]


@program(lambda rng: ({k * 7: k for k in range(SIZE)},), SIZE, None)
def take_dict(table):
    return len(table)


@program(lambda rng: ([f"word{k}" for k in range(SIZE)],), SIZE)
def take_texts(items):
    return len(items)


@program(lambda rng: (rng.random(SIZE).tolist(),), SIZE)
def change_floats(items):
    items[5] += 1.0
    return items[-1]


@program(lambda rng: (SIZE,), SIZE)
def return_floats(size):
    return [k * 0.5 for k in range(size)]


@program(lambda rng: (SIZE,), SIZE)
def return_ints(size):
    return [k * 1000 for k in range(size)]


@program(lambda rng: (SIZE,), SIZE)
def return_tuples(size):
    return [(k, k * 0.5) for k in range(size)]


@program(lambda rng: (SIZE,), SIZE, None)
def return_dict(size):
    table = {}
    for k in range(size):
        table[k] = k
    return table
