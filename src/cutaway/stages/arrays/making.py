"""Making array expressions: the work of pass `array_expressions`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.elements import ArrayOp, formula, given, steps
from cutaway.ir.function import is_temporary
from cutaway.ir.nodes import Block, Op
from cutaway.ir.operators import INPLACE
from cutaway.ir.regions import Region
from cutaway.ir.traversal import bound_names, definitions, rename_uses
from cutaway.stages.arrays.operands import element_of_body, operands_of, stem_of, texts_of
from cutaway.stages.arrays.tables import Tables
from cutaway.stages.unit import CompileUnit
from cutaway.typing.analysis.indices import gives_copy
from cutaway.typing.inference.resolutions import Chosen
from cutaway.typing.overloads.resolution import ElementWise, Reducing
from cutaway.typing.reductions import reduced_type
from cutaway.typing.types import Array, Type
from cutaway.typing.types.enums import EnumMember
from cutaway.typing.ufuncs import (
    conversions,
    element_of,
    loop_of,
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

_SUBTRACT = ElementWise("subtract", (0, 1))
_MULTIPLY = ElementWise("multiply", (0, 1))
_ROOT = ElementWise("sqrt", (0,))
_IN_PLACE = frozenset(row.function for row in INPLACE.values())  # called by name, too


def rewrite(unit: CompileUnit, editor: Editor) -> None:
    """Rewrite every element-wise operation and every reduction, in regions too."""
    _share_views(unit, editor)
    tables = Tables(unit)

    def within(editor: Editor) -> None:
        maker = ExpressionMaker(unit, editor, tables)
        for block in list(editor.fn.blocks.values()):
            position = 0
            while position < len(block.ops):
                position += maker.rewrite(block, position)
        editor.in_regions(within)

    within(editor)


def _share_views(unit: CompileUnit, editor: Editor) -> None:
    """Create a view of an array once if a block creates it several times, in regions too."""
    names: dict[str, str] = {}
    for block in editor.fn.blocks.values():
        taken: dict[Op, str] = {}
        for op in block.ops:
            is_item = isinstance(op, nodes.StaticGetItem | nodes.GetItem)
            if not is_item or gives_copy(op, unit.types):
                continue
            if is_temporary(op.result) and _is_part(op, unit.types):
                renamed = rename_uses(op, lambda name: names.get(name, name))
                first = taken.setdefault(nodes.replace(renamed, result=""), op.result)
                if first != op.result:
                    names[op.result] = first
    editor.rename_each(names, _with_views_shared, SHARE_VIEW)
    editor.in_regions(lambda inner: _share_views(unit, inner))


def _is_part(op: nodes.StaticGetItem | nodes.GetItem, table: Mapping[str, Type]) -> bool:
    """True if an item of an array is an array; those of a list may be other ones later."""
    return isinstance(table[op.value], Array) and isinstance(table[op.result], Array)


def _with_views_shared(names: Mapping[str, str], ops: Sequence[Op]) -> list[Op]:
    return [
        rename_uses(op, lambda name: names.get(name, name))
        for op in ops
        if not names.keys() & definitions(op)
    ]


class ExpressionMaker:
    """Makes the ops of one function, or of a region."""

    def __init__(self, unit: CompileUnit, editor: Editor, tables: Tables) -> None:
        self.unit = unit
        self.editor = editor
        self.tables = tables
        self.fn = editor.fn

    def rewrite(self, block: Block, position: int) -> int:
        """Rewrite the op at a position if it is element-wise; return how many ops replace it."""
        op = block.ops[position]
        resolved = self.unit.resolutions.get(op.id)
        if not isinstance(resolved, Chosen):
            return 1
        overload, makers = resolved.resolution.overload, self.tables.makers
        if overload.reducing is not None and isinstance(op, nodes.Call):
            names = operands_of(op, resolved, (0,), makers)
            return (
                1 if names is None else self._reduce(block, position, op, overload.reducing, names)
            )
        if overload.elements is None:
            return 1
        operation = overload.elements(resolved.resolution.signature)
        if operation is None:
            return 1
        names = operands_of(op, resolved, operation.operands, makers)
        if names is None or any(_is_member(self.unit.types[name]) for name in names):
            return 1
        if resolved.question.function in _IN_PLACE:
            assert isinstance(op, nodes.Inplace | nodes.Call)
            return self._store(block, position, op, operation, names)
        result = op.result  # every such op has one
        new = self._expression(result, operation, names, op, self.unit.types[result])
        count = self._put(block, position, new)
        self._commit(MAKE_EXPRESSION, op, (new,), result)
        return count

    def _store(
        self,
        block: Block,
        position: int,
        op: nodes.Inplace | nodes.Call,
        operation: ElementWise,
        names: tuple[str, ...],
    ) -> int:
        body, expr = self._body(operation, names, op)
        store = nodes.ArrayStore(names[0], expr, names, body, names, loc=op.loc, id=op.id)
        same = nodes.Copy(op.result, names[0], loc=op.loc, id=self.fn.new_id())
        count = self._put(block, position, store, same)
        self._commit(STORE_EXPRESSION, op, (store,), names[0])
        return count

    def _reduce(
        self, block: Block, position: int, op: nodes.Call, how: Reducing, names: tuple[str, ...]
    ) -> int:
        (array,) = names
        is_spread = how.function in ("var", "std")
        ops = self._spread(op, array, how) if is_spread else [self._reduction(op, array, how)]
        count = self._put(block, position, *ops)
        rule = SPREAD if is_spread else MAKE_REDUCTION
        self._commit(rule, op, ops, op.result, how.function)
        return count

    def _put(self, block: Block, position: int, *ops: Op) -> int:
        """Replace the op at a position; return the number of ops in its place."""
        op = block.ops[position]
        self.editor.replace(block, position, *ops)
        self.tables.renew((op,), ops)
        self.unit.resolutions.pop(op.id, None)
        taken = self.tables.makers.get(op.func) if isinstance(op, nodes.Call) else None
        return len(ops) - (isinstance(taken, nodes.GetAttr) and self._drop(block, position, taken))

    def _drop(self, block: Block, position: int, taken: nodes.GetAttr) -> bool:
        """Remove the op before a position that reads a method, if the method has no other call;
        True if it is removed."""
        while position >= 0 and block.ops[position].id != taken.id:
            position -= 1
        if position < 0 or self.tables.users(taken.result):
            return False
        self.editor.replace(block, position)
        self.tables.renew((taken,), ())
        return True

    def _commit(self, rule: Rule, op: Op, ops: Sequence[ArrayOp], *subjects: str) -> None:
        """Commit the rewrite of an op into these."""
        self.tables.resolve(one for new in ops for one in steps(new.body))
        types = [name for new in ops for name in bound_names(new)]
        self.editor.commit(rule, op.loc, *subjects, types=types)

    # --- the ops --------------------------------------------------------------------------------

    def _reduction(
        self, op: nodes.Call, array: str, how: Reducing, result: str = ""
    ) -> nodes.ArrayReduce:
        """Make a reduction of an array at an op's location, with its id and result unless another
        result is passed."""
        types, fn = self.unit.types, self.fn
        name = result or op.result
        types[name] = reduced_type(how.function, types[array], how.axis, how.keepdims)
        index = fn.fresh(stem_of(array))
        types[index] = element_of(types[array])
        give = nodes.Give(index, loc=op.loc, id=fn.new_id())
        body = Region.of([Block(self.tables.new_label(), [give])], (index,))
        (expr,) = texts_of(self.tables.makers, (array,))
        return nodes.ArrayReduce(
            *(name, str(types[name]), expr),
            *(how.function, how.axis, how.keepdims, (array,), body),
            loc=op.loc,
            id=op.id if name == op.result else fn.new_id(),
        )

    def _spread(self, op: nodes.Call, array: str, how: Reducing) -> list[ArrayOp]:
        """Make the variance as NumPy computes it: the mean of the squared distances from the mean;
        its square root is the deviation."""
        fn = self.fn
        mean, distance, square = (fn.fresh(stem) for stem in ("mean", "distance", "square"))
        result = op.result if how.function == "var" else fn.fresh("variance")
        of_lines = Reducing("mean", how.axis, how.axis is not None)
        ops: list[ArrayOp] = [
            self._reduction(op, array, of_lines, mean),
            self._expression(distance, _SUBTRACT, (array, mean), op),
            self._expression(square, _MULTIPLY, (distance, distance), op),
            self._reduction(op, square, Reducing("mean", how.axis, how.keepdims), result),
        ]
        if how.function == "std":
            ops.append(self._expression(op.result, _ROOT, (result,), op))
        return ops

    def _expression(
        self,
        result: str,
        operation: ElementWise,
        names: tuple[str, ...],
        op: Op,
        ty: Type | None = None,
    ) -> nodes.ArrayExpr:
        """Make an expression of one operation at an op's location, with its id if it has its
        result; of a type, if that is known."""
        types = self.unit.types
        body, expr = self._body(operation, names, op)
        if ty is None:
            ty = result_type(types[given(body)], [types[name] for name in names])
        types[result] = ty
        number = op.id if result in definitions(op) else self.fn.new_id()
        return nodes.ArrayExpr(result, str(ty), expr, names, body, loc=op.loc, id=number)

    def _body(self, operation: ElementWise, names: Sequence[str], op: Op) -> tuple[Region, str]:
        """Return the body of one operation on these variables, and its formula."""
        types, fn = self.unit.types, self.fn
        operands = tuple(types[name] for name in names)
        function = operation.function
        loop = loop_of(function, operands)
        assert loop is not None
        indices, args, ops = [], [], []
        for name, ty, first in zip(names, operands, conversions(function, operands, loop)):
            index = fn.fresh(stem_of(name))
            types[index] = element_of(ty)
            indices.append(index)
            if first:
                ops.append(self._element(first, (index,), op))
                index = ops[-1].result
            args.append(index)
        ops.append(self._element(function, tuple(args), op))
        give = nodes.Give(ops[-1].result, loc=op.loc, id=fn.new_id())
        block = Block(self.tables.new_label(), [*ops, give])
        texts = dict(zip(indices, texts_of(self.tables.makers, names), strict=True))
        return Region.of([block], tuple(indices)), formula(block.ops, texts)

    def _element(self, function: str, args: tuple[str, ...], op: Op) -> nodes.Element:
        return element_of_body(self.fn, self.unit.types, function, args, op)


def _is_member(ty: Type) -> bool:
    """True for a member of an enumeration, which the call converts to an integer."""
    return isinstance(ty, EnumMember)
