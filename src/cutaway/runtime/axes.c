/* The order in which several arrays are gone through side by side; see numeric.h. */

#include "numeric.h"

static int64_t size_of(int64_t number)
{
    return number < 0 ? -number : number;
}

/* Whether the axis at `first` is to stand behind the one at `second`, to be gone through sooner:
   1 yes, 0 no, -1 no array has steps along both.  Where arrays differ the answer is no. */
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

/* The axes by the steps of the arrays, the longest first.  From the last one on, each is put in
   among those behind it; it passes those that say nothing only to pass one behind them. */
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

/* Whether an axis is gone through from its end: no array goes up along it, and one goes down. */
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
