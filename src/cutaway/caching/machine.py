"""Identities of the computer and of the compiler: parts of every key."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES, PathFinder

from cutaway import config
from cutaway.caching.digests import digest

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_CPU_LINES = ("vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU ")


def platform_name() -> str:
    """Return the system and the kind of computer."""
    return f"{sys.platform} {os.uname().machine if hasattr(os, 'uname') else platform.machine()}"


def processor() -> str:
    """Return the identity of this kind of CPU; of the first one where there are many."""
    try:
        with open("/proc/cpuinfo", "rb") as file:  # written by the system as it is read
            text = file.read(8192).decode(errors="replace")
    except OSError:
        return platform.processor()
    first = text.partition("\n\n")[0].splitlines()
    return "\n".join(line for line in first if line.startswith(_CPU_LINES))


def compiled_for() -> str:
    """Return the processor that code is compiled for, empty where it is this one."""
    name, features = config.value("CPU"), config.value("CPU_FEATURES")
    return f"{'' if name.lower() == 'host' else name} {features}".strip()


def llvm() -> str:
    """Return the file stamps of llvmlite and its version, without importing it."""
    origin = _llvmlite()
    version = os.path.join(os.path.dirname(origin), "_version.py")
    return _stamp(version) + _stamp(origin) if origin else ""


def llvm_version() -> str:
    """Return llvmlite's version for any computer: a digest of its version file."""
    origin = _llvmlite()
    try:
        with open(os.path.join(os.path.dirname(origin), "_version.py"), "rb") as file:
            return digest(file.read())
    except OSError:
        return ""


def _llvmlite() -> str:
    """Return the path of llvmlite; empty where there is none."""
    # Finding a top-level package runs none of its code.
    spec = PathFinder.find_spec("llvmlite")
    return "" if spec is None else spec.origin or ""


def compiler() -> str | list[str]:
    """Return the identity of this package's own code."""
    return _stamp(_installed()) or package(_PACKAGE)


def compiler_content() -> list[str]:
    """Return the compiler's identity for any computer: its files' contents.

    An installed package has a list of their digests; the files of a checkout are read, which takes
    a twentieth of a second.
    """
    installed = _installed()
    if not installed:
        return package(_PACKAGE, _content)
    with open(installed, encoding="utf-8", errors="replace") as file:
        # Files written at installation (scripts, bytecode) differ from computer to computer.
        return [line for line in file if line.startswith("cutaway/") and ".pyc" not in line]


def _stamp(path: str) -> str:
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{path} {status.st_size} {status.st_mtime_ns};"


def _installed() -> str:
    """Return the path of an installed package's list of digests (RECORD), written at installation;
    empty for a checkout."""
    folder = os.path.dirname(_PACKAGE)
    records = (
        os.path.join(folder, name, "RECORD")
        for name in os.listdir(folder)
        if name.startswith("cutaway-") and name.endswith(".dist-info")
    )
    return next(filter(os.path.isfile, records), "")


def _time(entry: os.DirEntry[str]) -> str:
    stat = entry.stat()
    return f"{entry.name} {stat.st_size} {stat.st_mtime_ns}"


def _content(entry: os.DirEntry[str]) -> str:
    # Extensions for other versions of Python may be there or not.
    if not entry.name.endswith((".py", EXTENSION_SUFFIXES[0])):
        return ""
    with open(entry.path, "rb") as file:
        return f"{entry.name} {digest(file.read())}"


def package(folder: str, told: Callable[[os.DirEntry[str]], str] = _time) -> list[str]:
    """Return a line for each file of a package, so that an edited checkout has its own cache."""
    stamps = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name == "__pycache__":
                continue
            if entry.is_dir():
                stamps += package(entry.path, told)
            elif entry.name.endswith((".py", ".so", ".pyd")):
                stamps.append(told(entry))
    return sorted(stamps)
