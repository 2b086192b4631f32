/* Dispatchers: a chain of specializations behind one callable. */

#include "dispatch.h"

#define STACK_ARGUMENTS 32 /* arguments laid out by keyword that need no malloc */

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *half;       /* the Python half */
    PyObject *parameters; /* names, a tuple of interned strings; that of *args is not among them */
    Py_ssize_t positional; /* how many of them can be passed by position */
    Py_ssize_t unnamed;    /* how many of those by position only */
    int star;              /* whether there is *args: one more argument, a tuple */
    PyObject *chain;      /* a list of Specializations, the hottest first */
    PyObject *weakrefs;
} Dispatcher;

/* Put arguments into their places, those of *args aside; 0 where the call does not fit. */
static int lay_out(Dispatcher *self, PyObject *const *args, Py_ssize_t given, PyObject *kwnames,
                   PyObject **laid)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters);

    memset(laid, 0, (size_t)count * sizeof(PyObject *));
    memcpy(laid, args, (size_t)Py_MIN(given, self->positional) * sizeof(PyObject *));
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++) {
        PyObject *name = PyTuple_GET_ITEM(kwnames, k);
        Py_ssize_t place = self->unnamed;
        while (place < count && PyTuple_GET_ITEM(self->parameters, place) != name)
            place++;
        if (place == count || laid[place])
            return 0; /* unknown, given twice, or not interned: the Python half sees to it */
        laid[place] = args[given + k];
    }
    return 1;
}

/* Ask the Python half for a specialisation, and call that. */
static PyObject *call_slowly(Dispatcher *self, PyObject *const *args, Py_ssize_t given,
                             PyObject *kwnames)
{
    PyObject *positional = PyTuple_New(given), *keywords = PyDict_New();
    PyObject *answer = NULL, *value = NULL, *bound;
    int fits = 0;

    if (!positional || !keywords)
        goto done;
    for (Py_ssize_t k = 0; k < given; k++) {
        Py_INCREF(args[k]);
        PyTuple_SET_ITEM(positional, k, args[k]);
    }
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++)
        if (PyDict_SetItem(keywords, PyTuple_GET_ITEM(kwnames, k), args[given + k]) < 0)
            goto done;
    answer = PyObject_CallMethodObjArgs(self->half, str_resolve, positional, keywords, NULL);
    if (!answer)
        goto done;
    if (PyExceptionInstance_Check(answer)) { /* raised here: no frame of ours is in between */
        PyErr_SetObject(PyExceptionInstance_Class(answer), answer);
        goto done;
    }
    if (!PyTuple_Check(answer) || PyTuple_GET_SIZE(answer) != 2 ||
        !Py_IS_TYPE(PyTuple_GET_ITEM(answer, 0), &SpecializationType) ||
        !PyTuple_Check(PyTuple_GET_ITEM(answer, 1))) {
        PyErr_SetString(PyExc_TypeError, "resolve gives a Specialization and a tuple");
        goto done;
    }
    bound = PyTuple_GET_ITEM(answer, 1);
    value = try_call((Specialization *)PyTuple_GET_ITEM(answer, 0),
                     ((PyTupleObject *)bound)->ob_item, PyTuple_GET_SIZE(bound), 1, &fits);
    if (!value && !fits && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "the arguments do not fit their specialisation");
done:
    Py_XDECREF(positional);
    Py_XDECREF(keywords);
    Py_XDECREF(answer);
    return value;
}

/* Move a specialisation to the front of the chain. */
static void promote(Dispatcher *self, Py_ssize_t place)
{
    PyObject **items = ((PyListObject *)self->chain)->ob_item;
    PyObject *hot = items[place];

    for (; place > 0; place--)
        items[place] = items[place - 1];
    items[0] = hot;
}

/* Call the first specialisation that the arguments fit. */
static PyObject *call_chain(Dispatcher *self, PyObject *const *fields, Py_ssize_t filled,
                            int *fits)
{
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(self->chain); k++) {
        Specialization *spec = (Specialization *)PyList_GET_ITEM(self->chain, k);
        PyObject *value = try_call(spec, fields, filled, 0, fits);
        if (*fits) {
            if (k && k < PyList_GET_SIZE(self->chain) &&
                PyList_GET_ITEM(self->chain, k) == (PyObject *)spec)
                promote(self, k);
            return value;
        }
    }
    *fits = 0;
    return NULL;
}

/* The arguments beyond the positional parameters, as a new tuple. */
static PyObject *rest_of(Dispatcher *self, PyObject *const *args, Py_ssize_t given)
{
    Py_ssize_t count = given > self->positional ? given - self->positional : 0;
    PyObject *rest = PyTuple_New(count);

    for (Py_ssize_t k = 0; rest && k < count; k++) {
        PyObject *item = args[self->positional + k];
        Py_INCREF(item);
        PyTuple_SET_ITEM(rest, k, item);
    }
    return rest;
}

/* Call with arguments that must be put into their places first. */
static inline PyObject *call_laid_out(Dispatcher *self, PyObject *const *args, Py_ssize_t given,
                               PyObject *kwnames, int *fits)
{
    PyObject *buffer[STACK_ARGUMENTS + 1], **laid = buffer, *value = NULL, *rest = NULL;
    Py_ssize_t filled = PyTuple_GET_SIZE(self->parameters);

    *fits = 1;
    if (filled > STACK_ARGUMENTS &&
        !(laid = PyMem_Malloc(((size_t)filled + 1) * sizeof(PyObject *))))
        return PyErr_NoMemory();
    if (!lay_out(self, args, given, kwnames, laid))
        *fits = 0;
    else if (!self->star)
        value = call_chain(self, laid, filled, fits);
    else if ((rest = laid[filled] = rest_of(self, args, given)))
        value = call_chain(self, laid, filled + 1, fits);
    Py_XDECREF(rest);
    if (laid != buffer)
        PyMem_Free(laid);
    return value;
}

static PyObject *dispatcher_vectorcall(PyObject *callable, PyObject *const *args, size_t nargsf,
                                       PyObject *kwnames)
{
    Dispatcher *self = (Dispatcher *)callable;
    Py_ssize_t given = PyVectorcall_NARGS(nargsf);
    PyObject *value = NULL;
    int fits = 0;

    if (self->star || (kwnames && PyTuple_GET_SIZE(kwnames) && given <= self->positional))
        value = call_laid_out(self, args, given, kwnames, &fits);
    else if (given <= self->positional)
        value = call_chain(self, args, given, &fits);
    return fits ? value : call_slowly(self, args, given, kwnames);
}

static PyObject *dispatcher_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"half", "parameters", "positional", "star", "unnamed", NULL};
    PyObject *half, *parameters;
    Py_ssize_t positional, unnamed = 0;
    int star = 0;
    Dispatcher *self;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!n|pn", names, &half, &PyTuple_Type,
                                     &parameters, &positional, &star, &unnamed))
        return NULL;
    if (unnamed < 0 || unnamed > positional || positional > PyTuple_GET_SIZE(parameters)) {
        PyErr_SetString(PyExc_ValueError, "more positional parameters than parameters");
        return NULL;
    }
    self = (Dispatcher *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->vectorcall = dispatcher_vectorcall;
    self->positional = positional;
    self->unnamed = unnamed;
    self->star = star;
    Py_INCREF(half);
    self->half = half;
    Py_INCREF(parameters);
    self->parameters = parameters;
    self->chain = PyList_New(0);
    if (!self->chain)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int dispatcher_traverse(Dispatcher *self, visitproc visit, void *arg)
{
    Py_VISIT(self->half);
    Py_VISIT(self->chain);
    return 0;
}

/* It stays one that can be called, in case that something does before the end. */
static int dispatcher_clear(Dispatcher *self)
{
    PyObject *half = self->half;

    Py_INCREF(Py_None);
    self->half = Py_None;
    Py_XDECREF(half);
    return PyList_SetSlice(self->chain, 0, PyList_GET_SIZE(self->chain), NULL);
}

static void dispatcher_dealloc(Dispatcher *self)
{
    PyObject_GC_UnTrack(self);
    if (self->weakrefs)
        PyObject_ClearWeakRefs((PyObject *)self);
    Py_XDECREF(self->half);
    Py_XDECREF(self->chain);
    Py_XDECREF(self->parameters);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *dispatcher_repr(Dispatcher *self)
{
    return PyObject_Repr(self->half);
}

/* What the dispatcher does not have itself is its Python half's. */
static PyObject *dispatcher_getattro(PyObject *self, PyObject *name)
{
    PyObject *value = PyObject_GenericGetAttr(self, name);

    if (value || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return value;
    PyErr_Clear();
    return PyObject_GetAttr(((Dispatcher *)self)->half, name);
}

static int dispatcher_setattro(PyObject *self, PyObject *name, PyObject *value)
{
    return PyObject_SetAttr(((Dispatcher *)self)->half, name, value);
}

/* As a class attribute it binds like a function. */
static PyObject *dispatcher_descr_get(PyObject *self, PyObject *object, PyObject *type)
{
    if (object && object != Py_None)
        return PyMethod_New(self, object);
    Py_INCREF(self);
    return self;
}

static PyObject *dispatcher_add(Dispatcher *self, PyObject *spec)
{
    if (!Py_IS_TYPE(spec, &SpecializationType)) {
        PyErr_SetString(PyExc_TypeError, "add takes a Specialization");
        return NULL;
    }
    if (PyList_Append(self->chain, spec) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *dispatcher_forget_all(Dispatcher *self, PyObject *unused)
{
    if (PyList_SetSlice(self->chain, 0, PyList_GET_SIZE(self->chain), NULL) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *dispatcher_specializations(Dispatcher *self, void *unused)
{
    return PyList_AsTuple(self->chain);
}

static PyObject *dispatcher_doc(Dispatcher *self, void *unused)
{
    return PyObject_GetAttrString(self->half, "__doc__");
}

static PyObject *dispatcher_module(Dispatcher *self, void *unused)
{
    return PyObject_GetAttrString(self->half, "__module__");
}

static PyMethodDef dispatcher_methods[] = {
    {"add", (PyCFunction)dispatcher_add, METH_O, "Add a specialisation at the end of the chain."},
    {"clear", (PyCFunction)dispatcher_forget_all, METH_NOARGS, "Drop all specialisations."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef dispatcher_getset[] = {
    {"chain", (getter)dispatcher_specializations, NULL, "The specialisations, hottest first.",
     NULL},
    {"__doc__", (getter)dispatcher_doc, NULL, NULL, NULL},
    {"__module__", (getter)dispatcher_module, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject DispatcherType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.dispatch_c._dispatch.Dispatcher",
    .tp_basicsize = sizeof(Dispatcher),
    .tp_vectorcall_offset = offsetof(Dispatcher, vectorcall),
    .tp_weaklistoffset = offsetof(Dispatcher, weakrefs),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_new = dispatcher_new,
    .tp_dealloc = (destructor)dispatcher_dealloc,
    .tp_traverse = (traverseproc)dispatcher_traverse,
    .tp_clear = (inquiry)dispatcher_clear,
    .tp_repr = (reprfunc)dispatcher_repr,
    .tp_call = PyVectorcall_Call,
    .tp_getattro = dispatcher_getattro,
    .tp_setattro = dispatcher_setattro,
    .tp_descr_get = dispatcher_descr_get,
    .tp_methods = dispatcher_methods,
    .tp_getset = dispatcher_getset,
};
