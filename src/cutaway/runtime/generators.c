/* The frames of generators, as Python objects.

   Compiled code creates the frame and the object; the dispatcher, which can box an item, sets the
   function `advance` when the object is returned to Python (dispatch_c/generators.c). */

#include "compat.h"
#include "cutaway_runtime.h"

#include <stdlib.h>

#define ALIGNMENT 64 /* a frame may hold vectors */

void *cutaway_new_frame(int64_t size)
{
    return aligned_alloc(ALIGNMENT, ((size_t)size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1));
}

void cutaway_free_frame(void *frame)
{
    free(frame);
}

/* A new reference to an owner of memory, for a frame that uses the memory later.  An owner that may
   free its memory or move it exports a view instead, which prevents that while it exists.  NULL
   with an exception set. */
void *cutaway_lend(void *owner)
{
    PyObject *object = (PyObject *)((uintptr_t)owner & ~(uintptr_t)1), *view;
    cutaway_held held;

    if (!((uintptr_t)owner & 1) || !Py_TYPE(object)->tp_as_buffer ||
        !Py_TYPE(object)->tp_as_buffer->bf_releasebuffer) {
        cutaway_incref(owner);
        return owner;
    }
    held = cutaway_hold_gil();
    view = PyMemoryView_FromObject(object);
    cutaway_end_hold(held);
    return view ? (void *)((uintptr_t)view | 1) : NULL;
}

void cutaway_close_generator(cutaway_generator *self)
{
    void *frame = self->frame;

    self->frame = NULL;
    if (frame)
        self->close(frame);
}

static void generator_dealloc(cutaway_generator *self)
{
    cutaway_close_generator(self);
    Py_CLEAR(self->keep);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *generator_next(cutaway_generator *self)
{
    if (self->advance)
        return self->advance(self);
    PyErr_SetString(PyExc_SystemError, "this generator belongs to compiled code");
    return NULL;
}

static int closed(cutaway_generator *self)
{
    if (!begin_alone(&self->running)) {
        PyErr_SetString(PyExc_ValueError, "generator already executing");
        return -1;
    }
    cutaway_close_generator(self);
    end_alone(&self->running);
    return 0;
}

static PyObject *generator_close(cutaway_generator *self, PyObject *unused)
{
    if (closed(self) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *generator_send(cutaway_generator *self, PyObject *value)
{
    PyObject *item;

    if (value != Py_None) {
        PyErr_SetString(PyExc_TypeError, "a compiled generator takes no values");
        return NULL;
    }
    item = generator_next(self);
    if (!item && !PyErr_Occurred())
        PyErr_SetNone(PyExc_StopIteration);
    return item;
}

/* No `yield` is within a `try`: an exception that is thrown in ends the generator. */
static PyObject *generator_throw(cutaway_generator *self, PyObject *args)
{
    PyObject *type, *value = NULL, *traceback = NULL;

    if (!PyArg_ParseTuple(args, "O|OO:throw", &type, &value, &traceback))
        return NULL;
    if (!PyExceptionInstance_Check(type) && !PyExceptionClass_Check(type))
        return PyErr_Format(PyExc_TypeError,
                            "exceptions must be classes or instances deriving from "
                            "BaseException, not %s", Py_TYPE(type)->tp_name);
    if (closed(self) < 0)
        return NULL;
    if (PyExceptionInstance_Check(type))
        PyErr_SetObject(PyExceptionInstance_Class(type), type);
    else
        PyErr_SetObject(type, value);
    return NULL;
}

static PyMethodDef generator_methods[] = {
    {"close", (PyCFunction)generator_close, METH_NOARGS,
     "close()\n\nEnd the generator, and release the contents of its frame."},
    {"send", (PyCFunction)generator_send, METH_O,
     "send(None)\n\nReturn the next item; no other value can be sent."},
    {"throw", (PyCFunction)generator_throw, METH_VARARGS,
     "throw(exception)\n\nEnd the generator, and raise an exception."},
    {NULL},
};

static PyTypeObject GeneratorType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.generator",
    .tp_basicsize = sizeof(cutaway_generator),
    .tp_dealloc = (destructor)generator_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "An iterator over the values that a compiled function yields.",
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = (iternextfunc)generator_next,
    .tp_methods = generator_methods,
};

void *cutaway_new_generator(void *frame, int32_t (*next)(void *), void (*close)(void *))
{
    cutaway_held held = cutaway_hold_gil();
    cutaway_generator *self = frame ? PyObject_New(cutaway_generator, &GeneratorType) : NULL;

    if (self) {
        self->frame = frame;
        self->next = next;
        self->close = close;
        self->advance = NULL;
        self->keep = NULL;
        self->descriptor = NULL;
        self->running = 0;
    } else if (frame) {
        close(frame);
    } else if (!PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    cutaway_end_hold(held);
    return self ? (void *)((uintptr_t)self | 1) : NULL;
}

int add_generators(PyObject *module)
{
    return PyModule_AddType(module, &GeneratorType); /* which also readies the type */
}
