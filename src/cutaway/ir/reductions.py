"""The reductions of arrays, one row each: the values of `function` in `nodes.ArrayReduce`.

Passes, lowerings, the library and views read the rows, and contain no names themselves.
"""

from __future__ import annotations

from cutaway.foundation.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Reduction:
    """A NumPy function that combines elements by a ufunc, with a description in `words`.

    Its initial value is `identity`; if that is None, for a minimum or maximum, it is the greatest
    or least number, and a reduction of no elements has no result.  `gives` is the kind of result:
    an "element", a "total" (of integers in 64 bits), a "mean", which is a total by their count, and
    of elements as bools a "truth" or a "count".
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
# By a ufunc, the reduction that combines elements without conversion.
BY_UFUNC = {
    row.ufunc: row for row in REDUCTIONS.values() if row.gives in ("total", "element", "truth")
}


def nothing_to_reduce(ufunc: str) -> str:
    """Return the error message of a reduction of no elements that has no identity."""
    return f"zero-size array to reduction operation {ufunc} which has no identity"
