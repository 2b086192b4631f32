"""What is measured on a GPU, where there is one: launches, and the time of three kernels.

Both compilers have the same names, so that the same program asks both.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np
from collected.figures import Figure, spread
from gpu_programs import BLOCK, TILE, Program, matmul, reduction, saxpy
from harness import interleaved, show

from cutaway import cuda

KEYS = ("ptx.launch", "ptx.launch_array", "ptx.speed")
LAUNCHES = 1000  # that are timed together; the GPU's queue holds as many
SIZE, SIDE = 1 << 24, 1024
OURS, THEIRS = "cutaway", "numba-cuda"

Module = Any  # a `cuda` of either compiler
Pair = tuple[float, float]  # by median and by minimum


def figures(theirs: ModuleType | None, rounds: int) -> list[Figure]:
    """The figures of a GPU, or why there are none."""
    if not cuda.is_available() or os.environ.get("CUTAWAY_CUDA_SIMULATOR"):
        return [Figure(key, why="there is no GPU here") for key in KEYS]
    modules: dict[str, Module] = {OURS: cuda}
    if theirs is not None and theirs.is_available():
        modules[THEIRS] = theirs
    without, with_array = launches(modules, rounds)
    times = kernel_times(modules, rounds)
    _show(without, with_array, times)
    speeds = {
        name: (found[THEIRS][0] / found[OURS][0], found[THEIRS][1] / found[OURS][1])
        for name, found in times.items()
        if THEIRS in found
    }
    why = "numba-cuda does not run here"
    return [
        Figure("ptx.launch", *without[OURS]),
        Figure("ptx.launch_array", *with_array[OURS]),
        spread("ptx.speed", speeds, "worst", "high", why=why),
    ]


def nothing():
    pass


def nothing_of(a):
    pass


def launches(modules: dict[str, Module], rounds: int) -> tuple[dict[str, Pair], dict[str, Pair]]:
    """Microseconds of a launch without arguments and with an array, by compiler."""
    runs: dict[str, Callable[[], object]] = {}
    for name, module in modules.items():
        empty, of_array = module.jit(nothing)[1, 32], module.jit(nothing_of)[1, 32]
        array = module.to_device(np.zeros(32, np.float32))
        runs[f"{name} 0"] = lambda launch=empty: _many(launch)
        runs[f"{name} 1"] = lambda launch=of_array, array=array: _many(launch, array)
    for run in runs.values():
        run()
    seconds = interleaved(runs, rounds, perf_counter, before=cuda.synchronize)
    both = {name: _both(times, 1e6 / LAUNCHES) for name, times in seconds.items()}
    without, with_array = ({name: both[f"{name} {k}"] for name in modules} for k in (0, 1))
    return without, with_array


def _many(launch: Callable[..., object], *args: Any) -> None:  # Any: arrays on the device
    for _ in range(LAUNCHES):
        launch(*args)


def kernel_times(modules: dict[str, Module], rounds: int) -> dict[str, dict[str, Pair]]:
    """Microseconds of each kernel by compiler, by events on the device."""
    random = np.random.default_rng(1)
    x = random.random(SIZE, dtype=np.float32)
    a = random.random((SIDE, SIDE), dtype=np.float32)
    blocks = 256
    cases = (
        (saxpy, (SIZE // BLOCK, BLOCK), (np.float32(2.0), x, x.copy())),
        (matmul, ((SIDE // TILE,) * 2, (TILE, TILE)), (a, a.copy(), np.zeros_like(a))),
        (reduction, (blocks, BLOCK), (x, np.zeros(blocks, np.float32))),
    )
    found = {}
    for kernel, shape, args in cases:
        runs = {}
        for name, module in modules.items():
            here = [module.to_device(one) if isinstance(one, np.ndarray) else one for one in args]
            runs[name] = _timed(module, Program(kernel, "").on(module), shape, here)
        for run in runs.values():
            run()
        times = {name: [run() for _ in range(rounds)] for name, run in runs.items()}
        found[kernel.__name__] = {name: _both(each, 1e3) for name, each in times.items()}
    return found


def _timed(
    module: Module, function: Callable[..., None], shape: Any, args: list[Any]
) -> Callable[[], float]:  # Any: a grid and a block; arguments of the kernel
    launch = module.jit(function)[shape]

    def run() -> float:
        """Milliseconds of one launch."""
        begun, ended = module.event(timing=True), module.event(timing=True)
        begun.record()
        launch(*args)
        ended.record()
        ended.synchronize()
        milliseconds: float = module.event_elapsed_time(begun, ended)
        return milliseconds

    return run


def _both(times: list[float], scale: float) -> Pair:
    return float(np.median(times)) * scale, min(times) * scale


def _show(
    without: dict[str, Pair], with_array: dict[str, Pair], times: dict[str, dict[str, Pair]]
) -> None:
    every = {"launch": without, "launch with an array": with_array, **times}
    rows = [
        (what, *("{:.2f} ({:.2f})".format(*found[name]) for name in without if name in found))
        for what, found in every.items()
    ]
    title = f"Microseconds on {cuda.get_current_device().name}: median (minimum)"
    show(title, ("", *without), rows)
