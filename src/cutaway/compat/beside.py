"""Warn that both are installed, where the real Numba runs beside `cutaway-as-numba`."""

from __future__ import annotations

import warnings

from cutaway.compat.installing import is_installed
from cutaway.errors import CutawayWarning


def warn() -> None:
    """Warn if the real Numba compiles: an entry point that both of them call."""
    if not is_installed():
        warnings.warn(
            "the real Numba compiles here, not Cutaway, though cutaway-as-numba is installed:"
            " uninstall one of the two",
            CutawayWarning,
            stacklevel=2,
        )
