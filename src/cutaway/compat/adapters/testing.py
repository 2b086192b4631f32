"""Helpers from the tests of Numba that tests of packages import."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

_TIMEOUT = 1200  # the time limit of a test in seconds

F = TypeVar("F", bound=Any)


def make_tag_decorator(known_tags: Sequence[str]) -> Callable[..., Callable[[F], F]]:
    """Return a decorator that marks tests with some of these tags.

    Raises ValueError for an unknown tag.
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
