/* Elements of arrays of text and of bytes: read, written and compared; see cutaway_runtime.h.

   A text is so many characters of 1, 2 or 4 bytes each; of bytes each is 1.  An element of an array
   is as long as its type says and filled up with zeros, which do not count. */

#include <string.h>

#include "cutaway_runtime.h"

#define MAX_NDIM 64
#define LAST_CHARACTER 0x10FFFF

/* Operators as sums of where they hold: 1 for less, 2 for equal, 4 for greater. */
enum { EQUAL = 2, UNEQUAL = 1 + 4 };

/* Elements may lie anywhere, so nothing here needs them aligned. */
static uint32_t character(const char *data, int64_t place, int64_t width)
{
    uint16_t two;
    uint32_t four;

    if (width == 1)
        return (unsigned char)data[place];
    if (width == 2) {
        memcpy(&two, data + 2 * place, sizeof(two));
        return two;
    }
    memcpy(&four, data + 4 * place, sizeof(four));
    return four;
}

static void put_character(char *data, int64_t place, int64_t width, uint32_t value)
{
    uint16_t two = (uint16_t)value;

    if (width == 1)
        data[place] = (char)value;
    else if (width == 2)
        memcpy(data + 2 * place, &two, sizeof(two));
    else
        memcpy(data + 4 * place, &value, sizeof(value));
}

int64_t cutaway_text_length(const char *data, int64_t length, int64_t width)
{
    while (length > 0 && !character(data, length - 1, width))
        length--;
    return length;
}

int64_t cutaway_text_width(const char *data, int64_t length)
{
    uint32_t widest = 0;

    for (int64_t k = 0; k < length; k++) {
        uint32_t one = character(data, k, 4);
        if (one > widest)
            widest = one;
    }
    if (widest > LAST_CHARACTER)
        return 0;
    return widest < 1 << 8 ? 1 : widest < 1 << 16 ? 2 : 4;
}

void cutaway_text_copy(char *target, int64_t target_length, int64_t target_width,
                       const char *data, int64_t length, int64_t width)
{
    int64_t count = length < target_length ? length : target_length;

    if (width == target_width)
        memmove(target, data, (size_t)(count * width));
    else
        for (int64_t k = 0; k < count; k++)
            put_character(target, k, target_width, character(data, k, width));
    memset(target + count * target_width, 0, (size_t)((target_length - count) * target_width));
}

int64_t cutaway_text_foreign(const char *data, int64_t length, int64_t width, int64_t from,
                             int32_t wanted)
{
    while (from < length && (character(data, from, width) > 127) != wanted)
        from++;
    return from;
}

/* -1, 0 or 1: which of two comes first. */
static int order(const char *first, int64_t length, int64_t width, const char *second,
                 int64_t other_length, int64_t other_width)
{
    int64_t longest = length > other_length ? length : other_length;

    for (int64_t k = 0; k < longest; k++) {
        uint32_t a = k < length ? character(first, k, width) : 0;
        uint32_t b = k < other_length ? character(second, k, other_width) : 0;
        if (a != b)
            return a < b ? -1 : 1;
    }
    return 0;
}

static int answer(const char *first, const char *second, const int64_t *kinds)
{
    int which;

    if ((kinds[4] == EQUAL || kinds[4] == UNEQUAL) && kinds[0] == kinds[2] && kinds[1] == kinds[3])
        return !memcmp(first, second, (size_t)(kinds[0] * kinds[1])) == (kinds[4] == EQUAL);
    if (kinds[1] == 1 && kinds[3] == 1)
        which = order(first, kinds[0], 1, second, kinds[2], 1);
    else if (kinds[1] == 4 && kinds[3] == 4)
        which = order(first, kinds[0], 4, second, kinds[2], 4);
    else
        which = order(first, kinds[0], kinds[1], second, kinds[2], kinds[3]);
    return (int)(kinds[4] >> (which + 1)) & 1;
}

void cutaway_compare_texts(char *result, int64_t ndim, const int64_t *axes, const char *first,
                           const char *second, const int64_t *kinds)
{
    const int64_t *shape = axes, *steps = axes + ndim, *other_steps = axes + 2 * ndim;
    int64_t place[MAX_NDIM] = {0};
    int64_t axis;

    for (axis = 0; axis < ndim; axis++)
        if (!shape[axis])
            return;
    do {
        *result++ = (char)answer(first, second, kinds);
        for (axis = ndim - 1; axis >= 0; axis--) {
            first += steps[axis];
            second += other_steps[axis];
            if (++place[axis] < shape[axis])
                break;
            first -= shape[axis] * steps[axis];
            second -= shape[axis] * other_steps[axis];
            place[axis] = 0;
        }
    } while (axis >= 0);
}
