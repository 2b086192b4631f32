"""`cuda.simulate`: kernels that run in Python, thread by thread, and are checked.

sim = cuda.simulate(kernel)
sim[grid, block](x, y)        # raises cuda.RaceError for a race
sim.report                    # the findings: remarks on access patterns, counts
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

from cutaway.cuda.kernels import Kernel
from cutaway.cuda.simulator.launching import MOST_STEPS, Launch
from cutaway.cuda.simulator.limits import MOST_BLOCKS, MOST_THREADS
from cutaway.cuda.simulator.program import Program
from cutaway.cuda.simulator.report import SimulationReport
from cutaway.cuda.simulator.threads import Sides
from cutaway.dispatch.binding import (
    argument_types,
    bind,
    binder,
    call_types,
    note_needed,
    with_literals,
)
from cutaway.errors import CudaError, LaunchError, OptionError
from cutaway.foundation.options import shown
from cutaway.foundation.source import is_our_file
from cutaway.typing.inference.literals import LiteralNeeded
from cutaway.typing.types import Type


class Simulation:
    """A kernel in the simulator; `report` is that of the last launch."""

    def __init__(self, kernel: Kernel, seed: int, *settings: Any) -> None:
        self.kernel, self.seed, self.settings = kernel, seed, settings
        self.report: SimulationReport | None = None

    def __getitem__(self, configuration: Any) -> Callable[..., None]:
        grid, block, shared_bytes = launch_sizes(configuration, self.kernel.__name__)

        def launch(*args: Any, **kwargs: Any) -> None:
            bound, argtypes = self._bound(args, kwargs)
            program = self._program(bound, argtypes)
            running = Launch(program, grid, block, shared_bytes, self.seed, *self.settings)
            self.report = running.report
            try:
                running.run(bound)
            except Exception as error:
                cause = error.__cause__
                if cause is not None:
                    cause.__traceback__ = _of_users(cause.__traceback__)
                raise error.with_traceback(_of_users(error.__traceback__))  # noqa: B904  as it was

        launch.__name__ = self.kernel.__name__
        return launch

    def __repr__(self) -> str:
        return f"<simulation of {self.kernel.py_func.__qualname__}>"

    def source(self, *args: Any) -> str:
        """Return the Python that runs for arguments, or for their types."""
        half = self.kernel.half
        return self._program(binder(half)(*args), call_types(half, args)).source

    def _bound(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], tuple[Type, ...]]:
        half = self.kernel.half
        bound = bind(half, args, kwargs)
        return bound, argument_types(half, bound)

    def _program(self, bound: tuple[Any, ...], plain: tuple[Type, ...]) -> Program:
        half = self.kernel.half
        while True:
            argtypes = with_literals(half, plain, bound)
            key = argtypes, half.generation
            if key in half.programs:
                known: Program = half.programs[key]
                return known
            try:
                half.programs[key] = Program(half, argtypes)
            except LiteralNeeded as error:
                note_needed(half, plain, bound, error)


def _of_users(traceback: TracebackType | None) -> TracebackType | None:
    """Keep the user's frames of a traceback: those of the kernel and its functions."""
    if traceback is None:
        return None
    rest = _of_users(traceback.tb_next)
    frame = traceback.tb_frame
    if is_our_file(frame.f_code.co_filename):
        return rest
    return TracebackType(rest, frame, traceback.tb_lasti, traceback.tb_lineno)


def simulate(
    kernel: Kernel,
    *,
    seed: int = 0,
    on_race: str = "raise",
    plain: bool = False,
    most_steps: int = MOST_STEPS,
) -> Simulation:
    """Simulate a kernel: it runs in Python, on this machine, and is checked.

    `simulate(kernel)[grid, block, stream, shared_bytes](...)` runs it thread by thread: with
    barriers, warps, shared memory and atomics, in an order that depends on `seed`.  NumPy arrays
    are changed in place.  It raises cuda.RaceError for two threads that access one element without
    an order between them, one of them writing; with `on_race="report"` all races are collected in
    the `report`.  Barriers that not all threads reach, indices out of range, and memory that is
    read before it is written raise as well.

    With `plain=True` Python runs the kernel unchanged, so that a debugger stops in it: with
    Python's numbers, and with no checks except of barriers and warps.  A thread may take
    `most_steps` iterations of `while` loops.

    Raises OptionError for an unknown value of an option, CudaError for anything but a kernel.
    """
    if not isinstance(kernel, Kernel):
        raise CudaError(
            f"only a kernel can be simulated, not {shown(kernel)}", hint="decorate it: @cuda.jit"
        )
    if kernel.half.options.device:
        raise CudaError(
            f"{kernel.__name__} is a device function, which only kernels call",
            hint="simulate a kernel that calls it",
        )
    if on_race not in ("raise", "report"):
        raise OptionError(f"on_race must be 'raise' or 'report', not {shown(on_race)}")
    if type(seed) is not int:
        raise OptionError(f"seed must be a whole number, not {shown(seed)}")
    if type(most_steps) is not int or most_steps < 1:
        raise OptionError(f"most_steps must be a positive number, not {shown(most_steps)}")
    return Simulation(kernel, seed, on_race, bool(plain), most_steps)


def launch_sizes(configuration: Any, name: str) -> tuple[Sides, Sides, int]:
    """Return the grid, the block and the bytes of shared memory of `kernel[...]`.

    Raises LaunchError for sizes that no GPU can launch.
    """
    parts = configuration if isinstance(configuration, tuple) else (configuration,)
    if not 2 <= len(parts) <= 4:
        raise LaunchError(
            f"a launch of {name} says how many blocks and threads",
            name,
            hint=f"{name}[blocks, threads](...), or [blocks, threads, stream, shared_bytes]",
        )
    grid = _sides(parts[0], "blocks", name)
    block = _sides(parts[1], "threads of a block", name)
    shared_bytes = parts[3] if len(parts) == 4 else 0
    if type(shared_bytes) is not int or shared_bytes < 0:
        raise LaunchError(f"the bytes of shared memory of {name} must be a number", name)
    count = block[0] * block[1] * block[2]
    if count > MOST_THREADS or block[2] > 64:
        raise LaunchError(
            f"{name} is launched with blocks of {count} threads: 1024 are the most,"
            " 64 of them along z",
            name,
        )
    if grid[0] > MOST_BLOCKS or max(grid[1:]) > 65535:
        raise LaunchError(f"{name} is launched with too many blocks: {grid}", name)
    return grid, block, shared_bytes


def _sides(value: Any, what: str, name: str) -> Sides:
    sides = value if isinstance(value, tuple | list) else (value,)
    try:
        numbers = [int(one.__index__()) for one in sides]
    except AttributeError:
        numbers = []
    if not 1 <= len(numbers) <= 3 or min(numbers) < 1:
        raise LaunchError(
            f"the number of {what} of {name} must be positive, or a tuple of up to 3 such numbers,"
            f" not {shown(value)}",
            name,
        )
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z
