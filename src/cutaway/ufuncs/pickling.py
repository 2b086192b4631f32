"""Pickles of functions that gain loops: a name where they are found by it, else the kernel; and the
machine code of the loops."""

from __future__ import annotations

import sys
from typing import Any

from cutaway.caching.carried import Carried, offer
from cutaway.dispatch.pickling import leaving, named
from cutaway.dispatch_c._dispatch import Dispatcher
from cutaway.foundation.element_functions import ufunc_half
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
    carried = leaving(half.loop_half())
    if value is public:
        name = half.__qualname__
        return (found, (half.__module__, name, carried)) if carried else name
    layout = half.layout if isinstance(half, Generalized) else None
    return restore, (half.kernel, half.options, layout, carried)


def found(module: str, name: str, carried: dict[str, Carried]) -> Any:  # Any: what is there
    """What a module has under a name; a function that gains loops may use those that came along.

    Raises AttributeError or ImportError where there is no such thing.
    """
    value = named(module, name)
    half = ufunc_half(value)
    if half is not None:
        offer(half.loop_half(), carried)
    return value


def restore(
    kernel: Dispatcher, options: Options, layout: Layout | None, carried: dict[str, Carried]
) -> Any:
    """The function again, without loops; what comes along spares their compilation.  (Any: a
    GrowingUfunc.)"""
    half: UfuncHalf
    if layout is None:
        half = Vectorized(kernel.py_func, options, kernel)
    else:
        half = Generalized(kernel.py_func, options, layout, kernel)
    offer(half.loop_half(), carried)
    return half.growing()
