"""Executes one block symbolically: its value stack, and the ops that it emits (stage 2).

The handler of each instruction is in `stack.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import CodeType
from typing import Any

from cutaway.errors import UnsupportedError
from cutaway.foundation.foreign import is_a
from cutaway.frontend import displays
from cutaway.frontend.bytecode import Instruction
from cutaway.frontend.entries import Display
from cutaway.ir import nodes
from cutaway.ir.constants import MISSING
from cutaway.ir.nodes import Op


class _Null:
    """The empty slot beside the function of a call."""

    def __repr__(self) -> str:
        return "NULL"


NULL = _Null()


class Names:
    """The names from outside of the function, and facts about variables that blocks share."""

    def __init__(
        self,
        code: CodeType,
        namespace: dict[str, Any],
        builtins: dict[str, Any],
        captured: dict[str, Any],
        inner: bool = False,
        itself: Any = MISSING,
    ) -> None:
        self.code = code
        self.namespace = namespace
        self.builtins = builtins
        self.captured = captured
        self.itself = itself  # the value of the function's own name if nothing else defines it
        self.doubtful: frozenset[str] = frozenset()  # variables that may be unbound at a read
        # Variables of other scopes that the function itself assigns: globals, and cells by name.
        self.written: frozenset[str] = frozenset()
        self.rebound: dict[str, Any] = {}
        self.closure: dict[str, Any] = {}  # all cells by name
        self.made: dict[str, Op] = {}  # definitions of constants, tuples and dictionaries
        self.merged: dict[str, set[str]] = {}  # the values assigned to each merge temporary
        self.taken: set[str] = set()  # constants that ops of later blocks have absorbed
        self.iterators: set[str] = set()
        self.generators: dict[str, CodeType] = {}  # generator expressions, by function variable
        self.live = False  # globals and cells of others are read when the program runs
        self.inner = inner  # a function inside the compiled one, whose variables it can change

    def lookup(self, name: str) -> Any:
        """Return the value of a global name, or MISSING."""
        if name in self.namespace:
            return self.namespace[name]
        return self.builtins.get(name, self.itself if name == self.code.co_name else MISSING)


_KEPT = (nodes.BuildTuple, nodes.BuildDict, nodes.Const)  # their parts go into MakeFunction ops


class BlockBuilder:
    """The symbolic execution of one block, which turns its entry `stack` into its exit stack."""

    def __init__(self, names: Names, stack: list[Any], fresh: Callable[[], str]) -> None:
        # Any in the stack: names of variables, NULL, tuples of captured names
        self.names = names
        self.stack = stack
        self.fresh = fresh
        self.null = NULL
        self.ops: list[Op] = []
        self.keywords: tuple[str, ...] = ()
        self.instruction: Instruction | None = None
        self.rest: tuple[Instruction, ...] = ()  # the instructions after it in the block

    def run(self, instructions: tuple[Instruction, ...], handlers: Mapping[str, Handler]) -> None:
        """Execute instructions; the caller translates a jump at the end."""
        for position, instruction in enumerate(instructions):
            self.instruction, self.rest = instruction, instructions[position + 1 :]
            handler = handlers.get(instruction.name)
            if handler is None:
                what = instruction.name.lower().replace("_", " ")
                raise UnsupportedError(
                    f"this is not supported in compiled code ({what})", instruction.loc
                )
            handler(self, instruction)

    def constant_of(self, name: str) -> Any:
        """Return the value of a constant that an instruction absorbs, and remove its op."""
        for op in self.ops:
            if isinstance(op, nodes.Const) and op.result == name:
                self.ops.remove(op)
                return op.value
        raise AssertionError("what an instruction takes as a constant is one")

    def constant_behind(self, name: Any) -> nodes.Const | None:
        """Return the op, maybe of an earlier block, that defines a constant; None for others."""
        ops = [self.names.made.get(one) for one in self.sources_of(name)]
        return ops[0] if len(ops) == 1 and isinstance(ops[0], nodes.Const) else None

    def take_constant(self, name: str) -> Any:
        """Return the value of a constant and remove its op, which may be in an earlier block."""
        constant = self.constant_behind(name)
        assert constant is not None
        if constant in self.ops:
            self.ops.remove(constant)
        else:
            self.names.taken.add(constant.result)
        return constant.value

    def maker_of(self, name: str) -> Op:
        """Return the op that defines a value, which may be in an earlier block."""
        here = next((op for op in self.ops if getattr(op, "result", None) == name), None)
        if here is not None:
            return here
        (only,) = self.sources_of(name)
        return self.names.made[only]

    def drop_iterators(self, entries: Iterable[Any]) -> None:
        """Keep the iterators of loops alive up to here, where Python drops them: this may end a
        generator."""
        for entry in entries:
            if self.names.live and isinstance(entry, str) and self._is_iterator(entry):
                self.add(nodes.Copy, self.fresh(), entry)

    def _is_iterator(self, name: str) -> bool:
        sources = self.names.merged.get(name, {name})
        return not self.names.iterators.isdisjoint(sources)

    def sources_of(self, name: Any) -> set[Any]:
        """Return the names of the values that a name may stand for, through merge temporaries."""
        reached, waiting = {name}, [name]
        while waiting:
            more = self.names.merged.get(waiting.pop(), set()) - reached
            reached |= more
            waiting += more
        return {one for one in reached if one not in self.names.merged}

    # --- the stack and the ops ------------------------------------------------------------------

    def pop(self) -> Any:
        """Pop the topmost entry."""
        return self.stack.pop()

    def pop_many(self, count: int) -> list[Any]:
        """Pop the topmost entries, and return them with the deepest first."""
        if not count:
            return []
        entries = self.stack[-count:]
        del self.stack[-count:]
        return entries

    def add(self, cls: type[Op], *args: Any) -> None:
        """Emit an op with the location of the current instruction."""
        assert self.instruction is not None
        values = [
            tuple(map(self.settled, arg)) if type(arg) is tuple else self.settled(arg)
            for arg in args
        ]
        op = cls(*values, loc=self.instruction.loc)
        self.ops.append(op)
        if cls in _KEPT:
            self.names.made[values[0]] = op

    def settled(self, entry: Any) -> Any:
        """Return an entry of the stack, or the variable of a list display, whose op is emitted."""
        return displays.built(self, entry) if is_a(entry, Display) else entry

    def push(self, cls: type[Op], *args: Any) -> str:
        """Emit an op and push its result."""
        result = self.fresh()
        self.add(cls, result, *args)
        self.stack.append(result)
        return result

    def store(self, name: str, value: str) -> None:
        """Assign to a local variable."""
        # CPython's stack holds values, this one names: a value that is still needed is saved
        # before its variable is assigned.
        if self.holds(name):
            self.save(name)
        self.add(nodes.Copy, name, value)

    def holds(self, name: str) -> bool:
        """True if a variable is on the stack, or in a list display on the stack."""
        return any(
            name in entry.items if isinstance(entry, Display) else entry == name
            for entry in self.stack
        )

    def save(self, name: str) -> None:
        """Copy the current value of a variable on the stack to a temporary."""
        saved = self.fresh()
        self.add(nodes.Copy, saved, name)
        self.stack = [
            entry.renamed(name, saved)
            if isinstance(entry, Display)
            else saved
            if entry == name
            else entry
            for entry in self.stack
        ]

    def unsupported(self, what: str, hint: str = "") -> UnsupportedError:
        """Return the error for an unsupported construct at the current instruction."""
        assert self.instruction is not None
        return UnsupportedError(
            f"{what} not supported in compiled code", self.instruction.loc, hint
        )


Handler = Callable[[BlockBuilder, Instruction], None]
