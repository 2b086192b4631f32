"""A loop that is lifted out of a function in object mode, to run as typed code.

The values that it reads from the module and from enclosing functions are sorted: modules, functions
and classes are part of its code, as in any typed function, and so are the attributes of modules and
classes that it reads; when one of them has changed it is recompiled.  Other values are passed to it
as they are when the loop begins, and so is an attribute that has changed.
"""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Iterator, Sequence
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
from cutaway.ir.traversal import change_blocks, definitions, walk

# A global or closure variable: `global` or `nonlocal`, its name, and the names of the attributes by
# which a value is read from it.
Outer = tuple[str, ...]

REFUSALS = 4  # rows of the C cache of arguments that cannot be typed


class NotLifted(Exception):
    """Raised if a loop's values cannot be typed: it runs as objects.  `lasting` if that follows
    from their classes alone."""

    def __init__(self, lasting: bool) -> None:
        super().__init__("no types fit")
        self.lasting = lasting


@dataclass(frozen=True, slots=True)
class Attempt:
    """One failed attempt to run a loop with types: the types of its values, if all have types, and
    the error."""

    types: tuple[Any, ...] | None
    error: CutawayError


@dataclass(frozen=True, slots=True)
class TriedLoop:
    """A loop of a function in object mode, between two lines, and the decision about it; `lifted`
    is None if it cannot be lifted."""

    first_line: int
    last_line: int
    decision: Decision
    lifted: LiftedLoop | None


class LiftedLoop(Named):
    """A loop, at level ir.

    `state` is read by C code (`runtime/object_loops.c`): the compiled function that runs the loop
    with all inputs, the outer variables that are part of its code, with their values, the passed
    ones, the arguments that cannot be typed, and the results that may be identical to an argument.
    It is None if nothing can run the loop.  `lifting` compiles it.
    """

    def __init__(self, outline: Outline, number: int) -> None:
        self.outline = outline
        self.number = number
        self.plain = outline.function()
        outers = _outers(self.plain).values()
        self.read: tuple[Outer, ...] = tuple(sorted(dict.fromkeys(outers), key=len))
        self.cells = {op.name: op.cell for op in _reads(self.plain) if op.cell is not None}
        self.frozen: dict[Outer, Any] = {}
        self.changing: set[Outer] = set()  # attributes whose values were observed to change
        self.passed: tuple[Outer, ...] = ()
        self.refused = bytearray(8 * REFUSALS)
        self.state: tuple[Any, ...] | None = None
        self.lifting: Any = None
        self.sort()

    @property
    def loc(self) -> Loc:
        """The location where it begins in the source."""
        return self.outline.loc

    @property
    def text(self) -> str:
        """Its notation among constants."""
        return f"loop at line {self.loc.line}"

    def sort(self) -> None:
        """Sort the outer variables by their current values."""
        before, self.frozen, passed = self.frozen, {}, []
        for outer in self.read:
            value = self._value(outer)
            is_attribute = len(outer) > 2
            if is_attribute:
                if value is MISSING or outer[:-1] not in self.frozen:
                    continue
                if before.get(outer, value) is not value and not hasattr(type(value), "__get__"):
                    self.changing.add(outer)
            if _is_code(value) or (is_attribute and outer not in self.changing):
                self.frozen[outer] = value
            else:
                passed.append(outer)
        self.passed = tuple(passed)

    def _value(self, outer: Outer) -> Any:
        scope, name, *attributes = outer
        if attributes:
            return _member(self._value(outer[:-1]), outer[-1])
        if scope == "nonlocal":
            try:
                return self.cells[name].cell_contents
            except ValueError:
                return MISSING
        namespace = self.outline.fn.namespace
        return namespace.get(name, vars(builtins).get(name, MISSING))

    def unbound(self, mask: int) -> frozenset[str]:
        """Return the inputs that are unbound, by a bit for each."""
        return frozenset(name for k, name in enumerate(self.outline.inputs) if mask >> k & 1)

    def function(self, unbound: frozenset[str] = frozenset()) -> Function:
        """Build the loop as a function of the bound inputs and then the passed outer variables."""
        loop = self.outline.function(unbound)
        inputs = len(loop.params)
        names = {outer: self.parameter(outer) for outer in self.passed}
        loop.params = (*loop.params, *names.values())
        entry = loop.entry
        entry.ops[inputs:inputs] = [
            nodes.Arg(name, inputs + k, name, loc=self.loc, id=loop.new_id())
            for k, name in enumerate(names.values())
        ]

        outers = _outers(loop)

        def known(op: Op) -> Op:
            if not isinstance(op, nodes.ReadOuter | nodes.GetAttr) or op.result not in outers:
                return op
            outer = outers[op.result]
            if outer in names:
                return nodes.Copy(op.result, names[outer], loc=op.loc, id=op.id)
            if isinstance(op, nodes.GetAttr):
                return op
            cls = nodes.Global if op.cell is None else nodes.FreeVar
            return cls(op.result, op.name, self.frozen[outer], loc=op.loc, id=op.id)

        change_blocks(loop.blocks.values(), lambda ops: [known(op) for op in ops])
        return loop

    def parameter(self, outer: Outer) -> str:
        """Return the name of the parameter that passes an outer variable."""
        return f"$outer.{'.'.join(outer[1:])}"

    def shown(self, name: str) -> str:
        """Format a parameter in the user's words."""
        if name.startswith("$outer."):
            return f"`{name.removeprefix('$outer.')}`"
        return f"`{user_name(name)}`" if not name.startswith("$") else "what it runs over"

    def values_of(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments of the function, from the values of the bound inputs."""
        return (*args, *(self._value(outer) for outer in self.passed))

    def passed_on(self) -> tuple[tuple[int, int], ...]:
        """Return the outputs that may be an argument, as indices of the output and of the argument:
        if a value is passed on, the object stays the same."""
        outers = _outers(self.plain)
        given = [{name} for name in self.outline.inputs]
        given += [{name for name, one in outers.items() if one == outer} for outer in self.passed]
        copies = [op for op in walk(self.plain) if isinstance(op, nodes.Copy)]
        return tuple(
            (k, place)
            for place, names in enumerate(given)
            for k, output in enumerate(self.outline.outputs)
            if output in _copied(names, copies)
        )


def _copied(names: set[str], copies: Sequence[nodes.Copy]) -> set[str]:
    """Return the variables that may hold the value of one of some."""
    names_with_copies, size = set(names), 0
    while size != len(names_with_copies):
        size = len(names_with_copies)
        names_with_copies.update(op.result for op in copies if op.value in names_with_copies)
    return names_with_copies


def _reads(fn: Function) -> Iterator[nodes.ReadOuter]:
    return (op for op in walk(fn) if isinstance(op, nodes.ReadOuter))


def _is_code(value: Any) -> bool:
    return isinstance(value, ModuleType) or callable(value)


def _outers(fn: Function) -> dict[str, Outer]:
    """Return the variables that hold a value from outside of the function, or its attribute."""
    ops = list(walk(fn))
    several = Counter(name for op in ops for name in definitions(op))
    outers: dict[str, Outer] = {op.result: (op.scope, op.name) for op in _reads(fn)}
    size = 0
    while size != len(outers):
        size = len(outers)
        for op in ops:
            if isinstance(op, nodes.Copy | nodes.GetAttr) and several[op.result] == 1:
                outer = outers.get(op.value)
                if outer is not None:
                    more = (op.attr,) if isinstance(op, nodes.GetAttr) else ()
                    outers[op.result] = (*outer, *more)
    return outers


def _member(value: Any, name: str) -> Any:
    """Look up a name in a module or a class, without running user code; MISSING if undefined."""
    if isinstance(value, ModuleType):
        return vars(value).get(name, MISSING)
    if isinstance(value, type):
        return next((vars(cls)[name] for cls in value.__mro__ if name in vars(cls)), MISSING)
    return MISSING
