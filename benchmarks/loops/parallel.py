"""Parallel loops, in Python and in C with OpenMP: `prange` is whatever a compiler's is, which is
put in its place before it compiles."""

from __future__ import annotations

import math

import numpy as np

from loops.kernel import Kernel

prange = range  # noqa: A001  each worker puts its own here


def jacobi(a, b, sweeps):
    for _ in range(sweeps):
        for i in prange(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
        for i in prange(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = 0.25 * (b[i - 1, j] + b[i + 1, j] + b[i, j - 1] + b[i, j + 1])


def kmeans(x, centers, labels, rounds):
    for _ in range(rounds):
        for i in prange(x.shape[0]):
            best = 1e300
            for k in range(centers.shape[0]):
                d = 0.0
                for j in range(x.shape[1]):
                    d += (x[i, j] - centers[k, j]) ** 2
                if d < best:
                    best = d
                    labels[i] = k
        for k in prange(centers.shape[0]):
            count = 0
            for i in range(x.shape[0]):
                if labels[i] == k:
                    count += 1
            if count > 0:
                for j in range(x.shape[1]):
                    centers[k, j] = 0.0
                for i in range(x.shape[0]):
                    if labels[i] == k:
                        for j in range(x.shape[1]):
                            centers[k, j] += x[i, j] / count


def black_scholes(price, strike, years, rate, volatility, call, put):
    for i in prange(price.shape[0]):
        root = volatility * math.sqrt(years[i])
        d1 = (
            math.log(price[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]
        ) / root
        d2 = d1 - root
        n1 = 0.5 * (1.0 + math.erf(d1 * 0.7071067811865476))
        n2 = 0.5 * (1.0 + math.erf(d2 * 0.7071067811865476))
        later = strike[i] * math.exp(-rate * years[i])
        call[i] = price[i] * n1 - later * n2
        put[i] = later * (1.0 - n2) - price[i] * (1.0 - n1)


def mandelbrot(counts, most):
    for i in prange(counts.shape[0]):
        for j in range(counts.shape[1]):
            cr = -2.0 + 3.0 * j / counts.shape[1]
            ci = -1.0 + 2.0 * i / counts.shape[0]
            x, y, k = 0.0, 0.0, 0
            while k < most and x * x + y * y < 4.0:
                x, y = x * x - y * y + cr, 2.0 * x * y + ci
                k += 1
            counts[i, j] = k


def row_sums(a, out):
    for i in prange(a.shape[0]):
        s = 0.0
        for j in range(a.shape[1]):
            s += a[i, j]
        out[i] = s


def logistic(x, y, w, parts, rounds):
    size = (x.shape[0] + parts.shape[0] - 1) // parts.shape[0]
    for _ in range(rounds):
        for part in prange(parts.shape[0]):
            for j in range(w.shape[0]):
                parts[part, j] = 0.0
            for i in range(part * size, min(x.shape[0], (part + 1) * size)):
                z = 0.0
                for j in range(w.shape[0]):
                    z += x[i, j] * w[j]
                error = 1.0 / (1.0 + math.exp(-z)) - y[i]
                for j in range(w.shape[0]):
                    parts[part, j] += x[i, j] * error
        for j in range(w.shape[0]):
            gradient = 0.0
            for part in range(parts.shape[0]):
                gradient += parts[part, j]
            w[j] -= 0.1 * gradient / x.shape[0]


def column_sums(a, out):
    total = np.zeros(a.shape[1])
    for i in prange(a.shape[0]):
        total += a[i]
    out[:] = total


def histogram(values, tables, out):
    size = (values.shape[0] + tables.shape[0] - 1) // tables.shape[0]
    for part in prange(tables.shape[0]):
        for k in range(tables.shape[1]):
            tables[part, k] = 0
        for i in range(part * size, min(values.shape[0], (part + 1) * size)):
            tables[part, values[i]] += 1
    for k in range(out.shape[0]):
        s = 0
        for part in range(tables.shape[0]):
            s += tables[part, k]
        out[k] = s


def triangle(a, out):
    for i in prange(a.shape[0]):
        s = 0.0
        for j in range(i + 1, a.shape[0]):
            s += math.sqrt(abs(a[i] - a[j]))
        out[i] = s


def elements(a, b, n):
    """For the cost of a region: as little as a loop can do."""
    for i in prange(n):
        b[i] = a[i] * 2.0 + 1.0


def _options(rng):
    n = 1_000_000
    columns = rng.uniform(10, 50, n), rng.uniform(10, 50, n), rng.uniform(0.2, 2, n)
    return *columns, 0.05, 0.3, np.zeros(n), np.zeros(n)


def _points(rng):
    return rng.random((100_000, 8)), rng.random((8, 8)), np.zeros(100_000, np.int64), 2


KERNELS = {
    one.name: one
    for one in (
        Kernel(
            jacobi,
            lambda rng: (rng.random((1000, 1000)), rng.random((1000, 1000)), 5),
            """
void jacobi(double *a, int64_t n, int64_t m, double *b, int64_t p, int64_t q, int64_t sweeps) {
    for (int64_t s = 0; s < sweeps; s++) {
        #pragma omp parallel for
        for (int64_t i = 1; i < n - 1; i++)
            for (int64_t j = 1; j < m - 1; j++)
                b[i*m+j] = 0.25 * (a[(i-1)*m+j] + a[(i+1)*m+j] + a[i*m+j-1] + a[i*m+j+1]);
        #pragma omp parallel for
        for (int64_t i = 1; i < n - 1; i++)
            for (int64_t j = 1; j < m - 1; j++)
                a[i*m+j] = 0.25 * (b[(i-1)*m+j] + b[(i+1)*m+j] + b[i*m+j-1] + b[i*m+j+1]);
    }
}""",
        ),
        Kernel(
            kmeans,
            _points,
            """
void kmeans(double *x, int64_t n, int64_t m, double *c, int64_t K, int64_t m2, int64_t *labels,
            int64_t n2, int64_t rounds) {
    for (int64_t s = 0; s < rounds; s++) {
        #pragma omp parallel for
        for (int64_t i = 0; i < n; i++) {
            double best = 1e300;
            for (int64_t k = 0; k < K; k++) {
                double d = 0;
                for (int64_t j = 0; j < m; j++)
                    d += (x[i*m+j] - c[k*m+j]) * (x[i*m+j] - c[k*m+j]);
                if (d < best) { best = d; labels[i] = k; }
            }
        }
        #pragma omp parallel for schedule(dynamic)
        for (int64_t k = 0; k < K; k++) {
            int64_t count = 0;
            for (int64_t i = 0; i < n; i++) count += labels[i] == k;
            if (!count) continue;
            for (int64_t j = 0; j < m; j++) c[k*m+j] = 0;
            for (int64_t i = 0; i < n; i++)
                if (labels[i] == k)
                    for (int64_t j = 0; j < m; j++) c[k*m+j] += x[i*m+j] / count;
        }
    }
}""",
        ),
        Kernel(
            black_scholes,
            _options,
            """
void black_scholes(double *price, int64_t n, double *strike, int64_t n2, double *years, int64_t n3,
                   double rate, double vol, double *call, int64_t n4, double *put, int64_t n5) {
    #pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        double root = vol * sqrt(years[i]);
        double d1 = (log(price[i] / strike[i]) + (rate + 0.5 * vol * vol) * years[i]) / root;
        double d2 = d1 - root;
        double n1 = 0.5 * (1 + erf(d1 * 0.7071067811865476));
        double n2 = 0.5 * (1 + erf(d2 * 0.7071067811865476));
        double later = strike[i] * exp(-rate * years[i]);
        call[i] = price[i] * n1 - later * n2;
        put[i] = later * (1 - n2) - price[i] * (1 - n1);
    }
}""",
        ),
        Kernel(
            mandelbrot,
            lambda rng: (np.zeros((400, 600), np.int64), 200),
            """
void mandelbrot(int64_t *counts, int64_t n, int64_t m, int64_t most) {
    #pragma omp parallel for schedule(dynamic, 4)
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            double cr = -2.0 + 3.0 * j / m, ci = -1.0 + 2.0 * i / n, x = 0, y = 0;
            int64_t k = 0;
            while (k < most && x * x + y * y < 4.0) {
                double t = x * x - y * y + cr;
                y = 2.0 * x * y + ci;
                x = t;
                k++;
            }
            counts[i*m+j] = k;
        }
}""",
        ),
        Kernel(
            row_sums,
            lambda rng: (rng.random((2000, 2000)), np.zeros(2000)),
            """
void row_sums(double *a, int64_t n, int64_t m, double *out, int64_t n2) {
    #pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        double s = 0;
        for (int64_t j = 0; j < m; j++) s += a[i*m+j];
        out[i] = s;
    }
}""",
        ),
        Kernel(
            logistic,
            lambda rng: (rng.random((100_000, 16)), rng.integers(0, 2, 100_000) * 1.0,
                         np.zeros(16), np.zeros((16, 16)), 5),
            """
void logistic(double *x, int64_t n, int64_t m, double *y, int64_t n2, double *w, int64_t m2,
              double *parts, int64_t count, int64_t m3, int64_t rounds) {
    int64_t size = (n + count - 1) / count;
    for (int64_t s = 0; s < rounds; s++) {
        #pragma omp parallel for
        for (int64_t p = 0; p < count; p++) {
            int64_t end = (p + 1) * size < n ? (p + 1) * size : n;
            for (int64_t j = 0; j < m; j++) parts[p*m+j] = 0;
            for (int64_t i = p * size; i < end; i++) {
                double z = 0;
                for (int64_t j = 0; j < m; j++) z += x[i*m+j] * w[j];
                double e = 1.0 / (1.0 + exp(-z)) - y[i];
                for (int64_t j = 0; j < m; j++) parts[p*m+j] += x[i*m+j] * e;
            }
        }
        for (int64_t j = 0; j < m; j++) {
            double g = 0;
            for (int64_t p = 0; p < count; p++) g += parts[p*m+j];
            w[j] -= 0.1 * g / n;
        }
    }
}""",
        ),
        Kernel(
            column_sums,
            lambda rng: (rng.random((20_000, 100)), np.zeros(100)),
            """
void column_sums(double *a, int64_t n, int64_t m, double *out, int64_t m2) {
    for (int64_t j = 0; j < m; j++) out[j] = 0;
    #pragma omp parallel for reduction(+ : out[:m])
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) out[j] += a[i*m+j];
}""",
        ),
        Kernel(
            histogram,
            lambda rng: (rng.integers(0, 256, 4_000_000), np.zeros((16, 256), np.int64),
                         np.zeros(256, np.int64)),
            """
void histogram(int64_t *v, int64_t n, int64_t *t, int64_t parts, int64_t bins, int64_t *out,
               int64_t bins2) {
    int64_t size = (n + parts - 1) / parts;
    #pragma omp parallel for
    for (int64_t p = 0; p < parts; p++) {
        int64_t end = (p + 1) * size < n ? (p + 1) * size : n;
        for (int64_t k = 0; k < bins; k++) t[p*bins+k] = 0;
        for (int64_t i = p * size; i < end; i++) t[p*bins+v[i]]++;
    }
    for (int64_t k = 0; k < bins; k++) {
        out[k] = 0;
        for (int64_t p = 0; p < parts; p++) out[k] += t[p*bins+k];
    }
}""",
        ),
        Kernel(
            triangle,
            lambda rng: (rng.random(3000), np.zeros(3000)),
            """
void triangle(double *a, int64_t n, double *out, int64_t n2) {
    #pragma omp parallel for schedule(dynamic, 16)
    for (int64_t i = 0; i < n; i++) {
        double s = 0;
        for (int64_t j = i + 1; j < n; j++) s += sqrt(fabs(a[i] - a[j]));
        out[i] = s;
    }
}""",
        ),
    )
}  # fmt: skip

ELEMENTS = Kernel(
    elements,
    lambda rng: (rng.random(1_000_000), np.zeros(1_000_000), 1),
    """
void elements(double *a, int64_t n1, double *b, int64_t n2, int64_t n) {
    #pragma omp parallel for
    for (int64_t i = 0; i < n; i++) b[i] = a[i] * 2.0 + 1.0;
}""",
)
