"""What all writers of programs choose by: a source of random numbers."""

from __future__ import annotations

from random import Random
from typing import TypeVar

T = TypeVar("T")


class Chooser:
    """Makes the choices of a seed, always the same ones."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def pick(self, *choices: T) -> T:
        """One of several things."""
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        """True in this share of all cases."""
        return self.random.random() < share
