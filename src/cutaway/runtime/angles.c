/* Sine, cosine and tangent of angles of any size; see numeric.h.

   C libraries are not always correct here: glibc 2.36 returns the cosine of 6381956970095103 *
   2**797 with an error of eight units in the last place.  An angle is m * 2**e, with m of 53 bits.
   Of 2 / pi those 192 bits are used whose products with the angle are below 4: higher bits
   contribute whole turns, and lower ones are negligible. */

#include <math.h>
#include <stdint.h>

#include "numeric.h"

typedef unsigned __int128 uint128;

static const uint64_t TWO_OVER_PI[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
};

/* 64 bits of 2 / pi from bit `start` on; bits before the first one, if `start` < 0, are zero. */
static uint64_t bits_from(int start)
{
    int word, shift;

    if (start < 0)
        return start <= -64 ? 0 : TWO_OVER_PI[0] >> -start;
    word = start / 64;
    shift = start % 64;
    if (shift == 0)
        return TWO_OVER_PI[word];
    return TWO_OVER_PI[word] << shift | TWO_OVER_PI[word + 1] >> (64 - shift);
}

/* A fraction of 192 bits, times pi / 2, as the sum of two doubles. */
static void as_angle(const uint64_t f[3], double *high, double *low)
{
    const double half_pi = 0x1.921fb54442d18p+0, rest = 0x1.1a62633145c07p-54;
    uint128 top = (uint128)f[0] << 64 | f[1];
    int zeros = 0;
    double a, b;

    while (zeros < 127 && !(top >> 127)) {
        top = top << 1 | (zeros < 64 ? f[2] >> (63 - zeros) & 1 : 0);
        zeros++;
    }
    a = (double)(uint64_t)(top >> 75);
    b = ldexp((double)(uint64_t)((top << 53) >> 64), -64);
    *high = a * half_pi;
    *low = fma(a, half_pi, -*high) + (a * rest + b * half_pi);
    *high = ldexp(*high, -53 - zeros);
    *low = ldexp(*low, -53 - zeros);
}

/* Reduce an angle by the nearest multiple of a quarter turn to two doubles; returns the multiple. */
static int reduced(double x, double *high, double *low)
{
    int exponent, start, quarters, negative;
    uint64_t m, w[3], f[3];
    uint128 product;

    m = (uint64_t)ldexp(frexp(fabs(x), &exponent), 53);
    exponent -= 53;
    start = exponent - 2;
    w[0] = bits_from(start);
    w[1] = bits_from(start + 64);
    w[2] = bits_from(start + 128);
    product = (uint128)m * w[2];
    f[2] = (uint64_t)product;
    product = (uint128)m * w[1] + (uint64_t)(product >> 64);
    f[1] = (uint64_t)product;
    f[0] = m * w[0] + (uint64_t)(product >> 64);
    quarters = (int)(f[0] >> 62);
    f[0] = f[0] << 2 | f[1] >> 62;
    f[1] = f[1] << 2 | f[2] >> 62;
    f[2] <<= 2;
    negative = f[0] >> 63;
    if (negative) {  /* the next quarter is nearer */
        quarters++;
        f[0] = ~f[0];
        f[1] = ~f[1];
        f[2] = ~f[2];  /* off by one unit of 2**-190 */
    }
    as_angle(f, high, low);
    if (negative != (x < 0)) {
        *high = -*high;
        *low = -*low;
    }
    return x < 0 ? -quarters : quarters;
}

double cutaway_math_angle(double x, int function)
{
    double high, low, sine, cosine;
    int quarters;

    if (!isfinite(x))
        return x - x;
    quarters = reduced(x, &high, &low);
    sine = sin(high) + low * cos(high);
    cosine = cos(high) - low * sin(high);
    if (function == 2)
        return quarters & 1 ? -cosine / sine : sine / cosine;
    if (function == 1)
        quarters++;
    if (quarters & 1)
        sine = cosine;
    return quarters & 2 ? -sine : sine;
}
