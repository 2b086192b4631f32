"""The table of Numba modules and names, and where each name is in Cutaway.

`reference.txt` is read once, at the first `import numba`.  A section is a module of Numba:

    [numba.core.imputils]
    cutaway.extending: *                       all public names of our module
    cutaway.extending.models: register=register_default     theirs = ours, where they differ
    absent internals: Registry RegistryLoader  names without an equivalent here, and why

`same` in the place of names means that our module itself replaces the section's.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator

from cutaway.foundation.dataclass import dataclass

_FILE = os.path.join(os.path.dirname(__file__), "reference.txt")
_ABSENT = "absent "


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the table: one Numba module.

    `named` maps each of its names to our module and name, `whole` are our modules all of whose
    names it has, `absent` maps missing names to reasons, and `same` is our module that replaces it.
    """

    named: dict[str, tuple[str, str]]
    whole: tuple[str, ...]
    absent: dict[str, str]
    same: str


@functools.cache
def sections() -> dict[str, Section]:
    """Return the table, by the names of Numba modules."""
    with open(_FILE, encoding="utf-8") as file:
        texts = file.read().split("\n[")[1:]
    return {path: _section(rows) for path, _, rows in (text.partition("]\n") for text in texts)}


@functools.cache
def folders() -> dict[str, list[str]]:
    """Return the modules in each module, by their last names."""
    inside: dict[str, list[str]] = {}
    for path in sections():
        parent, _, name = path.rpartition(".")
        inside.setdefault(parent, []).append(name)
    return inside


def _section(text: str) -> Section:
    named: dict[str, tuple[str, str]] = {}
    absent: dict[str, str] = {}
    whole: list[str] = []
    same = ""
    for source, names in _rows(text):
        if names == ["*"]:
            whole.append(source)
        elif names == ["same"]:
            same = source
        elif source.startswith(_ABSENT):
            absent |= dict.fromkeys(names, source.removeprefix(_ABSENT))
        else:
            for name in names:
                theirs, _, ours = name.partition("=")
                named[theirs] = (source, ours or theirs)
    return Section(named, tuple(whole), absent, same)


def _rows(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows of a section: a source and names; a row continues on indented lines."""
    for line in text.replace("\n    ", " ").splitlines():
        source, _, names = line.partition(":")
        if names and source[0] != "#":
            yield source, names.split()
