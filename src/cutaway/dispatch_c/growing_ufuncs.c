/* The callable in front of a ufunc that is replaced when it gains a loop.

   A call goes to the ufunc.  If NumPy finds no loop for it, or an argument may override it by
   `__array_ufunc__`, the Python half handles it, and all other operations. */

#include "dispatch.h"

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *half;
    PyObject *ufunc; /* NULL before the first loop */
    PyObject *older; /* without the GIL a list of earlier ones, which may be running; else NULL */
    PyObject *dict;
    PyObject *weakrefs;
} Growing;

/* Whether none of these can override a ufunc: exact arrays, NumPy scalars, Python numbers. */
static int are_plain(PyObject *const *args, Py_ssize_t count)
{
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *one = args[k];
        if (!PyArray_CheckExact(one) && !PyFloat_CheckExact(one) && !PyLong_CheckExact(one) &&
            !PyBool_Check(one) && !PyComplex_CheckExact(one) && !PyArray_CheckScalar(one) &&
            one != Py_None && !PyUnicode_CheckExact(one))
            return 0;
    }
    return 1;
}

static PyObject *ask_half(Growing *self, const char *what, PyObject *const *args, Py_ssize_t count,
                          PyObject *kwnames)
{
    PyObject *method = PyObject_GetAttrString(self->half, what), *result;

    if (!method)
        return NULL;
    result = PyObject_Vectorcall(method, args, (size_t)count, kwnames);
    Py_DECREF(method);
    return result;
}

static PyObject *growing_vectorcall(PyObject *callable, PyObject *const *args, size_t nargsf,
                                    PyObject *kwnames)
{
    Growing *self = (Growing *)callable;
    Py_ssize_t count = PyVectorcall_NARGS(nargsf);
    Py_ssize_t all = count + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    PyObject *ufunc = SHARED(self->ufunc), *result, *cls, *value, *traceback, *grown;

    if (!ufunc || !are_plain(args, all))
        return ask_half(self, "call", args, count, kwnames);
    if (!FREE_THREADED)
        Py_INCREF(ufunc);
    result = PyObject_Vectorcall(ufunc, args, (size_t)count, kwnames);
    if (!FREE_THREADED)
        Py_DECREF(ufunc); /* from here on only its address matters */
    if (result || !PyErr_ExceptionMatches(PyExc_TypeError))
        return result;
    PyErr_Fetch(&cls, &value, &traceback);
    grown = ask_half(self, "has_grown", args, count, kwnames);
    if (grown && (grown == Py_True || SHARED(self->ufunc) != ufunc)) { /* maybe by another thread */
        Py_DECREF(grown);
        Py_XDECREF(cls);
        Py_XDECREF(value);
        Py_XDECREF(traceback);
        return ask_half(self, "call", args, count, kwnames);
    }
    if (grown) {
        Py_DECREF(grown);
        PyErr_Restore(cls, value, traceback);
        return NULL;
    }
    Py_XDECREF(cls); /* its compilation failed */
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return NULL;
}

static PyObject *growing_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *half;
    Growing *self;

    if ((kwargs && PyDict_GET_SIZE(kwargs)) || !PyArg_ParseTuple(args, "O", &half))
        return NULL;
    self = (Growing *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->vectorcall = growing_vectorcall;
    self->half = Py_NewRef(half);
    if (FREE_THREADED && !(self->older = PyList_New(0)))
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int growing_clear(Growing *self)
{
    Py_CLEAR(self->half);
    Py_CLEAR(self->ufunc);
    Py_CLEAR(self->older);
    Py_CLEAR(self->dict);
    return 0;
}

static int growing_traverse(Growing *self, visitproc visit, void *arg)
{
    Py_VISIT(self->half);
    Py_VISIT(self->ufunc);
    Py_VISIT(self->older);
    Py_VISIT(self->dict);
    return 0;
}

static void growing_dealloc(Growing *self)
{
    PyObject_GC_UnTrack(self);
    if (self->weakrefs)
        PyObject_ClearWeakRefs((PyObject *)self);
    growing_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* Look up its own attributes, those that users set, and public ones of its half. */
static PyObject *growing_getattro(Growing *self, PyObject *name)
{
    PyObject *value = PyObject_GenericGetAttr((PyObject *)self, name);
    const char *text;

    if (value || !PyErr_ExceptionMatches(PyExc_AttributeError) || !self->half)
        return value;
    text = PyUnicode_AsUTF8(name);
    if (!text || (text[0] == '_' && text[1] == '_' && strcmp(text, "__name__") &&
                  strcmp(text, "__qualname__") && strcmp(text, "__wrapped__") &&
                  strcmp(text, "__signature__")))
        return NULL;
    PyErr_Clear();
    value = PyObject_GetAttr(self->half, name);
    if (!value && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute '%U'",
                     "cutaway ufunc", name);
    }
    return value;
}

static PyObject *growing_of_half(Growing *self, const char *name)
{
    return PyObject_GetAttrString(self->half, name);
}

static PyObject *growing_doc(Growing *self, void *unused)
{
    return growing_of_half(self, "doc");
}

static PyObject *growing_module(Growing *self, void *unused)
{
    return growing_of_half(self, "module");
}

static PyObject *growing_ufunc(Growing *self, void *unused)
{
    PyObject *ufunc = SHARED(self->ufunc);

    return Py_NewRef(ufunc ? ufunc : Py_None);
}

static PyObject *growing_repr(Growing *self)
{
    return PyObject_Repr(self->half);
}

static PyObject *growing_reduce(Growing *self, PyObject *unused)
{
    return PyObject_CallMethod(self->half, "reduced", "O", self);
}

/* A copy is the function itself, as for any function. */
static PyObject *growing_copy(Growing *self, PyObject *unused)
{
    return Py_NewRef(self);
}

static PyObject *growing_dir(Growing *self, PyObject *unused)
{
    PyObject *own = PyObject_CallMethod((PyObject *)&PyBaseObject_Type, "__dir__", "O", self);
    PyObject *all = own ? PyObject_CallMethod(self->half, "names", "O", own) : NULL;

    Py_XDECREF(own);
    return all;
}

static PyObject *growing_set_ufunc(Growing *self, PyObject *ufunc)
{
    if (!PyObject_TypeCheck(ufunc, &PyUFunc_Type)) {
        PyErr_SetString(PyExc_TypeError, "a ufunc is wanted");
        return NULL;
    }
#if FREE_THREADED
    if (PyList_Append(self->older, ufunc) < 0) /* it includes the current one */
        return NULL;
    Py_XDECREF(__atomic_exchange_n(&self->ufunc, Py_NewRef(ufunc), __ATOMIC_ACQ_REL));
#else
    Py_XSETREF(self->ufunc, Py_NewRef(ufunc));
#endif
    Py_RETURN_NONE;
}

static PyMethodDef growing_methods[] = {
    {"_set_ufunc", (PyCFunction)growing_set_ufunc, METH_O, "Call this ufunc from now on."},
    {"__reduce__", (PyCFunction)growing_reduce, METH_NOARGS,
     "The constructor and arguments for pickle."},
    {"__copy__", (PyCFunction)growing_copy, METH_NOARGS, "The function itself."},
    {"__deepcopy__", (PyCFunction)growing_copy, METH_O, "The function itself."},
    {"__dir__", (PyCFunction)growing_dir, METH_NOARGS, "The names of all attributes."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef growing_getset[] = {
    {"__doc__", (getter)growing_doc, NULL, NULL, NULL},
    {"__module__", (getter)growing_module, NULL, NULL, NULL},
    {"ufunc", (getter)growing_ufunc, NULL, "The ufunc with the loops that there are, or None.",
     NULL},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject GrowingType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.dispatch_c._dispatch.GrowingUfunc",
    .tp_basicsize = sizeof(Growing),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_new = growing_new,
    .tp_dealloc = (destructor)growing_dealloc,
    .tp_traverse = (traverseproc)growing_traverse,
    .tp_clear = (inquiry)growing_clear,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Growing, vectorcall),
    .tp_dictoffset = offsetof(Growing, dict),
    .tp_weaklistoffset = offsetof(Growing, weakrefs),
    .tp_getattro = (getattrofunc)growing_getattro,
    .tp_setattro = PyObject_GenericSetAttr,
    .tp_repr = (reprfunc)growing_repr,
    .tp_methods = growing_methods,
    .tp_getset = growing_getset,
};
