"""Finds the parts of NVIDIA's toolkit: `ptxas`, `nvdisasm`, and libdevice.

None is needed to emit PTX of kernels without functions of `math`.  `ptxas` and libdevice are in the
wheel that the extra `cuda` installs (`pip install 'cutaway[cuda]'`); a toolkit that `CUDA_HOME` or
`CUDA_PATH` names comes first, then the wheel, then `PATH`, then system-wide installations.

Several may be installed, and each `ptxas` supports some kinds of GPU only: that of CUDA 12.9 5.0 to
12.1, that of CUDA 13 7.5 and later.  `ptxas_for` returns the first one that fits.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

Version = tuple[int, int]  # a compute capability: (8, 0)

EXTRA = "pip install 'cutaway[cuda]', or set CUDA_HOME to a toolkit"

_PTXAS = os.path.join("bin", "ptxas")
_NVDISASM = os.path.join("bin", "nvdisasm")
_LIBDEVICE = os.path.join("nvvm", "libdevice", "libdevice.10.bc")
# Folders of NVIDIA's wheels below site-packages: of CUDA 12, of CUDA 13.
_WHEELS = (os.path.join("nvidia", "cuda_nvcc"), os.path.join("nvidia", "cu13"))
_SYSTEM = ("/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda")


def find_ptxas() -> str | None:
    """Return the path of the first `ptxas`, preferring one that runs; None if there is none."""
    paths = list(_installed(_PTXAS))
    return next((path for path in paths if not abilities(path).problem), next(iter(paths), None))


def ptxas_for(cc: Version) -> str | None:
    """Return the path of the first `ptxas` that supports a capability; None if none does."""
    return next((path for path in _installed(_PTXAS) if abilities(path).includes(cc)), None)


class Abilities(NamedTuple):
    """The release of a `ptxas`, "13.0", and the compute capabilities that it supports.

    `problem` is the reason why it cannot run.  Both other fields are empty if it does not report
    them.
    """

    release: str = ""
    capabilities: frozenset[Version] = frozenset()
    problem: str = ""

    def includes(self, cc: Version) -> bool:
        """Return whether it supports a capability; if it does not report any, it is assumed to."""
        return not self.problem and (not self.capabilities or cc in self.capabilities)

    def __str__(self) -> str:
        """Return `CUDA 13.0, for compute capabilities 7.5, 8.0, ...`, or the problem."""
        known = ", ".join(f"{major}.{minor}" for major, minor in sorted(self.capabilities))
        return self.problem or f"CUDA {self.release}, for compute capabilities {known or '?'}"


def abilities(path: str) -> Abilities:
    """Return the abilities of a `ptxas`; cached for each file."""
    try:
        stat = os.stat(path)
    except OSError as error:
        return Abilities(problem=str(error))
    return _abilities(path, stat.st_size, stat.st_mtime_ns)


_RELEASE = re.compile(r"release (\d+\.\d+)")
_CAPABILITY = re.compile(r"'sm_(\d+)(\d)'")
_SECONDS = 60  # timeout of the query


@lru_cache(maxsize=16)
def _abilities(path: str, size: int, changed: int) -> Abilities:
    texts = []
    for option in ("--version", "--help"):  # not all have --list-arch
        try:
            ran = subprocess.run([path, option], capture_output=True, timeout=_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            return Abilities(problem=f"it cannot be run: {error}")
        if ran.returncode != 0:
            return Abilities(problem=f"it cannot be run: {option} ends with {ran.returncode}")
        texts.append(ran.stdout.decode(errors="replace"))
    release = _RELEASE.search(texts[0])
    found = frozenset((int(major), int(minor)) for major, minor in _CAPABILITY.findall(texts[1]))
    return Abilities(release[1] if release else "", found)


def find_nvdisasm() -> str | None:
    """Return the path of `nvdisasm`, the disassembler; None if it is not installed."""
    return next(_installed(_NVDISASM), None)


def find_libdevice() -> str | None:
    """Return the path of libdevice's bitcode; None if it is not installed."""
    return next(_installed(_LIBDEVICE), None)


def _installed(name: str) -> Iterator[str]:
    """Yield the paths of a file of the toolkits, the best first."""
    return filter(os.path.isfile, _paths(name))


def _paths(name: str) -> Iterator[str]:
    homes = filter(None, map(os.environ.get, ("CUDA_HOME", "CUDA_PATH")))
    wheels = (os.path.join(folder, wheel) for folder in sys.path for wheel in _WHEELS)
    for home in (*homes, *wheels):
        yield os.path.join(home, name)
    for folder in os.get_exec_path():
        yield os.path.join(folder, os.path.basename(name))
        program = os.path.join(folder, os.path.basename(_PTXAS))
        if os.path.isfile(program):  # often a link into a toolkit
            yield os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(program))), name)
    for home in _SYSTEM:
        yield os.path.join(home, name)
