"""Integers as programs use them: remainders in rings, dates, codes of bytes, tests for primes."""

from __future__ import annotations

import numpy as np

from loops.kernel import Kernel

LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
TEXT = "aé漢😀xyz" * 1500


def adler(data):
    a, b = 1, 0
    for x in data:
        a = (a + x) % 65521
        b = (b + a) % 65521
    return (b << 16) | a


def josephus(n, k):
    total = pos = 0
    for i in range(1, n + 1):
        pos = (pos + k) % i
        total += pos
    return total


def ring_buffer(n, capacity):
    buffer = np.arange(capacity)
    head, tail, total = 0, capacity // 2, 0
    for i in range(n * 10):
        total += buffer[head]
        buffer[tail] = (total ^ i) & 1023
        head = (head + 1) % capacity
        tail = (tail + 1) % capacity
    return total


def life_wrap(g, out):
    h, w = g.shape
    for y in range(h):
        for x in range(w):
            c = 0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    if dy != 0 or dx != 0:
                        c += g[(y + dy) % h, (x + dx) % w]
            out[y, x] = 1 if c == 3 or (c == 2 and g[y, x]) else 0


def civil_dates(days, out):
    for i in range(len(days)):
        z = days[i] + 719468
        era = z // 146097
        doe = z - era * 146097
        yoe = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
        y = yoe + era * 400
        doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
        mp = (5 * doy + 2) // 153
        out[i, 2] = doy - (153 * mp + 2) // 5 + 1
        month = mp + 3 if mp < 10 else mp - 9
        out[i, 1] = month
        out[i, 0] = y + 1 if month <= 2 else y


def hex_encode(data, out):
    for i, b in enumerate(data):
        hi, lo = b // 16, b % 16
        out[2 * i] = 48 + hi if hi < 10 else 87 + hi
        out[2 * i + 1] = 48 + lo if lo < 10 else 87 + lo


def utf8_decode(d, out):
    i = 0
    k = 0
    n = len(d)
    while i < n:
        c = d[i]
        if c < 0x80:
            v = c
            i += 1
        elif c < 0xE0:
            v = ((c & 0x1F) << 6) | (d[i + 1] & 0x3F)
            i += 2
        elif c < 0xF0:
            v = ((c & 0x0F) << 12) | ((d[i + 1] & 0x3F) << 6) | (d[i + 2] & 0x3F)
            i += 3
        else:
            v = (
                ((c & 7) << 18)
                | ((d[i + 1] & 0x3F) << 12)
                | ((d[i + 2] & 0x3F) << 6)
                | (d[i + 3] & 0x3F)
            )
            i += 4
        out[k] = v
        k += 1
    return k


def base64(data, table, out):
    j = 0
    for i in range(0, len(data), 3):
        v = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2]
        out[j] = table[(v >> 18) & 63]
        out[j + 1] = table[(v >> 12) & 63]
        out[j + 2] = table[(v >> 6) & 63]
        out[j + 3] = table[v & 63]
        j += 4


def shift_by(a, s, out):
    for i in range(len(a)):
        out[i] = (a[i] << s[i]) ^ (a[i] >> s[i])


def digitized(a, out):
    for i in range(len(a)):
        out[i] = int(a[i] * 3.5)


def miller_rabin(start, count):
    def modpow(b, e, m):
        r = 1
        b %= m
        while e > 0:
            if e & 1:
                r = r * b % m
            b = b * b % m
            e >>= 1
        return r

    total = 0
    for n in range(start, start + 2 * count, 2):
        d, r = n - 1, 0
        while d % 2 == 0:
            d //= 2
            r += 1
        prime = True
        for a in (2, 3, 5, 7):
            x = modpow(a, d, n)
            if x == 1 or x == n - 1:
                continue
            composite = True
            for _ in range(r - 1):
                x = x * x % n
                if x == n - 1:
                    composite = False
                    break
            if composite:
                prime = False
                break
        if prime:
            total += 1
    return total


def isqrt_newton(start, count):
    total = 0
    for n in range(start, start + 100 * count):
        x = n
        y = (x + 1) // 2
        while y < x:
            x = y
            y = (x + n // x) // 2
        total += x
    return total


def perfect(n):
    t = 0
    for k in range(2, n):
        s = 1
        d = 2
        while d * d <= k:
            if k % d == 0:
                s += d
                if d != k // d:
                    s += k // d
            d += 1
        if s == k:
            t += k
    return t


def coin_ways(coins, target, p):
    ways = np.zeros(target + 1, np.int64)
    ways[0] = 1
    for c in coins:
        for i in range(c, target + 1):
            ways[i] = (ways[i] + ways[i - c]) % p
    return ways[target]


KERNELS = [
    Kernel(
        adler,
        lambda r: (r.integers(0, 2**8, 20000).astype("u1"),),
        """int64_t adler(uint8_t *d, int64_t n) { int64_t a = 1, b = 0;
                for (int64_t i = 0; i < n; i++) { a = (a + d[i]) % 65521;
                    b = (b + a) % 65521; } return (b << 16) | a; }""",
        "q",
    ),
    Kernel(
        josephus,
        lambda r: (20000, 7),
        """int64_t josephus(int64_t n, int64_t k) { int64_t t = 0, p = 0;
                for (int64_t i = 1; i <= n; i++) { p = (p + k) % i; t += p; } return t; }""",
        "q",
    ),
    Kernel(
        ring_buffer,
        lambda r: (2000, 64),
        """int64_t ring_buffer(int64_t n, int64_t c) { int64_t b[c];
                for (int64_t i = 0; i < c; i++) b[i] = i; int64_t h = 0, t = c / 2, s = 0;
                for (int64_t i = 0; i < n * 10; i++) { s += b[h]; b[t] = (s ^ i) & 1023;
                    h = (h + 1) % c; t = (t + 1) % c; } return s; }""",
        "q",
    ),
    Kernel(
        life_wrap,
        lambda r: ((r.random((64, 64)) < 0.4).astype("i1"), np.zeros((64, 64), "i1")),
        """void life_wrap(int8_t *g, int64_t h, int64_t w, int8_t *o, int64_t a, int64_t b) {
                for (int64_t y = 0; y < h; y++) for (int64_t x = 0; x < w; x++) {
                    int64_t c = 0;
                    for (int64_t dy = -1; dy < 2; dy++) for (int64_t dx = -1; dx < 2; dx++)
                        if (dy || dx) c += g[((y + dy + h) % h) * w + (x + dx + w) % w];
                    o[y * w + x] = (c == 3 || (c == 2 && g[y * w + x])) ? 1 : 0; } }""",
    ),
    Kernel(
        civil_dates,
        lambda r: (r.integers(-200000, 200000, 5000), np.zeros((5000, 3), "i4")),
        """static int64_t fd(int64_t a, int64_t b) { int64_t q = a / b;
                return q - (a % b < 0); }
            void civil_dates(int64_t *d, int64_t n, int32_t *o, int64_t m, int64_t k) {
                for (int64_t i = 0; i < n; i++) {
                    int64_t z = d[i] + 719468, era = fd(z, 146097), doe = z - era * 146097,
                        yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365,
                        y = yoe + era * 400, doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
                    o[3 * i + 2] = doy - (153 * mp + 2) / 5 + 1;
                    int64_t mo = mp < 10 ? mp + 3 : mp - 9; o[3 * i + 1] = mo;
                    o[3 * i] = y + (mo <= 2); } }""",
    ),
    Kernel(
        hex_encode,
        lambda r: (r.integers(0, 256, 20000).astype("u1"), np.zeros(40000, "u1")),
        """void hex_encode(uint8_t *d, int64_t n, uint8_t *o, int64_t m) {
                for (int64_t i = 0; i < n; i++) { int64_t h = d[i] / 16, l = d[i] % 16;
                    o[2 * i] = h < 10 ? 48 + h : 87 + h;
                    o[2 * i + 1] = l < 10 ? 48 + l : 87 + l; } }""",
    ),
    Kernel(
        utf8_decode,
        lambda r: (np.frombuffer(TEXT.encode(), np.uint8).copy(), np.zeros(30000, "i4")),
        """int64_t utf8_decode(uint8_t *d, int64_t n, int32_t *o, int64_t m) {
                int64_t i = 0, k = 0; while (i < n) { int64_t c = d[i], v; if (c < 0x80) {
                        v = c; i += 1; } else if (c < 0xe0) {
                        v = ((c & 0x1f) << 6) | (d[i + 1] & 0x3f); i += 2; }
                    else if (c < 0xf0) {
                        v = ((c & 0xf) << 12) | ((d[i + 1] & 0x3f) << 6) | (d[i + 2] & 0x3f);
                        i += 3; } else {
                        v = ((c & 7) << 18) | ((d[i + 1] & 0x3f) << 12)
                            | ((d[i + 2] & 0x3f) << 6) | (d[i + 3] & 0x3f);
                        i += 4; } o[k++] = v; } return k; }""",
        "q",
    ),
    Kernel(
        base64,
        lambda r: (
            r.integers(0, 256, 9000).astype("u1"),
            np.frombuffer(LETTERS, np.uint8).copy(),
            np.zeros(12000, "u1"),
        ),
        """void base64(uint8_t *d, int64_t n, uint8_t *t, int64_t m, uint8_t *o, int64_t k) {
                int64_t j = 0; for (int64_t i = 0; i < n; i += 3) {
                    int64_t v = ((int64_t)d[i] << 16) | (d[i + 1] << 8) | d[i + 2];
                    o[j] = t[(v >> 18) & 63]; o[j + 1] = t[(v >> 12) & 63];
                    o[j + 2] = t[(v >> 6) & 63]; o[j + 3] = t[v & 63]; j += 4; } }""",
    ),
    Kernel(
        shift_by,
        lambda r: (r.integers(0, 1 << 30, 10000), r.integers(0, 40, 10000), np.zeros(10000, "i8")),
        """void shift_by(int64_t *a, int64_t n, int64_t *s, int64_t m, int64_t *o, int64_t k) {
                for (int64_t i = 0; i < n; i++) o[i] = (a[i] << s[i]) ^ (a[i] >> s[i]); }""",
    ),
    Kernel(
        digitized,
        lambda r: (r.random(20000) * 100, np.zeros(20000, "i8")),
        """void digitized(double *a, int64_t n, int64_t *o, int64_t m) {
                for (int64_t i = 0; i < n; i++) o[i] = (int64_t)(a[i] * 3.5); }""",
    ),
    Kernel(
        miller_rabin,
        lambda r: (100_001, 300),
        """static int64_t mp(int64_t b, int64_t e, int64_t m) { int64_t r = 1; b %= m;
                while (e > 0) { if (e & 1) r = r * b % m; b = b * b % m; e >>= 1; }
                return r; } int64_t miller_rabin(int64_t s, int64_t c) { int64_t t = 0;
                for (int64_t n = s; n < s + 2 * c; n += 2) { int64_t d = n - 1, r = 0;
                    while (d % 2 == 0) { d /= 2; r++; } int ok = 1;
                    static const int64_t w[4] = { 2, 3, 5, 7 } ;
                    for (int q = 0; q < 4; q++) { int64_t x = mp(w[q], d, n);
                        if (x == 1 || x == n - 1) continue; int comp = 1;
                        for (int64_t k = 0; k < r - 1; k++) { x = x * x % n;
                        if (x == n - 1) { comp = 0; break; } } if (comp) { ok = 0; break; }
                    } t += ok; } return t; }""",
        "q",
    ),
    Kernel(
        isqrt_newton,
        lambda r: (200000, 12),
        """int64_t isqrt_newton(int64_t s, int64_t c) { int64_t t = 0;
                for (int64_t n = s; n < s + 100 * c; n++) { int64_t x = n, y = (x + 1) / 2;
                    while (y < x) { x = y; y = (x + n / x) / 2; } t += x; } return t; }""",
        "q",
    ),
    Kernel(
        perfect,
        lambda r: (3000,),
        """int64_t perfect(int64_t n) { int64_t t = 0; for (int64_t k = 2; k < n; k++) {
                    int64_t s = 1; for (int64_t d = 2; d * d <= k; d++) if (k % d == 0) {
                        s += d; if (d != k / d) s += k / d; } if (s == k) t += k; }
                return t; }""",
        "q",
    ),
    Kernel(
        coin_ways,
        lambda r: (np.array([1, 2, 5, 10, 20, 50, 100, 200]), 5000, 1_000_000_007),
        """int64_t coin_ways(int64_t *c, int64_t n, int64_t t, int64_t p) {
                int64_t w[t + 1]; for (int64_t i = 0; i <= t; i++) w[i] = 0; w[0] = 1;
                for (int64_t k = 0; k < n; k++) for (int64_t i = c[k]; i <= t; i++)
                    w[i] = (w[i] + w[i - c[k]]) % p;
                return w[t]; }""",
        "q",
    ),
]
