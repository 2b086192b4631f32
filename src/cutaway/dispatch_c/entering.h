/* Entering compiled code: what is the same for every call, in line in each. */

#ifndef CUTAWAY_ENTERING_H
#define CUTAWAY_ENTERING_H

#include "dispatch.h"

#define ALWAYS_INLINE inline __attribute__((always_inline)) /* on the way of every call */
#define RARELY(condition) __builtin_expect(!!(condition), 0)
#define STACK_SLOTS 128 /* slots of arguments and result that need no malloc */

#pragma GCC visibility push(hidden)

/* The lowest address of the thread's stack that calls may use; 0 while it is not known. */
extern _Thread_local uintptr_t known_stack_limit __attribute__((tls_model("initial-exec")));
uintptr_t find_stack_limit(void);

/* Run compiled code without the GIL, or launch it: the caller holds the arguments, and the code. */
int32_t enter_released(Specialization *spec, const int64_t *arguments, int64_t *result,
                       cutaway_exc *exc);

/* Raise what compiled code described where it says so; NULL. */
PyObject *raise_for(Specialization *spec, int32_t status, const cutaway_exc *exc);
PyObject *box_result(Specialization *spec, const int64_t *result);

/* One argument that no quick guard knows, by the guard that walks. */
int unbox_slowly(const Specialization *spec, const node *n, PyObject *value, int64_t *slots);

#if FREE_THREADED
/* A line of the processor's memory with a thread's counts: one that others write would be waited for.
   The line 0 is for threads that are beyond the others, together. */
enum { LINES = 32 };
struct call_counts {
    _Alignas(64) unsigned long long hits[WAYS];
};
extern _Thread_local int own_line __attribute__((tls_model("initial-exec"))); /* 0: not known, or 0 */
void count_slowly(Specialization *spec, int way);
#endif

#pragma GCC visibility pop

/* Count a call, and have it under way: with the GIL its dispatcher may forget the specialization
   while it runs, which stays otherwise. */
static inline void begin_call(Specialization *spec, int way)
{
#if FREE_THREADED
    unsigned long long *hits = &spec->counts[own_line].hits[way];
    if (RARELY(!own_line))
        count_slowly(spec, way);
    else
        __atomic_store_n(hits, __atomic_load_n(hits, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
#else
    Py_INCREF(spec);
    spec->hits[way]++;
#endif
}

static inline void end_call(Specialization *spec)
{
#if !FREE_THREADED
    Py_DECREF(spec);
#endif
}

static inline uintptr_t stack_limit(void)
{
    uintptr_t limit = known_stack_limit;

    return RARELY(!limit) ? find_stack_limit() : limit;
}

/* Run compiled code on slots that are filled, and box its result. */
static ALWAYS_INLINE PyObject *enter(Specialization *spec, const int64_t *arguments,
                                     int64_t *result, int way)
{
    cutaway_exc exc;
    int32_t status;
    PyObject *value;
    const node *n = spec->result;

    exc.stack_limit = stack_limit();
    exc.frames = 0;
    exc.handled = NULL;
    if (RARELY((uintptr_t)&exc < exc.stack_limit)) {
        is_too_deep();
        return NULL;
    }
    begin_call(spec, way);
    status = RARELY(spec->nogil) ? enter_released(spec, arguments, result, &exc)
                         : spec->entry(result, arguments, &exc);
    if (RARELY(status != 0))
        value = raise_for(spec, status, &exc);
    else if (n->kind == 'i')
        value = integer_from(*result);
    else if (n->kind == 'f' && n->bytes == 8)
        value = PyFloat_FromDouble(get_double(*result));
    else
        value = box_result(spec, result);
    end_call(spec);
    return value;
}

#endif
