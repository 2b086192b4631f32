"""A compiled function as its callers see it while compiling."""

from __future__ import annotations

from dataclasses import dataclass, field

from cutaway.lowering.builder import FunctionCode
from cutaway.lowering.raising import RaiseTable
from cutaway.typing.parameters import Parameters
from cutaway.typing.types import Type


@dataclass(slots=True, eq=False)
class Callee:
    """One specialisation of a function, made once and shared by all of its callers.

    `returns` and `code` are None until its own compilation has got there: a recursive
    function meets its own unfinished record.  `recursive` is set by such a meeting.
    """

    symbol: str
    argtypes: tuple[Type, ...]
    returns: Type | None = None
    code: FunctionCode | None = None
    table: RaiseTable | None = None
    parameters: Parameters | None = None
    callees: list[Callee] = field(default_factory=list)
    recursive: bool = False
    loops: bool = False
    loops_over_arrays: bool = False

    def closure(self) -> list[Callee]:
        """This function and all that it calls, directly or not, each once, itself first."""
        found = {id(self): self}
        waiting = [self]
        while waiting:
            for callee in waiting.pop().callees:
                if id(callee) not in found:
                    found[id(callee)] = callee
                    waiting.append(callee)
        return list(found.values())
