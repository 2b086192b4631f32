"""Members of enumerations: equality, identity, truth, `.value` and `.name`.

Members that are integers behave as such (`TypingContext.resolve`).
"""

from __future__ import annotations

import enum
import operator
from inspect import getattr_static
from typing import Any

from cutaway.errors import UnsupportedError
from cutaway.extending.registry import attribute
from cutaway.library.math.numbers import both_ways
from cutaway.lowering.build.casts import item_by_index
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.analysis.ownership import holds_memory
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Optional, Type
from cutaway.typing.types.buffers import bytes_type
from cutaway.typing.types.conversions import unify_all
from cutaway.typing.types.enums import EnumMember, is_plain_member
from cutaway.typing.values.typeof import typeof_constant


def _same_class_rule(arguments: Arguments) -> Signature | None:
    lhs, rhs = arguments.types
    fits = isinstance(lhs, EnumMember) and lhs is rhs
    return Signature(types.boolean, arguments.types) if fits else None


def _plain_rule(arguments: Arguments) -> Signature | None:
    fits = all(map(is_plain_member, arguments.types))
    return _same_class_rule(arguments) if fits else None


@both_ways(operator.is_, operator.is_not, _same_class_rule)
@both_ways(operator.eq, operator.ne, _plain_rule)
def _same(build: FunctionBuilder, lhs: Value, rhs: Value) -> str:
    return build.compare("eq", "i64", lhs.parts[0], rhs.parts[0])


def _truth_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and is_plain_member(arguments.types[0])
    return Signature(types.boolean, arguments.types) if fits else None


@both_ways(bool, operator.not_, _truth_rule)
def _truth(build: FunctionBuilder, value: Value) -> str:
    return "true"  # of a member that is not an integer


# --- identity with None ------------------------------------------------------------------------


def _optional_rule(arguments: Arguments) -> Signature | None:
    inner = {ty.inner if isinstance(ty, Optional) else ty for ty in arguments.types}
    fits = len(inner) == 1 and isinstance(inner.pop(), EnumMember)
    return Signature(types.boolean, arguments.types) if fits else None


@both_ways(operator.is_, operator.is_not, _optional_rule)
def _same_or_none(build: FunctionBuilder, lhs: Value, rhs: Value) -> str:
    """True if both are the same member, or both None; an i1."""
    there = [value.parts[0] if isinstance(value.ty, Optional) else "true" for value in (lhs, rhs)]
    alike = build.compare("eq", "i1", *there)
    equal = build.compare("eq", "i64", lhs.parts[-1], rhs.parts[-1])
    nothing = build.binary("xor", "i1", there[0], "true")
    return build.binary("and", "i1", alike, build.binary("or", "i1", equal, nothing))


# --- attributes -------------------------------------------------------------------------------


def _attributes(ty: EnumMember, name: str) -> tuple[Any, ...] | None:
    """`value` or `name` of each member; None if the class redefines the attribute."""
    if getattr_static(ty.cls, name, None) is not vars(enum.Enum)[name]:
        return None
    return tuple(getattr(member, f"_{name}_") for member in ty.values)


def _attribute_type(ty: EnumMember, name: str) -> Type:
    values = _attributes(ty, name)
    if values is None:
        raise UnsupportedError(f"{ty} has a {name!r} of its own, which compiled code cannot use")
    kinds = [typeof_constant(value) for value in values]
    for cls, text in ((str, types.str_type), (bytes, bytes_type)):
        if all(kind is not None and types.text_classes(kind) == {cls} for kind in kinds):
            return unify_all(tuple(kinds)) or text  # (too many for a union)
    if len(set(kinds)) != 1 or kinds[0] is None or holds_memory(kinds[0]):
        raise UnsupportedError(  # 1 and 2.5 have no common type here
            f"{name!r} of {ty} is not supported in compiled code",
            hint="the values of all members must be numbers, strings or tuples of one type",
        )
    return kinds[0]


def _register(name: str) -> None:
    @attribute(EnumMember, name, lambda ty: _attribute_type(ty, name))
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        assert isinstance(args[0].ty, EnumMember)
        values = _attributes(args[0].ty, name)
        assert values is not None
        return item_by_index(build, sig.returns, values, args[0].parts[0])


for _name in ("value", "name"):
    _register(_name)
