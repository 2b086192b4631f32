"""A plugin of pytest: under the layer, Numba's own tests are found where Numba is installed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numba

from cutaway.compat import is_installed
from cutaway.compat.installing import real_numba

if is_installed():
    folder = Path(real_numba()) / "tests"
    spec = importlib.util.spec_from_file_location(
        "numba.tests", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None and spec.loader is not None, folder
    sys.modules["numba.tests"] = numba.tests = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["numba.tests"])
