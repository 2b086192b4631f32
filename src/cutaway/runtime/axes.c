/* The axes of arrays: the order in which several arrays are traversed together, and the strides of
   an array in another shape; see numeric.h. */

#include <string.h>

#include "numeric.h"

typedef struct {
    int64_t size, stride;
} axis;

static int64_t size_of(int64_t number)
{
    return number < 0 ? -number : number;
}

/* Whether the axis at `first` belongs inside the one at `second`: 1 yes, 0 no, -1 undecided, if no
   array has steps along both.  Where arrays disagree the result is no. */
static int goes_inside(const int64_t *strides, int64_t ndim, int64_t arrays, int64_t first,
                       int64_t second)
{
    int answer = -1;

    for (int64_t k = 0; k < arrays; k++) {
        int64_t a = size_of(strides[k * ndim + first]), b = size_of(strides[k * ndim + second]);
        if (a == 0 || b == 0)
            continue;
        if (b <= a)
            answer = 0;
        else if (answer < 0)
            answer = 1;
    }
    return answer;
}

/* Sort the axes by the arrays' strides, the longest first: an insertion sort from the last axis on.
   An axis passes those to which its order is undecided only in order to pass one behind them. */
static void sort_axes(int64_t *axes, const int64_t *strides, int64_t ndim, int64_t arrays)
{
    for (int64_t axis = ndim - 2; axis >= 0; axis--) {
        int64_t place = axis;
        for (int64_t k = axis + 1; k < ndim; k++) {
            int answer = goes_inside(strides, ndim, arrays, axis, axes[k]);
            if (answer == 0)
                break;
            if (answer == 1)
                place = k;
        }
        for (int64_t k = axis; k < place; k++)
            axes[k] = axes[k + 1];
        axes[place] = axis;
    }
}

/* Whether an axis is traversed backward: it has a negative stride in some array, a positive in
   none. */
static int goes_down(const int64_t *strides, int64_t ndim, int64_t arrays, int64_t axis)
{
    int down = 0;

    for (int64_t k = 0; k < arrays; k++) {
        if (strides[k * ndim + axis] > 0)
            return 0;
        down |= strides[k * ndim + axis] < 0;
    }
    return down;
}

void cutaway_axis_order(int64_t ndim, int64_t arrays, const int64_t *shape, const int64_t *strides,
                        int64_t *axes)
{
    for (int64_t k = 0; k < ndim; k++)
        axes[k] = k;
    sort_axes(axes, strides, ndim, arrays);
    for (int64_t k = 0; k < ndim; k++)
        if (shape[axes[k]] > 0 && goes_down(strides, ndim, arrays, axes[k]))
            axes[k] = ~axes[k];
}

/* --- other shapes ------------------------------------------------------------------------------ */

/* Whether axes can be merged into one: a step along each is as long as the whole of the next. */
static int go_on(const axis *axes, int64_t first, int64_t end)
{
    for (int64_t k = first; k + 1 < end; k++)
        if (axes[k].stride != axes[k + 1].size * axes[k + 1].stride)
            return 0;
    return 1;
}

int64_t cutaway_without_gaps(int64_t ndim, const int64_t *shape, int64_t itemsize,
                             int64_t *strides)
{
    for (int64_t k = ndim - 1; k >= 0; k--) {
        strides[k] = itemsize;
        itemsize = (int64_t)((uint64_t)itemsize * (uint64_t)shape[k]);
    }
    return itemsize;
}

int32_t cutaway_regroup(int64_t ndim, const int64_t *axes, int64_t wanted, const int64_t *shape,
                        int64_t itemsize, int64_t *strides)
{
    axis old[MAX_NDIM];
    int64_t count = 0, first = 0, from = 0;

    if (ndim == wanted && !memcmp(axes, shape, (size_t)ndim * sizeof(*axes))) {
        memcpy(strides, axes + ndim, (size_t)ndim * sizeof(*axes));
        return 1;
    }
    cutaway_without_gaps(wanted, shape, itemsize, strides);
    for (int64_t k = 0; k < ndim; k++) {
        if (axes[k] == 0 || count == MAX_NDIM)
            return 0;
        if (axes[k] != 1)
            old[count++] = (axis){axes[k], axes[ndim + k]};
    }
    /* Both shapes are divided into the smallest groups of axes with equal numbers of elements. */
    while (first < count) {
        /* A product may wrap around where strides are 0. */
        uint64_t before = (uint64_t)old[first].size, after = from < wanted ? (uint64_t)shape[from] : 1;
        int64_t end = first + 1, to = from + 1, stride;

        while (before != after && (before < after ? end < count : to < wanted))
            if (before < after)
                before *= (uint64_t)old[end++].size;
            else
                after *= (uint64_t)shape[to++];
        if (before != after || !go_on(old, first, end)) {
            cutaway_without_gaps(wanted, shape, itemsize, strides);
            return 0;
        }
        stride = old[end - 1].stride;
        for (int64_t k = to - 1; k >= from; k--) {
            strides[k] = stride;
            stride = (int64_t)((uint64_t)stride * (uint64_t)shape[k]);
        }
        first = end;
        from = to;
    }
    for (; from && from < wanted; from++)
        strides[from] = strides[from - 1]; /* as in NumPy for axes of one element at the end */
    return 1;
}
