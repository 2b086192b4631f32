"""Functions of the C API that `c.pyapi` offers as they are: a row each.

A row names the C function, its result and its arguments, a letter each: `o` an object that must not
be null, `p` a pointer that may be null, `s` a text, `q` an i64, `n` one that may be a Python
integer, `i` an i32, `d` a double, `v` nothing.  Where an object is null, the call that should have
produced it has failed and has set its exception.  Where an exception is set, no function of objects
is called, and its result is that of a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from cutaway.errors import ExtensionError
from cutaway.extending import values

if TYPE_CHECKING:
    from cutaway.extending.python_api import PythonApi

KINDS: dict[str, ir.Type] = {
    "o": values.BYTES,
    "p": values.BYTES,
    "s": values.BYTES,
    "q": ir.IntType(64),
    "n": ir.IntType(64),
    "i": ir.IntType(32),
    "d": ir.DoubleType(),
    "v": ir.VoidType(),
}
_NAMES = {"q": "an i64", "n": "an i64", "i": "an i32", "d": "a double"}

ROWS: dict[str, tuple[str, str, str, str]] = {
    # exceptions
    "err_occurred": ("PyErr_Occurred", "p", "", "The class of the exception that is set, or null."),
    "err_clear": ("PyErr_Clear", "v", "", "Have no exception set any more."),
    "err_fetch": ("PyErr_Fetch", "v", "ppp", "Take what is set into three places."),
    "err_restore": ("PyErr_Restore", "v", "ppp", "Set what was taken."),
    "err_write_unraisable": ("PyErr_WriteUnraisable", "v", "p", "Tell `sys.unraisablehook`."),
    # objects
    "incref": ("Py_IncRef", "v", "p", "One reference more."),
    "decref": ("Py_DecRef", "v", "p", "One reference less; nothing for a null pointer."),
    "object_getattr": ("PyObject_GetAttr", "p", "oo", "`getattr(x, name)`; new."),
    "object_setattr": ("PyObject_SetAttr", "i", "oop", "Set an attribute; -1 where it fails."),
    "object_setattr_string": ("PyObject_SetAttrString", "i", "osp", "The same by a text."),
    "object_hasattr_string": ("PyObject_HasAttrString", "i", "os", "1 if there is an attribute."),
    "object_getitem": ("PyObject_GetItem", "p", "oo", "`x[key]`; new."),
    "object_setitem": ("PyObject_SetItem", "i", "ooo", "`x[key] = item`; -1 where it fails."),
    "object_delitem": ("PyObject_DelItem", "i", "oo", "`del x[key]`; -1 where it fails."),
    "object_getiter": ("PyObject_GetIter", "p", "o", "`iter(x)`; new."),
    "iter_next": ("PyIter_Next", "p", "o", "The next item; null at the end, or where it fails."),
    "object_str": ("PyObject_Str", "p", "o", "`str(x)`; new."),
    "object_repr": ("PyObject_Repr", "p", "o", "`repr(x)`; new."),
    "object_istrue": ("PyObject_IsTrue", "i", "o", "Its truth: 1, 0, or -1 where it fails."),
    "object_not": ("PyObject_Not", "i", "o", "The truth of `not x`; -1 where it fails."),
    "object_type": ("PyObject_Type", "p", "o", "Its class; new."),
    "get_type": ("PyObject_Type", "p", "o", "Its class; new."),
    "object_hash": ("PyObject_Hash", "q", "o", "`hash(x)`; -1 where it fails."),
    "object_size": ("PyObject_Size", "q", "o", "`len(x)`; -1 where it fails."),
    "isinstance": ("PyObject_IsInstance", "i", "oo", "1 for an instance; -1 where it fails."),
    "object_isinstance": ("PyObject_IsInstance", "i", "oo", "The same."),
    "import_module": ("PyImport_ImportModule", "p", "s", "A module; new."),
    "import_module_noblock": ("PyImport_ImportModule", "p", "s", "A module; new."),
    # numbers
    "float_from_double": ("PyFloat_FromDouble", "p", "d", "A float; new."),
    "float_as_double": ("PyFloat_AsDouble", "d", "o", "Its value; -1.0 where it fails."),
    "number_float": ("PyNumber_Float", "p", "o", "`float(x)`; new."),
    "number_long": ("PyNumber_Long", "p", "o", "`int(x)`; new."),
    "number_index": ("PyNumber_Index", "p", "o", "`operator.index(x)`; new."),
    "number_add": ("PyNumber_Add", "p", "oo", "`x + y`; new."),
    "number_subtract": ("PyNumber_Subtract", "p", "oo", "`x - y`; new."),
    "number_multiply": ("PyNumber_Multiply", "p", "oo", "`x * y`; new."),
    "number_truedivide": ("PyNumber_TrueDivide", "p", "oo", "`x / y`; new."),
    "number_floordivide": ("PyNumber_FloorDivide", "p", "oo", "`x // y`; new."),
    "number_remainder": ("PyNumber_Remainder", "p", "oo", "`x % y`; new."),
    "number_lshift": ("PyNumber_Lshift", "p", "oo", "`x << y`; new."),
    "number_rshift": ("PyNumber_Rshift", "p", "oo", "`x >> y`; new."),
    "number_and": ("PyNumber_And", "p", "oo", "`x & y`; new."),
    "number_or": ("PyNumber_Or", "p", "oo", "`x | y`; new."),
    "number_xor": ("PyNumber_Xor", "p", "oo", "`x ^ y`; new."),
    "number_negative": ("PyNumber_Negative", "p", "o", "`-x`; new."),
    "number_positive": ("PyNumber_Positive", "p", "o", "`+x`; new."),
    "number_invert": ("PyNumber_Invert", "p", "o", "`~x`; new."),
    "long_from_longlong": ("PyLong_FromLongLong", "p", "q", "An int of a signed i64; new."),
    "long_from_long": ("PyLong_FromLongLong", "p", "q", "An int of a signed i64; new."),
    "long_from_ssize_t": ("PyLong_FromSsize_t", "p", "q", "An int of a signed i64; new."),
    "long_from_ulonglong": ("PyLong_FromUnsignedLongLong", "p", "q", "An int of an i64; new."),
    "long_from_ulong": ("PyLong_FromUnsignedLongLong", "p", "q", "An int of an i64; new."),
    "long_from_voidptr": ("PyLong_FromVoidPtr", "p", "p", "An int of an address; new."),
    "long_as_longlong": ("PyLong_AsLongLong", "q", "o", "Its value; -1 where it fails."),
    "long_as_long": ("PyLong_AsLongLong", "q", "o", "Its value; -1 where it fails."),
    "long_as_ulonglong": ("PyLong_AsUnsignedLongLong", "q", "o", "Its value without a sign."),
    "long_as_ulong": ("PyLong_AsUnsignedLongLong", "q", "o", "Its value without a sign."),
    "long_as_voidptr": ("PyLong_AsVoidPtr", "p", "o", "The address; null where it fails."),
    "complex_from_doubles": ("PyComplex_FromDoubles", "p", "dd", "A complex; new."),
    "complex_real_as_double": ("PyComplex_RealAsDouble", "d", "o", "The real part."),
    "complex_imag_as_double": ("PyComplex_ImagAsDouble", "d", "o", "The imaginary part."),
    # containers
    "tuple_new": ("PyTuple_New", "p", "n", "A tuple with no items yet; new."),
    "tuple_setitem": ("PyTuple_SetItem", "i", "onp", "Put an item into a new tuple, which has it."),
    "tuple_getitem": ("PyTuple_GetItem", "p", "on", "An item; borrowed."),
    "tuple_size": ("PyTuple_Size", "q", "o", "The number of items."),
    "list_new": ("PyList_New", "p", "n", "A list, with no items yet where it has a size; new."),
    "list_append": ("PyList_Append", "i", "oo", "Append an item; -1 where it fails."),
    "list_size": ("PyList_Size", "q", "o", "The number of items."),
    "list_getitem": ("PyList_GetItem", "p", "on", "An item; borrowed."),
    "list_setitem": ("PyList_SetItem", "i", "onp", "Set an item, which the list takes over."),
    "list_setslice": ("PyList_SetSlice", "i", "onnp", "Set the items between two places."),
    "list_as_tuple": ("PyList_AsTuple", "p", "o", "A tuple of the items; new."),
    "set_add": ("PySet_Add", "i", "oo", "Add an item; -1 where it fails."),
    "set_size": ("PySet_Size", "q", "o", "The number of items."),
    "set_clear": ("PySet_Clear", "i", "o", "Take all items out."),
    "dict_getitem": ("PyDict_GetItemWithError", "p", "oo", "`x[key]`, or null; borrowed."),
    "dict_setitem": ("PyDict_SetItem", "i", "ooo", "`x[key] = item`; -1 where it fails."),
    "dict_getitem_string": ("PyDict_GetItemString", "p", "os", "`x[key]`, or null; borrowed."),
    "dict_setitem_string": ("PyDict_SetItemString", "i", "oso", "`x[key] = item`."),
    "dict_size": ("PyDict_Size", "q", "o", "The number of items."),
    # texts and bytes
    "string_from_constant_string": ("PyUnicode_FromString", "p", "s", "A str; new."),
    "string_from_string": ("PyUnicode_FromString", "p", "s", "A str; new."),
    "string_from_string_and_size": ("PyUnicode_FromStringAndSize", "p", "sn", "A str; new."),
    "string_from_kind_and_data": ("PyUnicode_FromKindAndData", "p", "isn", "A str; new."),
    "string_as_string": ("PyUnicode_AsUTF8", "p", "o", "Its text in UTF-8, which it keeps."),
    "bytes_as_string": ("PyBytes_AsString", "p", "o", "Its bytes, which it keeps."),
    "bytes_from_string_and_size": ("PyBytes_FromStringAndSize", "p", "sn", "A bytes; new."),
    "bytes_size": ("PyBytes_Size", "q", "o", "The number of bytes."),
    # the lock
    "gil_ensure": ("PyGILState_Ensure", "i", "", "Take Python's lock; gives what to release."),
    "gil_release": ("PyGILState_Release", "v", "i", "Give Python's lock back."),
}


def method_of(name: str) -> Callable[..., Any]:
    """Return the method of a row.  Any: an ir.Value, or None."""
    function, returns, takes, said = ROWS[name]

    def method(self: PythonApi, *args: Any) -> Any:
        if len(args) != len(takes):
            raise ExtensionError(f"pyapi.{name} takes {len(takes)} arguments, not {len(args)}")
        operands = [
            operand(self, name, letter, arg) for letter, arg in zip(takes, args, strict=True)
        ]
        needed = [arg for letter, arg in zip(takes, operands, strict=True) if letter == "o"]
        return guarded(self, function, KINDS[returns], operands, needed)

    method.__name__, method.__qualname__, method.__doc__ = name, f"PythonApi.{name}", said
    return method


def operand(api: PythonApi, name: str, letter: str, arg: Any) -> ir.Value:
    """Convert an argument for the C function.

    Raises ExtensionError for one of another kind.
    """
    if letter == "s" and isinstance(arg, str):
        return api.text(arg)
    if letter == "n" and isinstance(arg, int):
        return ir.Constant(KINDS["n"], arg)
    kind, expected = getattr(arg, "type", None), KINDS[letter]
    if values.is_pointer(expected) and values.is_pointer(kind):
        return values.pointer_to(api.builder, arg, values.BYTES)
    if isinstance(expected, ir.IntType) and isinstance(kind, ir.IntType) and kind.width == 1:
        return api.builder.zext(arg, expected)
    if kind != expected or not isinstance(arg, ir.Value):
        raise ExtensionError(
            f"pyapi.{name} takes {_NAMES.get(letter, 'a pointer')}, not {kind or repr(arg)}",
            hint="convert it with a method of builder",
        )
    return arg


def guarded(
    api: PythonApi,
    function: str,
    returns: ir.Type,
    args: Sequence[ir.Value],
    needed: Sequence[ir.Value],
    fixed: int | None = None,
) -> Any:
    """Emit a guarded call of a C function, with the result of a failure where a `needed` object is
    null or an exception is set: some functions of Python take that for their own, and clear it."""
    if not needed:
        return api.call_c(function, returns, args, fixed)
    build = api.builder
    raised = api.call_c("PyErr_Occurred", values.BYTES, ())
    failed = build.icmp_unsigned("!=", raised, ir.Constant(values.BYTES, None))
    for one in needed:
        if not isinstance(one, ir.Constant):
            missing = build.icmp_unsigned("==", one, ir.Constant(one.type, None))
            failed = build.or_(failed, missing)
    before = build.block
    with build.if_then(build.not_(failed), likely=True):
        result = api.call_c(function, returns, args, fixed)
        inside = build.block
    if isinstance(returns, ir.VoidType):
        return None
    joined = build.phi(returns)
    joined.add_incoming(result, inside)
    joined.add_incoming(_failure(returns), before)
    return joined


def _failure(returns: ir.Type) -> ir.Constant:
    """Return the result of failing C functions."""
    if values.is_pointer(returns):
        return ir.Constant(returns, None)
    return ir.Constant(returns, -1.0 if isinstance(returns, ir.DoubleType) else -1)
