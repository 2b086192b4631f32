"""The traversal of an array by a loop."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.foundation.dataclass import dataclass, replace
from cutaway.lowering.arrays.elements import memory_unit
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import item_size
from cutaway.typing.types import Array


@dataclass(frozen=True, slots=True)
class Track:
    """The traversal of an array along the axes of a nest: an address, and strides in bytes."""

    ty: Array
    data: str
    strides: tuple[str, ...]

    @property
    def unit(self) -> str:
        """The stride of contiguous elements."""
        return str(item_size(self.ty.dtype))

    @property
    def is_unit(self) -> bool:
        """True if the elements along the last axis are known to be contiguous."""
        return bool(self.strides) and self.strides[-1] == self.unit

    @property
    def is_known(self) -> bool:
        """True if the stride along the last axis is a constant to LLVM."""
        return not self.strides or self.strides[-1].lstrip("-").isdigit()

    @property
    def is_repeated(self) -> bool:
        """True if one element is broadcast along the last axis."""
        return not self.strides or self.strides[-1] == "0"

    def at(self, build: FunctionBuilder, k: str) -> str:
        """Compute the address of an element of a line."""
        if self.is_repeated:
            return self.data
        if self.is_unit:
            return build.offset(self.data, k, memory_unit(self.ty.dtype))
        return build.offset(self.data, build.binary("mul nsw", "i64", k, self.strides[-1]))

    def moved(self, build: FunctionBuilder, axis: int, count: str) -> Track:
        """Return the track that starts `count` elements further along an axis."""
        stride = self.strides[axis] if self.strides else "0"
        if stride == "0":
            return self
        if stride == self.unit:
            data = build.offset(self.data, count, memory_unit(self.ty.dtype))
        else:
            distance = build.binary("mul", "i64", count, stride)
            data = build.offset(self.data, distance, inbounds=False)
        return replace(self, data=data)

    def flat(self) -> Track:
        """Return the track over a contiguous array, flattened to one axis."""
        return replace(self, strides=(self.unit,))

    def inner(self, build: FunctionBuilder, *index: str) -> Track:
        """Return the track along the remaining axes, at these indices of the first ones."""
        track = self
        for axis, k in enumerate(index):
            track = track.moved(build, axis, k)
        return replace(track, strides=track.strides[len(index) :])

    def ordered(self, axes: Sequence[int]) -> Track:
        """Return the track with its axes permuted."""
        return replace(self, strides=tuple(self.strides[axis] for axis in axes))

    def first(self, count: int) -> Track:
        """Return the track along the first `count` axes alone."""
        return replace(self, strides=self.strides[:count])

    def reversed(self) -> Track:
        """Return the track with its axes reversed."""
        return replace(self, strides=self.strides[::-1])


def reversed_tracks(tracks: dict[int, Track]) -> dict[int, Track]:
    """Return the tracks with their axes reversed."""
    return {number: track.reversed() for number, track in tracks.items()}


def as_unit(track: Track) -> Track:
    """Return the track over elements that are known to be contiguous along the last axis."""
    if track.is_known:
        return track
    return replace(track, strides=(*track.strides[:-1], track.unit))
