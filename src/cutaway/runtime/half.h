/* Floats of 16 bits, as their bits in memory: conversion to and from the wider floats.

   Rounding is to nearest, ties to even, like the instructions of processors that have them.  A NaN
   keeps its sign and its first bits, and becomes quiet. */

#ifndef CUTAWAY_HALF_H
#define CUTAWAY_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float single_of_half(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31;
    uint32_t fraction = half & 0x3FF, bits;
    float number;

    if (exponent == 31)
        bits = 0x7F800000 | fraction << 13 | (fraction ? 0x400000 : 0);
    else if (exponent)
        bits = (exponent + 112) << 23 | fraction << 13;
    else {
        number = (float)fraction * 0x1p-24f;
        memcpy(&bits, &number, sizeof(bits));
    }
    bits |= sign;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

/* Round once; a number that is too large becomes infinite. */
static inline uint16_t half_of_double(double number)
{
    uint64_t bits, size;
    uint16_t sign;

    memcpy(&bits, &number, sizeof(bits));
    sign = (uint16_t)(bits >> 48 & 0x8000);
    size = bits & INT64_MAX;
    if (size > UINT64_C(0x7FF) << 52) /* NaN */
        return sign | 0x7E00 | (uint16_t)(size >> 42 & 0x1FF);
    number = fabs(number);
    if (number >= 65520.0)
        return sign | 0x7C00;
    if (number < 0x1p-14) /* multiples of the smallest number */
        return sign | (uint16_t)rint(number * 0x1p24);
    size += (UINT64_C(1) << 41) - 1 + (size >> 42 & 1);
    return sign | (uint16_t)((size >> 42) - ((1023 - 15) << 10));
}

/* The functions that LLVM calls where the processor lacks the instruction: without F16C, and for a
   double on all but the newest.  A float of 16 bits is passed in the lowest bits of the register of
   a wider one, so these do not need a type of that size, which not every C compiler has. */
float cutaway_extend_half(float passed);
float cutaway_single_to_half(float number);
float cutaway_double_to_half(double number);

/* `round(x, digits)` as in NumPy: multiply by a power of ten, round to a whole number, and divide,
   each step rounded to 16 bits. */
float cutaway_math_round_half(float x, int64_t digits);

#endif
