"""The type of values in object mode: any Python object."""

from __future__ import annotations

from typing import Any

from cutaway.typing.types import primitives
from cutaway.typing.types.exceptions import ExceptionPart


class PythonObject(ExceptionPart):
    """An object whose class is known only at run time."""

    __slots__ = ()
    passable = True

    def __init__(self) -> None:
        super().__init__("pyobject")

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"W"

    def sample(self) -> Any:
        return object()

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), ())
