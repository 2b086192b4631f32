"""A context on top of another: what either knows is found without loading more of the library."""

from __future__ import annotations

import pytest

from cutaway.typing import types
from cutaway.typing.overloads.context import TypingContext
from cutaway.typing.overloads.derived import DerivedContext
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call, Overload, Signature

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


def test_what_the_base_can_call_loads_nothing_where_an_overload_of_its_own_does_not_fit(context):
    def function():
        raise AssertionError

    nothing = Overload(lambda arguments: None, (), None)
    fits = Overload(lambda arguments: Signature(types.int64, arguments.types), (), None)
    context.add(function, nothing)
    context.base.add(function, fits)
    call = Call(Arguments((types.int64,), (MISSING,)))
    assert context.resolve(function, call).overload is fits
    assert context.base.rest is not None
    context.base.overloads[function] = [nothing]
    other = Call(Arguments((types.float64,), (MISSING,)))
    assert context.resolve(function, other) is None
    assert context.base.rest is None
