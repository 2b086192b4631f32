"""Views of arrays with other shapes and strides.

Functions without annotated types here are the library's own: a rule types them, and Python runs
their bodies.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import as_strided

from cutaway.extending.registry import primitive
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.kit.axes import new_axis_of
from cutaway.library.arrays.kit.typers import is_shape, private
from cutaway.lowering.arrays.messages import raise_text, shape_format
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    array_value,
    make_tuple,
    tuple_items,
)
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import Array, Tuple

# --- tuples of sizes with one item changed ----------------------------------------------------


def inserted(sizes, k, size):
    """The tuple with an item inserted before its k-th."""
    return (*sizes[:k], size, *sizes[k:])


def removed(sizes, k):
    """The tuple without its k-th item."""
    return (*sizes[:k], *sizes[k + 1 :])


def replaced(sizes, k, size):
    """The tuple with its k-th item replaced."""
    return (*sizes[:k], size, *sizes[k + 1 :])


def _sizes_rule(change: int, arguments: Arguments) -> Signature | None:
    sizes, *rest = arguments.types
    if not is_shape(sizes) or not all(map(types.is_integral, rest)):
        return None
    assert isinstance(sizes, Tuple)
    count = len(sizes.items) + change
    whole = Tuple((types.int64,) * len(sizes.items))
    return Signature(Tuple((types.int64,) * count), (whole, *(types.int64,) * len(rest)))


def _selected(build: FunctionBuilder, cond: str, then: str, other: str) -> Value:
    return Value(types.int64, (build.select(cond, "i64", then, other),))


@primitive(inserted, lambda arguments: _sizes_rule(1, arguments))
def insert_size(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a select or two per item."""
    sizes = [item.parts[0] for item in tuple_items(args[0])]
    place, size = args[1].parts[0], args[2].parts[0]
    items = []
    for k in range(len(sizes) + 1):
        here = build.compare("eq", "i64", place, str(k))
        before = build.compare("sgt", "i64", place, str(k))
        old = sizes[min(k, len(sizes) - 1)] if sizes else size
        moved = build.select(before, "i64", old, sizes[k - 1]) if k else old
        items.append(_selected(build, here, size, moved))
    return make_tuple(items)


@primitive(removed, lambda arguments: _sizes_rule(-1, arguments))
def remove_size(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a select per item."""
    sizes = [item.parts[0] for item in tuple_items(args[0])]
    place = args[1].parts[0]
    items = []
    for k in range(len(sizes) - 1):
        before = build.compare("sgt", "i64", place, str(k))
        items.append(_selected(build, before, sizes[k], sizes[k + 1]))
    return make_tuple(items)


@primitive(replaced, lambda arguments: _sizes_rule(0, arguments))
def replace_size(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a select per item."""
    place, size = args[1].parts[0], args[2].parts[0]
    items = []
    for k, item in enumerate(tuple_items(args[0])):
        here = build.compare("eq", "i64", place, str(k))
        items.append(_selected(build, here, size, item.parts[0]))
    return make_tuple(items)


# --- views ------------------------------------------------------------------------------------


def strided(a, shape, strides):
    """A view from the first element of `a`, whose elements must lie in the memory of `a`."""
    return as_strided(a, shape, strides)


def _strided_rule(arguments: Arguments) -> Signature | None:
    array, shape, strides = arguments.types
    if not isinstance(array, Array) or not isinstance(shape, Tuple):
        return None
    sizes = Tuple((types.int64,) * len(shape.items))
    return Signature(
        array.viewed(len(shape.items), "A" if shape.items else "C"), (array, sizes, sizes)
    )


@primitive(strided, _strided_rule, any_elements=True, shares=True)
def make_strided(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a view of the same memory with other sizes and strides."""
    parts = array_parts(args[0])
    shape, strides = (tuple(i.parts[0] for i in tuple_items(arg)) for arg in args[1:])
    assert isinstance(sig.returns, Array)
    return array_value(sig.returns, ArrayParts(parts.owner, parts.data, shape, strides))


# --- messages about shapes --------------------------------------------------------------------


def require(good, message, shapes, spaced=False):
    """Raise ValueError unless `good`, with `{}` in the message for each shape or size."""
    if not good:
        texts = (str(one) if spaced else str(one).replace(" ", "") for one in shapes)
        raise ValueError(message.format(*texts))


def _require_rule(arguments: Arguments) -> Signature | None:
    good, message, shapes, _ = arguments.types
    assert isinstance(message, types.String) and isinstance(shapes, Tuple)
    return Signature(types.none, arguments.types) if good is types.boolean else None


@primitive(
    require, _require_rule, ("good", "message", "shapes", "spaced"), (*[REQUIRED] * 3, False)
)
def require_shapes(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit the check; NumPy writes most shapes without blanks."""
    comma = "," if isinstance(args[3].ty, types.Omitted) else ", "
    message, values = args[1].ty, []
    assert isinstance(message, types.String)
    text = str(message.value)
    for one in tuple_items(args[2]):
        sizes = tuple_items(one) if isinstance(one.ty, Tuple) else [one]
        place = text.index("{}", text.rfind("\0") + 1)
        form = shape_format(len(sizes), comma) if isinstance(one.ty, Tuple) else "{}"
        form = form.replace("{}", "{\0")
        text = f"{text[:place]}{form}{text[place + 2 :]}"
        values += sizes
    bad = build.binary("xor", "i1", args[0].parts[0], "true")
    raise_text(build, bad, ValueError, text.replace("{\0", "{}"), values)
    return Value(types.none, ())


# --- broadcasting -----------------------------------------------------------------------------


@private
def shape_of(x):
    """The shape of an array, or that of a number, which is empty."""
    return x.shape if isinstance(x, np.ndarray) else ()


@private
def count_of(shape):
    """The number of elements of a shape."""
    count = 1
    for size in shape:
        count *= size
    return count


MISMATCH = -1  # marks a size that differs


def merged(first, second):
    """The shape that two shapes broadcast to, with MISMATCH where sizes differ."""
    count = max(len(first), len(second))
    first = (1,) * (count - len(first)) + first
    second = (1,) * (count - len(second)) + second
    pairs = zip(first, second, strict=True)
    return tuple(b if a == 1 else a if b in (1, a) else MISMATCH for a, b in pairs)


def _merged_rule(arguments: Arguments) -> Signature | None:
    if not all(map(is_shape, arguments.types)):
        return None
    first, second = (Tuple((types.int64,) * len(ty.items)) for ty in arguments.types)
    longer = first if len(first.items) > len(second.items) else second
    return Signature(longer, (first, second))


@primitive(merged, _merged_rule)
def merge_shapes(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit three selects per shared axis."""
    shorter, longer = sorted(([i.parts[0] for i in tuple_items(a)] for a in args), key=len)
    own = len(longer) - len(shorter)
    items = [Value(types.int64, (size,)) for size in longer[:own]]
    for a, b in zip(longer[own:], shorter, strict=True):
        a_single, b_single = (build.compare("eq", "i64", size, "1") for size in (a, b))
        same = build.compare("eq", "i64", a, b)
        fits = build.binary("or", "i1", b_single, same)
        rest = build.select(fits, "i64", a, str(MISMATCH))
        items.append(_selected(build, a_single, b, rest))
    return make_tuple(items)


@private
def is_merged(shape):
    """True if `merged` found no mismatch."""
    for size in shape:  # noqa: SIM110  loops are the point
        if size < 0:
            return False
    return True


NO_COMMON_SHAPE = (
    "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg {}"
    " with shape {} and arg {} with shape {}."
)


@private
def joint_shape(arrays):
    """The shape that arrays and numbers broadcast to. Raises ValueError if they do not."""
    shape = ()
    for one in literal_unroll(arrays):
        shape = merged(shape, shape_of(one))
    if not is_merged(shape):
        _raise_misfit(arrays, shape)
    return shape


@private
def _raise_misfit(arrays, shape):
    """Raise NumPy's ValueError, which names two arrays that differ along the first mismatched
    axis."""
    behind = len(shape)
    for size in shape:
        if size < 0:
            break
        behind -= 1
    first, second, given, k = 0, 0, 1, 0
    for one in literal_unroll(arrays):
        size = size_from_end(one, behind)
        if given == 1 and size != 1:
            first, given = k, size
        if second == 0 and size not in (1, given):
            second = k
        k += 1
    k = 0
    for one in literal_unroll(arrays):
        n = 0
        for other in literal_unroll(arrays):
            fits = k != first or n != second
            require(fits, NO_COMMON_SHAPE, (k, shape_of(one), n, shape_of(other)), True)
            n += 1
        k += 1


@private
def size_from_end(x, behind):
    """The size along an axis counted from the end; 1 if it is absent."""
    if not isinstance(x, np.ndarray) or x.ndim == 0:
        return 1
    return x.shape[x.ndim - behind] if behind <= x.ndim else 1


def spread(a, shape):
    """A view of an array broadcast to a shape."""
    return np.broadcast_to(a, shape)


def _spread_rule(arguments: Arguments) -> Signature | None:
    array, shape = arguments.types
    if not isinstance(array, Array) or not is_shape(shape):
        return None
    assert isinstance(shape, Tuple)
    count = len(shape.items)
    if array.ndim > count:
        return None
    view = Array(array.dtype, count, "A" if count else "C", True, array.aligned)
    return Signature(view, (array, Tuple((types.int64,) * count)))


@primitive(spread, _spread_rule, any_elements=True, shares=True)
def make_spread(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit strides of zero along axes of length one."""
    parts = array_parts(args[0])
    shape = tuple(item.parts[0] for item in tuple_items(args[1]))
    strides = ["0"] * (len(shape) - len(parts.shape))
    for size, stride in zip(parts.shape, parts.strides, strict=True):
        single = build.compare("eq", "i64", size, "1")
        strides.append(build.select(single, "i64", "0", stride))
    assert isinstance(sig.returns, Array)
    return array_value(sig.returns, ArrayParts(parts.owner, parts.data, shape, tuple(strides)))


@private
def is_in_order(shape, strides, itemsize):
    """True if strides describe C order without gaps, or the shape is empty."""
    expected = itemsize
    lies = True
    for k in range(len(shape) - 1, -1, -1):
        if shape[k] == 0:
            return True
        lies = lies and (shape[k] == 1 or strides[k] == expected)
        expected *= shape[k]
    return lies


# --- a new axis --------------------------------------------------------------------------------


@private
def expanded(a, axis):
    """A view with a new axis of length one."""
    k = new_axis_of(a, axis)
    return strided(a, inserted(a.shape, k, 1), inserted(a.strides, k, 0))


# --- arrays of sequences ----------------------------------------------------------------------


@private
def rows_of(arrays, dtype):
    """Arrays of one shape stacked along a new first axis."""
    shape = arrays[0].shape
    alike = len(shape)
    for a in literal_unroll(arrays):
        alike = min(alike, _common_axes(shape, a.shape))
    if alike < len(shape):
        raise_uneven(len(arrays), shape, alike)
    out = np.empty((len(arrays), *shape), dtype)
    k = 0
    for a in literal_unroll(arrays):
        out[k] = a
        k += 1
    return out


@private
def _common_axes(shape, other):
    """The number of leading axes in which two shapes are equal."""
    for k in range(len(shape)):
        if shape[k] != other[k]:
            return k
    return len(shape)


@private
def raise_uneven(count, shape, alike):
    """Raise ValueError for `count` arrays that agree in the first `alike` axes only."""
    if alike == 0:
        raise ValueError(f"{_UNEVEN} 1 dimensions. The detected shape was ({count},) {_REST}")
    if alike == 1:
        found = (count, shape[0])
        raise ValueError(f"{_UNEVEN} 2 dimensions. The detected shape was {found} {_REST}")
    if alike == 2:
        found = (count, shape[0], shape[1])
        raise ValueError(f"{_UNEVEN} 3 dimensions. The detected shape was {found} {_REST}")
    found = (count, shape[0], shape[1], shape[2])
    raise ValueError(f"{_UNEVEN} 4 dimensions. The detected shape was {found} {_REST}")


_UNEVEN = (
    "setting an array element with a sequence. The requested array has an inhomogeneous shape after"
)
_REST = "+ inhomogeneous part."
