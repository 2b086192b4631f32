"""What the tests of this folder share."""

from __future__ import annotations

import pytest

from cutaway.extending.lowered import FUNCTIONS
from cutaway.extending.registry import CONTEXT


@pytest.fixture(autouse=True)
def forgotten_again():
    """What a test registers for the library's own functions is gone behind it."""
    CONTEXT.load_rest()
    tables = ("overloads", "attributes", "fields")
    before = {name: {k: list(v) for k, v in getattr(CONTEXT, name).items()} for name in tables}
    lowerings, methods = dict(CONTEXT.lowerings), set(CONTEXT.methods)
    functions = set(FUNCTIONS)
    yield
    for name, table in before.items():
        setattr(CONTEXT, name, table)
    CONTEXT.lowerings, CONTEXT.methods = lowerings, methods
    for key in set(FUNCTIONS) - functions:  # its code is behind the lowering
        del FUNCTIONS[key]
    CONTEXT.forget()
