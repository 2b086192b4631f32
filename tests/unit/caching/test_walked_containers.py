"""Containers that an extension's code depends on are walked once, and seen to change."""

from __future__ import annotations

import sys
from types import ModuleType

from cutaway.caching.dependencies import is_fixed_module
from cutaway.caching.extensions import ExtensionWalk
from cutaway.caching.identity import Origin
from cutaway.compat import layer


def parts(value: object, names: tuple[str, ...] = ()) -> list[str]:
    walk = ExtensionWalk()
    walk.value(value, Origin("it", frozenset(names)))
    return walk.parts


def test_a_container_that_many_hold_is_walked_once():
    shared: list[object] = [1]
    for _ in range(14):
        shared = [shared, {"first": shared, "second": shared}]
    assert len(parts(shared)) < 1000


def test_a_container_that_holds_itself_ends():
    own: dict[str, object] = {}
    own["own"] = own
    assert parts(own) == parts(own)


def test_equal_containers_differ_from_one_that_is_met_twice():
    one = [1]
    assert parts([one, one]) != parts([[1], [1]]) == parts([[1], [1]])
    assert parts(((1,), (1,))) == parts(((1,),) * 2)


def test_a_walk_is_up_to_date_until_a_container_changes():
    held = {"a": [1.5, 2], "b": {3}}
    walk = ExtensionWalk()
    walk.value(held, Origin("it"))
    assert walk.is_up_to_date()
    held["a"].append(4)
    assert not walk.is_up_to_date()
    held["a"].pop()
    assert walk.is_up_to_date()
    held["c"] = 5
    assert not walk.is_up_to_date()


def test_what_all_modules_have_is_not_looked_at():
    module = ModuleType("a_module_of_mine")
    module.x = 1
    text = parts(module, ("__init__", "x"))
    assert "x" in text and "__init__" not in text


def test_modules_of_the_layer_are_ours(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba.core.cgutils", layer.LayerModule("numba.core.cgutils"))
    assert is_fixed_module("numba.core.cgutils")
    monkeypatch.setitem(sys.modules, "numba.of_others", ModuleType("numba.of_others"))
    assert not is_fixed_module("numba.of_others")
