"""The part of the library that is loaded when it is first needed."""

from cutaway.library import (  # noqa: F401
    array_conversions,
    array_creation,
    array_methods,
    array_reductions,
    array_refusals,
    array_updates,
    buffers,
    choices,
    classes,
    complex_math,
    datetimes,
    enums,
    mathematics,
    number_methods,
    objects,
    operators,
    optionals,
    printing,
    records,
    reductions,
    slices,
    texts,
)

from cutaway.library import (  # noqa: E402, isort: skip  asked last
    object_refusals,  # noqa: F401
    operator_fallbacks,  # noqa: F401
)
