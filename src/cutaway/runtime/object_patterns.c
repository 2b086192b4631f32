/* Patterns of `match` in object mode, as Python's interpreter tests them. */

#include "objects.h"

int32_t cutaway_py_is_sequence(PyObject *value)
{
    return (Py_TYPE(value)->tp_flags & Py_TPFLAGS_SEQUENCE) != 0;
}

int32_t cutaway_py_is_mapping(PyObject *value)
{
    return (Py_TYPE(value)->tp_flags & Py_TPFLAGS_MAPPING) != 0;
}

/* The value of a key, or `missing`; NULL with an exception set. */
static PyObject *value_for(PyObject *get, PyObject *seen, PyObject *key, PyObject *missing)
{
    int again = PySet_Contains(seen, key);

    if (again > 0)
        PyErr_Format(PyExc_ValueError, "mapping pattern checks duplicate key (%R)", key);
    if (again || PySet_Add(seen, key) < 0)
        return NULL;
    return PyObject_CallFunctionObjArgs(get, key, missing, NULL);
}

PyObject *cutaway_py_match_keys(PyObject *value, PyObject *keys)
{
    Py_ssize_t count = PyTuple_GET_SIZE(keys);
    PyObject *values = PyTuple_New(count), *get = NULL, *seen = NULL, *missing = NULL;

    if (values && count) { /* the empty pattern looks nothing up */
        get = PyObject_GetAttrString(value, "get");
        seen = get ? PySet_New(NULL) : NULL;
        missing = seen ? PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type) : NULL;
        if (!missing)
            Py_CLEAR(values);
    }
    for (Py_ssize_t k = 0; values && values != Py_None && k < count; k++) {
        PyObject *item = value_for(get, seen, PyTuple_GET_ITEM(keys, k), missing);
        if (!item)
            Py_CLEAR(values);
        else if (item == missing) {
            Py_DECREF(item);
            Py_SETREF(values, Py_NewRef(Py_None));
        }
        else
            PyTuple_SET_ITEM(values, k, item);
    }
    Py_XDECREF(get);
    Py_XDECREF(seen);
    Py_XDECREF(missing);
    return values;
}

/* --- classes ----------------------------------------------------------------------------------- */

static const char *class_name(PyObject *cls)
{
    return ((PyTypeObject *)cls)->tp_name;
}

/* Append an attribute: 1; 0 if it is missing, -1 with an exception set. */
static int add_attribute(PyObject *value, PyObject *cls, PyObject *name, PyObject *seen,
                         PyObject *found)
{
    int again = PySet_Contains(seen, name), status;
    PyObject *attribute;

    if (again > 0)
        PyErr_Format(PyExc_TypeError, "%s() got multiple sub-patterns for attribute %R",
                     class_name(cls), name);
    if (again || PySet_Add(seen, name) < 0)
        return -1;
    attribute = PyObject_GetAttr(value, name);
    if (!attribute) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError))
            return -1;
        PyErr_Clear();
        return 0;
    }
    status = PyList_Append(found, attribute);
    Py_DECREF(attribute);
    return status < 0 ? -1 : 1;
}

/* The names of attributes matched by position: a tuple; None if a pattern takes the value
   itself. */
static PyObject *names_by_place(PyObject *cls, int64_t count)
{
    PyObject *names = PyObject_GetAttrString(cls, "__match_args__");
    int itself = 0;
    int64_t most;

    if (!names) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError))
            return NULL;
        PyErr_Clear();
        itself = (((PyTypeObject *)cls)->tp_flags & _Py_TPFLAGS_MATCH_SELF) != 0;
        names = itself ? Py_NewRef(Py_None) : PyTuple_New(0);
        if (!names)
            return NULL;
    }
    else if (!PyTuple_CheckExact(names)) {
        PyErr_Format(PyExc_TypeError, "%s.__match_args__ must be a tuple (got %s)", class_name(cls),
                     Py_TYPE(names)->tp_name);
        Py_DECREF(names);
        return NULL;
    }
    most = itself ? 1 : PyTuple_GET_SIZE(names);
    if (count > most) {
        PyErr_Format(PyExc_TypeError, "%s() accepts %lld positional sub-pattern%s (%lld given)",
                     class_name(cls), (long long)most, most == 1 ? "" : "s", (long long)count);
        Py_CLEAR(names);
    }
    return names;
}

/* As add_attribute, for those by position. */
static int add_by_place(PyObject *value, PyObject *cls, int64_t count, PyObject *seen,
                        PyObject *found)
{
    PyObject *names = count ? names_by_place(cls, count) : Py_NewRef(Py_None);
    int status = names ? 1 : -1;

    if (count && names == Py_None)
        status = PyList_Append(found, value) < 0 ? -1 : 1;
    for (Py_ssize_t k = 0; names && names != Py_None && status == 1 && k < count; k++) {
        PyObject *name = PyTuple_GET_ITEM(names, k);
        if (!PyUnicode_CheckExact(name)) {
            PyErr_Format(PyExc_TypeError, "__match_args__ elements must be strings (got %s)",
                         Py_TYPE(name)->tp_name);
            status = -1;
        }
        else
            status = add_attribute(value, cls, name, seen, found);
    }
    Py_XDECREF(names);
    return status;
}

PyObject *cutaway_py_match_class(PyObject *value, PyObject *cls, int64_t count, PyObject *names)
{
    PyObject *seen, *found, *attributes = NULL;
    int status;

    if (!PyType_Check(cls)) {
        PyErr_SetString(PyExc_TypeError, NO_CLASS_IN_PATTERN);
        return NULL;
    }
    status = PyObject_IsInstance(value, cls);
    if (status <= 0)
        return status < 0 ? NULL : Py_NewRef(Py_None);
    seen = PySet_New(NULL);
    found = seen ? PyList_New(0) : NULL;
    status = found ? add_by_place(value, cls, count, seen, found) : -1;
    for (Py_ssize_t k = 0; status == 1 && k < PyTuple_GET_SIZE(names); k++)
        status = add_attribute(value, cls, PyTuple_GET_ITEM(names, k), seen, found);
    if (status == 1)
        attributes = PyList_AsTuple(found);
    else if (status == 0)
        attributes = Py_NewRef(Py_None);
    Py_XDECREF(found);
    Py_XDECREF(seen);
    return attributes;
}
