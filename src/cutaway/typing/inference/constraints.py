"""One constraint per kind of op: the types of its results from those of the variables it uses.

A row names the rule of the solver.  That of an op with regions returns the types of its results,
then those of its regions' arguments (`Inference.carried` for the carried variables).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cutaway.errors import UnsupportedTypeError
from cutaway.ir import nodes
from cutaway.ir.constants import waits
from cutaway.ir.function import user_name
from cutaway.ir.nodes import Op, OpTable
from cutaway.typing import types
from cutaway.typing.errors import unsupported
from cutaway.typing.inference import arrays, exceptions, slices, texts, tuples
from cutaway.typing.types import Tuple, Type

if TYPE_CHECKING:
    from cutaway.typing.inference.solver import Inference

# Returns the types of an op's results; all of the op's operands have types.
Constraint = Callable[["Inference", Any], tuple[Type | None, ...]]


def _one(typed: Callable[[Inference, Any], Type | None]) -> Constraint:
    """Return the constraint of ops with one result."""
    return lambda run, op: (typed(run, op),)


def _none(check: Callable[[Inference, Any], object]) -> Constraint:
    """Return the constraint of ops without a result."""

    def checked(run: Inference, op: Op) -> tuple[()]:
        check(run, op)
        return ()

    return checked


def _parfor(run: Inference, op: nodes.Parfor) -> tuple[Type | None, ...]:
    carried = run.carried(op, op.body)
    return (*carried, *(types.int64 for _ in op.body.indices), *carried)


def _refused(run: Inference, op: Op) -> tuple[Type | None, ...]:
    unsupported.refuse(op, run.fn, run.context.runs_python)
    return ()


def _returned(run: Inference, op: nodes.Return) -> Type | None:
    returned = run.types[op.value]
    if not run.fn.generator:
        return run._leaving(op, returned)
    known = returned in (types.none, types.undefined) or run.declared_return is not None
    return None if known else types.Generator(types.undefined, returned)


def _yielded(run: Inference, op: nodes.Suspend) -> tuple[Type | None, ...]:
    """Return None as the type of `yield`, and the generator type that its operand determines."""
    return types.none, run._leaving(op, types.Generator(run.types[op.value]))


def _unwrapped(run: Inference, op: nodes.Unwrap) -> Type:
    inner = run.types[op.value]
    return inner.inner if isinstance(inner, types.Optional) else inner


def _closure(run: Inference, op: nodes.MakeFunction) -> Type:
    if waits(op.code) or op.code.co_name[0] == "<":
        _refused(run, op)
    code = op.code
    params = code.co_varnames[: code.co_argcount]
    positional = len(op.defaults) - len(op.keywords)
    named = (*params[len(params) - positional :], *op.keywords)
    defaults = zip(named, (run.types[name] for name in op.defaults), strict=True)
    names = (name for name in code.co_freevars if name not in op.itself)
    captured = zip(names, (run.types[n] for n in op.captured), strict=True)
    return types.closure_type(code, run.namespace, tuple(captured), tuple(defaults))


def _global(run: Inference, op: nodes.Global) -> Type | None:
    if op.name == "__build_class__":
        _refused(run, op)
    return run._constant(op, op.value)


def _run_objects(run: Inference, op: nodes.RunObjects) -> Type:
    for name, shown in zip(op.args, op.block.inputs, strict=True):
        ty = run.types[name]
        if not ty.returned().can_leave:
            raise UnsupportedTypeError(
                f"`{user_name(shown)}` is {ty}, which cannot be passed to a block that runs as"
                " Python",
                op.loc,
                "make it in the block",
            )
    return Tuple(op.block.types)


def _extended(run: Inference, op: nodes.Extend) -> Type | None:
    if op.how == "dict_merge":
        _refused(run, op)
    return run.containers.extended(op)


def _deleted(run: Inference, op: nodes.DelItem) -> None:
    owner = run.types[op.target]
    if not isinstance(owner, types.Container):
        message = f"items of {owner} cannot be deleted in compiled code"
        hint = "np.delete(a, k) returns an array without them"
        raise UnsupportedTypeError(message, op.loc, hint)
    run._answer(op)


_ANY: Constraint = _none(lambda run, op: None)
_CONSTANT: Constraint = _one(lambda run, op: run._constant(op, op.value))
_ANSWER: Constraint = _one(lambda run, op: run._answer(op))
_CHECKED: Constraint = _none(lambda run, op: run._answer(op))

TYPED: OpTable[Constraint] = OpTable(
    "typing constraint",
    {
        nodes.Arg: _one(lambda run, op: run._argument(op, run.argtypes[op.index])),
        nodes.Const: _CONSTANT,
        nodes.Global: _one(_global),
        nodes.FreeVar: _CONSTANT,
        nodes.Undef: _one(lambda run, op: types.undefined),
        nodes.Copy: _one(lambda run, op: run._cast(op)),
        nodes.Cast: _one(lambda run, op: run._cast(op)),
        nodes.Return: _one(_returned),
        nodes.Phi: _one(lambda run, op: run._phi(op)),
        nodes.Call: _one(lambda run, op: run._call(op)),
        nodes.BuildTuple: _one(lambda run, op: Tuple(tuple(run.types[name] for name in op.items))),
        nodes.BuildList: _one(lambda run, op: run.containers.display(op)),
        nodes.MakeList: _one(lambda run, op: run.containers.display(op)),
        nodes.BuildSet: _one(lambda run, op: run.containers.display(op)),
        nodes.BuildDict: _one(lambda run, op: run.containers.display(op)),
        nodes.Extend: _one(_extended),
        nodes.ListAppend: _one(lambda run, op: run._appended(op)),
        nodes.BuildSlice: _one(lambda run, op: slices.slice_type(op, run.types, run.ops)),
        nodes.Unpack: _one(lambda run, op: tuples.unpacked(run, op)),
        nodes.UnpackStar: _one(lambda run, op: tuples.unpacked_with_star(run, op)),
        nodes.StaticGetItem: _one(lambda run, op: tuples.item_at(run, op)),
        nodes.StaticSetItem: _CHECKED,
        nodes.GetAttr: _one(lambda run, op: run._attribute(op)),
        nodes.IterNext: lambda run, op: (run._answer(op), types.boolean),
        nodes.SetItem: _CHECKED,
        nodes.SetAttr: _CHECKED,
        nodes.DelItem: _none(_deleted),
        nodes.DelAttr: _CHECKED,
        nodes.Unary: _ANSWER,
        nodes.Binary: _ANSWER,
        nodes.Inplace: _ANSWER,
        nodes.GetItem: _ANSWER,
        nodes.GetIter: _ANSWER,
        nodes.Branch: _CHECKED,
        nodes.FormatValue: _one(lambda run, op: texts.formatted(run, op)),
        nodes.BuildString: _one(lambda run, op: texts.joined(run, op)),
        nodes.RaiseComputed: _none(lambda run, op: exceptions.check_arguments(run, op)),
        nodes.RaiseComputedFrom: _none(lambda run, op: exceptions.check_arguments(run, op)),
        nodes.Raise: _none(lambda run, op: exceptions.check_exception(run, op)),
        nodes.RaiseFrom: _none(lambda run, op: exceptions.check_exception(run, op)),
        nodes.MakeFunction: _one(_closure),
        nodes.Unwrap: _one(_unwrapped),
        nodes.Jump: _ANY,
        nodes.StaticRaise: _ANY,
        nodes.Unreachable: _ANY,
        nodes.Yield: _ANY,
        nodes.Give: _ANY,
        nodes.Element: _ANSWER,
        nodes.ArrayExpr: lambda run, op: arrays.array_expr(run, op),
        nodes.ArrayStore: lambda run, op: arrays.array_store(run, op),
        nodes.ArrayReduce: lambda run, op: arrays.array_reduce(run, op),
        nodes.Parfor: lambda run, op: _parfor(run, op),
        nodes.SizesOf: lambda run, op: tuple(types.int64 for _ in op.results),
        nodes.NewArray: _one(lambda run, op: arrays.new_array(op)),
        nodes.Apart: _one(lambda run, op: arrays.apart(run, op)),
        nodes.RequireElements: _ANY,
        nodes.Load: _one(lambda run, op: arrays.load_of(run, op)),
        nodes.Line: _one(lambda run, op: arrays.line_of(run, op)),
        nodes.Store: _ANY,
        nodes.OwnStreams: _ANY,
        nodes.RunObjects: _one(_run_objects),
        nodes.Del: _ANY,
        nodes.Caught: _one(lambda run, op: types.caught_exception),
        nodes.Suspend: _yielded,
        nodes.Matches: _one(lambda run, op: exceptions.matches(run, op)),
        nodes.EndHandler: _ANY,
        nodes.Delegate: _one(lambda run, op: None),  # occurs only while a refusal is explained
        nodes.Reraise: _ANY,
        **dict.fromkeys(
            (
                *(nodes.RaiseCurrent, nodes.Enter, nodes.ExitWith),
                nodes.CallSpread,
                *(nodes.IsPattern, nodes.MatchKeys, nodes.MatchClass, nodes.Import),
                *(nodes.ImportFrom, nodes.ReadOuter, nodes.WriteOuter, nodes.DeleteOuter),
            ),
            _refused,
        ),
    },
)
