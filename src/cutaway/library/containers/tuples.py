"""Tuples: length, `+` and `*`, order, items by a computed index, `count` and `index`, `tuple`."""

from __future__ import annotations

import operator
from functools import cache
from types import FunctionType
from typing import Any

from cutaway.extending.overloads import overload
from cutaway.extending.registry import CONTEXT, method, primitive
from cutaway.ir.operators import COMPARISONS, Operator
from cutaway.library.containers.iteration import load_item, stored_items
from cutaway.library.core.applied import applied, resolved
from cutaway.library.core.comparisons import compare, equal_values, is_comparable
from cutaway.library.math.numbers import boolean
from cutaway.lowering import lists
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, make_tuple, tuple_items
from cutaway.typing import types
from cutaway.typing.inference.questions import listed
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call, Rule, Signature
from cutaway.typing.types import List, ListDisplay, Tuple, Type
from cutaway.typing.types.containers import united_items
from cutaway.typing.types.conversions import unify_all

LARGEST = 1000  # limit for the items of a computed tuple


def _one_tuple(arguments: Arguments) -> Tuple | None:
    ty = arguments.types[0] if len(arguments) == 1 else None
    return ty if isinstance(ty, Tuple) else None


def _length_rule(arguments: Arguments) -> Signature | None:
    ty = _one_tuple(arguments)
    return None if ty is None else Signature(types.int64, (ty,))


@primitive(len, _length_rule)
def length(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`len(t)`."""
    return build.constant(types.int64, len(tuple_items(args[0])))


def _tuple_rule(arguments: Arguments) -> Signature | None:
    ty = _one_tuple(arguments)
    return None if ty is None else Signature(Tuple(ty.items), (ty,))


@primitive(tuple, _tuple_rule)
def tuple_of_tuple(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`tuple(t)`: the tuple itself; a named tuple loses its names."""
    return make_tuple(tuple_items(args[0]))


@primitive(tuple, lambda arguments: None if len(arguments) else Signature(Tuple(()), ()))
def empty_tuple(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`tuple()`."""
    return make_tuple([])


def _list_rule(arguments: Arguments) -> Signature | None:
    ty = _one_tuple(arguments)
    return None if ty is None else Signature(ListDisplay(ty.items), (ty,))


@primitive(list, _list_rule)
def list_of_tuple(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`list(t)`, as a display."""
    return Value(sig.returns, args[0].parts)


def _listed_rule(arguments: Arguments) -> Signature | None:
    ty = _one_tuple(arguments)
    common = None if ty is None else united_items(ty.items)
    return None if common is None or ty is None else Signature(List(common), (ty,))


@primitive(listed, _listed_rule, any_elements=True)
def listed_tuple(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`list(t)`, where the list is changed or returned."""
    assert isinstance(sig.returns, List)
    return lists.list_of(build, sig.returns, tuple_items(args[0]))


# --- + and * ----------------------------------------------------------------------------------


def _sum_rule(arguments: Arguments) -> Signature | None:
    lhs, rhs = arguments.types
    if not isinstance(lhs, Tuple) or not isinstance(rhs, Tuple) or lhs.word != rhs.word:
        return None
    return Signature(lhs.part(lhs.items + rhs.items), (lhs, rhs))


def _not_in_place(rule: Rule) -> Rule:
    """The rule for tuples only: a list would have to change in place, for all its holders."""

    def chosen(arguments: Arguments) -> Signature | None:
        is_list = isinstance(arguments.types[0], ListDisplay)
        return None if is_list else rule(arguments)

    return chosen


@primitive(operator.iadd, _not_in_place(_sum_rule))
@primitive(operator.add, _sum_rule)
def concatenate(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`t + u`."""
    return Value(sig.returns, args[0].parts + args[1].parts)


def _product_rule(arguments: Arguments) -> Signature | None:
    for owner, count in ((0, 1), (1, 0)):
        ty, times = arguments.types[owner], arguments.constants[count]
        if isinstance(ty, Tuple) and isinstance(times, int):
            if len(ty.items) * max(times, 0) <= LARGEST:
                return Signature(ty.part(ty.items * times), arguments.types)
    return None


@primitive(operator.imul, _not_in_place(_product_rule))
@primitive(operator.mul, _product_rule)
def repeat(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`t * n` with a constant n."""
    owner = args[0] if isinstance(args[0].ty, Tuple) else args[1]
    assert isinstance(sig.returns, Tuple) and isinstance(owner.ty, Tuple)
    times = len(sig.returns.items) // len(owner.ty.items) if owner.ty.items else 0
    return Value(sig.returns, owner.parts * times)


# --- items by a computed index ----------------------------------------------------------------


def _item_rule(arguments: Arguments) -> Signature | None:
    owner, index = arguments.types
    if not isinstance(owner, Tuple) or not types.is_integral(index):
        return None
    item = unify_all(owner.items)
    return None if item is None else Signature(item, (owner, types.int64))


@primitive(operator.getitem, _item_rule)
def item(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`t[k]`."""
    items, index = tuple_items(args[0]), args[1].parts[0]
    count = str(len(items))
    negative = build.compare("slt", "i64", index, "0")
    index = build.select(negative, "i64", build.binary("add", "i64", index, count), index)
    outside = build.compare("uge", "i64", index, count)
    assert isinstance(args[0].ty, Tuple)
    build.raise_if(outside, IndexError, f"{args[0].ty.word} index out of range")
    return load_item(build, sig.returns, stored_items(build, items, sig.returns), index)


# --- order ------------------------------------------------------------------------------------


def _order_rule(arguments: Arguments) -> Signature | None:
    both = all(isinstance(ty, Tuple) for ty in arguments.types)
    if not both or not _ordered(*arguments.types):
        return None
    return Signature(types.boolean, arguments.types)


def _ordered(lhs: types.Type, rhs: types.Type) -> bool:
    if isinstance(lhs, Tuple) and isinstance(rhs, Tuple):
        return lhs.word == rhs.word and all(map(_ordered, lhs.items, rhs.items))
    if types.is_number(lhs) and types.is_number(rhs):
        return types.is_real(lhs) and types.is_real(rhs)
    found = resolved(operator.lt, lhs, rhs)
    return found is not None and found.signature.returns is types.boolean


def _ordered_before(build: FunctionBuilder, symbol: str, lhs: Value, rhs: Value) -> str:
    """`lhs symbol rhs`: decided by the first unequal items, else by the lengths."""
    left, right = tuple_items(lhs), tuple_items(rhs)
    answer = "true" if COMPARISONS[symbol].function(len(left), len(right)) else "false"
    for a, b in reversed(list(zip(left, right, strict=False))):
        if isinstance(a.ty, Tuple):
            before = _ordered_before(build, symbol, a, b)
        elif types.is_number(a.ty):
            before = compare(build, symbol, a, b)
        else:
            before = applied(build, COMPARISONS[symbol].function, a, b).parts[0]
        answer = build.select(equal_values(build, a, b), "i1", answer, before)
    return answer


def _register_order(row: Operator) -> None:
    @primitive(row.function, _order_rule)
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return boolean(_ordered_before(build, row.symbol, *args))


for _symbol in ("<", "<=", ">", ">="):
    _register_order(COMPARISONS[_symbol])


# --- of tuples whose items are compared by Python -----------------------------------------------


def _can_be_asked(function: Any, lhs: Type, rhs: Type) -> bool:
    return CONTEXT.resolve(function, Call(Arguments((lhs, rhs), (MISSING,) * 2))) is not None


def _register_item_by_item(function: Any) -> None:
    @overload(function)
    def item_by_item(lhs, rhs):
        both = isinstance(lhs, Tuple) and isinstance(rhs, Tuple) and lhs.word == rhs.word
        pairs = list(zip(lhs.items, rhs.items, strict=False)) if both else []
        if not pairs or not all(_can_be_asked(function, *pair) for pair in pairs):
            return None
        return _comparing(function.__name__, len(lhs.items), len(rhs.items))


@cache
def _comparing(name: str, left: int, right: int) -> FunctionType:
    """Return a function that compares two tuples of so many items, by the first that differ."""
    symbol = {"eq": "==", "ne": "!="}.get(name, _ORDER.get(name, ""))
    both = range(min(left, right))
    if name in _ORDER:
        lines = [f"if not lhs[{k}] == rhs[{k}]: return lhs[{k}] {symbol} rhs[{k}]" for k in both]
    else:
        lines = [f"if not lhs[{k}] == rhs[{k}]: return {name == 'ne'}" for k in both]
    lines.append(f"return {left} {symbol} {right}")
    space: dict[str, Any] = {}
    exec("def compared(lhs, rhs):\n    " + "\n    ".join(lines), space)  # noqa: S102  our own text
    function: FunctionType = space["compared"]
    return function


_ORDER = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
for _function in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
    _register_item_by_item(_function)


# --- methods ----------------------------------------------------------------------------------


def _search_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2:
        return None
    owner, item_type = arguments.types
    assert isinstance(owner, Tuple)
    fits = all(is_comparable(member, item_type) for member in owner.items)
    return Signature(types.int64, arguments.types) if fits else None


@primitive(method(Tuple, "count"), _search_rule)
def count(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`t.count(x)`."""
    total = "0"
    for member in tuple_items(args[0]):
        match = build.convert("zext", "i1", equal_values(build, member, args[1]), "i64")
        total = build.binary("add", "i64", total, match)
    return Value(types.int64, (total,))


def _index_rule(arguments: Arguments) -> Signature | None:
    # The message for a list differs: it contains the value.
    is_list = isinstance(arguments.types[0], ListDisplay)
    return None if is_list else _search_rule(arguments)


@primitive(method(Tuple, "index"), _index_rule)
def index(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`t.index(x)`: the first position of x."""
    place = "-1"
    for k, member in reversed(list(enumerate(tuple_items(args[0])))):
        place = build.select(equal_values(build, member, args[1]), "i64", str(k), place)
    missing = build.compare("eq", "i64", place, "-1")
    build.raise_if(missing, ValueError, "tuple.index(x): x not in tuple")
    return Value(types.int64, (place,))
