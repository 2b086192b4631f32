"""Native containers: the protocol of the built-in ones, calls without a copy, memory, threads."""

from __future__ import annotations

import collections.abc as kinds
import copy
import gc
import pickle
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import cutaway
from cutaway import jit, typed, types
from cutaway.runtime import stats

pytestmark = pytest.mark.sampled(test=3, others=20, fast=20)


def answer(act: Any, container: Any) -> tuple[Any, Any]:
    """The result of an act on a container, or its exception, and the container after it."""
    try:
        result = act(container)
    except Exception as error:  # noqa: BLE001  which one is the question
        return (type(error), str(error)), plain(container)
    return plain(result), plain(container)


def plain(value: Any) -> Any:
    """A value with built-in containers in the place of native ones."""
    match value:
        case typed.List() | list():
            return [plain(one) for one in value]
        case typed.Dict() | dict():
            return {plain(key): plain(one) for key, one in value.items()}
        case typed.Set() | set():
            return {plain(one) for one in value}
        case tuple():
            return tuple(plain(one) for one in value)
    if isinstance(value, kinds.Iterator | kinds.MappingView):
        return [plain(one) for one in value]
    return value


# --- lists ----------------------------------------------------------------------------------------


def slot(items: Any, index: Any, value: Any) -> None:
    items[index] = value


def gone(items: Any, index: Any) -> None:
    del items[index]


INDICES = (0, 1, 4, 5, -1, -5, -6, 2**70, "a", 1.0, None, True, np.int64(2))
PARTS = tuple(
    slice(start, stop, step)
    for start in (None, 0, 2, -2, 9)
    for stop in (None, 1, 4, -1, -9)
    for step in (None, 2, -1, -3)
)
ACTS = (
    *[lambda a, k=k: a[k] for k in (*INDICES, *PARTS)],
    *[lambda a, k=k: slot(a, k, 7) for k in INDICES],
    *[lambda a, k=k: gone(a, k) for k in (*INDICES, *PARTS)],
    *[lambda a, k=k: slot(a, k, [8, 9]) for k in PARTS],
    *[lambda a, k=k: slot(a, slice(1, 3), [0] * k) for k in range(5)],
    lambda a: slot(a, slice(None), a),
    lambda a: slot(a, slice(2, None), a),
    lambda a: slot(a, slice(0, 1), 5),
    lambda a: slot(a, slice(None, None, 0), []),
    *[lambda a, k=k: a.pop(k) for k in (0, -1, 2, 9, -9)],
    lambda a: a.pop(),
    lambda a: a.pop(1, 2),
    lambda a: a.append(5),
    lambda a: a.extend(range(3)),
    lambda a: a.extend(a),
    lambda a: a.extend(5),
    *[lambda a, k=k: a.insert(k, 6) for k in (0, 2, -1, 99, -99)],
    *[lambda a, k=k: a.remove(k) for k in (1, 3, 99, "x")],
    *[lambda a, k=k: a.count(k) for k in (1, 3, 1.0, "x")],
    *[lambda a, k=k: a.index(*k) for k in ((1,), (3, 1), (1, 1, -1), (99,))],
    *[lambda a, k=k: k in a for k in (1, 1.0, 99, "x", None)],
    lambda a: a.clear(),
    lambda a: a.reverse(),
    lambda a: a.sort(),
    lambda a: a.sort(reverse=True),
    lambda a: a.sort(key=lambda x: -x),
    lambda a: a.copy(),
    lambda a: copy.copy(a),
    lambda a: copy.deepcopy(a),
    lambda a: pickle.loads(pickle.dumps(a)),
    lambda a: a + [1],
    lambda a: [1] + a,
    lambda a: a + (1,),
    lambda a: a * 2,
    lambda a: 3 * a,
    lambda a: a * -1,
    lambda a: a.__iadd__([5]),
    lambda a: a.__imul__(2),
    lambda a: a == [3, 1, 2, 1, 5],
    lambda a: [3, 1, 2, 1, 5] == a,
    lambda a: a != [3],
    lambda a: a < [4],
    lambda a: a >= [3, 1],
    lambda a: [9] > a,
    lambda a: a == (3, 1, 2, 1, 5),
    lambda a: a < (1,),
    len,
    bool,
    list,
    repr,
    str,
    sum,
    sorted,
    hash,
    lambda a: list(reversed(a)),
    lambda a: (*a, max(a)),
    lambda a: [x + y for x, y in zip(a, a)],
    lambda a: next(iter(a)),
    lambda a: list(map(str, a)),
    lambda a: isinstance(a, kinds.MutableSequence),
    lambda a: [x for x in iter(a) if not (x == 3 and a.append(1))],  # it grows meanwhile
)


@pytest.mark.parametrize("place", range(len(ACTS)))
def test_a_list_does_as_pythons_does(place):
    act, items = ACTS[place], [3, 1, 2, 1, 5]
    expected, got = answer(act, items[:]), answer(act, typed.List(items))
    words = [
        str(one).replace("typed.List", "list").replace("List", "list") for one in (expected, got)
    ]
    assert words[1] == words[0] or _is_of_another_class(expected, got)


def _is_of_another_class(expected: Any, got: Any) -> bool:
    """True for one exception of Python's in words of its own, or a list in another's message."""
    errors = [one[0][0] if isinstance(one[0], tuple) else None for one in (expected, got)]
    return errors[0] is not None and errors[0] is errors[1] and issubclass(errors[0], TypeError)


MAKERS = {
    "texts": ["ab", "", "\u20ac\U0001f600", "ab"],
    "tuples": [(1, 2.5), (3, 4.0)],
    "nested": [[1, 2], [], [3]],
    "floats": [1.5, 2.5, -0.0],
    "bools": [True, False],
    "complex": [1j, 2.0 + 0j],
    "deep": [[["a"]], [[], ["b", "c"]]],
    "pairs with texts": [("a", 1), ("b", 2)],
    "optional": [1, None, 3],
    "dicts": [{"a": 1}, {}],
    "times": [np.datetime64("2020-01-01"), np.datetime64("2021-01-01")],
}


@pytest.mark.parametrize("items", MAKERS.values(), ids=MAKERS)
def test_a_list_holds_items_of_every_type(items):
    made = typed.List(items)
    assert plain(made) == items and made == items and repr(made) == repr(items)
    assert plain(made[::-1]) == items[::-1] and plain(copy.deepcopy(made)) == items
    assert plain(pickle.loads(pickle.dumps(made))) == items
    made.append(items[0])
    made[0] = items[1]
    assert plain(made) == [items[1], *items[1:], items[0]]
    assert plain(made.pop()) == items[0]
    turned = jit(lambda a: (a, a[0], len(a)))(made)
    assert turned[0] is made and plain(turned[1]) == items[1] and turned[2] == len(items)


def test_a_list_holds_arrays_themselves():
    a, b = np.arange(3.0), np.ones(2)
    made = typed.List([a, b])
    made[1][0] = 5
    assert made[0] is a and b[0] == 5 and made[1] is b
    assert jit(lambda x: x[0])(made) is a


def test_a_nested_list_is_one_object():
    made = typed.List([[1], [2]])
    inner = made[0]
    inner.append(5)
    assert made == [[1, 5], [2]] and made[0] is inner and isinstance(inner, typed.List)
    outside = typed.List([9])
    made.append(outside)
    outside.append(8)
    assert made[2] is outside and made == [[1, 5], [2], [9, 8]]

    @jit
    def change(rows, row):
        rows[0].append(7)
        row.append(6)
        return rows[1], rows[2] is row

    second, same = change(made, outside)
    assert second is made[1] and same and made == [[1, 5, 7], [2], [9, 8, 6]]


REFUSED = (
    (lambda: typed.List([1]).append("a"), TypeError),
    (lambda: typed.List([1]).append(1.5), TypeError),
    (lambda: typed.List([1]).append(2**70), OverflowError),
    (lambda: typed.List(["a"]).append(1), TypeError),
    (lambda: typed.List([[1]]).append(["a"]), TypeError),
    (lambda: typed.List([1]).extend([2, "a"]), TypeError),
    (lambda: typed.List([1, "a"]), TypeError),
    (lambda: typed.List([object()]), TypeError),
    (lambda: typed.Dict({1: 2}).__setitem__("a", 2), TypeError),
    (lambda: typed.Dict({1: 2}).__setitem__(1, "a"), TypeError),
    (lambda: typed.Set({1}).add("a"), TypeError),
    (lambda: typed.List.empty_list(object), TypeError),
    (lambda: typed.Dict.empty(types.float64[:], types.int64), TypeError),
    (lambda: typed.List(5), TypeError),
    (lambda: typed.List(lsttype=types.DictType(types.int64, types.int64)), TypeError),
    (lambda: typed.Dict(dcttype=5), TypeError),
)


@pytest.mark.parametrize(("act", "error"), REFUSED)
def test_values_of_other_types_are_refused(act, error):
    with pytest.raises(error):
        act()


def test_numbers_are_converted_where_nothing_is_lost():
    made = typed.List([1.5])
    made.extend([1, np.float32(2), True])
    assert made == [1.5, 1.0, 2.0, 1.0] and type(made[1]) is float
    small = typed.List.empty_list(types.uint8)
    small.append(255)
    with pytest.raises(OverflowError):
        small.append(256)
    assert small == [255]


def test_a_failed_extension_leaves_the_list_as_it_was():
    made = typed.List([1, 2])
    with pytest.raises(TypeError):
        made[0:1] = [5, 6, "a"]
    assert made == [1, 2]


# --- types ----------------------------------------------------------------------------------------


def test_an_empty_list_takes_its_type_from_the_first_use():
    made = typed.List()
    assert made == [] and not made and cutaway.typeof(made).name == "typed.List[]"
    assert list(made) == made[:] == [] and pickle.loads(pickle.dumps(made)) == []
    made.append(1.5)
    assert cutaway.typeof(made) is types.ListType(types.float64)

    @jit
    def fill(items):
        items.append(1)
        return items

    for _ in range(2):
        made = typed.List()
        assert fill(made) is made and made == [1]
        assert cutaway.typeof(made) is types.ListType(types.int64)
    assert len(fill.signatures) == 1


def test_an_empty_dict_or_set_takes_its_type_from_the_first_use():
    table, names, pairs = typed.Dict(), typed.Set(), typed.Set()
    assert table == {} and 1 not in table and table.get(1) is None and list(names) == []
    with pytest.raises(KeyError):
        table[1]
    with pytest.raises(TypeError):
        table[[]]
    table["a"] = (1, 2.5)
    names.add("a")
    pairs.add((1, "a"))
    assert table == {"a": (1, 2.5)} and names == {"a"} and pairs == {(1, "a")}
    count = jit(lambda d, x: d.setdefault(x, 0))
    table = typed.Dict()
    assert count(table, "b") == 0 and table == {"b": 0}


def test_the_names_of_the_reference_make_them():
    ty = types.ListType(types.float64)
    assert typed.List(lsttype=ty) == [] and cutaway.typeof(typed.List(lsttype=ty)) is ty
    assert cutaway.typeof(typed.List.empty_list(types.float64)) is ty
    both = types.DictType(types.unicode_type, types.float64[:])
    assert cutaway.typeof(typed.Dict.empty(types.unicode_type, types.float64[:])) is both
    assert cutaway.typeof(typed.Dict(dcttype=both)) is both
    assert isinstance(ty, types.ListType) and not isinstance(both, types.ListType)
    assert pickle.loads(pickle.dumps(ty)) is ty and copy.deepcopy(ty) is ty


def test_an_array_becomes_a_list():
    made = typed.List(np.array([1.5, 2.5], np.float32))
    assert made == [1.5, 2.5] and cutaway.typeof(made) is types.ListType(types.float32)


# --- the buffer -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", "? b h i q B H I Q e f d F D".split())
def test_numbers_are_shared_with_arrays(dtype):
    made = typed.List(np.ones(3, dtype))
    array = np.asarray(made)
    assert array.dtype == dtype and list(array) == [1, 1, 1]
    array[1] = 0
    assert made == [1, 0, 1] and memoryview(made).nbytes == array.nbytes


def test_a_list_does_not_grow_while_it_is_exported():
    made = typed.List([1, 2, 3])
    made.append(4)
    view = memoryview(made)
    words = "Existing exports of data: object cannot be re-sized"
    append, shorten = jit(lambda a: a.append(5)), jit(lambda a: a.pop())
    acts: tuple[Any, ...] = (made.pop, made.clear, lambda: made.append(5), lambda: made.extend([5]))
    for act in (*acts, lambda: append(made), lambda: shorten(made), lambda: gone(made, 0)):
        with pytest.raises(BufferError, match=words):
            act()
    made[0] = 9
    made[1:3] = [8, 7]
    made.reverse()
    assert list(view) == made == [4, 7, 8, 9]
    view.release()
    append(made)
    assert made == [4, 7, 8, 9, 5]


def test_other_items_have_no_buffer():
    with pytest.raises(BufferError):
        memoryview(typed.List(["a"]))
    assert np.asarray(typed.List(["a"])).tolist() == ["a"]


# --- dicts and sets -------------------------------------------------------------------------------

KEYS = (1, 2, 9, 1.0, True, "a", None, np.int64(2), 2.5, 2**70, (1,))
OF_DICTS = (
    *[lambda d, k=k: d[k] for k in (*KEYS, [])],
    *[lambda d, k=k: k in d for k in (*KEYS, [])],
    *[lambda d, k=k: d.get(k, -1) for k in KEYS],
    *[lambda d, k=k: gone(d, k) for k in KEYS],
    *[lambda d, k=k: d.pop(k) for k in KEYS],
    *[lambda d, k=k: slot(d, k, 5) for k in (1, 9, -1)],
    lambda d: d.get(1),
    lambda d: d.get(),
    lambda d: d.pop(9, 5),
    lambda d: d.popitem(),
    lambda d: d.setdefault(1, 8),
    lambda d: d.setdefault(9, 8),
    lambda d: d.update({9: 8, 1: 7}),
    lambda d: d.update([(9, 8)]),
    lambda d: d.clear(),
    lambda d: d.copy(),
    lambda d: copy.copy(d),
    lambda d: copy.deepcopy(d),
    lambda d: pickle.loads(pickle.dumps(d)),
    lambda d: d | {9: 8},
    lambda d: {9: 8} | d,
    lambda d: d.__ior__({9: 8}),
    lambda d: d == {1: 10, 2: 20, 3: 30},
    lambda d: {1: 10, 2: 20, 3: 30} == d,
    lambda d: d != {},
    lambda d: list(d),
    lambda d: list(reversed(d)),
    lambda d: list(d.keys()),
    lambda d: list(d.values()),
    lambda d: list(d.items()),
    lambda d: list(reversed(d.items())),
    lambda d: 20 in d.values(),
    lambda d: (2, 20) in d.items(),
    lambda d: d.keys() & {1, 9},
    lambda d: len(d.items()),
    lambda d: [d.pop(k) for k in d],
    lambda d: [slot(d, k + 10, 0) for k in d],
    lambda d: {**d, 4: 5},
    lambda d: isinstance(d, kinds.MutableMapping),
    lambda d: sorted(d.items(), key=lambda pair: -pair[1]),
    len,
    bool,
    repr,
    hash,
)


@pytest.mark.parametrize("place", range(len(OF_DICTS)))
def test_a_dict_does_as_pythons_does(place):
    act, entries = OF_DICTS[place], {1: 10, 2: 20, 3: 30}
    expected, got = answer(act, dict(entries)), answer(act, typed.Dict(entries))
    assert repr(got) == repr(expected) or _is_of_another_class(expected, got)


OF_SETS = (
    *[lambda s, k=k: k in s for k in KEYS],
    *[lambda s, k=k: s.discard(k) for k in KEYS],
    *[lambda s, k=k: s.remove(k) for k in KEYS],
    *[lambda s, k=k: s.add(k) for k in (1, 9)],
    *[lambda s, k=k: getattr(s, k)({2, 3, 9}) for k in "union intersection difference".split()],
    *[lambda s, k=k: getattr(s, k)({2, 9}) for k in "symmetric_difference update".split()],
    *[lambda s, k=k: getattr(s, k)({2, 9}) for k in "issubset issuperset isdisjoint".split()],
    *[
        lambda s, k=k: getattr(s, f"{k}_update")({2, 9})
        for k in "intersection difference symmetric_difference".split()
    ],
    lambda s: s | {9},
    lambda s: {9} | s,
    lambda s: s & {1},
    lambda s: s - {1},
    lambda s: {1, 9} - s,
    lambda s: s ^ {1, 9},
    lambda s: s <= {1, 2, 3},
    lambda s: s < {1, 2, 3},
    lambda s: s == {1, 2, 3},
    lambda s: {1, 2, 3} == s,
    lambda s: s.copy(),
    lambda s: s.clear(),
    lambda s: sorted(s),
    lambda s: pickle.loads(pickle.dumps(s)),
    lambda s: copy.deepcopy(s),
    lambda s: [s.add(x + 10) for x in s],
    lambda s: isinstance(s, kinds.MutableSet),
    lambda s: type(s)().pop(),
    len,
    bool,
    repr,
    hash,
)


@pytest.mark.parametrize("place", range(len(OF_SETS)))
def test_a_set_does_as_pythons_does(place):
    act = OF_SETS[place]
    expected, got = answer(act, {1, 2, 3}), answer(act, typed.Set([1, 2, 3]))
    assert got == expected or _is_of_another_class(expected, got)


ENTRIES = (
    {"a": 1, "\u20ac": 2},
    {(1, "a"): [1, 2], (2, "b"): []},
    {1.5: "x", 0.0: "y"},
    {True: 1},
    {1: {2: {3: "x"}}},
    {None: 1, 2: 3},
    {"k": np.arange(3)},
    {1 + 2j: (1, "b")},
)


@pytest.mark.parametrize("entries", ENTRIES, ids=repr)
def test_a_dict_holds_keys_and_values_of_every_type(entries):
    made = typed.Dict(entries)
    assert str(plain(made)) == str(entries) == repr(made)
    assert all(key in made and str(made[key]) == str(one) for key, one in entries.items())
    first = jit(lambda d: (d, len(d)))(made)
    assert first[0] is made and first[1] == len(entries)
    made.update(entries)
    assert len(made) == len(entries) and str(pickle.loads(pickle.dumps(made))) == str(entries)
    for key in entries:
        del made[key]
    assert not made


def test_a_key_that_changes_the_dict_while_it_is_compared():
    made = typed.Dict({1: 2})

    class Odd(int):
        def __eq__(self, other: object) -> bool:
            made.clear()
            return True

        __hash__ = int.__hash__

    assert Odd(1) not in made and not made


# --- calls ----------------------------------------------------------------------------------------


def test_a_call_copies_nothing():
    big = typed.List(np.zeros(1_000_000))

    @jit
    def first(a):
        a[0] += 1
        return a[0]

    first(big)
    before = stats()[0]
    assert first(big) == 2 and first(big) == 3 and big[0] == 3
    assert stats()[0] == before and first.specializations[0].hits["guards"] >= 2


def test_they_are_members_of_tuples_and_of_built_in_containers():
    items, table = typed.List([1]), typed.Dict({"a": 1})

    @jit
    def change(pair, rows, tables):
        pair[0].append(2)
        rows[0].append(3)
        tables["x"]["b"] = 4
        return rows[1], (pair[1], tables["x"])

    other = typed.List([5])
    got = change((items, other), [items, other], {"x": table})
    assert got[0] is other and got[1][0] is other and got[1][1] is table
    assert items == [1, 2, 3] and table == {"a": 1, "b": 4}


def test_an_exception_leaves_them_as_python_would():
    @jit
    def fail(a, d):
        a.append(1)
        d[a[0]] = a[5]

    items, table = typed.List([7]), typed.Dict({1: 1})
    with pytest.raises(IndexError):
        fail(items, table)
    assert items == [7, 1] and table == {1: 1}


def test_signatures_name_them():
    @jit("float64(ListType(float64), DictType(int64, float64))")
    def total(a, d):
        a.append(1.0)
        return a[0] + d[1]

    items, table = typed.List([2.5]), typed.Dict({1: 2.0})
    assert total(items, table) == 4.5 and items == [2.5, 1.0]
    built_in = [1.5]  # it is copied, and written back
    assert total(built_in, table) == 3.5 and built_in == [1.5, 1.0]
    with pytest.raises(TypeError):
        total(typed.List(["a"]), table)


def test_explanations_know_them():
    @jit
    def size(a):
        return len(a)

    items = typed.List([1])
    size(items)
    text = str(size.explain_dispatch(items))
    assert "typed.List[int64]" in text and "by fingerprint: typed.List" in text
    assert "typed.List[int64]" in str(size.signatures[0])


@jit
def shared(a):
    a.append(len(a))
    return a


def test_compiled_code_with_them_is_pickled():
    again = pickle.loads(pickle.dumps(shared))
    items = typed.List([5])
    assert again(items) is items and items == [5, 1]


CACHED = """
import sys
from cutaway import jit, typed
@jit(cache=True)
def f(a, d):
    a.append(d["x"])
    return a, typed.List([a[0]]), d
a, d = typed.List([1]), typed.Dict({"x": 2})
x, y, z = f(a, d)
assert x is a and z is d and a == [1, 2] and y == [1] and type(y) is typed.List
print(f.stats.cache_hits)
"""


def test_cached_code_with_them_is_loaded(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(CACHED)
    runs = [
        subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
        for _ in range(2)
    ]
    assert [run.stderr for run in runs] == ["", ""]
    assert runs[0].stdout != runs[1].stdout


# --- memory ---------------------------------------------------------------------------------------


def everything() -> None:
    """Make, change and drop native containers in every way, with errors in the middle."""
    rows = typed.List([["a" * 20], ["b" * 20, "c" * 20]])
    rows.append(rows[0])
    rows[0] = ["d" * 20]
    for act in (lambda: rows.append([1]), lambda: rows.extend([["x" * 9], [1]]), lambda: rows[9]):
        with pytest.raises((TypeError, IndexError)):
            act()
    rows[:] = [row for row in rows]
    rows.insert(0, ["e" * 20])
    del rows[0], rows[-1:]
    table = typed.Dict({("k" * 20, 1): np.ones(3)})
    table["k" * 20, 1] = np.ones(4)
    table["l" * 20, 2] = np.ones(5)
    for act in (lambda: table[1], lambda: table.update({("m" * 9, 3): 5}), lambda: table.pop(5)):
        with pytest.raises((TypeError, KeyError)):
            act()
    list(table.items()), table.copy(), table.popitem(), pickle.loads(pickle.dumps(table))
    names = typed.Set(["n" * 20, "o" * 20])
    names.discard("n" * 20), names | {"p" * 20}, copy.deepcopy(names)
    use_everything(rows, table, names)
    np.asarray(typed.List([1.5])), memoryview(typed.List([1]))


@jit
def use_everything(rows, table, names):
    row = typed.List(["q" * 9])
    rows.append(row)
    made = typed.List()
    made.append((rows[0], "r"))
    names.add("s" + rows[0][0])
    return rows, made, table, [row], names


def test_nothing_leaks():
    left = []
    for _ in range(5):
        gc.collect()
        memory, objects = stats()[0] - stats()[1], sys.getallocatedblocks()
        for _ in range(100):
            everything()
        gc.collect()
        left.append((stats()[0] - stats()[1] - memory, sys.getallocatedblocks() - objects))
    assert [blocks for blocks, _ in left[1:]] == [0] * 4
    assert min(objects for _, objects in left) < 100


# --- threads --------------------------------------------------------------------------------------


def test_threads_change_one_container_at_once():
    items, table, texts = typed.List([0]), typed.Dict({0: 0}), typed.Dict({"": [0]})

    def work(number: int) -> None:
        for k in range(2000):
            items.append(k)
            items[k % len(items)] = k
            table[k % 50 + number] = k
            texts[str(k % 20)] = [k]
            texts.get(str(k), None)
            if k % 3 == 0:
                items.pop()
                table.pop(k % 50, None)
                texts.pop(str(k % 20), None)
            if k % 100 == 0:
                items[:3], table.copy(), list(items)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(items) == 1 + 4 * 2000 - 4 * 667 and len(table) <= 54


def test_threads_wrap_one_container_at_once():
    rows = typed.List([[1], [2]])

    def work() -> None:
        for _ in range(2000):
            row = rows[0]
            assert row is rows[0]
            del row

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rows[0] == [1]


# --- globals --------------------------------------------------------------------------------------

ROWS, TABLE = typed.List([1, 2, 3]), typed.Dict({"a": 1})


@jit
def of_globals(k):
    ROWS.append(k)
    TABLE["b"] = k
    return ROWS, ROWS[0], len(TABLE)


def test_a_global_is_the_container_itself():
    rows, first, size = of_globals(7)
    assert rows is ROWS and first == 1 and size == 2 and TABLE == {"a": 1, "b": 7}
    ROWS[0] = 9
    assert of_globals(8)[1] == 9 and ROWS == [9, 2, 3, 7, 8]


def test_a_closure_keeps_its_container():
    def made() -> Any:
        own = typed.List(["a"])

        @jit
        def add(text):
            own.append(text)
            return own

        return add

    add, other = made(), made()
    gc.collect()
    assert add("b") == ["a", "b"] and add("c") == ["a", "b", "c"] and other("x") == ["a", "x"]


# --- made in compiled code ------------------------------------------------------------------------

ITEMS, PAIRS = types.ListType(types.int64), types.DictType(types.int64, types.float64)
MADE = (
    (lambda n: typed.List(), "typed.List[]", []),
    (lambda n: typed.List(range(n)), "typed.List[int64]", [0, 1, 2]),
    (lambda n: typed.List([n, 1.5]), "typed.List[float64]", [3.0, 1.5]),
    (lambda n: typed.List([[n], [1]]), "typed.List[typed.List[int64]]", [[3], [1]]),
    (lambda n: typed.List(lsttype=ITEMS), "typed.List[int64]", []),
    (lambda n: typed.List.empty_list(types.unicode_type), "typed.List[str]", []),
    (lambda n: typed.List.empty_list(ITEMS), "typed.List[typed.List[int64]]", []),
    (lambda n: typed.List.empty_list(types.float32, n), "typed.List[float32]", []),
    (lambda n: typed.Dict({n: "a"}), "typed.Dict[int64, str]", {3: "a"}),
    (lambda n: typed.Dict([(n, 1.5)]), "typed.Dict[int64, float64]", {3: 1.5}),
    (lambda n: typed.Dict(dcttype=PAIRS), "typed.Dict[int64, float64]", {}),
    (
        lambda n: typed.Dict.empty(key_type=types.int64, value_type=types.int8),
        "typed.Dict[int64, int8]",
        {},
    ),
    (
        lambda n: typed.Dict.empty(types.unicode_type, PAIRS),
        "typed.Dict[str, typed.Dict[int64, float64]]",
        {},
    ),
    (lambda n: typed.Set([n, n]), "typed.Set[int64]", {3}),
    (lambda n: typed.Set.empty(types.int64), "typed.Set[int64]", set()),
    (lambda n: typed.List([n]) + [1], "typed.List[int64]", [3, 1]),
    (lambda n: [1] + typed.List([n]), "typed.List[int64]", [1, 3]),
    (lambda n: typed.List([n, 1])[1:], "typed.List[int64]", [1]),
    (lambda n: typed.List([n]) * 2, "typed.List[int64]", [3, 3]),
    (lambda n: list(typed.List([n])), "list[int64]", [3]),
    (lambda n: sorted(typed.List([n, 1])), "list[int64]", [1, 3]),
    (lambda n: dict(typed.Dict({n: n})), "dict[int64, int64]", {3: 3}),
    (lambda n: set(typed.Set([n])), "set[int64]", {3}),
    (lambda n: [typed.List([n])], "list[typed.List[int64]]", [[3]]),
    (lambda n: isinstance(typed.List([n]), list), "bool", False),
    (lambda n: isinstance(typed.List([n]), typed.List), "bool", True),
    (lambda n: typed.List([n]) == [n], "bool", True),
)


@pytest.mark.parametrize("place", range(len(MADE)))
def test_compiled_code_makes_them_as_python_does(place):
    function, name, expected = MADE[place]
    compiled = jit(function)
    made = compiled(3)
    assert plain(made) == expected == plain(function(3))
    assert type(made) is type(function(3))
    assert str(cutaway.typeof(made)) == name.replace("bool", "boolean") or name == "bool"


def test_a_built_in_list_that_becomes_native_too_is_both():
    @jit
    def put(rows, row):
        rows.append(row)
        row.append(5)
        return rows[-1], row, rows[-1] is row

    rows, row = typed.List([[1]]), [2]
    native, own, same = put(rows, row)
    assert own is row and not same and native is rows[1] and isinstance(native, typed.List)
    assert rows == [[1], [2, 5]] and row == [2, 5]
    row.append(6)
    assert rows == [[1], [2, 5]]
