"""What passes over array expressions decide, with reasons that users read."""

from __future__ import annotations

import re

from cutaway.ir import nodes
from cutaway.ir.decisions import DONE, MISSED, Decision
from cutaway.ir.elements import steps
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.nodes import Op
from cutaway.stages.unit import CompileUnit
from cutaway.typing.inference.resolutions import Chosen

# Operations that cost more than to store their result and to read it again.
_COSTLY = frozenset(("divide", "floor_divide", "remainder", "fmod", "power", "sqrt", "divmod"))


class Reasons:
    """Notes the decisions about one function."""

    def __init__(self, unit: CompileUnit, fn: Function) -> None:
        self.unit = unit
        self.fn = fn

    def is_costly(self, op: nodes.ArrayExpr) -> bool:
        """True if an expression costs more to compute again than to read."""
        for step in steps(op.body):
            resolved = self.unit.resolutions.get(step.id)
            assert isinstance(resolved, Chosen)
            overload, signature = resolved.resolution.overload, resolved.resolution.signature
            if step.function.partition(".")[0] in _COSTLY:
                return True
            if overload.loop is not None and overload.loop(signature):
                return True
        return False

    def done(self, producer: nodes.ArrayExpr, consumer: Op) -> None:
        """Note that one expression became a part of another."""
        reason = f"it is used once, on line {consumer.loc.line}"
        self._note(producer, consumer, DONE, reason, "")

    def missed(self, producer: nodes.ArrayExpr, consumer: Op, reason: str, hint: str) -> None:
        """Note why it did not."""
        self._note(producer, consumer, MISSED, reason, hint)

    def _note(
        self, producer: nodes.ArrayExpr, consumer: Op, verdict: str, reason: str, hint: str
    ) -> None:
        if self.unit.recording:
            name = producer.result
            subject = (
                producer.expr if is_temporary(name) else f"{user_name(name)} = {producer.expr}"
            )
            subject = re.sub(r"\$[\w.]+", "...", subject)  # what has no name in the program
            self.unit.note(Decision(subject, verdict, "fuse", reason, producer.loc, hint))
