"""The functions that object mode calls: Python's C API, and wrappers around it (runtime/objects.h).

One row per function: its result and parameter types, the arguments whose references it steals,
whether its result is a new reference or borrowed, and how it reports an exception.  Lowering calls
no function without a row.
"""

from __future__ import annotations

from enum import Enum

from cutaway.foundation.dataclass import dataclass

PTR, I32, I64, VOID = "ptr", "i32", "i64", "void"


class Gives(Enum):
    """The kind of a function's result."""

    NEW = "a new reference"
    BORROWED = "an object that somebody else keeps"
    ANSWER = "a number"
    NOTHING = "nothing"


class Raises(Enum):
    """How a function reports that an exception is set."""

    NULL = "it returns NULL"
    NEGATIVE = "it returns -1"
    ALWAYS = "an exception is always set"
    NEVER = "it raises nothing"


@dataclass(frozen=True, slots=True)
class ApiRow:
    """One function.  `steals` are the positions of the arguments whose references it takes over,
    even if it fails; it borrows the others."""

    name: str
    returns: str
    takes: tuple[str, ...]
    gives: Gives
    raises: Raises
    steals: tuple[int, ...] = ()


def _objects(names: str, count: int) -> list[ApiRow]:
    """Functions of objects that return a new one."""
    row = (PTR, (PTR,) * count, Gives.NEW, Raises.NULL)
    return [ApiRow(name, *row) for name in names.split()]


def _statuses(names: str, count: int) -> list[ApiRow]:
    """Functions of objects that return 0, or a truth value, or -1."""
    row = (I32, (PTR,) * count, Gives.ANSWER, Raises.NEGATIVE)
    return [ApiRow(name, *row) for name in names.split()]


def _reusing(names: str) -> list[ApiRow]:
    """Operators that may mutate an operand in place, if it is dropped right afterward."""
    return [ApiRow(name, PTR, (PTR, PTR, I32), Gives.NEW, Raises.NULL) for name in names.split()]


def _new(name: str, *takes: str) -> ApiRow:
    return ApiRow(name, PTR, takes, Gives.NEW, Raises.NULL)


def _status(name: str, *takes: str) -> ApiRow:
    return ApiRow(name, I32, takes, Gives.ANSWER, Raises.NEGATIVE)


def _does(name: str, *takes: str, raises: Raises = Raises.NEVER) -> ApiRow:
    return ApiRow(name, VOID, takes, Gives.NOTHING, raises)


_ROWS = (
    # --- operators
    *_objects("cutaway_py_negative PyNumber_Positive PyNumber_Invert", 1),
    *_reusing("cutaway_py_add cutaway_py_subtract cutaway_py_multiply cutaway_py_divide"),
    *_reusing("cutaway_py_inplace_add cutaway_py_inplace_subtract cutaway_py_inplace_multiply"),
    *_reusing("cutaway_py_inplace_divide"),
    *_objects("cutaway_py_floor_divide cutaway_py_remainder cutaway_py_power", 2),
    *_objects("cutaway_py_lshift cutaway_py_rshift cutaway_py_and cutaway_py_or cutaway_py_xor", 2),
    *_objects("PyNumber_MatrixMultiply PyNumber_InPlaceMatrixMultiply", 2),
    *_objects("cutaway_py_inplace_floor_divide cutaway_py_inplace_remainder", 2),
    *_objects("cutaway_py_inplace_lshift cutaway_py_inplace_rshift", 2),
    *_objects("cutaway_py_inplace_and cutaway_py_inplace_or cutaway_py_inplace_xor", 2),
    *_objects("cutaway_py_inplace_power", 2),
    _new("cutaway_py_append", PTR, PTR, I32, I32),
    _new("cutaway_py_compare", PTR, PTR, I32),
    _status("cutaway_py_compares", PTR, PTR, I32),
    _status("PySequence_Contains", PTR, PTR),
    _status("PyObject_IsTrue", PTR),
    # --- items
    *_objects("cutaway_py_getitem", 2),
    _status("cutaway_py_setitem", PTR, PTR, PTR),
    _status("PyObject_DelItem", PTR, PTR),
    _new("cutaway_py_item", PTR, I64),
    *_objects("PyObject_GetIter cutaway_py_loop", 1),
    ApiRow("cutaway_py_next", PTR, (PTR,), Gives.NEW, Raises.NEVER),  # NULL: see cutaway_py_ended
    _status("cutaway_py_ended"),
    _new("cutaway_py_tuple", PTR, I64),
    _new("cutaway_py_list", PTR, I64),
    _new("cutaway_py_set", PTR, I64),
    _new("cutaway_py_dict", PTR, I64),
    _new("cutaway_py_string", PTR, I64),
    _new("cutaway_py_format", PTR, PTR, I32),
    _new("PySlice_New", PTR, PTR, PTR),
    _new("cutaway_py_unpack", PTR, I64),
    _new("cutaway_py_unpack_star", PTR, I64, I64),
    *_statuses("PyList_Append PySet_Add cutaway_py_list_extend cutaway_py_set_update", 2),
    *_statuses("cutaway_py_dict_update", 2),
    *_statuses("PyDict_SetItem cutaway_py_dict_merge", 3),
    # --- patterns
    *_statuses("cutaway_py_is_sequence cutaway_py_is_mapping", 1),
    *_objects("cutaway_py_match_keys", 2),
    _new("cutaway_py_match_class", PTR, PTR, I64, PTR),
    # --- names and attributes
    *_objects("cutaway_py_read_cell", 2),
    _new("cutaway_py_getattr", PTR, PTR, PTR, I64),
    _status("cutaway_py_setattr", PTR, PTR, PTR, PTR, I64),
    _new("cutaway_py_global", PTR, PTR, I64),
    *_statuses("cutaway_py_delete_global cutaway_py_delete_cell cutaway_py_set_cell", 2),
    *_statuses("cutaway_py_delattr", 2),
    *_statuses("cutaway_py_write_global", 3),
    _does("cutaway_py_unbound", PTR, raises=Raises.ALWAYS),
    _does("cutaway_py_no_environment", raises=Raises.ALWAYS),
    _does("cutaway_py_unbound_free", PTR, raises=Raises.ALWAYS),
    *_objects("PyCell_New", 1),
    ApiRow("PyCell_Get", PTR, (PTR,), Gives.NEW, Raises.NEVER),  # NULL: it is empty
    # --- calls
    _new("cutaway_py_method", PTR, PTR, PTR, PTR, I64),
    _new("cutaway_py_call", PTR, PTR, I64, PTR),
    _new("cutaway_py_call_method", PTR, PTR, PTR, I64, PTR),
    _new("cutaway_py_call_star", PTR, PTR, I64, PTR, PTR),
    *_objects("cutaway_py_call_spread", 3),
    _new("cutaway_py_globals", PTR, PTR),
    _new("cutaway_py_function", PTR, PTR, PTR, I64, PTR, PTR, I64),
    *_objects("cutaway_py_import", 4),
    *_objects("cutaway_py_import_from", 2),
    # --- generators
    _new("cutaway_py_generator", PTR, PTR, I64, I64, PTR, PTR),
    ApiRow("cutaway_py_delegate", I32, (PTR, PTR), Gives.ANSWER, Raises.NEVER),  # 2: see objects.h
    _does("cutaway_py_thrown", raises=Raises.ALWAYS),
    _does("cutaway_py_leave_handlers", PTR, PTR),
    _does("cutaway_py_enter_handlers", PTR, PTR),
    # --- exceptions
    _does("cutaway_py_failed", PTR, I32, I32),
    ApiRow("cutaway_py_caught", PTR, (PTR,), Gives.NEW, Raises.NEVER),
    _does("cutaway_py_end_handler", PTR),
    *_statuses("cutaway_py_matches", 2),
    _does("cutaway_py_raise", PTR, PTR, raises=Raises.ALWAYS),
    _does("cutaway_py_reraise", PTR, raises=Raises.ALWAYS),
    _does("cutaway_py_raise_current", PTR, I32, I32, raises=Raises.ALWAYS),
    *_objects("cutaway_py_enter cutaway_py_exit_with", 3),
    # --- loops
    _status("cutaway_py_poll"),
    _new("cutaway_py_run_loop", PTR, PTR, PTR, I64, I32, I32),
    # --- references
    _does("cutaway_py_drop", PTR),
    _does("cutaway_py_drop_all", PTR, I64),
    _does("cutaway_py_end", PTR),
    _does("Py_IncRef", PTR),
    _does("Py_DecRef", PTR),
)
API = {row.name: row for row in _ROWS}

# --- operators --------------------------------------------------------------------------------

UNARY = {"-": "cutaway_py_negative", "+": "PyNumber_Positive", "~": "PyNumber_Invert"}
BINARY = {
    **{"+": "cutaway_py_add", "-": "cutaway_py_subtract", "*": "cutaway_py_multiply"},
    **{"/": "cutaway_py_divide", "//": "cutaway_py_floor_divide", "%": "cutaway_py_remainder"},
    **{"**": "cutaway_py_power", "@": "PyNumber_MatrixMultiply"},
    **{"<<": "cutaway_py_lshift", ">>": "cutaway_py_rshift"},
    **{"&": "cutaway_py_and", "|": "cutaway_py_or", "^": "cutaway_py_xor"},
}
INPLACE = {
    **{"+=": "cutaway_py_inplace_add", "-=": "cutaway_py_inplace_subtract"},
    **{"*=": "cutaway_py_inplace_multiply", "/=": "cutaway_py_inplace_divide"},
    **{"//=": "cutaway_py_inplace_floor_divide", "%=": "cutaway_py_inplace_remainder"},
    **{"**=": "cutaway_py_inplace_power", "@=": "PyNumber_InPlaceMatrixMultiply"},
    **{"<<=": "cutaway_py_inplace_lshift", ">>=": "cutaway_py_inplace_rshift"},
    **{
        "&=": "cutaway_py_inplace_and",
        "|=": "cutaway_py_inplace_or",
        "^=": "cutaway_py_inplace_xor",
    },
}
COMPARISONS = {"<": 0, "<=": 1, "==": 2, "!=": 3, ">": 4, ">=": 5}  # Python's numbers for them
EXTENDING = {
    "list_extend": "cutaway_py_list_extend",
    "set_add": "PySet_Add",
    "set_update": "cutaway_py_set_update",
    "dict_set": "PyDict_SetItem",
    "dict_update": "cutaway_py_dict_update",
    "dict_merge": "cutaway_py_dict_merge",
}
