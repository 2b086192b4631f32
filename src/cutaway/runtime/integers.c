/* Functions of integers that the C library lacks, and the ratio of a float. */

#include "numeric.h"

#include <math.h>

static uint64_t magnitude(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int64_t cutaway_math_gcd(int64_t a, int64_t b)
{
    return (int64_t)gcd(magnitude(a), magnitude(b));
}

int64_t cutaway_math_lcm(int64_t a, int64_t b)
{
    uint64_t x = magnitude(a), y = magnitude(b);
    if (!x || !y)
        return 0;
    return (int64_t)(x / gcd(x, y) * y);
}

int64_t cutaway_math_ipow(int64_t base, int64_t exponent)
{
    uint64_t result = 1, square = (uint64_t)base;
    while (exponent > 0) {
        if (exponent & 1)
            result *= square;
        square *= square;
        exponent >>= 1;
    }
    return (int64_t)result;
}

/* Whether base ** exponent needs more than 64 bits. */
int64_t cutaway_math_ipow_overflows(int64_t base, int64_t exponent, int64_t is_signed)
{
    uint64_t limit = is_signed ? (uint64_t)1 << 63 : UINT64_MAX, size = (uint64_t)base;
    unsigned __int128 result = 1, square;
    int negative = is_signed && base < 0 && (exponent & 1);

    if (is_signed && base < 0)
        size = 0 - size;
    if (size < 2)
        return 0;
    for (square = size; exponent > 0; exponent >>= 1) {
        if (exponent & 1) {
            if (square > limit || (result *= square) > limit)
                return 1;
        }
        if (exponent > 1)
            square = square > UINT64_MAX ? square : square * square;
    }
    return is_signed && !negative && result >= limit;
}

int64_t cutaway_math_powmod(int64_t base, int64_t exponent, int64_t modulus)
{
    uint64_t m = magnitude(modulus);
    uint64_t square = magnitude(base) % m, result = 1 % m;

    if (base < 0 && square)
        square = m - square;
    while (exponent > 0) {
        if (exponent & 1)
            result = (uint64_t)((unsigned __int128)result * square % m);
        square = (uint64_t)((unsigned __int128)square * square % m);
        exponent >>= 1;
    }
    if (modulus < 0 && result)
        return (int64_t)(result - m);
    return (int64_t)result;
}

/* 1 / base; 0 if there is no inverse, which is itself never an inverse (the modulus is not 1). */
int64_t cutaway_math_inverse(int64_t base, int64_t modulus)
{
    __int128 m = magnitude(modulus), rest = m, next, factor = 0, following = 1;

    next = base % m;
    if (next < 0)
        next += m;
    while (next) {
        __int128 quotient = rest / next, step = rest - quotient * next;
        rest = next;
        next = step;
        step = factor - quotient * following;
        factor = following;
        following = step;
    }
    if (rest != 1)
        return 0;
    return (int64_t)(factor < 0 ? factor + m : factor);
}

/* a / b rounded once, for integers that a float may not represent. */
static double quotient(uint64_t a, uint64_t b, int negative)
{
    unsigned __int128 shifted, result;
    int shift;
    double size;

    if (!a)
        return negative ? -0.0 : 0.0;
    shift = 64 + __builtin_clzll(a);
    shifted = (unsigned __int128)a << shift;
    result = shifted / b;
    result |= shifted % b != 0; /* below the last significant bit: there are 64 or more */
    size = ldexp((double)result, -shift);
    return negative ? -size : size;
}

double cutaway_math_divide_signed(int64_t a, int64_t b)
{
    return b ? quotient(magnitude(a), magnitude(b), (a < 0) != (b < 0)) : (double)a / 0.0;
}

double cutaway_math_divide_unsigned(int64_t a, int64_t b)
{
    return b ? quotient((uint64_t)a, (uint64_t)b, 0) : (double)(uint64_t)a / 0.0;
}

/* x = n / 2 ** k in lowest terms; a denominator of 0 where a part does not fit. */
int64_t cutaway_ratio(double x, int64_t *denominator)
{
    int exponent, zeros;
    int64_t whole = (int64_t)(frexp(x, &exponent) * 0x1p53);

    *denominator = !whole;
    if (!whole)
        return 0;
    exponent -= 53;
    zeros = __builtin_ctzll((uint64_t)whole);
    whole /= INT64_C(1) << zeros;
    exponent += zeros;
    if (exponent < -62 || exponent > 63 ||
        (exponent > 0 && __builtin_mul_overflow(whole, (__int128)1 << exponent, &whole)))
        return 0;
    *denominator = exponent < 0 ? INT64_C(1) << -exponent : 1;
    return whole;
}

int64_t cutaway_math_perm(int64_t n, int64_t k)
{
    int64_t result = 1;
    if (k > n)
        return 0;
    for (int64_t i = 0; i < k; i++)
        if (__builtin_mul_overflow(result, n - i, &result))
            return -1;
    return result;
}

int64_t cutaway_math_comb(int64_t n, int64_t k)
{
    unsigned __int128 result = 1;
    if (k > n)
        return 0;
    if (k > n - k)
        k = n - k;
    for (int64_t i = 1; i <= k; i++) {
        result = result * (uint64_t)(n - k + i) / (uint64_t)i; /* exact at every step */
        if (result > INT64_MAX)
            return -1;
    }
    return (int64_t)result;
}

int64_t cutaway_math_isqrt(int64_t n)
{
    int64_t root = (int64_t)sqrt((double)n);
    while ((unsigned __int128)root * root > (unsigned __int128)n)
        root--;
    while ((unsigned __int128)(root + 1) * (root + 1) <= (unsigned __int128)n)
        root++;
    return root;
}
