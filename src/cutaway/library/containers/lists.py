"""Lists: operations of a few instructions or a call of C; `list_methods.py` has the rest.

A list is shared by reference.  An item that is read is a new reference to its memory, since the
list may release it while it is in use.
"""

from __future__ import annotations

import operator

import numpy as np

from cutaway.extending.bodies import Takes
from cutaway.extending.registry import CONTEXT, method, primitive
from cutaway.library.arrays.indexing.slice_bounds import slice_extent
from cutaway.library.math.numbers import both_ways
from cutaway.lowering import lists
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    LIST_CHANGES,
    ArrayParts,
    Value,
    array_value,
    item_size,
    tuple_items,
)
from cutaway.typing import types
from cutaway.typing.inference.questions import advance, appended, iterate
from cutaway.typing.overloads.resolution import Arguments, Overload, Signature
from cutaway.typing.types import (
    Deque,
    Iterator,
    List,
    ListLike,
    OpenTuple,
    Reversed,
    Slice,
    Tuple,
    Type,
)
from cutaway.typing.types.containers import item_of, united_items
from cutaway.typing.types.conversions import Conversion, conversion, unify

AnyList = Takes("a list", lambda ty: isinstance(ty, List))
AnyRow = Takes("a list or a tuple", lambda ty: isinstance(ty, ListLike))
Changing = Takes("a list or a deque", lambda ty: isinstance(ty, List | Deque))
Sliced = Takes("a list or a tuple", lambda ty: isinstance(ty, List | OpenTuple))
OUT_OF_RANGE = "deque index out of range"
STORE_OUT_OF_RANGE = "list assignment index out of range"


def _list(arguments: Arguments, count: int = 1) -> ListLike | None:
    """Return the type of the first argument if it is like a list, of so many arguments."""
    ty = arguments.types[0] if len(arguments) == count else None
    return ty if isinstance(ty, ListLike) else None


def takes(ty: ListLike, item: Type) -> bool:
    """True if a list can hold an item of a type."""
    own = item_of(item)
    return own is not None and conversion(own, ty.item) <= Conversion.SAFE


# --- length and truth ---------------------------------------------------------------------------


def _length_rule(arguments: Arguments) -> Signature | None:
    ty = _list(arguments)
    return None if ty is None else Signature(types.int64, (ty,))


@primitive(len, _length_rule)
def length(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`len(items)`."""
    return Value(types.int64, (lists.size_of(build, args[0]),))


def _truth_rule(arguments: Arguments) -> Signature | None:
    ty = _list(arguments)
    return None if ty is None else Signature(types.boolean, (ty,))


@both_ways(bool, operator.not_, _truth_rule)
def _truth(build: FunctionBuilder, value: Value) -> str:
    return build.compare("ne", "i64", lists.size_of(build, value), "0")


# --- items ----------------------------------------------------------------------------------------


def _item_rule(arguments: Arguments) -> Signature | None:
    ty = _list(arguments, 2)
    if ty is None or not types.is_integral(arguments.types[1]):
        return None
    return Signature(ty.item, (ty, types.int64))


@primitive(operator.getitem, _item_rule, any_elements=True, gives_new_reference=True)
def item(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`items[k]`."""
    assert isinstance(args[0].ty, ListLike)
    message = f"{args[0].ty.word} index out of range"
    index = lists.checked_index(build, args[0], args[1], message)
    return _read(build, sig.returns, args[0], index)


def _read(build: FunctionBuilder, ty: Type, items: Value, index: str) -> Value:
    value = lists.load_item(build, ty, lists.place_of(build, items, index))
    lists.take_item(build, value)
    return value


def _store_rule(arguments: Arguments) -> Signature | None:
    ty = _list(arguments, 3)
    if ty is None or not types.is_integral(arguments.types[1]) or not takes(ty, arguments.types[2]):
        return None
    return Signature(types.none, (ty, types.int64, ty.item))


def _set_rule(arguments: Arguments) -> Signature | None:
    return _store_rule(arguments) if arguments.types[0].mutable else None


@primitive(operator.setitem, _set_rule, any_elements=True)
def store(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`items[k] = value`."""
    is_deque = isinstance(args[0].ty, Deque)
    message = OUT_OF_RANGE if is_deque else STORE_OUT_OF_RANGE
    index = lists.checked_index(build, args[0], args[1], message)
    address = lists.place_of(build, args[0], index)
    before = lists.load_item(build, args[2].ty, address)
    lists.count_in(build, "cutaway_incref", args[2])
    lists.store_item(build, args[2], address)
    lists.count_in(build, "cutaway_decref", before)
    return Value(types.none, ())


def unchecked(items, index):
    """Return the item at an index that is in range."""
    return items[index]


@primitive(unchecked, _item_rule, any_elements=True)
def lower_unchecked(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """An item without a check of its index."""
    return _read(build, sig.returns, args[0], args[1].parts[0])


def fill(items, index, value):
    """Put an item where `gap` made room."""
    items[index] = value


@primitive(fill, _store_rule, any_elements=True)
def lower_fill(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A store where no item was."""
    lists.count_in(build, "cutaway_incref", args[2])
    lists.store_item(build, args[2], lists.place_of(build, args[0], args[1].parts[0]))
    return Value(types.none, ())


def swap(items, first, second):
    """Exchange two items whose indices are in range."""
    items[first], items[second] = items[second], items[first]


def _swap_rule(arguments: Arguments) -> Signature | None:
    ty = _list(arguments, 3)
    return None if ty is None else Signature(types.none, (ty, types.int64, types.int64))


@primitive(swap, _swap_rule, any_elements=True)
def lower_swap(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Two loads and two stores; no reference is counted."""
    ty = args[0].ty
    assert isinstance(ty, ListLike)
    places = [lists.place_of(build, args[0], index.parts[0]) for index in args[1:]]
    first, second = (lists.load_item(build, ty.item, place) for place in places)
    lists.store_item(build, second, places[0])
    lists.store_item(build, first, places[1])
    return Value(types.none, ())


# --- more and fewer items -------------------------------------------------------------------------


def append_rule(arguments: Arguments) -> Signature | None:
    ty = _list(arguments, 2)
    if ty is None or not takes(ty, arguments.types[1]):
        return None
    return Signature(types.none, (ty, ty.item))


@primitive(method(List, "append"), append_rule, any_elements=True)
def append(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`items.append(value)`."""
    lists.append(build, args[0], args[1])
    return Value(types.none, ())


def _collect_rule(arguments: Arguments) -> Signature | None:
    sig = append_rule(arguments)
    return None if sig is None else Signature(sig.args[0], sig.args)


def _collect(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The list with an item of a comprehension more."""
    lists.append(build, args[0], args[1])
    return args[0]


CONTEXT.add(appended, Overload(_collect_rule, (), _collect, any_elements=True))


def new_list(example, other, capacity):
    """Return an empty list for the items of two lists, with room for so many."""
    return []


def _new_rule(arguments: Arguments) -> Signature | None:
    first, other = (arguments.types[0], arguments.types[1]) if len(arguments) == 3 else (None, None)
    if not isinstance(first, ListLike) or not isinstance(other, ListLike):
        return None
    item = unify(first.item, other.item)
    if item is None:
        return None
    made = List(item).natively(first.native or other.native)
    return Signature(made, (first, other, types.int64))


@primitive(new_list, _new_rule, any_elements=True)
def lower_new_list(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the runtime."""
    assert isinstance(sig.returns, List)
    return lists.new_list(build, sig.returns, args[2].parts[0])


def list_over(iterable, capacity):
    """Return an empty list for the items of an iterable, with room for so many."""
    return []


def _list_over_rule(arguments: Arguments) -> Signature | None:
    iterator = arguments.types[0].iterator() if len(arguments) == 2 else None
    value = None if iterator is None else item_of(iterator.item)
    if value is None:
        return None
    return Signature(List(value), (arguments.types[0], types.int64))


@primitive(list_over, _list_over_rule, any_elements=True)
def lower_list_over(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the runtime."""
    assert isinstance(sig.returns, List)
    return lists.new_list(build, sig.returns, args[1].parts[0])


def sealed(items):
    """Return a list that nothing else refers to as a tuple."""
    return tuple(items)


def _sealed_rule(arguments: Arguments) -> Signature | None:
    ty = _list(arguments)
    return None if ty is None else Signature(OpenTuple(ty.item), (ty,))


@primitive(sealed, _sealed_rule, any_elements=True, shares=True)
def lower_sealed(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The same list."""
    return Value(sig.returns, args[0].parts)


def opened(items):
    """Return a tuple of known length as one of run-time length."""
    return items


def _opened_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    item = united_items(ty.items) if isinstance(ty, Tuple) and ty.value_class is tuple else None
    return None if item is None else Signature(OpenTuple(item), (ty,))


@primitive(opened, _opened_rule, any_elements=True)
def lower_opened(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A list of the items."""
    assert isinstance(sig.returns, OpenTuple)
    return lists.list_of(build, sig.returns, tuple_items(args[0]))


def gap(items, index, count):
    """Make room for `count` items in front of an index; `fill` puts them there."""
    items[index:index] = [None] * count


def cut(items, index, count):
    """Remove `count` items from an index on."""
    del items[index : index + count]


def add(items, others, start, step, count):
    """Append items of another list with items of the same type, from `start` on."""
    items += [others[start + k * step] for k in range(count)]


def _moves_rule(count: int, arguments: Arguments) -> Signature | None:
    ty = _list(arguments, count)
    return None if ty is None else Signature(types.none, (ty, *[types.int64] * (count - 1)))


@primitive(gap, lambda arguments: _moves_rule(3, arguments), any_elements=True)
def lower_gap(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the runtime."""
    failed = build.call("i32", "cutaway_list_gap", _operands(args))
    lists.check_room(build, args[0], failed)
    return Value(types.none, ())


@primitive(cut, lambda arguments: _moves_rule(3, arguments), any_elements=True)
def lower_cut(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the runtime."""
    lists.check_free(build, args[0])
    build.call("void", "cutaway_list_cut", _operands(args))
    return Value(types.none, ())


def _add_rule(arguments: Arguments) -> Signature | None:
    ty = _list(arguments, 5)
    other = arguments.types[1] if ty is not None else None
    if ty is None or not isinstance(other, ListLike) or other.item is not ty.item:
        return None
    return Signature(types.none, (ty, other, types.int64, types.int64, types.int64))


@primitive(add, _add_rule, any_elements=True)
def lower_add(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the runtime."""
    failed = build.call("i32", "cutaway_list_add", _operands(args))
    lists.check_room(build, args[0], failed)
    return Value(types.none, ())


@primitive(method(Deque, "reverse"), lambda arguments: _moves_rule(1, arguments), any_elements=True)
@primitive(method(List, "reverse"), lambda arguments: _moves_rule(1, arguments), any_elements=True)
def reverse(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`items.reverse()`."""
    build.call("void", "cutaway_list_reverse", _operands(args))
    return Value(types.none, ())


def _operands(args: list[Value]) -> list[tuple[str, str]]:
    """The owners of lists, and integers."""
    return [("ptr" if isinstance(arg.ty, ListLike) else "i64", arg.parts[0]) for arg in args]


def extent(index, size):
    """Return the first index that a slice selects of so many items, how many it selects, and its
    step; the first index of an empty one is where items are inserted."""
    start, stop, step = index.indices(size)
    return start, len(range(start, stop, step)), step


def _extent_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2 or not isinstance(arguments.types[0], Slice):
        return None
    three = types.Tuple((types.int64,) * 3)
    return Signature(three, (arguments.types[0], types.int64))


@primitive(extent, _extent_rule)
def lower_extent(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The bounds of a slice, as those of arrays are computed."""
    return Value(sig.returns, slice_extent(build, args[0], args[1].parts[0], True))


def numbers_of(items):
    """Return the numbers of a list as an array: its memory, which moves when the list grows."""
    return np.array(items)


def _numbers_rule(arguments: Arguments) -> Signature | None:
    ty = _list(arguments)
    if ty is None or not types.is_number(ty.item):
        return None
    return Signature(types.Array(ty.item, 1, "C"), (ty,))


@primitive(numbers_of, _numbers_rule, any_elements=True, gives_new_reference=True)
def lower_numbers_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A view, which is copied before the list can change."""
    ty = sig.returns
    assert isinstance(ty, types.Array)
    data, size = lists.items_of(build, args[0]), lists.size_of(build, args[0])
    owner = args[0].parts[0]
    build.call("void", "cutaway_incref", [("ptr", owner)])
    return array_value(ty, ArrayParts(owner, data, (size,), (str(item_size(ty.dtype)),)))


# --- iteration ------------------------------------------------------------------------------------


def _iterate_rule(arguments: Arguments) -> Signature | None:
    ty = _list(arguments)
    return None if ty is None else Signature(ty.iterator(), (ty,))


def _new_position(build: FunctionBuilder, items: Value, first: str) -> tuple[str, str]:
    memory, position = build.new_cell(2)
    build.store("i64", first, position, 8)
    if isinstance(items.ty, Deque):
        changes = lists.field(build, items, LIST_CHANGES)
        build.store("i64", changes, build.offset(position, "8"), 8)
    return memory, position


def _check_unchanged(build: FunctionBuilder, items: Value, position: str) -> None:
    """Raise RuntimeError if a deque got other items since a loop over it began."""
    if isinstance(items.ty, Deque):
        before = build.load("i64", build.offset(position, "8"), 8)
        changed = build.compare("ne", "i64", before, lists.field(build, items, LIST_CHANGES))
        build.raise_if(changed, RuntimeError, "deque mutated during iteration")


@primitive(iterate, _iterate_rule, any_elements=True)
def begin(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The beginning of a loop: the index of the next item, and of a deque its changes so far."""
    memory, position = _new_position(build, args[0], "0")
    return Value(sig.returns, (memory, position, *args[0].parts))


def _next_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    fits = isinstance(ty, Iterator) and isinstance(ty.source, ListLike)
    return Signature(ty.item, (ty,)) if fits else None


@primitive(advance, _next_rule, any_elements=True, gives_new_reference=True)
def next_item(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next item; a list that grows meanwhile is gone through to its new end."""
    iterator = args[0].ty
    assert isinstance(iterator, Iterator)
    _, position, owner = args[0].parts
    items = Value(iterator.source, (owner,))
    _check_unchanged(build, items, position)
    index = build.load("i64", position, 8)
    valid = build.compare("slt", "i64", index, lists.size_of(build, items))
    return _guarded(build, iterator.item, items, index, position, valid), valid


def _reversed_rule(arguments: Arguments) -> Signature | None:
    ty = _list(arguments)
    return None if ty is None else Signature(Reversed(ty).iterator(), (ty,))


@primitive(reversed, _reversed_rule, any_elements=True)
def begin_backward(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`reversed(items)`: the number of items that are still in front."""
    memory, position = _new_position(build, args[0], lists.size_of(build, args[0]))
    return Value(sig.returns, (memory, position, *args[0].parts))


def _next_backward_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    source = ty.source if isinstance(ty, Iterator) else None
    fits = isinstance(source, Reversed) and isinstance(source.inner, ListLike)
    return Signature(ty.item, (ty,)) if fits else None


@primitive(advance, _next_backward_rule, any_elements=True, gives_new_reference=True)
def previous_item(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The item in front of the last one; none in a list that has become too short."""
    iterator = args[0].ty
    assert isinstance(iterator, Iterator) and isinstance(iterator.source, Reversed)
    _, position, owner = args[0].parts
    items = Value(iterator.source.inner, (owner,))
    _check_unchanged(build, items, position)
    index = build.binary("sub", "i64", build.load("i64", position, 8), "1")
    valid = build.compare("ult", "i64", index, lists.size_of(build, items))
    build.store("i64", build.select(valid, "i64", index, "0"), position, 8)
    return _guarded(build, iterator.item, items, index, "", valid), valid


def _guarded(
    build: FunctionBuilder, ty: Type, items: Value, index: str, position: str, valid: str
) -> Value:
    """Read an item where there is one, and note that in `position` if there is such; elsewhere the
    parts are zeros."""
    there, after = build.new_label("item"), build.new_label("next")
    before = build.block
    build.branch(valid, there, after)
    build.start(there)
    value = _read(build, ty, items, index)
    if position:
        build.store("i64", build.binary("add nuw nsw", "i64", index, "1"), position, 8)
    last = build.block
    build.jump(after)
    build.start(after)
    return lists.merged(build, value, last, before)
