"""The reductions of arrays, one row each: what the `function` of a `nodes.ArrayReduce` names.

Passes, lowerings, the library and what shows programs ask the rows, and know no names themselves.
"""

from __future__ import annotations

from cutaway.foundation.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Reduction:
    """A function of NumPy that combines elements by a ufunc, and `words` of what it does.

    It begins with `identity`; where that is None, a minimum or maximum, with the greatest or least
    number that there is, and of no elements at all it has no result.  It `gives` an "element", a
    "total" (of integers in 64 bits), a "mean", which is a total by their count, and of elements as
    bools a "truth" or a "count".
    """

    name: str
    ufunc: str
    identity: int | None
    gives: str
    words: str

    @property
    def operator(self) -> str:
        """The operator that combines the results of two parts."""
        return self.ufunc.removeprefix("logical_")

    @property
    def is_of_truths(self) -> bool:
        """True if elements are converted to bools first."""
        return self.gives in ("truth", "count")

    @property
    def is_in_any_order(self) -> bool:
        """True if the order of elements makes no difference, whatever their type."""
        return self.identity is None or self.is_of_truths


REDUCTIONS = {
    row.name: row
    for row in (
        Reduction("sum", "add", 0, "total", "added up"),
        Reduction("prod", "multiply", 1, "total", "multiplied"),
        Reduction("mean", "add", 0, "mean", "added up and divided by their number"),
        Reduction("min", "minimum", None, "element", "the smallest is kept"),
        Reduction("max", "maximum", None, "element", "the largest is kept"),
        Reduction("any", "logical_or", 0, "truth", "true if any is"),
        Reduction("all", "logical_and", 1, "truth", "true if all are"),
        Reduction("count_nonzero", "add", 0, "count", "counted where not zero"),
    )
}
# By a ufunc, the reduction that combines elements as they are.
BY_UFUNC = {
    row.ufunc: row for row in REDUCTIONS.values() if row.gives in ("total", "element", "truth")
}


def nothing_to_reduce(ufunc: str) -> str:
    """What an error says of a reduction of no elements that has no identity."""
    return f"zero-size array to reduction operation {ufunc} which has no identity"
