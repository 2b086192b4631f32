"""Rows of the case table: linear algebra."""

from __future__ import annotations

import numpy as np

from corpus.library.rows import row

_RANDOM = np.random.default_rng(7)
SQUARE = _RANDOM.random((4, 4))
SINGLE = SQUARE.astype("f")
COMPLEX = SQUARE + 1j * _RANDOM.random((4, 4))
STACK = _RANDOM.random((2, 3, 3))
INTEGERS = _RANDOM.integers(-5, 6, (3, 3))
SYMMETRIC = SQUARE @ SQUARE.T + np.eye(4)
HERMITIAN = COMPLEX @ COMPLEX.conj().T + np.eye(4)
TALL = _RANDOM.random((5, 3))
LINE = _RANDOM.random(4)
SINGULAR = np.zeros((3, 3))


def raise_when_empty(a):
    if a[0, 0] == 0:
        raise np.linalg.LinAlgError("nothing to solve")
    return np.linalg.inv(a)


EQUATIONS = [
    row(lambda a, b: np.linalg.solve(a, b), SQUARE, LINE),
    row(lambda a, b: np.linalg.solve(a, b), SQUARE[::-1].T, SQUARE),
    row(lambda a, b: np.linalg.solve(a, b), STACK, STACK[0]),
    row(lambda a, b: np.linalg.solve(a, b), INTEGERS, STACK[0].astype("f")),
    row(lambda a, b: np.linalg.solve(a, b), SINGULAR, STACK[0]),
    row(lambda a, b: np.linalg.solve(a, b), SQUARE, STACK[0]),
    row(lambda a, b: np.linalg.solve(a, b), STACK, np.ones((5, 3, 1))),
    row(lambda a: np.linalg.inv(a), SINGLE),
    row(lambda a: np.linalg.inv(a), COMPLEX),
    row(lambda a: np.linalg.inv(a), SINGULAR),
    row(lambda a: np.linalg.inv(a), TALL),
    row(lambda a: np.linalg.inv(a), SQUARE[:0, :0]),
    row(raise_when_empty, SINGULAR),
    row(lambda a: np.linalg.det(a), SINGLE),
    row(lambda a: np.linalg.det(a), STACK),
    row(lambda a: np.linalg.det(a), INTEGERS > 0),
    row(lambda a: np.linalg.slogdet(a), COMPLEX),
    row(lambda a: np.linalg.slogdet(a).logabsdet, STACK.astype("F")),
    row(lambda a, b: np.linalg.lstsq(a, b), TALL, np.ones(5)),
    row(lambda a, b: np.linalg.lstsq(a, b, 0.5), TALL, np.ones((5, 2), "f")),
    row(lambda a, b: np.linalg.lstsq(a, b), TALL.T, np.ones((3, 0))),
    row(lambda a, b: np.linalg.lstsq(a, b), TALL, LINE),
    row(lambda a: np.linalg.pinv(a), TALL, close=True),
    row(lambda a: np.linalg.pinv(a, 0.5), STACK.astype("f"), close=True),
    row(lambda a: np.linalg.pinv(a, rtol=None), SYMMETRIC, close=True),
    row(lambda a: np.linalg.pinv(a, hermitian=True), HERMITIAN, close=True),
    row(lambda a: np.linalg.tensorinv(a, 1), _RANDOM.random((4, 2, 2))),
    row(lambda a, b: np.linalg.tensorsolve(a, b), _RANDOM.random((2, 2, 4)), np.ones((2, 2))),
    row(lambda a, b: np.linalg.tensorsolve(a, b, (0,)), _RANDOM.random((4, 2, 2)), np.ones((2, 2))),
]
FACTORS = [
    row(lambda a: np.linalg.cholesky(a), SYMMETRIC),
    row(lambda a: np.linalg.cholesky(a, upper=True), HERMITIAN),
    row(lambda a: np.linalg.cholesky(a), -SYMMETRIC),
    row(lambda a: np.linalg.qr(a), TALL),
    row(lambda a: np.linalg.qr(a, "complete"), TALL.astype("f")),
    row(lambda a: np.linalg.qr(a, mode="complete"), TALL.T),
    row(lambda a: np.linalg.qr(a, "r"), STACK),
    row(lambda a: np.linalg.qr(a, "raw"), COMPLEX),
    row(lambda a: np.linalg.svd(a), TALL),
    row(lambda a: np.linalg.svd(a, full_matrices=False).Vh, STACK),
    row(lambda a: np.linalg.svd(a, compute_uv=False), SINGLE),
    row(lambda a: np.linalg.svd(a, hermitian=True), HERMITIAN),
    row(lambda a: np.linalg.svd(a, compute_uv=False, hermitian=True), SYMMETRIC),
    row(lambda a: np.linalg.svd(a), TALL * np.nan),
    row(lambda a: np.linalg.svdvals(a), TALL),
    row(lambda a: np.linalg.eig(a).eigenvalues, COMPLEX),
    row(lambda a: np.linalg.eig(a), np.array([[0.0, 1.0], [-1.0, 0.0]])),
    row(lambda a: np.linalg.eigvals(a), np.array([[0.0, 1.0], [-1.0, 0.0]], "f")),
    row(lambda a: np.linalg.eigvals(a), STACK * np.inf),
    row(lambda a: np.linalg.eigh(a), SYMMETRIC),
    row(lambda a: np.linalg.eigh(a, "U").eigenvectors, HERMITIAN.astype("F")),
    row(lambda a: np.linalg.eigvalsh(a, UPLO="u"), STACK),
]
NORMS = [
    row(lambda a: np.linalg.norm(a), LINE),
    row(lambda a: np.linalg.norm(a), COMPLEX[::-1, ::2]),
    row(lambda a: np.linalg.norm(a, axis=-1, keepdims=True), STACK),
    row(lambda a: np.linalg.norm(a, np.inf), LINE),
    row(lambda a: np.linalg.norm(a, 3, 0), INTEGERS),
    row(lambda a: np.linalg.norm(a, 0, axis=1), SINGLE),
    row(lambda a, order: np.linalg.norm(a, order, axis=0), SINGLE, 1.0),
    row(lambda a: np.linalg.norm(a, "nuc"), SQUARE),
    row(lambda a: np.linalg.norm(a, 2), SINGLE),
    row(lambda a: np.linalg.norm(a, 1, (0, 2)), STACK),
    row(lambda a: np.linalg.norm(a, -np.inf), COMPLEX),
    row(lambda a: np.linalg.norm(a, 2, (1, 1)), STACK),
    row(lambda a: np.linalg.vector_norm(a, axis=(0, 2), keepdims=True), STACK),
    row(lambda a: np.linalg.vector_norm(a, ord=1), INTEGERS),
    row(lambda a: np.linalg.matrix_norm(a, ord=np.inf), STACK),
    row(lambda a: np.linalg.cond(a), STACK),
    row(lambda a: np.linalg.cond(a, 1), SINGLE),
    row(lambda a: np.linalg.cond(a), SINGULAR),
    row(lambda a: np.linalg.cond(a), SQUARE[:0]),
    row(lambda a: np.linalg.matrix_rank(a), STACK),
    row(lambda a: np.linalg.matrix_rank(a, rtol=0.3), SINGLE),
    row(lambda a: np.linalg.matrix_rank(a), LINE),
]
PRODUCTS = [
    row(lambda a: np.linalg.matrix_power(a, 5), INTEGERS),
    row(lambda a: np.linalg.matrix_power(a, -2), STACK, close=True),
    row(lambda a, n: np.linalg.matrix_power(a, n), SQUARE, 0),
    row(lambda a, n: np.linalg.matrix_power(a, n), SQUARE, 3, close=True),
    row(lambda a, b, c: np.linalg.multi_dot((a, b, c)), TALL.T, TALL, TALL.T, close=True),
    row(lambda a, b: np.linalg.multi_dot((a[0], b, a, a[:, 0])), INTEGERS, INTEGERS.T),
    row(lambda a, b: np.linalg.multi_dot([a[0], b, a[:, 0]]), INTEGERS, INTEGERS.T),
    row(lambda a, b: np.linalg.outer(a, b), LINE, LINE),
    row(lambda a, b: np.linalg.cross(a, b), STACK, STACK[0]),
    row(lambda a, b: np.linalg.cross(a, b), SQUARE, SQUARE),
    row(lambda a, b: np.linalg.matmul(a, b), INTEGERS, INTEGERS),
    row(lambda a, b: np.linalg.tensordot(a, b, axes=1), INTEGERS, INTEGERS),
    row(lambda a, b: np.linalg.vecdot(a, b), INTEGERS, INTEGERS),
    row(lambda a: np.linalg.diagonal(a, offset=1), STACK),
    row(lambda a: np.linalg.trace(a), STACK),
    row(lambda a: np.linalg.matrix_transpose(a), STACK),
    row(lambda a: np.linalg.matrix_power(a, -3), np.array([[0, 1], [-1, 0]])),
]
ROWS = [*EQUATIONS, *FACTORS, *NORMS, *PRODUCTS]
