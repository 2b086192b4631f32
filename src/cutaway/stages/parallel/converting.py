"""Turning whole-array operations into parfors: the work of `numpy_to_parfor` and
`setitem_to_parfor`."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.foundation.foreign import text_attribute
from cutaway.ir import nodes
from cutaway.ir.decisions import DONE, MISSED, Decision
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.elements import ArrayOp
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op
from cutaway.ir.traversal import definitions
from cutaway.stages.arrays.tables import Tables, with_inner
from cutaway.stages.parallel.constructors import Constructors
from cutaway.stages.parallel.element_parfors import ElementParfors
from cutaway.stages.parallel.slice_stores import SliceStores
from cutaway.stages.unit import CompileUnit
from cutaway.typing.types import Array

EXPRESSION = Rule(
    "parfor_of_expression",
    "c = an array expression => c = a new array, and a parfor over its elements",
    note="the elements of {0!v} are computed on all cores",
)
REDUCTION = Rule(
    "parfor_of_reduction",
    "s = a reduction => a parfor that combines elements",
    note="{0!v} is combined of what each part of the elements gives",
)
STORE = Rule(
    "parfor_of_store",
    "a[...] = an array expression => a parfor over the elements of a",
    note="the elements of {0!v} are stored on all cores",
)
FILL = Rule(
    "parfor_of_constructor",
    "a = np.ones(n) => a = a new array, and a parfor that stores the number",
    note="the elements of {0!v} are stored on all cores",
)


def convert_numpy(unit: CompileUnit, editor: Editor) -> None:
    """Turn array expressions, constructors and reductions into parfors."""
    conversion = _Conversion(unit, editor, "numpy_to_parfor")
    makers = conversion.makers
    for block in unit.fn.blocks.values():
        for op in list(block.ops):
            match op:
                case nodes.ArrayExpr() if "numpy" in unit.flags.parallel:
                    conversion.put(block, op, EXPRESSION, _named("the array expression", op))
                case nodes.ArrayReduce() if "reduction" in unit.flags.parallel:
                    what = _named(f"the reduction {op.function}", op)
                    conversion.put(block, op, REDUCTION, what)
                case nodes.Call() if "numpy" in unit.flags.parallel:
                    text = Constructors(makers, conversion.tables).text(op)
                    if text:
                        made = Constructors(makers, conversion.tables).of(op)
                        conversion.replace(block, op, made, FILL, op.result, text)
                    else:
                        conversion.note_call(op)


def convert_stores(unit: CompileUnit, editor: Editor) -> None:
    """Turn assignments to parts of arrays into parfors."""
    conversion = _Conversion(unit, editor, "setitem_to_parfor")
    slices = SliceStores(unit, conversion.tables)
    for block in unit.fn.blocks.values():
        for op in list(block.ops):
            if isinstance(op, nodes.ArrayStore):
                conversion.put(block, op, STORE, _named("the assignment", op))
            elif isinstance(op, nodes.SetItem | nodes.StaticSetItem):
                view, store = slices.of(op)
                if view is None or store is None:
                    continue
                conversion.tables.renew((), [view])
                what = _named("the assignment", store)
                refused = conversion.makers.refusal(store)
                if refused:
                    conversion.note(op, what, MISSED, refused)
                    continue
                ops = [view, *conversion.makers.of(store)]
                conversion.replace(block, op, ops, STORE, op.target, what)


def _named(what: str, op: ArrayOp) -> str:
    """Return the name of an op, with its formula if that only has the user's names."""
    return what if "$" in op.expr else f"{what} {op.expr}"


class _Conversion:
    """The conversion of ops in the function's own blocks."""

    def __init__(self, unit: CompileUnit, editor: Editor, pass_name: str) -> None:
        self.unit, self.editor, self.pass_name = unit, editor, pass_name
        self.fn: Function = unit.fn
        self.tables = Tables(unit)
        self.makers = ElementParfors(unit, self.tables)

    def put(self, block: Block, op: ArrayOp, rule: Rule, what: str) -> None:
        """Replace an op by a parfor, if it can be one."""
        refused = self.makers.refusal(op)
        if refused:
            self.note(op, what, MISSED, refused)
            return
        subject = op.target if isinstance(op, nodes.ArrayStore) else op.result
        self.replace(block, op, self.makers.of(op), rule, subject, what)

    def replace(
        self, block: Block, op: Op, made: Sequence[Op], rule: Rule, subject: str, what: str
    ) -> None:
        """Replace one op by others."""
        position = next(k for k, one in enumerate(block.ops) if one is op)
        self.editor.replace(block, position, *made)
        self.tables.renew([op], made)
        self.fn.forget_labels()
        names = {n for one in made for inner in with_inner(one) for n in definitions(inner)}
        for one in made:
            for name in one.REGIONS:
                names.update(getattr(one, name).arguments)
        self.editor.commit(rule, op.loc, subject, types=names)
        self.note(op, what, DONE, "its elements are divided among threads")

    def note(self, op: Op, what: str, verdict: str, reason: str) -> None:
        """Record the decision about an op."""
        if self.unit.recording:
            self.unit.note(Decision(what, verdict, self.pass_name, reason, op.loc))

    def note_call(self, op: nodes.Call) -> None:
        """Record why a call that returns an array stays a call."""
        function = self.tables.constants.get(op.func)
        if not self.unit.recording or not isinstance(self.unit.types.get(op.result), Array):
            return
        name = text_attribute(function, "__name__")
        module = text_attribute(function, "__module__") or ""
        if name and module.partition(".")[0] == "numpy":
            reason = _REASONS.get(name, "it is one call of the library, on one thread")
            self.note(op, f"np.{name}", MISSED, reason)


_BY_BLAS = "it is a call of NumPy's linear algebra, which has threads of its own"
_REASONS = {
    **dict.fromkeys(("dot", "matmul", "vdot", "outer", "inner"), _BY_BLAS),
    "zeros": "its memory is zero when it is first touched, by whoever writes to it",
    "empty": "nothing is stored in it",
    "empty_like": "nothing is stored in it",
}
