"""Kernels run and timed in a process of its own, which tells what it does as it goes.

The process that started it gives up on it when nothing is heard for too long, or when it dies;
what it was doing then is the row's reason, and another process goes on with the rest.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from time import perf_counter

import numpy as np

from whole_arrays.kernel import Kernel
from whole_arrays.table import ALL, WAYS
from whole_arrays.ways import WAYS as MAKERS
from whole_arrays.ways import arguments_for_jax, reason

LEAST = 1e-3  # seconds in one timing: shorter calls are repeated
COPIES = 64 << 20  # bytes of fresh arguments that may wait for one timing
RETAINED = 31 << 20  # bytes, just less than where glibc ceases to adapt

# One core for all: what is compared is code, and not how many threads it starts.
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "JAX_PLATFORMS": "cpu",
    "JAX_ENABLE_X64": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}

Key = tuple[str, str]
ROUNDS = "rounds"  # what a process does beside first calls, in the ways of which none is at fault


@dataclass(frozen=True)
class Plan:
    """How long things may take."""

    rounds: int = 25
    seconds: float = 4.0  # for the rounds of one kernel; there are three at least
    patience: float = 45.0  # for one first call, or the rounds, before the process is given up
    without: tuple[str, ...] = ()


@dataclass
class Row:
    """What was found out about a kernel; seconds, by way."""

    median: dict[str, float] = field(default_factory=dict)
    minimum: dict[str, float] = field(default_factory=dict)
    first_call: dict[str, float] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    bitwise: bool | None = None  # if Cutaway's result has NumPy's bits


class Runner:
    """A compiled kernel with its arguments, called so often that it can be timed.

    Arrays that the kernel changes are copied for each call, out of the time.
    """

    def __init__(self, call: Callable[..., object], arguments: tuple, changes: tuple[int, ...]):
        self.call = call
        self.arguments = arguments
        self.changes = changes
        self.count = 1
        self.waiting: list[tuple] = []

    def prepare(self) -> None:
        self.waiting = [self.fresh() for _ in range(self.count)]

    def fresh(self) -> tuple:
        """The arguments, with copies of those that the kernel changes."""
        copied = list(self.arguments)
        for k in self.changes:
            copied[k] = copied[k].copy()
        return tuple(copied)

    def settle(self) -> float:
        """Find out how many calls a timing needs; the seconds that it takes."""
        self.prepare()
        once = self.timed()
        self.count = max(1, int(LEAST / max(once, 1e-7)))
        held = sum(self.arguments[k].nbytes for k in self.changes)
        if held:
            self.count = max(1, min(self.count, COPIES // held))
        return once * self.count

    def timed(self) -> float:
        """Seconds of one call."""
        call, waiting = self.call, self.waiting
        started = perf_counter()
        for arguments in waiting:
            call(*arguments)
        return (perf_counter() - started) / len(waiting)


def outcome(changes: tuple[int, ...], result: object, arguments: tuple) -> list[np.ndarray]:
    """All that a call made: its results, and the arrays that it changed."""
    results = [] if result is None else list(result) if isinstance(result, tuple) else [result]
    return [np.array(value) for value in [*results, *(arguments[k] for k in changes)]]


def expected_of(kernel: Kernel) -> list[np.ndarray]:
    """What NumPy makes of a kernel."""
    arguments = kernel.make(kernel.size)
    return outcome(kernel.changes, kernel.function(*arguments), arguments)


def difference(kernel: Kernel, expected: list[np.ndarray], got: list[np.ndarray]) -> str:
    """In what two outcomes differ; nothing if they are close."""
    if [a.shape for a in expected] != [a.shape for a in got]:
        return f"wrong: shapes {[a.shape for a in got]}, not {[a.shape for a in expected]}"
    for wanted, found in zip(expected, got):
        atol = kernel.rtol * float(np.max(np.abs(wanted), initial=0.0)) if wanted.size else 0.0
        close = np.isclose(found, wanted, rtol=kernel.rtol, atol=atol, equal_nan=True)
        if np.mean(~close) > kernel.outliers:
            return f"wrong: differs in {np.count_nonzero(~close)} of {close.size} elements"
    return ""


def same_bits(expected: list[np.ndarray], got: list[np.ndarray]) -> bool:
    """True if types, shapes and all bits are the same."""
    return len(expected) == len(got) and all(
        (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
        for a, b in zip(expected, got)
    )


def runner_of(kernel: Kernel, way: str) -> Runner:
    """The kernel in one of the ways, not compiled yet, with arguments of its own."""
    call, arguments = MAKERS[way](kernel), kernel.make(kernel.size)
    if way == "jax":  # it changes no array: its results are all that there is
        return Runner(call, arguments_for_jax(arguments), ())
    return Runner(call, arguments, kernel.changes)


def first_call(kernel: Kernel, way: str, row: Row, expected: list[np.ndarray]) -> Runner | None:
    """Compile, call once and compare; None if that is not possible, and the row says why."""
    try:
        runner = runner_of(kernel, way)
        given = runner.fresh()
        started = perf_counter()
        result = runner.call(*given)
        seconds = perf_counter() - started
    except Exception as error:  # a compiler may raise anything, and that is the row's reason
        row.problems[way] = reason(error)
        return None
    got = outcome(runner.changes, result, given)
    wrong = difference(kernel, expected, got)
    if way == "cutaway":
        row.bitwise = same_bits(expected, got)
    if wrong:
        row.problems[way] = wrong
        return None
    row.first_call[way] = seconds
    return runner


def settled(runners: dict[str, Runner], key: Key, doing: Callable[[Key, str], None]) -> float:
    """Find out how many calls of each way a timing needs; the seconds of a whole round."""
    total = 0.0
    for way, runner in runners.items():
        doing(key, way)
        total += runner.settle()
    return total


def time_rounds(runners: dict[str, Runner], total: float, plan: Plan, row: Row) -> None:
    """Time the runners in turn: drift of the machine hits all."""
    rounds = min(plan.rounds, max(3, int(plan.seconds / max(total, 1e-9))))
    seconds: dict[str, list[float]] = {way: [] for way in runners}
    for turn in range(rounds):
        for way in list(runners) if turn % 2 else list(reversed(runners)):
            runners[way].prepare()
            seconds[way].append(runners[way].timed())
            runners[way].waiting = []
    for way, each in seconds.items():
        row.median[way], row.minimum[way] = statistics.median(each), min(each)


def measured(
    key: Key, plan: Plan, problems: dict[str, str], doing: Callable[[Key, str], None]
) -> Row:
    """Everything about one kernel; ways with a problem are left out."""
    kernel, row, runners = ALL[key], Row(problems=dict(problems)), {}
    doing(key, ROUNDS)
    expected = expected_of(kernel)
    for way in WAYS[key[0]]:
        if way in plan.without or way in problems:
            continue
        doing(key, way)
        runner = first_call(kernel, way, row, expected)
        if runner is not None:
            runners[way] = runner
    total = settled(runners, key, doing)
    doing(key, ROUNDS)
    gc.collect()
    gc.disable()
    time_rounds(runners, total, plan, row)
    gc.enable()
    return row


def warm_up(plan: Plan) -> None:
    """Bring the process to where a long one is: what its first steps cost is no kernel's time.

    The first compilation loads a compiler. Memory that the allocator of glibc gives back for each
    large array, so that each is paged in anew, it keeps once a large one was freed.
    """
    np.ones(RETAINED // 8)
    kernel = Kernel(lambda a: (a * 2.0 + 1.0).sum(), lambda n: (np.ones(n),), 8)
    for way in {way for ways in WAYS.values() for way in ways} - {*plan.without, "loop"}:
        first_call(kernel, way, Row(), expected_of(kernel))


def work(told: Connection, jobs: list[tuple[Key, dict[str, str]]], plan: Plan) -> None:
    """What the process does: measure kernel after kernel, and tell each step."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    np.seterr(all="ignore")
    warm_up(plan)
    for key, problems in jobs:
        row = measured(key, plan, problems, lambda *what: told.send(("doing", *what)))
        told.send(("row", key, row))


def measurements(keys: list[Key], plan: Plan) -> Iterator[tuple[Key, Row]]:
    """The row of each kernel, from as many processes as it takes."""
    left = list(keys)
    problems: dict[Key, dict[str, str]] = {key: {} for key in keys}
    while left:
        doing = None
        for what, *details in messages([(key, problems[key]) for key in left], plan):
            if what == "doing":
                doing = details
            elif what == "row":
                left.remove(details[0])
                yield details[0], details[1]
            elif doing is None:
                raise RuntimeError(f"the process that measures did not start: {details[0]}")
            else:
                key, way = doing
                problems[key][way] = details[0]
                if way == ROUNDS and key in left:
                    left.remove(key)
                    yield key, Row(problems=problems[key])


def messages(jobs: list[tuple[Key, dict[str, str]]], plan: Plan) -> Iterator[tuple]:
    """What a process tells that does the jobs; the last is its failure, if it fails."""
    os.environ.update(ENVIRONMENT)  # before the process loads what reads it
    context = multiprocessing.get_context("spawn")
    heard, told = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(told, jobs, plan), daemon=True)
    process.start()
    told.close()
    try:
        while heard.poll(plan.patience):
            yield heard.recv()
        yield "failed", f"no answer in {plan.patience:g} s"
    except EOFError:
        process.join()
        if process.exitcode:
            yield "failed", f"crashed with exit code {process.exitcode}"
    finally:
        process.kill()
        process.join()
        heard.close()
