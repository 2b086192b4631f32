"""LLVM through the C functions of llvmlite's library, called directly.

Importing `llvmlite.binding` costs 50 to 90 ms for Python modules that a compiler of text does not
need; opening the library itself costs 10.  The functions are llvmlite's own interface to LLVM and
belong to its version, so `open_library` checks it; for any other version there is `llvm_fallback`,
which has the same methods on top of `llvmlite.binding`.

Nothing here is thread-safe: `engine` calls it under its lock.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from ctypes import POINTER, byref, c_bool, c_char_p, c_int, c_size_t, c_uint8, c_uint64, c_void_p
from importlib.machinery import PathFinder
from typing import Any

from cutaway.errors import InternalError
from cutaway.foundation.dataclass import dataclass
from cutaway.targets.cpu.optimization import HOST, LIGHT_PASSES, OPTIONS, Cpu, Plan

VERSIONS = ("0.50.",)  # of llvmlite, whose functions are those below
HINT = "pip install 'llvmlite>=0.50,<0.51'"

_STRING = POINTER(c_char_p)  # receives a string that the caller has to free
_OBJECT_FILE = 2  # the kind of a link element
_NATIVE_EFFORT = 2  # of the code generator that the optimizer queries about the machine

# name: (result, arguments)
_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "CloneModule": (c_void_p, (c_void_p,)),
    "ContextCreate": (c_void_p, ()),
    "ContextDispose": (None, (c_void_p,)),
    "CopyStringRepOfTargetData": (None, (c_void_p, _STRING)),
    # the target machine to copy, whether errors stay unprinted, whether to use JITLink
    "CreateLLJITCompiler": (c_void_p, (c_void_p, c_bool, c_bool, _STRING)),
    "CreateNewModulePassManager": (c_void_p, ()),
    "CreatePassBuilder": (c_void_p, (c_void_p, c_void_p)),
    "CreatePipelineTuningOptions": (c_void_p, ()),
    "CreateTargetMachineData": (c_void_p, (c_void_p,)),
    # target, triple, CPU, features, effort, relocation, code model, print, JIT, ABI
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
    "DisposeTargetData": (None, (c_void_p,)),
    "DisposeTimePassesHandler": (None, (c_void_p,)),
    "EnableTimePasses": (None, (c_void_p, c_void_p)),
    "GetBufferSize": (c_size_t, (c_void_p,)),
    "GetBufferStart": (c_void_p, (c_void_p,)),
    "GetDefaultTargetTriple": (None, (_STRING,)),
    "GetHostCPUFeatures": (c_int, (_STRING,)),
    "GetHostCPUName": (None, (_STRING,)),
    "GetTargetFromTriple": (c_void_p, (c_char_p, _STRING)),
    "InitializeAllAsmPrinters": (None, ()),
    "InitializeAllTargetInfos": (None, ()),
    "InitializeAllTargetMCs": (None, ()),
    "InitializeAllTargets": (None, ()),
    "InitializeNativeAsmParser": (c_int, ()),
    "InitializeNativeAsmPrinter": (c_int, ()),
    "InitializeNativeTarget": (c_int, ()),
    "LLJITDispose": (None, (c_void_p,)),
    "LLJIT_Dylib_Tracker_Dispose": (c_bool, (c_void_p, _STRING)),
    # JIT, name, and three arrays with their lengths: inputs, imports, exports
    "LLJIT_Link": (c_void_p, (c_void_p, c_char_p, *(c_void_p, c_size_t) * 3, _STRING)),
    "PTOSetLoopUnrolling": (None, (c_void_p, c_bool)),
    "PTOSetLoopVectorization": (None, (c_void_p, c_bool)),
    "PTOSetSLPVectorization": (None, (c_void_p, c_bool)),
    "ParseAssembly": (c_void_p, (c_void_p, c_char_p, _STRING)),
    "ParseBitcode": (c_void_p, (c_void_p, c_char_p, c_size_t, _STRING)),
    "PrintModuleToString": (None, (c_void_p, _STRING)),
    "ReportAndDisableTimePasses": (None, (c_void_p, _STRING)),
    "RunNewModulePassManager": (None, (c_void_p, c_void_p, c_void_p)),
    "SetCommandLine": (None, (c_char_p, c_char_p)),
    "SetTargetMachineAsmVerbosity": (None, (c_void_p, c_int)),
    "TargetMachineEmitToMemory": (c_void_p, (c_void_p, c_void_p, c_int, _STRING)),
    "VerifyModule": (c_int, (c_void_p, _STRING)),
    "buildPerModuleDefaultPipeline": (c_void_p, (c_void_p, c_int)),
    "module_AddAlwaysInlinerPass": (None, (c_void_p,)),
    "module_AddGlobalDCEPass": (None, (c_void_p,)),
    "module_AddInstCombinePass": (None, (c_void_p,)),
    "module_AddSROAPass": (None, (c_void_p,)),
    "module_AddSimplifyCFGPass": (None, (c_void_p,)),
}


class _LinkElement(ctypes.Structure):
    """One input of a link."""

    _fields_ = (("kind", c_uint8), ("value", c_char_p), ("length", c_size_t))


class _Symbol(ctypes.Structure):
    """A symbol and its address."""

    _fields_ = (("name", c_char_p), ("address", c_uint64))


class LLVMFunctions:
    """The functions, as attributes without their common prefix."""

    def __init__(self, library: ctypes.CDLL) -> None:
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, f"LLVMPY_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:
        raise InternalError(f"LLVMPY_{name} is not in the table of llvm_binding")


class UnknownLibrary(InternalError):
    """llvmlite's library is missing or not of a version whose functions are known."""


def open_library() -> LLVMFunctions:
    """Open llvmlite's library and declare its functions.

    Raises UnknownLibrary if it is missing or of another version.
    """
    spec = PathFinder.find_spec("llvmlite")
    if spec is None or spec.origin is None:
        raise UnknownLibrary("llvmlite is not installed", hint=HINT)
    folder = os.path.dirname(spec.origin)
    version = _version(folder)
    if not version.startswith(VERSIONS):
        raise UnknownLibrary(f"llvmlite is {version}, which Cutaway does not know", hint=HINT)
    names = ("libllvmlite.so", "libllvmlite.dylib", "llvmlite.dll")
    places = (os.path.join(folder, "binding", name) for name in names)
    path = next(filter(os.path.exists, places), None)
    if path is None:
        raise UnknownLibrary(f"llvmlite in {folder} has no library", hint=HINT)
    try:
        return LLVMFunctions(ctypes.CDLL(path))
    except AttributeError as error:
        raise UnknownLibrary(f"llvmlite {version} lacks a function: {error}", hint=HINT) from error


def _version(folder: str) -> str:
    # Reading the text is quicker than importing the package or its metadata.
    with open(os.path.join(folder, "_version.py"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    for line in lines:
        if line.startswith("version_version"):
            return line.partition("=")[2].strip().strip("'\"")
    return "of unknown version"


@dataclass(frozen=True, slots=True)
class ModuleHandle:
    """An LLVM module and its context, which no other module shares."""

    context: int
    module: int


class DirectBinding:
    """The LLVM operations of the engine; handles are addresses."""

    def __init__(self, functions: LLVMFunctions) -> None:
        self._functions = functions
        for option in OPTIONS:
            self.set_option(option)
        functions.InitializeNativeTarget()
        functions.InitializeNativeAsmPrinter()
        functions.InitializeNativeAsmParser()  # for inline assembly of extensions
        self.triple = self._text(functions.GetDefaultTargetTriple)
        name, features = functions.GetHostCPUName, functions.GetHostCPUFeatures
        self.host = Cpu(self._text(name), self._text(features))
        self._machines: dict[tuple[int, Cpu], int] = {}
        self._layouts: dict[str, str] = {}
        self.data_layout(HOST)

    @contextmanager
    def _string(self) -> Iterator[_String]:
        """Receive a string that LLVM allocates; freed at the end."""
        text = _String()
        try:
            yield text
        finally:
            if text.pointer:
                self._functions.DisposeString(ctypes.cast(text.pointer, c_void_p))

    def _text(self, function: Any, *arguments: Any) -> str:
        with self._string() as text:
            function(*arguments, text.ref)
            return str(text)

    def data_layout(self, cpu: Cpu) -> str:
        """Return the data layout of a kind of machine, as LLVM writes it."""
        known = self._layouts.get(cpu.triple)
        if known is None:
            functions = self._functions
            data = functions.CreateTargetMachineData(self._machine(_NATIVE_EFFORT, cpu))
            known = self._layouts[cpu.triple] = self._text(
                functions.CopyStringRepOfTargetData, data
            )
            functions.DisposeTargetData(data)
        return known

    def _machine(self, codegen: int, cpu: Cpu = HOST) -> int:
        """Return the code generator for a processor at a level of effort, made once."""
        if (codegen, cpu) not in self._machines:
            triple = cpu.triple or self.triple
            if cpu.triple:
                self._know_all_machines()
            with self._string() as error:
                target = self._functions.GetTargetFromTriple(triple.encode(), error.ref)
                if not target:
                    raise InternalError(f"LLVM has no target {triple}: {error}")
            tuned = cpu.tuned(self.host)
            words = (text.encode() for text in (triple, tuned.name, tuned.features))
            # Position-independent, since an object is loaded at an address that is known only then.
            self._machines[codegen, cpu] = self._functions.CreateTargetMachine(
                target, *words, codegen, b"pic", b"default", 0, 0, b""
            )
        return self._machines[codegen, cpu]

    def _know_all_machines(self) -> None:
        """Initialize the code generators of all kinds of machines; repeating that has no effect."""
        functions = self._functions
        functions.InitializeAllTargetInfos()
        functions.InitializeAllTargets()
        functions.InitializeAllTargetMCs()
        functions.InitializeAllAsmPrinters()

    def set_option(self, option: str) -> None:
        """Set one of LLVM's own options; an unknown one ends the process."""
        self._functions.SetCommandLine(b"cutaway", option.encode())

    # --- modules --------------------------------------------------------------------------------

    def parse(self, text: str) -> ModuleHandle:
        """Parse a module; raises InternalError with LLVM's message."""
        context = self._functions.ContextCreate()
        with self._string() as error:
            module = self._functions.ParseAssembly(context, text.encode(), error.ref)
            if not module:
                self._functions.ContextDispose(context)
                raise InternalError(str(error))
        return ModuleHandle(context, module)

    def read_bitcode(self, data: bytes) -> ModuleHandle:
        """Parse a module's bitcode; raises InternalError with LLVM's message."""
        context = self._functions.ContextCreate()
        with self._string() as error:
            module = self._functions.ParseBitcode(context, data, len(data), error.ref)
            if not module:
                self._functions.ContextDispose(context)
                raise InternalError(str(error))
        return ModuleHandle(context, module)

    def complaint(self, handle: ModuleHandle) -> str:
        """Return the message of LLVM's verifier about the module; empty for a valid one."""
        with self._string() as error:
            broken = self._functions.VerifyModule(handle.module, error.ref)
            return (str(error) or "no reason given") if broken else ""

    def text(self, handle: ModuleHandle) -> str:
        """Return the module as text."""
        return self._text(self._functions.PrintModuleToString, handle.module)

    def free(self, handle: ModuleHandle) -> None:
        """Free the module."""
        self._functions.DisposeModule(handle.module)
        self._functions.ContextDispose(handle.context)

    # --- optimization ---------------------------------------------------------------------------

    def optimize(self, handle: ModuleHandle, plan: Plan, timing: bool) -> str:
        """Run the plan's passes; with `timing`, returns LLVM's report of the time of each."""
        functions = self._functions
        with self._pass_builder(plan) as builder:
            timer = functions.CreateTimePassesHandler() if timing else 0
            if timer:
                functions.EnableTimePasses(builder, timer)
            passes = self._passes(plan, builder)
            functions.RunNewModulePassManager(passes, handle.module, builder)
            functions.DisposeNewModulePassManger(passes)
            return self._report(timer) if timer else ""

    @contextmanager
    def _pass_builder(self, plan: Plan) -> Iterator[int]:
        functions = self._functions
        options = functions.CreatePipelineTuningOptions()
        functions.PTOSetLoopVectorization(options, plan.vectorize)
        functions.PTOSetSLPVectorization(options, plan.slp)
        functions.PTOSetLoopUnrolling(options, plan.unroll)
        builder = functions.CreatePassBuilder(self._machine(_NATIVE_EFFORT, plan.cpu), options)
        try:
            yield builder
        finally:
            functions.DisposePassBuilder(builder)
            functions.DisposePipelineTuningOptions(options)

    def _passes(self, plan: Plan, builder: int) -> int:
        functions = self._functions
        if plan.level == "full":
            return int(functions.buildPerModuleDefaultPipeline(builder, plan.speed))
        add = {
            "always_inline": functions.module_AddAlwaysInlinerPass,
            "sroa": functions.module_AddSROAPass,
            "simplify_cfg": functions.module_AddSimplifyCFGPass,
            "instcombine": functions.module_AddInstCombinePass,
            "global_dce": functions.module_AddGlobalDCEPass,
        }
        passes = int(functions.CreateNewModulePassManager())
        for name in LIGHT_PASSES:
            add[name](passes)
        return passes

    def _report(self, timer: int) -> str:
        report = self._text(self._functions.ReportAndDisableTimePasses, timer)
        self._functions.DisposeTimePassesHandler(timer)
        return report

    # --- machine code ---------------------------------------------------------------------------

    def set_verbosity(self, plan: Plan, verbose: bool) -> None:
        """Turn LLVM's comments in assembly on or off."""
        machine = self._machine(plan.codegen, plan.cpu)
        self._functions.SetTargetMachineAsmVerbosity(machine, verbose)

    def emit(self, handle: ModuleHandle, plan: Plan, as_object: bool) -> bytes:
        """Emit an object file or assembly.

        Code generation modifies the module, so it uses a copy (0.05 ms).
        """
        functions = self._functions
        copy = functions.CloneModule(handle.module)
        with self._string() as error:
            buffer = functions.TargetMachineEmitToMemory(
                self._machine(plan.codegen, plan.cpu), copy, as_object, error.ref
            )
            functions.DisposeModule(copy)
            if not buffer:
                raise InternalError(str(error))
        start, size = functions.GetBufferStart(buffer), functions.GetBufferSize(buffer)
        data = ctypes.string_at(start, size)
        functions.DisposeMemoryBuffer(buffer)
        return data

    def new_jit(self) -> int:
        """Make a linker and loader of objects.

        JITLink rather than RuntimeDyld: as fast, and a relocation that does not fit is an error
        there, not the end of the process.
        """
        with self._string() as error:
            jit = self._functions.CreateLLJITCompiler(
                self._machine(_NATIVE_EFFORT), True, True, error.ref
            )
            if not jit:
                raise InternalError(str(error))
        return int(jit)

    def free_jit(self, jit: int) -> None:
        """Free a loader, all of whose objects must have been unloaded."""
        self._functions.LLJITDispose(jit)

    def link(
        self,
        jit: int,
        name: str,
        object_code: bytes,
        exports: Sequence[str],
        symbols: Mapping[str, int],
    ) -> tuple[int, dict[str, int]]:
        """Load an object under a name never used before; returns a handle and addresses."""
        inputs = (_LinkElement * 1)(_LinkElement(_OBJECT_FILE, object_code, len(object_code)))
        table = (_Symbol * len(symbols))(*((n.encode(), a) for n, a in symbols.items()))
        wanted = (_Symbol * len(exports))(*((n.encode(), 0) for n in exports))
        arrays = (inputs, 1, table, len(table), wanted, len(wanted))
        with self._string() as error:
            tracker = self._functions.LLJIT_Link(jit, name.encode(), *arrays, error.ref)
            if not tracker:
                raise InternalError(str(error))
        return int(tracker), {n: s.address for n, s in zip(exports, wanted, strict=True)}

    def unload(self, tracker: int) -> None:
        """Unload an object."""
        with self._string() as error:
            if self._functions.LLJIT_Dylib_Tracker_Dispose(tracker, error.ref):
                raise InternalError(f"machine code cannot be unloaded: {error}")


class _String:
    """A string that LLVM allocates."""

    def __init__(self) -> None:
        self.pointer = c_char_p()

    @property
    def ref(self) -> Any:
        """The argument to pass."""
        return byref(self.pointer)

    def __str__(self) -> str:
        return (self.pointer.value or b"").decode(errors="replace")
