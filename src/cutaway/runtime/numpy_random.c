/* Random numbers of NumPy's sources: the functions that draw them, by the names that compiled code
   uses. They are those that NumPy exports, and those of legacy_random.c. */

#include "compat.h"
#include "loop_address.h"
#include "random_sources.h"

#include <stddef.h>
#include <string.h>
#if !defined(_WIN32)
#include <dlfcn.h>
#endif

/* --- one number ------------------------------------------------------------------------------ */

static inline number draw_in_turn(const draw *of, uintptr_t owner, const number *with)
{
    source from = source_of(of, owner);
    number made;
    turn mine;

    begin_draw(&from, &mine);
    made = draw_one(of, state_for(of, &from), with);
    end_draw(&mine);
    return made;
}

/* The functions that compiled code calls for one number, with at most as many parameters. */
static double draw_real(const draw *of, uintptr_t owner, double a, double b, double c)
{
    return draw_in_turn(of, owner, (number[3]){{.d = a}, {.d = b}, {.d = c}}).d;
}

/* The state of a Mersenne twister, and NumPy's function that draws from it; NULL until
   `learn_twister` has verified the layout of the state. */
typedef struct {
    uint32_t key[624];
    int32_t position;
} twister;

static double (*twister_double)(void *);

static inline uint32_t tempered(uint32_t x)
{
    x ^= x >> 11;
    x ^= x << 7 & 0x9d2c5680u;
    x ^= x << 15 & 0xefc60000u;
    return x ^ x >> 18;
}

/* A float64 of 53 random bits; NumPy renews a state that is used up. */
static inline double next_of(const bitgen_t *bits)
{
    twister *state = bits->state;

    if (bits->next_double != twister_double || state->position > 622)
        return bits->next_double(bits->state);
    uint32_t high = tempered(state->key[state->position]) >> 5;
    uint32_t low = tempered(state->key[state->position + 1]) >> 6;
    state->position += 2;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

/* One of the numbers that `random_standard_uniform_fill` generates: most programs draw these. */
static double draw_uniform(const draw *of, uintptr_t owner)
{
    source from = source_of(of, owner);
    double made;
    turn mine;

    begin_draw(&from, &mine);
    made = next_of(bits_of(&from));
    end_draw(&mine);
    return made;
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


static int64_t draw_bounded(const draw *of, uintptr_t owner, uint64_t low, uint64_t range)
{
    uint64_t made = 0;

    fill_bounded(of, owner, (char *)&made, 1, low, range);
    return (int64_t)made;
}

/* An integer from 0 to `most`, as both interfaces draw the positions of a shuffle. */
static int64_t place(bitgen_t *bits, int64_t most)
{
    return (int64_t)numpy_bounded.interval(bits, (uint64_t)most);
}

/* Like `random_uniform`, but with both bounds as arguments. */
static double uniform_between(bitgen_t *bits, double low, double high)
{
    double range = high - low;

    return low + range * next_double(bits);
}

/* An integer of the bits of a long without its sign. */
static int64_t largest_integer(bitgen_t *bits, int64_t unused)
{
    return (int64_t)(bits->next_uint64(bits->state) >> 1);
}

/* --- all distributions, by name -------------------------------------------------------------- */

typedef struct {
    const char *name;
    enum kind kind;
    const char *numpy; /* the function exported by NumPy; NULL for one of legacy_random.c */
    void *own;
    int of_state, letter;
} row;

#define UNIFORM "random_standard_uniform_fill"
#define NUMPYS(name, kind, symbol) {name, kind, symbol, NULL, 0, 0}
#define SAME(name, kind) NUMPYS(#name, kind, "random_" #name)
#define OWN(name, kind, function) {name, kind, NULL, (void *)(function), 0, 0}
#define FROZEN(name, kind) {#name, kind, NULL, (void *)legacy_##name, 1, 0}
#define INTEGERS(name, symbol, bytes) {name, BOUNDED, symbol, NULL, 0, bytes}

static const row shared_rows[] = {
    NUMPYS("random", FILL_D, UNIFORM),
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

static void *numpy_library; /* NumPy's extension that exports its functions */

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
    if (!found || !source_layouts[is_frozen].bits)
        Py_RETURN_NONE;
    function = found->numpy ? exported(found->numpy) : found->own;
    if (!function)
        Py_RETURN_NONE;
    made = PyMem_RawMalloc(sizeof(draw)); /* never freed, as above */
    if (!made)
        return PyErr_NoMemory();
    *made = (draw){function, found->kind, is_frozen, found->of_state, found->letter};
    if (found->numpy && !strcmp(found->numpy, UNIFORM))
        return address_of_loop((void *)draw_uniform, made);
    return address_of_loop(caller_of(found->kind), made);
}

/* The function that fills an array with the numbers of a distribution. */
static PyObject *filler(PyObject *module, PyObject *wanted)
{
    const char *name = PyUnicode_AsUTF8(wanted);

    if (!name)
        return NULL;
    if (!strcmp(name, "fill"))
        return address_of_loop((void *)fill_array, NULL);
    if (!strcmp(name, "bounded"))
        return address_of_loop((void *)fill_bounded, NULL);
    if (!strcmp(name, "each_bounded"))
        return address_of_loop((void *)fill_each_bounded, NULL);
    if (!strcmp(name, "shuffle"))
        return address_of_loop((void *)shuffle_items, NULL);
    Py_RETURN_NONE;
}

/* The functions that parallel loops call for the streams of their iterations. */
static PyObject *streams(PyObject *module, PyObject *wanted)
{
    const char *name = PyUnicode_AsUTF8(wanted);
    void *function = name ? stream_function(name) : NULL;

    if (!name)
        return NULL;
    if (!function)
        Py_RETURN_NONE;
    return address_of_loop(function, NULL);
}

/* learn_twister(capsule, key, position): whether the state has the expected layout. */
static PyObject *learn_twister(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    Py_buffer key;
    int position, is_known;
    bitgen_t *bits;

    if (!PyArg_ParseTuple(args, "Oy*i", &capsule, &key, &position))
        return NULL;
    bits = PyCapsule_GetPointer(capsule, "BitGenerator");
    if (!bits) {
        PyBuffer_Release(&key);
        return NULL;
    }
    is_known = key.len == sizeof(((twister *)0)->key) && !memcmp(bits->state, key.buf, key.len) &&
               ((twister *)bits->state)->position == position;
    PyBuffer_Release(&key);
    twister_double = is_known ? bits->next_double : NULL;
    return PyBool_FromLong(is_known);
}

/* The object itself, which is never freed from now on. */
static PyObject *kept_source(PyObject *module, PyObject *object)
{
    Py_INCREF(object);
    return address_of_loop(NULL, (void *)((uintptr_t)object | 1));
}

/* open_library(path): set the extension whose functions are called; it is loaded already. */
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
    numpy_bounded.wide = (uint64_t(*)(bitgen_t *, uint64_t, uint64_t, uint64_t, bool))exported(
        "random_bounded_uint64");
    numpy_bounded.interval = (uint64_t(*)(bitgen_t *, uint64_t))exported("random_interval");
    numpy_bounded.narrow[0] = exported("random_buffered_bounded_bool");
    numpy_bounded.narrow[1] = exported("random_buffered_bounded_uint8");
    numpy_bounded.narrow[2] = exported("random_buffered_bounded_uint16");
    numpy_bounded.narrow[4] = exported("random_buffered_bounded_uint32");
#endif
    return PyBool_FromLong(legacy_numpy.loggam && legacy_numpy.poisson &&
                           legacy_numpy.geometric_search && legacy_numpy.few_trials &&
                           legacy_numpy.many_trials && numpy_bounded.wide && numpy_bounded.interval &&
                           numpy_bounded.narrow[0] && numpy_bounded.narrow[1] && numpy_bounded.narrow[2] &&
                           numpy_bounded.narrow[4]);
}

/* --- the module ------------------------------------------------------------------------------ */

static PyMethodDef methods[] = {
    {"open_library", open_library, METH_O,
     "open_library(path): use the functions of this extension; whether it has all of them."},
    {"learn_layout", learn_layout, METH_VARARGS,
     "learn_layout(source, is_frozen, capsule, lock): whether the layout of the object was found."},
    {"learn_lock", learn_lock, METH_O,
     "learn_lock(lock): whether the object shows if the lock is held."},
    {"learn_twister", learn_twister, METH_VARARGS,
     "learn_twister(capsule, key, position): whether the state has the expected layout."},
    {"pending_normal", pending_normal, METH_O,
     "pending_normal(state): the second number of a pair, stored by a RandomState, or None."},
    {"distribution", distribution, METH_VARARGS,
     "distribution(name, is_frozen): the address of the function that draws one number, or None."},
    {"filler", filler, METH_O,
     "filler(name): the address of the function that fills arrays, or None."},
    {"streams", streams, METH_O,
     "streams(name): the address of a function that parallel loops call for streams, or None."},
    {"stream_key", stream_key, METH_O,
     "stream_key(source): two words from the stream of this thread's iteration, or None."},
    {"seed_stream", seed_stream, METH_VARARGS,
     "seed_stream(source, first, second): whether there is an iteration's stream to set the key "
     "of."},
    {"kept_source", kept_source, METH_O,
     "kept_source(object): the address of an object for compiled code, kept alive permanently."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "cutaway.runtime._numpy_random",
    .m_doc = "Random numbers from NumPy generators, for compiled code.",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__numpy_random(void)
{
    PyObject *module = new_module(&module_definition);

    if (!module)
        return NULL;
    cutaway_runtime = PyCapsule_Import(CUTAWAY_RUNTIME_CAPSULE, 0);
    if (!cutaway_runtime)
        Py_CLEAR(module);
    return module;
}
