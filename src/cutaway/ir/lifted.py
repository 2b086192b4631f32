"""A loop that is lifted out of a function in object mode, to be run by code with types.

What it reads of the module and of enclosing functions is sorted by its value: modules, functions
and classes are part of its code, as in any function with types, and so are the attributes of
modules and classes that it reads; when one of them has changed it is compiled anew.  All else is
passed to it as it is when the loop begins, and so is an attribute that has changed.
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

# A variable that is not the function's own: `global` or `nonlocal`, its name, and the names of
# attributes by which a value is read from it.
Outer = tuple[str, ...]

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
    types, and the error."""

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
    that are passed, what does not fit, and which results may be what it was given.  It is None
    where nothing can run the loop.  What compiles it is `lifting`.
    """

    def __init__(self, outline: Outline, number: int) -> None:
        self.outline = outline
        self.number = number
        self.plain = outline.function()
        outers = _outers(self.plain).values()
        self.read: tuple[Outer, ...] = tuple(sorted(dict.fromkeys(outers), key=len))
        self.cells = {op.name: op.cell for op in _reads(self.plain) if op.cell is not None}
        self.frozen: dict[Outer, Any] = {}
        self.changing: set[Outer] = set()  # attributes that have been seen to change
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
    def text(self) -> str:
        """How it is written among the constants."""
        return f"loop at line {self.loc.line}"

    def sort(self) -> None:
        """Look at what the outer variables are now."""
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

        outers = _outers(made)

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

        change_blocks(made.blocks.values(), lambda ops: [known(op) for op in ops])
        return made

    def parameter(self, outer: Outer) -> str:
        """The name of the parameter that an outer variable is passed by."""
        return f"$outer.{'.'.join(outer[1:])}"

    def shown(self, name: str) -> str:
        """A parameter in the user's words."""
        if name.startswith("$outer."):
            return f"`{name.removeprefix('$outer.')}`"
        return f"`{user_name(name)}`" if not name.startswith("$") else "what it runs over"

    def values_of(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments of the function, given the inputs that have a value."""
        return (*args, *(self._value(outer) for outer in self.passed))

    def passed_on(self) -> tuple[tuple[int, int], ...]:
        """The outputs that may be what the loop was given, by their places among the outputs and
        among the values that are given: where they are, they are the same objects."""
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
    """The variables that may hold what some do."""
    held, size = set(names), 0
    while size != len(held):
        size = len(held)
        held.update(op.result for op in copies if op.value in held)
    return held


def _reads(fn: Function) -> Iterator[nodes.ReadOuter]:
    return (op for op in walk(fn) if isinstance(op, nodes.ReadOuter))


def _is_code(value: Any) -> bool:
    return isinstance(value, ModuleType) or callable(value)


def _outers(fn: Function) -> dict[str, Outer]:
    """The variables that hold a value from outside of the function, or an attribute of one."""
    ops = list(walk(fn))
    several = Counter(name for op in ops for name in definitions(op))
    found: dict[str, Outer] = {op.result: (op.scope, op.name) for op in _reads(fn)}
    size = 0
    while size != len(found):
        size = len(found)
        for op in ops:
            if isinstance(op, nodes.Copy | nodes.GetAttr) and several[op.result] == 1:
                outer = found.get(op.value)
                if outer is not None:
                    more = (op.attr,) if isinstance(op, nodes.GetAttr) else ()
                    found[op.result] = (*outer, *more)
    return found


def _member(value: Any, name: str) -> Any:
    """What a module or a class has by a name, without running any code of its own; MISSING where
    it has nothing."""
    if isinstance(value, ModuleType):
        return vars(value).get(name, MISSING)
    if isinstance(value, type):
        return next((vars(cls)[name] for cls in value.__mro__ if name in vars(cls)), MISSING)
    return MISSING
