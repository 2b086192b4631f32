"""Programs after every pass: clean, readable back, and still doing what Python does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from corpus.compiling import for_call
from corpus.programs.compare import outcome, same
from cutaway.compiling import compiler
from cutaway.dispatch import native
from cutaway.extending.registry import CONTEXT
from cutaway.inspection.witness.execution import plain_python
from cutaway.ir.interpreter import interpret
from cutaway.ir.levels import Level
from cutaway.ir.parser import parse
from cutaway.ir.printer import known_objects, to_text
from cutaway.ir.traversal import walk
from cutaway.ir.verifier import verify
from cutaway.stages.observers import Observer
from cutaway.stages.unit import CompileUnit
from cutaway.typing.inference.resolutions import Chosen, Held, OneOf, unresolved
from cutaway.typing.inference.resolving import resolve_all
from cutaway.typing.overloads.notation import parse_type
from cutaway.typing.overloads.parameters import parameters_of
from cutaway.typing.types import Type
from cutaway.typing.values.coercion import coerce


def gist(found):
    """What is chosen, but for the names of variables."""
    match found:
        case Chosen(question, resolution, owner):
            asked = question.call
            return question.function, asked.arguments.types, asked.keywords, resolution, owner
        case OneOf(functions):
            return tuple(map(gist, functions))
        case Held(value):
            return id(value)
    return found


def check_resolutions(unit) -> None:
    """What inference chose, and passes have carried on, is what each op asks for by its types."""
    assert "resolutions" in vars(unit), "a pass of our own has dropped them"
    assert not list(unresolved(unit.fn, unit.types, unit.resolutions)), to_text(unit.fn)
    there = {op.id for op in walk(unit.fn)}
    kept = {at: gist(found) for at, found in unit.resolutions.items() if at in there}
    anew = resolve_all(unit.fn, unit.argtypes or (), unit.types, CONTEXT)
    assert kept == {at: gist(found) for at, found in anew.items()}


Arguments = Callable[[], tuple[Any, ...]]


class EveryPass(Observer):
    """Checks the state that each pass leaves."""

    def __init__(self, function: Callable[..., Any], make: Arguments) -> None:
        self.function = function
        self.make = make
        self.expected = outcome(in_python(function), make())
        self.checked: list[str] = []

    def after_pass(self, unit, step, seconds) -> None:
        if unit.pyfunc is not self.function:
            return
        if not unit.level.is_ir:
            return
        types = unit.types if unit.level is Level.typed else None
        violations = verify(unit.fn, unit.level, types)
        assert not violations, (step.name, list(map(str, violations)), to_text(unit.fn))
        check_round_trip(unit.fn, types)
        if types is not None:
            check_resolutions(unit)
        found = outcome(
            lambda *args: interpret(
                unit.fn,
                *parameters_of(self.function).bind(args),
                types=types,
                coerce=coerce if types else None,
            ),
            self.make(),
        )
        assert same(found, self.expected), (step.name, found, self.expected)
        self.checked.append(step.name)


def in_python(function):
    """The function, calling Python functions instead of compiled ones."""
    return plain_python(function, {})


def check_round_trip(fn, types: dict[str, Type] | None) -> None:
    names = known_objects(fn)
    text = to_text(fn, types=types, spans=True)
    by_name = {str(ty): ty for ty in (types or {}).values()}

    def read(name: str) -> Type:
        return by_name[name] if name in by_name else parse_type(name)

    parsed = parse(text, names=names, parse_type=read)
    assert parsed.fn == fn
    assert to_text(parsed.fn, types=types, spans=True) == text
    if types is not None:
        defined = {name: types[name] for name in parsed.types}
        assert parsed.types == defined


def check(function: Callable[..., Any], make: Arguments) -> EveryPass:
    """Check every pass over a function for one call, and the machine code after them."""
    watch = EveryPass(function, make)

    def compiled_unit(half: Any, argtypes: Any) -> CompileUnit:
        unit = compiler.new_unit(half, argtypes)
        with compiler.unpublished(half, unit):
            compiler.compile_unit(unit, half.pipeline, (watch,))
        return unit

    unit = for_call(function, make(), compiled_unit)
    assert {"build_ir", "ssa", "infer_types", "refcounts"} <= set(watch.checked)
    compiled = native.native_code(unit, Level.asm)
    assert same(outcome(compiled, make()), watch.expected)
    return watch
