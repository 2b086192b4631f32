"""Fusing array expressions: the work of pass `fuse_arrays`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.elements import ArrayOp, formula, given, steps, wholes_of
from cutaway.ir.nodes import Block, Op
from cutaway.ir.regions import FrozenBlock, Region
from cutaway.ir.traversal import rename_uses
from cutaway.stages.arrays.decisions import Earlier, Reasons, Refusal, fits_in_one
from cutaway.stages.arrays.fetching import Fetches
from cutaway.stages.arrays.masking import MaskedStores
from cutaway.stages.arrays.operands import stem_of, texts_of
from cutaway.stages.arrays.picking import PickedReductions
from cutaway.stages.arrays.tables import Tables
from cutaway.stages.arrays.updating import Updates
from cutaway.stages.unit import CompileUnit
from cutaway.typing.analysis.counting import linear_values
from cutaway.typing.analysis.indices import gives_copy
from cutaway.typing.analysis.memory import Roots
from cutaway.typing.analysis.sizes import Sizes
from cutaway.typing.types import Array
from cutaway.typing.ufuncs import FETCH

STORE_WHERE = Rule(
    "store_where",
    "a[m] = number => a[...] = where(m, number, a)",
    note="{0!v} is computed anew where the mask is true, and stays elsewhere",
)
FUSE = Rule(
    "fuse",
    "t = expression; s = expression of t => one expression",
    note="{0!v} is computed in the loop that uses it, and no array holds it",
)
STORE_IN_PLACE = Rule(
    "store_in_place",
    "t = expression; a[i] = t => the elements of a[i] are computed in place",
    note="{0!v} is computed in the elements that it is assigned to",
)

ASSIGNED_ITSELF = Rule(
    "assigned_itself",
    "t = a[i]; t += expression; a[i] = t => t = a[i]; t += expression",
    note="{0!v} is the part of the array that it is assigned to, and need not be copied",
)

UPDATE = Rule(
    "update",
    "a += expression; a *= other => (a + expression) * other, once",
    note="{0!v} is updated in the loop that computes its elements",
)


def fuse(unit: CompileUnit, editor: Editor) -> None:
    """Fuse all expressions that can be fused, block by block, in regions too."""
    known = _Known(unit)

    def within(editor: Editor) -> None:
        for block in editor.fn.blocks.values():
            ArrayFusion(known, editor, block).run()
        editor.in_regions(within)

    within(editor)


class _Known:
    """Facts about the arrays of a function."""

    def __init__(self, unit: CompileUnit) -> None:
        self.unit = unit
        self.tables = Tables(unit)
        self.memory = Roots(self.tables.makers, unit.types, unit.resolutions)
        values = linear_values(unit.fn, unit.types, self.tables.constants, self.tables.makers)
        self.sizes = Sizes(unit.fn, unit.types, values)

    def is_barrier(self, op: Op) -> bool:
        """True if an op writes to an array, or has another visible effect."""
        return bool(self.memory.written(op)) or self.memory.is_seen(op)


class ArrayFusion:
    """The fusion in one block."""

    def __init__(self, known: _Known, editor: Editor, block: Block) -> None:
        self.unit = known.unit
        self.tables, self.memory, self.sizes = known.tables, known.memory, known.sizes
        self.editor = editor
        self.fn = editor.fn
        self.block = block
        self.place = block.label if self.fn is known.unit.fn else None
        self.reasons = Reasons(self.unit, self.fn, self.tables)
        self.is_barrier = known.is_barrier
        self.order = _Order(block, known.is_barrier)
        self.updates = Updates(self)
        self.fetches = Fetches(self)
        self.masked = MaskedStores(self)
        self.picked = PickedReductions(self)

    def run(self) -> None:
        """Fuse its producers into each expression, from the first to the last."""
        position = 0
        while position < len(self.block.ops):
            position = self._consumer(position) + 1
        self.reasons.finish(self.block)

    def _consumer(self, position: int) -> int:
        """Fuse as much as possible into the op at a position; return its new position."""
        op = self.block.ops[position]
        if isinstance(op, nodes.SetItem | nodes.StaticSetItem):
            if self._is_there(op):
                self.replace(position)
                self.editor.commit(ASSIGNED_ITSELF, op.loc, op.value)
                return position - 1
            position = self._assignment(position, op)
            op = self._masked(position)
        changed = True
        while changed and isinstance(op, ArrayOp):
            changed = False
            found = {self._producer(name) for name in op.args} - {None}
            # The last one first, so that steps stay in the order in which they raise.
            for before in sorted(found, reverse=True):  # type: ignore[type-var]
                if self._refused(before, position, op):
                    continue
                self._merge(before, position)
                position -= 1
                op, changed = self.block.ops[position], True
                break
            moved = None if changed else self.picked.combine(position, op)
            if moved is not None:
                position, op, changed = moved, self.block.ops[moved], True
        while isinstance(op, nodes.ArrayStore):
            before = self.updates.earlier(position)
            if before is None:
                break
            position = self._update(before, position)
            op = self.block.ops[position]
        return position

    def _masked(self, position: int) -> Op:
        """Store a number that a mask assigns in one loop; return the op at its position."""
        op = self.block.ops[position]
        if not isinstance(op, nodes.SetItem | nodes.StaticSetItem):
            return op
        store = self.masked.store(op)
        if store is None:
            return op
        self.unit.resolutions.pop(op.id, None)
        self.replace(position, store)
        own = [*store.body.indices, *(step.result for step in steps(store.body))]
        self.editor.commit(STORE_WHERE, op.loc, op.target, types=own)
        return store

    def _producer(self, name: str) -> int | None:
        """Return the position of the expression in this block that defines a variable."""
        op = self.tables.makers.get(name)
        if not isinstance(self.unit.types.get(name), Array):
            return None
        if not isinstance(op, nodes.ArrayExpr) and not self.fetches.is_one(op):
            return None
        return self.order.position(op)

    # --- legality -------------------------------------------------------------------------------

    def _refused(self, before: int, position: int, consumer: Op) -> bool:
        """True if an expression is not fused; the reason is recorded."""
        producer = self.block.ops[before]
        if not isinstance(producer, nodes.ArrayExpr):
            producer = self.fetches.made(producer)
        reason = (
            self._used_elsewhere(producer, consumer)
            or self._looked_at_before(producer, consumer)
            or self._interference(producer, consumer, self.order.barriers(before, position))
            or self._repetition(producer, consumer)
        )
        if reason is None:
            return False
        self.reasons.missed(producer, reason)
        return True

    def _used_elsewhere(self, producer: nodes.ArrayExpr, consumer: Op) -> Refusal | None:
        users = self.tables.users(producer.result)
        others = [op for op in users if op.id != consumer.id]
        if not others:
            return None
        return self.reasons.used_often(producer.result)

    def _looked_at_before(self, producer: nodes.ArrayExpr, consumer: Op) -> Refusal | None:
        """Return the refusal of indices: all are bounds-checked when the reading loop begins."""
        if not isinstance(consumer, ArrayOp):
            return None
        pairs = zip(consumer.args, consumer.body.indices, strict=True)
        own = {index for name, index in pairs if name == producer.result}
        fetches = (step for step in steps(consumer.body) if step.function == FETCH)
        if not any(own.intersection(step.args[1:]) for step in fetches):
            return None
        return self.reasons.used_as_indices(consumer)

    def _interference(
        self, producer: nodes.ArrayExpr, consumer: Op, between: list[Op]
    ) -> Refusal | None:
        """Return the refusal for one of the ops that write in between; None if it can move."""
        names = (*producer.args, *wholes_of(producer.body))
        arrays = [name for name in names if isinstance(self.unit.types[name], Array)]
        for op in between:
            if self.memory.writes_to(op, arrays):
                changed = [name for name in arrays if self.memory.writes_to(op, (name,))]
                targets = map(self.memory.whole, self.memory.written(op))
                return self.reasons.changed_between(op, consumer, targets, changed)
            if self.memory.is_seen(op) and self.may_raise(producer):
                return self.reasons.stored_between(op, consumer)
        return None

    def may_raise(self, producer: Earlier) -> bool:
        """True if an expression may raise: for sizes that do not fit, for integers that do not."""
        if self.sizes.together(producer.args, self.place) is None:
            return True
        return any(
            step.function.startswith(("python.int", "python.uint"))
            or step.function in ("power", FETCH)
            for step in steps(producer.body)
        )

    def _repetition(self, producer: nodes.ArrayExpr, consumer: Op) -> Refusal | None:
        """Return the refusal of an expression that would be computed several times."""
        if not isinstance(consumer, ArrayOp):  # an assignment
            return None
        own, whole = self.unit.types[producer.result], self._result_type(consumer)
        if not fits_in_one(producer, consumer):
            return self.reasons.too_long(consumer)
        if isinstance(consumer, nodes.ArrayReduce):
            axes = max(getattr(self.unit.types[name], "ndim", 0) for name in consumer.args)
            whole = own.copy(ndim=axes) if isinstance(own, Array) else own
        if not isinstance(own, Array) or not isinstance(whole, Array):
            return None
        if own.ndim < whole.ndim and self.reasons.is_costly(producer):
            return self.reasons.repeated(consumer, own.ndim, whole.ndim)
        return None

    def _result_type(self, consumer: ArrayOp) -> object:
        name = consumer.target if isinstance(consumer, nodes.ArrayStore) else consumer.result
        return self.unit.types[name]

    # --- merging --------------------------------------------------------------------------------

    def replace(self, position: int, *ops: Op) -> None:
        """Replace the op at a position; the last new op has its id, if there is one."""
        old = self.block.ops[position]
        self.editor.replace(self.block, position, *ops)
        self.tables.renew((old,), ops)
        self.order.renew(position, ops)

    def drop(self, before: int, new: Op) -> None:
        """Remove an op whose steps are part of another one now."""
        self.replace(before)
        self.tables.renew((), (new,))

    def _merge(self, before: int, position: int) -> None:
        producer, consumer = self.block.ops[before], self.block.ops[position]
        if not isinstance(producer, nodes.ArrayExpr):
            producer = self.fetches.put(before)
        assert isinstance(consumer, ArrayOp)
        args, body = merged(producer, consumer, {producer.result})
        new = nodes.replace(consumer, args=args, body=body, expr=self.formula_of(args, body))
        if isinstance(new, nodes.ArrayStore):
            new = nodes.replace(new, tested=self.tested((*args, *wholes_of(body)), new.target))
        self.replace(position, new)
        self.drop(before, new)
        self.editor.commit(FUSE, consumer.loc, producer.result)
        self.reasons.done(producer, new)

    def _update(self, before: int, position: int) -> int:
        """Merge an update with the op that computes its elements; return the position of both."""
        producer, store = self.block.ops[before], self.block.ops[position]
        assert isinstance(producer, Earlier) and isinstance(store, nodes.ArrayStore)
        array = self.updates.array_of(store.target)
        args, body = self._updated(producer, store, array)
        expr = self.formula_of(args, body)
        new: Earlier
        if isinstance(producer, nodes.ArrayStore):
            tested = self.tested((*args, *wholes_of(body)), store.target)
            new = nodes.replace(store, args=args, body=body, expr=expr, tested=tested)
            self.replace(position, new)
        else:
            new = nodes.replace(
                producer, args=args, body=body, expr=expr, loc=store.loc, id=store.id
            )
            copies = list(self.updates.copies(before, position, array))
            moved = [self.block.ops[index] for index in copies]
            self.replace(position, new, *moved)
            for index in reversed(copies):
                self.replace(index)
        self.drop(before, new)
        self.editor.commit(UPDATE, store.loc, store.target)
        self.reasons.updated(producer, new)
        after = self.order.position(new)
        assert after is not None
        return after

    def _updated(
        self, producer: Earlier, store: nodes.ArrayStore, array: str
    ) -> tuple[tuple[str, ...], Region]:
        """Return the operands and the body of both; an array that is an operand has one name."""
        names = [
            store.target if self.updates.array_of(name) == array else name for name in producer.args
        ]
        own = {name for name in store.args if self.updates.array_of(name) == array}
        return merged(nodes.replace(producer, args=tuple(names)), store, own)

    def formula_of(self, args: tuple[str, ...], body: Region) -> str:
        """Return the formula of a body as users read it."""
        texts = dict(zip(body.indices, texts_of(self.tables.makers, args), strict=True))
        return formula(body.blocks[0].ops, texts)

    def _is_there(self, op: nodes.SetItem | nodes.StaticSetItem) -> bool:
        """True if the value assigned to a part of an array is that part: `a[i] += x` reads the
        part, updates it and assigns it."""
        maker = self.memory.makers.get(op.value)
        while isinstance(maker, nodes.Copy):
            maker = self.memory.makers.get(maker.value)
        if not isinstance(maker, nodes.GetItem | nodes.StaticGetItem):
            return False
        whole = self.unit.types[op.target]
        if not isinstance(whole, Array) or gives_copy(maker, self.unit.types):
            return False  # the items of `a.flat` are copies
        is_part = isinstance(self.unit.types[op.value], Array) and maker.value == op.target
        return is_part and type(maker.index) is type(op.index) and _same(maker.index, op.index)

    def _assignment(self, position: int, op: nodes.SetItem | nodes.StaticSetItem) -> int:
        """Compute a value that is assigned to a part of an array directly in that part."""
        before = self._producer(op.value)
        if before is None or gives_copy(op, self.unit.types):
            return position
        if not isinstance(self.block.ops[before], nodes.ArrayExpr):
            return position  # the runtime gathers elements as fast
        view = self._view(op)
        if view is None or self._refused(before, position, op):
            return position
        producer = self.block.ops[before]
        assert isinstance(producer, nodes.ArrayExpr)
        part = view.result
        tested = self.tested((*producer.args, *wholes_of(producer.body)), op.target)
        store = nodes.ArrayStore(
            part, producer.expr, producer.args, producer.body, tested, loc=op.loc, id=op.id
        )
        self.unit.resolutions.pop(op.id, None)
        self.replace(position, view, store)
        self.drop(before, store)
        self.reasons.done(producer, op)
        self.editor.commit(STORE_IN_PLACE, op.loc, producer.result, types=[part])
        return position

    def tested(self, names: tuple[str, ...], target: str) -> tuple[str, ...]:
        """Return the arrays that may share memory with a target: operands of its own array, or of
        one that is a whole operand, each; of others their base arrays."""
        own = self.memory.whole(target)
        tested: dict[str, None] = {}
        for name in names:
            if isinstance(self.unit.types[name], Array) and self.memory.may_share(name, target):
                whole = self.memory.whole(name)
                tested[name if whole == own or whole in names else whole] = None
        return tuple(tested)

    def _view(
        self, op: nodes.SetItem | nodes.StaticSetItem
    ) -> nodes.GetItem | nodes.StaticGetItem | None:
        """Return the op that creates the view of the array; None if it is a single element."""
        part, number = self.fn.fresh(stem_of(op.target)), self.fn.new_id()
        get: nodes.GetItem | nodes.StaticGetItem
        if isinstance(op, nodes.SetItem):
            get = nodes.GetItem(part, op.target, op.index, op.bounds, loc=op.loc, id=number)
        else:
            get = nodes.StaticGetItem(part, op.target, op.index, loc=op.loc, id=number)
        ty = self._type_of_part(get)
        own = self.unit.types[op.value]
        if not isinstance(ty, Array) or not isinstance(own, Array) or own.ndim > ty.ndim:
            self.unit.resolutions.pop(number, None)
            return None
        self.unit.types[part] = ty
        return get

    def _type_of_part(self, get: nodes.GetItem | nodes.StaticGetItem) -> object:
        self.tables.resolve([get])
        resolved = self.unit.resolutions.get(get.id)
        resolution = getattr(resolved, "resolution", None)
        return None if resolution is None else resolution.signature.returns


class _Order:
    """The positions of a block's ops while some are removed: each has a key, and keys increase."""

    def __init__(self, block: Block, is_barrier: Callable[[Op], bool]) -> None:
        self.block = block
        self.keys: list[float] = list(range(len(block.ops)))
        self.key_of: dict[int, float] = {op.id: key for key, op in enumerate(block.ops)}
        self.walls = [key for key, op in enumerate(block.ops) if is_barrier(op)]

    def position(self, op: Op) -> int | None:
        """Return the position of an op; None for one of another block."""
        key = self.key_of.get(op.id)
        return None if key is None else bisect_left(self.keys, key)

    def barriers(self, before: int, position: int) -> list[Op]:
        """Return the ops between two positions that are barriers."""
        first = bisect_right(self.walls, self.keys[before])
        last = bisect_left(self.walls, self.keys[position])
        places = (bisect_left(self.keys, key) for key in self.walls[first:last])
        return [self.block.ops[index] for index in places]

    def renew(self, position: int, ops: Sequence[Op]) -> None:
        """Replace the op at a position; the last new op inherits its place among the barriers."""
        key = self.keys[position]
        keys = [key - 1 + (k + 1) / len(ops) for k in range(len(ops))]
        self.keys[position : position + 1] = keys
        self.key_of.update((op.id, own) for op, own in zip(ops, keys, strict=True))
        if not ops and key in self.walls:
            self.walls.remove(key)


def merged(
    producer: ArrayOp, consumer: ArrayOp, result: set[str]
) -> tuple[tuple[str, ...], Region]:
    """Return the operands and the body of two expressions as one; the second uses the first one's
    result under these names."""
    names: dict[str, str] = {}  # the name of each operand's element
    renamed: dict[str, str] = {}
    for op in (producer, consumer):
        for name, index in zip(op.args, op.body.indices, strict=True):
            if op is consumer and name in result:
                renamed[index] = renamed.get(given(producer.body), given(producer.body))
            elif name in names:
                renamed[index] = names[name]
            else:
                names[name] = index
    ops: list[Op] = []
    for op in (producer, consumer):
        inner = op.body.blocks[0].ops
        steps_left = inner[:-1] if op is producer else inner
        ops += [rename_uses(one, lambda name: renamed.get(name, name)) for one in steps_left]
    block = FrozenBlock(consumer.body.blocks[0].label, tuple(ops))
    return tuple(names), Region(tuple(names.values()), (), (), (block,))


def _same(index: object, other: object) -> bool:
    """True if two indices, variables or constants, are equal."""
    return nodes.Const("", index) == nodes.Const("", other)
