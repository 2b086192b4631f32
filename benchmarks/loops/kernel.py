"""What a kernel is: a loop in Python, the same in C, and what makes its arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Make = Callable[[np.random.Generator], tuple[Any, ...]]


@dataclass(frozen=True)
class Kernel:
    """A loop in Python and in C.

    The C function has the same name. For an array it takes a pointer and, as int64_t, each of the
    array's dimensions; an int is an int64_t, a float a double. Results are one number or what is
    left in the arrays.
    """

    function: Callable[..., Any]
    make: Make
    c: str
    returns: str = ""  # "d" for double, "q" for int64_t

    @property
    def name(self) -> str:
        """The name in tables, and in C."""
        return self.function.__name__
