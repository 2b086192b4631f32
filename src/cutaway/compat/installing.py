"""Install the layer in this process, unless the real Numba is there."""

from __future__ import annotations

import importlib
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

from cutaway import config
from cutaway.compat.adapters import texts
from cutaway.compat.layer import FINDER, ROOT, LayerModule
from cutaway.errors import InstallError
from cutaway.extending import entry_points
from cutaway.foundation.options import set_of_layer
from cutaway.foundation.writing import WRITERS

# A folder for `sys.path`: a module `numba` that installs the layer, and its distribution metadata.
# Child processes find it by PYTHONPATH.
FOLDER = os.path.join(os.path.dirname(__file__), "cutaway_as_numba")
_OURS = os.path.basename(FOLDER)  # the wheel's folder has the same name
_GROUP = "numba_extensions"
BESIDE, ASTYPE = "beside", "astype"


def install(*, beside: bool | None = None, astype: bool | None = None) -> ModuleType:
    """Have `import numba` import Cutaway's layer in this process, and return the layer.

    Call it before the first `import numba`, by a program or in a conftest.py.  Where the real Numba
    is installed it raises InstallError; `beside=True` takes the layer anyway, in this process. With
    `astype=True` functions convert NaN, and floats that an integer cannot hold, to integers as
    whole arrays are converted, instead of raising.
    """
    if ASTYPE in config.AS_NUMBA if astype is None else astype:
        set_of_layer(float_to_int="astype")
    present = sys.modules.get(ROOT)
    if isinstance(present, LayerModule):
        return present
    is_starting = present is not None and _is_ours(getattr(present, "__file__", None))
    if present is not None and not is_starting:
        raise InstallError(
            "the real Numba is imported already, so Cutaway cannot take its place",
            hint="call cutaway.compat.install() before the first `import numba`",
        )
    is_beside = BESIDE in config.AS_NUMBA if beside is None else beside
    real = real_numba()
    if real and not is_beside:
        raise InstallError(
            f"the real Numba is installed, in {real}, and Cutaway does not take its place unasked",
            hint="uninstall one of the two, or ask for the layer: install(beside=True),"
            " python -m cutaway.as_numba --beside",
        )
    _put_on_path(first=bool(real))
    sys.meta_path.insert(0, FINDER)
    WRITERS.append(_reference_text)
    entry_points.call_too(_GROUP)
    if is_starting:  # `import numba` returns the module in `sys.modules` once this one has run
        del sys.modules[ROOT]
    return importlib.import_module(ROOT)


def is_installed() -> bool:
    """True if `import numba` imports the layer in this process."""
    return isinstance(sys.modules.get(ROOT), LayerModule)


def real_numba() -> str:
    """Return the folder of the real Numba if it is installed, else an empty text."""
    places = [folder for folder in sys.path if os.path.basename(folder) != _OURS]
    spec: ModuleSpec | None = PathFinder.find_spec(ROOT, places)
    return os.path.dirname(spec.origin) if spec is not None and spec.origin is not None else ""


def _reference_text(thing: object) -> str | None:
    """Return the text of a type in Numba's words, once all types are loaded."""
    if "__all__" not in vars(sys.modules["cutaway.typing.types"]):
        return None
    text: str | None = texts.reference_text(thing)
    return text


def _is_ours(file: str | None) -> bool:
    return file is not None and os.path.basename(os.path.dirname(file)) == _OURS


def _put_on_path(first: bool) -> None:
    """Let `importlib.metadata` find the distribution, and processes that inherit this path."""
    if not any(os.path.basename(folder) == _OURS for folder in sys.path):
        sys.path.insert(0 if first else len(sys.path), FOLDER)
