"""The types: interned, immutable, one object for each distinct type.

Two types are the same type exactly when they are the same object, so they hash and compare at
the price of a pointer.  `str(ty)` is the name used everywhere, in signatures, dumps and
messages.  Numbers form the lattice that unification climbs: bool, integers, floats, complex.
(SPEC B2, B4, C1.)
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable
from types import BuiltinFunctionType
from typing import Any, ClassVar
from weakref import WeakValueDictionary

import numpy as np

from cutaway.errors import TypingError
from cutaway.ir.operators import formatted

LARGEST_NDIM = 64  # dimensions of an array, as in NumPy
LARGEST_TUPLE = 5000  # numbers in a tuple, those in tuples in it included
DEEPEST_TUPLE = 100  # tuples one in the other
LONGEST_NAME = 2000  # characters of a type's name; a longer one is cut short in messages

_INTERNED: WeakValueDictionary[tuple[Any, ...], Type] = WeakValueDictionary()
_INTERNING = threading.RLock()  # again by a type that is made of others
_CODES = itertools.count(1)
BY_CODE: WeakValueDictionary[int, Type] = WeakValueDictionary()


class _Interning(type):
    """Makes a call of a type class give the one object with those arguments."""

    def __call__(cls, *args: Any) -> Any:  # Any: each class has arguments of its own
        if len(args) < cls.arity:  # defaults count as given, or one type would be two
            args += cls.trailing[len(args) - cls.arity :]
        key = (cls, *args)
        found = _INTERNED.get(key)
        return cls._new(key) if found is None else found

    def _new(cls, key: tuple[Any, ...]) -> Any:  # Any: an object of the class
        with _INTERNING:
            found = _INTERNED.get(key)  # another thread may have been here
            if found is None:
                found = super().__call__(*key[1:])
                found.typecode = next(_CODES)
                BY_CODE[found.typecode] = found
                _INTERNED[key] = found
            return found


class Type(metaclass=_Interning):
    """Base of all types.

    `is_none` says whether a value is None: True only None, False never, None unknown.
    `typecode` is a number of its own, never used again, by which the C dispatcher knows the
    type (SPEC B2).
    """

    __slots__ = ("name", "typecode", "__weakref__")
    arity: ClassVar[int] = 0  # of a class with defaults: how many arguments, and their defaults
    trailing: ClassVar[tuple[Any, ...]] = ()  # Any: as the class's own arguments
    is_none: ClassVar[bool | None] = False
    name: str
    typecode: int

    def __str__(self) -> str:
        name = self.name
        return name if len(name) <= LONGEST_NAME else f"{name[:200]} ... {name[-20:]}"

    __repr__ = __str__

    @property
    def extent(self) -> int:
        """How many numbers there are in a tuple, those in tuples in it included; else 1."""
        return 1

    @property
    def nesting(self) -> int:
        """How many tuples there are one in the other."""
        return 0

    def __reduce__(self) -> tuple[Any, ...]:  # Any: the arguments of the class
        return (type(self), tuple(getattr(self, slot) for slot in type(self).__slots__))


class Boolean(Type):
    """`bool`."""

    __slots__ = ()

    def __init__(self) -> None:
        self.name = "bool"


class Integer(Type):
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


class Float(Type):
    """A binary float of 32 or 64 bits."""

    __slots__ = ("bits",)

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.name = f"float{bits}"


class Complex(Type):
    """A complex number of two floats; `bits` counts both."""

    __slots__ = ("bits",)

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.name = f"complex{bits}"

    @property
    def part(self) -> Float:
        """The type of the real and of the imaginary part."""
        return Float(self.bits // 2)


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

    def __init__(self, default: _Identity) -> None:
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


class _Identity:
    """A value as a key, equal to another when type and value are (1 and True differ)."""

    __slots__ = ("value", "_key")

    def __init__(self, value: Any) -> None:  # Any: any constant of a user's program
        self.value = value
        self._key: tuple[Any, ...]
        if isinstance(value, type | BuiltinFunctionType):  # never by an `==` of the user's
            self._key = (id(type(value)), id(value))
            return
        try:
            hash(value)
        except TypeError:
            self._key = (type(value), id(value))
        else:
            self._key = (type(value), repr(value) if isinstance(value, float) else value)
        if isinstance(value, np.dtype):  # NumPy holds some equal that are of different scalars
            self._key += (value.type,)

    def __reduce__(self) -> tuple[Any, ...]:  # Any: see __init__
        return (_Identity, (self.value,))

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self._key == other._key


def omitted(default: Any) -> Omitted:  # Any: a default is any object
    """The type of an argument left out whose parameter has `default`."""
    return Omitted(_Identity(default))


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


class Tuple(_Compound):
    """A tuple of known length; each item has its type."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[Type, ...]) -> None:
        self.items = items
        self._size = _checked_extent(items)
        if len(items) > 1 and len(set(items)) == 1:
            self.name = f"UniTuple({items[0]} x {len(items)})"
        else:
            self.name = f"Tuple({', '.join(map(str, items))})"

    @property
    def uniform(self) -> Type | None:
        """The type that all items share, None where they differ or there are none."""
        return self.items[0] if self.items and len(set(self.items)) == 1 else None

    def of(self, items: tuple[Type, ...]) -> Tuple:
        """The type of the same kind with other items."""
        return Tuple(items)

    def made(self, items: Iterable[Any]) -> tuple[Any, ...]:  # Any: values of the program
        """The Python value of these items."""
        return tuple(items)


class NamedTuple(Tuple):
    """A tuple of a class that `collections.namedtuple` or `typing.NamedTuple` made."""

    __slots__ = ("cls",)

    def __init__(self, items: tuple[Type, ...], cls: Any) -> None:  # Any: such a class
        super().__init__(items)
        self.cls = cls
        fields = zip(cls._fields, items, strict=True)
        self.name = f"{cls.__name__}({', '.join(f'{name}: {ty}' for name, ty in fields)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (NamedTuple, (self.items, self.cls))

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


class Range(Type):
    """A `range` over `dtype`; `step` is the step where it is a constant, else None."""

    __slots__ = ("dtype", "step")

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


class Array(Type):
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
        if ndim > LARGEST_NDIM:
            raise TypingError(f"an array has at most {LARGEST_NDIM} dimensions")
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

    def viewed(self, ndim: int, layout: str) -> Array:
        """The type of a view of this array with other dimensions and layout."""
        return Array(self.dtype, ndim, layout, self.readonly, self.aligned)


class Iterator(Type):
    """An iterator; `item` is what it yields."""

    __slots__ = ("source", "item")

    def __init__(self, source: Type, item: Type) -> None:
        self.source = source
        self.item = item
        self.name = f"iter({source})"


class Enumerated(Type):
    """What `enumerate` goes through: another iterator."""

    __slots__ = ("inner",)

    def __init__(self, inner: Iterator) -> None:
        self.inner = inner
        self.name = f"enumerate({inner.source})"


class Zipped(_Compound):
    """What `zip` goes through: iterators side by side."""

    __slots__ = ("inner",)

    def __init__(self, inner: tuple[Iterator, ...]) -> None:
        self.inner = inner
        self._size = _checked_extent(one.source for one in inner)
        self.name = f"zip({', '.join(str(one.source) for one in inner)})"


class Flat(Type):
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


class BoundMethod(Type):
    """A method of a value, on its way to being called: `a.sum` before the parentheses."""

    __slots__ = ("owner", "attr")

    def __init__(self, owner: Type, attr: str) -> None:
        self.owner = owner
        self.attr = attr
        self.name = f"method({owner}.{attr})"


class Constant(Type):
    """A value that is known when compiling and needs no memory: a function, a class, a module,
    a string, a dtype.  The value is the type."""

    __slots__ = ("identity",)

    def __init__(self, identity: _Identity) -> None:
        self.identity = identity
        self.name = f"{self.kind}({describe(identity.value)})"

    kind: ClassVar[str] = "constant"

    @property
    def value(self) -> Any:  # Any: any constant of a user's program
        """The constant."""
        return self.identity.value


class Function(Constant):
    """A function that the library knows how to compile (`math.sqrt`, `len`)."""

    __slots__ = ()
    kind = "function"


class Class(Constant):
    """A class that can be called (`int`, `np.float32`) or raised (`ValueError`)."""

    __slots__ = ()
    kind = "class"


class Module(Constant):
    """A module; its attributes are looked up when compiling."""

    __slots__ = ()
    kind = "module"


class String(Constant):
    """A string constant."""

    __slots__ = ()
    kind = "str"


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


class Closure(Type):
    """An inner function as a value: its code, and the types of what it carries along.

    `captured` are the variables that it closes over, `defaults` the parameters that have a
    default, by name and type.
    """

    __slots__ = ("code", "namespace", "captured", "defaults")

    def __init__(
        self,
        code: _Identity,
        namespace: _Identity,
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


class Dispatcher(Constant):
    """A compiled function, called by another."""

    __slots__ = ()
    kind = "compiled"


def closure_type(
    code: Any,
    namespace: Any,
    captured: tuple[tuple[str, Type], ...],
    defaults: tuple[tuple[str, Type], ...],
) -> Closure:  # Any: a code object, the globals of its module
    """The type of an inner function."""
    return Closure(_Identity(code), _Identity(namespace), captured, defaults)


def constant_type(cls: Callable[[Any], Any], value: Any) -> Any:  # Any: see Constant
    """The interned constant type of class `cls` for `value`."""
    return cls(_Identity(value))


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


class Opaque(Type):
    """An object of the very class `cls`, of which compiled code knows nothing else: it can be
    passed on, returned, and compared with `is`."""

    __slots__ = ("identity",)

    def __init__(self, identity: _Identity) -> None:
        self.identity = identity
        self.name = f"object({describe(identity.value)})"

    @property
    def cls(self) -> type:
        """The class."""
        found: type = self.identity.value
        return found


def opaque(cls: type) -> Opaque:
    """The type of the objects of a class that compiled code only passes on."""
    return Opaque(_Identity(cls))


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
