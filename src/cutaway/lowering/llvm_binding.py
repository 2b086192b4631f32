"""The C functions of llvmlite's library, called directly.

Importing `llvmlite.binding` costs 50 to 90 ms of Python modules that a compiler of text does
not need; opening the library itself costs 10.  The functions are llvmlite's own interface to
LLVM and belong to its version, which is checked when the library is opened.
"""

from __future__ import annotations

import ctypes
import importlib.util
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import POINTER, byref, c_bool, c_char_p, c_int, c_size_t, c_uint8, c_uint64, c_void_p
from pathlib import Path
from typing import Any

from cutaway.errors import InternalError

VERSIONS = ("0.50.",)  # of llvmlite, whose functions are those below
LOCK = threading.RLock()  # LLVM is entered by one thread at a time

# name: (result, arguments)
_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {  # Any: ctypes types
    "ContextCreate": (c_void_p, ()),
    "ContextDispose": (None, (c_void_p,)),
    "CreateLLJITCompiler": (c_void_p, (c_void_p, c_bool, c_bool, POINTER(c_char_p))),
    "CreateNewModulePassManager": (c_void_p, ()),
    "CreatePassBuilder": (c_void_p, (c_void_p, c_void_p)),
    "CreatePipelineTuningOptions": (c_void_p, ()),
    "CopyStringRepOfTargetData": (None, (c_void_p, POINTER(c_char_p))),
    "CreateTargetMachineData": (c_void_p, (c_void_p,)),
    "CreateTargetMachine": (
        c_void_p,
        (c_void_p, c_char_p, c_char_p, c_char_p, c_int, c_char_p, c_char_p, c_int, c_int, c_char_p),
    ),
    "CreateTimePassesHandler": (c_void_p, ()),
    "DisposeMemoryBuffer": (None, (c_void_p,)),
    "DisposeModule": (None, (c_void_p,)),
    "DisposeNewModulePassManger": (None, (c_void_p,)),
    "DisposePassBuilder": (None, (c_void_p,)),
    "DisposePipelineTuningOptions": (None, (c_void_p,)),
    "DisposeString": (None, (c_void_p,)),
    "DisposeTimePassesHandler": (None, (c_void_p,)),
    "EnableTimePasses": (None, (c_void_p, c_void_p)),
    "GetBufferSize": (c_size_t, (c_void_p,)),
    "GetBufferStart": (c_void_p, (c_void_p,)),
    "GetDefaultTargetTriple": (None, (POINTER(c_char_p),)),
    "GetHostCPUFeatures": (c_int, (POINTER(c_char_p),)),
    "GetHostCPUName": (None, (POINTER(c_char_p),)),
    "GetTargetFromTriple": (c_void_p, (c_char_p, POINTER(c_char_p))),
    "InitializeNativeAsmPrinter": (c_int, ()),
    "InitializeNativeTarget": (c_int, ()),
    "LLJIT_Dylib_Tracker_Dispose": (c_bool, (c_void_p, POINTER(c_char_p))),
    "LLJIT_Link": (
        c_void_p,
        (
            c_void_p,
            c_char_p,
            c_void_p,
            c_size_t,
            c_void_p,
            c_size_t,
            c_void_p,
            c_size_t,
            POINTER(c_char_p),
        ),
    ),
    "PTOSetLoopUnrolling": (None, (c_void_p, c_bool)),
    "PTOSetLoopVectorization": (None, (c_void_p, c_bool)),
    "PTOSetSLPVectorization": (None, (c_void_p, c_bool)),
    "ParseAssembly": (c_void_p, (c_void_p, c_char_p, POINTER(c_char_p))),
    "PrintModuleToString": (None, (c_void_p, POINTER(c_char_p))),
    "ReportAndDisableTimePasses": (None, (c_void_p, POINTER(c_char_p))),
    "RunNewModulePassManager": (None, (c_void_p, c_void_p, c_void_p)),
    "TargetMachineEmitToMemory": (c_void_p, (c_void_p, c_void_p, c_int, POINTER(c_char_p))),
    "VerifyModule": (c_int, (c_void_p, POINTER(c_char_p))),
    "buildPerModuleDefaultPipeline": (c_void_p, (c_void_p, c_int)),
    "module_AddAlwaysInlinerPass": (None, (c_void_p,)),
    "module_AddGlobalDCEPass": (None, (c_void_p,)),
    "module_AddInstCombinePass": (None, (c_void_p,)),
    "module_AddSROAPass": (None, (c_void_p,)),
    "module_AddSimplifyCFGPass": (None, (c_void_p,)),
}


class LinkElement(ctypes.Structure):
    """One input of a link: kind 2 is the bytes of an object file."""

    _fields_ = (("kind", c_uint8), ("value", c_char_p), ("length", c_size_t))


class SymbolAddress(ctypes.Structure):
    """A symbol and its address."""

    _fields_ = (("name", c_char_p), ("address", c_uint64))


class Functions:
    """The functions, as attributes without their common prefix."""

    def __init__(self, library: ctypes.CDLL) -> None:
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, f"LLVMPY_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:  # Any: a foreign function
        raise InternalError(f"LLVMPY_{name} is not in the table of llvm_binding")


def open_library() -> Functions:
    """Open llvmlite's library and declare its functions.

    Raises InternalError where llvmlite is not there or is of another version.
    """
    spec = importlib.util.find_spec("llvmlite")
    if spec is None or spec.origin is None:
        raise InternalError("llvmlite is not installed", hint="pip install 'llvmlite>=0.50,<0.51'")
    folder = Path(spec.origin).parent
    version = _version(folder)
    if not version.startswith(VERSIONS):
        raise InternalError(
            f"llvmlite {version} is installed, which Cutaway does not know",
            hint="pip install 'llvmlite>=0.50,<0.51'",
        )
    names = ("libllvmlite.so", "libllvmlite.dylib", "llvmlite.dll")
    found = next((p for p in (folder / "binding" / name for name in names) if p.exists()), None)
    if found is None:
        raise InternalError(f"llvmlite in {folder} has no library")
    try:
        return Functions(ctypes.CDLL(str(found)))
    except AttributeError as error:
        raise InternalError(f"llvmlite {version} lacks a function: {error}") from error


def _version(folder: Path) -> str:
    # Reading the text is quicker than importing the package or its metadata.
    for line in (folder / "_version.py").read_text().splitlines():
        if line.startswith("version_version"):
            return line.partition("=")[2].strip().strip("'\"")
    return "of unknown version"


@contextmanager
def output(functions: Functions) -> Iterator[Output]:
    """A place for a string that LLVM allocates; freed at the end."""
    text = Output()
    try:
        yield text
    finally:
        if text.pointer:
            functions.DisposeString(ctypes.cast(text.pointer, c_void_p))


class Output:
    """A string that LLVM gives."""

    def __init__(self) -> None:
        self.pointer = c_char_p()

    @property
    def ref(self) -> Any:  # Any: a ctypes reference
        """The argument to pass."""
        return byref(self.pointer)

    def __str__(self) -> str:
        return (self.pointer.value or b"").decode(errors="replace")
