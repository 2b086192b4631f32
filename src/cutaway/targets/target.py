"""The target of a compilation, as a record that every compile unit has.

Passes query the target of their unit for everything target-specific, so that another target is
another record: a library of its own, another machine, another way to raise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import dataclass, field, replace
from cutaway.targets.cpu.optimization import Cpu

if TYPE_CHECKING:  # they belong to layers above targets
    from cutaway.lowering.build.function_builder import FunctionBuilder
    from cutaway.lowering.build.raising import RaiseSite
    from cutaway.lowering.callee import Callee
    from cutaway.lowering.layout import Value
    from cutaway.typing.overloads.context import TypingContext


class Exceptions:
    """The way in which compiled code raises.

    Each method emits LLVM IR at the builder's position and ends the block.
    """

    def raise_site(self, build: FunctionBuilder, site: RaiseSite, payload: Sequence[str]) -> None:
        """Raise the exception of a site; the payload are the integers for its format string."""
        raise NotImplementedError

    def raise_values(
        self,
        build: FunctionBuilder,
        exception: type[BaseException],
        args: Sequence[Value],
        keywords: tuple[str, ...],
    ) -> None:
        """Raise an exception with computed arguments, the last of them by these names.

        Raises UnsupportedError if there are too many of them.
        """
        raise NotImplementedError

    def propagate(self, build: FunctionBuilder, status: str) -> None:
        """Propagate the exception of a callee that failed with this status."""
        raise NotImplementedError

    def pass_on(self, build: FunctionBuilder, status: str) -> None:
        """Propagate an exception that was handled here, with this status."""
        raise NotImplementedError

    def check_stack(self, build: FunctionBuilder) -> None:
        """Raise if the stack of a calling function is nearly used up; does nothing on a target
        without recursion."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A function in LLVM that a module may contain, and its callees' declarations, by name."""

    text: str
    declarations: dict[str, str] = field(default_factory=dict)


def entry_beside(callee: Callee) -> str:
    """Return the symbol of an entry point beside the compiled function."""
    return f"{callee.symbol}.entry"


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """One target.

    `name` identifies it.  `registry` defines operations, attributes and constants, and their
    lowering: the library.  `machine` is the processor, with LLVM's name of its kind of machine,
    which fixes the data layout.  `runtime` has the addresses of the C functions that code may call,
    `exceptions` emits raises, and `entry` returns the text of the function that calls a compiled
    one from outside (empty if compiled functions are called directly); it `repeats` the function if
    it is a loop over arrays.  `usual` is the target of such a function's callees, None if it is the
    same.  `pipeline` is the name of the pipeline that functions for it are compiled with,
    `definitions` returns a function that code may call and that becomes a part of the module, or
    None, and functions `recurse` or are refused.  `stem` makes the prefix of a symbol from a
    function's name, and `entry_name` the symbol of its entry point. `implementations` are Python
    functions that are compiled in place of runtime functions, by their names; an i64 is an int64 to
    them.  `lines`: its code has a table of the user's lines. `launched`: many threads run a
    function, a kernel, which is not called.  `effort`, from 0 to 3, is that of the assembler of its
    text. With `whole_fields` a field at a multiple of its size in a record is loaded at once:
    records are aligned in memory; elsewhere that is not known.
    """

    name: str
    registry: TypingContext
    machine: Cpu
    runtime: Mapping[str, int]
    exceptions: Exceptions
    entry: Callable[[Callee], str]
    repeats: bool = False
    usual: Target | None = None
    pipeline: str = "nopython"
    definitions: Callable[[str], Definition | None] = lambda name: None
    recurses: bool = True
    stem: Callable[[str], str] = str
    implementations: Mapping[str, FunctionType] = field(default_factory=dict)
    entry_name: Callable[[Callee], str] = entry_beside
    lines: bool = False
    launched: bool = False
    effort: int = 3
    whole_fields: bool = False

    @property
    def hosted(self) -> bool:
        """True if code runs in this process, and can call the runtime and NumPy's loops in it."""
        return bool(self.runtime)

    def on(self, machine: Cpu) -> Target:
        """Return the same target with another processor; made once for each."""
        return self if machine == self.machine else _on(self, machine)

    def __str__(self) -> str:
        return self.name


@cache
def _on(target: Target, machine: Cpu) -> Target:
    return replace(target, machine=machine)
