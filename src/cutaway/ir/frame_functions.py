"""Builtins that look at the frame that calls them: compiled code, and the interpreter, have none.

What they would find is the frame of the function's caller, and so a wrong answer.
"""

from __future__ import annotations

import builtins
from typing import Any

from cutaway.errors import UnsupportedError
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.traversal import walk

# Each with the least number of arguments with which it looks at no frame; 0 if it always does.
LEAST = {"super": 1, "locals": 0, "globals": 0, "vars": 1, "dir": 1, "eval": 2, "exec": 2}
HINTS = {
    "super": "write super(Class, self)",
    "locals": "name the variables",
    "globals": "write globals(), by its name",
    "vars": "pass the object",
    "dir": "pass the object",
    "eval": "pass the namespaces, as dictionaries",
    "exec": "pass the namespaces, as dictionaries",
}
FUNCTIONS = {name: getattr(builtins, name) for name in LEAST}


def looks(name: str, given: int, space: object = ...) -> bool:
    """True if a call of one of them, with so many arguments, looks at the frame; `space` is the
    second argument, whichever way it is passed."""
    if name in ("eval", "exec"):
        return given < LEAST[name] or space is None
    return given < LEAST[name] or (not LEAST[name] and not given)


def refusal(name: str) -> UnsupportedError:
    """What is said of such a call."""
    return UnsupportedError(
        f"`{name}` looks at the frame that calls it, which compiled code does not have",
        hint=HINTS[name],
    )


def check(function: object, args: tuple[Any, ...], named: dict[str, Any] | None = None) -> None:
    """Raise UnsupportedError for a call of one of them that looks at the frame.

    The runtime asks this, for calls whose callee only shows when the program runs.
    """
    for name, known in FUNCTIONS.items():
        if function is known:
            space = args[1] if len(args) > 1 else (named or {}).get("globals", ...)
            if looks(name, len(args) + len(named or ()), space):
                raise refusal(name)


def by_name(fn: Function) -> dict[str, str]:
    """The variables of a function of objects that one of them is read into, and which."""
    found: dict[str, str] = {}
    modules: set[str] = set()
    for op in walk(fn):
        match op:
            case nodes.ReadOuter(result, "global", name) | nodes.Global(result, name):
                if fn.namespace.get(name, FUNCTIONS.get(name)) is FUNCTIONS.get(name, ...):
                    found[result] = name
                if fn.namespace.get(name) is builtins:
                    modules.add(result)
            case nodes.GetAttr(result, value, name) if value in modules and name in FUNCTIONS:
                found[result] = name
    return found


def own_globals(fn: Function) -> frozenset[str]:
    """The results of `globals()`, called by its name: these are what the function knows."""
    read = by_name(fn)
    names = {op.result for op in walk(fn) if isinstance(op, nodes.ReadOuter | nodes.Global)}
    own = {name for name in names if read.get(name) == "globals"}
    calls = (op for op in walk(fn) if isinstance(op, nodes.Call) and op.func in own)
    return frozenset(op.result for op in calls if not op.args and op.star is None)
