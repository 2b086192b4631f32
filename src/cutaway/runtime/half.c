/* Floats of 16 bits where processors have no instructions for them; see half.h. */

#include "half.h"

#include <stdlib.h>

static float in_register(uint16_t half)
{
    uint32_t bits = half;
    float passed;

    memcpy(&passed, &bits, sizeof(passed));
    return passed;
}

float cutaway_extend_half(float passed)
{
    uint32_t bits;

    memcpy(&bits, &passed, sizeof(bits));
    return single_of_half((uint16_t)bits);
}

float cutaway_single_to_half(float number)
{
    return in_register(half_of_double(number));
}

float cutaway_double_to_half(double number)
{
    return in_register(half_of_double(number));
}

static float rounded(double number)
{
    return single_of_half(half_of_double(number));
}

float cutaway_math_round_half(float x, int64_t digits)
{
    float power = digits > 400 || digits < -400 ? INFINITY : rounded(pow(10.0, (double)llabs(digits)));

    if (digits >= 0)
        return rounded(rint(rounded(x * power)) / power);
    return rounded(rint(rounded(x / power)) * power);
}
