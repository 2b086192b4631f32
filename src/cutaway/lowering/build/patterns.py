"""Implementations chosen by patterns of types, as extensions register them.

A pattern is a type, a class of types, `types.Any`, or, at the end, `types.VarArg(pattern)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.typing.types import Omitted, Slice, Type, kinds, none

Pattern = Any
Code = Callable[..., Any]

_FAR = 1000  # greater than the distance of any class from its bases


def distance(pattern: Pattern, ty: Type) -> int | None:
    """Return the distance of a pattern from a type: 0 if they are the same; None if it differs."""
    if pattern is ty:
        return 0
    if isinstance(pattern, type) and isinstance(ty, pattern):
        mro = type(ty).__mro__
        return 1 + mro.index(pattern) if pattern in mro else _FAR - 1
    if pattern is none and isinstance(ty, Omitted) and ty.value is None:
        return 1
    # Extensions know two types of slices, each with any bounds.
    if isinstance(pattern, Slice) and isinstance(ty, Slice) and pattern.has_step == ty.has_step:
        return 1
    return _FAR if pattern is kinds.any_type else None


def distances(patterns: tuple[Pattern, ...], argtypes: tuple[Type, ...]) -> list[int] | None:
    """Return the distance of each pattern from its type; None if one does not match."""
    if patterns and isinstance(patterns[-1], kinds.VarArg):
        *first, last = patterns
        patterns = (*first, *[last.dtype] * (len(argtypes) - len(first)))
    if len(patterns) != len(argtypes):
        return None
    each = [distance(pattern, ty) for pattern, ty in zip(patterns, argtypes, strict=True)]
    return None if None in each else each


class Implementations:
    """A table of code by patterns of types."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.known: list[tuple[tuple[Pattern, ...], Code]] = []

    def add(self, patterns: tuple[Pattern, ...], code: Code) -> None:
        """Add code for types that match these patterns; of equally close entries the last wins."""
        self.known.insert(0, (patterns, code))

    def find(self, argtypes: tuple[Type, ...]) -> Code | None:
        """Return the code whose patterns are closest to these types; None if none matches."""
        best: tuple[list[int], Code] | None = None
        for patterns, code in self.known:
            each = distances(patterns, argtypes)
            if each is not None and (best is None or each < best[0]):
                best = (each, code)
        return None if best is None else best[1]
