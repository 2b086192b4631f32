"""The functions that compiled code can call, each registered once, by area.

Importing this package fills the `CONTEXT` of the registry with the functions that nearly every
program uses. `rest` is loaded at the first look-up of another function, and an area of NumPy
functions when a program calls one of them (`areas`).
"""

from cutaway.extending.registry import CONTEXT
from cutaway.foundation import loading
from cutaway.library import areas, rest
from cutaway.library.arrays import attributes
from cutaway.library.arrays.creating import sequences
from cutaway.library.arrays.indexing import basic, choosing, optional_values, unpacking
from cutaway.library.containers import iteration, ranges, tuples
from cutaway.library.core import builtins, comparisons, conversions
from cutaway.library.math import arithmetic, bitwise, number_classes, powers

# Among overloads that fit equally well, the one registered first wins.
loading.run(arithmetic, attributes, choosing, basic, unpacking, optional_values, bitwise, builtins)
loading.run(comparisons, conversions, iteration, number_classes, powers, ranges, tuples)

CONTEXT.rest = lambda: loading.run(rest)
CONTEXT.area = areas.load
CONTEXT.with_arrays = lambda function, call: sequences.resolution_of(function, call)
CONTEXT.area_methods = areas.methods
