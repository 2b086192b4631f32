"""`abs min max len range`, and iteration over ranges and tuples."""

from __future__ import annotations

from cutaway.extending import abstract, attribute
from cutaway.library import messages
from cutaway.library.comparisons import compare
from cutaway.library.numbers import became_infinite, kind_of, widened
from cutaway.lowering.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, float_type, part_types, tuple_items
from cutaway.typing import types
from cutaway.typing.conversions import unify
from cutaway.typing.signatures import iterator_over
from cutaway.typing.templates import Arguments, Signature
from cutaway.typing.types import Complex, Float, Integer, Iterator, Range, Tuple, Type


def _abs_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 1 or not types.is_number(arguments.types[0]):
        return None
    ty = widened(arguments.types[0])
    return Signature(ty.part if isinstance(ty, Complex) else ty, (ty,))


@abstract(abs, _abs_rule)
def absolute(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`abs(x)`."""
    value = args[0]
    match value.ty:
        case Complex(part=part):
            return _modulus(build, part, value)
        case Float() as ty:
            return Value(ty, (build.math("fabs", ty, value.parts[0]),))
        case Integer(signed=False):
            return value
    kind, part = kind_of(value.ty), value.parts[0]
    negated = build.binary("sub", kind, "0", part)
    negative = build.compare("slt", kind, part, "0")
    return Value(value.ty, (build.select(negative, kind, negated, part),))


def _modulus(build: FunctionBuilder, ty: Float, value: Value) -> Value:
    kind = float_type(ty)
    name = "hypot" if ty.bits == 64 else "hypotf"
    result = build.call(kind, name, [(kind, part) for part in value.parts])
    if build.flags.error_model == "python":
        overflow = became_infinite(build, ty, result, list(value.parts))
        build.raise_if(overflow, OverflowError, messages.COMPLEX_OVERFLOW)
    return Value(ty, (result,))


# --- min and max ------------------------------------------------------------------------------


def _extremum_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) < 2 or not all(map(types.is_real, arguments.types)):
        return None
    ty = _common(arguments.types)
    return None if ty is None else Signature(ty, arguments.types)


def _tuple_extremum_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 1 or not isinstance(arguments.types[0], Tuple):
        return None
    items = arguments.types[0].items
    ty = _common(items) if items and all(map(types.is_real, items)) else None
    return None if ty is None else Signature(ty, arguments.types)


def _common(items: tuple[Type, ...]) -> Type | None:
    common: Type | None = items[0]
    for ty in items[1:]:
        common = None if common is None else unify(common, ty)
    return common


@abstract(min, _extremum_rule)
def smallest(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`min(a, b, ...)`: the first of the smallest."""
    return _extremum(build, sig.returns, "<", args)


@abstract(max, _extremum_rule)
def largest(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`max(a, b, ...)`: the first of the largest."""
    return _extremum(build, sig.returns, ">", args)


@abstract(min, _tuple_extremum_rule)
def smallest_item(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`min(tuple)`."""
    return _extremum(build, sig.returns, "<", tuple_items(args[0]))


@abstract(max, _tuple_extremum_rule)
def largest_item(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`max(tuple)`."""
    return _extremum(build, sig.returns, ">", tuple_items(args[0]))


def _extremum(build: FunctionBuilder, ty: Type, symbol: str, args: list[Value]) -> Value:
    best = build.cast(args[0], ty)
    for value in args[1:]:
        candidate = build.cast(value, ty)
        better = compare(build, symbol, candidate, best)
        part = build.select(better, part_types(ty)[0], candidate.parts[0], best.parts[0])
        best = Value(ty, (part,))
    return best


# --- parts of numbers -------------------------------------------------------------------------


@attribute(Complex, "real", lambda ty: ty.part)
def real_part(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`z.real`."""
    return Value(sig.returns, (args[0].parts[0],))


@attribute(Complex, "imag", lambda ty: ty.part)
def imaginary_part(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`z.imag`."""
    return Value(sig.returns, (args[0].parts[1],))


def _real_itself(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    return build.cast(args[0], sig.returns)


def _no_imaginary_part(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    return build.constant(sig.returns, 0)


for _cls in (types.Boolean, Integer, Float):
    attribute(_cls, "real", widened)(_real_itself)
    attribute(_cls, "imag", widened)(_no_imaginary_part)


# --- len and range ----------------------------------------------------------------------------


def _tuple_length_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and isinstance(arguments.types[0], Tuple)
    return Signature(types.int64, arguments.types) if fits else None


@abstract(len, _tuple_length_rule)
def tuple_length(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`len(tuple)`."""
    assert isinstance(args[0].ty, Tuple)
    return build.constant(types.int64, len(args[0].ty.items))


def _range_rule(arguments: Arguments) -> Signature | None:
    if not 1 <= len(arguments) <= 3 or not all(map(types.is_integral, arguments.types)):
        return None
    step: object = arguments.constants[2] if len(arguments) == 3 else 1
    known = step if isinstance(step, int) and step != 0 else None
    return Signature(Range(types.int64, known), (types.int64,) * len(arguments))


@abstract(range, _range_rule)
def make_range(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`range(stop)`, `range(start, stop)`, `range(start, stop, step)`."""
    assert isinstance(sig.returns, Range)
    parts = [value.parts[0] for value in args]
    if len(parts) == 1:
        parts.insert(0, "0")
    if sig.returns.step is not None:
        return Value(sig.returns, tuple(parts[:2]))
    zero = build.compare("eq", "i64", parts[2], "0")
    build.raise_if(zero, ValueError, messages.ZERO_STEP)
    return Value(sig.returns, tuple(parts))


def _range_length_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and isinstance(arguments.types[0], Range)
    return Signature(types.int64, arguments.types) if fits else None


@abstract(len, _range_length_rule)
def range_length(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`len(range)`."""
    return Value(types.int64, (_count(build, args[0]),))


def _step_of(value: Value) -> str:
    assert isinstance(value.ty, Range)
    return value.parts[2] if value.ty.step is None else str(value.ty.step)


def _count(build: FunctionBuilder, value: Value) -> str:
    """How many numbers a range holds."""
    start, stop = value.parts[:2]
    step = _step_of(value)
    up = build.compare("sgt", "i64", step, "0")
    low, high = build.select(up, "i64", start, stop), build.select(up, "i64", stop, start)
    stride = build.select(up, "i64", step, build.binary("sub", "i64", "0", step))
    empty = build.compare("sge", "i64", low, high)
    span = build.binary("sub", "i64", build.binary("sub", "i64", high, low), "1")
    count = build.binary("add", "i64", build.binary("udiv", "i64", span, stride), "1")
    return build.select(empty, "i64", "0", count)


# --- iteration --------------------------------------------------------------------------------


def _iterator_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    if isinstance(ty, Range) or (isinstance(ty, Tuple) and ty.uniform is not None):
        return Signature(iterator_over(ty), (ty,))
    return None


@abstract(iter, _iterator_rule)
def make_iterator(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`iter(x)`: the position lives in stack memory, which LLVM turns into a register."""
    value = args[0]
    position = build.alloca("i64")
    if isinstance(value.ty, Range):
        return _range_iterator(build, sig, value, position)
    assert isinstance(value.ty, Tuple)
    build.store("i64", "0", position, 8)
    return Value(sig.returns, (position, _store_items(build, value)))


def _range_iterator(build: FunctionBuilder, sig: Signature, value: Value, position: str) -> Value:
    """By ones a range runs until its stop; other steps are counted, so that a step past the
    largest integer cannot run on."""
    assert isinstance(value.ty, Range)
    build.store("i64", value.parts[0], position, 8)
    if value.ty.step in (1, -1):
        return Value(sig.returns, (position, "null", value.parts[1], str(value.ty.step)))
    remaining = build.alloca("i64")
    build.store("i64", _count(build, value), remaining, 8)
    return Value(sig.returns, (position, remaining, value.parts[1], _step_of(value)))


def _store_items(build: FunctionBuilder, value: Value) -> str:
    assert isinstance(value.ty, Tuple)
    item = value.ty.items[0]
    width = max(len(part_types(item)), 1)
    storage = build.alloca("i64", max(width * len(value.ty.items), 1))
    for k, member in enumerate(tuple_items(value)):
        for n, (kind, part) in enumerate(zip(part_types(item), member.parts, strict=True)):
            build.store(kind, part, build.offset(storage, str(8 * (k * width + n))), 8)
    return storage


def _next_of(source: type[Type], arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    fits = isinstance(ty, Iterator) and isinstance(ty.source, source)
    return Signature(ty.item, (ty,)) if fits else None


@abstract(next, lambda arguments: _next_of(Range, arguments))
def next_of_range(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next number of a range."""
    iterator = args[0].ty
    assert isinstance(iterator, Iterator) and isinstance(iterator.source, Range)
    position, remaining, stop, step = args[0].parts
    current = build.load("i64", position, 8)
    if iterator.source.step in (1, -1):
        predicate = "slt" if iterator.source.step == 1 else "sgt"
        valid = build.compare(predicate, "i64", current, stop)
    else:
        count = build.load("i64", remaining, 8)
        valid = build.compare("sgt", "i64", count, "0")
        build.store("i64", build.binary("sub", "i64", count, "1"), remaining, 8)
    build.store("i64", build.binary("add", "i64", current, step), position, 8)
    return Value(iterator.item, (current,)), valid


@abstract(next, lambda arguments: _next_of(Tuple, arguments))
def next_of_tuple(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next item of a tuple whose items share a type."""
    iterator = args[0].ty
    assert isinstance(iterator, Iterator) and isinstance(iterator.source, Tuple)
    position, storage = args[0].parts
    count = len(iterator.source.items)
    current = build.load("i64", position, 8)
    valid = build.compare("slt", "i64", current, str(count))
    index = build.select(valid, "i64", current, "0")
    following = build.binary("add", "i64", index, "1")
    build.store("i64", build.select(valid, "i64", following, current), position, 8)
    return load_item(build, iterator.item, storage, index), valid


def load_item(build: FunctionBuilder, item: Type, storage: str, index: str) -> Value:
    """The item at a position of a tuple that was stored by parts of 8 bytes."""
    kinds = part_types(item)
    base = build.offset(storage, build.binary("mul", "i64", index, str(8 * max(len(kinds), 1))))
    parts = [build.load(kind, build.offset(base, str(8 * n)), 8) for n, kind in enumerate(kinds)]
    return Value(item, tuple(parts))
