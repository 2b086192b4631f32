/* Integers of object mode: access to their values, and objects for results.

   A loop over numbers spends most of its time on their memory.  So a dropped integer is kept for
   the next result, a few of each size; and an integer that is about to be dropped becomes the
   result itself. Both have no other reference, and are CPython's own objects with their usual
   contents.  Without the GIL none are kept. */

#ifndef CUTAWAY_OBJECT_INTEGERS_H
#define CUTAWAY_OBJECT_INTEGERS_H

#include "objects.h"

#pragma GCC visibility push(hidden)

enum { KEPT = 16 };

extern PyObject *cutaway_small_integers[LARGEST - SMALLEST + 1];

/* Integers of one digit, and of two, each with one reference. */
extern struct kept_integers {
    Py_ssize_t count;
    PyObject *objects[KEPT];
} cutaway_kept_integers[2];

int add_object_integers(void);

#pragma GCC visibility pop

/* Store a new value in an integer that has no other reference, and has room for so many digits. */
static inline void write_integer(PyObject *object, int64_t number, uint64_t magnitude, size_t digits)
{
    digit *known = digits_in(object);

    set_digits_of(object, digits, number < 0);
    known[0] = (digit)(magnitude & PyLong_MASK);
    if (digits == 2)
        known[1] = (digit)(magnitude >> PyLong_SHIFT);
}

/* A new reference to an integer of this value: `own`, unless it is NULL, is an exact integer to
   which only the caller has a reference, which it is about to drop. */
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
    else if (!FREE_THREADED && kept->count)
        object = kept->objects[--kept->count];
    else
        return PyLong_FromLongLong(number);
    write_integer(object, number, magnitude, digits);
    return object;
}

#endif
