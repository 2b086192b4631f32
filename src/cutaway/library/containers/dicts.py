"""Dicts and sets: operations of a few instructions or a call of C; `dict_methods.py` and
`set_methods.py` have the rest.

Methods refer to entries by their numbers, in the order in which they were added.
"""

from __future__ import annotations

import operator

from cutaway.extending.bodies import Takes
from cutaway.extending.registry import method, primitive
from cutaway.ir.operators import BINARY
from cutaway.library.math.numbers import both_ways
from cutaway.lowering import lists, tables
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, make_tuple, part_types
from cutaway.typing import types
from cutaway.typing.inference.questions import advance, emptied, iterate
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import (
    Container,
    Dict,
    DictView,
    FrozenSet,
    Iterator,
    ListLike,
    Set,
    SetLike,
    Type,
)
from cutaway.typing.types.containers import item_of
from cutaway.typing.types.conversions import Conversion, conversion

AnyDict = Takes("a dict", lambda ty: isinstance(ty, Dict))
AnySet = Takes("a set", lambda ty: isinstance(ty, SetLike))


def _table(arguments: Arguments, count: int = 1) -> Container | None:
    """Return the type of the first argument if it is a dict or a set, of so many arguments."""
    ty = arguments.types[0] if len(arguments) == count else None
    return ty if isinstance(ty, Container) and not isinstance(ty, ListLike) else None


def holds(item: Type, wanted: Type) -> bool:
    """True if a value of type `item` can be put where a container has values of type `wanted`."""
    own = item_of(item)
    fits = own is not None and conversion(own, wanted) <= Conversion.SAFE
    return fits or (own is not None and wanted is types.undefined)  # nothing is in it


# --- size and truth -------------------------------------------------------------------------------


def _owner_rule(result: Type, arguments: Arguments) -> Signature | None:
    ty = arguments.types[0] if len(arguments) == 1 else None
    owner = ty.dict if isinstance(ty, DictView) else _table(arguments)
    return None if owner is None else Signature(result, arguments.types)


@primitive(len, lambda arguments: _owner_rule(types.int64, arguments), any_elements=True)
def length(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`len(d)`, also of a view."""
    return Value(types.int64, (tables.size_of(build, args[0]),))


@both_ways(
    bool, operator.not_, lambda arguments: _owner_rule(types.boolean, arguments), any_elements=True
)
def _truth(build: FunctionBuilder, value: Value) -> str:
    return build.compare("ne", "i64", tables.size_of(build, value), "0")


# --- entries --------------------------------------------------------------------------------------


def find(table, key):
    """Return the number of the entry with a key; -1 where there is none."""
    return list(table).index(key) if key in table else -1


def _find_rule(arguments: Arguments) -> Signature | None:
    ty = _table(arguments, 2)
    key = arguments.types[1]
    if isinstance(ty, SetLike) and isinstance(key, Set):  # it is looked up as a frozenset
        key = FrozenSet(key.item)
    if ty is None or not holds(key, ty.item):
        return None
    return Signature(types.int64, (ty, key if ty.item is types.undefined else ty.item))


@primitive(find, _find_rule, any_elements=True)
def lower_find(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the runtime."""
    return Value(types.int64, (tables.find(build, *args),))


def _contains_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2:
        return None
    sig = _find_rule(Arguments(arguments.types[::-1], arguments.constants[::-1]))
    return None if sig is None else Signature(types.boolean, sig.args[::-1])


@both_ways(BINARY["in"].function, BINARY["not in"].function, _contains_rule, any_elements=True)
def _contains(build: FunctionBuilder, key: Value, table: Value) -> str:
    return build.compare("sge", "i64", tables.find(build, table, key), "0")


def _item_rule(arguments: Arguments) -> Signature | None:
    sig = _find_rule(arguments)
    ty = arguments.types[0]
    return Signature(ty.value, sig.args) if sig is not None and isinstance(ty, Dict) else None


@primitive(operator.getitem, _item_rule, any_elements=True, gives_new_reference=True)
def item(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`d[key]`."""
    number = tables.find(build, *args)
    missing, there = build.new_label("missing"), build.new_label("there")
    build.branch(build.compare("slt", "i64", number, "0"), missing, there)
    build.start(missing)
    build.raise_values(KeyError, [args[1]])
    build.start(there)
    value = tables.load_value(build, args[0], number)
    lists.take_item(build, value)
    return value


def _get_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    if len(arguments) != 3 or not isinstance(ty, Dict) or types.undefined in ty.contents:
        return None
    if not holds(arguments.types[1], ty.key) or not holds(arguments.types[2], ty.value):
        return None
    return Signature(ty.value, (ty, ty.key, ty.value))


@primitive(method(Dict, "get"), _get_rule, any_elements=True)
def get(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`d.get(key, default)`, where the default is of the type of the values."""
    table, key, default = args
    number = tables.find(build, table, key)
    there, after = build.new_label("there"), build.new_label("got")
    before = build.block
    build.branch(build.compare("slt", "i64", number, "0"), after, there)
    build.start(there)
    value, last = tables.load_value(build, table, number), build.block
    build.jump(after)
    build.start(after)
    pairs = zip(part_types(value.ty), value.parts, default.parts, strict=True)
    parts = [build.phi(kind, [(other, before), (one, last)]) for kind, one, other in pairs]
    got = Value(value.ty, tuple(parts))
    lists.count_in(build, "cutaway_incref", got)
    return got


def _store_rule(arguments: Arguments) -> Signature | None:
    ty = _table(arguments, 3)
    if not isinstance(ty, Dict):
        return None
    fits = holds(arguments.types[1], ty.key) and holds(arguments.types[2], ty.value)
    return Signature(types.none, (ty, ty.key, ty.value)) if fits else None


@primitive(operator.setitem, _store_rule, any_elements=True)
def store(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`d[key] = value`."""
    tables.store(build, *args)
    return Value(types.none, ())


def _add_rule(arguments: Arguments) -> Signature | None:
    sig = _find_rule(arguments)
    fits = sig is not None and isinstance(arguments.types[0], Set)
    return Signature(types.none, sig.args) if sig is not None and fits else None


@primitive(method(Set, "add"), _add_rule, any_elements=True)
def add(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`s.add(item)`."""
    tables.put(build, *args)
    return Value(types.none, ())


def following(table, number):
    """Return the number of the first entry from `number` on; -1 at the end."""
    return number if number < len(table) else -1


def last(table):
    """Return the number of the last entry; -1 in an empty table."""
    return len(table) - 1


def key_at(table, number):
    """Return the key of an entry."""
    return list(table)[number]


def value_at(table, number):
    """Return the value of an entry."""
    return list(table.values())[number]


def remove(table, number):
    """Remove an entry."""
    key = list(table)[number]
    if isinstance(table, dict):
        del table[key]
    else:
        table.remove(key)


def _number_rule(result: Type | None, count: int, arguments: Arguments) -> Signature | None:
    ty = _table(arguments, count)
    if ty is None:
        return None
    return Signature(result or ty.item, (ty, *[types.int64] * (count - 1)))


@primitive(following, lambda arguments: _number_rule(types.int64, 2, arguments), any_elements=True)
def lower_following(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the runtime."""
    operands = [("ptr", args[0].parts[0]), ("i64", args[1].parts[0])]
    return Value(types.int64, (build.call("i64", "cutaway_table_next", operands),))


@primitive(last, lambda arguments: _number_rule(types.int64, 1, arguments), any_elements=True)
def lower_last(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the runtime."""
    operands = [("ptr", args[0].parts[0])]
    return Value(types.int64, (build.call("i64", "cutaway_table_last", operands),))


@primitive(key_at, lambda arguments: _number_rule(None, 2, arguments), any_elements=True)
def lower_key_at(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A load."""
    key = tables.load_key(build, args[0], args[1].parts[0])
    lists.count_in(build, "cutaway_incref", key)
    return key


def _value_rule(arguments: Arguments) -> Signature | None:
    ty = _table(arguments, 2)
    return Signature(ty.value, (ty, types.int64)) if isinstance(ty, Dict) else None


@primitive(value_at, _value_rule, any_elements=True)
def lower_value_at(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A load."""
    value = tables.load_value(build, args[0], args[1].parts[0])
    lists.count_in(build, "cutaway_incref", value)
    return value


@primitive(remove, lambda arguments: _number_rule(types.none, 2, arguments), any_elements=True)
def lower_remove(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the runtime."""
    operands = [("ptr", args[0].parts[0]), ("i64", args[1].parts[0])]
    build.call("void", "cutaway_table_remove", operands)
    return Value(types.none, ())


# --- whole tables ---------------------------------------------------------------------------------


def _whole_rule(result: Type | None, arguments: Arguments) -> Signature | None:
    ty = _table(arguments)
    return None if ty is None else Signature(ty if result is None else result, (ty,))


def _clear(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`d.clear()`."""
    build.call("void", "cutaway_table_clear", [("ptr", args[0].parts[0])])
    return Value(types.none, ())


def _copy(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`d.copy()`."""
    owner = build.call("ptr", "cutaway_table_copy", [("ptr", args[0].parts[0])])
    build.raise_if(build.compare("eq", "ptr", owner, "null"), MemoryError)
    return Value(sig.returns, (owner,))


for _owner in (Dict, Set):
    _rule = primitive(
        method(_owner, "clear"),
        lambda arguments: _whole_rule(types.none, arguments),
        any_elements=True,
    )
    _rule(_clear)
    _rule = primitive(
        method(_owner, "copy"), lambda arguments: _whole_rule(None, arguments), any_elements=True
    )
    _rule(_copy)


def plain_copy(table):
    """Return a built-in container with the same entries."""
    return dict(table) if hasattr(table, "values") else set(table)


def _plain_rule(arguments: Arguments) -> Signature | None:
    ty = _table(arguments)
    return None if ty is None else Signature(ty.natively(False), (ty,))


primitive(plain_copy, _plain_rule, any_elements=True)(_copy)


def new_like(items):
    """Return an empty set for the items of a set, frozen or not."""
    return set()


def thawed(items):
    """Return a set with the items of a set, frozen or not."""
    return set(items)


def frozen(items):
    """Return a set that nothing else refers to as a frozenset."""
    return frozenset(items)


def _retyped_rule(cls: type[SetLike], arguments: Arguments) -> Signature | None:
    ty = _table(arguments)
    return Signature(cls(ty.item, 0, ty.native), (ty,)) if isinstance(ty, SetLike) else None


primitive(thawed, lambda arguments: _retyped_rule(Set, arguments), any_elements=True)(_copy)


@primitive(
    method(FrozenSet, "copy"),
    lambda arguments: _retyped_rule(FrozenSet, arguments),
    any_elements=True,
    shares=True,
)
@primitive(
    frozen, lambda arguments: _retyped_rule(FrozenSet, arguments), any_elements=True, shares=True
)
def retyped(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The same table."""
    return Value(sig.returns, args[0].parts)


def set_over(iterable):
    """Return an empty set for the items of an iterable."""
    return set()


def _set_over_rule(arguments: Arguments) -> Signature | None:
    iterator = arguments.types[0].iterator() if len(arguments) == 1 else None
    item = None if iterator is None else item_of(iterator.item)
    return None if item is None else Signature(Set(item), arguments.types)


def dict_over(pairs):
    """Return an empty dict for the pairs of an iterable."""
    return {}


def _dict_over_rule(arguments: Arguments) -> Signature | None:
    iterator = arguments.types[0].iterator() if len(arguments) == 1 else None
    pair = None if iterator is None else item_of(iterator.item)
    if pair is types.undefined:
        return Signature(Dict(pair, pair), arguments.types)
    if not isinstance(pair, types.Tuple) or len(pair.items) != 2:
        return None
    return Signature(Dict(*pair.items), arguments.types)


def _emptied_rule(arguments: Arguments) -> Signature | None:
    ty = _table(arguments)
    return None if ty is None else Signature(ty, ())


@primitive(emptied, _emptied_rule, any_elements=True)
@primitive(new_like, lambda arguments: _retyped_rule(Set, arguments), any_elements=True)
@primitive(set_over, _set_over_rule, any_elements=True)
@primitive(dict_over, _dict_over_rule, any_elements=True)
def new_table(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the runtime."""
    assert isinstance(sig.returns, Container)
    return tables.new_table(build, sig.returns)


# --- views and loops ------------------------------------------------------------------------------


def _register_view(kind: str) -> None:
    def rule(arguments: Arguments) -> Signature | None:
        ty = _table(arguments)
        return Signature(DictView(ty, kind), (ty,)) if isinstance(ty, Dict) else None

    @primitive(method(Dict, kind), rule, any_elements=True, shares=True)
    def view(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return Value(sig.returns, args[0].parts)


for _kind in ("keys", "values", "items"):
    _register_view(_kind)


def _iterate_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0] if len(arguments) == 1 else None
    if not isinstance(ty, DictView) and _table(arguments) is None:
        return None
    return Signature(ty.iterator(), (ty,))


@primitive(iterate, _iterate_rule, any_elements=True)
def begin(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The beginning of a loop: the number of the next entry, and the size that must not change."""
    memory, state = build.new_cell(2)
    build.store("i64", "0", state, 8)
    build.store("i64", tables.size_of(build, args[0]), build.offset(state, "8"), 8)
    return Value(sig.returns, (memory, state, *args[0].parts))


def _next_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    source = ty.source if isinstance(ty, Iterator) else None
    fits = isinstance(source, DictView | Dict | SetLike)
    return Signature(ty.item, (ty,)) if fits else None


@primitive(advance, _next_rule, any_elements=True, gives_new_reference=True)
def next_entry(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next key, value or both; RuntimeError where the size has changed."""
    iterator = args[0].ty
    assert isinstance(iterator, Iterator)
    source = iterator.source
    owner = source.dict if isinstance(source, DictView) else source
    _, state, part = args[0].parts
    table = Value(owner, (part,))
    expected = build.load("i64", build.offset(state, "8"), 8)
    changed = build.compare("ne", "i64", expected, tables.size_of(build, table))
    message = "dictionary" if isinstance(owner, Dict) else "Set"
    build.raise_if(changed, RuntimeError, f"{message} changed size during iteration")
    number = _live(build, table, build.load("i64", state, 8))
    valid = build.compare("sge", "i64", number, "0")
    there, after = build.new_label("entry"), build.new_label("next")
    before = build.block
    build.branch(valid, there, after)
    build.start(there)
    value = _entry(build, source, table, number)
    lists.take_item(build, value)
    build.store("i64", build.binary("add nuw nsw", "i64", number, "1"), state, 8)
    last_block = build.block
    build.jump(after)
    build.start(after)
    return lists.merged(build, value, last_block, before), valid


def _live(build: FunctionBuilder, table: Value, number: str) -> str:
    """Return the number of the first entry from `number` on that was not removed; -1 at the end."""
    used = tables.field(build, table, tables.USED)
    is_full = build.compare("eq", "i64", used, tables.size_of(build, table))
    ended = build.compare("sge", "i64", number, used)
    plain = build.select(ended, "i64", "-1", number)
    slow, after = build.new_label("removed"), build.new_label("live")
    before = build.block
    build.branch(is_full, after, slow)
    build.start(slow)
    operands = [("ptr", table.parts[0]), ("i64", number)]
    found = build.call("i64", "cutaway_table_next", operands)
    last_block = build.block
    build.jump(after)
    build.start(after)
    return build.phi("i64", [(plain, before), (found, last_block)])


def _entry(build: FunctionBuilder, source: Type, table: Value, number: str) -> Value:
    if not isinstance(source, DictView) or source.kind == "keys":
        return tables.load_key(build, table, number)
    value = tables.load_value(build, table, number)
    if source.kind == "values":
        return value
    return make_tuple([tables.load_key(build, table, number), value])
