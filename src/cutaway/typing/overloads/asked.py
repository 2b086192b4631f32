"""What extensions ask the typing context, by the reference's names for it."""

from __future__ import annotations

from functools import reduce
from typing import Any

from cutaway.errors import TypingError
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call, Resolution
from cutaway.typing.types import Signature, Type
from cutaway.typing.types.conversions import Conversion, conversion, unify
from cutaway.typing.values.typeof import typeof_constant


class Asked:
    """Questions about types, for code that has a typing context and nothing else."""

    def resolve(self, function: Any, call: Call) -> Resolution | None:
        """See TypingContext."""
        raise NotImplementedError

    def resolve_attribute(self, owner: Type, name: str) -> Resolution | None:
        """See TypingContext."""
        raise NotImplementedError

    def resolve_function_type(
        self, func: Any, args: tuple[Type, ...], kws: dict[str, Type] | None = None
    ) -> Signature | None:
        """The signature of a call of a function; None where it does not take these types.

        Raises TypingError for one whose result only its compilation tells.
        """
        types = (*args, *(kws or {}).values())
        given = Arguments(types, (MISSING,) * len(types))
        found = self.resolve(func, Call(given, tuple(kws or ())))
        if found is not None and found.implementation is not None:
            raise TypingError(
                "what a function in Python returns is known when it is compiled",
                hint="call it in compiled code, or by context.compile_internal",
            )
        return None if found is None else found.signature

    def resolve_value_type(self, val: Any) -> Type:
        """The type of a constant.

        Raises TypingError where it has none.
        """
        ty = typeof_constant(val)
        if ty is None:
            raise TypingError(f"a value of type {type(val).__name__} has no type in compiled code")
        return ty

    def resolve_getattr(self, typ: Type, attr: str) -> Type | None:
        """The type of an attribute; None where there is none."""
        found = self.resolve_attribute(typ, attr)
        return None if found is None or found.implementation else found.signature.returns

    def unify_types(self, *typelist: Type) -> Type | None:
        """The type that values of several types have in common; None where there is none."""
        return reduce(lambda one, other: one and unify(one, other), typelist)

    def unify_pairs(self, first: Type, second: Type) -> Type | None:
        """The same of two types."""
        return self.unify_types(first, second)

    def can_convert(self, fromty: Type, toty: Type) -> Conversion | None:
        """How a value of one type converts to another; None where it does not."""
        how = conversion(fromty, toty)
        return None if how is Conversion.NONE else how

    def refresh(self) -> None:
        """Do nothing: what is registered is known at once."""
