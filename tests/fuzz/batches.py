"""Many small checks in forked batches: a check that takes its process down is a finding, and the
rest of its batch goes on in another process.

    report = run(check, range(1000))      # check(seed) gives a Verdict
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import selectors
import signal
import struct
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

SECONDS = 30  # of the processor's time for one check; then it hangs
WAITING = 300  # seconds that it may take however busy the machine is
BATCH = 50

SAME, REFUSED, ALLOWED, FINDING = "same", "refused", "allowed", "finding"


@dataclass(frozen=True)
class Verdict:
    """What became of one check: `same`, `refused` by the compiler, a difference that the ledger
    `allowed`, or a `finding`; `words` say what was found, `source` shows what was checked.

    `calls` is how many comparisons it stands for.
    """

    kind: str
    words: str = ""
    source: str = ""
    calls: int = 1


Check = Callable[[int], Verdict]


@dataclass
class Report:
    """What all checks came to."""

    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)  # of what was refused or allowed
    findings: list[tuple[int, Verdict]] = field(default_factory=list)
    calls: int = 0
    seconds: float = 0.0

    def add(self, seed: int, verdict: Verdict) -> None:
        """Count one verdict."""
        self.counts[verdict.kind] += 1
        self.calls += verdict.calls
        if verdict.kind == FINDING:
            self.findings.append((seed, verdict))
        elif verdict.words:
            self.reasons[verdict.words] += 1

    def __str__(self) -> str:
        total = sum(self.counts.values())
        rate = total / self.seconds if self.seconds else 0.0
        shown = ", ".join(f"{count} {kind}" for kind, count in self.counts.most_common())
        return (
            f"{total} programs, {self.calls} calls in {self.seconds:.0f} s ({rate:.0f}/s): {shown}"
        )


def run(
    check: Check,
    seeds: Iterable[int],
    workers: int = 2,
    seen: Callable[[int, Verdict], object] | None = None,
) -> Report:
    """Check all seeds, `workers` at a time; `seen` is called with each verdict."""
    report, started = Report(), time.monotonic()
    for seed, verdict in _verdicts(check, list(seeds), workers):
        report.add(seed, verdict)
        if seen is not None:
            seen(seed, verdict)
    report.seconds = time.monotonic() - started
    return report


@dataclass
class _Worker:
    """A child process, the seeds that it has still to check, and what it has said so far."""

    pid: int
    pipe: int
    left: list[int]
    data: bytes = b""
    heard: float = field(default_factory=time.monotonic)
    used: float = 0.0  # of the processor's time when it was heard

    @property
    def hangs(self) -> bool:
        """Whether its check takes too long."""
        waited = time.monotonic() - self.heard
        return waited > WAITING or (waited > SECONDS and time_of(self.pid) - self.used > SECONDS)


def time_of(pid: int) -> float:
    """How long a process has been running on a processor, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _verdicts(check: Check, seeds: list[int], workers: int) -> Iterator[tuple[int, Verdict]]:
    size = min(BATCH, 1 + len(seeds) // (2 * workers))  # so that all workers end together
    waiting = [seeds[k : k + size] for k in range(0, len(seeds), size)][::-1]
    running = selectors.DefaultSelector()
    try:
        while waiting or running.get_map():
            while waiting and len(running.get_map()) < workers:
                worker = _started(check, waiting.pop())
                running.register(worker.pipe, selectors.EVENT_READ, worker)
            for key, _ in running.select(1.0):
                yield from _listen(key.data, running, waiting)
            for key in list(running.get_map().values()):
                if key.data.hangs:
                    os.kill(key.data.pid, signal.SIGKILL)
    finally:
        for key in list(running.get_map().values()):
            os.kill(key.data.pid, signal.SIGKILL)
            os.waitpid(key.data.pid, 0)
            os.close(key.data.pipe)


def _listen(
    worker: _Worker, running: selectors.BaseSelector, waiting: list[list[int]]
) -> Iterator[tuple[int, Verdict]]:
    data = os.read(worker.pipe, 1 << 16)
    worker.heard, worker.used = time.monotonic(), time_of(worker.pid)
    worker.data += data
    while len(worker.data) >= 4:
        (size,) = struct.unpack_from("<I", worker.data)
        if len(worker.data) < 4 + size:
            break
        yield worker.left.pop(0), pickle.loads(worker.data[4 : 4 + size])  # noqa: S301
        worker.data = worker.data[4 + size :]
    if data:
        return
    running.unregister(worker.pipe)
    os.close(worker.pipe)
    _, status = os.waitpid(worker.pid, 0)
    if worker.left:  # it ended in the middle of the first one
        seed = worker.left.pop(0)
        code = os.waitstatus_to_exitcode(status)
        how = "hung" if code == -signal.SIGKILL else f"ended its process with {code}"
        yield seed, Verdict(FINDING, how)
        if worker.left:
            waiting.append(worker.left)


def _checked(check: Check, seed: int) -> Verdict:
    try:
        return check(seed)
    except Exception:  # noqa: BLE001  of ours, or of what was generated
        return Verdict(FINDING, f"the check failed: {traceback.format_exc()}")


def _started(check: Check, seeds: list[int]) -> _Worker:
    reading, writing = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        os.close(writing)
        return _Worker(pid, reading, list(seeds))
    try:
        os.close(reading)
        faulthandler.disable()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        for seed in seeds:
            data = pickle.dumps(_checked(check, seed))
            os.write(writing, struct.pack("<I", len(data)) + data)
    finally:
        os._exit(0)
