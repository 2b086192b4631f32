"""The types of Python classes, in annotations and in programs."""

from __future__ import annotations

from typing import Any

from cutaway.errors import TypingError
from cutaway.foundation import registrations
from cutaway.typing.types import Type
from cutaway.typing.values.annotations import REGISTERED, type_of_class


class AsCutawayType:
    """Converts classes and annotations to types; new classes can be registered."""

    def __call__(self, annotation: Any) -> Type:
        """Return the type of an annotation's values: `int`, `tuple[int, float]`, `Optional[float]`,
        NumPy's scalar classes, and registered classes.

        Raises TypingError for an unknown one.
        """
        ty = type_of_class(annotation)
        if ty is None:
            raise TypingError(
                f"no type is known for {annotation!r}", hint="as_cutaway_type.register(cls, type)"
            )
        return ty

    def register(self, cls: Any, ty: Type | None = None) -> Any:
        """Register the type of a class: `register(cls, type)`, or as a decorator of the class with
        the type alone."""
        if ty is None:
            return lambda owner: self.register(owner, cls)
        registrations.register("as_cutaway_type", cls, ty)
        REGISTERED[cls] = ty
        return cls


as_cutaway_type = as_numba_type = AsCutawayType()
