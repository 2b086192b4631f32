"""Events of type inference: each change of a type variable, with its causes."""

from __future__ import annotations

from cutaway.foundation.dataclass import dataclass
from cutaway.ir.nodes import Op
from cutaway.typing.types import Type

RETURN = "return"  # the type variable of the function's result; no IR variable has this name


@dataclass(frozen=True, slots=True)
class TypeEvent:
    """One change of a type variable, and its causes.

    With `widens`, `op` puts a value into a container, which the variable contains or comes from.
    """

    variable: str
    old: Type | None
    new: Type
    op: Op
    causes: tuple[tuple[str, Type], ...]
    widens: bool = False

    def __str__(self) -> str:
        old = "unknown" if self.old is None else str(self.old)
        why = ", ".join(f"{name} :: {ty}" for name, ty in self.causes)
        return f"{self.variable}: {old} -> {self.new}  at {self.op.loc}  because {why or 'given'}"
