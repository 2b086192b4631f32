/* Results: slots to Python objects. */

#include "dispatch.h"

static double get_float(int64_t slot)
{
    float number;
    memcpy(&number, &slot, sizeof(number));
    return number;
}

/* Whether a Python object is an array of exactly these fields: then it is the result itself. */
static int is_that_array(const Specialization *spec, PyObject *object, const node *n,
                         const int64_t *slots)
{
    PyArrayObject *array = (PyArrayObject *)object;

    if (!PyArray_CheckExact(object) || PyArray_NDIM(array) != n->count ||
        PyArray_DATA(array) != (void *)(uintptr_t)slots[1])
        return 0;
    if (n->kind == 'G' ? !dtype_fits(spec, n, PyArray_DESCR(array))
                       : !same_type(PyArray_DESCR(array)->type_num, n->type))
        return 0;
    for (int k = 0; k < n->count; k++)
        if (PyArray_DIM(array, k) != slots[2 + k] ||
            PyArray_STRIDE(array, k) != slots[2 + n->count + k])
            return 0;
    return 1;
}

/* The object that keeps an array's memory; takes over the owner's reference. */
static PyObject *base_of(Specialization *spec, int64_t owner)
{
    if (owner & 1)
        return (PyObject *)(uintptr_t)(owner & ~(int64_t)1);
    if (owner)
        return runtime->wrap((cutaway_meminfo *)(uintptr_t)owner);
    Py_INCREF(spec); /* a constant array lies in the specialisation's own code */
    return (PyObject *)spec;
}

PyObject *box_array(Specialization *spec, const node *n, const int64_t *slots)
{
    npy_intp shape[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    int flags = n->flags & 1 ? 0 : NPY_ARRAY_WRITEABLE;
    PyObject *base, *array;
    PyArray_Descr *dtype;

    if (slots[0] & 1) {
        PyObject *object = (PyObject *)(uintptr_t)(slots[0] & ~(int64_t)1);
        if (is_that_array(spec, object, n, slots))
            return object; /* its reference is the result's */
    }
    base = base_of(spec, slots[0]);
    if (!base) {
        runtime->decref((void *)(uintptr_t)slots[0]);
        return NULL;
    }
    for (int k = 0; k < n->count; k++) {
        shape[k] = slots[2 + k];
        strides[k] = slots[2 + n->count + k];
    }
    dtype = dtype_to_give(spec, n);
    array = !dtype ? NULL /* NumPy takes dtype over */
                   : PyArray_NewFromDescr(&PyArray_Type, dtype, n->count, shape, strides,
                                          (void *)(uintptr_t)slots[1], flags, NULL);
    if (!array) {
        Py_DECREF(base);
        return NULL;
    }
    PyArray_UpdateFlags((PyArrayObject *)array, NPY_ARRAY_UPDATE_ALL);
    if (PyArray_SetBaseObject((PyArrayObject *)array, base) < 0) /* takes over base */
        Py_CLEAR(array);
    return array;
}

static PyObject *box_slice(const node *n, const int64_t **slots)
{
    PyObject *parts[3] = {NULL, NULL, NULL}, *slice = NULL;

    for (int k = 0; k < 3; k++)
        if (n->flags >> k & 1) {
            parts[k] = PyLong_FromLongLong(*(*slots)++);
            if (!parts[k])
                goto done;
        }
    slice = PySlice_New(parts[0], parts[1], parts[2]);
done:
    for (int k = 0; k < 3; k++)
        Py_XDECREF(parts[k]);
    return slice;
}

/* The tuple as one of a class of named tuples. */
static PyObject *with_names(PyObject *tuple, PyObject *cls)
{
    PyObject *args = PyTuple_Pack(1, tuple), *named = NULL;

    if (args)
        named = PyTuple_Type.tp_new((PyTypeObject *)cls, args, NULL);
    Py_XDECREF(args);
    Py_DECREF(tuple);
    return named;
}

/* After a failure it goes on: each item's memory is owned and must find an end.  The exception is
   put aside meanwhile, and the first one is raised. */
static PyObject *box_tuple(Specialization *spec, const node *n, const node **next,
                           const int64_t **slots)
{
    PyObject *tuple = PyTuple_New(n->count), *type = NULL, *value = NULL, *traceback = NULL;

    if (!tuple)
        PyErr_Fetch(&type, &value, &traceback);
    for (int k = 0; k < n->count; k++) {
        PyObject *item = box(spec, next, slots);
        if (item && tuple)
            PyTuple_SET_ITEM(tuple, k, item);
        else if (item)
            Py_DECREF(item);
        else if (type)
            PyErr_Clear();
        else {
            PyErr_Fetch(&type, &value, &traceback);
            Py_CLEAR(tuple);
        }
    }
    if (!tuple)
        PyErr_Restore(type, value, traceback);
    else if (n->kind == 'T')
        return with_names(tuple, PyTuple_GET_ITEM(spec->constants, n->type));
    return tuple;
}

PyObject *box(Specialization *spec, const node **next, const int64_t **slots)
{
    const node *n = (*next)++;
    const int64_t *s = *slots;

    switch (n->kind) {
    case 'i':
        (*slots)++;
        return PyLong_FromLongLong(s[0]);
    case 'u':
        (*slots)++;
        return PyLong_FromUnsignedLongLong((unsigned long long)s[0]);
    case 'f':
        (*slots)++;
        return PyFloat_FromDouble(n->bytes == 8 ? get_double(s[0]) : get_float(s[0]));
    case '?':
        (*slots)++;
        return PyBool_FromLong(s[0] & 1);
    case 'c':
        *slots += 2;
        if (n->bytes == 16)
            return PyComplex_FromDoubles(get_double(s[0]), get_double(s[1]));
        return PyComplex_FromDoubles(get_float(s[0]), get_float(s[1]));
    case 'N':
        Py_RETURN_NONE;
    case 'D': case 'V': case 'X': case 'Y':
        return box_other(spec, n, slots);
    case 'A': case 'G':
        *slots += 2 + 2 * n->count;
        return box_array(spec, n, s);
    case 'R':
        *slots += 3;
        return PyObject_CallFunction((PyObject *)&PyRange_Type, "LLL", (long long)s[0],
                                     (long long)s[1], (long long)s[2]);
    case 'K': case 'L': {
        PyObject *constant = PyTuple_GET_ITEM(spec->constants, n->count);
        Py_INCREF(constant);
        return constant;
    }
    case 'S':
        return box_slice(n, slots);
    case 'E': {
        PyObject *choices = PyTuple_GET_ITEM(spec->constants, n->count), *chosen;
        (*slots)++;
        if (s[0] < 0 || s[0] >= PyTuple_GET_SIZE(choices))
            break;
        chosen = PyTuple_GET_ITEM(choices, s[0]);
        Py_INCREF(chosen);
        return chosen;
    }
    case 'U':
        *slots += 4;
        return box_string(s);
    case 'B':
        *slots += 2 + 2 * n->count;
        return box_buffer(n, s);
    case 'Z':
        *slots += n->count;
        return box_extension(spec, n, s);
    case 'M':
        (*slots)++;
        if (s[0] & 1)
            return box(spec, next, slots);
        *slots += count_slots(next);
        Py_RETURN_NONE;
    case 'T': case '(':
        return box_tuple(spec, n, next, slots);
    }
    PyErr_SetString(PyExc_SystemError, "a result that cannot be boxed");
    return NULL;
}
