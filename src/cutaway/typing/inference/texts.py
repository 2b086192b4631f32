"""The typing constraints of f-strings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.errors import UnsupportedTypeError
from cutaway.ir import nodes
from cutaway.typing import types
from cutaway.typing.overloads.resolution import MISSING
from cutaway.typing.types import Type
from cutaway.typing.types.texts import may_change

if TYPE_CHECKING:
    from cutaway.typing.inference.solver import Inference


def formatted(run: Inference, op: nodes.FormatValue) -> Type:
    """Return the type of a value that is part of an f-string."""
    spec = "" if op.spec is None else run.constants.get(op.spec, MISSING)
    if not isinstance(spec, str):
        raise UnsupportedTypeError(
            "a computed format is not supported in compiled code",
            op.loc,
            "write the format as a constant",
        )
    ty = run.types[op.value]
    if isinstance(ty, types.Text):
        if spec or op.conversion not in ("", "s"):
            raise UnsupportedTypeError(
                "a format of an f-string is not supported in compiled code", op.loc
            )
        return ty
    if not ty.can_be_printed:
        message = f"a value of type {ty} in an f-string"
        raise UnsupportedTypeError(
            f"{message} is not supported in compiled code",
            op.loc,
            "use numbers, strings or tuples",
        )
    if may_change(ty):
        run.ask(op)
    return types.Text(((op.conversion, spec),), (ty,))


def joined(run: Inference, op: nodes.BuildString) -> Type:
    """Return the type of an f-string."""
    pieces: list[str | tuple[str, str]] = []
    items: list[Type] = []
    for name in op.pieces:
        match run.types[name]:
            case types.String(value=value):
                pieces.append(value)
            case types.Text() as text:
                pieces += text.pieces
                items += text.items
    return types.Text(tuple(pieces), tuple(items))
