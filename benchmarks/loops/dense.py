"""Dense linear algebra, written as loops."""

from __future__ import annotations

import math

import numpy as np

from loops.kernel import Kernel


def dot(a, b):
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


def axpy(x, y, out, alpha):
    for i in range(len(x)):
        out[i] = alpha * x[i] + y[i]


def matrix_by_columns(a, b, c):
    n, m = c.shape
    for i in range(n):
        for j in range(m):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


def matrix_by_rows(a, b, c):
    n, m = c.shape
    for i in range(n):
        for j in range(m):
            c[i, j] = 0.0
        for k in range(a.shape[1]):
            x = a[i, k]
            for j in range(m):
                c[i, j] += x * b[k, j]


def matrix_by_vector(a, x, y):
    for i in range(a.shape[0]):
        total = 0.0
        for j in range(a.shape[1]):
            total += a[i, j] * x[j]
        y[i] = total


def rank_one(a, x, y):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] += x[i] * y[j]


def lu(a, work):
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            work[i, j] = a[i, j]
    for k in range(n):
        for i in range(k + 1, n):
            work[i, k] /= work[k, k]
            for j in range(k + 1, n):
                work[i, j] -= work[i, k] * work[k, j]


def cholesky(a, out):
    n = a.shape[0]
    for i in range(n):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= out[i, k] * out[j, k]
            if i == j:
                out[i, i] = math.sqrt(total)
            else:
                out[i, j] = total / out[j, j]


def back_substitution(a, b, x):
    n = len(b)
    for i in range(n - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, n):
            total -= a[i, j] * x[j]
        x[i] = total / a[i, i]


def single_matrix(a, b, c):
    n, m = c.shape
    for i in range(n):
        for j in range(m):
            c[i, j] = np.float32(0.0)
        for k in range(a.shape[1]):
            for j in range(m):
                c[i, j] += a[i, k] * b[k, j]


def distances(a, out):
    n, columns = a.shape
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(columns):
                d = a[i, k] - a[j, k]
                total += d * d
            out[i, j] = math.sqrt(total)


def _square(random, n=120):
    return random.random((n, n)) + n * np.eye(n)


def matrix_by_transposed(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[j, k]
            c[i, j] = total


def batched_products(a, x, y):
    for b in range(a.shape[0]):
        for i in range(a.shape[1]):
            total = 0.0
            for j in range(a.shape[2]):
                total += a[b, i, j] * x[b, j]
            y[b, i] = total


def gram_schmidt(a, q, r):
    n, m = a.shape
    for j in range(m):
        for i in range(n):
            q[i, j] = a[i, j]
        for k in range(j):
            s = 0.0
            for i in range(n):
                s += q[i, k] * a[i, j]
            r[k, j] = s
            for i in range(n):
                q[i, j] -= s * q[i, k]
        s = 0.0
        for i in range(n):
            s += q[i, j] * q[i, j]
        r[j, j] = math.sqrt(s)
        for i in range(n):
            q[i, j] /= r[j, j]


KERNELS = [
    Kernel(
        dot,
        lambda r: (r.random(50_000), r.random(50_000)),
        """double dot(double *a, int64_t n, double *b, int64_t m) {
            double total = 0;
            for (int64_t i = 0; i < n; i++) total += a[i] * b[i];
            return total; }""",
        "d",
    ),
    Kernel(
        axpy,
        lambda r: (r.random(50_000), r.random(50_000), np.zeros(50_000), 0.5),
        """void axpy(double *x, int64_t n, double *y, int64_t m, double *out, int64_t k, double alpha) {
            for (int64_t i = 0; i < n; i++) out[i] = alpha * x[i] + y[i]; }""",
    ),
    Kernel(
        matrix_by_columns,
        lambda r: (r.random((90, 90)), r.random((90, 90)), np.zeros((90, 90))),
        """void matrix_by_columns(double *a, int64_t p, int64_t q, double *b, int64_t r, int64_t s,
                                double *c, int64_t n, int64_t m) {
            for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) {
                double total = 0;
                for (int64_t k = 0; k < q; k++) total += a[i * q + k] * b[k * s + j];
                c[i * m + j] = total; } }""",
    ),
    Kernel(
        matrix_by_rows,
        lambda r: (r.random((100, 100)), r.random((100, 100)), np.zeros((100, 100))),
        """void matrix_by_rows(double *a, int64_t p, int64_t q, double *b, int64_t r, int64_t s,
                             double *c, int64_t n, int64_t m) {
            for (int64_t i = 0; i < n; i++) {
                for (int64_t j = 0; j < m; j++) c[i * m + j] = 0;
                for (int64_t k = 0; k < q; k++) { double x = a[i * q + k];
                    for (int64_t j = 0; j < m; j++) c[i * m + j] += x * b[k * s + j]; } } }""",
    ),
    Kernel(
        matrix_by_vector,
        lambda r: (r.random((300, 300)), r.random(300), np.zeros(300)),
        """void matrix_by_vector(double *a, int64_t p, int64_t q, double *x, int64_t r, double *y, int64_t n) {
            for (int64_t i = 0; i < p; i++) { double total = 0;
                for (int64_t j = 0; j < q; j++) total += a[i * q + j] * x[j];
                y[i] = total; } }""",
    ),
    Kernel(
        rank_one,
        lambda r: (r.random((250, 250)), r.random(250), r.random(250)),
        """void rank_one(double *a, int64_t p, int64_t q, double *x, int64_t r, double *y, int64_t n) {
            for (int64_t i = 0; i < p; i++) for (int64_t j = 0; j < q; j++) a[i * q + j] += x[i] * y[j]; }""",
    ),
    Kernel(
        lu,
        lambda r: (_square(r), np.zeros((120, 120))),
        """void lu(double *a, int64_t n, int64_t m, double *w, int64_t p, int64_t q) {
            for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < n; j++) w[i * q + j] = a[i * m + j];
            for (int64_t k = 0; k < n; k++) for (int64_t i = k + 1; i < n; i++) {
                w[i * q + k] /= w[k * q + k];
                for (int64_t j = k + 1; j < n; j++) w[i * q + j] -= w[i * q + k] * w[k * q + j]; } }""",
    ),
    Kernel(
        cholesky,
        lambda r: ((lambda a: a @ a.T)(_square(r)), np.zeros((120, 120))),
        """void cholesky(double *a, int64_t n, int64_t m, double *o, int64_t p, int64_t q) {
            for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j <= i; j++) {
                double total = a[i * m + j];
                for (int64_t k = 0; k < j; k++) total -= o[i * q + k] * o[j * q + k];
                if (i == j) o[i * q + i] = sqrt(total); else o[i * q + j] = total / o[j * q + j]; } }""",
    ),
    Kernel(
        back_substitution,
        lambda r: (_square(r, 300), r.random(300), np.zeros(300)),
        """void back_substitution(double *a, int64_t p, int64_t q, double *b, int64_t n, double *x, int64_t m) {
            for (int64_t i = n - 1; i >= 0; i--) { double total = b[i];
                for (int64_t j = i + 1; j < n; j++) total -= a[i * q + j] * x[j];
                x[i] = total / a[i * q + i]; } }""",
    ),
    Kernel(
        single_matrix,
        lambda r: tuple(r.random((100, 100)).astype("f4") for _ in range(3)),
        """void single_matrix(float *a, int64_t p, int64_t q, float *b, int64_t r, int64_t s,
                            float *c, int64_t n, int64_t m) {
            for (int64_t i = 0; i < n; i++) {
                for (int64_t j = 0; j < m; j++) c[i * m + j] = 0;
                for (int64_t k = 0; k < q; k++)
                    for (int64_t j = 0; j < m; j++) c[i * m + j] += a[i * q + k] * b[k * s + j]; } }""",
    ),
    Kernel(
        distances,
        lambda r: (r.random((200, 8)), np.zeros((200, 200))),
        """void distances(double *a, int64_t n, int64_t m, double *o, int64_t p, int64_t q) {
            for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < n; j++) { double total = 0;
                for (int64_t k = 0; k < m; k++) { double d = a[i * m + k] - a[j * m + k]; total += d * d; }
                o[i * q + j] = sqrt(total); } }""",
    ),
    Kernel(
        matrix_by_transposed,
        lambda r: (r.random((64, 64)), r.random((64, 64)), np.zeros((64, 64))),
        """void matrix_by_transposed(double *a, int64_t n, int64_t m, double *b, int64_t p, int64_t q, double *c, int64_t s, int64_t t) {
            for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < p; j++) { double total = 0;
                for (int64_t k = 0; k < m; k++) total += a[i * m + k] * b[j * m + k];
                c[i * p + j] = total; } }""",
    ),
    Kernel(
        batched_products,
        lambda r: (r.random((600, 4, 4)), r.random((600, 4)), np.zeros((600, 4))),
        """void batched_products(double *a, int64_t l, int64_t n, int64_t m, double *x, int64_t p, int64_t q, double *y, int64_t s, int64_t t) {
            for (int64_t b = 0; b < l; b++) for (int64_t i = 0; i < n; i++) { double total = 0;
                for (int64_t j = 0; j < m; j++) total += a[(b * n + i) * m + j] * x[b * m + j];
                y[b * n + i] = total; } }""",
    ),
    Kernel(
        gram_schmidt,
        lambda r: (r.random((60, 40)), np.zeros((60, 40)), np.zeros((40, 40))),
        """void gram_schmidt(double *a, int64_t n, int64_t m, double *q, int64_t p, int64_t t, double *r, int64_t u, int64_t v) {
            for (int64_t j = 0; j < m; j++) {
                for (int64_t i = 0; i < n; i++) q[i * m + j] = a[i * m + j];
                for (int64_t k = 0; k < j; k++) { double s = 0;
                    for (int64_t i = 0; i < n; i++) s += q[i * m + k] * a[i * m + j];
                    r[k * m + j] = s;
                    for (int64_t i = 0; i < n; i++) q[i * m + j] -= s * q[i * m + k]; }
                double s = 0;
                for (int64_t i = 0; i < n; i++) s += q[i * m + j] * q[i * m + j];
                r[j * m + j] = sqrt(s);
                for (int64_t i = 0; i < n; i++) q[i * m + j] /= r[j * m + j]; } }""",
    ),
]
