"""What the tests of this folder share."""

from __future__ import annotations

import pytest

from cutaway.compiling import compilable
from cutaway.extending.lowered import FUNCTIONS
from cutaway.extending.registry import CONTEXT
from cutaway.foundation.loading import load
from cutaway.library.areas import AREAS
from cutaway.lowering.build.casts import CASTS
from cutaway.lowering.build.constants import CONSTANTS


@pytest.fixture(autouse=True)
def forgotten_again():
    """What a test registers for the library's own functions is gone behind it."""
    CONTEXT.load_rest()
    # Or what is loaded meanwhile would be gone, too.
    for area in ("arrays.elementwise.ufuncs", *AREAS):
        load(f"cutaway.library.{area}")
    tables = ("overloads", "attributes", "fields")
    before = {name: {k: list(v) for k, v in getattr(CONTEXT, name).items()} for name in tables}
    lowerings, methods = dict(CONTEXT.lowerings), set(CONTEXT.methods)
    functions = set(FUNCTIONS)
    codes = [(table, list(table.known)) for table in (CASTS, CONSTANTS)]
    yield
    for table, known in codes:
        table.known[:] = known
    for name, table in before.items():
        setattr(CONTEXT, name, table)
    CONTEXT.lowerings, CONTEXT.methods = lowerings, methods
    for key in set(FUNCTIONS) - functions:  # its code is behind the lowering
        del FUNCTIONS[key]
    CONTEXT.forget()
    compilable.library_function.cache_clear()  # what was compiled with that in force
