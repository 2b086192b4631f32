"""Types as text, the same text for the same type in every process."""

from __future__ import annotations

import pickle
from types import BuiltinFunctionType

import numpy as np

from cutaway.caching.argument_names import DEEPEST, NUMBERS, OMITTED, array_name, joined
from cutaway.caching.digests import digest
from cutaway.caching.identity import UnstableError
from cutaway.typing import types
from cutaway.typing.types import Array, Omitted, Range, Type

_NUMBERS = frozenset(NUMBERS.values())
# Constants that pickle by value, or by their names.
_NAMED = (str, bytes, type, BuiltinFunctionType, np.ufunc, np.dtype, type(np.sum))


def names_of_types(argtypes: tuple[Type, ...]) -> str:
    """The types of arguments: as `names_of_values` names them where it can.

    Raises UnstableError for a type that means something in this process alone.
    """
    return joined([_name(ty, 0) for ty in argtypes])


def _name(ty: Type, depth: int) -> str:
    if isinstance(ty, Omitted):
        return OMITTED
    if ty.name in _NUMBERS or ty is types.none:
        return ty.name
    if ty is types.str_type:
        return "str"
    if isinstance(ty, Range) and ty.step is None:
        return "range"
    if type(ty) is Array and ty.dtype.name in _NUMBERS:
        return array_name(ty.dtype.name, ty.ndim, ty.layout, ty.readonly, ty.aligned)
    if isinstance(ty, types.AnonymousTuple) and depth < DEEPEST:
        return joined([_name(item, depth + 1) for item in ty.items])
    if isinstance(ty, types.Closure) or (
        isinstance(ty, types.Constant) and not isinstance(ty.value, _NAMED)
    ):
        raise UnstableError(f"an argument is {ty}, which another process cannot know again")
    return f"{ty.name}/{digest(pickled(ty, f'the type {ty}'))}"


def pickled(value: object, what: str) -> bytes:
    """A pickle.

    Raises UnstableError where there is none.
    """
    try:
        return pickle.dumps(value, protocol=4)
    except (pickle.PicklingError, AttributeError, TypeError, ValueError) as error:
        raise UnstableError(f"{what} cannot be pickled: {error}") from None
