"""Values of object mode: any object of Python's."""

from __future__ import annotations

from typing import Any

from cutaway.typing.types import primitives
from cutaway.typing.types.exceptions import ExceptionPart


class PythonObject(ExceptionPart):
    """An object, of which only the program that runs knows more."""

    __slots__ = ()
    passable = True

    def __init__(self) -> None:
        super().__init__("pyobject")

    def crossing(self, cross: primitives.Crossing) -> bytes:
        """See Type."""
        return b"W"

    def sample(self) -> Any:
        """See Type."""
        return object()

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), ())
