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

MOST_KNOWN = 8  # of the integers for which one function is compiled, its other arguments alike

_DECIDING: WeakKeyDictionary[CodeType, frozenset[int]] = WeakKeyDictionary()
_KNOWN: WeakKeyDictionary[CodeType, dict[tuple[Type, ...], set[tuple[Type, ...]]]]
_KNOWN = WeakKeyDictionary()


def deciding_types(
    function: Compilable, argtypes: tuple[Type, ...], call: Call
) -> tuple[Type, ...]:
    """The types for which a call has a function compiled: literal ones for bools that are constants
    of the call and decide a branch, known ones for such integers.

    A known integer decides branches and is no constant: that would take the type of what it meets
    in arithmetic, and a function computes the same whatever its caller knows.  Functions of the
    library take bools by value, and integers where a parameter says so (`extending/bodies.py`).
    """
    facts = tuple(map(call.fact, range(len(call.arguments))))
    if function.declared or not any(type(one) in (bool, int) for one in facts):
        return argtypes
    ours, asked = is_ours(function.py_func), by_value(function.py_func)
    nested = sessions.required().nested
    if not ours and any(unit.pyfunc is function.py_func for unit in nested):
        return argtypes  # a user's recursive function is not compiled for each of its steps
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
    """The types with integers that are known, unless a function is compiled for many of them."""
    if own == known:
        return own
    before = _KNOWN.setdefault(code, {}).setdefault(own, set())
    if known not in before and len(before) >= MOST_KNOWN:
        return own
    before.add(known)
    return known


def _deciding(function: Compilable) -> frozenset[int]:
    """The indices of the parameters whose values decide branches, here or in what is called."""
    code = function.py_func.__code__
    if code not in _DECIDING:
        _DECIDING[code] = frozenset()  # what it passes on to itself
        try:
            found = Deciding(build_function(function.py_func))
        except CompileError:  # which its compilation raises, with all that is to be said
            return frozenset()
        indices = set(found.indices)
        for call in found.passed:
            indices.update(_decided_by(call))
        _DECIDING[code] = frozenset(indices)
    return _DECIDING[code]


def _decided_by(call: Passed) -> set[int]:
    """The indices of the parameters that decide branches of what they are passed on to."""
    called: Any = call.function
    if not is_compiled(called) or called.half.declared:
        return set()
    positional = len(call.indices) - len(call.keywords)
    places = called.half.parameters.places(positional, call.keywords) or ()
    deciding = _deciding(called.half)
    given = {place for k, place in enumerate(places) if k in deciding and isinstance(place, int)}
    return {index for place in given if (index := call.indices[place]) is not None}
