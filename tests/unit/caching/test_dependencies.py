"""All that compiled code depends on is part of its key: another process with a change of it
compiles anew, and one without finds the code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cutaway
from caching.changes import HELPER, Change, read
from caching.processes import run
from cutaway.caching import dependencies
from cutaway.caching.dependencies import (
    KINDS,
    OF_FUNCTION,
    OF_PROCESS,
    OF_SETTINGS,
    TYPES,
    kind_of,
)
from cutaway.caching.identity import environment, process_digest
from cutaway.typing.types import Type
from cutaway.typing.values.typeof import CONSTANTS, PLAIN, typeof_constant

pytestmark = pytest.mark.sampled(test=2, others=6, fast=0)

CHANGES = read()
ARGUMENTS = "the types of the arguments"
# Imports each module, calls its function compiled and as Python, and tells what came of it.
PROGRAM = """
import importlib, json
import numpy as np
def plain(value):
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    array = np.asarray(value)
    return repr(array.tolist()) + (str(array.dtype) if isinstance(value, np.ndarray) else "")
def outcome(function, arguments):
    try:
        return plain(function(*arguments))
    except Exception as error:
        place = error.__traceback__
        while place.tb_next is not None:
            place = place.tb_next
        return [type(error).__name__, str(error), place.tb_lineno]
told = []
for k in range(COUNT):
    try:
        module = importlib.import_module(f"change_{k}")
        python = outcome(module.f.py_func, module.arguments)
        compiled = outcome(module.f, module.arguments)
        info = module.f.cache_info()
        told.append([python, compiled, info.hits, info.misses, list(info.reasons)])
    except Exception as error:
        told.append([repr(error), "", 0, 0, []])
print(json.dumps({"told": told}))
"""


def run_all(folder: Path, changed: bool) -> list[Any]:
    """What a process tells of each program."""
    for place, change in enumerate(CHANGES):
        (folder / f"change_{place}.py").write_text(change.module(changed))
    (folder / "helper.py").write_text(HELPER)
    program = folder / "program.py"
    program.write_text(PROGRAM.replace("COUNT", str(len(CHANGES))))
    return run(program, folder / "home", PYTHONDONTWRITEBYTECODE="1")["told"]


@pytest.fixture(scope="module")
def told(tmp_path_factory) -> list[list[Any]]:
    """What three processes tell: before the change, after it, and after it once more."""
    folder = tmp_path_factory.mktemp("changes")
    return [run_all(folder, changed) for changed in (False, True, True)]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: f"{change.of}: {change.what}")
def test_a_change_is_noticed_and_code_without_one_is_found(change: Change, told):
    before, after, again = (row[CHANGES.index(change)] for row in told)
    for python, compiled, _, _, reasons in (before, after, again):
        assert (compiled, reasons) == (python, [])
    assert [row[2:4] for row in (before, after, again)] == [[0, 1], [0, 1], [1, 0]]


def test_both_programs_of_a_change_have_the_same_lines():
    for change in CHANGES:
        first, second = (change.module(changed) for changed in (False, True))
        assert first != second, change
        assert len(first.splitlines()) == len(second.splitlines()), change


def test_all_that_code_depends_on_has_a_change():
    listed = {row.name for row in (*KINDS, TYPES, *OF_FUNCTION)} | {ARGUMENTS}
    never_cached = {"C function, or library of C"}
    assert {change.of for change in CHANGES} == listed - never_cached


@pytest.mark.parametrize("cls", [c for kind in CONSTANTS for c in kind.classes] + list(PLAIN))
def test_each_kind_of_constant_is_on_the_list(cls):
    kinds = [kind for kind in (*KINDS, TYPES) if issubclass(cls, kind.classes or (Type,))]
    assert kinds, f"{cls.__name__} needs a row in caching/dependencies.py"


VALUES = (
    *(None, True, 1, 1.5, 1j, "a", b"a", ..., range(3), slice(1, 2), (1, 2), int, np, np.sum, len),
    *(np.int8(1), np.datetime64("2020"), np.dtype("i4"), np.zeros(3), np.add, cutaway.int8),
    *(cutaway.jit(lambda x: x), object.__init__, str.join, dict.fromkeys, lambda x: x),
)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_that_can_be_a_constant_is_of_a_kind(value):
    assert typeof_constant(value) is not None
    assert kind_of(value) is not None or isinstance(value, Type)


TABLES = {"OF_PROCESS": OF_PROCESS, "OF_SETTINGS": OF_SETTINGS}


def test_all_that_holds_for_the_process_is_in_each_key(monkeypatch):
    monkeypatch.setattr("cutaway.caching.identity.process_digest", process_digest.__wrapped__)
    known = {environment()}
    for table, fact in [(t, f) for t in ("OF_PROCESS", "OF_SETTINGS") for f in TABLES[t]]:
        changed = dependencies.Factor(fact.name, lambda: "changed")
        rows = tuple(changed if row is fact else row for row in TABLES[table])
        with monkeypatch.context() as patched:
            patched.setattr(f"cutaway.caching.identity.{table}", rows)
            known.add(environment())
        assert fact.tell() == fact.tell()
    assert len(known) == 1 + sum(map(len, TABLES.values()))


UNKNOWN = """
import array, functools, json, collections
import numpy as np
from cutaway import jit
class Settings:
    depth = 3
    def method(self): return 1
class Meta(type):
    def __subclasscheck__(cls, other): return True
class Odd(metaclass=Meta): pass
VALUES = {
    "an object": Settings(), "a buffer": bytearray(b"a"), "an array": array.array("i", [1]),
    "a view": memoryview(b"a"), "a partial function": functools.partial(abs, 1),
    "a bound method": Settings().method, "a method of a text": "a".count,
    "a ufunc": np.frompyfunc(abs, 1, 1), "objects": np.array([Settings()]),
    "in a tuple": (1, (Settings(),)), "a class that decides": Odd,
    "in a class": collections.namedtuple("T", "a", defaults=[Settings()]),
}
reasons = {}
for name, value in VALUES.items():
    space = {"K": value, "OFF": False, "jit": jit, "__name__": "cells"}
    exec("@jit(cache=True)\\ndef f():\\n    if OFF: K\\n    return 1", space)
    assert space["f"]() == 1
    info = space["f"].cache_info()
    reasons[name] = [info.hits, info.misses, *info.reasons]
print(json.dumps(reasons))
"""


def test_a_function_that_names_what_has_no_identity_is_not_cached_and_says_why(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(UNKNOWN)
    found = run(program, tmp_path / "home")
    found.pop("warned")
    for name, (hits, misses, *reasons) in found.items():
        assert (hits, misses, len(reasons)) == (0, 0, 1), name
    assert found["an object"][2] == (
        "global 'K' is an object of Settings, which another process cannot identify"
    )
