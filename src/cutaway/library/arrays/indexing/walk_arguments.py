"""The arguments of `np.nditer`: its flags, its order, and the access of each operand."""

from __future__ import annotations

from typing import NamedTuple

from cutaway.errors import TypingError
from cutaway.library.arrays.kit.typers import left_out
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments
from cutaway.typing.types import String, Tuple, Type

INDICES = ("multi_index", "c_index", "f_index")
_FLAGS = (*INDICES, "external_loop", "zerosize_ok", "reduce_ok", "refs_ok", "delay_bufalloc")
_WAYS = ("readonly", "readwrite", "writeonly")
_LATER = ("op_dtypes", "casting", "op_axes", "itershape", "buffersize")


class Wanted(NamedTuple):
    """The parsed arguments of a call: the flags, the access of each operand, and the order."""

    flags: tuple[str, ...]
    ways: tuple[str, ...]
    order: str


def words(ty: Type, what: str) -> tuple[str, ...]:
    """The texts of a list or tuple of constants."""
    if left_out(ty):
        return ()
    items = ty.items if isinstance(ty, Tuple) else ()
    if not isinstance(ty, Tuple) or not all(isinstance(item, String) for item in items):
        raise TypingError(f"the {what} of np.nditer must be known when compiling")
    return tuple(str(item.value) for item in items)


def _ways(ty: Type, count: int) -> tuple[str, ...]:
    """The access of each operand; a single flag applies to all."""
    if left_out(ty):
        return ("readonly",) * count
    each = ty.items if isinstance(ty, Tuple) else ()
    nested = bool(each) and all(isinstance(one, Tuple) for one in each)
    if nested and len(each) != count:
        raise TypingError("op_flags must be a tuple or array of per-op flag-tuples")
    given = [words(one, "op_flags") for one in (each if nested else (ty,) * count)]
    for own in given:
        for word in own:
            if word not in _WAYS:
                raise TypingError(
                    f"the op_flag {word!r} of np.nditer is not compiled", hint=_one_of(_WAYS)
                )
        if len(own) != 1:
            some = "Only one" if own else "None"
            raise TypingError(f"{some} of the flags {', '.join(_WAYS)} can be given for an operand")
    return tuple(own[0] for own in given)


def _one_of(words: tuple[str, ...]) -> str:
    return f"one of {', '.join(words)}"


def _flags(ty: Type) -> tuple[str, ...]:
    flags = words(ty, "flags")
    for flag in flags:
        if flag not in _FLAGS:
            raise TypingError(
                f"the flag {flag!r} of np.nditer is not compiled", hint=_one_of(_FLAGS)
            )
    if "external_loop" in flags and any(index in flags for index in INDICES):
        raise TypingError(
            "Iterator flag EXTERNAL_LOOP cannot be used if an index or multi-index is being tracked"
        )
    if "c_index" in flags and "f_index" in flags:
        raise TypingError("Iterator flags C_INDEX and F_INDEX cannot both be specified")
    return flags


def wanted(arguments: Arguments, count: int) -> Wanted:
    """The arguments for `count` operands. Raises TypingError for those that are not compiled."""
    for name, ty in zip(_LATER, (arguments.types[3], *arguments.types[5:]), strict=True):
        if not left_out(ty) and not isinstance(ty, types.Omitted):
            raise TypingError(f"{name}= of np.nditer is not compiled", hint="leave it out")
    order = arguments.types[4]
    word = order.value if isinstance(order, String | types.Omitted) else None
    if word not in ("C", "F", "K"):
        raise TypingError("the order of np.nditer must be 'C', 'F' or 'K', known when compiling")
    return Wanted(_flags(arguments.types[1]), _ways(arguments.types[2], count), word)
