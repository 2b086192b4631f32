/* Quick guards: the usual argument of a usual type, without a walk along nodes.

   Nearly all arguments are a number, None, an array or a tuple of these, and have the usual class,
   and the usual dtype.  A quick guard has both as addresses, and the required flags of an array; so
   it is a few comparisons and as many moves.  Other values, for instance an array with a dtype
   object of its own, are for the general guard. */

#ifndef CUTAWAY_QUICK_GUARDS_H
#define CUTAWAY_QUICK_GUARDS_H

#include "dispatch.h"

/* The way to put the fields of a value of the class into slots. */
enum { NOTHING, INTEGER, LINE, REAL, ARRAY, BOOLEAN, ITEMS_OF, OBJECT, CONTAINER };

struct quick_guard {
    const PyTypeObject *cls;    /* NULL if the general guard has to check all values */
    const PyTypeObject *scalar; /* NULL, or NumPy's class of the same numbers, of 8 bytes */
    const PyArray_Descr *dtype; /* of an array; others may be equivalent */
    const struct quick_guard *items; /* of a tuple */
    const void *layout;         /* of a native container */
    const node *n;              /* for the general guard */
    int how;
    int count, mask, flags; /* dimensions, or items; which flags of an array matter, their values */
    Py_ssize_t slots;
};

#pragma GCC visibility push(hidden)

/* The rest of take_quickly: for tuples, booleans and None. */
int64_t *take_rarer(const struct quick_guard *guard, PyObject *value, int64_t *slots);

#pragma GCC visibility pop

/* Whether an array has the expected dtype, dimensions and flags. */
static inline int is_usual(const struct quick_guard *guard, PyArrayObject *array)
{
    return PyArray_DESCR(array) == guard->dtype && PyArray_NDIM(array) == guard->count &&
           (PyArray_FLAGS(array) & guard->mask) == guard->flags;
}

/* Put the fields of an array into slots; returns the slots after them. */
static inline int64_t *take_fields(PyArrayObject *array, int ndim, int64_t *slots)
{
    const npy_intp *shape = PyArray_DIMS(array), *strides = PyArray_STRIDES(array);

    *slots++ = (int64_t)((uintptr_t)array | 1);
    *slots++ = (int64_t)(uintptr_t)PyArray_DATA(array);
    for (int k = 0; k < ndim; k++)
        *slots++ = shape[k];
    for (int k = 0; k < ndim; k++)
        *slots++ = strides[k];
    return slots;
}

/* Put the fields of a value into slots, and return the slots after them; NULL if the general guard
   has to.  That address depends on the branches and is not loaded from the guard: so it is known
   before any load completes, and compiled code need not wait for it. */
static inline int64_t *take_quickly(const struct quick_guard *guard, PyObject *value,
                                    int64_t *slots)
{
    PyArrayObject *array = (PyArrayObject *)value;

    if (Py_TYPE(value) != guard->cls) {
        if (guard->how == OBJECT) {
            *slots = (int64_t)(uintptr_t)value;
            return value != absent ? slots + 1 : NULL;
        }
        if (Py_TYPE(value) != guard->scalar)
            return NULL;
        memcpy(slots, &PyArrayScalar_VAL(value, Double), sizeof(*slots));
        return slots + 1;
    }
    /* compared in sequence: an indirect jump costs more for any number of targets */
    if (guard->how == INTEGER)
        return small_integer(value, slots) || short_integer(value, slots) ? slots + 1 : NULL;
    if (guard->how == LINE) /* one dimension: a loop of one iteration costs three times as much */
        return is_usual(guard, array) ? take_fields(array, 1, slots) : NULL;
    if (guard->how == REAL) {
        put_double(slots, PyFloat_AS_DOUBLE(value));
        return slots + 1;
    }
    if (guard->how == ARRAY)
        return is_usual(guard, array) ? take_fields(array, guard->count, slots) : NULL;
    return take_rarer(guard, value, slots);
}

#endif
