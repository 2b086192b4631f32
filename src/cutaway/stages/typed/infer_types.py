"""Infer the type of every variable (stage 4).

    s = phi(0, 6: s.1, s.2)        s = phi(0, 6: s.1, s.2)         :: float64
    $6.1 = getitem(a, i)     ->    $6.1 = getitem(a, i)            :: float64
    s.2 = s + $6.1                 s.2 = s + $6.1                  :: float64

Types live in `unit.types`, beside the IR.  Where versions of different types meet, a cast is
put before the jump to the merge point, so that afterward all values of a phi have the
phi's type; values that are returned are cast to the function's return type.  Branches that types
decide are removed, with their dead code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from cutaway.errors import CompileError, CutawayError, UnsupportedTypeError
from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.regions import Region
from cutaway.ir.traversal import definitions, rename_uses, walk, with_ops, with_regions
from cutaway.stages.typed import delegation
from cutaway.stages.typed.decided import prune_decided
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.errors import conflicts, unsupported
from cutaway.typing.inference import events as events_
from cutaway.typing.inference.displays import may_fill_lists
from cutaway.typing.inference.questions import listed
from cutaway.typing.inference.solver import Inference, is_unwrapped
from cutaway.typing.overloads import notation
from cutaway.typing.types import Container, Type
from cutaway.typing.values.typeof import typeof_constant

FIND_TYPES = Rule("find_types", "variables => variables with types", note="each value has a type")
CHECK_NONE = Rule(
    "check_none",
    "a value that may be None where none is wanted => checked",
    note=lambda named, names: f"{', '.join(map(named, names))} may be None, which is an error here",
)
MAKE_LIST = Rule(
    "make_list",
    "a list display that is changed, returned or put into a container => make_list",
    note="{0!v} is a list of its own: {1}",
)
CAST_RETURN = Rule(
    "cast_return",
    "a value that is returned => of the type that is returned",
    note="{0!v} is returned as {1}",
)
SAME_CONTAINER = Rule(
    "same_container",
    "x = list_append(y, item); use of x => use of y",
    note="{0!v} is {1!v} still",
)
CAST_ITEM = Rule(
    "cast_item",
    "a value that is yielded => of the type of all that are",
    note="{0!v} is yielded as {1}",
)
CAST_PHI_VALUES = Rule(
    "cast_phi_values",
    "phi of values of other types => phi of casts",
    note="{0!v} is {1}: other values of it are converted",
)


def run(unit: CompileUnit) -> None:
    """Infer all types, then make the implicit casts explicit."""
    if unit.fn.generator:
        delegation.prepare(unit.editor())
    if any(map(_needs_python, unit.fn.blocks.values())):
        runs_python = unit.target.registry.runs_python
        unsupported.refuse_all(unit.fn, runs_python)
    inference = _inference(unit, unit.fn, unit.note if unit.recording else None)
    try:
        inferred = inference.run()
        unit.types, unit.resolutions = inferred.types, inferred.resolutions
        unit.return_type = unit.declared_return or inferred.returns.returned()
        never = isinstance(inferred.returns, types.Undefined)
        if unit.fn.generator:
            unit.return_type, never = _generator(unit.return_type), False
        if unit.callee is not None:
            unit.callee.never_returns = never
        _check_returns(unit, unit.return_type)
    except CompileError as error:
        if not error.explained:
            _explain(unit, inference, error)
        raise
    unit.plain = None
    unit.services.leave(unit, unit.return_type)
    editor = unit.editor()
    prune_decided(unit, editor, inferred)
    editor.commit(FIND_TYPES, unit.fn.entry.ops[0].loc, types=unit.types)
    if inference.containers.made:
        _make_lists(editor, unit.types, inference.containers.made)
        editor.rename_each(_same_containers(editor, unit.types), _renamed, SAME_CONTAINER)
    _unwrap(editor, unit.types, inferred.unwrapped)
    if unit.fn.generator:
        assert isinstance(unit.return_type, types.Generator)
        _cast_items(editor, unit.types, unit.return_type.item)
    else:
        _cast_returns(editor, unit.types, unit.return_type)
    _cast_phi_values(editor, unit.types)


_MAKING: dict[type[Type], type[nodes.MakeList | nodes.BuildSet | nodes.BuildDict]] = {
    types.List: nodes.MakeList,
    types.Set: nodes.BuildSet,
    types.Dict: nodes.BuildDict,
}


def _make_lists(editor: Editor, table: dict[str, Type], made: set[int]) -> None:
    """Rewrite the displays that make lists."""
    for block in editor.fn.blocks.values():
        for position, op in reversed(list(enumerate(block.ops))):
            if op.id in made and isinstance(op, nodes.Call) and op.args:
                func = editor.fn.fresh("listed")
                ty = typeof_constant(listed)
                assert ty is not None
                table[func] = ty
                name = nodes.Global(func, "list", listed, loc=op.loc, id=editor.fn.new_id())
                editor.replace(block, position, name, replace(op, func=func))
                editor.commit(MAKE_LIST, op.loc, op.result, table[op.result], types=(func,))
            elif op.id in made:
                made_op = _MAKING[type(table[definitions(op)[0]])]
                items = op.items if isinstance(op, nodes.BuildList) else ()
                new = made_op(definitions(op)[0], items, loc=op.loc, id=op.id)
                editor.replace(block, position, new)
                editor.commit(MAKE_LIST, op.loc, new.result, table[new.result])


def _same_containers(editor: Editor, table: Mapping[str, Type]) -> dict[str, str]:
    """Return the names of containers that have another name already: `list_append(x, item)` is `x`,
    also in a loop."""
    names: dict[str, str] = {}

    def first(name: str) -> str:
        while name in names:
            name = names[name]
        return name

    phis = []
    for block in editor.fn.blocks.values():
        for op in block.ops:
            match op:
                case nodes.ListAppend(result, name) | nodes.Extend(result, _, name):
                    if isinstance(table[name], Container) and table[name] is table[result]:
                        names[result] = name
                case nodes.Phi(result=result) if isinstance(table[result], Container):
                    phis.append(op)
    grown = bool(names)
    while grown:
        grown = False
        for op in phis:
            others = {first(name) for name in op.values} - {op.result}
            if op.result not in names and len(others) == 1:
                (other,) = others
                if table[other] is table[op.result]:
                    names[op.result], grown = other, True
    return {name: first(name) for name in names}


def _renamed(names: Mapping[str, str], ops: Sequence[Op]) -> list[Op]:
    return [
        rename_uses(op, lambda name: names.get(name, name))
        for op in ops
        if not (isinstance(op, nodes.Phi) and op.result in names)
    ]


def _generator(returns: Type) -> types.Generator:
    """Return the type of a generator, which may yield nothing."""
    if not isinstance(returns, types.Generator):  # it raises before it yields or returns
        return types.Generator(types.undefined)
    return returns


def _needs_python(block: Block) -> bool:
    """True for a block with a handler, or one that raises an exception in a way that has no
    types."""
    ends = nodes.RaiseFrom | nodes.RaiseCurrent | nodes.Reraise
    return block.handler is not None or isinstance(block.terminator, ends)


def _inference(
    unit: CompileUnit, fn: Function, record: Callable[[events_.TypeEvent], None] | None
) -> Inference:
    inference = Inference(
        fn,
        unit.argtypes,
        unit.target.registry,
        unit.services.return_type,
        unit.pyfunc.__globals__,
        record,
        declared_types(unit),
        unit.declared_return,
        may_fill_lists(unit.pyfunc),
    )
    unit.services.enter(unit, inference)
    return inference


def _explain(unit: CompileUnit, failed: Inference, error: CompileError) -> None:
    """Add the origins of the types to an error."""
    error.explained = True
    fn = unit.plain or unit.fn
    events: list[events_.TypeEvent] = []
    with suppress(CutawayError):
        _inference(unit, fn, events.append).run()
    position = next((k for k, failure in failed.failures.items() if failure is error), None)
    op = None if position is None else failed.ops[position]
    error.notes += conflicts.failure_notes(fn, events, op, error.message)


def declared_types(unit: CompileUnit) -> dict[str, Type]:
    """Return the types of declared variables, parsed where they are text.

    Raises SignatureError for text that is not a type.
    """
    return {
        name: notation.parse_type(ty) if isinstance(ty, str) else ty
        for name, ty in unit.flags.locals
    }


def _unwrap(
    editor: Editor, table: dict[str, Type], needed: dict[int, dict[str, Exception]]
) -> None:
    """Check before an op that values which may be None are not."""
    fn = editor.fn

    def inside(region: Region) -> Region:
        return with_ops(region, checked)

    def checked(ops: Sequence[Op]) -> Iterator[Op]:
        for op in ops:
            inner = with_regions(op, inside) if op.REGIONS else op
            yield from _checked(fn, table, inner, needed.get(id(op), {}))

    for block in fn.blocks.values():
        for position in reversed(range(len(block.ops))):
            op = block.ops[position]
            raised = needed.get(id(op))
            if op.REGIONS and needed:
                op = with_regions(op, inside)
                editor.replace(block, position, op)
            if raised:
                ops = _checked(fn, table, op, raised)
                editor.replace(block, position, *ops)
                checks = [name for check in ops[:-1] for name in definitions(check)]
                editor.commit(CHECK_NONE, op.loc, raised, types=checks)


def _checked(
    fn: Function, table: dict[str, Type], op: Op, raised: dict[str, Exception]
) -> list[Op]:
    names: dict[str, str] = {}
    ops: list[Op] = []
    for name, error in raised.items():
        held = table[name]
        assert isinstance(held, types.Optional)
        names[name] = fn.fresh("some")
        table[names[name]] = held.inner
        message = str(error.args[0]) if error.args else ""
        ops.append(
            nodes.Unwrap(names[name], name, type(error), message, loc=op.loc, id=fn.new_id())
        )
    return [*ops, rename_uses(op, lambda used: names.get(used, used))]


def _check_returns(unit: CompileUnit, returns: Type) -> None:
    is_list = isinstance(returns, types.ListDisplay | types.Collected)
    is_seen = not is_list or may_fill_lists(unit.pyfunc)  # Python never calls others
    if returns.can_leave or not is_seen:
        return
    op = next(op for op in walk(unit.fn) if isinstance(op, nodes.Return))
    hint = "return numbers, tuples or arrays"
    if isinstance(returns, types.Text):
        hint = "a string that is computed can only be raised or printed"
    elif is_list:
        hint = "return a tuple, or np.array(...) of the list"
    raise UnsupportedTypeError(f"a value of type {returns} cannot be returned", op.loc, hint)


def _cast_returns(editor: Editor, table: dict[str, Type], returns: Type) -> None:
    blocks = editor.fn.blocks.values()
    returned = {
        block.terminator.value for block in blocks if isinstance(block.terminator, nodes.Return)
    }
    for block in blocks:
        for position, op in reversed(list(enumerate(block.ops))):
            if isinstance(op, nodes.Cast) and op.result in returned:
                if is_unwrapped(table[op.value], returns):
                    refused = TypeError(f"the result must be {returns}, not None")
                    ops = _checked(editor.fn, table, op, {op.value: refused})
                    editor.replace(block, position, *ops)
                    editor.commit(
                        CHECK_NONE, op.loc, {op.value: refused}, types=definitions(ops[0])
                    )
                before, table[op.result] = table.get(op.result), returns
                if before is not returns:
                    editor.commit(CAST_RETURN, op.loc, op.value, returns, types=(op.result,))


def _cast_items(editor: Editor, table: dict[str, Type], item: Type) -> None:
    fn = editor.fn
    for block in fn.blocks.values():
        for position, op in reversed(list(enumerate(block.ops))):
            if isinstance(op, nodes.Suspend) and table[op.value] is not item:
                name = fn.fresh("cast")
                table[name] = item
                cast = nodes.Cast(name, op.value, loc=op.loc, id=fn.new_id())
                editor.replace(block, position, cast, replace(op, value=name))
                editor.commit(CAST_ITEM, op.loc, op.value, item, types=(name,))


def _cast_phi_values(editor: Editor, table: dict[str, Type]) -> None:
    for block in editor.fn.blocks.values():
        for position, op in enumerate(block.ops):
            if not isinstance(op, nodes.Phi):
                break
            casts = _cast_values(editor, block, position, op, table)
            if casts:
                editor.commit(CAST_PHI_VALUES, op.loc, op.result, table[op.result], types=casts)
    editor.in_regions(lambda inner: _cast_phi_values(inner, table))


def _place_after(block: Block, name: str) -> int:
    """Return the first position in a block at which a variable has its value."""
    made = [k for k, op in enumerate(block.ops) if name in definitions(op)]
    phis = sum(isinstance(op, nodes.Phi) for op in block.ops)
    return max(made[0] + 1 if made else 0, phis)


def _cast_values(
    editor: Editor, block: Block, position: int, phi: nodes.Phi, table: dict[str, Type]
) -> list[str]:
    """Cast the values of a phi to its type, each in the block that it comes from; return the new
    variables."""
    fn, target_type = editor.fn, table[phi.result]
    casts: list[str] = []
    values = list(phi.values)
    for k, (label, name) in enumerate(zip(phi.labels, phi.values, strict=True)):
        if table[name] is target_type or table[name] is types.undefined:
            continue
        cast = nodes.Cast(fn.fresh("cast"), name, loc=phi.loc, id=fn.new_id())
        table[cast.result] = target_type
        source = fn.blocks[label]
        index = len(source.ops) - 1
        if source.handler == block.label:  # in front of any op that raises
            index = _place_after(source, name)
        editor.insert(source, index, cast)
        values[k] = cast.result
        casts.append(cast.result)
    if casts:
        editor.replace(block, position, replace(phi, values=tuple(values)))
    return casts
