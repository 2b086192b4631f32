"""Calls of all kinds: sizes, dtypes, arrays of parameters, arrays to draw into, and errors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import corpora
import cutaway
from corpus.programs.compare import outcome, same

pytestmark = pytest.mark.sampled(others=4, fast=15)

LINE, FEW = np.arange(10), np.array([2.0, 0.5, 1.0])
GRID = np.arange(12.0).reshape(4, 3)
CUBE = np.arange(150, dtype="i1").reshape(6, 5, 5)  # rows that are no whole number of words
SHARES = np.array([0.2, 0.3, 0.5])
COVARIANCE = np.array([[2.0, 0.5], [0.5, 1.0]])
READ_ONLY = np.arange(4)
READ_ONLY.flags.writeable = False

# Who draws ("G" a Generator, "S" a RandomState), what, and the arguments.
CALLS = [
    ("GS", "r.normal(a, 2.0), r.normal(a, b), r.normal(scale=a, size=(2, 3))", FEW, GRID),
    ("GS", "r.normal(a, b)", FEW, np.ones(4)),
    ("GS", "r.normal(a, b, 3)", FEW, np.ones((2, 1))),
    ("GS", "r.gamma(a, b)", FEW, -1.0),
    ("GS", "r.gamma(a, b)", FEW[::-1], np.array(2.0)),
    ("GS", "r.beta(a, b, size=(2, 3))", FEW, np.array([True, False])),
    ("GS", "r.binomial(a, b), r.binomial(a, 0.4, (2, 3))", np.array([5, 50, 250], "u1"), 0.7),
    ("GS", "r.binomial(5.9, 0.5), r.hypergeometric(a, 5, b)", np.array([3, 4]), 6),
    ("GS", "r.hypergeometric(a, 5, b)", 3, 20),
    ("GS", "r.poisson(a), r.poisson(b)", np.asfortranarray(GRID), np.empty(0)),
    ("GS", "r.poisson(a)", np.array([1.0, -1.0])),
    ("GS", "r.triangular(a, 1.0, b)", 2.0, 3.0),
    ("GS", "r.uniform(a, b)", -1e308, 1e308),
    ("GS", "r.uniform(a, b, 4)", 3.0, 1.0),
    ("GS", "r.exponential(a, size=-1)", 2.0),
    ("GS", "r.standard_normal(()), r.random(a)", (2, 0)),
    ("G", "r.random(out=a), r.standard_normal(out=b), r.standard_gamma(2.0, out=a)", GRID, FEW),
    ("G", "r.random(dtype='f4'), r.random(3, np.float32), r.standard_gamma(a, dtype='f4')", FEW),
    ("G", "r.standard_exponential(4, method='inv'), r.standard_exponential(3, 'f4')"),
    ("G", "r.random(out=a)", np.empty((4, 4))[:, ::2]),
    ("G", "r.random(out=a, dtype='f4')", np.empty(3)),
    ("G", "r.random(4, out=a)", np.empty(3)),
    ("G", "r.random(dtype=np.int32)"),
    ("G", "r.standard_gamma(a, out=b)", FEW, np.empty(4)),
    ("G", "r.integers(a), r.integers(a, 300, 5, np.uint16), r.integers(3, endpoint=True)", 7),
    ("G", "r.integers(a), r.integers(0, a, (2, 10), np.uint8), r.integers(-5, a)", LINE + 1),
    ("G", "r.integers(a, b, 4), r.integers(0, 2, 9, bool)", -(2**63), 2**63 - 1),
    ("G", "r.integers(a)", 0),
    ("G", "r.integers(a, b, endpoint=True)", 4, 3),
    ("G", "r.integers(0, a, dtype=np.int8)", 200),
    ("S", "r.randint(a), r.randint(a, 300, 5, np.uint16), r.randint(0, 2, 9, bool)", 7),
    ("S", "r.randint(a), r.randint(0, a, (2, 10), np.uint8), r.randint(-5, a)", LINE + 1),
    ("S", "r.randint(a, b)", 5, 5),
    ("S", "r.rand(), r.rand(2, 3), r.randn(2), r.random_sample(a), r.tomaxint()", (2, 2)),
    ("GS", "r.shuffle(a), r.permutation(a), r.permutation(b), a", LINE[::-2].copy(), 6),
    ("GS", "r.shuffle(a), r.permutation(a), a", GRID),
    ("GS", "r.shuffle(a), r.permutation(b), r.shuffle(b), a, b", CUBE, np.asfortranarray(GRID)),
    ("GS", "r.shuffle(a), r.permutation(a)", np.empty((3, 0))),
    ("GS", "r.shuffle(a)", READ_ONLY),
    ("G", "r.shuffle(a, axis=1), r.permutation(a, axis=-1), r.permuted(a, axis=0), a", GRID),
    ("GS", "r.choice(a), r.choice(a, (2, 3)), r.choice(b), r.choice(b, 4)", LINE * 1.5, 9),
    ("GS", "r.choice(3, p=a), r.choice(3, 8, p=a), r.choice(b, 2, False, a)", SHARES, FEW),
    ("GS", "r.choice(a, p=b)", FEW, SHARES),
    ("GS", "r.choice(3, p=a)", SHARES + 0.1),
    ("GS", "r.choice(3, p=a)", np.array([np.nan, 0.5, 0.5])),
    ("GS", "r.choice(a, 5, False)", 3),
    ("GS", "r.choice(a)", 0),
    ("GS", "r.dirichlet(a, 2), r.multinomial(20, a), r.multinomial(5, (0.5, 0.5), (2, 2))", SHARES),
    ("GS", "r.multivariate_normal(a, b), r.multivariate_normal(a, b, 3)", FEW[:2], COVARIANCE),
    ("G", "r.multivariate_hypergeometric(a, 5)", LINE[:3]),
    ("G", "r.multivariate_normal((1.0, 2.0), a, method='cholesky')", COVARIANCE),
]


def fresh(given):
    return tuple(
        one.copy(order="K") if isinstance(one, np.ndarray) and one.flags.writeable else one
        for one in given
    )


@pytest.mark.part
@pytest.mark.parametrize("call", corpora.sample(4, CALLS), ids=lambda call: call[1])
def test_a_call_draws_what_numpys_does(call):
    kinds, text, *given = call
    space: dict[str, object] = {"np": np}
    names = "".join(f", {name}" for name in "ab"[: len(given)])
    exec(f"def draw(r{names}):\n    return {text}", space)  # noqa: S102
    compiled = cutaway.jit(space["draw"])
    for kind in kinds:
        make = np.random.default_rng if kind == "G" else np.random.RandomState
        ours, numpys = make(7), make(7)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = outcome(compiled.py_func, (numpys, *fresh(given)))
            found = outcome(compiled, (ours, *fresh(given)))
        assert found[0] == expected[0] and same(found[1], expected[1]), kind
        if found[0] == "returned":
            assert same(found[2][1:], expected[2][1:]), kind
        else:
            assert same(found[2], expected[2]), kind
        assert ours.normal() == numpys.normal(), kind
