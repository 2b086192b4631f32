"""What compiled code can call: each function once, by area.

Importing this package fills the `CONTEXT` of the registry with what nearly every function uses;
`rest` is loaded when something else is asked for, and of NumPy's functions the area of each that a
program calls (`areas`).
"""

import importlib

from cutaway.extending.registry import CONTEXT
from cutaway.library import (  # noqa: F401
    areas,
    arithmetic,
    array_attributes,
    array_indexing,
    bitwise,
    builtins,
    comparisons,
    conversions,
    iteration,
    number_classes,
    powers,
    ranges,
    tuples,
)

CONTEXT.rest = lambda: importlib.import_module("cutaway.library.rest")
CONTEXT.area = areas.load
