"""Make reads of unbound variables raise, as in Python (stage 2).

    if c:                    x = undef
        x = 1                $bound.x = False
    return x           ->    if c:
                                 x = 1
                                 $bound.x = True
                             if not $bound.x: raise UnboundLocalError(...)
                             return x

A variable that is bound on every path to each of its reads, as nearly all are, costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from cutaway.errors import UnsupportedError
from cutaway.frontend.build import MISSING
from cutaway.ir import decisions, nodes
from cutaway.ir.dataflow import Analysis, Facts, solve
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.function import BOUND_FLAG, Function, is_temporary, user_name
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Block, Op
from cutaway.ir.traversal import definitions, uses, walk
from cutaway.stages.unit import CompileUnit
from cutaway.stages.untyped import prune_branches


def _flag_note(named: Callable[[str], str], op: Op, flags: dict[str, str]) -> str:
    if isinstance(op, nodes.Undef):
        return f"{named(op.result)} has no value at the beginning"
    assert isinstance(op, nodes.Const)
    name = next(name for name, flag in flags.items() if flag == op.result)
    return f"from here on {named(name)} has {'a' if op.value else 'no'} value"


MISSING_NAME = Rule(
    "missing_name", "a read of a name that does not exist => raise NameError", note="here {0}"
)
FLAG_BOUND = Rule(
    "flag_bound",
    "a variable that may be unbound => a flag that says whether it is bound",
    note=_flag_note,
)
GUARD_READ = Rule(
    "guard_read",
    "a read of it => raise UnboundLocalError if it is unbound",
    note="{0!v} may have no value here, which is an error then",
)
PLAIN_READ = Rule(
    "plain_read",
    "a read of a captured variable that is bound => a copy",
    note="{0!v} surely has a value here, and is read plainly",
)
DEFINE_DEFAULT = Rule(
    "define_default",
    "a default of an inner function => no value before it is computed",
    note="defaults of inner functions have no value before these are defined",
)


def run(unit: CompileUnit) -> None:
    """Guard every read of a variable that may be unbound, and of names that do not exist."""
    fn, editor = unit.fn, unit.editor()
    _raise_for_missing_names(editor)
    bound = _surely_bound(fn)
    flags = {name: f"{BOUND_FLAG}{name}" for name in _unbound_reads(fn, bound)}
    if flags:
        editor.unsettle()  # until reads are guarded
        _add_flags(editor, flags)
        for label, known in bound.items():
            _guard_reads(editor, fn.blocks[label], flags, set(known))
        editor.settle()
        if unit.recording:
            _report(unit, flags)
    _read_plainly(editor)
    _define_defaults(editor)


def _report(unit: CompileUnit, flags: Collection[str]) -> None:
    """Report which variables cost a check."""
    for name in flags:
        op = next(op for op in walk(unit.fn) if name in uses(op))
        shown = user_name(name)
        reason = f"some path leads here without assigning to `{shown}`: each read is checked"
        unit.note(decisions.Decision(f"`{shown}`", decisions.MISSED, "guard_read", reason, op.loc))


def _read_plainly(editor: Editor) -> None:
    for block in editor.fn.blocks.values():
        for position, op in enumerate(block.ops):
            if isinstance(op, nodes.Deref):
                editor.replace(block, position, _plain(op))
                editor.commit(PLAIN_READ, op.loc, op.value)


def _plain(op: nodes.Deref) -> Op:
    """Return a plain read of a captured variable that was checked."""
    return nodes.Copy(op.result, op.value, loc=op.loc, id=op.id)


def _define_defaults(editor: Editor) -> None:
    """Define the temporaries whose one definition does not dominate some use: defaults of inner
    functions that are defined in a loop, or on a branch."""
    fn = editor.fn
    graph = graph_of(fn)
    homes: dict[str, int] = {}
    several: set[str] = set()
    for label, block in fn.blocks.items():
        for op in block.ops:
            for name in definitions(op):
                if name in homes:
                    several.add(name)
                elif is_temporary(name):
                    homes[name] = label
    undominated: dict[str, None] = {}
    for label, block in fn.blocks.items():
        for op in block.ops:
            for name in uses(op):
                home = homes.get(name, label)
                if home != label and name not in several and not graph.dominates(home, label):
                    undominated[name] = None
    first, op = next((k, op) for k, op in enumerate(fn.entry.ops) if not isinstance(op, nodes.Arg))
    undefined = [nodes.Undef(name, loc=op.loc, id=fn.new_id()) for name in undominated]
    editor.insert(fn.entry, first, *undefined)
    editor.commit(DEFINE_DEFAULT, op.loc)


def _surely_bound(fn: Function) -> dict[int, Facts]:
    """Return the variables that are bound on every path to a block, for each reachable block."""
    doubtful = _doubtful(fn)
    if not doubtful:
        return {label: frozenset() for label in graph_of(fn).reverse_postorder()}

    def transfer(block: Block, facts: Facts) -> Facts:
        known = set(facts)
        for op in block.ops:
            _advance(known, op, doubtful)
        return frozenset(known)

    nothing: Facts = frozenset()
    return solve(fn, Analysis(True, nothing, doubtful, frozenset.intersection, transfer)).before


def _doubtful(fn: Function) -> Facts:
    """Return the user's variables that are not surely bound at some read, or that are unbound
    somewhere. All others need no closer look."""
    graph = graph_of(fn)
    order = graph.reverse_postorder()
    first: dict[str, int] = {}
    doubtful: set[str] = set()
    for label in order:
        for op in fn.blocks[label].ops:
            for name in definitions(op):
                if isinstance(op, nodes.Undef) and not is_temporary(name):
                    doubtful.add(name)
                first.setdefault(name, label)
    for label in order:
        here: set[str] = set()
        for op in fn.blocks[label].ops:
            for name in uses(op):
                if name in here or name in doubtful or is_temporary(name):
                    continue
                home = first.get(name)
                if home is None or home == label or not graph.dominates(home, label):
                    doubtful.add(name)
            here.update(definitions(op))
    return frozenset(doubtful)


def _advance(known: set[str], op: Op, doubtful: Collection[str]) -> None:
    """Advance past an op: the variables that it defines are bound, those that it undefines not."""
    if isinstance(op, nodes.Undef):
        known.discard(op.result)
    else:
        known.update(name for name in definitions(op) if name in doubtful)


def unbound_reads(fn: Function) -> list[str]:
    """Return the user's variables that some path reads without binding them."""
    return _unbound_reads(fn, _surely_bound(fn))


def _unbound_reads(fn: Function, bound: dict[int, Facts]) -> list[str]:
    unbound: dict[str, None] = {}
    doubtful = _doubtful(fn)
    for label, known in bound.items():
        current = set(known)
        for op in fn.blocks[label].ops:
            unbound.update((n, None) for n in uses(op) if n in doubtful and n not in current)
            _advance(current, op, doubtful)
    return list(unbound)


def _add_flags(editor: Editor, flags: dict[str, str]) -> None:
    """Add a boolean for each variable that is true while it is bound."""
    fn = editor.fn
    for block in fn.blocks.values():
        ops: list[Op] = []
        for op in block.ops:
            ops.append(op)
            for name in definitions(op):
                if name in flags:
                    bound = not isinstance(op, nodes.Undef)
                    ops.append(nodes.Const(flags[name], bound, loc=op.loc, id=fn.new_id()))
        if block is fn.entry:
            _begin_unbound(fn, ops, flags)
        editor.insert_each(block, ops, lambda op: (FLAG_BOUND, op, flags))


def _begin_unbound(fn: Function, ops: list[Op], flags: dict[str, str]) -> None:
    """Start all variables but the parameters, which the call binds, without a value."""
    parameters = {op.result for op in ops if isinstance(op, nodes.Arg)}
    first = next(k for k, op in enumerate(ops) if not isinstance(op, nodes.Arg))
    loc = ops[first].loc
    for name, flag in flags.items():
        if name not in parameters:
            ops.insert(first, nodes.Const(flag, False, loc=loc, id=fn.new_id()))
            ops.insert(first, nodes.Undef(name, loc=loc, id=fn.new_id()))


def _guard_reads(editor: Editor, block: Block, flags: dict[str, str], known: set[str]) -> None:
    for position, op in enumerate(block.ops):
        name = next((n for n in uses(op) if n in flags and n not in known), None)
        if name is not None:
            rest = _split(editor, block, position, name, flags[name])
            editor.commit(GUARD_READ, op.loc, name)
            _guard_reads(editor, rest, flags, known | {name})
            return
        _advance(known, op, flags)


def _split(editor: Editor, block: Block, position: int, name: str, flag: str) -> Block:
    """Branch on the flag before an op; return the block that continues."""
    fn = editor.fn
    op = block.ops[position]
    if isinstance(op, nodes.MakeFunction):
        raise UnsupportedError(
            f"the inner function {op.name} is passed on, and {user_name(name)!r}, which it uses,"
            " may have no value yet",
            op.loc,
            f"assign to {user_name(name)!r} before the definition on every path",
        )
    rest = Block(fn.new_label(), block.ops[position:], block.handler)
    editor.add_block(rest)
    error, message = _unbound_error(op, user_name(name))
    raised = nodes.StaticRaise(error, (message,), loc=op.loc, id=fn.new_id())
    bad = Block(fn.new_label(), [raised], block.handler)
    editor.add_block(bad)
    branch = nodes.Branch(flag, rest.label, bad.label, loc=op.loc, id=fn.new_id())
    editor.cut(block, position, branch)
    return rest


def _unbound_error(op: Op, name: str) -> tuple[type[NameError], str]:
    if isinstance(op, nodes.Deref):
        return NameError, _FREE.format(name)
    message = f"cannot access local variable '{name}' where it is not associated with a value"
    return UnboundLocalError, message


_FREE = (
    "cannot access free variable '{}' where it is not associated with a value in enclosing scope"
)


def _raise_for_missing_names(editor: Editor) -> None:
    raises = False
    for block in editor.fn.blocks.values():
        for position, op in enumerate(block.ops):
            message = _missing_message(op)
            if message:
                raised = nodes.StaticRaise(NameError, (message,), loc=op.loc, id=op.id)
                editor.unsettle()  # until the rest of the block is removed
                editor.cut(block, position, raised)
                editor.commit(MISSING_NAME, op.loc, message)
                raises = True
                break
    if raises:
        prune_branches.drop_unreachable(editor)


def _missing_message(op: Op) -> str:
    match op:
        case nodes.Global(_, name, value) if value is MISSING:
            return f"name '{name}' is not defined"
        case nodes.FreeVar(_, name, value) if value is MISSING:
            return _FREE.format(name)
    return ""
