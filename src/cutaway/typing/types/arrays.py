"""The types of NumPy arrays, of slices, of windows, and of iterations over arrays."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator as Iterating
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.foundation import frozen_arrays
from cutaway.ir.constants import MISSING
from cutaway.typing.types import primitives
from cutaway.typing.types.absent import Optional, none
from cutaway.typing.types.base import (
    BufferType,
    IterableType,
    Naming,
    Type,
    Typeof,
    describe,
    in_place,
)
from cutaway.typing.types.conversions import (
    CONVERSIONS,
    UNIONS,
    Conversion,
    conversion,
    promoted,
    unify,
)
from cutaway.typing.types.elements import (
    Dated,
    FixedString,
    Record,
    array_at,
    element_type,
    to_dtype,
)
from cutaway.typing.types.iterators import Iterator
from cutaway.typing.types.numbers import int64, is_integral, is_number
from cutaway.typing.types.tuples import Tuple

LARGEST_NDIM = 64  # dimensions of an array, as in NumPy


class Span(Type):
    """A slice whose bounds are numbers of any kind, or None: only `np.mgrid` and its like accept
    it, as in `np.mgrid[0:1:0.1]`."""

    __slots__ = ("start", "stop", "step")
    value_class = slice
    can_be_written = False

    def __init__(self, start: Type, stop: Type, step: Type) -> None:
        self.start = start
        self.stop = stop
        self.step = step
        self.name = f"slice({start}, {stop}, {step})"

    def members(self) -> primitives.Members:
        return (("start", self.start), ("stop", self.stop), ("step", self.step))

    @property
    def can_leave(self) -> bool:
        return not any(isinstance(bound, Optional) for bound in self.bounds)

    def crossing(self, cross: primitives.Crossing) -> bytes:
        flags = sum(1 << k for k, bound in enumerate(self.bounds) if bound is not none)
        return b"S" + bytes([flags])

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        return value.start, value.stop, value.step

    def put_together(self, items: Iterable[Any]) -> Any:
        return slice(*items)

    def argument(self, numbers: Iterating[int]) -> Any:
        raise LookupError(f"no sample of type {self}")

    @property
    def bounds(self) -> tuple[Type, ...]:
        """The types of start, stop and step."""
        return self.start, self.stop, self.step


class Slice(Span):
    """A slice that arrays are indexed by; each bound is none, int64, or optional int64."""

    __slots__ = ()
    notation = ("slice",)
    may_be_none = True
    python_classes = (slice,)

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type | None:
        parts = [typeof(part) for part in (value.start, value.stop, value.step)]
        return cls(*parts) if all(part in (none, int64) for part in parts) else None

    @property
    def has_step(self) -> bool:
        """True if a step is given; extensions distinguish two kinds of slices by this."""
        return self.step is not none


def slice_bound(ty: Type) -> Type | None:
    """Return the type of a bound for values of a type; None if they cannot be bounds."""
    if isinstance(ty, Optional):
        return optional_int64 if is_integral(ty.inner) else None
    if ty is none:
        return none
    return int64 if is_integral(ty) else None


optional_int64 = Optional(int64)


class Array(BufferType):
    """A NumPy array.

    `layout` is "C" (row-major contiguous), "F" (column-major) or "A" (any strides).  With fewer
    than two dimensions C and F are the same, and the type has "C".
    """

    __slots__ = ("dtype", "ndim", "layout", "readonly", "aligned")
    value_class = np.ndarray
    arity = 5
    trailing = (False, True)
    adapts = passable = may_be_none = True
    python_classes = (np.ndarray, np.memmap, np.recarray)

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Array | None:
        """Return the type of an array; None for other array classes, which have their own rules."""
        dtype = element_type(value.dtype) if type(value) in cls.python_classes else None
        if dtype is None:
            return None
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return Array(dtype, value.ndim, layout, not flags.writeable, flags.aligned)

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """Normalize the layout: with fewer than two dimensions "F" is "C"."""
        if named:
            args = (*args, *in_place(cls, args, named))
        if len(args) > 2 and args[2] == "F" and args[1] in (0, 1):
            args = (*args[:2], "C", *args[3:])
        return cls, args

    def __init__(
        self,
        dtype: Type,
        ndim: int,
        layout: str,
        readonly: bool = False,
        aligned: bool = True,
    ) -> None:
        if not isinstance(dtype, Type):
            raise TypeError(f"the item type of an array must be a type, not {describe(dtype)}")
        if type(ndim) is not int or not 0 <= ndim <= LARGEST_NDIM:
            raise TypingError(f"an array has at most {LARGEST_NDIM} dimensions, not {ndim}")
        if layout not in ("A", "C", "F"):
            raise TypingError(f"the layout of an array must be C, F or A, not {layout}")
        self.dtype = dtype
        self.ndim = ndim
        self.layout = layout
        self.readonly = readonly
        self.aligned = aligned
        extra = (", readonly" if readonly else "") + ("" if aligned else ", unaligned")
        self.name = f"array({dtype}, {ndim}d, {layout}{extra})"

    def constant_attribute(self, name: str) -> Any:
        return self.ndim if name == "ndim" else MISSING

    def members(self) -> primitives.Members:
        sizes = primitives.Repeated(primitives.COUNT, self.ndim)
        return (
            ("owner", primitives.OWNER),
            ("data", primitives.POINTER),
            ("shape", sizes),
            ("strides", sizes),
        )

    def iteration(self) -> primitives.Members:
        return (*primitives.STATE, ("array", self))

    def crossing(self, cross: primitives.Crossing) -> bytes:
        rest = bytes([self.ndim]) + self.layout.encode()
        rest += bytes([self.readonly + 2 * (not self.aligned)])
        if is_number(self.dtype):
            return b"A" + bytes([to_dtype(self.dtype).num]) + rest
        return b"G" + cross.dtype(self.dtype) + rest

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        """Return the members of a constant: a copy of all the memory that the array spans."""
        array = frozen_arrays.frozen(value)
        return None, primitives.Frozen(*frozen_arrays.memory_of(array)), array.shape, array.strides

    can_be_printed = True

    def put_together(self, items: Iterable[Any]) -> Any:
        """Return an array of the same memory."""
        _, data, shape, strides = items
        return array_at(data, shape, strides, to_dtype(self.dtype))

    def sample(self) -> Any:
        return np.ones((1,) * self.ndim, to_dtype(self.dtype))

    def argument(self, numbers: Iterating[int]) -> Any:
        if isinstance(self.dtype, Record):
            raise LookupError(f"no sample of type {self}")
        values = np.arange(1, _SIDE**self.ndim + 1).reshape((_SIDE,) * self.ndim)
        array = np.array(values, dtype=str(self.dtype), order="F" if self.layout == "F" else "C")
        if self.layout == "A":
            array = np.repeat(array, 2, axis=-1)[..., ::2]
        array.flags.writeable = not self.readonly
        return array

    def iterator(self) -> Type | None:
        return self.iterator_type

    def cache_name(self, name: Naming) -> str | None:
        if type(self) is not Array or not is_number(self.dtype):
            return None
        flags = "r" * self.readonly + "u" * (not self.aligned)
        return f"{self.dtype.name}[{self.ndim}{self.layout}{flags}]"

    @property
    def element(self) -> Type:
        """The type of an element once it is read; a record is a view of the array's memory."""
        match self.dtype:
            case Record():
                return self.dtype.protected(self.readonly)
            case FixedString(taken=taken):
                return taken
        return self.dtype

    @property
    def iterator_type(self) -> Iterator | None:
        """The type of its iterator; None for an array without dimensions."""
        if self.ndim == 0:
            return None
        rest = self.viewed(self.ndim - 1, "C" if self.layout == "C" else "A")
        return Iterator(self, self.element if self.ndim == 1 else rest)

    @property
    def items_are_new(self) -> bool:  # some classes have an attribute instead
        """True for strings, which are copied."""
        return self.ndim == 1 and isinstance(self.dtype, FixedString)

    @property
    def mutable(self) -> bool:  # some classes have an attribute instead
        """True if elements can be assigned to."""
        return not self.readonly

    @property
    def is_contig(self) -> bool:
        """True if the elements are contiguous, in C or in F order."""
        return self.layout in "CF"

    @property
    def is_c_contig(self) -> bool:
        """True if the elements are contiguous in C order; with one dimension or none also for F."""
        return self.layout == "C" or (self.ndim <= 1 and self.layout == "F")

    @property
    def is_f_contig(self) -> bool:
        """True if the elements are contiguous in F order; with one dimension or none also for C."""
        return self.layout == "F" or (self.ndim <= 1 and self.layout == "C")

    def copy(
        self,
        dtype: Type | None = None,
        ndim: int | None = None,
        layout: str | None = None,
        readonly: bool | None = None,
    ) -> Array:
        """Return the type with some attributes replaced."""
        return Array(
            self.dtype if dtype is None else dtype,
            self.ndim if ndim is None else ndim,
            self.layout if layout is None else layout,
            self.readonly if readonly is None else readonly,
            self.aligned,
        )

    def viewed(self, ndim: int, layout: str) -> Array:
        """Return the type of a view of this array with another number of dimensions and layout."""
        return Array(self.dtype, ndim, layout, self.readonly, self.aligned)


def array_of(dtype: Type, axes: Any) -> Array:
    """Return the type of arrays of `dtype` that slices describe: `[:, ::1]`.

    Raises TypingError for slices that describe none.
    """
    if not is_number(dtype) and not isinstance(dtype, Dated | Record | FixedString):
        raise TypingError(f"the items of an array must be numbers or bool, not {dtype}")
    steps = axes if isinstance(axes, tuple) else (axes,)
    plain = all(s in (slice(None), slice(None, None, 1)) for s in steps if isinstance(s, slice))
    if not steps or not plain or not all(isinstance(step, slice) for step in steps):
        raise TypingError(
            "the dimensions of an array must be written as [:, :]",
            hint="use ::1 for the contiguous dimension",
        )
    contiguous = [k for k, step in enumerate(steps) if step.step == 1]
    if contiguous not in ([], [0], [len(steps) - 1]):
        raise TypingError("only the first or the last dimension can be ::1")
    layout = "A" if not contiguous else "C" if contiguous == [len(steps) - 1] else "F"
    return Array(dtype, len(steps), layout)


Type.arrays = staticmethod(array_of)
_SIDE = 4  # elements along each axis of a sample argument


class Flat(IterableType):
    """`a.flat`: the elements of an array in C order, and the position of the iteration; as in NumPy
    it is its own iterator."""

    __slots__ = ("array",)
    can_leave = False

    def __init__(self, array: Array) -> None:
        self.array = array
        self.name = f"flat({array})"

    def members(self) -> primitives.Members:
        return (*primitives.STATE, ("array", self.array))

    def iteration(self) -> primitives.Members:
        return self.members()

    def iterator(self) -> Type:
        return Iterator(self, self.array.element)


class ArrayFlags(Type):
    """`a.flags`: it holds the array, from which each flag is computed."""

    __slots__ = ("array",)
    can_leave = False

    def __init__(self, array: Array) -> None:
        self.array = array
        self.name = f"flags({array})"

    def constant_attribute(self, name: str) -> Any:
        """Return True for a layout of the type; an array of layout "A" may still be contiguous at
        run time."""
        array = self.array
        if name == "writeable":
            return not array.readonly
        ordered = {
            **dict.fromkeys(("c_contiguous", "contiguous"), array.is_c_contig),
            "f_contiguous": array.is_f_contig,
            "aligned": array.aligned,
        }
        return True if ordered.get(name) else MISSING

    def members(self) -> primitives.Members:
        return (("array", self.array),)


class Indices(Type):
    """`np.ndindex(shape)`: all indices of a shape, as tuples, in C order."""

    __slots__ = ("ndim",)

    def __init__(self, ndim: int) -> None:
        self.ndim = ndim
        self.name = f"ndindex({ndim}d)"

    def iteration(self) -> primitives.Members:
        return (*primitives.STATE, ("shape", primitives.Repeated(primitives.COUNT, self.ndim)))


def has_other_elements(ty: Type) -> bool:
    """True if a type is an array, or the `flat` of one, whose elements are not numbers."""
    array = ty.array if isinstance(ty, Flat) else ty
    return isinstance(array, Array) and not is_number(array.dtype)


@CONVERSIONS.add(Array, Array)
def _between_arrays(source: Array, wanted: Array) -> Conversion:
    compatible = (
        source.dtype is wanted.dtype
        and source.ndim == wanted.ndim
        and wanted.layout in (source.layout, "A")
        and (wanted.readonly or not source.readonly)
        and (source.aligned or not wanted.aligned)
    )
    return promoted(compatible)


@UNIONS.add(Array, Array)
def _unify_arrays(first: Array, second: Array) -> Type | None:
    if first.dtype is not second.dtype or first.ndim != second.ndim:
        return None
    return Array(
        first.dtype,
        first.ndim,
        first.layout if first.layout == second.layout else "A",
        first.readonly or second.readonly,
        first.aligned and second.aligned,
    )


@CONVERSIONS.add(Slice, Slice)
def _between_slices(source: Slice, wanted: Slice) -> Conversion:
    return max(map(conversion, source.bounds, wanted.bounds))


@UNIONS.add(Slice, Slice)
def _unify_slices(first: Slice, second: Slice) -> Type | None:
    bounds = [unify(a, b) for a, b in zip(first.bounds, second.bounds, strict=True)]
    return Slice(*bounds)  # bounds of all kinds have a union


class Window(Type):
    """An array in the kernel of a stencil: `w[0, -1]` is the element to the left.

    `neighborhood` has the lowest and the highest relative index of each axis.  A window borrows
    the array's memory, which the caller of the kernel keeps alive.
    """

    __slots__ = ("array", "neighborhood")
    can_leave = False

    def __init__(self, array: Array, neighborhood: tuple[tuple[int, int], ...]) -> None:
        self.array = array
        self.neighborhood = neighborhood
        shown = ", ".join(f"{low}..{high}" for low, high in neighborhood)
        self.name = f"window({array}, {shown})"

    def members(self) -> primitives.Members:
        """Return the members: the address of the element with index 0, the shape, the strides."""
        sizes = primitives.Repeated(primitives.COUNT, self.array.ndim)
        return (("data", primitives.POINTER), ("shape", sizes), ("strides", sizes))


class NdIter(IterableType):
    """An `np.nditer`.

    `arrays` are the types of the operands, each with all axes of the iteration.  `order` is "C",
    "F", or "K", which is determined at run time.  An item is a 0-dimensional array, or with
    `lines` a 1-dimensional one along the innermost axis; with a single operand, `alone`, that
    array itself, else a tuple.  `tracked` are the indices that the iterator maintains:
    "multi_index", "c_index", "f_index".
    """

    __slots__ = ("arrays", "order", "alone", "lines", "tracked")
    can_leave = False

    def __init__(
        self,
        arrays: tuple[Array, ...],
        order: str,
        alone: bool,
        lines: bool,
        tracked: tuple[str, ...],
    ) -> None:
        self.arrays = arrays
        self.order = order
        self.alone = alone
        self.lines = lines
        self.tracked = tracked
        shown = [*map(str, arrays), order, *["one"] * alone, *["external_loop"] * lines, *tracked]
        self.name = f"nditer({', '.join(shown)})"

    @property
    def ndim(self) -> int:
        """The number of axes that it iterates over element by element."""
        return self.arrays[0].ndim - self.lines

    def members(self) -> primitives.Members:
        """Return the members: the state (position and order of the axes), the shape, and the
        arrays."""
        arrays = tuple(("array", array) for array in self.arrays)
        sizes = ("shape", primitives.Repeated(primitives.COUNT, self.ndim))
        return (*primitives.STATE, sizes, *arrays)

    def iteration(self) -> primitives.Members:
        return (("walk", self),)

    @property
    def item(self) -> Type:
        """The iterator's item type."""
        layout = "A" if self.lines else "C"
        items = tuple(array.viewed(int(self.lines), layout) for array in self.arrays)
        return items[0] if self.alone else Tuple(items)

    def iterator(self) -> Type:
        return Iterator(self, self.item)
