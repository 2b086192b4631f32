"""Unifies the instructions of every supported Python: 3.11 to 3.15.

The rest of the frontend needs no other facts about a version than the tables below.  To support
another Python add its row to VERSIONS; the golden IR of every program must then be the same text as
on the other versions.  `tests/unit/ir/test_opcodes.py` reports each instruction of the running
Python that is missing here.
"""

from __future__ import annotations

import sys

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.python_words import FREE_THREADED


@dataclass(frozen=True, slots=True)
class Version:
    """The particulars of one Python version.

    `compare_shift`: the position of the comparison in the bits of COMPARE_OP's argument.
    `method_bit`: LOAD_ATTR's lowest bit requests a method.  `null_first`: the empty slot of a call
    lies below the function, not above it.  `end_for_pops`: how many values END_FOR pops.
    `exhausted_pops`: whether FOR_ITER itself pops an exhausted iterator.  `splices`:
    comprehensions are functions, which are inlined at their calls.  `exit_null`: an empty slot
    lies above the exit of a `with`.  `spread_null`: one takes the place of absent keywords in a
    call with stars.  `pairs_iterators`: one lies above an iterator, and comprehensions and
    generators create their iterators themselves.
    """

    compare_shift: int
    method_bit: bool
    null_first: bool
    end_for_pops: int
    exhausted_pops: bool
    splices: bool = False
    exit_null: bool = False
    spread_null: bool = False
    pairs_iterators: bool = False


VERSIONS = {
    (3, 11): Version(0, False, True, 0, True, splices=True),
    (3, 12): Version(4, True, True, 2, False),
    (3, 13): Version(5, True, False, 1, False),
    (3, 14): Version(5, True, False, 1, False, exit_null=True, spread_null=True),
    (3, 15): Version(
        5, True, False, 1, False, exit_null=True, spread_null=True, pairs_iterators=True
    ),
}


FIRST_FREE_THREADED = (3, 14)  # the C API of earlier ones does not suffice


def version_of(running: tuple[int, int], free_threaded: bool) -> Version:
    """Return the row of a Python version; raises ImportError for an unsupported one."""
    name = "Python {}.{}".format(*running)
    if running not in VERSIONS:
        known = ", ".join("{}.{}".format(*one) for one in VERSIONS)
        raise ImportError(f"Cutaway does not know {name}: it compiles the bytecode of {known}")
    if free_threaded and running < FIRST_FREE_THREADED:
        raise ImportError(
            f"Cutaway does not run on the free-threaded build of {name}: it needs the usual build, "
            "or {}.{}t or later".format(*FIRST_FREE_THREADED)
        )
    return VERSIONS[running]


VERSION = version_of(sys.version_info[:2], FREE_THREADED)

# The constant that LOAD_COMMON_CONSTANT loads, by its argument.
COMMON_CONSTANTS = (
    AssertionError,
    NotImplementedError,
    tuple,
    all,
    any,
    list,
    set,
    None,
    "",
    True,
    False,
    -1,
)

# Instructions that the compiler skips.  CACHE, PRECALL, RESUME and TO_BOOL serve CPython's
# interpreter.  MAKE_CELL and COPY_FREE_VARS set up cells, which are plain variables here.
IGNORED = frozenset(
    {
        "CACHE",
        "COPY_FREE_VARS",
        "EXTENDED_ARG",
        "MAKE_CELL",
        "NOP",
        "NOT_TAKEN",
        "PRECALL",
        "RESUME",
        "TO_BOOL",
    }
)

# Version-specific names and the canonical names of the same instructions.
RENAMED = {
    "JUMP_BACKWARD": "JUMP",
    "JUMP_BACKWARD_NO_INTERRUPT": "JUMP",
    "JUMP_FORWARD": "JUMP",
    "LOAD_FAST_BORROW": "LOAD_FAST",
    # Since 3.12 for variables that may be unbound; `reads.py` finds these by itself.
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
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": ("LOAD_FAST", "LOAD_FAST"),
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
NONE_JUMPS = frozenset({"POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE"})
COMPARING = NONE_JUMPS | {"COMPARE_OP", "CONTAINS_OP", "IS_OP"}
JUMPS = CONDITIONAL_JUMPS | {"JUMP"}
ENDS = frozenset({"JUMP", "RAISE_VARARGS", "RERAISE", "RETURN_VALUE"})  # nothing falls through

# Instructions that never raise.
QUIET = frozenset(
    """
    BUILD_TUPLE COPY JUMP KW_NAMES LOAD_CLOSURE LOAD_CONST POP_EXCEPT POP_ITER POP_TOP
    PUSH_EXC_INFO PUSH_NULL RETURN_VALUE STORE_DEREF STORE_FAST SWAP
    """.split()
)

# The construct of an unsupported instruction in the user's program, and a hint.
_ASYNC = ("`await` and `async` are", "await outside the compiled function")
_GROUPS = ("`except*` is", "catch the group, and look at its `exceptions`")
_TEMPLATES = ("a template string is", "use an f-string, or make the template outside")
UNSUPPORTED: dict[str, tuple[str, str]] = {
    "BEFORE_ASYNC_WITH": _ASYNC,
    "BUILD_INTERPOLATION": _TEMPLATES,
    "BUILD_TEMPLATE": _TEMPLATES,
    "CHECK_EG_MATCH": _GROUPS,
    "GET_AITER": _ASYNC,
    "GET_AWAITABLE": _ASYNC,
    "PREP_RERAISE_STAR": _GROUPS,
    "SETUP_ANNOTATIONS": ("annotations are", ""),
}
