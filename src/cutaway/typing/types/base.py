"""The base class of all types, and the classes that several kinds of them share.

Two types are equal exactly if they are the same object, so they hash and compare at the cost of a
pointer.  `str(ty)` is the name used everywhere, in signatures, dumps and messages.  (SPEC B2.)
"""

from __future__ import annotations

import inspect
import operator
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

LONGEST_NAME = 2000  # characters of a type's name; a longer one is shortened in messages


# Functions that a type gets to type the items of a value, and to name its inner types.
Typeof = Callable[[Any], "Type | None"]
Naming = Callable[["Type"], str]


class Type(metaclass=Interning):
    """Base class of all types, those of users included: `class T(types.Type)` calls
    `super().__init__(name="T")`, and two with the same class and name (or `key`) are one type.

    `is_none` is whether a value is None: True always, False never, None unknown.
    `typecode` is a unique number, never reused, by which the C dispatcher identifies the type
    (SPEC B2).
    """

    __slots__ = ("name", "typecode", "__weakref__")
    arity: ClassVar[int] = 0  # for a class with defaults: the number of arguments, and the defaults
    trailing: ClassVar[tuple[Any, ...]] = ()
    adapts: ClassVar[bool] = False  # whether `adapt` is called for all arguments
    is_none: ClassVar[bool | None] = False
    mutable: ClassVar[bool] = False
    is_internal: ClassVar[bool] = False  # extensions set it for types that users never see
    passable: ClassVar[bool] = False  # whether signatures may contain it
    may_be_none: ClassVar[bool] = False  # whether it has an optional type
    # The Python classes whose direct instances are typed by `of_value`.
    python_classes: ClassVar[tuple[type, ...]] = ()
    # Its names in signatures, each written before the types that are its arguments.
    notation: ClassVar[tuple[str, ...]] = ()
    # Returns the type of arrays of a type: arrays.py, which imports this file, sets it.
    arrays: ClassVar[Callable[[Any, Any], Any]]
    name: str
    typecode: int

    def __init__(self, name: str) -> None:
        self.name = name

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """Return the class and the positional arguments that a call of this class stands for.

        Raises TypeError for invalid arguments.
        """
        return cls, (*args, *in_place(cls, args, named))

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type | None:
        """Return the type of a Python value; None if it has none.  `typeof` types its items."""
        raise NotImplementedError

    def __str__(self) -> str:
        name = writing.written(self) or self.name
        return name if len(name) <= LONGEST_NAME else f"{name[:200]} ... {name[-20:]}"

    __repr__ = __str__

    @property
    def key(self) -> Any:
        """The identity of a type among those of the same class, for user classes."""
        return self.name

    @property
    def mangling_args(self) -> tuple[str, tuple[()]]:
        """The arguments of name mangling: the name alone."""
        return self.name, ()

    def is_precise(self) -> bool:
        """True if the type is final, so that inference need not refine it."""
        return True

    def cast_python_value(self, value: Any) -> Any:
        """Return a Python value converted to the type."""
        return self.coerced(value)

    def can_convert_to(self, typingctx: object, other: Type) -> int | None:
        """Return the kind of conversion (`extending.Conversion`) to another type; None if this type
        does not define one.  Called for types of user classes."""
        return None

    def can_convert_from(self, typingctx: object, other: Type) -> int | None:
        """Return the kind of conversion from another type; None if it does not define one."""
        return None

    def unify(self, typingctx: object, other: Type) -> Type | None:
        """Return the union with another type, that of a variable with both on different paths; None
        if this type does not define one.  Called for types of user classes."""
        return None

    def members(self) -> primitives.Members | None:
        """Return the members of a value, by name: primitives and other types; None for a type that
        has no values in compiled code, or whose members an extension defines."""
        return None

    def known_members(self) -> primitives.Members | None:
        """Return the `members` of the package's class; a user's class may use the name freely."""
        bases = type(self).__mro__
        own = next(cls for cls in bases if "members" in vars(cls) and not cls.by_key)
        members: primitives.Members | None = own.members(self)
        return members

    @property
    def inner_types(self) -> tuple[Type, ...]:
        """The types of the members if none is a primitive; else an empty tuple."""
        members = self.known_members() or ()
        inner = tuple(member for _, member in members if isinstance(member, Type))
        return inner if len(inner) == len(members) else ()

    def iteration(self) -> primitives.Members | None:
        """Return the members of an iterator over a value; None if it is not iterable."""
        return None

    def crossing(self, cross: primitives.Crossing) -> bytes | None:
        """Return the dispatcher's descriptor of the type (runtime/cutaway_runtime.h); None if
        values cannot be passed from and to Python.

        By default it is that of an object of `value_class`, by attributes with the members' names.
        """
        if self.value_class is None or not self.inner_types:
            return None
        names = tuple(name for name, _ in self.known_members() or ())
        head = b"P" + cross.constant(self.value_class) + cross.constant(names)
        return head + cross.items(self.inner_types) + b")"

    # --- values of the type, in Python (Any: values of the program) -------------------------------

    @property
    def value_class(self) -> type | None:
        """The class of the corresponding Python value; None if unknown."""
        return None

    @property
    def constant(self) -> Any:
        """The only value of the type, a compile-time constant; MISSING if there are several."""
        return MISSING

    def constant_attribute(self, name: str) -> Any:
        """Return an attribute that is the same for all values of the type; MISSING if none has that
        name."""
        return MISSING

    def fits(self, value: Any) -> bool:
        """True if a Python constant can be a value of the type without loss."""
        return False

    def taken_apart(self, value: Any) -> tuple[Any, ...] | None:
        """Return the members of a constant value; None if values cannot be constants.

        By default they are the attributes with the members' names.
        """
        members = None if self.value_class is None else self.known_members()
        return None if members is None else tuple(getattr(value, name) for name, _ in members)

    def put_together(self, items: Iterable[Any]) -> Any:
        """Return the Python value with these members; by default a call of its class.

        Raises LookupError if there is none.
        """
        cls = self.value_class
        if cls is None or self.known_members() is None:
            raise LookupError(f"no Python value of type {self}")
        return cls(*items)

    def coerced(self, value: Any) -> Any:
        """Return a Python value converted to the interpreter's value of the type."""
        inner = self.inner_types if type(value) is self.value_class else ()
        parts = self.taken_apart(value) if inner else None
        if parts is None:
            return value
        items = [ty.coerced(part) for ty, part in zip(inner, parts, strict=True)]
        same = all(one is other for one, other in zip(parts, items, strict=True))
        return value if same else self.put_together(items)

    def with_attribute(self, value: Any, name: str) -> Any:
        """Return the object from which the interpreter reads an attribute: the value, or another
        one that has the attribute."""
        return value

    def sample(self) -> Any:
        """Return a small value for observing Python's exceptions; None if there is none."""
        return None

    def argument(self, numbers: Iterator[int]) -> Any:
        """Return a small argument of exactly this type, made from the next numbers.

        Raises LookupError if there is none.
        """
        if not self.inner_types:
            raise LookupError(f"no sample of type {self}")
        return self.put_together([ty.argument(numbers) for ty in self.inner_types])

    @property
    def items_are_new(self) -> bool:
        """True if each item that a loop reads is a new reference to its memory."""
        return False

    @property
    def can_be_written(self) -> bool:
        """True if a value can be an exception's argument, or part of its message."""
        inner = self.inner_types if self.value_class is not None else ()
        return bool(inner) and all(ty.can_be_written for ty in inner)

    @property
    def can_be_printed(self) -> bool:
        """True if a value can be printed while it is alive, which includes values whose memory may
        be gone when an exception's message is written."""
        return self.can_be_written

    # --- ways out of a function ------------------------------------------------------------------

    @property
    def can_leave(self) -> bool:
        """True if a function can return a value."""
        return all(ty.can_leave for ty in self.inner_types)

    def returned(self) -> Type:
        """Return the type of a value when it leaves the function."""
        return self

    # --- identity and size -----------------------------------------------------------------------

    def iterator(self) -> Type | None:
        """Return the type of an iterator over a value; None if there is none."""
        return None

    def cache_name(self, name: Naming) -> str | None:
        """Return the type's name in cache keys, which `caching/argument_names.py` also computes
        from a value; None if the key has the pickled type.  `name` names inner types."""
        return None

    @property
    def is_stable(self) -> bool:
        """True if another process can identify the type."""
        return True

    @property
    def extent(self) -> int:
        """The number of numbers in a tuple, those of nested tuples included; else 1.

        Types that contain others define it as well as `nesting`: the growth of types during
        inference must be bounded.
        """
        return 1

    @property
    def nesting(self) -> int:
        """The nesting depth of tuples, iterators and inner functions."""
        return 0

    def __reduce__(self) -> tuple[Any, ...]:
        cls = type(self)
        if cls.by_key:
            return restored, (cls, {"name": self.name, **getattr(self, "__dict__", {})})
        if cls.__init__ is Type.__init__:
            return (cls, (self.name,))
        # A class without slots of its own has the arguments of its base.
        classes = cls.__mro__[: cls.__mro__.index(Type)]
        slots: tuple[str, ...] = next((one.__slots__ for one in classes if one.__slots__), ())
        return (cls, tuple(getattr(self, slot) for slot in slots))

    def __getitem__(self, axes: Any) -> Type:
        """Return the type of arrays of this type: `float64[:, ::1]`."""
        array: Type = type(self).arrays(self, axes)
        return array

    __iter__: Any = None  # else iteration would call `__getitem__`

    def __call__(self, *args: Type) -> Signature:
        """Return the signature of a function that returns this type: `float64(int64, int64)`.

        Raises TypeError if an argument is not a type.
        """
        wrong = next((arg for arg in args if not isinstance(arg, Type)), None)
        if wrong is not None:
            raise TypeError(f"a signature must consist of types, not {describe(wrong)}")
        return Signature(self, args)


def in_place(cls: type[Type], args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """Return the keyword arguments in the order of the class's parameters, with defaults."""
    code = cls.__init__.__code__
    names = code.co_varnames[1 : code.co_argcount][len(args) :]
    unknown = [name for name in named if name not in names]
    if unknown:
        raise TypeError(f"{cls.__name__} has no argument {unknown[0]!r} here")
    values = []
    for position, name in enumerate(names, len(args)):
        if name not in named:
            if position < len(names) + len(args) - len(cls.trailing):
                raise TypeError(f"{cls.__name__} is missing the argument {name!r}")
            values.append(cls.trailing[position - cls.arity])
        else:
            values.append(named[name])
    return tuple(values)


@dataclass(frozen=True, slots=True)
class Signature:
    """The types of a call's arguments and result: `returns(args...)`.  For methods extensions set
    the owner's type, `recvr`, which does not affect equality."""

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

    # The names and defaults of the parameters, set by a template.
    pysig: inspect.Signature | None = field(default=None, compare=False)

    def replace(self, **changed: Any) -> Signature:
        """Return the signature with `return_type`, `args`, `recvr` or `pysig` replaced."""
        returns = changed.pop("return_type", self.returns)
        own = {"args": self.args, "recvr": self.recvr, "pysig": self.pysig}
        return Signature(returns, **own | changed)

    @property
    def is_method(self) -> bool:
        """True if the owner's type is set."""
        return self.recvr is not None

    def as_method(self) -> Signature:
        """Return the signature as that of a method, with the first argument as the owner."""
        if self.is_method:
            return self
        rest = self.pysig and list(self.pysig.parameters.values())[1:]
        pysig = self.pysig if rest is None else inspect.Signature(rest)
        return Signature(self.returns, self.args[1:], self.args[0], pysig)

    def as_function(self) -> Signature:
        """Return the signature as that of a function, with the owner as the first argument."""
        return self if self.recvr is None else Signature(self.returns, (self.recvr, *self.args))

    def as_type(self) -> FunctionType:
        """Return the type of functions with this signature."""
        return FunctionType(self)


class IterableType(Type):
    """The type of an iterable; that of an extension has an `iterator_type`."""

    __slots__ = ()
    # The type of iterators, by iterable and item type: iterators.py sets it.
    iterating: ClassVar[Callable[[Any, Any], Any]]

    @property
    def own_iterator(self) -> IteratorType | None:
        """The type of the iterator if an extension defines it; else None."""
        inner = getattr(self, "iterator_type", None)
        is_own = isinstance(inner, IteratorType) and self.known_members() is None
        return inner if is_own else None

    def iterator(self) -> Type | None:
        inner = self.own_iterator
        if inner is None:
            return None
        made: Type = IterableType.iterating(self, inner.yield_type)
        return made

    def iteration(self) -> primitives.Members | None:
        """Return the extension's iterator as the only member."""
        inner = self.own_iterator
        return None if inner is None else (("inner", inner),)

    @property
    def items_are_new(self) -> bool:
        """True if an extension defines the iterator, whose items are new."""
        return self.own_iterator is not None


class IteratorType(IterableType):
    """The type of an iterator."""

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
    """The type of a value that compiled code only passes on."""

    __slots__ = ()


class BufferType(IterableType):
    """The type of a value that exposes its memory: arrays, bytes and the like.

    A user's class passes a name, or, as in Numba, elements, dimensions and a layout.
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
    """The type of a callable."""

    __slots__ = ()


class FunctionType(CallableType):
    """A function of which only the signature is known; compiled code has no such values yet, but
    extensions may refer to the type."""

    __slots__ = ("signature",)

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.name = f"FunctionType[{signature}]"


class Literal(Type):
    """The type of one compile-time constant, which is part of the type.

    With `is_written` a parameter is replaced by the constant.
    """

    __slots__ = ()
    is_written = True

    def members(self) -> primitives.Members:
        return ()

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"L" + cross.constant(self.literal_value)

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        return ()

    def put_together(self, items: Iterable[Any]) -> Any:
        return self.literal_value

    def argument(self, numbers: Iterator[int]) -> Any:
        """Raise LookupError: only calls with `literally` have such arguments."""
        raise LookupError(f"no sample of type {self}")

    @property
    def literal_value(self) -> Any:
        """The value."""
        raise NotImplementedError

    @property
    def literal_type(self) -> Type:
        """The plain type of the value."""
        raise NotImplementedError


_GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)


def describe(value: Any) -> str:
    """Return a short name for a constant: `math.sqrt`, `np.zeros`, `len`, `'text'`."""
    name = text_attribute(value, "__qualname__") or text_attribute(value, "__name__")
    if name is None:
        plain = is_a(value, (str, bytes, int, float, complex, tuple, np.dtype, *_GETTERS))
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
    except Exception:  # user code, or an int with too many digits
        return f"<{class_name(type(value))}>"


def shortened(text: str, longest: int = 80) -> str:
    """Return a text, cut to `longest` characters."""
    return text if len(text) <= longest else text[: longest - 4] + " ..."
