"""Integers: division by constants, bits, generators of random numbers, hashes, bytes, primes."""

from __future__ import annotations

import numpy as np

from loops.kernel import Kernel


def collatz(count):
    longest = 0
    for start in range(1, count):
        n, steps = start, 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        longest = max(longest, steps)
    return longest


def digit_sums(count):
    total = 0
    for k in range(count):
        n = k
        while n > 0:
            total += n % 10
            n //= 10
    return total


def congruential(count, seed):
    state, total = seed, 0.0
    for _ in range(count):
        state = (1103515245 * state + 12345) & 0x7FFFFFFF
        total += state / 2.0**31
    return total


def pi_by_xorshift(count):
    state, inside = 88172645463325252, 0
    for _ in range(count):
        state ^= (state << 13) & 0x7FFFFFFFFFFFFFFF
        state ^= state >> 7
        state ^= (state << 17) & 0x7FFFFFFFFFFFFFFF
        x = (state & 0xFFFFFF) / 16777216.0
        y = ((state >> 24) & 0xFFFFFF) / 16777216.0
        if x * x + y * y < 1.0:
            inside += 1
    return 4.0 * inside / count


def bit_counts(words):
    total = 0
    for i in range(len(words)):
        w = words[i]
        while w != 0:
            w &= w - 1
            total += 1
    return total


def fnv_hash(text):
    value = 2166136261
    for i in range(len(text)):
        value = ((value ^ text[i]) * 16777619) & 0xFFFFFFFF
    return value


def checksum(words):
    a, b = 1, 0
    for i in range(len(words)):
        a = (a + words[i]) % 65521
        b = (b + a) % 65521
    return b * 65536 + a


def sieve(flags):
    n, count = len(flags), 0
    for i in range(n):
        flags[i] = 1
    for i in range(2, n):
        if flags[i]:
            count += 1
            for j in range(i * i, n, i):
                flags[j] = 0
    return count


def gcd_sum(n):
    total = 0
    for i in range(1, n):
        for j in range(1, n):
            a, b = i, j
            while b != 0:
                a, b = b, a % b
            total += a
    return total


def power_mod(count, modulus):
    total = 0
    for base in range(1, count):
        result, square, exponent = 1, base % modulus, 65537
        while exponent > 0:
            if exponent & 1:
                result = result * square % modulus
            square = square * square % modulus
            exponent >>= 1
        total += result
    return total


def byte_classes(text, counts):
    for i in range(len(text)):
        c = text[i]
        if 48 <= c <= 57:
            counts[0] += 1
        elif 65 <= c <= 90 or 97 <= c <= 122:
            counts[1] += 1
        elif c == 32:
            counts[2] += 1
        else:
            counts[3] += 1


def mixed_sum(small, single, out):
    for i in range(len(small)):
        out[i] = small[i] * single[i] + out[i]


def saturated(a, b, out):
    for i in range(len(a)):
        out[i] = max(-128, min(127, a[i] + b[i]))


def gray_codes(words, out):
    for i in range(len(words)):
        out[i] = words[i] ^ (words[i] >> 1)


def queens(n, columns, left, right, free):
    full, count, depth = (1 << n) - 1, 0, 0
    columns[0] = left[0] = right[0] = 0
    free[0] = full
    while depth >= 0:
        if free[depth] == 0:
            depth -= 1
            continue
        bit = free[depth] & -free[depth]
        free[depth] ^= bit
        if depth == n - 1:
            count += 1
            continue
        columns[depth + 1] = columns[depth] | bit
        left[depth + 1] = ((left[depth] | bit) << 1) & full
        right[depth + 1] = (right[depth] | bit) >> 1
        depth += 1
        free[depth] = full & ~(columns[depth] | left[depth] | right[depth])
    return count


KERNELS = [
    Kernel(
        collatz,
        lambda r: (3_000,),
        """int64_t collatz(int64_t count) { int64_t longest = 0;
            for (int64_t s = 1; s < count; s++) { int64_t n = s, steps = 0;
                while (n != 1) { if (n % 2 == 0) n = n / 2; else n = 3 * n + 1; steps++; }
                if (steps > longest) longest = steps; }
            return longest; }""",
        "q",
    ),
    Kernel(
        digit_sums,
        lambda r: (20_000,),
        """int64_t digit_sums(int64_t count) { int64_t total = 0;
            for (int64_t k = 0; k < count; k++) { int64_t n = k; while (n > 0) { total += n % 10; n /= 10; } }
            return total; }""",
        "q",
    ),
    Kernel(
        congruential,
        lambda r: (50_000, 42),
        """double congruential(int64_t count, int64_t seed) { int64_t state = seed; double total = 0;
            for (int64_t i = 0; i < count; i++) {
                state = (1103515245 * state + 12345) & 0x7FFFFFFF; total += state / 2147483648.0; }
            return total; }""",
        "d",
    ),
    Kernel(
        pi_by_xorshift,
        lambda r: (50_000,),
        """double pi_by_xorshift(int64_t count) { int64_t s = 88172645463325252, inside = 0;
            for (int64_t i = 0; i < count; i++) {
                s ^= (int64_t)((uint64_t)s << 13) & 0x7FFFFFFFFFFFFFFF; s ^= s >> 7;
                s ^= (int64_t)((uint64_t)s << 17) & 0x7FFFFFFFFFFFFFFF;
                double x = (s & 0xFFFFFF) / 16777216.0, y = ((s >> 24) & 0xFFFFFF) / 16777216.0;
                if (x * x + y * y < 1.0) inside++; }
            return 4.0 * inside / count; }""",
        "d",
    ),
    Kernel(
        bit_counts,
        lambda r: (r.integers(0, 1 << 62, 3_000),),
        """int64_t bit_counts(int64_t *w, int64_t n) { int64_t total = 0;
            for (int64_t i = 0; i < n; i++) { int64_t x = w[i]; while (x) { x &= x - 1; total++; } }
            return total; }""",
        "q",
    ),
    Kernel(
        fnv_hash,
        lambda r: (r.integers(0, 256, 50_000).astype("u1"),),
        """int64_t fnv_hash(uint8_t *t, int64_t n) { int64_t v = 2166136261;
            for (int64_t i = 0; i < n; i++) v = ((v ^ t[i]) * 16777619) & 0xFFFFFFFF;
            return v; }""",
        "q",
    ),
    Kernel(
        checksum,
        lambda r: (r.integers(0, 256, 50_000),),
        """int64_t checksum(int64_t *w, int64_t n) { int64_t a = 1, b = 0;
            for (int64_t i = 0; i < n; i++) { a = (a + w[i]) % 65521; b = (b + a) % 65521; }
            return b * 65536 + a; }""",
        "q",
    ),
    Kernel(
        sieve,
        lambda r: (np.zeros(50_000, "u1"),),
        """int64_t sieve(uint8_t *f, int64_t n) { int64_t count = 0;
            for (int64_t i = 0; i < n; i++) f[i] = 1;
            for (int64_t i = 2; i < n; i++) if (f[i]) { count++;
                for (int64_t j = i * i; j < n; j += i) f[j] = 0; }
            return count; }""",
        "q",
    ),
    Kernel(
        gcd_sum,
        lambda r: (120,),
        """int64_t gcd_sum(int64_t n) { int64_t total = 0;
            for (int64_t i = 1; i < n; i++) for (int64_t j = 1; j < n; j++) { int64_t a = i, b = j;
                while (b) { int64_t t = a % b; a = b; b = t; } total += a; }
            return total; }""",
        "q",
    ),
    Kernel(
        power_mod,
        lambda r: (500, 1_000_003),
        """int64_t power_mod(int64_t count, int64_t m) { int64_t total = 0;
            for (int64_t base = 1; base < count; base++) { int64_t r = 1, s = base % m, e = 65537;
                while (e > 0) { if (e & 1) r = r * s % m; s = s * s % m; e >>= 1; }
                total += r; }
            return total; }""",
        "q",
    ),
    Kernel(
        byte_classes,
        lambda r: (r.integers(32, 127, 40_000).astype("u1"), np.zeros(4, "i8")),
        """void byte_classes(uint8_t *t, int64_t n, int64_t *k, int64_t m) {
            for (int64_t i = 0; i < n; i++) { uint8_t c = t[i];
                if (48 <= c && c <= 57) k[0]++;
                else if ((65 <= c && c <= 90) || (97 <= c && c <= 122)) k[1]++;
                else if (c == 32) k[2]++; else k[3]++; } }""",
    ),
    Kernel(
        mixed_sum,
        lambda r: (
            r.integers(-9, 9, 30_000).astype("i1"),
            r.random(30_000).astype("f4"),
            np.zeros(30_000),
        ),
        """void mixed_sum(int8_t *s, int64_t n, float *f, int64_t m, double *o, int64_t k) {
            for (int64_t i = 0; i < n; i++) o[i] = (double)s[i] * (double)f[i] + o[i]; }""",
    ),
    Kernel(
        saturated,
        lambda r: (
            *(r.integers(-128, 128, 30_000).astype("i1") for _ in range(2)),
            np.zeros(30_000, "i1"),
        ),
        """void saturated(int8_t *a, int64_t n, int8_t *b, int64_t m, int8_t *o, int64_t k) {
            for (int64_t i = 0; i < n; i++) { int64_t t = (int64_t)a[i] + b[i];
                t = t < 127 ? t : 127; o[i] = t > -128 ? t : -128; } }""",
    ),
    Kernel(
        gray_codes,
        lambda r: (r.integers(0, 1 << 62, 30_000).astype("u8"), np.zeros(30_000, "u8")),
        """void gray_codes(uint64_t *w, int64_t n, uint64_t *o, int64_t m) {
            for (int64_t i = 0; i < n; i++) o[i] = w[i] ^ (w[i] >> 1); }""",
    ),
    Kernel(
        queens,
        lambda r: (8, *(np.zeros(32, "i8") for _ in range(4))),
        """int64_t queens(int64_t n, int64_t *c, int64_t a, int64_t *l, int64_t b, int64_t *r, int64_t d,
                            int64_t *f, int64_t e) {
            int64_t full = ((int64_t)1 << n) - 1, count = 0, depth = 0;
            c[0] = l[0] = r[0] = 0; f[0] = full;
            while (depth >= 0) {
                if (!f[depth]) { depth--; continue; }
                int64_t bit = f[depth] & -f[depth]; f[depth] ^= bit;
                if (depth == n - 1) { count++; continue; }
                c[depth + 1] = c[depth] | bit; l[depth + 1] = ((l[depth] | bit) << 1) & full;
                r[depth + 1] = (r[depth] | bit) >> 1; depth++;
                f[depth] = full & ~(c[depth] | l[depth] | r[depth]); }
            return count; }""",
        "q",
    ),
]
