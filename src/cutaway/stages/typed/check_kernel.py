"""Refuse what a GPU's thread cannot do (stage 4).

    yield x    ->    UnsupportedError: a kernel cannot wait in a generator

Constructs that the IR does not show, such as a function that allocates memory, are refused by
`check_selection`.
"""

from __future__ import annotations

from cutaway.errors import UnsupportedError
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.reaches import has_handlers
from cutaway.ir.traversal import walk
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.types import Type
from cutaway.typing.types.opaque import RandomSource

_REFUSED: dict[type[Op], tuple[str, str]] = {
    nodes.Suspend: (
        "code for a GPU cannot wait in a generator",
        "use the generator in one loop, or compute its values in place",
    ),
    nodes.RunObjects: ("code for a GPU cannot run a block as Python", "run it before the launch"),
    nodes.Enter: ("`with` is not supported in code for a GPU", "open it before the launch"),
}


def run(unit: CompileUnit) -> None:
    """Check every op.

    Raises UnsupportedError for the first one that a GPU has no way to run.
    """
    for op in walk(unit.fn):
        refused = _REFUSED.get(type(op))
        if refused is not None:
            raise UnsupportedError(refused[0], op.loc, refused[1])
    if has_handlers(unit.fn):
        caught = next((op for op in walk(unit.fn) if isinstance(op, nodes.Caught)), None)
        raise UnsupportedError(
            "code for a GPU cannot catch exceptions",
            None if caught is None else caught.loc,
            "test for the case with `if`; an exception that leaves a kernel is raised after it",
        )
    for op in walk(unit.fn):
        if isinstance(op, nodes.Arg):
            _check_argument(op, unit.types[op.result])
        elif isinstance(op, nodes.Return) and unit.target.launched:
            _check_returned(op, unit)


def _check_returned(op: nodes.Return, unit: CompileUnit) -> None:
    if unit.return_type.is_none is not True and unit.types[op.value].is_none is not True:
        raise UnsupportedError(
            f"a kernel returns nothing, and {unit.name} returns {unit.return_type}",
            op.loc,
            "write results into an array, or make it a device function: @cuda.jit(device=True)",
        )


def _check_argument(op: nodes.Arg, ty: Type) -> None:
    message, hint = "", ""
    if isinstance(ty, RandomSource):
        message = "code for a GPU cannot draw from the host's random numbers"
        hint = "give each thread a generator: cuda.random.create_xoroshiro128p_states"
    elif isinstance(ty, types.Opaque):
        message = f"`{op.name}` is an object of Python's, which a GPU cannot read"
        hint = "pass numbers, tuples, records or arrays"
    elif ty is types.str_type:
        message = f"`{op.name}` is a text, which a GPU cannot read"
        hint = "pass a number that stands for it, or its bytes as an array"
    if message:
        raise UnsupportedError(message, op.loc, hint)
