"""Describes ops in source terms: the text of an expression, and the rule for its type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutaway.foundation.source import CallSite, source_line, span_text
from cutaway.ir import nodes
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import by_place_and_name
from cutaway.typing import types
from cutaway.typing.inference.callees import kind_of
from cutaway.typing.inference.events import RETURN
from cutaway.typing.types import Integer, Type
from cutaway.typing.types.structure import parts

LONGEST = 60  # characters of source that are repeated
RESULT = "the result"  # the function's return value, as a variable
ITEM = "the item of the loop"
UNNAMED = "an expression"  # without known source

Table = Mapping[str, Type]


def source_of(op: Op) -> str:
    """Return the source text of an op, in one short line; empty if there is none."""
    if not op.loc.line:
        return ""
    text = types.shortened(" ".join(span_text(op.loc).split()), LONGEST)
    return f"case {text}" if _is_pattern(op, text) else text


def _is_pattern(op: Op, text: str) -> bool:
    """True if an op is the implicit comparison with the pattern of a `case`."""
    if not isinstance(op, nodes.Binary) or op.op.symbol not in ("==", "is") or op.op.symbol in text:
        return False
    return source_line(op.loc.filename, op.loc.line).lstrip().startswith("case ")


def spelled(name: str, op: Op) -> str:
    """Return a variable in source terms: its name, or the source of the op that defines it."""
    if name == RETURN:
        return RESULT
    if not is_temporary(name):
        return user_name(name)
    if is_implicit_return(op):
        return "None"
    if isinstance(op, nodes.IterNext):
        return ITEM
    constant = shown_constant(op.value) if isinstance(op, nodes.Const) else UNNAMED
    is_replaced = isinstance(op.loc, CallSite)
    return constant if is_replaced else source_of(op) or constant


def is_implicit_return(op: Op) -> bool:
    """True if an op loads the None that a function without a final `return` returns."""
    source = source_of(op)
    is_none = isinstance(op, nodes.Const) and op.value is None
    return is_none and source != "" and "None" not in source


def quoted(what: str) -> str:
    """Return a source term for a sentence, in backquotes unless it is a description."""
    return what if what in (RESULT, UNNAMED, ITEM) else f"`{what}`"


def rule_of(op: Op, table: Table, ty: Type, function: str) -> str:
    """Return the rule by which an op's result has type `ty`, for inputs of the types in `table`."""
    match op:
        case nodes.Arg(_, index, _):
            return _argument(ty, index, function)
        case nodes.Const(result) if is_temporary(result) and is_implicit_return(op):
            return "the function can end without a `return`"
        case nodes.Const(_, value):
            return "a constant" if source_of(op) == repr(value) else f"the constant {_shown(value)}"
        case nodes.Global(_, name, _):
            return f"the global `{name}`"
        case nodes.FreeVar(_, name, _):
            return f"`{name}` of the enclosing function"
        case nodes.Undef():
            return "no value yet"
        case nodes.Unary(_, row, value):
            return f"`{row.symbol}` on {short(table[value])}"
        case nodes.Binary(_, row, lhs, rhs) | nodes.Inplace(_, row, lhs, rhs):
            return _operator(row.symbol, table[lhs], table[rhs], ty)
        case nodes.GetItem(_, value, index):
            return _item(table[value], ty, f"indexed by {table[index]}")
        case nodes.StaticGetItem(_, value, index):
            return _item(table[value], ty, f"indexed by {_index(index)}")
        case nodes.GetAttr(_, value, attr):
            return f"attribute `{attr}` of {short(table[value])}"
        case nodes.IterNext(_, _, iterator):
            return f"an item of {_iterated(table[iterator])}"
        case nodes.GetIter(_, value):
            return f"an iteration over {table[value]}"
        case nodes.Call():
            return _call(op, table)
        case nodes.BuildTuple(_, items):
            return f"a tuple of {_listed([table[name] for name in items])}"
        case nodes.BuildList(_, items) | nodes.MakeList(_, items):
            return f"a list of {_listed([table[name] for name in items])}"
        case nodes.BuildSet(_, items):
            return f"a set of {_listed([table[name] for name in items])}"
        case nodes.BuildDict(_, items):
            return f"a dict of {_listed([table[name] for name in items])}"
        case nodes.ListAppend(_, _, item):
            return f"a list with {table[item]} appended"
        case nodes.BuildSlice():
            return "a slice"
        case nodes.Unpack(_, value, count) if isinstance(table[value], types.Array):
            return f"the {count} items of {table[value]}"
        case nodes.Unpack() | nodes.UnpackStar():
            return f"the items of {table[op.value]}"
        case nodes.MakeFunction():
            return "an inner function"
        case nodes.FormatValue() | nodes.BuildString():
            return "an f-string"
        case nodes.RunObjects():
            return "what the block declares"
        case nodes.Phi(_, _, values):
            kinds = dict.fromkeys(str(table[name]) for name in values if name in table)
            return f"{' and '.join(kinds)} meet here"
        case nodes.Return():
            return "the returned value"
    return "the assigned value"


def used_with(
    op: Op, defined: Mapping[str, Op], ty: Type, place: int, values: Mapping[str, Type]
) -> str:
    """Return how an op determines the contents of a container of type `ty` at `place`, by values
    with these types."""
    put = " and ".join(f"{name}, {one}" for name, one in values.items())
    line = f"line {op.loc.line}"
    method = defined.get(op.func) if isinstance(op, nodes.Call) else None
    if isinstance(op, nodes.Call) and not isinstance(method, nodes.GetAttr):
        return f"`{source_of(op)}` in {line} fills it"
    contents = ty.contents[place] if isinstance(ty, types.Container) else ty
    if _has_containers(contents) and not any(map(_has_containers, values.values())):
        return f"{line} puts {put} into its {'values' if place else 'items'}"
    if isinstance(ty, types.Dict):
        return f"{line} uses {('the key', 'the value')[place]} {put}"
    is_read = isinstance(op, nodes.Binary) or getattr(method, "attr", "") in _READING
    return f"{line} looks {put} up in it" if is_read else f"{line} puts {put} into it"


def _has_containers(ty: Type) -> bool:
    return any(isinstance(one, types.Container) for one in parts(ty))


_READING = ("count", "discard", "index", "remove")


def remark_of(op: Op, result_type: Type, inputs: tuple[Type, ...]) -> str:
    """Return a remark on a rule whose result type often surprises; empty for other rules."""
    both = [ty for ty in inputs if isinstance(ty, Integer)]
    symbol = op.op.symbol if isinstance(op, nodes.Binary | nodes.Inplace) else ""
    if symbol in ("/", "/=") and all(isinstance(ty, Integer | types.Boolean) for ty in inputs):
        return "`/` always returns a float, as in Python"
    if symbol in ("**", "**=") and len(both) == 2 and isinstance(result_type, types.Float):
        return "a negative power of an integer is a float"
    if isinstance(result_type, types.Float) and {ty.signed for ty in both} == {False, True}:
        return "no integer type holds all values of both, so the result is a float"
    if symbol and result_type is types.int64 and both and all(ty.bits < 64 for ty in both):
        return "integer arithmetic uses 64 bits"
    merges = isinstance(op, nodes.Phi | nodes.Return)
    if merges and isinstance(result_type, types.Optional):
        return "one path gives None, the other a value"
    if merges and isinstance(result_type, types.Array) and result_type.layout == "A":
        return "arrays with different layouts are merged to any layout"
    if merges and isinstance(result_type, types.Float) and types.int64 in inputs:
        return "the wider type holds both"
    return ""


def _shown(value: Any) -> str:
    return f"`{shown_constant(value)}`"


def shown_constant(value: Any) -> str:
    """Return the shortened source text of a constant."""
    return types.shortened(repr(value), 40)


def short(ty: Type) -> str:
    """Return the shortened text of a type, for a sentence."""
    return types.shortened(str(ty))


def _index(index: Any) -> str:
    if not isinstance(index, slice):
        return _shown(index)
    parts = [index.start, index.stop, *([index.step] if index.step is not None else [])]
    return f"`{':'.join('' if part is None else repr(part) for part in parts)}`"


def _argument(ty: Type, index: int, function: str) -> str:
    if isinstance(ty, types.Omitted):
        return f"the default {_shown(ty.value)} of argument {index + 1} of {function}"
    return f"argument {index + 1} of {function}"


_PREDICATES = {"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"}


def is_predicate(op: Op) -> bool:
    """True if an op results in a bool for inputs of all types."""
    if isinstance(op, nodes.Unary):
        return op.op.symbol in ("not", "bool")
    return isinstance(op, nodes.Binary) and op.op.symbol in _PREDICATES


def _operator(symbol: str, lhs: Type, rhs: Type, ty: Type) -> str:
    if symbol in _PREDICATES and ty is types.boolean:
        return f"a comparison, `{symbol}`"
    return f"`{symbol}` of {short(lhs)} and {short(rhs)}"


def _item(owner: Type, ty: Type, how: str) -> str:
    if isinstance(owner, types.Array):
        if isinstance(ty, types.Array):
            return f"a view of {owner}, {how}"
        return f"an element of {owner}"
    return f"{short(owner)} {how}"


def _iterated(iterator: Type) -> str:
    text = str(iterator)
    return text[5:-1] if text.startswith("iter(") and text.endswith(")") else text


def _call(op: nodes.Call, table: Table) -> str:
    plain, named = by_place_and_name([str(table[name]) for name in op.args], op.keywords)
    star = () if op.star is None else (f"*{table[op.star]}",)
    arguments = (*plain, *star, *(f"{word}={ty}" for word, ty in named.items()))
    target = table[op.func]
    return f"the result of {kind_of(target).name(target)}({types.shortened(', '.join(arguments))})"


def _listed(items: list[Type]) -> str:
    texts = list(map(str, items))
    if len(texts) < 2:
        return "".join(texts) or "nothing"
    return types.shortened(f"{', '.join(texts[:-1])} and {texts[-1]}")
