"""Stencils: neighbors in one to three dimensions, on a torus, and by small inner ranges."""

from __future__ import annotations

import numpy as np

from loops.kernel import Kernel


def jacobi(a, out):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])


def heat_3d(a, out):
    n, m, k = a.shape
    for x in range(1, n - 1):
        for y in range(1, m - 1):
            for z in range(1, k - 1):
                near = a[x - 1, y, z] + a[x + 1, y, z] + a[x, y - 1, z] + a[x, y + 1, z]
                near += a[x, y, z - 1] + a[x, y, z + 1]
                out[x, y, z] = a[x, y, z] + 0.1 * (near - 6.0 * a[x, y, z])


def wave(u, v, out):
    for i in range(1, len(u) - 1):
        out[i] = 2.0 * u[i] - v[i] + 0.3 * (u[i - 1] - 2.0 * u[i] + u[i + 1])


def life(a, out):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            around = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di != 0 or dj != 0:
                        around += a[(i + di) % n, (j + dj) % m]
            out[i, j] = around == 3 or (a[i, j] == 1 and around == 2)


def torus(a, out):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            up, down = a[(i - 1) % n, j], a[(i + 1) % n, j]
            left, right = a[i, (j - 1) % m], a[i, (j + 1) % m]
            out[i, j] = 0.2 * (a[i, j] + up + down + left + right)


def blur(a, out):
    n, m = a.shape
    for i in range(2, n - 2):
        for j in range(2, m - 2):
            total = 0.0
            for di in range(-2, 3):
                for dj in range(-2, 3):
                    total += a[i + di, j + dj]
            out[i, j] = total / 25.0


def convolution(x, k, out):
    for i in range(len(out)):
        total = 0.0
        for j in range(len(k)):
            total += x[i + j] * k[j]
        out[i] = total


def moving_average(x, out, width):
    total = 0.0
    for i in range(width):
        total += x[i]
    for i in range(len(out)):
        out[i] = total / width
        if i + width < len(x):
            total += x[i + width] - x[i]


def single_edges(a, out):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            x = a[i, j + 1] - a[i, j - 1]
            y = a[i + 1, j] - a[i - 1, j]
            out[i, j] = x * x + y * y


def transposed(a, out):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            out[j, i] = a[i, j]


def column_sums(a, out):
    n, m = a.shape
    for j in range(m):
        total = 0.0
        for i in range(n):
            total += a[i, j]
        out[j] = total


def gauss_seidel(u, f):
    n, m = u.shape
    most = 0.0
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            old = u[i, j]
            near = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
            u[i, j] = 0.25 * (near - f[i, j])
            change = abs(u[i, j] - old)
            if change > most:
                most = change
    return most


def dither(a):
    n, m = a.shape
    for y in range(n - 1):
        for x in range(1, m - 1):
            old = a[y, x]
            new = 255.0 if old > 127.5 else 0.0
            a[y, x] = new
            e = old - new
            a[y, x + 1] += e * 7 / 16
            a[y + 1, x - 1] += e * 3 / 16
            a[y + 1, x] += e * 5 / 16
            a[y + 1, x + 1] += e * 1 / 16


def single_pool(a, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            best = a[2 * i, 2 * j]
            for x in range(2):
                for y in range(2):
                    if a[2 * i + x, 2 * j + y] > best:
                        best = a[2 * i + x, 2 * j + y]
            out[i, j] = best


def small_filter(a, k, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for x in range(k.shape[0]):
                for y in range(k.shape[1]):
                    total += a[i + x, j + y] * k[x, y]
            out[i, j] = total


KERNELS = [
    Kernel(
        jacobi,
        lambda r: (r.random((250, 250)), np.zeros((250, 250))),
        """void jacobi(double *a, int64_t n, int64_t m, double *o, int64_t p, int64_t q) {
            for (int64_t i = 1; i < n - 1; i++) for (int64_t j = 1; j < m - 1; j++)
                o[i * q + j] = 0.25 * (a[(i - 1) * m + j] + a[(i + 1) * m + j] + a[i * m + j - 1] + a[i * m + j + 1]); }""",
    ),
    Kernel(
        heat_3d,
        lambda r: (r.random((40, 40, 40)), np.zeros((40, 40, 40))),
        """void heat_3d(double *a, int64_t n, int64_t m, int64_t k, double *o, int64_t p, int64_t q, int64_t r) {
            #define A(x, y, z) a[((x) * m + (y)) * k + (z)]
            for (int64_t x = 1; x < n - 1; x++) for (int64_t y = 1; y < m - 1; y++) for (int64_t z = 1; z < k - 1; z++) {
                double near = A(x - 1, y, z) + A(x + 1, y, z) + A(x, y - 1, z) + A(x, y + 1, z);
                near += A(x, y, z - 1) + A(x, y, z + 1);
                o[(x * q + y) * r + z] = A(x, y, z) + 0.1 * (near - 6.0 * A(x, y, z)); } }""",
    ),
    Kernel(
        wave,
        lambda r: (r.random(30_000), r.random(30_000), np.zeros(30_000)),
        """void wave(double *u, int64_t n, double *v, int64_t m, double *o, int64_t k) {
            for (int64_t i = 1; i < n - 1; i++)
                o[i] = 2.0 * u[i] - v[i] + 0.3 * (u[i - 1] - 2.0 * u[i] + u[i + 1]); }""",
    ),
    Kernel(
        life,
        lambda r: (r.integers(0, 2, (100, 100)).astype("i1"), np.zeros((100, 100), "i1")),
        """void life(int8_t *a, int64_t n, int64_t m, int8_t *o, int64_t p, int64_t q) {
            for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) { int64_t around = 0;
                for (int64_t di = -1; di < 2; di++) for (int64_t dj = -1; dj < 2; dj++)
                    if (di || dj) around += a[((i + di + n) % n) * m + (j + dj + m) % m];
                o[i * q + j] = around == 3 || (a[i * m + j] == 1 && around == 2); } }""",
    ),
    Kernel(
        torus,
        lambda r: (r.random((150, 150)), np.zeros((150, 150))),
        """void torus(double *a, int64_t n, int64_t m, double *o, int64_t p, int64_t q) {
            for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) {
                double up = a[((i - 1 + n) % n) * m + j], down = a[((i + 1) % n) * m + j];
                double left = a[i * m + (j - 1 + m) % m], right = a[i * m + (j + 1) % m];
                o[i * q + j] = 0.2 * (a[i * m + j] + up + down + left + right); } }""",
    ),
    Kernel(
        blur,
        lambda r: (r.random((120, 120)), np.zeros((120, 120))),
        """void blur(double *a, int64_t n, int64_t m, double *o, int64_t p, int64_t q) {
            for (int64_t i = 2; i < n - 2; i++) for (int64_t j = 2; j < m - 2; j++) { double total = 0;
                for (int64_t di = -2; di < 3; di++) for (int64_t dj = -2; dj < 3; dj++)
                    total += a[(i + di) * m + j + dj];
                o[i * q + j] = total / 25.0; } }""",
    ),
    Kernel(
        convolution,
        lambda r: (r.random(8_015), r.random(16), np.zeros(8_000)),
        """void convolution(double *x, int64_t n, double *k, int64_t m, double *o, int64_t p) {
            for (int64_t i = 0; i < p; i++) { double total = 0;
                for (int64_t j = 0; j < m; j++) total += x[i + j] * k[j];
                o[i] = total; } }""",
    ),
    Kernel(
        moving_average,
        lambda r: (r.random(30_000), np.zeros(29_900), 100),
        """void moving_average(double *x, int64_t n, double *o, int64_t m, int64_t width) {
            double total = 0;
            for (int64_t i = 0; i < width; i++) total += x[i];
            for (int64_t i = 0; i < m; i++) { o[i] = total / width;
                if (i + width < n) total += x[i + width] - x[i]; } }""",
    ),
    Kernel(
        single_edges,
        lambda r: (r.random((250, 250)).astype("f4"), np.zeros((250, 250), "f4")),
        """void single_edges(float *a, int64_t n, int64_t m, float *o, int64_t p, int64_t q) {
            for (int64_t i = 1; i < n - 1; i++) for (int64_t j = 1; j < m - 1; j++) {
                float x = a[i * m + j + 1] - a[i * m + j - 1], y = a[(i + 1) * m + j] - a[(i - 1) * m + j];
                o[i * q + j] = x * x + y * y; } }""",
    ),
    Kernel(
        transposed,
        lambda r: (r.random((200, 220)), np.zeros((220, 200))),
        """void transposed(double *a, int64_t n, int64_t m, double *o, int64_t p, int64_t q) {
            for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) o[j * q + i] = a[i * m + j]; }""",
    ),
    Kernel(
        column_sums,
        lambda r: (r.random((200, 200)), np.zeros(200)),
        """void column_sums(double *a, int64_t n, int64_t m, double *o, int64_t k) {
            for (int64_t j = 0; j < m; j++) { double total = 0;
                for (int64_t i = 0; i < n; i++) total += a[i * m + j];
                o[j] = total; } }""",
    ),
    Kernel(
        gauss_seidel,
        lambda r: (r.random((160, 160)), r.random((160, 160))),
        """double gauss_seidel(double *u, int64_t n, int64_t m, double *f, int64_t p, int64_t q) {
            double most = 0;
            for (int64_t i = 1; i < n - 1; i++) for (int64_t j = 1; j < m - 1; j++) { double old = u[i * m + j];
                double near = u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1];
                u[i * m + j] = 0.25 * (near - f[i * q + j]);
                double change = fabs(u[i * m + j] - old);
                if (change > most) most = change; }
            return most; }""",
        "d",
    ),
    Kernel(
        dither,
        lambda r: (r.random((100, 100)) * 255.0,),
        """void dither(double *a, int64_t n, int64_t m) {
            for (int64_t y = 0; y < n - 1; y++) for (int64_t x = 1; x < m - 1; x++) {
                double old = a[y * m + x], new = old > 127.5 ? 255.0 : 0.0, e = old - new;
                a[y * m + x] = new;
                a[y * m + x + 1] += e * 7 / 16;
                a[(y + 1) * m + x - 1] += e * 3 / 16;
                a[(y + 1) * m + x] += e * 5 / 16;
                a[(y + 1) * m + x + 1] += e * 1 / 16; } }""",
    ),
    Kernel(
        single_pool,
        lambda r: (r.random((256, 256)).astype("f4"), np.zeros((128, 128), "f4")),
        """void single_pool(float *a, int64_t n, int64_t m, float *o, int64_t p, int64_t q) {
            for (int64_t i = 0; i < p; i++) for (int64_t j = 0; j < q; j++) { float best = a[2 * i * m + 2 * j];
                for (int64_t x = 0; x < 2; x++) for (int64_t y = 0; y < 2; y++)
                    if (a[(2 * i + x) * m + 2 * j + y] > best) best = a[(2 * i + x) * m + 2 * j + y];
                o[i * q + j] = best; } }""",
    ),
    Kernel(
        small_filter,
        lambda r: (r.random((100, 100)), r.random((3, 3)), np.zeros((98, 98))),
        """void small_filter(double *a, int64_t n, int64_t m, double *k, int64_t h, int64_t w, double *o, int64_t p, int64_t q) {
            for (int64_t i = 0; i < p; i++) for (int64_t j = 0; j < q; j++) { double total = 0;
                for (int64_t x = 0; x < h; x++) for (int64_t y = 0; y < w; y++)
                    total += a[(i + x) * m + j + y] * k[x * w + y];
                o[i * q + j] = total; } }""",
    ),
]
