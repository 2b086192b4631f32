"""Lets a program replace the text of types and signatures in what users read."""

from __future__ import annotations

from collections.abc import Callable

# Each returns the text of a type or a signature, or None to keep the usual text.
WRITERS: list[Callable[[object], str | None]] = []


def written(thing: object) -> str | None:
    """Return the text that a program has set for a type or a signature; None for the usual one."""
    for write in WRITERS:
        text = write(thing)
        if text is not None:
            return text
    return None
