"""Lines of elements in blocks, with calls of NumPy loops between the phases of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cutaway.lowering.arrays.elements import load_element, store_element
from cutaway.lowering.arrays.loops import call_loop
from cutaway.lowering.arrays.shapes import Shape
from cutaway.lowering.arrays.tracks import Track
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import item_size
from cutaway.typing.types import Array, Type

if TYPE_CHECKING:
    from cutaway.lowering.arrays.nests import Nest

BLOCK = 512  # elements processed per block between calls of NumPy loops


def in_parts(
    build: FunctionBuilder, count: str, size: str, part: Callable[[str, str], None]
) -> None:
    """Loop over an axis in parts of at most `size`; `part` emits one, of its start and length."""
    above = build.binary("add", "i64", count, build.binary("sub", "i64", size, "1"))

    def one(number: str) -> None:
        start = build.binary("mul nuw nsw", "i64", number, size)
        rest = build.binary("sub", "i64", count, start)
        part(start, build.call("i64", "llvm.umin.i64", [("i64", rest), ("i64", size)]))

    build.loop(build.binary("udiv", "i64", above, size), one, plain=True)


class Blocks:
    """Processes one axis or two in blocks, with calls of NumPy loops between the phases.

    A block is a part of a line, or as many short lines as fit in.
    """

    def __init__(self, nest: Nest, shape: Shape, tracks: dict[int, Track], plain: bool) -> None:
        self.nest = nest
        self.build = nest.build
        self.kernel = nest.kernel
        self.phases = nest.phases
        self.shape = shape
        self.tracks = tracks
        self.plain = plain
        self.buffers: dict[tuple[int, Type], Track] = {}
        self.rows, self.columns = "1", "0"  # of the block

    def run(self) -> None:
        """Emit the loops over blocks."""
        build, count = self.build, self.shape[-1]
        size = count
        if not self._is_one_call():
            size = build.call("i64", "llvm.umin.i64", [("i64", count), ("i64", str(BLOCK))])
        size = build.call("i64", "llvm.umax.i64", [("i64", size), ("i64", "1")])
        if len(self.shape) == 1:
            in_parts(build, count, size, self._line)
            return
        lines = build.binary("udiv", "i64", str(BLOCK), size)

        def several(first: str, rows: str) -> None:
            whole, self.tracks = self.tracks, self._moved(self.tracks, 0, first)
            self.rows = rows
            in_parts(build, count, size, self._line)
            self.tracks = whole

        in_parts(build, self.shape[0], lines, several)

    def _is_one_call(self) -> bool:
        """True if a single NumPy loop reads and writes all elements in place: one call does it."""
        if len(self.phases.of) != 1:
            return False
        (number,) = self.phases.of
        step = self.kernel.step(number)
        if step is None or not self._goes_to_target(number, self.tracks):
            return False
        pairs = zip(step.args, step.inputs, strict=True)
        return all(
            arg in self.phases.constant or self._direct(arg, wanted, self.tracks) is not None
            for arg, wanted in pairs
        )

    def _line(self, start: str, length: str) -> None:
        self.columns = length
        tracks = self._moved(self.tracks, -1, start)
        for phase in range(self.phases.count):
            self._phase(phase, tracks)

    def _moved(self, tracks: dict[int, Track], axis: int, count: str) -> dict[int, Track]:
        return {n: track.moved(self.build, axis, count) for n, track in tracks.items()}

    # --- phases ---------------------------------------------------------------------------------

    def _phase(self, phase: int, tracks: dict[int, Track]) -> None:
        """Emit one phase: its inline steps, into buffers and the result, then its calls."""
        called = self.phases.called(phase)
        inline = self.phases.inline(phase)
        stores = self._stores(phase, inline, called, tracks)
        final = self._is_result(phase, inline, tracks)
        if stores or final:
            self._each(inline, stores, final, tracks)
        for number in called:
            self._call(number, tracks)

    def _stores(
        self, phase: int, inline: list[int], called: list[int], tracks: dict[int, Track]
    ) -> list[tuple[int, Type]]:
        """Return the buffers that a phase fills: its calls' inputs, and values for later phases."""
        stores: list[tuple[int, Type]] = []
        for number in called:
            step = self.kernel.step(number)
            assert step is not None
            for arg, wanted in zip(step.args, step.inputs, strict=True):
                if arg in self.phases.constant or (arg, wanted) in self._there:
                    continue
                if self._direct(arg, wanted, tracks) is None:
                    stores.append((arg, wanted))
        for number in inline:
            if self._needed_after(number, phase):
                stores.append((number, self.kernel.type_of(number)))
        for key in stores:
            self._buffer(*key)
        return list(dict.fromkeys(stores))

    def _is_result(self, phase: int, inline: list[int], tracks: dict[int, Track]) -> bool:
        """True if a phase's loop stores the elements of the result."""
        result = self.kernel.result
        if result in inline:
            return True
        return phase == self.phases.count - 1 and not self._goes_to_target(result, tracks)

    @property
    def _there(self) -> set[tuple[int, Type]]:
        """The buffers that NumPy's loops have filled."""
        return {key for key in self.buffers if key[0] in self.phases.by_loops}

    def _needed_after(self, number: int, phase: int) -> bool:
        for user, at in self.phases.of.items():
            step = self.kernel.step(user)
            assert step is not None
            if number in step.args and at > phase:
                return True
        return False

    def _each(
        self,
        inline: list[int],
        stores: list[tuple[int, Type]],
        final: bool,
        tracks: dict[int, Track],
    ) -> None:
        """Emit the loop of a phase over the elements of a block."""

        def line(tracks: dict[int, Track], buffers: dict[tuple[int, Type], Track]) -> None:
            def body(k: str) -> None:
                self._element(inline, stores, final, tracks, buffers, k)

            self.build.loop(self.columns, body, self.plain)

        if len(self.shape) == 1:
            line(tracks, self.buffers)
            return

        def row(k: str) -> None:
            before = self.build.binary("mul", "i64", k, self.columns)
            buffers = {
                key: track.moved(self.build, 0, before) for key, track in self.buffers.items()
            }
            line({n: track.inner(self.build, k) for n, track in tracks.items()}, buffers)

        self.build.loop(self.rows, row, plain=True)

    def _element(
        self,
        inline: list[int],
        stores: list[tuple[int, Type]],
        final: bool,
        tracks: dict[int, Track],
        buffers: dict[tuple[int, Type], Track],
        k: str,
    ) -> None:
        values = dict(self.nest.constants)
        wanted = [number for number, _ in stores] + [self.kernel.result] * final
        for number in self._read(inline, wanted):
            track = tracks.get(number) or buffers[number, self.kernel.type_of(number)]
            values[number] = load_element(self.build, track.ty, track.at(self.build, k))
        self.nest.compute(values, inline)
        for number, ty in stores:
            track, value = buffers[number, ty], self.build.cast(values[number], ty)
            store_element(self.build, track.ty, value, track.at(self.build, k))
        if final:
            self.nest.store(tracks.get(-1), k, values[self.kernel.result])

    def _read(self, inline: list[int], wanted: list[int]) -> list[int]:
        """Return the values that a phase loads from memory."""
        read = list(wanted)
        for number in inline:
            step = self.kernel.step(number)
            assert step is not None
            read += step.args
        own = {*inline, *self.nest.constants}
        return [number for number in dict.fromkeys(read) if number not in own]

    # --- calls ----------------------------------------------------------------------------------

    def _call(self, number: int, tracks: dict[int, Track]) -> None:
        step = self.kernel.step(number)
        assert step is not None
        places: list[Track] = []
        for arg, wanted in zip(step.args, step.inputs, strict=True):
            if arg in self.phases.constant:
                places.append(self._repeated(arg, wanted))
            else:
                places.append(self._direct(arg, wanted, tracks) or self._buffer(arg, wanted))
        if self._goes_to_target(number, tracks):
            places.append(tracks[-1])
        else:
            places.append(self._buffer(number, step.output))
        length = self.columns
        if len(self.shape) > 1:
            length = self.build.binary("mul", "i64", self.rows, length)
        addresses, steps = [t.data for t in places], [_step_of(t) for t in places]
        call_loop(self.build, step.loop, (length,), addresses, steps)

    def _direct(self, number: int, wanted: Type, tracks: dict[int, Track]) -> Track | None:
        """Return the track of an argument that NumPy's loop can read in place: one line."""
        track = tracks.get(number)
        if track is None or track.ty.dtype is not wanted or not track.ty.aligned:
            return None
        return track if len(self.shape) == 1 else None

    def _repeated(self, number: int, ty: Type) -> Track:
        """One element with stride 0 for all: NumPy's loops have a fast path for it (`x**2`)."""
        track = Track(Array(ty, 1, "A"), self.build.alloca("i64", 2), ("0",))
        value = self.build.cast(self.nest.constants[number], ty)
        store_element(self.build, track.ty, value, track.data)
        return track

    def _goes_to_target(self, number: int, tracks: dict[int, Track]) -> bool:
        """True if a NumPy loop writes directly into the result."""
        target, step = tracks.get(-1), self.kernel.step(number)
        if target is None or step is None or self.nest.sink is not None or len(self.shape) > 1:
            return False
        if number not in self.phases.by_loops or number != self.kernel.result:
            return False
        fits = target.ty.dtype is step.output and target.ty.aligned
        return fits and not self._is_used(number)

    def _is_used(self, number: int) -> bool:
        return any(number in step.args for step in self.kernel.steps)

    def _buffer(self, number: int, ty: Type) -> Track:
        key = (number, ty)
        if key not in self.buffers:
            bytes_of_all = BLOCK * item_size(ty)
            data = self.build.alloca("i64", bytes_of_all // 8)
            self.buffers[key] = Track(Array(ty, 1, "C"), data, (str(item_size(ty)),))
        return self.buffers[key]


def _step_of(track: Track) -> str:
    return track.strides[-1] if track.strides else "0"
