"""Constants of calls: a callee is compiled for those that decide its branches.

total(a, True)    # compiled for array(float64, 1d, C), Literal[bool](True): one side of an `if`
"""

from __future__ import annotations

from types import CodeType
from weakref import WeakKeyDictionary

from cutaway.compiling import sessions
from cutaway.compiling.sessions import Compilable
from cutaway.errors import CompileError
from cutaway.foundation.source import is_ours
from cutaway.frontend.build import build_function
from cutaway.ir.deciding import deciding
from cutaway.typing.inference.literals import literal
from cutaway.typing.inference.statics import by_value
from cutaway.typing.overloads.resolution import Call
from cutaway.typing.types import Type

_DECIDING: WeakKeyDictionary[CodeType, frozenset[int]] = WeakKeyDictionary()


def deciding_types(
    function: Compilable, argtypes: tuple[Type, ...], call: Call
) -> tuple[Type, ...]:
    """The types for which a call has a function compiled: literal ones for bools that are constants
    of the call and decide a branch.

    Numbers stay as they are: by the rules of arithmetic a constant takes the type of what it meets,
    and a function computes the same whatever its caller knows.
    """
    constants = call.arguments.constants
    if function.declared or not any(type(one) in (bool, int) for one in constants):
        return argtypes
    ours, asked = is_ours(function.py_func), by_value(function.py_func)
    nested = sessions.required().nested
    if not ours and any(unit.pyfunc is function.py_func for unit in nested):
        return argtypes  # a user's recursive function is not compiled for each of its steps
    layout = function.parameters.lay_out(call)
    own = list(argtypes)
    for index, where in enumerate(layout or ()):
        value = constants[where] if isinstance(where, int) else None
        if type(value) is bool:
            if index in asked or ours or index in _deciding(function):
                own[index] = literal(value)
        elif type(value) is int and index in asked:
            own[index] = literal(value)
    return tuple(own)


def _deciding(function: Compilable) -> frozenset[int]:
    """The indices of the parameters whose values decide branches."""
    code = function.py_func.__code__
    if code not in _DECIDING:
        try:
            _DECIDING[code] = deciding(build_function(function.py_func))
        except CompileError:  # which its compilation raises, with all that is to be said
            _DECIDING[code] = frozenset()
    return _DECIDING[code]
