"""Access to the driver: its library, opened on first use, or an imitation in host memory.

While the setting `CUDA_SIMULATOR` is on, kernels run in the simulator, and everything else of a GPU
is imitated on the host, so that a whole program runs unchanged.
"""

from __future__ import annotations

import os
from types import ModuleType

from cutaway import config
from cutaway.cuda.driver import failures, simulated
from cutaway.driver_c import _driver
from cutaway.errors import CudaError

_LIBRARIES = ("libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "libcuda.so")

_driver.set_failure_hooks(failures.failure, failures.closed)


def is_simulated() -> bool:
    """True while kernels run in the simulator."""
    return bool(config.value("CUDA_SIMULATOR"))


def driver() -> ModuleType:
    """Return the module with the driver's functions.

    Raises CudaError without a GPU.
    """
    if is_simulated():
        return simulated
    if not _driver.is_open():
        _open()
    return _driver


def is_open() -> bool:
    """True if the library is open."""
    return bool(_driver.is_open())


def is_there() -> bool:
    """True if a usable GPU exists; with the simulator, always."""
    try:
        return bool(driver().device_count())
    except CudaError:
        return False


def _open() -> None:
    asked = config.value("CUDA_DRIVER")
    missing = None
    for path in (_file(asked),) if asked else _LIBRARIES:
        found = _driver.open(path)
        if found is None:
            return
        if missing is None or os.path.sep in missing[0]:
            missing = found
    assert missing is not None
    path, why = missing
    if why.startswith("cu"):
        raise CudaError(
            f"no GPU: the driver in {path} is too old, it has no {why}",
            hint="install a driver for CUDA 12 or newer",
        )
    where = f"{path}, which CUTAWAY_CUDA_DRIVER names," if asked else path
    raise CudaError(f"no GPU: {where} was not found", hint=failures.WITHOUT)


def _file(asked: str) -> str:
    """Return the library that the setting names, or the one in a folder."""
    return os.path.join(asked, "libcuda.so.1") if os.path.isdir(asked) else asked
