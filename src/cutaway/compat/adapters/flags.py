"""Numba's compiler flags, which programs make and pass on; Cutaway reads none of them."""

from __future__ import annotations

import types


class Flags(types.SimpleNamespace):
    """Flags as attributes."""


DEFAULT_FLAGS = Flags(nrt=True)
