"""What a row of the case table is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Row:
    """A program that calls one function, and its arguments; with `close` its floats may differ in
    the last bits, for NumPy adds up in an order of its own."""

    program: Callable[..., Any]
    given: tuple[Any, ...]
    close: bool

    def arguments(self) -> tuple[Any, ...]:
        """The arguments, new ones each time."""
        return tuple(
            one.copy(order="K") if isinstance(one, np.ndarray) else one for one in self.given
        )


def row(program: Callable[..., Any], *given: Any, close: bool = False) -> Row:
    """A row of the table."""
    return Row(program, given, close)
