/* Generators in Python: what a `next` of one does. */

#include "dispatch.h"
#include "dispatcher.h"
#include "entering.h"

/* With what the frame of a generator begins, see lowering/generators.py. */
typedef struct {
    cutaway_exc exc;
    int32_t status;
    int32_t unused;
    int64_t item[];
} promise;

_Static_assert(offsetof(promise, status) == 584 && offsetof(promise, item) == 592,
               "lowering/generators.py knows the offsets");

#define PROMISE 16 /* bytes after the beginning of the frame */
#define ENDED 3

/* What the generator returned, as the value of a StopIteration; None needs none. */
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

static PyObject *advance(cutaway_generator *self)
{
    Specialization *spec = (Specialization *)self->keep;
    promise *given;
    int32_t status;
    PyObject *item = NULL;

    if (self->running) {
        PyErr_SetString(PyExc_ValueError, "generator already executing");
        return NULL;
    }
    if (!self->frame)
        return NULL;
    given = (promise *)((char *)self->frame + PROMISE);
    given->exc.stack_limit = stack_limit();
    given->exc.frames = 0;
    given->exc.handled = NULL;
    if ((uintptr_t)&given < given->exc.stack_limit) {
        is_too_deep();
        return NULL;
    }
    Py_INCREF(self); /* what it runs may let go of it */
    self->running = 1;
    status = self->next(self->frame);
    self->running = 0;
    if (status == 0) {
        const node *n = self->descriptor;
        const int64_t *slots = given->item;
        item = box(spec, &n, &slots);
    } else {
        if (status == ENDED)
            stop_with_value(spec, self->descriptor, given->item);
        else
            runtime->generator_raised(&given->exc, status);
        runtime->close_generator(self);
    }
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
    count_slots(next); /* of the item and of what it returns, which have none here */
    count_slots(next);
    return (PyObject *)self;
}

/* No argument is a generator. */
int unbox_generator(const Specialization *spec, const node **next, PyObject *value,
                    int64_t *here, int64_t **slots, int how)
{
    return 0;
}
