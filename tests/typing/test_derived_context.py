"""A context on top of another: what either knows is found without loading more of the library."""

from __future__ import annotations

import pytest

from cutaway.typing import types
from cutaway.typing.overloads.context import TypingContext
from cutaway.typing.overloads.derived import DerivedContext

ARRAY = types.Array(types.float64, 1, "C")


@pytest.fixture
def context():
    base = TypingContext()
    base.rest = lambda: base.methods.add((types.Array, "late"))
    base.attributes[types.Array, "size"] = []
    derived = DerivedContext(base)
    derived.attributes[types.Integer, "own"] = []
    derived.methods.add((types.Integer, "step"))
    return derived


@pytest.mark.parametrize(("owner", "name"), [(ARRAY, "size"), (types.int64, "own")])
def test_an_attribute_that_is_known_loads_nothing(context, owner, name):
    assert context.method_of(owner, name) is None
    assert context.base.rest is not None


def test_methods_of_both_are_found_and_others_load_the_rest(context):
    assert context.method_of(types.int64, "step") == (types.Integer, "step")
    assert context.base.rest is not None
    assert context.method_of(ARRAY, "late") == (types.Array, "late")
    assert context.base.rest is None
