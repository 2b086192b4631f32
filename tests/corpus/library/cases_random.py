"""Rows of the case table: functions of `np.random` that are no methods.

Whatever draws is called with a seed: each row is run many times.
"""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row


def seeded(seed, n):
    np.random.seed(seed)
    return np.random.ranf(), np.random.ranf(n), np.random.sample((2, n)), np.random.normal()


def made(seed, n):
    rng, state = np.random.default_rng(seed), np.random.RandomState(seed)
    return rng.random(n), state.random_sample(n), rng.integers(n), state.randint(n)


def passed_on(seed):
    rng = np.random.default_rng(seed)
    return np.random.default_rng(rng).normal() + rng.normal()


def broken(scale, n):
    return np.random.default_rng(1).normal(0.0, scale, n), np.random.RandomState(1).gamma(scale, n)


def of_nothing(seed):
    rng, table = np.random.default_rng(seed), np.empty((3, 0))
    rng.shuffle(table)
    return rng.random(), rng.integers(0, 9, 0), rng.permutation(table), rng.random()


ROWS = [
    row(seeded, 5, 3),
    row(seeded, 2**32, 3),
    row(seeded, -1, 3),
    row(seeded, np.arange(5), 3),
    row(seeded, 0, 0),
    row(made, 7, 4),
    row(made, -7, 4),
    row(made, np.array([1, 2, 3]), 2),
    row(passed_on, 12),
    row(broken, -1.0, -1),
    row(broken, -1.0, 0),
    row(broken, 1.0, 0),
    row(of_nothing, 5),
    # of no numbers the bounds are not looked at
    row(lambda: np.random.RandomState(1).randint(-3, size=0)),
    row(lambda: np.random.RandomState(1).randint(5, 3, size=(2, 0))),
    row(lambda: np.random.default_rng(1).integers(300, size=0, dtype=np.uint8)),
    # but those of arrays are
    row(
        lambda a: np.random.default_rng(1).integers(a, 9, dtype=bool, endpoint=True),
        np.zeros(0, int),
    ),
    row(lambda a: np.random.default_rng(1).integers(a, 256, dtype=np.uint8), np.zeros(0, int)),
    row(lambda a: np.random.RandomState(1).randint(a, 257, dtype=np.uint8), np.zeros(0, int)),
    row(lambda: (r := np.random.RandomState(1), r.beta(0.01, np.nan), r.random_sample())[1:]),
]
