/* Streams of random numbers for the iterations of a parallel loop.

   When a loop begins, each source that its iterations draw from generates a key of 128 bits.  An
   iteration then draws from a stream of its own, determined by the key and the loop's variables: so
   its numbers depend neither on the number of threads nor on the order of execution.  The generator
   is Philox4x64-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers, as easy as 1, 2, 3, 2011)
   as in `numpy.random.Philox`: iteration i draws the numbers of Philox(key=key, counter=[0, i, 0,
   0]).

   A table in the frame of the loop has the keys: the number of rows, then for each its owner,
   whether it is a RandomState, and the two words of the key. */

#include "random_sources.h"

#include <string.h>

#define ROW_WORDS 4

_Thread_local random_worker *random_me;

/* --- Philox ---------------------------------------------------------------------------------- */

#define ROUNDS 10

static inline uint64_t high_product(uint64_t a, uint64_t b, uint64_t *low)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;

    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
}

/* Four numbers from a counter and a key. */
static void four_numbers(uint64_t out[4], const uint64_t counter[4], const uint64_t key[2])
{
    uint64_t a = counter[0], b = counter[1], c = counter[2], d = counter[3];
    uint64_t k0 = key[0], k1 = key[1];

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t low0, low1;
        uint64_t high0 = high_product(UINT64_C(0xD2E7470EE14C6C93), a, &low0);
        uint64_t high1 = high_product(UINT64_C(0xCA5A826395121157), c, &low1);

        a = high1 ^ b ^ k0;
        b = low1;
        c = high0 ^ d ^ k1;
        d = low0;
        k0 += UINT64_C(0x9E3779B97F4A7C15);
        k1 += UINT64_C(0xBB67AE8584CAA73B);
    }
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}

static uint64_t next_of_64(void *state)
{
    random_stream *stream = state;

    if (stream->taken == 4) {
        for (int k = 0; k < 4 && !++stream->counter[k]; k++)
            ;
        four_numbers(stream->numbers, stream->counter, stream->key);
        stream->taken = 0;
    }
    return stream->numbers[stream->taken++];
}

/* Of 64 bits the lower half comes first. */
static uint32_t next_of_32(void *state)
{
    random_stream *stream = state;
    uint64_t both;

    if (stream->has_half) {
        stream->has_half = 0;
        return stream->half;
    }
    both = next_of_64(state);
    stream->has_half = 1;
    stream->half = (uint32_t)(both >> 32);
    return (uint32_t)both;
}

static double next_real(void *state)
{
    return (double)(next_of_64(state) >> 11) * (1.0 / 9007199254740992.0);
}

/* --- streams --------------------------------------------------------------------------------- */

static void start_stream(random_stream *stream, const int64_t *key, const int64_t place[3])
{
    stream->bits = (bitgen_t){stream, next_of_64, next_of_32, next_real, next_of_64};
    stream->legacy = (legacy_state){&stream->bits, 0, 0.0};
    memcpy(stream->key, key, sizeof(stream->key));
    stream->counter[0] = 0;
    memcpy(&stream->counter[1], place, 3 * sizeof(uint64_t));
    stream->taken = 4;
    stream->has_half = 0;
    stream->is_begun = 1;
}

random_stream *stream_of(PyObject *object)
{
    random_worker *me = random_me;

    for (int64_t k = 0; k < me->table[0]; k++) {
        const int64_t *row = me->table + 1 + ROW_WORDS * k;

        if ((row[0] & ~(int64_t)1) == (int64_t)(intptr_t)object) {
            if (!me->streams[k].is_begun)
                start_stream(&me->streams[k], row + 2, me->place);
            return &me->streams[k];
        }
    }
    return NULL;
}

static void draw_key(int64_t *row)
{
    source from = source_at((uintptr_t)row[0], (int)row[1]);
    bitgen_t *bits;
    turn mine;

    begin_draw(&from, &mine);
    bits = bits_of(&from);
    row[2] = (int64_t)bits->next_uint64(bits->state);
    row[3] = (int64_t)bits->next_uint64(bits->state);
    end_draw(&mine);
}

/* --- functions for compiled code ------------------------------------------------------------- */

/* Draw the keys of a table whose owners are set. */
static void open_streams(int64_t *table)
{
    for (int64_t k = 0; k < table[0]; k++)
        draw_key(table + 1 + ROW_WORDS * k);
}

_Static_assert(sizeof(random_worker) <= RANDOM_WORKER_BYTES, "see library/random/streams.py");
_Static_assert(sizeof(random_stream) <= RANDOM_STREAM_BYTES, "see library/random/streams.py");

/* Let the thread draw from the streams of a table, until it leaves: `me` is memory for them. */
static void enter_streams(const int64_t *table, random_worker *me)
{
    me->outer = random_me;
    me->table = table;
    for (int64_t k = 0; k < table[0]; k++)
        me->streams[k].is_begun = 0;
    random_me = me;
}

static void leave_streams(random_worker *me)
{
    random_me = me->outer;
}

/* Continue with the iteration of these values of the variables. */
static void begin_iteration(int64_t first, int64_t second, int64_t third)
{
    random_worker *me = random_me;

    if (!me)
        return; /* all sources are local to the iteration */
    me->place[0] = first, me->place[1] = second, me->place[2] = third;
    for (int64_t k = 0; k < me->table[0]; k++)
        me->streams[k].is_begun = 0;
}

void *stream_function(const char *name)
{
    if (!strcmp(name, "open"))
        return (void *)open_streams;
    if (!strcmp(name, "enter"))
        return (void *)enter_streams;
    if (!strcmp(name, "leave"))
        return (void *)leave_streams;
    return strcmp(name, "iteration") ? NULL : (void *)begin_iteration;
}

/* --- functions for Python -------------------------------------------------------------------- */

/* stream_key(source) -> the key of a stream that continues that of this thread's iteration, or
   None: for distributions that only NumPy draws, from an object created for it. */
PyObject *stream_key(PyObject *module, PyObject *object)
{
    random_stream *stream = random_me ? stream_of(object) : NULL;
    uint64_t first;

    if (!stream)
        Py_RETURN_NONE;
    first = next_of_64(stream);
    return Py_BuildValue("KK", first, next_of_64(stream));
}

/* seed_stream(source, first, second): let the iteration draw from the stream of this key from now
   on; whether it has one. */
PyObject *seed_stream(PyObject *module, PyObject *args)
{
    PyObject *object;
    random_stream *stream;
    uint64_t key[2];

    if (!PyArg_ParseTuple(args, "OKK", &object, &key[0], &key[1]))
        return NULL;
    stream = random_me ? stream_of(object) : NULL;
    if (!stream)
        Py_RETURN_FALSE;
    start_stream(stream, (int64_t *)key, (int64_t[3]){0, 0, 0});
    Py_RETURN_TRUE;
}
