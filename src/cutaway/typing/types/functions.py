"""The types of functions: the library's, inner ones, compiled ones, methods, and choices; and those
of C, with their libraries and the addresses of arrays.

    libm = ctypes.CDLL("libm.so.6")          a library
    libm.lgamma                              a function of it
    a.ctypes, a.ctypes.data                  the address of an array, which keeps it alive

The callee is a compile-time constant, as with all functions.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

from cutaway.foundation.foreign import attribute, text_attribute
from cutaway.typing.types import primitives
from cutaway.typing.types.arrays import Array
from cutaway.typing.types.base import CallableType, Type, describe, in_place, shortened
from cutaway.typing.types.constants import MOST_CHOICES, Class, Constant
from cutaway.typing.types.conversions import CONVERSIONS, UNIONS, Conversion, RuleOrder, promoted
from cutaway.typing.types.interning import Identity
from cutaway.typing.types.structure import Compound, Holder, checked_extent

FUNCTION = ctypes._CFuncPtr  # the base of all such functions


class CFunction(Constant, CallableType):
    """A C function, with its `argtypes` and `restype` at the time when it is typed."""

    __slots__ = ("takes", "gives")
    may_be_none = True
    kind = "C function"

    def __init__(self, identity: Identity, takes: Identity, gives: Identity) -> None:
        super().__init__(identity)
        self.takes, self.gives = takes, gives
        self.name = f"{self.kind}({c_name(identity.value)})"

    @property
    def argtypes(self) -> tuple[Any, ...] | None:
        """The `argtypes`; None if they are not set."""
        argtypes: tuple[Any, ...] | None = self.takes.value
        return argtypes

    @property
    def restype(self) -> Any:
        """The `restype`."""
        return self.gives.value


def type_of_function(function: Any) -> CFunction:
    """Return the type of a C function with its current `argtypes` and `restype`."""
    takes = None if function.argtypes is None else tuple(function.argtypes)
    return CFunction(Identity(function), Identity(takes), Identity(function.restype))


class CLibrary(Constant):
    """A library of C functions, which are its attributes."""

    __slots__ = ()
    kind = "C library"

    def __init__(self, identity: Identity) -> None:
        super().__init__(identity)
        self.name = f"{self.kind}({text_attribute(identity.value, '_name') or 'of the process'})"


def c_name(function: Any) -> str:
    """Return the name of a C function, or a description if it has none."""
    return shortened(text_attribute(function, "__name__") or "a C function")


class LentArray(Holder):
    """The address of an array for C functions, which keeps the array alive."""

    __slots__ = ("array",)
    can_leave = False
    what = "array"

    def __init__(self, array: Array) -> None:
        self.array = array
        self.name = f"{self.what} of {array}"

    def members(self) -> primitives.Members:
        return (("array", self.array),)

    def taken_apart(self, value: Any) -> tuple[Any, ...] | None:
        """Return None: constants cannot have this type."""
        return None

    def put_together(self, items: Iterable[Any]) -> Any:
        """Raise LookupError: the value never leaves compiled code."""
        raise LookupError(f"no Python value of type {self}")

    @property
    def held(self) -> Type:
        return self.array


class ArrayCTypes(LentArray):
    """`a.ctypes`."""

    __slots__ = ()
    what = "ctypes"


class ArrayAddress(LentArray):
    """`a.ctypes.data`: in Python an int."""

    __slots__ = ()
    what = "address"


class Function(Constant, CallableType):
    """A function with overloads in the library (`math.sqrt`, `len`)."""

    __slots__ = ()
    may_be_none = True
    kind = "function"


class BoundMethod(Holder, CallableType):
    """A method bound to a value, before its call: `a.sum` without parentheses."""

    __slots__ = ("owner", "attr")
    can_leave = False
    adapts = True

    def __init__(self, owner: Type, attr: str) -> None:
        self.owner = owner
        self.attr = attr
        self.name = f"method({owner}.{attr})"

    def members(self) -> primitives.Members:
        return (("owner", self.owner),)

    def taken_apart(self, value: Any) -> tuple[Any, ...] | None:
        owner = attribute(value, "__self__", None)
        return None if owner is None else (owner,)

    @property
    def this(self) -> Type:
        """The same as `owner`."""
        return self.owner

    held = this

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """Return a ToldMethod for an extension's template and the owner's type."""
        parts = (*args, *(named[name] for name in ("template", "this") if name in named))
        if len(parts) == 2 and isinstance(parts[0], type) and not isinstance(parts[1], str):
            return ToldMethod, (parts[1], Identity(parts[0]))
        return cls, (*args, *in_place(cls, args, named))


class ToldMethod(BoundMethod):
    """A method that an extension defines by a template, a class."""

    __slots__ = ("template",)

    def __init__(self, owner: Type, template: Identity) -> None:
        super().__init__(owner, str(getattr(template.value, "key", template.value.__name__)))
        self.template = template


class Closure(Compound, CallableType):
    """An inner function as a value: its code, and the types of the values that it contains.

    `captured` are the variables of its closure, `defaults` the parameters with a default, both by
    name and type.
    """

    __slots__ = ("code", "namespace", "captured", "defaults")
    can_leave = False

    def __init__(
        self,
        code: Identity,
        namespace: Identity,
        captured: tuple[tuple[str, Type], ...],
        defaults: tuple[tuple[str, Type], ...],
    ) -> None:
        self.code = code
        self.namespace = namespace
        self.captured = captured
        self.defaults = defaults
        self._size = checked_extent(self.carried)
        name = code.value.co_name
        self.name = f"function({name} of line {code.value.co_firstlineno})"

    def members(self) -> primitives.Members:
        return self.captured + self.defaults

    @property
    def is_stable(self) -> bool:
        return False

    @property
    def may_be_none(self) -> bool:  # some classes have an attribute instead
        """False if it contains a choice of functions: such types could grow without limit."""
        return not any(isinstance(item, Functions) for item in self.carried)

    @property
    def carried(self) -> tuple[Type, ...]:
        """The types of the captured variables and defaults."""
        return tuple(ty for _, ty in self.captured + self.defaults)


def closure_type(
    code: Any,
    namespace: Any,
    captured: tuple[tuple[str, Type], ...],
    defaults: tuple[tuple[str, Type], ...],
) -> Closure:
    """Return the type of an inner function."""
    return Closure(Identity(code), Identity(namespace), captured, defaults)


class Dispatcher(Constant, CallableType):
    """A compiled function of the user."""

    __slots__ = ()
    may_be_none = True
    kind = "compiled"

    @property
    def dispatcher(self) -> Any:
        """The function."""
        return self.value


class Functions(CallableType):
    """One of several functions of any kind, known only at run time.

    A value contains the captured values of all its inner functions side by side, of which those of
    one are in use.
    """

    __slots__ = ("functions",)
    may_be_none = True

    def __init__(self, functions: tuple[Constant | Closure, ...]) -> None:
        self.functions = functions
        self.name = f"one of ({', '.join(map(_short_name, functions))})"

    def members(self) -> primitives.Members:
        return (("which", primitives.COUNT), *(("", item) for item in self.carried))

    @property
    def can_leave(self) -> bool:
        return all(function.can_leave for function in self.functions)

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"E" + cross.constant(self.values)

    def put_together(self, items: Iterable[Any]) -> Any:
        which, *_ = items
        return self.values[which]

    @property
    def values(self) -> tuple[Any, ...]:
        """The functions for Python; None for an inner one, which is never passed to Python."""
        return tuple(getattr(function, "value", None) for function in self.functions)

    @property
    def carried(self) -> tuple[Type, ...]:
        """The types of all values that inner functions contain."""
        closures = (ty for ty in self.functions if isinstance(ty, Closure))
        return tuple(item for closure in closures for item in closure.carried)


def _short_name(function: Constant | Closure) -> str:
    return describe(function.value) if isinstance(function, Constant) else function.name


def can_be_chosen(ty: Type) -> bool:
    """True if a type is that of a function which can be one of several.

    Exceptions and named tuples, whose creation is special, cannot; neither can an inner function
    that contains a choice: such types could grow without limit.
    """
    return isinstance(ty, _CHOSEN) and ty.may_be_none


def functions_of(*kinds: Type) -> Functions | None:
    """Return the type of a value that is one of these functions; None if there are too many of
    them, or one that cannot be chosen."""
    if not all(map(can_be_chosen, kinds)):
        return None
    members: set[Any] = set()
    for ty in kinds:
        members.update(ty.functions if isinstance(ty, Functions) else (ty,))
    # Sorted: the same choice has to be the same type in any order, with the same text in each
    # process.  Two functions may have the same name.
    ordered = sorted(members, key=lambda ty: (ty.name, ty.typecode))
    return None if len(members) > MOST_CHOICES else Functions(tuple(ordered))


@CONVERSIONS.add(Type, Functions, RuleOrder.FUNCTIONS)
def _to_choice(source: Type, wanted: Functions) -> Conversion:
    return promoted(functions_of(source, wanted) is wanted)


_CHOSEN = (CFunction, Class, Closure, Dispatcher, Function, Functions)
UNIONS.add(_CHOSEN, _CHOSEN)(functions_of)
