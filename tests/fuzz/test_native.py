"""State machines: native containers and Python's own, changed from Python and by compiled code."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import cutaway
from cutaway import typed
from cutaway.runtime import stats


def _store(a: Any, i: int, j: int, x: Any, y: Any) -> None:
    a[i] = x


def _store_part(a: Any, i: int, j: int, x: Any, y: Any) -> None:
    a[i:j] = a[:2]


def _remove(a: Any, i: int, j: int, x: Any, y: Any) -> None:
    del a[i]


def _remove_part(a: Any, i: int, j: int, x: Any, y: Any) -> None:
    del a[i:j]


def _store_value(a: Any, i: int, j: int, x: Any, y: Any) -> None:
    a[x] = y


def _remove_key(a: Any, i: int, j: int, x: Any, y: Any) -> None:
    del a[x]


# What is done to a container `a`, with indices i and j, an item or a key x, and a value y.
Act = Callable[[Any, int, int, Any, Any], Any]
OF_LISTS: tuple[Act, ...] = (
    lambda a, i, j, x, y: a.append(x),
    lambda a, i, j, x, y: a.insert(i, x),
    lambda a, i, j, x, y: a.pop(i),
    lambda a, i, j, x, y: a.pop(),
    lambda a, i, j, x, y: a.remove(x),
    lambda a, i, j, x, y: a[i],
    _store,
    _remove,
    lambda a, i, j, x, y: a[i:j],
    lambda a, i, j, x, y: a[::-2],
    _store_part,
    _remove_part,
    lambda a, i, j, x, y: a.extend(a[:3]),
    lambda a, i, j, x, y: a.reverse(),
    lambda a, i, j, x, y: a.sort(),
    lambda a, i, j, x, y: a.count(x),
    lambda a, i, j, x, y: a.index(x),
    lambda a, i, j, x, y: x in a,
    lambda a, i, j, x, y: a.copy(),
    lambda a, i, j, x, y: a + a[1:],
    lambda a, i, j, x, y: a == a[:-1],
    lambda a, i, j, x, y: [one for one in a],
    lambda a, i, j, x, y: a.clear() if i == j else None,
)
OF_DICTS: tuple[Act, ...] = (
    _store_value,
    lambda a, i, j, x, y: a[x],
    lambda a, i, j, x, y: a.get(x, y),
    _remove_key,
    lambda a, i, j, x, y: a.pop(x),
    lambda a, i, j, x, y: a.setdefault(x, y),
    lambda a, i, j, x, y: a.popitem(),
    lambda a, i, j, x, y: x in a,
    lambda a, i, j, x, y: a.copy(),
    lambda a, i, j, x, y: a.update({x: y}),
    lambda a, i, j, x, y: list(a.items()),
    lambda a, i, j, x, y: list(a.values()),
    lambda a, i, j, x, y: [key for key in a],
    lambda a, i, j, x, y: a == {x: y},
    lambda a, i, j, x, y: a.clear() if i == j else None,
)
OF_SETS: tuple[Act, ...] = (
    lambda a, i, j, x, y: a.add(x),
    lambda a, i, j, x, y: a.remove(x),
    lambda a, i, j, x, y: a.discard(x),
    lambda a, i, j, x, y: x in a,
    lambda a, i, j, x, y: a.copy(),
    lambda a, i, j, x, y: a | {x},
    lambda a, i, j, x, y: a - {x},
    lambda a, i, j, x, y: a.update([x, x]),
    lambda a, i, j, x, y: sorted(a),
    lambda a, i, j, x, y: a.clear() if i == j else None,
)
ITEMS: dict[str, Any] = {
    "ints": st.sampled_from((0, 1, -7, 2**40)),
    "texts": st.sampled_from(("", "a", "\u20ac" * 9, "ab")),
    "tuples": st.tuples(st.sampled_from((0, 1)), st.sampled_from(("", "x" * 20))),
}
KINDS = {"list": (list, OF_LISTS), "dict": (dict, OF_DICTS), "set": (set, OF_SETS)}


@cache
def compiled(act: Act) -> Any:
    return cutaway.jit(act)


def plain(value: Any) -> Any:
    """A value with built-in containers in the place of native ones."""
    for cls, own in ((typed.List, list), (typed.Dict, dict), (typed.Set, set)):
        if isinstance(value, cls):
            return own(value)
    return value


def outcome(function: Any, *args: Any) -> Any:
    try:
        return plain(function(*args))
    except (IndexError, KeyError, ValueError) as error:
        return type(error), error.args


def machine(kind: str, items: str) -> type[RuleBasedStateMachine]:
    """A machine for containers of a kind, with items or keys of a type."""
    own, acts = KINDS[kind]
    values, index = ITEMS[items], st.integers(-5, 7)

    class Machine(RuleBasedStateMachine):
        @initialize(first=st.lists(values, min_size=1, max_size=6))
        def begin(self, first):
            self.own: Any = dict.fromkeys(first, "v") if kind == "dict" else own(first)
            self.native = getattr(typed, kind.capitalize())(self.own)
            self.kept = self.native

        @rule(act=st.sampled_from(acts), i=index, j=index, x=values, quick=st.booleans())
        def step(self, act, i, j, x, quick):
            expected = outcome(act, self.own, i, j, x, "w")
            got = outcome(compiled(act) if quick else act, self.native, i, j, x, "w")
            assert got == expected and type(got) is type(expected)

        @invariant()
        def they_are_the_same(self):
            assert len(self.native) == len(self.own) and self.native is self.kept
            assert self.native == self.own and self.own == self.native
            assert kind == "set" or list(self.native) == list(self.own)

    return Machine


@pytest.mark.parametrize("items", ITEMS)
@pytest.mark.parametrize("kind", KINDS)
def test_native_containers_change_as_pythons_do(kind, items):
    case = machine(kind, items).TestCase
    case.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
    case().runTest()
    del case
    gc.collect()
    before = stats()[0] - stats()[1]
    again = machine(kind, items).TestCase
    again.settings = settings(max_examples=5, stateful_step_count=25, deadline=None)
    again().runTest()
    del again
    gc.collect()
    assert stats()[0] - stats()[1] == before
