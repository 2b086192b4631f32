"""Classes that extensions use in `isinstance`, and derive their own types from.

Those of the first kind match classes of this package that are not derived from them.  Those of the
second (`ABSENT`) are of values that compiled code does not have: their types can be written and
compared, but no value has them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway.typing import types
from cutaway.typing.types import Type
from cutaway.typing.types.base import in_place
from cutaway.typing.types.containers import native_of
from cutaway.typing.types.interning import Identity, Interning
from cutaway.typing.types.kinds import List


class Asking(Interning):
    """The metaclass of classes whose `isinstance` test is a predicate of types."""

    def __instancecheck__(cls, thing: object) -> bool:
        also = vars(cls).get("also")
        return super().__instancecheck__(thing) or (also is not None and also(thing))


def _among(*classes: type[Type]) -> Any:
    return staticmethod(lambda thing: isinstance(thing, classes))


class Sized(Type, metaclass=Asking):
    """A type of values that have a length."""

    __slots__ = ()
    also: Callable[[object], bool] = _among(types.Tuple, types.Flat, List)


class ConstSized(Sized):
    """A type whose values all have the same length, which is part of the type."""

    __slots__ = ()
    also = _among(types.Tuple)


class Container(Sized, types.IterableType):
    """A type of values that contain others."""

    __slots__ = ()
    also = _among(types.UniTuple, types.NamedUniTuple, types.Flat, List)


class Sequence(Container):
    """A type of values that contain others in an order."""

    __slots__ = ()
    also = _among(types.UniTuple, types.NamedUniTuple, types.Flat, List)


class MutableSequence(Sequence):
    """A type of mutable values that contain others in an order."""

    __slots__ = ()
    also = _among(types.Flat, List)


class DTypeSpec(Type, metaclass=Asking):
    """A type of values that specify the elements of an array, the type's `dtype`: dtypes and
    classes of numbers."""

    __slots__ = ()
    also: Callable[[object], bool] = staticmethod(
        lambda thing: isinstance(thing, types.DType) or isinstance(thing, NumberClass)
    )


class NumberClass(DTypeSpec):
    """The type of a class of numbers, as `np.float64` is: `NumberClass(float64)`."""

    __slots__ = ()
    adapts = True
    also = staticmethod(
        lambda thing: isinstance(thing, types.Class) and thing.instance_type is not None
    )

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """Return the type of the NumPy class of a number type."""
        (number,) = args or named.values()
        return types.Class, (Identity(np.dtype(str(number)).type),)


class ListType(Type, metaclass=Asking):
    """The type of a native list; a call with the type of its items returns it."""

    __slots__ = ()
    adapts = True
    notation = ("ListType",)
    also: Callable[[object], bool] = staticmethod(
        lambda thing: isinstance(thing, types.List) and thing.native
    )

    def __init__(self, item_type: Type) -> None:
        """Name the parameter."""

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """Return the class and the arguments of the container's type."""
        inside = map(native_of, (*args, *in_place(cls, args, named)))
        return cls.made, (*inside, 0, True)

    made: type[Type] = types.List


class DictType(ListType):
    """The type of a native dict, by the types of its keys and its values."""

    __slots__ = ()
    notation = ("DictType",)
    also = staticmethod(lambda thing: isinstance(thing, types.Dict) and thing.native)
    made = types.Dict

    def __init__(self, key_type: Type, value_type: Type) -> None:
        """Name the parameters."""


class Absent(Type):
    """A type without values."""

    __slots__ = ("args",)
    adapts = True

    @classmethod
    def adapt(cls, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
        """Use all arguments as the key of the type."""
        return cls, (*args, *named.values())

    def __init__(self, *args: Any) -> None:
        self.args = args
        self.name = f"{type(self).__name__}[{', '.join(map(str, args))}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.args


_SPACE = {"__slots__": (), "__module__": __name__, "__doc__": "See Absent."}
ABSENT = {
    name: type(Type)(name, (Absent,), dict(_SPACE))
    for name in """
    ArrayIterator BaseContainerIterator BaseContainerPayload ByteArray ClassDataType
    ClassInstanceType ClassType ContextManager DeferredType DictItemsIterableType DictIteratorType
    DictKeysIterableType DictValuesIterableType EnumClass EphemeralArray ExceptionClass
    ExceptionInstance FunctionPrototype InitialValue IntEnumClass ListIter ListPayload
    ListTypeIterableType ListTypeIteratorType LiteralList LiteralStrKeyDict MakeFunctionLiteral
    MemoryView NamedTupleClass NumPyRandomBitGeneratorType NumpyNdEnumerateType NumpyNdIndexType
    ObjModeDispatcher Object Pair Phantom Poison PolynomialType PyArray RangeIteratorType
    RecursiveCall Set SetEntry SetIter SetIterableType SetIteratorType SetPayload SetType
    SliceLiteral StructRef StructRefPayload TypeRef UndefVar UndefinedFunctionType
    UnicodeIteratorType UnionType UniTupleIter WeakType
    """.split()
}
globals().update(ABSENT)
