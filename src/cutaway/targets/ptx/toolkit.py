"""Finds what comes with NVIDIA's toolkit: `ptxas`, `nvdisasm`, and libdevice.

None is needed to emit PTX of kernels without functions of `math`.  `ptxas` and libdevice are in
the wheel that the extra `cuda` installs (`pip install 'cutaway[cuda]'`); a toolkit that `CUDA_HOME`
or `CUDA_PATH` names comes first, one that is installed system-wide last.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator

EXTRA = "pip install 'cutaway[cuda]', or set CUDA_HOME to a toolkit"

_PTXAS = os.path.join("bin", "ptxas")
_NVDISASM = os.path.join("bin", "nvdisasm")
_LIBDEVICE = os.path.join("nvvm", "libdevice", "libdevice.10.bc")
# Folders of NVIDIA's wheels below the one of other packages: of CUDA 12, of CUDA 13.
_WHEELS = (os.path.join("nvidia", "cuda_nvcc"), os.path.join("nvidia", "cu13"))
_SYSTEM = ("/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda")


def find_ptxas() -> str | None:
    """The path of `ptxas`; None where it is not installed."""
    return _first(_PTXAS) or shutil.which("ptxas")


def find_nvdisasm() -> str | None:
    """The path of `nvdisasm`, which shows machine code; None where it is not installed."""
    return _first(_NVDISASM) or shutil.which("nvdisasm")


def find_libdevice() -> str | None:
    """The path of libdevice's bitcode; None where it is not installed."""
    return _first(_LIBDEVICE)


def _first(name: str) -> str | None:
    paths = (os.path.join(home, name) for home in _homes())
    return next(filter(os.path.isfile, paths), None)


def _homes() -> Iterator[str]:
    """The folders in which a toolkit may be, the best first."""
    yield from filter(None, map(os.environ.get, ("CUDA_HOME", "CUDA_PATH")))
    for folder in sys.path:
        for wheel in _WHEELS:
            yield os.path.join(folder, wheel)
    yield from _SYSTEM
