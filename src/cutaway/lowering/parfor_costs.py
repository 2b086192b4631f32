"""A cost estimate of an iteration of a parfor, in nanoseconds, computed when the nest is entered.

    for i in prange(n):             2 accesses and an addition as vectors, for each j
        for j in range(i, m):       m - i at the middle of the nest, so m - n / 2
            b[i, j] += a[j]

It decides whether threads are worth it and how large their parts are, and nothing else: the result
is the same for any estimate, but for the order in which floats are added up.  It depends on sizes
alone, so that it is the same in each run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cutaway.foundation.loops import RANGES
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import Loop, graph_of
from cutaway.ir.nodes import Op
from cutaway.ir.region_views import view
from cutaway.ir.traversal import definitions
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts
from cutaway.typing import types
from cutaway.typing.inference.questions import constants_of
from cutaway.typing.types import Array, Complex, Float, Integer, Type

VECTOR, SCALAR, DIVISION, FUNCTION, CALL = 0.05, 0.3, 1.2, 10.0, 20.0  # nanoseconds
ELEMENT = 3.0  # of a function that NumPy's loops compute
USUAL_RUNS = 10.0  # of a loop with an unknown trip count
USUAL_ELEMENTS = 100.0

_FREE = (
    *(nodes.Const, nodes.Global, nodes.FreeVar, nodes.Copy, nodes.Cast, nodes.Phi, nodes.Jump),
    *(nodes.Yield, nodes.BuildTuple, nodes.BuildSlice, nodes.GetIter, nodes.IterNext, nodes.Del),
    nodes.GetAttr,
)
_QUICK = frozenset((abs, min, max, len, int, float, bool, range, math.sqrt, math.fabs, math.floor))
# Of elements: functions of an instruction or two, and longer ones.
_SHORT = frozenset(
    (
        "add subtract multiply negative absolute minimum maximum where as python clip square"
        " less less_equal greater greater_equal equal not_equal logical_and logical_or logical_not"
        " bitwise_and bitwise_or bitwise_xor invert left_shift right_shift isnan isfinite sign"
    ).split()
)
_LONG = frozenset(("divide", "sqrt", "floor", "ceil", "rint", "trunc", "reciprocal"))
_QUICK_UFUNCS = frozenset((np.sqrt, np.abs, np.floor, np.ceil, np.minimum, np.maximum, np.square))

Number = float | str  # a constant, or a double in LLVM


class ParforCosts:
    """The cost estimate of one parfor at its call; `values` are those of variables around."""

    def __init__(
        self,
        build: FunctionBuilder,
        fn: Function,
        table: dict[str, Type],
        op: nodes.Parfor,
        values: dict[str, Value],
    ) -> None:
        self.build, self.types, self.op, self.values = build, table, op, values
        self.inner = view(fn, op.body)
        self.constants = constants_of(fn)
        self.graph = graph_of(self.inner)
        ops = [one for block in op.body.blocks for one in block.ops]
        self.makers = {name: one for one in ops for name in definitions(one)}
        self.known: dict[str, Number | None] = {}

    def of_iteration(self, middle: Sequence[Number], in_vectors: bool = False) -> Number:
        """Estimate the nanoseconds of an iteration, with the indices of the middle of the nest;
        `in_vectors` says that the loops over elements are whole-array loops."""
        if len(middle) == len(self.op.body.indices):  # or the nest is one line of elements
            self.known |= zip(self.op.body.indices, middle, strict=True)
        loops = self.graph.loops()
        runs = {header: self._runs(header) for header in loops}
        total: Number = 0.0
        for block in self.op.body.blocks:
            around = [header for header, loop in loops.items() if block.label in loop.body]
            each = VECTOR if in_vectors or self._is_straight(loops, around) else SCALAR
            cost: Number = 0.0
            for op in block.ops:
                cost = self._sum(cost, self._of(op, each))
            for header in around:
                cost = self._product(cost, runs[header])
            total = self._sum(total, cost)
        return total if in_vectors else self._sum(total, SCALAR)

    def _is_straight(self, loops: dict[int, Loop], around: Sequence[int]) -> bool:
        """True if LLVM vectorizes the code: a loop of a single block that carries no float, or the
        region itself if it has no loop."""
        if loops and not around:
            return False
        inner = min(around, key=lambda header: len(loops[header].body), default=None)
        body = set(self.inner.blocks) if inner is None else loops[inner].body - {inner}
        if len(body) != 1:
            return False
        carried = [*self.op.body.carried] if inner is None else []
        for op in self.inner.blocks[inner].ops if inner is not None else ():
            carried += [op.result] if isinstance(op, nodes.Phi) else []
        return not any(isinstance(self.types[name], Float | Complex) for name in carried)

    def _of(self, op: Op, each: float) -> Number:
        """Estimate the nanoseconds of an op, where simple ones take `each`."""
        match op:
            case nodes.ArrayExpr() | nodes.ArrayStore() | nodes.ArrayReduce():
                steps = sum(len(block.ops) for block in op.body.blocks)
                shapes = [self._shape(name) for name in op.args]
                sizes = [self._elements(one) for one in shapes if one is not None]
                size = sizes[0] if sizes else USUAL_ELEMENTS
                return self._sum(FUNCTION, self._product(size, 4 * VECTOR * steps))
            case nodes.Element(_, function):
                stem = function.partition(".")[0]
                return each if stem in _SHORT else DIVISION if stem in _LONG else ELEMENT
            case nodes.Load() | nodes.Store():
                return 4 * each  # memory accesses
            case nodes.Call(_, func):
                function = self.constants.get(func)
                if self._is_quick(function):
                    return 4 * each
                is_function = isinstance(function, np.ufunc) or function in vars(math).values()
                return FUNCTION if is_function else CALL
            case nodes.Binary(_, row) | nodes.Inplace(_, row):
                return DIVISION if row.symbol.rstrip("=") in ("/", "//", "%", "**") else each
        return 0.0 if isinstance(op, _FREE) else each

    def _is_quick(self, function: object) -> bool:
        return any(function is one for one in (*_QUICK, *_QUICK_UFUNCS, *RANGES))

    # --- how often ------------------------------------------------------------------------------

    def _runs(self, header: int) -> Number:
        """Estimate the trip count of a loop each time that it is entered."""
        steps = [op for op in self.inner.blocks[header].ops if isinstance(op, nodes.IterNext)]
        start = self.makers.get(steps[0].iterator) if steps else None
        if not isinstance(start, nodes.GetIter):
            return USUAL_RUNS
        bounds = self._bounds(start.value)
        if bounds is not None:
            first, last, by = bounds
            span = self._sum(last, self._product(first, -1.0))
            return self._positive(self._product(span, 1.0 / (by or 1.0)))
        shape = self._shape(start.value)
        return shape[0] if shape else USUAL_RUNS

    def _bounds(self, name: str) -> tuple[Number, Number, float] | None:
        call = self.makers.get(name)
        if not isinstance(call, nodes.Call) or self.constants.get(call.func) not in RANGES:
            return None
        found = [self._number(one) for one in call.args]
        found = [0.0, *found] if len(found) == 1 else found
        if found[0] is None or found[1] is None:
            return None
        step = found[2] if len(found) == 3 else 1.0
        return found[0], found[1], step if isinstance(step, float) else 1.0

    def _number(self, name: str) -> Number | None:
        """Estimate an integer; None if nothing is known before the nest."""
        if name not in self.known:
            self.known[name] = None  # while it is computed
            self.known[name] = self._computed(name)
        return self.known[name]

    def _computed(self, name: str) -> Number | None:
        op = self.makers.get(name)
        match op:
            case None:
                return self._outside(name)
            case nodes.Const(_, value) if isinstance(value, int):
                return float(value) if abs(value) < 2**53 else None
            case nodes.Copy() | nodes.Cast():
                return self._number(op.value)
            case nodes.IterNext():
                start = self.makers.get(op.iterator)
                bounds = self._bounds(start.value) if isinstance(start, nodes.GetIter) else None
                return None if bounds is None else self._product(self._sum(*bounds[:2]), 0.5)
            case nodes.Binary() | nodes.Inplace():
                return self._arithmetic(op)
            case nodes.StaticGetItem(_, value, index) if isinstance(index, int):
                made = self.makers.get(value)
                if isinstance(made, nodes.GetAttr) and made.attr == "shape":
                    shape = self._shape(made.value)
                    return shape[index] if shape and -len(shape) <= index < len(shape) else None
            case nodes.Call(_, func, args) if args:
                function = self.constants.get(func)
                if function is len:
                    shape = self._shape(args[0])
                    return shape[0] if shape else None
                if function in (min, max):  # as far as one of them is known
                    return next((n for n in map(self._number, args) if n is not None), None)
        return None

    def _arithmetic(self, op: nodes.Binary | nodes.Inplace) -> Number | None:
        a, b = self._number(op.lhs), self._number(op.rhs)
        if a is None or b is None:
            return None
        match op.op.symbol.rstrip("="):
            case "+":
                return self._sum(a, b)
            case "-":
                return self._sum(a, self._product(b, -1.0))
            case "*":
                return self._product(a, b)
            case "//" if isinstance(b, float) and b:
                return self._product(a, 1.0 / b)
        return None

    def _outside(self, name: str) -> Number | None:
        value = self.values.get(name)
        if value is None or not isinstance(value.ty, Integer):
            return None
        return self.as_number(self.build.cast(value, types.int64).parts[0])

    def as_number(self, text: str) -> Number:
        """Convert an i64 to a double."""
        if text.lstrip("-").isdigit():
            return float(text)
        return self.build.convert("sitofp", "i64", text, "double")

    def _shape(self, name: str) -> list[Number] | None:
        """Return the sizes of an array that exists before the nest, or of a row of one."""
        ty = self.types.get(name)
        if not isinstance(ty, Array) or not ty.ndim:
            return None
        op = self.makers.get(name)
        if op is None and name in self.values:
            return [self.as_number(size) for size in array_parts(self.values[name]).shape]
        if isinstance(op, nodes.Copy):
            return self._shape(op.value)
        if isinstance(op, nodes.Line):
            whole = self._shape(op.array)
            return None if whole is None else [whole[op.axis]]
        if isinstance(op, nodes.GetItem | nodes.StaticGetItem):
            whole = self._shape(op.value)
            return whole[len(whole) - ty.ndim :] if whole else None  # at most a slice
        return None

    def _elements(self, shape: Sequence[Number]) -> Number:
        count: Number = 1.0
        for size in shape:
            count = self._product(count, size)
        return count

    # --- numbers --------------------------------------------------------------------------------

    def _sum(self, a: Number, b: Number) -> Number:
        if isinstance(a, float) and isinstance(b, float):
            return a + b
        if 0.0 in (a, b):
            return b if a == 0.0 else a
        return self.build.binary("fadd", "double", as_text(a), as_text(b))

    def _product(self, a: Number, b: Number) -> Number:
        if isinstance(a, float) and isinstance(b, float):
            return a * b
        if 1.0 in (a, b):
            return b if a == 1.0 else a
        if 0.0 in (a, b):
            return 0.0
        return self.build.binary("fmul", "double", as_text(a), as_text(b))

    def _positive(self, number: Number) -> Number:
        if isinstance(number, float):
            return max(number, 0.0)
        is_less = self.build.fcompare("olt", "double", number, "0.0")
        return self.build.select(is_less, "double", "0.0", number)


def as_text(number: Number) -> str:
    """Return a number as a double of LLVM."""
    return f"{number:.17e}" if isinstance(number, float) else number
