/* Results: slots to Python objects. */

#include "containers.h"

PyObject *kept_integers[KEPT_INTEGERS];

int find_kept_integers(void)
{
    for (int k = 0; k < KEPT_INTEGERS; k++)
        if (!(kept_integers[k] = PyLong_FromLong(LOWEST_KEPT + k)))
            return -1;
    return 0;
}

static double get_float(int64_t slot)
{
    float number;
    memcpy(&number, &slot, sizeof(number));
    return number;
}

/* Whether a Python object is an array of exactly these fields: then it is the result itself.  A
   read-only view, such as one of `np.broadcast_to`, is not its base array. */
static int is_that_array(const Specialization *spec, PyObject *object, const node *n,
                         const int64_t *slots)
{
    PyArrayObject *array = (PyArrayObject *)object;

    if (!PyArray_CheckExact(object) || PyArray_NDIM(array) != n->count ||
        PyArray_DATA(array) != (void *)(uintptr_t)slots[1] ||
        (n->flags & 1 && PyArray_ISWRITEABLE(array)))
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

/* The object that keeps an array's memory alive; takes over the owner's reference.  An owner that
   is neither an array nor a NumPy scalar may free or move its memory, unless there is a view of
   it. */
static PyObject *base_of(Specialization *spec, int64_t owner)
{
    if (owner & 1) {
        PyObject *view, *object = (PyObject *)(uintptr_t)(owner & ~(int64_t)1);
        if (PyArray_Check(object) || PyArray_CheckScalar(object))
            return object;
        view = PyMemoryView_FromObject(object);
        Py_DECREF(object);
        return view;
    }
    if (owner)
        return runtime->wrap((cutaway_meminfo *)(uintptr_t)owner);
    Py_INCREF(spec); /* a constant array is in the specialization's own code */
    return (PyObject *)spec;
}

/* Copy the elements of an array into one with memory of its own; takes over the array. */
static PyObject *apart(PyObject *array)
{
    PyObject *copy = PyArray_NewCopy((PyArrayObject *)array, NPY_KEEPORDER);

    if (copy)
        PyArray_CLEARFLAGS((PyArrayObject *)copy, NPY_ARRAY_WRITEABLE);
    Py_DECREF(array);
    return copy;
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
        if (!(slots[0] & 1))
            runtime->decref((void *)(uintptr_t)slots[0]);
        return NULL;
    }
    for (int k = 0; k < n->count; k++) {
        shape[k] = slots[2 + k];
        strides[k] = slots[2 + n->count + k];
    }
    dtype = dtype_to_give(spec, n);
    array = !dtype ? NULL /* NumPy takes over dtype */
                   : PyArray_NewFromDescr(&PyArray_Type, dtype, n->count, shape, strides,
                                          (void *)(uintptr_t)slots[1], flags, NULL);
    if (!array) {
        Py_DECREF(base);
        return NULL;
    }
    PyArray_UpdateFlags((PyArrayObject *)array, NPY_ARRAY_UPDATE_ALL);
    if (PyArray_SetBaseObject((PyArrayObject *)array, base) < 0) /* takes over base */
        Py_CLEAR(array);
    /* Memory without owner that is read-only is a constant in the machine code, which a
       specialization without any code does not keep loaded. */
    if (array && !slots[0] && !spec->entry && n->flags & 1)
        return apart(array);
    return array;
}

PyObject *box_slice(Specialization *spec, const node **next, const int64_t *here,
                    const int64_t **slots)
{
    const node *n = *next - 1;
    PyObject *parts[3] = {NULL, NULL, NULL}, *slice = NULL;

    for (int k = 0; k < 3; k++)
        if (n->flags >> k & 1) {
            parts[k] = PyLong_FromLongLong(*here++);
            if (!parts[k])
                goto done;
        }
    slice = PySlice_New(parts[0], parts[1], parts[2]);
done:
    for (int k = 0; k < 3; k++)
        Py_XDECREF(parts[k]);
    return slice;
}

/* Convert a tuple to a class of named tuples. */
static PyObject *with_names(PyObject *tuple, PyObject *cls)
{
    PyObject *args = PyTuple_Pack(1, tuple), *named = NULL;

    if (args)
        named = PyTuple_Type.tp_new((PyTypeObject *)cls, args, NULL);
    Py_XDECREF(args);
    Py_DECREF(tuple);
    return named;
}

/* After a failure it continues: each item's memory is owned and must be released.  The exception is
   saved meanwhile, and the first one is raised. */
PyObject *box_items(Specialization *spec, const node **next, const int64_t *here,
                    const int64_t **slots)
{
    const node *n = *next - 1;
    PyObject *tuple = PyTuple_New(n->count), *type = NULL, *value = NULL, *traceback = NULL;

    if (!tuple)
        PyErr_Fetch(&type, &value, &traceback);
    for (int k = 0; k < n->count; k++) {
        PyObject *item = box_item(spec, next, slots);
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

/* The object that its class makes from the members. */
PyObject *box_composite(Specialization *spec, const node **next, const int64_t *here,
                        const int64_t **slots)
{
    const node *n = *next - 1;
    PyObject *tuple = box_items(spec, next, here, slots), *made = NULL;

    if (tuple)
        made = PyObject_Call(PyTuple_GET_ITEM(spec->constants, n->type), tuple, NULL);
    Py_XDECREF(tuple);
    return made;
}

PyObject *box_signed(Specialization *spec, const node **next, const int64_t *here,
                     const int64_t **slots)
{
    return integer_from(*here);
}

PyObject *box_unsigned(Specialization *spec, const node **next, const int64_t *here,
                       const int64_t **slots)
{
    return PyLong_FromUnsignedLongLong((unsigned long long)*here);
}

PyObject *box_real(Specialization *spec, const node **next, const int64_t *here,
                   const int64_t **slots)
{
    switch ((*next - 1)->bytes) {
    case 8:
        return PyFloat_FromDouble(get_double(*here));
    case 4:
        return PyFloat_FromDouble(get_float(*here));
    }
    return PyFloat_FromDouble(single_of_half((uint16_t)*here));
}

PyObject *box_boolean(Specialization *spec, const node **next, const int64_t *here,
                      const int64_t **slots)
{
    return PyBool_FromLong(*here & 1);
}

PyObject *box_complex(Specialization *spec, const node **next, const int64_t *here,
                      const int64_t **slots)
{
    if ((*next - 1)->bytes == 16)
        return PyComplex_FromDoubles(get_double(here[0]), get_double(here[1]));
    return PyComplex_FromDoubles(get_float(here[0]), get_float(here[1]));
}

PyObject *box_none(Specialization *spec, const node **next, const int64_t *here,
                   const int64_t **slots)
{
    Py_RETURN_NONE;
}

PyObject *box_any_array(Specialization *spec, const node **next, const int64_t *here,
                        const int64_t **slots)
{
    return box_array(spec, *next - 1, here);
}

PyObject *box_range(Specialization *spec, const node **next, const int64_t *here,
                    const int64_t **slots)
{
    return PyObject_CallFunction((PyObject *)&PyRange_Type, "LLL", (long long)here[0],
                                 (long long)here[1], (long long)here[2]);
}

PyObject *box_constant(Specialization *spec, const node **next, const int64_t *here,
                       const int64_t **slots)
{
    PyObject *constant = PyTuple_GET_ITEM(spec->constants, (*next - 1)->count);

    Py_INCREF(constant);
    return constant;
}

PyObject *box_choice(Specialization *spec, const node **next, const int64_t *here,
                     const int64_t **slots)
{
    PyObject *choices = PyTuple_GET_ITEM(spec->constants, (*next - 1)->count), *chosen;

    if (*here < 0 || *here >= PyTuple_GET_SIZE(choices)) {
        PyErr_SetString(PyExc_SystemError, "a result that cannot be boxed");
        return NULL;
    }
    chosen = PyTuple_GET_ITEM(choices, *here);
    Py_INCREF(chosen);
    return chosen;
}

PyObject *box_optional(Specialization *spec, const node **next, const int64_t *here,
                       const int64_t **slots)
{
    const node *first = *next, *behind = first;
    uint64_t bits = 0;

    if (*here & 1)
        return box(spec, next, slots);
    /* A conversion may have made what is not there, see RULES of lowering/build/casts.py. */
    if (count_slots(&behind) <= CUTAWAY_ITEM_SLOTS)
        bits = owners_of(&first, 0);
    for (; bits; bits &= bits - 1)
        runtime->decref((void *)(uintptr_t)(*slots)[__builtin_ctzll(bits)]);
    *slots += count_slots(next);
    Py_RETURN_NONE;
}
