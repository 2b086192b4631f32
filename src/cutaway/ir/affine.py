"""Affine sums of variables, `2 * i + j - 1`: the usual form of indices."""

from __future__ import annotations

from cutaway.foundation.dataclass import dataclass

MOST_TERMS, LARGEST_FACTOR, LARGEST_OFFSET = 8, 1 << 10, 1 << 31


@dataclass(frozen=True, slots=True)
class Affine:
    """A sum; `terms` are variables and their nonzero factors, in the order of the names."""

    terms: tuple[tuple[str, int], ...]
    offset: int

    def plus(self, other: Affine | int, times: int = 1) -> Affine:
        """Add `times` another sum to this one."""
        if isinstance(other, int):
            return Affine(self.terms, self.offset + other * times)
        factors = dict(self.terms)
        for name, factor in other.terms:
            factors[name] = factors.get(name, 0) + factor * times
        terms = sorted((name, factor) for name, factor in factors.items() if factor)
        return Affine(tuple(terms), self.offset + other.offset * times)

    def replaced(self, name: str, other: Affine) -> Affine:
        """Substitute a sum for a variable."""
        factor = dict(self.terms)[name]
        rest = Affine(tuple(term for term in self.terms if term[0] != name), self.offset)
        return rest.plus(other, factor)

    @property
    def is_small(self) -> bool:
        """True if the sum cannot overflow while the variables are far from the ends of an int64."""
        return self.has_small_factors and abs(self.offset) < LARGEST_OFFSET

    @property
    def has_small_factors(self) -> bool:
        """True if there are few terms, and no factor is large."""
        factors = [abs(factor) for _, factor in self.terms]
        return len(factors) <= MOST_TERMS and max(factors, default=0) <= LARGEST_FACTOR

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables with a factor."""
        return tuple(name for name, _ in self.terms)


def constant(number: int) -> Affine:
    """Return the sum that is a constant."""
    return Affine((), number)


def variable(name: str) -> Affine:
    """Return the sum that is one variable."""
    return Affine(((name, 1),), 0)
