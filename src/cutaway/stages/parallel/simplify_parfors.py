"""Take out what nothing uses any more after parfors were fused (stage 5b).

    t = new_array(float64, C, sizes=($n))
    parfor 0 to n: x = a + b                        parfor 0 to n: x = a + b
                   store x in t              ->                    store x * 2 in s
                   store x * 2 in s

An array that is only stored in is not made, an element that is not used is not computed, and sizes
and constants that several parfors begin with are there once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.nodes import Op
from cutaway.ir.regions import Region
from cutaway.ir.traversal import definitions, rename_uses, uses, walk
from cutaway.stages.unit import CompileUnit
from cutaway.typing.analysis.sizes import Sizes

SHARE = Rule(
    "share_sizes",
    "two ops that give the same sizes or the same constant => one",
    note="{0!v} is the same as {1!v}",
)
NOT_READ = Rule(
    "array_not_read",
    "an array that is only stored in => none",
    note="{0!v} is not read, and so it is not made",
)
NOT_USED = Rule(
    "not_used",
    "a value that nothing uses => none",
    note="the values that nothing uses are not computed",
)


def run(unit: CompileUnit) -> None:
    """Simplify until nothing changes."""
    if not any(isinstance(op, nodes.Parfor) for op in walk(unit.fn)):
        return
    editor = unit.editor()
    _share(editor, Sizes(unit.fn, unit.types))
    if unit.flags.overflow == "raise":  # what nothing uses may raise
        return
    while _take_out_arrays(editor) or _take_out_values(editor):
        pass


def _share(editor: Editor, sizes: Sizes) -> None:
    """Merge equal sizes and constants of a block into one variable."""
    names: dict[str, str] = {}
    for block in editor.fn.blocks.values():
        known: dict[object, tuple[str, ...]] = {}
        for op in block.ops:
            match op:
                case nodes.Const(result, int() as value) if type(value) is int:
                    own, key = (result,), ("constant", value)
                case nodes.SizesOf(own, _, _, texts):
                    key = ("sizes", *(sizes.number(name, block.label) for name in own))
                    if len(texts) > 1:  # it compares them
                        known.setdefault(key, own)
                        continue
                case _:
                    continue
            first = known.setdefault(key, own)
            if first != own:
                names.update(zip(own, first, strict=True))
    editor.rename_each(names, _with_shared, SHARE)


def _with_shared(names: Mapping[str, str], ops: Sequence[Op]) -> list[Op]:
    return [
        rename_uses(op, lambda name: names.get(name, name))
        for op in ops
        if not names.keys() & definitions(op)
    ]


def _take_out_arrays(editor: Editor) -> bool:
    """Remove new arrays that are only stored in; True if there was one."""
    fn = editor.fn
    made = {op.result: op for op in walk(fn) if isinstance(op, nodes.NewArray)}
    for op in walk(fn):
        stored = op.target if isinstance(op, nodes.Store) else None
        if not isinstance(op, nodes.Parfor | nodes.Del):
            for name in uses(op):
                if name != stored or (isinstance(op, nodes.Store) and name == op.value):
                    made.pop(name, None)
    for name, new in made.items():
        for block in fn.blocks.values():
            gone = [
                one
                for op in block.ops
                for one in (op, *_inner(op))
                if one.id == new.id or (isinstance(one, nodes.Store) and one.target == name)
            ]
            for one in gone:
                editor.remove(block, one)
        editor.commit(NOT_READ, new.loc, name)
    return bool(made)


def _take_out_values(editor: Editor) -> bool:
    """Remove unused elements, loads, sizes and constants; True if there was one."""
    fn = editor.fn
    used = {name for op in walk(fn) for name in uses(op)}
    changed = False
    for block in fn.blocks.values():
        for op in list(block.ops):
            for one in (op, *_inner(op)):
                if _is_unused(one, used):
                    editor.remove(block, one)
                    changed = True
    if changed:
        editor.commit(NOT_USED, fn.entry.ops[0].loc)
    return changed


def _is_unused(op: Op, used: set[str]) -> bool:
    if isinstance(op, nodes.Parfor):
        does_nothing = len(op.body.blocks) == 1 and len(op.body.blocks[0].ops) == 1
        return does_nothing and used.isdisjoint(op.results)
    is_sizes = isinstance(op, nodes.SizesOf) and len(op.texts) < 2
    if not is_sizes and not isinstance(op, nodes.Load | nodes.Element | nodes.Const | nodes.Cast):
        return False
    if isinstance(op, nodes.Element) and op.function.startswith("python."):
        return False  # it may raise
    return used.isdisjoint(definitions(op))


def _inner(op: Op) -> list[Op]:
    found: list[Op] = []
    for name in op.REGIONS:
        region = getattr(op, name)
        assert isinstance(region, Region)
        found += [one for block in region.blocks for one in block.ops]
    return found
