"""Functions as values: the library's, inner ones, compiled ones, methods, and choices of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cutaway.foundation.foreign import attribute
from cutaway.typing.types import primitives
from cutaway.typing.types.base import CallableType, Type, describe, in_place
from cutaway.typing.types.c_functions import CFunction
from cutaway.typing.types.compound import Compound, Holder, checked_extent
from cutaway.typing.types.constants import MOST_CHOICES, Class, Constant
from cutaway.typing.types.conversions import CONVERSIONS, UNIONS, Conversion, RuleOrder, promoted
from cutaway.typing.types.interning import Identity


class Function(Constant, CallableType):
    """A function that the library knows how to compile (`math.sqrt`, `len`)."""

    __slots__ = ()
    may_be_none = True
    kind = "function"


class BoundMethod(Holder, CallableType):
    """A method of a value, on its way to being called: `a.sum` before the parentheses."""

    __slots__ = ("owner", "attr")
    can_leave = False
    adapts = True

    def __init__(self, owner: Type, attr: str) -> None:
        self.owner = owner
        self.attr = attr
        self.name = f"method({owner}.{attr})"

    def members(self) -> primitives.Members:
        """See Type."""
        return (("owner", self.owner),)

    def taken_apart(self, value: Any) -> tuple[Any, ...] | None:
        """See Type."""
        owner = attribute(value, "__self__", None)
        return None if owner is None else (owner,)

    @property
    def this(self) -> Type:
        """The same as `owner`."""
        return self.owner

    held = this

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """See Type: of a template, and the type that it is called of, a method that is told so."""
        given = (*args, *(named[name] for name in ("template", "this") if name in named))
        if len(given) == 2 and isinstance(given[0], type) and not isinstance(given[1], str):
            return ToldMethod, (given[1], Identity(given[0]))
        return cls, (*args, *in_place(cls, args, named))


class ToldMethod(BoundMethod):
    """A method that an extension tells of by a template, a class."""

    __slots__ = ("template",)

    def __init__(self, owner: Type, template: Identity) -> None:
        super().__init__(owner, str(getattr(template.value, "key", template.value.__name__)))
        self.template = template


class Closure(Compound, CallableType):
    """An inner function as a value: its code, and the types of what it carries along.

    `captured` are the variables that it closes over, `defaults` the parameters that have a
    default, by name and type.
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
        """See Type."""
        return self.captured + self.defaults

    @property
    def is_stable(self) -> bool:
        """See Type."""
        return False

    @property
    def may_be_none(self) -> bool:  # of a class it is an attribute
        """See Type: not where it carries a choice along, as such types could grow without end."""
        return not any(isinstance(item, Functions) for item in self.carried)

    @property
    def carried(self) -> tuple[Type, ...]:
        """The types of the values that the function carries along."""
        return tuple(ty for _, ty in self.captured + self.defaults)


def closure_type(
    code: Any,
    namespace: Any,
    captured: tuple[tuple[str, Type], ...],
    defaults: tuple[tuple[str, Type], ...],
) -> Closure:
    """The type of an inner function."""
    return Closure(Identity(code), Identity(namespace), captured, defaults)


class Dispatcher(Constant, CallableType):
    """A compiled function, called by another."""

    __slots__ = ()
    may_be_none = True
    kind = "compiled"

    @property
    def dispatcher(self) -> Any:
        """The function."""
        return self.value


class Functions(CallableType):
    """One of several functions of any kind; which one is known when it runs.

    A value has what its inner functions carry along side by side, of which one is in use.
    """

    __slots__ = ("functions",)
    may_be_none = True

    def __init__(self, functions: tuple[Constant | Closure, ...]) -> None:
        self.functions = functions
        self.name = f"one of ({', '.join(map(_short_name, functions))})"

    def members(self) -> primitives.Members:
        """See Type."""
        return (("which", primitives.COUNT), *(("", item) for item in self.carried))

    @property
    def can_leave(self) -> bool:
        """See Type."""
        return all(function.can_leave for function in self.functions)

    def crossing(self, cross: primitives.Crossing) -> bytes:
        """See Type."""
        return b"E" + cross.constant(self.values)

    def put_together(self, items: Iterable[Any]) -> Any:
        """See Type."""
        which, *_ = items
        return self.values[which]

    @property
    def values(self) -> tuple[Any, ...]:
        """The functions, for Python; an inner one is never passed there."""
        return tuple(getattr(function, "value", None) for function in self.functions)

    @property
    def carried(self) -> tuple[Type, ...]:
        """The types of all values that inner functions carry along."""
        closures = (ty for ty in self.functions if isinstance(ty, Closure))
        return tuple(item for closure in closures for item in closure.carried)


def _short_name(function: Constant | Closure) -> str:
    return describe(function.value) if isinstance(function, Constant) else function.name


def can_be_chosen(ty: Type) -> bool:
    """True if a type is that of a function which can be one of several.

    Exceptions and named tuples, which are made in their own way, cannot; neither can an inner
    function that carries a choice along: such types could grow without end.
    """
    return isinstance(ty, _CHOSEN) and ty.may_be_none


def functions_of(*kinds: Type) -> Functions | None:
    """The type of a value that is one of these functions; None where there are too many of them,
    or some that cannot be chosen among."""
    if not all(map(can_be_chosen, kinds)):
        return None
    members: set[Any] = set()
    for ty in kinds:
        members.update(ty.functions if isinstance(ty, Functions) else (ty,))
    # In one order, whichever function came first: the same choice has to be the same type, and
    # say the same in each process.  Two functions may have one name.
    ordered = sorted(members, key=lambda ty: (ty.name, ty.typecode))
    return None if len(members) > MOST_CHOICES else Functions(tuple(ordered))


@CONVERSIONS.add(Type, Functions, RuleOrder.FUNCTIONS)
def _to_choice(source: Type, wanted: Functions) -> Conversion:
    return promoted(functions_of(source, wanted) is wanted)


_CHOSEN = (CFunction, Class, Closure, Dispatcher, Function, Functions)
UNIONS.add(_CHOSEN, _CHOSEN)(functions_of)
