"""What tests of packages take from Numba's own tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

_TIMEOUT = 1200  # seconds that a test may take

F = TypeVar("F", bound=Any)


def make_tag_decorator(known_tags: Sequence[str]) -> Callable[..., Callable[[F], F]]:
    """A decorator that notes some of these tags at tests.

    Raises ValueError for a tag that is not known.
    """

    def tag(*tags: str) -> Callable[[F], F]:
        unknown = sorted(set(tags) - set(known_tags))
        if unknown:
            raise ValueError(f"unknown tag {unknown[0]!r}")

        def decorate(function: F) -> F:
            function.tags = tags
            return function

        return decorate

    return tag
