"""GPU kernels in Python, named as in `numba.cuda`.

    from cutaway import cuda

    @cuda.jit
    def saxpy(a, x, y):
        i = cuda.grid(1)
        if i < y.size:
            y[i] += a * x[i]

    saxpy[blocks, threads](2.0, x, y)                   # on a GPU
    cuda.simulate(saxpy)[blocks, threads](2.0, x, y)    # without one, and with a check for races

Importing it loads neither the compiler nor a driver.
"""

from __future__ import annotations

from typing import Any

from cutaway.foundation import loading
from cutaway.gpu import words
from cutaway.gpu.words import *  # noqa: F403

_ERRORS = ("CudaError", "CudaDriverError", "LaunchError", "RaceError", "SimulationError")

_BFLOAT16 = ("bfloat16", "float32_to_bf16", "bf16_to_float32")  # they need NumPy

# Names whose modules are loaded on first use.
_LATER: dict[str, tuple[str, str]] = {
    "jit": ("cutaway.cuda.kernels", "jit"),
    "compile_ptx": ("cutaway.cuda.compiling", "compile_ptx"),
    "random": ("cutaway.cuda.random", ""),  # the module itself
    "reduce": ("cutaway.cuda.ufuncs.reducing", "Reduce"),
    "Reduce": ("cutaway.cuda.ufuncs.reducing", "Reduce"),
    **{
        name: (f"cutaway.cuda.driver.{module}", name)
        for module, names in (
            (
                "devices",
                "is_available detect get_current_device list_devices select_device gpus close"
                " current_context synchronize defer_cleanup is_float16_supported"
                " is_bfloat16_supported",
            ),
            (
                "streams",
                "stream default_stream legacy_default_stream per_thread_default_stream"
                " external_stream event event_elapsed_time Stream Event",
            ),
            ("arrays", "to_device device_array device_array_like DeviceArray DeviceRecord"),
            (
                "memory",
                "pinned pinned_array pinned_array_like mapped_array mapped_array_like",
            ),
            ("foreign", "as_cuda_array is_cuda_array from_cuda_array_interface"),
            ("arguments", "In Out InOut"),
            ("occupancy", "occupancy"),
        )
        for name in names.split()
    },
    **{name: ("cutaway.gpu.bfloat16", name) for name in _BFLOAT16},
    **{name: ("cutaway.errors", name) for name in _ERRORS},
    "CudaSupportError": ("cutaway.errors", "CudaError"),  # Numba's name, for a missing GPU
    "simulate": ("cutaway.cuda.simulator.simulating", "simulate"),
    "one_thread": ("cutaway.cuda.simulator.plain", "one_thread"),
}

__all__ = [*words.__all__, *_LATER]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'cutaway.cuda' has no attribute {name!r}")
    module, attribute = _LATER[name]
    loaded = loading.load(module)
    value = globals()[name] = getattr(loaded, attribute) if attribute else loaded
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATER])
