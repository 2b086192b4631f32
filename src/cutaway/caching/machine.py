"""Identities of the computer and of the compiler: parts of every key."""

from __future__ import annotations

import os
import platform
import sys
from importlib.machinery import PathFinder

from cutaway import config

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
    # Finding a package at the top runs none of its code.
    spec = PathFinder.find_spec("llvmlite")
    if spec is None or spec.origin is None:
        return ""
    folder = os.path.dirname(spec.origin)
    return _stamp(os.path.join(folder, "_version.py")) + _stamp(spec.origin)


def compiler() -> str | list[str]:
    """The identity of this package's own code."""
    return _installed() or package(_PACKAGE)


def _stamp(path: str) -> str:
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{path} {status.st_size} {status.st_mtime_ns};"


def _installed() -> str:
    """The identity of an installed package: its list of files with their digests, which is written
    when it is installed; empty for a checkout."""
    folder = os.path.dirname(_PACKAGE)
    records = (
        os.path.join(folder, name, "RECORD")
        for name in os.listdir(folder)
        if name.startswith("cutaway-") and name.endswith(".dist-info")
    )
    return next((stamp for stamp in map(_stamp, records) if stamp), "")


def package(folder: str) -> list[str]:
    """A line for each file of our own: a checkout that was edited makes code of its own."""
    stamps = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name == "__pycache__":
                continue
            if entry.is_dir():
                stamps += package(entry.path)
            elif entry.name.endswith((".py", ".so", ".pyd")):
                stat = entry.stat()
                stamps.append(f"{entry.name} {stat.st_size} {stat.st_mtime_ns}")
    return sorted(stamps)
