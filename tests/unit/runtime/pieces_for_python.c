/* Pieces of parallel loops that do with Python what compiled code does: for test_pool.py. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <time.h>

#include "threads.h"

typedef struct {
    int64_t failing;         /* the first piece that fails; every piece after it does so too */
    int32_t (*failed)(void); /* cutaway_numpy_failed */
    void (*incref)(void *);
    void (*decref)(void *);
    void *owner;
} what;

/* As a loop of NumPy's does it: with the GIL for as long as it takes to set the exception. */
int32_t set_exception(void *context, const int64_t *bounds, int64_t part, cutaway_exc *exc)
{
    const what *told = context;

    if (part >= told->failing) {
        PyGILState_STATE state = PyGILState_Ensure();

        PyErr_Format(PyExc_LookupError, "piece %lld", (long long)part);
        PyGILState_Release(state);
    }
    return told->failed();
}

int32_t describe(void *context, const int64_t *bounds, int64_t part, cutaway_exc *exc)
{
    const what *told = context;

    if (part < told->failing)
        return 0;
    exc->table = "some table";
    exc->index = part;
    exc->values[0] = 10 * part;
    exc->frame[exc->frames++].index = part;
    return 1;
}

int32_t count(void *context, const int64_t *bounds, int64_t part, cutaway_exc *exc)
{
    const what *told = context;

    for (int k = 0; k < 200; k++)
        told->incref(told->owner);
    for (int k = 0; k < 200; k++)
        told->decref(told->owner);
    return 0;
}

int32_t sleep_a_little(void *context, const int64_t *bounds, int64_t part, cutaway_exc *exc)
{
    struct timespec left = {0, 50000000};

    while (nanosleep(&left, &left) != 0)
        ;
    return 0;
}
