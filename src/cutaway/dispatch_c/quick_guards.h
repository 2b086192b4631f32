/* Quick guards: the usual argument of a usual type, without a walk along nodes.

   Nearly all arguments are a number, None, an array or a tuple of these, and belong to the one class,
   and the one dtype, that such arguments have.  A quick guard has both as addresses, and of an array's
   flags those that it must have; so it is a few comparisons and as many moves.  What it does not
   know, an array with a dtype of its own for instance, is for the guard that walks. */

#ifndef CUTAWAY_QUICK_GUARDS_H
#define CUTAWAY_QUICK_GUARDS_H

#include "dispatch.h"

/* How the fields of a value of the class get into slots. */
enum { NOTHING, INTEGER, LINE, REAL, ARRAY, BOOLEAN, ITEMS_OF, OBJECT };

struct quick_guard {
    const PyTypeObject *cls;    /* NULL where the guard that walks has to see to all values */
    const PyTypeObject *scalar; /* NULL, or NumPy's class of the same numbers, of 8 bytes */
    const PyArray_Descr *dtype; /* of an array; another one may say the same */
    const struct quick_guard *items; /* of a tuple */
    const node *n;              /* for the guard that walks */
    int how;
    int count, mask, flags; /* dimensions, or items; which flags of an array matter, what they are */
    Py_ssize_t slots;
};

#pragma GCC visibility push(hidden)

/* The rest of take_quickly: for tuples, booleans and None. */
int64_t *take_rarer(const struct quick_guard *guard, PyObject *value, int64_t *slots);

#pragma GCC visibility pop

/* Whether an array has the dtype, the dimensions and the flags. */
static inline int is_usual(const struct quick_guard *guard, PyArrayObject *array)
{
    return PyArray_DESCR(array) == guard->dtype && PyArray_NDIM(array) == guard->count &&
           (PyArray_FLAGS(array) & guard->mask) == guard->flags;
}

/* The fields of an array of so many dimensions; where the slots after them begin. */
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

/* Put the fields of a value into slots, and give where the slots after them begin; NULL where the
   guard that walks has to.  That place is told by the branches and not read from the guard: so it
   is known before anything is loaded, and compiled code need not wait for it. */
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
    /* asked one after the other: an indirect jump costs more, whatever it would choose from */
    if (guard->how == INTEGER)
        return small_integer(value, slots) || short_integer(value, slots) ? slots + 1 : NULL;
    if (guard->how == LINE) /* an array of one dimension: a loop of one run costs three times that */
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
