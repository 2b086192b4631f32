"""Errors about arrays, with sizes and numbers in their texts."""

from __future__ import annotations

from cutaway.lowering.build.builder import FIRST_COLD
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing.types import Text


def raise_text(
    build: FunctionBuilder,
    cond: str,
    exception: type[BaseException],
    message: str,
    values: list[Value],
) -> None:
    """Raise if an i1 is true, with a message that contains `{}` for each of the values."""
    bad, good = build.new_label("raise"), build.new_label("ok")
    build.branch(cond, bad, good, FIRST_COLD)
    build.start(bad)
    pieces: list[str | tuple[str, str]] = []
    for piece in message.split("{}"):
        pieces += [piece, ("", "")]
    args = tuple(value.ty for value in values)
    text = Text(tuple(piece for piece in pieces[:-1] if piece), args)
    build.raise_values(exception, [Value(text, tuple(p for v in values for p in v.parts))])
    build.start(good)


def shape_format(ndim: int, comma: str = ",") -> str:
    """Return the format of a shape in a message."""
    return "({},)" if ndim == 1 else f"({comma.join(['{}'] * ndim)})"
