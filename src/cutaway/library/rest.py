"""The part of the library that is loaded when it is first needed."""

# Of overloads that fit equally well the one that was registered first is taken.
# isort: off
from cutaway.library.arrays import methods, reshaping, flags, refusals  # noqa: F401
from cutaway.library.arrays.indexing import flat  # noqa: F401
from cutaway.library.arrays.creating import grids  # noqa: F401
from cutaway.library.data import buffers  # noqa: F401
from cutaway.library.text import choices  # noqa: F401
from cutaway.library.core import attributes, classes  # noqa: F401
from cutaway.library.math import complex_math  # noqa: F401
from cutaway.library.data import datetimes, enums, time_arrays  # noqa: F401
from cutaway.library.math import mathematics, number_methods  # noqa: F401
from cutaway.library.core import exceptions, objects, operators, optionals  # noqa: F401
from cutaway.library.core import printing, threading  # noqa: F401
from cutaway.library.data import c_functions, pointers, records  # noqa: F401
from cutaway.library.containers import reductions as reductions_of_items, slices  # noqa: F401
from cutaway.library.containers import comprehensions, generators, named_tuples, unpacking  # noqa: F401
from cutaway.library.text import cases, characters, elements, parts, texts  # noqa: F401
from cutaway.library.stencils import windows  # noqa: F401

# These are asked last.
from cutaway.library.core import object_refusals, operator_fallbacks  # noqa: F401
