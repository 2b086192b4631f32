/* Entering compiled code: the common part of every call, inline in each. */

#ifndef CUTAWAY_ENTERING_H
#define CUTAWAY_ENTERING_H

#include "dispatch.h"

#define ALWAYS_INLINE inline __attribute__((always_inline)) /* on the path of every call */
#define RARELY(condition) __builtin_expect(!!(condition), 0)
#define STACK_SLOTS 128 /* slots of arguments and result that need no malloc */

#pragma GCC visibility push(hidden)

/* The lowest address of the thread's stack that calls may use; 0 while it is not known. */
extern _Thread_local uintptr_t known_stack_limit __attribute__((tls_model("initial-exec")));
uintptr_t find_stack_limit(void);

/* Run compiled code without the GIL, or launch it: the caller holds the arguments, and the code. */
int32_t enter_released(Specialization *spec, const int64_t *arguments, int64_t *result,
                       cutaway_exc *exc);

/* Raise the exception that compiled code described; returns NULL. */
PyObject *raise_for(Specialization *spec, int32_t status, const cutaway_exc *exc);
PyObject *box_result(Specialization *spec, const int64_t *result);

/* Unbox one argument that no quick guard accepts, with the general guard. */
int unbox_slowly(const Specialization *spec, const node *n, PyObject *value, int64_t *slots);

#if FREE_THREADED
enum { LINES = 32, COMMON = LINES - 1 }; /* see thread_lines.c */
struct call_counts {
    _Alignas(64) unsigned long long hits[WAYS];
};
struct thread_line {
    _Alignas(64) int64_t calls; /* running calls, nested ones included */
};
extern struct thread_line thread_lines[LINES];
extern _Thread_local int own_line __attribute__((tls_model("initial-exec"))); /* 0: not known */
int take_line(void);

static inline int line_of_thread(void)
{
    int line = own_line;

    return RARELY(!line) ? take_line() : line;
}
#endif

#pragma GCC visibility pop

/* Without the GIL: between these two a thread may use objects of a dispatcher, which stay alive. */
static inline void begin_use(void)
{
#if FREE_THREADED
    int line = line_of_thread();
    int64_t *calls = &thread_lines[line].calls;
    if (RARELY(line == COMMON))
        __atomic_fetch_add(calls, 1, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n(calls, *calls + 1, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
#endif
}

static inline void end_use(void)
{
#if FREE_THREADED
    int line = own_line;
    int64_t *calls = &thread_lines[line].calls;
    if (RARELY(line == COMMON))
        __atomic_fetch_sub(calls, 1, __ATOMIC_RELEASE);
    else
        __atomic_store_n(calls, *calls - 1, __ATOMIC_RELEASE);
#endif
}

/* Count a call, and keep its specialization: its dispatcher may drop it while it runs. */
static inline void begin_call(Specialization *spec, int way)
{
#if FREE_THREADED
    int line = line_of_thread();
    unsigned long long *hits = &spec->counts[line].hits[way];
    if (RARELY(line == COMMON))
        __atomic_fetch_add(hits, 1, __ATOMIC_RELAXED);
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

/* Run compiled code on filled slots, and box its result. */
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
