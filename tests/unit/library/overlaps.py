"""Statements that write to memory that they read, and the ways in which two arrays may overlap.

`a` is written and `b` is read; both are views of the memory `m`.  `M` is all of `m` as a table,
`c`, `k`, `z` and `u` are arrays of their own: floats, bools, complex numbers and bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

import cutaway

Array = np.ndarray[Any, Any]


@cutaway.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
def reversed_line(x, o):
    for i in range(len(x)):
        o[i] = x[len(x) - 1 - i]


@cutaway.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
def sums_before(x, o):
    total = 0.0
    for i in range(len(x)):
        o[i] = total
        total += x[i]


@cutaway.guvectorize(["void(float64[:], float64, float64[:])"], "(n),()->(n)")
def reversed_and(x, s, o):
    for i in range(len(x)):
        o[i] = x[len(x) - 1 - i] + s


@cutaway.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n)->(n),(n)")
def two_lines(x, o, p):
    for i in range(len(x)):
        o[i] = x[len(x) - 1 - i]
        p[i] = x[i] * 2


@cutaway.vectorize(["float64(float64, float64)"])
def scaled(x, y):
    return x * 2 + y


@cutaway.vectorize
def scaled_of_any(x, y):
    return x * 2 + y


@cutaway.stencil
def neighbors(x):
    return x[-1] + x[1]


@cutaway.stencil
def two_neighbors(x):
    return x[0, -1] + x[1, 0]


LINES = """
a[:] = b
a[...] = b
a[...] = b * 2 + a
a[:] = np.sqrt(b)
a += b
a -= b
a *= b
a[1:] += b[:-1]
a[1:] = b[:-1]
a[:-1] = b[1:]
a[::-1] = b
np.add(a, b, out=a)
np.add(b, a, out=a)
np.add(b, b[::-1], out=a)
np.add(b[1:], b[:-1], out=a[1:])
np.multiply(b, 2, out=a)
np.multiply(b, 2, a)
np.sqrt(b, out=a)
np.sqrt(b, out=a, where=b[::-1] > 5)
np.add(b, 1, out=a, where=b > 5)
np.modf(b, a, c)
np.modf(b, c, a)
np.divmod(b, 2.5, out=(a, c))
np.copyto(a, b)
np.copyto(a, b, where=b > 4)
np.copyto(a, b[::-1], where=b > 4)
np.putmask(a, b > 4, b)
np.putmask(a, b > 4, b[::-1])
np.putmask(a, b[::-1] > 4, b[:3])
np.place(a, b > 4, b)
np.place(a, b > 4, b[::-1])
np.put(a, [0, 2, 1, 4], b)
np.put(a, np.arange(len(a))[::-1], b)
a.put(np.arange(len(a))[::-1], b)
np.take(b, np.arange(len(a))[::-1], out=a)
np.take(b, np.arange(len(a))[::-1], out=a, mode='wrap')
np.take(b, np.arange(len(a))[::-1], out=a, mode='clip')
b.take(np.arange(len(a))[::-1], out=a, mode='clip')
np.add.at(a, np.arange(len(a))[::-1], b)
np.add.at(a, np.array([1, 1, 2, 3]), b[:4])
np.multiply.at(a, np.array([1, 0, 2, 1]), b[::-1][:4])
np.negative.at(a, np.array([1, 1, 0]))
np.add.accumulate(b, out=a)
np.add.accumulate(b[::-1], out=a)
np.multiply.accumulate(b, out=a)
np.add.reduceat(b, np.array([0, 3, 1, 5]), out=a[:4])
np.add.reduceat(b, np.array([0, 3, 1, 5]), out=a[2:6])
np.cumsum(b, out=a)
np.cumsum(b[::-1], out=a)
b.cumsum(out=a)
np.cumprod(b, out=a)
np.cumprod(b[::-1], out=a)
np.clip(b, 2, 6, out=a)
np.clip(b, b[::-1], 6, out=a)
b.clip(2, 6, out=a)
np.round(b, 1, out=a)
np.around(b[::-1], 1, a)
np.maximum(b, b[::-1], out=a)
np.concatenate((b[:4], b[4:]), out=a)
np.concatenate((b[4:], b[:4]), out=a)
np.choose(np.arange(len(a)) % 2, (b, b[::-1]), out=a)
np.compress(b > 0, b[::-1], out=a)
a.flat[:] = b
a.flat = b
a.flat = b[::-1]
a.flat[1:] = b[:-1]
a.flat[::-1] = b
a[np.arange(len(a))[::-1]] = b
a[b > 4] = b[b > 4][::-1]
a[b > 4] = b[0]
a[[0, 2, 1]] = b[:3]
a[[0, 2, 1]] += b[:3]
reversed_line(b, a)
reversed_line(b, out=a)
reversed_line(b[::-1], a)
reversed_line(a, a)
sums_before(b, a)
reversed_and(b, b[0], a)
reversed_and(b, 2.0, out=a)
two_lines(b, a, c)
two_lines(b, c, a)
two_lines(b, out=(c, a))
reversed_line(b[1:], a[:-1])
scaled(b, b[::-1], out=a)
scaled(b, b[::-1], a)
scaled_of_any(b, b[::-1], a)
scaled_of_any(b[1:], b[:-1], a[1:])
neighbors(b, out=a)
np.matmul(np.ones((len(b), len(b))), b, out=a)
np.dot(np.tri(len(b)), b, out=a)
np.dot(np.tri(len(b))[::-1].copy(), b, out=a)
np.einsum('ij,j->i', np.tri(len(b)), b, out=a)
np.einsum('i->i', b[::-1], out=a)
np.einsum('i,i->i', b, b[::-1], out=a)
np.trunc(b[::-1], out=a)
np.fix(b[::-1], out=a)
np.fix(b[::-1], a)
np.isfinite(b, out=k)
np.logical_and(k, k[::-1], out=k)
np.greater(b, b[::-1], out=k)
np.logical_not(k[::-1], out=k)
np.copyto(k, k[::-1])
np.sum(M, axis=0, out=a)
np.nancumsum(b, out=a)
np.nancumsum(b[::-1], out=a)
np.nancumprod(b[::-1], out=a)
np.random.default_rng(3).standard_normal(out=a)
np.random.default_rng(3).shuffle(a)
np.put_along_axis(a, np.arange(len(a))[::-1].copy(), b, 0)
a.fill(b[2])
for i in range(len(a)): a[i] = b[len(b)-1-i]
a[2:5] = b[1]
a[:] = a[::-1] + b
a[:] = np.roll(b, 1)
a[1:-1] = (b[2:] + b[:-2]) / 2
a[1:-1] += b[2:] - 2 * b[1:-1] + b[:-2]
np.vecdot(M, b, out=a)
np.vecmat(b, M[:len(b)], out=a)
np.matvec(M[:, :len(b)], b, out=a)
np.ldexp(b, 2, out=a)
np.bitwise_xor(u, u[::-1], out=u)
np.invert(u[::-1], out=u)
np.power(b[::-1], 2, out=a)
np.lib.stride_tricks.sliding_window_view(b, 3).sum(axis=1, out=a[2:])
np.median(M, axis=0, out=a)
np.quantile(M, 0.3, axis=0, out=a)
np.percentile(M, 30, axis=0, out=a)
np.fill_diagonal(M, b)
M[:] = b
M[0] = M[:, 0]
M[:, 0] = M[0]
np.fft.fft(z, out=z)
np.fft.fft(z[::-1], out=z)
np.fft.ifft(z[::-1], out=z)
np.conjugate(z[::-1], out=z)
np.multiply(z, z[::-1], out=z)
z.real[:] = z.imag
z.real = z.imag[::-1]
z.imag[:] = z.real[::-1] + z.imag
z[:] = z.real + 1j * z[::-1].imag
np.absolute(z, out=z.real)
np.putmask(u, u > 3, u[::-1])
np.put(u, u[::-1], u)
np.add.at(u, u[::-1], u)
np.putmask(k, k[::-1], k)
reversed_line(M[1:], M[:-1])
reversed_line(b, M)
"""

TABLES = """
a[:] = b
a[...] = b.T
a[:] = b * 2 + a.T
a += b
a += b.T
np.add(a, b, out=a)
np.add(b, b.T, out=a)
np.copyto(a, b)
np.copyto(a, b[0])
np.copyto(a, b[:, 0])
a[:] = b[2]
a[:] = b[:, 2:3]
a -= b[0]
a -= b[:, :1]
a /= a[0, 0]
a /= b.max()
a[0] += a[1]
np.subtract(a, b[0], out=a)
np.add(b[0], b[:, :1], out=a)
np.add.outer(b[0], b[:, 0], out=a)
np.multiply.outer(b[0], b[1], out=a)
np.outer(b[0], b[1], out=a)
np.outer(b[:, 0], b[1], a)
np.matmul(b, b, out=a)
np.matmul(b.T, b, out=a)
np.matmul(a, b, out=a)
np.matmul(b, a, out=a)
np.dot(a, b, out=a)
np.dot(b, b, out=a)
np.dot(b, b, a)
b.dot(b, out=a)
np.dot(b, b[0], out=a[0])
np.dot(b, b[0], out=a[1])
np.matmul(b, b[0], out=a[0])
np.matmul(b, b[:, 0], out=a[1])
np.einsum('ij,jk->ik', b, b, out=a)
np.einsum('ij->ji', b, out=a)
np.einsum('ij,ij->ij', b, b.T, out=a)
np.einsum('ij,j->i', b, b[0], out=a[0])
np.sum(b, axis=0, out=a[1])
np.sum(b, axis=1, out=a[0])
np.sum(b, axis=1, out=a[:, 1])
b.sum(axis=0, out=a[0])
b.mean(axis=1, out=a[0])
b.std(axis=1, out=a[0])
np.var(b, axis=0, out=a[2])
np.prod(b, axis=0, out=a[1])
np.max(b, axis=1, out=a[0])
b.min(axis=0, out=a[1])
np.nansum(b, axis=1, out=a[0])
np.nanmax(b, axis=1, out=a[0])
np.nanmean(b, axis=1, out=a[0])
np.nanmedian(b, axis=1, out=a[0])
np.ptp(b, axis=1, out=a[0])
np.add.reduce(b, axis=1, out=a[0])
np.multiply.reduce(b, axis=0, out=a[1])
np.median(b, axis=1, out=a[0])
np.quantile(b, 0.5, axis=1, out=a[0])
np.cumsum(b, axis=0, out=a)
np.cumsum(b, axis=1, out=a)
np.cumsum(b.T, axis=1, out=a)
np.cumprod(b.T, axis=0, out=a)
np.add.accumulate(b, axis=1, out=a)
np.add.accumulate(b.T, axis=0, out=a)
np.add.reduceat(b, np.array([0, 2, 1, 3]), axis=1, out=a[:, :4])
np.take(b, np.array([3, 2, 1, 0]), axis=0, out=a)
np.take(b, np.array([3, 2, 1, 0]), axis=1, out=a)
np.take(b.T, np.array([3, 2, 1, 0]), axis=1, out=a, mode='wrap')
np.choose(np.eye(4, dtype=np.int64), (b, b.T), out=a)
np.compress(np.array([True, True, True, True]), b.T, axis=0, out=a)
np.fill_diagonal(a, b[0])
np.fill_diagonal(a, b)
np.fill_diagonal(a, b[:, 1])
a[np.arange(4), np.arange(4)] = b[0]
a[np.arange(4)] = b[::-1]
a[:, np.array([3, 2, 1, 0])] = b
a[b > 3] = b.T[b > 3]
a[0], a[1] = b[1], b[0]
a[[0, 1]] = b[[1, 0]]
a[:, [0, 1]] = b[:, [1, 0]]
a[0] = b[:, 0]
a[:, 0] = b[0]
a[1:, 1:] = b[:-1, :-1]
a[1:-1, 1:-1] = (b[2:, 1:-1] + b[:-2, 1:-1] + b[1:-1, 2:] + b[1:-1, :-2]) / 4
np.concatenate((b[2:], b[:2]), out=a)
np.concatenate((b[:, 2:], b[:, :2]), axis=1, out=a)
np.stack((b[3], b[2], b[1], b[0]), out=a)
np.stack((b[3], b[2], b[1], b[0]), axis=1, out=a)
np.put_along_axis(a, np.argsort(b, axis=1), b.T, axis=1)
np.put(a, np.arange(16)[::-1], b)
np.place(a, b > 4, b.T)
np.putmask(a, b > 4, b.T)
np.copyto(a, b.T, where=b > 4)
a.flat = b.T
a.flat[:] = b.T
a.flat[::-1] = b
a.sort(axis=0); a.partition(2, axis=1)
np.clip(b.T, 2, 9, out=a)
np.round(b.T, 1, out=a)
np.add.at(a, (np.array([0, 1, 0]), np.array([1, 2, 1])), b[0, :3])
np.add.at(a, np.array([0, 1]), b[:2])
np.add.at(a, np.array([1, 0]), b[0])
reversed_line(b, a)
reversed_line(b.T, a)
reversed_line(b, out=a)
reversed_line(b[0], a)
reversed_line(b[0], a[0])
reversed_line(b, a, axis=0)
reversed_line(b, out=a, axis=0)
reversed_line(b, a, axes=[0, 1])
reversed_line(b, a, axes=[1, 0])
sums_before(b, a)
sums_before(b[0], a)
reversed_and(b, b[0], a)
reversed_and(b, a[:, 1], a)
reversed_and(b, b[:, 1], out=a)
two_lines(b, a, c)
two_lines(b.T, c, a)
two_lines(b.T, a, c)
scaled(b, b.T, a)
scaled_of_any(b, b.T, a)
scaled_of_any(b, b[0], a)
two_neighbors(b, out=a)
np.swapaxes(a, 0, 1)[:] = b
a.T[:] = b
a.ravel()[:] = b.ravel()[::-1]
a.reshape(2, 8)[:] = b.reshape(2, 8)[::-1]
np.tril(b); a[:] = np.tril(b)
np.trunc(b.T, out=a)
np.negative(b.T, out=a)
np.maximum(b, b.T, out=a)
np.divmod(b.T, 2.5, out=(a, c))
np.divmod(b, b.T, out=(a, c))
np.modf(b.T, a, c)
np.copyto(a, np.broadcast_to(b[0], (4, 4)))
np.nancumsum(b.T, axis=1, out=a)
np.logical_and(b, b.T, out=k)
np.logical_or(k, k.T, out=k)
np.matmul(k, k, out=k)
np.greater(k, k.T, out=k)
np.any(k, axis=1, out=k[0])
np.all(k, axis=0, out=k[1])
np.any(b, axis=1, out=k[0])
np.isfinite(b, out=k)
np.vecdot(b, b.T, out=a[0])
np.matvec(b, b, out=a)
np.vecmat(b, b, out=a)
np.random.default_rng(2).permuted(b, axis=1, out=a)
np.random.default_rng(2).shuffle(a, axis=1)
"""

STATEMENTS = [
    (axes, text) for axes, lines in ((1, LINES), (2, TABLES)) for text in lines.strip().splitlines()
]

# Statements that NumPy does not see to: the ledger's entry "overlapping-assignment".
READ_FIRST = (
    *("a[", "a.flat", "np.copyto(", "np.concatenate(", "np.stack(", "np.fill_diagonal(", "np.ptp("),
    *("np.place(", "M[", "reversed_line(b, a, axes="),
)


def memory() -> Array:
    """The memory of the arrays: 64 numbers, none of which is there twice."""
    return np.array([((k * 37 + 11) % 64) / 4.0 + 0.25 for k in range(64)])


def lines(m: Array) -> dict[str, tuple[Array, Array]]:
    """Ways in which a line that is written and one that is read overlap."""
    a = m[:8]
    return {
        "same": (a, m[:8]),
        "ahead": (m[1:9], a),
        "behind": (a, m[1:9]),
        "half": (m[4:12], a),
        "reversed": (a, a[::-1]),
        "written reversed": (a[::-1], a),
        "reversed, ahead": (m[1:9], a[::-1]),
        "every other written": (m[:16:2], a),
        "every other read": (a, m[:16:2]),
        "one number": (a, np.broadcast_to(m[3:4], (8,))),
        "between elements": (a, m.view(np.uint8)[4:68].view(np.float64)),
        "apart": (a, m[20:28]),
    }


def tables(m: Array) -> dict[str, tuple[Array, Array]]:
    """Ways in which a table that is written and one that is read overlap."""

    def at(first: int, rows: int = 4, columns: int = 1) -> Array:
        return as_strided(m[first:], (4, 4), (8 * rows, 8 * columns))

    return {
        "same": (at(0), at(0)),
        "turned": (at(0), at(0).T),
        "written turned": (at(0).T, at(0)),
        "ahead": (at(1), at(0)),
        "behind": (at(0), at(1)),
        "a row ahead": (at(4), at(0)),
        "a row behind": (at(0), at(4)),
        "rows reversed": (at(0), at(0)[::-1]),
        "columns reversed": (at(0), at(0)[:, ::-1]),
        "wide": (at(0, 8), at(0, 4)),
        "wide, turned": (at(0), at(0, 8, 2).T),
        "one row": (at(0), np.broadcast_to(m[4:8], (4, 4))),
        "apart": (at(0), at(40)),
    }


def arguments(axes: int, kind: str, is_apart: bool) -> dict[str, Array]:
    """The arguments of a statement; with `is_apart` what is read is a copy."""
    m = memory()
    a, b = (lines if axes == 1 else tables)(m)[kind]
    k = np.arange(16) * 5 % 3 == 0
    return {
        "a": a,
        "b": b.copy() if is_apart else b,
        "c": np.zeros((8,) if axes == 1 else (4, 4)),
        "k": k[:8] if axes == 1 else k.reshape(4, 4),
        "M": m.reshape(8, 8),
        "z": np.arange(8) * 3 % 7 + 1j * np.arange(8),
        "u": np.arange(8, dtype=np.uint8),
    }


def function_of(text: str) -> Any:  # Any: a function
    """A function that does what a statement says."""
    space = dict(globals())
    exec(f"def f(a, b, c, k, M, z, u):\n    {text}\n", space)
    return space["f"]


def outcome(function: Any, given: dict[str, Array]) -> tuple[Any, ...]:  # Any: a function
    """Whether it raises, and what is in memory afterward."""
    raised = False
    with np.errstate(all="ignore"):
        try:
            function(*given.values())
        except Exception:
            raised = True
    return (raised, *(np.copy(given[name]) for name in "cMzuk"))


def are_equal(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """True if two outcomes are the same, but for the rounding of sums."""
    return one[0] == other[0] and all(
        np.allclose(x, y, rtol=1e-12, atol=1e-12) for x, y in zip(one[1:], other[1:], strict=True)
    )
