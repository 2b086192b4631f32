"""The typing constraints of raising and catching exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.errors import TypingError, UnsupportedTypeError
from cutaway.ir import nodes
from cutaway.typing import types
from cutaway.typing.inference import questions
from cutaway.typing.types import Type

if TYPE_CHECKING:
    from cutaway.typing.inference.solver import Inference


def matches(run: Inference, op: nodes.Matches) -> Type:
    """Return the type of the test whether an exception is an instance of a class.

    Raises UnsupportedTypeError if the expression after `except` is not a known class or tuple.
    """
    if types.classes_of(run.types[op.classes]) is None:
        raise UnsupportedTypeError(
            f"`except` needs classes of exceptions that are known, not {run.types[op.classes]}",
            op.loc,
            "write the classes after `except`",
        )
    return types.boolean


def check_exception(run: Inference, op: nodes.Raise | nodes.RaiseFrom) -> None:
    """Raise TypingError for a non-exception, UnsupportedTypeError for an exception not caught."""
    if isinstance(op, nodes.RaiseFrom):
        _check_cause(run, op)
    ty = run.types[op.exception]
    if ty is types.caught_exception:
        return
    if not (isinstance(ty, types.Class) and issubclass(ty.value, BaseException)):
        message = f"a value of type {ty} cannot be raised"
        raise TypingError(message, op.loc, "write raise SomeError('a message')")
    raise UnsupportedTypeError(
        "only an exception that `except ... as` has caught, or that the `raise` statement creates,"
        " can be raised",
        op.loc,
        "write raise SomeError(its arguments)",
    )


def check_arguments(run: Inference, op: nodes.RaiseComputed | nodes.RaiseComputedFrom) -> None:
    """Raise UnsupportedTypeError for arguments, or a cause, that an exception cannot have."""
    if isinstance(op, nodes.RaiseComputedFrom):
        _check_cause(run, op)
    argtypes = [run.types[name] for name in op.args]
    if op.star is not None:
        argtypes += questions.starred_items(op, run.types)
    for ty in argtypes:
        if not ty.can_be_written:
            raise UnsupportedTypeError(
                f"an exception with an argument of type {ty} is not supported in compiled code",
                op.loc,
                "use numbers, strings, or tuples of them as arguments",
            )


def _check_cause(run: Inference, op: nodes.RaiseFrom | nodes.RaiseComputedFrom) -> None:
    cause = run.types[op.cause]
    if isinstance(cause, types.Optional):
        cause = cause.inner
    if cause not in (types.none, types.caught_exception):
        raise UnsupportedTypeError(
            f"a cause of type {cause} is not supported in compiled code",
            op.loc,
            "write `from None`, or `from e` with the exception of `except ... as e`",
        )
