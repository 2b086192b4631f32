"""Generators whose values a compiled function takes, if they are not fused into loops."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from cutaway.extending.registry import CONTEXT, primitive
from cutaway.ir.operators import BINARY
from cutaway.library.containers.iteration import begin
from cutaway.library.core.applied import applied, resolved
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.raising import HANDLED, STACK_LIMIT
from cutaway.lowering.generators import ENDED, ITEM, PROMISE
from cutaway.lowering.layout import Value, owner_positions, part_types, zero_value
from cutaway.lowering.slots import load_slots
from cutaway.typing import types
from cutaway.typing.analysis.ownership import answer_is_new
from cutaway.typing.inference.questions import advance, iterate
from cutaway.typing.overloads.consumers import CONSUMERS, contained, loop_of, missing
from cutaway.typing.overloads.resolution import Arguments, Call, Overload, Signature
from cutaway.typing.types.conversions import unify

# Offsets in bytes into `cutaway_generator`, see runtime/cutaway_runtime.h.
_FRAME = object.__basicsize__
_NEXT, _RUNNING = _FRAME + 8, _FRAME + 48


def _iterator_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0] if len(arguments) == 1 else None
    return Signature(ty, (ty,)) if isinstance(ty, types.Generator) else None


@primitive(iterate, _iterator_rule)
def itself(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Return the generator: it is its own iterator."""
    return args[0]


def _next_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    return Signature(ty.item, (ty,)) if isinstance(ty, types.Generator) else None


@primitive(advance, _next_rule, gives_new_reference=True)
def next_item(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """Resume the generator until its next `yield` or its end."""
    owner = build.convert("ptrtoint", "ptr", args[0].parts[0], "i64")
    number = build.binary("and", "i64", owner, "-2")
    place = build.convert("inttoptr", "i64", number, "ptr")
    nothing = zero_value(sig.returns)
    running = build.offset(place, str(_RUNNING))
    is_running = build.compare("ne", "i32", build.load("i32", running, 4), "0")
    build.raise_if(is_running, ValueError, "generator already executing")
    frame = build.load("ptr", build.offset(place, str(_FRAME)), 8)
    before, there, after = build.block, build.new_label("there"), build.new_label("after")
    build.branch(build.compare("ne", "ptr", frame, "null"), there, after)
    build.start(there)
    record = build.offset(frame, str(PROMISE))
    limit = build.load("i64", build.offset("%exc", str(STACK_LIMIT)), 8)
    build.store("i64", limit, build.offset(record, str(STACK_LIMIT)), 8)
    build.store("i64", "0", build.offset(record, str(STACK_LIMIT + 8)), 8)  # recorded calls
    handled = build.load("ptr", build.offset("%exc", str(HANDLED)), 8)
    build.store("ptr", handled, build.offset(record, str(HANDLED)), 8)
    build.store("i32", "1", running, 4)
    function = build.load("ptr", build.offset(place, str(_NEXT)), 8)
    status = build.result(f"call i32 {function}(ptr {frame})")
    build.store("i32", "0", running, 4)
    waits, ended, failed = (build.new_label(stem) for stem in ("waits", "ended", "failed"))
    build.branch(build.compare("eq", "i32", status, "0"), waits, ended)
    build.start(waits)
    item = load_slots(build, sig.returns, build.offset(record, str(ITEM)))
    took = build.block
    build.jump(after)
    build.start(ended)
    is_end = build.compare("eq", "i32", status, ENDED)
    done = build.new_label("done")
    build.branch(is_end, done, failed)
    build.start(failed)
    raised = build.call("i32", "cutaway_generator_raised", [("ptr", record), ("i32", status)])
    build.call("void", "cutaway_close_generator", [("ptr", place)])
    build.links.target.exceptions.propagate(build, raised)
    build.start(done)
    ty = args[0].ty
    assert isinstance(ty, types.Generator)
    returned = load_slots(build, ty.value, build.offset(record, str(ITEM)))
    for position in owner_positions(ty.value):
        build.call("void", "cutaway_decref", [("ptr", returned.parts[position])])
    build.call("void", "cutaway_close_generator", [("ptr", place)])
    build.jump(after)
    build.start(after)
    kinds = zip(part_types(sig.returns), nothing.parts, item.parts, strict=True)
    ways = [(kind, [(zero, before), (part, took), (zero, done)]) for kind, zero, part in kinds]
    parts = [build.phi(kind, incoming) for kind, incoming in ways]
    valid = build.phi("i1", [("false", before), ("true", took), ("false", done)])
    return Value(sig.returns, tuple(parts)), valid


def _next_of_rule(arguments: Arguments) -> Signature | None:
    owner = arguments.types[0] if 1 <= len(arguments) <= 2 else None
    if not isinstance(owner, types.IteratorType | types.Flat):
        return None
    resolution = resolved(advance, owner.iterator())
    item = None if resolution is None else resolution.signature.returns
    if len(arguments) == 2 and item is not None:
        item = unify(item, arguments.types[1])
    return None if item is None else Signature(item, arguments.types)


@primitive(next, _next_of_rule, any_elements=True)
def next_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`next(iterator)`, `next(iterator, default)`."""
    iterator = begin(build, args[0])
    resolution = resolved(advance, iterator.ty)
    assert resolution is not None
    item, valid = applied(build, advance, iterator)
    if len(args) == 1:
        build.raise_if(build.binary("xor", "i1", valid, "true"), StopIteration)
    item = build.cast(item, sig.returns)
    if not answer_is_new(advance, resolution):
        _own(build, item, valid)
    if len(args) == 1:
        return item
    default = build.cast(args[1], sig.returns)
    _own(build, default, build.binary("xor", "i1", valid, "true"))
    kinds = zip(part_types(sig.returns), item.parts, default.parts, strict=True)
    return Value(sig.returns, tuple(build.select(valid, kind, a, b) for kind, a, b in kinds))


def _own(build: FunctionBuilder, borrowed: Value, taken: str) -> None:
    """Acquire a reference to a borrowed value if it is selected."""
    for place in owner_positions(borrowed.ty):
        owner = build.select(taken, "ptr", borrowed.parts[place], "null")
        build.call("void", "cutaway_incref", [("ptr", owner)])


def _loop(function: Any) -> Callable[[Call], FunctionType | None]:
    def template(call: Call) -> FunctionType | None:
        given = call.arguments.types
        taken = given and isinstance(given[0], types.Generator)
        return loop_of(function, call.keywords) if taken else None

    return template


for _function in CONSUMERS:
    CONTEXT.add(_function, Overload(None, (), None, any_elements=True, template=_loop(_function)))


def _search(loop: FunctionType) -> Callable[[Call], FunctionType | None]:
    def template(call: Call) -> FunctionType | None:
        given = call.arguments.types
        searched = len(given) == 2 and isinstance(given[1], types.Generator | types.Iterator)
        return loop if searched else None

    return template


for _symbol, _found in (("in", contained), ("not in", missing)):
    _overload = Overload(None, (), None, any_elements=True, template=_search(_found))
    CONTEXT.add(BINARY[_symbol].function, _overload)
