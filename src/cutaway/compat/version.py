"""The version of Numba whose names the layer has."""

from __future__ import annotations

from typing import NamedTuple

VERSION = "0.68.1"


class VersionInfo(NamedTuple):
    """The parts of a version."""

    major: int
    minor: int
    patch: int
    short: tuple[int, int]
    full: tuple[int, int, int]
    string: str
    tuple: tuple[str, ...]
    git_revision: str | None


_PARTS = tuple(VERSION.split("."))
_MAJOR, _MINOR, _PATCH = map(int, _PARTS)
version_info = VersionInfo(
    *(_MAJOR, _MINOR, _PATCH),
    *((_MAJOR, _MINOR), (_MAJOR, _MINOR, _PATCH)),
    *(VERSION, _PARTS, None),  # type: ignore[arg-type]
)
