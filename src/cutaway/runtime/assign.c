/* Copying one array into another with broadcasting; see numeric.h. */

#include <stdlib.h>
#include <string.h>

#include "numeric.h"

#define MAX_NDIM 64

/* The bytes that an array's elements lie in: from low up to, not including, high. */
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

/* Copy a line of elements of a size that is known here, so that one is a load and a store. */
#define COPY_LINE(bytes) \
    for (int64_t i = 0; i < count; i++) \
        memcpy(target + i * to, source + i * from, bytes)

static void copy_line(int64_t count, int64_t itemsize, char *target, int64_t to,
                      const char *source, int64_t from)
{
    if (to == itemsize && from == itemsize) {
        memcpy(target, source, (size_t)(count * itemsize));
        return;
    }
    switch (itemsize) {
    case 1: COPY_LINE(1); break;
    case 2: COPY_LINE(2); break;
    case 4: COPY_LINE(4); break;
    case 8: COPY_LINE(8); break;
    case 16: COPY_LINE(16); break;
    default: COPY_LINE((size_t)itemsize);
    }
}

/* Copy the rectangle `shape`; both sides already have the same number of dimensions. */
static void copy(int64_t ndim, const int64_t *shape, int64_t itemsize, char *target,
                 const int64_t *to, const char *source, const int64_t *from)
{
    if (ndim == 0) {
        memcpy(target, source, (size_t)itemsize);
        return;
    }
    if (ndim == 1) {
        copy_line(shape[0], itemsize, target, to[0], source, from[0]);
        return;
    }
    for (int64_t i = 0; i < shape[0]; i++)
        copy(ndim - 1, shape + 1, itemsize, target + i * to[0], to + 1, source + i * from[0],
             from + 1);
}

/* The strides with which the source runs over the target's shape; -1 where it does not fit. */
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

static int64_t contiguous(int64_t ndim, const int64_t *shape, int64_t itemsize, int64_t *strides)
{
    int64_t size = itemsize;
    for (int64_t k = ndim - 1; k >= 0; k--) {
        strides[k] = size;
        size *= shape[k];
    }
    return size;
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

    if (target_ndim > MAX_NDIM || broadcast(target_ndim, shape, source_ndim, source_axes, from))
        return 1;
    for (int64_t k = 0; k < target_ndim; k++)
        if (shape[k] == 0)
            return 0;
    if (target == source && !memcmp(to, from, (size_t)target_ndim * sizeof(*to)))
        return 0; /* each element is there already */
    extent(target, target_ndim, shape, to, itemsize, &low, &high);
    extent(source, target_ndim, shape, from, itemsize, &source_low, &source_high);
    if (high <= source_low || source_high <= low) {
        copy(target_ndim, shape, itemsize, target, to, source, from);
        return 0;
    }
    size = contiguous(target_ndim, shape, itemsize, packed);
    copied = malloc((size_t)size);
    if (!copied)
        return 2;
    copy(target_ndim, shape, itemsize, copied, packed, source, from);
    copy(target_ndim, shape, itemsize, target, to, copied, packed);
    free(copied);
    return 0;
}
