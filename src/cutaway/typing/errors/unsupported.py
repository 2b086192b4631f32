"""Refuses ops that have no types: on Python objects, exceptions and generators.

The interpreter runs them, and every level before typing represents them.  Here they are refused, in
terms of the user's source.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType

from cutaway.errors import UnsupportedError
from cutaway.ir import nodes
from cutaway.ir.constants import gives_generators, waits
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import walk
from cutaway.typing.errors.remedies import FORCEOBJ, on_target

Words = tuple[str, str]  # the unsupported construct, and a hint

_WITH = (
    "`with` statements are",
    "put it into a block that runs as Python: with cutaway.objmode(): ...",
)
_COMPREHENSIONS = ("such comprehensions are", f"use a loop; otherwise {FORCEOBJ}")
_COROUTINES = ("coroutines are", "write def in the place of async def")
_IMPORTS = ("imports are", "import the module outside the function")
_OUTER: Mapping[str, Words] = {
    "global": ("assignments to globals are", "return the new value instead"),
    "nonlocal": (
        "assigning to a variable of the enclosing function is",
        "return the new value instead",
    ),
}
_EXTENDED: Mapping[str, Words] = {
    "dict_merge": ("calls with **kwargs are", "name each argument"),
}
_PATTERNS: Mapping[str, Words] = {
    "sequence": ("`match` on sequences is", "use if and elif"),
    "mapping": ("`match` on mappings is", "use if and elif"),
}

_REFUSED: Mapping[type[Op], Words] = {
    nodes.RaiseCurrent: ("`raise` without an exception is", ""),
    nodes.Enter: _WITH,
    nodes.CallSpread: (
        "calls with both *args and keywords are",
        "write out the arguments",
    ),
    nodes.MatchKeys: _PATTERNS["mapping"],
    nodes.MatchClass: ("`match` on classes is", "use if and elif"),
    nodes.Import: _IMPORTS,
    nodes.ImportFrom: _IMPORTS,
}


def refuse_all(fn: Function, runs_python: bool) -> None:
    """Raise UnsupportedError, with its source location, for the first op without types in a
    function with handlers."""
    for block in fn.blocks.values():
        for op in block.ops:
            if not isinstance(op, _OF_CONTAINERS):  # whose types say whether they are refused
                refuse(op, fn, runs_python)


_OF_CONTAINERS = (nodes.BuildSet, nodes.BuildDict, nodes.Extend, nodes.DelItem)


def refuse(op: Op, fn: Function, runs_python: bool) -> None:
    """Raise UnsupportedError if an op of a function has no types.

    `runs_python`: the function's target supports object mode, so hints may suggest it.
    """
    words = _words_for(op)
    if words is not None:
        op = _meant(op, fn)
        what, hint = _words_for(op) or words
        message = f"{what} not supported in compiled code"
        raise UnsupportedError(message, op.loc, on_target(hint, runs_python))


def _meant(op: Op, fn: Function) -> Op:
    """Return the op to report: the assignment of an outer variable."""
    for other in walk(fn):
        match op, other:
            case nodes.ReadOuter(name=name), nodes.WriteOuter(name=same) if name == same:
                return other
    return op


def _words_for(op: Op) -> Words | None:
    match op:
        case nodes.MakeFunction(code=code):
            return _of_code(code)
        case nodes.Extend(how=how):
            return _EXTENDED.get(how)
        case nodes.IsPattern(kind=kind):
            return _PATTERNS[kind]
        case nodes.ReadOuter(scope=scope) | nodes.WriteOuter(scope=scope):
            return _OUTER[scope]
        case nodes.DeleteOuter(scope=scope):
            return ("deleting globals is", "") if scope == "global" else _OUTER[scope]
        case nodes.Global(name="__build_class__"):
            return "classes are", "define the class outside the function"
    return _REFUSED.get(type(op))


def _of_code(code: CodeType) -> Words | None:
    if gives_generators(code):
        return None
    if waits(code):
        return _COROUTINES
    plain = code.co_name in ("<lambda>", "<listcomp>") or not code.co_name.startswith("<")
    return None if plain else _COMPREHENSIONS
