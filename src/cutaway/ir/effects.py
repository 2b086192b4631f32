"""The effects of executing an op besides defining its results: the values of `Op.EFFECT`.

Reading an operator, an item or an attribute changes nothing, for operands of any type; only calls
and assignments may.
"""

from __future__ import annotations

from enum import Enum


class Effect(Enum):
    """One thing that executing an op may do besides defining its results."""

    READS = "depends on memory that an op may write"
    WRITES = "changes memory, or the count of its owners"
    ALLOCATES = "gives memory that nothing else refers to"
    RAISES = "may leave the function with an exception"


NOTHING: frozenset[Effect] = frozenset()
ANYTHING = frozenset(Effect)  # assumed of an op class without EFFECT
MAKES = frozenset({Effect.ALLOCATES})
COMPUTES = frozenset({Effect.READS, Effect.ALLOCATES, Effect.RAISES})
# Like a display it raises nothing but MemoryError.
MAKES = frozenset({Effect.ALLOCATES})
CHANGES = frozenset({Effect.READS, Effect.WRITES, Effect.RAISES})
READS = frozenset({Effect.READS})
READS_AND_WRITES = frozenset({Effect.READS, Effect.WRITES})
RAISES = frozenset({Effect.RAISES})
SHOWN = frozenset({Effect.WRITES, Effect.RAISES})  # observable even if the results are not used
