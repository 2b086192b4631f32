"""A compile unit gives what passes have made, and says which pass is missing."""

from __future__ import annotations

import pytest

from cutaway.errors import InternalError
from cutaway.foundation.options import Flags
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Const, Return
from cutaway.stages.catalog import PASSES
from cutaway.stages.unit import PRODUCTS, CompileUnit


def unit_of_add() -> CompileUnit:
    """A unit with nothing done."""

    def add(a, b):
        return a + b

    return CompileUnit(add, (), Flags(), None, "add_1")


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_product_that_is_read_too_early_names_its_pass(product: str) -> None:
    row = PRODUCTS[product]
    with pytest.raises(InternalError, match=f"pass {row.set_by} sets it"):
        getattr(unit_of_add(), product)
    assert row.set_by in {p.name for p in PASSES}


def test_a_product_is_there_once_it_is_set() -> None:
    unit = unit_of_add()
    assert not unit.has("llvm")
    unit.llvm = "define"
    assert unit.has("llvm")
    assert unit.llvm == "define"


def test_a_copy_does_not_see_what_happens_later() -> None:
    unit = unit_of_add()
    unit.fn = Function("add", (), {0: Block(0, [Const("$0.1", 1), Return("$0.1")])})
    unit.types = {}
    earlier = unit.copy()
    del unit.fn.blocks[0].ops[0]
    unit.types["x"] = None
    assert len(earlier.fn.blocks[0].ops) == 2
    assert earlier.types == {}
    unit.restore(earlier)
    assert len(unit.fn.blocks[0].ops) == 2


def test_a_unit_is_named_as_the_user_would_name_it() -> None:
    assert unit_of_add().name == "unit_of_add.add"
