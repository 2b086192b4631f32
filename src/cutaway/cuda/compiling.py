"""Compile kernels: from argument types to PTX."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import FunctionType
from typing import Any

from cutaway import config
from cutaway.compiling import compiler
from cutaway.cuda.driver import devices
from cutaway.cuda.kernels import KernelHalf
from cutaway.cuda.options import KernelOptions, Version, kernel_options
from cutaway.dispatch.resolution import observed
from cutaway.dispatch.signatures import fitting_signature
from cutaway.errors import OptionError
from cutaway.foundation.options import Flags, shown
from cutaway.stages import pipelines
from cutaway.stages.unit import CompileUnit
from cutaway.targets.ptx.assembling import assemble, disassemble
from cutaway.targets.ptx.capabilities import machine_of, nearest
from cutaway.targets.ptx.target import adjusted, device_target, kernel_target
from cutaway.targets.target import Target
from cutaway.typing.types import Type

PIPELINE = pipelines.ptx
DEFAULT_CC = (8, 0)


def capability_of(options: KernelOptions) -> Version:
    """Return the compute capability that options ask for, or that of the current GPU."""
    return options.cc or _current_capability() or DEFAULT_CC


# The driver's files on a machine with a GPU, also in WSL and on boards.
_SIGNS = ("/dev/nvidiactl", "/dev/dxg", "/dev/nvmap")


def _current_capability() -> Version | None:
    """Return the current GPU's; without a sign of one the driver modules are not loaded."""
    if not config.value("CUDA_DRIVER") and not any(map(os.path.exists, _SIGNS)):
        return None
    found: Version | None = devices.current_capability()
    return None if found is None else nearest(found)


def target_of(options: KernelOptions, flags: Flags) -> Target:
    """Return the target that options ask for.

    Raises CudaError for an unknown compute capability.
    """
    machine = machine_of(capability_of(options))
    fast = "afn" in flags.fastmath
    if options.device:
        target = device_target(machine, fast)
    else:
        target = kernel_target(machine, options.attributes, fast)
    return adjusted(target, options.lineinfo or options.debug, options.opt)


def compiled(half: KernelHalf, argtypes: tuple[Type, ...]) -> CompileUnit:
    """Return the unit of a kernel for argument types, compiled to PTX once.

    Raises CompileError if it does not compile.
    """
    with observed(half, argtypes) as observers:
        return compiler.machine_code_unit(half, argtypes, observers)


def compile_signature(half: KernelHalf, signature: Any) -> CompileUnit:
    """Compile for a written signature.

    Raises SignatureError if it does not fit the function.
    """
    written = fitting_signature(half, signature)
    if written.returns is not None:
        half.returns[written.args] = written.returns
    return compiled(half, written.args)


def texts(half: KernelHalf, signature: Any, level: str) -> Any:
    """Return the text of one signature, or of all by their argument types."""
    if signature is None:
        return {types: getattr(unit, level) for types, unit in half.units.items()}
    return getattr(compile_signature(half, signature), level)


def machine_code(half: KernelHalf, signature: Any) -> Any:
    """Return the machine code of one signature as text, or of all by their argument types.

    (Any: text, or types.) Raises CudaError if `ptxas` or `nvdisasm` is not installed.
    """
    if signature is None:
        return {
            types: disassemble(assembled(unit, half.options)) for types, unit in half.units.items()
        }
    return disassemble(assembled(compile_signature(half, signature), half.options))


def assembled(unit: CompileUnit, options: KernelOptions) -> bytes:
    """Assemble a kernel to the machine code that a GPU loads.

    Raises CudaError if `ptxas` is not installed, or refuses the PTX.
    """
    return assemble(
        unit.ptx,
        capability_of(options),
        opt=options.opt,
        lineinfo=options.lineinfo or options.debug,
        max_registers=options.max_registers,
    ).cubin


def compile_ptx(
    pyfunc: Callable[..., Any],
    sig: Any,
    debug: bool | None = None,
    lineinfo: bool = False,
    device: bool = False,
    fastmath: bool = False,
    cc: tuple[int, int] | None = None,
    opt: int | bool | None = None,
    abi: str = "c",
    fma: bool = True,
) -> tuple[str, Type]:
    """Compile a Python function to PTX, as a kernel or a `device` function; return the text and the
    return type.

    A kernel's parameters are its numbers and, for each array, its data (a pointer), sizes and
    strides in bytes (64-bit integers). A device function has the same, and returns its value (`abi`
    "c").

    Raises SignatureError for a signature that cannot be read, CompileError if the function does not
    compile.
    """
    if abi != "c":
        raise OptionError(f"option abi must be 'c', not {shown(abi)}")
    function = getattr(pyfunc, "py_func", pyfunc)
    if not isinstance(function, FunctionType):
        raise OptionError(f"only a Python function can be compiled, not {shown(pyfunc)}")
    options, flags = kernel_options(
        {
            **dict(device=device, debug=bool(debug), lineinfo=lineinfo, cc=cc, opt=opt, fma=fma),
            "fastmath": fastmath,
        }
    )
    half = KernelHalf(function, flags, options)
    unit = compile_signature(half, sig)
    return unit.ptx, unit.return_type
