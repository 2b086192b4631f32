/* Elements of arrays selected by masks; see numeric.h. */

#include <stdlib.h>
#include <string.h>

#include "numeric.h"

#define ONES 0x0101010101010101u

typedef struct {
    int64_t ndim;
    int64_t shape[MAX_NDIM], mask[MAX_NDIM], array[MAX_NDIM];
} walk;

/* Axes that are contiguous in both arrays are merged, to make lines long. */
static void read_walk(walk *all, int64_t ndim, const int64_t *axes, const int64_t *strides)
{
    int64_t last = 0;

    for (int64_t k = 0; k < ndim; k++) {
        int64_t size = axes[k], mask = axes[ndim + k], array = strides ? strides[k] : 0;
        if (size == 1)
            continue;
        if (last && all->mask[last - 1] == mask * size && all->array[last - 1] == array * size) {
            all->shape[last - 1] *= size;
            all->mask[last - 1] = mask;
            all->array[last - 1] = array;
            continue;
        }
        all->shape[last] = size;
        all->mask[last] = mask;
        all->array[last] = array;
        last++;
    }
    if (!last) { /* a single element */
        all->shape[0] = 1;
        all->mask[0] = all->array[0] = 1;
        last = 1;
    }
    all->ndim = last;
}

static int is_empty(int64_t ndim, const int64_t *shape)
{
    for (int64_t k = 0; k < ndim; k++)
        if (!shape[k])
            return 1;
    return 0;
}

/* --- counting ------------------------------------------------------------------------------------ */

static uint64_t eight(const char *mask)
{
    uint64_t word;
    memcpy(&word, mask, 8);
    return word;
}

static int64_t count_line(const char *mask, int64_t count, int64_t stride)
{
    int64_t total = 0, k = 0;

    if (stride == 1)
        while (count - k >= 8) {
            uint64_t sums = 0; /* a sum in each byte, of at most 255 words */
            int64_t words = (count - k) / 8;
            if (words > 255)
                words = 255;
            for (int64_t n = 0; n < words; n++)
                sums += eight(mask + k + 8 * n) & ONES;
            k += 8 * words;
            sums = (sums & 0x00ff00ff00ff00ffu) + (sums >> 8 & 0x00ff00ff00ff00ffu);
            total += (int64_t)((sums * 0x0001000100010001u) >> 48);
        }
    for (; k < count; k++)
        total += mask[k * stride] & 1;
    return total;
}

static int64_t count_axis(const walk *all, int64_t axis, const char *mask)
{
    int64_t total = 0;

    if (axis == all->ndim - 1)
        return count_line(mask, all->shape[axis], all->mask[axis]);
    for (int64_t k = 0; k < all->shape[axis]; k++)
        total += count_axis(all, axis + 1, mask + k * all->mask[axis]);
    return total;
}

int64_t cutaway_count_true(const char *mask, int64_t ndim, const int64_t *axes)
{
    walk all;

    if (is_empty(ndim, axes))
        return 0;
    read_walk(&all, ndim, axes, NULL);
    return count_axis(&all, 0, mask);
}

/* --- places -------------------------------------------------------------------------------------- */

/* The positions of a line's true elements.  They are written without a branch: each overwrites the
   one before if that was not true, and none is written past the last. */
static int64_t *places_of_line(const char *mask, int64_t count, int64_t stride, int64_t *out,
                               const int64_t *end)
{
    int64_t k = 0;

    while (k < count && out < end) {
        if (stride == 1 && count - k >= 8) {
            uint64_t word = eight(mask + k) & ONES;
            if (!word) {
                k += 8;
                continue;
            }
            if (end - out >= 8) {
                for (int n = 0; n < 8; n++, k++) {
                    *out = k;
                    out += mask[k] & 1;
                }
                continue;
            }
        }
        *out = k;
        out += mask[k * stride] & 1;
        k++;
    }
    return out;
}

typedef struct {
    int64_t ndim;
    const int64_t *shape, *strides;
    int64_t *out, *end, count;
    int64_t place[MAX_NDIM];
} finding;

static void places_of_axis(finding *all, int64_t axis, const char *mask)
{
    int64_t *before = all->out;

    if (axis == all->ndim - 1) {
        all->out = places_of_line(mask, all->shape[axis], all->strides[axis], all->out, all->end);
        for (int64_t k = 0; k < axis; k++) /* the arrays of earlier axes come first */
            for (int64_t *at = before; at < all->out; at++)
                at[(k - axis) * all->count] = all->place[k];
        return;
    }
    for (int64_t k = 0; k < all->shape[axis]; k++) {
        all->place[axis] = k;
        places_of_axis(all, axis + 1, mask + k * all->strides[axis]);
    }
}

void cutaway_true_places(const char *mask, int64_t ndim, const int64_t *axes, int64_t *out,
                         int64_t count)
{
    finding all = {.ndim = ndim, .shape = axes, .strides = axes + ndim, .count = count};

    if (!count || !ndim)
        return;
    all.out = out + (ndim - 1) * count;
    all.end = all.out + count;
    places_of_axis(&all, 0, mask);
}

/* --- elements ------------------------------------------------------------------------------------ */

typedef struct {
    walk walk;
    int64_t itemsize, step; /* from one value to the next */
    char *value, *end;      /* the next value, and the end of the values */
    int to_array;
} choosing;

/* Select the elements of one size by a line of a mask, in sequence and without a branch. */
#define CHOOSE(bytes) \
    while (k < count && out < end) { \
        if (mask_step == 1 && count - k >= 8) { \
            uint64_t word = eight(mask + k) & ONES; \
            if (!word) { \
                k += 8; \
                continue; \
            } \
            if (word == ONES && step == (int64_t)(bytes) && end - out >= 8 * (int64_t)(bytes)) { \
                memcpy(out, array + k * step, 8 * (bytes)); \
                k += 8; \
                out += 8 * (bytes); \
                continue; \
            } \
            if (end - out >= 8 * (int64_t)(bytes)) { \
                for (int n = 0; n < 8; n++, k++) { \
                    memcpy(out, array + k * step, bytes); \
                    out += (bytes) & -(size_t)(mask[k] & 1); \
                } \
                continue; \
            } \
        } \
        memcpy(out, array + k * step, bytes); \
        out += (bytes) & -(size_t)(mask[k * mask_step] & 1); \
        k++; \
    }

static char *choose_line(const char *mask, int64_t mask_step, const char *array, int64_t step,
                         int64_t count, int64_t itemsize, char *out, const char *end)
{
    int64_t k = 0;

    switch (itemsize) {
    case 1: CHOOSE(1) break;
    case 2: CHOOSE(2) break;
    case 4: CHOOSE(4) break;
    case 8: CHOOSE(8) break;
    case 16: CHOOSE(16) break;
    default: CHOOSE((size_t)itemsize)
    }
    return out;
}

#define PUT_ONE(bytes) \
    if (mask[k * mask_step] & 1) { \
        memcpy(array + k * step, value, bytes); \
        value += value_step; \
    }

/* A single value for contiguous elements is selected by a mask of bits. */
#define PUT(bytes, type) \
    if (value_step == 0 && mask_step == 1 && step == (int64_t)sizeof(type)) { \
        type one, own; \
        memcpy(&one, value, sizeof one); \
        for (; k < count; k++) { \
            type chosen = (type)-(type)(mask[k] & 1); \
            memcpy(&own, array + k * (int64_t)sizeof own, sizeof own); \
            own = (type)((own & (type)~chosen) | (one & chosen)); \
            memcpy(array + k * (int64_t)sizeof own, &own, sizeof own); \
        } \
    } \
    while (value_step && k < count && value != end) { /* other elements are rewritten unchanged */ \
        type one, own, chosen; \
        if (mask_step == 1 && count - k >= 8 && !(eight(mask + k) & ONES)) { \
            k += 8; \
            continue; \
        } \
        chosen = (type)-(type)(mask[k * mask_step] & 1); \
        memcpy(&one, value, sizeof one); \
        memcpy(&own, array + k * step, sizeof own); \
        own = (type)((own & (type)~chosen) | (one & chosen)); \
        memcpy(array + k * step, &own, sizeof own); \
        value += value_step & -(int64_t)(mask[k * mask_step] & 1); \
        k++; \
    } \
    if (!value_step) { \
        PUT_OTHERS(bytes) \
    }

#define PUT_OTHERS(bytes) \
    for (; k < count; k++) { \
        if (mask_step == 1) { \
            while (count - k >= 8 && !(eight(mask + k) & ONES)) \
                k += 8; \
            if (k == count) \
                break; \
        } \
        PUT_ONE(bytes) \
    }

static char *put_line(const char *mask, int64_t mask_step, char *array, int64_t step,
                      int64_t count, int64_t itemsize, char *value, int64_t value_step,
                      const char *end)
{
    int64_t k = 0;

    switch (itemsize) {
    case 1: PUT(1, uint8_t) break;
    case 2: PUT(2, uint16_t) break;
    case 4: PUT(4, uint32_t) break;
    case 8: PUT(8, uint64_t) break;
    case 16: PUT_OTHERS(16) break;
    default: PUT_OTHERS((size_t)itemsize)
    }
    return value;
}

static void choose_axis(choosing *all, int64_t axis, const char *mask, char *array)
{
    const walk *way = &all->walk;
    int64_t count = way->shape[axis], mask_step = way->mask[axis], step = way->array[axis];

    if (axis < way->ndim - 1) {
        for (int64_t k = 0; k < count; k++)
            choose_axis(all, axis + 1, mask + k * mask_step, array + k * step);
        return;
    }
    if (all->to_array)
        all->value = put_line(mask, mask_step, array, step, count, all->itemsize, all->value,
                              all->step, all->end);
    else
        all->value = choose_line(mask, mask_step, array, step, count, all->itemsize, all->value,
                                 all->end);
}

void cutaway_compress(const char *mask, int64_t ndim, const int64_t *axes, int64_t itemsize,
                      char *array, const int64_t *strides, char *out, int64_t count)
{
    choosing all = {.itemsize = itemsize, .value = out, .end = out + count * itemsize};

    if (!count)
        return;
    read_walk(&all.walk, ndim, axes, strides);
    choose_axis(&all, 0, mask, array);
}

/* A contiguous copy of `count` values; NULL if memory is exhausted. */
static char *values_apart(const char *value, int64_t step, int64_t count, int64_t itemsize)
{
    char *memory = malloc((size_t)(count * itemsize));

    if (memory)
        for (int64_t k = 0; k < count; k++)
            memcpy(memory + k * itemsize, value + k * step, (size_t)itemsize);
    return memory;
}

int32_t cutaway_put_where(const char *mask, int64_t ndim, const int64_t *axes, int64_t itemsize,
                          char *array, const int64_t *strides, char *value, int64_t step,
                          int64_t count)
{
    choosing all = {.itemsize = itemsize, .value = value, .step = step, .to_array = 1};
    const char *low = array, *high = array + itemsize, *first = value, *last = value + itemsize;
    char *memory = NULL;

    if (!count)
        return 0;
    for (int64_t k = 0; k < ndim; k++) {
        int64_t reach = (axes[k] - 1) * strides[k];
        *(reach < 0 ? &low : &high) += reach;
    }
    *(step < 0 ? &first : &last) += (count - 1) * step;
    if (first < high && low < last) {
        memory = values_apart(value, step, step ? count : 1, itemsize);
        if (!memory)
            return 2;
        all.value = memory;
        all.step = step ? itemsize : 0;
    }
    all.end = all.value + count * all.step;
    read_walk(&all.walk, ndim, axes, strides);
    choose_axis(&all, 0, mask, array);
    free(memory);
    return 0;
}
