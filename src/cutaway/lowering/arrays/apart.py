"""Short array loops outlined into functions of their own, whose machine code is cached.

    m = np.max(a)       call i32 @array_loop$5d1f...(ptr %ret, ptr %exc, parts of a)

Programs repeat a NumPy call, or an operation or two, over and over, and most of its compile time is
LLVM's.  The same IR text for the same types is the same function, in any program.  A loop stays
inline where it is part of an outer loop or of a longer expression, where its sizes are constants,
and where the user inspects the program.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import replace
from cutaway.foundation.source import UNKNOWN
from cutaway.ir.elements import ArrayOp, steps, wholes_of
from cutaway.lowering.build.builder import local, symbol
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.raising import OK, RaiseTable, table_name
from cutaway.lowering.callee import Callee
from cutaway.lowering.calls import Links, call_callee
from cutaway.lowering.layout import Value, array_parts, part_types
from cutaway.lowering.slots import store_slots
from cutaway.typing.types import Array, Type

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering

MOST_STEPS = 2  # steps of one expression: longer ones hardly ever recur
STEM = "array_loop"  # the placeholder name of each until its content is hashed

Emit = Callable[[FunctionBuilder, Sequence[Value]], Value]


def may_be_apart(into: FunctionLowering, op: ArrayOp, values: Sequence[Value]) -> bool:
    """True if an op with these operands, for this target, may be outlined."""
    build = into.build
    if build.links.apart is None or build.in_loop or into.runs or build.on_stack:
        return False
    inner = list(steps(op.body))
    if len(inner) > MOST_STEPS or wholes_of(op.body):
        return False
    # An exception that it raises has the line of the op.
    if any(step.loc is not UNKNOWN and step.loc.line != op.loc.line for step in inner):
        return False
    shapes = [array_parts(value).shape for value in values if isinstance(value.ty, Array)]
    return not all(size.isdigit() for shape in shapes for size in shape)


def called(
    into: FunctionLowering, values: Sequence[Value], returns: Type, emit: Emit
) -> Value | None:
    """Outline the code of `emit` into a function and call it; None if that has no loop, or calls a
    symbol without a stable name.  (`emit` is passed the builder to use.)"""
    build = into.build
    callee = _written(build, values, returns, emit)
    if callee is None:
        return None
    return call_callee(build, build.links.apart(callee), values)


_SERIAL = itertools.count(1)  # two tables of one name would share their exceptions


def _written(
    near: FunctionBuilder, values: Sequence[Value], returns: Type, emit: Emit
) -> Callee | None:
    table = RaiseTable(f"{STEM}.{next(_SERIAL)}", hidden=True)
    callee = Callee(STEM, tuple(value.ty for value in values), returns, table=table)
    callee.target, callee.flags, callee.is_lasting = near.links.target, near.flags, True
    build = FunctionBuilder(STEM, "", near.flags, table)
    build.links = Links(near.links.target, near.links.callee_of, callee.callees)
    build.hint = "x"
    build.start("entry")
    parameters: list[str] = []
    result = emit(build, _parameters(values, parameters))
    store_slots(build, result, "%ret")
    build.ret(OK)
    build.finish_cleanup(lambda: None)
    head = ", ".join(["ptr noalias %ret", "ptr noalias %exc", *parameters])
    callee.code = build.finish(f"define internal i32 {symbol(STEM)}({head})")
    callee.loops = callee.loops_over_arrays = callee.is_loop = True
    is_known = all(
        member.is_lasting and not member.unstable and member.extension is None
        for member in callee.closure()
    )
    return callee if build.has_nests and is_known else None


def _parameters(values: Sequence[Value], declared: list[str]) -> list[Value]:
    """Return the values as the outlined function receives them, in parameters that are added to
    `declared`: one per distinct text.  Constants stay in the body."""
    names: dict[str, str] = {}
    received = []
    for value in values:
        parts = []
        for kind, text in zip(part_types(value.ty), value.parts, strict=True):
            name = local(f"$p.{len(declared)}")
            declared.append(f"{kind} {name}")
            parts.append(names.setdefault(text, name) if _is_name(text) else text)
        received.append(Value(value.ty, tuple(parts)))
    return received


def _is_name(text: str) -> bool:
    """True for a register, and for an address, which is meaningless in another program."""
    return text.startswith(("%", "@")) or "(" in text


def renamed(callee: Callee, name: str) -> None:
    """Rename an outlined function to its final name, everywhere in its text."""
    code, table = callee.code, table_name(STEM)
    assert code is not None
    before, after = symbol(STEM), symbol(name)
    code.header = code.header.replace(f"{before}(", f"{after}(", 1)
    code.globals[table_name(name)] = f"{symbol(table_name(name))} = external constant i8"
    del code.globals[table]
    old, new = symbol(table), symbol(table_name(name))
    code.lines[:] = [
        replace(line, text=line.text.replace(old, new)) if old in line.text else line
        for line in code.lines
    ]
    code.name = callee.symbol = name
