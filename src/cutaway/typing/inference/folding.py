"""Constant propagation during inference: constants of folded ops, and those that types determine.

    $2.1 = getattr(a, ndim)            # 2: `a` is array(float64, 2d, C)
    $2.2 = const(1)
    $2.3 = $2.1 == $2.2                # False
    branch $2.3, 5, 8                  # goes to 8: label 5 is not typed

The values of parameters that a caller knows (`facts`), and values computed from them, decide
branches in the same way, but are not constants: a constant adopts the type of the other operand in
arithmetic, and a function must compute the same for all callers.

A variable is first unknown, then a constant, then perhaps varying for good: if a loop changes it,
or if its type has changed.  So inference terminates with constants as it does with types alone
(Wegman and Zadeck, Constant propagation with conditional branches).
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cutaway.foundation.foreign import is_a
from cutaway.ir import nodes
from cutaway.ir.constants import MISSING
from cutaway.ir.folding import FOLD_CALL, FOLD_OPERATOR, FOLD_TEXT, Constants, is_simple
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions
from cutaway.typing.inference import statics
from cutaway.typing.types import Integer, Optional, Tuple, Type
from cutaway.typing.values import classes

HasAttribute = Callable[[Type, str], bool | None]  # None: unknown


class TypedConstants(Constants):
    """The constants of variables, including those that their types determine."""

    def __init__(
        self,
        types: Mapping[str, Type],
        constants: Mapping[str, Any],
        has_attribute: HasAttribute | None = None,
    ) -> None:
        self.types = types
        self.constants = constants
        self.has_attribute = has_attribute

    def value(self, name: str) -> Any:
        value = self.constants.get(name, MISSING)
        ty = self.types.get(name)
        return ty.constant if value is MISSING and ty is not None else value


# The rules that fold ops of a class, independently of types.
_RULES = {
    **dict.fromkeys((nodes.Unary, nodes.Binary, nodes.Inplace), FOLD_OPERATOR),
    nodes.Call: FOLD_CALL,
    **dict.fromkeys((nodes.FormatValue, nodes.BuildString), FOLD_TEXT),
}


def constant_of(op: Op, known: TypedConstants) -> Any:
    """Return the constant that an op results in, or MISSING.  All its inputs have types."""
    match op:
        case nodes.Binary(_, row, lhs, rhs) if row.symbol in ("is", "is not"):
            same = _is_same(known, lhs, rhs)
            return MISSING if same is None else same == (row.symbol == "is")
        case nodes.Binary(_, row, lhs, rhs) if row.symbol in ("==", "!=", "in", "not in"):
            is_one = row.symbol in ("==", "!=")
            others = (known.value(rhs),) if is_one else _items(known.types[rhs])
            among = _is_among(known.value(lhs), others)
            if among is not None:
                return among == (row.symbol in ("==", "in"))
        case nodes.GetAttr(_, owner, name):
            return known.types[owner].constant_attribute(name)
        case nodes.Call() if not op.keywords and op.star is None:
            value = _of_call(known.value(op.func), op.args, known)
            if value is not MISSING:
                return value
    rule = _RULES.get(type(op))
    folded = None if rule is None else rule.rewrite(op, known)
    return folded.value if isinstance(folded, nodes.Const) else MISSING


def _is_same(known: TypedConstants, lhs: str, rhs: str) -> bool | None:
    """Return whether two variables are the same object; None if types do not determine it."""
    one, other = known.types[lhs], known.types[rhs]
    if True in (one.is_none, other.is_none):
        states = {one.is_none, other.is_none}
        return None if None in states else states == {True}
    values = known.values((lhs, rhs))
    if values is None or not all(is_a(value, (type, bool)) for value in values):
        return None
    return values[0] is values[1]


def _items(ty: Type) -> tuple[Any, ...]:
    """Return the items of a tuple that their types determine, MISSING for others."""
    return tuple(item.constant for item in ty.items) if isinstance(ty, Tuple) else ()


def _is_among(value: Any, others: tuple[Any, ...]) -> bool | None:
    """Return whether a class or dtype is among others; None for other values."""
    kinds = (np.dtype, type)
    if not others or not all(is_a(one, kinds) for one in (value, *others)):
        return None
    return value in others


def _of_call(function: Any, args: tuple[str, ...], known: TypedConstants) -> Any:
    """Return the constant that a call results in if its arguments' types determine it; else
    MISSING."""
    if function is isinstance and len(args) == 2:
        owner, cls = known.types[args[0]], known.types[args[1]]
        result = None if isinstance(owner, Optional) else classes.is_instance(owner, cls)
        return MISSING if result is None else result
    if function is hasattr and len(args) == 2 and known.has_attribute is not None:
        name = known.value(args[1])
        has = known.has_attribute(known.types[args[0]], name) if type(name) is str else None
        return MISSING if has is None else has
    if function is len and len(args) == 1 and isinstance(known.types[args[0]], Tuple):
        return len(known.types[args[0]].items)
    if statics.is_static(function):
        return statics.static_answer(function, map(known.types.get, args), map(known.value, args))
    if function is issubclass or function is np.issubdtype:
        values = known.values(args)
        if values is not None and all(is_a(one, (type, np.dtype, tuple)) for one in values):
            try:
                return bool(function(*values))
            except TypeError:  # the program raises it when it is executed
                return MISSING
    return MISSING


def is_same_constant(one: Any, other: Any) -> bool:
    """True if a program cannot distinguish two constants: equal signs of zeros, equal classes."""
    if one is other:
        return True
    return type(one) is type(other) and is_simple(one) and repr(one) == repr(other)


class Folding:
    """The constants during an inference; `written` are those that types cannot change.

    `facts` are the values that a caller knows, and integers that are computed from them.
    """

    def __init__(
        self,
        constants: dict[str, Any],
        facts: Mapping[str, Any],
        has_attribute: HasAttribute,
    ) -> None:
        self.constants = constants
        self.has_attribute = has_attribute
        self.written = frozenset(constants)
        self.facts = dict(facts)
        self.has_facts = bool(facts)
        self.varying: set[str] = set()  # variables that are not constant, or no longer
        self.unknown: set[str] = set()  # variables without a fact, or no longer with one

    def known(self, types: Mapping[str, Type]) -> TypedConstants:
        """Return the constants and facts, which decide branches."""
        return TypedConstants(types, ChainMap(self.constants, self.facts), self.has_attribute)

    def note(
        self, op: Op, inputs: tuple[str, ...], types: Mapping[str, Type], result: Type | None
    ) -> bool:
        """Record the constant that an op results in; True if it has changed.

        `inputs` are the values that reach a phi, and all operands of other ops; `result` is
        the type of the op's result, if it has one.
        """
        results = definitions(op)
        if len(results) != 1 or results[0] in self.written:
            return False
        (name,) = results
        changed = False
        if name not in self.varying:
            values = self._values(op, inputs, types)
            changed = _note(name, values, self.constants, self.varying)
        if not self.has_facts or name in self.constants or name in self.unknown:
            return changed
        if isinstance(op, nodes.Arg) or result is None:
            return changed
        values = self._facts(op, inputs, types, result)
        return _note(name, values, self.facts, self.unknown) or changed

    def _values(self, op: Op, inputs: tuple[str, ...], types: Mapping[str, Type]) -> list[Any]:
        """Return the constants that an op may result in, all of which must be the same."""
        if not isinstance(op, nodes.Phi | nodes.Copy):
            value = constant_of(op, TypedConstants(types, self.constants, self.has_attribute))
            if value is MISSING and not self.facts.keys().isdisjoint(inputs):
                value = constant_of(op, self.known(types))
                value = value if type(value) is bool else MISSING
            return [value]
        values = [self.constants.get(value, MISSING) for value in inputs]
        if isinstance(op, nodes.Phi) and not all(type(value) is bool for value in values):
            return [MISSING]  # so a number that a loop changes is never typed as a constant
        return values

    def _facts(
        self, op: Op, inputs: tuple[str, ...], types: Mapping[str, Type], result: Type
    ) -> list[Any]:
        """Return the integers that an op may result in, by facts that are not constants."""
        known = self.known(types)
        if isinstance(op, nodes.Phi | nodes.Copy):
            values = [known.constants.get(value, MISSING) for value in inputs]
        elif self.facts.keys().isdisjoint(inputs):
            return [MISSING]
        else:
            values = [constant_of(op, known)]
        fits = isinstance(result, Integer) and all(
            type(value) is int and result.low <= value <= result.high for value in values
        )
        return values if fits else [MISSING]  # a larger value wraps around at run time


def _note(name: str, values: list[Any], table: dict[str, Any], gone: set[str]) -> bool:
    """Record the value of a variable if all values are the same; True if it has changed."""
    before = table.get(name, MISSING)
    if before is not MISSING:
        values = [*values, before]
    value = values[0] if values else MISSING
    if value is MISSING or not all(is_same_constant(value, other) for other in values):
        gone.add(name)
        return table.pop(name, MISSING) is not MISSING
    table[name] = value
    return before is MISSING
