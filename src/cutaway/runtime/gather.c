/* Elements of arrays selected by arrays of indices and by masks; see numeric.h. */

#include <stdlib.h>
#include <string.h>

#include "numeric.h"

#define BLOCK 256 /* places that are computed at a time */

/* --- elements of any size ------------------------------------------------------------------------ */

/* Run a statement with the size of an element as a constant, so that a copy is load and store. */
#define BY_SIZE(itemsize, RUN) \
    switch (itemsize) { \
    case 1: RUN(1); break; \
    case 2: RUN(2); break; \
    case 4: RUN(4); break; \
    case 8: RUN(8); break; \
    case 16: RUN(16); break; \
    default: RUN((size_t)(itemsize)); \
    }

typedef struct {
    int64_t ndim;
    int64_t shape[MAX_NDIM], to[MAX_NDIM], from[MAX_NDIM];
    int64_t itemsize;
} rectangle;

/* Merge axes that are contiguous on both sides. */
static void merge(rectangle *part)
{
    int64_t last = 0;

    for (int64_t k = 0; k < part->ndim; k++) {
        if (part->shape[k] == 1)
            continue;
        if (last && part->to[last - 1] == part->to[k] * part->shape[k] &&
            part->from[last - 1] == part->from[k] * part->shape[k]) {
            part->shape[last - 1] *= part->shape[k];
            part->to[last - 1] = part->to[k];
            part->from[last - 1] = part->from[k];
            continue;
        }
        part->shape[last] = part->shape[k];
        part->to[last] = part->to[k];
        part->from[last] = part->from[k];
        last++;
    }
    part->ndim = last;
}

static void copy_axis(const rectangle *part, int64_t axis, char *target, const char *source)
{
    int64_t to, from, count;

    if (axis == part->ndim) {
        memcpy(target, source, (size_t)part->itemsize);
        return;
    }
    to = part->to[axis], from = part->from[axis], count = part->shape[axis];
    if (axis < part->ndim - 1) {
        for (int64_t k = 0; k < count; k++)
            copy_axis(part, axis + 1, target + k * to, source + k * from);
        return;
    }
    if (to == part->itemsize && from == to) {
        memcpy(target, source, (size_t)(count * to));
        return;
    }
#define LINE(bytes) \
    for (int64_t k = 0; k < count; k++) \
        memcpy(target + k * to, source + k * from, bytes)
    BY_SIZE(part->itemsize, LINE)
#undef LINE
}

/* The range of bytes that elements occupy; there must be an element. */
static void extent(const char *data, int64_t ndim, const int64_t *shape, const int64_t *strides,
                   int64_t itemsize, const char **low, const char **high)
{
    *low = data;
    *high = data + itemsize;
    for (int64_t k = 0; k < ndim; k++) {
        int64_t reach = (shape[k] - 1) * strides[k];
        if (reach < 0)
            *low += reach;
        else
            *high += reach;
    }
}

/* A copy in C order of memory that may be written while it is read; axes of stride 0 keep it.  NULL
   without memory. */
static char *copied(const char *data, int64_t ndim, const int64_t *shape, int64_t *strides,
                    int64_t itemsize)
{
    rectangle part = {.ndim = ndim, .itemsize = itemsize};
    int64_t size = itemsize;
    char *memory;

    for (int64_t k = ndim - 1; k >= 0; k--) {
        part.shape[k] = strides[k] ? shape[k] : 1;
        part.from[k] = strides[k];
        part.to[k] = strides[k] ? size : 0;
        strides[k] = part.to[k];
        size *= part.shape[k];
    }
    memory = malloc((size_t)size);
    if (!memory)
        return NULL;
    merge(&part);
    copy_axis(&part, 0, memory, data);
    return memory;
}

/* --- indices ------------------------------------------------------------------------------------- */

typedef struct {
    const char *data;
    int64_t kind, size, step, axis; /* the kind: its bytes, negative if signed */
    int64_t strides[MAX_NDIM];
} index_array;

typedef struct {
    int64_t ndim, count, inner, itemsize;
    int64_t shape[MAX_NDIM];
    int64_t strides[MAX_NDIM]; /* of the result or the value, along the places */
    rectangle part;            /* the elements at each place */
    index_array *indices;
} plan;

/* `count` indices as numbers of 64 bits: in place, or in the buffer. */
static const int64_t *numbers(int64_t kind, const char *data, int64_t stride, int64_t count,
                              int64_t *buffer)
{
#define LOAD(type) \
    for (int64_t k = 0; k < count; k++) { \
        type one; \
        memcpy(&one, data + k * stride, sizeof one); \
        buffer[k] = (int64_t)one; \
    } \
    return buffer
    switch (kind) {
    case 8:
    case -8:
        if (stride == 8 && (uintptr_t)data % 8 == 0)
            return (const int64_t *)data;
        LOAD(int64_t);
    case 4: LOAD(int32_t);
    case 2: LOAD(int16_t);
    case 1: LOAD(int8_t);
    case -4: LOAD(uint32_t);
    case -2: LOAD(uint16_t);
    }
    LOAD(uint8_t);
#undef LOAD
}

static int are_inside(const int64_t *places, int64_t count, int64_t size)
{
    uint64_t last = 2 * (uint64_t)size - 1, outside = 0;

    for (int64_t k = 0; k < count; k++) { /* in the sign bit: done for several at once */
        uint64_t from_least = (uint64_t)places[k] + (uint64_t)size;
        outside |= from_least | (last - from_least);
    }
    return !(outside >> 63);
}

/* Check an index array along an axis and those behind it; 1 where an index is out of bounds. */
static int check_axis(const plan *all, const index_array *index, int64_t axis, const char *data,
                      int64_t *fault)
{
    int64_t buffer[BLOCK];
    int64_t stride = axis < all->ndim ? index->strides[axis] : 0;
    int64_t count = axis < all->ndim && stride ? all->shape[axis] : 1;

    if (axis < all->ndim - 1) {
        for (int64_t k = 0; k < count; k++)
            if (check_axis(all, index, axis + 1, data + k * stride, fault))
                return 1;
        return 0;
    }
    for (int64_t start = 0; start < count; start += BLOCK) {
        int64_t many = count - start < BLOCK ? count - start : BLOCK;
        const int64_t *places = numbers(index->kind, data + start * stride, stride, many, buffer);
        if (are_inside(places, many, index->size))
            continue;
        for (int64_t k = 0; k < many; k++)
            if (!are_inside(places + k, 1, index->size)) {
                fault[0] = places[k];
                fault[1] = index->axis;
                fault[2] = index->size;
                return 1;
            }
    }
    return 0;
}

static int check(const plan *all, int64_t *fault)
{
    for (int64_t n = 0; n < all->count; n++)
        if (check_axis(all, &all->indices[n], 0, all->indices[n].data, fault))
            return 1;
    return 0;
}

/* --- gathering and scattering -------------------------------------------------------------------- */

/* Move elements by one index each: a load and a store.  1 where an index to read is out of bounds;
   the indices of a write were checked before. */
static int move_elements(int64_t itemsize, int64_t size, int64_t stride, int to_base, char *base,
                         char *other, int64_t step, const int64_t *places, int64_t count)
{
#define GATHER_BY(bytes, stride, step) \
    for (int64_t k = 0; k < count; k++) { \
        int64_t place = places[k]; \
        place += size & (place >> 63); \
        if ((uint64_t)place >= (uint64_t)size) \
            return 1; \
        memcpy(other + k * (step), base + place * (stride), bytes); \
    }
#define GATHER(bytes) \
    if (stride == (int64_t)(bytes) && step == (int64_t)(bytes)) { \
        GATHER_BY(bytes, (int64_t)(bytes), (int64_t)(bytes)) \
    } else { \
        GATHER_BY(bytes, stride, step) \
    }
#define SCATTER(bytes) \
    for (int64_t k = 0; k < count; k++) { \
        int64_t place = places[k]; \
        place += size & (place >> 63); \
        memcpy(base + place * stride, other + k * step, bytes); \
    }
    if (to_base) {
        BY_SIZE(itemsize, SCATTER)
    } else {
        BY_SIZE(itemsize, GATHER)
    }
#undef GATHER
#undef GATHER_BY
#undef SCATTER
    return 0;
}

static void move_parts(const plan *all, int to_base, char *base, char *other, int64_t step,
                       const int64_t *offsets, int64_t count)
{
    if (all->part.ndim == 0 && !to_base) {
#define GATHER(bytes) \
    for (int64_t k = 0; k < count; k++) \
        memcpy(other + k * step, base + offsets[k], bytes)
        BY_SIZE(all->itemsize, GATHER)
#undef GATHER
        return;
    }
    for (int64_t k = 0; k < count; k++) {
        if (to_base)
            copy_axis(&all->part, 0, base + offsets[k], other + k * step);
        else
            copy_axis(&all->part, 0, other + k * step, base + offsets[k]);
    }
}

/* Move a line of places; 1 where an index is out of bounds. */
static int move_line(const plan *all, int to_base, char *base, char *other,
                     const int64_t *starts)
{
    int64_t axis = all->ndim - 1, total = all->ndim ? all->shape[axis] : 1;
    int64_t step = all->ndim ? all->strides[axis] : 0;
    int64_t buffer[BLOCK], offsets[BLOCK];

    for (int64_t start = 0; start < total; start += BLOCK) {
        int64_t count = total - start < BLOCK ? total - start : BLOCK;
        for (int64_t n = 0; n < all->count; n++) {
            const index_array *index = &all->indices[n];
            int64_t stride = all->ndim ? index->strides[axis] : 0;
            const int64_t *places;
            places = numbers(index->kind, index->data + starts[n] + start * stride, stride, count, buffer);
            if (all->count == 1 && all->part.ndim == 0) {
                if (move_elements(all->itemsize, index->size, index->step, to_base, base,
                                  other + start * step, step, places, count))
                    return 1;
                break;
            }
            if (!to_base && !are_inside(places, count, index->size))
                return 1;
            for (int64_t k = 0; k < count; k++) {
                int64_t place = places[k] + (index->size & (places[k] >> 63));
                offsets[k] = (n ? offsets[k] : 0) + place * index->step;
            }
        }
        if (all->count == 0)
            for (int64_t k = 0; k < count; k++)
                offsets[k] = 0;
        if (all->count != 1 || all->part.ndim)
            move_parts(all, to_base, base, other + start * step, step, offsets, count);
    }
    return 0;
}

static int move_axis(const plan *all, int to_base, int64_t axis, char *base, char *other,
                     int64_t *starts)
{
    if (axis >= all->ndim - 1)
        return move_line(all, to_base, base, other, starts);
    for (int64_t k = 0; k < all->shape[axis]; k++) {
        if (move_axis(all, to_base, axis + 1, base, other + k * all->strides[axis], starts))
            return 1;
        for (int64_t n = 0; n < all->count; n++)
            starts[n] += all->indices[n].strides[axis];
    }
    for (int64_t n = 0; n < all->count; n++)
        starts[n] -= all->shape[axis] * all->indices[n].strides[axis];
    return 0;
}

/* Whether to traverse the first axis of the parts in the outer loop: the places are then closer to
   each other than the parts are, on both sides. */
static int part_is_outer(const plan *all)
{
    int64_t step = all->ndim ? llabs(all->strides[all->ndim - 1]) : 0;

    if (!all->part.ndim || llabs(all->part.to[0]) <= step || !all->count)
        return 0;
    for (int64_t n = 0; n < all->count; n++)
        if (llabs(all->part.from[0]) <= llabs(all->indices[n].step))
            return 0;
    return 1;
}

static int gather_all(plan *all, char *base, char *out)
{
    int64_t starts[MAX_NDIM] = {0}, count, from, to;

    if (!part_is_outer(all))
        return move_axis(all, 0, 0, base, out, starts);
    count = all->part.shape[0], from = all->part.from[0], to = all->part.to[0];
    all->part.ndim--;
    memmove(all->part.shape, all->part.shape + 1, (size_t)all->part.ndim * 8);
    memmove(all->part.from, all->part.from + 1, (size_t)all->part.ndim * 8);
    memmove(all->part.to, all->part.to + 1, (size_t)all->part.ndim * 8);
    for (int64_t k = 0; k < count; k++) {
        plan inner = *all;
        if (gather_all(&inner, base + k * from, out + k * to))
            return 1;
    }
    return 0;
}

/* Read the words that compiled code has written; false where there are too many axes. */
static int read_plan(const int64_t *words, plan *all, index_array *indices, int to_base)
{
    int64_t *to = to_base ? all->part.from : all->part.to;
    int64_t *base = to_base ? all->part.to : all->part.from;

    all->ndim = *words++;
    all->count = *words++;
    all->inner = *words++;
    all->itemsize = *words++;
    if (all->ndim > MAX_NDIM || all->count > MAX_NDIM || all->inner > MAX_NDIM)
        return 0;
    for (int64_t k = 0; k < all->ndim; k++)
        all->shape[k] = *words++;
    for (int64_t k = 0; k < all->ndim; k++)
        all->strides[k] = *words++;
    all->part.ndim = all->inner;
    all->part.itemsize = all->itemsize;
    for (int64_t k = 0; k < all->inner; k++)
        all->part.shape[k] = *words++;
    for (int64_t k = 0; k < all->inner; k++)
        base[k] = *words++;
    for (int64_t k = 0; k < all->inner; k++)
        to[k] = *words++;
    all->indices = indices;
    for (int64_t n = 0; n < all->count; n++) {
        indices[n].data = (const char *)(uintptr_t)*words++;
        indices[n].kind = *words++;
        indices[n].size = *words++;
        indices[n].step = *words++;
        indices[n].axis = *words++;
        for (int64_t k = 0; k < all->ndim; k++)
            indices[n].strides[k] = *words++;
    }
    return 1;
}

enum { NO_PLACES, NOTHING_THERE, SOMETHING }; /* if there is no place, indices are not checked */

static int how_much(const plan *all)
{
    for (int64_t k = 0; k < all->ndim; k++)
        if (!all->shape[k])
            return NO_PLACES;
    for (int64_t k = 0; k < all->inner; k++)
        if (!all->part.shape[k])
            return NOTHING_THERE;
    return SOMETHING;
}

/* A line of elements of an array with one axis, selected by one array of indices. */
typedef struct {
    int64_t itemsize, count, step;    /* of the result or the value */
    const char *indices;
    int64_t kind, size, stride, axis; /* of the array */
    int64_t index_stride;
} line;

/* Read the words of `read_plan`; false where they describe more than a line. */
static int read_line(const int64_t *words, line *one)
{
    if (words[0] != 1 || words[1] != 1 || words[2] != 0)
        return 0;
    *one = (line){.itemsize = words[3],
                  .count = words[4],
                  .step = words[5],
                  .indices = (const char *)(uintptr_t)words[6],
                  .kind = words[7],
                  .size = words[8],
                  .stride = words[9],
                  .axis = words[10],
                  .index_stride = words[11]};
    return 1;
}

/* Move the elements; 1 where an index is out of bounds, without a report of which. */
static int move_one_line(const line *one, int to_base, char *base, char *other)
{
    int64_t buffer[BLOCK];

    for (int64_t start = 0; start < one->count; start += BLOCK) {
        int64_t count = one->count - start < BLOCK ? one->count - start : BLOCK;
        const int64_t *places = numbers(one->kind, one->indices + start * one->index_stride,
                                        one->index_stride, count, buffer);
        if (move_elements(one->itemsize, one->size, one->stride, to_base, base,
                          other + start * one->step, one->step, places, count))
            return 1;
    }
    return 0;
}

static int is_line_inside(const line *one)
{
    int64_t buffer[BLOCK];

    for (int64_t start = 0; start < one->count; start += BLOCK) {
        int64_t count = one->count - start < BLOCK ? one->count - start : BLOCK;
        const int64_t *places = numbers(one->kind, one->indices + start * one->index_stride,
                                        one->index_stride, count, buffer);
        if (!are_inside(places, count, one->size))
            return 0;
    }
    return 1;
}

/* Whether neither the value nor the indices overlap the memory to be written; neither is empty. */
static int is_line_apart(const line *one, const char *base, const char *value)
{
    const char *low, *high, *first, *last;
    int64_t kind = one->kind < 0 ? -one->kind : one->kind;

    extent(base, 1, &one->size, &one->stride, one->itemsize, &low, &high);
    extent(value, 1, &one->count, &one->step, one->itemsize, &first, &last);
    if (first < high && low < last)
        return 0;
    extent(one->indices, 1, &one->count, &one->index_stride, kind, &first, &last);
    return first >= high || low >= last;
}

static int32_t gather_any(const int64_t *words, char *base, char *out, int64_t *fault)
    __attribute__((noinline));
static int32_t scatter_any(const int64_t *words, char *base, char *value, int64_t *fault)
    __attribute__((noinline));

int32_t cutaway_gather(const int64_t *words, char *base, char *out, int64_t *fault)
{
    line one;

    if (read_line(words, &one) && !move_one_line(&one, 0, base, out))
        return 0;
    return gather_any(words, base, out, fault);
}

int32_t cutaway_scatter(const int64_t *words, char *base, char *value, int64_t *fault)
{
    line one;

    if (read_line(words, &one) && one.count && one.size && is_line_inside(&one) &&
        is_line_apart(&one, base, value)) {
        move_one_line(&one, 1, base, value);
        return 0;
    }
    return scatter_any(words, base, value, fault);
}

static int32_t gather_any(const int64_t *words, char *base, char *out, int64_t *fault)
{
    index_array indices[MAX_NDIM];
    plan all;
    int found;

    if (!read_plan(words, &all, indices, 0))
        return 3;
    found = how_much(&all);
    if (found == NO_PLACES)
        return 0;
    if (found == NOTHING_THERE)
        return check(&all, fault);
    merge(&all.part);
    if (!gather_all(&all, base, out))
        return 0;
    return check(&all, fault); /* finds the first one, axis by axis */
}

/* Copy the operands that overlap the memory to be written; false if memory is exhausted. */
static int set_apart(plan *all, const char *base, char **value, void **memory)
{
    const char *low, *high, *first, *last;
    int64_t shape[2 * MAX_NDIM], strides[2 * MAX_NDIM], ndim = all->ndim + all->inner;

    extent(base, all->inner, all->part.shape, all->part.to, all->itemsize, &low, &high);
    for (int64_t n = 0; n < all->count; n++) {
        int64_t reach = (all->indices[n].size - 1) * all->indices[n].step;
        *(reach < 0 ? &low : &high) += reach;
    }
    memcpy(shape, all->shape, (size_t)all->ndim * 8);
    memcpy(shape + all->ndim, all->part.shape, (size_t)all->inner * 8);
    memcpy(strides, all->strides, (size_t)all->ndim * 8);
    memcpy(strides + all->ndim, all->part.from, (size_t)all->inner * 8);
    extent(*value, ndim, shape, strides, all->itemsize, &first, &last);
    if (ndim <= MAX_NDIM && first < high && low < last) {
        *value = *memory++ = copied(*value, ndim, shape, strides, all->itemsize);
        if (!*value)
            return 0;
        memcpy(all->strides, strides, (size_t)all->ndim * 8);
        memcpy(all->part.from, strides + all->ndim, (size_t)all->inner * 8);
    }
    for (int64_t n = 0; n < all->count; n++) {
        index_array *index = &all->indices[n];
        int64_t size = index->kind < 0 ? -index->kind : index->kind;
        extent(index->data, all->ndim, all->shape, index->strides, size, &first, &last);
        if (first < high && low < last) {
            index->data = *memory++ =
                copied(index->data, all->ndim, all->shape, index->strides, size);
            if (!index->data)
                return 0;
        }
    }
    return 1;
}

static int32_t scatter_any(const int64_t *words, char *base, char *value, int64_t *fault)
{
    index_array indices[MAX_NDIM];
    void *memory[MAX_NDIM + 2] = {NULL};
    int64_t starts[MAX_NDIM] = {0};
    plan all;
    int found;
    int32_t status = 0;

    if (!read_plan(words, &all, indices, 1))
        return 3;
    found = how_much(&all);
    if (found == NO_PLACES)
        return 0;
    if (check(&all, fault))
        return 1;
    if (found == NOTHING_THERE)
        return 0;
    if (set_apart(&all, base, &value, memory)) {
        merge(&all.part);
        move_axis(&all, 1, 0, base, value, starts);
    } else {
        status = 2;
    }
    for (void **one = memory; *one; one++)
        free(*one);
    return status;
}

int32_t cutaway_check_indices(const int64_t *words, int64_t *fault)
{
    index_array indices[MAX_NDIM];
    plan all;

    if (!read_plan(words, &all, indices, 0))
        return 3;
    return how_much(&all) == NO_PLACES ? 0 : check(&all, fault);
}
