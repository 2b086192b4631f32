"""Builtins that inspect the frame of their caller: compiled code, and the interpreter, have none.

They would inspect the frame of the function's caller, and return a wrong answer.
"""

from __future__ import annotations

import builtins
from typing import Any

from cutaway.errors import UnsupportedError
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.traversal import walk

# Each with the least number of arguments with which it ignores the frame; 0 if it never does.
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
    """True if a call of one of them with `given` arguments inspects the frame; `space` is the
    second argument, by position or by name."""
    if name in ("eval", "exec"):
        return given < LEAST[name] or space is None
    return given < LEAST[name] or (not LEAST[name] and not given)


def refusal(name: str) -> UnsupportedError:
    """Return the error for such a call."""
    return UnsupportedError(
        f"`{name}` looks at the frame that calls it, which compiled code does not have",
        hint=HINTS[name],
    )


def check(function: object, args: tuple[Any, ...], named: dict[str, Any] | None = None) -> None:
    """Raise UnsupportedError for a call of one of them that inspects the frame.

    The runtime calls this, for callees that are only known at run time.
    """
    for name, builtin in FUNCTIONS.items():
        if function is builtin:
            space = args[1] if len(args) > 1 else (named or {}).get("globals", ...)
            if looks(name, len(args) + len(named or ()), space):
                raise refusal(name)


def by_name(fn: Function) -> dict[str, str]:
    """Return the variables of an object-mode function that hold one of them, with its name."""
    names_by_variable: dict[str, str] = {}
    modules: set[str] = set()
    for op in walk(fn):
        match op:
            case nodes.ReadOuter(result, "global", name) | nodes.Global(result, name):
                if fn.namespace.get(name, FUNCTIONS.get(name)) is FUNCTIONS.get(name, ...):
                    names_by_variable[result] = name
                if fn.namespace.get(name) is builtins:
                    modules.add(result)
            case nodes.GetAttr(result, value, name) if value in modules and name in FUNCTIONS:
                names_by_variable[result] = name
    return names_by_variable


def own_globals(fn: Function) -> frozenset[str]:
    """Return the results of `globals()`, called by its name: the function's own globals."""
    read = by_name(fn)
    names = {op.result for op in walk(fn) if isinstance(op, nodes.ReadOuter | nodes.Global)}
    own = {name for name in names if read.get(name) == "globals"}
    calls = (op for op in walk(fn) if isinstance(op, nodes.Call) and op.func in own)
    return frozenset(op.result for op in calls if not op.args and op.star is None)
