"""How many instructions a call takes: counts say what times on a busy machine do not.

The processor counts instructions where a program may ask it (what `perf stat` reads); a virtual
machine mostly forbids it. There, callgrind counts: it runs the program on a processor without
AVX-512, so that everything is compiled for x86-64-v3, by C's compiler too.

A benchmark that counts starts itself again (`counted`), with `--counting FOLDER`. The process that
is started makes a `Counter` and counts runs by labels.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 1800  # seconds: under callgrind programs take fifty times as long
HEADER = Path("/usr/include/valgrind/callgrind.h")
ARCHITECTURE = "x86-64-v3"
ENVIRONMENT = {
    "CUTAWAY_CPU": ARCHITECTURE,
    "NUMBA_CPU_NAME": ARCHITECTURE,
    "NUMBA_CPU_FEATURES": "",
    "CUTAWAY_LIBRARY_CACHE": "0",
}
# Requests to callgrind are instructions that do nothing elsewhere; only C can write them.
REQUESTS = """
#include <valgrind/callgrind.h>
void start(void) { CALLGRIND_START_INSTRUMENTATION; CALLGRIND_ZERO_STATS; }
void stop(const char *label) { CALLGRIND_DUMP_STATS_AT(label); CALLGRIND_STOP_INSTRUMENTATION; }
"""
LIBRARY, COUNTS = "requests.so", "counts.json"

# The processor's counter: perf_event_open(2), whose number differs between processors.
OPEN_COUNTER = {"x86_64": 298, "aarch64": 241}
HARDWARE, INSTRUCTIONS = 0, 1
SOFTWARE, TASK_CLOCK = 1, 1  # a counter that every machine has
DISABLED, NO_KERNEL, NO_HYPERVISOR = 1 << 0, 1 << 5, 1 << 6
ENABLE, DISABLE, RESET = 0x2400, 0x2401, 0x2403


@dataclass
class Counts:
    """Instructions by label, and what counted them; without any, why not."""

    tool: str = ""
    numbers: dict[str, int] = field(default_factory=dict)
    why: str = ""


def open_counter(kind: int = HARDWARE, what: int = INSTRUCTIONS) -> int | None:
    """A file that counts what this process does outside the kernel; None where that is refused."""
    number = OPEN_COUNTER.get(os.uname().machine)
    if number is None or not sys.platform.startswith("linux"):
        return None
    flags = DISABLED | NO_KERNEL | NO_HYPERVISOR
    wanted = struct.pack("<IIQQQQQIIQ", kind, 64, what, 0, 0, 0, flags, 0, 0, 0)
    opened = ctypes.CDLL(None).syscall(number, wanted, 0, -1, -1, 0)
    return opened if opened >= 0 else None


def count_with(opened: int, run: Callable[[], object]) -> int:
    """What an open counter says of a run."""
    fcntl.ioctl(opened, RESET, 0)
    fcntl.ioctl(opened, ENABLE, 0)
    run()
    fcntl.ioctl(opened, DISABLE, 0)
    return int.from_bytes(os.read(opened, 8), "little")


class Counter:
    """Counts runs in a process that `counted` started."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / COUNTS
        library = folder / LIBRARY
        self.requests = ctypes.CDLL(str(library)) if library.exists() else None
        self.opened = None if self.requests else open_counter()
        self.numbers: dict[str, int] = {}

    def count(self, label: str, run: Callable[[], object]) -> None:
        """Count the instructions of a run; the label has no line breaks."""
        if self.requests:
            self.requests.start()
            run()
            self.requests.stop(label.encode())
        elif self.opened is not None:
            self.numbers[label] = count_with(self.opened, run)
            self.path.write_text(json.dumps(self.numbers), encoding="utf-8")


def tool() -> tuple[str, str]:
    """What counts here; without that, why nothing does."""
    opened = open_counter()
    if opened is not None:
        os.close(opened)
        return "perf", ""
    lacking = [name for name in ("valgrind", "gcc") if shutil.which(name) is None]
    if not lacking and not HEADER.exists():
        lacking = ["valgrind's headers"]
    if lacking or os.uname().machine != "x86_64":
        why = "the processor's counter is not to be had"
        return "", f"{why}, and callgrind lacks {', '.join(lacking) or 'this processor'}"
    return "callgrind", ""


def counted(script: str, words: Sequence[str]) -> Counts:
    """Run a benchmark again, which counts and then ends; what it counted."""
    name, why = tool()
    if why:
        return Counts(why=why)
    with tempfile.TemporaryDirectory(prefix="counting") as made:
        folder = Path(made)
        command = [sys.executable, script, "--counting", made, *words]
        environment = dict(os.environ)
        if name == "callgrind":
            command = [*under_callgrind(folder), *command]
            environment |= ENVIRONMENT
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, env=environment, timeout=PATIENCE
            )
        except subprocess.TimeoutExpired:
            return Counts(why=f"counting took more than {PATIENCE} s")
        numbers = dumped(folder) if name == "callgrind" else noted(folder)
    if done.returncode and not numbers:
        said = done.stderr.strip().rpartition("\n")[2]
        return Counts(why=f"counting failed: {said[:100]}")
    return Counts(name, numbers)


def under_callgrind(folder: Path) -> list[str]:
    """The words in front of a command that is run under callgrind."""
    source = folder / "requests.c"
    source.write_text(REQUESTS, encoding="utf-8")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", folder / LIBRARY, source], check=True)
    return [
        "valgrind",
        "--tool=callgrind",
        "--instr-atstart=no",
        f"--callgrind-out-file={folder / 'out'}",
        f"--log-file={folder / 'log'}",
    ]


def dumped(folder: Path) -> dict[str, int]:
    """The counts in callgrind's files, one for each label."""
    numbers = {}
    for path in folder.glob("out.*"):
        text = path.read_text(encoding="utf-8")
        label = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.MULTILINE)
        total = re.search(r"^totals: (\d+)", text, re.MULTILINE)
        if label and total:
            numbers[label[1]] = int(total[1])
    return numbers


def noted(folder: Path) -> dict[str, int]:
    """The counts that the processor gave."""
    path = folder / COUNTS
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
