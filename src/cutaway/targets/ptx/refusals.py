"""Constructs that a GPU does not support, for users, and those that need an attempt."""

from __future__ import annotations

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.patterns import Pattern

NAME = r'(?:"[^"]*"|[-\w.$]+)'  # of a function, a variable or a value in LLVM
QUOTED = Pattern(r'"[^"\n]*"')


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something in a module that a GPU does not support: its description, a hint, the line of the
    text, and for a missing function its name.

    Without words it is `unknown`: no table contains it.
    """

    words: str
    hint: str = ""
    line: str = ""
    function: str = ""


def unknown(line: str) -> Refusal:
    """Return a refusal for something that only an attempt can decide."""
    return Refusal("", line=line)


def lacking(what: str, since: int, capability: int) -> Refusal:
    return Refusal(
        f"{what} needs a GPU of compute capability {_shown(since)}, and this is code for"
        f" {_shown(capability)}",
        f"compile with cc={divmod(since, 10)}, or do without it",
    )


def _shown(capability: int) -> str:
    return "{}.{}".format(*divmod(capability, 10))


# --- sizes --------------------------------------------------------------------------------------

_ARRAY = Pattern(r"\[(\d+) x (.*)\]$")
_SIZES = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "ptr": 8}


def size_of(kind: str) -> int:
    """Return the bytes of a type; 0 if they are unknown."""
    array = _ARRAY.match(kind)
    if array is not None:
        return int(array[1]) * size_of(array[2])
    if kind[:1] == "i" and kind[1:].isdecimal():
        return (int(kind[1:]) + 7) // 8
    return _SIZES.get(kind, 0)
