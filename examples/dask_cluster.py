"""A compiled function on the workers of a Dask cluster, with and without its machine code.

    pip install 'cutaway[cluster]'
    python examples/dask_cluster.py

A function that was called before it is sent takes its machine code along, and workers with a
processor of the same kind compile nothing.  One that was never called is compiled by each of them.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from dask.distributed import Client, LocalCluster

import cutaway

PLATE = np.zeros((60, 60))
PLATE[0] = 100.0


@cutaway.jit
def diffuse(plate, steps, rate):
    """Heat in a plate: in each step a point moves toward the mean of its neighbors."""
    rows, columns = plate.shape
    following = plate.copy()
    plate = plate.copy()
    for _ in range(steps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                around = plate[i - 1, j] + plate[i + 1, j] + plate[i, j - 1] + plate[i, j + 1]
                following[i, j] = plate[i, j] + rate * (around - 4.0 * plate[i, j])
        plate, following = following, plate
    return plate


class First(NamedTuple):
    """The first result of a worker, and how many seconds and compilations it took."""

    mean: float
    seconds: float
    compilations: int


def imported() -> str:
    """What a worker runs before: it imports Cutaway, and NumPy with it."""
    return cutaway.__name__


def work(function: Callable[..., np.ndarray], plate: np.ndarray) -> tuple[float, int]:
    """What runs on a worker: a call, and how often the function has been compiled there."""
    mean = float(function(plate, 10, 0.2).mean())
    return mean, function.stats.compilations


def first_results(client: Client, function: Callable[..., np.ndarray]) -> list[First]:
    """The first result of each worker, one worker after the other."""
    found = []
    for worker in client.scheduler_info(n_workers=-1)["workers"]:
        client.submit(imported, workers=[worker], pure=False).result()
        started = time.perf_counter()
        mean, compilations = client.submit(
            work, function, PLATE, workers=[worker], pure=False
        ).result()
        found.append(First(mean, time.perf_counter() - started, compilations))
    return found


def on_a_cluster(function: Callable[..., np.ndarray], workers: int) -> list[First]:
    """The first results on a new cluster of processes."""
    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(n_workers=workers, **options) as cluster, Client(cluster) as client:
        return first_results(client, function)


def main(workers: int) -> None:
    """Compare a function that was never called with one that was."""
    for called in (False, True):
        function = cutaway.jit(diffuse.py_func)
        if called:
            function(PLATE, 1, 0.2)
        found = on_a_cluster(function, workers)
        seconds = statistics.median(one.seconds for one in found)
        compilations = sum(one.compilations for one in found)
        what = "called before" if called else "never called "
        print(
            f"{what}: {compilations} compilations on {workers} workers,"
            f" {seconds * 1000:.0f} ms to the first result of each"
        )


if __name__ == "__main__":  # the workers import this file, and start no clusters of their own
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
