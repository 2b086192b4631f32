"""What compiled code can call: each function once, by area.

Importing this package fills `extending.CONTEXT`.
"""

from cutaway.library import (  # noqa: F401
    arithmetic,
    array_attributes,
    array_conversions,
    array_creation,
    array_indexing,
    array_methods,
    array_reductions,
    array_refusals,
    array_updates,
    bitwise,
    builtins,
    classes,
    comparisons,
    complex_math,
    conversions,
    iteration,
    mathematics,
    number_methods,
    operators,
    optionals,
    powers,
    printing,
    ranges,
    reductions,
    slices,
    tuples,
)
