"""`pytest --costs`: the CPU seconds that each folder and module of tests takes, and how many of
them in processes that it starts.

A file's seconds hold what its first test compiles for all later ones of the same process.
"""

from __future__ import annotations

import os
import resource
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import warm

_COST = "cpu seconds"
_ROWS = 40


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--costs", action="store_true", help="show the CPU seconds of folders and modules"
    )


Seconds = tuple[float, float]


def _seconds() -> Seconds:
    """The CPU seconds of this process and of those that it started and that have ended, and of the
    latter alone."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    usages = [resource.getrusage(kind) for kind in kinds]
    own, started = (usage.ru_utime + usage.ru_stime for usage in usages)
    started += warm.spent()
    return own + started, started


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[object]:
    item.stash[_BEGUN] = _seconds()
    return (yield)


_BEGUN = pytest.StashKey[Seconds]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: object) -> Iterator[object]:
    report = yield
    if report.when == "teardown":  # whose report goes to the process that shows the costs
        pairs = zip(_seconds(), item.stash[_BEGUN], strict=True)
        report.user_properties.append((_COST, [now - before for now, before in pairs]))
    return report


def pytest_terminal_summary(terminalreporter: object, config: pytest.Config) -> None:
    if not config.option.costs:
        return
    modules: Counter[str] = Counter()
    started: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for report in terminalreporter.getreports(""):
        for name, seconds in report.user_properties:
            if name == _COST:
                module = report.nodeid.partition("::")[0]
                modules[module] += seconds[0]
                started[module] += seconds[1]
                counts[module] += 1
    folders: Counter[str] = Counter()
    for module, seconds in modules.items():
        folder = os.path.join(*Path(module).parts[:3])
        folders[folder] += seconds
        started[folder] += started[module] if folder != module else 0
    total = sum(modules.values())
    terminalreporter.section(f"CPU seconds: {total:.0f} in all, and in processes started by tests")
    for folder, seconds in folders.most_common():
        terminalreporter.write_line(f"{seconds:8.1f} {started[folder]:8.1f}  {folder}")
    terminalreporter.section("the modules that take most")
    for module, seconds in modules.most_common(_ROWS):
        line = f"{seconds:8.1f} {started[module]:8.1f}  {module}  ({counts[module]} tests)"
        terminalreporter.write_line(line)
