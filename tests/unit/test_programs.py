"""Every program, after every pass: clean, readable back, and still doing what Python does."""

from __future__ import annotations

import pytest

from corpus.programs.cases import CASES, Case
from corpus.programs.compare import outcome, same
from cutaway import api
from cutaway.compiling import compiler
from cutaway.dispatch import binding, native
from cutaway.errors import CutawayError
from cutaway.extending.registry import CONTEXT
from cutaway.inspection.witness.execution import plain_python
from cutaway.ir.interpreter import interpret
from cutaway.ir.levels import Level
from cutaway.ir.parser import parse
from cutaway.ir.printer import known_objects, to_text
from cutaway.ir.traversal import walk
from cutaway.ir.verifier import verify
from cutaway.stages.observers import Observer
from cutaway.typing.inference.resolutions import Chosen, Held, OneOf, unresolved
from cutaway.typing.inference.resolving import resolve_all
from cutaway.typing.overloads.notation import parse_type
from cutaway.typing.overloads.parameters import parameters_of
from cutaway.typing.types import Type
from cutaway.typing.values.coercion import coerce

pytestmark = pytest.mark.sampled(test=6, others=18, fast=200)

CALLS = [
    pytest.param(case, make, id=f"{case.name}-{k}")
    for case in CASES
    for k, make in enumerate(case.arguments)
]


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
    anew = resolve_all(unit.fn, unit.types, CONTEXT)
    assert kept == {at: gist(found) for at, found in anew.items()}


class EveryPass(Observer):
    """Checks the state that each pass leaves."""

    def __init__(self, case: Case, make) -> None:
        self.case = case
        self.make = make
        self.expected = outcome(in_python(case.function), make())
        self.checked: list[str] = []

    def after_pass(self, unit, step, seconds) -> None:
        if unit.pyfunc is not self.case.function:
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
                *parameters_of(self.case.function).bind(args),
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


@pytest.mark.parametrize(("case", "make"), CALLS)
def test_every_pass_keeps_what_the_program_does(case, make):
    half = api.half_of(case.function)
    watch = EveryPass(case, make)
    unit = compiler.new_unit(half, binding.call_types(half, make()))
    with compiler.unpublished(half, unit):
        compiler.compile_unit(unit, half.pipeline, (watch,))
    assert {"build_ir", "ssa", "infer_types", "refcounts"} <= set(watch.checked)
    compiled = native.native_code(unit, Level.asm)
    assert same(outcome(compiled, make()), watch.expected)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_unoptimized_llvm_does_what_the_program_does(case):
    make = case.arguments[0]
    trace = api.trace(case.function, *make())
    for level in ("llvm", "llvm_opt", "asm"):
        found = outcome(trace.at(level).run, make())
        assert same(found, outcome(in_python(case.function), make())), level


@pytest.mark.slow
@pytest.mark.parametrize(("case", "make"), CALLS)
def test_the_dispatcher_gives_what_python_gives(case, make):
    import cutaway

    compiled = cutaway.jit(case.function)
    for _ in range(2):  # the first call compiles, the second finds the specialization
        found = outcome(compiled, make())
        assert same(found, outcome(in_python(case.function), make()))


@pytest.mark.slow
def test_no_program_of_the_table_fails_to_compile():
    for case in CASES:
        half = api.half_of(case.function)
        for make in case.arguments:
            try:
                compiler.lower(half, binding.call_types(half, make()))
            except CutawayError as error:
                pytest.fail(f"{case.name}: {error}")
