"""Pickles of ufuncs: a name where they are found by it, else the kernel; and the machine code of
the loops.

A ufunc by value has an identity that its copies share: a process that has a copy uses that.
"""

from __future__ import annotations

import sys
import uuid
from typing import Any
from weakref import WeakValueDictionary

from cutaway.caching.carried import Carried, offer
from cutaway.dispatch.pickling import leaving, named
from cutaway.dispatch_c._dispatch import Dispatcher
from cutaway.foundation.element_functions import ufunc_half
from cutaway.ufuncs.generalized import Generalized
from cutaway.ufuncs.half import UfuncHalf
from cutaway.ufuncs.layout import Layout
from cutaway.ufuncs.options import Options
from cutaway.ufuncs.vectorized import Vectorized

_COPIES: WeakValueDictionary[str, UfuncHalf] = WeakValueDictionary()


def reduce(half: UfuncHalf, public: Any) -> str | tuple[Any, ...]:
    """Return the result of `__reduce__`.

    Raises the error of `pickle` for a Python function that it cannot pickle.
    """
    value: Any = sys.modules.get(half.__module__)
    for name in half.__qualname__.split("."):
        value = getattr(value, name, None)
    name = half.__qualname__
    if value is public and half.written:
        return name  # importing it compiles its loops
    carried = leaving(half.loop_half())
    if value is public:
        return (found, (half.__module__, name, carried)) if carried else name
    layout = half.layout if isinstance(half, Generalized) else None
    return restore, (_identity(half), half.kernel, half.options, layout, half.written, carried)


def _identity(half: UfuncHalf) -> str:
    if half.identity_of_copies is None:
        half.identity_of_copies = uuid.uuid4().hex
        _COPIES[half.identity_of_copies] = half
    return half.identity_of_copies


def found(module: str, name: str, carried: dict[str, Carried]) -> Any:
    """Return a module's attribute; a function that gains loops may use those that came along.

    Raises AttributeError or ImportError where it does not exist.
    """
    value = named(module, name)
    half = ufunc_half(value)
    if half is not None:
        offer(half.loop_half(), carried)
    return value


def restore(
    identity: str,
    kernel: Dispatcher,
    options: Options,
    layout: Layout | None,
    written: tuple[Any, ...],
    carried: dict[str, Carried],
) -> Any:
    """Return this process's function of that identity, or a new one, whose loops need not be
    compiled if their code came along."""
    half = _COPIES.get(identity)
    if half is not None:
        offer(half.loop_half(), carried)
        return half.public
    if layout is None:
        half = Vectorized(kernel.half.py_func, options, kernel)
    else:
        half = Generalized(kernel.half.py_func, options, layout, kernel)
    offer(half.loop_half(), carried)
    public = half.closed(written) if written else half.growing()
    half.identity_of_copies = identity
    _COPIES[identity] = half
    return public
