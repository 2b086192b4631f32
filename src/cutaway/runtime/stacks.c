/* NumPy's loops over stacks of matrices or of lines.  Compiled code calls a function here once for
   a whole stack; the loop itself does not know the axes of the stack. */

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "cutaway_runtime.h"

#define MAX_OPERANDS 8
#define MAX_NDIM 64
#define BUFFER 8192 /* elements that NumPy copies at a time */

typedef void (*ufunc_loop)(char **args, const int64_t *sizes, const int64_t *steps, void *data);
typedef void (*dot_loop)(const char *a, int64_t a_step, const char *b, int64_t b_step, char *out,
                         int64_t count, void *data);

static int is_empty(int64_t ndim, const int64_t *shape)
{
    for (int64_t k = 0; k < ndim; k++)
        if (shape[k] == 0)
            return 1;
    return 0;
}

/* Advance to the next place of the first axes, the last of them fastest; 0 if there is none. */
static int advance(int64_t axes, int64_t ndim, const int64_t *shape, int64_t *index,
                   int64_t operands, char **places, const int64_t *strides)
{
    for (int64_t axis = axes - 1; axis >= 0; axis--) {
        int64_t moved = ++index[axis] < shape[axis] ? 1 : 1 - shape[axis];

        for (int64_t k = 0; k < operands; k++)
            places[k] += moved * strides[k * ndim + axis];
        if (moved == 1)
            return 1;
        index[axis] = 0;
    }
    return 0;
}

int32_t cutaway_numpy_stack(const cutaway_loop *loop, int64_t operands, char **args, int64_t ndim,
                            const int64_t *outer, int64_t *sizes, int64_t *steps)
{
    const int64_t *shape = outer, *strides = outer + ndim;
    int64_t index[MAX_NDIM] = {0};
    char *places[MAX_OPERANDS], *given[MAX_OPERANDS];
    int raised;

    if (is_empty(ndim, shape))
        return 0;
    memcpy(places, args, (size_t)operands * sizeof(*places));
    sizes[0] = ndim ? shape[ndim - 1] : 1;
    for (int64_t k = 0; k < operands; k++)
        steps[k] = ndim ? strides[k * ndim + ndim - 1] : 0;
    feclearexcept(FE_ALL_EXCEPT);
    do {
        memcpy(given, places, (size_t)operands * sizeof(*given)); /* loops modify these */
        ((ufunc_loop)loop->function)(given, sizes, steps, loop->data);
    } while (advance(ndim - 1, ndim, shape, index, operands, places, strides));
    raised = fetestexcept(FE_INVALID);
    return cutaway_numpy_failed() ? -1 : raised ? 1 : 0;
}

void cutaway_numpy_dots(const cutaway_loop *loop, char **args, int64_t ndim, const int64_t *outer,
                        int64_t count, int64_t a_step, int64_t b_step)
{
    const int64_t *shape = outer, *strides = outer + ndim;
    int64_t index[MAX_NDIM] = {0}, length = ndim ? shape[ndim - 1] : 1, steps[3] = {0};
    char *places[3];

    if (is_empty(ndim, shape))
        return;
    memcpy(places, args, sizeof(places));
    for (int64_t k = 0; ndim && k < 3; k++)
        steps[k] = strides[k * ndim + ndim - 1];
    do
        for (int64_t i = 0; i < length; i++)
            ((dot_loop)loop->function)(places[0] + i * steps[0], a_step, places[1] + i * steps[1],
                                       b_step, places[2] + i * steps[2], count, loop->data);
    while (advance(ndim - 1, ndim, shape, index, 3, places, strides));
}

/* Copy the elements of a run in sequence. */
static void gather(char *to, const char *from, int64_t count, int64_t step, int64_t item)
{
#define COPIED(size)                                                                             \
    case size:                                                                                   \
        for (int64_t k = 0; k < count; k++)                                                      \
            memcpy(to + k * size, from + k * step, size);                                        \
        break
    switch (step == item && count >= 16 ? 0 : item) {
    case 0:
        memcpy(to, from, (size_t)(count * item));
        break;
        COPIED(2);
        COPIED(4);
        COPIED(8);
        COPIED(16);
    default:
        for (int64_t k = 0; k < count; k++)
            memcpy(to + k * item, from + k * step, (size_t)item);
    }
}

static void fold(const cutaway_loop *loop, char *total, const char *from, int64_t count, int64_t step)
{
    char *args[] = {total, (char *)from, total};
    int64_t steps[] = {0, step, 0};

    ((ufunc_loop)loop->function)(args, &count, steps, loop->data);
}

/* An axis with step 0 does not determine the order, and is skipped. */
void cutaway_memory_order(int64_t ndim, int64_t *sizes, int64_t *steps)
{
    int64_t sorted[2][MAX_NDIM], count = 0, first = 0;

    for (int64_t axis = ndim - 1; axis >= 0; axis--) { /* the inner ones first */
        int64_t length = steps[axis] < 0 ? -steps[axis] : steps[axis], place = count;

        if (sizes[axis] == 1)
            continue;
        for (int64_t k = count - 1; length && k >= 0; k--) {
            int64_t other = sorted[1][k] < 0 ? -sorted[1][k] : sorted[1][k];

            if (other && other <= length)
                break;
            if (other)
                place = k;
        }
        for (int64_t row = 0; row < 2; row++) {
            memmove(&sorted[row][place + 1], &sorted[row][place],
                    (size_t)(count - place) * sizeof(**sorted));
            sorted[row][place] = row ? steps[axis] : sizes[axis];
        }
        count++;
    }
    for (; first < ndim - count; first++)
        sizes[first] = 1, steps[first] = 0;
    for (int64_t k = 0; k < count; k++) {
        sizes[first + k] = sorted[0][count - 1 - k];
        steps[first + k] = sorted[1][count - 1 - k];
    }
}

/* The size of the buffer that elements are copied through, and the number of elements after which
   it is never shared: whole inner axes, as many as fit, are buffered together, and several runs of
   these, but none across the end of the next axis. */
static int64_t buffer_size(int64_t ndim, const int64_t *sizes, const int64_t *steps, int64_t *outer)
{
    int64_t core = 1, group = 1, step = 0;

    *outer = 0;
    for (int64_t k = ndim - 1; k >= -1; k--) {
        if (k >= 0 && (sizes[k] == 1 || (group > 1 && steps[k] == group * step))) {
            group *= sizes[k];
            continue;
        }
        if (group > 1 && !*outer) {
            if (core * group <= BUFFER || core == 1)
                core *= group;
            else
                *outer = core * group;
        }
        if (k >= 0)
            group = sizes[k], step = steps[k];
    }
    if (*outer < core)
        *outer = core;
    core *= BUFFER / core ? BUFFER / core : 1;
    return core < *outer ? core : *outer;
}

/* Combine a number with all elements of an array by a loop, in the same runs as NumPy: the elements
   of a run are copied into a buffer, unless they are in one line. */
void cutaway_fold_all(const cutaway_loop *loop, const char *data, int64_t ndim, const int64_t *axes,
                      int64_t item, char *total)
{
    int64_t sizes[MAX_NDIM], steps[MAX_NDIM], index[MAX_NDIM] = {0};
    int64_t position = 0, done = 0, outer, size, limit, last = ndim - 1;
    char *place = (char *)data, *buffer;

    if (is_empty(ndim, axes))
        return;
    memcpy(sizes, axes, (size_t)ndim * sizeof(*sizes));
    memcpy(steps, axes + ndim, (size_t)ndim * sizeof(*steps));
    cutaway_memory_order(ndim, sizes, steps);
    for (; last && (sizes[last - 1] == 1 || steps[last - 1] == sizes[last] * steps[last]); last--) {
        sizes[last - 1] *= sizes[last];
        steps[last - 1] = steps[last];
    }
    size = buffer_size(last + 1, sizes, steps, &outer);
    buffer = last ? malloc((size_t)(size * item)) : NULL;
    limit = buffer ? size : sizes[last]; /* without memory each line is one run */
    do
        for (int64_t k = 0, length = sizes[last]; k < length;) {
            int64_t left = limit - position, count = length - k < left ? length - k : left;
            const char *from = place + k * steps[last];

            k += count;
            if (count == limit) /* the buffer is empty */
                fold(loop, total, from, count, steps[last]);
            else {
                gather(buffer + position * item, from, count, steps[last], item);
                position += count;
                if (position < limit)
                    continue;
                fold(loop, total, buffer, position, item);
            }
            done += limit;
            position = 0;
            if (buffer)
                limit = size < outer - done % outer ? size : outer - done % outer;
        }
    while (advance(last, last + 1, sizes, index, 1, &place, steps));
    free(buffer);
}
