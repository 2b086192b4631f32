"""GPUs as a target: kernels, and the functions that kernels call."""

from __future__ import annotations

from functools import cache, partial

from cutaway.foundation.dataclass import replace
from cutaway.library.gpu.registry import GPU as REGISTRY
from cutaway.targets.cpu.optimization import Cpu
from cutaway.targets.ptx.device_runtime import definition
from cutaway.targets.ptx.entry import function_text, kernel_text, plain_name
from cutaway.targets.ptx.exceptions import ByRecord
from cutaway.targets.target import Target

TRIPLE = "nvptx64-nvidia-cuda"


# A function that kernels call.
DEVICE = Target(
    "ptx",
    REGISTRY,
    Cpu("sm_80", "+ptx70", TRIPLE),
    {},
    ByRecord(),
    function_text,
    pipeline="ptx",
    definitions=definition,
    recurses=False,
    stem=plain_name,
)


@cache
def device_target(machine: Cpu) -> Target:
    """The target of functions that kernels call, for a GPU."""
    return DEVICE.on(machine)


@cache
def kernel_target(machine: Cpu, attributes: str = "") -> Target:
    """The target of kernels, for a GPU; `attributes` are those of the entry point in LLVM."""
    device = device_target(machine)
    return replace(device, entry=partial(kernel_text, attributes=attributes), usual=device)
