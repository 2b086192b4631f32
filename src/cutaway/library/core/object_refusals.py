"""Error messages for operations on texts and buffers that only Python has; registered last."""

from __future__ import annotations

import operator
from typing import Any

from cutaway.errors import UnsupportedError
from cutaway.extending.registry import primitive
from cutaway.ir.operators import BINARY
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Slice, Str, Tuple, Type
from cutaway.typing.types.buffers import Buffer

_BEFORE = "do it before the call, and pass what comes of it"


def _is_object(ty: Type) -> bool:
    return isinstance(ty, Str | Buffer)


def _refusal(what: str) -> UnsupportedError:
    return UnsupportedError(f"{what} not supported in compiled code", hint=_BEFORE)


def _items(arguments: Arguments) -> Signature | None:
    owner, index = arguments.types[:2]
    items = index.items if isinstance(index, Tuple) else (index,)
    if isinstance(owner, Buffer) and any(isinstance(item, Slice) for item in items):
        raise _refusal(f"slices of {owner} are")
    if isinstance(owner, Buffer) and owner.ndim > 1 and types.is_integral(index):
        raise _refusal(f"a row of {owner} is")
    return None


def _pair(symbol: str, arguments: Arguments) -> Signature | None:
    """The rule for an operator between two texts or buffers, or for a repetition."""
    objects = [ty for ty in arguments.types if _is_object(ty)]
    others = [ty for ty in arguments.types if not _is_object(ty)]
    repeated = symbol == "*" and all(map(types.is_integral, others))
    searched = symbol in ("in", "not in") and _is_object(arguments.types[1])
    if objects and (repeated or searched or all(map(types.text_classes, others))):
        raise _refusal(f"`{symbol}` of {objects[0]} is")
    return None


def _register(function: Any, rule: Any) -> None:
    @primitive(function, rule)
    def refuse(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        """Never called: the rule raises or matches nothing."""
        raise AssertionError("no call fits this rule")


_register(operator.getitem, _items)
_register(operator.setitem, _items)
for _symbol in ("+", "*", "==", "!=", "<", "<=", ">", ">=", "in", "not in"):
    _register(BINARY[_symbol].function, lambda arguments, symbol=_symbol: _pair(symbol, arguments))
