"""The typing context: the overloads of operations, functions and attributes (SPEC A2, C2).

Every operation is keyed by a Python function: `a + b` by `operator.add`, `a[i]` by
`operator.getitem`, iteration by `iter` and `next`, a call by the function itself.  An
attribute is keyed by the class of its owner's type and its name.  The library fills the
tables; inference and lowering query them, and get the same answer because types are interned
and rules are functions of the arguments alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from cutaway.foundation.dataclass import dataclass, replace
from cutaway.foundation.foreign import is_a, key_of
from cutaway.typing.overloads.asked import Asked
from cutaway.typing.overloads.resolution import (
    MISSING,
    Arguments,
    Call,
    Overload,
    Resolution,
    resolve,
)
from cutaway.typing.types import (
    Boolean,
    Class,
    Collected,
    Dated,
    List,
    Number,
    Signature,
    Tuple,
    Type,
)
from cutaway.typing.types.enums import as_number
from cutaway.typing.values import annotations as hints

# Returns the function that lowers a call with a signature; None if it does not apply.
Replacement = Callable[[Signature], Callable[..., Any] | None]


@dataclass(frozen=True, slots=True)
class AttributeSetter:
    """The key of the overloads that set an attribute, called with the owner and the value.  Without
    a name they set any, and the rule gets the name as the constant of its first argument."""

    name: str | None

    def for_any(self, call: Call) -> Call:
        """Return the call of the setter without a name."""
        own = call.arguments
        return replace(call, arguments=Arguments(own.types, (self.name, *own.constants[1:])))


@dataclass(frozen=True, slots=True)
class AttributeDeleter:
    """The key of the overloads that delete an attribute of a value."""

    name: str


@dataclass(frozen=True, slots=True)
class ClassMethod:
    """The key of a method of Python classes whose instances have types of class `owner`."""

    owner: type[Type]
    name: str


@dataclass(frozen=True, slots=True)
class OwnMethod:
    """The key of a method that belongs to one type, not to a class of types."""

    owner: Type
    name: str


# Returns the key of a type's method by its name; None if it has no such method.
Teller = Callable[[Type, str], OwnMethod | None]


class TypingContext(Asked):
    """The overloads by function, and attributes by owner; answers are cached.

    `runs_python`: code of the target can call Python's C API.
    """

    runs_python = True

    def __init__(self) -> None:
        self.overloads: dict[Any, list[Overload]] = {}
        self.attributes: dict[tuple[type[Type], str], list[Overload]] = {}
        # Attributes whose names depend on the type, such as fields of records.
        self.fields: dict[type[Type], list[Overload]] = {}
        # Lowerings of extensions that replace the library's, by function or `(owner, attribute)`.
        self.lowerings: dict[Any, Replacement] = {}
        self.methods: set[tuple[type[Type], str]] = set()
        self.tellers: dict[type[Type], list[Teller]] = {}
        self.rest: Callable[[], object] | None = None  # loads the rest of the library
        # Loads the next area of the library that has a function (for arguments of these types), a
        # method or an attribute; returns False if no other has.
        self.area: Callable[..., bool] = lambda function, argtypes=None: False
        # Resolves a call that no overload accepts with arrays for its sequences and numbers.
        self.with_arrays: Callable[[Any, Call], Resolution | None] = lambda function, call: None
        # The methods of all areas, loaded or not.
        self.area_methods: Callable[[], list[tuple[type[Type], str]]] = list
        # Loads the areas of everyday operations that have a function.
        self.everyday: Callable[[Any], object] = lambda function: None
        # The makers of generator functions, by the functions that they stand for; an area has them.
        self.generators: dict[Any, list[Callable[..., FunctionType | None]]] = {}
        self.may_generate: Callable[[Any], bool] = lambda function: False
        self.load_generators: Callable[[], object] = lambda: None
        # Returns the rank of the module that is being executed, if it is such an area.
        self.rank: Callable[[], int | None] = lambda: None
        self._ranks: dict[int, int] = {}  # by the ids of overloads
        self._answers: dict[Any, Resolution | None] = {}
        # By the same keys: the positions of arguments whose values implementations require.
        self._literal: dict[Any, frozenset[int]] = {}

    def add(self, function: Any, overload: Overload, first: bool = False) -> None:
        """Add an overload of `function` (any kind of function), after the existing ones or, with
        `first`, before them."""
        self._put(self.overloads.setdefault(key_of(function), []), overload, first)
        self._answers.clear()

    def add_attribute(
        self, owner: type[Type], name: str, overload: Overload, first: bool = False
    ) -> None:
        """Add a readable attribute to every type of class `owner`; `first` as for `add`."""
        self._put(self.attributes.setdefault((owner, name), []), overload, first)
        self._answers.clear()

    def add_fields(self, owner: type[Type], overload: Overload, first: bool = False) -> None:
        """Add the attributes that a type of class `owner` determines: the rule gets the name as
        the constant of its only argument.  `first` as for `add`."""
        self._put(self.fields.setdefault(owner, []), overload, first)
        self._answers.clear()

    def _put(self, overloads: list[Overload], overload: Overload, first: bool) -> None:
        """Add an overload: before those of a higher rank, whenever these were loaded."""
        position, rank = 0 if first else len(overloads), self.rank()
        if rank is not None:
            self._ranks[id(overload)] = rank
            higher = (k for k, one in enumerate(overloads) if self._ranks.get(id(one), -1) > rank)
            position = next(higher, position)
        overloads.insert(position, overload)

    def forget(self) -> None:
        """Drop the cached resolutions: an extension has changed."""
        self._answers.clear()

    def add_lowering(self, key: Any, replacement: Replacement) -> None:
        """Replace the lowering of a function or an attribute where the replacement applies."""
        self.lowerings[key_of(key)] = replacement
        self._answers.clear()

    def generator_of(
        self, function: Any, positional: int, named: dict[str, Any], constants: tuple[Any, ...]
    ) -> FunctionType | None:
        """Return the generator function that stands for a function in a call with these constants;
        None if there is none."""
        if not self.may_generate(function):
            return None
        self.load_generators()
        made = (maker(positional, named, constants) for maker in self.generators.get(function, ()))
        return next((one for one in made if one is not None), None)

    def knows(self, function: Any) -> bool:
        """True if the function has any overload."""
        return key_of(function) in self.overloads

    def resolve(self, function: Any, call: Call) -> Resolution | None:
        """Return the overload and signature for a call; None if no overload accepts it.

        Raises AmbiguousCallError if two overloads match equally well.
        """
        key = (key_of(function), *call_key(call))
        if key not in self._answers:
            call = replace(call, literal=call.literal | self._literal.get(key, frozenset()))
            best = resolve(self.overloads_of(function), call)
            while best is None and self.area(function, call.arguments.types):
                best = resolve(self.overloads_of(function), call)
            if best is None and self.load_rest():
                best = resolve(self.overloads_of(function), call)
            if best is None:
                best = self._resolve_as_numbers(function, call)
            if best is None and any(map(_may_be_array, call.arguments.types)):
                best = self.with_arrays(function, call)
            if best is None and isinstance(function, AttributeSetter) and function.name:
                best = self.resolve(AttributeSetter(None), function.for_any(call))
            self._answers[key] = self._replaced(function, best)
        return self._answers[key]

    def _replaced(self, key: Any, found: Resolution | None) -> Resolution | None:
        """Return a resolution with the lowering that an extension registered for it."""
        if found is None or not self.lowerings or found.implementation is not None:
            return found
        replacement = self.lowerings.get(key_of(key))
        lower = None if replacement is None else replacement(found.signature)
        if lower is None:
            return found
        overload = replace(
            found.overload,
            lower=lower,
            gives_new_reference=True,
            elements=None,
            reducing=None,
        )
        return replace(found, overload=overload)

    def _resolve_as_numbers(self, function: Any, call: Call) -> Resolution | None:
        """Resolve a call with members of integer enumerations as integers."""
        argtypes, constants = call.arguments.types, call.arguments.constants
        numbers = tuple(map(as_number, argtypes))
        if numbers == argtypes:
            return None
        return self.resolve(function, replace(call, arguments=Arguments(numbers, constants)))

    def pass_literals(self, function: Any, call: Call, places: Iterable[int]) -> bool:
        """Resolve such calls with literal types at some positions from now on.

        Return whether a position is new, and the arguments at all of them are constants.
        """
        key = (key_of(function), *call_key(call))
        before = self._literal.get(key, frozenset())
        positions = before.union(places)
        constants = call.arguments.constants
        if positions == before or any(constants[k] is MISSING for k in positions):
            return False
        self._literal[key] = positions
        self._answers.pop(key, None)
        return True

    def load_rest(self) -> bool:
        """Load the rest of the library; False if it is already loaded."""
        if self.rest is None:
            return False
        load, self.rest = self.rest, None
        load()
        return True

    def _load_areas(self, keys: list[tuple[type, str]]) -> bool:
        """Load the areas that have a method or attribute; True if there was one."""
        return any([self.area(key) for key in keys])

    def overloads_of(self, function: Any) -> list[Overload]:
        """Return all overloads of a function."""
        return self.overloads.get(key_of(function), [])

    def candidates(self, function: Any) -> list[Overload]:
        """Return the overloads of a function that are shown to users."""
        self.everyday(function)
        return self.overloads_of(function)

    def attribute_names(self, owner: Type) -> list[str]:
        """Return the names of the attributes and methods of a type."""
        keys = [*self.attributes, *self.methods, *self.area_methods()]
        return [name for cls, name in keys if isinstance(owner, cls)]

    def add_teller(self, owner: type[Type], teller: Teller) -> None:
        """Add a function that returns the methods of single types of class `owner`."""
        self.tellers.setdefault(owner, []).insert(0, teller)
        self._answers.clear()

    def _told(self, owner: Type, name: str) -> OwnMethod | None:
        """Return the key of a method of one type; None for special methods."""
        if not self.tellers or name.startswith("__"):
            return None
        classes = type(owner).__mro__
        keys = (teller(owner, name) for cls in classes for teller in self.tellers.get(cls, ()))
        return next((key for key in keys if key is not None), None)

    def method_of(self, owner: Type, name: str) -> Any:
        """Return the key of the overloads of a method of a value of type `owner`; None if there is
        none."""
        if isinstance(owner, Class):
            return self._class_method(owner, name)
        own = self._told(owner, name)
        if own is not None:
            return own
        keys = [(cls, name) for cls in type(owner).__mro__]
        method = next((key for key in keys if key in self.methods), None)
        if method is None and not any(key in self.attributes for key in keys):
            if self._load_areas(keys):
                method = next((key for key in keys if key in self.methods), None)
            is_attribute = any(key in self.attributes for key in keys)
            if method is None and not is_attribute and self.load_rest():
                method = next((key for key in keys if key in self.methods), None)
        return method

    def _class_method(self, owner: Class, name: str) -> ClassMethod | None:
        """Return the key of the overloads of a method of a Python class itself."""
        ty = hints.type_of_class(owner.value)
        keys = (ClassMethod(cls, name) for cls in type(ty).__mro__)
        return next((key for key in keys if key in self.overloads), None)

    def resolve_attribute(self, owner: Type, name: str) -> Resolution | None:
        """Return the resolution of reading attribute `name` of a value of type `owner`."""
        key = (name, owner)
        if key not in self._answers:
            classes = [cls for cls in type(owner).__mro__ if issubclass(cls, Type)]
            if not any((cls, name) in self.attributes for cls in classes):
                self._load_areas([(cls, name) for cls in classes])
            named = [o for cls in classes for o in self.attributes.get((cls, name), ())]
            fields = [o for cls in classes for o in self.fields.get(cls, ())]
            best = resolve([*named, *fields], Call(Arguments((owner,), (name,))))
            for cls in classes:
                best = self._replaced((cls, name), best)
            self._answers[key] = best
        return self._answers[key]


def _may_be_array(ty: Type) -> bool:
    return isinstance(ty, Tuple | Collected | List | Number | Boolean | Dated)


_SPELLED = (bool, int, float, complex, str, bytes, type(None))


def call_key(call: Call) -> tuple[Any, ...]:
    """Return the cache key of a call: types, constants, keywords and literal positions."""
    return call.arguments.types, _constants_key(call.arguments), call.keywords, call.literal


def _constants_key(arguments: Arguments) -> tuple[Any, ...]:
    return tuple(map(_constant_key, arguments.constants))


def _constant_key(value: Any) -> tuple[Any, ...]:
    # By type and spelling: 1, 1.0 and True are equal but not the same constant.
    if type(value) is list or is_a(value, tuple):
        items = value if type(value) is list else tuple.__iter__(value)
        return (type(value), *map(_constant_key, items))
    return type(value), repr(value) if type(value) in _SPELLED else id(value)
