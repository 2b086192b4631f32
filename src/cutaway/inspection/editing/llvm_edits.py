"""Checks of edited LLVM IR, made by LLVM in a separate process.

LLVM ends the process on some texts that its verifier accepts, so the whole compilation to machine
code is tried in that process before it runs in this one.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Sequence

from cutaway.errors import InternalError
from cutaway.foundation.dataclass import replace
from cutaway.foundation.sandbox import in_child
from cutaway.foundation.source import UNKNOWN, Loc
from cutaway.ir.levels import Level
from cutaway.lowering.module import entry_name
from cutaway.stages.machine import link
from cutaway.stages.unit import CompileUnit
from cutaway.targets.cpu.engine import Module
from cutaway.targets.cpu.optimization import Plan

_SECONDS = 20.0
_PLACE = re.compile(r"<string>:(\d+):(\d+): error: (.*)")
# Attributes that the entry's parameters must not have: they change how arguments are passed.
_PASSED = ("byval", "sret", "inalloca", "preallocated", "nest", "inreg", "swift", "byref")
_HARMLESS = {"dso_local", "noundef"}  # attributes before the return type that change nothing


def problems(unit: CompileUnit, text: str) -> tuple[str, ...]:
    """Return the problems of a text that replaces a unit's LLVM IR; empty if it can be loaded."""
    answer = in_child(lambda: _tried(unit, text), _SECONDS)
    if answer.kind == "not run":
        return _tried(unit, text)
    if answer.is_returned:
        return answer.value or ()
    return (f"LLVM {answer.words}",)


def _tried(unit: CompileUnit, text: str) -> tuple[str, ...]:
    """Compile and load a text, up to machine code; return its problems."""
    assert unit.callee is not None
    name = entry_name(unit.callee)
    try:
        module = Module(text, unit.plan.cpu)
        of_gpu = bool(unit.target.machine.triple)
        wrong = (_kernel_problem if of_gpu else _entry_problem)(module.text, name, unit)
        if wrong:
            return (wrong,)
        module.optimize(unit.plan if unit.level is Level.llvm else as_it_is(unit.plan))
        if of_gpu:
            _ = module.assembly
            return ()
        twin = unit.copy()
        twin.object_code = module.object_code()
        link.run(twin)
    except InternalError as error:
        return (_said(error.message),)
    return ()


def as_it_is(plan: Plan) -> Plan:
    """Return the plan for an already optimized module: its code is generated with the same
    effort."""
    return replace(plan, level="none")


def _said(message: str) -> str:
    match = _PLACE.search(message)
    return f"line {match[1]}: {match[3]}" if match else " ".join(message.split())


def _defined(text: str, name: str) -> re.Match[str] | None:
    """Match the definition of an entry point: attributes, return type and parameters."""
    return re.search(rf'^define (.*?)(\S+) @"?{re.escape(name)}"?\((.*)\)', text, re.MULTILINE)


def _types(parameters: str) -> list[str]:
    """Return the types of parameters, without their attributes."""
    return re.findall(r"(\w+)[^,]*?%", re.sub(r"\([^()]*\)", "", parameters))


def _kernel_problem(text: str, name: str, unit: CompileUnit) -> str:
    """Return the problem of the entry point of GPU code: launchers and callers use its
    parameters."""
    match, known = _defined(text, name), _defined(unit.llvm, name)
    if match is None or known is None:
        return f"the text does not define @{name}, the entry point"
    types, wanted = (_types(found[3]) for found in (match, known))
    if types != wanted or match[2] != known[2]:
        return f"the entry point @{name} must have the parameters ({', '.join(wanted)})"
    if ("ptx_kernel" in match[1]) != ("ptx_kernel" in known[1]):
        return f"the entry point @{name} must stay what it was: {known[1] or 'no '}kernel"
    return ""


def _entry_problem(text: str, name: str, _: CompileUnit) -> str:
    """Return the problem of a CPU entry point in a text as LLVM prints it."""
    match = _defined(text, name)
    if match is None:
        return f"the text does not define @{name}, the entry point"
    words = re.sub(r"\w+\([^()]*\)", "", match[1]).split()  # without `range(i32 0, 2)`
    if not set(words) <= _HARMLESS:
        return f"the entry point @{name} must be a plain function, not {' '.join(words)}"
    parameters = re.sub(r"\([^()]*\)", "", match[3]).split(", ")
    plain = [p.startswith("ptr") and not any(w in p for w in _PASSED) for p in parameters]
    if match[2] != "i32" or plain != [True] * 3:
        return f"the entry point @{name} must be i32 (ptr, ptr, ptr), not {match[2]} ({match[3]})"
    return ""


def place_in(text: str, problems: Sequence[str], filename: str) -> Loc:
    """Return the location of the line that the first problem names."""
    numbered = re.match(r"line (\d+):", problems[0]) if problems else None
    if numbered is None:
        return UNKNOWN
    lines = [line + "\n" for line in text.splitlines()]
    linecache.cache[filename] = (len(text), None, lines, filename)
    number = int(numbered[1])
    if not 0 < number <= len(lines):
        return UNKNOWN
    line = lines[number - 1].rstrip()
    return Loc(number, len(line) - len(line.lstrip()), number, len(line), filename)
