"""The types of None, of absent values, and of values that may be None."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cutaway.foundation.foreign import class_name
from cutaway.typing.types import primitives
from cutaway.typing.types.base import Naming, Type, Typeof
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
from cutaway.typing.types.structure import Holder


class NoneType(Type):
    """`None`."""

    __slots__ = ()
    value_class = type(None)
    is_none = True
    passable = can_be_written = True
    python_classes = (type(None),)

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type:
        return none

    def __init__(self) -> None:
        self.name = "none"

    @property
    def constant(self) -> None:
        return None

    def fits(self, value: Any) -> bool:
        return value is None

    def taken_apart(self, value: Any) -> tuple[()]:
        return ()

    def put_together(self, items: Iterable[Any]) -> None:
        return None

    def argument(self, numbers: Iterator[int]) -> None:
        return None

    def cache_name(self, name: Naming) -> str:
        return self.name

    def members(self) -> primitives.Members:
        return ()

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"N"


class EllipsisType(Type):
    """`...`."""

    __slots__ = ()
    passable = can_be_written = True
    python_classes = (type(...),)

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type:
        return ellipsis

    def __init__(self) -> None:
        self.name = "ellipsis"

    def taken_apart(self, value: Any) -> tuple[()]:
        return ()

    def put_together(self, items: Iterable[Any]) -> Any:
        return ...

    def members(self) -> primitives.Members:
        return ()

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"K" + cross.constant(...)


class Undefined(Type):
    """No value at all: a variable on a path where it is unbound; unifies with anything."""

    __slots__ = ()
    can_be_written = True

    def __init__(self) -> None:
        self.name = "undefined"

    def is_precise(self) -> bool:
        return False

    def returned(self) -> Type:
        """Return `none` for a result that never exists, since the function raises before."""
        return none

    def put_together(self, items: Iterable[Any]) -> None:
        return None

    def members(self) -> primitives.Members:
        return ()


class Omitted(Type):
    """An argument that the caller omitted; it stands for the parameter's default."""

    __slots__ = ("default",)
    can_be_written = True
    adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """Wrap the default in an Identity."""
        return cls, identified(args)

    def __init__(self, default: Identity) -> None:
        self.default = default
        self.name = f"omitted(default={_text(default.value)})"

    def members(self) -> primitives.Members:
        return ()

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"O"

    @property
    def value_class(self) -> type:
        return type(self.value)

    def put_together(self, items: Iterable[Any]) -> Any:
        return self.value

    def sample(self) -> Any:
        return self.value

    def argument(self, numbers: Iterator[int]) -> Any:
        return self.value

    def cache_name(self, name: Naming) -> str:
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
    except Exception:  # user code may raise anything
        return f"a value of type {class_name(type(default))}"


def omitted(default: Any) -> Omitted:
    """Return the type of an omitted argument whose parameter has `default`."""
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
        return (("there", primitives.FLAG), ("inner", self.inner))

    @property
    def can_leave(self) -> bool:
        return self.inner.can_leave

    @property
    def can_be_written(self) -> bool:
        return self.inner.can_be_written

    def returned(self) -> Type:
        return Optional(self.inner.returned())

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"M" + cross.items((self.inner,))

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        return (False, primitives.NOTHING) if value is None else (True, value)

    def put_together(self, items: Iterable[Any]) -> Any:
        there, inner = items
        return inner if there else None

    def coerced(self, value: Any) -> Any:
        return None if value is None else self.inner.coerced(value)

    def sample(self) -> Any:
        return self.inner.sample()

    def argument(self, numbers: Iterator[int]) -> Any:
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
    """Return the union of None, or of an optional type, with any other type."""
    both = [ty.inner if isinstance(ty, Optional) else ty for ty in (first, second)]
    inner = [ty for ty in both if ty is not none]
    union = inner[0] if len(inner) == 1 else unify(*inner)
    return Optional(union) if union is not None and _may_be_none(union) else None


def _may_be_none(ty: Type) -> bool:
    return ty.may_be_none or type(ty).by_key


def of_constant(value: object) -> Type | None:
    """Return the type of a constant number, bool or None; None for anything else."""
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
