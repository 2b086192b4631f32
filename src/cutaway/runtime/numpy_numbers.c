/* NumPy's loops as functions of numbers, and of vectors of them.

       "numpy.number.exp.d.d"      double exp(double)
       "numpy.numbers8.exp.d.d"    a function of a vector of eight

   A loop that is called for one element spends most of its time on memory: a loop with vectors of
   AVX-512 reads a vector from where a number has just been written, which stalls until the number
   has reached the cache.  So the number is repeated to fill a vector, and the loop computes all:
   elements do not depend on each other.  If NumPy's loop calls the C library for each element,
   compiled code does so directly. */

#include "numpy_numbers.h"

#include <complex.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

typedef void loop_function(char **args, const int64_t *sizes, const int64_t *steps, void *data);
typedef double complex dcomplex;
typedef double double4 __attribute__((vector_size(32)));
typedef double double8 __attribute__((vector_size(64)));
typedef float float8 __attribute__((vector_size(32)));
typedef float float16 __attribute__((vector_size(64)));

static inline void call(const cutaway_loop *loop, void *x, void *out, int64_t count, int64_t size)
{
    char *args[] = {x, out};
    int64_t steps[] = {size, size};

    ((loop_function *)loop->function)(args, &count, steps, loop->data);
}

/* `y_step` is 0 for a single number: NumPy has special cases for some exponents then. */
static inline void call_two(const cutaway_loop *loop, void *x, void *y, int64_t y_step, void *out,
                            int64_t count, int64_t size)
{
    char *args[] = {x, y, out};
    int64_t steps[] = {size, y_step, size};

    ((loop_function *)loop->function)(args, &count, steps, loop->data);
}

/* --- functions of vectors -------------------------------------------------------------------- */

#ifdef __x86_64__
#include <immintrin.h>

#define WIDE __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

/* `large` is a vector of `n` elements and 64 bytes, `small` one of half as many. */
#define VECTORS(type, small, large, n)                                                           \
    WIDE static inline large filled_##type(type x)                                               \
    {                                                                                            \
        large all;                                                                               \
        for (int k = 0; k < n; k++)                                                              \
            all[k] = x;                                                                          \
        return all;                                                                              \
    }                                                                                            \
    WIDE static inline large twice_##type(small x)                                               \
    {                                                                                            \
        large all;                                                                               \
        for (int k = 0; k < n; k++)                                                              \
            all[k] = x[k % (n / 2)];                                                             \
        return all;                                                                              \
    }                                                                                            \
    WIDE static inline small half_##type(large x)                                                \
    {                                                                                            \
        small half;                                                                              \
        memcpy(&half, &x, sizeof(half));                                                         \
        return half;                                                                             \
    }                                                                                            \
    WIDE static inline large unary_##type(const cutaway_loop *loop, large x)                     \
    {                                                                                            \
        large out;                                                                               \
        call(loop, &x, &out, n, sizeof(type));                                                   \
        return out;                                                                              \
    }                                                                                            \
    WIDE static inline large binary_##type(const cutaway_loop *loop, large x, large y)           \
    {                                                                                            \
        large out;                                                                               \
        call_two(loop, &x, &y, sizeof(type), &out, n, sizeof(type));                             \
        return out;                                                                              \
    }                                                                                            \
    WIDE static inline large of_number_##type(const cutaway_loop *loop, large x, type y)         \
    {                                                                                            \
        large out;                                                                               \
        call_two(loop, &x, &y, 0, &out, n, sizeof(type));                                        \
        return out;                                                                              \
    }                                                                                            \
    WIDE static inline large powers_##type(const cutaway_loop *loop, large x, large y)           \
    {                                                                                            \
        large out, first = filled_##type(y[0]);                                                  \
        if (!memcmp(&y, &first, sizeof(y)))                                                      \
            return of_number_##type(loop, x, y[0]);                                              \
        for (int k = 0; k < n; k++)                                                              \
            out[k] = of_number_##type(loop, filled_##type(x[k]), y[k])[0];                       \
        return out;                                                                              \
    }

VECTORS(double, double4, double8, 8)
VECTORS(float, float8, float16, 16)

/* LLVM passes a mask as small integers, whose lowest bit selects an element.  The others are set to
   one: a loop may be slow for their values. */
#define LOWEST_2(mask) _mm_movepi16_mask(_mm_slli_epi16(mask, 15))
#define LOWEST_4(mask) _mm_movepi32_mask(_mm_slli_epi32(mask, 31))
#define LOWEST_1(mask) _mm_movepi8_mask(_mm_slli_epi16(mask, 7))

WIDE static inline double8 kept_double(double8 x, unsigned bits)
{
    return (double8)_mm512_mask_blend_pd((__mmask8)bits, (__m512d)filled_double(1), (__m512d)x);
}

WIDE static inline float16 kept_float(float16 x, unsigned bits)
{
    return (float16)_mm512_mask_blend_ps((__mmask16)bits, (__m512)filled_float(1), (__m512)x);
}

WIDE static inline unsigned large_double(__m128i mask) { return LOWEST_2(mask); }
WIDE static inline unsigned large_float(__m128i mask) { return LOWEST_1(mask); }
WIDE static inline unsigned small_double(__m128i mask) { return LOWEST_4(mask) * 0x11u; }
WIDE static inline unsigned small_float(__m128i mask) { return LOWEST_2(mask) * 0x101u; }

#define ONE_OF_VECTORS(id, type, small, large)                                                   \
    WIDE static type wide_##id(type x)                                                           \
    {                                                                                            \
        return unary_##type(&loop_##id, filled_##type(x))[0];                                    \
    }                                                                                            \
    WIDE static small small_##id(small x)                                                        \
    {                                                                                            \
        return half_##type(unary_##type(&loop_##id, twice_##type(x)));                           \
    }                                                                                            \
    WIDE static large large_##id(large x)                                                        \
    {                                                                                            \
        return unary_##type(&loop_##id, x);                                                      \
    }                                                                                            \
    WIDE static small masked_small_##id(small x, __m128i mask)                                   \
    {                                                                                            \
        large kept = kept_##type(twice_##type(x), small_##type(mask));                           \
        return half_##type(unary_##type(&loop_##id, kept));                                      \
    }                                                                                            \
    WIDE static large masked_large_##id(large x, __m128i mask)                                   \
    {                                                                                            \
        return unary_##type(&loop_##id, kept_##type(x, large_##type(mask)));                     \
    }

/* `way` of the vectors is `binary` or `powers`. */
#define TWO_OF_VECTORS(id, type, small, large, way)                                              \
    WIDE static type wide_##id(type x, type y)                                                   \
    {                                                                                            \
        return of_number_##type(&loop_##id, filled_##type(x), y)[0];                             \
    }                                                                                            \
    WIDE static small small_##id(small x, small y)                                               \
    {                                                                                            \
        return half_##type(way##_##type(&loop_##id, twice_##type(x), twice_##type(y)));          \
    }                                                                                            \
    WIDE static large large_##id(large x, large y)                                               \
    {                                                                                            \
        return way##_##type(&loop_##id, x, y);                                                   \
    }                                                                                            \
    WIDE static small masked_small_##id(small x, small y, __m128i mask)                          \
    {                                                                                            \
        large kept = kept_##type(twice_##type(x), small_##type(mask));                           \
        return half_##type(way##_##type(&loop_##id, kept, twice_##type(y)));                     \
    }                                                                                            \
    WIDE static large masked_large_##id(large x, large y, __m128i mask)                          \
    {                                                                                            \
        return way##_##type(&loop_##id, kept_##type(x, large_##type(mask)), y);                  \
    }
#define WIDE_OF(id) (void *)wide_##id
#define OF_VECTORS(id)                                                                           \
    {(void *)small_##id, (void *)large_##id}, {(void *)masked_small_##id, (void *)masked_large_##id}
#else
#define ONE_OF_VECTORS(id, type, small, large)
#define TWO_OF_VECTORS(id, type, small, large, way)
#define WIDE_OF(id) NULL
#define OF_VECTORS(id) {NULL}, {NULL}
#endif

/* --- a function of each kind for each loop --------------------------------------------------- */

#define ONE(id, type)                                                                            \
    static cutaway_loop loop_##id;                                                               \
    static type plain_##id(type x)                                                               \
    {                                                                                            \
        type out;                                                                                \
        call(&loop_##id, &x, &out, 1, sizeof(type));                                             \
        return out;                                                                              \
    }
#define TWO(id, type)                                                                            \
    static cutaway_loop loop_##id;                                                               \
    static type plain_##id(type x, type y)                                                       \
    {                                                                                            \
        type out;                                                                                \
        call_two(&loop_##id, &x, &y, 0, &out, 1, sizeof(type));                                  \
        return out;                                                                              \
    }
#define ONES(name)                                                                               \
    ONE(name##_d, double)                                                                        \
    ONE(name##_f, float)                                                                         \
    ONE_OF_VECTORS(name##_d, double, double4, double8)                                           \
    ONE_OF_VECTORS(name##_f, float, float8, float16)
#define TWOS(name, way)                                                                          \
    TWO(name##_d, double)                                                                        \
    TWO(name##_f, float)                                                                         \
    TWO_OF_VECTORS(name##_d, double, double4, double8, way)                                      \
    TWO_OF_VECTORS(name##_f, float, float8, float16, way)

ONES(exp) ONES(exp2) ONES(expm1) ONES(log) ONES(log2) ONES(log10) ONES(log1p) ONES(sin) ONES(cos)
ONES(tan) ONES(arcsin) ONES(arccos) ONES(arctan) ONES(sinh) ONES(cosh) ONES(tanh) ONES(arcsinh)
ONES(arccosh) ONES(arctanh) ONES(cbrt)
TWOS(arctan2, binary) TWOS(hypot, binary) TWOS(power, powers) TWOS(float_power, powers)
TWOS(logaddexp, binary) TWOS(logaddexp2, binary)
ONE(exp_D, dcomplex) ONE(log_D, dcomplex) ONE(sin_D, dcomplex) ONE(cos_D, dcomplex)
ONE(sqrt_D, dcomplex)

/* A loop may call the C library's function: `found` caches whether it does. `lanes` is the number
   of elements of a vector of 64 bytes, which NumPy's loop may use, or work element by element. */
typedef struct {
    const char *name;
    cutaway_loop *loop;
    void *plain, *wide, *library, *vectors[2], *masked[2]; /* of 32 and of 64 bytes */
    int lanes, arity, has_vectors;
    enum { UNKNOWN, SAME, OTHER } found;
} row;

#define ROW(id, types, library, lanes, arity, vectors)                                           \
    {types, &loop_##id, (void *)plain_##id, WIDE_OF(id), library, OF_VECTORS(id), lanes, arity, vectors}
#define ONE_ROWS(name, of)                                                                       \
    ROW(name##_d, #name ".d.d", (void *)of, 8, 1, 1),                                            \
    ROW(name##_f, #name ".f.f", (void *)of##f, 16, 1, 1)
#define TWO_ROWS(name, of_double, of_float, vectors)                                             \
    ROW(name##_d, #name ".dd.d", (void *)of_double, 8, 2, vectors),                              \
    ROW(name##_f, #name ".ff.f", (void *)of_float, 16, 2, vectors)
#define COMPLEX_ROW(name, of)                                                                    \
    {#name ".D.D", &loop_##name##_D, (void *)plain_##name##_D, NULL, (void *)of, {NULL}, {NULL}, 1, 1}

static row rows[] = {
    ONE_ROWS(exp, exp), ONE_ROWS(exp2, exp2), ONE_ROWS(expm1, expm1), ONE_ROWS(log, log),
    ONE_ROWS(log2, log2), ONE_ROWS(log10, log10), ONE_ROWS(log1p, log1p), ONE_ROWS(sin, sin),
    ONE_ROWS(cos, cos), ONE_ROWS(tan, tan), ONE_ROWS(arcsin, asin), ONE_ROWS(arccos, acos),
    ONE_ROWS(arctan, atan), ONE_ROWS(sinh, sinh), ONE_ROWS(cosh, cosh), ONE_ROWS(tanh, tanh),
    ONE_ROWS(arcsinh, asinh), ONE_ROWS(arccosh, acosh), ONE_ROWS(arctanh, atanh),
    ONE_ROWS(cbrt, cbrt),
    TWO_ROWS(arctan2, atan2, atan2f, 1), TWO_ROWS(hypot, hypot, hypotf, 0),
    TWO_ROWS(power, NULL, NULL, 1), TWO_ROWS(float_power, NULL, NULL, 1),
    TWO_ROWS(logaddexp, NULL, NULL, 0), TWO_ROWS(logaddexp2, NULL, NULL, 0),
    COMPLEX_ROW(exp, cexp), COMPLEX_ROW(log, clog), COMPLEX_ROW(sin, csin),
    COMPLEX_ROW(cos, ccos), COMPLEX_ROW(sqrt, csqrt),
};

/* --- detection of the C library's functions -------------------------------------------------- */

/* NumPy's replacement of a function of the C library rounds differently for one number in a hundred
   or more, so that some thousands of numbers distinguish the two.  The numbers are of all sizes,
   half of them around one; the last ones are special. */
enum { SAMPLES = 4096 };

static double sample_of(int k, uint64_t *state)
{
    static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, INFINITY, -INFINITY, NAN,
                                     1e-310, 710.0, -746.0, 1e300, 5e-324, 1e22, 1e-30};
    const int specials = sizeof(special) / sizeof(*special);

    if (k >= SAMPLES - specials)
        return special[k - (SAMPLES - specials)];
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    double fraction = (double)(int64_t)*state * 0x1p-63;
    return k % 2 ? fraction : ldexp(fraction, (int)(*state >> 20 & 31) - 16);
}

#define TELL_APART(type, name)                                                                   \
    static int is_library_##name(const row *one, const cutaway_loop *loop)                       \
    {                                                                                            \
        type x[SAMPLES], y[SAMPLES], out[SAMPLES], expected;                                     \
        uint64_t state = 1;                                                                      \
        for (int k = 0; k < SAMPLES; k++) {                                                      \
            x[k] = (type)sample_of(k, &state);                                                   \
            y[k] = (type)sample_of(k, &state);                                                   \
        }                                                                                        \
        if (one->arity == 1)                                                                     \
            call(loop, x, out, SAMPLES, sizeof(type));                                           \
        else                                                                                     \
            call_two(loop, x, y, sizeof(type), out, SAMPLES, sizeof(type));                      \
        for (int k = 0; k < SAMPLES; k++) {                                                      \
            expected = one->arity == 1 ? ((type(*)(type))one->library)(x[k])                     \
                                       : ((type(*)(type, type))one->library)(x[k], y[k]);        \
            if (memcmp(&expected, &out[k], sizeof(type)))                                        \
                return 0;                                                                        \
        }                                                                                        \
        return 1;                                                                                \
    }

TELL_APART(double, double)
TELL_APART(float, float)

static int is_library_complex(const row *one, const cutaway_loop *loop)
{
    uint64_t state = 1;

    for (int k = 0; k < SAMPLES; k++) {
        double parts[] = {sample_of(k, &state), sample_of(k % 64 ? k : SAMPLES - 1 - k / 64, &state)};
        dcomplex x, out, expected;
        memcpy(&x, parts, sizeof(x));
        call(loop, &x, &out, 1, sizeof(x));
        expected = ((dcomplex(*)(dcomplex))one->library)(x);
        if (memcmp(&expected, &out, sizeof(x)))
            return 0;
    }
    return 1;
}

static int is_library(row *one, const cutaway_loop *loop)
{
    fenv_t before;

    if (one->library && one->found == UNKNOWN) {
        feholdexcept(&before);
        int same = one->lanes == 1   ? is_library_complex(one, loop)
                   : one->lanes == 8 ? is_library_double(one, loop)
                                     : is_library_float(one, loop);
        fesetenv(&before);
        one->found = same ? SAME : OTHER;
    }
    return one->library && one->found == SAME;
}

/* --- a function by its name ------------------------------------------------------------------ */

static void *function_of(row *one, const cutaway_loop *loop, int lanes, int masked)
{
#ifdef __x86_64__
    int wide = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#else
    int wide = 0;
#endif

    if (lanes == 1) {
        if (is_library(one, loop))
            return one->library;
        return wide && one->has_vectors ? one->wide : one->plain;
    }
    if (!wide || (lanes != one->lanes && 2 * lanes != one->lanes))
        return NULL;
    return (masked ? one->masked : one->vectors)[lanes == one->lanes];
}

PyObject *number_function(PyObject *module, PyObject *args)
{
    const char *name;
    unsigned long long address;
    int lanes, masked;

    if (!PyArg_ParseTuple(args, "sKip", &name, &address, &lanes, &masked))
        return NULL;
    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
        if (!strcmp(rows[k].name, name)) {
            const cutaway_loop *loop = (const cutaway_loop *)(uintptr_t)address;
            void *function = function_of(&rows[k], loop, lanes, masked);
            *rows[k].loop = *loop;
            if (function)
                return PyLong_FromVoidPtr(function);
        }
    Py_RETURN_NONE;
}
