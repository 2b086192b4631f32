"""What a launch costs of its own: the time until the driver is called, and after it.

    python benchmarks/launch.py [--rounds N] [--quick]

The driver is the one of the tests, which says that all went well and does nothing; so it can be
measured where no GPU is.  What NVIDIA's driver adds, some 2 us, is measured with the rest by
`benchmarks/ptx.py` on a GPU.
"""

from __future__ import annotations

import ctypes
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from harness import interleaved, parsed, parser, show, slices

from cutaway import config, cuda
from cutaway.cuda.driver import devices

SOURCE = Path(__file__).parents[1] / "tests" / "unit" / "cuda" / "driver" / "fake_cuda.c"


def nothing():
    pass


def nothing_of(a):
    pass


def nothing_of_three(a, b, c):
    pass


def runs() -> dict[str, Callable[[], object]]:
    """Launches of all kinds, compiled and loaded."""
    empty, one, three = (cuda.jit(function) for function in (nothing, nothing_of, nothing_of_three))
    data, stream = cuda.to_device(np.zeros(32, np.float32)), cuda.stream()
    made: dict[str, Callable[[], object]] = {
        "kernel[1, 32]()": lambda: empty[1, 32](),
        "kernel[1, 32](2)": lambda: one[1, 32](2),
        "kernel[1, 32](array)": lambda: one[1, 32](data),
        "kernel[1, 32, stream](array)": lambda: one[1, 32, stream](data),
        "kernel[(1, 1), (8, 4)](array)": lambda: one[(1, 1), (8, 4)](data),
        "kernel[1, 32]((array, 2))": lambda: one[1, 32]((data, 2)),
        "kernel[1, 32](array, array, array)": lambda: three[1, 32](data, data, data),
        "launch()": empty[1, 32],
        "pass": lambda: None,
    }
    for run in made.values():
        run()
    return made


def compiled(folder: str) -> str:
    """The driver of the tests."""
    path = str(Path(folder) / "libfake_cuda.so")
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    command = [compiler, "-shared", "-fPIC", "-O2", "-o", path, str(SOURCE), "-lpthread"]
    subprocess.run(command, check=True)
    return path


def measure(rounds: int) -> dict[str, list[float]]:
    """Nanoseconds of each kind of launch."""
    with tempfile.TemporaryDirectory() as folder:
        path = compiled(folder)
        with config.using(CUDA_DRIVER=path, CUDA_SIMULATOR=False):
            driver: Any = ctypes.CDLL(path)  # Any: its functions
            timed = {name: slices(run, 2e-3) for name, run in runs().items()}
            driver.fake_be_quick(1)
            seconds = interleaved(timed, rounds)
            driver.fake_be_quick(0)
            devices.forget()
    return {
        name: [1e9 * one / timed[name].count for one in times]  # type: ignore[attr-defined]
        for name, times in seconds.items()
    }


def main() -> None:
    """Measure and show."""
    options = parsed(parser("What a launch costs of its own.", 200, 40))
    times = measure(options.rounds)
    both = {name: (sorted(found)[len(found) // 2], min(found)) for name, found in times.items()}
    rows = [(name, *(f"{value:.0f}" for value in pair)) for name, pair in both.items()]
    show("Nanoseconds of a launch but for the driver", ("", "median", "minimum"), rows)


if __name__ == "__main__":
    main()
