"""Anything but a regular file in place of a cache file is ignored with a warning, without
waiting."""

from __future__ import annotations

import os
import signal
import socket
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from caching.processes import run, write
from cutaway.caching import files
from cutaway.errors import CacheWarning

pytestmark = pytest.mark.sampled(others=3, fast=8)

PROGRAM = """
@jit(cache=True)
def total(a):
    return np.sum(np.sort(a))
tell(total, result=total(np.ones(4)))
"""


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))


ODD: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a folder": os.mkdir,
    "a socket": _socket,
    "a device": lambda path: os.symlink("/dev/zero", path),
    "a terminal": lambda path: os.symlink("/dev/tty", path),
    "a link to nothing": lambda path: os.symlink("nowhere", path),
    "a link to itself": lambda path: os.symlink(path, path),
    "a link to a folder": lambda path: os.symlink("/", path),
    "a link to a pipe": lambda path: (os.mkfifo(f"{path}.x"), os.symlink(f"{path}.x", path)),
}


@pytest.fixture(autouse=True)
def nobody_waits():
    """Thirty seconds, and the test ends."""
    signal.alarm(30)
    yield
    signal.alarm(0)


@pytest.mark.parametrize("kind", ODD)
def test_it_is_ignored_with_a_warning_and_replaced_where_that_can_be(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    path, key = tmp_path / "f-odd.cutaway", "key"
    ODD[kind](path)
    with pytest.warns(CacheWarning, match="is not a regular file: it is ignored"):
        assert files.read([str(path)], key) is None
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        written = files.write([str(tmp_path)], path.name, files.packed(key, (1,)))
    if kind == "a folder":
        assert written is None and "f-odd.cutaway is not writable" in str(warned[0].message)
    else:
        assert written and not warned
        assert files.read([str(path)], key) == (str(path), (1,))


@pytest.mark.parametrize("kind", ODD)
def test_in_the_place_of_what_is_written_first_it_goes(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files.threading, "get_ident", lambda: 1)
    ODD[kind](tmp_path / f"f-a.cutaway.{os.getpid()}.1")
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        written = files.write([str(tmp_path)], "f-a.cutaway", files.packed("key", (1,)))
    assert (written is None) == (kind == "a folder")
    assert Path("/dev/zero").is_char_device()


def test_odd_files_do_not_keep_old_ones_from_being_removed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "MOST_FILES", 3)
    for place, make in enumerate(ODD.values()):
        make(tmp_path / f"f-odd{place}.cutaway")
    for place in range(6):
        assert files.write([str(tmp_path)], f"f-{place}.cutaway", b"data")
        os.utime(tmp_path / f"f-{place}.cutaway", (place, place))
    kept = [e.name for e in os.scandir(tmp_path) if e.is_file(follow_symlinks=False)]
    assert sorted(kept) == ["f-3.cutaway", "f-4.cutaway", "f-5.cutaway"]
    assert len(os.listdir(tmp_path)) == 3 + len(ODD) + 1


@pytest.mark.parametrize("kind", ["a pipe", "a folder", "a link to nothing"])
def test_a_program_runs_beside_them(kind, tmp_path):
    home = tmp_path / "home"
    program = write(tmp_path, PROGRAM)
    first = run(program, home)
    found = [Path(first["files"][0][0]), *(home / "cutaway" / "library").iterdir()]
    assert len(found) > 1
    for path in found:
        path.unlink()
        ODD[kind](path)
    again = run(program, home)
    assert again["result"] == 4.0 and "is not a regular file" in again["warned"]
    assert "program.py" in again["warned"]
    if kind != "a folder":
        assert run(program, home)["hits"] == [1]
