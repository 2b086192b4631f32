"""Shared by all tests."""

from __future__ import annotations

import gc
import importlib
import os
import platform
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "unit")]  # `corpus`, `fuzz`; what modules of `unit` share
# NVIDIA's packages, which benchmarks need, put a module of that name there in every process.
sys.modules.pop("cuda", None)
corpora, warm = map(importlib.import_module, ("corpora", "warm"))
pytest_plugins = ["costs"]

PROCESSOR = "x86-64-v2" if platform.machine().lower() in ("x86_64", "amd64") else "generic"


@pytest.fixture(scope="module")
def one_processor() -> Iterator[None]:
    """Compile for one processor: for modules that look at machine code, or at what LLVM did, which
    see the same on every machine then.  CUTAWAY_CPU in the environment comes before it."""
    if "CUTAWAY_CPU" in os.environ:
        yield
        return
    os.environ["CUTAWAY_CPU"] = PROCESSOR
    yield
    del os.environ["CUTAWAY_CPU"]


@pytest.fixture(scope="session", autouse=True)
def no_cache_of_the_user() -> Iterator[None]:
    """What is cached goes to a folder of this run, and with it when it ends.  Processes that run
    side by side have it in common: what one compiles of the library the others load."""
    folder = os.environ["XDG_CACHE_HOME"] = str(cache_of_run())
    os.makedirs(folder, exist_ok=True)
    yield
    if not RUN:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def processes_of_llvm_are_warm() -> None:
    """Fork the processes that run LLVM for remarks and histories, hundreds of them."""
    run = importlib.import_module("cutaway.inspection.llvm.run")
    run.start_process = warm.popen


RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", "")  # the same in all processes of a run


def cache_of_run(run: str = RUN) -> Path:
    """The folder of caches of a run; of a process that runs alone, a new one."""
    prefix = "cutaway-tests-"
    return Path(tempfile.gettempdir(), prefix + run) if run else Path(tempfile.mkdtemp("", prefix))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Remove the folder that the processes of this run had in common."""
    run = getattr(session.config.pluginmanager.get_plugin("dsession"), "nodemanager", None)
    if run is not None:
        shutil.rmtree(cache_of_run(run.testrunuid), ignore_errors=True)


def pytest_report_header() -> str:
    return corpora.header()


class Sampling:
    """The choice among the cases of modules that have the mark `sampled`: one in so many, from the
    first one on, and so the same ones in every run."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()

    def place(self, item: pytest.Item) -> int:
        """The place of a test among those of its module."""
        place = self.seen[str(item.path)]
        self.seen[str(item.path)] += 1
        return place

    def is_taken(self, item: pytest.Item, place: int) -> bool:
        """True if a run of `make test` takes a test, or the shard of one of `make full`."""
        if corpora.shard() is not None:
            is_part = item.get_closest_marker("part") is not None
            return corpora.is_of_shard(item.nodeid, item.path, is_part)
        kind, usual = ("test", 1) if IS_FIRST else ("others", USUAL_OF_OTHERS)
        rate = rates(item).get(kind, usual)
        return rate > 0 and place % rate == 0


USUAL_OF_OTHERS = 6  # what modules without the mark have on further Pythons
USUAL_OF_FAST = 24  # and in `make fast`, which takes the first case of each
IS_FIRST = sys.version_info[:2] == corpora.FIRST


def rates(item: pytest.Item) -> dict[str, int]:
    """The rates of a test's module, by the kind of run."""
    mark = item.get_closest_marker("sampled")
    return {} if mark is None else mark.kwargs


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect without looking for garbage, and keep what was collected out of later searches: each
    of the many in a run would go through all tests again, and copy them in a forked child."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        registrations = importlib.import_module("cutaway.foundation.registrations")
        EXTENSIONS["collected"] = len(registrations.REGISTERED)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Keep what a module has left, which is what compiled functions and the library have in common,
    out of later searches for garbage: a hundred tests ask for one, and each would go through a
    million objects more."""
    if nextitem is None or nextitem.path != item.path:
        forget_extensions()
        gc.collect()
        gc.freeze()


def forget_extensions() -> None:
    """Have caches forget the extensions that tests have registered while they ran: some cannot be
    identified, on purpose, and nothing would be cached any more."""
    registrations = sys.modules.get("cutaway.foundation.registrations")
    walks = sys.modules.get("cutaway.caching.extensions")
    first = EXTENSIONS.get("collected", 0)
    if registrations is not None and len(registrations.REGISTERED) > first:
        del registrations.REGISTERED[first:]
        for key, places in list(registrations._PLACES.items()):
            registrations._PLACES[key] = [place for place in places if place < first]
    if walks is not None:
        walks._FAILED.clear()
        for walk, _ in reversed(walks._WALKED[first:]):
            walk.undo()
        del walks._WALKED[first:]


EXTENSIONS: dict[str, int] = {}  # how many modules of tests register when they are imported


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    sampling, taken, left = Sampling(), [], []
    for item in items:
        place = sampling.place(item)
        fast = rates(item).get("fast", USUAL_OF_FAST)
        if not fast or place % fast:
            item.add_marker(pytest.mark.slow)
        is_taken = corpora.are_named(config) or sampling.is_taken(item, place)
        (taken if is_taken else left).append(item)
    if left:
        items[:] = taken
        config.hook.pytest_deselected(items=left)
