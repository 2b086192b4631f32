"""GPUs as a target: kernels, and the functions that kernels call."""

from __future__ import annotations

from functools import cache, partial

from cutaway.foundation.dataclass import replace
from cutaway.library.gpu import GPU as REGISTRY
from cutaway.library.gpu.runtime import IMPLEMENTATIONS
from cutaway.targets.cpu.optimization import Cpu
from cutaway.targets.ptx.capabilities import machine_of
from cutaway.targets.ptx.device_runtime import definition
from cutaway.targets.ptx.entry import function_text, kernel_name, kernel_text, plain_name
from cutaway.targets.ptx.exceptions import ByRecord
from cutaway.targets.target import Target

# A function that kernels call.
DEVICE = Target(
    "ptx",
    REGISTRY,
    machine_of((8, 0)),
    {},
    ByRecord(),
    function_text,
    pipeline="ptx",
    definitions=partial(definition, machine="sm_80"),
    recurses=False,
    stem=plain_name,
    implementations=IMPLEMENTATIONS,
    entry_name=kernel_name,
    whole_fields=True,
)


@cache
def device_target(machine: Cpu, fast: bool = False) -> Target:
    """Return the target of functions that kernels call, for a GPU; with `fast` float32 functions
    are less exact."""
    known = partial(definition, machine=machine.name, fast=fast)
    return replace(DEVICE, machine=machine, definitions=known)


@cache
def kernel_target(machine: Cpu, attributes: str = "", fast: bool = False) -> Target:
    """Return the target of kernels, for a GPU; `attributes` are LLVM's of the entry point."""
    device = device_target(machine, fast)
    entry = partial(kernel_text, attributes=attributes)
    return replace(device, entry=entry, usual=device, launched=True)


@cache
def adjusted(target: Target, lines: bool, effort: int) -> Target:
    """Return the same target, with the user's `lines` in its PTX, and the `effort` of `ptxas`."""
    return replace(target, lines=lines, effort=effort)
