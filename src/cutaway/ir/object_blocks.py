"""Blocks of compiled functions that run as Python: those of `with objmode(...)`.

A block is a constant of its function, and op `RunObjects` runs it.  It is a function at level ir,
which pipeline `object_block` compiles.  Its outputs have the types that the block declares.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import Loc
from cutaway.ir import nodes, outlining
from cutaway.ir.constants import Named
from cutaway.ir.function import Function, user_name
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import change_blocks

UNBOUND = "cannot access local variable '{}' where it is not associated with a value"


@dataclass(frozen=True, slots=True)
class BlockCode:
    """The functions that run a block.

    `make` returns the dispatcher's object for inputs of these types: with `failed`, which is called
    with the index of an unbound output, or with that of one of a wrong type, the value, and the
    error or None; it returns the exception.  `converted` converts a value to a type, or raises;
    `described` describes a value.
    """

    make: Callable[[tuple[Any, ...], Callable[..., BaseException]], Any]
    converted: Callable[[Any, Any], Any]
    described: Callable[[Any], str]


class ObjectBlock(Named):
    """A block, with the types that it declares of its output variables; `loc` is that of the
    `with`.

    Its inputs in `unbound` have no value where it is run.  `function` is the Python function that
    it is part of, or that has its code.  `code` is None if only the interpreter can run the block;
    `raised` is the last exception that it saw the block raise, by its identity, and where.
    """

    def __init__(
        self,
        outline: outlining.Outline,
        declared: dict[str, Any],
        function: FunctionType,
        loc: Loc,
        unbound: frozenset[str] = frozenset(),
    ) -> None:
        self.outline = outline
        self.loc = loc
        self.function = function
        self.unbound = unbound
        self.inputs = tuple(name for name in outline.inputs if name not in unbound)
        self.outputs = tuple(map(user_name, outline.outputs))
        self.types = tuple(declared[name] for name in self.outputs)
        self.flagged = tuple(map(outline.outputs.index, outline.flagged))
        self.body = _live(outline.function(unbound))
        self.code: BlockCode | None = None
        self.raised: tuple[int, Loc | None] | None = None

    @property
    def text(self) -> str:
        """Its notation among constants."""
        without = "".join(f" without {user_name(name)}" for name in sorted(self.unbound))
        return f"block at line {self.loc.line}{without}"

    def checked(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """Check and convert the results of the block's function; raises as compiled code does."""
        count = len(self.outputs)
        for place, is_bound in zip(self.flagged, given[1 + count :], strict=True):
            if not is_bound:
                raise self.missing(place)
        return tuple(self._converted(k, value) for k, value in enumerate(given[1 : 1 + count]))

    def _converted(self, place: int, value: Any) -> Any:
        if self.code is None:
            return value
        try:
            return self.code.converted(self.types[place], value)
        except Exception as error:  # noqa: BLE001  exceptions of the value itself are passed on
            raise self.misfit(place, value, error) from None

    def missing(self, place: int) -> UnboundLocalError:
        """Return the exception for an unbound output."""
        return UnboundLocalError(UNBOUND.format(self.outputs[place]))

    def misfit(self, place: int, value: Any, error: BaseException | None) -> BaseException:
        """Return the exception for an output of another type than declared."""
        name = self.outputs[place]
        if isinstance(error, OverflowError):
            return OverflowError(f"`{name}`: {error}")
        if error is not None and not isinstance(error, TypeError):
            return error
        what = type(value).__name__ if self.code is None else self.code.described(value)
        return TypeError(
            f"`{name}` is {what} at the end of the block, which declares {self.types[place]}"
        )


def _live(fn: Function) -> Function:
    """Return the block's function with globals, and outer variables, read at run time."""

    def live(op: Op) -> Op:
        match op:
            case nodes.Global(result, name, _):
                return nodes.ReadOuter(result, "global", name, None, loc=op.loc, id=op.id)
            case nodes.FreeVar(result, name, _):
                cell = fn.closure[name]
                return nodes.ReadOuter(result, "nonlocal", name, cell, loc=op.loc, id=op.id)
        return op

    change_blocks(fn.blocks.values(), lambda ops: [live(op) for op in ops])
    return fn
