"""The queries of extensions to the typing context, under Numba's names."""

from __future__ import annotations

from functools import reduce
from typing import Any

from cutaway.errors import TypingError
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call, Resolution
from cutaway.typing.types import Signature, Type
from cutaway.typing.types.conversions import Conversion, conversion, unify
from cutaway.typing.values.typeof import typeof_constant


class Asked:
    """Queries about types, for code that only has a typing context."""

    def resolve(self, function: Any, call: Call) -> Resolution | None:
        raise NotImplementedError

    def resolve_attribute(self, owner: Type, name: str) -> Resolution | None:
        raise NotImplementedError

    def resolve_function_type(
        self, func: Any, args: tuple[Type, ...], kws: dict[str, Type] | None = None
    ) -> Signature | None:
        """Return the signature of a call of a function; None if it does not accept these types.

        Raises TypingError if its result type is known only after its compilation.
        """
        types = (*args, *(kws or {}).values())
        arguments = Arguments(types, (MISSING,) * len(types))
        resolution = self.resolve(func, Call(arguments, tuple(kws or ())))
        if resolution is not None and resolution.implementation is not None:
            raise TypingError(
                "what a function in Python returns is known when it is compiled",
                hint="call it in compiled code, or by context.compile_internal",
            )
        return None if resolution is None else resolution.signature

    def resolve_value_type(self, val: Any) -> Type:
        """Return the type of a constant.

        Raises TypingError if it has none.
        """
        ty = typeof_constant(val)
        if ty is None:
            raise TypingError(f"a value of type {type(val).__name__} has no type in compiled code")
        return ty

    def resolve_getattr(self, typ: Type, attr: str) -> Type | None:
        """Return the type of an attribute; None if there is none."""
        read = self.resolve_attribute(typ, attr)
        return None if read is None or read.implementation else read.signature.returns

    def unify_types(self, *typelist: Type) -> Type | None:
        """Return the common type of several types; None if there is none."""
        return reduce(lambda one, other: one and unify(one, other), typelist)

    def unify_pairs(self, first: Type, second: Type) -> Type | None:
        """Return the common type of two types; None if there is none."""
        return self.unify_types(first, second)

    def can_convert(self, fromty: Type, toty: Type) -> Conversion | None:
        """Return the kind of conversion between two types; None if there is none."""
        how = conversion(fromty, toty)
        return None if how is Conversion.NONE else how

    def refresh(self) -> None:
        """Do nothing: registrations take effect at once."""
