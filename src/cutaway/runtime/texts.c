/* Elements of arrays of text and of bytes: read, written and compared; see cutaway_runtime.h.

   A text is a number of characters of 1, 2 or 4 bytes each; those of bytes have 1.  An element of
   an array has the length of its type and is padded with zeros, which do not count. */

#include <string.h>

#include "cutaway_runtime.h"

#define MAX_NDIM 64
#define LAST_CHARACTER 0x10FFFF

/* Elements may be unaligned. */
static inline uint32_t character(const char *data, int64_t place, int64_t width)
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

int64_t cutaway_text_character(const char *data, int64_t place, int64_t width)
{
    return character(data, place, width);
}

void cutaway_text_put(char *data, int64_t place, int64_t width, int64_t value)
{
    put_character(data, place, width, (uint32_t)value);
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

/* Python's hash of bytes, and of the characters of a text. */
int64_t cutaway_hash_bytes(const char *data, int64_t count)
{
#if PY_VERSION_HEX >= 0x030E0000
    return Py_HashBuffer(data, count);
#else
    return _Py_HashBytes(data, count);
#endif
}

int64_t cutaway_text_part_width(const char *data, int64_t width, int64_t start, int64_t count,
                                int64_t step)
{
    uint32_t widest = 0;

    if (width == 1)
        return 1;
    for (int64_t k = 0; k < count; k++)
        widest |= character(data, start + k * step, width);
    return widest < 1 << 8 ? 1 : widest < 1 << 16 ? 2 : 4;
}

void cutaway_text_part(char *target, int64_t target_width, const char *data, int64_t width,
                       int64_t start, int64_t count, int64_t step)
{
    if (step == 1 && width == target_width)
        memcpy(target, data + start * width, (size_t)(count * width));
    else
        for (int64_t k = 0; k < count; k++)
            put_character(target, k, target_width, character(data, start + k * step, width));
}

int64_t cutaway_text_hash(const char *data, int64_t length, int64_t width)
{
    int64_t own = cutaway_text_part_width(data, width, 0, length, 1), hash;
    char *narrow;

    if (!length || own == width)
        return cutaway_hash_bytes(data, length * width);
    narrow = malloc((size_t)(length * own));
    if (!narrow)
        return -1;
    cutaway_text_part(narrow, own, data, width, 0, length, 1);
    hash = cutaway_hash_bytes(narrow, length * own);
    free(narrow);
    return hash;
}

int64_t cutaway_text_find(const char *data, int64_t length, int64_t width, const char *sought,
                          int64_t sought_length, int64_t sought_width)
{
    for (int64_t place = 0; place + sought_length <= length; place++) {
        int64_t k = 0;
        while (k < sought_length
               && character(data, place + k, width) == character(sought, k, sought_width))
            k++;
        if (k == sought_length)
            return place;
    }
    return -1;
}

/* -1 or 1: the order of two texts by so many characters; 0 if they are equal. */
static inline int order_of_both(const char *first, int64_t width, const char *second,
                                int64_t other_width, int64_t both)
{
    for (int64_t k = 0; k < both; k++) {
        uint32_t a = character(first, k, width), b = character(second, k, other_width);
        if (a != b)
            return a < b ? -1 : 1;
    }
    return 0;
}

int64_t cutaway_text_order(const char *first, int64_t length, int64_t width, const char *second,
                           int64_t other_length, int64_t other_width)
{
    int64_t both = length < other_length ? length : other_length;
    int which = order_of_both(first, width, second, other_width, both);

    return which ? which : (length > other_length) - (length < other_length);
}

/* True if there is a character at or after a position. */
static inline int goes_on(const char *data, int64_t place, int64_t length, int64_t width)
{
    for (; place < length; place++)
        if (character(data, place, width))
            return 1;
    return 0;
}

/* -1, 0 or 1: the order of two texts. */
static inline int order(const char *first, int64_t length, int64_t width, const char *second,
                        int64_t other_length, int64_t other_width)
{
    int64_t both = length < other_length ? length : other_length;
    int which = order_of_both(first, width, second, other_width, both);

    if (which)
        return which;
    return goes_on(first, both, length, width) - goes_on(second, both, other_length, other_width);
}

int32_t cutaway_same_characters(const char *first, const char *second, int64_t width,
                                int64_t other_width, int64_t count)
{
    if (width == other_width)
        return !memcmp(first, second, (size_t)(count * width));
    return !order_of_both(first, width, second, other_width, count);
}

/* A line of elements whose widths are constants: a character is one load. */
#define COMPARE_LINE(width, other_width) \
    for (int64_t k = 0; k < count; k++) { \
        int which = order(first + k * step, length, width, second + k * other_step, \
                          other_length, other_width); \
        result[k] = (char)(holds >> (which + 1) & 1); \
    }

static void compare_line(char *result, int64_t count, const char *first, int64_t step,
                         const char *second, int64_t other_step, const int64_t *kinds)
{
    int64_t length = kinds[0], other_length = kinds[2], holds = kinds[4];

    if (kinds[1] == 4 && kinds[3] == 4) {
        COMPARE_LINE(4, 4)
    } else if (kinds[1] == 1 && kinds[3] == 1) {
        COMPARE_LINE(1, 1)
    } else if (kinds[1] == 4 && kinds[3] == 1) {
        COMPARE_LINE(4, 1)
    } else {
        COMPARE_LINE(kinds[1], kinds[3])
    }
}

void cutaway_compare_texts(char *result, int64_t ndim, const int64_t *axes, const char *first,
                           const char *second, const int64_t *kinds)
{
    const int64_t *shape = axes, *steps = axes + ndim, *other_steps = axes + 2 * ndim;
    int64_t place[MAX_NDIM] = {0}, last = ndim - 1;
    int64_t axis;

    for (axis = 0; axis < ndim; axis++)
        if (!shape[axis])
            return;
    if (!ndim) {
        compare_line(result, 1, first, 0, second, 0, kinds);
        return;
    }
    do {
        compare_line(result, shape[last], first, steps[last], second, other_steps[last], kinds);
        result += shape[last];
        for (axis = last - 1; axis >= 0; axis--) {
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
