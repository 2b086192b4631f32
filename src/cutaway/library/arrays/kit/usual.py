"""Arguments that have one usual value here: devices, and arrays to be like."""

from __future__ import annotations

from typing import Any

from cutaway.errors import TypingError
from cutaway.library.arrays.kit.typers import left_out
from cutaway.typing.overloads.resolution import MISSING


def require_usual(device: Any, like: Any) -> None:
    """Raise TypingError for another device, and for an array to be like that is not NumPy's."""
    name = getattr(device, "value", device)
    if name not in (None, "cpu", MISSING) and not left_out(device):
        raise TypingError(f"there is no device {name!r} here", hint="leave out `device`")
    if not left_out(like):
        raise TypingError(
            "`like` is for arrays of other libraries, which are not compiled", hint="leave it out"
        )
