"""Effect analysis of arguments: the lists, dicts and sets among them that a function may change.

Variables are in one class if they may be the same container, or one of them holds another.  An
argument may be changed if an op may change a container of its class.  Of a compiled function that
is called the same is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from cutaway.foundation.foreign import text_attribute
from cutaway.ir import nodes
from cutaway.ir.effects import Effect
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, effects, operands, walk
from cutaway.typing.analysis.ownership import holds_memory
from cutaway.typing.inference.resolutions import Chosen, CompiledCall, Resolutions
from cutaway.typing.types import Array, Iterator, Str, Tuple, Type
from cutaway.typing.types.absent import Optional
from cutaway.typing.types.containers import Container, DictView
from cutaway.typing.types.functions import BoundMethod

Types = Mapping[str, Type]
# Returns the positions in a call of the arguments that a compiled function may change; None where
# they are unknown.
ChangedBy = Callable[[CompiledCall, nodes.Call], Iterable[int] | None]

_READING = frozenset(
    "copy count difference get index intersection isdisjoint issubset issuperset items keys"
    " symmetric_difference union values".split()
)
_READING_MODULES = ("numpy", "builtins", "math")


def leads_to_container(ty: Type) -> bool:
    """True if a value may be a container, or hold one."""
    match ty:
        case Container():
            return True
        case Array() | Str():
            return False
        case DictView(dict=held) | BoundMethod(held=held):
            return leads_to_container(held)
        case Iterator(held=held, item=item):
            return leads_to_container(held) or leads_to_container(item)
        case Tuple(items=items):
            return any(map(leads_to_container, items))
        case Optional(inner=inner):
            return leads_to_container(inner)
    return holds_memory(ty)  # of any other type nothing is known


def changed_arguments(
    fn: Function, table: Types, resolutions: Resolutions, changed_by: ChangedBy
) -> frozenset[int]:
    """Return the positions of the arguments that a function may change."""
    changes = _Changes(table, resolutions, changed_by)
    classes = Classes()
    arguments: dict[str, int] = {}
    changed: list[str] = []
    for op in walk(fn):
        if isinstance(op, nodes.LIFETIMES):
            continue
        written, results = list(changes.of(op)), list(filter(changes.leads, definitions(op)))
        changed += written
        if results or any(map(changes.holds, written)):
            classes.join([*results, *filter(changes.leads, operands(op))])
        if isinstance(op, nodes.Arg) and results:
            arguments[op.result] = op.index
    found = {classes.of(name) for name in changed}
    return frozenset(index for name, index in arguments.items() if classes.of(name) in found)


class Classes:
    """Classes of variables that may lead to the same containers (Steensgaard's analysis)."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}

    def of(self, name: str) -> str:
        """Return the variable that stands for a class."""
        while (parent := self._parents.get(name, name)) != name:
            name = parent
        return name

    def join(self, names: Iterable[str]) -> None:
        """Make one class of those of several variables."""
        tops = list(dict.fromkeys(map(self.of, names)))
        for name in tops[1:]:
            self._parents[name] = tops[0]


class _Changes:
    """The variables whose containers each op may change."""

    def __init__(self, table: Types, resolutions: Resolutions, changed_by: ChangedBy) -> None:
        self.types = table
        self.resolutions = resolutions
        self.changed_by = changed_by

    def leads(self, name: str) -> bool:
        """True if a variable may be a container, or hold one."""
        return leads_to_container(self.types[name])

    def holds(self, name: str) -> bool:
        """True if a container may be put into the one that a variable leads to."""
        ty = self.types[name]
        while isinstance(ty, BoundMethod | DictView | Iterator):
            ty = ty.dict if isinstance(ty, DictView) else ty.held
        return not isinstance(ty, Container) or any(map(leads_to_container, ty.contents))

    def of(self, op: Op) -> Iterable[str]:
        """Return the variables whose containers an op may change."""
        if isinstance(op, nodes.LIFETIMES) or Effect.WRITES not in effects(op):
            return ()
        match op:
            case nodes.SetItem(target=target) | nodes.StaticSetItem(target=target):
                return (target,)
            case nodes.DelItem(target=target) | nodes.Inplace(lhs=target):
                return (target,)
            case nodes.Extend(container=container):
                return (container,)
            case nodes.IterNext(iterator=value) if isinstance(self.types[value], Iterator):
                return ()
            case nodes.Call():
                return self._by_call(op)
        return operands(op)

    def _by_call(self, op: nodes.Call) -> Iterable[str]:
        resolved = self.resolutions.get(op.id)
        functions = [name for name in op.args if not self._is_data(self.types[name])]
        match resolved:
            case CompiledCall():
                changed = self.changed_by(resolved, op)
                if changed is not None and not functions:
                    return [op.args[k] for k in changed]
            case Chosen(owner=Container()):
                function = resolved.question.function
                name = function[1] if isinstance(function, tuple) else ""
                return functions if name in _READING else (op.func, *functions)
            case Chosen() if _only_reads(resolved.question.function):
                return functions
        return operands(op)

    def _is_data(self, ty: Type) -> bool:
        """True if a value holds no function, which might change a captured container."""
        match ty:
            case Container(contents=contents):
                return all(map(self._is_data, contents))
            case DictView(dict=held) | Iterator(held=held):
                return self._is_data(held)
            case Tuple(items=items):
                return all(map(self._is_data, items))
            case Optional(inner=inner):
                return self._is_data(inner)
        return isinstance(ty, Array | Str) or not holds_memory(ty)


def _only_reads(function: object) -> bool:
    """True for a built-in function, or one of NumPy, that changes no list that it is passed."""
    module = (text_attribute(function, "__module__") or "").partition(".")[0]
    return module in _READING_MODULES and text_attribute(function, "__name__") != "shuffle"


def keeps_entries(op: Op, table: Types, resolutions: Resolutions) -> bool:
    """True if an op leaves all dicts and sets as they are, or is a store that notes its change."""
    if isinstance(op, nodes.LIFETIMES) or Effect.WRITES not in effects(op):
        return not op.REGIONS
    match op:
        case nodes.SetItem() | nodes.StaticSetItem():
            return True
        case nodes.IterNext(iterator=name):
            return isinstance(table[name], Iterator) and not leads_to_container(table[name])
        case nodes.Call():
            resolved = resolutions.get(op.id)
            if not isinstance(resolved, Chosen) or resolved.resolution.implementation is not None:
                return False
            function = resolved.question.function
            if isinstance(resolved.owner, Container):
                return isinstance(function, tuple) and function[1] in _READING
            return not any(leads_to_container(table[name]) for name in op.args)
    return False
