"""Shadow memory: the first writer and the first reader of each element, by address.

Iterations of a loop run one after the other. So the first reader and the first writer of an element
suffice to find each conflict: with any later iteration. They are recorded as one number, the
*code*: of the iteration and of the site in the source.

Memory that an iteration allocates is freed after it, and may be reused by another one: its notes
are kept, with the memory itself, as long as something else refers to that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from math import gcd
from typing import Any, NamedTuple

import numpy as np

from cutaway.foundation.dataclass import dataclass
from cutaway.inspection.witness.copies import NdArray, bounds

SITES = 20  # bits of a code for the site in the source
_WORD = 8  # bytes of a code


class Extent(NamedTuple):
    """Elements in memory, laid out as those of an array; `root` owns the memory."""

    root: NdArray
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int

    def address_of(self, index: Any) -> int | None:
        """Return the address of the element at an index of numbers; None for any other index.

        Raises IndexError if it is out of range.
        """
        parts = index if type(index) is tuple else (index,)
        if len(parts) != len(self.shape):
            return None
        address = self.address
        for part, size, step in zip(parts, self.shape, self.strides, strict=True):
            if type(part) is not int and not isinstance(part, np.integer):
                return None
            if not -size <= part < size:
                raise IndexError
            address += (int(part) % size) * step
        return address

    def place_of(self, address: int) -> tuple[int, ...] | None:
        """Return the index of the element at an address; None if no element contains it."""
        rows = list(zip(self.shape, self.strides, strict=True))
        off = address - self.address - sum(min(step * (size - 1), 0) for size, step in rows)
        place = [0] * len(rows)
        for axis in sorted(range(len(rows)), key=lambda axis: -abs(rows[axis][1])):
            size, step = rows[axis]
            if step:
                place[axis], off = divmod(off, abs(step))
            if not 0 <= place[axis] < size:
                return None
            if step < 0:
                place[axis] = size - 1 - place[axis]
        return tuple(place) if 0 <= off < self.itemsize else None


def span_of(array: NdArray) -> Extent:
    """Return the span of an array."""
    address = array.__array_interface__["data"][0]
    return Extent(root_of(array), address, array.shape, array.strides, array.itemsize)


def span_of_record(record: np.void, field: str | None = None) -> Extent | None:
    """The span of an array's record, or of a field of it; None if the record is not in an array."""
    if not isinstance(record.base, np.ndarray):
        return None
    address, size = record.__array_interface__["data"][0], record.dtype.itemsize
    fields = record.dtype.fields
    if field is not None:
        if fields is None or field not in fields:
            return None
        address, size = address + fields[field][1], fields[field][0].itemsize
    return Extent(root_of(record.base), address, (), (), size)


def root_of(array: NdArray) -> NdArray:
    """Return the array that owns the memory of an array."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


class Clash(NamedTuple):
    """Elements that another iteration has touched before: whether it wrote, the code of the first
    of them, their count, and a function that returns the address of the first one; `memory`
    identifies the piece of memory."""

    was_write: bool
    code: int
    count: int
    address: Callable[[], int]
    memory: int


class _Region:
    """The notes on one piece of memory: one for each `granule` bytes."""

    def __init__(self, roots: list[NdArray], low: int, high: int, granule: int, born: int) -> None:
        self.roots, self.low, self.high, self.born = roots, low, high, born
        self.granule = granule
        count = -(-(high - low) // granule)
        self.writers = np.zeros(count, np.int64)
        self.readers = np.zeros(count, np.int64)

    def fit(self, span: Extent) -> None:
        """Refine the granules if elements are not multiples of them."""
        rows = zip(span.shape, span.strides, strict=True)
        steps = [step for size, step in rows if size > 1]
        self.refine(gcd(self.granule, span.itemsize, span.address - self.low, *steps))

    def refine(self, granule: int) -> None:
        times = self.granule // granule
        if times > 1:
            self.writers = np.repeat(self.writers, times)
            self.readers = np.repeat(self.readers, times)
            self.granule = granule

    def notes(self, table: NdArray, span: Extent) -> NdArray:
        """Return the notes on elements, in their shape, with one more axis for several granules."""
        granule = self.granule
        each = span.itemsize // granule
        shape, steps = span.shape, tuple(step // granule * _WORD for step in span.strides)
        if each > 1:
            shape, steps = (*shape, each), (*steps, _WORD)
        offset = (span.address - self.low) // granule * _WORD
        return np.ndarray(shape, np.int64, table, offset, steps)


@dataclass(frozen=True, slots=True)
class Touch:
    """An access: the span, and the index in it (the whole span: an ellipsis)."""

    span: Extent
    index: Any
    is_write: bool


class Shadow:
    """The notes on all memory that a loop touches."""

    def __init__(self) -> None:
        self._by_root: dict[int, _Region] = {}
        self._numbers = np.zeros(0, np.int64)

    def touch(self, touch: Touch, code: int) -> Iterable[Clash]:
        """Record an access and return its clashes with other iterations.

        Raises IndexError if the index is out of range.
        """
        span = touch.span
        if 0 in span.shape or span.itemsize == 0:
            return ()
        region = self._region(span, code >> SITES)
        address = span.address_of(touch.index)
        if address is not None and span.itemsize == region.granule:
            place, rest = divmod(address - region.low, region.granule)
            if not rest:
                return self._touch_one(region, place, touch.is_write, code)
        region.fit(span)
        return self._touch_all(region, touch, code)

    @staticmethod
    def _touch_one(region: _Region, place: int, is_write: bool, code: int) -> list[Clash]:
        """Record an access to one element that has one note."""
        found, address = [], region.low + place * region.granule
        writer, reader = int(region.writers[place]), int(region.readers[place])
        if writer and writer >> SITES != code >> SITES:
            found.append(Clash(True, writer, 1, lambda: address, region.low))
        if is_write and reader and reader >> SITES != code >> SITES:
            found.append(Clash(False, reader, 1, lambda: address, region.low))
        if is_write and not writer:
            region.writers[place] = code
        elif not is_write and not reader:
            region.readers[place] = code
        return found

    def _touch_all(self, region: _Region, touch: Touch, code: int) -> Iterator[Clash]:
        span = touch.span
        index = _index(touch.index, span.itemsize > region.granule)
        for table, is_writers in ((region.writers, True), (region.readers, False)):
            notes = region.notes(table, span)
            old = self._note(notes, index, code) if is_writers == touch.is_write else notes[index]
            clash = _clashing(old, code) if is_writers or touch.is_write else None  # no clash
            if clash is not None:
                first, count = clash
                where = partial(self._address, region, span, index, first)
                yield Clash(is_writers, int(np.ravel(old)[first]), count, where, region.low)

    @staticmethod
    def _note(notes: NdArray, index: Any, code: int) -> Any:
        old = notes[index]
        if isinstance(old, np.ndarray):
            old = old.copy()
            notes[index] = np.where(old == 0, code, old)
        elif old == 0:
            notes[index] = code
        return old

    def _address(self, region: _Region, span: Extent, index: Any, first: int) -> int:
        count = len(region.writers)
        if len(self._numbers) < count:
            self._numbers = np.arange(count)
        number = np.ravel(region.notes(self._numbers[:count], span)[index])[first]
        return region.low + int(number) * region.granule

    def _region(self, span: Extent, iteration: int) -> _Region:
        known = self._by_root.get(id(span.root))
        if known is not None:
            return known
        low, high = bounds(span.root)
        own, end = bounds_of(span)
        low, high = min(low, own), max(high, end)
        met = {id(one): one for one in self._by_root.values() if one.low < high and low < one.high}
        rows = zip(span.shape, span.strides, strict=True)
        steps = [step for size, step in rows if size > 1]
        granule = gcd(span.itemsize, span.address - low, *steps)
        region = _Region([span.root], low, high, granule, iteration)
        if met:
            region = _joined(region, list(met.values()))
        for root in region.roots:
            self._by_root[id(root)] = region
        return region

    def forget(self, iteration: int) -> None:
        """Forget memory that an iteration allocated and that nothing else refers to."""
        for region in list(self._by_root.values()):
            is_own = region.born == iteration and len(region.roots) == 1
            if is_own and region.roots[0].flags.owndata:  # else the memory may live on
                # One reference is the list's, the other one the call's.
                if sys.getrefcount(region.roots[0]) <= 2:
                    del self._by_root[id(region.roots[0])]


def bounds_of(span: Extent) -> tuple[int, int]:
    """Return the range of addresses of a span."""
    low = high = span.address
    for size, step in zip(span.shape, span.strides, strict=True):
        low += min(step * (size - 1), 0)
        high += max(step * (size - 1), 0)
    return low, high + span.itemsize


def _joined(new: _Region, met: list[_Region]) -> _Region:
    """Join overlapping regions."""
    every = [new, *met]
    low, high = min(one.low for one in every), max(one.high for one in every)
    granule = gcd(*(one.granule for one in every), *(one.low - low for one in every))
    roots = [root for one in every for root in one.roots]
    result = _Region(roots, low, high, granule, min(one.born for one in every))
    for one in met:
        one.refine(granule)
        start = (one.low - low) // granule
        for mine, theirs in ((result.writers, one.writers), (result.readers, one.readers)):
            part = mine[start : start + len(theirs)]
            part[part == 0] = theirs[: len(part)][part == 0]
    return result


def _index(index: Any, is_wider: bool) -> Any:
    """Convert an index of elements to one of their notes, which may have one more axis."""
    parts = index if isinstance(index, tuple) else (index,)
    if is_wider and any(part is Ellipsis for part in parts):
        return (*parts, slice(None))
    return index


def _clashing(old: Any, code: int) -> tuple[int, int] | None:
    """Return the first note of another iteration than the code's, and the count of such notes."""
    if not isinstance(old, np.ndarray):
        return (0, 1) if old != 0 and int(old) >> SITES != code >> SITES else None
    others = np.ravel((old != 0) & (old >> SITES != code >> SITES))
    count = int(np.count_nonzero(others))
    return (int(np.argmax(others)), count) if count else None
