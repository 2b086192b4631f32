"""The ledger entries that permit a pass to change a program's outcome.

Only a few steps may: making IR, inferring types, generating machine code, and LLVM's optimization.
An entry is named only if it can apply to this very call, and an optional one only if it is enabled.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway.extending.lowered import ONLY_COMPILED
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.frozen_arrays import frozen
from cutaway.foundation.options import RACY
from cutaway.inspection.witness.outcomes import (
    RETURNED,
    Difference,
    Outcome,
    Tolerance,
    differences,
    unlike,
)
from cutaway.inspection.witness.runs import Outcomes, Run
from cutaway.ir import nodes
from cutaway.ir.levels import Level
from cutaway.ir.traversal import definitions, walk
from cutaway.stages.parallel.own_values import OWN
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.types import Array, Float

# Functions whose order of additions depends on a library (entry reduction-order).
_REDUCTIONS = re.compile(
    r"\b(dot|inner|vdot|matmul|einsum|tensordot|convolve|correlate|cov|corrcoef|mean|prod|var|std"
    r"|linalg)\b"
)
# Functions whose results are always complex (entry complex-eigenvalues).
_EIGENVALUES = re.compile(r"\b(eig|eigvals)\b")
# For reassociated sums: rounding errors grow with their length, and with cancellation.
FASTMATH_ULPS = 4096
_FEW_ULPS = 64
_SINGLE = 2.0**-21  # a few units in the last place of float32, relative


@dataclass(frozen=True, slots=True)
class Step:
    """A pass that may change the outcome: the expected and the actual outcomes."""

    unit: CompileUnit
    expected: Outcomes
    run: Run
    entries: tuple[str, ...]

    @property
    def difference(self) -> Difference | None:
        """The difference from the expected outcome."""
        return unlike(self.expected, self.run.outcomes)

    def within(self, tolerance: Tolerance) -> bool:
        """True if the outcomes differ by no more than a tolerance."""
        return unlike(self.expected, self.run.outcomes, tolerance) is None

    def all_pairs(self, fits: Callable[[Outcome, Outcome], bool]) -> bool:
        """True if each call either has the expected outcome, or differs in this way."""
        pairs = zip(self.expected, self.run.outcomes, strict=True)
        return all(unlike((a,), (b,)) is None or fits(a, b) for a, b in pairs)


def may_differ(unit: CompileUnit) -> bool:
    """True if any entry can apply to a pass, judging by the program and its options."""
    if unit.level is Level.ir:
        return any(_is_stale(op, unit) for op in walk(unit.fn))
    options = bool(unit.flags.fastmath) or unit.flags.vector_math
    return unit.level is not Level.llvm_opt or options


# --- making IR --------------------------------------------------------------------------


def of_ir(step: Step) -> tuple[str, ...]:
    """Return the entries that apply when bytecode becomes IR."""
    stale = any(_is_stale(op, step.unit) for op in walk(step.unit.fn))
    return ("frozen-globals",) if stale else ()


def _is_stale(op: nodes.Op, unit: CompileUnit) -> bool:
    """True if a global variable has another value by now."""
    if not isinstance(op, nodes.Global):
        return False
    missing = object()
    now = unit.pyfunc.__globals__.get(op.name, missing)
    return now is not missing and now is not op.value


# --- inferring types ----------------------------------------------------------------------------


def of_types(step: Step) -> tuple[str, ...]:
    """The entries that apply when types are inferred: without machine numbers the outcome must be
    the expected one, and the ledger must permit each change that they make."""
    run = step.run
    if run.wrong_types or not run.untyped:
        return ()
    difference = unlike(step.expected, run.untyped)
    if difference is not None:
        return ()
    entries = [entry for entry in run.entries if entry != "nan-identity"]
    return tuple([*entries, "starred-tuple"] if _gives_starred(step) else entries)


def _gives_starred(step: Step) -> bool:
    """True if a result has another type, in a function with a starred target."""
    difference = step.difference
    if difference is None or difference.kind != "type":
        return False
    return any(isinstance(op, nodes.UnpackStar) for op in walk(step.unit.fn))


# --- parallel loops -----------------------------------------------------------------------------


def of_parfors(step: Step) -> tuple[str, ...]:
    """Return the entries that apply when iterations are reordered."""
    return tuple(entry for entry, applies in _PARALLEL if applies(step))[:1]


# --- generating machine code --------------------------------------------------------------------


def of_machine_code(step: Step) -> tuple[str, ...]:
    """Return the entries that apply when typed IR becomes LLVM IR."""
    entries = [entry for entry, applies in _MACHINE if applies(step)]
    return tuple(entries[:1])


def _store_wrap(step: Step) -> bool:
    return (
        step.unit.flags.overflow == "wrap"
        and _stores_narrow(step.unit)
        and step.all_pairs(
            lambda a, b: a.exception == "OverflowError" and b.exception != "OverflowError"
        )
    )


def _packed_globals(step: Step) -> bool:
    """Accepts different strides of a global array that the code stores without gaps."""
    ops = list(walk(step.unit.fn))
    constants = (op.value for op in ops if isinstance(op, nodes.Global | nodes.FreeVar))
    arrays = [value for value in constants if isinstance(value, np.ndarray)]
    asks = any(isinstance(op, nodes.GetAttr) and op.attr == "strides" for op in ops)
    return asks and any(frozen(value) is not value for value in arrays)


def _stores_narrow(unit: CompileUnit) -> bool:
    for op in walk(unit.fn):
        if isinstance(op, nodes.SetItem | nodes.StaticSetItem):
            ty = unit.types.get(op.target)
            if isinstance(ty, Array) and isinstance(ty.dtype, types.Integer):
                return True
    return False


def _power(entry: str, words: str) -> Callable[[Step], bool]:
    def applies(step: Step) -> bool:
        return entry in step.entries and step.all_pairs(
            lambda a, b: b.exception == "ValueError" and words in b.message
        )

    return applies


def _error_model(step: Step) -> bool:
    raised = ("ZeroDivisionError", "ValueError", "OverflowError")
    return step.unit.flags.error_model == "numpy" and step.all_pairs(
        lambda a, b: a.exception in raised and b.kind == RETURNED
    )


def _float_to_int(step: Step) -> bool:
    raised = ("ValueError", "OverflowError")
    return step.unit.flags.float_to_int == "astype" and step.all_pairs(
        lambda a, b: a.exception in raised and b.kind == RETURNED
    )


def reads_anything(unit: CompileUnit, python: Outcomes) -> bool:
    """True if machine code reads or writes out of bounds, because the index is not checked; each
    run may differ."""
    is_out = any(outcome.exception == "IndexError" for outcome in python)
    return is_out and not unit.flags.boundscheck and Level.llvm.leads_to(unit.level)


def only_compiled(python: Outcomes) -> str:
    """Python's message for a function that only compiled code can call; empty for others."""
    said = (o.message for o in python if o.exception == "NotImplementedError")
    return next((message for message in said if message.endswith(ONLY_COMPILED)), "")


def _recursion_depth(step: Step) -> bool:
    return step.all_pairs(lambda a, b: a.exception == "RecursionError")


def _overflow(step: Step) -> bool:
    """Accepts OverflowError for integers that do not fit: for arguments and conversions always, for
    results with overflow="raise"."""
    words = "does not fit" if step.unit.flags.overflow == "raise" else "the integer does not fit in"
    return step.all_pairs(lambda a, b: b.exception == "OverflowError" and words in b.message)


def _nan_identity(step: Step) -> bool:
    return "nan-identity" in step.entries


def _reduction_order(step: Step) -> bool:
    reduces = _calls(step.unit, _REDUCTIONS) or any(
        op.results or op.private for op in _parfors(step.unit)
    )
    return reduces and step.within(Tolerance(_FEW_ULPS, 1e-14))


def _parfors(unit: CompileUnit) -> list[nodes.Parfor]:
    return [op for op in walk(unit.fn) if isinstance(op, nodes.Parfor)]


def _parallel_exception(step: Step) -> bool:
    """Accepts other stores of the iterations if one has raised."""
    return bool(_parfors(step.unit)) and step.all_pairs(
        lambda a, b: a.exception == b.exception and bool(a.exception)
    )


def _parallel_own(step: Step) -> bool:
    """Accepts the error of an iteration that reads a variable which only another one assigned."""
    return bool(_parfors(step.unit)) and step.all_pairs(lambda a, b: b.message.endswith(OWN))


def _parallel_races(step: Step) -> bool:
    """Accepts the results of iterations whose races are allowed."""
    return RACY in step.unit.flags.parallel and bool(_parfors(step.unit))


_PARALLEL = (
    ("reduction-order", _reduction_order),
    ("parallel-exception", _parallel_exception),
    ("parallel-own", _parallel_own),
    ("parallel-races", _parallel_races),
)


def _complex_eigenvalues(step: Step) -> bool:
    """Accepts complex numbers instead of real ones of the same values."""
    if not _calls(step.unit, _EIGENVALUES):
        return False
    return step.all_pairs(
        lambda a, b: a.kind == b.kind == RETURNED and _is_widened(a.value, b.value)
    )


def _is_widened(real: Any, found: Any) -> bool:
    if isinstance(real, tuple) and isinstance(found, tuple) and len(real) == len(found):
        return all(map(_is_widened, real, found))
    if isinstance(real, str) or isinstance(found, str):
        return bool(real == found)
    return np.shape(real) == np.shape(found) and np.array_equal(real, found, equal_nan=True)


def _calls(unit: CompileUnit, names: re.Pattern[str]) -> bool:
    """True if a function calls one whose name matches."""
    for op in walk(unit.fn):
        if isinstance(op, nodes.Call) and names.search(str(unit.types.get(op.func))):
            return True
        if isinstance(op, nodes.Binary) and op.op.symbol == "@":
            return True
    return False


def _single_functions(step: Step) -> bool:
    """Accepts float32 results of math functions with float32 arguments."""
    return _has_single(step.unit) and step.within(Tolerance(relative=_SINGLE))


def _has_single(unit: CompileUnit) -> bool:
    for op in walk(unit.fn):
        for name in definitions(op):
            ty = unit.types.get(name)
            ty = ty.dtype if isinstance(ty, Array) else ty
            if (
                isinstance(op, nodes.Call | nodes.Binary)
                and isinstance(ty, Float)
                and ty.bits == 32
            ):
                return True
    return False


def of_optimization(step: Step) -> tuple[str, ...]:
    """Return the entries that apply when LLVM optimizes."""
    if _fastmath(step):
        return ("fastmath",)
    # LLVM's fused multiply-adds are within a polynomial's budget.
    return ("vector-math",) if _vector_math(step) else ()


def _vector_math(step: Step) -> bool:
    """Accepts errors of functions within their budgets, and slightly larger ones in results
    computed from them."""
    return step.unit.flags.vector_math and step.within(Tolerance(_FEW_ULPS, 1e-14))


def _fastmath(step: Step) -> bool:
    flags = step.unit.flags.fastmath
    if not flags:
        return False
    loose = not flags & {"nnan", "ninf"}
    moves = flags & {"reassoc", "contract", "arcp", "afn"}
    ulps = FASTMATH_ULPS if moves else 0
    return step.within(Tolerance(ulps, zero_signs="nsz" not in flags, specials=loose))


def _scalars(step: Step) -> bool:
    return same_values(step.expected, step.run.outcomes)


def same_values(expected: Outcomes, actual: Outcomes) -> bool:
    """True if the only differences are plain numbers instead of NumPy numbers."""
    pairs = zip(expected, actual, strict=True)
    return all(one.kind == "scalar" for pair in pairs for one in differences(*pair))


_MACHINE: tuple[tuple[str, Callable[[Step], bool]], ...] = (
    ("store-wrap", _store_wrap),
    ("packed-globals", _packed_globals),
    ("int-power", _power("int-power", "negative power")),
    ("real-power", _power("real-power", "fractional power")),
    ("error-model", _error_model),
    ("float-to-int", _float_to_int),
    ("recursion-depth", _recursion_depth),
    ("int64-wrap", _overflow),
    ("nan-identity", _nan_identity),
    ("complex-eigenvalues", _complex_eigenvalues),
    ("reduction-order", _reduction_order),
    ("parallel-exception", _parallel_exception),
    ("parallel-own", _parallel_own),
    ("parallel-races", _parallel_races),
    ("numpy-scalars", _scalars),
    ("numpy-scalars", _single_functions),
    ("vector-math", _vector_math),
    ("fastmath", _fastmath),
)
