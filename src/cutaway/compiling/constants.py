"""Constants of calls: a callee is compiled for those that decide its branches.

total(a, 0, True)  # compiled for array(float64, 1d, C), Known[int](0), Literal[bool](True):
                   # one side of each `if`
"""

from __future__ import annotations

from types import CodeType
from typing import Any
from weakref import WeakKeyDictionary

from cutaway.compiling import sessions
from cutaway.compiling.sessions import Compilable
from cutaway.errors import CompileError
from cutaway.foundation.source import is_ours
from cutaway.frontend.build import build_function
from cutaway.ir.constants import is_compiled
from cutaway.ir.deciding import Deciding, Passed
from cutaway.typing.inference.literals import KnownInteger, literal
from cutaway.typing.inference.statics import by_value
from cutaway.typing.overloads.resolution import Call
from cutaway.typing.types import Type, int64, uint64

MOST_KNOWN = 8  # sets of known integers per function, with its other types equal

_DECIDING: WeakKeyDictionary[CodeType, frozenset[int]] = WeakKeyDictionary()
_KNOWN: WeakKeyDictionary[CodeType, dict[tuple[Type, ...], set[tuple[Type, ...]]]]
_KNOWN = WeakKeyDictionary()


def deciding_types(
    function: Compilable, argtypes: tuple[Type, ...], call: Call
) -> tuple[Type, ...]:
    """Return the argument types to compile a callee for: literal types for constant bools that
    decide a branch, known types for such integers.

    A known integer decides branches but is not a constant: that would take the type of the other
    operand in arithmetic, and results must not depend on the caller's knowledge.  Library functions
    take bools by value, and integers where a parameter says so (`extending/bodies.py`).
    """
    facts = tuple(map(call.fact, range(len(call.arguments))))
    if function.declared or not any(type(one) in (bool, int) for one in facts):
        return argtypes
    ours, asked = is_ours(function.py_func), by_value(function.py_func)
    nested = sessions.required().nested
    if not ours and any(unit.pyfunc is function.py_func for unit in nested):
        return argtypes  # a user's recursive function is not specialized for each step
    layout = function.parameters.lay_out(call)
    own, known = list(argtypes), list(argtypes)
    for index, where in enumerate(layout or ()):
        value = facts[where] if isinstance(where, int) else None
        if type(value) not in (bool, int):
            continue
        if index in asked or (ours and type(value) is bool):
            own[index] = known[index] = literal(value)
        elif not ours and index in _deciding(function):
            if type(value) is bool:
                own[index] = known[index] = literal(value)
            elif argtypes[index] in (int64, uint64):
                known[index] = KnownInteger(value)
    return _bounded(function.py_func.__code__, tuple(own), tuple(known))


def _bounded(code: CodeType, own: tuple[Type, ...], known: tuple[Type, ...]) -> tuple[Type, ...]:
    """Return `known`, or `own` where the function is already compiled for many known integers."""
    if own == known:
        return own
    before = _KNOWN.setdefault(code, {}).setdefault(own, set())
    if known not in before and len(before) >= MOST_KNOWN:
        return own
    before.add(known)
    return known


def _deciding(function: Compilable) -> frozenset[int]:
    """Return the indices of parameters whose values decide branches, here or in callees."""
    code = function.py_func.__code__
    if code not in _DECIDING:
        _DECIDING[code] = frozenset()  # ends the recursion for calls of itself
        try:
            found = Deciding(build_function(function.py_func))
        except CompileError:  # its own compilation reports this in full
            return frozenset()
        indices = set(found.indices)
        for call in found.passed:
            indices.update(_decided_by(call))
        _DECIDING[code] = frozenset(indices)
    return _DECIDING[code]


def _decided_by(call: Passed) -> set[int]:
    """Return the indices of parameters that decide branches of the callee they are passed to."""
    called: Any = call.function
    if not is_compiled(called) or called.half.declared:
        return set()
    positional = len(call.indices) - len(call.keywords)
    places = called.half.parameters.places(positional, call.keywords) or ()
    deciding = _deciding(called.half)
    positions = {at for k, at in enumerate(places) if k in deciding and isinstance(at, int)}
    return {index for position in positions if (index := call.indices[position]) is not None}
