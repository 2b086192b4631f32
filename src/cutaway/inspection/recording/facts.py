"""The reports of running passes, in words."""

from __future__ import annotations

from cutaway.ir.nodes import Op
from cutaway.ir.printer import op_text
from cutaway.ir.rewriting import RewriteRecord


def fact_line(record: object) -> str:
    """Format a reported fact in one line."""
    if isinstance(record, RewriteRecord):
        where = f" in label {record.label}" if record.changes else ""
        note = f": {record.note}" if record.note else ""
        return f"rule {record.rule} fired{where}{note}"
    return str(record)


def fact_text(record: object) -> str:
    """Format a reported fact in full: of a rewrite, the blocks before and after it."""
    lines = [fact_line(record)]
    for change in record.changes if isinstance(record, RewriteRecord) else ():
        lines += [*_ops(change.before or ()), "_" * 60, *_ops(change.after or ()), "_" * 60]
    return "\n".join(lines)


def _ops(ops: tuple[Op, ...]) -> list[str]:
    return [f"    {op_text(op)}" for op in ops]
