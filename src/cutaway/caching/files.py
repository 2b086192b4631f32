"""Files of machine code: where they are, and how they are written and read.

A file is written under another name first and then takes its place at once, so that whoever reads
finds all of it or nothing.  It begins with a digest of the rest, and with the key that it is for:
a file that is damaged, or is another's, is ignored with a warning and written anew.  So is what is
no plain file: to open a pipe would be to wait for somebody who writes into it.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import stat
import sys
import threading
import warnings
from collections.abc import Iterable
from typing import Any

from cutaway import config
from cutaway.caching.digests import BYTES, digest, raw_digest
from cutaway.errors import CacheWarning

SUFFIX = ".cutaway"
_MAGIC = b"cutaway\n"
MOST_FILES = 64  # of one function in one folder: the oldest go
_warned: set[str] = set()  # folders that cannot be written to


def folders(source: str) -> list[str]:
    """The folders that may hold the files of functions of a source file, the best place first."""
    chosen = config.value("CACHE_DIR")
    if chosen:
        return [os.path.join(os.path.expanduser(chosen), _folder_name(source))]
    beside = []
    if os.path.isfile(source):
        beside = [os.path.join(os.path.dirname(os.path.abspath(source)), "__pycache__")]
    return [*beside, os.path.join(user_folder(), _folder_name(source))]


def user_folder() -> str:
    """The folder of this user for all that is cached."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "cutaway")


def library_folder() -> str:
    """The folder for what no program's source is the place of: the library's functions."""
    folder = config.value("CACHE_DIR") or user_folder()
    return os.path.join(os.path.expanduser(folder), "library")


def _folder_name(source: str) -> str:
    """One folder for each file of source; one for all that is in none, which goes by content."""
    if not os.path.isfile(source):
        return "without_file"
    path = os.path.abspath(source)
    stem = os.path.splitext(os.path.basename(path))[0]
    return f"{stem}-{digest(os.fsencode(path))[:12]}"


def file_name(function: str, key: str) -> str:
    """The name of a file: the function for people, the digest of the key for us."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "._") else "_" for c in function)
    return f"{plain[:80]}-{digest(key)}{SUFFIX}"


def read(paths: Iterable[str], key: str) -> tuple[str, tuple[Any, ...]] | None:
    """The first of these files that is there and good, with what is in it."""
    for path in paths:
        data = _data(path)
        if data is None:
            continue
        content = unpacked(data, key)
        if content is not None:
            return path, content
        _warn(f"{path} is damaged or not a cache file: it is ignored and will be replaced")
    return None


def _data(path: str) -> bytes | None:
    """The content of a file; None where there is none, and with a warning where it is no plain
    file."""
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            return file.read()
    except OSError:
        with contextlib.suppress(OSError):
            if not stat.S_ISREG(os.lstat(path).st_mode):
                _warn(f"{path} is not a regular file: it is ignored")
        return None


def _open_at_once(path: str, flags: int) -> int:
    """Open a plain file; anything else raises OSError, and is not waited for."""
    # Without O_NONBLOCK the open itself would wait for the other end of a pipe.
    handle = os.open(path, flags | _AT_ONCE)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"{path} is not a regular file")
    return handle


_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def packed(key: str, content: tuple[Any, ...]) -> bytes:
    """A file's bytes."""
    # `marshal` is enough for texts and bytes; its format belongs to one version of Python, which is
    # in the key.
    rest = marshal.dumps((key, content))
    return _MAGIC + raw_digest(rest) + rest


def unpacked(data: bytes, key: str) -> tuple[Any, ...] | None:
    """The values packed in a file's bytes; None where they are not what was written for the key."""
    start = len(_MAGIC) + BYTES
    rest = data[start:]
    if not data.startswith(_MAGIC) or data[len(_MAGIC) : start] != raw_digest(rest):
        return None
    try:
        digested, content = marshal.loads(rest)  # noqa: S302  its digest is right
    except (EOFError, ValueError, TypeError):
        return None
    return content if digested == key and isinstance(content, tuple) else None


def write(places: Iterable[str], name: str, data: bytes) -> str | None:
    """Write a file into the first folder that takes it; gives its path."""
    failed = ""
    for folder in places:
        path = os.path.join(folder, name)
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            _write_whole(path, data)
        except OSError as error:
            where = path if isinstance(error, IsADirectoryError) else folder
            failed = f"{where} is not writable ({error.strerror}): nothing is cached there"
            # Beside the source is where Python keeps its own; an installed package may be
            # read-only.
            if folder == os.path.dirname(path) and os.path.basename(folder) == "__pycache__":
                continue  # the user's folder is next
            break
        _prune(folder, name)
        return path
    if failed and failed not in _warned:
        _warned.add(failed)
        _warn(failed)
    return None


def _write_whole(path: str, data: bytes) -> None:
    temporary = f"{path}.{os.getpid()}.{threading.get_ident()}"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary)  # of a process of the same number that was killed
    # For nobody else: whoever could write here could have this process run machine code of theirs.
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _prune(folder: str, name: str) -> None:
    """Remove the oldest files of a function: those of code that was edited since."""
    stem = name[: name.rindex("-") + 1]
    with contextlib.suppress(OSError):  # another process prunes too
        entries = [e for e in os.scandir(folder) if e.name.startswith(stem) and _is_ours(e)]
        if len(entries) > MOST_FILES:
            for entry in sorted(entries, key=lambda e: e.stat().st_mtime)[:-MOST_FILES]:
                os.unlink(entry.path)


def _is_ours(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(SUFFIX) and entry.is_file(follow_symlinks=False)


def _warn(message: str) -> None:
    depth, frame = 1, sys._getframe()
    while frame.f_back is not None and "cutaway" in frame.f_globals.get("__name__", ""):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(message, CacheWarning, stacklevel=depth)
