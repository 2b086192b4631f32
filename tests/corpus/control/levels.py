"""A plain Python function at the levels that come before types."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import cutaway
from cutaway.compiling import compiler
from cutaway.frontend.build import build_function
from cutaway.ir.function import Function
from cutaway.ir.interpreter import interpret
from cutaway.ir.levels import Level
from cutaway.ir.parser import parse
from cutaway.ir.printer import known_objects, to_text
from cutaway.ir.verifier import verify
from cutaway.stages import pipelines
from cutaway.stages.unit import CompileUnit


def at_ir(function: FunctionType) -> Function:
    """The function at level ir, as its text says."""
    return _read_again(build_function(function), Level.ir)


def at_ssa(function: FunctionType) -> Function:
    """The function in SSA form, simplified, as its text says."""
    flags = cutaway.jit(function).half.flags
    unit = CompileUnit(function, None, flags, compiler.SERVICES, function.__name__)
    return _read_again(compiler.compile_unit(unit, pipelines.untyped).fn, Level.ssa)


def _read_again(fn: Function, level: Level) -> Function:
    assert not verify(fn, level)
    text = to_text(fn)
    again = parse(text, names=known_objects(fn)).fn
    assert to_text(again) == text
    again.namespace, again.closure = fn.namespace, fn.closure
    assert not verify(again, level)
    return again


def runner(fn: Function) -> Callable[..., Any]:
    """What calls a function of the IR."""
    return lambda *args: interpret(fn, *args)
