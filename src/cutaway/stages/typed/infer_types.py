"""Give every variable its type (stage 4).

    s = phi(0, 6: s.1, s.2)        s = phi(0, 6: s.1, s.2)         :: float64
    $6.1 = getitem(a, i)     ->    $6.1 = getitem(a, i)            :: float64
    s.2 = s + $6.1                 s.2 = s + $6.1                  :: float64

Types live in `unit.types`, beside the IR.  Where versions of different types meet, a cast is
put in front of the jump to the merge point, so that afterward all values of a phi have the
phi's type; values that are returned are cast to the function's return type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from cutaway.errors import CompileError, CutawayError, UnsupportedError
from cutaway.foundation.loading import load_light
from cutaway.foundation.source import Loc
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op, replace
from cutaway.ir.region_views import edit_regions
from cutaway.ir.regions import Region
from cutaway.ir.traversal import definitions, rename_uses, walk, with_ops, with_regions
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.inference.events import TypeEvent
from cutaway.typing.inference.solver import Inference
from cutaway.typing.overloads.notation import parse_type
from cutaway.typing.types import Type

if TYPE_CHECKING:
    from cutaway.stages.rewriting import Rewriting


def run(unit: CompileUnit) -> None:
    """Infer all types, then make the implicit casts explicit."""
    inference = _inference(unit, unit.fn, unit.note if unit.recording else None)
    try:
        found = inference.run()
        unit.types, unit.resolutions = found.types, found.resolutions
        unit.return_type = unit.declared_return or found.returns.returned()
        if unit.callee is not None:
            unit.callee.never_returns = isinstance(found.returns, types.Undefined)
        _check_returns(unit.fn, unit.return_type)
    except CompileError as error:
        if not error.explained:
            _explain(unit, inference, error)
        raise
    unit.plain = None
    unit.services.leave(unit, unit.return_type)
    told = unit.rewriting()
    if told is not None:
        told.step("find_types", "each value has a type", _first_loc(unit.fn), (), types=unit.types)
    _unwrap(unit.fn, unit.types, found.unwrapped, told)
    _cast_returns(unit.fn, unit.types, unit.return_type, told)
    _cast_phi_values(unit.fn, unit.types, told)


def _first_loc(fn: Function) -> Loc:
    return fn.entry.ops[0].loc


def _inference(
    unit: CompileUnit, fn: Function, record: Callable[[TypeEvent], None] | None
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
    )
    unit.services.enter(unit, inference)
    return inference


def _explain(unit: CompileUnit, failed: Inference, error: CompileError) -> None:
    """Add to an error where the types came from.

    Only now that it has failed is it inferred with a record of what happens, so that nothing is
    recorded when all is well; and on the function as it was before it was simplified.
    """
    error.explained = True
    fn = unit.plain or unit.fn
    events: list[TypeEvent] = []
    with suppress(CutawayError):
        _inference(unit, fn, events.append).run()
    position = next((k for k, found in failed.failures.items() if found is error), None)
    op = None if position is None else failed.ops[position]
    conflicts = load_light("cutaway.typing.errors.conflicts")  # that errors need, and nothing else
    error.notes += conflicts.failure_notes(fn, events, op, error.message)


def declared_types(unit: CompileUnit) -> dict[str, Type]:
    """The types of declared variables; what was written as text is read here.

    Raises SignatureError for text that is no type.
    """
    return {name: parse_type(ty) if isinstance(ty, str) else ty for name, ty in unit.flags.locals}


def _unwrap(
    fn: Function,
    table: dict[str, Type],
    needed: dict[int, dict[str, Exception]],
    told: Rewriting | None,
) -> None:
    """Check in front of an op that values which may be None are not."""

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
                block.ops[position] = op = with_regions(op, inside)
            if raised:
                ops = _checked(fn, table, op, raised)
                block.ops[position : position + 1] = ops
                if told is not None:
                    names = ", ".join(map(told.named, raised))
                    made = [name for check in ops[:-1] for name in definitions(check)]
                    note = f"{names} may be None, which is an error here"
                    told.step("check_none", note, op.loc, (block.label,), types=made)


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


def _check_returns(fn: Function, returns: Type) -> None:
    if returns.can_leave:
        return
    op = next(op for op in walk(fn) if isinstance(op, nodes.Return))
    hint = "return numbers, tuples or arrays"
    if isinstance(returns, types.Text):
        hint = "a string that is computed can only be raised or printed"
    raise UnsupportedError(f"a value of type {returns} cannot be returned", op.loc, hint)


def _cast_returns(
    fn: Function, table: dict[str, Type], returns: Type, told: Rewriting | None
) -> None:
    returned = {
        block.terminator.value
        for block in fn.blocks.values()
        if isinstance(block.terminator, nodes.Return)
    }
    for block in fn.blocks.values():
        for op in block.ops:
            if isinstance(op, nodes.Cast) and op.result in returned:
                before, table[op.result] = table.get(op.result), returns
                if told is not None and before is not returns:
                    note = f"{told.named(op.value)} is returned as {returns}"
                    told.step("cast_return", note, op.loc, (), types=(op.result,))


def _cast_phi_values(fn: Function, table: dict[str, Type], told: Rewriting | None) -> None:
    for block in fn.blocks.values():
        for position, op in enumerate(block.ops):
            if not isinstance(op, nodes.Phi):
                break
            casts: list[str] = []
            block.ops[position] = _with_casts(fn, table, op, casts)
            if told is not None and casts:
                shown = told.named(op.result)
                note = f"{shown} is {table[op.result]}: other values of it are converted"
                labels = dict.fromkeys((block.label, *op.labels))
                told.step("cast_phi_values", note, op.loc, labels, types=casts)
    known = set() if told is None else set(table)
    inside = edit_regions(fn, lambda inner: _cast_phi_values(inner, table, None))
    if inside and told is not None:
        note = "values that meet in a region are converted to one type"
        loc = _first_loc(fn)
        told.step("cast_phi_values", note, loc, types=[n for n in table if n not in known])


def _with_casts(fn: Function, table: dict[str, Type], phi: nodes.Phi, casts: list[str]) -> Op:
    """The phi with all its values of its type; `casts` are the new variables."""
    wanted = table[phi.result]
    values = list(phi.values)
    for k, (label, name) in enumerate(zip(phi.labels, phi.values, strict=True)):
        if table[name] is wanted or table[name] is types.undefined:
            continue
        cast = nodes.Cast(fn.fresh("cast"), name, loc=phi.loc, id=fn.new_id())
        table[cast.result] = wanted
        fn.blocks[label].ops.insert(-1, cast)
        values[k] = cast.result
        casts.append(cast.result)
    return replace(phi, values=tuple(values)) if tuple(values) != phi.values else phi
