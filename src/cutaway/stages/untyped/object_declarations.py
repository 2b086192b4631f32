"""The declarations of `with objmode(y="float64[:]")`: variables, and their types.

A type is text, as in signatures, or an object: a global or a variable of the enclosing function, or
made of `cutaway.types` right here.  The ops that name it are removed afterward.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from cutaway.errors import CutawayError, SignatureError, UnsupportedError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.marks import objmode
from cutaway.foundation.source import Loc, is_ours
from cutaway.ir import nodes
from cutaway.ir.constants import MISSING, object_text
from cutaway.ir.nodes import Op
from cutaway.typing.overloads.notation import parse_type
from cutaway.typing.types import Optional, Type
from cutaway.typing.types.structure import passable

Table = Mapping[str, Sequence[Op]]  # the definitions of each variable


class _Unknown(Exception):
    """A value that is not known when the function is compiled."""


@dataclass(frozen=True, slots=True)
class Declarations:
    """The types by variable name, the ids of the ops that only serve the declaration, and the
    location of its call."""

    types: dict[str, Type]
    ops: frozenset[int]
    loc: Loc


def declared_by(enter: nodes.Enter, table: Table) -> Declarations | None:
    """Return the declarations at the entry of a `with`; None for the `with` of anything else.

    Raises UnsupportedError for a wrong declaration, SignatureError for text that is not a type.
    """
    call = _only(table, enter.manager)
    if not isinstance(call, nodes.Call | nodes.CallSpread):
        if is_objmode(enter.manager, table):
            raise UnsupportedError(
                "`with objmode` is written with parentheses", enter.loc, "write objmode()"
            )
        return None
    if not is_objmode(call.func, table):
        return None
    if isinstance(call, nodes.CallSpread) or call.star or len(call.args) > len(call.keywords):
        raise UnsupportedError(
            "objmode takes each variable by its name, with its type",
            call.loc,
            'for example objmode(y="float64[:]")',
        )
    makers: set[int] = {call.id}
    _evaluated(call.func, table, makers)
    types = {
        name: _declared(name, value, call.loc, table, makers)
        for name, value in zip(call.keywords, call.args, strict=True)
    }
    return Declarations(types, frozenset(makers), call.loc)


def is_objmode(name: str, table: Table) -> bool:
    """True if a variable holds `cutaway.objmode`."""
    try:
        return _evaluated(name, table, set()) is objmode
    except _Unknown:
        return False


def _only(table: Table, name: str) -> Op | None:
    """Return the op that defines a variable, if it is the only one."""
    ops = table.get(name, ())
    return ops[0] if len(ops) == 1 else None


def _declared(name: str, value: str, call: Loc, table: Table, makers: set[int]) -> Type:
    op = _only(table, value)
    loc = call if op is None or isinstance(op, nodes.Arg) else op.loc
    try:
        ty = _evaluated(value, table, makers)
    except _Unknown:
        raise UnsupportedError(
            f"the type of `{name}` is not known when the function is compiled",
            loc,
            f'write it as text: objmode({name}="float64[:]"), or as a global variable',
        ) from None
    if isinstance(ty, str):
        try:
            ty = parse_type(ty)
        except SignatureError as error:
            raise SignatureError(f"`{name}`: {error.message}", loc, error.hint) from None
    if not isinstance(ty, Type):
        raise UnsupportedError(
            f"`{name}` is declared as {object_text(ty)}, which is no type",
            loc,
            f'write it as in a signature: objmode({name}="float64[:]")',
        )
    if not passable(ty.inner if isinstance(ty, Optional) else ty):
        raise UnsupportedError(
            f"`{name}` is declared as {ty}, and such a value cannot come from Python",
            loc,
            "declare numbers, strings, times, records, None, tuples, ranges or arrays",
        )
    return ty


def _evaluated(name: str, table: Table, makers: set[int]) -> Any:
    """Return a variable's value if known now; add the ids of its ops to `makers`."""
    op = _only(table, name)
    if op is None:
        raise _Unknown
    makers.add(op.id)

    def known(one: str) -> Any:
        return _evaluated(one, table, makers)

    match op:
        case nodes.Const(value=value):
            return value
        case nodes.Global(value=value) | nodes.FreeVar(value=value) if value is not MISSING:
            return value
        case nodes.Copy(value=value):
            return known(value)
        case nodes.BuildTuple(items=items):
            return tuple(map(known, items))
        case nodes.BuildSlice(start=start, stop=stop, step=step):
            return slice(known(start), known(stop), None if step is None else known(step))
    return _made(op, known)


def _made(op: Op, known: Any) -> Any:
    """Evaluate an op on modules of types and on types."""
    try:
        match op:
            case nodes.GetAttr(value=value, attr=attr) if isinstance(known(value), ModuleType):
                return getattr(known(value), attr)
            case nodes.GetItem(value=value, index=index) if isinstance(known(value), Type):
                return known(value)[known(index)]
            case nodes.StaticGetItem(value=value, index=index) if isinstance(known(value), Type):
                return known(value)[index]
            case nodes.Call(func=func, args=args, keywords=(), star=None):
                if is_ours(known(func)):
                    return known(func)(*map(known, args))
    except (AttributeError, TypeError, ValueError, CutawayError):
        raise _Unknown from None
    raise _Unknown
