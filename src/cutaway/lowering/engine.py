"""From LLVM IR as text to machine code in memory.

One host target a process (its CPU, position-independent code), one pipeline a module, one LLJIT
that is only ever given objects.  A `Library` is unloaded when nothing refers to it any more.
"""

from __future__ import annotations

import ctypes
import itertools
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from ctypes import c_void_p
from dataclasses import dataclass
from functools import cache
from typing import Any

from cutaway.errors import InternalError
from cutaway.lowering.llvm_binding import (
    LOCK,
    Functions,
    LinkElement,
    SymbolAddress,
    open_library,
    output,
)

_OBJECT_FILE = 2  # the kind of a link element


@dataclass(frozen=True, slots=True)
class Plan:
    """How to optimize a module and generate its code.

    `level`: "full" is LLVM's own pipeline at `speed` (0 to 3), "light" a handful of passes that
    make straight-line code good, "none" nothing.  `codegen` is 0 (quick) or 2.
    """

    level: str = "full"
    speed: int = 3
    vectorize: bool = True
    unroll: bool = True
    codegen: int = 2


LIGHT = Plan("light", vectorize=False, unroll=False)
NOTHING = Plan("none", codegen=0)


@dataclass(frozen=True, slots=True)
class _Host:
    """The library's functions and what is known of the machine."""

    functions: Functions
    triple: bytes
    cpu: bytes
    features: bytes
    target: int


@cache
def host() -> _Host:
    """Open LLVM; once in a process."""
    functions = open_library()
    functions.InitializeNativeTarget()
    functions.InitializeNativeAsmPrinter()
    triple = _text(functions, functions.GetDefaultTargetTriple)
    cpu = _text(functions, functions.GetHostCPUName)
    features = _text(functions, functions.GetHostCPUFeatures)
    with output(functions) as error:
        target = functions.GetTargetFromTriple(triple, error.ref)
        if not target:
            raise InternalError(f"LLVM has no target for this machine: {error}")
    return _Host(functions, triple, cpu, features, target)


def _text(functions: Functions, function: Any) -> bytes:  # Any: a foreign function
    with output(functions) as text:
        function(text.ref)
        return str(text).encode()


@cache
def target_machine(codegen: int) -> int:
    """The code generator for this machine at a level of effort; one a level and process."""
    here = host()
    machine = here.functions.CreateTargetMachine(
        here.target,
        here.triple,
        here.cpu,
        here.features,
        codegen,
        b"pic",
        b"default",
        0,
        0,
        b"",
    )
    if not machine:
        raise InternalError("LLVM cannot generate code for this machine")
    return int(machine)


@cache
def _header() -> str:
    """What every module says about its target."""
    here = host()
    data = here.functions.CreateTargetMachineData(target_machine(2))
    with output(here.functions) as layout:
        here.functions.CopyStringRepOfTargetData(data, layout.ref)
        text = str(layout)
    return f'target datalayout = "{text}"\ntarget triple = "{here.triple.decode()}"\n'


class Module:
    """LLVM IR in memory, in a context of its own."""

    def __init__(self, text: str) -> None:
        """Parse and verify a module.

        Raises InternalError with LLVM's message and the line that it is about.
        """
        self._functions = host().functions
        self._context = 0
        self._module = 0
        self._plan = NOTHING
        with LOCK:
            self._context = self._functions.ContextCreate()
            self._module = self._parse(_header() + text, text)
            self._verify()

    def _parse(self, full: str, text: str) -> int:
        with output(self._functions) as error:
            module = self._functions.ParseAssembly(self._context, full.encode(), error.ref)
            if not module:
                raise InternalError(_located(str(error), text))
            return int(module)

    def _verify(self) -> None:
        with output(self._functions) as error:
            if self._functions.VerifyModule(self._module, error.ref):
                raise InternalError(f"the LLVM IR is not valid: {error}")

    def __del__(self) -> None:
        with LOCK:
            if self._module:
                self._functions.DisposeModule(self._module)
            if self._context:
                self._functions.ContextDispose(self._context)

    @property
    def text(self) -> str:
        """The module as text."""
        with LOCK, output(self._functions) as text:
            self._functions.PrintModuleToString(self._module, text.ref)
            return str(text)

    def optimize(self, plan: Plan, timing: bool = False) -> str:
        """Run the plan's passes; with `timing`, gives LLVM's report of the time of each."""
        self._plan = plan
        if plan.level == "none":
            return ""
        with LOCK, self._pass_builder(plan) as builder:
            run = self._functions.CreateTimePassesHandler() if timing else 0
            if run:
                self._functions.EnableTimePasses(builder, run)
            passes = self._passes(plan, builder)
            self._functions.RunNewModulePassManager(passes, self._module, builder)
            self._functions.DisposeNewModulePassManger(passes)
            return self._report(run) if run else ""

    @contextmanager
    def _pass_builder(self, plan: Plan) -> Iterator[int]:
        functions = self._functions
        options = functions.CreatePipelineTuningOptions()
        functions.PTOSetLoopVectorization(options, plan.vectorize)
        functions.PTOSetSLPVectorization(options, plan.vectorize)
        functions.PTOSetLoopUnrolling(options, plan.unroll)
        builder = functions.CreatePassBuilder(target_machine(2), options)
        try:
            yield builder
        finally:
            functions.DisposePassBuilder(builder)
            functions.DisposePipelineTuningOptions(options)

    def _passes(self, plan: Plan, builder: int) -> int:
        functions = self._functions
        if plan.level == "full":
            return int(functions.buildPerModuleDefaultPipeline(builder, plan.speed))
        passes = int(functions.CreateNewModulePassManager())
        functions.module_AddAlwaysInlinerPass(passes)
        functions.module_AddSROAPass(passes)
        functions.module_AddSimplifyCFGPass(passes)
        functions.module_AddInstCombinePass(passes)
        functions.module_AddSimplifyCFGPass(passes)
        functions.module_AddGlobalDCEPass(passes)
        return passes

    def _report(self, handler: int) -> str:
        with output(self._functions) as text:
            self._functions.ReportAndDisableTimePasses(handler, text.ref)
            report = str(text)
        self._functions.DisposeTimePassesHandler(handler)
        return report

    @property
    def assembly(self) -> str:
        """The machine code as assembly."""
        return self._emit(0).decode(errors="replace")

    def object_code(self) -> bytes:
        """The machine code as an object file."""
        return self._emit(1)

    def _emit(self, as_object: int) -> bytes:
        functions = self._functions
        with LOCK, output(functions) as error:
            machine = target_machine(self._plan.codegen)
            buffer = functions.TargetMachineEmitToMemory(
                machine, self._module, as_object, error.ref
            )
            if not buffer:
                raise InternalError(f"LLVM cannot generate code: {error}")
            data = ctypes.string_at(
                functions.GetBufferStart(buffer), functions.GetBufferSize(buffer)
            )
            functions.DisposeMemoryBuffer(buffer)
            return data


def _located(message: str, text: str) -> str:
    """LLVM's complaint with the line of the module that it is about."""
    found = re.search(r":(\d+):\d+", message)
    if not found:
        return f"the LLVM IR cannot be read: {message}"
    lines = (_header() + text).splitlines()
    line = lines[min(int(found[1]), len(lines)) - 1]
    return f"the LLVM IR cannot be read: {message.strip()}\n  in: {line.strip()}"


# --- loading ----------------------------------------------------------------------------------


@cache
def _lljit() -> int:
    functions = host().functions
    with output(functions) as error:
        made = functions.CreateLLJITCompiler(target_machine(2), True, True, error.ref)
        if not made:
            raise InternalError(f"LLVM cannot make a JIT: {error}")
    return int(made)


_SERIAL = itertools.count(1)


class Library:
    """Machine code in memory; unloaded when the object is collected."""

    def __init__(self, tracker: int, addresses: dict[str, int]) -> None:
        self._tracker = tracker
        self._addresses = addresses
        self._functions = host().functions

    @classmethod
    def load(
        cls, object_code: bytes, exports: tuple[str, ...], symbols: Mapping[str, int]
    ) -> Library:
        """Load an object file; `symbols` are the addresses of all that it needs from outside.

        Raises InternalError where it needs something else.
        """
        functions = host().functions
        inputs = (LinkElement * 1)(LinkElement(_OBJECT_FILE, object_code, len(object_code)))
        wanted = (SymbolAddress * len(exports))()
        for entry, name in zip(wanted, exports, strict=True):
            entry.name = name.encode()
        given = (SymbolAddress * len(symbols))()
        for entry, (name, address) in zip(given, symbols.items(), strict=True):
            entry.name, entry.address = name.encode(), address
        name = f"cutaway{next(_SERIAL)}".encode()
        with LOCK, output(functions) as error:
            tracker = functions.LLJIT_Link(
                _lljit(), name, inputs, 1, given, len(given), wanted, len(wanted), error.ref
            )
            if not tracker:
                raise InternalError(f"the machine code cannot be loaded: {error}")
        found = {text: entry.address for text, entry in zip(exports, wanted, strict=True)}
        return cls(int(tracker), found)

    def address(self, name: str) -> int:
        """The address of an exported function."""
        return self._addresses[name]

    def __del__(self) -> None:
        with LOCK, output(self._functions) as error:
            self._functions.LLJIT_Dylib_Tracker_Dispose(c_void_p(self._tracker), error.ref)
