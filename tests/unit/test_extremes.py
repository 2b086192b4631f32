"""Integer arithmetic at the edges of the machine's integers: 64-bit wrapping, never a crash."""

from __future__ import annotations

import itertools
import math
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cutaway
from cutaway.errors import SignatureError, TypingError, UnsupportedError
from cutaway.frontend import canonical
from cutaway.ir.graph import Graph, graph_of
from cutaway.stages.untyped import placed_values
from cutaway.typing.types import Tuple, float64, int64
from unhurried import unhurried

pytestmark = pytest.mark.sampled(test=2, others=6, fast=10)

LOW, HIGH = -(2**63), 2**63 - 1
EDGES = (0, 1, -1, 2, -2, 63, 64, LOW, LOW + 1, HIGH, HIGH - 1, 2**32, -(2**31))


def wrapped(value: int) -> int:
    return (value - LOW) % 2**64 + LOW


OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": lambda a, n: a << n if n < 64 else 0,
    ">>": lambda a, n: a >> min(n, 64),
    "<": operator.lt,
    "==": operator.eq,
}


@pytest.mark.parametrize("symbol", OPERATORS)
def test_operators_wrap_at_64_bits(symbol):
    space: dict[str, object] = {}
    exec(f"def f(a, b):\n    return a {symbol} b\n", space)  # noqa: S102
    compiled = cutaway.jit(space["f"])
    for a, b in itertools.product(EDGES, EDGES):
        try:
            expected = OPERATORS[symbol](a, b)
        except (ZeroDivisionError, ValueError) as error:
            with pytest.raises(type(error), match=str(error)):
                compiled(a, b)
            continue
        found = compiled(a, b)
        assert found == (expected if isinstance(expected, bool) else wrapped(expected)), (a, b)


def test_signs_and_powers_wrap_at_64_bits():
    @cutaway.jit
    def f(a):
        return -a, abs(a), ~a, a**2, a**3

    for a in EDGES:
        assert f(a) == tuple(map(wrapped, (-a, abs(a), ~a, a**2, a**3)))


def test_integers_compare_exactly_with_floats_and_unsigned_integers():
    @cutaway.jit
    def compare(a, b):
        return a < b, a <= b, a == b, a != b, a > b, a >= b, b < a

    floats = (0.0, -0.5, 0.5, 2.0**53, 2.0**63, -(2.0**63), 1e300, float("inf"), float("nan"))
    for a in (*EDGES, 2**53 + 1):
        for b in floats:
            assert compare(a, b) == compare.py_func(a, b), (a, b)
        for b in (0, 1, HIGH, 2**63, 2**64 - 1):
            assert compare(a, np.uint64(b)) == compare.py_func(a, b), (a, b)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "uint64"])
def test_every_integer_type_goes_in_and_out_of_arrays(dtype):
    @cutaway.jit
    def copy(a, b):
        for i in range(len(a)):
            b[i] = a[i]
        return a[0], a[-1]

    info = np.iinfo(dtype)
    a = np.array([info.min, 1, info.max], dtype)
    b = np.zeros_like(a)
    assert copy(a, b) == (info.min, info.max)
    assert (a == b).all()
    wide = np.zeros(3, np.int64)
    copy(a, wide)
    assert (wide == a.astype(np.int64)).all()


# --- sizes: what would take minutes, or fail in another way, is refused or done in no time --------


def compiled(source):
    space: dict[str, object] = {"math": math, "np": np}
    exec(source, space)  # noqa: S102
    return cutaway.jit(space["f"])


@pytest.mark.parametrize("result", ["b", "1"])
def test_an_array_has_at_most_64_dimensions(result):
    def source(count):
        return f"def f(a):\n    b = a[{'None, ' * count}...]\n    return {result}\n"

    a = np.zeros(3)
    assert np.shape(compiled(source(63))(a)) == ((1,) * 63 + (3,) if result == "b" else ())
    with pytest.raises(TypingError, match="an array has at most 64 dimensions"):
        compiled(source(64))(a)


def test_signatures_have_at_most_64_dimensions():
    with pytest.raises(SignatureError, match="at most 64 dimensions"):
        cutaway.jit(f"(float64[{', '.join([':'] * 65)}],)")(lambda a: a)


def test_types_that_double_with_each_line_are_refused():
    lines = "".join(f"    t = (t, t)\n    t{k} = t\n" for k in range(40))
    with pytest.raises(TypingError, match="at most 5,000 numbers"):
        compiled(f"def f(t):\n{lines}    return t\n")(1)


def test_tuples_nested_too_deep_are_refused():
    t: object = 1
    for _ in range(5000):
        t = (t,)
    with pytest.raises(TypingError, match="more than 100 levels deep"):
        compiled("def f(t):\n    return 1\n")(t)


def test_the_name_of_a_large_type_is_cut_short():
    ty = Tuple((int64, float64) * 2000)
    assert len(str(ty)) < 300 < len(ty.name)


def test_inner_functions_that_double_with_each_line_are_refused():
    lines = "".join(f"    f{k} = lambda a: f{k - 1}(a) + f{k - 1}(a)\n" for k in range(1, 19))
    with pytest.raises(UnsupportedError, match="becomes too large when the body of"):
        compiled(f"def f(x):\n    f0 = lambda a: a + 1\n{lines}    return f18(x)\n")(1)


@pytest.mark.parametrize("text", ["factorial(10**9)", "comb(10**9, 10**8)", "perm(10**9, 10**8)"])
def test_large_numbers_are_not_computed_when_compiling(text):
    with pytest.raises(OverflowError):
        compiled(f"def f():\n    return math.{text}\n")()


@pytest.mark.parametrize(
    ("start", "line", "end"),
    [
        ("y = x", "    if x == {k}: return {k}\n", "-1"),
        ("y = 0", "    if x > {k}: y += {k}\n", "y"),
        ("y = x + 1", "    y = x and y or y and x\n", "y"),
    ],
)
def test_many_branches_are_compiled_in_no_time(start, line, end, monkeypatch):
    count = 0
    meant = canonical._same

    def counted(*args):
        nonlocal count
        count += 1
        return meant(*args)

    monkeypatch.setattr(canonical, "_same", counted)
    lines = "".join(line.format(k=k) for k in range(400))
    f = compiled(f"def f(x):\n    {start}\n{lines}    return {end}\n")
    assert f(5) == f.py_func(5)
    assert count <= 2000  # and not a number for each pair of blocks


def test_tails_are_not_compared_in_pairs(monkeypatch):
    count = 0
    meant = canonical._common_tail

    def counted(*args):
        nonlocal count
        count += 1
        return meant(*args)

    monkeypatch.setattr(canonical, "_common_tail", counted)
    f = compiled(f"def f(x):\n    return {' and '.join(f'x != {k}' for k in range(500))}\n")
    assert f(5) is False and f(1000) is True
    assert count <= 1500


def test_sums_of_sums_are_followed_once():
    f = compiled("def f(a, x):\n" + "    x = x + x\n" * 2000 + "    return a[x]\n")
    assert f(np.arange(3), 0) == 0


@st.composite
def graphs(draw):
    """Any labels, unreachable blocks, an entry with predecessors, loops without end."""
    labels = draw(st.lists(st.integers(-3, 9), min_size=1, max_size=7, unique=True))
    row = st.lists(st.sampled_from(labels), max_size=2)
    return labels, {label: draw(row) for label in labels}


@unhurried
@given(graphs())
def test_dominators_of_any_graph(made):
    labels, edges = made
    graph = Graph(labels, edges, labels[0])

    def reach(start, without=None):
        seen: set[int] = set()
        waiting = [start]
        while waiting:
            node = waiting.pop()
            if node not in seen and node != without:
                seen.add(node)
                waiting += edges[node]
        return seen

    reached = reach(labels[0])
    ends = {node for node in reached if not edges[node]}
    assert graph.dominators() == {
        node: {d for d in reached if d == node or node not in reach(labels[0], d)}
        for node in reached
    }
    assert graph.post_dominators() == {
        node: {
            d for d in reached if d == node or (reach(node) & ends and not reach(node, d) & ends)
        }
        for node in reached
    }
    for header, loop in graph.loops().items():
        assert all(graph.dominates(header, node) for node in loop.body)
    assert set(graph.node_to_loops()) == set(graph.dominance_frontiers()) == reached


# --- nesting, and many of everything ------------------------------------------------------------


def test_deep_expressions():
    for depth in (90, 150):
        assert compiled(f"def f(x):\n    return {'(1 + ' * depth}x{')' * depth}\n")(1) == depth + 1
    assert compiled(f"def f(x):\n    return {'-(' * 90}x{')' * 90}\n")(1) == 1
    assert compiled(f"def f(x):\n    return {'x + ' * 500}x\n")(1) == 501


def test_deep_statements():
    ifs = "".join(f"{'    ' * k}if x > {k}:\n" for k in range(1, 51))
    f = compiled(f"def f(x):\n{ifs}{'    ' * 51}return 1\n    return 0\n")
    assert (f(51), f(50)) == (1, 0)
    loops = "".join(f"{'    ' * k}for i{k} in range(x):\n" for k in range(1, 20))
    f = compiled(f"def f(x):\n    s = 0\n{loops}{'    ' * 20}s += 1\n    return s\n")
    assert f(1) == 1


def test_many_parameters_and_variables():
    names = [f"p{k}" for k in range(300)]
    f = compiled(f"def f({', '.join(names)}):\n    return {' + '.join(names)}\n")
    assert f(*range(300)) == sum(range(300))
    lines = "".join(f"    v{k} = v{k - 1} * x\n" for k in range(1, 2000))
    f = compiled(f"def f(x):\n    v0 = x\n{lines}    return v1999\n")
    assert f(1) == 1


def chained(count, last):
    """Compiled functions of which each calls the next one: the first."""
    lines = [
        f"@cutaway.jit\ndef f{k}(x):\n    return x if x <= 0 else {call} + 1\n"
        for k, call in enumerate([*(f"f{k}(x - 1)" for k in range(1, count)), last])
    ]
    namespace = {"cutaway": cutaway}
    exec("\n".join(lines), namespace)  # noqa: S102
    return namespace["f0"]


def test_a_hundred_functions_call_each_other():
    assert chained(100, "x")(1000) == 1001
    assert chained(30, "f0(x - 1)")(1000) == 1000


def test_a_compilation_of_a_hundred_functions_is_recorded():
    found = chained(100, "x").trace(1000)
    assert found.error is None
    assert found.at("ssa").run(1000) == 1001


def test_a_circle_of_a_hundred_functions_is_refused():
    with pytest.raises(TypingError, match="calls itself through more than 39 other functions"):
        chained(100, "f0(x - 1)")(1000)
    found = chained(100, "f0(x - 1)").trace(1000)
    assert "through more than 39 other functions" in str(found.error)


def test_what_is_remembered_while_functions_are_inlined_is_what_there_is(monkeypatch):
    split = placed_values.PlacedValues.split

    def compared(made, *given):
        split(made, *given)
        new = placed_values.PlacedValues(made.fn)
        assert {name: found for name, found in made.positions.items() if found} == new.positions
        reached = set(graph_of(made.fn).reverse_postorder())
        for label in reached:
            assert sorted(reached & set(made.sources[label])) == sorted(new.sources[label])
        seen.append(made.fn.name)

    seen = []
    monkeypatch.setattr(placed_values.PlacedValues, "split", compared)
    lines = "    s = g(s) if s > k else h(s, s + 1)\n" * 20
    f = compiled(
        "def f(s):\n    k = 3\n    g = lambda a: a - 1 if a % 2 else k\n"
        f"    def h(a, b):\n        for i in range(b):\n            a += g(i)\n        return a\n"
        f"{lines}    return s\n"
    )
    assert f(5) == f.py_func(5)
    assert len(seen) >= 60
