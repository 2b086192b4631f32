"""Refuses calls that ask for the frame of Python's that calls them: compiled code has none.

What they would find is the frame of the function's caller, and so a wrong answer.
"""

from __future__ import annotations

import builtins

from cutaway.errors import UnsupportedError
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.traversal import walk

# Builtins that look at the frame, with the least number of arguments with which they do not.
_LOOK = {
    "super": (1, "write super(Class, self)"),
    "locals": (1, "name the variables"),
    "globals": (1, "write sys.modules[__name__].__dict__"),
    "vars": (1, "pass the object"),
    "dir": (1, "pass the object"),
    "eval": (2, "pass the namespaces, as dictionaries"),
    "exec": (2, "pass the namespaces, as dictionaries"),
}


def refuse(fn: Function) -> None:
    """Raise UnsupportedError at the first such call."""
    read = {
        op.result: op.name
        for op in walk(fn)
        if isinstance(op, nodes.ReadOuter | nodes.Global) and op.name in _LOOK
    }
    for op in walk(fn):
        if isinstance(op, nodes.Call) and op.star is None and op.func in read:
            name = read[op.func]
            least, hint = _LOOK[name]
            known = fn.namespace.get(name, getattr(builtins, name))
            if known is getattr(builtins, name) and len(op.args) < least:
                raise UnsupportedError(
                    f"`{name}` looks at the frame that calls it, which compiled code does not have",
                    op.loc,
                    hint,
                )
