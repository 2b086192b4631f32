"""What passes report while they run, in words."""

from __future__ import annotations

from cutaway.ir.nodes import Op
from cutaway.ir.printer import op_text
from cutaway.ir.rewriting import RewriteRecord


def fact_line(record: object) -> str:
    """A reported fact in one line."""
    if isinstance(record, RewriteRecord):
        return f"rule {record.rule} fired in label {record.label}"
    return str(record)


def fact_text(record: object) -> str:
    """A reported fact in full: of a rewrite, the block before and after it."""
    if not isinstance(record, RewriteRecord):
        return fact_line(record)
    return "\n".join(
        [fact_line(record), *_ops(record.before), "_" * 60, *_ops(record.after), "_" * 60]
    )


def _ops(ops: tuple[Op, ...]) -> list[str]:
    return [f"    {op_text(op)}" for op in ops]
