"""Leave out comparisons of sizes that are known to be the same (stage 5b).

    assert len(a) == len(b)
    ($n) = sizes of (a, b), named ('a', 'b')     ->     ($n) = sizes of (a), named ('a',)

Sizes are known through slices, shapes, products, new arrays and assertions of the program
(`typing/analysis/sizes.py`).  The remaining ones are compared at run time.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.ir import nodes
from cutaway.ir.decisions import DONE, MISSED, Decision
from cutaway.ir.editing import Rule
from cutaway.ir.nodes import replace
from cutaway.stages.unit import CompileUnit
from cutaway.typing.analysis.sizes import Key, Sizes

SAME_SIZES = Rule(
    "same_sizes",
    "sizes of (a, b), known to be the same => sizes of (a)",
    note="the sizes of {0} are known to fit, and are not compared",
)
_CURE = "assert {0}.shape == {1}.shape"


def run(unit: CompileUnit) -> None:
    """Remove the arrays whose sizes equal those of others, in the function's own blocks."""
    editor, sizes = unit.editor(), None
    for block in unit.fn.blocks.values():
        for position, op in enumerate(block.ops):
            if not isinstance(op, nodes.SizesOf):
                continue
            sizes = sizes or Sizes(unit.fn, unit.types)
            indices = _kept(op, sizes, block.label)
            if len(indices) < len(op.args):
                texts = tuple(op.texts[k] for k in indices) + op.texts[len(op.args) :]
                names = tuple(op.args[k] for k in indices)
                editor.replace(block, position, replace(op, args=names, texts=texts))
                editor.commit(SAME_SIZES, op.loc, ", ".join(op.texts))
            _note(unit, op, indices, sizes, block.label)


def _kept(op: nodes.SizesOf, sizes: Sizes, label: int) -> list[int]:
    """Return the indices of the arrays whose sizes are not implied by those of others."""
    rows = [sizes.of(name, label) for name in op.args]
    if op.target is not None:
        wanted = sizes.of(op.target, label)
        left = [k for k, row in enumerate(rows) if not _fits(row, wanted)]
        # With the target among them it is an output, also in errors.
        return [k for k, name in enumerate(op.args) if left and (k in left or name == op.target)]
    order = sorted(range(len(rows)), key=lambda k: -len(rows[k]))
    indices: list[int] = []
    for k in order:
        if not any(_fits(rows[k], rows[other]) for other in indices):
            indices.append(k)
    return sorted(indices)


def _fits(row: Sequence[Key], wanted: Sequence[Key]) -> bool:
    """True if an array of sizes `row` broadcasts to `wanted` without changing them."""
    missing = len(wanted) - len(row)
    pairs = zip(row, wanted[max(missing, 0) :], strict=False)
    return missing >= 0 and all(own in (1, other) for own, other in pairs)


def _note(
    unit: CompileUnit, op: nodes.SizesOf, kept: Sequence[int], sizes: Sizes, label: int
) -> None:
    if not unit.recording or len(op.texts) < 2:
        return
    left = [op.texts[k] for k in kept] + list(op.texts[len(op.args) :])
    subject = " and ".join(f"`{text}`" for text in (left if len(left) > 1 else op.texts))
    if len(left) < 2:
        reason = "they are known to have the same sizes"
        unit.note(Decision(subject, DONE, "array_analysis", reason, op.loc))
        return
    names = [op.args[k] for k in kept] + ([op.target] if op.target is not None else [])
    makers = sizes.makers
    places = tuple(makers[name].loc for name in names if name in makers)
    reason = "nothing proves that their sizes fit, and they are compared when the program runs"
    cure = _CURE.format(*left[:2]) if all(map(str.isidentifier, left[:2])) else ""
    decision = Decision(subject, MISSED, "array_analysis", reason, op.loc, places=places, cure=cure)
    unit.note(decision)
