"""Launches: `kernel[blocks, threads, stream, shared_bytes](...)`.

A configured kernel is a C object, which passes its arguments to the kernel's dispatcher. That
selects a specialization for their types, as for CPU code, and enters a launcher instead of machine
code.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from cutaway.cuda.code import code_of
from cutaway.cuda.driver import access, arguments
from cutaway.cuda.driver.modules import Loading
from cutaway.cuda.driver.streams import Stream, handle_of
from cutaway.cuda.kernels import Kernel, KernelHalf
from cutaway.cuda.simulator import simulating
from cutaway.dispatch.binding import call_types
from cutaway.dispatch.dispatcher import Half
from cutaway.dispatch.resolution import bind, compile_for
from cutaway.dispatch_c._dispatch import Specialization
from cutaway.driver_c import _driver
from cutaway.driver_c._driver import Configured, Launcher
from cutaway.errors import CudaError
from cutaway.foundation import loading
from cutaway.lowering.layout import descriptor, slot_types
from cutaway.stages.observers import Observer
from cutaway.targets.ptx.entry import kernel_parameters
from cutaway.typing import types
from cutaway.typing.types import Type

loading.run(arguments)  # the C module calls it for arguments of launches

Sides = tuple[int, int, int]


# --- a kernel with its grid -------------------------------------------------------------------

_MOST_KEPT = 128  # configurations per kernel
_SIDES = {"grid": "blocks", "block": "threads"}


def configured(kernel: Kernel, index: Any) -> Any:
    """Return the callable for `kernel[index]`, which the kernel caches.

    Raises CudaError if the index is not a grid, or without a GPU.
    """
    if kernel.half.options.device:
        raise CudaError(
            f"{kernel.__name__} is a device function, which only kernels call",
            hint="decorate it with @cuda.jit to launch it",
        )
    grid, block, stream, shared_bytes = _parts(kernel, index)
    if access.is_simulated():
        return Simulated(kernel, grid, block, shared_bytes)
    access.driver().current_device()  # raises the error without a GPU
    prepare(kernel)
    given = None if type(stream) is int and stream == 0 else stream
    made = Configured(
        kernel.half.dispatcher,
        grid,
        block,
        given,
        stream.resource if isinstance(stream, Stream) else None,
        handle_of(stream),
        shared_bytes,
        kernel.half.options.debug,
    )
    if len(kernel.configured) >= _MOST_KEPT:
        kernel.configured.clear()
    try:
        kernel.configured[index] = made
    except TypeError:  # unhashable, a list for instance: not cached
        pass
    return made


def _parts(kernel: Kernel, index: Any) -> tuple[Sides, Sides, Any, int]:
    if not isinstance(index, tuple) or not 2 <= len(index) <= 4:
        name = kernel.__name__
        raise CudaError(
            f"{name}[...] takes blocks and threads, and then a stream and bytes of shared memory",
            hint=f"{name}[blocks, threads](...), each an integer or up to three of them",
        )
    grid, block, stream, shared_bytes = *index, *(0, 0)[len(index) - 2 :]  # type: ignore[misc]
    try:
        bytes_ = operator.index(shared_bytes)
    except TypeError:
        raise CudaError(f"{shared_bytes!r} is no number of bytes of shared memory") from None
    if not 0 <= bytes_ < 2**31:
        raise CudaError(f"a block cannot have {bytes_} bytes of shared memory")
    return _sides("grid", grid), _sides("block", block), stream, bytes_


def _sides(of: str, given: Any) -> Sides:
    sides = tuple(given) if isinstance(given, tuple | list) else (given,)
    try:
        found = tuple(operator.index(side) for side in sides)
    except TypeError:
        found = ()
    if not 1 <= len(found) <= 3:
        raise CudaError(f"{given!r} is no number of {_SIDES[of]}", hint="up to three integers")
    if any(side < 1 for side in found):
        raise CudaError(f"a {of} has at least one of its {_SIDES[of]}, not {given!r}")
    if any(side >= 2**31 for side in found):
        raise CudaError(f"a {of} cannot have {given!r} {_SIDES[of]}")
    return (*found, 1, 1)[:3]  # type: ignore[return-value]  # three of them


class Simulated:
    """A configured kernel that runs in the simulator, on the host."""

    def __init__(self, kernel: Kernel, grid: Sides, block: Sides, shared_bytes: int) -> None:
        self.kernel = kernel
        self.grid, self.block, self.shared_bytes = grid, block, shared_bytes

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Run the kernel."""
        simulate = simulating.simulate
        run = simulate(self.kernel)[self.grid, self.block, 0, self.shared_bytes]
        run(*map(arguments.on_host, args), **{k: arguments.on_host(v) for k, v in kwargs.items()})


class ForAll:
    """A kernel for a number of threads, launched in blocks of a size that fits the GPU."""

    def __init__(
        self, kernel: Kernel, tasks: int, threads: int, stream: Any, shared_bytes: int
    ) -> None:
        if tasks < 0:
            raise CudaError(f"a kernel cannot be launched for {tasks} threads")
        self.kernel, self.tasks, self.threads = kernel, tasks, threads
        self.stream, self.shared_bytes = stream, shared_bytes

    def __call__(self, *args: Any) -> None:
        """Launch the kernel."""
        if not self.tasks:
            return
        threads = self.threads or self._best(args)
        blocks = -(-self.tasks // threads)
        self.kernel[blocks, threads, self.stream, self.shared_bytes](*args)

    def _best(self, args: tuple[Any, ...]) -> int:
        if access.is_simulated():
            return _SIMULATED_BLOCK
        function = function_of(self.kernel, types_of(self.kernel, args))
        return int(access.driver().potential_block_size(function, self.shared_bytes, 0)[1])


_SIMULATED_BLOCK = 128


# --- specialization and calls ----------------------------------------------------------------


def prepare(kernel: Kernel) -> None:
    """Compile the explicit signatures: arguments of other types are converted to these."""
    half = kernel.half
    if half.closed and half.dispatcher._mode == "open":
        half.dispatcher._set_mode("written")
    for argtypes in half.closed:
        if argtypes not in half.by_types:
            compile_for(half, argtypes)


def specialize(
    half: KernelHalf, argtypes: tuple[Type, ...], observers: Sequence[Observer] = ()
) -> Specialization:
    """Specialize a kernel for argument types, ready to be launched.

    Raises CompileError if it does not compile, CudaError for arguments that a GPU cannot read.
    """
    names = half.parameters.names
    for name, ty in zip(names, argtypes, strict=True):
        if not _is_readable(ty):
            raise arguments.refuse(f"of type {ty}", half.py_func.__name__, name)
    code = code_of(half, argtypes)
    constants: list[object] = []
    descriptors = tuple(descriptor(ty, constants) for ty in argtypes)
    slots = tuple(slot for slot, _ in kernel_parameters(argtypes))
    launcher = half.launchers[argtypes] = Launcher(code.name, Loading(half, argtypes), slots)
    return Specialization(
        launcher.address, descriptors, b"N", tuple(constants), launcher, launched=True
    )


def function_of(kernel: Kernel, argtypes: tuple[Type, ...]) -> int:
    """Return the driver's handle of a kernel for argument types, in the current context."""
    access.driver().current_device()  # raises the error without a GPU
    prepare(kernel)
    compile_for(kernel.half, argtypes)
    return int(kernel.half.launchers[argtypes].function())


def types_of(kernel: Kernel, args: tuple[Any, ...]) -> tuple[Type, ...]:
    """Return the types of a launch's arguments."""
    return call_types(kernel.half, tuple(map(stand_in, args)))


def _is_readable(ty: Type) -> bool:
    """True for a type whose values hold no memory but that of arrays and records, which launches
    copy."""
    if isinstance(ty, types.Array | types.Record):
        return True
    if isinstance(ty, types.Optional):
        return _is_readable(ty.inner)
    if isinstance(ty, types.Tuple | types.NamedTuple):
        return all(map(_is_readable, ty.items))
    return all(kind != "ptr" for kind, _ in slot_types(ty))


def resolver(half: KernelHalf) -> Callable[[tuple[Any, ...], dict[str, Any]], Any]:
    """Make the function that resolves a kernel's calls: see `resolve` of a half."""
    return partial(_driver.resolve, partial(Half.resolve, half), partial(bind, half))


def stand_in(value: Any) -> Any:
    """Return a readable value of the same type: a small array for data on a GPU."""
    return _driver.stand_in(value.value if isinstance(value, arguments.Way) else value)
