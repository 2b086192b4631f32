"""What figures were measured on: processor, versions, load; no name of a host, no path."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("numpy", "llvmlite", "numba", "jax")


def machine() -> dict[str, str]:
    """What stays the same from run to run on one machine."""
    return {
        "processor": processor(),
        "processor to LLVM": processor_to_llvm(),
        "cores": str(len(os.sched_getaffinity(0))),
        "system": f"{platform.system()}, {platform.machine()}",
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
        "gcc": first_line("gcc", "-dumpfullversion"),
    }


def processor() -> str:
    """The processor's name, as the kernel knows it."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or "unknown"
    named = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return named[1].strip() if named else "unknown"


def processor_to_llvm() -> str:
    """The name that LLVM has for the processor."""
    try:
        from llvmlite import binding
    except ImportError:
        return "unknown"
    return str(binding.get_host_cpu_name())


def version(package: str) -> str:
    """The installed version of a package."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def first_line(*command: str) -> str:
    """The first line that a command prints."""
    if shutil.which(command[0]) is None:
        return "not installed"
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return done.stdout.partition("\n")[0].strip() if done.returncode == 0 else "unknown"


def revision() -> str:
    """The revision of the source, with a plus if files were changed since."""
    hashed = first_line("git", "rev-parse", "--short=10", "HEAD")
    paths = ("src", "benchmarks", ":!benchmarks/results")
    changed = first_line("git", "status", "--porcelain", "--untracked-files=no", "--", *paths)
    return f"{hashed}+" if changed not in ("", "unknown", "not installed") else hashed


def load() -> float:
    """How many processes wanted to run in the last minute."""
    return round(os.getloadavg()[0], 2)
