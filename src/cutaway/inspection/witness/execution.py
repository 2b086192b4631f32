"""Check passes by running their output: after each, the program must behave like Python."""

from __future__ import annotations

import itertools
from contextlib import suppress
from types import CellType, CodeType, FunctionType
from typing import Any

from cutaway.errors import VerifyError
from cutaway.inspection.views import VIEWS
from cutaway.inspection.witness.outcomes import Outcome, Tolerance, differences, perform
from cutaway.ir import nodes
from cutaway.ir.constants import is_compiled
from cutaway.ir.levels import Level
from cutaway.ir.nodes import replace
from cutaway.ir.region_views import places
from cutaway.stages.observers import Observer
from cutaway.stages.passes import Pass
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.overloads.parameters import parameters_of
from cutaway.typing.types import Type

_SAMPLE_NUMBERS = (3, 0, 2)  # in turn, for each number

# The kinds of differences that are faults on sample arguments: machine numbers have other types and
# words than Python's.
_GRAVE = ("value", "shape", "outcome")
_TOLERANCE = Tolerance(zero_signs=False)


def sample_arguments(argtypes: tuple[Type, ...]) -> list[tuple[Any, ...]]:
    """Make small arguments of these types to try a function on; none if a type has no sample."""
    result = []
    for start in range(len(_SAMPLE_NUMBERS)):
        numbers = itertools.islice(itertools.cycle(_SAMPLE_NUMBERS), start, None)
        try:
            result.append(tuple(ty.argument(numbers) for ty in argtypes))
        except LookupError:
            return []
    return result


def sample_calls(function: FunctionType, argtypes: tuple[Type, ...]) -> list[tuple[Any, ...]]:
    """Make the positional arguments of calls to try a function on; none if a type has no sample, or
    if keywords would be needed."""
    parameters = parameters_of(function)
    left_out = [isinstance(ty, types.Omitted) for ty in argtypes]
    calls = [parameters.unbind(values, left_out) for values in sample_arguments(argtypes)]
    return [call for call in calls if call is not None]


def plain_python(function: FunctionType, done: dict[int, FunctionType]) -> FunctionType:
    """Copy a function with calls of Python functions instead of compiled ones.

    A compiled function must not be called while it is being compiled, for instance by itself.
    `done` holds the copies made so far, by the identity of their originals.
    """
    if id(function) in done:
        return done[id(function)]
    space = dict(function.__globals__)
    closure = tuple(CellType() for _ in function.__closure__ or ())
    twin = FunctionType(
        function.__code__, space, function.__name__, function.__defaults__, closure or None
    )
    twin.__kwdefaults__ = function.__kwdefaults__
    done[id(function)] = twin
    for name in _global_names(function.__code__) & space.keys():
        space[name] = _plain_value(space[name], done)
    for cell, own in zip(function.__closure__ or (), closure, strict=True):
        with suppress(ValueError):  # the variable is not bound yet
            own.cell_contents = _plain_value(cell.cell_contents, done)
    return twin


def _global_names(code: CodeType) -> set[str]:
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*map(_global_names, inner))


def _plain_value(value: Any, done: dict[int, FunctionType]) -> Any:
    original = value.py_func if is_compiled(value) else None
    return plain_python(original, done) if isinstance(original, FunctionType) else value


def plain_unit(unit: CompileUnit) -> CompileUnit:
    """Copy a unit with Python functions instead of compiled ones in its IR."""
    twin = unit.copy()
    done: dict[int, FunctionType] = {}
    for place in places(twin.fn):
        op = place.op
        if isinstance(op, nodes.Global | nodes.FreeVar):
            plain = _plain_value(op.value, done)
            if plain is not op.value:
                place.put(replace(op, value=plain))
    return twin


class ExecutionVerifier(Observer):
    """Raises VerifyError when the program after a pass behaves differently from Python.

    It runs on small sample arguments; a function without sample arguments is not checked.
    """

    def __init__(self) -> None:
        self.expected: dict[CompileUnit, list[tuple[tuple[Any, ...], Outcome]]] = {}

    def compilation_started(self, unit: CompileUnit, pipeline: Pipeline) -> None:
        if unit not in self.expected:
            function = plain_python(unit.pyfunc, {})
            # A kernel cannot be called.
            launched = unit.target.launched
            samples = [] if launched else sample_calls(unit.pyfunc, unit.argtypes or ())
            self.expected[unit] = [(args, perform(function, args)) for args in samples]

    def after_pass(self, unit: CompileUnit, step: Pass, seconds: float) -> None:
        run = VIEWS[unit.level].run
        if run is None or unit.level.comes_before(Level.ir):
            return
        plain = plain_unit(unit)
        for args, expected in self.expected[unit]:
            outcome = perform(lambda *own: run(plain, own), args)
            for difference in differences(expected, outcome, _TOLERANCE):
                if difference.kind in _GRAVE:
                    raise VerifyError(
                        f"pass {step.name} changed what {unit.name} does",
                        notes=(
                            f"arguments: {args}",
                            f"{difference}",
                            f"Python: {expected}",
                            f"here: {outcome}",
                        ),
                    )
