/* Arrays of random numbers: of one distribution, whose parameters may be arrays as well, and of
   integers between bounds. */

#include "half.h"
#include "random_sources.h"

#include <math.h>
#include <string.h>

/* --- rules for parameters -------------------------------------------------------------------- */

/* The largest mean of a Poisson distribution, as computed by NumPy. */
#define LARGEST_MEAN ((double)INT64_MAX - sqrt((double)INT64_MAX) * 10)

/* Whether parameters break a rule, on the first of them, or on that and the following ones.

   `library/random/table.py` has the same rules for LLVM, with their errors. */
static int breaks(char rule, const long double *v)
{
    double high = (double)v[1], low = (double)v[0];

    switch (rule) {
    case 'N': return signbit(v[0]) && !isnan(v[0]);
    case 'P': return v[0] <= 0;
    case 'X': return isnan(v[0]);
    case 'B': return !(v[0] >= 0 && v[0] <= 1);
    case 'G': return !(v[0] > 0 && v[0] <= 1);
    case 'T': return !(v[0] >= 0 && v[0] < 1);
    case 'O': return !(v[0] > 1);
    case 'S': return v[0] < 1;
    case 'Z': return !(v[0] >= 0);
    case 'L': return !(v[0] <= LARGEST_MEAN);
    case 'K': return (1 - high) / high * (low + 10 * sqrt(low)) > LARGEST_MEAN;
    case 'A': return v[0] > v[1];
    case 'E': return v[0] == v[2];
    case 'R': return !isfinite(high - low);
    case 'D': return signbit(high - low) && !isnan(high - low);
    case 'M': return v[0] >= 1000000000 || v[1] >= 1000000000;
    case 'Y': return v[0] + v[1] < v[2];
    }
    return 1;
}

/* --- filling arrays -------------------------------------------------------------------------- */

#define MOST_PARAMETERS 3
#define MOST_DIMENSIONS 64 /* of NumPy's arrays */

/* The parameters of the elements of an array, in sequence in C order. */
typedef struct {
    int ndim, count;
    const int64_t *shape;
    int64_t index[MOST_DIMENSIONS];
    struct {
        const char *at;
        int letter;
        const int64_t *steps;
    } of[MOST_PARAMETERS];
} walk;

/* The letters of scalars, as opposed to elements of arrays. */
#define A_REAL 'D'
#define A_COUNT 'K'

/* Read the table: dimensions, sizes, the number of parameters, and for each its address, NumPy's
   letter for its type, and its strides in bytes. */
static void start_walk(walk *w, const int64_t *table)
{
    w->ndim = (int)*table++;
    w->shape = table;
    table += w->ndim;
    w->count = (int)*table++;
    for (int k = 0; k < w->count; k++) {
        w->of[k].at = (const char *)(uintptr_t)*table++;
        w->of[k].letter = (int)*table++;
        w->of[k].steps = table;
        table += w->ndim;
    }
    memset(w->index, 0, sizeof(*w->index) * (size_t)(w->ndim ? w->ndim : 1));
}

static int64_t elements_of(const walk *w)
{
    int64_t count = 1;

    for (int k = 0; k < w->ndim; k++)
        count *= w->shape[k];
    return count;
}

static inline void advance(walk *w)
{
    for (int axis = w->ndim - 1; axis >= 0; axis--) {
        int is_inside = ++w->index[axis] < w->shape[axis];

        for (int k = 0; k < w->count; k++)
            w->of[k].at += is_inside ? w->of[k].steps[axis]
                                     : -w->of[k].steps[axis] * (w->shape[axis] - 1);
        if (is_inside)
            return;
        w->index[axis] = 0;
    }
}

static int is_constant(const walk *w)
{
    for (int k = 0; k < w->count; k++)
        for (int axis = 0; axis < w->ndim; axis++)
            if (w->of[k].steps[axis] && w->shape[axis] != 1)
                return 0;
    return 1;
}

static int has_arrays(const walk *w)
{
    for (int k = 0; k < w->count; k++)
        if (w->of[k].letter != A_REAL && w->of[k].letter != A_COUNT)
            return 1;
    return 0;
}

#define READ(letter, type)                                                                       \
    case letter: {                                                                               \
        type value;                                                                              \
        memcpy(&value, at, sizeof(value));                                                       \
        return (value_type)value;                                                                \
    }
#define READ_INTEGERS                                                                            \
    READ('?', uint8_t) READ('b', int8_t) READ('B', uint8_t) READ('h', int16_t)                   \
    READ('H', uint16_t) READ('i', int32_t) READ('I', uint32_t) READ('l', int64_t)                \
    READ('L', uint64_t)

static double read_real(int letter, const char *at)
{
    typedef double value_type;
    uint16_t half;

    switch (letter) {
        READ_INTEGERS READ('f', float) READ('d', double) READ(A_REAL, double)
    case 'e': memcpy(&half, at, sizeof(half)); return (double)single_of_half(half);
    }
    return NAN;
}

static int64_t read_count(int letter, const char *at)
{
    typedef int64_t value_type;

    switch (letter) {
        READ_INTEGERS READ(A_COUNT, int64_t)
    }
    return 0;
}

static inline int takes_count(enum kind kind, int place)
{
    return kind == L_LLL || kind == L_L || (kind == L_LD && place == 0);
}

static inline void read_all(const walk *w, enum kind kind, number *with)
{
    for (int k = 0; k < w->count; k++)
        if (takes_count(kind, k))
            with[k].l = read_count(w->of[k].letter, w->of[k].at);
        else
            with[k].d = read_real(w->of[k].letter, w->of[k].at);
}

/* The place, from 1, of the first rule that the parameters of some element break; 0: none is
   broken.

   A rule is a letter and the place of its first parameter. */
static int32_t first_broken(const walk *start, enum kind kind, const char *rules, int64_t count)
{
    number with[MOST_PARAMETERS];
    long double values[MOST_PARAMETERS + 2] = {0}; /* `breaks` may read the two behind */

    if (!has_arrays(start) || (count && is_constant(start)))
        count = 1;
    for (int32_t k = 0; rules[2 * k]; k++) {
        walk w = *start;

        for (int64_t n = 0; n < count; n++, advance(&w)) {
            read_all(&w, kind, with);
            for (int p = 0; p < w.count; p++)
                values[p] = takes_count(kind, p) ? (long double)with[p].l : (long double)with[p].d;
            if (breaks(rules[2 * k], values + (rules[2 * k + 1] - '0')))
                return k + 1;
        }
    }
    return 0;
}

static inline void put(char *out, int letter, int64_t k, number made)
{
    float single = (float)made.d;

    if (letter == 'f')
        memcpy(out + k * 4, &single, 4);
    else
        memcpy(out + k * 8, &made, 8);
}

static void fill_constant(const draw *of, void *state, char *out, int letter, int64_t count,
                          const number *with)
{
    if (of->kind == FILL_D && letter == 'd')
        AS(void, void *, npy_intp, double *)(state, count, (double *)out);
    else if (of->kind == FILL_F && letter == 'f')
        AS(void, void *, npy_intp, float *)(state, count, (float *)out);
    else
        for (int64_t k = 0; k < count; k++)
            put(out, letter, k, draw_one(of, state, with));
}

/* Draw all elements of an array in C order; `letter` is that of its elements.  Returns the result
   of `first_broken`; if that is not 0, nothing is drawn. */
int32_t fill_array(const draw *of, uintptr_t owner, char *out, int64_t letter,
                    const int64_t *table, const char *rules)
{
    source from = source_of(of, owner);
    number with[MOST_PARAMETERS] = {{0}};
    int64_t count;
    int32_t broken;
    turn mine;
    walk w;

    start_walk(&w, table);
    count = elements_of(&w);
    broken = first_broken(&w, of->kind, rules, count);
    if (broken || count <= 0)
        return broken;
    begin_many(&from, &mine);
    if (is_constant(&w)) {
        read_all(&w, of->kind, with);
        fill_constant(of, state_for(of, &from), out, (int)letter, count, with);
    } else {
        for (int64_t k = 0; k < count; k++, advance(&w)) {
            read_all(&w, of->kind, with);
            put(out, (int)letter, k, draw_one(of, state_for(of, &from), with));
        }
    }
    end_many(&mine);
    return 0;
}

/* --- integers between bounds ----------------------------------------------------------------- */

#define EACH_WIDTH(DO) DO(0, npy_bool) DO(1, uint8_t) DO(2, uint16_t) DO(4, uint32_t)

bounded_functions numpy_bounded;

/* Draw `count` integers from `low` to `low + range`, both included. */
void fill_bounded(const draw *of, uintptr_t owner, char *out, int64_t count, uint64_t low,
                         uint64_t range)
{
    source from = source_of(of, owner);
    bool masked = of->is_frozen;
    turn mine;

    begin_many(&from, &mine);
    switch (of->letter) {
#define FILL(bytes, type)                                                                        \
    case bytes:                                                                                  \
        AS(void, bitgen_t *, type, type, npy_intp, bool, type *)                                 \
        (bits_of(&from), (type)low, (type)range, count, masked, (type *)out);                    \
        break;
        EACH_WIDTH(FILL)
        FILL(8, uint64_t)
    }
    end_many(&mine);
}

/* A mask of all bits up to the highest of a number. */
static uint64_t mask_of(uint64_t n)
{
    for (int k = 1; k < 64; k *= 2)
        n |= n >> k;
    return n;
}

/* The same with bounds for each element. */
void fill_each_bounded(const draw *of, uintptr_t owner, char *out, int64_t count,
                              const uint64_t *low, const uint64_t *range)
{
    source from = source_of(of, owner);
    bool masked = of->is_frozen;
    uint32_t buffer = 0;
    int left = 0;
    turn mine;

    begin_many(&from, &mine);
    for (int64_t k = 0; k < count; k++) {
        uint64_t mask = masked ? mask_of(range[k]) : 0;

        switch (of->letter) {
#define DRAW(bytes, type)                                                                        \
    case bytes:                                                                                  \
        ((type *)out)[k] =                                                                       \
            ((type(*)(bitgen_t *, type, type, type, bool, int *, uint32_t *))                    \
                 numpy_bounded.narrow[bytes])(bits_of(&from), (type)low[k], (type)range[k],      \
                                              (type)mask, masked, &left, &buffer);               \
        break;
            EACH_WIDTH(DRAW)
        case 8:
            ((uint64_t *)out)[k] =
                numpy_bounded.wide(bits_of(&from), low[k], range[k], mask, masked);
            break;
        }
    }
    end_many(&mine);
}

/* --- permutations ---------------------------------------------------------------------------- */

#define LARGEST_ITEM 16

static inline void exchange(char *one, char *other, size_t bytes)
{
    char kept[LARGEST_ITEM];

    for (; bytes > LARGEST_ITEM; bytes -= LARGEST_ITEM) {
        memcpy(kept, one, LARGEST_ITEM);
        memcpy(one, other, LARGEST_ITEM);
        memcpy(other, kept, LARGEST_ITEM);
        one += LARGEST_ITEM, other += LARGEST_ITEM;
    }
    memcpy(kept, one, bytes);
    memcpy(one, other, bytes);
    memcpy(other, kept, bytes);
}

/* Exchange each item, from the last one on, with one at or before its place (Fisher, Yates). */
void shuffle_items(const draw *of, uintptr_t owner, char *items, int64_t count, int64_t step,
                   int64_t bytes)
{
    source from = source_of(of, owner);
    turn mine;

    begin_many(&from, &mine);
    for (int64_t k = count - 1; k > 0; k--) {
        int64_t other = (int64_t)numpy_bounded.interval(bits_of(&from), (uint64_t)k);

        if (bytes == 8)
            exchange(items + k * step, items + other * step, 8);
        else
            exchange(items + k * step, items + other * step, (size_t)bytes);
    }
    end_many(&mine);
}
