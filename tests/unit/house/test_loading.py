"""Modules that run at their first use (`foundation/loading.py`)."""

from __future__ import annotations

import importlib
import os
import pickle
import sys
import threading
from importlib.machinery import ModuleSpec
from importlib.util import cache_from_source, module_from_spec
from pathlib import Path
from types import ModuleType

import pytest

from cutaway.foundation import loading


@pytest.fixture
def imported(tmp_path, monkeypatch):
    """Import a module of this text, as one of the package is imported."""

    def make(text: str, name: str = "cutaway.made_by_a_test") -> ModuleType:
        file = tmp_path / f"{name}.py"
        file.write_text(text)
        spec = ModuleSpec(name, loading._Loader(name, str(file)), origin=str(file))
        spec.has_location = True
        module = module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return make


RAN: list[str] = []
NOTED = "from house.test_loading import RAN\nRAN.append(__name__)\nx = len(RAN)\n"


@pytest.fixture(autouse=True)
def nothing_ran():
    RAN.clear()


def test_a_module_runs_when_a_name_of_it_is_needed(imported):
    module = imported('"""Words."""\n' + NOTED)
    assert (module.__name__, module.__spec__.origin) and not loading.has_run(module.__name__)
    assert RAN == []
    assert module.x == 1
    assert loading.has_run(module.__name__) and type(module) is ModuleType
    assert module.x == 1 and RAN == [module.__name__]


@pytest.mark.parametrize("use", [lambda m: m.__doc__, dir, vars, lambda m: setattr(m, "y", 2)])
def test_it_runs_too_where_all_of_it_is_asked_for(imported, use):
    module = imported('"""Words."""\n' + NOTED)
    use(module)
    assert RAN == [module.__name__] and module.x == 1 and module.__doc__ == "Words."


def test_what_is_set_before_it_runs_stays_set(imported):
    module = imported(NOTED)
    module.x = 5
    assert module.x == 5 and RAN == [module.__name__]


def test_one_that_raises_has_not_run_and_runs_again(imported):
    module = imported(NOTED + "y = x\nif len(RAN) < 2:\n    raise ValueError('the first time')\n")
    with pytest.raises(ValueError, match="the first time"):
        module.y  # noqa: B018
    assert not loading.has_run(module.__name__)
    assert module.y == 2


def test_modules_that_need_each_other_see_what_is_there_already(imported):
    first = imported("x = 1\nfrom cutaway.second import z\ny = z + 1\n", "cutaway.first")
    imported("from cutaway.first import x\nz = x + 1\n", "cutaway.second")
    assert (first.x, first.y) == (1, 3)


def test_several_run_in_the_order_that_is_asked_for(imported):
    one, two = imported(NOTED, "cutaway.one"), imported(NOTED, "cutaway.two")
    loading.run(two, one, two)
    assert RAN == ["cutaway.two", "cutaway.one"]


def test_threads_that_need_one_wait_until_it_has_run(imported):
    module = imported("import time\ntime.sleep(0.1)\n" + NOTED)
    results: list[int] = []
    threads = [threading.Thread(target=lambda: results.append(module.x)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [1] * 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_process_forked_meanwhile_can_run_it(imported):
    module = imported("import time\ntime.sleep(0.2)\n" + NOTED)
    thread = threading.Thread(target=lambda: module.x)
    thread.start()
    pid = os.fork()
    if not pid:
        os._exit(0 if module.x == 1 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    thread.join()


def test_one_is_reloaded_at_its_next_use(imported):
    module = imported(NOTED)
    assert module.x == 1
    module.__spec__.loader.exec_module(module)  # as `importlib.reload` does
    assert not loading.has_run(module.__name__) and module.x == 2


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Write a package, with a module `inner` in it, as a part of this one."""
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "__init__.py").write_text(NOTED)
    (folder / "inner.py").write_text(NOTED)
    monkeypatch.setattr(loading, "_HOME", str(tmp_path))
    file = str(folder / "__init__.py")
    made = loading._created("cutaway.made", file)
    monkeypatch.setitem(sys.modules, "cutaway.made", made)
    yield made
    sys.modules.pop("cutaway.made.inner", None)


def test_a_package_is_not_executed_for_its_modules(package):
    from cutaway.made import inner

    assert RAN == [] and inner.x == 1 and RAN == ["cutaway.made.inner"]
    assert package.inner is inner is sys.modules["cutaway.made.inner"]
    assert not loading.has_run("cutaway.made")
    assert package.x == 2 and loading.has_run("cutaway.made")


def test_a_module_of_a_package_is_one_however_it_is_imported(package):
    inner = package.inner
    assert importlib.import_module("cutaway.made.inner") is inner
    assert inner.__spec__.name == inner.__name__ == "cutaway.made.inner"
    assert (inner.__package__, inner.__file__) == ("cutaway.made", inner.__spec__.origin)
    assert inner.__cached__ == inner.__spec__.cached == cache_from_source(inner.__file__)
    assert RAN == []


def test_threads_import_one_module(package):
    found: list[ModuleType] = []
    barrier = threading.Barrier(8)

    def get(k: int) -> None:
        barrier.wait()
        found.append(package.inner if k % 2 else importlib.import_module("cutaway.made.inner"))
        assert found[-1].x == 1

    threads = [threading.Thread(target=get, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(set(map(id, found))) == 1 and len(RAN) == 1


def test_cached_code_is_used_while_the_source_is_the_same(imported, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file = tmp_path / "cutaway.made_by_a_test.py"
    assert imported("x = 1\n").x == 1
    cached = Path(loading._cached(str(file)))
    assert cached == Path(cache_from_source(str(file))) and cached.exists()
    loader = loading._Loader("cutaway.made_by_a_test", str(file))
    monkeypatch.setattr(loading.SourceFileLoader, "get_code", lambda *_: pytest.fail("slow"))
    assert loader.get_code(loader.name).co_filename == str(file)


@pytest.mark.parametrize("harm", [b"", b"\0" * 40, b"shorter"])
def test_an_edited_source_is_seen_and_harmed_code_is_not(imported, tmp_path, monkeypatch, harm):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file = tmp_path / "cutaway.made_by_a_test.py"
    assert imported("x = 1\n").x == 1
    assert imported("x = 22\n").x == 22  # of another size
    stamp = file.stat()
    file.write_text("x = 33\n")
    os.utime(file, (stamp.st_atime, stamp.st_mtime + 2))
    loader = loading._Loader("cutaway.made_by_a_test", str(file))
    assert 33 in loader.get_code(loader.name).co_consts
    Path(loading._cached(str(file))).write_bytes(harm)
    assert 33 in loader.get_code(loader.name).co_consts


def test_unexecuted_modules_can_be_pickled(package):
    sys.modules["cutaway.made.inner"] = package.inner
    assert pickle.loads(pickle.dumps(package.inner)) is package.inner and RAN == []  # noqa: S301
