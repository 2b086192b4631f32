"""Passes that do not apply to a unit would leave it as it is."""

from __future__ import annotations

import pytest

import cutaway
from corpus.programs.cases import CASES
from cutaway.errors import CutawayError
from cutaway.ir.levels import Level
from cutaway.ir.nodes import OPS
from cutaway.ir.printer import to_text
from cutaway.stages import conditions, passes

pytestmark = pytest.mark.sampled(test=6, others=40, fast=80)


def run_always(self: passes.Own, unit) -> None:
    """Run a pass that does not apply, too: it must not change the unit."""
    if self.applies is None or self.applies(unit):
        self.module.run(unit)
        return
    types = unit.types if Level.typed.leads_to(unit.level) else None
    before = to_text(unit.fn, types=types)
    self.module.run(unit)
    assert to_text(unit.fn, types=types) == before, self.module.__name__


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_pass_that_does_not_apply_changes_nothing(case, monkeypatch):
    monkeypatch.setattr(passes.Own, "__call__", run_always)
    compiled = cutaway.jit(case.function)
    for arguments in case.arguments:
        try:
            compiled(*arguments())
        except CutawayError as error:
            assert not isinstance(error, cutaway.errors.InternalError)
        except Exception:  # noqa: BLE001, S110  the program's own
            pass


def test_conditions_name_ops():
    named = [one for one in vars(conditions).values() if isinstance(one, conditions.HasOps)]
    assert named and all(one.names <= OPS.keys() for one in named)
