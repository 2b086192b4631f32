"""Python's C API for extensions that box and unbox: `c.pyapi`.

Each method emits one call, or a few.  Objects are pointers; a method that returns one documents
whether its reference is new or borrowed, as Python's documentation of the C function does.  Methods
that are one C function each are the rows of `python_calls.py`.
"""

from __future__ import annotations

import builtins
import operator
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from cutaway.errors import ExtensionError
from cutaway.extending import cgutils, values
from cutaway.extending.emission import I32, I64, Emission, kinds_of
from cutaway.extending.python_calls import ROWS, guarded, method_of, operand
from cutaway.typing.types import Type

if TYPE_CHECKING:
    from cutaway.extending.boxing_code import Boxer
    from cutaway.extending.boxing_tables import NativeValue

_VOID, _DOUBLE = ir.VoidType(), ir.DoubleType()


class PythonApi:
    """Calls of the C API of Python, in one function that an extension writes; `boxer` is set in
    functions that box and unbox."""

    pyobj = voidptr = cstring = values.BYTES
    py_ssize_t = long = longlong = ulonglong = ulong = py_hash_t = I64
    double = _DOUBLE
    bool = ir.IntType(1)

    def __init__(self, emission: Emission, kept: list[object], boxer: Boxer | None = None) -> None:
        self._emission = emission
        self._kept = kept
        self._boxer = boxer

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ExtensionError(
            f"pyapi has no function {name!r}",
            hint="pyapi.call_method(...) calls any method of any object",
        )

    @property
    def builder(self) -> ir.IRBuilder:
        """The builder of the function."""
        return self._emission.builder

    def call_c(
        self, name: str, returns: ir.Type, args: Sequence[ir.Value], fixed: int | None = None
    ) -> Any:
        """Emit a call of a C function, of which the first `fixed` arguments are not variadic."""
        if fixed is None:
            return self.builder.call(self._emission.declared(name, returns, args), args)
        kind = ir.FunctionType(returns, kinds_of(args[:fixed]), var_arg=True)
        function = cgutils.get_or_insert_function(self._emission.module, kind, name)
        return self.builder.call(function, args)

    def text(self, text: str) -> ir.Value:
        """Return the address of a constant C string."""
        return values.text_constant(self._emission.module, text)

    def object_constant(self, value: object) -> ir.Value:
        """Return a Python object of this process; borrowed."""
        if self._boxer is None:
            return self._emission.object_constant(value)
        self._kept.append(value)
        return ir.Constant(I64, id(value)).inttoptr(values.BYTES)

    def get_null_object(self) -> ir.Value:
        """Return the null pointer, boxing's result when an exception is set."""
        return ir.Constant(values.BYTES, None)

    def is_null(self, value: ir.Value) -> ir.Value:
        """Emit an i1: a pointer to an object is null."""
        return cgutils.is_null(self.builder, value)

    # --- values ---------------------------------------------------------------------------------

    def to_native_value(self, ty: Type, value: ir.Value) -> NativeValue:
        """Unbox an object to a value of a type, as `c.unbox` does."""
        return self._boxing("to_native_value").unbox(ty, value)

    def from_native_value(self, ty: Type, value: ir.Value, env_manager: object = None) -> ir.Value:
        """Box a value to a new object, consuming its references, as `c.box` does."""
        return self._boxing("from_native_value").box(ty, value)

    def from_native_return(self, ty: Type, value: ir.Value, env_manager: object = None) -> ir.Value:
        """Box a value as `from_native_value` does."""
        return self.from_native_value(ty, value)

    def _boxing(self, name: str) -> Boxer:
        if self._boxer is None:
            raise ExtensionError(
                f"pyapi.{name} is for functions that box and unbox",
                hint="pass the value to a compiled function, or return it",
            )
        return self._boxer

    # --- exceptions -----------------------------------------------------------------------------

    def err_set_string(self, exception: Any, message: str | ir.Value) -> None:
        """Set an exception of a class: the class itself, or an object, or the name of one."""
        text = operand(self, "err_set_string", "s", message)
        self.call_c("PyErr_SetString", _VOID, (self._class(exception), text))

    def err_set_object(self, exception: Any, value: ir.Value) -> None:
        """Set an exception of a class with a value."""
        self.call_c("PyErr_SetObject", _VOID, (self._class(exception), value))

    def err_set_none(self, exception: Any) -> None:
        """Set an exception of a class with no value."""
        self.call_c("PyErr_SetNone", _VOID, (self._class(exception),))

    def err_format(self, exception: Any, message: str, *args: ir.Value) -> None:
        """Set an exception with a message in the manner of `PyErr_Format`."""
        operands = (self._class(exception), self.text(message), *args)
        self.call_c("PyErr_Format", values.BYTES, operands, fixed=2)

    def c_api_error(self) -> ir.Value:
        """Emit an i1: an exception is set."""
        return cgutils.is_not_null(self.builder, self.err_occurred())

    def _class(self, exception: Any) -> ir.Value:
        if isinstance(exception, str):
            cls = getattr(builtins, exception.removeprefix("PyExc_"), None)
            if not (isinstance(cls, type) and issubclass(cls, BaseException)):
                raise ExtensionError(f"there is no exception {exception!r}")
            exception = cls
        return self.object_constant(exception) if isinstance(exception, type) else exception

    # --- objects --------------------------------------------------------------------------------

    def object_getattr_string(self, value: ir.Value, name: str) -> ir.Value:
        """Read an attribute; new, or null where an exception is set."""
        # Python compares an interned name by identity.
        return self.object_getattr(value, self.object_constant(sys.intern(name)))

    def object_delattr_string(self, value: ir.Value, name: str) -> ir.Value:
        """`del value.name`; -1 where an exception is set."""
        return self.object_setattr_string(value, name, self.get_null_object())

    def object_richcompare(self, first: ir.Value, second: ir.Value, how: str) -> ir.Value:
        """Compare by a symbol, `is` and `in` included; new."""
        if how in _COMPARISONS:
            which = ir.Constant(I32, _COMPARISONS.index(how))
            operands = (first, second, which)
            return guarded(self, "PyObject_RichCompare", values.BYTES, operands, operands[:2])
        if how not in _IDENTITIES:
            raise ExtensionError(f"{how!r} is no comparison")
        function, order = _IDENTITIES[how]
        held = self.object_constant(function)
        pair = (first, second) if order else (second, first)
        return self.call_function_objargs(held, pair)

    def call_function_objargs(self, function: ir.Value, args: Sequence[ir.Value]) -> ir.Value:
        """`function(*args)`; new."""
        operands = (function, *args, self.get_null_object())
        needed = operands[:-1]
        name = "PyObject_CallFunctionObjArgs"
        return guarded(self, name, values.BYTES, operands, needed, fixed=1)

    def call(self, function: ir.Value, args: ir.Value, kws: ir.Value | None = None) -> ir.Value:
        """`function(*args, **kws)` with a tuple and a dict; new."""
        named = self.get_null_object() if kws is None else kws
        operands = (function, args, named)
        return guarded(self, "PyObject_Call", values.BYTES, operands, operands[:2])

    def call_method(self, owner: ir.Value, name: str, args: Sequence[ir.Value] = ()) -> ir.Value:
        """`owner.name(*args)`; new."""
        method = self.object_getattr_string(owner, name)
        result = self.call_function_objargs(method, args)
        self.decref(method)
        return result

    def number_power(self, first: ir.Value, second: ir.Value, inplace: bool = False) -> ir.Value:  # type: ignore[valid-type]
        """`first ** second`; new."""
        operands = (first, second, self.object_constant(None))
        return guarded(self, "PyNumber_Power", values.BYTES, operands, operands[:2])

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

    serialize_uncached = serialize_object

    def unserialize(self, value: object) -> ir.Value:
        """Return a new reference to an object that was passed to `serialize_object`."""
        reference = self.object_constant(value)
        self.incref(reference)
        return reference

    def print_object(self, value: ir.Value) -> None:
        """Print an object."""
        held = self.object_constant(print)
        self.decref(self.call_function_objargs(held, [value]))

    def print_string(self, value: ir.Value) -> None:
        """Print a str."""
        self.print_object(value)

    # --- numbers --------------------------------------------------------------------------------

    def long_from_signed_int(self, value: ir.Value) -> ir.Value:
        """Convert a signed integer of any width to an int; new."""
        wide = value if value.type == I64 else self.builder.sext(value, I64)
        return self.long_from_longlong(wide)

    def long_from_unsigned_int(self, value: ir.Value) -> ir.Value:
        """Convert an unsigned integer of any width to an int; new."""
        wide = value if value.type == I64 else self.builder.zext(value, I64)
        return self.long_from_ulonglong(wide)

    def number_as_ssize_t(self, value: ir.Value) -> ir.Value:
        """Convert a number to an index."""
        operands = (value, self._class("OverflowError"))
        return guarded(self, "PyNumber_AsSsize_t", I64, operands, [value])

    def bool_from_long(self, value: ir.Value) -> ir.Value:
        """Convert an i64, or an integer of any width, to a bool; new."""
        wide = value if value.type == I64 else self.builder.zext(value, I64)
        return self.call_c("PyBool_FromLong", values.BYTES, [wide])

    bool_from_bool = bool_from_long

    # --- containers -----------------------------------------------------------------------------

    def tuple_pack(self, items: Sequence[ir.Value]) -> ir.Value:
        """Pack a tuple; new."""
        operands = (ir.Constant(I64, len(items)), *items)
        return guarded(self, "PyTuple_Pack", values.BYTES, operands, items, fixed=1)

    def list_pack(self, items: Sequence[ir.Value]) -> ir.Value:
        """Pack a list; new."""
        held = self.object_constant(list)
        packed = self.tuple_pack(items)
        made = self.call_function_objargs(held, [packed])
        self.decref(packed)
        return made

    def dict_new(self, presize: int = 0) -> ir.Value:
        """A dict; new."""
        return self.call_c("PyDict_New", values.BYTES, ())

    def dict_pack(self, items: Sequence[tuple[str, ir.Value]]) -> ir.Value:
        """Pack names and values to a dict, which takes references of its own; new."""
        made = self.dict_new()
        for name, value in items:
            self.dict_setitem_string(made, name, value)
        return made

    def set_new(self, iterable: ir.Value | None = None) -> ir.Value:
        """Make a set of the items of an iterable, or an empty one; new."""
        items = self.get_null_object() if iterable is None else iterable
        needed = [] if iterable is None else [items]
        return guarded(self, "PySet_New", values.BYTES, (items,), needed)

    # --- texts ----------------------------------------------------------------------------------

    def string_as_string_and_size(self, value: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value]:
        """Return an i1 that is true if a str has a text in UTF-8, the text, which the str keeps,
        and its length in bytes."""
        size_slot = values.alloca_at_entry(self.builder, I64, 1)
        self.builder.store(ir.Constant(I64, 0), size_slot)
        operands = (value, size_slot)
        text = guarded(self, "PyUnicode_AsUTF8AndSize", values.BYTES, operands, [value])
        there = cgutils.is_not_null(self.builder, text)
        return there, text, self.builder.load(size_slot, typ=I64)


_COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")
# The functions of comparisons that C lacks, and whether their operands are in this order.
_IDENTITIES: dict[str, tuple[Callable[..., object], bool]] = {
    "is": (operator.is_, True),
    "is not": (operator.is_not, True),
    "in": (operator.contains, False),
    "not in": (lambda items, item: item not in items, False),
}

for _name in ROWS:
    setattr(PythonApi, _name, method_of(_name))
