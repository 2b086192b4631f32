"""Sorting, searching, simulation, complex numbers, and functions of the C library."""

from __future__ import annotations

import math

import numpy as np

from loops.kernel import Kernel


def insertion_sort(given, a):
    for i in range(len(a)):
        a[i] = given[i]
    for i in range(1, len(a)):
        x, j = a[i], i - 1
        while j >= 0 and a[j] > x:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = x


def shell_sort(given, a):
    n = len(a)
    for i in range(n):
        a[i] = given[i]
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            x, j = a[i], i
            while j >= gap and a[j - gap] > x:
                a[j] = a[j - gap]
                j -= gap
            a[j] = x
        gap //= 2


def counting_sort(given, counts, out):
    for k in range(len(counts)):
        counts[k] = 0
    for i in range(len(given)):
        counts[given[i]] += 1
    place = 0
    for k in range(len(counts)):
        for _ in range(counts[k]):
            out[place] = k
            place += 1


def binary_searches(table, keys, out):
    for i in range(len(keys)):
        low, high = 0, len(table)
        while low < high:
            middle = (low + high) // 2
            if table[middle] < keys[i]:
                low = middle + 1
            else:
                high = middle
        out[i] = low


def histogram(x, counts):
    for i in range(len(x)):
        counts[int(x[i] * len(counts))] += 1


def prefix_sums(x, out):
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        out[i] = total


def largest(x):
    place, best = 0, x[0]
    for i in range(1, len(x)):
        if x[i] > best:
            place, best = i, x[i]
    return place


def permutations(n, p, q, s):
    for i in range(n):
        p[i] = q[i] = s[i] = i
    sign, most, total = 1, 0, 0
    while True:
        first = p[0]
        if first != 0:
            for i in range(1, n):
                q[i] = p[i]
            flips = 1
            while True:
                other = q[first]
                if other == 0:
                    break
                q[first] = first
                if first >= 3:
                    i, j = 1, first - 1
                    while i < j:
                        q[i], q[j] = q[j], q[i]
                        i += 1
                        j -= 1
                first = other
                flips += 1
            total += sign * flips
            most = max(most, flips)
        if sign == 1:
            p[0], p[1] = p[1], p[0]
            sign = -1
        else:
            p[1], p[2] = p[2], p[1]
            sign = 1
            for i in range(2, n):
                if s[i] != 0:
                    s[i] -= 1
                    break
                if i == n - 1:
                    return total * 100 + most
                s[i] = i
                kept = p[0]
                for j in range(i + 1):
                    p[j] = p[j + 1]
                p[i + 1] = kept


def bodies(x, v, mass, steps):
    n = len(mass)
    for _ in range(steps):
        for i in range(n):
            for j in range(i + 1, n):
                a, b, c = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
                d = a * a + b * b + c * c
                f = 0.001 / (d * math.sqrt(d))
                v[i, 0] -= a * mass[j] * f
                v[i, 1] -= b * mass[j] * f
                v[i, 2] -= c * mass[j] * f
                v[j, 0] += a * mass[i] * f
                v[j, 1] += b * mass[i] * f
                v[j, 2] += c * mass[i] * f
        for i in range(n):
            for k in range(3):
                x[i, k] += 0.001 * v[i, k]


def mandelbrot(out, limit):
    n, m = out.shape
    for i in range(n):
        for j in range(m):
            a, b = -2.0 + 3.0 * j / m, -1.5 + 3.0 * i / n
            x = y = 0.0
            count = 0
            while count < limit and x * x + y * y <= 4.0:
                x, y = x * x - y * y + a, 2.0 * x * y + b
                count += 1
            out[i, j] = count


def julia(out, limit):
    n, m = out.shape
    c = complex(-0.4, 0.6)
    for i in range(n):
        for j in range(m):
            z = complex(-1.5 + 3.0 * j / m, -1.5 + 3.0 * i / n)
            count = 0
            while count < limit and z.real * z.real + z.imag * z.imag <= 4.0:
                z = z * z + c
                count += 1
            out[i, j] = count


def fourier(given, a):
    n = len(a)
    j = 0
    for i in range(n):
        a[j] = given[i]
        bit = n >> 1
        while bit > 0 and j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
    size = 2
    while size <= n:
        angle = -2.0 * math.pi / size
        step = complex(math.cos(angle), math.sin(angle))
        for start in range(0, n, size):
            w = complex(1.0, 0.0)
            for k in range(size // 2):
                u, v = a[start + k], a[start + k + size // 2] * w
                a[start + k] = u + v
                a[start + k + size // 2] = u - v
                w = w * step
        size *= 2


def option_prices(spot, strike, years, out):
    for i in range(len(spot)):
        root = 0.3 * math.sqrt(years[i])
        d1 = (math.log(spot[i] / strike[i]) + 0.065 * years[i]) / root
        first = 0.5 * (1.0 + math.erf(d1 * 0.7071067811865476))
        second = 0.5 * (1.0 + math.erf((d1 - root) * 0.7071067811865476))
        out[i] = spot[i] * first - strike[i] * math.exp(-0.02 * years[i]) * second


def spin_flips(spins, picks, odds):
    n, m = spins.shape
    flips = 0
    for i in range(n):
        for j in range(m):
            s = spins[i, j]
            near = spins[(i + 1) % n, j] + spins[(i - 1) % n, j]
            near += spins[i, (j + 1) % m] + spins[i, (j - 1) % m]
            if picks[i, j] < odds[(s * near + 4) // 2]:
                spins[i, j] = -s
                flips += 1
    return flips


def first_above(x, limit):
    for i in range(len(x)):
        if x[i] > limit:
            return i
    return -1


def mean_above(x, limit):
    total, count = 0.0, 0
    for i in range(len(x)):
        if x[i] > limit:
            total += x[i]
            count += 1
    return total / count


def correlation(x, y):
    n = len(x)
    a = b = aa = bb = ab = 0.0
    for i in range(n):
        a += x[i]
        b += y[i]
        aa += x[i] * x[i]
        bb += y[i] * y[i]
        ab += x[i] * y[i]
    return (n * ab - a * b) / math.sqrt((n * aa - a * a) * (n * bb - b * b))


def near_pairs(x, y, out):
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            total = 0.0
            for k in range(x.shape[1]):
                total += (x[i, k] - y[j, k]) ** 2
            out[i, j] = math.sqrt(total)


def clusters(x, centers, labels):
    for i in range(x.shape[0]):
        best, nearest = np.inf, 0
        for j in range(centers.shape[0]):
            total = 0.0
            for k in range(x.shape[1]):
                d = x[i, k] - centers[j, k]
                total += d * d
            if total < best:
                best, nearest = total, j
        labels[i] = nearest


def molecules(x, forces, box, limit):
    energy = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            a, b, c = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
            if a > box / 2:
                a -= box
            elif a < -box / 2:
                a += box
            if b > box / 2:
                b -= box
            elif b < -box / 2:
                b += box
            if c > box / 2:
                c -= box
            elif c < -box / 2:
                c += box
            square = a * a + b * b + c * c
            if square > limit * limit:
                continue
            s = 1.0 / square
            s6 = s * s * s
            energy += 4.0 * s6 * (s6 - 1.0)
            f = 48.0 * s6 * (s6 - 0.5) * s
            forces[i, 0] += f * a
            forces[i, 1] += f * b
            forces[i, 2] += f * c
            forces[j, 0] -= f * a
            forces[j, 1] -= f * b
            forces[j, 2] -= f * c
    return energy


KERNELS = [
    Kernel(
        insertion_sort,
        lambda r: (r.random(500), np.zeros(500)),
        """void insertion_sort(double *g, int64_t m, double *a, int64_t n) {
            for (int64_t i = 0; i < n; i++) a[i] = g[i];
            for (int64_t i = 1; i < n; i++) { double x = a[i]; int64_t j = i - 1;
                while (j >= 0 && a[j] > x) { a[j + 1] = a[j]; j--; }
                a[j + 1] = x; } }""",
    ),
    Kernel(
        shell_sort,
        lambda r: (r.random(2_000), np.zeros(2_000)),
        """void shell_sort(double *g, int64_t m, double *a, int64_t n) {
            for (int64_t i = 0; i < n; i++) a[i] = g[i];
            for (int64_t gap = n / 2; gap > 0; gap /= 2) for (int64_t i = gap; i < n; i++) {
                double x = a[i]; int64_t j = i;
                while (j >= gap && a[j - gap] > x) { a[j] = a[j - gap]; j -= gap; }
                a[j] = x; } }""",
    ),
    Kernel(
        counting_sort,
        lambda r: (r.integers(0, 256, 20_000), np.zeros(256, "i8"), np.zeros(20_000, "i8")),
        """void counting_sort(int64_t *g, int64_t n, int64_t *c, int64_t m, int64_t *o, int64_t q) {
            for (int64_t k = 0; k < m; k++) c[k] = 0;
            for (int64_t i = 0; i < n; i++) c[g[i]]++;
            int64_t place = 0;
            for (int64_t k = 0; k < m; k++) for (int64_t t = 0; t < c[k]; t++) o[place++] = k; }""",
    ),
    Kernel(
        binary_searches,
        lambda r: (np.sort(r.random(4_000)), r.random(3_000), np.zeros(3_000, "i8")),
        """void binary_searches(double *t, int64_t n, double *k, int64_t m, int64_t *o, int64_t q) {
            for (int64_t i = 0; i < m; i++) { int64_t low = 0, high = n;
                while (low < high) { int64_t middle = (low + high) / 2;
                    if (t[middle] < k[i]) low = middle + 1; else high = middle; }
                o[i] = low; } }""",
    ),
    Kernel(
        histogram,
        lambda r: (r.random(40_000), np.zeros(64, "i8")),
        """void histogram(double *x, int64_t n, int64_t *c, int64_t m) {
            for (int64_t i = 0; i < n; i++) c[(int64_t)(x[i] * m)]++; }""",
    ),
    Kernel(
        prefix_sums,
        lambda r: (r.random(40_000), np.zeros(40_000)),
        """void prefix_sums(double *x, int64_t n, double *o, int64_t m) { double total = 0;
            for (int64_t i = 0; i < n; i++) { total += x[i]; o[i] = total; } }""",
    ),
    Kernel(
        largest,
        lambda r: (r.random(50_000),),
        """int64_t largest(double *x, int64_t n) { int64_t place = 0; double best = x[0];
            for (int64_t i = 1; i < n; i++) if (x[i] > best) { best = x[i]; place = i; }
            return place; }""",
        "q",
    ),
    Kernel(
        permutations,
        lambda r: (8, *(np.zeros(10, "i8") for _ in range(3))),
        """int64_t permutations(int64_t n, int64_t *p, int64_t a, int64_t *q, int64_t b, int64_t *s, int64_t c) {
            for (int64_t i = 0; i < n; i++) p[i] = q[i] = s[i] = i;
            int64_t sign = 1, most = 0, total = 0, t;
            for (;;) {
                int64_t first = p[0];
                if (first) {
                    for (int64_t i = 1; i < n; i++) q[i] = p[i];
                    int64_t flips = 1;
                    for (;;) { int64_t other = q[first]; if (!other) break;
                        q[first] = first;
                        if (first >= 3) for (int64_t i = 1, j = first - 1; i < j; i++, j--) { t = q[i]; q[i] = q[j]; q[j] = t; }
                        first = other; flips++; }
                    total += sign * flips; if (flips > most) most = flips; }
                if (sign == 1) { t = p[0]; p[0] = p[1]; p[1] = t; sign = -1; }
                else { t = p[1]; p[1] = p[2]; p[2] = t; sign = 1;
                    for (int64_t i = 2; i < n; i++) {
                        if (s[i]) { s[i]--; break; }
                        if (i == n - 1) return total * 100 + most;
                        s[i] = i; t = p[0];
                        for (int64_t j = 0; j <= i; j++) p[j] = p[j + 1];
                        p[i + 1] = t; } } } }""",
        "q",
    ),
    Kernel(
        bodies,
        lambda r: (r.random((6, 3)), r.random((6, 3)), r.random(6), 200),
        """void bodies(double *x, int64_t a, int64_t b, double *v, int64_t c, int64_t d, double *mass, int64_t n, int64_t steps) {
            for (int64_t t = 0; t < steps; t++) {
                for (int64_t i = 0; i < n; i++) for (int64_t j = i + 1; j < n; j++) {
                    double p = x[3*i] - x[3*j], q = x[3*i+1] - x[3*j+1], r = x[3*i+2] - x[3*j+2];
                    double e = p * p + q * q + r * r, f = 0.001 / (e * sqrt(e));
                    v[3*i] -= p * mass[j] * f; v[3*i+1] -= q * mass[j] * f; v[3*i+2] -= r * mass[j] * f;
                    v[3*j] += p * mass[i] * f; v[3*j+1] += q * mass[i] * f; v[3*j+2] += r * mass[i] * f; }
                for (int64_t i = 0; i < n; i++) for (int64_t k = 0; k < 3; k++) x[3*i+k] += 0.001 * v[3*i+k]; } }""",
    ),
    Kernel(
        mandelbrot,
        lambda r: (np.zeros((60, 60), "i8"), 60),
        """void mandelbrot(int64_t *o, int64_t n, int64_t m, int64_t limit) {
            for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) {
                double a = -2.0 + 3.0 * j / m, b = -1.5 + 3.0 * i / n, x = 0, y = 0; int64_t count = 0;
                while (count < limit && x * x + y * y <= 4.0) {
                    double z = x * x - y * y + a; y = 2.0 * x * y + b; x = z; count++; }
                o[i * m + j] = count; } }""",
    ),
    Kernel(
        julia,
        lambda r: (np.zeros((60, 60), "i8"), 60),
        """void julia(int64_t *o, int64_t n, int64_t m, int64_t limit) {
            for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) {
                double x = -1.5 + 3.0 * j / m, y = -1.5 + 3.0 * i / n; int64_t count = 0;
                while (count < limit && x * x + y * y <= 4.0) {
                    double z = x * x - y * y + -0.4; y = x * y + y * x + 0.6; x = z; count++; }
                o[i * m + j] = count; } }""",
    ),
    Kernel(
        fourier,
        lambda r: (r.random(1024) + 1j * r.random(1024), np.zeros(1024, "c16")),
        """void fourier(double *g, int64_t m, double *a, int64_t n) {
            int64_t j = 0;
            for (int64_t i = 0; i < n; i++) { a[2*j] = g[2*i]; a[2*j+1] = g[2*i+1];
                int64_t bit = n >> 1; while (bit > 0 && (j & bit)) { j ^= bit; bit >>= 1; } j |= bit; }
            for (int64_t size = 2; size <= n; size *= 2) {
                double angle = -2.0 * 3.141592653589793 / size, c = cos(angle), s = sin(angle);
                for (int64_t start = 0; start < n; start += size) { double x = 1, y = 0;
                    for (int64_t k = 0; k < size / 2; k++) {
                        double *p = a + 2 * (start + k), *q = a + 2 * (start + k + size / 2);
                        double u = p[0], v = p[1], e = q[0] * x - q[1] * y, f = q[0] * y + q[1] * x;
                        p[0] = u + e; p[1] = v + f; q[0] = u - e; q[1] = v - f;
                        double z = x * c - y * s; y = x * s + y * c; x = z; } } } }""",
    ),
    Kernel(
        option_prices,
        lambda r: (
            80 + 40 * r.random(3_000),
            80 + 40 * r.random(3_000),
            0.1 + r.random(3_000),
            np.zeros(3_000),
        ),
        """void option_prices(double *spot, int64_t n, double *strike, int64_t a, double *years, int64_t b, double *o, int64_t c) {
            for (int64_t i = 0; i < n; i++) { double root = 0.3 * sqrt(years[i]);
                double d1 = (log(spot[i] / strike[i]) + 0.065 * years[i]) / root;
                double p = 0.5 * (1.0 + erf(d1 * 0.7071067811865476)), q = 0.5 * (1.0 + erf((d1 - root) * 0.7071067811865476));
                o[i] = spot[i] * p - strike[i] * exp(-0.02 * years[i]) * q; } }""",
    ),
    Kernel(
        spin_flips,
        lambda r: (
            2 * r.integers(0, 2, (100, 100)) - 1,
            r.random((100, 100)),
            np.array([1.0, 0.9, 0.5, 0.2, 0.1]),
        ),
        """int64_t spin_flips(int64_t *s, int64_t n, int64_t m, double *p, int64_t a, int64_t b, double *odds, int64_t c) {
            int64_t flips = 0;
            for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) { int64_t x = s[i * m + j];
                int64_t near = s[((i + 1) % n) * m + j] + s[((i - 1 + n) % n) * m + j];
                near += s[i * m + (j + 1) % m] + s[i * m + (j - 1 + m) % m];
                if (p[i * m + j] < odds[(x * near + 4) / 2]) { s[i * m + j] = -x; flips++; } }
            return flips; }""",
        "q",
    ),
    Kernel(
        first_above,
        lambda r: (r.random(20_000), 0.99999),
        """int64_t first_above(double *x, int64_t n, double limit) {
            for (int64_t i = 0; i < n; i++) if (x[i] > limit) return i;
            return -1; }""",
        "q",
    ),
    Kernel(
        mean_above,
        lambda r: (r.random(20_000), 0.5),
        """double mean_above(double *x, int64_t n, double limit) { double total = 0; int64_t count = 0;
            for (int64_t i = 0; i < n; i++) if (x[i] > limit) { total += x[i]; count++; }
            return total / count; }""",
        "d",
    ),
    Kernel(
        correlation,
        lambda r: (r.random(20_000), r.random(20_000)),
        """double correlation(double *x, int64_t n, double *y, int64_t m) {
            double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
            for (int64_t i = 0; i < n; i++) {
                a += x[i]; b += y[i]; aa += x[i] * x[i]; bb += y[i] * y[i]; ab += x[i] * y[i]; }
            return (n * ab - a * b) / sqrt((n * aa - a * a) * (n * bb - b * b)); }""",
        "d",
    ),
    Kernel(
        near_pairs,
        lambda r: (r.random((100, 3)), r.random((100, 3)), np.zeros((100, 100))),
        """void near_pairs(double *x, int64_t n, int64_t d, double *y, int64_t m, int64_t e, double *o, int64_t p, int64_t q) {
            for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < m; j++) { double total = 0;
                for (int64_t k = 0; k < d; k++) { double t = x[i * d + k] - y[j * d + k]; total += t * t; }
                o[i * q + j] = sqrt(total); } }""",
    ),
    Kernel(
        clusters,
        lambda r: (r.random((1_000, 4)), r.random((8, 4)), np.zeros(1_000, int)),
        """void clusters(double *x, int64_t n, int64_t d, double *c, int64_t m, int64_t e, int64_t *labels, int64_t p) {
            for (int64_t i = 0; i < n; i++) { double best = INFINITY; int64_t nearest = 0;
                for (int64_t j = 0; j < m; j++) { double total = 0;
                    for (int64_t k = 0; k < d; k++) { double t = x[i * d + k] - c[j * d + k]; total += t * t; }
                    if (total < best) { best = total; nearest = j; } }
                labels[i] = nearest; } }""",
    ),
    Kernel(
        molecules,
        lambda r: (r.random((150, 3)) * 6.0, np.zeros((150, 3)), 6.0, 1.5),
        """double molecules(double *x, int64_t n, int64_t d, double *f, int64_t p, int64_t q, double box, double limit) {
            double energy = 0;
            for (int64_t i = 0; i < n; i++) for (int64_t j = i + 1; j < n; j++) {
                double a = x[i * 3] - x[j * 3], b = x[i * 3 + 1] - x[j * 3 + 1], c = x[i * 3 + 2] - x[j * 3 + 2];
                if (a > box / 2) a -= box; else if (a < -box / 2) a += box;
                if (b > box / 2) b -= box; else if (b < -box / 2) b += box;
                if (c > box / 2) c -= box; else if (c < -box / 2) c += box;
                double square = a * a + b * b + c * c;
                if (square > limit * limit) continue;
                double s = 1.0 / square, s6 = s * s * s, g = 48.0 * s6 * (s6 - 0.5) * s;
                energy += 4.0 * s6 * (s6 - 1.0);
                f[i * 3] += g * a; f[i * 3 + 1] += g * b; f[i * 3 + 2] += g * c;
                f[j * 3] -= g * a; f[j * 3 + 1] -= g * b; f[j * 3 + 2] -= g * c; }
            return energy; }""",
        "d",
    ),
]
