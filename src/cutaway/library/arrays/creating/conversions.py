"""Arrays made from arrays: `astype`, `np.array asarray ascontiguousarray asfortranarray`; `item`,
`np.shape ndim size`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, body, refuse, static
from cutaway.extending.overloads import overload
from cutaway.extending.registry import CONTEXT, Lower, method, primitive
from cutaway.foundation.marks import literal_unroll
from cutaway.library.arrays.indexing.basic import fitted
from cutaway.library.arrays.kit import takes
from cutaway.library.arrays.kit.copies import as_wanted, converted, copied, itself_or_copy, order_of
from cutaway.library.arrays.kit.dtypes import (
    CASTINGS,
    asked_dtype,
    dtype_like,
    dtype_of,
    element_dtype,
)
from cutaway.library.arrays.kit.shapes import rows_of
from cutaway.library.arrays.kit.takes import (
    Anything,
    Dtype,
    Flag,
    Nothing,
    Number,
    NumberDtype,
    Numbers,
    Order,
    is_several,
)
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_alike,
    array_alone,
    dimensions,
    flag,
    is_in_columns,
    is_in_rows,
    left_out,
    private,
    said,
)
from cutaway.library.containers.comprehensions import checked
from cutaway.library.core.messages import message_of
from cutaway.library.elements.times import is_converted
from cutaway.lowering.arrays.elements import store_element
from cutaway.lowering.arrays.memory import allocate, contiguous_strides
from cutaway.lowering.arrays.shapes import element_count, is_in_order
from cutaway.lowering.arrays.texts import as_element
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import (
    ArrayParts,
    Value,
    array_parts,
    array_value,
    item_size,
    make_tuple,
    tuple_items,
)
from cutaway.typing import types
from cutaway.typing.overloads.resolution import (
    REQUIRED,
    Arguments,
    ElementWise,
    Overload,
    Rule,
    Signature,
)
from cutaway.typing.types import Array, Collected, Complex, Tuple, Type
from cutaway.typing.types.buffers import Buffer
from cutaway.typing.types.conversions import unify_all
from cutaway.typing.types.sequences import array_type
from cutaway.typing.ufuncs import result_type


def _fits(dtype: Type, given: Type) -> bool:
    if not (types.is_number(dtype) and types.is_number(given)):
        counts = _is_count(dtype, given) or _is_count(given, dtype)
        return dtype is given or counts or is_converted(given, dtype)
    return isinstance(dtype, Complex) or not isinstance(given, Complex)


def _is_count(number: Type, dated: Type) -> bool:
    """True if `number` is the count of units that `dated` is made of."""
    return number is types.int64 and isinstance(dated, types.Dated)


def _wanted_element(arguments: Arguments) -> Type | None:
    """The element type that an array is converted to; None if the conversion is refused."""
    array, dtype_argument = arguments.types[:2]
    if not isinstance(array, Array):
        return None
    dtype = dtype_of(dtype_argument, array.dtype)
    return dtype if dtype is not None and _fits(dtype, array.dtype) else None


def _new_array_rule(arguments: Arguments) -> Signature | None:
    array, dtype = arguments.types[0], _wanted_element(arguments)
    if dtype is None or not isinstance(array, Array):
        return None
    layout = "F" if array.layout == "F" else "C"
    return Signature(Array(dtype, array.ndim, layout), arguments.types)


@primitive(np.array, _new_array_rule, ("object", "dtype"), (REQUIRED, None), any_elements=True)
def new_array(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.astype(dtype)`, `np.array(a)`: a new array in the order of the old one."""
    assert isinstance(sig.returns, Array)
    return converted(build, sig.returns, args[0])


def _may_stay(arguments: Arguments) -> bool | None:
    """True if `astype` returns the array itself when the dtype already matches; None for orders and
    castings that are not compiled."""
    order, casting, copies = (arguments.constants[place] for place in (2, 3, 5))
    if order != "K" or casting != "unsafe" or not isinstance(copies, bool):
        return None
    return not copies


def _itself_rule(arguments: Arguments) -> Signature | None:
    array = arguments.types[0]
    if not isinstance(array, Array) or not _may_stay(arguments):
        return None
    same = _wanted_element(arguments) is array.dtype
    return Signature(array, arguments.types) if same else None


def _astype_rule(arguments: Arguments) -> Signature | None:
    return None if _may_stay(arguments) is None else _new_array_rule(arguments)


def _lower_itself(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    build.call("void", "cutaway_incref", [("ptr", args[0].parts[0])])
    return args[0]


def _elements_of_astype(sig: Signature) -> ElementWise | None:
    """The conversion of each element; None for a plain copy, which takes no loop."""
    array, returns = sig.args[0], sig.returns
    assert isinstance(array, Array) and isinstance(returns, Array)
    numbers = types.is_number(array.dtype) and types.is_number(returns.dtype)
    if not numbers or not array.ndim or returns.dtype is array.dtype:
        return None
    same = result_type(returns.dtype, [array]) is returns
    return ElementWise(f"as.{returns.dtype}", (0,)) if same else None


def _register_astype(rule: Rule, lower: Lower, elements: Any) -> None:
    CONTEXT.add(
        method(Array, "astype"),
        Overload(
            *(rule, (), lower),
            ("a", "dtype", "order", "casting", "subok", "copy"),
            (REQUIRED, REQUIRED, "K", "unsafe", True, True),
            any_elements=True,
            elements=elements,
        ),
    )


_register_astype(_itself_rule, _lower_itself, None)
_register_astype(_astype_rule, new_array, _elements_of_astype)


@static
def _refusal(a: Array, dtype: Any, casting: Any) -> str | None:
    """NumPy's error message if the casting rule forbids the conversion, else None."""
    source, kind, rule = element_dtype(a), dtype_like(a, dtype), said(casting)
    if np.can_cast(source, kind, rule):
        return None
    return message_of(lambda: np.zeros(1, source).astype(kind, casting=rule))


Casting = Takes("a rule of NumPy's for conversions", lambda rule: said(rule) in CASTINGS)


@body(method(Array, "astype"), **OPTIONS)
def astype(
    a: Numbers,
    dtype: NumberDtype,
    order: Order = "K",
    casting: Casting = "unsafe",
    subok: Anything = True,
    copy: Flag = True,
):
    """`a.astype` with an order and a casting rule."""
    refusal = _refusal(a, dtype, casting)
    if refusal is not None:
        raise TypeError(refusal)
    if copy:
        return np.array(a, dtype, order=order)
    if order == "A" and not (is_in_rows(a) or is_in_columns(a)):
        refuse("whether the array is copied depends on its strides", "write order='K'")
    return as_wanted(a, dtype, order)


def _as_rule(layout: str, arguments: Arguments) -> Signature | None:
    array, dtype = arguments.types[0], _wanted_element(arguments)
    if dtype is None or not isinstance(array, Array):
        return None
    if layout == "A":
        layout = array.layout if dtype is array.dtype or array.layout == "F" else "C"
    if dtype is array.dtype and Array(dtype, array.ndim, layout).layout == array.layout:
        return Signature(array, arguments.types)
    return Signature(Array(dtype, array.ndim, layout), arguments.types)


def _single_rule(layout: str, arguments: Arguments) -> Signature | None:
    """The signature for an array without axes, which only `asarray` leaves without axes."""
    array, dtype = arguments.types[0], _wanted_element(arguments)
    if dtype is None or layout != "A":
        return None
    result = array if dtype is array.dtype else Array(dtype, 0, "C")
    return Signature(result, arguments.types)


def _register_as(function: Any, layout: str) -> None:
    def rule(arguments: Arguments) -> Signature | None:
        array = arguments.types[0]
        if isinstance(array, Array) and array.ndim == 0:
            return _single_rule(layout, arguments)
        return _as_rule(layout, arguments)

    def same_rule(arguments: Arguments) -> Signature | None:
        sig = rule(arguments)
        return sig if sig is not None and sig.returns is sig.args[0] else None

    @primitive(function, same_rule, ("a", "dtype"), (REQUIRED, None), True, shares=True)
    def itself(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return args[0]

    @primitive(function, rule, ("a", "dtype"), (REQUIRED, None), any_elements=True)
    def as_array(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        array, returns = args[0].ty, sig.returns
        assert isinstance(returns, Array) and isinstance(array, Array)
        if returns.dtype is not array.dtype or array.readonly or not array.aligned:
            return converted(build, returns, args[0])
        lies = is_in_order(build, args[0], returns.layout)
        owner, data = itself_or_copy(build, args[0], lies, returns)
        shape = array_parts(args[0]).shape
        strides = contiguous_strides(build, shape, item_size(returns.dtype), returns.layout)
        return array_value(returns, ArrayParts(owner, data, shape, strides))


_register_as(np.asarray, "A")
_register_as(np.ascontiguousarray, "C")
_register_as(np.asfortranarray, "F")


Single = Takes("an array without axes", lambda a: isinstance(a, Array) and not a.ndim)


@takes.numpy(np.ascontiguousarray)
@takes.numpy(np.asfortranarray)
def line_of_single(a: Single, dtype: Dtype = None):
    return np.asarray(a, dtype).reshape(1)


# --- lists of comprehensions -------------------------------------------------------------------

Listed = Takes("a list of a comprehension", lambda one: isinstance(one, Collected))


@takes.numpy(np.array)
def array_of_list(object: Listed, dtype: Dtype = None):
    return np.array(checked(object), dtype)


@takes.numpy(np.asarray)
def asarray_of_list(a: Listed, dtype: Dtype = None):
    return np.array(checked(a), dtype)


# --- buffers -----------------------------------------------------------------------------------


def _lent_rule(arguments: Arguments) -> Signature | None:
    buffer, dtype = arguments.types
    if not isinstance(buffer, Buffer) or buffer.cls is bytes:  # NumPy treats bytes as one text
        return None
    array = buffer.array
    same = array.dtype is not None and dtype_of(dtype, array.dtype) is array.dtype
    return Signature(array, arguments.types) if same else None


@primitive(np.asarray, _lent_rule, ("a", "dtype"), (REQUIRED, None))
def array_of_buffer(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.asarray` of a memoryview, bytearray or array.array: an array over the same memory."""
    return _lower_itself(build, sig, [Value(sig.returns, args[0].parts)])


Lent = Takes("what lends its memory", lambda a: isinstance(a, Buffer) and a.cls is not bytes)


@takes.numpy(np.array)
def array_of_other_memory(object: Lent, dtype: Dtype = None):
    return np.array(np.asarray(object), dtype)


# --- arrays of tuples -------------------------------------------------------------------------


def _table_of(ty: Type) -> tuple[tuple[int, ...], list[Type]] | None:
    """The shape of nested tuples and the types of their leaves: numbers, times or constant texts.
    None for other types and for tuples of unequal lengths."""
    if types.is_number(ty) or isinstance(ty, types.Dated | types.String):
        return (), [ty]
    if not isinstance(ty, Tuple):
        return None
    tables = [_table_of(item) for item in ty.items]
    shapes = {one[0] for one in tables if one is not None}
    if None in tables or len(shapes) > 1:
        return None
    inner = shapes.pop() if shapes else ()
    return (len(tables), *inner), [leaf for one in tables if one is not None for leaf in one[1]]


def _leaves(value: Value) -> list[Value]:
    """The leaves of nested tuples, in C order."""
    if not isinstance(value.ty, Tuple):
        return [value]
    return [leaf for item in tuple_items(value) for leaf in _leaves(item)]


def _tuple_rule(arguments: Arguments) -> Signature | None:
    sequence, dtype_argument = arguments.types
    table = _table_of(sequence) if isinstance(sequence, Tuple) else None
    if table is None:
        return None
    shape, leaves = table
    common = _common_element(leaves)
    dtype = None if common is None else dtype_of(dtype_argument, common)
    if dtype is None or not all(_takes(dtype, leaf) for leaf in leaves):
        return None
    return Signature(Array(dtype, len(shape), "C"), arguments.types)


def _common_element(leaves: list[Type]) -> Type | None:
    """The element type of an array of these leaves."""
    texts = [leaf.value for leaf in leaves if isinstance(leaf, types.String)]
    if not texts:
        return unify_all(tuple(leaves)) if leaves else types.float64
    if len(texts) < len(leaves) or len(set(map(type, texts))) > 1:
        return None
    return types.element_type(np.array(texts).dtype)


def _takes(dtype: Type, leaf: Type) -> bool:
    """True if an array of `dtype` can be made of items of this type."""
    if isinstance(leaf, types.String):
        same = {"U": str, "S": bytes}.get(getattr(dtype, "kind", ""))
        return isinstance(dtype, types.FixedString) and type(leaf.value) is same
    return _fits(dtype, leaf)


def _as_item(build: FunctionBuilder, item: Value, dtype: Type) -> Value:
    if not isinstance(dtype, types.FixedString):
        return fitted(build, item, dtype, always=True)
    return as_element(build, build.cast(item, dtype.taken), dtype)


@primitive(np.array, _tuple_rule, ("object", "dtype"), (REQUIRED, None))
@primitive(np.asarray, _tuple_rule, ("a", "dtype"), (REQUIRED, None))
def array_of_tuple(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.array((x, y, ...))`, `np.array(((x, y), (z, w)))`."""
    ty, table = sig.returns, _table_of(args[0].ty)
    assert isinstance(ty, Array) and table is not None
    items = [_as_item(build, item, ty.dtype) for item in _leaves(args[0])]
    array = allocate(build, ty, tuple(map(str, table[0])), zeroed=False)
    data = array_parts(array).data
    for k, item in enumerate(items):
        store_element(build, ty, item, build.offset(data, str(k * item_size(ty.dtype))))
    return array


def _are_arrays(sequence: Any) -> bool:
    return isinstance(sequence, Tuple) and bool(sequence.items) and array_type(sequence) is not None


def _are_alike(arrays: Any) -> bool:
    """True for several arrays of one non-numeric element type and one number of dimensions."""
    if not isinstance(arrays, Tuple) or not are_alike(*arrays.items):
        return False
    return not types.is_number(arrays.items[0].dtype) and len({a.ndim for a in arrays.items}) == 1


Arrays = Takes("a tuple of arrays", _are_arrays)
Alike = Takes("a tuple of arrays of elements of one type", _are_alike)


@static
def _dtype_of_arrays(sequence: Any, dtype: Any) -> np.dtype[Any]:
    """The dtype of an array of arrays. Raises TypingError if they do not convert to `dtype`."""
    own = array_type(sequence)
    wanted = None if own is None else asked_dtype(dtype, own.dtype)
    if own is None or wanted is None or not _fits(wanted, own.dtype):
        raise TypingError("these arrays cannot be converted to that dtype", hint="leave it out")
    return types.to_dtype(wanted)


@private
def _arrays_in(sequence):
    """Each item of the sequence as an array."""
    arrays = ()
    for one in literal_unroll(sequence):
        arrays = (*arrays, np.asarray(one))
    return arrays


@takes.numpy(np.array)
def array_of_arrays(object: Arrays, dtype: Dtype = None):
    return rows_of(_arrays_in(object), _dtype_of_arrays(object, dtype))


@takes.numpy(np.asarray)
def asarray_of_arrays(a: Arrays, dtype: Dtype = None):
    return rows_of(_arrays_in(a), _dtype_of_arrays(a, dtype))


@static
def _dtype_of_alike(arrays: Any) -> np.dtype[Any]:
    return types.to_dtype(arrays.items[0].dtype)


@takes.numpy(np.array)
def array_of_alike(object: Alike, dtype: Nothing = None):
    return rows_of(object, _dtype_of_alike(object))


# --- item, shape -------------------------------------------------------------------------------


@body(method(Array, "item"), **OPTIONS)
def item(a: Numbers, *args):
    """The element at an index, as a Python number."""
    if len(args) == 0:
        if a.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return a.flat[0]
    if len(args) == 1 and not is_several(args[0]):
        return a.flat[args[0]]
    places = tuple(args[0]) if is_several(args[0]) else args
    if len(places) != a.ndim:
        refuse("incorrect number of indices for array", "one index for each axis")
    return a[places]


def _shape_rule(arguments: Arguments) -> Signature | None:
    ty = array_alone(arguments)
    return None if ty is None else Signature(Tuple((types.int64,) * ty.ndim), (ty,))


@primitive(np.shape, _shape_rule, any_elements=True)
def shape(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.shape(a)`."""
    return make_tuple([Value(types.int64, (size,)) for size in array_parts(args[0]).shape])


def _count_rule(arguments: Arguments) -> Signature | None:
    ty = array_alone(arguments)
    return None if ty is None else Signature(types.int64, (ty,))


@primitive(np.ndim, _count_rule, any_elements=True)
def ndim(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.ndim(a)`."""
    assert isinstance(args[0].ty, Array)
    return build.constant(types.int64, args[0].ty.ndim)


@primitive(np.size, _count_rule, any_elements=True)
def size(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.size(a)`."""
    return Value(types.int64, (element_count(build, array_parts(args[0]).shape),))


# --- a number ---------------------------------------------------------------------------------


@takes.numpy(np.asarray)
def asarray_of_number(a: Number, dtype: Dtype = None):
    return np.full((), a, dtype_like(a, dtype))


# --- arrays by keywords -----------------------------------------------------------------------


def _made(object: Any, dtype: Any, copies: bool, order: Any) -> Any:
    """The function that makes an array of a dtype and an order; None for unknown orders."""
    way = order_of(order, "K")
    if way is None:
        return None
    if not isinstance(object, Array):
        return _listed(object, way, dtype)
    if copies and left_out(dtype):
        return private(lambda a: copied(a, way))
    item_type = asked_dtype(dtype, object.dtype)
    kind = None if item_type is None else types.to_dtype(item_type)
    if kind is None:
        return None
    return private(
        lambda a: np.asarray(copied(a, way), kind) if copies else as_wanted(a, kind, way)
    )


def _listed(object: Any, way: str, dtype: Any) -> Any:
    """The function that makes an array of a number or of the items of a sequence."""
    item_type = None if left_out(dtype) else asked_dtype(dtype, types.float64)
    if item_type is None and not left_out(dtype):
        return None
    kind = None if item_type is None else types.to_dtype(item_type)
    number, plain = _is_number(object), kind is None
    if number:
        return private((lambda a: np.asarray(a)) if plain else (lambda a: np.asarray(a, kind)))
    made = private((lambda a: np.array(a)) if plain else (lambda a: np.array(a, kind)))
    return private(lambda a: np.asfortranarray(made(a))) if way == "F" else made


def _is_number(object: Any) -> bool:
    return isinstance(object, types.Type) and types.is_number(object)


def _is_false(copy: Any) -> bool:
    """True if `copy=False` forbids a copy."""
    return flag(copy) is False and not left_out(copy)


_NEEDS_COPY = message_of(lambda: np.array(0.0, copy=False))


def _refuse_copy(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0):
    raise ValueError(_NEEDS_COPY)


def _refuse_copy_as(a, dtype=None, order=None, *, copy=None):
    raise ValueError(_NEEDS_COPY)


@overload(np.array, jit_options=OPTIONS, prefer_literal=True)
def _array_as_told(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0):
    if not isinstance(object, Array | Buffer) and _is_false(copy):
        return _refuse_copy
    least, copies = said(ndmin), copy is True or flag(copy)
    if type(least) is not int or (copies is False and not left_out(copy)):
        return None
    made = _made(object, dtype, bool(copies), order)
    if made is None:
        return None
    told = (copy, order, subok, ndmin)
    if told == (True, "K", False, 0) and not _is_number(object):
        return None  # the common call has its own overload
    front = tuple(range(least - _axes_of(object)))
    if not front:
        return lambda object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0: made(
            object
        )
    return lambda object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0: np.expand_dims(
        made(object), front
    )


def _axes_of(object: Any) -> int:
    if isinstance(object, Tuple):
        return 1 + max(map(_axes_of, object.items), default=0)
    return dimensions(object) or 0


@overload(np.asarray, jit_options=OPTIONS, prefer_literal=True)
def _asarray_as_told(a, dtype=None, order=None, *, copy=None):
    if left_out(order) and left_out(copy):
        if order is None and copy is None:
            return None  # the common call has its own overload
        return lambda a, dtype=None, order=None, *, copy=None: np.asarray(a, dtype)
    if not isinstance(a, Array | Buffer) and _is_false(copy):
        return _refuse_copy_as
    if flag(copy) is None or _is_false(copy):
        raise TypingError(
            "whether a copy is needed depends on the strides of the array",
            hint="leave `copy` out, or write True",
        )
    made = _made(a, dtype, bool(flag(copy)), order)
    return None if made is None else lambda a, dtype=None, order=None, *, copy=None: made(a)
