"""Assignment to the parts of complex arrays: `a.real = values`, `a.imag = values`."""

from __future__ import annotations

import numpy as np

from cutaway.extending.overloads import overload
from cutaway.library.arrays.kit.typers import OPTIONS, is_array
from cutaway.library.core.messages import message_of
from cutaway.typing import types
from cutaway.typing.overloads.context import AttributeSetter


@overload(AttributeSetter("real"), jit_options=OPTIONS)
def _assign_real(a, value):
    def assign(a, value):
        part = a.real  # which of real numbers is the array itself
        part[...] = value

    return assign if is_array(a) else None


@overload(AttributeSetter("imag"), jit_options=OPTIONS)
def _assign_imag(a, value):
    if not is_array(a):
        return None

    def assign(a, value):
        part = a.imag
        part[...] = value

    # NumPy's words, which differ between its versions.
    message = message_of(lambda: setattr(np.zeros(1), "imag", 0))

    def misfit(a, value):
        raise TypeError(message)

    return assign if isinstance(a.dtype, types.Complex) else misfit
