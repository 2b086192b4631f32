"""One lowering per kind of op.

A row names the method of the function's lowering.  That of an op with regions lowers them with
`lowering/regions.py`, and stores the op's result in `values`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from cutaway.ir import nodes
from cutaway.ir.nodes import OpTable
from cutaway.lowering import (
    handlers,
    lists,
    object_blocks,
    parfor_elements,
    parfors,
    random_streams,
    tables,
)
from cutaway.lowering.arrays import expressions
from cutaway.lowering.build.casts import RULES
from cutaway.lowering.layout import Value, make_tuple, tuple_items, zero_value
from cutaway.lowering.regions import end_run
from cutaway.typing.types import OpenTuple, Tuple, int64

if TYPE_CHECKING:
    from cutaway.lowering.build.function_builder import FunctionBuilder
    from cutaway.lowering.function import FunctionLowering

Lowered = Callable[["FunctionLowering", Any], None]


def _value(value_of: Callable[[FunctionLowering, Any], Value]) -> Lowered:
    """Return the lowering of ops whose result is this value."""

    def lower(lowering: FunctionLowering, op: Any) -> None:
        lowering.values[op.result] = value_of(lowering, op)

    return lower


def _same_parts(into: FunctionLowering, result: str, names: Sequence[str]) -> Value:
    """Return a value whose parts are those of these variables."""
    parts = [part for name in names for part in into.values[name].parts]
    return Value(into.types[result], tuple(parts))


def _decref(into: FunctionLowering, op: nodes.Decref) -> None:
    into._count_references("cutaway_decref", op.value)
    into._forget_owner(op.value)


def _return(into: FunctionLowering, op: nodes.Return) -> None:
    if into.frame is not None and into.frame.gives_back:
        into._forget_owner(op.value)  # the caller takes over its reference
    into._return(into.values[op.value])


def _unpack_star(into: FunctionLowering, op: nodes.UnpackStar) -> None:
    value, build = into.values[op.value], into.build
    if not isinstance(value.ty, Tuple):
        counts = [build.constant(int64, number) for number in (op.before, op.after)]
        into.values[op.result] = into._answer(op, [value, *counts])
        return
    items = tuple_items(value)
    last, least = len(items) - op.after, op.before + op.after
    if len(items) < least:
        message = f"not enough values to unpack (expected at least {least}, got {len(items)})"
        build.raise_now(ValueError, message)
        return
    middle = make_tuple(items[op.before : last])
    into.values[op.result] = make_tuple([*items[: op.before], middle, *items[last:]])


def _unreachable(into: FunctionLowering, op: nodes.Unreachable) -> None:
    # If the analysis is wrong this raises; LLVM's `unreachable` would be undefined behavior.
    into.build.raise_now(SystemError, "unreachable code was reached")


def _raise_values(into: FunctionLowering, op: nodes.RaiseComputed) -> None:
    into.build.raise_values(op.exception, into.call_values(op), op.keywords)


_CONSTANT = _value(lambda into, op: into.build.constant(into.types[op.result], op.value))


def _formatted(into: FunctionLowering, op: nodes.FormatValue) -> Value:
    value = into.values[op.value]
    if op.id not in into.resolutions:
        return _same_parts(into, op.result, (op.value,))
    kept = into.build.cast(into._answer(op, [value]), value.ty)
    return Value(into.types[op.result], kept.parts)


@RULES.add(Tuple, OpenTuple)
def _opened(source: Tuple, wanted: OpenTuple, build: FunctionBuilder, value: Value) -> Value:
    return lists.opened(build, wanted, value)


_CAST = _value(lambda into, op: into.build.cast(into.values[op.value], into.types[op.result]))
_ANSWER = _value(lambda into, op: into._answer(op))

LOWERED: OpTable[Lowered] = OpTable(
    "lowering",
    {
        nodes.Arg: _value(lambda into, op: into._argument(op)),
        nodes.Const: _CONSTANT,
        nodes.Global: _CONSTANT,
        nodes.FreeVar: _CONSTANT,
        nodes.Undef: _value(lambda into, op: zero_value(into.types[op.result])),
        nodes.Copy: _CAST,
        nodes.Cast: _CAST,
        nodes.Phi: lambda into, op: into.phis.reserve(op),
        nodes.Unwrap: lambda into, op: into._unwrap(op),
        nodes.Call: lambda into, op: into._call(op),
        nodes.MakeFunction: _value(
            lambda into, op: _same_parts(into, op.result, (*op.captured, *op.defaults))
        ),
        nodes.BuildTuple: _value(lambda into, op: make_tuple([into.values[n] for n in op.items])),
        nodes.BuildList: _value(lambda into, op: _same_parts(into, op.result, op.items)),
        nodes.MakeList: _value(lambda into, op: lists.make(into, op)),
        nodes.BuildSet: _value(lambda into, op: tables.make(into, op)),
        nodes.BuildDict: _value(lambda into, op: tables.make(into, op)),
        nodes.Extend: _value(lambda into, op: tables.extend(into, op)),
        nodes.ListAppend: _ANSWER,
        nodes.BuildSlice: _value(lambda into, op: into._slice(op)),
        nodes.Unpack: lambda into, op: into._unpack(op),
        nodes.UnpackStar: _unpack_star,
        nodes.StaticGetItem: lambda into, op: into._static_getitem(op),
        nodes.StaticSetItem: lambda into, op: into._static_setitem(op),
        nodes.GetAttr: lambda into, op: into._attribute(op),
        nodes.IterNext: lambda into, op: into._next(op),
        nodes.SetItem: lambda into, op: into._answer(op),
        nodes.DelItem: lambda into, op: into._answer(op),
        nodes.SetAttr: lambda into, op: into._answer(op),
        nodes.DelAttr: lambda into, op: into._answer(op),
        nodes.Unary: _ANSWER,
        nodes.Binary: _ANSWER,
        nodes.Inplace: _ANSWER,
        nodes.GetItem: _ANSWER,
        nodes.GetIter: _ANSWER,
        nodes.RunObjects: _value(lambda into, op: object_blocks.run(into, op)),
        nodes.Del: lambda into, op: None,
        nodes.Incref: lambda into, op: into._count_references("cutaway_incref", op.value),
        nodes.Decref: _decref,
        nodes.Jump: lambda into, op: into.build.jump(into.way_to(op.target)),
        nodes.Yield: end_run,
        nodes.Give: lambda into, op: None,  # in a body that is lowered as a kernel
        nodes.Element: _ANSWER,
        nodes.ArrayExpr: _value(lambda into, op: expressions.array_expr(into, op)),
        nodes.ArrayStore: lambda into, op: expressions.array_store(into, op),
        nodes.ArrayReduce: _value(lambda into, op: expressions.array_reduce(into, op)),
        nodes.Parfor: lambda into, op: parfors.lower(into, op),
        nodes.OwnStreams: lambda into, op: random_streams.lower(into, op),
        nodes.SizesOf: lambda into, op: parfor_elements.sizes_of(into, op),
        nodes.NewArray: _value(lambda into, op: parfor_elements.new_array(into, op)),
        nodes.Apart: _value(lambda into, op: parfor_elements.apart(into, op)),
        nodes.RequireElements: lambda into, op: parfor_elements.require_elements(into, op),
        nodes.Load: _value(lambda into, op: parfor_elements.load_of(into, op)),
        nodes.Line: _value(lambda into, op: parfor_elements.line_of(into, op)),
        nodes.Store: lambda into, op: parfor_elements.store(into, op),
        nodes.Branch: lambda into, op: into._branch(op),
        nodes.Return: _return,
        nodes.StaticRaise: lambda into, op: into._raise(op),
        nodes.Unreachable: _unreachable,
        nodes.RaiseComputed: _raise_values,
        nodes.RaiseComputedFrom: lambda into, op: handlers.raise_with_cause(into, op),
        nodes.Raise: lambda into, op: handlers.raise_caught(into, op),
        nodes.RaiseFrom: lambda into, op: handlers.raise_caught(into, op),
        nodes.Suspend: lambda into, op: into.suspend(op),
        nodes.Caught: _value(lambda into, op: handlers.caught(into, op)),
        nodes.Matches: _value(lambda into, op: handlers.matches(into, op)),
        nodes.EndHandler: lambda into, op: handlers.end_handler(into, op),
        nodes.Reraise: lambda into, op: handlers.reraise(into, op),
        nodes.FormatValue: _value(lambda into, op: _formatted(into, op)),
        nodes.BuildString: _value(lambda into, op: _same_parts(into, op.result, op.pieces)),
    },
)
