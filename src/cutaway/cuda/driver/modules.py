"""Compiled kernels, loaded into the context of the current thread."""

from __future__ import annotations

import ctypes

from cutaway.cuda.code import KernelCode, code_of
from cutaway.cuda.driver import access, devices
from cutaway.cuda.driver.reports import RECORD_BYTES, Report
from cutaway.cuda.kernels import KernelHalf
from cutaway.cuda.options import Version
from cutaway.errors import CudaDriverError
from cutaway.typing.types import Type

_ERROR = "cutaway_error"  # the global of a module that holds the address of its record
_OTHER_CODE = frozenset({200, 209})  # results for incompatible machine code
assert RECORD_BYTES == 64, "as device_runtime has it"

Loaded = tuple[int, int, object]  # the function, its record or 0, and the owner of both


class Loading:
    """Loads a kernel for one signature; the C half calls it once per context."""

    def __init__(self, half: KernelHalf, argtypes: tuple[Type, ...]) -> None:
        self.half = half
        self.argtypes = argtypes

    def __call__(self) -> Loaded:
        """Load the kernel into the current context.

        Raises CudaError if the driver refuses it.
        """
        code = code_of(self.half, self.argtypes)
        module = self._loaded(code)
        function = access.driver().function_of(module, code.name)
        report = _reported(module, code)
        return function, 0 if report is None else report.address, (module, report)

    def _loaded(self, code: KernelCode) -> object:
        """Load the module from machine code or, if that is for another GPU, from PTX."""
        options = self.half.options
        rest = options.opt, options.max_registers or 0, options.lineinfo
        if code.cubin and _runs_here(code.cc):
            try:
                return access.driver().load_module(code.cubin, *rest)
            except CudaDriverError as error:
                if error.result not in _OTHER_CODE:
                    raise
        return access.driver().load_module(code.ptx.encode() + b"\0", *rest)


def _runs_here(cc: Version) -> bool:
    """True if machine code for a capability runs on the current GPU."""
    major, minor = devices.get_current_device().compute_capability
    return cc[0] == major and cc[1] <= minor


def _reported(module: object, code: KernelCode) -> Report | None:
    """Return the exception record of a module's threads; None if they cannot raise."""
    driver = access.driver()
    place = driver.global_of(module, _ERROR)
    if place is None:
        return None

    def explain(*told: object) -> BaseException:
        return code.explanations(*told)  # type: ignore[arg-type]  # the fields of a record

    report = Report(explain)
    word = ctypes.c_uint64(driver.device_address(report.memory))
    driver.copy_to_device(place[0], ctypes.addressof(word), ctypes.sizeof(word), 0, True)
    return report
