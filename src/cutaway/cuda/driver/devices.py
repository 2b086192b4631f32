"""The GPUs of the machine, and the context of the current thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from cutaway.cuda.driver import access, reports
from cutaway.driver_c import _driver
from cutaway.errors import CudaError

# The driver's numbers of device attributes, by name without the prefix.
_ATTRIBUTES = {
    "MAX_THREADS_PER_BLOCK": 1,
    "MAX_BLOCK_DIM_X": 2,
    "MAX_BLOCK_DIM_Y": 3,
    "MAX_BLOCK_DIM_Z": 4,
    "MAX_GRID_DIM_X": 5,
    "MAX_GRID_DIM_Y": 6,
    "MAX_GRID_DIM_Z": 7,
    "MAX_SHARED_MEMORY_PER_BLOCK": 8,
    "TOTAL_CONSTANT_MEMORY": 9,
    "WARP_SIZE": 10,
    "MAX_REGISTERS_PER_BLOCK": 12,
    "CLOCK_RATE": 13,
    "MULTIPROCESSOR_COUNT": 16,
    "KERNEL_EXEC_TIMEOUT": 17,
    "INTEGRATED": 18,
    "CAN_MAP_HOST_MEMORY": 19,
    "COMPUTE_MODE": 20,
    "CONCURRENT_KERNELS": 31,
    "ECC_ENABLED": 32,
    "PCI_BUS_ID": 33,
    "PCI_DEVICE_ID": 34,
    "TCC_DRIVER": 35,
    "MEMORY_CLOCK_RATE": 36,
    "GLOBAL_MEMORY_BUS_WIDTH": 37,
    "L2_CACHE_SIZE": 38,
    "MAX_THREADS_PER_MULTI_PROCESSOR": 39,
    "ASYNC_ENGINE_COUNT": 40,
    "UNIFIED_ADDRESSING": 41,
    "PCI_DOMAIN_ID": 50,
    "COMPUTE_CAPABILITY_MAJOR": 75,
    "COMPUTE_CAPABILITY_MINOR": 76,
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 81,
    "MAX_REGISTERS_PER_MULTIPROCESSOR": 82,
    "MANAGED_MEMORY": 83,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 97,
}


class MemoryInfo(NamedTuple):
    """The free and the total bytes of a GPU's memory."""

    free: int
    total: int


class Device:
    """A GPU, with the driver's device attributes: `WARP_SIZE`, `MULTIPROCESSOR_COUNT`, ..."""

    def __init__(self, number: int) -> None:
        self.id = number

    def __repr__(self) -> str:
        return f"<GPU {self.id}: {self.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self) -> int:
        return hash(("GPU", self.id))

    @property
    def name(self) -> str:
        """The name of the GPU."""
        return str(access.driver().device_name(self.id))

    @property
    def compute_capability(self) -> tuple[int, int]:
        """The compute capability: (8, 0) for an A100."""
        return self.COMPUTE_CAPABILITY_MAJOR, self.COMPUTE_CAPABILITY_MINOR

    @property
    def total_memory(self) -> int:
        """The bytes of its memory."""
        return int(access.driver().device_memory(self.id))

    def __getattr__(self, name: str) -> int:
        if name not in _ATTRIBUTES:
            raise AttributeError(f"a device has no attribute {name!r}")
        return int(access.driver().device_attribute(self.id, _ATTRIBUTES[name]))

    def __dir__(self) -> list[str]:
        return sorted([*object.__dir__(self), *_ATTRIBUTES])

    def __enter__(self) -> Device:
        self._before = get_current_device()
        access.driver().select(self.id)
        return self

    def __exit__(self, *exc_info: object) -> None:
        access.driver().select(self._before.id)

    def reset(self) -> None:
        """Release all GPU resources of this process."""
        close()


class Context:
    """The context of the current thread: the GPU resources of this process."""

    def __init__(self) -> None:
        self.device = get_current_device()
        self.handle, self._generation = access.driver().current_context()

    def __repr__(self) -> str:
        return f"<context of {self.device!r}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context) and (other.handle, other._generation) == (
            self.handle,
            self._generation,
        )

    def __hash__(self) -> int:
        return hash((self.handle, self._generation))

    def get_memory_info(self) -> MemoryInfo:
        """Return the free and the total memory."""
        return MemoryInfo(*access.driver().memory_info())

    def synchronize(self) -> None:
        """Wait for all queued work."""
        synchronize()

    def reset(self) -> None:
        """Release all GPU resources of this process."""
        close()


class Devices:
    """The GPUs of the machine, `cuda.gpus`: a sequence."""

    def __len__(self) -> int:
        return int(access.driver().device_count())

    def __getitem__(self, number: int) -> Device:
        return device(range(len(self))[number])

    def __iter__(self) -> Iterator[Device]:
        return map(Device, range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} GPUs>" if access.is_there() else "<no GPUs>"

    @property
    def lst(self) -> list[Device]:
        """The list of all GPUs."""
        return list(self)

    @property
    def current(self) -> Device:
        """The GPU that the current thread uses."""
        return get_current_device()


gpus = Devices()


def device(number: Any) -> Device:
    """Return a GPU by its number, or by another library's device object.

    Raises CudaError for one that does not exist.
    """
    number = getattr(number, "device_id", getattr(number, "id", number))
    count = len(gpus)
    if type(number) is not int or not 0 <= number < count:
        plural = "" if count == 1 else "s"
        raise CudaError(
            f"there is no GPU {number}: there {'is' if count == 1 else 'are'} {count} GPU{plural}"
        )
    return Device(number)


def is_available() -> bool:
    """True if a GPU exists that kernels can run on; with the simulator, always."""
    return access.is_there()


def detect() -> bool:
    """Print the GPUs of the machine; True if there are any."""
    found = list(gpus) if access.is_there() else []
    lines = [f"Found {len(found)} GPU{'' if len(found) == 1 else 's'}"]
    for one in found:
        major, minor = one.compute_capability
        memory = one.total_memory / 2**30
        lines.append(f"{one.id}: {one.name}, compute capability {major}.{minor}, {memory:.1f} GiB")
    print("\n".join(lines))  # noqa: T201  the purpose of the function
    return bool(found)


def list_devices() -> Devices:
    """Return the GPUs of the machine."""
    return gpus


def get_current_device() -> Device:
    """Return the GPU that the current thread uses."""
    return Device(access.driver().current_device())


def select_device(device_id: Any) -> Device:
    """Use a GPU, by its number, in the current thread."""
    chosen = device(device_id)
    access.driver().select(chosen.id)
    return chosen


def current_context(devnum: Any = None) -> Context:
    """Return the context of the current thread; with a number, switch to that GPU first."""
    if devnum is not None:
        select_device(devnum)
    return Context()


def synchronize() -> None:
    """Wait for all queued work, and raise the exception of a kernel's thread, if any."""
    access.driver().synchronize()
    reports.raise_first()


def close() -> None:
    """Release all memory, modules, streams and events of this process, on all GPUs; using them
    later is an error."""
    reports.forget()
    if access.is_simulated() or access.is_open():
        access.driver().close()


def forget() -> None:
    """Close the driver's library too; the next request opens one."""
    reports.forget()
    if _driver.is_open():
        _driver.close()
    _driver.forget()


def current_capability() -> tuple[int, int] | None:
    """Return the compute capability of the current GPU; None without a GPU."""
    if access.is_simulated():
        return None
    try:
        return get_current_device().compute_capability
    except CudaError:
        return None


@contextmanager
def defer_cleanup() -> Iterator[None]:
    """Release no memory during a `with` block, since releasing waits for kernels."""
    driver = access.driver()
    driver.defer()
    try:
        yield
    finally:
        driver.defer_no_more()


def get_version() -> tuple[int, int]:
    """Return the CUDA version of the driver: (12, 4)."""
    version = access.driver().driver_version()
    return version // 1000, version % 1000 // 10


def is_float16_supported() -> bool:
    """True if the current GPU computes with float16."""
    return _is_from(5, 3)


def is_bfloat16_supported() -> bool:
    """True if the current GPU computes with bfloat16."""
    return _is_from(8, 0)


def _is_from(*least: int) -> bool:
    found: Any = current_capability()
    return found is not None and found >= least
