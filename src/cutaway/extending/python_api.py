"""Python's C API for extensions that box and unbox: `c.pyapi`.

Each method emits one call.  Objects are pointers; a method that gives one says whether its
reference is new or borrowed, as Python's documentation of the C function does.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from cutaway.extending import cgutils, values
from cutaway.extending.emission import I32, I64, Emission, kinds_of

_VOID, _DOUBLE = ir.VoidType(), ir.DoubleType()


class PythonApi:
    """Calls of Python's C API, in one function that an extension writes."""

    pyobj = voidptr = cstring = values.BYTES
    py_ssize_t = long = longlong = ulonglong = ulong = py_hash_t = I64
    double = _DOUBLE
    bool = ir.IntType(1)

    def __init__(self, emission: Emission, kept: list[object]) -> None:
        self._emission = emission
        self._kept = kept

    @property
    def _builder(self) -> ir.IRBuilder:
        return self._emission.builder

    def _call(self, name: str, returns: ir.Type, *args: ir.Value, fixed: int | None = None) -> Any:
        # Any: an ir.Value
        if fixed is None:
            return self._builder.call(self._emission.declared(name, returns, args), args)
        kind = ir.FunctionType(returns, kinds_of(args[:fixed]), var_arg=True)
        function = cgutils.get_or_insert_function(self._emission.module, kind, name)
        return self._builder.call(function, args)

    def _text(self, text: str) -> ir.Value:
        return values.text_constant(self._emission.module, text)

    def object_constant(self, value: object) -> ir.Value:
        """A Python object of this process; borrowed."""
        self._kept.append(value)
        return ir.Constant(I64, id(value)).inttoptr(values.BYTES)

    def get_null_object(self) -> ir.Value:
        """No object: what boxing gives where an exception is set."""
        return ir.Constant(values.BYTES, None)

    # --- references -----------------------------------------------------------------------------

    def incref(self, value: ir.Value) -> None:
        """One reference more."""
        self._call("Py_IncRef", _VOID, value)

    def decref(self, value: ir.Value) -> None:
        """One reference less; nothing for a null pointer."""
        self._call("Py_DecRef", _VOID, value)

    # --- exceptions -----------------------------------------------------------------------------

    def err_occurred(self) -> ir.Value:
        """The class of the exception that is set, or null; borrowed."""
        return self._call("PyErr_Occurred", values.BYTES)

    def err_clear(self) -> None:
        """No exception any more."""
        self._call("PyErr_Clear", _VOID)

    def err_set_string(self, exception: Any, message: str | ir.Value) -> None:
        """Set an exception of a class: the class itself, or an object, or the name of one."""
        text = self._text(message) if isinstance(message, str) else message
        self._call("PyErr_SetString", _VOID, self._class(exception), text)

    def err_set_object(self, exception: Any, value: ir.Value) -> None:  # Any: as above
        """Set an exception of a class with a value."""
        self._call("PyErr_SetObject", _VOID, self._class(exception), value)

    def err_format(self, exception: Any, message: str, *args: ir.Value) -> None:  # Any: as above
        """Set an exception with a message in the manner of `PyErr_Format`."""
        operands = (self._class(exception), self._text(message), *args)
        self._call("PyErr_Format", values.BYTES, *operands, fixed=2)

    def err_fetch(self, kind: ir.Value, value: ir.Value, trace: ir.Value) -> None:
        """Take the exception that is set, if any, into three places; none is set any more."""
        self._call("PyErr_Fetch", _VOID, kind, value, trace)

    def err_restore(self, kind: ir.Value, value: ir.Value, trace: ir.Value) -> None:
        """Set the exception that was taken, whose references it takes over."""
        self._call("PyErr_Restore", _VOID, kind, value, trace)

    def err_write_unraisable(self, value: ir.Value) -> None:
        """Tell `sys.unraisablehook` of the exception that is set, with the object concerned."""
        self._call("PyErr_WriteUnraisable", _VOID, value)

    def _class(self, exception: Any) -> ir.Value:  # Any: a class, an object, a name
        if isinstance(exception, str):
            exception = _EXCEPTIONS[exception]
        return self.object_constant(exception) if isinstance(exception, type) else exception

    # --- objects --------------------------------------------------------------------------------

    def object_getattr_string(self, value: ir.Value, name: str) -> ir.Value:
        """An attribute; new, or null where an exception is set."""
        # Python finds an interned name by identity.
        key = self.object_constant(sys.intern(name))
        return self._call("PyObject_GetAttr", values.BYTES, value, key)

    def object_setattr_string(self, value: ir.Value, name: str, item: ir.Value) -> ir.Value:
        """Set an attribute; -1 where an exception is set."""
        return self._call("PyObject_SetAttrString", I32, value, self._text(name), item)

    def object_hasattr_string(self, value: ir.Value, name: str) -> ir.Value:
        """Emits an i32: 1 if there is such an attribute."""
        return self._call("PyObject_HasAttrString", I32, value, self._text(name))

    def object_getitem(self, value: ir.Value, key: ir.Value) -> ir.Value:
        """`value[key]`; new."""
        return self._call("PyObject_GetItem", values.BYTES, value, key)

    def object_setitem(self, value: ir.Value, key: ir.Value, item: ir.Value) -> ir.Value:
        """`value[key] = item`; -1 where an exception is set."""
        return self._call("PyObject_SetItem", I32, value, key, item)

    def object_str(self, value: ir.Value) -> ir.Value:
        """`str(value)`; new."""
        return self._call("PyObject_Str", values.BYTES, value)

    def object_repr(self, value: ir.Value) -> ir.Value:
        """`repr(value)`; new."""
        return self._call("PyObject_Repr", values.BYTES, value)

    def object_istrue(self, value: ir.Value) -> ir.Value:
        """Its truth: 1, 0, or -1 where an exception is set."""
        return self._call("PyObject_IsTrue", I32, value)

    def object_type(self, value: ir.Value) -> ir.Value:
        """Its class; new."""
        return self._call("PyObject_Type", values.BYTES, value)

    get_type = object_type

    def isinstance(self, value: ir.Value, cls: ir.Value) -> ir.Value:
        """Emits an i32: 1 if it is an instance; -1 where an exception is set."""
        return self._call("PyObject_IsInstance", I32, value, cls)

    object_isinstance = isinstance

    def call_function_objargs(self, function: ir.Value, args: Sequence[ir.Value]) -> ir.Value:
        """`function(*args)`; new."""
        operands = (function, *args, self.get_null_object())
        return self._call("PyObject_CallFunctionObjArgs", values.BYTES, *operands, fixed=1)

    def call(self, function: ir.Value, args: ir.Value, kws: ir.Value | None = None) -> ir.Value:
        """`function(*args, **kws)` with a tuple and a dict; new."""
        named = self.get_null_object() if kws is None else kws
        return self._call("PyObject_Call", values.BYTES, function, args, named)

    def call_method(self, owner: ir.Value, name: str, args: Sequence[ir.Value] = ()) -> ir.Value:
        """`owner.name(*args)`; new."""
        method = self.object_getattr_string(owner, name)
        result = self.call_function_objargs(method, args)
        self.decref(method)
        return result

    def import_module(self, name: str) -> ir.Value:
        """A module; new."""
        return self._call("PyImport_ImportModule", values.BYTES, self._text(name))

    import_module_noblock = import_module

    def make_none(self) -> ir.Value:
        """None; new."""
        self.incref(self.object_constant(None))
        return self.object_constant(None)

    def borrow_none(self) -> ir.Value:
        """None; borrowed."""
        return self.object_constant(None)

    def serialize_object(self, value: object) -> object:
        """The argument of `unserialize` that stands for an object."""
        return value

    def unserialize(self, value: object) -> ir.Value:
        """A new reference to an object that was given to `serialize_object`."""
        reference = self.object_constant(value)
        self.incref(reference)
        return reference

    # --- numbers --------------------------------------------------------------------------------

    def float_from_double(self, value: ir.Value) -> ir.Value:
        """A float; new."""
        return self._call("PyFloat_FromDouble", values.BYTES, value)

    def float_as_double(self, value: ir.Value) -> ir.Value:
        """The double in a number; -1 and an exception where it has none."""
        return self._call("PyFloat_AsDouble", _DOUBLE, value)

    def number_float(self, value: ir.Value) -> ir.Value:
        """`float(value)`; new."""
        return self._call("PyNumber_Float", values.BYTES, value)

    def number_long(self, value: ir.Value) -> ir.Value:
        """`int(value)`; new."""
        return self._call("PyNumber_Long", values.BYTES, value)

    def long_from_longlong(self, value: ir.Value) -> ir.Value:
        """An int of a signed i64; new."""
        return self._call("PyLong_FromLongLong", values.BYTES, value)

    long_from_long = long_from_ssize_t = long_from_longlong

    def long_from_ulonglong(self, value: ir.Value) -> ir.Value:
        """An int of an unsigned i64; new."""
        return self._call("PyLong_FromUnsignedLongLong", values.BYTES, value)

    def long_from_signed_int(self, value: ir.Value) -> ir.Value:
        """An int of a signed integer of any width; new."""
        wide = value if value.type == I64 else self._builder.sext(value, I64)
        return self.long_from_longlong(wide)

    def long_from_unsigned_int(self, value: ir.Value) -> ir.Value:
        """An int of an unsigned integer of any width; new."""
        wide = value if value.type == I64 else self._builder.zext(value, I64)
        return self.long_from_ulonglong(wide)

    def long_as_longlong(self, value: ir.Value) -> ir.Value:
        """The i64 in an int; -1 and an exception where it does not fit."""
        return self._call("PyLong_AsLongLong", I64, value)

    long_as_long = long_as_longlong

    def long_as_ulonglong(self, value: ir.Value) -> ir.Value:
        """The unsigned i64 in an int."""
        return self._call("PyLong_AsUnsignedLongLong", I64, value)

    def number_as_ssize_t(self, value: ir.Value) -> ir.Value:
        """The index that a number is."""
        return self._call("PyNumber_AsSsize_t", I64, value, self._class("OverflowError"))

    def bool_from_long(self, value: ir.Value) -> ir.Value:
        """A bool of an i64, or of an integer of any width; new."""
        wide = value if value.type == I64 else self._builder.zext(value, I64)
        return self._call("PyBool_FromLong", values.BYTES, wide)

    bool_from_bool = bool_from_long

    def complex_from_doubles(self, real: ir.Value, imag: ir.Value) -> ir.Value:
        """A complex; new."""
        return self._call("PyComplex_FromDoubles", values.BYTES, real, imag)

    # --- containers and texts -------------------------------------------------------------------

    def tuple_new(self, count: int) -> ir.Value:
        """A tuple with no items yet; new."""
        return self._call("PyTuple_New", values.BYTES, ir.Constant(I64, count))

    def tuple_setitem(self, value: ir.Value, place: int | ir.Value, item: ir.Value) -> None:
        """Put an item into a new tuple, which takes its reference over."""
        self._call("PyTuple_SetItem", I32, value, _index(place), item)

    def tuple_getitem(self, value: ir.Value, place: int | ir.Value) -> ir.Value:
        """An item; borrowed."""
        return self._call("PyTuple_GetItem", values.BYTES, value, _index(place))

    def tuple_size(self, value: ir.Value) -> ir.Value:
        """The number of items."""
        return self._call("PyTuple_Size", I64, value)

    def tuple_pack(self, items: Sequence[ir.Value]) -> ir.Value:
        """A tuple of these; new."""
        count = ir.Constant(I64, len(items))
        return self._call("PyTuple_Pack", values.BYTES, count, *items, fixed=1)

    def list_new(self, count: ir.Value | int) -> ir.Value:
        """A list; new."""
        return self._call("PyList_New", values.BYTES, _index(count))

    def list_append(self, value: ir.Value, item: ir.Value) -> ir.Value:
        """Append an item, of which the list takes a reference of its own."""
        return self._call("PyList_Append", I32, value, item)

    def list_size(self, value: ir.Value) -> ir.Value:
        """The number of items."""
        return self._call("PyList_Size", I64, value)

    def list_getitem(self, value: ir.Value, place: int | ir.Value) -> ir.Value:
        """An item; borrowed."""
        return self._call("PyList_GetItem", values.BYTES, value, _index(place))

    def dict_new(self, size: int = 0) -> ir.Value:
        """A dict; new."""
        return self._call("PyDict_New", values.BYTES)

    def dict_setitem_string(self, value: ir.Value, key: str, item: ir.Value) -> ir.Value:
        """`value[key] = item`, of which the dict takes a reference of its own."""
        return self._call("PyDict_SetItemString", I32, value, self._text(key), item)

    def dict_getitem_string(self, value: ir.Value, key: str) -> ir.Value:
        """`value[key]`, or null; borrowed."""
        return self._call("PyDict_GetItemString", values.BYTES, value, self._text(key))

    def string_from_constant_string(self, text: str) -> ir.Value:
        """A str; new."""
        return self._call("PyUnicode_FromString", values.BYTES, self._text(text))


def _index(place: int | ir.Value) -> ir.Value:
    return ir.Constant(I64, place) if isinstance(place, int) else place


_EXCEPTIONS = {
    f"{prefix}{cls.__name__}": cls
    for cls in (
        *(TypeError, ValueError, RuntimeError, AttributeError, IndexError, KeyError),
        *(OverflowError, ZeroDivisionError, MemoryError, SystemError, NotImplementedError),
    )
    for prefix in ("", "PyExc_")
}
