"""Refuse calls that read the frame of their Python caller: compiled code has none.

Most callees are visible here; for others the runtime checks (ir/frame_functions.py).  `globals()`
by name returns the function's own namespace, and needs no frame.
"""

from __future__ import annotations

from cutaway.errors import UnsupportedError
from cutaway.ir import nodes
from cutaway.ir.frame_functions import HINTS, by_name, looks, own_globals, refusal
from cutaway.ir.function import Function
from cutaway.ir.traversal import walk

# Functions that read the frame, which others may call for us.
_CALLED_BY_OTHERS = frozenset({"eval", "exec", "locals", "globals"})


def refuse(fn: Function) -> None:
    """Raise UnsupportedError at the first such call, or where another function is to make it."""
    read = by_name(fn)
    if not read:
        return
    held, answered = _held(fn, read), own_globals(fn)
    nothing = {op.result for op in walk(fn) if isinstance(op, nodes.Const) and op.value is None}
    for op in walk(fn):
        if not isinstance(op, nodes.Call):
            continue
        if op.star is None and op.func in read and op.result not in answered:
            _check_call(op, read[op.func], nothing)
        for name in op.args:
            if held.get(name) in _CALLED_BY_OTHERS:
                raise _passed_on(op, held[name])


def _check_call(op: nodes.Call, name: str, nothing: set[str]) -> None:
    is_nothing = len(op.args) > 1 and op.args[1] in nothing
    if looks(name, len(op.args), None if is_nothing else ...):
        error = refusal(name)
        error.seen_at(op.loc)
        raise error


def _passed_on(op: nodes.Call, name: str) -> UnsupportedError:
    hint = HINTS[name]
    if name in ("eval", "exec"):
        hint = f"pass what calls it with its namespace, as a dictionary: lambda s: {name}(s, space)"
    return UnsupportedError(
        f"`{name}` is passed on, and looks at the frame that calls it, which compiled code does not"
        " have",
        op.loc,
        hint,
    )


def _held(fn: Function, read: dict[str, str]) -> dict[str, str]:
    """Return the variables that may hold one of the builtins, and which."""
    held, copies = dict(read), [op for op in walk(fn) if isinstance(op, nodes.Copy)]
    while more := {
        op.result: held[op.value] for op in copies if op.value in held and op.result not in held
    }:
        held.update(more)
    return held
