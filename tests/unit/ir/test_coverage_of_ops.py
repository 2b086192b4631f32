"""An op that is added must be known everywhere; this names where it is not."""

from __future__ import annotations

import pytest

from cutaway.ir.interpreter import INTERPRETED
from cutaway.ir.nodes import OPS
from cutaway.lowering.objects.ops import LOWERED as OBJECTS
from cutaway.lowering.ops import LOWERED
from cutaway.typing.inference.constraints import TYPED

TYPING_ONLY_REFUSES = {  # never get to lowering
    *("Deref", "RaiseCurrent"),
    *("Enter", "ExitWith", "Delegate", "BuildSet", "BuildDict", "Extend", "DelItem"),
    *("CallSpread", "IsPattern", "MatchKeys", "MatchClass", "Import", "ImportFrom"),
    *("ReadOuter", "WriteOuter", "DeleteOuter", "Move", "RunLoop"),
}
UNTYPED = {
    "Incref",
    "Decref",
    "Deref",
    "Move",
    "RunLoop",
}  # come after inference, or are gone before it


@pytest.mark.parametrize("name", OPS)
def test_every_op_is_interpreted(name):
    assert OPS[name] in INTERPRETED


@pytest.mark.parametrize("name", sorted(set(OPS) - UNTYPED))
def test_every_op_has_a_typing_constraint(name):
    assert OPS[name] in TYPED


@pytest.mark.parametrize("name", sorted(set(OPS) - TYPING_ONLY_REFUSES))
def test_every_op_is_lowered(name):
    assert OPS[name] in LOWERED


# Made by passes that know types, or by the rewrites in front of them.
NOT_OF_OBJECTS = {
    *("Apart", "ArrayExpr", "ArrayReduce", "ArrayStore", "Element", "Give", "Line", "Load"),
    *("NewArray", "OwnStreams", "Parfor", "RequireElements", "SizesOf", "Store", "Yield"),
    *("Del", "Phi", "RaiseComputed", "RaiseComputedFrom", "StaticRaise", "StaticSetItem"),
    *("RunObjects", "Unreachable", "Unwrap"),
}


@pytest.mark.parametrize("name", sorted(set(OPS) - NOT_OF_OBJECTS))
def test_every_op_is_lowered_to_objects(name):
    assert OPS[name] in OBJECTS


@pytest.mark.parametrize("name", OPS)
def test_every_op_has_a_text_form_with_all_of_its_fields(name):
    for spec in OPS[name].FIELDS:
        assert spec.name in OPS[name].REGIONS or f"{{{spec.name}}}" in OPS[name].TEXT
