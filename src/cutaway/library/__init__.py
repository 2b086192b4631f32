"""The functions that compiled code can call: each once, by area.

Importing this package fills the `CONTEXT` of the registry with what nearly every function uses;
`rest` is loaded when something else is asked for, and of NumPy's functions the area of each that a
program calls (`areas`).
"""

import importlib

from cutaway.extending.registry import CONTEXT
from cutaway.library import areas

# Of overloads that fit equally well the one that was registered first is taken.
# isort: off
from cutaway.library.math import arithmetic  # noqa: F401
from cutaway.library.arrays import attributes  # noqa: F401
from cutaway.library.arrays.indexing import choosing, basic, unpacking, optional_values  # noqa: F401
from cutaway.library.math import bitwise  # noqa: F401
from cutaway.library.core import builtins, comparisons, conversions  # noqa: F401
from cutaway.library.containers import iteration  # noqa: F401
from cutaway.library.math import number_classes, powers  # noqa: F401
from cutaway.library.containers import ranges, tuples  # noqa: F401

# isort: on

CONTEXT.rest = lambda: importlib.import_module("cutaway.library.rest")
CONTEXT.area = areas.load
CONTEXT.with_arrays = lambda function, call: importlib.import_module(
    "cutaway.library.arrays.creating.sequences"
).resolution_of(function, call)
CONTEXT.area_methods = areas.methods
