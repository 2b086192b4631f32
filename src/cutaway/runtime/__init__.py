"""The C runtime of compiled code: reference-counted memory, and numeric functions.

`symbols` maps the name of each function that compiled code may call to its address, and
`object_symbols` of each that object mode calls; `stats` returns the numbers of blocks of memory
that compiled code has allocated and released.  `made_up` has the addresses of functions that the
code generator may call by itself.  Symbols that start with `NUMPY_LOOP` are NumPy's inner loops,
whose addresses `numpy_loops` returns.  A parallel loop that is estimated to take less than
`LEAST_WORK` nanoseconds runs on one thread.
"""

from cutaway.runtime._runtime import (
    LEAST_WORK,
    load_object,
    made_up,
    object_symbols,
    stats,
    symbols,
    watch_namespaces,
)

__all__ = [
    "LEAST_WORK",
    "NUMPY_LOOP",
    "load_object",
    "made_up",
    "object_symbols",
    "stats",
    "symbols",
    "watch_namespaces",
]

NUMPY_LOOP = "numpy."
