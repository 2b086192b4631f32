"""`a.reshape(shape)` and `a.ravel()`: views where strides can describe them, else copies.

An array known to be in C order has a view in any shape. For others it depends on the strides:
`a[::2]` in two rows is a view, `a.T` in one line is not. Then the runtime decides
(`cutaway_regroup`), and the result of `reshape` has no known layout.
"""

from __future__ import annotations

import numpy as np

from cutaway.extending.registry import method, primitive
from cutaway.library.arrays.kit.copies import converted, itself_or_copy
from cutaway.library.arrays.kit.typers import array_alone
from cutaway.lowering.arrays.loops import stored
from cutaway.lowering.arrays.memory import TOO_BIG, checked_size, contiguous_strides
from cutaway.lowering.arrays.messages import raise_text
from cutaway.lowering.arrays.shapes import element_count
from cutaway.lowering.build.builder import FIRST_COLD
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    array_value,
    item_size,
    tuple_items,
)
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Tuple


def _is_copied(ty: Array) -> bool:
    """True if another shape is always a copy: the array is read-only, or unaligned and better
    copied."""
    return ty.layout != "C" and (ty.readonly or not ty.aligned)


def _in_c_order(build: FunctionBuilder, value: Value) -> Value:
    """The array itself with a new reference if it is in C order, else a copy that is."""
    assert isinstance(value.ty, Array)
    if value.ty.layout == "C":
        build.call("void", "cutaway_incref", [("ptr", value.parts[0])])
        return value
    return converted(build, _ordered(value.ty), value)


def _ordered(ty: Array) -> Array:
    return Array(ty.dtype, ty.ndim, "C")


def _regrouped(
    build: FunctionBuilder, value: Value, shape: tuple[str, ...]
) -> tuple[str, tuple[str, ...]]:
    """An i1: whether an array has a view of this shape, and the strides of that view or of a
    copy."""
    assert isinstance(value.ty, Array)
    parts = array_parts(value)
    axes = stored(build, "i64", [*parts.shape, *parts.strides])
    sizes = stored(build, "i64", shape)
    strides = build.alloca("i64", max(len(shape), 1))
    operands = [
        *(("i64", str(len(parts.shape))), ("ptr", axes), ("i64", str(len(shape)))),
        *(("ptr", sizes), ("i64", str(item_size(value.ty.dtype))), ("ptr", strides)),
    ]
    answer = build.call("i32", "cutaway_regroup", operands)
    found = [build.load("i64", build.offset(strides, str(8 * k)), 8) for k in range(len(shape))]
    return build.compare("ne", "i32", answer, "0"), tuple(found)


# --- one line ---------------------------------------------------------------------------------


def _ravel_rule(arguments: Arguments) -> Signature | None:
    ty = array_alone(arguments)
    if ty is None:
        return None
    readonly = ty.readonly and ty.layout == "C"
    return Signature(Array(ty.dtype, 1, "C", readonly, ty.aligned or ty.layout != "C"), (ty,))


def _dense_rule(arguments: Arguments) -> Signature | None:
    sig = _ravel_rule(arguments)
    return sig if sig is not None and arguments.types[0].layout == "C" else None


@primitive(np.ravel, _dense_rule, any_elements=True, shares=True)
@primitive(method(Array, "ravel"), _dense_rule, any_elements=True, shares=True)
def ravel_dense(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.ravel()` of an array in C order: a view."""
    return as_line(build, sig, args[0])


@primitive(np.ravel, _ravel_rule, any_elements=True)
@primitive(method(Array, "ravel"), _ravel_rule, any_elements=True)
def ravel(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.ravel()`: one contiguous axis, as a view if the array is contiguous."""
    ty = args[0].ty
    assert isinstance(ty, Array) and isinstance(sig.returns, Array)
    if _is_copied(ty):
        return as_line(build, sig, _in_c_order(build, args[0]))
    parts = array_parts(args[0])
    size, count = str(item_size(ty.dtype)), element_count(build, parts.shape)
    is_view, (stride,) = _regrouped(build, args[0], (count,))
    is_view = build.binary("and", "i1", is_view, build.compare("eq", "i64", stride, size))
    owner, data = itself_or_copy(build, args[0], is_view, _ordered(ty))
    return array_value(sig.returns, ArrayParts(owner, data, (count,), (size,)))


def as_line(build: FunctionBuilder, sig: Signature, value: Value) -> Value:
    """An array in C order in the signature's type: unchanged, or with one axis."""
    assert isinstance(sig.returns, Array)
    if value.ty is sig.returns or sig.returns.ndim != 1:
        return Value(sig.returns, value.parts)
    parts = array_parts(value)
    count = element_count(build, parts.shape)
    size = str(item_size(sig.returns.dtype))
    return array_value(sig.returns, ArrayParts(parts.owner, parts.data, (count,), (size,)))


# --- any shape --------------------------------------------------------------------------------


def _reshape_rule(arguments: Arguments) -> Signature | None:
    ty, shape = arguments.types[0], arguments.types[1:]
    if not isinstance(ty, Array) or not shape:
        return None
    if len(shape) == 1 and isinstance(shape[0], Tuple):
        shape = shape[0].items
    if not all(map(types.is_integral, shape)):
        return None
    if _is_copied(ty):
        return Signature(Array(ty.dtype, len(shape), "C"), arguments.types)
    layout = "C" if ty.layout == "C" else "A"
    return Signature(Array(ty.dtype, len(shape), layout, ty.readonly, ty.aligned), arguments.types)


@primitive(np.reshape, _reshape_rule, any_elements=True)
@primitive(method(Array, "reshape"), _reshape_rule, any_elements=True)
def reshape(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.reshape(shape)`; -1 stands for one size that is computed."""
    given = tuple_items(args[1]) if isinstance(args[1].ty, Tuple) else args[1:]
    sizes = [build.cast(item, types.int64).parts[0] for item in given]
    count = element_count(build, array_parts(args[0]).shape)
    assert isinstance(args[0].ty, Array)
    shape = _completed(build, sizes, count, item_size(args[0].ty.dtype))
    assert isinstance(sig.returns, Array)
    if sig.returns.layout != "C":
        is_view, strides = _regrouped(build, args[0], shape)
        owner, data = itself_or_copy(build, args[0], is_view, _ordered(args[0].ty))
        return array_value(sig.returns, ArrayParts(owner, data, shape, strides))
    parts = array_parts(_in_c_order(build, args[0]))
    strides = contiguous_strides(build, shape, item_size(sig.returns.dtype), "C")
    return array_value(sig.returns, ArrayParts(parts.owner, parts.data, shape, strides))


def _completed(
    build: FunctionBuilder, wanted: list[str], count: str, itemsize: int
) -> tuple[str, ...]:
    """The sizes with a negative one computed; raises if they do not fit `count` elements."""
    open_ = [build.compare("slt", "i64", size, "0") for size in wanted]
    unknown, known = "0", []
    for size, missing in zip(wanted, open_, strict=True):
        unknown = build.binary("add", "i64", unknown, build.convert("zext", "i1", missing, "i64"))
        known.append(build.select(missing, "i64", "1", size))
    several = build.compare("sgt", "i64", unknown, "1")
    build.raise_if(several, ValueError, "can only specify one unknown dimension")
    total, wrong = checked_size(build, tuple(known), "1")
    nothing = build.compare("eq", "i64", total, "0")
    divisor = build.select(nothing, "i64", "1", total)
    rest = build.binary("udiv", "i64", count, divisor)
    complete = build.compare("eq", "i64", unknown, "0")
    held = build.binary("mul", "i64", total, build.select(complete, "i64", "1", rest))
    lost = build.binary("and", "i1", nothing, build.binary("xor", "i1", complete, "true"))
    for reason in (build.compare("ne", "i64", held, count), lost):
        wrong = build.binary("or", "i1", wrong, reason)
    _raise_misfit(build, wrong, wanted, open_, count)
    result = [
        build.select(missing, "i64", rest, size)
        for size, missing in zip(wanted, open_, strict=True)
    ]
    _, too_big = checked_size(build, tuple(result), str(itemsize))
    build.raise_if(too_big, ValueError, TOO_BIG)
    return tuple(result)


def _raise_misfit(
    build: FunctionBuilder, wrong: str, wanted: list[str], open_: list[str], count: str
) -> None:
    """Raise NumPy's error, which writes an open size as newaxis, or omits it if it comes first."""
    bad, good = build.new_label("misfit"), build.new_label("fits")
    build.branch(wrong, bad, good, FIRST_COLD)
    build.start(bad)
    for place in (*range(len(wanted)), None):
        texts = ["newaxis" if k == place else "{}" for k in range(len(wanted))]
        shown = texts[1:] if place == 0 else texts
        shape = f"({','.join(shown)}{',' if len(texts) == 1 and shown else ''})"
        sizes = [Value(types.int64, (wanted[k],)) for k in range(len(wanted)) if k != place]
        message = f"cannot reshape array of size {{}} into shape {shape}"
        here = "true" if place is None else open_[place]
        raise_text(build, here, ValueError, message, [Value(types.int64, (count,)), *sizes])
    build.jump(good)
    build.start(good)
