"""What a row of the case table is, and the rows of all areas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
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


@cache
def all_rows() -> dict[str, list[Row]]:
    """The rows of each file of the table, by the name of its area."""
    files = sorted(path.stem for path in Path(__file__).parent.glob("cases_*.py"))
    prefix = len("cases_")
    return {name[prefix:]: import_module(f"corpus.library.{name}").ROWS for name in files}
