"""A compiled function as its callers see it while compiling."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from cutaway.foundation.dataclass import dataclass, field, replace
from cutaway.foundation.options import Flags
from cutaway.lowering.build.builder import FunctionCode
from cutaway.lowering.build.raising import RaiseTable
from cutaway.targets.cpu.optimization import HOST, Cpu
from cutaway.targets.target import Target
from cutaway.typing.overloads.parameters import Parameters
from cutaway.typing.types import Type


@dataclass(frozen=True, slots=True, eq=False)
class CodePart:
    """One object of machine code: the function that it exports, and the functions in it, whose
    raise tables it names."""

    object_code: bytes
    export: str
    stems: tuple[str, ...]
    tables: tuple[RaiseTable, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Linked:
    """The machine code of a function: its memory, its address, and its parts by their exports."""

    library: object
    address: int
    parts: dict[str, CodePart]


@dataclass(slots=True, eq=False, weakref_slot=True)
class Callee:
    """One specialization of a function, made once and shared by all of its callers.

    `returns` and `code` are None until its own compilation sets them: a recursive function meets
    its own unfinished record, which sets `recursive`.  A function that always raises
    `never_returns`. `linked` is set for a library function that callers call by its address;
    `origin` is the Python function.  `unstable` is the reason why the code is useless to another
    process, if it is; `is_lasting` says that the symbol is the same in every process.  `extension`
    is the function of a program's extension that the code comes from.  `is_loop`: it is not a
    Python function, but a loop over arrays at one location of a function.  `target` and `flags` are
    those that it is compiled for. In object mode it has an `environment`: the objects that its code
    refers to.  `changes` are the positions of the arguments whose containers it may change; None
    where they are unknown.
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
    linked: Linked | None = None
    origin: FunctionType | None = None
    never_returns: bool = False
    unstable: str = ""
    extension: Any = None
    is_lasting: bool = False
    is_loop: bool = False
    target: Target | None = None
    flags: Flags | None = None
    environment: tuple[Any, ...] | None = None
    changes: frozenset[int] | None = None

    @property
    def cpu(self) -> Cpu:
        """The processor that it is compiled for."""
        return HOST if self.target is None else self.target.machine

    def inlined(self) -> Callee:
        """Return the function for a caller whose module includes its code."""
        # a record of its own, since the function may be linked for others later
        return self if self.code is None else replace(self, linked=None)

    def closure(self, through_linked: bool = False) -> list[Callee]:
        """This function and its transitive callees, each once, itself first.

        The callees of a linked one are skipped, unless `through_linked`.  Two with one symbol are
        the same: threads may have compiled a library function at once.
        """
        members = {self.symbol: self}
        waiting = [self]
        while waiting:
            for callee in waiting.pop().callees:
                member = members.get(callee.symbol)
                if member is None or (member.linked is not None and callee.linked is None):
                    members[callee.symbol] = callee
                    if through_linked or callee.linked is None:
                        waiting.append(callee)
        return list(members.values())
