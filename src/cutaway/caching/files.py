"""Files of machine code: where they are, and how they are written and read.

A file is written under another name first and then renamed at once, so that a reader finds all of
it or nothing.  It begins with a digest of the rest, and with its key: a file that is damaged, or
has another key, is ignored with a warning and written anew.  So is anything but a regular file: to
open a pipe would be to wait for its writer.
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
MOST_FILES = 64  # per function and folder: the oldest are removed
_warned: set[str] = set()  # folders that cannot be written to


def folders(source: str) -> list[str]:
    """Return the folders that may hold the files of a source file's functions, the preferred one
    first."""
    chosen = config.value("CACHE_DIR")
    if chosen:
        return [os.path.join(os.path.expanduser(chosen), _folder_name(source))]
    beside = []
    if os.path.isfile(source):
        beside = [os.path.join(os.path.dirname(os.path.abspath(source)), "__pycache__")]
    return [*beside, os.path.join(user_folder(), _folder_name(source))]


def user_folder() -> str:
    """Return this user's folder for all cached files."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "cutaway")


def library_folder() -> str:
    """Return the folder for code that belongs to no program's source: the library's functions."""
    folder = config.value("CACHE_DIR") or user_folder()
    return os.path.join(os.path.expanduser(folder), "library")


def _folder_name(source: str) -> str:
    """Return the folder name for a source file; one for all code without a file."""
    if not os.path.isfile(source):
        return "without_file"
    path = os.path.abspath(source)
    stem = os.path.splitext(os.path.basename(path))[0]
    return f"{stem}-{digest(os.fsencode(path))[:12]}"


def file_name(function: str, key: str) -> str:
    """Return the name of a file: the function for people, the digest of the key for lookup."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "._") else "_" for c in function)
    return f"{plain[:80]}-{digest(key)}{SUFFIX}"


def read(paths: Iterable[str], key: str) -> tuple[str, tuple[Any, ...]] | None:
    """Return the first of these files that exists and is valid, with its content."""
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
    """Return the content of a file; None if it does not exist, and with a warning if it is not a
    regular file."""
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            return file.read()
    except OSError:
        with contextlib.suppress(OSError):
            if not stat.S_ISREG(os.lstat(path).st_mode):
                _warn(f"{path} is not a regular file: it is ignored")
        return None


def _open_at_once(path: str, flags: int) -> int:
    """Open a regular file without blocking; raise OSError for anything else."""
    # Without O_NONBLOCK the open itself would wait for the other end of a pipe.
    handle = os.open(path, flags | _AT_ONCE)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"{path} is not a regular file")
    return handle


_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def packed(key: str, content: tuple[Any, ...]) -> bytes:
    """Return a file's bytes."""
    # `marshal` suffices for texts and bytes; its format belongs to one version of Python, which is
    # in the key.
    rest = marshal.dumps((key, content))
    return _MAGIC + raw_digest(rest) + rest


def unpacked(data: bytes, key: str) -> tuple[Any, ...] | None:
    """Return the values packed in a file's bytes; None if they were not written for the key."""
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
    """Write a file into the first writable folder and return its path, None where all fail."""
    failed = ""
    for folder in places:
        path = os.path.join(folder, name)
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            _write_whole(path, data)
        except OSError as error:
            where = path if isinstance(error, IsADirectoryError) else folder
            failed = f"{where} is not writable ({error.strerror}): nothing is cached there"
            # Python keeps its own cache beside the source; an installed package may be read-only.
            if folder == os.path.dirname(path) and os.path.basename(folder) == "__pycache__":
                continue  # try the user's folder next
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
        os.unlink(temporary)  # left by a killed process with the same id
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
    with contextlib.suppress(OSError):  # another process may prune too
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
