"""Numba's names, without installing anything: `from cutaway.compat import numba`.

Only `numba` itself is had in this way; its modules are attributes, `numba.core.types`.
"""

from __future__ import annotations

from typing import Any

from cutaway.compat import layer

_LAYER = layer.module(layer.ROOT)


def __getattr__(name: str) -> Any:
    return getattr(_LAYER, name)


def __dir__() -> list[str]:
    return dir(_LAYER)
