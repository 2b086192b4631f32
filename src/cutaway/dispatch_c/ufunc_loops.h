/* The inner loops of ufuncs: their data, and common functions. */

#ifndef CUTAWAY_UFUNC_LOOPS_H
#define CUTAWAY_UFUNC_LOOPS_H

#include "dispatch.h"

#if defined(__SSE2__)
#include <immintrin.h>
#else
#include <fenv.h>
#endif

#define MOST_ARGUMENTS 32 /* the limit of every NumPy 2 */

/* An argument of a kernel over parts: an array with this number of dimensions, or a number (-1). */
typedef struct {
    signed char ndim;
    signed char core; /* its core dimensions in the layout: 0 for an array of one element */
    int type;         /* NumPy's number */
    npy_intp bytes;   /* of an element */
    int written;      /* whether the kernel writes to this input */
} operand;

/* The data of one loop. */
typedef struct {
    Specialization *spec, *contiguous; /* the second may be NULL */
    int count, inputs;
    operand operands[MOST_ARGUMENTS];
} loop_row;

/* A core loop's data: the row, and the core dimensions of each argument. */
typedef struct {
    loop_row row;
    int places[];
} core_row;

/* Begin a loop: 0, with an exception set, if the stack has no room. */
int begin_loop(cutaway_exc *exc);

/* Raise the exception of a row's compiled code in this thread. */
void raise_in_loop(const cutaway_exc *exc, int32_t status);

/* NumPy's inner loop of a kernel over parts of arrays; the data is a core_row. */
void core_loop(char **args, const npy_intp *dims, const npy_intp *steps, void *data);

/* Compiled code computes unneeded vector elements, so that its floating-point flags are
   meaningless: NumPy would turn them into warnings.  The loop restores them. */
#if defined(__SSE2__)
typedef unsigned int float_flags;

static inline float_flags saved_flags(void)
{
    return _mm_getcsr();
}

static inline void restore_flags(float_flags flags)
{
    _mm_setcsr(flags);
}
#else
typedef fexcept_t float_flags;

static inline float_flags saved_flags(void)
{
    fexcept_t flags;

    fegetexceptflag(&flags, FE_ALL_EXCEPT);
    return flags;
}

static inline void restore_flags(float_flags flags)
{
    fesetexceptflag(&flags, FE_ALL_EXCEPT);
}
#endif

#endif
