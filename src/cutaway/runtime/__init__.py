"""The C runtime of compiled code: reference-counted memory, and numeric functions.

`symbols` maps the name of each function that compiled code may call to its address, and
`object_symbols` of each that object mode calls; `stats`
gives how many blocks of memory compiled code has allocated and released.  `made_up` has the
addresses of what the code generator may call by itself.  Symbols that start with `NUMPY_LOOP` are
inner loops of NumPy's, whose addresses `numpy_loops` gives.  A parallel loop that is estimated to
take less than `LEAST_WORK` nanoseconds runs on one thread.
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
