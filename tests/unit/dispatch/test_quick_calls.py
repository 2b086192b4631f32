"""The quick way of calls: what it takes, and what it has to leave to the ways behind it."""

from __future__ import annotations

import gc
import itertools
import sys
from collections import namedtuple

import numpy as np
import pytest

import cutaway


def same(a):
    return a


def weighted(a, b, c):
    return a + 10 * b + 100 * c


EDGES = [2**n + k for n in (0, 14, 15, 29, 30, 31, 59, 60, 61, 62) for k in (-2, -1, 0, 1, 2)]
INTEGERS = [-6, -5, 0, 256, 257, 2**63 - 1, -(2**63), *EDGES, *(-n for n in EDGES)]


def test_integers_of_every_length_arrive_as_they_are():
    """The digits of an int lie elsewhere in each version of Python: this asks for all of them."""
    function = cutaway.jit("int64(int64)")(same)
    function(1)
    assert [function(n) for n in INTEGERS] == INTEGERS
    assert [type(function(n)) for n in INTEGERS] == [int] * len(INTEGERS)
    with pytest.raises(OverflowError):
        function(2**63)


def test_integers_that_python_makes_once_are_the_same_objects():
    function = cutaway.jit(same)
    before = sys.getrefcount(7)
    assert all(function(int(str(n))) is int(str(n)) for n in range(-5, 257))
    for _ in range(1000):
        function(7)
    assert sys.getrefcount(7) - before < 100


class Whole(int):
    pass


class Real(float):
    pass


class Grid(np.ndarray):
    pass


class Wide(np.float64):
    pass


SCALARS = [1, True, 1.5, np.int64(2), np.int32(3), np.uint64(4), np.longlong(5), np.float64(6)]
SCALARS += [np.float32(7), np.bool_(True), Whole(8), Real(9), Wide(10), np.timedelta64(3, "s")]


def outcome(call, *args, **kwargs):
    """What a call gives, or raises, with its type."""
    try:
        result = call(*args, **kwargs)
    except Exception as error:
        return type(error)
    return type(result), str(result)


@pytest.mark.parametrize("value", SCALARS, ids=lambda value: type(value).__name__)
def test_a_scalar_means_the_same_whatever_was_called_before(value):
    expected = outcome(cutaway.jit(same), value)
    for first in SCALARS[:8]:
        function = cutaway.jit(same)
        outcome(function, first)
        assert outcome(function, value) == expected, first
        assert outcome(function, value) == expected, first


def described(array: np.ndarray) -> np.ndarray:
    """The same with a dtype of its own, which says the same."""
    return array.view(np.dtype(array.dtype, metadata={"of": "its own"}))


def frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def arrays() -> list[np.ndarray]:
    line, table = np.arange(4.0), np.arange(6.0).reshape(2, 3)
    bytes_ = np.zeros(33, np.uint8)
    return [
        line,
        line[::-2],
        line[:0],
        described(line),
        frozen(np.arange(3.0)),
        line.astype(">f8"),
        line.astype("f4"),
        line.astype("i8"),
        np.arange(4, dtype=np.longlong),
        bytes_[1:].view("f8"),
        table,
        table.T,
        table[:, ::2],
        table[::-1],
        np.zeros((0, 3)),
        np.zeros((1, 3)).T,
        np.array(5.0),
        np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1),
        np.zeros((1,) * 7),
        np.zeros(3, [("x", "f8")]),
        np.array(["2020-01-01"], "M8[D]"),
        line.view(Grid),
    ]


def facts(a):
    return a.shape, a.strides, a.size


def test_an_array_is_seen_as_it_is_whatever_was_called_before():
    expected = [outcome(cutaway.jit(facts), array) for array in arrays()]
    assert len(set(expected)) > 12
    function = cutaway.jit(facts)
    for _ in range(3):
        assert [outcome(function, array) for array in arrays()] == expected
        assert [outcome(function, array) for array in arrays()[::-1]] == expected[::-1]


def test_arrays_that_say_the_same_share_a_specialization():
    function = cutaway.jit(facts)
    for _ in range(2):
        function(np.arange(4.0))
        function(described(np.arange(4.0)))
    assert len(function.specializations) == 1


def test_an_array_that_was_frozen_since_the_last_call_is_another_type():
    function, array = cutaway.jit(same), np.arange(3.0)
    assert function(array) is array and function(array).flags.writeable
    assert function(frozen(array)) is array
    assert len(function.specializations) == 2


Point = namedtuple("Point", "x y")
Pair = namedtuple("Pair", "x y")
TUPLES = [(1, 2.0), (2.0, 1), (1,), (), (1, 2.0, 3), ((1, 2), 3), ((1, 2.0), 3), Point(1, 2.0)]
TUPLES += [Pair(1, 2.0), (Point(1, 2.0), 1), (True, None), (np.int64(1), np.float64(2)), [1, 2.0]]


def test_a_tuple_is_taken_with_all_in_it_or_not_at_all():
    expected = [outcome(cutaway.jit(same), value) for value in TUPLES[:-1]]
    function = cutaway.jit(same)
    for _ in range(2):
        assert [outcome(function, value) for value in TUPLES[:-1]] == expected
        assert [outcome(function, value) for value in TUPLES[-2::-1]] == expected[::-1]
    only = cutaway.jit(same)
    only((1, 2.0))
    assert only((2**40, 0.5)) == (2**40, 0.5)
    assert outcome(only, (1, 2**70)) == outcome(cutaway.jit(same), (1, 2**70))


# --- keywords ------------------------------------------------------------------------------------


def orders(names: str) -> list[str]:
    """Calls that give a, b and c in every way there is, as text."""
    found = []
    for given in range(len(names) + 1):
        for rest in itertools.permutations(range(given, len(names))):
            words = [f"{names[k]}={k + 1}" for k in rest]
            found.append("f(" + ", ".join([*map(str, range(1, given + 1)), *words]) + ")")
    return found


def test_keywords_in_every_order_find_their_parameters():
    function = cutaway.jit(weighted)
    calls = [eval(f"lambda f: {text}") for text in orders("abc")]
    for _ in range(3):
        for call in calls:
            assert call(function) == call(weighted) == 321


def test_keywords_made_for_each_call_are_not_taken_for_others():
    function = cutaway.jit(weighted)
    for names in list(itertools.permutations("abc")) * 50:  # their tuples come and go
        words = {str(name): "abc".index(name) + 1 for name in names}
        assert function(**words) == 321
        assert function(1, **{name: words[name] for name in names if name != "a"}) == 321


WRONG = ["f(1, 2)", "f(a=1, b=2)", "f(1, a=1, b=2)", "f(1, 2, d=3)", "f(1, 2, 3, c=3)", "f(c=1)"]


def message(call, function) -> str:
    with pytest.raises(TypeError) as caught:
        call(function)
    return str(caught.value)


@pytest.mark.parametrize("text", WRONG)
def test_keywords_that_are_wrong_are_still_so_after_right_ones(text):
    function, call = cutaway.jit(weighted), eval(f"lambda f: {text}")
    for _ in range(2):
        assert function(1, c=3, b=2) == function(a=1, b=2, c=3) == 321
        assert message(call, function) == message(call, weighted)


def test_the_same_names_with_another_number_of_positions_are_another_call():
    function = cutaway.jit(weighted)
    right, wrong, fewer = (lambda f: f(1, b=2, c=3)), "f(1, 2, b=2, c=3)", "f(b=2, c=3)"
    both = [eval(f"lambda f, g: (f(1, b=2, c=3), g({text[2:]})") for text in (wrong, fewer)]
    assert right(function) == 321
    for call in both:  # the names of both calls are one constant of the code
        for _ in range(2):
            assert call(function, lambda *_, **__: 0) == (321, 0)
            with pytest.raises(TypeError):
                call(function, function)


def many(a, b, c, d, e, f, g, h, i, j, k, l, m):  # noqa: E741
    return a - m


def no_positions(a, *, b):
    return a - b


def rest_of(a, *b):
    return a + len(b)


def left_out(a, b=20):
    return a - b


@pytest.mark.parametrize(
    "function, texts",
    [
        (many, ["f(*r)", "f(1, **w)", "f(**{'a': 7, **w})"]),
        (no_positions, ["f(1, b=2)", "f(b=3, a=1)"]),
        (rest_of, ["f(1)", "f(1, 2, 3)", "f(a=5)"]),
        (left_out, ["f(1)", "f(1, 2)", "f(b=3, a=2)", "f(a=2)", "f(1, b=5)"]),
    ],
)
def test_parameters_of_other_kinds_and_numbers(function, texts):
    space = {"r": range(13), "w": {name: ord(name) for name in "mlkjihgfedcb"}}
    compiled = cutaway.jit(function)
    for _ in range(3):
        for text in texts:
            expected = eval(text, {**space, "f": function})
            assert eval(text, {**space, "f": compiled}) == expected


def test_keywords_are_forgotten_with_the_function():
    function, words = cutaway.jit(weighted), tuple(sys.intern(name) for name in "cba")
    code = compile("f(c=3, b=2, a=1)", "", "eval")
    names = next(const for const in code.co_consts if const == words)
    before = sys.getrefcount(names)
    for _ in range(10):
        assert eval(code, {"f": function}) == 321
    assert sys.getrefcount(names) == before + 1
    del function
    gc.collect()
    assert sys.getrefcount(names) == before


# --- what is called ------------------------------------------------------------------------------


def test_every_call_is_counted():
    function = cutaway.jit(weighted)
    for _ in range(5):
        function(1, 2, 3)
        function(1, c=3, b=2)
    (found,) = function.specializations
    assert found.calls == 10


STEP = 1


def stepped(a):
    return a + STEP


def test_the_quick_way_is_that_of_the_last_types():
    function = cutaway.jit(same)
    assert function._first is None
    for value in (1, 2.5, np.arange(3.0), 2):
        function(value)
        function(value)
        assert function._first is function._hot[0]
    assert cutaway.jit(no_positions)(1, b=2) == -1
    function = cutaway.jit(no_positions)
    assert function(1, b=2) == function(1, b=2) == -1 and function._first is None
    closed = cutaway.jit("float64(float64)")(same)
    for _ in range(10):
        closed(1)
    assert closed._first is None
    for _ in range(10):
        closed(1.5)
    assert closed._first is closed._hot[0]


def test_what_was_made_anew_is_called_instead(monkeypatch):
    function = cutaway.jit(stepped)
    assert function(3) == function(a=3) == 4
    monkeypatch.setitem(globals(), "STEP", 10)
    assert function(3) == function(a=3) == 4  # a global is what it was at compile time
    function.forget()
    assert function._first is None
    assert function(3) == function(a=3) == 13 and function(2.5) == 12.5


def test_a_converted_argument_does_not_spoil_the_quick_way():
    function = cutaway.jit("float64(float64)")(same)
    for _ in range(20):
        assert repr(function(1)) == "1.0" and repr(function(2.5)) == "2.5"
    assert repr(function(np.float32(0.5))) == "0.5"


def divided(a, b):
    return a // b


def test_an_exception_leaves_as_from_python():
    function = cutaway.jit(divided)
    assert function(7, 2) == 3
    for call in (lambda f: f(1, 0), lambda f: f(b=0, a=1), lambda f: f(1, b=0)):
        for _ in range(2):
            with pytest.raises(ZeroDivisionError) as caught:
                call(function)
            with pytest.raises(ZeroDivisionError) as expected:
                call(divided)
            assert str(caught.value) == str(expected.value)
            assert [entry.name for entry in caught.traceback][-1] == "divided"
    assert function(7, 2) == 3


def test_methods_and_profilers_see_calls_as_before():
    bound, seen = cutaway.jit(divided).__get__(9), []
    assert [bound(2), bound(b=3), bound(4)] == [4, 3, 2]
    function = cutaway.jit(same)
    function(1)
    sys.setprofile(lambda frame, event, arg: seen.append((event, frame.f_code.co_name)))
    try:
        function(2)
        function(a=3)
    finally:
        sys.setprofile(None)
    assert seen.count(("call", "same")) == seen.count(("return", "same")) == 2
