"""The kernel of a parfor in Cutaway's IR, and the operators that combine its parts.

f.parfor.7(first, last, s, a):                  a part of the nest, carried and captured values
    label 0:  it = iter(range(first, last, 1)); jump 1
    label 1:  s.2 = phi(0: s, 5: s.3); i, more = next(it); branch more, 5, 2
    label 5:  the blocks of the body, each yield a jump to 1
    label 2:  return (s.2,)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.combining import choice_of, takes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op
from cutaway.ir.operators import Operator
from cutaway.ir.reductions import BY_UFUNC
from cutaway.lowering.arrays import combining
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, part_types, zero_value
from cutaway.typing import types
from cutaway.typing.types import Float, Integer, Range, Tuple, Type
from cutaway.typing.values.typeof import typeof_constant

_ALSO = {"min": "minimum", "max": "maximum"}  # Python's own have the same identity
_BITS = ("and", "or", "xor")


def identity(build: FunctionBuilder, operator: str, ty: Type) -> Value:
    """Return the initial value of a part."""
    if choice_of(operator) is not None or operator in ("or", "xor", "last"):
        return zero_value(ty)
    if operator == "and":
        return build.constant(ty, -1 if isinstance(ty, Integer) and ty.signed else _ones(ty))
    return combining.identity(build, BY_UFUNC[_ALSO.get(operator, operator)], ty)


def _ones(ty: Type) -> object:
    return ty.high if isinstance(ty, Integer) else True


def all_joined(
    build: FunctionBuilder,
    operators: Sequence[str],
    before: Sequence[Value],
    part: Sequence[Value],
) -> list[Value]:
    """Return the values of variables after a part, from those before and the part's results."""

    def compare(by: Operator, k: int) -> str:
        return _compared(build, by.symbol, part[k], before[k])

    def both(a: str, b: str) -> str:
        return build.binary("and", "i1", a, b)

    after = []
    for k, operator in enumerate(operators):
        a, b = before[k], part[k]
        if operator == "last":
            after.append(b)
        elif choice_of(operator) is None:
            after.append(joined(build, operator, a, b))
        else:
            taken = takes(operators, k, compare, lambda place: part[place].parts[0], both)
            rows = zip(part_types(a.ty), b.parts, a.parts, strict=True)
            after.append(Value(a.ty, tuple(build.select(taken, *row) for row in rows)))
    return after


def _compared(build: FunctionBuilder, symbol: str, a: Value, b: Value) -> str:
    (kind, *_), x, y = part_types(a.ty), a.parts[0], b.parts[0]
    predicate = ("l" if symbol[0] == "<" else "g") + ("e" if symbol.endswith("=") else "t")
    if isinstance(a.ty, Float):
        return build.fcompare(f"o{predicate}", kind, x, y)
    sign = "s" if isinstance(a.ty, Integer) and a.ty.signed else "u"
    return build.compare(f"{sign}{predicate}", kind, x, y)


def joined(build: FunctionBuilder, operator: str, a: Value, b: Value) -> Value:
    """Combine two parts in this order, where it matters little."""
    (kind, *_), (x, *_), (y, *_) = part_types(a.ty), a.parts, b.parts
    if operator in _BITS:
        return Value(a.ty, (build.binary(operator, kind, x, y),))
    if operator in ("min", "max") and isinstance(a.ty, Float):
        symbol = "<" if operator == "min" else ">"  # as in Python: NaN stays
        return Value(a.ty, (build.select(_compared(build, symbol, b, a), kind, y, x),))
    return combining.joined(build, _ALSO.get(operator, operator), a, b)


@dataclass(frozen=True, slots=True)
class _Span:
    """The range of a dimension: its name, its bounds, and the ops that make it."""

    name: str
    params: tuple[str, ...]
    ops: tuple[Op, ...]


class ParforMaker:
    """Makes the kernel of a parfor: `types` are those of its variables, `made` the new ops, which
    have to be resolved."""

    def __init__(
        self,
        outer: Function,
        table: Mapping[str, Type],
        op: nodes.Parfor,
        pushed: Sequence[Op],
        captured: Sequence[str],
    ) -> None:
        self.outer, self.op, self.pushed, self.captured = outer, op, pushed, captured
        self.types = dict(table)
        self.made: list[Op] = []
        self.label = max(outer.highest_label(), *(block.label for block in op.body.blocks))
        self.blocks: dict[int, Block] = {}

    def function(self, steps: Sequence[int | None]) -> Function:
        """Build the function of a part of the nest, whose parameters are a first value and an end
        for each dimension, and a step unless `steps` has it."""
        op, fn = self.op, self.outer
        carried, initial = op.body.carried, [self._fresh(one) for one in op.body.carried]
        spans = [self._span(step) for step in steps]
        bounds = [name for span in spans for name in span.params]
        for name, kept in zip(initial, carried, strict=True):
            self.types[name] = self.types[kept]
        params = (*bounds, *initial, *self.captured)
        entry = self._block()
        for k, name in enumerate(params):
            entry.ops.append(nodes.Arg(name, k, name, loc=op.loc, id=fn.new_id()))
        entry.ops += self.pushed
        for span in spans:
            entry.ops += span.ops
            self.made += span.ops
        leave = self._block()
        ranges = [span.name for span in spans]
        last = self._nest(0, entry, ranges, dict(zip(carried, initial, strict=True)), leave.label)
        self._return(leave, [last[name] for name in carried])
        ordered = {label: self.blocks[label] for label in self.blocks if label != leave.label}
        ordered[leave.label] = leave
        made = Function(fn.name, params, ordered, fn.filename, fn.first_line, fn.next_id)
        made.next_temp, made.namespace = fn.next_temp, fn.namespace
        return made

    def _span(self, step: int | None) -> _Span:
        """Build the range of a part along a dimension.  The kernel makes it, so that analyses of
        loops over ranges apply to this one."""
        op, fn = self.op, self.outer
        first, last = (self._fresh(stem, types.int64) for stem in ("first", "last"))
        by = self._fresh("step", types.int64)
        function, name = self._fresh("range"), self._fresh("part", Range(types.int64, step))
        range_type = typeof_constant(range)
        assert range_type is not None
        self.types[function] = range_type
        ops: list[Op] = [nodes.Global(function, "range", range, loc=op.loc, id=fn.new_id())]
        if step is not None:
            ops.append(nodes.Const(by, step, loc=op.loc, id=fn.new_id()))
        ops.append(nodes.Call(name, function, (first, last, by), (), loc=op.loc, id=fn.new_id()))
        return _Span(name, (first, last) if step is not None else (first, last, by), tuple(ops))

    def _nest(
        self,
        depth: int,
        before: Block,
        spans: Sequence[str],
        held: Mapping[str, str],
        after: int,
    ) -> dict[str, str]:
        """Make the loop over a dimension, between two blocks; returns its final carried values."""
        op, fn, carried = self.op, self.outer, self.op.body.carried
        span = self.types[spans[depth]]
        source = self._fresh("iter", span.iterator())
        more = self._fresh("more", types.boolean)
        start = nodes.GetIter(source, spans[depth], loc=op.loc, id=fn.new_id())
        before.ops.append(start)
        head = self._block()
        before.ops.append(nodes.Jump(head.label, loc=op.loc, id=fn.new_id()))
        is_inner = depth + 1 == len(spans)
        names = {n: n if is_inner else self._fresh(n, self.types[n]) for n in carried}
        step = nodes.IterNext(op.body.indices[depth], more, source, loc=op.loc, id=fn.new_id())
        self.made += [start, step]
        if is_inner:
            first = op.body.blocks[0].label
            backs = self._body(head.label)
        else:
            inside = self._block()
            latch = self._block()
            inner = self._nest(depth + 1, inside, spans, names, latch.label)
            latch.ops.append(nodes.Jump(head.label, loc=op.loc, id=fn.new_id()))
            first, backs = inside.label, [(latch.label, [inner[n] for n in carried])]
        for k, name in enumerate(carried):
            rows = [(before.label, held[name]), *((label, row[k]) for label, row in backs)]
            labels, values = zip(*rows, strict=True)
            head.ops.append(nodes.Phi(names[name], labels, values, loc=op.loc, id=fn.new_id()))
        test = nodes.Branch(more, first, after, loc=op.loc, id=fn.new_id())
        self.made.append(test)
        head.ops += [step, test]
        return names

    def _body(self, head: int) -> list[tuple[int, tuple[str, ...]]]:
        """Add the blocks of the body; returns those that jump to the head, with their values."""
        backs = []
        for block in self.op.body.blocks:
            ops, end = list(block.ops), block.terminator
            if isinstance(end, nodes.Yield):
                backs.append((block.label, end.values))
                ops[-1] = nodes.Jump(head, loc=end.loc, id=end.id)
            self.blocks[block.label] = Block(block.label, ops)
        return backs

    def _return(self, block: Block, names: Sequence[str]) -> None:
        op, fn = self.op, self.outer
        result = self._fresh("result", types.none)
        if names:
            self.types[result] = Tuple(tuple(self.types[name] for name in names))
            block.ops.append(nodes.BuildTuple(result, tuple(names), loc=op.loc, id=fn.new_id()))
        else:
            block.ops.append(nodes.Const(result, None, loc=op.loc, id=fn.new_id()))
        block.ops.append(nodes.Return(result, loc=op.loc, id=fn.new_id()))

    def _block(self) -> Block:
        self.label += 1
        self.blocks[self.label] = Block(self.label, [])
        return self.blocks[self.label]

    def _fresh(self, stem: str, ty: Type | None = None) -> str:
        name = self.outer.fresh(stem.lstrip("$"))
        if ty is not None:
            self.types[name] = ty
        return name
