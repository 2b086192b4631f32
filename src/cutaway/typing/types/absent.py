"""Types of what stands where there is no value, or may be none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cutaway.foundation.foreign import class_name
from cutaway.typing.types import primitives
from cutaway.typing.types.base import Naming, Type, Typeof
from cutaway.typing.types.compound import Holder
from cutaway.typing.types.conversions import (
    CONVERSIONS,
    NO_VALUE,
    UNIONS,
    Conversion,
    RuleOrder,
    conversion,
    unify,
)
from cutaway.typing.types.interning import Identity, identified
from cutaway.typing.types.numbers import boolean, complex128, float64, int64, uint64


class NoneType(Type):
    """`None`."""

    __slots__ = ()
    value_class = type(None)
    is_none = True
    passable = can_be_written = True
    python_classes = (type(None),)

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type:
        """See Type."""
        return none

    def __init__(self) -> None:
        self.name = "none"

    @property
    def constant(self) -> None:
        """See Type."""
        return None

    def fits(self, value: Any) -> bool:
        """See Type."""
        return value is None

    def taken_apart(self, value: Any) -> tuple[()]:
        """See Type."""
        return ()

    def put_together(self, items: Iterable[Any]) -> None:
        """See Type."""
        return None

    def argument(self, numbers: Iterator[int]) -> None:
        """See Type."""
        return None

    def cache_name(self, name: Naming) -> str:
        """See Type."""
        return self.name

    def members(self) -> primitives.Members:
        """See Type: none are needed."""
        return ()

    def crossing(self, cross: primitives.Crossing) -> bytes:
        """See Type."""
        return b"N"


class EllipsisType(Type):
    """`...`."""

    __slots__ = ()
    passable = can_be_written = True
    python_classes = (type(...),)

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type:
        """See Type."""
        return ellipsis

    def __init__(self) -> None:
        self.name = "ellipsis"

    def taken_apart(self, value: Any) -> tuple[()]:
        """See Type."""
        return ()

    def put_together(self, items: Iterable[Any]) -> Any:
        """See Type."""
        return ...

    def members(self) -> primitives.Members:
        """See Type: none are needed."""
        return ()

    def crossing(self, cross: primitives.Crossing) -> bytes:
        """See Type."""
        return b"K" + cross.constant(...)


class Undefined(Type):
    """No value at all: a variable on a path where it is unbound; unifies with anything."""

    __slots__ = ()
    can_be_written = True

    def __init__(self) -> None:
        self.name = "undefined"

    def is_precise(self) -> bool:
        """See Type."""
        return False

    def returned(self) -> Type:
        """See Type: what is never there, since the function raises before, is None."""
        return none

    def put_together(self, items: Iterable[Any]) -> None:
        """See Type."""
        return None

    def members(self) -> primitives.Members:
        """See Type: none are needed."""
        return ()


class Omitted(Type):
    """An argument that the caller left out; stands for the parameter's default."""

    __slots__ = ("default",)
    can_be_written = True
    adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """See Type; the default can be given as it is."""
        return cls, identified(args)

    def __init__(self, default: Identity) -> None:
        self.default = default
        self.name = f"omitted(default={_text(default.value)})"

    def members(self) -> primitives.Members:
        """See Type: none are needed."""
        return ()

    def crossing(self, cross: primitives.Crossing) -> bytes:
        """See Type."""
        return b"O"

    @property
    def value_class(self) -> type:
        """See Type."""
        return type(self.value)

    def put_together(self, items: Iterable[Any]) -> Any:
        """See Type."""
        return self.value

    def sample(self) -> Any:
        """See Type."""
        return self.value

    def argument(self, numbers: Iterator[int]) -> Any:
        """See Type."""
        return self.value

    def cache_name(self, name: Naming) -> str:
        """See Type."""
        return "omitted"

    @property
    def value(self) -> Any:
        """The default value."""
        return self.default.value

    @property
    def is_none(self) -> bool:
        """True if the default is None."""
        return self.default.value is None


def _text(default: Any) -> str:
    try:
        return repr(default)
    except Exception:  # code of the user's
        return f"a value of type {class_name(type(default))}"


def omitted(default: Any) -> Omitted:
    """The type of an argument left out whose parameter has `default`."""
    return Omitted(Identity(default))


class Optional(Holder):
    """A value of type `inner`, or None."""

    __slots__ = ("inner",)
    notation = ("optional", "Optional")
    is_none = None

    def __init__(self, inner: Type) -> None:
        self.inner = inner
        self.name = f"optional({inner})"

    def members(self) -> primitives.Members:
        """See Type."""
        return (("there", primitives.FLAG), ("inner", self.inner))

    @property
    def can_leave(self) -> bool:
        """See Type."""
        return self.inner.can_leave

    @property
    def can_be_written(self) -> bool:
        """See Type."""
        return self.inner.can_be_written

    def returned(self) -> Type:
        """See Type."""
        return Optional(self.inner.returned())

    def crossing(self, cross: primitives.Crossing) -> bytes:
        """See Type."""
        return b"M" + cross.items((self.inner,))

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        """See Type."""
        return (False, primitives.NOTHING) if value is None else (True, value)

    def put_together(self, items: Iterable[Any]) -> Any:
        """See Type."""
        there, inner = items
        return inner if there else None

    def coerced(self, value: Any) -> Any:
        """See Type."""
        return None if value is None else self.inner.coerced(value)

    def sample(self) -> Any:
        """See Type."""
        return self.inner.sample()

    def argument(self, numbers: Iterator[int]) -> Any:
        """See Type."""
        raise LookupError(f"no sample of type {self}")

    @property
    def type(self) -> Type:
        """The same as `inner`."""
        return self.inner

    held = type


none = NoneType()
ellipsis = EllipsisType()
undefined = Undefined()


NO_VALUE.append(undefined)


@CONVERSIONS.add(Optional, Optional)
def _between_optionals(source: Optional, wanted: Optional) -> Conversion:
    return max(Conversion.PROMOTION, conversion(source.inner, wanted.inner))


@CONVERSIONS.add(NoneType, Optional)
def _none_to_optional(source: Type, wanted: Type) -> Conversion:
    return Conversion.PROMOTION


@CONVERSIONS.add(Type, Optional, RuleOrder.OPTIONAL)
def _to_optional(source: Type, wanted: Optional) -> Conversion:
    return max(Conversion.PROMOTION, conversion(source, wanted.inner))


@CONVERSIONS.add(Omitted, Type, RuleOrder.OMITTED)
def _of_default(source: Omitted, wanted: Type) -> Conversion:
    return Conversion.SAFE if wanted.fits(source.value) else Conversion.NONE


@CONVERSIONS.add(Undefined, Type, RuleOrder.UNDEFINED)
def _of_undefined(source: Type, wanted: Type) -> Conversion:
    return Conversion.PROMOTION


@UNIONS.add_both(Undefined, Type, RuleOrder.FIRST)
def _unify_undefined(first: Type, second: Type) -> Type:
    return second


@UNIONS.add_both(Omitted, Type, RuleOrder.SECOND)
def _unify_default(first: Omitted, second: Type) -> Type | None:
    own = of_constant(first.value)
    return None if own is None else unify(own, second)


@UNIONS.add_both((Optional, NoneType), Type, RuleOrder.OPTIONAL)
def _unify_optional(first: Type, second: Type) -> Type | None:
    """The union of None, or of a value that may be None, with any other type."""
    both = [ty.inner if isinstance(ty, Optional) else ty for ty in (first, second)]
    inner = [ty for ty in both if ty is not none]
    union = inner[0] if len(inner) == 1 else unify(*inner)
    return Optional(union) if union is not None and _may_be_none(union) else None


def _may_be_none(ty: Type) -> bool:
    return ty.may_be_none or type(ty).by_key


def of_constant(value: object) -> Type | None:
    """The type of a number, bool or None written as a constant; None for anything else."""
    match value:
        case None:
            return none
        case bool():
            return boolean
        case int():
            if int64.low <= value <= int64.high:
                return int64
            return uint64 if 0 <= value <= uint64.high else None
        case float():
            return float64
        case complex():
            return complex128
    return None
