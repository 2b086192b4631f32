"""A running block of threads: its barriers, its warps, its shared memory."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cutaway.cuda.simulator import warps
from cutaway.cuda.simulator.memory import ArrayView, Storage, c_strides, new_cells
from cutaway.cuda.simulator.ordering import NOTHING, Past
from cutaway.cuda.simulator.places import Allocation, Wait
from cutaway.cuda.simulator.threads import Sides, Thread
from cutaway.cuda.simulator.trouble import stuck
from cutaway.cuda.simulator.watching import Batch
from cutaway.errors import SimulationError
from cutaway.typing import types

if TYPE_CHECKING:
    from cutaway.cuda.simulator.launching import Launch

Arrival = tuple[Thread, Wait, tuple[Any, ...]]


class ThreadBlock:
    """A block: its threads run one at a time, each until it waits."""

    def __init__(self, launch: Launch, number: int, index: Sides) -> None:
        self.launch, self.number, self.index = launch, number, index
        x, y, z = launch.block
        self.size = x * y * z
        self.interval = 0
        self.memory: dict[int, ArrayView] = {}
        self.dynamic: Storage | None = None
        self.plain_memory: dict[Any, Any] = {}
        self.pending: list[Batch] = []
        sides = [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]
        self.threads = [Thread(self, n, sides[n]) for n in range(self.size)]
        self.ready: list[tuple[Thread, Any]] = []
        self.at_barrier: list[Arrival] = []
        self.in_warps: list[Arrival] = []
        self.asking: list[Arrival] = []
        self.spinning: list[Arrival] = []
        self.ended: list[Thread] = []
        self.unset: list[tuple[int, SimulationError]] = []  # read before they were written
        self.progress = 0

    # --- running --------------------------------------------------------------------------------

    def run(self) -> Iterator[None]:
        """Run to the end; yields when all runnable threads are in loops that wait for memory."""
        self._begin()
        while len(self.ended) < self.size:
            while self.ready:
                thread, told = self.ready.pop()
                self._resume(thread, told)
            if self.asking:
                self._answer_active()
            elif self._passes_barrier():
                self._pass_barrier()
            elif self.spinning:
                yield
                self._let_go([(thread, self.launch.patience) for thread, _, _ in self.spinning])
                self.spinning = []
            elif len(self.ended) < self.size:
                raise stuck(self)
        self.launch.check(self)

    def _begin(self) -> None:
        kernel, args = self.launch.kernel, self.launch.args
        for thread in self.threads:
            thread.send = kernel(thread, *args).send if self.launch.may_wait else None
        self._let_go([(thread, None) for thread in self.threads])

    def _let_go(self, threads: list[tuple[Thread, Any]]) -> None:
        """Resume threads, in random order."""
        self.ready += threads
        draw = self.launch.random.random
        self.ready.sort(key=lambda _: draw())

    def _resume(self, thread: Thread, told: Any) -> None:
        launch = self.launch
        launch.now = thread
        launch.begin_segment(thread)
        try:
            if thread.send is None:
                launch.kernel(thread, *launch.args)
                self._end(thread)
                return
            waits = thread.send(told)
        except StopIteration:
            self._end(thread)
            return
        except Exception as error:
            launch.failed(thread, error)
            raise
        finally:
            launch.watch.close(thread.segment)
        if type(waits) is tuple:
            self._arrive(thread, waits[0], waits[1:])
        elif waits.kind == "syncthreads":
            self.at_barrier.append((thread, waits, ()))
        else:
            self._arrive(thread, waits, ())

    def _end(self, thread: Thread) -> None:
        self.ended.append(thread)
        self.progress += 1

    def _arrive(self, thread: Thread, wait: Wait, given: tuple[Any, ...]) -> None:
        arrival = thread, wait, given
        if wait.kind == "spin":
            thread.spins += 1
            self.launch.check_end(thread, wait)
            self.spinning.append(arrival)
        elif wait.kind.startswith("syncthreads"):
            self.at_barrier.append(arrival)
        elif wait.kind == "activemask":
            self.asking.append(arrival)
        else:
            self.in_warps.append(arrival)
            self._complete_warp(arrival)

    # --- warps ----------------------------------------------------------------------------------

    def _complete_warp(self, arrival: Arrival) -> None:
        """Resume the lanes that wait for an operation of the warp, once all of them are there."""
        thread, wait, given = arrival
        group = [
            one
            for one in self.in_warps
            if one[0].warp == thread.warp and one[1] is wait and one[2][0] == given[0]
        ]
        lanes = {one[0].lane for one in group}
        self.launch.check_mask(thread, wait, given[0])
        if not warps.wants(given[0], self.lanes_of(thread.warp)) <= lanes:
            return
        self.in_warps = [one for one in self.in_warps if one not in group]
        self.progress += 1
        if wait.kind == "syncwarp":
            self._order([one[0] for one in group])
        told = {one[0].lane: one[2] for one in group}
        results = warps.results(wait, told, self.launch.random)
        self._let_go([(one[0], results[one[0].lane]) for one in group])

    def lanes_of(self, warp: int) -> int:
        """Return the number of lanes of a warp: the last one may have fewer than 32."""
        return min(32, self.size - 32 * warp)

    def _order(self, threads: list[Thread]) -> None:
        """Order threads: the past of each happens before the future of all."""
        past = Past({one.serial: one.segment for one in threads})
        for one in threads:
            past = past.joined(one.past)
        for one in threads:
            one.past = past

    def _answer_active(self) -> None:
        """Return the mask of the threads that are at the same `activemask`, to each of them."""
        groups: dict[tuple[int, int], list[Thread]] = {}
        for thread, wait, _ in self.asking:
            groups.setdefault((thread.warp, id(wait)), []).append(thread)
        self.asking = []
        for threads in groups.values():
            mask = sum(1 << one.lane for one in threads)
            self._let_go([(one, mask) for one in threads])

    # --- barriers -------------------------------------------------------------------------------

    def _passes_barrier(self) -> bool:
        """True if all threads are at one barrier."""
        if len(self.at_barrier) < self.size:
            return False
        wait = self.at_barrier[0][1]
        return all(one[1] is wait for one in self.at_barrier)

    def _pass_barrier(self) -> None:
        self.launch.check(self)
        self.interval += 1
        self.progress += 1
        past = NOTHING
        for thread in self.threads:
            past = past.joined(thread.past)
        if past is not NOTHING:
            own = {thread.serial for thread in self.threads}
            others = {k: v for k, v in past.threads.items() if k not in own}
            past = Past(others, past.blocks) if others or past.blocks else NOTHING
        arrivals, self.at_barrier = self.at_barrier, []
        told = warps.told_at_barrier(arrivals[0][1].kind, [bool(a[2][0]) for a in arrivals if a[2]])
        for thread in self.threads:
            thread.past = past
        self.launch.barriers += 1
        self._let_go([(thread, told) for thread, _, _ in arrivals])

    # --- memory ---------------------------------------------------------------------------------

    def shared(self, place: Allocation) -> ArrayView:
        """Return the shared array of an allocation; arrays whose size the launch sets all begin at
        the same address."""
        array = self.memory.get(place.number)
        if array is None:
            array = self.memory[place.number] = self._made(place)
        return array

    def _made(self, place: Allocation) -> ArrayView:
        if 0 in place.shape:
            return self._dynamic(place)
        cells = new_cells(place.dtype, math.prod(place.shape))
        size = self.launch.itemsize(place.dtype)
        storage = self.launch.space.storage(
            place.name, "shared", cells, place.dtype, size, place.shape
        )
        return ArrayView(storage, 0, place.shape, c_strides(place.shape), place.name)

    def _dynamic(self, place: Allocation) -> ArrayView:
        """Return all of the launch's dynamic memory: as bytes, if it is used as several types."""
        kinds = {one.dtype for one in self.launch.program.allocations if 0 in one.shape}
        size = self.launch.itemsize(place.dtype)
        count = self.launch.shared_bytes // size
        if self.dynamic is None:
            ty = types.uint8 if len(kinds) > 1 else place.dtype
            unit = self.launch.itemsize(ty)
            cells = new_cells(ty, self.launch.shared_bytes // unit)
            self.dynamic = self.launch.space.storage(
                place.name, "shared", cells, ty, unit, (len(cells),)
            )
        whole = ArrayView(self.dynamic, 0, self.dynamic.shape, (1,), place.name)
        if self.dynamic.dtype is place.dtype:
            return whole
        part = ArrayView(self.dynamic, 0, (count * size,), (1,), place.name)
        return part.viewed(place.dtype)
