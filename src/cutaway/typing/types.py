"""The types: interned, immutable, one object for each distinct type.

Two types are the same type exactly when they are the same object, so they hash and compare at
the price of a pointer.  `str(ty)` is the name used everywhere, in signatures, dumps and
messages.  Numbers form the lattice that unification climbs: bool, integers, floats, complex.
(SPEC B2, B4, C1.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Iterator as Iterating
from typing import Any, ClassVar

import numpy as np

from cutaway.dataclass import dataclass
from cutaway.errors import TypingError
from cutaway.ir.operators import formatted
from cutaway.typing.interning import Identity, Interning, identified, restored

LARGEST_NDIM = 64  # dimensions of an array, as in NumPy
LARGEST_TUPLE = 5000  # numbers in a tuple, those in tuples in it included
DEEPEST_TUPLE = 100  # tuples one in the other
LONGEST_NAME = 2000  # characters of a type's name; a longer one is cut short in messages


class Type(metaclass=Interning):
    """Base of all types, a user's own included: `class T(types.Type)` calls
    `super().__init__(name="T")`, and two of one class and name (or `key`) are one type.

    `is_none` says whether a value is None: True only None, False never, None unknown.
    `typecode` is a number of its own, never used again, by which the C dispatcher knows the
    type (SPEC B2).
    """

    __slots__ = ("name", "typecode", "__weakref__")
    arity: ClassVar[int] = 0  # of a class with defaults: how many arguments, and their defaults
    trailing: ClassVar[tuple[Any, ...]] = ()  # Any: as the class's own arguments
    adapts: ClassVar[bool] = False  # whether `adapt` is asked for all arguments
    is_none: ClassVar[bool | None] = False
    mutable: ClassVar[bool] = False
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

    def __str__(self) -> str:
        name = self.name
        return name if len(name) <= LONGEST_NAME else f"{name[:200]} ... {name[-20:]}"

    __repr__ = __str__

    @property
    def key(self) -> Any:  # Any: whatever can be a key
        """What tells a type of a user's own class from another of that class."""
        return self.name

    def can_convert_to(self, typingctx: object, other: Type) -> int | None:
        """Which of the five conversions (`extending.Conversion`) leads to another type; None where
        this type has nothing to say.  Asked of types of a user's own classes."""
        return None

    def can_convert_from(self, typingctx: object, other: Type) -> int | None:
        """The same for the way from another type to this one."""
        return None

    def unify(self, typingctx: object, other: Type) -> Type | None:
        """The type of a variable that is of this type on one path and of another on a second; None
        where this type has nothing to say.  Asked of types of a user's own classes."""
        return None

    @property
    def extent(self) -> int:
        """How many numbers there are in a tuple, those in tuples in it included; else 1."""
        return 1

    @property
    def nesting(self) -> int:
        """How many tuples there are one in the other."""
        return 0

    def __reduce__(self) -> tuple[Any, ...]:  # Any: the arguments of the class
        cls = type(self)
        if cls.by_key:
            return restored, (cls, {"name": self.name, **getattr(self, "__dict__", {})})
        return (cls, tuple(getattr(self, slot) for slot in cls.__slots__))

    def __getitem__(self, axes: Any) -> Type:  # Any: slices
        """The type of arrays of this: `float64[:, ::1]`."""
        return array_of(self, axes)

    __iter__: Any = None  # or `__getitem__` would be asked

    def __call__(self, *args: Type) -> Any:  # Any: a number, of a type of numbers
        """The signature of a function that returns this: `float64(int64, int64)`.

        Raises TypeError where an argument is no type.
        """
        wrong = next((arg for arg in args if not isinstance(arg, Type)), None)
        if wrong is not None:
            raise TypeError(f"a signature is made of types, not of {describe(wrong)}")
        return Signature(self, args)


def in_place(
    cls: type[Type],
    args: tuple[Any, ...],
    named: dict[str, Any],  # Any: arguments of a type class
) -> tuple[Any, ...]:
    """The arguments given by name, in the order of the class's own parameters."""
    code = cls.__init__.__code__
    names = code.co_varnames[1 : code.co_argcount][len(args) :]
    unknown = [name for name in named if name not in names]
    if unknown:
        raise TypeError(f"{cls.__name__} has no argument {unknown[0]!r} here")
    found = []
    for place, name in enumerate(names, len(args)):
        if name not in named:
            if place < len(names) + len(args) - len(cls.trailing):
                raise TypeError(f"{cls.__name__} is missing the argument {name!r}")
            found.append(cls.trailing[place - cls.arity])
        else:
            found.append(named[name])
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Signature:
    """What a call takes and gives: `returns(args...)`."""

    returns: Type
    args: tuple[Type, ...]

    def __str__(self) -> str:
        return f"{self.returns}({', '.join(map(str, self.args))})"

    @property
    def return_type(self) -> Type:
        """The same as `returns`."""
        return self.returns


# --- classes of which several kinds of types are, for asking with isinstance ---------------------


class IterableType(Type):
    """Something that `for` goes through."""

    __slots__ = ()


class IteratorType(IterableType):
    """Something that gives one item after the other."""

    __slots__ = ()

    @property
    def yield_type(self) -> Type:
        """The type of an item."""
        raise NotImplementedError


class OpaqueType(Type):
    """Something that compiled code only passes on."""

    __slots__ = ()


class BufferType(IterableType):
    """Something that lends its memory: arrays, bytes and the like."""

    __slots__ = ()


class CallableType(Type):
    """Something that is called."""

    __slots__ = ()


class Literal(Type):
    """A value that is known when compiling; the value is part of the type."""

    __slots__ = ()

    @property
    def literal_value(self) -> Any:  # Any: a constant
        """The value."""
        raise NotImplementedError

    @property
    def literal_type(self) -> Type:
        """The type of values of its kind that are not known."""
        raise NotImplementedError


# --- numbers --------------------------------------------------------------------------------------


class Number(Type):
    """A number: integer, float or complex; `bits` is its size.

    Numbers are in an order: integers, signed ones first, then floats, then complex numbers.
    """

    __slots__ = ()
    bits: int

    def _order(self) -> tuple[int, int, int]:
        kind = next(k for k, cls in enumerate((Integer, Float, Complex)) if isinstance(self, cls))
        return kind, not getattr(self, "signed", True), self.bits

    def __lt__(self, other: object) -> bool:
        return self._order() < other._order() if isinstance(other, Number) else NotImplemented

    bits: int

    @property
    def bitwidth(self) -> int:
        """Its size in bits."""
        return self.bits

    def __call__(self, *args: Any) -> Any:  # Any: types, or a value to convert
        """A signature as for all types; or of a value the number of this type."""
        if len(args) == 1 and not isinstance(args[0], Type):
            return to_dtype(self).type(args[0])
        return Type.__call__(self, *args)


class Boolean(Type):
    """`bool`."""

    __slots__ = ()

    def __init__(self) -> None:
        self.name = "bool"


class Integer(Number):
    """A machine integer of 8, 16, 32 or 64 bits."""

    __slots__ = ("bits", "signed")

    def __init__(self, bits: int, signed: bool) -> None:
        self.bits = bits
        self.signed = signed
        self.name = f"{'' if signed else 'u'}int{bits}"

    @property
    def low(self) -> int:
        """The smallest value."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """The largest value."""
        return (1 << (self.bits - self.signed)) - 1


class Float(Number):
    """A binary float of 32 or 64 bits."""

    __slots__ = ("bits",)

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.name = f"float{bits}"


class Complex(Number):
    """A complex number of two floats; `bits` counts both."""

    __slots__ = ("bits",)

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.name = f"complex{bits}"

    @property
    def part(self) -> Float:
        """The type of the real and of the imaginary part."""
        return Float(self.bits // 2)

    underlying_float = part


class NoneType(Type):
    """`None`."""

    __slots__ = ()
    is_none = True

    def __init__(self) -> None:
        self.name = "none"


class EllipsisType(Type):
    """`...`."""

    __slots__ = ()

    def __init__(self) -> None:
        self.name = "ellipsis"


class Undefined(Type):
    """No value at all: a variable on a path where it is unbound; unifies with anything."""

    __slots__ = ()

    def __init__(self) -> None:
        self.name = "undefined"


class Omitted(Type):
    """An argument that the caller left out; stands for the parameter's default."""

    __slots__ = ("default",)
    adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """See Type; the default can be given as it is."""
        return cls, identified(args)

    def __init__(self, default: Identity) -> None:
        self.default = default
        self.name = f"omitted(default={default.value!r})"

    @property
    def value(self) -> Any:  # Any: a default is any object
        """The default value."""
        return self.default.value

    @property
    def is_none(self) -> bool:  # type: ignore[override]
        """Whether the default is None."""
        return self.default.value is None


def omitted(default: Any) -> Omitted:  # Any: a default is any object
    """The type of an argument left out whose parameter has `default`."""
    return Omitted(Identity(default))


def _checked_extent(items: Iterable[Type]) -> tuple[int, int]:
    """The numbers in a tuple of these items, and its nesting.

    Raises TypingError where it is too large: the size of types can double with each line.
    """
    items = tuple(items)
    extent = sum(item.extent for item in items) + 1
    nesting = max((item.nesting for item in items), default=0) + 1
    if extent > LARGEST_TUPLE:
        raise TypingError(
            f"a tuple has at most {LARGEST_TUPLE:,} numbers in compiled code",
            hint="use a NumPy array",
        )
    if nesting > DEEPEST_TUPLE:
        raise TypingError(f"tuples can be nested {DEEPEST_TUPLE} deep in compiled code")
    return extent, nesting


class _Compound(Type):
    """A type made of several others, of limited size."""

    __slots__ = ("_size",)
    _size: tuple[int, int]

    @property
    def extent(self) -> int:
        """See Type."""
        return self._size[0]

    @property
    def nesting(self) -> int:
        """See Type."""
        return self._size[1]


class Tuple(_Compound, IterableType):
    """A tuple of known length; each item has its type.

    Made from items it is one of the classes below, by whether the items have one type.
    """

    __slots__ = ("items",)
    adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """See Type; the items can be given in a list too."""
        (items,) = args or in_place(cls, args, named)
        return UniTuple if _alike(items) else MixedTuple, (tuple(items),)

    def __init__(self, items: tuple[Type, ...]) -> None:
        _check_types(items)
        self.items = items
        self._size = _checked_extent(items)
        if len(items) > 1 and self.uniform is not None:
            self.name = f"UniTuple({items[0]} x {len(items)})"
        else:
            self.name = f"Tuple({', '.join(map(str, items))})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Tuple, (self.items,))

    def __len__(self) -> int:
        return len(self.items)

    def __bool__(self) -> bool:
        return True  # also one of no items

    def __iter__(self) -> Iterating[Type]:
        return iter(self.items)

    def __getitem__(self, place: Any) -> Any:  # Any: a place, or a slice of them
        return self.items[place]

    @property
    def types(self) -> tuple[Type, ...]:
        """The types of the items."""
        return self.items

    @property
    def count(self) -> int:
        """How many items there are."""
        return len(self.items)

    @property
    def uniform(self) -> Type | None:
        """The type that all items share, None where they differ or there are none."""
        return self.items[0] if _alike(self.items) else None

    def of(self, items: tuple[Type, ...]) -> Tuple:
        """The type of the same kind with other items."""
        return Tuple(items)

    def made(self, items: Iterable[Any]) -> tuple[Any, ...]:  # Any: values of the program
        """The Python value of these items."""
        return tuple(items)


def _alike(items: Any) -> bool:  # Any: a sequence of types
    return len(items) > 0 and all(item is items[0] for item in items)


def _check_types(items: Iterable[Any]) -> None:  # Any: what should be types
    wrong = next((item for item in items if not isinstance(item, Type)), None)
    if wrong is not None:
        raise TypeError(f"the items of a tuple's type are types, not {describe(wrong)}")


class AnonymousTuple(Tuple):
    """A plain tuple: one that is of no class of the program's."""

    __slots__ = ()


class MixedTuple(AnonymousTuple):
    """A plain tuple whose items differ in type, or that has none."""

    __slots__ = ()


class UniTuple(AnonymousTuple):
    """A plain tuple whose items have one type: `UniTuple(dtype, count)`."""

    __slots__ = ()

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """See Type."""
        dtype, count = _repeated(*args, **named)
        return Tuple.adapt(((dtype,) * count,), {})

    @property
    def dtype(self) -> Type:
        """The type of an item."""
        return self.items[0]


def _repeated(
    dtype: Any, count: Any
) -> tuple[Any, int]:  # Any: what should be a type, and a number
    if type(count) is not int or count < 0:
        raise TypeError(f"the number of a tuple's items is an int, not {describe(count)}")
    _check_types((dtype,))
    if count * dtype.extent > LARGEST_TUPLE:
        _checked_extent((dtype,) * (LARGEST_TUPLE + 1))
    return dtype, count


class NamedTuple(Tuple):
    """A tuple of a class that `collections.namedtuple` or `typing.NamedTuple` made."""

    __slots__ = ("cls",)

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """See Type."""
        items, of = (*args, *in_place(NamedTuple, args, named))
        if not is_named_tuple(of) or len(of._fields) != len(items):
            raise TypeError(f"{describe(of)} is no class of named tuples of {len(items)} items")
        return NamedUniTuple if _alike(items) else MixedNamedTuple, (tuple(items), of)

    def __init__(self, items: tuple[Type, ...], cls: Any) -> None:  # Any: such a class
        super().__init__(items)
        self.cls = cls
        fields = zip(cls._fields, items, strict=True)
        self.name = f"{cls.__name__}({', '.join(f'{name}: {ty}' for name, ty in fields)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (NamedTuple, (self.items, self.cls))

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the items."""
        found: tuple[str, ...] = self.cls._fields
        return found

    @property
    def instance_class(self) -> Any:  # Any: a class of named tuples
        """The class."""
        return self.cls

    def of(self, items: tuple[Type, ...]) -> Tuple:
        """The type of the same class with other items."""
        return NamedTuple(items, self.cls)

    def made(self, items: Iterable[Any]) -> tuple[Any, ...]:  # Any: values of the program
        """The Python value of these items."""
        found: tuple[Any, ...] = self.cls._make(items)
        return found

    def field(self, name: str) -> int | None:
        """The position of a field; None where there is none of that name."""
        return self.cls._fields.index(name) if name in self.cls._fields else None


class MixedNamedTuple(NamedTuple):
    """A named tuple whose items differ in type, or that has none."""

    __slots__ = ()


class NamedUniTuple(NamedTuple):
    """A named tuple whose items have one type: `NamedUniTuple(dtype, count, cls)`."""

    __slots__ = ()

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """See Type."""
        if len(args) + len(named) != 3:
            raise TypeError("NamedUniTuple takes dtype, count, cls")
        of = args[2] if len(args) == 3 else named.pop("cls", None)
        dtype, count = _repeated(*args[:2], **named)
        return NamedTuple.adapt(((dtype,) * count, of), {})

    @property
    def dtype(self) -> Type:
        """The type of an item."""
        return self.items[0]


def is_named_tuple(cls: Any) -> bool:  # Any: any object
    """Whether a class is one of named tuples, which do what tuples do."""
    if not (isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")):
        return False
    written = getattr(cls.__new__, "__globals__", {}).get("__name__", "")
    return written.startswith("namedtuple_") and all(
        getattr(cls, name, None) is getattr(tuple, name, None) for name in _OF_TUPLES
    )


_OF_TUPLES = tuple(
    f"__{name}__"
    for name in (
        "init getattribute getattr len iter reversed getitem contains add radd mul rmul bool index"
        " eq ne lt le gt ge"
    ).split()
)


class Optional(Type):
    """A value of type `inner`, or None."""

    __slots__ = ("inner",)
    is_none = None

    def __init__(self, inner: Type) -> None:
        self.inner = inner
        self.name = f"optional({inner})"

    @property
    def type(self) -> Type:
        """The same as `inner`."""
        return self.inner


class Text(_Compound):
    """A string that is written when it is needed: an f-string's pieces and the values in it.

    Each piece is a literal string, or `(conversion, spec)` for the next of `items`.
    """

    __slots__ = ("pieces", "items")

    def __init__(self, pieces: tuple[str | tuple[str, str], ...], items: tuple[Type, ...]) -> None:
        self.pieces = pieces
        self.items = items
        self._size = _checked_extent(items)
        if len(pieces) > LARGEST_TUPLE:
            raise TypingError(f"a string has at most {LARGEST_TUPLE:,} parts in compiled code")
        self.name = f"text({', '.join([repr(self.template), *map(str, items)])})"

    @property
    def template(self) -> str:
        """The pieces as one would write them: `n is {}, x is {!r:>10}`."""
        written = []
        for piece in self.pieces:
            if isinstance(piece, str):
                written.append(piece.replace("{", "{{").replace("}", "}}"))
            else:
                conversion, spec = piece
                inside = f"!{conversion}" if conversion else ""
                written.append("{" + inside + (f":{spec}" if spec else "") + "}")
        return "".join(written)

    def written(self, values: Iterable[Any]) -> str:  # Any: values of the program
        """The string with these values in it."""
        rest = iter(values)
        return "".join(
            piece if isinstance(piece, str) else formatted(next(rest), *piece)
            for piece in self.pieces
        )


class Range(IterableType):
    """A `range` over `dtype`; `step` is the step where it is a constant, else None."""

    __slots__ = ("dtype", "step")
    arity = 2
    trailing = (None,)

    def __init__(self, dtype: Integer, step: int | None) -> None:
        self.dtype = dtype
        self.step = step
        self.name = f"range({dtype})" if step is None else f"range({dtype}, step={step})"


class Slice(Type):
    """A slice; each part is none or an integer type."""

    __slots__ = ("start", "stop", "step")

    def __init__(self, start: Type, stop: Type, step: Type) -> None:
        self.start = start
        self.stop = stop
        self.step = step
        self.name = f"slice({start}, {stop}, {step})"


class Array(BufferType):
    """A NumPy array.

    `layout` is "C" (row-major contiguous), "F" (column-major) or "A" (any strides).
    """

    __slots__ = ("dtype", "ndim", "layout", "readonly", "aligned")
    arity = 5
    trailing = (False, True)

    def __init__(
        self,
        dtype: Type,
        ndim: int,
        layout: str,
        readonly: bool = False,
        aligned: bool = True,
    ) -> None:
        if not isinstance(dtype, Type):
            raise TypeError(f"the items of an array have a type, not {describe(dtype)}")
        if type(ndim) is not int or not 0 <= ndim <= LARGEST_NDIM:
            raise TypingError(f"an array has at most {LARGEST_NDIM} dimensions, not {ndim}")
        if layout not in ("A", "C", "F"):
            raise TypingError(f"the layout of an array is C, F or A, not {layout}")
        self.dtype = dtype
        self.ndim = ndim
        self.layout = layout
        self.readonly = readonly
        self.aligned = aligned
        extra = (", readonly" if readonly else "") + ("" if aligned else ", unaligned")
        self.name = f"array({dtype}, {ndim}d, {layout}{extra})"

    @property
    def element(self) -> Type:
        """The type of an element that is taken out; a record is a view of its place."""
        is_record = isinstance(self.dtype, Record)
        return self.dtype.protected(self.readonly) if is_record else self.dtype

    @property
    def iterator_type(self) -> Iterator | None:
        """The type of its iterator; None for an array without dimensions, or of texts."""
        if self.ndim == 0 or isinstance(self.dtype, FixedString):
            return None
        rest = self.viewed(self.ndim - 1, "C" if self.layout == "C" else "A")
        return Iterator(self, self.element if self.ndim == 1 else rest)

    @property
    def mutable(self) -> bool:  # type: ignore[override]  of a class it is an attribute
        """Whether elements can be assigned to."""
        return not self.readonly

    @property
    def is_contig(self) -> bool:
        """Whether the elements lie next to each other in one of the two orders."""
        return self.layout in "CF"

    @property
    def is_c_contig(self) -> bool:
        """Whether rows lie one behind the other; of one dimension, or none, both do."""
        return self.layout == "C" or (self.ndim <= 1 and self.layout == "F")

    @property
    def is_f_contig(self) -> bool:
        """Whether columns lie one behind the other; of one dimension, or none, both do."""
        return self.layout == "F" or (self.ndim <= 1 and self.layout == "C")

    def copy(
        self,
        dtype: Type | None = None,
        ndim: int | None = None,
        layout: str | None = None,
        readonly: bool | None = None,
    ) -> Array:
        """The type with these in the place of its own."""
        return Array(
            self.dtype if dtype is None else dtype,
            self.ndim if ndim is None else ndim,
            self.layout if layout is None else layout,
            self.readonly if readonly is None else readonly,
            self.aligned,
        )

    def viewed(self, ndim: int, layout: str) -> Array:
        """The type of a view of this array with other dimensions and layout."""
        return Array(self.dtype, ndim, layout, self.readonly, self.aligned)


def array_of(dtype: Type, axes: Any) -> Array:  # Any: slices
    """The type of arrays of `dtype` that slices describe: `[:, ::1]`.

    Raises TypingError for what describes none.
    """
    if not is_number(dtype) and not isinstance(dtype, DateTime | TimeDelta | Record | FixedString):
        raise TypingError(f"an array has numbers or bool as items, not {dtype}")
    steps = axes if isinstance(axes, tuple) else (axes,)
    plain = all(s in (slice(None), slice(None, None, 1)) for s in steps if isinstance(s, slice))
    if not steps or not plain or not all(isinstance(step, slice) for step in steps):
        raise TypingError(
            "the dimensions of an array are written as [:, :]",
            hint="with ::1 for the dimension whose items lie next to each other",
        )
    contiguous = [k for k, step in enumerate(steps) if step.step == 1]
    if contiguous not in ([], [0], [len(steps) - 1]):
        raise TypingError("only the first or the last dimension can be ::1")
    layout = "A" if not contiguous else "C" if contiguous == [len(steps) - 1] else "F"
    return Array(dtype, len(steps), layout)


class Iterator(IteratorType):
    """An iterator; `item` is what it yields."""

    __slots__ = ("source", "item")

    def __init__(self, source: Type, item: Type) -> None:
        self.source = source
        self.item = item
        self.name = f"iter({source})"

    @property
    def yield_type(self) -> Type:
        """The same as `item`."""
        return self.item


class Enumerated(IterableType):
    """What `enumerate` goes through: another iterator."""

    __slots__ = ("inner",)

    def __init__(self, inner: Iterator) -> None:
        self.inner = inner
        self.name = f"enumerate({inner.source})"


class Zipped(_Compound, IterableType):
    """What `zip` goes through: iterators side by side."""

    __slots__ = ("inner",)

    def __init__(self, inner: tuple[Iterator, ...]) -> None:
        self.inner = inner
        self._size = _checked_extent(one.source for one in inner)
        self.name = f"zip({', '.join(str(one.source) for one in inner)})"


class Flat(IterableType):
    """`a.flat`: the elements of an array in C order."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array
        self.name = f"flat({array})"


class Indices(Type):
    """`np.ndindex(shape)`: the indices of all places of a shape, as tuples, in C order."""

    __slots__ = ("ndim",)

    def __init__(self, ndim: int) -> None:
        self.ndim = ndim
        self.name = f"ndindex({ndim}d)"


class BoundMethod(CallableType):
    """A method of a value, on its way to being called: `a.sum` before the parentheses."""

    __slots__ = ("owner", "attr")

    def __init__(self, owner: Type, attr: str) -> None:
        self.owner = owner
        self.attr = attr
        self.name = f"method({owner}.{attr})"

    @property
    def this(self) -> Type:
        """The same as `owner`."""
        return self.owner


class Constant(Type):
    """A value that is known when compiling and needs no memory: a function, a class, a module,
    a string, a dtype.  The value is the type."""

    __slots__ = ("identity",)
    adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """See Type; the value can be given as it is."""
        return cls, identified((*args, *in_place(cls, args, named)))

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.name = f"{self.kind}({describe(identity.value)})"

    kind: ClassVar[str] = "constant"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.identity,))

    @property
    def value(self) -> Any:  # Any: any constant of a user's program
        """The constant."""
        return self.identity.value


class Function(Constant, CallableType):
    """A function that the library knows how to compile (`math.sqrt`, `len`)."""

    __slots__ = ()
    kind = "function"


class Class(Constant, CallableType):
    """A class that can be called (`int`, `np.float32`) or raised (`ValueError`)."""

    __slots__ = ()
    kind = "class"

    @property
    def instance_type(self) -> Type | None:
        """The type of its objects, where it is a class of numbers."""
        return (
            from_dtype(self.value)
            if issubclass(self.value, np.generic | int | float | complex)
            else None
        )


class Module(Constant):
    """A module; its attributes are looked up when compiling."""

    __slots__ = ()
    kind = "module"

    @property
    def pymod(self) -> Any:  # Any: a module
        """The module."""
        return self.value


class String(Constant, Literal):
    """A string constant."""

    __slots__ = ()
    kind = "str"

    @property
    def literal_value(self) -> Any:  # Any: a str, or bytes
        """See Literal."""
        return self.value

    @property
    def literal_type(self) -> Type:
        """See Literal."""
        return str_type


class Choice(Type):
    """One of several string or bytes constants; which one is known when it runs."""

    __slots__ = ("values",)

    def __init__(self, values: tuple[str | bytes, ...]) -> None:
        self.values = values
        self.name = f"one of ({', '.join(map(repr, values))})"


class Str(Type):
    """A string that comes from outside; one written in the program is a `String` or `Choice`."""

    __slots__ = ()

    def __init__(self) -> None:
        self.name = "str"


def text_classes(ty: Type) -> set[type]:
    """Of what classes a value is that is known to be a text: str, bytes, or one of both."""
    match ty:
        case Str():
            return {str}
        case String(value=value):
            return {str if isinstance(value, str) else bytes}
        case Choice(values=values):
            return {str if isinstance(value, str) else bytes for value in values}
    return set()


MOST_CHOICES = 100


def choice_of(first: String | Choice, second: String | Choice) -> Type | None:
    """The type of a value that is one of these; None where there are too many of them."""
    found: set[str | bytes] = set()
    for ty in (first, second):
        found.update(ty.values if isinstance(ty, Choice) else (ty.value,))
    if len(found) > MOST_CHOICES:
        return None
    return Choice(tuple(sorted(found, key=lambda value: (type(value).__name__, value))))


class DType(Constant):
    """A NumPy dtype object, or an attribute `a.dtype`."""

    __slots__ = ()
    kind = "dtype"

    @property
    def dtype(self) -> Type | None:
        """The type of elements of this dtype."""
        return element_type(self.value)


class Closure(CallableType):
    """An inner function as a value: its code, and the types of what it carries along.

    `captured` are the variables that it closes over, `defaults` the parameters that have a
    default, by name and type.
    """

    __slots__ = ("code", "namespace", "captured", "defaults")

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
        name = code.value.co_name
        self.name = f"function({name} of line {code.value.co_firstlineno})"

    @property
    def carried(self) -> tuple[Type, ...]:
        """The types of the values that the function carries along."""
        return tuple(ty for _, ty in self.captured + self.defaults)


class Dispatcher(Constant, CallableType):
    """A compiled function, called by another."""

    __slots__ = ()
    kind = "compiled"

    @property
    def dispatcher(self) -> Any:  # Any: a compiled function
        """The function."""
        return self.value


class Functions(CallableType):
    """One of several compiled functions; which one is known when it runs."""

    __slots__ = ("functions",)

    def __init__(self, functions: tuple[Dispatcher, ...]) -> None:
        self.functions = functions
        self.name = f"one of ({', '.join(describe(function.value) for function in functions)})"

    @property
    def values(self) -> tuple[Any, ...]:  # Any: compiled functions
        """The functions."""
        return tuple(function.value for function in self.functions)


def functions_of(*given: Dispatcher | Functions) -> Functions | None:
    """The type of a value that is one of these; None where there are too many of them."""
    found: set[Dispatcher] = set()
    for ty in given:
        found.update(ty.functions if isinstance(ty, Functions) else (ty,))
    ordered = sorted(found, key=lambda ty: ty.typecode)
    return None if len(found) > MOST_CHOICES else Functions(tuple(ordered))


def closure_type(
    code: Any,
    namespace: Any,
    captured: tuple[tuple[str, Type], ...],
    defaults: tuple[tuple[str, Type], ...],
) -> Closure:  # Any: a code object, the globals of its module
    """The type of an inner function."""
    return Closure(Identity(code), Identity(namespace), captured, defaults)


def constant_type(cls: Callable[[Any], Any], value: Any) -> Any:  # Any: see Constant
    """The interned constant type of class `cls` for `value`."""
    return cls(Identity(value))


def describe(value: Any) -> str:  # Any: any constant of a user's program
    """A short name for a constant: `math.sqrt`, `np.zeros`, `len`, `'text'`."""
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not isinstance(name, str):
        plain = isinstance(value, str | bytes | int | float | complex | tuple | np.dtype)
        return shortened(repr(value)) if plain or value is None else type(value).__name__
    module = "numpy" if isinstance(value, np.ufunc) else getattr(value, "__module__", None)
    module = module.lstrip("_") if isinstance(module, str) and module != "__main__" else None
    shown = {"numpy": "np", "builtins": None}.get(module, module)
    if shown is None or hasattr(value, "__code__") or hasattr(value, "py_func"):
        return name.rpartition("<locals>.")[2]
    return f"{shown}.{name}"


def shortened(text: str, longest: int = 80) -> str:
    """A text cut to what can be read in a message."""
    return text if len(text) <= longest else text[: longest - 4] + " ..."


# --- NumPy's other scalars, and objects that are only passed on --------------------------------


class _Dated(Type):
    """A count of units of time, as NumPy has it: `multiple` times `unit`."""

    __slots__ = ("unit", "multiple")
    arity = 2
    trailing = (1,)
    kind: ClassVar[str]

    def __init__(self, unit: str, multiple: int) -> None:
        self.unit = unit
        self.multiple = multiple
        step = f"{multiple if multiple > 1 else ''}{unit}"
        self.name = self.kind if unit == "generic" else f"{self.kind}[{step}]"

    def __reduce__(self) -> tuple[Any, ...]:  # Any: the arguments of the class
        return (type(self), (self.unit, self.multiple))


class DateTime(_Dated):
    """`np.datetime64`: a moment, counted from 1970."""

    __slots__ = ()
    kind = "datetime64"


class TimeDelta(_Dated):
    """`np.timedelta64`: the distance of two moments."""

    __slots__ = ()
    kind = "timedelta64"


class FixedString(Type):
    """An element of an array of text or bytes of fixed length: `U5`, `S5`."""

    __slots__ = ("kind", "length")

    def __init__(self, kind: str, length: int) -> None:
        self.kind = kind
        self.length = length
        self.name = f"{kind}{length}"


class Record(Type):
    """A record, NumPy's structured scalar: a view of memory with named fields.

    `fields` are (name, type, offset in bytes); `named` says that its class is np.record, whose
    fields are attributes too; `readonly` that its memory is.  The name shows where fields lie
    unless they follow each other without gaps.  That a dtype is aligned is no part
    of the type, as NumPy calls such dtypes equal.
    """

    __slots__ = ("fields", "size", "named", "readonly")
    arity = 4
    trailing = (False,)

    def __init__(
        self,
        fields: tuple[tuple[str, Type, int], ...],
        size: int,
        named: bool,
        readonly: bool = False,
    ) -> None:
        self.fields = fields
        self.size = size
        self.named = named
        self.readonly = readonly
        ends = [0] + [offset + to_dtype(ty).itemsize for _, ty, offset in fields]
        packed = [offset for _, _, offset in fields] == ends[:-1] and size == ends[-1]
        shown = [f"{name}: {ty}{'' if packed else f' @ {at}'}" for name, ty, at in fields]
        shown += [] if packed else [f"{size} bytes"]
        shown += ["np.record"] * named + ["readonly"] * readonly
        self.name = f"record({', '.join(shown)})"

    def protected(self, readonly: bool) -> Record:
        """The type of the same record whose memory is read-only, or is not."""
        return Record(self.fields, self.size, self.named, readonly)

    def field(self, name: str) -> tuple[Type, int] | None:
        """The type and the offset of a field; None where there is none of that name.

        A record in a record has the class of the outer one, where that is np.record.
        """
        for own, ty, offset in self.fields:
            if own == name:
                inner = isinstance(ty, Record) and self.named and not ty.named
                return (Record(ty.fields, ty.size, True), offset) if inner else (ty, offset)
        return None


class Opaque(OpaqueType):
    """An object of the very class `cls`, of which compiled code knows nothing else: it can be
    passed on, returned, and compared with `is`."""

    __slots__ = ("identity",)

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.name = f"object({describe(identity.value)})"

    @property
    def cls(self) -> type:
        """The class."""
        found: type = self.identity.value
        return found


def opaque(cls: type) -> Opaque:
    """The type of the objects of a class that compiled code only passes on."""
    return Opaque(Identity(cls))


boolean = Boolean()
int8, int16, int32, int64 = (Integer(bits, True) for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (Integer(bits, False) for bits in (8, 16, 32, 64))
float32, float64 = Float(32), Float(64)
complex64, complex128 = Complex(64), Complex(128)
none = NoneType()
ellipsis = EllipsisType()
str_type = Str()
undefined = Undefined()
intp = int64

SCALARS: dict[str, Type] = {
    ty.name: ty
    for ty in (
        boolean,
        int8,
        int16,
        int32,
        int64,
        uint8,
        uint16,
        uint32,
        uint64,
        float32,
        float64,
        complex64,
        complex128,
    )
}

_BY_DTYPE: dict[np.dtype[Any], Type] = {np.dtype(name): ty for name, ty in SCALARS.items()}


def from_dtype(dtype: Any) -> Type | None:  # Any: whatever np.dtype takes
    """The scalar type of a NumPy dtype in native byte order; None where there is none."""
    return _BY_DTYPE.get(np.dtype(dtype))


def to_dtype(ty: Type) -> np.dtype[Any]:
    """The NumPy dtype of a type that elements of arrays can have."""
    return _record_dtype(ty) if isinstance(ty, Record) else np.dtype(ty.name)


DEEPEST_RECORD = 20  # records one in the other


def element_type(dtype: np.dtype[Any], depth: int = 0) -> Type | None:
    """The type of the elements of arrays of a dtype; None where they cannot be passed."""
    if not dtype.isnative or depth > DEEPEST_RECORD:
        return None
    if dtype.num in _DATED:
        return _DATED[dtype.num](*np.datetime_data(dtype))
    if dtype.num in _CHARACTER_BYTES:
        length = dtype.itemsize // _CHARACTER_BYTES[dtype.num]
        return FixedString(dtype.char, length) if length else None
    if dtype.num == np.dtype("V").num:
        return _record_type(dtype, depth)
    return _BY_NUMBER.get(dtype.num)


_DATED = {np.dtype("M8").num: DateTime, np.dtype("m8").num: TimeDelta}
_BY_NUMBER = {np.dtype(c).num: _BY_DTYPE[np.dtype(c)] for c in "?bhilqBHILQfdFD"}
_CHARACTER_BYTES = {np.dtype("U").num: 4, np.dtype("S").num: 1}


def _record_type(dtype: np.dtype[Any], depth: int) -> Record | None:
    if not dtype.names or dtype.type not in (np.void, np.record):
        return None
    fields: list[tuple[str, Type, int]] = []
    for name in dtype.names:
        given = dtype.fields[name]  # type: ignore[index]  it has names
        ty = element_type(given[0], depth + 1)
        if ty is None or len(given) != 2 or type(name) is not str:  # a third is a title
            return None
        fields.append((name, ty, given[1]))
    return Record(tuple(fields), dtype.itemsize, dtype.type is np.record)


def _record_dtype(ty: Record) -> np.dtype[Any]:
    # Made anew each time: the names of a dtype's fields can be changed in place.
    names, inner, offsets = zip(*ty.fields, strict=True)
    formats = list(map(to_dtype, inner))
    described = {"names": names, "formats": formats, "offsets": offsets, "itemsize": ty.size}
    dtype = np.dtype(described)  # type: ignore[call-overload]  NumPy's stubs know few dicts
    return np.dtype((np.record, dtype)) if ty.named else dtype


def has_other_elements(ty: Type) -> bool:
    """Whether a type is an array, or a way through one, whose elements are no numbers."""
    array = ty.array if isinstance(ty, Flat) else ty
    return isinstance(array, Array) and not is_number(array.dtype)


def is_number(ty: Type) -> bool:
    """Whether arithmetic works on values of the type (bool counts, as in Python)."""
    return isinstance(ty, Boolean | Integer | Float | Complex)


def is_real(ty: Type) -> bool:
    """Whether the type is a number with an order."""
    return isinstance(ty, Boolean | Integer | Float)


def is_integral(ty: Type) -> bool:
    """Whether the type is bool or an integer."""
    return isinstance(ty, Boolean | Integer)
