"""The type of a Python value, and the type of a constant in a program (SPEC B3, the last step).

The dispatcher's C code types the usual values by itself; this is the slow, complete
implementation of the same rules.
"""

from __future__ import annotations

import array
import ctypes
import enum
import types as python_types
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from cutaway.errors import TypingError, UntypedValueError
from cutaway.foundation import element_functions, frozen_arrays, stencil_functions
from cutaway.foundation.foreign import (
    acts_as,
    bases_of,
    class_attribute,
    class_name,
    computes_as,
    is_a,
)
from cutaway.ir.constants import is_compiled
from cutaway.typing import types
from cutaway.typing.errors import remedies
from cutaway.typing.types import Array, Range, Tuple, Type, buffers, enums
from cutaway.typing.types.absent import of_constant
from cutaway.typing.types.containers import can_be_item, can_be_key
from cutaway.typing.types.conversions import unify
from cutaway.typing.types.functions import FUNCTION, type_of_function
from cutaway.typing.types.interning import BY_CLASS
from cutaway.typing.types.opaque import method_of, source_of
from cutaway.typing.types.structure import Compound

DEEPEST = 100  # nested tuples, so that Python's own stack does not overflow
_PASSABLE = (
    "numbers, strings, None, enums, tuples, ranges, slices, arrays, buffers, times and records"
    " can be passed"
)


def typeof(value: Any, name: str = "x") -> Type:
    """Return the type of an argument; hints use its `name`.

    Raises UntypedValueError if values of this kind cannot be passed to a compiled function.
    """
    ty = _typeof(value)
    if ty is None:
        raise _refusal(value, name)
    return ty


def from_dtype(dtype: Any) -> Type:
    """Return the type of the elements of arrays of a dtype.

    Raises TypingError for a dtype that compiled code does not support.
    """
    ty = types.element_type(np.dtype(dtype))
    if ty is None:
        raise TypingError(f"elements of {np.dtype(dtype)!r} have no type in compiled code")
    return ty


def _typeof(value: Any, depth: int = 0) -> Type | None:
    # By identity, here and below: a user's metaclass may define `__hash__` and `__eq__`.
    registered = OPAQUE.get(id(type(value)))
    if registered is not None:
        return registered
    known = _typeof_extended(value, ARGUMENT)
    if known is not None:
        return known
    known = BY_CLASS.get(id(type(value)))
    if known is not None:
        if depth >= DEEPEST and issubclass(known, Compound):
            return None
        ty: Type | None = known.of_value(value, lambda item: _typeof(item, depth + 1))
        return ty
    for classes, rule in _DERIVED:
        if is_a(value, classes):
            return rule(value)
    if is_a(value, tuple) and types.is_named_tuple(type(value)) and depth < DEEPEST:
        return Tuple.of_value(value, lambda item: _typeof(item, depth + 1))
    if is_compiled(value):
        return types.constant_type(types.Dispatcher, value)
    if is_a(value, FUNCTION):
        return type_of_function(value)
    made_here = element_functions.ufunc_half(value) is not None or is_a(
        value, stencil_functions.StencilFunction
    )
    if made_here or is_a(value, (python_types.BuiltinFunctionType, _NUMPY_FUNCTION)):
        return types.constant_type(types.Function, value)
    return source_of(value) or _typeof_hooked(value, ARGUMENT)


class Purpose(enum.Enum):
    """The purpose for which a value is typed."""

    argument = 1
    constant = 2


class TypeofContext(NamedTuple):
    """The second argument of extensions' typing functions, after the value."""

    purpose: Purpose


ARGUMENT, CONSTANT = TypeofContext(Purpose.argument), TypeofContext(Purpose.constant)
Asked = Callable[[Any, TypeofContext], Type | None]

# Typing functions of extensions: for a class and its subclasses, by its identity (see OPAQUE); and
# for any value.
REGISTERED: dict[int, tuple[type, Asked]] = {}
HOOKS: list[Asked] = []
_ATTRIBUTES = ("_cutaway_type_", "_numba_type_")


def type_of(value: Any, context: TypeofContext | None = None) -> Type | None:
    """Return the type of a value as an argument or as a constant; None if it has none."""
    constant = context is not None and context.purpose is Purpose.constant
    return typeof_constant(value) if constant else _typeof(value)


def _typeof_extended(value: Any, context: TypeofContext) -> Type | None:
    """Return the type of a value by an extension's function for its class, or by the class's own
    declaration."""
    cls = type(value)
    # Extensions cannot override these classes: nearly all arguments are instances of them.
    if id(cls) in _BUILTIN:
        return None
    if REGISTERED:
        for base in bases_of(cls):
            if id(base) in REGISTERED:
                answer = REGISTERED[id(base)][1](value, context)
                if answer is not None:
                    return answer
    if _declares(cls) is not None:
        for name in _ATTRIBUTES:
            # The class defines it for the compiler, so an exception is its author's error.
            answer = getattr(value, name, None)
            if is_a(answer, Type):
                return answer
    return None


def _declares(cls: type) -> Any:
    """Return a class's declaration of the type of its instances: a type, or a descriptor of one;
    else None."""
    declared = (class_attribute(cls, name) for name in _ATTRIBUTES)
    return next((one for one in declared if one is not None), None)


def is_declared(value: Any) -> bool:
    """True if the type of a value is an attribute of its class, the same for all instances."""
    return id(type(value)) not in _BUILTIN and isinstance(_declares(type(value)), Type)


def may_have_type(cls: type) -> bool:
    """True if instances of a class of Python code or an extension may have a type; the instances
    themselves are not inspected."""
    return (
        issubclass(cls, enum.Enum)
        or cls is array.array
        or types.is_named_tuple(cls)
        or id(cls) in OPAQUE
        or isinstance(_declares(cls), Type)
        or any(id(base) in REGISTERED for base in cls.__mro__)
        or cls.__module__.partition(".")[0] == __name__.partition(".")[0]
    )


def _typeof_hooked(value: Any, context: TypeofContext) -> Type | None:
    for hook in HOOKS:
        answer = hook(value, context)
        if answer is not None:
            return answer
    return None


_BUILTIN = frozenset(map(id, (bool, int, float, complex, str, tuple, type(None), np.ndarray)))


def _typeof_scalar(value: np.generic) -> Type | None:
    """Return the type of a NumPy scalar; subclasses have one only for numbers."""
    if not value.dtype.isnative:
        return None
    number = types.from_dtype(value.dtype)
    if number is not None or type(value) not in _OTHER_SCALARS:
        return number
    ty = types.element_type(value.dtype)
    if isinstance(ty, types.Record):
        same = type(value) is value.dtype.type
        return ty.protected(not value.flags.writeable) if same else None
    return ty


def _typeof_derived(value: Any) -> Type | None:
    """Return the type of a number of a user's class; None if that overrides arithmetic."""
    base = _base_number(value)
    return of_constant(value) if base is None or computes_as(type(value), base) else None


def _base_number(value: Any) -> type | None:
    if is_a(value, np.generic):
        return None
    return next((cls for cls in (int, float, complex) if is_a(value, cls)), None)


def _typeof_dtype(value: np.dtype[Any]) -> Type | None:
    """Return the type of a dtype as a value, normalized to the dtype of its elements' type."""
    ty = types.element_type(value)
    return None if ty is None else types.constant_type(types.DType, types.to_dtype(ty))


_OTHER_SCALARS = (np.datetime64, np.timedelta64, np.void, np.record)
_NUMPY_FUNCTION = type(np.sum)  # the class of NumPy functions written in Python

# The typing rules for values of subclasses of these classes that are not registered.
_DERIVED: tuple[tuple[type | tuple[type, ...], Callable[[Any], Type | None]], ...] = (
    (enum.Enum, enums.typeof_member),
    (int, lambda value: types.int64 if computes_as(type(value), int) else None),
    (np.generic, _typeof_scalar),
    (np.dtype, _typeof_dtype),
    ((type, np.ufunc), lambda value: typeof_constant(value)),
    ((float, complex), lambda value: _typeof_derived(value)),
)

# The classes whose objects are passed on unchanged, by identity, which does not run a metaclass's
# `__hash__`.  Filled by `extending.register_type`.
OPAQUE: dict[int, types.Opaque] = {}
TYPED = (
    *(bool, int, float, complex, tuple, str, bytes, bytearray, memoryview, range, slice, type),
    *(type(None), np.generic, np.ndarray, np.dtype, np.ufunc, _NUMPY_FUNCTION),
    *(python_types.FunctionType, python_types.BuiltinFunctionType, python_types.ModuleType),
)


def register_opaque(cls: type) -> types.Opaque:
    """Let objects of exactly this class be passed on, and return their type."""
    return OPAQUE.setdefault(id(cls), types.opaque(cls))


def _refusal(value: Any, name: str, depth: int = 0) -> UntypedValueError:
    """Return the error for a value without a type, with a hint what to pass instead."""
    if type(value) is tuple:
        return _tuple_refusal(value, depth)
    if type(value) in (list, set, frozenset, dict, deque):
        return _container_refusal(value, depth)
    what, hint = _refused_object(value) or (f"a value of type {class_name(type(value))}", "")
    if is_a(value, np.ndarray):
        what, hint = _array_refusal(value)
    elif is_a(value, python_types.FunctionType):
        what = "a Python function"
    elif is_a(value, tuple):
        hint = "pass tuple(value)"
    elif is_a(value, np.dtype):
        what, hint = f"the dtype {value.name}", "dtypes of supported arrays can be passed"
    elif is_a(value, np.void) and value.dtype.names is not None:
        what, hint = _record_refusal(value.dtype)
        what = f"a record {what}"
    elif is_a(value, np.character):
        hint = f"pass {'str' if is_a(value, np.str_) else 'bytes'}(value)"
    elif is_a(value, (np.floating, np.complexfloating)):
        hint = f"pass {'float' if is_a(value, np.floating) else 'complex'}(value)"
    hint = hint or remedies.for_argument(value, name) or _PASSABLE
    return UntypedValueError(f"{what} cannot be passed to a compiled function", hint=hint)


def _refused_object(value: Any) -> tuple[str, str] | None:
    """Return the description of a string, buffer, number or enumeration member without a type, and
    what to pass."""
    if is_a(value, enum.Enum):
        return enums.untyped_reason(type(value))
    if is_a(value, memoryview):
        return buffers.untyped_reason(value)
    if type(value) is array.array:
        return "an array.array of characters", "pass a str: a.tounicode()"
    number = _base_number(value)
    if number is not None and not computes_as(type(value), number):
        what = f"a value of type {class_name(type(value))}, which computes in its own way,"
        return what, f"pass {number.__name__}(x)"
    base = next((cls.__name__ for cls in _TEXTS if is_a(value, cls)), None)
    if base is None:
        return None
    hint = "pass array.array(x.typecode, x)" if base == "array" else f"pass {base}(x)"
    return f"a value of type {class_name(type(value))} (a subclass of {base})", hint


_TEXTS = (str, bytes, bytearray, array.array)


def _tuple_refusal(value: tuple[Any, ...], depth: int) -> UntypedValueError:
    if depth == DEEPEST:
        message = f"a tuple is nested more than {DEEPEST} levels deep"
        return UntypedValueError(message, hint="pass a flat tuple, or an array")
    place, item = next((k, v) for k, v in enumerate(value) if _typeof(v, depth + 1) is None)
    inner = _refusal(item, "x", depth + 1)
    if inner.message.startswith("a tuple is nested"):
        return inner  # the positions of nested items would not help
    if inner.message.startswith("item "):
        message = inner.message.replace("of the tuple", f"of item {place} of the tuple", 1)
    else:
        message = f"item {place} of the tuple: {inner.message}"
    return UntypedValueError(message, hint=inner.hint)


def _container_refusal(value: Any, depth: int) -> UntypedValueError:
    """Return the error for a list, set or dict with an item that has no type, or another one than
    those before it."""
    word = type(value).__name__
    if depth == DEEPEST:
        message = f"a {word} is nested more than {DEEPEST} levels deep"
        return UntypedValueError(message, hint="pass a flat one, or an array")
    error = None
    rows = [("key", value), ("value", value.values())] if type(value) is dict else [("item", value)]
    for what, items in rows:
        is_key = what == "key" or type(value) in (set, frozenset)
        error = error or _items_refusal(f"{what} {{}} of the {word}", items, is_key, depth)
    assert error is not None, "it has a type"
    return error


def _items_refusal(
    place: str, items: Iterable[Any], is_key: bool, depth: int
) -> UntypedValueError | None:
    """Return the error for the first item that cannot be in a container; None if all can."""
    before: Type = types.undefined
    for number, item in enumerate(items):
        ty, here = _typeof(item, depth + 1), place.format(number)
        if ty is None or not (can_be_key if is_key else can_be_item)(ty):
            reason = _refusal(item, "x", depth + 1) if ty is None else None
            if reason is not None and reason.message.startswith("item "):
                return UntypedValueError(f"{here}: {reason.message}", hint=reason.hint)
            what = f"{here} is {class_name(type(item))}, which cannot be in one in compiled code"
            return UntypedValueError(what, hint="pass a tuple, or an array")
        union = unify(before, ty)
        if union is None:
            return UntypedValueError(
                f"{here} is {ty}, and those before it are {before}: they have one type in compiled"
                " code",
                hint="pass a tuple, or items of one type",
            )
        before = union
    return None


def _array_refusal(value: np.ndarray[Any, Any]) -> tuple[str, str]:
    """Return the description of an array without a type, and what to pass instead."""
    dtype = value.dtype
    if isinstance(value, np.ma.MaskedArray):
        return "a masked array", "pass a.filled(...), or a.data and a.mask"
    if type(value) not in Array.python_classes:
        return f"an array of class {type(value).__name__}", "pass np.asarray(a)"
    match dtype.kind:
        case "O":
            return "an array of Python objects", "a.astype(np.float64), if all elements are numbers"
        case "U" | "S" | "T":
            return f"an array of {'bytes' if dtype.kind == 'S' else 'text'}", _PASSABLE
        case "V" if dtype.names is not None:
            what, hint = _record_refusal(dtype)
            return f"a structured array {what}", hint
        case "f" | "c" if types.from_dtype(dtype.newbyteorder("=")) is None:
            wanted = {"g": "float64", "G": "complex128"}[dtype.char]
            return f"an array of {dtype.name}", f"a.astype(np.{wanted})"
    if not dtype.isnative:
        order = "big" if dtype.byteorder == ">" else "little"
        return f"an array of {order}-endian {dtype.name}", "a.astype(a.dtype.newbyteorder('='))"
    return f"an array of {dtype.name}", _PASSABLE


def _record_refusal(dtype: np.dtype[Any]) -> tuple[str, str]:
    """Return the reason why a structured dtype has no type, and what to pass instead."""
    if dtype.type not in (np.void, np.record):
        return f"of class {dtype.type.__name__}", "convert it to np.void or np.record"
    if not dtype.names:
        return "without fields", "pass an array that has fields"
    for name in dtype.names:
        inner, *rest = dtype.fields[name]  # it has names
        shown = f"whose field {str(name)!r}"
        if len(rest) > 1:
            return f"{shown} has a title", "use a dtype whose fields have only names"
        if inner.subdtype is not None:
            inner = inner.subdtype[0]
        if not inner.isnative and inner.names is None:
            order = "big" if inner.byteorder == ">" else "little"
            return f"{shown} is {order}-endian", "a.astype(a.dtype.newbyteorder('='))"
        if types.element_type(inner, 1) is None:
            return f"{shown} is of {inner.name}", "pass its other fields one by one"
    return "nested so deep", "pass its fields one by one"


# Functions that register objects with a `__wrapper_address__` as callable.
WITH_ADDRESS: list[Callable[[Any], None]] = []


def typeof_constant(value: Any, depth: int = 0) -> Type | None:
    """Return the type of a constant, global or closure value; None if it has none."""
    if type(value) in PLAIN:
        return of_constant(value)
    extended = _typeof_extended(value, CONSTANT)
    if extended is not None:
        return extended
    own = BY_CLASS.get(id(type(value)))
    if own is not None and issubclass(own, types.Container) and type(value) is not own.built_in:
        native: Type | None = value._type  # compiled code refers to the container itself
        return native
    for kind in CONSTANTS:
        if is_a(value, kind.classes):
            ty = kind.rule(value, depth)
            if ty is not None:
                return ty
    if is_compiled(value):
        return types.constant_type(types.Dispatcher, value)
    random = source_of(value) or method_of(value)
    hooked = random or _typeof_hooked(value, CONSTANT)
    if hooked is None and class_attribute(type(value), "__wrapper_address__") is not None:
        for register in WITH_ADDRESS:
            register(value)
        return types.constant_type(types.Function, value)
    if hooked is None and callable(value):
        return types.constant_type(types.Function, value)
    return hooked


class ConstantKind(NamedTuple):
    """A kind of constants: the classes of its values, and a rule that returns the type of a value,
    or None if the value is not of this kind after all.

    The parts of a value that compiled code contains belong to the cache key: a new kind needs a row
    in `caching/dependencies.py`.
    """

    classes: tuple[type, ...]
    rule: Callable[[Any, int], Type | None]


def _same_constant(cls: Callable[[Any], Type]) -> Callable[[Any, int], Type]:
    return lambda value, depth: types.constant_type(cls, value)


def _constant_tuple(value: tuple[Any, ...], depth: int) -> Type | None:
    if depth >= DEEPEST or not acts_as(type(value), tuple):
        return None
    items = [typeof_constant(item, depth + 1) for item in value]
    if None in items:
        return None
    if types.is_named_tuple(type(value)):
        return types.NamedTuple(tuple(items), type(value))
    return Tuple(tuple(items))


def _constant_list(value: list[Any], depth: int) -> Type | None:
    # A global list is frozen: its items go into the code, as those of a display.
    if not acts_as(type(value), list):
        return None
    items = None if len(value) > MOST_ITEMS else _constant_tuple(tuple(value), depth)
    return types.ListDisplay(items.items) if isinstance(items, Tuple) else None


def _constant_set(value: frozenset[Any], depth: int) -> Type | None:
    # `{a, b}` of constants, as a display of its items.
    items = _constant_tuple(tuple(value), depth) if len(value) <= MOST_ITEMS else None
    return types.ListDisplay(items.items) if isinstance(items, Tuple) else None


def _constant_slice(value: slice, depth: int) -> Type | None:
    parts = [typeof_constant(p) for p in (value.start, value.stop, value.step)]
    bounds = [None if part is None else types.slice_bound(part) for part in parts]
    return None if None in bounds else types.Slice(*bounds)


def _constant_range(value: range) -> Range | None:
    ends = (value.start, value.stop, value.step)
    return Range(types.int64, value.step) if all(-(2**63) <= n < 2**63 for n in ends) else None


def _typeof_type(value: Type) -> Type | None:
    """Return the type of the scalar class that a number type denotes, as in `float32(x)`; for any
    other type that of a constant."""
    if not types.is_number(value):
        is_called = isinstance(value, types.CallableType)  # a function of C
        return None if is_called else types.constant_type(types.TypeConstant, value)
    return types.constant_type(types.Class, bool if value is types.boolean else _scalar(value))


def _scalar(ty: Type) -> type[np.generic]:
    return types.to_dtype(ty).type


def _typeof_frozen_array(value: np.ndarray[Any, Any], depth: int) -> Array | None:
    # A global array is frozen: a read-only copy goes into the code.
    array_ty = Array.of_value(value, _typeof)
    if array_ty is None:
        return None
    kept = frozen_arrays.frozen(value)
    layout = "C" if kept is not value else array_ty.layout
    if not _has_usual_strides(kept, layout):
        layout = "A"
    return Array(array_ty.dtype, array_ty.ndim, layout, True, kept.flags.aligned)


def _has_usual_strides(value: np.ndarray[Any, Any], layout: str) -> bool:
    """True if the strides are those of the layout, also of axes of length one, for which NumPy
    accepts any."""
    axes = range(value.ndim)
    expected = value.itemsize
    for axis in reversed(axes) if layout == "C" else axes:
        if value.strides[axis] != expected:
            return False
        expected *= max(value.shape[axis], 1)
    return True


# By their names in NumPy.
INDEX_TOOLS = {"r_": np.r_, "c_": np.c_, "mgrid": np.mgrid, "ogrid": np.ogrid}
MOST_ITEMS = 100  # of a global list: each is a separate value in the code
PLAIN = (bool, int, float, complex, type(None))  # exact classes
CONSTANTS: tuple[ConstantKind, ...] = (
    ConstantKind((enum.Enum,), lambda value, _: enums.typeof_member(value)),
    ConstantKind((str, bytes), _same_constant(types.String)),
    ConstantKind((tuple,), _constant_tuple),
    ConstantKind((list,), _constant_list),
    ConstantKind((frozenset,), _constant_set),
    ConstantKind((type,), _same_constant(types.Class)),
    ConstantKind((python_types.ModuleType,), _same_constant(types.Module)),
    ConstantKind((FUNCTION,), lambda value, _: type_of_function(value)),
    ConstantKind((ctypes.CDLL,), _same_constant(types.CLibrary)),
    ConstantKind((np.dtype,), _same_constant(types.DType)),
    ConstantKind((np.datetime64, np.timedelta64), lambda value, _: _typeof_scalar(value)),
    ConstantKind((np.generic,), lambda value, _: types.from_dtype(value.dtype)),
    ConstantKind((python_types.EllipsisType,), lambda value, _: types.ellipsis),
    ConstantKind((Type,), lambda value, _: _typeof_type(value)),
    ConstantKind((slice,), _constant_slice),
    ConstantKind((range,), lambda value, _: _constant_range(value)),
    ConstantKind((np.ndarray,), _typeof_frozen_array),
    ConstantKind(tuple(map(type, INDEX_TOOLS.values())), _same_constant(types.IndexTool)),
)
