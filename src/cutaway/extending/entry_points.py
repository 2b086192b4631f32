"""Packages that extend compiled code without being imported by the program (SPEC D).

A package names a function in the entry points of its metadata,

    [project.entry-points.cutaway_extensions]
    init = "package.module:function"

and it is called once, before the first compilation of a process.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import warnings
from collections.abc import Iterator

from cutaway.errors import ExtensionWarning
from cutaway.foundation import loading
from cutaway.foundation.loading import guard_forks

GROUP = "cutaway_extensions"
_GROUPS = [GROUP]  # groups whose functions are called

_LOCK = threading.RLock()  # reentered by a package that compiles something
guard_forks(_LOCK.acquire, _LOCK.release, rank=loading.OUTERMOST)
_BEGUN: list[bool] = []


def load_once() -> None:
    """Call the entry points of installed packages, once; other threads wait for that."""
    with _LOCK:
        if not _BEGUN:
            _BEGUN.append(True)
            for group in tuple(_GROUPS):
                load_all(group)


def call_too(group: str) -> None:
    """Call the functions of another group of entry points, too."""
    with _LOCK:
        if group not in _GROUPS:
            _GROUPS.append(group)
            if _BEGUN:
                load_all(group)


def load_all(group: str = GROUP) -> None:
    """Call the functions of installed packages; a package that fails causes an ExtensionWarning,
    and the others are called."""
    if not any(_names_group(path, group) for path in _metadata()):
        return
    metadata = importlib.import_module("importlib.metadata")  # slow to load, and seldom needed
    for point in metadata.entry_points(group=group):
        try:
            point.load()()
        # The program may not know of the package, whose code must not end it either.
        except (Exception, SystemExit) as error:
            warnings.warn(
                f"the extension {point.value} ({_owner(point)}) failed:"
                f" {type(error).__name__}: {error}",
                ExtensionWarning,
                stacklevel=2,
            )


def _owner(point: object) -> str:
    """Return the package of an entry point, if known."""
    distribution = getattr(point, "dist", None)
    return f"package {distribution.name}" if distribution is not None else "a package"


def _metadata() -> Iterator[str]:
    """Yield the files of installed packages that may name entry points."""
    for folder in sys.path:
        try:
            entries = list(os.scandir(folder or "."))
        except OSError:  # missing, or not a folder
            continue
        for entry in entries:
            if entry.name.endswith((".dist-info", ".egg-info")):
                yield os.path.join(entry.path, "entry_points.txt")


def _names_group(path: str, group: str) -> bool:
    try:
        with open(path, encoding="utf-8") as file:
            return f"[{group}]" in file.read()
    except (OSError, UnicodeDecodeError):
        return False
