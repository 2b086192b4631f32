"""The options of `@cuda.jit`: those of GPU code, and those shared with `@jit`."""

from __future__ import annotations

from typing import Any

from cutaway.errors import OptionError, did_you_mean
from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.options import Flags, flags_from_options, shown

Version = tuple[int, int]  # a compute capability: (8, 0)


@dataclass(frozen=True, slots=True)
class KernelOptions:
    """The options of a kernel, or of a `device` function that kernels call.

    `cc`: the compute capability; None for that of the current GPU, or (8, 0) without a GPU.
    `max_registers`: of a thread. `launch_bounds`: the most threads of a block, and the least blocks
    that a multiprocessor should hold. `lineinfo`: a line table. `debug`: checks of indices, and of
    exceptions after each launch. `opt`: from 0 to 3, of `ptxas`.
    """

    device: bool = False
    cc: Version | None = None
    max_registers: int | None = None
    launch_bounds: tuple[int, ...] = ()
    lineinfo: bool = False
    debug: bool = False
    opt: int = 3

    @property
    def attributes(self) -> str:
        """The LLVM attributes of the entry point."""
        names = ("nvvm.maxntid", "nvvm.minctasm")
        words = [f'"{name}"="{bound}"' for name, bound in zip(names, self.launch_bounds)]
        if self.max_registers is not None:
            words.append(f'"nvvm.maxnreg"="{self.max_registers}"')
        return " ".join(words)


_OF_JIT = (
    "boundscheck",
    "error_model",
    "fastmath",
    "inline",
    "locals",
    "cache",
    "overflow",
    "forceinline",
)
_WITHOUT_EFFECT = ("link", "extensions", "lto", "nopython", "abi_info", "shared")
_OWN = (*KernelOptions.__annotations__, "fma")


def kernel_options(options: dict[str, Any]) -> tuple[KernelOptions, Flags]:
    """Parse the keyword arguments of `@cuda.jit`.

    Raises OptionError for an unknown one, or an invalid value.
    """
    for name in options:
        if name not in (*_OWN, *_OF_JIT, *_WITHOUT_EFFECT):
            known = (*_OWN, *_OF_JIT)
            hint = did_you_mean(name, known, f"options: {', '.join(known)}")
            raise OptionError(f"@cuda.jit has no option {name!r}", hint=hint)
    for name in _WITHOUT_EFFECT[:1]:
        if options.get(name):
            raise OptionError(
                f"option {name} is not supported: code from other compilers cannot be linked",
                hint="write the function in Python, as a device function",
            )
    own = {name: value for name, value in options.items() if name in KernelOptions.__annotations__}
    given = KernelOptions(**{name: _checked(name, value) for name, value in own.items()})
    of_jit = {name: value for name, value in options.items() if name in _OF_JIT}
    of_jit.setdefault("boundscheck", given.debug)
    of_jit.setdefault("error_model", "python" if given.debug else "numpy")
    # No polynomials for functions: libdevice is fast.
    flags = replace(flags_from_options(of_jit), vector_math=False)
    if _flag("fma", options.get("fma", True)) and not given.debug:
        flags = flags.contracting()
    return given, flags


def _checked(name: str, value: Any) -> Any:
    if name in ("device", "lineinfo", "debug"):
        return _flag(name, False if value is None else value)
    if name == "cc":
        return None if value is None else _version(value)
    if name == "launch_bounds":
        return _bounds(value)
    if name == "opt":
        return _level(value)
    if value is not None and (type(value) is not int or not 16 <= value <= 255):
        raise OptionError(f"option {name} must be a number from 16 to 255, not {shown(value)}")
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise OptionError(f"option {name} must be True or False, not {shown(value)}")
    return value


def _level(value: Any) -> int:
    if isinstance(value, bool) or value is None:
        return 0 if value is False else 3
    if type(value) is not int or not 0 <= value <= 3:
        raise OptionError(f"option opt must be a number from 0 to 3, not {shown(value)}")
    return value


def _version(value: Any) -> Version:
    if isinstance(value, tuple) and len(value) == 2 and all(type(v) is int for v in value):
        return value  # two integers
    raise OptionError(
        f"option cc must be a compute capability, not {shown(value)}", hint="for example (8, 0)"
    )


def _bounds(value: Any) -> tuple[int, ...]:
    bounds = (value,) if type(value) is int else value
    fits = isinstance(bounds, tuple | list) and 1 <= len(bounds) <= 2
    if value is None:
        return ()
    if not fits or not all(type(bound) is int and bound > 0 for bound in bounds):
        raise OptionError(
            f"option launch_bounds must be a number of threads, not {shown(value)}",
            hint="or a pair with the number of blocks per multiprocessor: (256, 2)",
        )
    return tuple(bounds)
