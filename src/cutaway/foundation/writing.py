"""How types and signatures are written for who reads them, where a program wants another way."""

from __future__ import annotations

from collections.abc import Callable

# Each gives the text of a type or a signature, or None where it is written as ever.
WRITERS: list[Callable[[object], str | None]] = []


def written(thing: object) -> str | None:
    """The text that a program wants; None where it is written as ever."""
    for write in WRITERS:
        text = write(thing)
        if text is not None:
            return text
    return None
