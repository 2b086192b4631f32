"""Remove branches whose outcome is known (stage 3).

    def f(a, b=None):          def f(a, b=None):    # b left out
        if b is None:    ->        ...
            ...                    (nothing of the other side is left)

It decides conditions that are constants, and `x is None` of an argument whose type implies it.
Code after a branch that is never taken is not typed, so that a function may treat an omitted
argument, or one of another type, in a way of its own.  Branches that the types of other values
decide are removed by type inference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutaway.ir import decisions, nodes
from cutaway.ir.constants import MISSING
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.folding import is_simple
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Block, Op
from cutaway.ir.rewriting import Context, apply_rules
from cutaway.ir.traversal import definitions, successors, walk
from cutaway.stages.unit import CompileUnit
from cutaway.stages.untyped.rewrite_untyped import RULES
from cutaway.typing.errors import wording
from cutaway.typing.values.classes import class_type, is_instance

DROP_BLOCK = Rule(
    "drop_block", "a block that is never reached => nothing", note="this is never reached"
)
NARROW_PHIS = Rule(
    "narrow_phis",
    "phi of edges that are gone => phi of those that are left",
    note="fewer values meet here, since fewer paths lead here",
)


def run(unit: CompileUnit) -> None:
    """Decide branches and drop unreachable blocks, until nothing changes."""
    rules = (*rules_for(unit.argtypes or ()), *RULES)
    editor = unit.editor()

    def fired(rule: Rule, old: Op, new: Op) -> None:
        if isinstance(old, nodes.Branch | nodes.Phi):
            # Until then phis may still have a value for the lost edge, or follow a former phi.
            editor.unsettle()
        if unit.recording:
            _report(unit, rule, old, new)

    while apply_rules(editor, rules, fired):
        drop_unreachable(editor)


def rules_for(types: tuple[Any, ...]) -> tuple[Rule, ...]:
    """Return the rules of this pass for a function whose arguments are of these types."""
    return (_omitted_rule(types), _none_rule(types), _class_rule(types), _BRANCH, _PHI)


def _report(unit: CompileUnit, rule: Rule, old: Op, new: Op) -> None:
    """Report the decision behind a removed branch, or a parameter that is a constant."""
    if isinstance(old, nodes.Branch) and isinstance(new, nodes.Jump):
        makers = {name: op for op in walk(unit.fn) for name in definitions(op)}
        report_branch(unit, rule, old, new, makers)
    elif isinstance(old, nodes.Arg) and isinstance(new, nodes.Const):
        ty = unit.argtypes[old.index] if unit.argtypes else None
        how = "it is a constant of the call" if hasattr(ty, "literal_value") else "it is left out"
        reason = f"{how}: this is compiled for {wording.shown_constant(new.value)} alone"
        unit.note(decisions.Decision(f"`{old.name}`", decisions.DONE, rule.name, reason, old.loc))


def report_branch(
    unit: CompileUnit,
    rule: Rule,
    old: nodes.Branch,
    new: nodes.Jump,
    makers: Mapping[str, Op],
    since: str = "",
) -> None:
    """Report the decision behind a removed branch; `makers` are the ops that define variables,
    `since` names its cause."""
    condition = makers.get(old.cond)
    subject = (
        wording.UNNAMED
        if condition is None
        else wording.quoted(wording.spelled(old.cond, condition))
    )
    truth, other = ("true", "otherwise") if new.target == old.then else ("false", "if it holds")
    known = f", since {since}" if since else ""
    reason = f"it is always {truth} here{known}, so what would be done {other} is not compiled"
    unit.note(decisions.Decision(subject, decisions.DONE, rule.name, reason, old.loc))


# arg(i), left out or of a literal type  =>  const(value)
def _omitted_rule(types: tuple[Any, ...]) -> Rule:
    def rewrite(op: Op, context: Context) -> Op | None:
        if not isinstance(op, nodes.Arg) or op.index >= len(types):
            return None
        ty = types[op.index]
        if getattr(ty, "is_written", False):
            return nodes.Const(op.result, ty.literal_value)
        if not hasattr(ty, "default") or not is_simple(ty.value):
            return None
        return nodes.Const(op.result, ty.value)

    return Rule("omitted_argument", "arg(known) => const(value)", rewrite)


# x is None, x an argument that is or is not None  =>  True or False
def _none_rule(types: tuple[Any, ...]) -> Rule:
    def none_state(name: str, context: Context) -> bool | None:
        definition = context.definition(name)
        if isinstance(definition, nodes.Arg) and definition.index < len(types):
            is_none: bool | None = types[definition.index].is_none
            return is_none
        value = context.value(name)
        return None if value is MISSING else value is None

    def rewrite(op: Op, context: Context) -> Op | None:
        if not isinstance(op, nodes.Binary) or op.op.symbol not in ("is", "is not"):
            return None
        sides = (none_state(op.lhs, context), none_state(op.rhs, context))
        if True not in sides or None in sides:
            return None
        same = sides == (True, True)
        return nodes.Const(op.result, same == (op.op.symbol == "is"))

    return Rule("known_none", "argument is None => True or False", rewrite)


# isinstance(x, cls), x an argument  =>  True or False
def _class_rule(types: tuple[Any, ...]) -> Rule:
    def rewrite(op: Op, context: Context) -> Op | None:
        if not isinstance(op, nodes.Call) or len(op.args) != 2 or op.keywords or op.star:
            return None
        if context.value(op.func) is not isinstance:
            return None
        definition = context.definition(op.args[0])
        classes = context.value(op.args[1])
        classes = classes if isinstance(classes, tuple) else (classes,)
        if not isinstance(definition, nodes.Arg) or definition.index >= len(types):
            return None
        if not all(isinstance(cls, type) for cls in classes):
            return None
        known = is_instance(types[definition.index], *map(class_type, classes))
        return None if known is None else nodes.Const(op.result, known)

    return Rule("known_class", "isinstance(argument, cls) => True or False", rewrite)


# branch constant, a, b  =>  jump a, or jump b
def _decide_branch(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.Branch):
        return None
    value = context.value(op.cond)
    if value is MISSING or not is_simple(value):
        return None
    return nodes.Jump(op.then if value else op.orelse)


# phi(a)  =>  a
def _single_phi(op: Op, context: Context) -> Op | None:
    if not isinstance(op, nodes.Phi):
        return None
    values = set(op.values) - {op.result}
    return nodes.Copy(op.result, values.pop()) if len(values) == 1 else None


_BRANCH = Rule("decide_branch", "branch constant => jump", _decide_branch)
_PHI = Rule("single_phi", "phi of one value => the value", _single_phi)


def drop_unreachable(editor: Editor) -> None:
    """Remove blocks that the entry does not reach, and the values of phis from lost edges."""
    fn = editor.fn
    order = set(graph_of(fn).reverse_postorder())
    unreachable = [block for label, block in fn.blocks.items() if label not in order]
    for block in unreachable:
        editor.unsettle()  # until phis are narrowed
        editor.drop_block(block.label)
        editor.commit(DROP_BLOCK, block.ops[0].loc)
    sources: dict[int, list[int]] = {label: [] for label in fn.blocks}
    for label, block in fn.blocks.items():
        for successor in successors(block):
            sources[successor].append(label)
    for label, block in fn.blocks.items():
        editor.set_ops(block, _phis_last_fixed(block, sources[label]))
        editor.commit(NARROW_PHIS, block.ops[0].loc)
    editor.in_regions(drop_unreachable)
    editor.settle()


def _phis_last_fixed(block: Block, sources: list[int]) -> list[Op]:
    """Return the block's ops, with phis of the remaining predecessors; those of a single value
    become copies, after the phis that stay."""
    phis: list[Op] = []
    copies: list[Op] = []
    rest: list[Op] = []
    for op in block.ops:
        if not isinstance(op, nodes.Phi):
            rest.append(op)
            continue
        pairs = [(p, v) for p, v in zip(op.labels, op.values, strict=True) if p in sources]
        labels, values = tuple(p for p, _ in pairs), tuple(v for _, v in pairs)
        if len(pairs) == len(op.labels) > 1:
            phis.append(op)
        elif len(pairs) == 1:
            copies.append(nodes.Copy(op.result, values[0], loc=op.loc, id=op.id))
        else:
            phis.append(nodes.Phi(op.result, labels, values, loc=op.loc, id=op.id))
    return phis + copies + rest
