/* The inner loops of ufuncs: what they know, and what they have in common. */

#ifndef CUTAWAY_UFUNC_LOOPS_H
#define CUTAWAY_UFUNC_LOOPS_H

#include "dispatch.h"

#if defined(__SSE2__)
#include <immintrin.h>
#else
#include <fenv.h>
#endif

#define MOST_ARGUMENTS 32 /* what every NumPy 2 takes */

/* An argument of a kernel over parts: an array of so many dimensions, or a number (-1). */
typedef struct {
    signed char ndim;
    signed char core; /* the core dimensions that the layout gives it: 0 for an array of one */
    int type;         /* NumPy's number */
    npy_intp bytes;   /* of an element */
    int written;      /* whether the kernel writes to it although it is an input */
} operand;

/* The data of one loop. */
typedef struct {
    Specialization *spec, *contiguous; /* the second may be NULL */
    int count, inputs;
    operand operands[MOST_ARGUMENTS];
} loop_row;

/* A core loop's data: the row, and which core dimension each argument's are. */
typedef struct {
    loop_row row;
    int places[];
} core_row;

/* Begin a loop: 0, with an exception set, where the stack has no room. */
int begin_loop(cutaway_exc *exc);

/* What the compiled code of a row raised, as the exception of this thread. */
void raise_in_loop(const cutaway_exc *exc, int32_t status);

/* NumPy's inner loop of a kernel over parts of arrays; the data is a core_row. */
void core_loop(char **args, const npy_intp *dims, const npy_intp *steps, void *data);

/* Compiled code computes what it does not need, in vectors, so that its flags mean nothing: NumPy
   would make warnings of them.  The loop leaves them as they were. */
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
