"""Compiled kernels, loaded into the context of the current thread."""

from __future__ import annotations

import ctypes

from cutaway.cuda.code import KernelCode, code_of
from cutaway.cuda.driver import access
from cutaway.cuda.driver.reports import RECORD_BYTES, Report
from cutaway.cuda.kernels import KernelHalf
from cutaway.typing.types import Type

_ERROR = "cutaway_error"  # where a module has the address of its record
assert RECORD_BYTES == 64, "as device_runtime has it"

Loaded = tuple[int, int, object]  # the function, its record or 0, and what keeps both


class Loading:
    """Loads a kernel for one signature; the C half calls it once for each context."""

    def __init__(self, half: KernelHalf, argtypes: tuple[Type, ...]) -> None:
        self.half = half
        self.argtypes = argtypes

    def __call__(self) -> Loaded:
        """Load it into the current context.

        Raises CudaError where the driver refuses it.
        """
        code = code_of(self.half, self.argtypes)
        options = self.half.options
        module = access.driver().load_module(
            _image(code), options.opt, options.max_registers or 0, options.lineinfo
        )
        function = access.driver().function_of(module, code.name)
        report = _reported(module, code)
        return function, 0 if report is None else report.address, (module, report)


def _image(code: KernelCode) -> bytes:
    """Machine code, or PTX, which ends with a zero: the driver has a compiler for it."""
    return code.cubin or code.ptx.encode() + b"\0"


def _reported(module: object, code: KernelCode) -> Report | None:
    """The record of the exceptions that the threads of a module raise; None where none can."""
    driver = access.driver()
    place = driver.global_of(module, _ERROR)
    if place is None:
        return None

    def explain(*told: object) -> BaseException:
        return code.explanations(*told)  # type: ignore[arg-type]  what a record tells

    report = Report(explain)
    word = ctypes.c_uint64(driver.device_address(report.memory))
    driver.copy_to_device(place[0], ctypes.addressof(word), ctypes.sizeof(word), 0, True)
    return report
