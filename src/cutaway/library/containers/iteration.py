"""Iteration over ranges and tuples; `enumerate zip reversed`.

An iterator keeps its position in a memory cell (`new_cell`), which all holders of the iterator
share. The cell of an iterator that does not escape is on the stack, and LLVM promotes it to
registers (typing/analysis/escapes.py).
"""

from __future__ import annotations

from cutaway.extending.lowered import missing
from cutaway.extending.registry import CONTEXT, primitive
from cutaway.library.containers.ranges import range_count, reversed_range, step_of
from cutaway.library.core.applied import applied, resolved
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    array_value,
    make_tuple,
    owner_positions,
    part_types,
    tuple_items,
    zero_value,
)
from cutaway.typing import types
from cutaway.typing.inference.questions import advance, iterate
from cutaway.typing.overloads.resolution import (
    REQUIRED,
    Arguments,
    Call,
    Overload,
    Signature,
    Typed,
)
from cutaway.typing.types import (
    Array,
    Enumerated,
    IterableType,
    Iterator,
    IteratorType,
    Range,
    Tuple,
    Type,
    Zipped,
)


def begin(build: FunctionBuilder, value: Value) -> Value:
    """An iterator over a value."""
    result: Value = applied(build, iterate, value)
    return result


def take(build: FunctionBuilder, iterator: Value) -> tuple[Value, str]:
    """The next item of an iterator, and whether there is one."""
    item, valid = applied(build, advance, iterator)
    return item, valid


# --- ranges and tuples ------------------------------------------------------------------------


def _iterator_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    result = ty.iterator() if isinstance(ty, Range | Tuple | Iterator) else None
    return None if result is None else Signature(result, (ty,))


@primitive(iterate, _iterator_rule)
def make_iterator(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Begin the iteration of a range or a tuple; an iterator is returned itself."""
    value = args[0]
    if isinstance(value.ty, Iterator):
        return value
    if isinstance(value.ty, Range):
        return _range_iterator(build, sig, value)
    assert isinstance(value.ty, Tuple) and isinstance(sig.returns, Iterator)
    item, items = sig.returns.item, tuple_items(value)
    memory, position = build.new_cell(1 + _width(item) * len(items))
    build.store("i64", "0", position, 8)
    store_items(build, items, item, build.offset(position, "8"))
    owners = (value.parts[k] for k in owner_positions(value.ty))  # kept alive during the iteration
    return Value(sig.returns, (memory, position, *owners))


def _range_iterator(build: FunctionBuilder, sig: Signature, value: Value) -> Value:
    """Build the iterator of a range: by ones it ends at the stop; other steps are counted, so that
    a step past the largest integer cannot run on."""
    assert isinstance(value.ty, Range)
    by_ones = value.ty.step in (1, -1)
    memory, position = build.new_cell(1 if by_ones else 2)
    build.store("i64", value.parts[0], position, 8)
    if by_ones:
        return Value(sig.returns, (memory, position, value.parts[1], str(value.ty.step)))
    build.store("i64", range_count(build, value), build.offset(position, "8"), 8)
    return Value(sig.returns, (memory, position, value.parts[1], step_of(value)))


def _width(item: Type) -> int:
    """The number of words of a tuple's item in memory."""
    return max(len(part_types(item)), 1)


def stored_items(build: FunctionBuilder, items: list[Value], item: Type) -> str:
    """The address in stack memory of a tuple's items converted to one type."""
    storage = build.alloca("i64", max(_width(item) * len(items), 1))
    store_items(build, items, item, storage)
    return storage


def store_items(build: FunctionBuilder, items: list[Value], item: Type, storage: str) -> None:
    """Store a tuple's items, converted to one type, in parts of 8 bytes."""
    width = _width(item)
    for k, member in enumerate(items):
        parts = build.cast(member, item).parts
        for n, (kind, part) in enumerate(zip(part_types(item), parts, strict=True)):
            build.store(kind, part, build.offset(storage, str(8 * (k * width + n))), 8)


def load_item(build: FunctionBuilder, item: Type, storage: str, index: str) -> Value:
    """Load an item by its position from parts of 8 bytes."""
    kinds = part_types(item)
    base = build.offset(storage, build.binary("mul", "i64", index, str(8 * max(len(kinds), 1))))
    parts = [build.load(kind, build.offset(base, str(8 * n)), 8) for n, kind in enumerate(kinds)]
    return Value(item, tuple(parts))


def _next_rule(source: type[Type], arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    fits = isinstance(ty, Iterator) and isinstance(ty.source, source)
    fits = fits and not ty.source.items_are_new
    return Signature(ty.item, (ty,)) if fits else None


@primitive(advance, lambda arguments: _next_rule(Range, arguments))
def next_of_range(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next number of a range."""
    iterator = args[0].ty
    assert isinstance(iterator, Iterator) and isinstance(iterator.source, Range)
    _, position, stop, step = args[0].parts
    current = build.load("i64", position, 8)
    add = "add"
    if iterator.source.step in (1, -1):
        predicate = "slt" if iterator.source.step == 1 else "sgt"
        valid = build.compare(predicate, "i64", current, stop)
    else:
        remaining = build.offset(position, "8")
        count = build.load("i64", remaining, 8)
        valid = build.compare("sgt", "i64", count, "0")
        build.store("i64", build.binary("sub", "i64", count, "1"), remaining, 8)
        if not build.links.target.hosted:
            # The number past the last one is never used. In a grid-stride loop this flag shows LLVM
            # that no index is negative.
            add = "add nsw"
    build.store("i64", build.binary(add, "i64", current, step), position, 8)
    return Value(iterator.item, (current,)), valid


@primitive(advance, lambda arguments: _next_rule(Tuple, arguments))
def next_of_tuple(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next item of a tuple."""
    iterator = args[0].ty
    assert isinstance(iterator, Iterator) and isinstance(iterator.source, Tuple)
    position = args[0].parts[1]
    storage = build.offset(position, "8")
    count = len(iterator.source.items)
    current = build.load("i64", position, 8)
    valid = build.compare("slt", "i64", current, str(count))
    index = build.select(valid, "i64", current, "0")
    following = build.binary("add", "i64", index, "1")
    build.store("i64", build.select(valid, "i64", following, current), position, 8)
    return load_item(build, iterator.item, storage, index), valid


# --- iterators of extensions ------------------------------------------------------------------


def _told_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    inner = ty.own_iterator if isinstance(ty, IterableType) else None
    return None if inner is None else Signature(inner, (ty,))


@primitive(iterate, _told_rule, any_elements=True)
def iterator_of_own(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Return an extension's iterator itself; for other types of the extension, its `getiter` is
    missing."""
    if args[0].ty is not sig.returns:
        missing("getiter", type(args[0].ty))(build, sig, args)
    return args[0]


def _told_next_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    is_own = isinstance(ty, IteratorType) and ty.own_iterator is ty
    return Signature(ty.yield_type, (ty,)) if is_own else None


@primitive(advance, _told_next_rule, any_elements=True)
def next_of_own(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next item of an extension's iterator, by the extension's own lowering."""
    taken: tuple[Value, str] = missing("iternext", type(args[0].ty))(build, sig, args)  # it raises
    return taken


def _wrapped_next_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    source = ty.source if isinstance(ty, Iterator) else None
    inner = source.own_iterator if isinstance(source, IterableType) else None
    return None if inner is None else Signature(ty.item, (ty,))


@primitive(advance, _wrapped_next_rule, any_elements=True, gives_new_reference=True)
def next_of_wrapped(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next item of an extension's iterator inside `enumerate`, `zip` and others."""
    iterator = args[0].ty
    assert isinstance(iterator, Iterator) and isinstance(iterator.source, IterableType)
    inner = iterator.source.own_iterator
    assert inner is not None
    item, valid = take(build, Value(inner, args[0].parts))
    return build.cast(item, iterator.item), valid


# --- iter ---------------------------------------------------------------------------------------


def _iter_rule(arguments: Arguments) -> Signature | None:
    resolution = resolved(iterate, *arguments.types) if len(arguments) == 1 else None
    return None if resolution is None else Signature(resolution.signature.returns, arguments.types)


@primitive(iter, _iter_rule, any_elements=True, shares=True)
def make_iter(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`iter(x)`."""
    return begin(build, args[0])


# --- enumerate --------------------------------------------------------------------------------


def _enumerate_rule(arguments: Arguments) -> Signature | None:
    source, start = arguments.types
    inner = source.iterator()
    plain = isinstance(start, types.Omitted) or types.is_integral(start)
    if inner is None or not plain:
        return None
    number = start if isinstance(start, types.Omitted) else types.int64
    return Signature(Enumerated(inner).iterator(), (source, number))


@primitive(enumerate, _enumerate_rule, ("iterable", "start"), (REQUIRED, 0), any_elements=True)
def make_enumerate(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`enumerate(x, start=0)`."""
    memory, number = build.new_cell(1)
    build.store("i64", args[1].parts[0] if args[1].parts else "0", number, 8)
    return Value(sig.returns, (memory, number, *begin(build, args[0]).parts))


@primitive(advance, lambda arguments: _next_rule(Enumerated, arguments))
def next_of_enumerate(
    build: FunctionBuilder, sig: Signature, args: list[Value]
) -> tuple[Value, str]:
    """The next number and item."""
    iterator = args[0].ty
    assert isinstance(iterator, Iterator) and isinstance(iterator.source, Enumerated)
    _, number, *rest = args[0].parts
    item, valid = take(build, Value(iterator.source.inner, tuple(rest)))
    current = build.load("i64", number, 8)
    build.store("i64", build.binary("add", "i64", current, "1"), number, 8)
    return make_tuple([Value(types.int64, (current,)), item]), valid


# --- zip --------------------------------------------------------------------------------------


def _zip(call: Call) -> Typed | None:
    """Return the typed call of `zip`: all arguments but `strict` are iterated."""
    given = call.arguments.types[: call.positional]
    inner = tuple(ty.iterator() for ty in given)
    strict = call.arguments.constants[-1] if call.keywords == ("strict",) else False
    if None in inner or type(strict) is not bool or call.keywords not in ((), ("strict",)):
        return None
    shared = tuple(k for k, ty in enumerate(given) if ty is inner[k])
    zipped = Zipped(inner, shared, strict and len(inner) > 1)
    sig = Signature(zipped.iterator(), call.arguments.types)
    return Typed(sig, tuple(range(len(call.arguments))), make_zip)


def make_zip(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`zip(x, y, ...)`."""
    assert isinstance(sig.returns, Iterator) and isinstance(sig.returns.source, Zipped)
    several = args[: len(sig.returns.source.inner)]
    return Value(sig.returns, tuple(part for arg in several for part in begin(build, arg).parts))


CONTEXT.add(zip, Overload(None, (), None, any_elements=True, template=_zip))


@primitive(advance, lambda arguments: _next_rule(Zipped, arguments))
def next_of_zip(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next item of each iterator; the first one that ends is the last that is asked.  New
    iterators of numbers are all asked: nobody sees that, and a loop over them has one way out."""
    iterator = args[0].ty
    assert isinstance(iterator, Iterator) and isinstance(iterator.source, Zipped)
    source = iterator.source
    several, parts = [], list(args[0].parts)
    for inner in source.inner:
        count = len(part_types(inner))
        several.append(Value(inner, tuple(parts[:count])))
        del parts[:count]
    items: list[Value] = []
    all_valid = "true" if several else "false"
    after, ends, kept = build.new_label("zipped"), [], []

    def end_unless(valid: str) -> None:
        there, ended = build.new_label("there"), build.new_label("ended")
        build.branch(valid, there, ended)
        build.start(ended)
        _end_zip(build, source, several, items)
        ends.append(build.block)
        build.jump(after)
        build.start(there)

    for k, one in enumerate(several):
        if k and (source.strict or source.items_are_new or k in source.shared):
            end_unless(all_valid)
            all_valid = "true"
            kept += [build.keep(owner) for owner in _new_owners(items[-1:], several[k - 1 : k])]
        item, valid = take(build, one)
        items.append(item)
        all_valid = valid if all_valid == "true" else build.binary("and", "i1", all_valid, valid)
    for slot in kept:
        build.let_go(slot)
    whole = make_tuple(items)
    if not ends:
        return whole, all_valid
    end_unless(all_valid)
    last = build.block
    build.jump(after)
    build.start(after)
    kinds = zip(part_types(whole.ty), whole.parts, zero_value(whole.ty).parts, strict=True)
    ways = [(kind, [(part, last), *((zero, end) for end in ends)]) for kind, part, zero in kinds]
    return Value(whole.ty, tuple(build.phi(kind, way) for kind, way in ways)), build.phi(
        "i1", [("true", last), *(("false", end) for end in ends)]
    )


def _new_owners(items: list[Value], several: list[Value]) -> list[str]:
    """Return the owners of the memory of items that are new."""
    new = [item for item, one in zip(items, several, strict=False) if one.ty.source.items_are_new]
    return [item.parts[place] for item in new for place in owner_positions(item.ty)]


def _end_zip(
    build: FunctionBuilder, source: Zipped, several: list[Value], items: list[Value]
) -> None:
    """Release the items that were taken when an iterator ended, the one after them, or the last of
    them where all were asked; raise if a strict `zip` has iterators that do not end there."""
    for owner in _new_owners(items, several):
        build.call("void", "cutaway_decref", [("ptr", owner)])
    if not source.strict:
        return
    if len(items) > 1:
        build.raise_now(ValueError, _uneven(len(items), "shorter"))
        build.start(build.new_label("never"))
        return
    for k, one in enumerate(several[1:], 2):
        item, valid = take(build, one)
        for owner in _new_owners([item], [one]):
            build.call("void", "cutaway_decref", [("ptr", owner)])
        build.raise_if(valid, ValueError, _uneven(k, "longer"))


def _uneven(number: int, word: str) -> str:
    """Return Python's message for an argument of a strict `zip` that has another length."""
    others = "argument 1" if number == 2 else f"arguments 1-{number - 1}"
    return f"zip() argument {number} is {word} than {others}"


# --- reversed ---------------------------------------------------------------------------------


def _backward(ty: Type) -> Type | None:
    """The type of a value with the same items in reverse order."""
    match ty:
        case Range(dtype=dtype, step=step):
            return Range(dtype, None if step is None else -step)
        case Tuple(items=items):
            return Tuple(items[::-1])
        case Array(ndim=ndim) if ndim:
            return ty.viewed(ndim, "A")
    return None


def _reversed_rule(arguments: Arguments) -> Signature | None:
    backward = _backward(arguments.types[0]) if len(arguments) == 1 else None
    result = None if backward is None else backward.iterator()
    return None if result is None else Signature(result, arguments.types)


@primitive(reversed, _reversed_rule, any_elements=True)
def make_reversed(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`reversed(x)` of a range, a tuple or an array."""
    value = args[0]
    match value.ty:
        case Range():
            return begin(build, reversed_range(build, value))
        case Tuple():
            return begin(build, make_tuple(tuple_items(value)[::-1]))
    parts = array_parts(value)
    last = build.binary("sub", "i64", parts.shape[0], "1")
    distance = build.binary("mul", "i64", last, parts.strides[0])
    backward = build.binary("sub", "i64", "0", parts.strides[0])
    data = build.offset(parts.data, distance, inbounds=False)
    turned = ArrayParts(parts.owner, data, parts.shape, (backward, *parts.strides[1:]))
    ty = _backward(value.ty)
    assert isinstance(ty, Array)
    return begin(build, array_value(ty, turned))
