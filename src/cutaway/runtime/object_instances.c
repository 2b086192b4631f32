/* Instances of ordinary classes, created without the general call path around `__init__`.

   A class with `object.__new__`, whose `__init__` is a Python function, needs neither a tuple of
   the arguments nor a lookup of the method each time. */

#include "objects.h"

enum { ROWS = 64 };

/* The cached `__init__` of a class with this number, held by the class; NULL if not usable. */
static struct {
    uint32_t tag;
    PyObject *init;
} known_classes[ROWS];

static PyObject *init_name, *no_arguments;

static int is_ordinary(PyTypeObject *type)
{
    return type->tp_new == PyBaseObject_Type.tp_new && type->tp_flags & Py_TPFLAGS_HEAPTYPE &&
           !type->tp_vectorcall;
}

PyObject *cutaway_init_of(PyTypeObject *type)
{
    uint32_t tag = type->tp_version_tag;
    PyObject *found;

    if (!tag)
        return NULL;
    if (known_classes[tag % ROWS].tag != tag) {
        if (!cutaway_in_class_now(type, init_name, &found))
            return NULL;
        known_classes[tag % ROWS].tag = tag;
        known_classes[tag % ROWS].init =
            found && Py_IS_TYPE(found, &PyFunction_Type) && is_ordinary(type) ? found : NULL;
    }
    return known_classes[tag % ROWS].init;
}

PyObject *cutaway_instance(PyTypeObject *type, PyObject *init, PyObject **args, int64_t count,
                           PyObject *names)
{
    PyObject *self = PyBaseObject_Type.tp_new(type, no_arguments, NULL), *result;

    if (!self)
        return NULL;
    one_more(init);
    args[-1] = self;
    result = ((PyFunctionObject *)init)->vectorcall(init, args - 1, positional(count, names) + 1, names);
    one_less(init);
    if (result == Py_None) {
        one_less(result);
        return self;
    }
    if (result)
        PyErr_Format(PyExc_TypeError, "__init__() should return None, not '%.200s'",
                     Py_TYPE(result)->tp_name);
    Py_XDECREF(result);
    Py_DECREF(self);
    return NULL;
}

int add_object_instances(void)
{
    init_name = PyUnicode_InternFromString("__init__");
    no_arguments = PyTuple_New(0);
    return init_name && no_arguments ? 0 : -1;
}
