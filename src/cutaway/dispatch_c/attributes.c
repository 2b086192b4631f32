/* A dispatcher as a Python function: attributes, binding, copies.

   Attributes that users set are in the dispatcher's own dictionary.  Those of functions
   (`__name__`, ...) are the Python function's, until they are set: then they are in the half's
   `_replaced`.  Further attributes of compiled functions are the half's. */

#include "dispatch.h"

#define HALF(self) (((dispatcher_head *)(self))->half)

/* Attributes that the dispatcher lacks are its Python half's. */
PyObject *dispatcher_getattro(PyObject *self, PyObject *name)
{
    PyObject *value = PyObject_GenericGetAttr(self, name);

    if (value || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return value;
    PyErr_Clear();
    value = PyObject_GetAttr(HALF(self), name);
    if (!value && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_AttributeError, "'function' object has no attribute '%U'", name);
    }
    return value;
}

/* Whether the half has a public attribute of that name; -1 for an error. */
static int half_has(PyObject *half, PyObject *name)
{
    PyObject *own;
    int found;

    if (PyUnicode_GET_LENGTH(name) && PyUnicode_READ_CHAR(name, 0) == '_')
        return 0;
    if (PyObject_HasAttr((PyObject *)Py_TYPE(half), name)) /* so that no property runs */
        return 1;
    own = PyObject_GenericGetDict(half, NULL);
    if (!own) {
        PyErr_Clear();
        return 0;
    }
    found = PyDict_Contains(own, name);
    Py_DECREF(own);
    return found;
}

int dispatcher_setattro(PyObject *self, PyObject *name, PyObject *value)
{
    int taken = PyUnicode_Check(name) ? half_has(HALF(self), name) : 0;

    if (taken < 0)
        return -1;
    if (taken) {
        PyErr_Format(PyExc_AttributeError,
                     "every compiled function has an attribute '%U', which cannot be %s; hint: "
                     "choose another name",
                     name, value ? "set" : "deleted");
        return -1;
    }
    return PyObject_GenericSetAttr(self, name, value);
}

/* As a class attribute it binds like a function. */
PyObject *dispatcher_descr_get(PyObject *self, PyObject *object, PyObject *type)
{
    if (object && object != Py_None)
        return PyMethod_New(self, object);
    Py_INCREF(self);
    return self;
}

PyObject *dispatcher_repr(PyObject *self)
{
    return PyObject_Repr(HALF(self));
}

PyObject *dispatcher_reduce(PyObject *self, PyObject *unused)
{
    return PyObject_CallMethod(HALF(self), "_reduce", NULL);
}

/* A copy is the same object, as for functions. */
PyObject *dispatcher_copy(PyObject *self, PyObject *unused)
{
    Py_INCREF(self);
    return self;
}

PyObject *dispatcher_dir(PyObject *self, PyObject *unused)
{
    PyObject *plain = PyObject_CallMethod((PyObject *)&PyBaseObject_Type, "__dir__", "O", self);
    PyObject *names;

    if (!plain)
        return NULL;
    names = PyObject_CallMethod(HALF(self), "_names", "N", plain);
    return names;
}

/* --- attributes of the Python function --------------------------------------------------------- */

/* The value set in place of a function's attribute; NULL without an exception if there is none. */
static PyObject *replaced(PyObject *half, const char *name)
{
    PyObject *all = PyObject_GetAttrString(half, "_replaced"), *key, *found = NULL;

    if (!all) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError))
            PyErr_Clear();
        return NULL;
    }
    key = PyDict_Check(all) ? PyUnicode_InternFromString(name) : NULL;
    if (key)
        item_of(all, key, &found);
    Py_XDECREF(key);
    Py_DECREF(all);
    return found;
}

PyObject *get_of_function(PyObject *self, void *name)
{
    PyObject *found = replaced(HALF(self), name), *py_func;

    if (found || PyErr_Occurred())
        return found;
    py_func = PyObject_GetAttrString(HALF(self), "py_func");
    if (!py_func)
        return NULL;
    found = PyObject_GetAttrString(py_func, name);
    Py_DECREF(py_func);
    return found;
}

/* Set an attribute of the function, for the compiled function alone. */
static int replace(PyObject *self, PyObject *value, const char *name)
{
    PyObject *all = PyObject_GetAttrString(HALF(self), "_replaced");
    int status;

    if (!all)
        return -1;
    status = PyDict_SetItemString(all, name, value);
    Py_DECREF(all);
    return status;
}

int set_string(PyObject *self, PyObject *value, void *name)
{
    if (!value || !PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be set to a string object", (char *)name);
        return -1;
    }
    return replace(self, value, name);
}

int set_anything(PyObject *self, PyObject *value, void *name)
{
    return replace(self, value ? value : Py_None, name);
}

int set_annotations(PyObject *self, PyObject *value, void *name)
{
    PyObject *empty;
    int status;

    if (value && PyDict_Check(value))
        return replace(self, value, name);
    if (value && value != Py_None) {
        PyErr_SetString(PyExc_TypeError, "__annotations__ must be set to a dict object");
        return -1;
    }
    empty = PyDict_New();
    status = empty ? replace(self, empty, name) : -1;
    Py_XDECREF(empty);
    return status;
}

int set_type_params(PyObject *self, PyObject *value, void *name)
{
    if (!value || !PyTuple_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "__type_params__ must be set to a tuple");
        return -1;
    }
    return replace(self, value, name);
}

/* The sources of compiled code: existing code, also in its callers, would not follow a change. */
int refuse_change(PyObject *self, PyObject *value, void *name)
{
    PyErr_Format(PyExc_AttributeError,
                 "the %s of a compiled function cannot be %s; hint: change the Python function, "
                 "f.py_func, and compile that anew: cutaway.jit(f.py_func)",
                 (char *)name, value ? "changed" : "deleted");
    return -1;
}
