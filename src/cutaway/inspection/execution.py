"""Check passes by running what they leave: after each, the program must do what Python does."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from cutaway.errors import CutawayError, VerifyError
from cutaway.inspection.views import VIEWS
from cutaway.ir.levels import Level
from cutaway.stages.observers import Observer
from cutaway.stages.passes import Pass
from cutaway.stages.pipeline import Pipeline
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.types import Type

_SAMPLE_NUMBERS = (3, 0, 2)  # one after the other, for each number that is wanted
_SIDE = 4  # of sample arrays

Outcome = tuple[str, Any]  # Any: the value returned, or the class of the exception


def sample_arguments(argtypes: tuple[Type, ...]) -> list[tuple[Any, ...]]:
    """Small arguments of these types to try a function on; none where a type has no sample."""
    found = []
    for start in range(len(_SAMPLE_NUMBERS)):
        numbers = itertools.islice(itertools.cycle(_SAMPLE_NUMBERS), start, None)
        try:
            found.append(tuple(_sample(ty, numbers) for ty in argtypes))
        except LookupError:
            return []
    return found


def _sample(ty: Type, numbers: Iterator[int]) -> Any:  # Any: a value of type `ty`
    match ty:
        case types.Omitted(value=value):
            return value
        case types.Tuple(items=items):
            return tuple(_sample(item, numbers) for item in items)
        case types.Array():
            return _sample_array(ty)
        case _ if ty is types.none:
            return None
        case _ if ty is types.boolean:
            return bool(next(numbers))
        case types.Integer():
            return next(numbers)
        case types.Float():
            return next(numbers) + 0.5
        case types.Complex():
            return complex(next(numbers), 0.5)
    raise LookupError(f"no sample of type {ty}")


def _sample_array(ty: types.Array) -> np.ndarray[Any, Any]:  # Any: of any shape and dtype
    order = "F" if ty.layout == "F" else "C"
    values = np.arange(1, _SIDE**ty.ndim + 1).reshape((_SIDE,) * ty.ndim)
    array = np.array(values, dtype=str(ty.dtype), order=order)
    if ty.layout == "A":
        array = np.repeat(array, 2, axis=-1)[..., ::2]
    array.flags.writeable = not ty.readonly
    return array


def outcome(function: Any, args: tuple[Any, ...]) -> Outcome:  # Any: a callable
    """What a call on copies of the arguments returns or raises, and leaves in the arguments."""
    own = copy.deepcopy(args)
    try:
        return "returned", (function(*own), own)
    except CutawayError:
        raise
    except Exception as error:
        return "raised", type(error)


def same(left: Any, right: Any) -> bool:  # Any: results of any type
    """Whether two results are the same value; NaN is the same as NaN."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return np.array_equal(left, right, equal_nan=np.asarray(left).dtype.kind in "fc")
    return bool(left == right) or (left != left and right != right)


class ExecutionVerifier(Observer):
    """Raises VerifyError when the program behind a pass does not do what Python does.

    It is run on small sample arguments; a function with arguments that have no sample is not
    checked.
    """

    def __init__(self) -> None:
        self.expected: dict[CompileUnit, list[tuple[tuple[Any, ...], Outcome]]] = {}

    def compilation_started(self, unit: CompileUnit, pipeline: Pipeline) -> None:
        self.expected[unit] = [
            (args, outcome(unit.pyfunc, args)) for args in sample_arguments(unit.argtypes or ())
        ]

    def after_pass(self, unit: CompileUnit, step: Pass, seconds: float) -> None:
        run = VIEWS[unit.level].run
        if run is None or unit.level < Level.ir:
            return
        for args, expected in self.expected[unit]:
            found = outcome(lambda *own: run(unit, own), args)
            if found[0] != expected[0] or not same(found[1], expected[1]):
                raise VerifyError(
                    f"pass {step.name} changed what {unit.name} does",
                    notes=(
                        f"arguments: {args}",
                        f"Python: {expected[0]} {expected[1]}",
                        f"here: {found[0]} {found[1]}",
                    ),
                )

    def compilation_finished(self, unit: CompileUnit, error: BaseException | None) -> None:
        del self.expected[unit]
