"""Conditions under which a pass has something to do: until one holds, its module is not executed.

They are columns of the catalog.  A condition may hold for a unit that the pass then leaves as it
is, but never fails for one that it would change.
"""

from __future__ import annotations

from types import BuiltinFunctionType, ModuleType

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.traversal import walk
from cutaway.stages.unit import CompileUnit
from cutaway.typing.analysis.ownership import holds_memory
from cutaway.typing.types import Array, Str, undefined


@dataclass(frozen=True, slots=True)
class HasOps:
    """The condition that a function has an op of one of these classes."""

    names: frozenset[str]

    def __call__(self, unit: CompileUnit) -> bool:
        return any(type(op).__name__ in self.names for op in walk(unit.fn))


# The classes of values that are not functions in Python; their attributes may be.
_PLAIN = (type, BuiltinFunctionType, ModuleType, bool, int, float, complex, str, type(None))


def may_read_functions(unit: CompileUnit) -> bool:
    """True unless a function reads no other function that is written in Python, or stands for
    one."""
    for op in walk(unit.fn):
        match op:
            case nodes.MakeFunction() | nodes.GetAttr():
                return True
            case nodes.Global(_, _, value) | nodes.FreeVar(_, _, value):
                if type(value) not in _PLAIN or unit.target.registry.may_generate(value):
                    return True
    return unit.captured is not None


has_constants = HasOps(
    frozenset(
        "Const Global FreeVar GetAttr BuildTuple BuildString FormatValue CallSpread"
        " StaticGetItem".split()
    )
)
has_entries = HasOps(frozenset(["Enter"]))
has_items = HasOps(frozenset(["GetItem", "SetItem", "StaticGetItem", "StaticSetItem"]))


def takes_containers(unit: CompileUnit) -> bool:
    """True if an argument may be a list, a dict or a set, or hold one."""
    types = unit.argtypes or ()
    return any(holds_memory(ty) and not isinstance(ty, Array | Str) for ty in types)


_has_branches = HasOps(frozenset(["Branch", "Phi"]))


def may_decide(unit: CompileUnit) -> bool:
    """True unless a function has neither branches nor constants, its arguments included."""
    if has_constants(unit) or _has_branches(unit):
        return True
    types = unit.argtypes or ()
    return any(ty.is_none or hasattr(ty, "default") or hasattr(ty, "literal_value") for ty in types)


def declares_locals(unit: CompileUnit) -> bool:
    """True if types of local variables are declared."""
    return bool(unit.flags.locals)


def surely_raises(unit: CompileUnit) -> bool:
    """True if some op has no value, as what leads to it raises."""
    return undefined in unit.types.values()


def has_arrays(unit: CompileUnit) -> bool:
    """True if a function computes with arrays."""
    return any(isinstance(ty, Array) for ty in unit.types.values())
