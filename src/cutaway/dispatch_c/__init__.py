"""The C dispatcher: `_dispatch` holds `Dispatcher` and `Specialization`.

Its result boxes wrap memory of the runtime, which must be loaded first.
"""

from cutaway.runtime import _runtime

__all__ = ["_runtime"]
