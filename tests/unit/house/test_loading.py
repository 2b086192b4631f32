"""Modules that run at their first use (`foundation/loading.py`)."""

from __future__ import annotations

import os
import sys
import threading
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
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
