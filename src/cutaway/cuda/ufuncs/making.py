"""The GPU implementation of the decorators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.cuda.ufuncs.generalized import Generalized
from cutaway.cuda.ufuncs.options import read_options
from cutaway.cuda.ufuncs.vectorized import Vectorized


def halves(decorator: str, options: dict[str, Any]) -> Callable[..., Any]:
    """Return the function that wraps a function, and for `guvectorize` a function and its layout.

    Raises OptionError for an unknown option.
    """
    read = read_options(decorator, options)
    if decorator == "vectorize":
        return lambda function: Vectorized(function, read)
    return lambda function, layout: Generalized(function, read, layout)
