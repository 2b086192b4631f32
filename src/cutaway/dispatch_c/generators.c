/* Generators in Python: the `next` of compiled ones. */

#include "dispatch.h"
#include "dispatcher.h"
#include "entering.h"

/* The beginning of a generator's frame, see lowering/generators.py. */
typedef struct {
    cutaway_exc exc;
    int32_t status;
    int32_t unused;
    int64_t item[];
} promise;

_Static_assert(offsetof(promise, status) == 584 && offsetof(promise, item) == 592,
               "lowering/generators.py knows the offsets");

#define PROMISE 16 /* offset from the beginning of the frame */
#define ENDED 3

/* Raise StopIteration with the return value of a generator; None is omitted. */
static void stop_with_value(Specialization *spec, const node *n, const int64_t *slots)
{
    PyObject *value, *stop;

    count_slots(&n); /* of an item */
    value = box(spec, &n, &slots);
    if (value && value != Py_None && (stop = PyObject_CallOneArg(PyExc_StopIteration, value))) {
        PyErr_SetObject(PyExc_StopIteration, stop);
        Py_DECREF(stop);
    }
    Py_XDECREF(value);
}

/* Resume a generator with a frame; the caller is the only one that does. */
static PyObject *next_item(cutaway_generator *self, promise *given)
{
    Specialization *spec = (Specialization *)self->keep;
    const node *n = self->descriptor;
    const int64_t *slots = given->item;
    int32_t status = self->next(self->frame);

    if (status == 0)
        return box(spec, &n, &slots);
    if (status == ENDED)
        stop_with_value(spec, n, slots);
    else
        runtime->generator_raised(&given->exc, status);
    runtime->close_generator(self);
    return NULL;
}

static PyObject *advance(cutaway_generator *self)
{
    promise *given;
    PyObject *item = NULL;

    if (!begin_alone(&self->running)) {
        PyErr_SetString(PyExc_ValueError, "generator already executing");
        return NULL;
    }
    Py_INCREF(self); /* the code that it runs may drop it */
    if (self->frame) {
        given = (promise *)((char *)self->frame + PROMISE);
        begin_exc(&given->exc);
        if ((uintptr_t)&given < given->exc.stack_limit)
            is_too_deep();
        else
            item = next_item(self, given);
    }
    end_alone(&self->running);
    Py_DECREF(self);
    return item;
}

PyObject *box_generator(Specialization *spec, const node **next, const int64_t *here,
                        const int64_t **slots)
{
    cutaway_generator *self = (cutaway_generator *)(uintptr_t)(*here & ~(int64_t)1);

    if (!self->keep) {
        self->keep = Py_NewRef((PyObject *)spec);
        self->descriptor = *next;
        self->advance = advance;
    }
    count_slots(next); /* of the item and of its return value, which have none here */
    count_slots(next);
    return (PyObject *)self;
}

/* A generator cannot be an argument. */
int unbox_generator(const Specialization *spec, const node **next, PyObject *value,
                    int64_t *here, int64_t **slots, int how)
{
    return 0;
}
