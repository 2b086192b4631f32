"""The typing context of a target that knows all that another one knows, and says some of it
otherwise."""

from __future__ import annotations

from typing import Any

from cutaway.typing.overloads.context import AttributeSetter, TypingContext
from cutaway.typing.overloads.resolution import Call, Overload, Resolution
from cutaway.typing.types import Class, Type


class DerivedContext(TypingContext):
    """A context on top of a `base`: what its own tables do not answer, the base does.

    Extensions that register with the base are known here too.  The rest of the library is the
    base's alone, which loads it when neither knows an answer.
    """

    def __init__(self, base: TypingContext) -> None:
        super().__init__()
        self.base = base

    def resolve(self, function: Any, call: Call) -> Resolution | None:
        """See TypingContext."""
        own = super().resolve(function, call) if self._is_own(function) else None
        if own is None and isinstance(function, AttributeSetter) and function.name:
            own = self.resolve(AttributeSetter(None), function.for_any(call))  # asked last
        return own or self.base.resolve(function, call)

    def _is_own(self, function: Any) -> bool:
        return super().knows(function)

    def knows(self, function: Any) -> bool:
        """See TypingContext."""
        return super().knows(function) or self.base.knows(function)

    def pass_literals(self, function: Any, call: Call, places: Any) -> bool:
        """See TypingContext."""
        known = super() if self._is_own(function) else self.base
        return known.pass_literals(function, call, places)

    def overloads_of(self, function: Any) -> list[Overload]:
        """See TypingContext: its own come first."""
        own = self.overloads[function] if self._is_own(function) else []
        return own or self.base.overloads_of(function)

    def attribute_names(self, owner: Type) -> list[str]:
        """See TypingContext."""
        return [*super().attribute_names(owner), *self.base.attribute_names(owner)]

    def method_of(self, owner: Type, name: str) -> Any:
        """See TypingContext: an attribute of its own is no method, and loads nothing."""
        if isinstance(owner, Class):
            return super().method_of(owner, name) or self.base.method_of(owner, name)
        keys = [(cls, name) for cls in type(owner).__mro__]
        if any(key in self.attributes for key in keys):
            return None
        own = next((key for key in keys if key in self.methods), None)
        return own or self.base.method_of(owner, name)

    def resolve_attribute(self, owner: Type, name: str) -> Resolution | None:
        """See TypingContext."""
        own = super().resolve_attribute(owner, name)
        return own or self.base.resolve_attribute(owner, name)
