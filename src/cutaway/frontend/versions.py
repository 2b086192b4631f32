"""One naming for the instructions of Python 3.11, 3.12 and 3.13.

The columns of the tables below are all that the rest of the frontend needs to know of a
version.  To support another Python add its column; the golden IR of every program must then
be the same text as on the other versions.
"""

from __future__ import annotations

import sys

from cutaway.foundation.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Version:
    """The particulars of one Python version.

    `compare_shift`: where COMPARE_OP keeps the comparison in its argument.  `method_bit`:
    LOAD_ATTR's lowest bit asks for a method.  `null_first`: the empty slot of a call lies under
    the function, not above it.  `end_for_pops`: how many values END_FOR takes off the stack.
    `exhausted_pops`: whether FOR_ITER itself takes an exhausted iterator off the stack.
    """

    compare_shift: int
    method_bit: bool
    null_first: bool
    end_for_pops: int
    exhausted_pops: bool


VERSIONS = {
    (3, 11): Version(0, False, True, 0, True),
    (3, 12): Version(4, True, True, 2, False),
    (3, 13): Version(5, True, False, 1, False),
}
VERSION = VERSIONS[sys.version_info[:2]]

# CACHE, PRECALL, RESUME and TO_BOOL serve CPython's interpreter.  MAKE_CELL and COPY_FREE_VARS set
# up cells, which are plain variables here.
# Instructions that mean nothing to the compiler.
IGNORED = frozenset(
    {
        "CACHE",
        "COPY_FREE_VARS",
        "EXTENDED_ARG",
        "MAKE_CELL",
        "NOP",
        "PRECALL",
        "RESUME",
        "TO_BOOL",
    }
)

# Names of a version for what has another name here: (canonical name, whether it falls through).
RENAMED = {
    "JUMP_BACKWARD": "JUMP",
    "JUMP_BACKWARD_NO_INTERRUPT": "JUMP",
    "JUMP_FORWARD": "JUMP",
    # Since 3.12 for variables that may be unbound; what may be is found out in `reads.py`.
    "LOAD_FAST_CHECK": "LOAD_FAST",
    "POP_JUMP_BACKWARD_IF_FALSE": "POP_JUMP_IF_FALSE",
    "POP_JUMP_BACKWARD_IF_NONE": "POP_JUMP_IF_NONE",
    "POP_JUMP_BACKWARD_IF_NOT_NONE": "POP_JUMP_IF_NOT_NONE",
    "POP_JUMP_BACKWARD_IF_TRUE": "POP_JUMP_IF_TRUE",
    "POP_JUMP_FORWARD_IF_FALSE": "POP_JUMP_IF_FALSE",
    "POP_JUMP_FORWARD_IF_NONE": "POP_JUMP_IF_NONE",
    "POP_JUMP_FORWARD_IF_NOT_NONE": "POP_JUMP_IF_NOT_NONE",
    "POP_JUMP_FORWARD_IF_TRUE": "POP_JUMP_IF_TRUE",
}

# Two instructions in one: the names of both; the argument holds two local variables.
PAIRS = {
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
}

CONDITIONAL_JUMPS = frozenset(
    {
        "FOR_ITER",
        "JUMP_IF_FALSE_OR_POP",
        "JUMP_IF_TRUE_OR_POP",
        "POP_JUMP_IF_FALSE",
        "POP_JUMP_IF_NONE",
        "POP_JUMP_IF_NOT_NONE",
        "POP_JUMP_IF_TRUE",
    }
)
ENDS = frozenset({"JUMP", "RAISE_VARARGS", "RETURN_VALUE"})  # nothing falls through

# What an instruction that is not compiled stands for in the user's program, and a hint.
_GENERATORS = ("generators are", "fill an array and return it")
_ASYNC = ("`await` and `async` are", "await outside the compiled function")
_WITH = ("`with` statements are", "put the `with` around the call of the compiled function")
_TRY = ("`try` statements are", "check the condition before the operation that may fail")
UNSUPPORTED: dict[str, tuple[str, str]] = {
    "BEFORE_ASYNC_WITH": _ASYNC,
    "BEFORE_WITH": _WITH,
    "BUILD_SET": ("sets are", "use a tuple or a NumPy array"),
    "CHECK_EXC_MATCH": _TRY,
    "DELETE_GLOBAL": ("deleting globals is", ""),
    "DELETE_SUBSCR": ("deleting items is", ""),
    "DICT_MERGE": ("calls with **kwargs are", "name each argument"),
    "DICT_UPDATE": ("dictionaries are", "use arrays"),
    "GET_AITER": _ASYNC,
    "GET_AWAITABLE": _ASYNC,
    "IMPORT_NAME": ("imports are", "import the module outside the function"),
    "LOAD_BUILD_CLASS": ("classes are", "define the class outside the function"),
    "LOAD_SUPER_ATTR": ("super() is", ""),
    "MATCH_CLASS": ("`match` on classes is", "use if and elif"),
    "MATCH_KEYS": ("`match` on mappings is", "use if and elif"),
    "MATCH_MAPPING": ("`match` on mappings is", "use if and elif"),
    "MATCH_SEQUENCE": ("`match` on sequences is", "use if and elif"),
    "PUSH_EXC_INFO": _TRY,
    "RETURN_GENERATOR": _GENERATORS,
    "SETUP_ANNOTATIONS": ("annotations are", ""),
    "STORE_GLOBAL": ("assignments to globals are", "return the new value instead"),
    "YIELD_VALUE": _GENERATORS,
}
