/* Calls of functions in object mode: there is one specialization for all arguments.

   A function with plain parameters is called as in other modes.  This is the path of one with
   `*args`, `**kwargs` or keyword-only parameters: their tuple and dictionary are made here, and
   passed like other arguments. */

#include "dispatcher.h"

#define STACK_PARAMETERS 32

int unbox_object(const Specialization *spec, const node **next, PyObject *value, int64_t *here,
                 int64_t **slots, int how)
{
    *here = (int64_t)(uintptr_t)value;
    return value != absent;
}

PyObject *box_object(Specialization *spec, const node **next, const int64_t *here,
                     const int64_t **slots)
{
    return (PyObject *)(uintptr_t)*here; /* a new reference already */
}

/* Assign a keyword argument to its parameter, or to `**kwargs`; 0 if it fits nowhere, -1 with an
   exception set. */
static int put_keyword(Dispatcher *self, PyObject *name, PyObject *value, PyObject **laid,
                       PyObject *named)
{
    Py_ssize_t place = place_of(self, name);

    if (place >= 0) {
        if (laid[place])
            return 0; /* passed twice: the Python half reports it */
        laid[place] = value;
        return 1;
    }
    if (!named || PyDict_Contains(named, name) == 1)
        return 0;
    return PyDict_SetItem(named, name, value) < 0 ? -1 : 1;
}

/* Lay out the arguments, borrowed except collected ones; returns as above. */
static int lay_out_all(Dispatcher *self, PyObject *const *args, Py_ssize_t given,
                       PyObject *kwnames, PyObject **laid, PyObject *rest, PyObject *named)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters);
    Py_ssize_t first = Py_MIN(given, self->positional);
    int fits = given <= self->positional || rest;

    for (Py_ssize_t k = 0; k < count; k++)
        laid[k] = k < first ? args[k] : NULL;
    for (Py_ssize_t k = 0; rest && k < given - self->positional; k++)
        PyTuple_SET_ITEM(rest, k, Py_NewRef(args[self->positional + k]));
    for (Py_ssize_t k = 0; fits > 0 && kwnames && k < PyTuple_GET_SIZE(kwnames); k++)
        fits = put_keyword(self, PyTuple_GET_ITEM(kwnames, k), args[given + k], laid, named);
    for (Py_ssize_t k = 0; fits > 0 && k < count; k++) {
        if (!laid[k])
            laid[k] = PyTuple_GET_ITEM(self->defaults, k);
        fits = laid[k] != absent;
    }
    if (rest)
        laid[count++] = rest;
    if (named)
        laid[count] = named;
    return fits;
}

PyObject *call_collecting(Dispatcher *self, PyObject *const *args, Py_ssize_t given,
                          PyObject *kwnames, int *fits)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters);
    Py_ssize_t total = count + self->collects_rest + self->collects_named;
    PyObject *buffer[STACK_PARAMETERS], **laid = buffer, *rest = NULL, *named = NULL, *value = NULL;
    Specialization *spec = SHARED(self->hot_count) ? SHARED(self->hot[0]) : NULL;
    call_arguments arguments = {.count = total};

    *fits = 0;
    if (!spec || !self->defaults)
        return NULL;
    if (total > STACK_PARAMETERS && !(laid = PyMem_Malloc((size_t)total * sizeof(*laid))))
        goto failed;
    if (self->collects_rest && !(rest = PyTuple_New(Py_MAX(given - self->positional, 0))))
        goto failed;
    if (self->collects_named && !(named = PyDict_New()))
        goto failed;
    arguments.items = laid;
    *fits = lay_out_all(self, args, given, kwnames, laid, rest, named);
    if (*fits > 0)
        value = try_guards(spec, &arguments, fits);
    if (*fits < 0)
        *fits = 1; /* an exception is set */
    goto done;
failed:
    PyErr_NoMemory();
    *fits = 1;
done:
    if (laid != buffer)
        PyMem_Free(laid);
    Py_XDECREF(rest);
    Py_XDECREF(named);
    return value;
}

PyObject *dispatcher_set_objects(Dispatcher *self, PyObject *args)
{
    int rest, named;

    if (!PyArg_ParseTuple(args, "pp", &rest, &named))
        return NULL;
    self->collects_rest = rest;
    self->collects_named = named;
    if (rest || named || self->positional < PyTuple_GET_SIZE(self->parameters))
        SHARE(self->plain, -1);
    SHARE(self->mode, OBJECTS);
    SHARE(self->vectorcall, self->plain < 0 ? call_any : way_for(self->plain));
    Py_RETURN_NONE;
}
