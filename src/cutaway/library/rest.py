"""The part of the library that is loaded when it is first needed."""

from cutaway.foundation import loading
from cutaway.library.arrays import flags, methods, refusals, reshaping
from cutaway.library.arrays.creating import grids
from cutaway.library.arrays.indexing import flat
from cutaway.library.containers import (
    comprehensions,
    generators,
    list_arrays,
    named_tuples,
    reductions,
    slices,
    unpacking,
)
from cutaway.library.core import (
    attributes,
    classes,
    exceptions,
    object_refusals,
    objects,
    operator_fallbacks,
    operators,
    optionals,
    printing,
    threading,
)
from cutaway.library.data import (
    buffers,
    c_functions,
    datetimes,
    enums,
    pointers,
    records,
    time_arrays,
)
from cutaway.library.math import complex_math, mathematics, number_methods
from cutaway.library.stencils import windows
from cutaway.library.text import characters, elements, texts

# Among overloads that fit equally well, the one registered first wins.
loading.run(methods, reshaping, flags, refusals, flat, grids, buffers, texts, attributes, classes)
loading.run(complex_math, datetimes, enums, time_arrays, mathematics, number_methods, exceptions)
loading.run(objects, operators, optionals, printing, threading, c_functions, pointers, records)
loading.run(list_arrays, reductions, slices, comprehensions, generators)
loading.run(named_tuples, unpacking)
loading.run(characters, elements, windows)
loading.run(object_refusals, operator_fallbacks)  # these are tried last
