"""What passes report is put into words."""

from __future__ import annotations

from cutaway.inspection.recording.facts import fact_line, fact_text
from cutaway.ir.nodes import Const, Jump
from cutaway.ir.rewriting import BlockChange, RewriteRecord

CHANGE = BlockChange(12, (Const("x", 1), Jump(3)), (Const("x", 2), Jump(3)))
RECORD = RewriteRecord("fold", (CHANGE,), "`1 + 1` is 2")


def test_a_rewrite_is_one_line_or_the_block_before_and_after() -> None:
    assert fact_line(RECORD) == "rule fold fired in label 12: `1 + 1` is 2"
    lines = fact_text(RECORD).splitlines()
    assert lines[1] == "    x = const(1)"
    assert lines[4] == "    x = const(2)"


def test_any_other_fact_is_its_own_text() -> None:
    assert fact_text("a branch was pruned") == "a branch was pruned"
