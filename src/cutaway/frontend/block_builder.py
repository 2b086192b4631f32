"""The execution of one block: its value stack, and the ops that come of it (stage 2).

What each instruction does with them is in `stack.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import CodeType
from typing import Any

from cutaway.errors import UnsupportedError
from cutaway.foundation.foreign import is_a
from cutaway.frontend.bytecode import Instruction
from cutaway.frontend.displays import Display, built
from cutaway.ir import nodes
from cutaway.ir.constants import MISSING
from cutaway.ir.nodes import Op


class _Null:
    """The empty slot that calls keep beside a function."""

    def __repr__(self) -> str:
        return "NULL"


NULL = _Null()


class Names:
    """Looks up names from outside of the function: globals, builtins, closure cells."""

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
        self.itself = itself  # what the function's own name means where it leads nowhere
        self.doubtful: frozenset[str] = frozenset()  # variables that a read may find unbound
        # Variables of other scopes that the function itself assigns: globals, and cells by name.
        self.written: frozenset[str] = frozenset()
        self.rebound: dict[str, Any] = {}
        self.closure: dict[str, Any] = {}  # all of them
        self.made: dict[str, Op] = {}  # what makes constants, tuples and dictionaries
        self.merged: dict[str, set[str]] = {}  # what is assigned to each merge temporary
        self.taken: set[str] = set()  # constants that became parts of what is in later blocks
        self.iterators: set[str] = set()
        self.generators: dict[str, CodeType] = {}  # expressions, by the name of their function
        self.live = False  # globals and cells of others are what they are when the program runs
        self.inner = inner  # a function inside the compiled one, whose variables it can change

    def lookup(self, name: str) -> Any:
        """The value of a global name, or MISSING."""
        if name in self.namespace:
            return self.namespace[name]
        return self.builtins.get(name, self.itself if name == self.code.co_name else MISSING)


_KEPT = (nodes.BuildTuple, nodes.BuildDict, nodes.Const)  # of which functions take parts


class BlockBuilder:
    """The execution of one block; `stack` is what it starts with, and in the end leaves."""

    def __init__(self, names: Names, stack: list[Any], fresh: Callable[[], str]) -> None:
        # Any in the stack: names of variables, NULL, tuples of captured names
        self.names = names
        self.stack = stack
        self.fresh = fresh
        self.null = NULL
        self.ops: list[Op] = []
        self.keywords: tuple[str, ...] = ()
        self.instruction: Instruction | None = None
        self.rest: tuple[Instruction, ...] = ()  # what comes after it in the block

    def run(self, instructions: tuple[Instruction, ...], handlers: Mapping[str, Handler]) -> None:
        """Execute all instructions but a jump at the end, which the caller sees to."""
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
        """What a constant is that an instruction takes as a part of itself: its op goes."""
        for op in self.ops:
            if isinstance(op, nodes.Const) and op.result == name:
                self.ops.remove(op)
                return op.value
        raise AssertionError("what an instruction takes as a constant is one")

    def constant_behind(self, name: Any) -> nodes.Const | None:
        """The op of the constant that an entry of the stack is, maybe in an earlier block."""
        makers = [self.names.made.get(one) for one in self.sources_of(name)]
        return makers[0] if len(makers) == 1 and isinstance(makers[0], nodes.Const) else None

    def take_constant(self, name: str) -> Any:
        """As constant_of, of a constant that may be in an earlier block."""
        constant = self.constant_behind(name)
        assert constant is not None
        if constant in self.ops:
            self.ops.remove(constant)
        else:
            self.names.taken.add(constant.result)
        return constant.value

    def maker_of(self, name: str) -> Op:
        """The op that makes a value, which may be in an earlier block."""
        here = next((op for op in self.ops if getattr(op, "result", None) == name), None)
        if here is not None:
            return here
        (only,) = self.sources_of(name)
        return self.names.made[only]

    def drop_iterators(self, entries: Iterable[Any]) -> None:
        """Keep the iterators of loops up to here, where Python drops them: it may be the end of a
        generator."""
        for entry in entries:
            if self.names.live and isinstance(entry, str) and self._is_iterator(entry):
                self.add(nodes.Copy, self.fresh(), entry)

    def _is_iterator(self, name: str) -> bool:
        sources = self.names.merged.get(name, {name})
        return not self.names.iterators.isdisjoint(sources)

    def sources_of(self, name: Any) -> set[Any]:
        """The names of the values that a name may stand for, which came together here or before."""
        found, waiting = {name}, [name]
        while waiting:
            more = self.names.merged.get(waiting.pop(), set()) - found
            found |= more
            waiting += more
        return {one for one in found if one not in self.names.merged}

    # --- the stack and the ops ------------------------------------------------------------------

    def pop(self) -> Any:
        """Take the topmost entry."""
        return self.stack.pop()

    def pop_many(self, count: int) -> list[Any]:
        """Take the topmost entries, the deepest first."""
        if not count:
            return []
        taken = self.stack[-count:]
        del self.stack[-count:]
        return taken

    def add(self, cls: type[Op], *args: Any) -> None:
        """Add an op at the place of the current instruction."""
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
        """An entry of the stack, or a list that is complete under the name that it gets."""
        return built(self, entry) if is_a(entry, Display) else entry

    def push(self, cls: type[Op], *args: Any) -> str:
        """Add an op whose result goes onto the stack."""
        result = self.fresh()
        self.add(cls, result, *args)
        self.stack.append(result)
        return result

    def store(self, name: str, value: str) -> None:
        """Assign to a local variable."""
        # CPython's stack holds values, this one names: a value that is still to be used is saved
        # before its name means another.
        if self.holds(name):
            self.save(name)
        self.add(nodes.Copy, name, value)

    def holds(self, name: str) -> bool:
        """True if a variable is on the stack, or in a list that is."""
        return any(
            name in entry.items if isinstance(entry, Display) else entry == name
            for entry in self.stack
        )

    def save(self, name: str) -> None:
        """Keep the value that a variable on the stack has now under another name."""
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
        """The error for something at the current instruction."""
        assert self.instruction is not None
        return UnsupportedError(
            f"{what} not supported in compiled code", self.instruction.loc, hint
        )


Handler = Callable[[BlockBuilder, Instruction], None]
