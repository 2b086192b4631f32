"""The operands and steps of element-wise ops, and their texts in formulas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cutaway.ir import nodes
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import uses
from cutaway.typing.inference.resolutions import Chosen
from cutaway.typing.types import Type
from cutaway.typing.ufuncs import element_loop


def operands_of(
    op: Op, resolved: Chosen, places: Sequence[int], makers: Mapping[str, Op]
) -> tuple[str, ...] | None:
    """Return the operands at these positions of an op's signature; None where one is not a
    variable. `makers` are the ops that define variables."""
    if isinstance(op, nodes.Call):
        if op.star is not None:
            return None
        names = op.args
        if resolved.owner is not None:
            taken = makers.get(op.func)
            if not isinstance(taken, nodes.GetAttr):
                return None
            names = (taken.value, *names)
    else:
        names = uses(op)
    layout = [resolved.resolution.layout[index] for index in places]
    if any(index is None for index in layout):
        return None
    return tuple(names[index] for index in layout if index is not None)


def element_of_body(
    fn: Function, table: dict[str, Type], function: str, args: tuple[str, ...], op: Op
) -> nodes.Element:
    """Make a step of the body for an op, in `fn`, with its type in the table."""
    loop = element_loop(function, tuple(table[arg] for arg in args))
    assert loop is not None
    result = fn.fresh("e")
    table[result] = loop.outputs[0]
    return nodes.Element(result, function, args, loc=op.loc, id=fn.new_id())


def stem_of(name: str) -> str:
    """Return the stem for the name of an array's element: the array's own name, or "x"."""
    return "x" if is_temporary(name) else user_name(name)


def texts_of(makers: Mapping[str, Op], names: Iterable[str]) -> list[str]:
    """Return the texts of variables in a formula: the user's names, constants, slices of arrays.
    `makers` are the ops that define variables."""
    return [_text(name, makers) for name in names]


def _text(name: str, makers: Mapping[str, Op]) -> str:
    if not is_temporary(name):
        return user_name(name)
    match makers.get(name):
        case nodes.Const(_, value):
            return repr(value)
        case nodes.StaticGetItem(_, value, index):
            return f"{_text(value, makers)}[{_index(index)}]"
        case nodes.ArrayReduce() as reduction:
            return reduction.formula
        case nodes.ArrayExpr(expr=expr):
            return f"({expr})"
        case nodes.GetAttr(_, value, attr):
            return f"{_text(value, makers)}.{attr}"
    return name


def _index(index: object) -> str:
    if isinstance(index, tuple):
        return ", ".join(map(_index, index))
    if index is ...:
        return "..."
    if not isinstance(index, slice):
        return repr(index)
    start, stop, step = ("" if x is None else str(x) for x in (index.start, index.stop, index.step))
    return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"
