"""Pickles of functions that gain loops: a name where they are found by it, else the kernel."""

from __future__ import annotations

import sys
from typing import Any

from cutaway.dispatch_c._dispatch import Dispatcher
from cutaway.ufuncs.generalized import Generalized
from cutaway.ufuncs.layout import Layout
from cutaway.ufuncs.options import Options
from cutaway.ufuncs.owner import Owner
from cutaway.ufuncs.vectorized import Vectorized


def reduce(owner: Owner, public: Any) -> str | tuple[Any, ...]:  # Any: what users call
    """The answer of `__reduce__`.

    Raises what `pickle` raises for a Python function that it cannot pickle.
    """
    value: Any = sys.modules.get(owner.__module__)
    for name in owner.__qualname__.split("."):
        value = getattr(value, name, None)
    if value is public:
        return owner.__qualname__
    layout = owner.layout if isinstance(owner, Generalized) else None
    return restore, (owner.kernel, owner.options, layout)


def restore(kernel: Dispatcher, options: Options, layout: Layout | None) -> Any:
    """The function again, without loops.  (Any: a GrowingUfunc.)"""
    owner: Owner
    if layout is None:
        owner = Vectorized(kernel.py_func, options, kernel)
    else:
        owner = Generalized(kernel.py_func, options, layout, kernel)
    return owner.growing()
