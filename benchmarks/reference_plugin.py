"""A plugin of pytest: under the layer, Numba's own tests are found where Numba is installed.

In processes that a test starts, `reference_children/sitecustomize.py` imports it.
"""

from __future__ import annotations

import importlib.util
import sys
import unittest
from importlib.machinery import ModuleSpec
from pathlib import Path

import numba

from cutaway.compat import is_installed
from cutaway.compat.installing import real_numba

_RUNNER = Path(__file__).resolve().parent / "reference_children" / "runtests.py"


class RunnerFinder:
    """Finds the module `numba.runtests`, which tests start in a process of its own."""

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        """The spec of our runner."""
        if fullname != "numba.runtests":
            return None
        return importlib.util.spec_from_file_location(fullname, _RUNNER)


def _prepare(real: Path) -> None:
    """What test files need of Numba's inside for as much as being loaded.

    `_helperlib` is a library of C with functions for tests; a test that needs more of the other
    parts fails by itself.
    """
    importlib.import_module("numba._helperlib").__file__ = str(next(real.glob("_helperlib.*.so")))
    machinery = importlib.import_module("numba.core.compiler_machinery")
    machinery.register_pass = lambda **options: lambda cls: cls  # type: ignore[attr-defined]
    models = importlib.import_module("numba.core.datamodel.testing")
    models.test_factory = lambda **options: unittest.TestCase  # type: ignore[attr-defined]


if is_installed():
    sys.meta_path.insert(0, RunnerFinder())  # type: ignore[arg-type]
    _prepare(Path(real_numba()))
    folder = Path(real_numba()) / "tests"
    spec = importlib.util.spec_from_file_location(
        "numba.tests", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None and spec.loader is not None, folder
    sys.modules["numba.tests"] = numba.tests = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["numba.tests"])
