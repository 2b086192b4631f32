"""The typing context of a target that overrides parts of another target's context."""

from __future__ import annotations

from typing import Any

from cutaway.typing.overloads.context import AttributeSetter, TypingContext
from cutaway.typing.overloads.resolution import Call, Overload, Resolution
from cutaway.typing.types import Class, Type


class DerivedContext(TypingContext):
    """A context on top of a `base`, which answers what its own tables do not.

    Extensions that register with the base are available here, too.  Only the base has the rest of
    the library, and loads it if neither has an answer.
    """

    def __init__(self, base: TypingContext) -> None:
        super().__init__()
        self.base = base
        self.everyday = lambda function: base.everyday(function)

    def resolve(self, function: Any, call: Call) -> Resolution | None:
        own = super().resolve(function, call) if self._is_own(function) else None
        if own is None and isinstance(function, AttributeSetter) and function.name:
            own = self.resolve(AttributeSetter(None), function.for_any(call))  # asked last
        return own or self.base.resolve(function, call)

    def _is_own(self, function: Any) -> bool:
        return super().knows(function)

    def knows(self, function: Any) -> bool:
        return super().knows(function) or self.base.knows(function)

    def pass_literals(self, function: Any, call: Call, places: Any) -> bool:
        context = super() if self._is_own(function) else self.base
        return context.pass_literals(function, call, places)

    def overloads_of(self, function: Any) -> list[Overload]:
        """Return its own overloads of a function; those of the base if it has none."""
        own = self.overloads[function] if self._is_own(function) else []
        return own or self.base.overloads_of(function)

    def attribute_names(self, owner: Type) -> list[str]:
        return [*super().attribute_names(owner), *self.base.attribute_names(owner)]

    def method_of(self, owner: Type, name: str) -> Any:
        """Return the key of a method; an attribute of its own hides a method of the base."""
        if isinstance(owner, Class):
            return super().method_of(owner, name) or self.base.method_of(owner, name)
        keys = [(cls, name) for cls in type(owner).__mro__]
        if any(key in self.attributes for key in keys):
            return None
        own = next((key for key in keys if key in self.methods), None)
        return own or self.base.method_of(owner, name)

    def resolve_attribute(self, owner: Type, name: str) -> Resolution | None:
        own = super().resolve_attribute(owner, name)
        return own or self.base.resolve_attribute(owner, name)
