"""Merging two parfors into one: the work of pass `fuse_parfors`."""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.decisions import DONE, MISSED, Decision
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.effects import Effect
from cutaway.ir.function import is_temporary, user_name
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.regions import Region
from cutaway.ir.traversal import captured, effects, rename_uses, uses
from cutaway.stages.arrays.tables import Tables
from cutaway.stages.unit import CompileUnit
from cutaway.typing.analysis.indices import gives_copy
from cutaway.typing.analysis.memory import Roots
from cutaway.typing.analysis.sizes import Key, Sizes
from cutaway.typing.types import Array

FUSE_PARFORS = Rule(
    "fuse_parfors",
    "two parfors over the same space => one",
    note="the loop of line {0} is run together with that of line {1}",
)

_ELEMENTS = (nodes.Load, nodes.Store, nodes.Element, nodes.Cast, nodes.Yield)
_CURE = "assert {0}.shape == {1}.shape"


@dataclass(frozen=True, slots=True)
class FusionRefusal:
    """Why two parfors stay apart, and what would help."""

    reason: str
    cure: str = ""


def fuse(unit: CompileUnit, editor: Editor) -> None:
    """Fuse each parfor with an earlier one in its block, if possible."""
    tables = Tables(unit)
    for block in unit.fn.blocks.values():
        _Fusion(unit, editor, tables, block).run()


class _Fusion:
    """The fusion in one block."""

    def __init__(self, unit: CompileUnit, editor: Editor, tables: Tables, block: Block) -> None:
        self.unit, self.editor, self.tables, self.block = unit, editor, tables, block
        self.fn, self.types = unit.fn, unit.types
        self.memory = Roots(tables.makers, unit.types, unit.resolutions)
        self.sizes = Sizes(unit.fn, unit.types)

    def run(self) -> None:
        """Go through the parfors of the block, from the first to the last."""
        position = 0
        while position < len(self.block.ops):
            second = self.block.ops[position]
            before = self._before(position) if isinstance(second, nodes.Parfor) else None
            position += 1
            if before is None:
                continue
            first = self.block.ops[before]
            assert isinstance(first, nodes.Parfor) and isinstance(second, nodes.Parfor)
            refusal = self._refused(first, second) or self._in_the_way(before, position - 1)
            if refusal is not None:
                self._note(first, second, MISSED, refusal)
                continue
            self._merge(before, position - 1)
            position -= 1
            self._note(first, second, DONE, FusionRefusal("they go over the same elements"))

    def _before(self, position: int) -> int | None:
        """Return the position of the last parfor before one."""
        for k in range(position - 1, -1, -1):
            if isinstance(self.block.ops[k], nodes.Parfor):
                return k
        return None

    # --- legality -------------------------------------------------------------------------------

    def _refused(self, first: nodes.Parfor, second: nodes.Parfor) -> FusionRefusal | None:
        return (
            _more_than_elements(first)
            or _more_than_elements(second)
            or self._other_space(first, second)
            or self._whole_needed(first, second)
            or self._other_elements(first, second)
        )

    def _other_space(self, first: nodes.Parfor, second: nodes.Parfor) -> FusionRefusal | None:
        if len(first.stops) != len(second.stops):
            counts = f"{len(first.stops)} and {len(second.stops)}"
            return FusionRefusal(f"they have {counts} dimensions")
        for axis, (one, other) in enumerate(zip(first.stops, second.stops, strict=True)):
            sizes = [self.sizes.number(name, self.block.label) for name in (one, other)]
            if sizes[0] != sizes[1]:
                texts = [self._measured(name) for name in (one, other)]
                shown = " and of ".join(texts)
                if _differ(*sizes):
                    return FusionRefusal(f"axis {axis} of {shown} have different sizes")
                reason = f"nothing proves that axis {axis} of {shown} have the same size"
                plain = all(text.isidentifier() for text in texts)
                return FusionRefusal(reason, _CURE.format(*texts) if plain else "")
        return None

    def _measured(self, size: str) -> str:
        """Return the name of the array whose size a variable is."""
        maker = self.tables.makers.get(size)
        if isinstance(maker, nodes.SizesOf) and maker.texts:
            return str(maker.texts[-1])
        if is_temporary(size):
            return "an array" if maker is None else f"the array of line {maker.loc.line}"
        return user_name(size)

    def _whole_needed(self, first: nodes.Parfor, second: nodes.Parfor) -> FusionRefusal | None:
        needed = set(captured(second)) | set(second.body.initial)
        for name in first.results:
            if name in needed:
                return FusionRefusal("the second needs all that the first combines")
        return None

    def _other_elements(self, first: nodes.Parfor, second: nodes.Parfor) -> FusionRefusal | None:
        """Return a refusal unless all accesses of both to shared memory are of one element of the
        same array, which is passed on unchanged."""
        for one in _accesses(first):
            for other in _accesses(second):
                if isinstance(one, nodes.Load) and isinstance(other, nodes.Load):
                    continue
                a, b = self._origin(_array_of(one)), self._origin(_array_of(other))
                if not self.memory.may_share(a, b):
                    continue
                is_same = a == b and self._is_own(one, first) and self._is_own(other, second)
                if not is_same:
                    return FusionRefusal(
                        "the second may read or write elements that others have stored"
                    )
                if isinstance(one, nodes.Store) and not self._keeps(one):
                    return FusionRefusal("what the first stores is converted to another type")
        return None

    def _origin(self, name: str) -> str:
        """Return the variable that first held an array."""
        maker = self.tables.makers.get(name)
        while isinstance(maker, nodes.Copy):
            name = maker.value
            maker = self.tables.makers.get(name)
        return name

    def _is_own(self, op: nodes.Load | nodes.Store, parfor: nodes.Parfor) -> bool:
        """True if each iteration has another element."""
        ty = self.types[_array_of(op)]
        assert isinstance(ty, Array)
        if isinstance(op, nodes.Load):
            sizes = self.sizes.of(op.array, self.block.label)
            expected = tuple(self.sizes.number(name, self.block.label) for name in parfor.stops)
            if sizes != expected:  # one element for several iterations
                return False
        return op.indices == parfor.body.indices and ty.ndim == len(op.indices)

    def _keeps(self, op: nodes.Store) -> bool:
        ty = self.types[op.target]
        return isinstance(ty, Array) and ty.dtype is self.types[op.value]

    def _in_the_way(self, before: int, position: int) -> FusionRefusal | None:
        """Return the refusal for an op in between, over which the first would move."""
        first = self.block.ops[before]
        assert isinstance(first, nodes.Parfor)
        written = {op.target for op in _accesses(first) if isinstance(op, nodes.Store)}
        is_seen = any("outside" in self.memory.roots(name) for name in written)
        for op in self.block.ops[before + 1 : position]:
            if not set(first.results).isdisjoint(uses(op)):
                return FusionRefusal("what stands between them uses what the first combines")
            if isinstance(op, nodes.SizesOf | nodes.NewArray | nodes.Const | nodes.Del):
                raises = isinstance(op, nodes.SizesOf) and len(op.texts) > 1
                if raises and is_seen:
                    return FusionRefusal("sizes are compared between them, which may raise")
                continue
            if self._reads_no_element(op):
                continue
            found = effects(op)
            if Effect.WRITES in found or (Effect.RAISES in found and is_seen):
                return FusionRefusal("what stands between them may raise, or write to an array")
            arrays = [name for name in uses(op) if isinstance(self.types.get(name), Array)]
            if any(self.memory.may_share(a, b) for a in arrays for b in written):
                return FusionRefusal("what stands between them reads what the first stores")
        return None

    def _reads_no_element(self, op: Op) -> bool:
        """True for an op that concerns arrays but not their elements."""
        if isinstance(op, nodes.GetAttr | nodes.Copy | nodes.Cast | nodes.BuildTuple):
            return True
        if not isinstance(op, nodes.GetItem | nodes.StaticGetItem) or gives_copy(op, self.types):
            return False
        return isinstance(self.types.get(op.result), Array)

    # --- the fusion -----------------------------------------------------------------------------

    def _merge(self, before: int, position: int) -> None:
        first, second = self.block.ops[before], self.block.ops[position]
        assert isinstance(first, nodes.Parfor) and isinstance(second, nodes.Parfor)
        fused = self._fused(first, second)
        self.editor.replace(self.block, position, fused)
        self.editor.replace(self.block, before)
        self.tables.renew([first, second], [fused])
        self.editor.commit(FUSE_PARFORS, second.loc, first.loc.line, second.loc.line)

    def _fused(self, first: nodes.Parfor, second: nodes.Parfor) -> nodes.Parfor:
        names = dict(zip(second.body.indices, first.body.indices, strict=True))
        stores = [op for op in _accesses(first) if isinstance(op, nodes.Store)]
        stored = {self._origin(op.target): op.value for op in stores}
        *ops, last = first.body.blocks[0].ops
        again = {self._origin(op.target) for op in _accesses(second) if isinstance(op, nodes.Store)}
        # Only the second one's stores to the same elements are visible.
        ops = [
            op
            for op in ops
            if not isinstance(op, nodes.Store) or self._origin(op.target) not in again
        ]
        for op in second.body.blocks[0].ops[:-1]:
            known = stored.get(self._origin(op.array)) if isinstance(op, nodes.Load) else None
            if known is not None:
                names[op.result] = known  # of a load
                continue
            new = rename_uses(op, lambda name: names.get(name, name))
            ops.append(new)
        end = second.body.blocks[0].terminator
        values = (*uses(last), *(names.get(name, name) for name in uses(end)))
        ops.append(replace(end, values=values))
        one, other = first.body, second.body
        block = Block(other.blocks[0].label, ops)
        carried, initial = (*one.carried, *other.carried), (*one.initial, *other.initial)
        schedule = "dynamic" if "dynamic" in (first.schedule, second.schedule) else "static"
        return replace(
            second,
            results=(*first.results, *second.results),
            operators=(*first.operators, *second.operators),
            schedule=schedule,
            body=Region.of([block], one.indices, carried, initial),
        )

    def _note(
        self, first: nodes.Parfor, second: nodes.Parfor, verdict: str, refusal: FusionRefusal
    ) -> None:
        if self.unit.recording:
            subject = f"the parallel loops of lines {first.loc.line} and {second.loc.line}"
            if first.loc.line == second.loc.line:
                subject = f"two parallel loops of line {second.loc.line}"
            decision = Decision(
                *(subject, verdict, "fuse_parfors", refusal.reason, second.loc),
                places=(first.loc,),
                cure=refusal.cure,
            )
            self.unit.note(decision)


def _differ(one: Key, other: Key) -> bool:
    """True for sizes that are known to be different, unless arrays are short."""
    if isinstance(one, int) and isinstance(other, int):
        return True
    if isinstance(one, int) or isinstance(other, int):
        return False
    whole, rest = (key[1] if key[0] == "less" else key for key in (one, other))
    return bool(whole == rest)


def _is_of_elements(op: Op) -> bool:
    if not isinstance(op, nodes.Parfor) or len(op.body.blocks) != 1:
        return False
    return all(isinstance(one, _ELEMENTS) for one in op.body.blocks[0].ops)


def _more_than_elements(op: nodes.Parfor) -> FusionRefusal | None:
    if _is_of_elements(op):
        return None
    return FusionRefusal(
        f"the loop of line {op.loc.line} does more than to read and write elements"
    )


def _accesses(op: nodes.Parfor) -> Iterator[nodes.Load | nodes.Store]:
    for one in op.body.blocks[0].ops:
        if isinstance(one, nodes.Load | nodes.Store):
            yield one


def _array_of(op: nodes.Load | nodes.Store) -> str:
    return op.array if isinstance(op, nodes.Load) else op.target
