"""Parfors of whole-array operations: an iteration for each element.

c = arrayexpr(expr=a + b)     ->    ($n) = sizes of (a, b)
                                    c = new_array(float64, C, sizes=($n))
                                    parfor from (0) to ($n): load, element add, store

s = arrayreduce(expr=sum(a))  ->    ($n) = sizes of (a)
                                    s = parfor from (0) to ($n): load, element add to s.2
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.ir import nodes
from cutaway.ir.elements import ArrayOp, given, steps
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.reductions import REDUCTIONS, Reduction
from cutaway.ir.regions import Region
from cutaway.ir.traversal import definitions, rename_uses, uses
from cutaway.stages.arrays.operands import stem_of, texts_of
from cutaway.stages.arrays.tables import Tables
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.analysis.memory import Roots
from cutaway.typing.inference.arrays import apart_type, line_type
from cutaway.typing.reductions import identity_of
from cutaway.typing.types import Array, Boolean, Complex, Float, Integer, Type
from cutaway.typing.ufuncs import element_loop, element_of, result_type


class ElementParfors:
    """Makes the ops of one function, with their types and resolutions."""

    def __init__(self, unit: CompileUnit, tables: Tables) -> None:
        self.unit, self.tables, self.types = unit, tables, unit.types
        self.fn: Function = unit.fn
        self.memory = Roots(tables.makers, unit.types, unit.resolutions)

    # --- legality -------------------------------------------------------------------------------

    def refusal(self, op: ArrayOp) -> str:
        """Return why an op cannot be a parfor; empty if it can be."""
        inner = list(steps(op.body))
        if any(step.function == "fetch" for step in inner):
            return "it reads elements by indices, which are tested for all before the first is read"
        names = [*op.args, op.target if isinstance(op, nodes.ArrayStore) else op.result]
        arrays = [ty for name in names if isinstance(ty := self.types[name], Array)]
        if not all(is_plain(ty) for ty in arrays):
            return "its elements are no plain numbers"
        ndim = self._ndim(op)
        if ndim == 0:
            return "it has one element"
        if any(ty.ndim > ndim for ty in arrays):
            return "an operand has more axes than the array that it is stored in"
        return self._reduction_refused(op) if isinstance(op, nodes.ArrayReduce) else ""

    def _reduction_refused(self, op: nodes.ArrayReduce) -> str:
        if op.axis is not None:
            return self._lines_refused(op)
        if op.keepdims:
            return "it gives an array of one element"
        kind, element = self.types[op.result], self.types[given(op.body)]
        if kind is types.float16 or (isinstance(kind, Complex) and op.function != "sum"):
            return f"{op.function} of {kind} is computed in another type"
        if isinstance(element, Boolean) and REDUCTIONS[op.function].identity is None:
            return f"{op.function} of bools is a number of another kind"
        return ""

    def _lines_refused(self, op: nodes.ArrayReduce) -> str:
        if not isinstance(self.types[op.result], Array):
            return "it gives one number"
        axis, ndim = op.axis % self._ndim(op), self._ndim(op)
        for name in op.args:
            ty = self.types[name]
            if isinstance(ty, Array) and axis < ndim - ty.ndim:
                return "an operand lacks the axis along which it reduces"
        return ""

    def _ndim(self, op: ArrayOp) -> int:
        if isinstance(op, nodes.ArrayStore):
            ty = self.types[op.target]
        else:
            ty = result_type(types.float64, [self.types[name] for name in op.args])
        return ty.ndim if isinstance(ty, Array) else 0

    # --- the ops --------------------------------------------------------------------------------

    def of(self, op: ArrayOp) -> list[Op]:
        """Return the ops that replace one that is not refused."""
        self.made: list[Op] = []
        args, target = op.args, None
        if isinstance(op, nodes.ArrayStore):
            target = op.target
            args = tuple(self._apart(op, name) for name in args)
        texts = self.texts((*op.args, *([target] if target else [])))
        sizes = self.names("size", [types.int64] * self._ndim(op))
        arrays = [k for k, name in enumerate(args) if isinstance(self.types[name], Array)]
        shown = tuple(texts[k] for k in arrays) + tuple(texts[len(args) :])
        sources = tuple(args[k] for k in arrays)
        self.put(nodes.SizesOf(sizes, sources, target, shown, loc=op.loc, id=self.fn.new_id()))
        match op:
            case nodes.ArrayExpr(result):
                ty = self.types[result]
                assert isinstance(ty, Array)
                new = nodes.NewArray(result, str(ty.dtype), ty.layout, sizes, loc=op.loc, id=op.id)
                self.put(new)
                self._filled(op, args, sizes, result)
            case nodes.ArrayStore(stored):
                self._filled(op, args, sizes, stored)
            case nodes.ArrayReduce(axis=None):
                self._reduced(op, args, sizes)
            case nodes.ArrayReduce():
                self._lines(op, args, sizes)
        return self.made

    def texts(self, names: Sequence[str]) -> list[str]:
        """Return the formulas of arrays for readers: the function of a call for its result."""
        makers = self.tables.makers
        return [
            text if "$" not in text else _in_words(makers.get(name), makers)
            for name, text in zip(names, texts_of(makers, names), strict=True)
        ]

    def _apart(self, op: nodes.ArrayStore, name: str) -> str:
        kind = apart_type(self.types[name])
        if name == op.target or not isinstance(kind, Array):
            return name
        if not self.memory.may_share(name, op.target):
            return name
        (apart,) = self.names(stem_of(name), [kind])
        self.put(nodes.Apart(apart, name, op.target, loc=op.loc, id=self.fn.new_id()))
        return apart

    def _filled(
        self, op: ArrayOp, args: Sequence[str], sizes: tuple[str, ...], target: str
    ) -> None:
        indices = self.names("i", [types.int64] * len(sizes))
        ops, value = self._element(op, args, indices)
        stored = nodes.Store(target, indices, value, loc=op.loc, id=self.fn.new_id())
        number = op.id if isinstance(op, nodes.ArrayStore) else self.fn.new_id()
        self._parfor(op, sizes, indices, [*ops, stored], number=number)

    def fill(self, op: nodes.Call, sizes: tuple[str, ...], value: str) -> None:
        """Add a parfor that stores a number in all elements of the result of a call."""
        indices = self.names("i", [types.int64] * len(sizes))
        stored = nodes.Store(op.result, indices, value, loc=op.loc, id=self.fn.new_id())
        self._parfor(op, sizes, indices, [stored], number=self.fn.new_id())

    def _reduced(self, op: nodes.ArrayReduce, args: Sequence[str], sizes: tuple[str, ...]) -> None:
        how, kind = REDUCTIONS[op.function], self.types[op.result]
        self._require_elements(op, sizes)
        first = self._first(op, how, kind)
        indices = self.names("i", [types.int64] * len(sizes))
        ops, value = self._element(op, args, indices)
        wanted = types.boolean if how.is_of_truths else kind
        for ty in dict.fromkeys((wanted, kind)):
            value = self._converted(ops, value, ty, op)
        (carried,) = self.names("part", [kind])
        total = self._step(ops, how.ufunc, (carried, value), op)
        is_mean = how.gives == "mean"
        result = self.names("sum", [kind])[0] if is_mean else op.result
        self._parfor(
            *(op, sizes, indices, ops, (result,), (how.operator,)),
            *(((carried,), (first,), (total,)), self.fn.new_id() if is_mean else op.id),
        )
        if is_mean:
            self._mean(op, result, sizes, kind)

    def _require_elements(self, op: nodes.ArrayReduce, sizes: tuple[str, ...]) -> None:
        """Raise if a minimum or maximum has no elements; for lines, before the first of them."""
        how = REDUCTIONS[op.function]
        if how.identity is None:
            self.put(nodes.RequireElements(sizes, how.ufunc, loc=op.loc, id=self.fn.new_id()))

    def _lines(self, op: nodes.ArrayReduce, args: Sequence[str], sizes: tuple[str, ...]) -> None:
        """Add a parfor over lines, each of which a reduction in the body combines."""
        axis, ty = op.axis % len(sizes), self.types[op.result]
        assert isinstance(ty, Array)
        self._require_elements(op, sizes[axis : axis + 1])
        outer = (*sizes[:axis], *sizes[axis + 1 :])
        kept = outer
        ones: tuple[str, ...] = ()
        if op.keepdims:
            ones = (self.constant(1, types.int64, op),)
            kept = (*sizes[:axis], *ones, *sizes[axis + 1 :])
        new = nodes.NewArray(op.result, str(ty.dtype), "C", kept, loc=op.loc, id=op.id)
        self.put(new)
        indices = self.names("i", [types.int64] * len(outer))
        ops: list[Op] = []
        lines: list[str] = []
        for name in args:
            own = self.types[name]
            if isinstance(own, Array):
                along = axis - (len(sizes) - own.ndim)
                places = indices[len(sizes) - own.ndim :]
                (line,) = self.names(stem_of(name), [line_type(own, along)])
                number = self.fn.new_id()
                ops.append(nodes.Line(line, name, places, along, loc=op.loc, id=number))
                name = line
            lines.append(name)
        (total,) = self.names("line", [ty.dtype])
        reduction = replace(
            op,
            result=total,
            ty=str(ty.dtype),
            axis=None,
            keepdims=False,
            args=tuple(lines),
            id=self.fn.new_id(),
        )
        zero = (self.constant(0, types.int64, op),) if op.keepdims else ()
        places = (*indices[:axis], *zero, *indices[axis:])
        stored = nodes.Store(op.result, places, total, loc=op.loc, id=self.fn.new_id())
        self._parfor(op, outer, indices, [*ops, reduction, stored], number=self.fn.new_id())

    def _mean(self, op: nodes.ArrayReduce, total: str, sizes: tuple[str, ...], kind: Type) -> None:
        ops: list[Op] = []
        count = sizes[0]
        for size in sizes[1:]:
            count = self._step(ops, "multiply", (count, size), op)
        count = self._converted(ops, count, kind, op)
        last = nodes.Element(op.result, "divide", (total, count), loc=op.loc, id=op.id)
        self.tables.resolve([last])
        for one in (*ops, last):
            self.put(one)

    def _first(self, op: nodes.ArrayReduce, how: Reduction, kind: Type) -> str:
        """Return the initial value of a reduction: a Python constant, converted if its type
        differs."""
        value = identity_of(how, kind)
        own = _of_constant(value)
        name = self.constant(value, own, op)
        if own is kind:
            return name
        ops: list[Op] = []
        name = self._converted(ops, name, kind, op)
        self.put(*ops)
        return name

    # --- parts ----------------------------------------------------------------------------------

    def _element(
        self, op: ArrayOp, args: Sequence[str], indices: tuple[str, ...]
    ) -> tuple[list[Op], str]:
        """Return the ops that compute an element, and the variable that holds it."""
        ops: list[Op] = []
        names: dict[str, str] = {}
        for index, arg in zip(op.body.indices, args, strict=True):
            ty = self.types[arg]
            if isinstance(ty, Array):
                places = indices[len(indices) - ty.ndim :]
                ops.append(nodes.Load(index, arg, places, loc=op.loc, id=self.fn.new_id()))
            elif self.types[index] is ty:
                names[index] = arg
            else:
                self.put(nodes.Cast(index, arg, loc=op.loc, id=self.fn.new_id()))
        inner = {definition for one in ops for definition in definitions(one)}
        for step in steps(op.body):
            one = rename_uses(step, lambda name: names.get(name, name))
            if inner.isdisjoint(uses(one)):  # the same for all elements
                self.put(one)
            else:
                ops.append(one)
                inner.add(step.result)
        value = given(op.body)
        return ops, names.get(value, value)

    def _converted(self, ops: list[Op], name: str, wanted: Type, op: Op) -> str:
        if self.types[name] is wanted:
            return name
        return self._step(ops, f"as.{wanted}", (name,), op)

    def _step(self, ops: list[Op], function: str, args: tuple[str, ...], op: Op) -> str:
        loop = element_loop(function, tuple(element_of(self.types[arg]) for arg in args))
        assert loop is not None
        (result,) = self.names("e", [loop.outputs[0]])
        ops.append(nodes.Element(result, function, args, loc=op.loc, id=self.fn.new_id()))
        self.tables.resolve(ops[-1:])
        return result

    def _parfor(
        self,
        op: Op,
        sizes: tuple[str, ...],
        indices: tuple[str, ...],
        ops: list[Op],
        results: tuple[str, ...] = (),
        operators: tuple[str, ...] = (),
        carried: tuple[tuple[str, ...], ...] = ((), (), ()),
        number: int = 0,
    ) -> None:
        zero, one = (self.constant(value, types.int64, op) for value in (0, 1))
        names, initial, last = carried
        end = nodes.Yield(last, loc=op.loc, id=self.fn.new_id())
        block = Block(self.tables.new_label(), [*ops, end])
        body = Region.of([block], indices, names, initial)
        count = len(sizes)
        bounds = ((zero,) * count, sizes, (one,) * count)
        self.put(nodes.Parfor(results, *bounds, operators, "static", body, loc=op.loc, id=number))

    def constant(self, value: object, ty: Type, op: Op) -> str:
        """Add a constant; return its variable."""
        (name,) = self.names("const", [ty])
        self.put(nodes.Const(name, value, loc=op.loc, id=self.fn.new_id()))
        return name

    def names(self, stem: str, kinds: Sequence[Type]) -> tuple[str, ...]:
        """Return new variables of these types."""
        names = tuple(self.fn.fresh(stem) for _ in kinds)
        self.types.update(zip(names, kinds, strict=True))
        return names

    def put(self, *ops: Op) -> None:
        """Append ops."""
        self.made += ops


def _in_words(maker: Op | None, makers: Mapping[str, Op]) -> str:
    function = makers.get(maker.func) if isinstance(maker, nodes.Call) else None
    if isinstance(function, nodes.Global):
        return f"{function.name}(...)"
    return "a temporary array" if maker is None else f"what line {maker.loc.line} computes"


def _of_constant(value: object) -> Type:
    if isinstance(value, bool):
        return types.boolean
    if isinstance(value, int):
        return types.int64 if value < 1 << 63 else types.uint64
    return types.float64


def is_plain(ty: Array) -> bool:
    """True for an array of numbers or bools."""
    return isinstance(ty.dtype, Integer | Float | Complex | Boolean)
