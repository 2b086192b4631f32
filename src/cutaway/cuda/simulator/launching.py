"""One launch in the simulator: its blocks in some order, and its findings."""

from __future__ import annotations

import random
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np

from cutaway.cuda.simulator import helpers
from cutaway.cuda.simulator.blocks import ThreadBlock
from cutaway.cuda.simulator.memory import LOCAL, LaunchArrays, Space
from cutaway.cuda.simulator.ordering import Meetings, Segments
from cutaway.cuda.simulator.patterns import Patterns
from cutaway.cuda.simulator.places import Wait
from cutaway.cuda.simulator.plain import Baton, starter, with_attributes
from cutaway.cuda.simulator.program import Program
from cutaway.cuda.simulator.records import Row
from cutaway.cuda.simulator.report import Access, Race, SimulationReport
from cutaway.cuda.simulator.threads import Sides, Thread
from cutaway.cuda.simulator.trouble import endless
from cutaway.cuda.simulator.values import plain
from cutaway.cuda.simulator.watching import Clash, Watch
from cutaway.errors import RaceError, SimulationError
from cutaway.foundation.source import Loc, place_of
from cutaway.typing.types import Array, Record, Type
from cutaway.typing.types.elements import to_dtype

MOST_IDLE_ROUNDS = 200  # with spinning threads and no changes, until that is an error
PATIENCE = 1000  # iterations of a loop without memory accesses; a reading one has fewer
MOST_STEPS = 20_000_000  # such iterations of one thread


class Launch:
    """A launch of a program."""

    def __init__(
        self,
        program: Program,
        grid: Sides,
        block: Sides,
        shared_bytes: int,
        seed: int,
        on_race: str,
        is_plain: bool = False,
        most_steps: int = MOST_STEPS,
    ) -> None:
        self.program, self.grid, self.block = program, grid, block
        self.shared_bytes, self.on_race, self.is_plain = shared_bytes, on_race, is_plain
        self.random = random.Random(seed)
        self.patience, self.most_steps = PATIENCE, most_steps
        self.space, self.segments, self.meetings = Space(), Segments(), Meetings()
        self.watch = Watch(program.sites, self.segments, LOCAL)
        self.report = SimulationReport(program.kernel.name, grid, block)
        self.patterns = Patterns(self)
        self.watch.looks.append(self.patterns.look)
        self.now: Thread | None = None
        self.barriers = 0
        self.place: Loc = place_of(program.kernel.writer.unit.pyfunc)
        self.may_wait = program.kernel.is_generator
        self.args: tuple[Any, ...] = ()
        self.kernel: Any = None
        self.records: list[tuple[np.void, np.void]] = []  # of the caller, and the kernel's copies
        self.resident: list[tuple[ThreadBlock, Iterator[None]]] = []
        self._races: dict[tuple[int, int], Race] = {}
        self._idle = 0

    # --- the launch -----------------------------------------------------------------------------

    def run(self, args: tuple[Any, ...]) -> SimulationReport:
        """Run all blocks.

        Raises RaceError, SimulationError, and the kernel's exceptions.
        """
        batons: list[Baton] = []
        if self.is_plain:
            function = self.program.kernel.writer.unit.pyfunc
            self.kernel, self.may_wait = starter(function, self.grid, self.block, batons), True
            self.args = tuple(map(with_attributes, args))
            self.records = [
                (value, own) for value, own in zip(args, self.args) if isinstance(value, np.void)
            ]
        else:
            self._link(args)
        try:
            self._run_blocks()
        finally:
            for baton in batons:
                baton.close()
            for storage in self.space.storages:
                if storage.kind == "global":
                    storage.write_back()
            self._give_records_back()
            self._finish()
        return self.report

    def _give_records_back(self) -> None:
        """Copy the kernel's changes back to records, as a launch on a GPU does."""
        for record, held in self.records:
            if record.flags.writeable:
                for name in record.dtype.names or ():
                    record[name] = held[name]

    def _finish(self) -> None:
        gx, gy, gz = self.grid
        bx, by, bz = self.block
        self.report.blocks, self.report.threads = gx * gy * gz, gx * gy * gz * bx * by * bz
        self.report.barriers, self.report.accesses = self.barriers, self.watch.accesses
        self.report.races = tuple(self._races.values())
        self.report.remarks = self.patterns.remarks()

    def _link(self, args: tuple[Any, ...]) -> None:
        """Bind the names of the program, and convert the arguments."""
        program = self.program
        namespace = {**program.namespace, **helpers.cells()}
        for name, sides in (("blockDim", self.block), ("gridDim", self.grid)):
            namespace.update(zip((f"{name}_{axis}" for axis in "xyz"), sides, strict=True))
        namespace["FENCES"] = program.uses_fences
        arrays = LaunchArrays(self.space)
        for name, (value, ty) in program.arrays.items():
            namespace[name] = arrays.view(value, ty, name, "constant")
        for site, addresses in zip(program.sites, self.watch.lists, strict=True):
            namespace[f"{site.kind}{site.number}"] = addresses.append
        for code in program.code:
            exec(code, namespace)  # noqa: S102  code that the simulator has written
        kernel = program.kernel
        self.kernel = namespace[kernel.name]
        assert isinstance(self.kernel, FunctionType)
        names = kernel.writer.fn.params
        self.args = tuple(
            self._argument(value, ty, name, arrays)
            for value, ty, name in zip(args, kernel.argtypes, names, strict=True)
        )
        self.watch.global_end = self.space.end if np.prod(self.grid, dtype=object) > 1 else 0

    def _argument(self, value: Any, ty: Type, name: str, arrays: LaunchArrays) -> Any:
        if isinstance(ty, Array):
            return arrays.view(value, ty, name)
        if isinstance(ty, Record):  # a copy, as on a GPU
            held = np.array([value], to_dtype(ty))
            self.records.append((value, held[0]))
            storage = self.space.storage(name, "global", held, ty, held.itemsize, (1,))
            return Row(held[0], ty, storage.base, name)
        items = getattr(ty, "items", None)
        if isinstance(value, tuple) and items is not None:
            parts = [
                self._argument(one, kind, f"{name}[{k}]", arrays)
                for k, (one, kind) in enumerate(zip(value, items, strict=True))
            ]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        return plain(ty, value)

    def _run_blocks(self) -> None:
        gx, gy, gz = self.grid
        waiting, mark = list(range(gx * gy * gz)), self.space.mark
        self.random.shuffle(waiting)
        turn = 0
        while waiting or self.resident:
            if turn >= len(self.resident):
                turn = 0
                if waiting:
                    self._enter(waiting.pop())
                    turn = len(self.resident) - 1
            block, steps = self.resident[turn]
            self.watch.pending = block.pending
            try:
                next(steps)
            except StopIteration:
                self.resident.pop(turn)
                self._idle = 0
                if not self.resident:  # no block has shared memory
                    self.space.back_to(mark)
                continue
            self.watch.collect()
            block.pending = self.watch.pending
            self._note_idle(waiting)
            turn += 1

    def _enter(self, number: int) -> None:
        gx, gy, _ = self.grid
        index = number % gx, number // gx % gy, number // (gx * gy)
        block = ThreadBlock(self, number, index)
        self.resident.append((block, block.run()))

    def _note_idle(self, waiting: list[int]) -> None:
        """Count the rounds in which all threads only wait in loops."""
        if waiting:
            return
        self._idle += 1
        if self._idle > MOST_IDLE_ROUNDS * len(self.resident):
            block = self.resident[0][0]
            state = self._state()
            if state == self._state_before:
                thread, wait, _ = block.spinning[0]
                raise self._placed(thread, endless(thread, wait, _SPIN_HINT))
            self._state_before, self._idle = state, 0

    _state_before: int | None = None

    def _state(self) -> int:
        """Return a hash of the contents of memory."""
        parts = [hash(tuple(storage.cells)) for storage in self.space.storages]
        return hash((*parts, *(block.progress for block, _ in self.resident)))

    def check_end(self, thread: Thread, wait: Wait) -> None:
        """Raise SimulationError if a thread has been in loops for too long."""
        if thread.spins * self.patience > self.most_steps:
            raise self._placed(
                thread,
                SimulationError(
                    f"this loop of {thread.shown} goes on and on",
                    wait.loc,
                    "if it ends at last, let it: cuda.simulate(kernel, most_steps=...)",
                ),
            )

    # --- segments -------------------------------------------------------------------------------

    def begin_segment(self, thread: Thread) -> None:
        """Begin a segment of a thread that resumes."""
        block = thread.block
        thread.segment = self.segments.add(thread.serial, block.number, block.interval, thread.past)

    def next_segment(self, thread: Thread) -> None:
        """Begin a new segment of a running thread."""
        self.watch.close(thread.segment)
        self.begin_segment(thread)

    # --- findings
    # ------------------------------------------------------------------------------------

    def check(self, block: ThreadBlock) -> None:
        """Check the accesses of a block since its last barrier.

        Raises RaceError for a race, unless races are reported, and SimulationError for memory that
        was read before it was written.
        """
        batches = self.watch.taken()
        raced = set()
        for clash in self.watch.clashes(batches, block.number, self.space.end):
            self._note_race(clash)
            raced.add(clash.address)
            if self.on_race == "raise":
                raise self._race_error()
        unset, block.unset = block.unset, []
        for address, error in unset:
            if address not in raced:
                raise error

    def _note_race(self, clash: Clash) -> None:
        key = clash.first[1], clash.second[1]
        known = self._races.get(key) or self._races.get((key[1], key[0]))
        if known is not None:
            known.count += 1
            return
        first, second = (self._access(*one) for one in (clash.first, clash.second))
        storage = self.space.at(clash.address)
        self._races[key] = Race(storage.element(clash.address), storage.kind, (first, second))

    def _access(self, segment: int, site: int) -> Access:
        block = self.segments.blocks[segment]
        number = self.segments.threads[segment] % (self.block[0] * self.block[1] * self.block[2])
        bx, by, _ = self.block
        gx, gy, _ = self.grid
        place = self.program.sites[site]
        return Access(
            place.kind,
            place.loc,
            place.name,
            (number % bx, number // bx % by, number // (bx * by)),
            (block % gx, block // gx % gy, block // (gx * gy)),
        )

    def _race_error(self) -> RaceError:
        self._finish()
        race = self.report.races[0]
        name = self.program.kernel.name
        return RaceError(
            f"threads of {name} race for {race.element}", self.report, race.first.loc, race.hint
        )

    def failed(self, thread: Thread, error: Exception) -> None:
        """Add the thread that raised to an exception; a race that may have caused it takes
        precedence.

        Raises RaceError.
        """
        self._placed(thread, error)
        self.watch.close(thread.segment)
        if isinstance(error, RaceError):
            return
        thread.block.unset.clear()  # threads that have not run yet may write it
        try:
            self.check(thread.block)
        except RaceError as race:
            raise race from error

    def _placed(self, thread: Thread, error: Exception) -> Exception:
        text = f"in {thread.shown} of kernel {self.program.kernel.name}"
        if isinstance(error, SimulationError):
            error.notes = (text, *(one for one in error.notes if one != text))
        elif not getattr(error, "__notes__", None):
            error.add_note(text)
        return error

    def check_mask(self, thread: Thread, wait: Wait, mask: int) -> None:
        """Raise SimulationError for a mask that does not include the thread itself."""
        if not mask >> thread.lane & 1:
            raise self._placed(
                thread,
                SimulationError(
                    f"the mask {mask:#010x} of {wait.kind} does not name lane {thread.lane},"
                    " which calls it",
                    wait.loc,
                    "name all lanes that come here",
                ),
            )

    def itemsize(self, ty: Type) -> int:
        """Return the bytes of an element of a type."""
        return int(to_dtype(ty).itemsize)


_SPIN_HINT = "a thread that others wait for must be able to run: one that ended cannot"
