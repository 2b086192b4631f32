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

/* Go on with a generator, whose frame is there, for who alone does so. */
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
    Py_INCREF(self); /* what it runs may let go of it */
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
