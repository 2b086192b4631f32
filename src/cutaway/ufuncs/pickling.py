"""Pickles of functions that gain loops: a name where they are found by it, else the kernel."""

from __future__ import annotations

import sys
from typing import Any

from cutaway.dispatch_c._dispatch import Dispatcher
from cutaway.ufuncs.generalized import Generalized
from cutaway.ufuncs.half import UfuncHalf
from cutaway.ufuncs.layout import Layout
from cutaway.ufuncs.options import Options
from cutaway.ufuncs.vectorized import Vectorized


def reduce(half: UfuncHalf, public: Any) -> str | tuple[Any, ...]:  # Any: what users call
    """The answer of `__reduce__`.

    Raises what `pickle` raises for a Python function that it cannot pickle.
    """
    value: Any = sys.modules.get(half.__module__)
    for name in half.__qualname__.split("."):
        value = getattr(value, name, None)
    if value is public:
        return half.__qualname__
    layout = half.layout if isinstance(half, Generalized) else None
    return restore, (half.kernel, half.options, layout)


def restore(kernel: Dispatcher, options: Options, layout: Layout | None) -> Any:
    """The function again, without loops.  (Any: a GrowingUfunc.)"""
    half: UfuncHalf
    if layout is None:
        half = Vectorized(kernel.py_func, options, kernel)
    else:
        half = Generalized(kernel.py_func, options, layout, kernel)
    return half.growing()
