/* The sources of random numbers, and the functions that draw from them.

   A source is a Generator or a RandomState.  Each holds a copy of its bit generator's bitgen_t at
   an offset that `learn_layout` has found, so that compiled code needs only its address and a
   number; NumPy updates that copy when the bit generator is replaced. */

#ifndef CUTAWAY_RANDOM_SOURCES_H
#define CUTAWAY_RANDOM_SOURCES_H

#include "compat.h"
#include "cutaway_runtime.h"
#include "legacy_random.h"

#include <stdbool.h>
#include <numpy/npy_common.h>
#include <numpy/random/distributions.h>

extern cutaway_runtime_api *cutaway_runtime;

/* --- the layout of a source ------------------------------------------------------------------ */

/* Offsets from the start of the object in words of eight bytes; 0: unknown. */
typedef struct {
    int64_t bits, state, lock;
} source_layout;

extern source_layout source_layouts[2]; /* of a Generator, of a RandomState */

/* The stream of an iteration of a parallel loop: see random_streams.c. */
typedef struct {
    bitgen_t bits;
    legacy_state legacy;
    uint64_t key[2], counter[4], numbers[4];
    int taken; /* how many of the four numbers are used */
    int has_half, is_begun;
    uint32_t half;
} random_stream;

/* A thread that runs iterations that draw. */
typedef struct random_worker {
    struct random_worker *outer; /* the loop around this one */
    const int64_t *table;
    int64_t place[3]; /* the values of the loop's variables */
    random_stream streams[];
} random_worker;

#define RANDOM_WORKER_BYTES 64
#define RANDOM_STREAM_BYTES 256

/* NULL outside of such loops; checked for each number that is drawn. */
extern _Thread_local random_worker *random_me __attribute__((tls_model("initial-exec")));

random_stream *stream_of(PyObject *object); /* NULL: the loop has none for it */
void *stream_function(const char *name);

typedef struct {
    PyObject *object;
    const source_layout *layout;
    random_stream *stream; /* the stream that replaces it, or NULL */
} source;

static inline int64_t *word_of(PyObject *object, int64_t place)
{
    return (int64_t *)object + place;
}

static inline bitgen_t *bits_of(const source *from)
{
    if (from->stream)
        return &from->stream->bits;
    return (bitgen_t *)word_of(from->object, from->layout->bits);
}

static inline legacy_state *state_of(const source *from)
{
    if (from->stream)
        return &from->stream->legacy;
    return (legacy_state *)word_of(from->object, from->layout->state);
}

/* --- one thread at a time -------------------------------------------------------------------- */

/* The state of a source may be used by one thread at a time.  NumPy holds a lock meanwhile, and may
   have released the GIL; so a number is drawn with the GIL while the lock is free, and many
   numbers, where compiled code runs without the GIL, with the lock held.  A stream of an iteration
   belongs to its thread. In a free-threaded build the lock is held for a single number, too. */
typedef struct {
    cutaway_held held;
    PyObject *lock;
    int is_held;
} turn;

/* The word of a class of locks that is zero while a lock is free; 0: unknown. */
typedef struct {
    PyTypeObject *cls;
    int64_t word;
} lock_layout;

extern lock_layout source_locks;

static inline PyObject *lock_of(const source *from)
{
    return *(PyObject **)word_of(from->object, from->layout->lock);
}

/* Whether a lock is free; the caller holds the GIL. */
static inline int is_free(PyObject *lock)
{
    return !FREE_THREADED && source_locks.word && Py_TYPE(lock) == source_locks.cls &&
           *word_of(lock, source_locks.word) == 0;
}

void wait_for_turn(const source *from, turn *mine);

/* Before and after one number is drawn. */
static inline void begin_draw(const source *from, turn *mine)
{
    mine->is_held = 0;
    mine->lock = NULL;
    if (from->stream)
        return;
    if (cutaway_runtime->is_gil_released() || !is_free(lock_of(from)))
        wait_for_turn(from, mine);
}

void end_turn(turn *mine);

static inline void end_draw(turn *mine)
{
    if (FREE_THREADED && mine->lock)
        end_turn(mine);
    if (mine->is_held)
        cutaway_runtime->end_hold(mine->held);
}

/* Before and after many numbers are drawn. */
void begin_many(const source *from, turn *mine);
void end_many(turn *mine);

/* --- drawing --------------------------------------------------------------------------------- */

/* Kinds of functions, by their results and parameters: d a double, f a float, l an int64.  One that
   fills memory with doubles or floats draws the same numbers as one that draws each. */
enum kind { D_, D_D, D_DD, D_DDD, L_L, L_D, L_DD, L_LD, L_LLL, F_, F_D, FILL_D, FILL_F, BOUNDED };

typedef struct {
    void *function;
    enum kind kind;
    int is_frozen; /* draws from a RandomState */
    int of_state;  /* the function takes the state of a RandomState instead of a bitgen_t */
    int letter;    /* BOUNDED: the bytes of a number, 0 for a bool */
} draw;

typedef union {
    double d;
    int64_t l;
} number;

#define AS(returns, ...) ((returns(*)(__VA_ARGS__))of->function)

/* The constants of the binomial distribution that the thread drew from last: they depend on its
   parameters, which are often the same again. */
extern _Thread_local binomial_t last_binomial;

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
                                                                    &last_binomial);
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

static inline source source_at(uintptr_t owner, int is_frozen)
{
    PyObject *object = (PyObject *)(owner & ~(uintptr_t)1);

    return (source){object, &source_layouts[is_frozen], random_me ? stream_of(object) : NULL};
}

static inline source source_of(const draw *of, uintptr_t owner)
{
    return source_at(owner, of->is_frozen);
}

static inline void *state_for(const draw *of, const source *from)
{
    return of->of_state ? (void *)state_of(from) : (void *)bits_of(from);
}

/* --- filling arrays -------------------------------------------------------------------------- */

/* NumPy's functions for arrays of bounded integers: several small ones share 32 random bits. */
typedef struct {
    uint64_t (*wide)(bitgen_t *, uint64_t, uint64_t, uint64_t, bool);
    uint64_t (*interval)(bitgen_t *, uint64_t);
    void *narrow[5]; /* by bytes, 0 for bools */
} bounded_functions;

extern bounded_functions numpy_bounded;

int32_t fill_array(const draw *of, uintptr_t owner, char *out, int64_t letter, const int64_t *table,
                   const char *rules);
void fill_bounded(const draw *of, uintptr_t owner, char *out, int64_t count, uint64_t low,
                  uint64_t range);
void fill_each_bounded(const draw *of, uintptr_t owner, char *out, int64_t count,
                       const uint64_t *low, const uint64_t *range);
void shuffle_items(const draw *of, uintptr_t owner, char *items, int64_t count, int64_t step,
                   int64_t bytes);

/* --- functions for Python -------------------------------------------------------------------- */

PyObject *learn_layout(PyObject *module, PyObject *args);
PyObject *learn_lock(PyObject *module, PyObject *lock);
PyObject *pending_normal(PyObject *module, PyObject *object);
PyObject *stream_key(PyObject *module, PyObject *object);
PyObject *seed_stream(PyObject *module, PyObject *args);

#endif
