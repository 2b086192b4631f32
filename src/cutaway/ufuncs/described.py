"""The attributes of a ufunc, on a CPU or on a GPU, that list its loops."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cutaway.foundation.loading import guard_forks

if TYPE_CHECKING:
    from cutaway.typing.types import Type

LOCKS = [threading.RLock()]  # for the rows of all functions


def _unlocked() -> None:
    LOCKS[0] = threading.RLock()


guard_forks(lambda: None, lambda: None, _unlocked)


class Described:
    """A function whose loops are `rows`, of `nin` inputs and `nout` outputs.

    `resolver` is the NumPy ufunc that chooses among them.
    """

    nin: int
    nout: int
    rows: Sequence[Any]

    @property
    def resolver(self) -> np.ufunc:
        """The NumPy ufunc that chooses a loop."""
        raise NotImplementedError

    @property
    def nargs(self) -> int:
        """The number of inputs and outputs."""
        return self.nin + self.nout

    @property
    def ntypes(self) -> int:
        """The number of loops."""
        return len(self.rows)

    @property
    def types(self) -> list[str]:
        """The loops in NumPy's letters, in the order in which they are tried."""
        return self.resolver.types

    @property
    def identity(self) -> Any:
        """The start value of a reduction."""
        return self.resolver.identity

    @property
    def signature(self) -> str | None:
        """The layout of the core dimensions; None for a function of elements."""
        return self.resolver.signature

    @property
    def signatures(self) -> list[tuple[Type, ...]]:
        """The types of the inputs of each loop."""
        return [row.types[: self.nin] for row in self.rows]
