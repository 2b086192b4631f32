"""Run LLVM in a separate process and return its output, part by part.

A process that crashes, hangs or prints too much results in an error message.
"""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from time import perf_counter
from typing import BinaryIO

from cutaway.foundation.allowance import Allowance
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.loading import environment_of_child
from cutaway.inspection.llvm.child import CHANGES, END, KINDS, MARK
from cutaway.targets.cpu.optimization import Plan

LONGEST = 120.0  # seconds of processor time; a module of ten lines takes 0.3, one of a hundred 6
_GLANCE = 0.1  # seconds between checks of the child's clock
LARGEST = 512 << 20  # bytes
start_process = subprocess.Popen  # replaced in tests, which run LLVM hundreds of times


@dataclass(frozen=True, slots=True)
class LlvmOutput:
    """The printed output of LLVM: remarks by kind, the lines about changes, and the error, if any.
    `changes` is read once; `late` says why they are incomplete."""

    remarks: dict[str, list[str]]
    changes: Iterator[str]
    seconds: float
    error: str = ""
    late: str = ""


def run_llvm(text: str, plan: Plan, longest: float = LONGEST, changes: bool = True) -> LlvmOutput:
    """Optimize a module as planned and collect LLVM's output; `error` names the failure.

    The line numbers of remarks are keys: the number of a location in the module, plus one. Without
    `changes` there are the remarks of the optimizer alone, all kinds in one list.
    """
    file = tempfile.TemporaryFile()  # noqa: SIM115  closed by the iterator that reads it
    output = _output(file, (_keyed(text), text, plan, changes), longest)
    if output.error:
        file.close()
    return output


def _output(file: BinaryIO, work: tuple[str, str, Plan, bool], longest: float) -> LlvmOutput:
    started = perf_counter()
    code, late = 0, ""
    try:
        code = _child(pickle.dumps(work), file, longest)
        if code is None:
            late = f"LLVM was stopped after {longest:g} s of processor time"
    except OSError as error:
        return _failed(f"no process could be started: {error}", started)
    seconds = perf_counter() - started
    if file.tell() > LARGEST:
        return _failed(f"LLVM's output has more than {LARGEST >> 20} MB", started)
    file.seek(0)
    lines = _lines(file)
    remarks = _remarks(lines)
    if code or remarks.keys().isdisjoint((CHANGES, END)):
        return _failed(late or f"LLVM exited with {code}: {_last_words(file)}", started)
    if remarks.pop(CHANGES, None) is not None:
        return LlvmOutput(remarks, _rest(file, lines), seconds, late=late)
    file.close()
    del remarks[END]
    return LlvmOutput(remarks, iter(()), seconds, late=late)


def _child(request: bytes, output: BinaryIO, longest: float) -> int | None:
    """Run the child on a request; return its exit status, or None if its time ran out."""
    with tempfile.TemporaryFile() as sent:
        sent.write(request)
        sent.seek(0)
        child = start_process(
            [sys.executable, "-P", "-m", "cutaway.inspection.llvm.child"],
            stdin=sent,
            stdout=subprocess.DEVNULL,
            stderr=output,
            env=environment_of_child(),
        )
    allowance = Allowance(child.pid, longest)
    try:
        while not allowance.is_spent():
            with suppress(subprocess.TimeoutExpired):
                return child.wait(min(_GLANCE, longest))
    finally:
        child.kill()
        child.wait()
    return None


def _keyed(text: str) -> str:
    """Number the locations of a module: the number of each becomes its line.

    LLVM prints only file, line and column of a location; the number leads to the function too.
    """
    return _LOCATION.sub(lambda match: f"{match[1]}{int(match[2]) + 1}", text)


_LOCATION = re.compile(r"^(!(\d+) = (?:distinct )?!DILocation\(line: )\d+", re.M)


def _failed(error: str, started: float) -> LlvmOutput:
    return LlvmOutput({kind: [] for kind in KINDS}, iter(()), perf_counter() - started, error)


def _lines(file: BinaryIO) -> Iterator[str]:
    for line in file:
        yield line.decode(errors="replace").rstrip("\n")


def _rest(file: BinaryIO, lines: Iterator[str]) -> Iterator[str]:
    """Yield the remaining lines of a file, then close it."""
    with file:
        yield from lines


def _remarks(lines: Iterator[str]) -> dict[str, list[str]]:
    """Return the lines of each part before the changes."""
    parts: dict[str, list[str]] = {}
    part: list[str] = []
    for line in lines:
        if line.startswith(MARK):
            name = line.removeprefix(MARK)
            part = parts[name] = []
            if name in (CHANGES, END):
                break
        elif part and _MORE.search(line):
            part[-1] = f"{part[-1]}\n{line}"
        else:
            part.append(line)
    return parts


_MORE = re.compile(r"^(?:Unsafe|Unknown|Backward|Forward)\b.* dependence")  # continues a remark


def _last_words(file: BinaryIO) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 2000))
    words = file.read().decode(errors="replace").strip().splitlines()
    return words[-1] if words else "no message"
