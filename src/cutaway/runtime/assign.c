/* Copying one array into another with broadcasting; see numeric.h. */

#include <stdlib.h>
#include <string.h>

#include "numeric.h"

/* The range of bytes that the elements of an array occupy: from low up to, but excluding, high. */
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

/* One axis of a copy: its size, and the strides of both sides. */
typedef struct {
    int64_t size, to, from;
} axis;

/* The axes of a copy in the best order of traversal: without axes of size one, forward and
   outermost first in the order of the target's memory, with contiguous axes merged.  Returns their
   number. */
static int64_t in_order_of_memory(int64_t ndim, const int64_t *shape, const int64_t *to,
                                  const int64_t *from, char **target, const char **source,
                                  axis *axes)
{
    int64_t count = 0, last = 0;

    for (int64_t k = 0; k < ndim; k++) {
        axis one = {shape[k], to[k], from[k]};
        int64_t place = count;

        if (one.size == 1)
            continue;
        if (one.to < 0) {
            *target += (one.size - 1) * one.to;
            *source += (one.size - 1) * one.from;
            one.to = -one.to;
            one.from = -one.from;
        }
        for (; place && axes[place - 1].to < one.to; place--)
            axes[place] = axes[place - 1];
        axes[place] = one;
        count++;
    }
    for (int64_t k = 1; k < count; k++) {
        axis one = axes[k], *before = &axes[last];

        if (before->to == one.size * one.to && before->from == one.size * one.from) {
            one.size *= before->size;
            *before = one;
        } else {
            axes[++last] = one;
        }
    }
    return count ? last + 1 : 0;
}

/* Copy a table of elements whose size is a constant, so that a copy is one load and one store. */
#define COPY_TABLE(bytes) \
    for (int64_t i = 0; i < row.size; i++) \
        for (int64_t k = 0; k < column.size; k++) \
            memcpy(target + i * row.to + k * column.to, \
                   source + i * row.from + k * column.from, bytes)

static void copy_table(axis row, axis column, int64_t itemsize, char *target, const char *source)
{
    switch (itemsize) {
    case 1: COPY_TABLE(1); break;
    case 2: COPY_TABLE(2); break;
    case 4: COPY_TABLE(4); break;
    case 8: COPY_TABLE(8); break;
    case 16: COPY_TABLE(16); break;
    default: COPY_TABLE((size_t)itemsize);
    }
}

/* The side of a tile of a table that is transposed in the source: each of its cache lines is read
   completely while it is in the cache. */
#define TILE 32

static void copy_across(axis row, axis column, int64_t itemsize, char *target, const char *source)
{
    for (int64_t i = 0; i < row.size; i += TILE)
        for (int64_t k = 0; k < column.size; k += TILE) {
            axis rows = row, columns = column;

            rows.size = row.size - i < TILE ? row.size - i : TILE;
            columns.size = column.size - k < TILE ? column.size - k : TILE;
            copy_table(rows, columns, itemsize, target + i * row.to + k * column.to,
                       source + i * row.from + k * column.from);
        }
}

/* Fill a line with one element: fill a part of it, then copy that part to the rest. */
#define FILLED_PART 4096

static void fill_line(int64_t bytes, int64_t itemsize, char *target, const char *source)
{
    int64_t part = FILLED_PART / itemsize * itemsize;
    axis none = {1, 0, 0}, line = {0, itemsize, 0};

    if (!part || bytes < part)
        part = bytes;
    line.size = part / itemsize;
    copy_table(none, line, itemsize, target, source);
    for (int64_t done = part; done < bytes; done += part)
        memcpy(target + done, target, (size_t)(bytes - done < part ? bytes - done : part));
}

/* For lines of fewer bytes a call of memcpy is not worthwhile. */
#define SHORT_LINE 64

/* Copy along the last two axes, of which the first may have size one. */
static void copy_lines(axis row, axis column, int64_t itemsize, char *target, const char *source)
{
    int64_t bytes = column.size * itemsize, across = row.from < 0 ? -row.from : row.from;
    int is_plain = column.to == itemsize && column.from == itemsize;

    if (is_plain && (bytes >= SHORT_LINE || row.size == 1))
        for (int64_t i = 0; i < row.size; i++)
            memcpy(target + i * row.to, source + i * row.from, (size_t)bytes);
    else if (column.to == itemsize && column.from == 0 && bytes >= SHORT_LINE)
        for (int64_t i = 0; i < row.size; i++)
            fill_line(bytes, itemsize, target + i * row.to, source + i * row.from);
    else if (row.size > 1 && across && across < (column.from < 0 ? -column.from : column.from))
        copy_across(row, column, itemsize, target, source);
    else
        copy_table(row, column, itemsize, target, source);
}

static void copy_axes(int64_t count, const axis *axes, int64_t itemsize, char *target,
                      const char *source)
{
    if (count == 2) {
        copy_lines(axes[0], axes[1], itemsize, target, source);
        return;
    }
    for (int64_t i = 0; i < axes->size; i++)
        copy_axes(count - 1, axes + 1, itemsize, target + i * axes->to, source + i * axes->from);
}

/* Copy the rectangle `shape`; both sides already have the same number of dimensions. */
static void copy(int64_t ndim, const int64_t *shape, int64_t itemsize, char *target,
                 const int64_t *to, const char *source, const int64_t *from)
{
    axis axes[MAX_NDIM], one = {1, itemsize, itemsize};
    int64_t count = in_order_of_memory(ndim, shape, to, from, &target, &source, axes);

    if (count < 2)
        copy_lines(one, count ? axes[0] : one, itemsize, target, source);
    else
        copy_axes(count, axes, itemsize, target, source);
}

/* The strides that broadcast the source to the target's shape; -1 where the shapes do not fit. */
static int broadcast(int64_t ndim, const int64_t *shape, int64_t source_ndim,
                     const int64_t *source_axes, int64_t *strides)
{
    int64_t missing = ndim - source_ndim;

    for (int64_t k = 0; k < ndim; k++) {
        int64_t size = k < missing ? 1 : source_axes[k - missing];
        if (size != shape[k] && size != 1)
            return -1;
        strides[k] = size == 1 ? 0 : source_axes[source_ndim + k - missing];
        if (shape[k] == 1 && k >= missing)
            strides[k] = source_axes[source_ndim + k - missing];
    }
    return 0;
}

int32_t cutaway_assign(int64_t itemsize, char *target, int64_t target_ndim,
                       const int64_t *target_axes, const char *source, int64_t source_ndim,
                       const int64_t *source_axes)
{
    const int64_t *shape = target_axes, *to = target_axes + target_ndim;
    int64_t from[MAX_NDIM], packed[MAX_NDIM];
    const char *low, *high, *source_low, *source_high;
    char *copied;
    int64_t size;

    from[0] = 0; /* for compilers, which cannot prove that it is written where there is an axis */
    if (target_ndim > MAX_NDIM || broadcast(target_ndim, shape, source_ndim, source_axes, from))
        return 1;
    for (int64_t k = 0; k < target_ndim; k++)
        if (shape[k] == 0)
            return 0;
    if (target == source && !memcmp(to, from, (size_t)target_ndim * sizeof(*to)))
        return 0; /* each element is in place already */
    extent(target, target_ndim, shape, to, itemsize, &low, &high);
    extent(source, target_ndim, shape, from, itemsize, &source_low, &source_high);
    if (high <= source_low || source_high <= low) {
        copy(target_ndim, shape, itemsize, target, to, source, from);
        return 0;
    }
    size = cutaway_without_gaps(target_ndim, shape, itemsize, packed);
    copied = malloc((size_t)size);
    if (!copied)
        return 2;
    copy(target_ndim, shape, itemsize, copied, packed, source, from);
    copy(target_ndim, shape, itemsize, target, to, copied, packed);
    free(copied);
    return 0;
}
