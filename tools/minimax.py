"""The polynomials of `library/polynomials/coefficients.py`, found by Remez' algorithm.

    python tools/minimax.py        writes the file anew; needs mpmath

A row is a function, the interval on which a polynomial stands for it, and the weight of its error:
what is added to larger terms may be off by more.  Of each there are two: one whose error does not
count beside the rounding of doubles, and a shorter one for float32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import mpmath
from mpmath import mpf

TARGET = Path(__file__).parent.parent / "src/cutaway/library/polynomials/coefficients.py"

Function = Callable[[mpf], mpf]


class Row(NamedTuple):
    """What one polynomial stands for."""

    name: str
    what: str  # in words, for the comment
    function: Function
    low: float
    high: float
    weight: Function
    degrees: tuple[int, ...]  # for float64 and, if it is another, float32


def _series(*terms: mpf) -> Function:
    """A power series, where the function itself is a quotient of two zeros."""

    def value(x: mpf) -> mpf:
        return mpmath.fsum(term * x**k for k, term in enumerate(terms))

    return value


def _alternating(sign: int, first: int) -> Function:
    """`sum of (sign * z) ** k / (2 * k + first)!`"""
    return _series(*(mpf(sign) ** k / mpmath.factorial(2 * k + first) for k in range(30)))


def _inverse(sign: int, first: int, count: int) -> Function:
    """`sum of (sign * z) ** k / (2 * k + first)`, in closed form but near zero."""

    def closed(z: mpf) -> mpf:
        s = mpmath.sqrt(z)
        whole = (mpmath.atanh(s) if sign > 0 else mpmath.atan(s)) / s if s else mpf(1)
        for k in range((first - 1) // 2):
            whole -= (mpf(sign) * z) ** k / (2 * k + 1)
        return whole / (mpf(sign) * z) ** ((first - 1) // 2)

    near = _series(*(mpf(sign) ** k / (2 * k + first) for k in range(count)))
    return lambda z: near(z) if z < mpf(2) ** -8 else closed(z)


def _arcsine(z: mpf) -> mpf:
    near = _series(*(mpmath.binomial(2 * k, k) / (mpf(4) ** k * (2 * k + 1)) for k in range(1, 40)))
    if z < mpf(2) ** -8:
        return near(z)
    s = mpmath.sqrt(z)
    return (mpmath.asin(s) / s - 1) / z


HALF_LN2 = float(mpmath.log(2) / 2) * 1.0001
ATANH_REACH = float(((mpmath.sqrt(2) - 1) / (mpmath.sqrt(2) + 1)) ** 2) * 1.0001
EIGHTH = float(mpmath.tan(mpmath.pi / 8) ** 2) * 1.0001
QUARTER_TURN = float((mpmath.pi / 4) ** 2) * 1.0001


def _exponential(base: mpf) -> Function:
    log = mpmath.log(base)
    return _series(*(log ** (k + 2) / mpmath.factorial(k + 2) for k in range(40)))


ROWS = (
    Row("EXP", "(exp(r) - 1 - r) / r**2, |r| <= log(2) / 2", _exponential(mpmath.e),
        -HALF_LN2, HALF_LN2, lambda r: mpf(HALF_LN2), (10, 6)),
    Row("EXP2", "(2**r - 1 - r * log(2)) / r**2, |r| <= 1/2", _exponential(mpf(2)),
        -0.5001, 0.5001, lambda r: mpf(1) / 4, (10, 5)),
    Row("SINH", "(sinh(r) - r) / r**3 of z = r**2, |r| <= log(2) / 2", _alternating(1, 3),
        0.0, HALF_LN2**2, lambda z: z, (4, 2)),
    Row("COSH", "(cosh(r) - 1) / r**2 of z = r**2, |r| <= log(2) / 2", _alternating(1, 2),
        0.0, HALF_LN2**2, lambda z: z, (4, 2)),
    Row("LOG", "(log((1 + s) / (1 - s)) / s - 2) / z of z = s**2",
        lambda z: 2 * _inverse(1, 3, 30)(z), 0.0, ATANH_REACH, lambda z: z / 2, (6, 3)),
    Row("LOG_TAIL", "(log((1 + s) / (1 - s)) / s - 2 - 2 * z / 3) / z**2 of z = s**2",
        lambda z: 2 * _inverse(1, 5, 30)(z), 0.0, ATANH_REACH, lambda z: z**2 / 2, (7,)),
    Row("SIN", "(sin(r) - r) / r**3 of z = r**2, |r| <= pi / 4",
        lambda z: -_alternating(-1, 3)(z), 0.0, QUARTER_TURN, lambda z: z, (5, 3)),
    Row("COS", "(cos(r) - 1 + z / 2) / z**2 of z = r**2, |r| <= pi / 4", _alternating(-1, 4),
        0.0, QUARTER_TURN, lambda z: z**2, (5, 2)),
    Row("ATAN", "(atan(t) / t - 1) / z of z = t**2, |t| <= tan(pi / 8)",
        lambda z: -_inverse(-1, 3, 40)(z), 0.0, EIGHTH, lambda z: z, (10, 5)),
    Row("ASIN", "(asin(t) / t - 1) / z of z = t**2, |t| <= 1/2", _arcsine,
        0.0, 0.25, lambda z: z, (12, 6)),
    Row("CBRT", "cbrt(m), 1 <= m <= 2", lambda m: mpmath.cbrt(m), 1.0, 2.0, lambda m: mpf(1),
        (5,)),
)  # fmt: skip


def minimax(row: Row, degree: int) -> tuple[list[mpf], mpf]:
    """The coefficients of the polynomial whose largest weighted error is the least, and that
    error."""
    low, high = mpf(row.low), mpf(row.high)
    points = degree + 2
    nodes = [_on(low, high, -mpmath.cos(mpmath.pi * (2 * k + 1) / (2 * points)))
             for k in range(points)]  # fmt: skip
    coefficients: list[mpf] = []
    for _ in range(12):
        coefficients, level = _leveled(row, nodes, degree)
        nodes, largest = _extremes(row, coefficients, low, high, points)
        if largest <= abs(level) * mpf("1.001"):
            break
    return coefficients, largest


def _on(low: mpf, high: mpf, x: mpf) -> mpf:
    return (low + high) / 2 + (high - low) / 2 * x


def _leveled(row: Row, nodes: list[mpf], degree: int) -> tuple[list[mpf], mpf]:
    """The polynomial whose weighted errors at the nodes are equal, with alternating signs."""
    matrix, right = mpmath.matrix(len(nodes), len(nodes)), mpmath.matrix(len(nodes), 1)
    for i, x in enumerate(nodes):
        weight = row.weight(x)
        for k in range(degree + 1):
            matrix[i, k] = weight * x**k
        matrix[i, degree + 1] = (-1) ** i
        right[i] = weight * row.function(x)
    solved = mpmath.lu_solve(matrix, right)
    return list(solved)[: degree + 1], solved[degree + 1]


def _extremes(
    row: Row, coefficients: list[mpf], low: mpf, high: mpf, points: int
) -> tuple[list[mpf], mpf]:
    """The places of the largest errors, of alternating sign, and the largest of all."""
    grid = [_on(low, high, -mpmath.cos(mpmath.pi * k / (40 * points)))
            for k in range(40 * points + 1)]  # fmt: skip
    errors = [_error(row, coefficients, x) for x in grid]
    best: list[tuple[mpf, mpf]] = []
    for x, error in zip(grid, errors, strict=True):
        if best and best[-1][1] * error >= 0:
            if abs(error) > abs(best[-1][1]):
                best[-1] = (x, error)
        else:
            best.append((x, error))
    while len(best) > points:
        best.pop(0 if abs(best[0][1]) < abs(best[-1][1]) else -1)
    assert len(best) == points, (row.name, len(best), points)
    return [x for x, _ in best], max(abs(error) for error in errors)


def _error(row: Row, coefficients: list[mpf], x: mpf) -> mpf:
    return row.weight(x) * (mpmath.polyval(coefficients[::-1], x) - row.function(x))


def lines() -> Iterator[str]:
    """The lines of the file."""
    yield '"""Coefficients of polynomials, that of the constant term first: `tools/minimax.py` made'
    yield "these."
    yield ""
    yield "Beside each stands the largest error that it has, as a part of what it is added to."
    yield '"""'
    yield ""
    yield "from __future__ import annotations"
    for row in ROWS:
        yield ""
        yield f"# {row.what}"
        for suffix, degree in zip(("", "_SHORT"), row.degrees, strict=False):
            coefficients, error = minimax(row, degree)
            yield f"{row.name}{suffix} = (  # 2**{float(mpmath.log(error, 2)):.1f}"
            yield from (f"    {float(one)!r}," for one in coefficients)
            yield ")"


if __name__ == "__main__":
    mpmath.mp.prec = 200
    TARGET.write_text("\n".join(lines()) + "\n")
