"""The C runtime of compiled code: reference-counted memory, and numeric functions.

`symbols` maps the name of each function that compiled code may call to its address; `stats`
gives how many blocks of memory compiled code has allocated and released.
"""

from cutaway.runtime._runtime import stats, symbols

__all__ = ["stats", "symbols"]
