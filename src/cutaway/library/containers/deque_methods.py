"""Methods and operators of deques, written in Python over the primitives of `lists.py`; those that
they share with lists are in `list_methods.py`."""

from __future__ import annotations

import operator
from collections import deque

from cutaway.extending.bodies import Takes, body, static
from cutaway.extending.registry import attribute, method, primitive
from cutaway.library.arrays.kit.typers import OPTIONS, private
from cutaway.library.containers.list_methods import Index, Items, is_deque
from cutaway.library.containers.lists import add, append_rule, cut, fill, gap, unchecked
from cutaway.library.core.messages import message_of
from cutaway.lowering import lists
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import LIST_CHANGES, MOST, Value
from cutaway.typing import types
from cutaway.typing.inference.questions import emptied
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Deque
from cutaway.typing.types.containers import item_of

AnyDeque = Takes("a deque", lambda ty: isinstance(ty, Deque))
_MAXLEN = types.Optional(types.int64)
_NEGATIVE = message_of(lambda: deque(maxlen=-1))
_NOT_THERE = message_of(lambda: deque().remove(0))


@static
def has_most(maxlen):
    """True for a `maxlen` that may be a number."""
    return not (maxlen is None or maxlen is types.none or isinstance(maxlen, types.Omitted))


@static
def names_value():
    """True if Python's own `remove` names the value in its message."""
    return _NOT_THERE.startswith("0")


# --- new ones, and their maxlen -------------------------------------------------------------------


def deque_over(iterable, most):
    """Return an empty deque for the items of an iterable; -1 stands for no maxlen."""
    return deque([], None if most < 0 else most)


def _over_rule(arguments: Arguments) -> Signature | None:
    iterator = arguments.types[0].iterator() if len(arguments) == 2 else None
    item = None if iterator is None else item_of(iterator.item)
    return None if item is None else Signature(Deque(item), (arguments.types[0], types.int64))


def _emptied_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    return Signature(ty, (_MAXLEN,) * (len(arguments) - 1)) if isinstance(ty, Deque) else None


@primitive(deque_over, _over_rule, any_elements=True)
@primitive(emptied, _emptied_rule, any_elements=True)
def new_deque(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the runtime."""
    assert isinstance(sig.returns, Deque)
    most = args[-1].parts[-1] if args else "-1"
    if args and args[-1].ty is _MAXLEN:
        is_given = args[-1].parts[0]
        negative = build.compare("slt", "i64", most, "0")
        build.raise_if(build.binary("and", "i1", is_given, negative), ValueError, _NEGATIVE)
        most = build.select(is_given, "i64", most, "-1")
    made = lists.new_list(build, sig.returns, "0")
    build.store("i64", most, build.offset(made.parts[0], str(MOST)), 8)
    return made


def put_last(items, value):
    """Append an item to a deque that has room for it."""
    items.append(value)


@primitive(put_last, append_rule, any_elements=True)
def lower_put_last(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """That of a list, and a change more."""
    lists.append(build, args[0], args[1])
    changes = build.binary("add", "i64", lists.field(build, args[0], LIST_CHANGES), "1")
    build.store("i64", changes, build.offset(args[0].parts[0], str(LIST_CHANGES)), 8)
    return Value(types.none, ())


def most_of(items):
    """Return the maxlen of a deque; -1 where there is none."""
    return -1 if items.maxlen is None else items.maxlen


def _most_rule(arguments: Arguments) -> Signature | None:
    fits = isinstance(arguments.types[0], Deque)
    return Signature(types.int64, arguments.types) if fits else None


@primitive(most_of, _most_rule, any_elements=True)
def lower_most(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A load."""
    return Value(types.int64, (lists.field(build, args[0], MOST),))


@attribute(Deque, "maxlen", lambda ty: _MAXLEN, any_elements=True)
def maxlen(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`items.maxlen`."""
    most = lists.field(build, args[0], MOST)
    return Value(_MAXLEN, (build.compare("sge", "i64", most, "0"), most))


@body(deque, **OPTIONS)
def made_of(iterable: Items, maxlen=None):
    most = -1
    if has_most(maxlen):
        most = maxlen
        if most < 0:
            raise ValueError(_NEGATIVE)
    made = deque_over(iterable, most)
    for item in iterable:
        made.append(item)
    return made


@private
def _copy(items):
    made = deque_over(items, most_of(items))
    add(made, items, 0, 1, len(items))
    return made


# --- methods --------------------------------------------------------------------------------------


@body(method(Deque, "append"), **OPTIONS)
def append(items: AnyDeque, value):
    size, most = len(items), most_of(items)
    if size == most:
        if most == 0:
            return
        cut(items, 0, 1)
    put_last(items, value)


@body(method(Deque, "appendleft"), **OPTIONS)
def appendleft(items: AnyDeque, value):
    size, most = len(items), most_of(items)
    if size == most:
        if most == 0:
            return
        cut(items, size - 1, 1)
    gap(items, 0, 1)
    fill(items, 0, value)


@body(method(Deque, "extend"), **OPTIONS)
def extend(items: AnyDeque, iterable: Items):
    if is_deque(iterable):
        for item in list(iterable):  # which may be the same one
            items.append(item)
    else:
        for item in iterable:
            items.append(item)


@body(method(Deque, "extendleft"), **OPTIONS)
def extendleft(items: AnyDeque, iterable: Items):
    if is_deque(iterable):
        for item in list(iterable):
            items.appendleft(item)
    else:
        for item in iterable:
            items.appendleft(item)


@body(operator.iadd, **OPTIONS)
def extended(items: AnyDeque, iterable: Items):
    items.extend(iterable)
    return items


@body(method(Deque, "pop"), **OPTIONS)
def pop(items: AnyDeque):
    size = len(items)
    if size == 0:
        raise IndexError("pop from an empty deque")
    item = unchecked(items, size - 1)
    cut(items, size - 1, 1)
    return item


@body(method(Deque, "popleft"), **OPTIONS)
def popleft(items: AnyDeque):
    if len(items) == 0:
        raise IndexError("pop from an empty deque")
    item = unchecked(items, 0)
    cut(items, 0, 1)
    return item


@body(method(Deque, "insert"), **OPTIONS)
def insert(items: AnyDeque, index: Index, value):
    size = len(items)
    if size == most_of(items):
        raise IndexError("deque already at its maximum size")
    if index < 0:
        index = max(index + size, 0)
    index = min(index, size)
    gap(items, index, 1)
    fill(items, index, value)


@body(method(Deque, "remove"), **OPTIONS)
def remove(items: AnyDeque, value):
    for k in range(len(items)):
        if items[k] == value:
            cut(items, k, 1)
            return
    if names_value():
        raise ValueError(f"{value!r} is not in deque")
    raise ValueError(_NOT_THERE)


@body(method(Deque, "rotate"), **OPTIONS)
def rotate(items: AnyDeque, n: Index = 1):
    size = len(items)
    if size < 2:
        return
    for _ in range(n % size):
        item = unchecked(items, size - 1)
        cut(items, size - 1, 1)
        gap(items, 0, 1)
        fill(items, 0, item)


@body(method(Deque, "copy"), **OPTIONS)
def copy(items: AnyDeque):
    return _copy(items)


# --- operators ------------------------------------------------------------------------------------


@body(operator.add, **OPTIONS)
def concatenated(first: AnyDeque, second: AnyDeque):
    made = _copy(first)
    made.extend(second)
    return made


@body(operator.mul, **OPTIONS)
def repeated(items: AnyDeque, times: Index):
    made = deque_over(items, most_of(items))
    for _ in range(times):
        made.extend(items)
    return made


@body(operator.mul, **OPTIONS)
def repeated_from_left(times: Index, items: AnyDeque):
    return items * times


@body(operator.imul, **OPTIONS)
def repeat(items: AnyDeque, times: Index):
    before = list(items)
    if times <= 0:
        items.clear()
    for _ in range(times - 1):
        items.extend(before)
    return items
