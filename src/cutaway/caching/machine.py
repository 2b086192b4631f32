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
    """The system and the kind of computer."""
    return f"{sys.platform} {os.uname().machine if hasattr(os, 'uname') else platform.machine()}"


def processor() -> str:
    """The identity of this kind of CPU; of the first one where there are many."""
    try:
        with open("/proc/cpuinfo", "rb") as file:  # written by the system as it is read
            text = file.read(8192).decode(errors="replace")
    except OSError:
        return platform.processor()
    first = text.partition("\n\n")[0].splitlines()
    return "\n".join(line for line in first if line.startswith(_CPU_LINES))


def compiled_for() -> str:
    """The processor that code is compiled for, where it is not this one."""
    name, features = config.value("CPU"), config.value("CPU_FEATURES")
    return f"{'' if name.lower() == 'host' else name} {features}".strip()


def llvm() -> str:
    """The version of llvmlite, without importing it."""
    origin = _llvmlite()
    version = os.path.join(os.path.dirname(origin), "_version.py")
    return _stamp(version) + _stamp(origin) if origin else ""


def llvm_version() -> str:
    """The same, as any computer tells it: by what the file of the version says."""
    origin = _llvmlite()
    try:
        with open(os.path.join(os.path.dirname(origin), "_version.py"), "rb") as file:
            return digest(file.read())
    except OSError:
        return ""


def _llvmlite() -> str:
    """The file of llvmlite; empty where there is none."""
    # Finding a package at the top runs none of its code.
    spec = PathFinder.find_spec("llvmlite")
    return "" if spec is None else spec.origin or ""


def compiler() -> str | list[str]:
    """The identity of this package's own code."""
    return _stamp(_installed()) or package(_PACKAGE)


def compiler_content() -> list[str]:
    """The same, as any computer tells it: by what is in the files.

    The list of an installed package has digests of them; those of a checkout are read, which takes
    a twentieth of a second.
    """
    installed = _installed()
    if not installed:
        return package(_PACKAGE, _content)
    with open(installed, encoding="utf-8", errors="replace") as file:
        # What is written when it is installed (scripts, bytecode) is not the same everywhere.
        return [line for line in file if line.startswith("cutaway/") and ".pyc" not in line]


def _stamp(path: str) -> str:
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{path} {status.st_size} {status.st_mtime_ns};"


def _installed() -> str:
    """The list of an installed package's files with their digests, which is written when it is
    installed; empty for a checkout."""
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
    """A line for each file of our own, which `told` writes: a checkout that was edited makes code
    of its own."""
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
