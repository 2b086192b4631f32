"""Short programs as users of NumPy write them, each with arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

RANDOM = np.random.default_rng(7)
LINE = RANDOM.normal(size=24)
POINTS = RANDOM.normal(size=(20, 2))
TABLE = RANDOM.normal(size=(6, 4))
SQUARE = TABLE[:4] @ TABLE[:4].T + np.eye(4)
COUNTS = RANDOM.integers(0, 5, 30)
IMAGE = RANDOM.integers(0, 256, (12, 10)).astype(np.uint8)
BOARD = RANDOM.integers(0, 2, (9, 11))
DAYS = np.arange("2024-01-28", "2024-03-05", dtype="M8[D]")
PEOPLE = np.array(
    [(1.8, 70, 2), (1.6, 55, 1), (1.7, 80, 2)], [("h", "f8"), ("w", "i4"), ("k", "i8")]
)
PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []


def program(*arguments: Any) -> Callable[..., Any]:
    def keep(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append((function, arguments))
        return function

    return keep


@program(POINTS)
def distances(points):
    difference = points[:, np.newaxis, :] - points[np.newaxis, :, :]
    return np.sqrt((difference**2).sum(axis=-1))


@program(POINTS, POINTS[:3])
def nearest(points, centers):
    squared = ((points[:, None] - centers[None]) ** 2).sum(axis=2)
    return squared.argmin(axis=1), np.sqrt(squared.min(axis=1))


@program(LINE, 5)
def moving_average(line, n):
    total = np.cumsum(line)
    total[n:] = total[n:] - total[:-n]
    return total[n - 1 :] / n


@program(LINE, 5)
def smoothed(line, n):
    return np.convolve(line, np.ones(n) / n, mode="valid")


@program(TABLE)
def standardized(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


@program(TABLE)
def scaled_to_one(x):
    low, high = x.min(axis=0), x.max(axis=0)
    return (x - low) / (high - low)


@program(TABLE)
def unit_rows(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@program(TABLE)
def softmax(x):
    shifted = np.exp(x - np.max(x, axis=1, keepdims=True))
    return shifted / np.sum(shifted, axis=1, keepdims=True)


@program(COUNTS, 5)
def one_hot(labels, classes):
    out = np.zeros((labels.size, classes))
    out[np.arange(labels.size), labels] = 1
    return out


@program(COUNTS)
def one_hot_by_eye(labels):
    return np.eye(5, dtype=int)[labels]


@program(POINTS, POINTS[[0, 5, 9]])
def k_means(points, centers):
    centers = centers.copy()
    for _ in range(5):
        labels = np.argmin(np.linalg.norm(points[:, None] - centers, axis=2), axis=1)
        for k in range(len(centers)):
            mine = points[labels == k]
            if len(mine) > 0:
                centers[k] = mine.mean(axis=0)
    return centers, labels


@program(BOARD)
def life_by_roll(board):
    around = np.zeros_like(board)
    for i in (-1, 0, 1):
        for k in (-1, 0, 1):
            if i or k:
                around += np.roll(np.roll(board, i, axis=0), k, axis=1)
    return ((around == 3) | ((board == 1) & (around == 2))).astype(int)


@program(BOARD)
def life_by_pad(board):
    p = np.pad(board, 1)
    around = p[:-2, :-2] + p[:-2, 1:-1] + p[:-2, 2:] + p[1:-1, :-2]
    around += p[1:-1, 2:] + p[2:, :-2] + p[2:, 1:-1] + p[2:, 2:]
    birth = (around == 3) & (board == 0)
    survive = ((around == 2) | (around == 3)) & (board == 1)
    out = np.zeros_like(board)
    out[birth | survive] = 1
    return out


@program(TABLE)
def principal_components(x):
    centered = x - np.mean(x, axis=0)
    values, vectors = np.linalg.eigh(np.cov(centered, rowvar=False))
    order = np.argsort(values)[::-1]
    return values[order], np.abs(centered @ vectors[:, order[:2]])


@program(LINE)
def fitted_line(y):
    x = np.arange(len(y))
    a = np.vstack([x, np.ones(len(x))]).T
    m, c = np.linalg.lstsq(a, y, rcond=None)[0]
    return m, c


@program(LINE)
def fitted_polynomial(y):
    x = np.linspace(-1, 1, y.size)
    return np.polyval(np.polyfit(x, y, 3), x)


@program(SQUARE)
def solved(a):
    b = np.array([1.0, 2, 3, 4])
    x = np.linalg.solve(a, b)
    return np.allclose(a @ x, b), x, np.linalg.det(a), np.linalg.inv(a)


@program(LINE, 0.2)
def low_pass(line, limit):
    spectrum = np.fft.rfft(line)
    spectrum[np.fft.rfftfreq(line.size) > limit] = 0
    return np.fft.irfft(spectrum, n=line.size)


@program(LINE)
def power_spectrum(line):
    return np.abs(np.fft.fftshift(np.fft.fft(line * np.hanning(len(line))))) ** 2


@program(LINE, 11)
def bootstrap(sample, seed):
    rng = np.random.default_rng(seed)
    means = np.empty(50)
    for k in range(50):
        means[k] = rng.choice(sample, size=sample.size).mean()
    return np.percentile(means, [2.5, 97.5])


@program(200, 3)
def monte_carlo_pi(n, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.random(n), rng.random(n)
    return 4 * np.count_nonzero(x**2 + y**2 <= 1) / n


@program(50, 4)
def random_walk(n, seed):
    rng = np.random.default_rng(seed)
    steps = np.where(rng.random(n) < 0.5, -1, 1)
    return np.cumsum(steps), np.abs(np.cumsum(steps)).max()


@program(IMAGE)
def equalized(image):
    histogram = np.bincount(image.ravel(), minlength=256)
    cdf = histogram.cumsum()
    cdf = 255 * cdf / cdf[-1]
    return np.interp(image.ravel(), np.arange(256), cdf).reshape(image.shape).astype(np.uint8)


@program(IMAGE)
def inverted_and_cropped(image):
    gray = 255 - image
    return gray[2:-2, ::2], np.flipud(gray), np.rot90(gray), gray.T[::-1]


@program(IMAGE)
def blurred(image):
    p = np.pad(image.astype(float), 1, mode="edge")
    out = np.zeros(image.shape)
    for i in range(3):
        for k in range(3):
            out += p[i : i + image.shape[0], k : k + image.shape[1]]
    return np.clip(np.round(out / 9), 0, 255).astype(np.uint8)


@program(np.sort(COUNTS))
def run_lengths(x):
    starts = np.flatnonzero(np.concatenate(([True], x[1:] != x[:-1])))
    lengths = np.diff(np.append(starts, x.size))
    return x[starts], lengths, np.repeat(x[starts], lengths)


@program(COUNTS)
def run_lengths_by_diff(x):
    ends = np.append(np.flatnonzero(np.diff(x)), x.size - 1)
    return x[ends], np.diff(ends, prepend=-1)


@program(LINE)
def masked(line):
    x = line.copy()
    x[x < 0] = 0
    x[(x > 0.5) & (x < 1)] *= 10
    return x, x[~(x > 0)].size, np.where(line > 0, line, -line)


@program(COUNTS, LINE)
def ranks_and_order(counts, line):
    order = np.argsort(counts, kind="stable")
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    top = np.argpartition(line, -3)[-3:]
    return ranks, order, line[top[np.argsort(line[top])]][::-1]


@program(TABLE)
def sorted_by_column(x):
    return x[x[:, 1].argsort()], x[np.lexsort((x[:, 0], x[:, 2] > 0))]


@program(LINE[:5], LINE[:4])
def grid(x, y):
    u, v = np.meshgrid(x, y)
    z = np.sin(u) * np.cos(v)
    return z, np.unravel_index(z.argmax(), z.shape), np.hypot(u, v).shape


@program(9)
def multiplication_table(n):
    k = np.arange(1, n + 1)
    return k[:, np.newaxis] * k, np.outer(k, k), np.multiply.outer(k, k).sum()


@program(TABLE)
def einsums(x):
    return np.einsum("ij,ij->i", x, x), np.einsum("ij,kj->ik", x, x), np.einsum("ii", x[:4])


@program(PEOPLE)
def body_mass(people):
    index = people["w"] / people["h"] ** 2
    tall = people[people["h"] > 1.65]
    return index, tall["w"].mean(), people["k"].max()


@program(DAYS)
def weekends_and_bins(days):
    count = (days - days[0]) // np.timedelta64(1, "D")
    weekday = (count + 6) % 7
    week = (count - count[0]) // 7
    return np.count_nonzero(weekday >= 5), np.bincount(week), np.maximum.reduce(np.diff(count))


@program(COUNTS)
def histogram_of(values):
    counts, edges = np.histogram(values, bins=5)
    centers = (edges[1:] + edges[:-1]) / 2
    return counts, centers, (counts * centers).sum() / counts.sum()


@program(LINE)
def histogram_auto(values):
    return np.histogram(values, bins="auto", density=True)


@program(COUNTS, LINE)
def group_means(groups, values):
    n = min(groups.size, values.size)
    groups, values = groups[:n], values[:n]
    return np.bincount(groups, weights=values) / np.maximum(np.bincount(groups), 1)


@program(COUNTS)
def most_common(values):
    unique, counts = np.unique(values, return_counts=True)
    return unique[np.argmax(counts)], dict_free(unique, counts)


def dict_free(unique, counts):
    return np.column_stack((unique, counts))


@program(30)
def primes(n):
    sieve = np.ones(n + 1, dtype=bool)
    sieve[:2] = False
    for k in range(2, int(np.sqrt(n)) + 1):
        if sieve[k]:
            sieve[k * k :: k] = False
    return np.nonzero(sieve)[0]


@program(40)
def mandelbrot(n):
    x, y = np.linspace(-2, 0.5, n), np.linspace(-1.2, 1.2, n)
    c = x[np.newaxis, :] + 1j * y[:, np.newaxis]
    z = np.zeros(c.shape, dtype=complex)
    times = np.zeros(c.shape, dtype=int)
    for _ in range(12):
        inside = np.abs(z) < 2
        z[inside] = z[inside] ** 2 + c[inside]
        times[inside] += 1
    return times


@program(LINE)
def derivative_and_integral(y):
    x = np.linspace(0.0, 2.0, len(y))
    return np.gradient(y, x), np.trapezoid(y, x), np.diff(y) / np.diff(x)


@program(TABLE)
def correlations(x):
    return np.corrcoef(x.T), np.triu(np.cov(x, rowvar=False), k=1)


@program(np.array([1.0, np.nan, 3.0, np.nan, 5.0]))
def filled_gaps(y):
    missing = np.isnan(y)
    out = y.copy()
    out[missing] = np.interp(np.flatnonzero(missing), np.flatnonzero(~missing), y[~missing])
    return out, np.nanmean(y), np.nan_to_num(y, nan=-1.0)


@program(LINE)
def outliers(x):
    q1, q3 = np.percentile(x, [25, 75])
    return x[(x < q1 - 1.5 * (q3 - q1)) | (x > q3 + 1.5 * (q3 - q1))], np.median(
        np.abs(x - np.median(x))
    )


@program(LINE, 4)
def windows(x, n):
    view = np.lib.stride_tricks.sliding_window_view(x, n)
    return view.mean(axis=1), view.max(axis=-1)


@program(TABLE, TABLE[0])
def neural_layer(x, bias):
    hidden = np.maximum(0, x @ x.T[:, :4] + bias)
    return 1 / (1 + np.exp(-hidden)), np.tanh(hidden).sum()


@program(np.array([[0.9, 0.1], [0.5, 0.5]]))
def markov(p):
    return np.linalg.matrix_power(p, 20), np.ones(2) / 2 @ p


@program(1.1)
def rotated(angle):
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return turn @ np.array([[1.0, 0], [0, 1], [1, 1]]).T


@program(BOARD)
def padded_and_stacked(x):
    table = np.concatenate([x, x[:1]], axis=0)
    return np.hstack([table, np.ones((len(table), 1), dtype=int)]), np.stack([x, x], axis=-1).shape


@program(POINTS)
def polygon_area(p):
    x, y = p[:, 0], p[:, 1]
    return 0.5 * np.abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))


@program(np.array([100.0, 110, 99, 120]))
def returns(prices):
    change = prices[1:] / prices[:-1] - 1
    peak = np.maximum.accumulate(prices)
    return change, np.prod(1 + change), ((prices - peak) / peak).min()


@program(np.array([3, 1, 2]), np.array([2, 3, 7]))
def sets(a, b):
    return np.intersect1d(a, b), np.setdiff1d(a, b), np.isin(a, b), np.union1d(a, b)


@program(TABLE)
def tensor_products(x):
    y = np.arange(24.0).reshape(4, 3, 2)
    return np.tensordot(x, y, axes=([1], [0])), np.kron(np.eye(2), x[:2, :2])


@program(np.array([1, 2, 3, 4]))
def chessboard(x):
    board = np.zeros((8, 8), dtype=int)
    board[1::2, ::2] = 1
    board[::2, 1::2] = 1
    return board, np.tile(x, (2, 2)), np.tile([[0, 1], [1, 0]], (4, 4)).sum()


@program(TABLE)
def gram_schmidt(a):
    q = np.zeros((a.shape[0], a.shape[1]))
    for k in range(a.shape[1]):
        v = a[:, k] - q[:, :k] @ (q[:, :k].T @ a[:, k])
        q[:, k] = v / np.linalg.norm(v)
    return np.round(q.T @ q, 10) + 0.0


@program(np.linspace(0, 1, 11))
def heat(u):
    u = u.copy()
    for _ in range(10):
        u[1:-1] += 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


@program(np.array([5, 255, 0], np.uint8))
def bits(x):
    return np.unpackbits(x[:, np.newaxis], axis=1), np.packbits(np.unpackbits(x)), x >> 1 & 0x0F


@program(LINE)
def split_and_summed(x):
    train, test = np.split(x, [18])
    a, b, c = np.array_split(x, 3)
    return train.size, test.sum(), a.mean(), b[0], c[-1]
