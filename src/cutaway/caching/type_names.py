"""Types as text, the same text for the same type in every process."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import TypeVar

from cutaway.caching.argument_names import DEEPEST, joined
from cutaway.caching.dependencies import UnstableError
from cutaway.caching.digests import digest
from cutaway.caching.identity import classes_digest
from cutaway.typing.types import Type


def names_of_types(argtypes: tuple[Type, ...]) -> str:
    """Return the names of argument types, those of `names_of_values` where it names them.

    Raises UnstableError for a type that has a meaning in this process alone.
    """
    return joined([_name(ty, 0) for ty in argtypes])


def name_of_type(ty: Type) -> str:
    """Return the name of one type.

    Raises UnstableError for one that has a meaning in this process alone.
    """
    return _name(ty, 0)


def _name(ty: Type, depth: int) -> str:
    if depth < DEEPEST or not ty.nesting:
        usual = ty.cache_name(lambda inner: _name(inner, depth + 1))
        if usual is not None:
            return usual
    if not ty.is_stable:
        raise UnstableError(f"an argument is {ty}, which another process cannot identify")
    data, classes = _pickled_with_classes(ty, f"the type {ty}")
    return f"{ty.name}/{digest(data)}{classes_digest(classes)}"


def pickled(value: object, what: str) -> bytes:
    """Pickle a value.

    Raises UnstableError for a value that cannot be pickled, or not by other processes.
    """
    return _dumped(lambda: pickle.dumps(value, protocol=4), what)


def _pickled_with_classes(value: object, what: str) -> tuple[bytes, list[type]]:
    """Return a pickle, and the classes that it refers to by name alone."""
    pickler = _Pickler(io.BytesIO())
    _dumped(lambda: pickler.dump(value), what)
    return pickler.file.getvalue(), pickler.classes


T = TypeVar("T")


def _dumped(dump: Callable[[], T], what: str) -> T:
    try:
        return dump()
    except (pickle.PicklingError, AttributeError, TypeError, ValueError) as error:
        raise UnstableError(f"{what} cannot be pickled: {error}") from None


class _Pickler(pickle.Pickler):
    """A pickler that records the classes it meets."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, protocol=4)
        self.file = file
        self.classes: list[type] = []

    def persistent_id(self, value: object) -> None:
        """Record classes; return None, so that every object is pickled as usual."""
        if isinstance(value, type):
            self.classes.append(value)
