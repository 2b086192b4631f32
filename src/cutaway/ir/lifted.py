"""A loop that is lifted out of a function in object mode, to be run by code with types.

What it reads of the module and of enclosing functions is sorted by its value: modules, functions
and classes are part of its code, as in any function with types, and when one of them has changed it
is compiled anew; all else is passed to it as it is when the loop begins.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from cutaway.errors import CutawayError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc
from cutaway.ir import nodes
from cutaway.ir.constants import MISSING, Named
from cutaway.ir.decisions import Decision
from cutaway.ir.function import Function, user_name
from cutaway.ir.nodes import Op
from cutaway.ir.outlining import Outline
from cutaway.ir.traversal import change_blocks, walk

Outer = tuple[str, str]  # a variable that is not the function's own: `global` or `nonlocal`, name

REFUSALS = 4  # rows of what C remembers of arguments that no types fit


class NotLifted(Exception):
    """No types fit a loop's values: it runs as objects.  `lasting` where the classes of the values
    alone say so."""

    def __init__(self, lasting: bool) -> None:
        super().__init__("no types fit")
        self.lasting = lasting


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to run a loop with types that has failed: the types of its values, where all have
    types, and the error.  (Any: types of the typing layer.)"""

    types: tuple[Any, ...] | None
    error: CutawayError


@dataclass(frozen=True, slots=True)
class TriedLoop:
    """A loop of a function in object mode, from one line to another, and the decision about it;
    `lifted` is None where it is not one to be lifted."""

    first_line: int
    last_line: int
    decision: Decision
    lifted: LiftedLoop | None


class LiftedLoop(Named):
    """A loop, as it stands at level ir.

    `state` is what C code asks (`runtime/object_loops.c`): the compiled function that runs the loop
    with all inputs, the outer variables that have become part of its code, with their values, those
    that are passed, and what does not fit.  It is None where nothing can run the loop.  What
    compiles it is `lifting`.  (Any: a dispatcher, values of the program; `dispatch/lifting.py`.)
    """

    def __init__(self, outline: Outline, number: int) -> None:
        self.outline = outline
        self.number = number
        reads = list(_reads(outline.function()))
        self.read: tuple[Outer, ...] = tuple(dict.fromkeys((op.scope, op.name) for op in reads))
        self.cells = {op.name: op.cell for op in reads if op.cell is not None}
        self.frozen: dict[Outer, Any] = {}
        self.passed: tuple[Outer, ...] = ()
        self.refused = bytearray(8 * REFUSALS)
        self.state: tuple[Any, ...] | None = None
        self.lifting: Any = None
        self.sort()

    @property
    def loc(self) -> Loc:
        """Where it begins in the source."""
        return self.outline.loc

    @property
    def text(self) -> str:  # type: ignore[override]
        """How it is written among the constants."""
        return f"loop at line {self.loc.line}"

    def sort(self) -> None:
        """Look at what the outer variables are now."""
        values = {outer: self._value(outer) for outer in self.read}
        self.frozen = {outer: value for outer, value in values.items() if _is_code(value)}
        self.passed = tuple(outer for outer in self.read if outer not in self.frozen)

    def _value(self, outer: Outer) -> Any:  # Any: a value of the program
        scope, name = outer
        if scope == "nonlocal":
            try:
                return self.cells[name].cell_contents
            except ValueError:
                return MISSING
        namespace = self.outline.fn.namespace
        return namespace.get(name, vars(builtins).get(name, MISSING))

    def unbound(self, mask: int) -> frozenset[str]:
        """The inputs that have no value, by a bit for each."""
        return frozenset(name for k, name in enumerate(self.outline.inputs) if mask >> k & 1)

    def function(self, unbound: frozenset[str] = frozenset()) -> Function:
        """The loop as a function, whose parameters are the inputs that have a value and then what
        is passed of the outer variables."""
        made = self.outline.function(unbound)
        inputs = len(made.params)
        names = {outer: self.parameter(outer) for outer in self.passed}
        made.params = (*made.params, *names.values())
        entry = made.entry
        entry.ops[inputs:inputs] = [
            nodes.Arg(name, inputs + k, name, loc=self.loc, id=made.new_id())
            for k, name in enumerate(names.values())
        ]

        def known(op: Op) -> Op:
            if not isinstance(op, nodes.ReadOuter):
                return op
            outer = op.scope, op.name
            if outer in names:
                return nodes.Copy(op.result, names[outer], loc=op.loc, id=op.id)
            cls = nodes.Global if op.cell is None else nodes.FreeVar
            return cls(op.result, op.name, self.frozen[outer], loc=op.loc, id=op.id)

        change_blocks(made.blocks.values(), lambda ops: [known(op) for op in ops])
        return made

    def parameter(self, outer: Outer) -> str:
        """The name of the parameter that an outer variable is passed by."""
        return f"$outer.{outer[1]}"

    def shown(self, name: str) -> str:
        """A parameter in the user's words."""
        if name.startswith("$outer."):
            return f"`{name.removeprefix('$outer.')}`"
        return f"`{user_name(name)}`" if not name.startswith("$") else "what it runs over"

    def values_of(self, args: tuple[Any, ...]) -> tuple[Any, ...]:  # Any: values of the program
        """The arguments of the function, given the inputs that have a value."""
        return (*args, *(self._value(outer) for outer in self.passed))


def _reads(fn: Function) -> Iterator[nodes.ReadOuter]:
    return (op for op in walk(fn) if isinstance(op, nodes.ReadOuter))


def _is_code(value: Any) -> bool:  # Any: a value of the program
    return isinstance(value, ModuleType) or callable(value)
