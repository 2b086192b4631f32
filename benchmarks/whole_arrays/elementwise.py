"""Chains of operands, updates in place, choices, and functions of each element."""

from __future__ import annotations

import numpy as np

from whole_arrays.kernel import Kernel, draw


def chain_2(a, b):
    return a + b


def chain_4(a, b, c, d):
    return a * b + c * d


def chain_8(a, b, c, d, e, f, g, h):
    return (a * b + c * d) - (e * f + g * h)


def add_product(a, b, c):
    a += b * c


def scale_and_shift(a):
    a *= 0.5
    a += 1.0


def momentum_step(p, m, v, g):
    m *= 0.9
    m += 0.1 * g
    v *= 0.99
    v += 0.01 * g * g
    p -= 0.001 * m / (np.sqrt(v) + 1e-8)


def leapfrog(x, v, dt, steps):
    for _ in range(steps):
        v -= dt * x
        x += dt * v


def cut_negative(a):
    a[a < 0.0] = 0.0


def scale_columns(a, w):
    a *= w[None, :]


def horner(x):
    return ((((0.5 * x - 1.0) * x + 2.0) * x - 3.0) * x + 4.0) * x - 5.0


def clipped(a, b):
    return np.clip(2.0 * a - b, 0.0, 1.0)


def two_branches(x):
    return np.where(x > 0.0, np.sqrt(np.abs(x)), x * x)


def logic(a, b, c):
    return ((a > b) & (b < c)) | ~((a > 0.5) ^ (c < 0.5))


def hash_words(x):
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0xC4CEB9FE1A85EC53)
    return x ^ (x >> np.uint64(32))


def phases(a, phi):
    return a * np.exp(1j * phi)


def mixed_waves(z, w):
    return np.abs(z * w + np.conj(z))


def gray(image):
    return 0.299 * image[:, :, 0] + 0.587 * image[:, :, 1] + 0.114 * image[:, :, 2]


def unit_vector(v):
    return v / np.sqrt((v * v).sum())


def rotate(m, v):
    return m @ v


def short_slope(u):
    return 0.5 * (u[2:] - u[:-2])


def _words(n: int) -> tuple:
    return (np.random.default_rng(7).integers(0, 2**63, n).astype(np.uint64),)


def _waves(n: int) -> tuple:
    a, b, c, d = draw("n", "n", "n", "n")(n)
    return a + 1j * b, c + 1j * d


def _chains(size: int, label: str) -> list[Kernel]:
    """Chains of two, four and eight operands of one size."""
    chains = {chain_2: 2, chain_4: 4, chain_8: 8}
    return [
        Kernel(chain, draw(*["n"] * count), size, label=f"{chain.__name__}_{label}")
        for chain, count in chains.items()
    ]


def short_sum(a, b, c):
    return a * b + c


CHAINS = [
    *_chains(1_000, "1e3"),
    *_chains(1_000_000, "1e6"),
    *_chains(10_000_000, "1e7"),
    Kernel(
        chain_4,
        draw("n", "n", "n", "n", dtype=np.float32),
        1_000_000,
        rtol=1e-6,
        label="chain_4_float32",
    ),
    Kernel(horner, draw("n"), 1_000_000),
]

UPDATES = [
    Kernel(add_product, draw("n", "n", "n"), 1_000_000, changes=(0,)),
    Kernel(scale_and_shift, draw("n"), 1_000_000, changes=(0,)),
    Kernel(momentum_step, draw("n", "n", "n", "n"), 100_000, changes=(0, 1, 2)),
    Kernel(leapfrog, draw("n", "n", then=(0.01, 20)), 10_000, changes=(0, 1)),
    Kernel(cut_negative, draw("n", low=-1.0), 1_000_000, changes=(0,)),
    Kernel(scale_columns, draw("n n", "n"), 500, changes=(0,)),
]

CHOICES = [
    Kernel(clipped, draw("n", "n"), 1_000_000),
    Kernel(two_branches, draw("n", low=-1.0), 1_000_000),
    Kernel(logic, draw("n", "n", "n"), 1_000_000),
    Kernel(hash_words, _words, 1_000_000),
    Kernel(phases, draw("n", "n"), 200_000),
    Kernel(mixed_waves, _waves, 200_000),
    Kernel(gray, draw("n n 3"), 500),
]

SHORT = [
    Kernel(short_sum, draw("n", "n", "n"), 3, label="short_sum_3"),
    Kernel(short_sum, draw("n", "n", "n"), 10, label="short_sum_10"),
    Kernel(short_sum, draw("n", "n", "n"), 100, label="short_sum_100"),
    Kernel(unit_vector, draw("n"), 3),
    Kernel(rotate, draw("n n", "n"), 3),
    Kernel(short_slope, draw("n"), 100),
]
