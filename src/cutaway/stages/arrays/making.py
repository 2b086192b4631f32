"""Making array expressions: the work of pass `array_expressions`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.elements import formula, given
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.nodes import Block, Op
from cutaway.ir.operators import INPLACE
from cutaway.ir.regions import Region
from cutaway.ir.traversal import bound_names, definitions, rename_uses, use_table, walk_op
from cutaway.stages.arrays.operands import operands_of, texts_of
from cutaway.stages.arrays.reductions import ReductionCall, reduction_of
from cutaway.stages.unit import CompileUnit
from cutaway.typing.inference.questions import constants_of
from cutaway.typing.inference.resolutions import Chosen
from cutaway.typing.overloads.resolution import ElementWise
from cutaway.typing.types import Array
from cutaway.typing.ufuncs import (
    conversions,
    element_loop,
    element_of,
    loop_of,
    reduced_type,
    result_type,
)

MAKE_EXPRESSION = Rule(
    "make_expression",
    "a + b => an array expression of one operation",
    note="{0!v} is computed element by element",
)
STORE_EXPRESSION = Rule(
    "store_expression",
    "a += b => an array expression that is stored in a",
    note="the elements of {0!v} are computed in place",
)


SPREAD = Rule(
    "make_variance",
    "np.var(a) => the mean of the squares of the distances from the mean",
    note="{0!v} is computed of the mean, and of the distances from it",
)
SHARE_VIEW = Rule(
    "share_view",
    "x = a[1:]; y = a[1:] => x = a[1:]; y = x",
    note="{0!v} is a part of the array that {1!v} is already",
)
MAKE_REDUCTION = Rule(
    "make_reduction",
    "np.sum(a) => a reduction, with a body that gives an element",
    note="{0!v} is the {1} of the elements, which are taken one after the other",
)


_IN_PLACE = frozenset(row.function for row in INPLACE.values())  # called by name, too


def rewrite(unit: CompileUnit, editor: Editor) -> None:
    """Rewrite every operation that is element-wise, or a reduction."""
    _share_views(unit, editor)
    maker = ExpressionMaker(unit, editor)
    for block in list(editor.fn.blocks.values()):
        position = 0
        while position < len(block.ops):
            position += maker.rewrite(block, position)


def _share_views(unit: CompileUnit, editor: Editor) -> None:
    """Take a part of an array once that a block takes several times."""
    names: dict[str, str] = {}
    for block in editor.fn.blocks.values():
        taken: dict[Op, str] = {}
        for op in block.ops:
            is_item = isinstance(op, nodes.StaticGetItem | nodes.GetItem)
            if is_item and is_temporary(op.result) and isinstance(unit.types[op.result], Array):
                renamed = rename_uses(op, lambda name: names.get(name, name))
                first = taken.setdefault(nodes.replace(renamed, result=""), op.result)
                if first != op.result:
                    names[op.result] = first
    editor.rename_each(names, _with_views_shared, SHARE_VIEW)


def _with_views_shared(names: Mapping[str, str], ops: Sequence[Op]) -> list[Op]:
    return [
        rename_uses(op, lambda name: names.get(name, name))
        for op in ops
        if not names.keys() & definitions(op)
    ]


class ExpressionMaker:
    """Makes the ops of one function, or of a region."""

    def __init__(self, unit: CompileUnit, editor: Editor) -> None:
        self.unit = unit
        self.editor = editor
        self.fn = editor.fn
        self.constants = constants_of(unit.fn)
        self.last_label = -1

    def rewrite(self, block: Block, position: int) -> int:
        """Rewrite the op at a position, if it is element-wise; gives how many ops are there now."""
        op = block.ops[position]
        if isinstance(op, nodes.Call):
            call = reduction_of(op, self.unit, self.constants, block.ops[:position])
            if call is not None:
                return self._reduce(block, position, op, call)
        resolved = self.unit.resolutions.get(op.id)
        if not isinstance(resolved, Chosen) or resolved.resolution.overload.elements is None:
            return 1
        operation = resolved.resolution.overload.elements(resolved.resolution.signature)
        if operation is None:
            return 1
        names = operands_of(op, resolved, operation.operands)
        if names is None:
            return 1
        if resolved.question.function in _IN_PLACE:
            assert isinstance(op, nodes.Inplace | nodes.Call)
            return self._store(block, position, op, operation, names)
        body, expr = self.body(operation, names, op)
        result = op.result  # type: ignore[attr-defined]  # every such op has one
        ty = str(self.unit.types[result])
        new = nodes.ArrayExpr(result, ty, expr, names, body, loc=op.loc, id=op.id)
        self.editor.replace(block, position, new)
        self.unit.resolutions.pop(op.id, None)
        self._commit(MAKE_EXPRESSION, op, body, result)
        return 1

    def _store(
        self,
        block: Block,
        position: int,
        op: nodes.Inplace | nodes.Call,
        operation: ElementWise,
        names: tuple[str, ...],
    ) -> int:
        body, expr = self.body(operation, names, op)
        store = nodes.ArrayStore(names[0], expr, names, body, names, loc=op.loc, id=op.id)
        same = nodes.Copy(op.result, names[0], loc=op.loc, id=self.fn.new_id())
        self.editor.replace(block, position, store, same)
        self.unit.resolutions.pop(op.id, None)
        self._commit(STORE_EXPRESSION, op, body, names[0])
        return 2

    def _reduce(self, block: Block, position: int, op: nodes.Call, call: ReductionCall) -> int:
        if call.function in ("var", "std"):
            ops, rule = self._spread(op, call), SPREAD
        else:
            ops, rule = [self._reduction(op.result, call.function, call.array, call, op)], None
        self.editor.replace(block, position, *ops)
        is_method = call.taken is not None and len(use_table(self.fn).get(op.func, ())) == 0
        if is_method:
            self.editor.remove(block, call.taken)
        self.unit.resolutions.pop(op.id, None)
        inner = [one for part in ops for one in walk_op(part) if isinstance(one, nodes.Element)]
        self.unit.resolve(inner)
        types = [name for part in ops for name in bound_names(part)]
        self.editor.commit(rule or MAKE_REDUCTION, op.loc, op.result, call.function, types=types)
        return len(ops) - is_method

    def _new_label(self) -> int:
        """A label for a body; those of bodies that are not in the function yet are taken, too."""
        self.last_label = max(self.last_label + 1, self.fn.new_label())
        return self.last_label

    def _reduction(
        self,
        result: str,
        function: str,
        name: str,
        call: ReductionCall,
        op: Op,
        keepdims: bool | None = None,
    ) -> nodes.ArrayReduce:
        """The reduction of an array along the axis of a call; it has the op's place, and its id if
        it has its result."""
        types, fn = self.unit.types, self.fn
        stays = call.keepdims if keepdims is None else keepdims
        types[result] = reduced_type(function, types[name], call.axis, stays)
        index = fn.fresh("x" if is_temporary(name) else user_name(name))
        types[index] = element_of(types[name])
        give = nodes.Give(index, loc=op.loc, id=fn.new_id())
        body = Region.of([Block(self._new_label(), [give])], (index,))
        (expr,) = texts_of(fn, (name,))
        return nodes.ArrayReduce(
            *(result, str(types[result]), expr),
            *(function, call.axis, stays, (name,), body),
            loc=op.loc,
            id=op.id if result == op.result else fn.new_id(),  # type: ignore[attr-defined]
        )

    def _spread(self, op: nodes.Call, call: ReductionCall) -> list[Op]:
        """The variance as NumPy computes it: the mean of the squares of the distances from the
        mean; its square root is the deviation."""
        fn = self.fn
        mean, distance, square = (fn.fresh(stem) for stem in ("mean", "distance", "square"))
        result = op.result if call.function == "var" else fn.fresh("variance")
        keeps = call.axis is not None
        ops: list[Op] = [
            self._reduction(mean, "mean", call.array, call, op, keeps),
            self._expression(distance, "subtract", (call.array, mean), op),
            self._expression(square, "multiply", (distance, distance), op),
        ]
        ops.append(self._reduction(result, "mean", square, call, op))
        if call.function == "std":
            ops.append(self._expression(op.result, "sqrt", (result,), op))
        return ops

    def _expression(
        self, result: str, function: str, names: tuple[str, ...], op: nodes.Call
    ) -> nodes.ArrayExpr:
        """An expression of one operation with the place of an op, and its id if it has its
        result."""
        body, expr = self.body(ElementWise(function, tuple(range(len(names)))), names, op)
        types = self.unit.types
        types[result] = result_type(types[given(body)], [types[name] for name in names])
        number = op.id if result == op.result else self.fn.new_id()
        return nodes.ArrayExpr(result, str(types[result]), expr, names, body, loc=op.loc, id=number)

    def _commit(self, rule: Rule, op: Op, body: Region, *subjects: str) -> None:
        inner = body.blocks[0].ops
        self.unit.resolve(inner)
        types = [*body.indices, *(one.result for one in inner if isinstance(one, nodes.Element))]
        self.editor.commit(rule, op.loc, *subjects, types=types)

    def body(self, operation: ElementWise, names: Sequence[str], op: Op) -> tuple[Region, str]:
        """The body of one operation on these variables, and its formula."""
        types, fn = self.unit.types, self.fn
        operands = tuple(types[name] for name in names)
        function = operation.function
        loop = loop_of(function.partition(".")[0], operands)
        assert loop is not None
        indices, args, ops = [], [], []
        for name, ty, first in zip(names, operands, conversions(function, operands, loop)):
            index = fn.fresh("x" if is_temporary(name) else user_name(name))
            types[index] = element_of(ty)
            indices.append(index)
            if first:
                ops.append(self._element(first, (index,), op))
                index = ops[-1].result
            args.append(index)
        ops.append(self._element(function, tuple(args), op))
        give = nodes.Give(ops[-1].result, loc=op.loc, id=fn.new_id())
        block = Block(self._new_label(), [*ops, give])
        texts = dict(zip(indices, texts_of(fn, names), strict=True))
        return Region.of([block], tuple(indices)), formula(block.ops, texts)

    def _element(self, function: str, args: tuple[str, ...], op: Op) -> nodes.Element:
        types = self.unit.types
        loop = element_loop(function, tuple(types[arg] for arg in args))
        assert loop is not None
        result = self.fn.fresh("e")
        types[result] = loop.outputs[0]
        return nodes.Element(result, function, args, loc=op.loc, id=self.fn.new_id())
