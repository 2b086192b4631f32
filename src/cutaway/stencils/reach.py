"""The neighborhood of a kernel: its constant relative indices.

    0.5 * (a[-1, 0] + a[0, 2])          ((-1, 0), (0, 2))

They are read off the kernel's IR, before types are known, with constants folded.
"""

from __future__ import annotations

from types import EllipsisType
from typing import TYPE_CHECKING, Any

from cutaway.compiling import compiler, sessions
from cutaway.dispatch.resolution import returned_type
from cutaway.errors import TypingError
from cutaway.foundation.source import Loc, line_of
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, uses, walk
from cutaway.stages import pipelines
from cutaway.stages.unit import CompileUnit
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call

if TYPE_CHECKING:
    from cutaway.foundation.stencil_functions import Neighborhood
    from cutaway.typing.types import Type

_WHOLE = ("shape", "ndim", "size")  # attributes that are not about neighbors
_NEEDED = "neighborhood=((-1, 1),) says that the indices are from -1 to 1, one pair for each axis"


def neighborhood_of(kernel: Any, relative: tuple[str, ...], ndim: int) -> Neighborhood:
    """Return the lowest and highest index of each axis, 0 among them.

    Raises TypingError where an index is not constant, or not one for each axis, and where nothing
    is indexed.
    """
    unit = CompileUnit(kernel.py_func, None, kernel.half.flags, compiler.SERVICES, "kernel")
    fn = compiler.compile_unit(unit, pipelines.untyped).fn
    known = _definitions(fn)
    found = [_indices(op, known, ndim) for op in walk(fn) if _is_access(op, known, relative)]
    if not found:
        raise TypingError(
            f"the kernel {kernel.py_func.__name__} reads no element of {' or '.join(relative)}",
            hint="read elements by relative indices, as a[0] or a[-1, 1]; or give neighborhood=",
        )
    columns = zip(*found, strict=True)
    return tuple((min(0, *column), max(0, *column)) for column in columns)


def result_type(kernel: Any, argtypes: tuple[Type, ...]) -> Type | None:
    """Return a kernel's result type for arguments of these types; None for a recursive kernel whose
    type is not known yet.

    Raises CompileError where it cannot be compiled.
    """
    session = sessions.current()
    if session is None or not session.nested:
        return returned_type(kernel.half, argtypes)
    # In the session of the function that calls the stencil, which tracks the nesting depth.
    call = Call(Arguments(argtypes, (MISSING,) * len(argtypes)))
    code = kernel.py_func.__code__
    loc = line_of(code.co_filename, code.co_firstlineno)
    return compiler.SERVICES.return_type(kernel, call, loc)


def _definitions(fn: Function) -> dict[str, Op]:
    return {name: op for op in walk(fn) for name in definitions(op)}


def _is_access(op: Op, known: dict[str, Op], relative: tuple[str, ...]) -> bool:
    """True for an op that reads an element of an array that is indexed relatively.

    Raises TypingError for one that does something else with such an array.
    """
    arrays = [name for name in uses(op) if _parameter(name, known) in relative]
    match op:
        case _ if not arrays:
            return False
        case nodes.StaticGetItem() | nodes.GetItem():
            return True
        case nodes.GetAttr(_, _, attr) if attr in _WHOLE:
            return False
        case nodes.SetItem() | nodes.StaticSetItem():
            return False  # reported later by an error of its own
        case nodes.Call(_, function) if _is_len(known.get(function)):
            return False
        case nodes.Del() | nodes.Copy():
            return False
    raise _unknown(
        f"which elements of {_parameter(arrays[0], known)} are read here does not show",
        op.loc,
    )


def _parameter(name: str, known: dict[str, Op]) -> str:
    """Return the parameter that a variable holds; empty for any other."""
    op = known.get(name)
    while isinstance(op, nodes.Copy):
        op = known.get(op.value)
    return op.name if isinstance(op, nodes.Arg) else ""


def _is_len(op: Op | None) -> bool:
    return isinstance(op, nodes.Global) and op.value is len


def _literal(op: Op | None) -> Any:
    return op.value if isinstance(op, nodes.Const) else None


def _indices(op: Op, known: dict[str, Op], ndim: int) -> tuple[int, ...]:
    # An index that is constant, however it is computed, is part of the op by now.
    value = op.index if isinstance(op, nodes.StaticGetItem) else _literal(known.get(op.index))  # type: ignore[attr-defined]
    indices = value if isinstance(value, tuple) else (value,)
    wrong = [index for index in indices if not isinstance(index, int) or isinstance(index, bool)]
    if wrong and isinstance(wrong[0], bool | float | complex | str | EllipsisType):
        raise TypingError(
            f"a relatively indexed array cannot be indexed by {wrong[0]!r}",
            op.loc,
            "use integers: a[-1] is the element before the one that is computed",
        )
    if wrong:
        raise _unknown("an index of a relatively indexed array is no constant", op.loc)
    if len(indices) != ndim:
        raise TypingError(
            f"a relatively indexed array of {ndim} dimension{'' if ndim == 1 else 's'} is indexed"
            f" by {len(indices)} {'index' if len(indices) == 1 else 'indices'}",
            op.loc,
            "a kernel names one index for each dimension: a[0, -1] in two",
        )
    return indices


def _unknown(message: str, loc: Loc) -> TypingError:
    return TypingError(f"{message}: the neighborhood has to be given", loc, _NEEDED)
