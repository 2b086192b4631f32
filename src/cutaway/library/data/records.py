"""Records: their fields, and arrays of one field of all records.

A record is a view: storing into its fields changes the array that it came from.  Its fields are
reached as in NumPy, `r["x"]`, and as attributes, `r.x`, also where its class is not `np.record`.
"""

from __future__ import annotations

import difflib
import operator
from contextlib import suppress
from functools import cache, partial
from typing import Any

import numpy as np

from cutaway.errors import TypingError, UnsupportedError
from cutaway.extending.overloads import overload
from cutaway.extending.registry import CONTEXT, fields, primitive
from cutaway.ir import nodes
from cutaway.library.arrays.indexing.basic import fitted, selection_type, setitem
from cutaway.library.arrays.kit.dtypes import dtype_of
from cutaway.library.core.comparisons import equal_values
from cutaway.library.math.numbers import both_ways
from cutaway.library.text.elements import storable as storable_text
from cutaway.lowering.arrays.elements import load_element, store_element
from cutaway.lowering.arrays.texts import as_element, taken_out
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, array_value
from cutaway.typing import types
from cutaway.typing.inference.questions import unpack
from cutaway.typing.overloads.context import AttributeSetter
from cutaway.typing.overloads.resolution import MISSING, Arguments, Overload, Signature
from cutaway.typing.types import Array, Record, String, Type
from cutaway.typing.types.enums import as_number


def _field(record: Record, name: object) -> tuple[Type, int]:
    result = record.field(name) if isinstance(name, str) else None
    if result is None:
        names = [own for own, _, _ in record.fields]
        near = difflib.get_close_matches(str(name), names, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"its fields: {', '.join(names)}"
        raise TypingError(f"there is no field {name!r} in {record}", hint=hint)
    return result


def _cell(record: Record, name: object, whole: bool = False) -> Array:
    """The type of a record's field as an array without dimensions; `whole` says that its address is
    a multiple of its size."""
    ty, _ = _field(record, name)
    return Array(ty, 0, "C", record.readonly, whole)


def _is_whole(build: FunctionBuilder, record: Record) -> bool:
    """True if fields are at multiples of their sizes in memory, as the target guarantees."""
    return build.links.target.whole_fields and record.alignment > 1


def field_of(record: Record, name: object) -> Type:
    """The type of a field that is read: a field that is an array is a view."""
    ty, _ = _field(record, name)
    if isinstance(ty, types.FieldArray):
        return Array(ty.dtype, len(ty.shape), "C", record.readonly, False)
    return _cell(record, name).element


def _some_fields(record: Type, index: Type) -> Record | None:
    """The type of the fields that a list of names selects, at their offsets in the record."""
    if not isinstance(record, Record) or not isinstance(index, types.ListDisplay):
        return None
    names = [item.value for item in index.items if isinstance(item, String)]
    if not names or len(names) < len(index.items):
        return None
    for name in names:
        _field(record, name)
        if names.count(name) > 1:
            raise TypingError(f"duplicate field of name {name!r}")
    selected = tuple(next(one for one in record.fields if one[0] == name) for name in names)
    return Record(selected, record.size, record.named, record.readonly)


def _selects_field(owner: Type, index: Type) -> bool:
    is_text = isinstance(index, String) and isinstance(index.value, str)
    record = owner.dtype if isinstance(owner, Array) else owner
    return is_text and isinstance(record, Record)


# --- several fields -----------------------------------------------------------------------------


def _fields_rule(arguments: Arguments) -> Signature | None:
    owner, index = arguments.types
    record = _some_fields(owner.dtype if isinstance(owner, Array) else owner, index)
    if record is None:
        return None
    return Signature(owner.copy(record) if isinstance(owner, Array) else record, arguments.types)


@primitive(operator.getitem, _fields_rule, any_elements=True)
def some_fields(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a[["x", "y"]]`, `r[["x", "y"]]`: the same memory."""
    return Value(sig.returns, args[0].parts)


# --- one record -------------------------------------------------------------------------------


def field_rule(is_text: bool, arguments: Arguments) -> Signature | None:
    """The signature of `r["x"]`, for text fields if `is_text`, else for other fields.

    Raises TypingError for an unknown field, UnsupportedError for another index.
    """
    sig = _item_signature(arguments)
    if sig is None:
        return None
    record, index = sig.args
    assert isinstance(record, Record) and isinstance(index, String)
    return sig if _holds_text(record, index.value) == is_text else None


def _holds_text(record: Record, name: object) -> bool:
    """True if a field is a text, which is read as a copy with a new reference."""
    return isinstance(_field(record, name)[0], types.FixedString)


def _item_signature(arguments: Arguments) -> Signature | None:
    owner, index = arguments.types
    if not isinstance(owner, Record) or _some_fields(owner, index) is not None:
        return None
    place = arguments.constants[1]
    if type(place) is int and -len(owner.fields) <= place < len(owner.fields):
        index = types.constant_type(String, owner.fields[place][0])
        return Signature(field_of(owner, index.value), (owner, index))
    if not _selects_field(owner, index):
        raise UnsupportedError(
            f"a record cannot be indexed by {index} in compiled code",
            hint=f"write the name of a field, r[{owner.fields[0][0]!r}], or its place",
        )
    return Signature(field_of(owner, index.value), arguments.types)


@primitive(operator.getitem, partial(field_rule, False))
def field(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`r["x"]`; a record in a record is a view too."""
    assert isinstance(args[1].ty, String)
    return _read(build, args[0], args[1].ty.value)


CONTEXT.add(
    operator.getitem, Overload(partial(field_rule, True), (), field, gives_new_reference=True)
)


def _read(build: FunctionBuilder, record: Value, name: str) -> Value:
    assert isinstance(record.ty, Record)
    owner, data = record.parts
    ty, offset = _field(record.ty, name)
    place = build.offset(data, str(offset))
    if isinstance(ty, types.FieldArray):
        array = field_of(record.ty, name)
        assert isinstance(array, Array)
        shape, strides = tuple(map(str, ty.shape)), tuple(map(str, ty.strides))
        return array_value(array, ArrayParts(owner, place, shape, strides))
    cell = _cell(record.ty, name, _is_whole(build, record.ty))
    return taken_out(build, load_element(build, cell, place, owner))


def _setitem_rule(arguments: Arguments) -> Signature | None:
    owner, index, value = arguments.types
    if not isinstance(owner, Record) or not _selects_field(owner, index):
        return None
    if owner.readonly:
        raise TypingError("the record is read-only", hint="pass a writeable array")
    field = field_of(owner, index.value)
    if isinstance(field, Array):
        sig = Signature(types.none, (owner, index, as_number(value)))
        return sig if _fills(field, value) else None
    if isinstance(field, Record) and isinstance(value, types.Tuple):
        return None  # item by item
    cell = _cell(owner, index.value)
    text = storable_text(cell.dtype, value)
    if text is not None:
        return Signature(types.none, (owner, index, text))
    if not _storable(cell.dtype, value):
        raise TypingError(f"a value of type {value} cannot be stored in a field of {cell.dtype}")
    return Signature(types.none, (owner, index, as_number(value)))


def _fills(array: Array, value: Type) -> bool:
    """True if a value can fill a whole array: a number, a tuple of numbers or an array."""
    if isinstance(value, types.Tuple):
        return array.ndim > 0 and all(_storable(array.dtype, item) for item in value.items)
    element = value.dtype if isinstance(value, Array) else value
    return _storable(array.dtype, element) and getattr(value, "ndim", 0) <= array.ndim


def _storable(dtype: Type, value: Type) -> bool:
    value = as_number(value)  # an enumeration member that is an integer
    if types.is_number(dtype) and types.is_number(value):
        return isinstance(dtype, types.Complex) or types.is_real(value)
    return value is dtype or (isinstance(value, Record) and value.protected(False) is dtype)


@primitive(operator.setitem, _setitem_rule)
def store_field(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`r["x"] = value`."""
    record, index, value = args
    assert isinstance(record.ty, Record) and isinstance(index.ty, String)
    ty, offset = _field(record.ty, index.ty.value)
    if isinstance(ty, types.FieldArray):
        view = _read(build, record, index.ty.value)
        return setitem(build, sig, [view, Value(types.ellipsis, ()), value])
    cell = _cell(record.ty, index.ty.value, _is_whole(build, record.ty))
    place = build.offset(record.parts[1], str(offset))
    if isinstance(cell.dtype, types.FixedString):
        element = as_element(build, value, cell.dtype)
    else:
        element = fitted(build, value, cell.dtype)
    store_element(build, cell, element, place)
    return Value(types.none, ())


# --- tuples as records ------------------------------------------------------------------------


@overload(operator.setitem)
def _store_tuple(owner, index, value):
    """`a[0] = (1, 2.5)`, `r["x"] = (1, 2)` where the field is a record."""
    if isinstance(owner, Array):
        record = selection_type(owner, index) if isinstance(owner.dtype, Record) else None
        if isinstance(record, Array) and (
            isinstance(index, types.Slice) or index is types.ellipsis
        ):
            record = record.dtype  # each record of the view
    else:
        record = field_of(owner, index.value) if _selects_field(owner, index) else None
    if not isinstance(record, Record) or not isinstance(value, types.Tuple):
        return None
    if isinstance(value, types.ListDisplay):
        return None  # NumPy takes no lists for records
    if len(record.fields) != len(value.items):
        return None
    return _storing(tuple(name for name, _, _ in record.fields))


@cache
def _storing(names: tuple[str, ...]) -> Any:
    """A function that stores the items of a tuple in the fields of a record."""
    lines = [f"    record[{name!r}] = value[{k}]" for k, name in enumerate(names)]
    space: dict[str, Any] = {}
    head = "def store(owner, index, value):\n    record = owner[index]\n"
    exec(head + "\n".join(lines), space)  # noqa: S102
    return space["store"]


@overload(unpack, prefer_literal=True)
def _unpack_record(record, count):
    """`x, y = a[0]`: unpack the fields of a record."""
    if not isinstance(record, Record) or not isinstance(count, types.Literal):
        return None
    return _fields_of(tuple(name for name, _, _ in record.fields), count.literal_value)


@cache
def _fields_of(names: tuple[str, ...], wanted: int) -> Any:
    """A function that returns a record's fields, or raises if their number is not `wanted`."""
    line = f"return ({', '.join(f'record[{name!r}]' for name in names)},)"
    if len(names) > wanted:
        line = f"raise ValueError('too many values to unpack (expected {wanted})')"
    elif len(names) < wanted:
        message = f"not enough values to unpack (expected {wanted}, got {len(names)})"
        line = f"raise ValueError({message!r})"
    space: dict[str, Any] = {}
    exec(f"def fields(record, count):\n    {line}\n", space)  # noqa: S102
    return space["fields"]


# --- equality ----------------------------------------------------------------------------------


def _equal_rule(arguments: Arguments) -> Signature | None:
    lhs, rhs = arguments.types
    if not isinstance(lhs, Record) or not isinstance(rhs, Record):
        return None
    same = lhs.protected(True) is rhs.protected(True) and _is_compared(lhs)
    return Signature(types.boolean, arguments.types) if same else None


def _is_compared(ty: Type) -> bool:
    if isinstance(ty, Record):
        return all(_is_compared(field) for _, field, _ in ty.fields)
    return types.is_number(ty)


@both_ways(operator.eq, operator.ne, _equal_rule)
def _records_equal(build: FunctionBuilder, lhs: Value, rhs: Value) -> str:
    assert isinstance(lhs.ty, Record)
    answer = "true"
    for name, _, _ in lhs.ty.fields:
        a, b = _read(build, lhs, name), _read(build, rhs, name)
        equal = _records_equal if isinstance(a.ty, Record) else equal_values
        same = equal(build, a, b)
        answer = build.binary("and", "i1", answer, same)
    return answer


@overload(operator.eq)
def _arrays_equal(a, b):
    return _comparing(a, b, "==", "&")


@overload(operator.ne)
def _arrays_differ(a, b):
    return _comparing(a, b, "!=", "|")


def _comparing(a: Any, b: Any, sign: str, word: str) -> Any:
    """A function that compares arrays of one record type, field by field."""
    if not isinstance(a, Array) or not isinstance(b, Array) or a.dtype is not b.dtype:
        return None
    if not isinstance(a.dtype, Record) or not all(_is_plain(ty) for _, ty, _ in a.dtype.fields):
        return None
    return _comparison(tuple(name for name, _, _ in a.dtype.fields), sign, word)


def _is_plain(ty: Type) -> bool:
    if isinstance(ty, Record):
        return all(_is_plain(inner) for _, inner, _ in ty.fields)
    return types.is_number(ty) or isinstance(ty, types.FixedString)


@cache
def _comparison(names: tuple[str, ...], sign: str, word: str) -> Any:
    fields = f" {word} ".join(f"(a[{name!r}] {sign} b[{name!r}])" for name in names)
    space: dict[str, Any] = {}
    exec(f"def compared(a, b):\n    return {fields}", space)  # noqa: S102
    return space["compared"]


# --- attributes and length ----------------------------------------------------------------------

_OWN = frozenset(dir(np.record))  # names that every record has as attributes


def _has_attribute(owner: Record, name: str) -> bool:
    """True if a field can be read as an attribute."""
    return name not in _OWN and owner.field(name) is not None


def _attribute_rule(owner: Record, name: str) -> Type | None:
    if not _has_attribute(owner, name):
        return None
    return None if _holds_text(owner, name) else field_of(owner, name)


def _text_attribute_rule(arguments: Arguments) -> Signature | None:
    owner, name = arguments.types[0], arguments.constants[0]
    if not _has_attribute(owner, name):
        return None
    return Signature(field_of(owner, name), (owner,)) if _holds_text(owner, name) else None


@fields(Record, _attribute_rule)
def attribute_field(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`r.x`, which NumPy only has for an `np.record`."""
    assert isinstance(build.op, nodes.GetAttr)
    return _read(build, args[0], build.op.attr)


CONTEXT.add_fields(
    Record,
    Overload(
        _text_attribute_rule, (), attribute_field, any_elements=True, gives_new_reference=True
    ),
)


def _set_rule(arguments: Arguments) -> Signature | None:
    (owner, value), name = arguments.types, arguments.constants[0]
    record = owner.dtype if isinstance(owner, Array) else owner
    if not isinstance(record, Record) or (isinstance(owner, Array) and name in _OWN_OF_ARRAYS):
        return None
    if owner.readonly:
        what = "array" if isinstance(owner, Array) else "record"
        raise TypingError(f"the {what} is read-only", hint="pass a writeable array")
    signature, is_field = None, record.field(name) is not None
    if is_field and (isinstance(owner, Array) or _has_attribute(record, name)):
        rule = _store_column_rule if isinstance(owner, Array) else _setitem_rule
        index = types.constant_type(String, name)
        with suppress(TypingError):  # whose message is about an item
            signature = rule(Arguments((owner, index, value), (MISSING,) * 3))
    if signature is None:
        raise TypingError(
            f"a value of type {value} cannot be stored in attribute {name!r} of {owner}",
            hint=f"its fields: {', '.join(own for own, _, _ in record.fields)}",
        )
    return Signature(types.none, (owner, signature.args[2]))


@primitive(AttributeSetter(None), _set_rule, any_elements=True)
def set_attribute(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`r.x = value`, `a.x = values`."""
    assert isinstance(build.op, nodes.SetAttr)
    owner, value = args
    text = Value(types.constant_type(String, build.op.attr), ())
    item = Signature(types.none, (owner.ty, text.ty, value.ty))
    store = store_column if isinstance(owner.ty, Array) else store_field
    return store(build, item, [owner, text, value])


def _length_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and isinstance(arguments.types[0], Record)
    return Signature(types.int64, arguments.types) if fits else None


@primitive(len, _length_rule)
def length(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`len(r)`: the number of fields."""
    assert isinstance(args[0].ty, Record)
    return build.constant(types.int64, len(args[0].ty.fields))


# --- one field of an array of records ---------------------------------------------------------


def _column(array: Array, name: str, inner_named: bool = False) -> Array:
    assert isinstance(array.dtype, Record)
    ty, _ = _field(array.dtype, name)
    if not inner_named:  # it keeps its own class
        ty = next(ty for own, ty, _ in array.dtype.fields if own == name)
    inner = ty.shape if isinstance(ty, types.FieldArray) else ()
    layout = "C" if array.ndim == 0 else "A"
    dtype = ty.dtype if isinstance(ty, types.FieldArray) else ty
    return Array(dtype, array.ndim + len(inner), layout, array.readonly, False)


def column_rule(arguments: Arguments) -> Signature | None:
    """The signature of `a["x"]`, a field of all records."""
    owner, index = arguments.types
    if not isinstance(owner, Array) or not _selects_field(owner, index):
        return None
    return Signature(_column(owner, index.value), arguments.types)


@primitive(operator.getitem, column_rule, any_elements=True)
def column(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a["x"]`: a view of one field of all records."""
    array, index = args
    assert isinstance(array.ty, Array) and isinstance(array.ty.dtype, Record)
    assert isinstance(index.ty, String) and isinstance(sig.returns, Array)
    ty, offset = _field(array.ty.dtype, index.ty.value)
    parts = array_parts(array)
    data = build.offset(parts.data, str(offset), inbounds=False)
    shape, strides = parts.shape, parts.strides
    if isinstance(ty, types.FieldArray):
        shape = (*shape, *map(str, ty.shape))
        strides = (*strides, *map(str, ty.strides))
    return array_value(sig.returns, ArrayParts(parts.owner, data, shape, strides))


_OWN_OF_ARRAYS = frozenset(dir(np.recarray))  # names that every array has as attributes


def _attribute_of_array(owner: Array, name: str) -> Type | None:
    record = owner.dtype
    if not isinstance(record, Record) or name in _OWN_OF_ARRAYS or record.field(name) is None:
        return None
    return _column(owner, name, inner_named=record.named)


@fields(Array, _attribute_of_array)
def attribute_column(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.x`, which NumPy only has for an `np.recarray`."""
    assert isinstance(build.op, nodes.GetAttr)
    name = types.constant_type(String, build.op.attr)
    return column(build, sig, [args[0], Value(name, ())])


def _store_column_rule(arguments: Arguments) -> Signature | None:
    owner, index, value = arguments.types
    if not isinstance(owner, Array) or not _selects_field(owner, index) or owner.readonly:
        return None
    column = _column(owner, index.value)
    text = storable_text(column.dtype, value)
    if text is not None:
        return Signature(types.none, (owner, index, text))
    value = as_number(value)
    return Signature(types.none, (owner, index, value)) if _fills(column, value) else None


@primitive(operator.setitem, _store_column_rule, any_elements=True)
def store_column(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a["x"] = value`, broadcast to all records."""
    array, index, value = args
    assert isinstance(array.ty, Array) and isinstance(index.ty, String)
    view = column(build, Signature(_column(array.ty, index.ty.value), sig.args[:2]), args[:2])
    everything = Value(types.ellipsis, ())
    if isinstance(view.ty, Array) and isinstance(view.ty.dtype, types.FixedString):
        value = as_element(build, value, view.ty.dtype)
    return setitem(build, sig, [view, everything, value])


# --- dtypes ------------------------------------------------------------------------------------


def _field_rule(arguments: Arguments) -> Signature | None:
    dtype, index = arguments.types
    if not isinstance(dtype, types.DType) or not isinstance(index, types.String):
        return None
    if index.value not in (dtype.value.names or ()):
        return None
    return Signature(types.constant_type(types.DType, dtype.value[index.value]), arguments.types)


@primitive(operator.getitem, _field_rule)
def field_dtype(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`dtype["x"]`: the dtype of a field."""
    return Value(sig.returns, ())


def _dtype_rule(arguments: Arguments) -> Signature | None:
    element = dtype_of(arguments.types[0], types.none) if len(arguments) == 1 else None
    if element is None or element is types.none:
        return None
    ty = types.constant_type(types.DType, types.to_dtype(element))
    return Signature(ty, arguments.types)


@primitive(np.dtype, _dtype_rule)
def dtype(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`np.dtype("f4")`, `np.dtype(np.int32)`."""
    return Value(sig.returns, ())
