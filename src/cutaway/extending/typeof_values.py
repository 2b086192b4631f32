"""Types of Python values of classes that extensions define (SPEC D4, D8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from cutaway.dispatch_c import _dispatch
from cutaway.errors import ExtensionError
from cutaway.extending.users import call_extension, extension_error
from cutaway.foundation import registrations
from cutaway.typing.types import Type
from cutaway.typing.values.typeof import HOOKS, REGISTERED, TypeofContext, type_of

F = TypeVar("F", bound=Callable[..., Any])


class TypeofRegistry:
    """The functions of `(value, context)` that `typeof` calls for values of unknown classes."""

    def register(self, cls: type, fingerprint: tuple[str, ...] | None = None) -> Callable[[F], F]:
        """Register a function that returns the type of an instance of a class, or None.

        It is called at each call, unless `fingerprint` names the attributes whose types the type
        depends on (none: it depends on the class alone): then it is called once for each
        combination of their types, and calls find the type in C. Raises ExtensionError for anything
        but a class.
        """
        if not isinstance(cls, type):
            raise ExtensionError(f"typeof_impl must be registered for a class, not {cls!r}")
        if fingerprint is not None:
            register_fingerprint(cls, *fingerprint)

        def register(function: F) -> F:
            registrations.register("typeof_impl", function, cls, fingerprint)
            REGISTERED[id(cls)] = cls, _checked(function, f"typeof_impl of {cls.__name__}")
            return function

        return register

    def __call__(self, value: Any, context: Any = None) -> Any:
        """Return the type of a value for extensions: `typeof_impl(value.part, c)`; None where it
        has none. Of a class alone the same as `register`."""
        if context is None and isinstance(value, type):
            return self.register(value)
        return type_of(value, context)

    def hook(self, function: F) -> F:
        """Register a function for values that no other function handles: it returns the type, or
        None."""
        registrations.register("typeof_impl.hook", function)
        HOOKS.append(_checked(function, "a hook of typeof_impl"))
        return function


typeof_impl = TypeofRegistry()


def register_fingerprint(cls: type, *attributes: str) -> None:
    """Let values of a class take part in fast dispatch (SPEC D8): their type depends only on the
    class and on the types of these attributes, not on their values.

    Raises TypeError if the dispatcher cannot watch the class.
    """
    _dispatch.register_class(cls, attributes)


def _checked(function: Callable[..., Any], role: str) -> Callable[[Any, TypeofContext], Any]:
    """Wrap an extension's function to check that it returns a type or None."""

    def ask(value: Any, context: TypeofContext) -> Type | None:
        ty = call_extension(function, role, value, context)
        if ty is not None and not isinstance(ty, Type):
            raise extension_error(function, f"{role} returned {ty!r}", "return a type, or None")
        return ty

    return ask
