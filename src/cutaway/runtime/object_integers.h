/* Integers of object mode: what is in them, and objects for results.

   Most time of a loop over numbers goes into memory for them.  So an integer that is dropped is kept
   for the next result, a few of each size; and one that is about to be dropped is the result itself.
   Both are objects that nobody else has: CPython's own, with their usual content. */

#ifndef CUTAWAY_OBJECT_INTEGERS_H
#define CUTAWAY_OBJECT_INTEGERS_H

#include "objects.h"

#pragma GCC visibility push(hidden)

/* Which integers exist once, as the C API's manual says of PyLong_FromLong. */
enum { SMALLEST = -5, LARGEST = 256, KEPT = 16 };

extern PyObject *cutaway_small_integers[LARGEST - SMALLEST + 1];

/* Integers of one digit, and of two, each with one reference. */
extern struct kept_integers {
    Py_ssize_t count;
    PyObject *objects[KEPT];
} cutaway_kept_integers[2];

int add_object_integers(void);

#pragma GCC visibility pop

static inline size_t digits_of(PyObject *value)
{
#if PY_VERSION_HEX >= 0x030C0000
    return ((PyLongObject *)value)->long_value.lv_tag >> 3;
#else
    Py_ssize_t size = Py_SIZE(value);
    return (size_t)(size < 0 ? -size : size);
#endif
}

/* An integer of two digits at most, which every number of 60 bits is; 0 for any other. */
static inline int short_integer(PyObject *value, int64_t *number)
{
    int64_t magnitude;
#if PY_VERSION_HEX >= 0x030C0000
    const _PyLongValue *known = &((PyLongObject *)value)->long_value;
    if (__builtin_expect(known->lv_tag >> 3 != 2, 1))
        return small_integer(value, number);
    magnitude = (int64_t)known->ob_digit[1] << PyLong_SHIFT | known->ob_digit[0];
    *number = known->lv_tag & 3 ? -magnitude : magnitude; /* 0: positive, 2: negative */
#else
    const digit *digits = ((PyLongObject *)value)->ob_digit;
    Py_ssize_t size = Py_SIZE(value);
    if (__builtin_expect(size != 2 && size != -2, 1))
        return small_integer(value, number);
    magnitude = (int64_t)digits[1] << PyLong_SHIFT | digits[0];
    *number = size < 0 ? -magnitude : magnitude;
#endif
    return 1;
}

/* Give an integer that nobody else has, and that has room for so many digits, a new value. */
static inline void write_integer(PyObject *object, int64_t number, uint64_t magnitude, size_t digits)
{
#if PY_VERSION_HEX >= 0x030C0000
    _PyLongValue *known = &((PyLongObject *)object)->long_value;
    known->lv_tag = digits << 3 | (number < 0 ? 2 : 0);
    known->ob_digit[0] = (digit)(magnitude & PyLong_MASK);
    if (digits == 2)
        known->ob_digit[1] = (digit)(magnitude >> PyLong_SHIFT);
#else
    PyLongObject *known = (PyLongObject *)object;
    Py_SET_SIZE(known, number < 0 ? -(Py_ssize_t)digits : (Py_ssize_t)digits);
    known->ob_digit[0] = (digit)(magnitude & PyLong_MASK);
    if (digits == 2)
        known->ob_digit[1] = (digit)(magnitude >> PyLong_SHIFT);
#endif
}

/* A new reference to an integer of this value: `own`, unless that is NULL, is an exact integer that
   nobody but the caller has, and that the caller is about to drop. */
static inline PyObject *integer_result(int64_t number, PyObject *own)
{
    uint64_t magnitude = number < 0 ? -(uint64_t)number : (uint64_t)number;
    size_t digits = magnitude >> PyLong_SHIFT ? 2 : 1;
    struct kept_integers *kept = &cutaway_kept_integers[digits - 1];
    PyObject *object;

    if (number >= SMALLEST && number <= LARGEST)
        return one_more(cutaway_small_integers[number - SMALLEST]);
    if (magnitude >> 2 * PyLong_SHIFT)
        return PyLong_FromLongLong(number);
    if (own && digits_of(own) >= digits)
        object = one_more(own);
    else if (kept->count)
        object = kept->objects[--kept->count];
    else
        return PyLong_FromLongLong(number);
    write_integer(object, number, magnitude, digits);
    return object;
}

#endif
