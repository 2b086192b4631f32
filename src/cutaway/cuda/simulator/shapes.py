"""The shapes of arrays that a kernel makes, which are constants of its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.ir import nodes

if TYPE_CHECKING:
    from cutaway.cuda.simulator.writing import FunctionWriter


def shape_of(w: FunctionWriter, op: nodes.Call) -> tuple[int, ...]:
    """Return the sizes in a call of `shared.array` or `local.array`; 0 if the launch sets them."""
    arguments = dict(zip(("shape", "dtype"), op.args, strict=False))
    first = len(op.args) - len(op.keywords)
    arguments.update(zip(op.keywords, op.args[first:], strict=True))
    shape = w.constants.get(arguments["shape"])
    if shape is None:
        shape = getattr(w.types[arguments["shape"]], "literal_value", None)
    sizes = shape if isinstance(shape, tuple | list) else (shape,)
    return tuple(map(int, sizes))
