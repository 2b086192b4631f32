/* Random numbers of NumPy's generators, drawn by the functions that NumPy exports.

   A source is a Generator or a RandomState.  Each holds a copy of its bit generator's bitgen_t at a
   place that `learn_layout` has found, so that its address and a number are all that compiled
   code needs; NumPy changes that copy where the bit generator is replaced.

   The state of a source may be used by one thread at a time.  NumPy holds a lock meanwhile, and
   may have released the GIL; so a number is drawn with the GIL held and while nobody has the lock,
   and many numbers without the GIL while we have it. */

#include "cutaway_runtime.h"
#include "half.h"
#include "legacy_random.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#if !defined(_WIN32)
#include <dlfcn.h>
#endif

#include <numpy/npy_common.h>
#include <numpy/random/distributions.h>

static cutaway_runtime_api *runtime;

/* --- where a source has what --------------------------------------------------------------- */

/* In words of eight bytes from the start of the object; 0: not known. */
typedef struct {
    int64_t bits, state, lock;
} source_layout;

static source_layout layouts[2];   /* of a Generator, of a RandomState */
static PyTypeObject *lock_class;   /* of locks that are free where `lock_word` is zero */
static int64_t lock_word;

typedef struct source {
    PyObject *object;
    const source_layout *layout;
} source;

static int64_t *word_of(PyObject *object, int64_t place)
{
    return (int64_t *)object + place;
}

static bitgen_t *bits_of(const source *from)
{
    return (bitgen_t *)word_of(from->object, from->layout->bits);
}

static legacy_state *state_of(const source *from)
{
    return (legacy_state *)word_of(from->object, from->layout->state);
}

static PyObject *lock_of(const source *from)
{
    return *(PyObject **)word_of(from->object, from->layout->lock);
}

/* --- one thread at a time -------------------------------------------------------------------- */

/* Whether nobody has a lock, which the holder of the GIL can tell. */
static int is_free(PyObject *lock)
{
    return lock_word && Py_TYPE(lock) == lock_class && *word_of(lock, lock_word) == 0;
}

/* Wait for a lock.  The wait cannot fail: what a handler of signals raises meanwhile is told
   as Python tells exceptions that nobody can catch. */
static void acquire(PyObject *lock)
{
    PyObject *done;

    while (!(done = PyObject_CallMethod(lock, "acquire", NULL)))
        PyErr_WriteUnraisable(lock);
    Py_DECREF(done);
}

static void release(PyObject *lock)
{
    PyObject *done = PyObject_CallMethod(lock, "release", NULL);

    if (!done)
        PyErr_WriteUnraisable(lock);
    Py_XDECREF(done);
}

typedef struct {
    cutaway_held held;
    PyObject *lock;
    int is_held;
} turn;

static __attribute__((noinline)) void wait_for_turn(const source *from, turn *mine)
{
    PyObject *lock;

    if (runtime->is_gil_released()) {
        mine->held = runtime->hold_gil();
        mine->is_held = 1;
    }
    lock = lock_of(from);
    Py_INCREF(lock);
    while (!is_free(lock)) {
        acquire(lock);
        release(lock);
        if (!lock_word) /* it cannot be asked; whoever takes it now has to wait for the GIL */
            break;
        if (*word_of(lock, lock_word)) /* this very thread has it */
            break;
    }
    Py_DECREF(lock);
}

/* Around the drawing of one number. */
static inline void begin(const source *from, turn *mine)
{
    mine->is_held = 0;
    if (runtime->is_gil_released() || !is_free(lock_of(from)))
        wait_for_turn(from, mine);
}

static inline void end(turn *mine)
{
    if (mine->is_held)
        runtime->end_hold(mine->held);
}

/* Around the drawing of many: without the GIL where compiled code runs so. */
static void begin_many(const source *from, turn *mine)
{
    if (!runtime->is_gil_released()) {
        mine->lock = NULL;
        begin(from, mine);
        return;
    }
    mine->held = runtime->hold_gil();
    mine->lock = lock_of(from);
    Py_INCREF(mine->lock);
    acquire(mine->lock);
    runtime->end_hold(mine->held);
}

static void end_many(turn *mine)
{
    if (!mine->lock) {
        end(mine);
        return;
    }
    mine->held = runtime->hold_gil();
    release(mine->lock);
    Py_DECREF(mine->lock);
    runtime->end_hold(mine->held);
}

/* --- drawing --------------------------------------------------------------------------------- */

/* Kinds of functions, by what they give and take: d a double, f a float, l an int64.  One that
   fills memory, with doubles or floats, draws the same numbers as one that draws each. */
enum kind { D_, D_D, D_DD, D_DDD, L_L, L_D, L_DD, L_LD, L_LLL, F_, F_D, FILL_D, FILL_F, BOUNDED };

typedef struct {
    void *function;
    enum kind kind;
    int is_frozen; /* one of a RandomState's */
    int of_state;  /* the function takes the state of a RandomState, not a bitgen_t */
    int letter;    /* BOUNDED: the bytes of a number, 0 for a bool */
} draw;

typedef union {
    double d;
    int64_t l;
} number;

#define AS(returns, ...) ((returns(*)(__VA_ARGS__))of->function)

/* The constants of the binomial distribution that was drawn from last: they follow from its
   parameters, which are often the same again. */
static _Thread_local binomial_t binomial;

static inline number draw_one(const draw *of, void *state, const number *with)
{
    number made = {.l = 0};
    float single;

    switch (of->kind) {
    case D_: made.d = AS(double, void *)(state); break;
    case D_D: made.d = AS(double, void *, double)(state, with[0].d); break;
    case D_DD: made.d = AS(double, void *, double, double)(state, with[0].d, with[1].d); break;
    case D_DDD:
        made.d = AS(double, void *, double, double, double)(state, with[0].d, with[1].d, with[2].d);
        break;
    case L_L: made.l = AS(int64_t, void *, int64_t)(state, with[0].l); break;
    case L_D: made.l = AS(int64_t, void *, double)(state, with[0].d); break;
    case L_DD: made.l = AS(int64_t, void *, double, double)(state, with[0].d, with[1].d); break;
    case L_LD:
        made.l = AS(int64_t, void *, double, int64_t, binomial_t *)(state, with[1].d, with[0].l,
                                                                    &binomial);
        break;
    case L_LLL:
        made.l = AS(int64_t, void *, int64_t, int64_t, int64_t)(state, with[0].l, with[1].l,
                                                                with[2].l);
        break;
    case F_: made.d = (double)AS(float, void *)(state); break;
    case F_D: made.d = (double)AS(float, void *, float)(state, (float)with[0].d); break;
    case FILL_D: AS(void, void *, npy_intp, double *)(state, 1, &made.d); break;
    case FILL_F:
        AS(void, void *, npy_intp, float *)(state, 1, &single);
        made.d = (double)single;
        break;
    case BOUNDED: break;
    }
    return made;
}

static inline source source_of(const draw *of, uintptr_t owner)
{
    return (source){(PyObject *)(owner & ~(uintptr_t)1), &layouts[of->is_frozen]};
}

static inline void *state_for(const draw *of, const source *from)
{
    return of->of_state ? (void *)state_of(from) : (void *)bits_of(from);
}

static inline number draw_in_turn(const draw *of, uintptr_t owner, const number *with)
{
    source from = source_of(of, owner);
    number made;
    turn mine;

    begin(&from, &mine);
    made = draw_one(of, state_for(of, &from), with);
    end(&mine);
    return made;
}

/* What compiled code calls for one number, with as many parameters as any distribution has. */
static double draw_real(const draw *of, uintptr_t owner, double a, double b, double c)
{
    return draw_in_turn(of, owner, (number[3]){{.d = a}, {.d = b}, {.d = c}}).d;
}

static int64_t draw_count(const draw *of, uintptr_t owner, double a, double b)
{
    return draw_in_turn(of, owner, (number[3]){{.d = a}, {.d = b}}).l;
}

static int64_t draw_of_counts(const draw *of, uintptr_t owner, int64_t a, int64_t b, int64_t c)
{
    return draw_in_turn(of, owner, (number[3]){{.l = a}, {.l = b}, {.l = c}}).l;
}

static int64_t draw_binomial(const draw *of, uintptr_t owner, int64_t n, double p)
{
    return draw_in_turn(of, owner, (number[3]){{.l = n}, {.d = p}}).l;
}

/* --- rules for parameters -------------------------------------------------------------------- */

/* The largest mean that a Poisson distribution may have, as NumPy computes it. */
#define LARGEST_MEAN ((double)INT64_MAX - sqrt((double)INT64_MAX) * 10)

/* Whether parameters break a rule: of the first of them, or of that and those behind it.
   `library/random/rules.py` says the same rules to LLVM, and what their errors are. */
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

/* The parameters of the elements of an array, one after the other in C order. */
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

/* The letters of numbers, which are not elements of arrays. */
#define A_REAL 'D'
#define A_COUNT 'K'

/* The table: dimensions, sizes, how many parameters, and of each its address, NumPy's letter for
   its type, and its steps in bytes. */
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

/* The place, from 1, of the first rule that some element's parameters break; 0: none is broken.
   A rule is a letter and the place of its first parameter. */
static int32_t first_broken(const walk *start, enum kind kind, const char *rules, int64_t count)
{
    number with[MOST_PARAMETERS];
    long double values[MOST_PARAMETERS] = {0};

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

/* Draw all elements of an array that lies in C order; `letter` is that of its elements.  Gives
   what `first_broken` does; then nothing is drawn. */
static int32_t fill(const draw *of, uintptr_t owner, char *out, int64_t letter,
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

/* NumPy's functions for one element of many: 32 random bits are shared by several small ones. */
static struct {
    uint64_t (*wide)(bitgen_t *, uint64_t, uint64_t, uint64_t, bool);
    uint64_t (*interval)(bitgen_t *, uint64_t);
    void *narrow[5]; /* by bytes, 0 for bools */
} shared;

/* `count` integers from `low` to `low + range`, both included. */
static void fill_bounded(const draw *of, uintptr_t owner, char *out, int64_t count, uint64_t low,
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

static int64_t draw_bounded(const draw *of, uintptr_t owner, uint64_t low, uint64_t range)
{
    uint64_t made = 0;

    fill_bounded(of, owner, (char *)&made, 1, low, range);
    return (int64_t)made;
}

/* All bits up to the highest of a number. */
static uint64_t mask_of(uint64_t n)
{
    for (int k = 1; k < 64; k *= 2)
        n |= n >> k;
    return n;
}

/* The same with bounds for each element. */
static void fill_each_bounded(const draw *of, uintptr_t owner, char *out, int64_t count,
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
            ((type(*)(bitgen_t *, type, type, type, bool, int *, uint32_t *))shared              \
                 .narrow[bytes])(bits_of(&from), (type)low[k], (type)range[k], (type)mask,       \
                                 masked, &left, &buffer);                                        \
        break;
            EACH_WIDTH(DRAW)
        case 8:
            ((uint64_t *)out)[k] = shared.wide(bits_of(&from), low[k], range[k], mask, masked);
            break;
        }
    }
    end_many(&mine);
}

/* An integer from 0 to `most`, as both interfaces draw the places of a shuffle. */
static int64_t place(bitgen_t *bits, int64_t most)
{
    return (int64_t)shared.interval(bits, (uint64_t)most);
}

/* As `random_uniform`, of the two ends. */
static double uniform_between(bitgen_t *bits, double low, double high)
{
    double range = high - low;

    return low + range * next_double(bits);
}

/* An integer of as many bits as a long has, but for its sign. */
static int64_t largest_integer(bitgen_t *bits, int64_t unused)
{
    return (int64_t)(bits->next_uint64(bits->state) >> 1);
}

/* --- all distributions, by name -------------------------------------------------------------- */

typedef struct {
    const char *name;
    enum kind kind;
    const char *numpy; /* the function that NumPy exports; else it is ours */
    void *own;
    int of_state, letter;
} row;

#define NUMPYS(name, kind, symbol) {name, kind, symbol, NULL, 0, 0}
#define SAME(name, kind) NUMPYS(#name, kind, "random_" #name)
#define OWN(name, kind, function) {name, kind, NULL, (void *)(function), 0, 0}
#define FROZEN(name, kind) {#name, kind, NULL, (void *)legacy_##name, 1, 0}
#define INTEGERS(name, symbol, bytes) {name, BOUNDED, symbol, NULL, 0, bytes}

static const row shared_rows[] = {
    NUMPYS("random", FILL_D, "random_standard_uniform_fill"),
    OWN("uniform", D_DD, uniform_between),
    SAME(laplace, D_DD), SAME(gumbel, D_DD), SAME(logistic, D_DD), SAME(triangular, D_DDD),
    SAME(poisson, L_D), OWN("place", L_L, place),
    INTEGERS("bounded.b1", "random_bounded_bool_fill", 0),
    INTEGERS("bounded.u1", "random_bounded_uint8_fill", 1),
    INTEGERS("bounded.u2", "random_bounded_uint16_fill", 2),
    INTEGERS("bounded.u4", "random_bounded_uint32_fill", 4),
    INTEGERS("bounded.u8", "random_bounded_uint64_fill", 8),
};

static const row generator_rows[] = {
    NUMPYS("random.single", FILL_F, "random_standard_uniform_fill_f"),
    NUMPYS("standard_normal", FILL_D, "random_standard_normal_fill"),
    NUMPYS("standard_normal.single", FILL_F, "random_standard_normal_fill_f"),
    NUMPYS("standard_exponential", FILL_D, "random_standard_exponential_fill"),
    NUMPYS("standard_exponential.single", FILL_F, "random_standard_exponential_fill_f"),
    NUMPYS("standard_exponential.inverse", FILL_D, "random_standard_exponential_inv_fill"),
    NUMPYS("standard_exponential.inverse.single", FILL_F, "random_standard_exponential_inv_fill_f"),
    NUMPYS("standard_gamma.single", F_D, "random_standard_gamma_f"),
    SAME(standard_gamma, D_D), SAME(standard_cauchy, D_), SAME(standard_t, D_D),
    SAME(normal, D_DD), SAME(lognormal, D_DD), SAME(exponential, D_D), SAME(gamma, D_DD),
    SAME(beta, D_DD), SAME(chisquare, D_D), SAME(noncentral_chisquare, D_DD), SAME(f, D_DD),
    SAME(noncentral_f, D_DDD), SAME(pareto, D_D), SAME(power, D_D), SAME(weibull, D_D),
    SAME(rayleigh, D_D), SAME(wald, D_DD), SAME(vonmises, D_DD), SAME(negative_binomial, L_DD),
    SAME(geometric, L_D), SAME(logseries, L_D), SAME(zipf, L_D), SAME(hypergeometric, L_LLL),
    SAME(binomial, L_LD),
};

static const row frozen_rows[] = {
    FROZEN(standard_normal, D_), FROZEN(standard_exponential, D_), FROZEN(standard_gamma, D_D),
    FROZEN(standard_cauchy, D_), FROZEN(standard_t, D_D), FROZEN(normal, D_DD),
    FROZEN(lognormal, D_DD), FROZEN(exponential, D_D), FROZEN(gamma, D_DD), FROZEN(beta, D_DD),
    FROZEN(chisquare, D_D), FROZEN(noncentral_chisquare, D_DD), FROZEN(f, D_DD),
    FROZEN(noncentral_f, D_DDD), FROZEN(pareto, D_D), FROZEN(power, D_D), FROZEN(weibull, D_D),
    FROZEN(rayleigh, D_D), FROZEN(wald, D_DD), FROZEN(vonmises, D_DD),
    FROZEN(negative_binomial, L_DD), FROZEN(geometric, L_D), FROZEN(logseries, L_D),
    FROZEN(zipf, L_D), FROZEN(hypergeometric, L_LLL),
    OWN("binomial", L_LD, legacy_binomial), OWN("tomaxint", L_L, largest_integer),
};

static const row *row_in(const row *rows, size_t count, const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (!strcmp(rows[k].name, name))
            return &rows[k];
    return NULL;
}

#define ROW_IN(rows, name) row_in(rows, sizeof(rows) / sizeof(*rows), name)

/* --- addresses ------------------------------------------------------------------------------- */

static void *numpy_library; /* the extension of NumPy's that exports its functions */

static void *exported(const char *name)
{
#if defined(_WIN32)
    return NULL;
#else
    return numpy_library ? dlsym(numpy_library, name) : NULL;
#endif
}

static void *caller_of(enum kind kind)
{
    switch (kind) {
    case L_D:
    case L_DD: return (void *)draw_count;
    case L_L:
    case L_LLL: return (void *)draw_of_counts;
    case L_LD: return (void *)draw_binomial;
    case BOUNDED: return (void *)draw_bounded;
    default: return (void *)draw_real;
    }
}

static PyObject *address_of_loop(void *function, void *data)
{
    cutaway_loop *loop = PyMem_RawMalloc(sizeof(cutaway_loop)); /* never freed: code refers to it */

    if (!loop)
        return PyErr_NoMemory();
    loop->function = function;
    loop->data = data;
    return PyLong_FromVoidPtr(loop);
}

static PyObject *distribution(PyObject *module, PyObject *args)
{
    const char *name;
    int is_frozen;
    const row *found;
    void *function;
    draw *made;

    if (!PyArg_ParseTuple(args, "sp", &name, &is_frozen))
        return NULL;
    found = is_frozen ? ROW_IN(frozen_rows, name) : ROW_IN(generator_rows, name);
    if (!found)
        found = ROW_IN(shared_rows, name);
    if (!found || !layouts[is_frozen].bits)
        Py_RETURN_NONE;
    function = found->numpy ? exported(found->numpy) : found->own;
    if (!function)
        Py_RETURN_NONE;
    made = PyMem_RawMalloc(sizeof(draw)); /* never freed, as above */
    if (!made)
        return PyErr_NoMemory();
    *made = (draw){function, found->kind, is_frozen, found->of_state, found->letter};
    return address_of_loop(caller_of(found->kind), made);
}

/* What fills an array: with the numbers of any distribution. */
static PyObject *filler(PyObject *module, PyObject *wanted)
{
    const char *name = PyUnicode_AsUTF8(wanted);

    if (!name)
        return NULL;
    if (!strcmp(name, "fill"))
        return address_of_loop((void *)fill, NULL);
    if (!strcmp(name, "bounded"))
        return address_of_loop((void *)fill_bounded, NULL);
    if (!strcmp(name, "each_bounded"))
        return address_of_loop((void *)fill_each_bounded, NULL);
    Py_RETURN_NONE;
}

/* The object itself, which is there for good. */
static PyObject *kept_source(PyObject *module, PyObject *object)
{
    Py_INCREF(object);
    return address_of_loop(NULL, (void *)((uintptr_t)object | 1));
}

/* --- learning what NumPy's objects look like ------------------------------------------------- */

static int64_t words_in(PyObject *object)
{
    return (int64_t)(Py_TYPE(object)->tp_basicsize / (Py_ssize_t)sizeof(int64_t));
}

#define WORDS(type) ((int64_t)(sizeof(type) / sizeof(int64_t)))
#define FIRST_WORD WORDS(PyObject)

/* The first place of some words in an object; 0: nowhere. */
static int64_t place_of(PyObject *object, const void *words, int64_t count)
{
    for (int64_t k = FIRST_WORD; k + count <= words_in(object); k++)
        if (!memcmp(word_of(object, k), words, (size_t)count * sizeof(int64_t)))
            return k;
    return 0;
}

/* learn_layout(source, is_frozen, capsule, lock): find a copy of the capsule's bitgen_t, the lock,
   and of a RandomState what points to the copy. */
static PyObject *learn_layout(PyObject *module, PyObject *args)
{
    PyObject *object, *capsule, *lock;
    source_layout found = {0}, *known;
    int is_frozen;
    bitgen_t *bits, *copy;

    if (!PyArg_ParseTuple(args, "OpOO", &object, &is_frozen, &capsule, &lock))
        return NULL;
    bits = PyCapsule_GetPointer(capsule, "BitGenerator");
    if (!bits)
        return NULL;
    known = &layouts[is_frozen];
    found.bits = place_of(object, bits, WORDS(bitgen_t));
    found.lock = place_of(object, &lock, 1);
    copy = (bitgen_t *)word_of(object, found.bits);
    if (is_frozen)
        found.state = place_of(object, &copy, 1);
    if (!found.bits || !found.lock || (is_frozen && !found.state) ||
        (found.state && found.state + WORDS(legacy_state) > words_in(object)))
        Py_RETURN_FALSE;
    if (known->bits && memcmp(known, &found, sizeof(found)))
        memset(known, 0, sizeof(*known)); /* two objects differ: nothing is known */
    else
        *known = found;
    return PyBool_FromLong(known->bits != 0);
}

/* pending_normal(state) -> the second of a pair of normal numbers, or None, as it is read here. */
static PyObject *pending_normal(PyObject *module, PyObject *object)
{
    source from = {object, &layouts[1]};

    if (!layouts[1].state)
        Py_RETURN_NONE;
    if (!state_of(&from)->has_gauss)
        Py_RETURN_NONE;
    return PyFloat_FromDouble(state_of(&from)->gauss);
}

/* learn_lock(lock): find a word that is zero unless somebody has a lock of this class. */
static PyObject *learn_lock(PyObject *module, PyObject *lock)
{
    int64_t free_words[16], count = words_in(lock), found = 0;

    if (count > 16)
        Py_RETURN_FALSE;
    memcpy(free_words, lock, (size_t)count * sizeof(int64_t));
    acquire(lock);
    for (int64_t k = FIRST_WORD; k < count && !found; k++)
        if (free_words[k] == 0 && *word_of(lock, k) != 0)
            found = k;
    release(lock);
    if (!found || *word_of(lock, found) != 0)
        Py_RETURN_FALSE;
    lock_word = found;
    lock_class = Py_TYPE(lock);
    Py_INCREF(lock_class);
    Py_RETURN_TRUE;
}

/* open_library(path): the extension whose functions are called; it is loaded already. */
static PyObject *open_library(PyObject *module, PyObject *path)
{
#if !defined(_WIN32)
    PyObject *bytes = PyUnicode_EncodeFSDefault(path);

    if (!bytes)
        return NULL;
    numpy_library = dlopen(PyBytes_AS_STRING(bytes), RTLD_LAZY | RTLD_NOLOAD);
    Py_DECREF(bytes);
    legacy_numpy.loggam = (double (*)(double))exported("random_loggam");
    legacy_numpy.poisson = (int64_t(*)(bitgen_t *, double))exported("random_poisson");
    legacy_numpy.geometric_search =
        (int64_t(*)(bitgen_t *, double))exported("random_geometric_search");
    legacy_numpy.few_trials = (int64_t(*)(bitgen_t *, int64_t, double, void *))exported(
        "random_binomial_inversion");
    legacy_numpy.many_trials =
        (int64_t(*)(bitgen_t *, int64_t, double, void *))exported("random_binomial_btpe");
    shared.wide = (uint64_t(*)(bitgen_t *, uint64_t, uint64_t, uint64_t, bool))exported(
        "random_bounded_uint64");
    shared.interval = (uint64_t(*)(bitgen_t *, uint64_t))exported("random_interval");
    shared.narrow[0] = exported("random_buffered_bounded_bool");
    shared.narrow[1] = exported("random_buffered_bounded_uint8");
    shared.narrow[2] = exported("random_buffered_bounded_uint16");
    shared.narrow[4] = exported("random_buffered_bounded_uint32");
#endif
    return PyBool_FromLong(legacy_numpy.loggam && legacy_numpy.poisson &&
                           legacy_numpy.geometric_search && legacy_numpy.few_trials &&
                           legacy_numpy.many_trials && shared.wide && shared.interval &&
                           shared.narrow[0] && shared.narrow[1] && shared.narrow[2] &&
                           shared.narrow[4]);
}

/* --- the module ------------------------------------------------------------------------------ */

static PyMethodDef methods[] = {
    {"open_library", open_library, METH_O,
     "open_library(path): call the functions of this extension; whether it has what is needed."},
    {"learn_layout", learn_layout, METH_VARARGS,
     "learn_layout(source, is_frozen, capsule, lock): whether all of it was found in the object."},
    {"learn_lock", learn_lock, METH_O,
     "learn_lock(lock): whether it can be seen in the object that somebody has the lock."},
    {"pending_normal", pending_normal, METH_O,
     "pending_normal(state): the second number of a pair that a RandomState keeps, or None."},
    {"distribution", distribution, METH_VARARGS,
     "distribution(name, is_frozen): the address of what draws one number, or None."},
    {"filler", filler, METH_O, "filler(name): the address of what fills arrays, or None."},
    {"kept_source", kept_source, METH_O,
     "kept_source(object): an address where compiled code finds an object, kept for good."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "cutaway.runtime._numpy_random",
    .m_doc = "Random numbers of NumPy's generators, for compiled code.",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__numpy_random(void)
{
    PyObject *module = PyModule_Create(&module_definition);

    if (!module)
        return NULL;
    runtime = PyCapsule_Import(CUTAWAY_RUNTIME_CAPSULE, 0);
    if (!runtime)
        Py_CLEAR(module);
    return module;
}
