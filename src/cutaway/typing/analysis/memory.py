"""Alias analysis of arrays: which may share memory, and which ops write to it.

An array in a list or a dict may be any array of the function.

An array has memory of its own, or it is a view of others: its *roots* are the ops that allocated
the memory that it may lie in.  Two arguments may share memory, and neither shares any with arrays
that the function allocates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from cutaway.foundation.foreign import attribute, is_a, text_attribute
from cutaway.foundation.lazy import cached_property
from cutaway.ir import nodes
from cutaway.ir.effects import Effect
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import effects, operands
from cutaway.typing.analysis.indices import gives_copy
from cutaway.typing.analysis.ownership import holds_memory, may_hold_items
from cutaway.typing.inference.resolutions import Chosen, Resolutions
from cutaway.typing.types import Array, CFunction, Functions, Type

OUTSIDE = "outside"  # the root of all memory that existed before the call

# NumPy functions that write into an argument, and methods that write into their array.
_WRITING = (np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis, print)
_WRITING_METHODS = frozenset(("fill", "itemset", "partition", "put", "resize", "sort"))
# Functions and methods that may have the output array as a positional argument.
_REDUCING = frozenset(
    (
        "sum prod mean var std min max amin amax any all argmin argmax ptp cumsum cumprod reduce"
        " accumulate nansum nanprod nanmean nanvar nanstd nanmin nanmax nanargmin nanargmax"
        " nanmedian median"
    ).split()
)
_KNOWN = ("numpy", "builtins", "math", "cmath")  # modules whose functions write to no other array


class Roots:
    """The roots of a function's variables; `makers` are the ops that define them."""

    def __init__(
        self, makers: Mapping[str, Op], table: Mapping[str, Type], resolutions: Resolutions
    ) -> None:
        self.types = table
        self.resolutions = resolutions
        self.makers = makers
        self._roots: dict[str, frozenset[str]] = {}
        self._wholes: dict[str, str] = {}

    def roots(self, name: str) -> frozenset[str]:
        """Return the roots of a variable."""
        if name not in self._roots:
            # Only the result for this variable is complete: in a loop, others depend on it.
            roots: set[str] = set()
            seen, waiting = {name}, [name]
            while waiting:
                one = waiting.pop()
                if one in self._roots:
                    roots |= self._roots[one]
                    continue
                own, sources = self._made_of(one)
                roots |= own
                waiting += [source for source in sources if source not in seen]
                seen.update(sources)
            self._roots[name] = frozenset(roots)
        return self._roots[name]

    def may_share(self, name: str, other: str) -> bool:
        """True if two arrays may overlap in memory."""
        return not self.roots(name).isdisjoint(self.roots(other))

    def whole(self, name: str) -> str:
        """Return the array that an array is a view of, through copies, slices and indices alone."""
        on_the_way = []
        while name not in self._wholes:
            on_the_way.append(name)
            op = self.makers.get(name)
            if not isinstance(op, nodes.GetItem | nodes.StaticGetItem | nodes.Copy):
                break
            if not isinstance(self.types[op.value], Array) or gives_copy(op, self.types):
                break
            name = op.value
        whole = self._wholes.get(name, name)
        self._wholes.update((one, whole) for one in on_the_way)
        return whole

    def _made_of(self, name: str) -> tuple[set[str], tuple[str, ...]]:
        """Return the roots that a variable's op adds, and the variables that it may alias."""
        op = self.makers.get(name)
        if op is None or not holds_memory(self.types[name]):
            return {OUTSIDE}, ()
        if may_hold_items(self.types[name]):  # an array may have been put there at any time
            return {name, OUTSIDE}, self._arrays
        if isinstance(op, nodes.ArrayExpr | nodes.NewArray) or gives_copy(op, self.types):
            return {name}, ()
        if isinstance(op, nodes.Arg | nodes.Const | nodes.Global | nodes.FreeVar):
            return {OUTSIDE}, ()
        if isinstance(op, nodes.RunObjects):  # any array that was ever passed to Python
            runs = [one for one in self.makers.values() if isinstance(one, nodes.RunObjects)]
            held = {one for run in runs for one in run.args if holds_memory(self.types[one])}
            return {name, OUTSIDE}, tuple(sorted(held))
        if isinstance(op, nodes.Call) and self._may_know_addresses(op):
            return {name, OUTSIDE}, tuple(sorted({*self._holding(operands(op)), *self._lent()}))
        # Any other op returns a new array, or one that shares memory with its operands.
        held = tuple(one for one in operands(op) if holds_memory(self.types[one]))
        return (set() if held and self._is_view(op) else {name}), held

    @cached_property
    def _arrays(self) -> tuple[str, ...]:
        """The variables that are arrays."""
        return tuple(name for name in self.makers if isinstance(self.types[name], Array))

    def _may_know_addresses(self, op: nodes.Call) -> bool:
        """True if a call may return an array at an address that is an integer, as `carray` does: a
        function outside of NumPy lowers it."""
        resolved = self.resolutions.get(op.id)
        if not isinstance(resolved, Chosen) or resolved.owner is not None:
            return False
        if resolved.resolution.implementation is not None:
            return False
        function = resolved.question.function
        return not is_a(function, np.ufunc) and not _is_known(function)

    def _lent(self) -> Iterable[str]:
        """Yield the arrays whose address the program reads."""
        makers = self.makers.values()
        return (op.value for op in makers if isinstance(op, nodes.GetAttr) and op.attr == "ctypes")

    def _is_view(self, op: Op) -> bool:
        views = (
            nodes.Apart,
            nodes.Line,
            nodes.Copy,
            nodes.Cast,
            nodes.Phi,
            nodes.GetItem,
            nodes.StaticGetItem,
        )
        return isinstance(op, views) or (isinstance(op, nodes.GetAttr) and op.attr == "T")

    # --- writes ---------------------------------------------------------------------------------

    def written(self, op: Op) -> tuple[str, ...]:
        """Return the variables whose memory an op may write to."""
        match op:
            case nodes.ArrayStore(target=target) | nodes.Store(target=target):
                return (target,)
            case nodes.SetItem(target=target) | nodes.StaticSetItem(target=target):
                return (target,)
            case nodes.Inplace(lhs=target) | nodes.SetAttr(target=target):
                return self._holding((target,))
            case nodes.RunObjects():  # any array that Python refers to
                return self._holding(self.types)
            case nodes.Call() if self._is_of_c(op):  # it may have stored any address before
                return self._holding(self.types)
            case nodes.Call():
                return () if self._only_reads(op) else self._holding(operands(op))
        if isinstance(op, nodes.LIFETIMES) or Effect.WRITES not in effects(op):
            return ()
        return self._holding(operands(op))

    def writes_to(self, op: Op, arrays: Iterable[str]) -> bool:
        """True if an op may change one of these arrays."""
        return any(self.may_share(name, array) for name in self.written(op) for array in arrays)

    def is_seen(self, op: Op) -> bool:
        """True if an op has an observable effect besides its results."""
        if isinstance(op, nodes.LIFETIMES) or Effect.WRITES not in effects(op):
            return False
        return not isinstance(op, nodes.Call) or not self._only_reads(op)

    def _holding(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in names if holds_memory(self.types[name]))

    def _is_of_c(self, op: nodes.Call) -> bool:
        target = self.types.get(op.func)
        kinds = target.functions if isinstance(target, Functions) else (target,)
        return any(isinstance(kind, CFunction) for kind in kinds)

    def _only_reads(self, op: nodes.Call) -> bool:
        resolved = self.resolutions.get(op.id)
        if not isinstance(resolved, Chosen) or "out" in op.keywords:
            return False
        function = resolved.question.function
        if resolved.owner is not None:
            name = function[1] if isinstance(function, tuple) else ""
            if name in _REDUCING and self._has_array(op.args):
                return False
            return isinstance(resolved.owner, Array) and name not in _WRITING_METHODS
        if is_a(function, np.ufunc):
            return len(op.args) <= function.nin
        name = text_attribute(function, "__name__")
        if is_a(attribute(function, "__self__", None), np.ufunc):
            return name in _REDUCING and not self._has_array(op.args[1:])
        if name in _REDUCING and self._has_array(op.args[1:]):
            return False
        return _is_known(function) and not any(function is one for one in _WRITING)

    def _has_array(self, names: Iterable[str]) -> bool:
        """True if one of the arguments is an array, which may be the output."""
        return any(isinstance(self.types[name], Array) for name in names)


def _is_known(function: object) -> bool:
    """True if a function belongs to Python or to NumPy."""
    return (text_attribute(function, "__module__") or "").partition(".")[0] in _KNOWN
