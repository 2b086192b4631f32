"""Runs test files of others under Numba and under Cutaway's layer of names, and counts what comes.

Each file runs in a process of its own, with a time limit: a crash or a hang costs one file.  A
cause is the first line of an error with what is the user's left out, so that equal ones add up.
"""

from __future__ import annotations

import json
import math
import os
import re
import resource
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import IO, Any

NUMBA, LAYER = "Numba", "Cutaway"
_LAYER_FIRST = ("-m", "cutaway.as_numba", "--beside")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")
_LONGEST = 110


@dataclass
class Outcome:
    """What test files gave under one of the two: counts, CPU seconds, and causes of failures."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    causes: Counter[str] = field(default_factory=Counter)
    tests: dict[str, str] = field(default_factory=dict)  # the tests that failed, and their causes

    @property
    def has_run(self) -> bool:
        """True if a test did something."""
        return self.passed + self.failed > 0

    def add(self, other: Outcome) -> None:
        """Add what another file gave."""
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.seconds += other.seconds
        self.causes += other.causes
        self.tests |= other.tests


def run_file(
    python: str,
    under: str,
    words: Sequence[str],
    folder: Path,
    results: Path,
    limit: float,
    layer: Sequence[str] = (),
) -> Outcome:
    """Run pytest with these words, in a folder, under Numba or the layer with its own words."""
    results.unlink(missing_ok=True)
    first = (*_LAYER_FIRST, *layer) if under == LAYER else ()
    shown = ("--tb=native", f"--junitxml={results}")  # Python 3.11.7 may fail to parse sources anew
    options = ("-q", "-p", "no:cacheprovider", "-o", "addopts=", *shown)
    command = [python, *first, "-m", "pytest", *options, *words]
    before, begun = os.times(), perf_counter()
    log = results.with_suffix(".log")
    with log.open("w") as output:
        ended = _ended(command, folder, output, limit)
    after = os.times()
    outcome = _read(results)
    outcome.seconds = sum(after[2:4]) - sum(before[2:4])
    if ended and not results.exists():
        outcome.failed += 1
        cause = f"the process {ended}" if ended != "exit 1" else _last_line(log)
        outcome.causes[cause] += 1
        outcome.tests[f"{words[0]} as a whole"] = cause
    shown = f"{under:8}{outcome.passed:5} passed{outcome.failed:5} failed"
    print(f"{shown}{perf_counter() - begun:7.1f} s  {words[-1]}", flush=True)
    return outcome


def _ended(command: Sequence[str], folder: Path, output: IO[str], limit: float) -> str:
    """Run a command and say how it ended, where that was not well.

    The limit is of CPU seconds, since other programs may run, too; what waits for ever is ended
    after ten times as long.
    """
    seconds = math.ceil(limit)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))

    started = subprocess.Popen(  # nothing of this process runs other threads
        command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, preexec_fn=limited
    )
    try:
        code = started.wait(10 * limit)
    except subprocess.TimeoutExpired:
        started.kill()
        started.wait()
        code = -signal.SIGXCPU
    if code == -signal.SIGXCPU:
        return f"took longer than {limit:.0f} s"
    if code < 0:
        return f"died of signal {-code}"
    return f"exit {code}" if code else ""


def _read(results: Path) -> Outcome:
    outcome = Outcome()
    if not results.exists():
        return outcome
    for case in ElementTree.parse(results).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        faults = [*case.findall("failure"), *case.findall("error")]
        if name in outcome.tests:
            continue  # it failed, and then what comes after it failed, too
        if faults:
            cause = cause_of(faults[0].get("message") or "", faults[0].text or "")
            outcome.failed += 1
            outcome.causes[cause] += 1
            outcome.tests[name] = cause
        elif case.find("skipped") is not None:
            outcome.skipped += 1
        else:
            outcome.passed += 1
    return outcome


def cause_of(message: str, text: str) -> str:
    """The cause of a failure: the class of the error and its sentence, without what differs from
    test to test."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if lines and lines[0].startswith("collection failure"):
        told = [line[2:].strip() for line in text.splitlines() if line.startswith("E ")]
        lines = told or text.strip().splitlines()[-1:]
    first = lines[0] if lines else "?"
    return _NUMBERS.sub("#", _QUOTED.sub("'...'", first))[:_LONGEST]


def _last_line(log: Path) -> str:
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    return cause_of(lines[-1], "") if lines else "?"


def lost(under_numba: Outcome, under_layer: Outcome) -> Counter[str]:
    """The causes of those failures that Numba does not have, where it ran."""
    return Counter(c for name, c in under_layer.tests.items() if name not in under_numba.tests)


class Kept:
    """The outcomes of all runs so far, by package or file, in a file beside the page.

    A run of some of them, or under one of the two, leaves the others as they are.
    """

    def __init__(self, file: Path) -> None:
        self.file = file

    def add(self, name: str, outcomes: Sequence[Outcome], only: Sequence[str]) -> None:
        """Put the outcomes of a run in the place of those before it."""
        kept = self._read()
        for under, outcome in zip((NUMBA, LAYER), outcomes, strict=True):
            if under in only:
                row = {key: value for key, value in vars(outcome).items() if key != "causes"}
                kept.setdefault(name, {})[under] = row  # `tests` has the causes
        self.file.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n")

    def outcomes(self) -> dict[str, tuple[Outcome, Outcome]]:
        """All outcomes: under Numba, and under the layer."""
        return {
            name: (Outcome(**both.get(NUMBA, {})), Outcome(**both.get(LAYER, {})))
            for name, both in sorted(self._read().items())
        }

    def _read(self) -> dict[str, dict[str, Any]]:
        return json.loads(self.file.read_text()) if self.file.exists() else {}


def table(rows: Iterable[tuple[str, Outcome, Outcome]], first: str) -> list[str]:
    """A table in Markdown: what passed under each of the two, and their CPU seconds."""
    lines = [
        f"| {first} | Numba: passed | failed | CPU s | Cutaway: passed | failed | CPU s |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    every = (Outcome(), Outcome())
    for name, *outcomes in rows:
        cells = [_cells(one) for one in outcomes]
        lines.append(f"| {name} | {' | '.join(cells)} |")
        for total, one in zip(every, outcomes, strict=True):
            total.add(one)
    cells = [_cells(one) for one in every]
    return [*lines, f"| all | {' | '.join(cells)} |"]


def _cells(one: Outcome) -> str:
    """What passed, what failed, and the seconds; dashes for what was not run, or not measured."""
    counts = f"{one.passed} | {one.failed}" if one.has_run else "- | -"
    return f"{counts} | {f'{one.seconds:.0f}' if one.seconds else '-'}"


def causes(found: Counter[str], most: int = 12) -> list[str]:
    """The most frequent causes, one a line."""
    return [f"- {count} x {cause}" for cause, count in found.most_common(most)]


def run_both(
    python: str,
    files: Sequence[Sequence[str]],
    folder: Path,
    results: Path,
    limit: float,
    only: Sequence[str] = (NUMBA, LAYER),
    layer: Sequence[str] = (),
    told: Callable[[str], object] = print,
) -> tuple[Outcome, Outcome]:
    """Run files under Numba and under the layer; `only` leaves one of them out."""
    results.mkdir(parents=True, exist_ok=True)
    both = {NUMBA: Outcome(), LAYER: Outcome()}
    for number, words in enumerate(files):
        for under in only:
            place = (results / f"{number}_{under}.xml").resolve()
            both[under].add(run_file(python, under, words, folder, place, limit, layer))
    for cause in causes(lost(both[NUMBA], both[LAYER])):
        told(f"  {cause}")
    return both[NUMBA], both[LAYER]


if __name__ == "__main__":
    sys.exit("this has what benchmarks/clients.py and benchmarks/reference_tests.py share")
