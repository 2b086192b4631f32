"""Elements selected by arrays of indices and masks: gathered into a new array, and assigned.

The runtime loops over the selected elements (`runtime/gather.c`, `runtime/masks.c`), whatever their
size. Its plan is a row of words: the shape of the selection, the size of each index's selection,
and the index arrays with their axes.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.foundation.dataclass import dataclass
from cutaway.library.arrays.indexing.basic import (
    OUT_OF_BOUNDS,
    PartialIndex,
    array_of_items,
    checked_index,
    fitted,
    getitem,
    select_slice,
    setitem,
)
from cutaway.lowering.arrays.copying import assign
from cutaway.lowering.arrays.elements import load_element, store_element
from cutaway.lowering.arrays.kernels import Kernel
from cutaway.lowering.arrays.memory import allocate
from cutaway.lowering.arrays.nests import store_into
from cutaway.lowering.arrays.shapes import (
    Shape,
    broadcast,
    either,
    element_count,
    misfit,
    raise_mismatch,
    strides_over,
)
from cutaway.lowering.arrays.texts import taken_out
from cutaway.lowering.build.builder import SECOND_COLD
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    array_value,
    item_size,
    make_tuple,
    tuple_items,
)
from cutaway.typing import types
from cutaway.typing.analysis.indices import chosen, is_mask_of, with_numbers
from cutaway.typing.overloads.resolution import Signature
from cutaway.typing.types import Array, Integer, Tuple, Type

WRONG_MASK = (
    "boolean index did not match indexed array along axis {}; size of axis is {} but size of"
    " corresponding boolean axis is {}"
)
WRONG_VALUE = "shape mismatch: value array of shape {} could not be broadcast to indexing result of"
MASKED = "NumPy boolean array indexing assignment"
NO_MEMORY = "2"  # the runtime's status for it

# --- one index --------------------------------------------------------------------------------


def gather(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a[index]`, a new array."""
    array, index = args
    assert isinstance(array.ty, Array)
    plain = _plain(build, index)
    if plain is not None:
        return _copy_of_part(build, sig.returns, array, plain)
    assert isinstance(sig.returns, Array)
    if is_mask_of(index.ty, array.ty):
        return _compressed(build, sig.returns, array, _items(index)[0])
    places = IndexedElements(build, array, index)
    target = places.result(sig.returns)
    slot = build.keep(array_parts(target).owner)
    places.run("cutaway_gather", array_parts(target).data, places.strides_of(target))
    build.let_go(slot)
    return target


def scatter(build: FunctionBuilder, args: list[Value]) -> None:
    """`a[index] = value`."""
    array, index, value = args
    assert isinstance(array.ty, Array)
    plain = _plain(build, index)
    if plain is not None:
        sig = Signature(types.none, (array.ty, plain.ty, value.ty))
        setitem(build, sig, [array, plain, value])
        return
    if is_mask_of(index.ty, array.ty):
        _put_where(build, array, _items(index)[0], value)
        return
    places = IndexedElements(build, array, index)
    with_memory = _Stored(build, array.ty.dtype, value)
    value = with_memory.value
    places.meet()
    strides = places.strides_of(value)
    places.run("cutaway_scatter", array_parts(value).data, strides)
    with_memory.free()


def _items(index: Value) -> list[Value]:
    return tuple_items(index) if isinstance(index.ty, Tuple) else [index]


def _plain(build: FunctionBuilder, index: Value) -> Value | None:
    """The index with numbers for one-element arrays; None if other parts select too."""
    if with_numbers(index.ty) is None:
        return None
    items = [_number(build, item) for item in _items(index)]
    return make_tuple(items) if isinstance(index.ty, Tuple) else items[0]


def _number(build: FunctionBuilder, item: Value) -> Value:
    if not isinstance(item.ty, Array):
        return item
    return load_element(build, item.ty, array_parts(item).data)


def _copy_of_part(build: FunctionBuilder, returns: Type, array: Value, index: Value) -> Value:
    assert isinstance(array.ty, Array)
    if not isinstance(returns, Array):
        return getitem(build, Signature(returns, (array.ty, index.ty)), [array, index])
    part = array.ty.viewed(returns.ndim, "A")
    view = getitem(build, Signature(part, (array.ty, index.ty)), [array, index])
    target = allocate(build, returns, array_parts(view).shape, zeroed=False)
    assign(build, item_size(returns.dtype), array_parts(view), array_parts(target))
    return target


# --- selections -------------------------------------------------------------------------------


@dataclass(slots=True)
class _Indices:
    """An array of indices for an axis; `kind` is the bytes of an index, negative if unsigned. A
    mask has one per axis."""

    data: str
    kind: int
    shape: Shape
    strides: tuple[str, ...]
    axis: int


class IndexedElements:
    """The elements that an index selects: the index arrays, and the part at each index."""

    def __init__(self, build: FunctionBuilder, array: Value, index: Value) -> None:
        assert isinstance(array.ty, Array)
        selection = chosen(array.ty, index.ty)
        assert selection is not None
        self.build = build
        self.array = array
        self.found = selection
        self.part = PartialIndex(array_parts(array).data, [], [])
        self.shape: Shape = ()
        self.shapes: list[Shape] = []  # of the index arrays
        self.indices: list[_Indices] = []
        self.owners: list[tuple[str, str]] = []  # of the index arrays made from masks
        items = [*_items(index), None]
        for item in selection.items:
            value = items[item.position]
            if item.kind in ("whole", "slice", "new"):
                self._keep(item.kind, item.axis, value)
            elif value is not None and item.kind in ("places", "mask", "bool"):
                self._choose(item.kind, item.axis, value)
        for item in selection.items:
            value = items[item.position]
            if value is not None and item.kind == "number":
                self._move(item.axis, value)

    def _keep(self, kind: str, axis: int, value: Value | None) -> None:
        """Add an axis that stays, or a new one."""
        parts = array_parts(self.array)
        if kind == "slice":
            assert value is not None
            size, stride = parts.shape[axis], parts.strides[axis]
            select_slice(self.build, self.part, value, size, stride)
            return
        is_new = kind == "new"
        self.part.shape.append("1" if is_new else parts.shape[axis])
        self.part.strides.append("0" if is_new else parts.strides[axis])

    def _choose(self, kind: str, axis: int, value: Value) -> None:
        build = self.build
        match kind:
            case "places":
                assert isinstance(value.ty, Array) and isinstance(value.ty.dtype, Integer)
                parts, size = array_parts(value), item_size(value.ty.dtype)
                kind_of_index = size if value.ty.dtype.signed else -size
                self.shapes.append(parts.shape)
                row = _Indices(parts.data, kind_of_index, parts.shape, parts.strides, axis)
                self.indices.append(row)
            case "mask":
                self._choose_by_mask(axis, value)
            case "bool":
                value = _number(build, value)
                self.shapes.append((build.convert("zext", "i1", value.parts[0], "i64"),))

    def _move(self, axis: int, index: Value) -> None:
        """Move to the position that a number selects along an axis."""
        build, parts = self.build, array_parts(self.array)
        place = checked_index(build, _number(build, index), axis, parts.shape[axis])
        distance = build.binary("mul", "i64", place, parts.strides[axis])
        self.part.data = build.offset(self.part.data, distance, inbounds=False)

    def _choose_by_mask(self, axis: int, mask: Value) -> None:
        """Add the positions where a mask is true, an index array for each axis."""
        build, ndim = self.build, array_parts(mask).shape
        sizes = array_parts(self.array).shape[axis : axis + len(ndim)]
        _require_mask(build, mask, sizes, axis)
        for k, row in enumerate(true_places(build, mask)):
            parts = array_parts(row)
            self.owners.append((parts.owner, build.keep(parts.owner)))
            self.shapes.append(parts.shape)
            self.indices.append(_Indices(parts.data, 8, parts.shape, parts.strides, axis + k))

    # --- broadcasting ---------------------------------------------------------------------------

    def meet(self) -> None:
        """Broadcast the index arrays against each other."""
        if len(self.shapes) == 1:
            self.shape = self.shapes[0]
        else:
            what = "shape mismatch: indexing arrays"
            self.shape = broadcast(self.build, self.shapes, IndexError, what)

    @property
    def result_shape(self) -> Shape:
        """The shape of the selection."""
        before = self.found.before
        return (*self.part.shape[:before], *self.shape, *self.part.shape[before:])

    def result(self, ty: Array) -> Value:
        """A new array for the selection; in its memory the indexed axes come first."""
        self.meet()
        plain = ty.copy(layout="C")
        shape = (*self.shape, *self.part.shape)
        made = array_parts(allocate(self.build, plain, shape, zeroed=False))
        places, rest = len(self.shape), made.strides[len(self.shape) :]
        before = self.found.before
        strides = (*rest[:before], *made.strides[:places], *rest[before:])
        return array_value(ty, ArrayParts(made.owner, made.data, self.result_shape, strides))

    def strides_of(self, value: Value) -> tuple[str, ...]:
        """The strides of a value over the selection: those of indexed axes first, then the rest."""
        parts, shape = array_parts(value), self.result_shape
        extra = max(len(parts.shape) - len(shape), 0)
        _require_value(self.build, parts.shape, shape, extra)
        inner = ArrayParts(parts.owner, parts.data, parts.shape[extra:], parts.strides[extra:])
        strides = strides_over(self.build, inner, shape)
        before, places = self.found.before, len(self.shape)
        return (
            *strides[before : before + places],
            *strides[:before],
            *strides[before + places :],
        )

    def run(self, function: str, other: str, strides: Sequence[str]) -> None:
        """Run the plan in the runtime; raises IndexError for the first index out of bounds."""
        build = self.build
        _run_plan(build, function, self._words(strides), self.part.data, other)
        for owner, slot in self.owners:
            build.let_go(slot)
            build.call("void", "cutaway_decref", [("ptr", owner)])

    def _words(self, strides: Sequence[str]) -> list[str]:
        assert isinstance(self.array.ty, Array)
        build, places = self.build, len(self.shape)
        counts = (places, len(self.indices), len(self.part.shape), item_size(self.array.ty.dtype))
        words = [*map(str, counts), *self.shape, *strides[:places]]
        words += [*self.part.shape, *self.part.strides, *strides[places:]]
        parts = array_parts(self.array)
        for row in self.indices:
            size, step = parts.shape[row.axis], parts.strides[row.axis]
            address = build.convert("ptrtoint", "ptr", row.data, "i64")
            over = ArrayParts("null", row.data, row.shape, row.strides)
            words += [address, str(row.kind), size, step, str(row.axis)]
            words += strides_over(build, over, self.shape)
        return words


def _require_value(build: FunctionBuilder, given: Shape, shape: Shape, extra: int) -> None:
    """Raise ValueError if a value cannot be broadcast to the selection. NumPy drops surplus leading
    axes of length one, or of any length from an empty value."""
    wrong = misfit(build, given[:extra], ())
    if wrong != "false":
        some = build.compare("ne", "i64", element_count(build, given[extra:]), "0")
        wrong = build.binary("and", "i1", wrong, some)
    wrong = either(build, wrong, misfit(build, given[extra:], shape))
    if wrong != "false":
        raise_mismatch(build, wrong, given, shape, f"{WRONG_VALUE} shape {{}}")


def raise_fault(build: FunctionBuilder, status: str, fault: str) -> None:
    """Raise the runtime's fault: IndexError for an index out of bounds, or MemoryError."""
    failed, done = build.new_label("fault"), build.new_label("ok")
    build.branch(build.compare("ne", "i32", status, "0"), failed, done, "!prof !0")
    build.start(failed)
    _raise_no_memory(build, status)
    numbers = [build.load("i64", build.offset(fault, str(8 * k)), 8) for k in range(3)]
    build.raise_now(IndexError, OUT_OF_BOUNDS, payload=tuple(numbers))
    build.start(done)


def _raise_no_memory(build: FunctionBuilder, status: str) -> None:
    build.raise_if(build.compare("eq", "i32", status, NO_MEMORY), MemoryError)


# --- values -----------------------------------------------------------------------------------


class _Stored:
    """A value as an array of an element type, in its own memory if it was converted."""

    def __init__(self, build: FunctionBuilder, dtype: Type, value: Value) -> None:
        self.build = build
        self.owner = self.kept = ""
        if isinstance(value.ty, Tuple):
            value = array_of_items(build, value, dtype)
        elif not isinstance(value.ty, Array):
            value = self._single(dtype, value)
        elif value.ty.dtype is not dtype:
            value = self._converted(dtype, value)
        self.value = value

    def _single(self, dtype: Type, value: Value) -> Value:
        build, ty = self.build, Array(dtype, 0, "C")
        value = fitted(build, value, dtype, always=True)
        data = build.alloca("i64", (item_size(dtype) + 7) // 8)
        store_element(build, ty, value, data)
        return array_value(ty, ArrayParts("null", data, (), ()))

    def _converted(self, dtype: Type, value: Value) -> Value:
        assert isinstance(value.ty, Array)
        build, ty = self.build, Array(dtype, value.ty.ndim, "C")
        target = allocate(build, ty, array_parts(value).shape, zeroed=False)
        self.owner = array_parts(target).owner
        self.kept = build.keep(self.owner)
        store_into(build, Kernel((value.ty,), (), 0), [value], target, ())
        return target

    def free(self) -> None:
        """Release the memory of a converted value."""
        if self.owner:
            self.build.let_go(self.kept)
            self.build.call("void", "cutaway_decref", [("ptr", self.owner)])


# --- one mask for all -------------------------------------------------------------------------


def _require_mask(build: FunctionBuilder, mask: Value, sizes: Sequence[str], first: int) -> None:
    """Raise IndexError unless a mask has the lengths of its axes. NumPy accepts an axis of length 0
    in a mask, which selects nothing."""
    for axis, (size, own) in enumerate(zip(sizes, array_parts(mask).shape, strict=True), first):
        if size != own:
            differs = build.compare("ne", "i64", size, own)
            some = build.compare("ne", "i64", own, "0")
            wrong = build.binary("and", "i1", differs, some)
            build.raise_if(wrong, IndexError, WRONG_MASK, payload=(str(axis), size, own))


def _axes_of(build: FunctionBuilder, parts: ArrayParts) -> str:
    return _row(build, (*parts.shape, *parts.strides))


def _row(build: FunctionBuilder, numbers: Sequence[str]) -> str:
    place = build.alloca("i64", max(len(numbers), 1))
    for k, number in enumerate(numbers):
        build.store("i64", number, build.offset(place, str(8 * k)), 8)
    return place


def _count(build: FunctionBuilder, mask: Value, axes: str) -> str:
    parts = array_parts(mask)
    args = [("ptr", parts.data), ("i64", str(len(parts.shape))), ("ptr", axes)]
    return build.call("i64", "cutaway_count_true", args)


def _compressed(build: FunctionBuilder, returns: Array, array: Value, mask: Value) -> Value:
    """The elements where a mask is true, as a line."""
    parts, chosen_by = array_parts(array), array_parts(mask)
    _require_mask(build, mask, parts.shape, 0)
    axes = _axes_of(build, chosen_by)
    count = _count(build, mask, axes)
    target = allocate(build, returns, (count,), zeroed=False)
    args = [("ptr", chosen_by.data), ("i64", str(len(parts.shape))), ("ptr", axes)]
    args += [("i64", str(item_size(returns.dtype))), ("ptr", parts.data)]
    args += [("ptr", _row(build, parts.strides)), ("ptr", array_parts(target).data)]
    build.call("void", "cutaway_compress", [*args, ("i64", count)])
    return target


def _put_where(build: FunctionBuilder, array: Value, mask: Value, value: Value) -> None:
    """Assign to the elements where a mask is true."""
    assert isinstance(array.ty, Array)
    parts, chosen_by = array_parts(array), array_parts(mask)
    _require_mask(build, mask, parts.shape, 0)
    stored = _Stored(build, array.ty.dtype, value)
    given = array_parts(stored.value)
    axes = _axes_of(build, chosen_by)
    count = _count(build, mask, axes)
    step = _step_of_values(build, given, count, _is_same(build, parts.shape, chosen_by.shape))
    args = [("ptr", chosen_by.data), ("i64", str(len(parts.shape))), ("ptr", axes)]
    args += [("i64", str(item_size(array.ty.dtype))), ("ptr", parts.data)]
    args += [("ptr", _row(build, parts.strides)), ("ptr", given.data), ("i64", step)]
    status = build.call("i32", "cutaway_put_where", [*args, ("i64", count)])
    _raise_no_memory(build, status)
    stored.free()


def _is_same(build: FunctionBuilder, shape: Shape, other: Shape) -> str:
    """An i1: whether two shapes with as many axes are equal."""
    differs = "false"
    for size, own in zip(shape, other, strict=True):
        if size != own:
            differs = either(build, differs, build.compare("ne", "i64", size, own))
    return "true" if differs == "false" else build.binary("xor", "i1", differs, "true")


def _step_of_values(build: FunctionBuilder, given: ArrayParts, count: str, same: str) -> str:
    """The stride between values, 0 for a single one.
    Raises if their number is neither one nor that of the selected elements. A mask of another shape
    selects nothing, and raises NumPy's error for that."""
    if not given.shape:
        return "0"
    if same != "true":
        empty, usual = build.new_label("no_places"), build.new_label("places")
        build.branch(same, usual, empty, SECOND_COLD)
        build.start(empty)
        _require_value(build, given.shape, ("0",), len(given.shape) - 1)
        build.jump(usual)
        build.start(usual)
    if len(given.shape) > 1:
        words = (
            f"{MASKED} requires a 0 or 1-dimensional input, input has {len(given.shape)} dimensions"
        )
        build.raise_if(same, TypeError, words)
        return "0"
    single = build.compare("eq", "i64", given.shape[0], "1")
    differs = build.compare("ne", "i64", given.shape[0], count)
    wrong = build.binary("and", "i1", differs, build.binary("xor", "i1", single, "true"))
    words = (
        f"{MASKED} cannot assign {{}} input values to the {{}} output values where the mask is true"
    )
    build.raise_if(wrong, ValueError, words, payload=(given.shape[0], count))
    return build.select(single, "i64", "0", given.strides[0])


# --- nonzero elements -------------------------------------------------------------------------


def true_places(build: FunctionBuilder, mask: Value) -> list[Value]:
    """The positions where a mask is true, an index array per axis, all in one memory block."""
    parts = array_parts(mask)
    ndim, axes = len(parts.shape), _axes_of(build, parts)
    count = _count(build, mask, axes)
    table = allocate(build, Array(types.int64, 2, "C"), (str(ndim), count), zeroed=False)
    owner, data = array_parts(table).owner, array_parts(table).data
    args = [("ptr", parts.data), ("i64", str(ndim)), ("ptr", axes), ("ptr", data), ("i64", count)]
    build.call("void", "cutaway_true_places", args)
    rows: list[Value] = []
    for k in range(ndim):
        if k:
            build.call("void", "cutaway_incref", [("ptr", owner)])
        before = build.binary("mul", "i64", array_parts(table).strides[0], str(k))
        place = build.offset(data, before, inbounds=False)
        row = ArrayParts(owner, place, (count,), ("8",))
        rows.append(array_value(Array(types.int64, 1, "C"), row))
    return rows


# --- take -------------------------------------------------------------------------------------


def take(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The elements at indices of one axis, in the layout of `np.take`."""
    array, indices, axis, checked = args
    assert isinstance(array.ty, Array)
    parts, at = array_parts(array), axis.parts[0]
    places = _indices_of(build, indices)
    count, rest = len(places.shape), len(parts.shape) - 1
    part = [_without(build, numbers, at) for numbers in (parts.shape, parts.strides)]
    shape = tuple(_around(build, part[0], places.shape, at))
    ty = sig.returns if isinstance(sig.returns, Array) else Array(array.ty.dtype, 0, "C")
    target = allocate(build, ty, shape, zeroed=False)
    slot = build.keep(array_parts(target).owner)
    steps = array_parts(target).strides
    inner = [_chosen_of(build, steps, k, at, count) for k in range(rest)]
    along = [_shifted(build, steps, k, at) for k in range(count)]
    sizes, strides = places.shape or ("1",), places.strides or ("0",)
    looked_at = build.select(checked.parts[0], "i64", sizes[0], "0")
    words = [*map(str, (len(sizes), 1, rest, item_size(array.ty.dtype)))]
    words += [looked_at, *sizes[1:], *(along or ["0"]), *part[0], *part[1], *inner]
    words += [build.convert("ptrtoint", "ptr", places.data, "i64"), str(places.kind)]
    words += [_item_at(build, parts.shape, at), _item_at(build, parts.strides, at), at]
    _run_plan(build, "cutaway_gather", [*words, *strides], parts.data, array_parts(target).data)
    build.let_go(slot)
    if isinstance(sig.returns, Array):
        return target
    element = taken_out(build, load_element(build, ty, array_parts(target).data))
    build.call("void", "cutaway_decref", [("ptr", array_parts(target).owner)])
    return element


def _indices_of(build: FunctionBuilder, indices: Value) -> _Indices:
    """A single index or an index array, with the axis left open."""
    if isinstance(indices.ty, Array):
        assert isinstance(indices.ty.dtype, Integer)
        parts, size = array_parts(indices), item_size(indices.ty.dtype)
        kind = size if indices.ty.dtype.signed else -size
        return _Indices(parts.data, kind, parts.shape, parts.strides, 0)
    place = build.alloca("i64")
    build.store("i64", build.cast(indices, types.int64).parts[0], place, 8)
    return _Indices(place, 8, (), (), 0)


def _item_at(build: FunctionBuilder, numbers: Sequence[str], place: str) -> str:
    """The number at a position known at run time only."""
    result = numbers[0]
    for k, number in enumerate(numbers[1:], 1):
        here = build.compare("eq", "i64", place, str(k))
        result = build.select(here, "i64", number, result)
    return result


def _without(build: FunctionBuilder, numbers: Sequence[str], place: str) -> list[str]:
    """The numbers without the one at `place`."""
    return [
        build.select(build.compare("sgt", "i64", place, str(k)), "i64", numbers[k], numbers[k + 1])
        for k in range(len(numbers) - 1)
    ]


def _around(
    build: FunctionBuilder, rest: Sequence[str], new: Sequence[str], place: str
) -> list[str]:
    """The numbers `rest` with `new` inserted at `place`."""
    result = []
    for k in range(len(rest) + len(new)):
        number = rest[k - len(new)] if k >= len(new) else ""
        for n in range(max(k - len(rest), 0), min(k, len(new) - 1) + 1):
            here = build.compare("eq", "i64", place, str(k - n))
            number = build.select(here, "i64", new[n], number) if number else new[n]
        if k < len(rest):
            before = build.compare("sgt", "i64", place, str(k))
            number = build.select(before, "i64", rest[k], number) if number else rest[k]
        result.append(number)
    return result


def _shifted(build: FunctionBuilder, numbers: Sequence[str], k: int, place: str) -> str:
    """The k-th number from `place` on."""
    return _item_at(build, numbers[k:], place) if len(numbers) > k + 1 else numbers[-1]


def _chosen_of(
    build: FunctionBuilder, numbers: Sequence[str], k: int, place: str, count: int
) -> str:
    """The k-th number when `count` numbers from `place` on are left out."""
    before = build.compare("sgt", "i64", place, str(k))
    return build.select(before, "i64", numbers[k], numbers[k + count])


def _run_plan(
    build: FunctionBuilder, function: str, words: Sequence[str], base: str, other: str
) -> None:
    """Run a plan in the runtime; raises for an index out of bounds."""
    fault = build.alloca("i64", 3)
    args = [("ptr", _row(build, words)), ("ptr", base), ("ptr", other), ("ptr", fault)]
    raise_fault(build, build.call("i32", function, args), fault)
