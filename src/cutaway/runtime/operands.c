/* The layout of the operands of a ufunc's loop in memory; see numeric.h. */

#include "numeric.h"

#define SIZE(sizes, k) ((int64_t)1 << ((sizes) >> 4 * (k) & 15))

/* Whether an output does not overlap another operand, or is in place of an input, elementwise. */
static int is_apart(const char *output, const char *other, int64_t count, int64_t output_size,
                    int64_t other_size, int is_input)
{
    uintptr_t a = (uintptr_t)output, b = (uintptr_t)other, distance = a > b ? a - b : b - a;
    int64_t size = output_size > other_size ? output_size : other_size;

    return distance >= (uintptr_t)(count * size)
           || (distance == 0 && is_input && output_size == other_size);
}

static int are_dense(char **operands, const int64_t *steps, int64_t count, int64_t inputs,
                     int64_t total, int64_t sizes)
{
    for (int64_t k = 0; k < total; k++)
        if (steps[k] != SIZE(sizes, k))
            return 0;
    for (int64_t k = inputs; k < total; k++)
        for (int64_t other = 0; other < k; other++)
            if (!is_apart(operands[k], operands[other], count, SIZE(sizes, k), SIZE(sizes, other),
                          other < inputs))
                return 0;
    return 1;
}

int32_t cutaway_operands_lie(char **operands, const int64_t *steps, int64_t count, int64_t inputs,
                             int64_t total, int64_t sizes)
{
    if (are_dense(operands, steps, count, inputs, total, sizes))
        return 1;
    if (inputs == 2 && total == 3 && operands[0] == operands[2] && steps[0] == 0
        && steps[1] == SIZE(sizes, 1) && steps[2] == 0)
        return 2;
    return 0;
}
