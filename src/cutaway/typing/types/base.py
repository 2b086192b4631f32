"""The base of all types, and what several kinds of them share.

Two types are the same type exactly when they are the same object, so they hash and compare at
the price of a pointer.  `str(ty)` is the name used everywhere, in signatures, dumps and
messages.  (SPEC B2.)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType as PythonFunction
from typing import Any, ClassVar

import numpy as np

from cutaway.foundation import writing
from cutaway.foundation.dataclass import dataclass, field
from cutaway.foundation.foreign import attribute, class_name, is_a, text_attribute
from cutaway.ir.constants import MISSING, is_compiled
from cutaway.typing.types import primitives
from cutaway.typing.types.interning import Interning, restored

LONGEST_NAME = 2000  # characters of a type's name; a longer one is cut short in messages


# How a type asks for the types of the values in a value, and for the names of the types in it.
Typeof = Callable[[Any], "Type | None"]
Naming = Callable[["Type"], str]


class Type(metaclass=Interning):
    """Base of all types, a user's own included: `class T(types.Type)` calls
    `super().__init__(name="T")`, and two of one class and name (or `key`) are one type.

    `is_none` says whether a value is None: True only None, False never, None unknown.
    `typecode` is a number of its own, never used again, by which the C dispatcher knows the
    type (SPEC B2).
    """

    __slots__ = ("name", "typecode", "__weakref__")
    arity: ClassVar[int] = 0  # of a class with defaults: how many arguments, and their defaults
    trailing: ClassVar[tuple[Any, ...]] = ()
    adapts: ClassVar[bool] = False  # whether `adapt` is asked for all arguments
    is_none: ClassVar[bool | None] = False
    mutable: ClassVar[bool] = False
    is_internal: ClassVar[bool] = False  # extensions say so of types that users never see
    passable: ClassVar[bool] = False  # whether signatures may have it
    may_be_none: ClassVar[bool] = False  # whether a variable can be a value of it, or None
    # The Python classes whose own values, of no subclass, are typed by `of_value`.
    python_classes: ClassVar[tuple[type, ...]] = ()
    # What signatures call it: such a name stands in front of the types that are its arguments.
    notation: ClassVar[tuple[str, ...]] = ()
    # The type of arrays of a type: arrays.py, which stands on this file, puts it here.
    arrays: ClassVar[Callable[[Any, Any], Any]]
    name: str
    typecode: int

    def __init__(self, name: str) -> None:
        self.name = name

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """The class and the positional arguments that a call of this class means.

        Raises TypeError for arguments that it does not take.
        """
        return cls, (*args, *in_place(cls, args, named))

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type | None:
        """The type of a Python value; None where it has none.  `typeof` types what is in it."""
        raise NotImplementedError

    def __str__(self) -> str:
        name = writing.written(self) or self.name
        return name if len(name) <= LONGEST_NAME else f"{name[:200]} ... {name[-20:]}"

    __repr__ = __str__

    @property
    def key(self) -> Any:
        """The identity of a type of a user's own class among those of that class."""
        return self.name

    @property
    def mangling_args(self) -> tuple[str, tuple[()]]:
        """What names of code are made of: the name, and nothing besides."""
        return self.name, ()

    def is_precise(self) -> bool:
        """True if a variable of it needs no further look at what else it may be."""
        return True

    def cast_python_value(self, value: Any) -> Any:
        """The value of the type that a Python value converts to."""
        return self.coerced(value)

    def can_convert_to(self, typingctx: object, other: Type) -> int | None:
        """The one of the five conversions (`extending.Conversion`) that leads to another type; None
        where this type has nothing to say.  Asked of types of a user's own classes."""
        return None

    def can_convert_from(self, typingctx: object, other: Type) -> int | None:
        """The same for the way from another type to this one."""
        return None

    def unify(self, typingctx: object, other: Type) -> Type | None:
        """The type of a variable that is of this type on one path and of another on a second; None
        where this type has nothing to say.  Asked of types of a user's own classes."""
        return None

    def members(self) -> primitives.Members | None:
        """The members of a value, by name: primitives, and other types; None for a type that has no
        values in compiled code, or whose members an extension says."""
        return None

    def known_members(self) -> primitives.Members | None:
        """`members`, as our own classes have it: to a user's class the name may mean anything."""
        bases = type(self).__mro__
        own = next(cls for cls in bases if "members" in vars(cls) and not cls.by_key)
        members: primitives.Members | None = own.members(self)
        return members

    @property
    def inner_types(self) -> tuple[Type, ...]:
        """The types of the members, where all of them are of types; else none."""
        members = self.known_members() or ()
        inner = tuple(member for _, member in members if isinstance(member, Type))
        return inner if len(inner) == len(members) else ()

    def iteration(self) -> primitives.Members | None:
        """The members of an iterator over a value; None where it cannot be iterated over."""
        return None

    def crossing(self, cross: primitives.Crossing) -> bytes | None:
        """The descriptor by which the dispatcher knows the type (runtime/cutaway_runtime.h); None
        where values cannot be passed from and to Python.

        By default it is that of an object of the class, by its attributes, where the members have
        their names.
        """
        if self.value_class is None or not self.inner_types:
            return None
        names = tuple(name for name, _ in self.known_members() or ())
        head = b"P" + cross.constant(self.value_class) + cross.constant(names)
        return head + cross.items(self.inner_types) + b")"

    # --- values of the type, in Python (Any: values of the program) -------------------------------

    @property
    def value_class(self) -> type | None:
        """The class of the Python value that a value stands for; None: not known."""
        return None

    @property
    def constant(self) -> Any:
        """The only value of the type, a constant when compiling; MISSING where there are more."""
        return MISSING

    def constant_attribute(self, name: str) -> Any:
        """The attribute that all values of the type have alike, and that takes memory in compiled
        code; MISSING where it has none by that name."""
        return MISSING

    def fits(self, value: Any) -> bool:
        """True if a Python constant can be a value of the type without loss."""
        return False

    def taken_apart(self, value: Any) -> tuple[Any, ...] | None:
        """For each member, what it is in a value that is known when compiling; None where values
        cannot be constants.

        By default of a class's attributes, where the members have their names.
        """
        members = None if self.value_class is None else self.known_members()
        return None if members is None else tuple(getattr(value, name) for name, _ in members)

    def put_together(self, items: Iterable[Any]) -> Any:
        """The Python value of these members; by default what its class gives for them.

        Raises LookupError where there is none.
        """
        cls = self.value_class
        if cls is None or self.known_members() is None:
            raise LookupError(f"no Python value of type {self}")
        return cls(*items)

    def coerced(self, value: Any) -> Any:
        """The value of the type that stands for a Python value, as the interpreter has it."""
        inner = self.inner_types if type(value) is self.value_class else ()
        parts = self.taken_apart(value) if inner else None
        if parts is None:
            return value
        items = [ty.coerced(part) for ty, part in zip(inner, parts, strict=True)]
        same = all(one is other for one, other in zip(parts, items, strict=True))
        return value if same else self.put_together(items)

    def with_attribute(self, value: Any, name: str) -> Any:
        """The object that has an attribute of a value, where another one has it than the value as
        the interpreter has it."""
        return value

    def sample(self) -> Any:
        """A small value to see what Python says of it; None where there is none."""
        return None

    def argument(self, numbers: Iterator[int]) -> Any:
        """A small argument of just this type, made of the next numbers.

        Raises LookupError where there is none.
        """
        if not self.inner_types:
            raise LookupError(f"no sample of type {self}")
        return self.put_together([ty.argument(numbers) for ty in self.inner_types])

    @property
    def items_are_new(self) -> bool:
        """True if each item that a loop takes has a reference of its own to its memory."""
        return False

    @property
    def can_be_written(self) -> bool:
        """True if a value can be an exception's argument, or part of its message."""
        inner = self.inner_types if self.value_class is not None else ()
        return bool(inner) and all(ty.can_be_written for ty in inner)

    @property
    def can_be_printed(self) -> bool:
        """True if a value can be printed while it is there: one that cannot be written later may
        be, as its memory is still its own."""
        return self.can_be_written

    # --- ways out of a function ------------------------------------------------------------------

    @property
    def can_leave(self) -> bool:
        """True if a function can return a value."""
        return all(ty.can_leave for ty in self.inner_types)

    def returned(self) -> Type:
        """The type of a value when it leaves the function."""
        return self

    # --- what it is known by ---------------------------------------------------------------------

    def iterator(self) -> Type | None:
        """The type of an iterator over a value; None where there is none."""
        return None

    def cache_name(self, name: Naming) -> str | None:
        """The type's name in keys of the cache, where `caching/argument_names.py` tells that from a
        value; None: what it is pickled to.  `name` names the types in it."""
        return None

    @property
    def is_stable(self) -> bool:
        """True if another process can know the type again."""
        return True

    @property
    def extent(self) -> int:
        """The number of numbers in a tuple, those in tuples in it included; else 1.

        What holds another value that can grow says so too, and how far that is nested: types that
        inference makes ever larger have to come to an end.
        """
        return 1

    @property
    def nesting(self) -> int:
        """The depth of tuples, iterators and inner functions in each other."""
        return 0

    def __reduce__(self) -> tuple[Any, ...]:
        cls = type(self)
        if cls.by_key:
            return restored, (cls, {"name": self.name, **getattr(self, "__dict__", {})})
        if cls.__init__ is Type.__init__:
            return (cls, (self.name,))
        # A class that adds nothing to another one has its arguments.
        classes = cls.__mro__[: cls.__mro__.index(Type)]
        slots: tuple[str, ...] = next((one.__slots__ for one in classes if one.__slots__), ())
        return (cls, tuple(getattr(self, slot) for slot in slots))

    def __getitem__(self, axes: Any) -> Type:
        """The type of arrays of this: `float64[:, ::1]`."""
        array: Type = type(self).arrays(self, axes)
        return array

    __iter__: Any = None  # or `__getitem__` would be asked

    def __call__(self, *args: Type) -> Signature:
        """The signature of a function that returns this: `float64(int64, int64)`.

        Raises TypeError where an argument is no type.
        """
        wrong = next((arg for arg in args if not isinstance(arg, Type)), None)
        if wrong is not None:
            raise TypeError(f"a signature must consist of types, not {describe(wrong)}")
        return Signature(self, args)


def in_place(cls: type[Type], args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments given by name, in the order of the class's own parameters."""
    code = cls.__init__.__code__
    names = code.co_varnames[1 : code.co_argcount][len(args) :]
    unknown = [name for name in named if name not in names]
    if unknown:
        raise TypeError(f"{cls.__name__} has no argument {unknown[0]!r} here")
    values = []
    for place, name in enumerate(names, len(args)):
        if name not in named:
            if place < len(names) + len(args) - len(cls.trailing):
                raise TypeError(f"{cls.__name__} is missing the argument {name!r}")
            values.append(cls.trailing[place - cls.arity])
        else:
            values.append(named[name])
    return tuple(values)


@dataclass(frozen=True, slots=True)
class Signature:
    """The types that a call takes and gives: `returns(args...)`.  Extensions say of a method what
    it is called of, `recvr`, which tells no two of them apart."""

    returns: Type
    args: tuple[Type, ...]
    recvr: Type | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return writing.written(self) or f"{self.returns}({', '.join(map(str, self.args))})"

    __repr__ = __str__

    @property
    def return_type(self) -> Type:
        """The same as `returns`."""
        return self.returns

    # What a template says of the parameters: their names and defaults.
    pysig: inspect.Signature | None = field(default=None, compare=False)

    def replace(self, **changed: Any) -> Signature:
        """The same with other values of `return_type`, `args`, `recvr` or `pysig`."""
        returns = changed.pop("return_type", self.returns)
        kept = {"args": self.args, "recvr": self.recvr, "pysig": self.pysig}
        return Signature(returns, **kept | changed)

    @property
    def is_method(self) -> bool:
        """True if it says what it is called of."""
        return self.recvr is not None

    def as_method(self) -> Signature:
        """The same of a method, which is called of what was the first argument."""
        if self.is_method:
            return self
        rest = self.pysig and list(self.pysig.parameters.values())[1:]
        pysig = self.pysig if rest is None else inspect.Signature(rest)
        return Signature(self.returns, self.args[1:], self.args[0], pysig)

    def as_function(self) -> Signature:
        """The same of a function, whose first argument is what the method is called of."""
        return self if self.recvr is None else Signature(self.returns, (self.recvr, *self.args))

    def as_type(self) -> FunctionType:
        """The type of functions that are called so."""
        return FunctionType(self)


class IterableType(Type):
    """Something that `for` goes through; one of an extension's has an `iterator_type`."""

    __slots__ = ()
    # The type of iterators over a type, which give items: iterators.py puts it here.
    iterating: ClassVar[Callable[[Any, Any], Any]]

    @property
    def own_iterator(self) -> IteratorType | None:
        """The type of an iterator, where an extension defines it."""
        inner = getattr(self, "iterator_type", None)
        is_own = isinstance(inner, IteratorType) and self.known_members() is None
        return inner if is_own else None

    def iterator(self) -> Type | None:
        """See Type."""
        inner = self.own_iterator
        if inner is None:
            return None
        made: Type = IterableType.iterating(self, inner.yield_type)
        return made

    def iteration(self) -> primitives.Members | None:
        """See Type: the extension's iterator is all there is."""
        inner = self.own_iterator
        return None if inner is None else (("inner", inner),)

    @property
    def items_are_new(self) -> bool:
        """See Type: what an extension's code gives is new."""
        return self.own_iterator is not None


class IteratorType(IterableType):
    """Something that gives one item after the other."""

    __slots__ = ()

    @property
    def iterator_type(self) -> IteratorType:
        """The type of its iterator: itself."""
        return self

    @property
    def yield_type(self) -> Type:
        """The type of an item."""
        raise NotImplementedError


class OpaqueType(Type):
    """Something that compiled code only passes on."""

    __slots__ = ()


class BufferType(IterableType):
    """Something that lends its memory: arrays, bytes and the like.

    A user's class gives a name, or what the reference's has: elements, dimensions and a layout.
    """

    __slots__ = ()

    def __init__(  # noqa: PLR0913  as users of the reference call it
        self,
        dtype: Any,
        ndim: int | None = None,
        layout: str = "C",
        readonly: bool = False,
        name: str | None = None,
    ) -> None:
        if ndim is None:
            super().__init__(dtype)
            return
        self.dtype, self.ndim, self.layout, self.readonly = dtype, ndim, layout, readonly
        super().__init__(name or f"{type(self).__name__}({dtype}, {ndim}d, {layout})")


class CallableType(Type):
    """Something that is called."""

    __slots__ = ()


class FunctionType(CallableType):
    """A function of which the signature is known and nothing else; compiled code has none yet,
    extensions may speak of it."""

    __slots__ = ("signature",)

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.name = f"FunctionType[{signature}]"


class Literal(Type):
    """A value that is known when compiling; the value is part of the type.

    `is_written` says that a parameter is as if the constant were written in its place.
    """

    __slots__ = ()
    is_written = True

    def members(self) -> primitives.Members:
        """See Type: none are needed."""
        return ()

    def crossing(self, cross: primitives.Crossing) -> bytes:
        """See Type."""
        return b"L" + cross.constant(self.literal_value)

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        """See Type."""
        return ()

    def put_together(self, items: Iterable[Any]) -> Any:
        """See Type."""
        return self.literal_value

    def argument(self, numbers: Iterator[int]) -> Any:
        """See Type: none, as no call without `literally` has it."""
        raise LookupError(f"no sample of type {self}")

    @property
    def literal_value(self) -> Any:
        """The value."""
        raise NotImplementedError

    @property
    def literal_type(self) -> Type:
        """The type of values of its kind that are not known."""
        raise NotImplementedError


def describe(value: Any) -> str:
    """A short name for a constant: `math.sqrt`, `np.zeros`, `len`, `'text'`."""
    name = text_attribute(value, "__qualname__") or text_attribute(value, "__name__")
    if name is None:
        plain = is_a(value, (str, bytes, int, float, complex, tuple, np.dtype))
        return shortened(_written(value)) if plain or value is None else class_name(type(value))
    owner = attribute(value, "__self__", None)
    if is_a(owner, np.ufunc):
        return f"{describe(owner)}.{name}"
    module = "numpy" if is_a(value, np.ufunc) else text_attribute(value, "__module__")
    module = module.lstrip("_") if module is not None and module != "__main__" else None
    shown = {"numpy": "np", "builtins": None}.get(module, module)
    if shown is None or is_a(value, PythonFunction) or is_compiled(value):
        return name.rpartition("<locals>.")[2]
    return f"{shown}.{name}"


def _written(value: Any) -> str:
    try:
        return repr(value)
    except Exception:  # a user's own, or an int of too many digits
        return f"<{class_name(type(value))}>"


def shortened(text: str, longest: int = 80) -> str:
    """A text cut to what can be read in a message."""
    return text if len(text) <= longest else text[: longest - 4] + " ..."
