/* Operators on objects: exact small integers and floats in line, all others by Python. */

#include "object_integers.h"

#include <math.h>

/* A number as a double, where it is an exact float, or an exact small integer beside one. */
static inline int real_of(PyObject *value, double *number)
{
    int64_t small;

    if (PyFloat_CheckExact(value)) {
        *number = PyFloat_AS_DOUBLE(value);
        return 1;
    }
    if (PyLong_CheckExact(value) && small_integer(value, &small)) {
        *number = (double)small;
        return 1;
    }
    return 0;
}

static inline int both_short(PyObject *a, PyObject *b, int64_t *x, int64_t *y)
{
    return PyLong_CheckExact(a) && PyLong_CheckExact(b) && short_integer(a, x) &&
           short_integer(b, y);
}

static inline int both_real(PyObject *a, PyObject *b, double *x, double *y)
{
    return (PyFloat_CheckExact(a) || PyFloat_CheckExact(b)) && real_of(a, x) && real_of(b, y);
}

/* --- arithmetic -------------------------------------------------------------------------------- */

/* A float for a result.  An operand that is about to be dropped, and that nobody else has, is the
   result itself: it is given its new value, and no memory is taken. */
static inline PyObject *real_result(double number, PyObject *a, PyObject *b, int32_t last)
{
    PyObject *reused = NULL;

    if (last & LAST_OF_A && PyFloat_CheckExact(a) && Py_REFCNT(a) == 1)
        reused = a;
    else if (last & LAST_OF_B && PyFloat_CheckExact(b) && Py_REFCNT(b) == 1)
        reused = b;
    if (!reused)
        return PyFloat_FromDouble(number);
    ((PyFloatObject *)reused)->ob_fval = number;
    return one_more(reused);
}

/* The operand that an integer may be the result in, as a float may. */
static inline PyObject *own_integer(PyObject *a, PyObject *b, int32_t last)
{
    return last & LAST_OF_A && Py_REFCNT(a) == 1   ? a
           : last & LAST_OF_B && Py_REFCNT(b) == 1 ? b
                                                   : NULL;
}

#define ARITHMETIC(name, op, overflows, general)                                           \
    PyObject *cutaway_py_##name(PyObject *a, PyObject *b, int32_t last)                    \
    {                                                                                      \
        int64_t m, n;                                                                      \
        double x, y;                                                                       \
        if (both_short(a, b, &m, &n) && !overflows(m, n, &m))                              \
            return integer_result(m, own_integer(a, b, last));                             \
        if (both_real(a, b, &x, &y))                                                       \
            return real_result(x op y, a, b, last);                                        \
        return general(a, b);                                                              \
    }

ARITHMETIC(add, +, __builtin_add_overflow, PyNumber_Add)
ARITHMETIC(subtract, -, __builtin_sub_overflow, PyNumber_Subtract)
ARITHMETIC(multiply, *, __builtin_mul_overflow, PyNumber_Multiply)
ARITHMETIC(inplace_add, +, __builtin_add_overflow, PyNumber_InPlaceAdd)
ARITHMETIC(inplace_subtract, -, __builtin_sub_overflow, PyNumber_InPlaceSubtract)
ARITHMETIC(inplace_multiply, *, __builtin_mul_overflow, PyNumber_InPlaceMultiply)

PyObject *cutaway_py_divide(PyObject *a, PyObject *b, int32_t last)
{
    double x, y;

    if (real_of(a, &x) && real_of(b, &y) && y != 0)
        return real_result(x / y, a, b, last);
    return PyNumber_TrueDivide(a, b);
}

static inline int64_t floor_of(int64_t m, int64_t n)
{
    int64_t quotient = m / n;

    return quotient - ((m % n != 0) & ((m < 0) != (n < 0)));
}

PyObject *cutaway_py_floor_divide(PyObject *a, PyObject *b)
{
    int64_t m, n;

    if (both_short(a, b, &m, &n) && n)
        return integer_result(floor_of(m, n), NULL);
    return PyNumber_FloorDivide(a, b);
}

PyObject *cutaway_py_remainder(PyObject *a, PyObject *b)
{
    int64_t m, n;

    if (both_short(a, b, &m, &n) && n)
        return integer_result(m - floor_of(m, n) * n, NULL);
    return PyNumber_Remainder(a, b);
}

PyObject *cutaway_py_power(PyObject *a, PyObject *b)
{
    double x, y;

    if (PyFloat_CheckExact(a) && PyLong_CheckExact(b) && real_of(a, &x) && real_of(b, &y) && y == 2) {
        if (isfinite(x * x)) /* which `pow` gives as well, rounded as it is; else it may raise */
            return PyFloat_FromDouble(x * x);
    }
    return PyNumber_Power(a, b, Py_None);
}

PyObject *cutaway_py_inplace_power(PyObject *a, PyObject *b)
{
    return PyNumber_InPlacePower(a, b, Py_None);
}

PyObject *cutaway_py_lshift(PyObject *a, PyObject *b)
{
    int64_t m, n;

    if (both_short(a, b, &m, &n) && n >= 0 && n < 32 &&
        !__builtin_mul_overflow(m, (int64_t)1 << n, &m))
        return integer_result(m, NULL);
    return PyNumber_Lshift(a, b);
}

PyObject *cutaway_py_rshift(PyObject *a, PyObject *b)
{
    int64_t m, n;

    if (both_short(a, b, &m, &n) && n >= 0)
        return integer_result(m >> (n < 63 ? n : 63), NULL);
    return PyNumber_Rshift(a, b);
}

#define BITS(name, op, general)                                                            \
    PyObject *cutaway_py_##name(PyObject *a, PyObject *b)                                  \
    {                                                                                      \
        int64_t m, n;                                                                      \
        if (both_short(a, b, &m, &n))                                                      \
            return integer_result(m op n, NULL);                                          \
        return general(a, b);                                                              \
    }

BITS(and, &, PyNumber_And)
BITS(or, |, PyNumber_Or)
BITS(xor, ^, PyNumber_Xor)

/* --- comparisons ------------------------------------------------------------------------------- */

#define COMPARED(x, y)                                                                     \
    (how == Py_LT   ? (x) < (y)                                                            \
     : how == Py_LE ? (x) <= (y)                                                           \
     : how == Py_EQ ? (x) == (y)                                                           \
     : how == Py_NE ? (x) != (y)                                                           \
     : how == Py_GT ? (x) > (y)                                                            \
                    : (x) >= (y))

/* 1 or 0 for numbers, -1 for anything else. */
static inline int compared_numbers(PyObject *a, PyObject *b, int32_t how)
{
    int64_t m, n;
    double x, y;

    if (both_short(a, b, &m, &n))
        return COMPARED(m, n);
    if (both_real(a, b, &x, &y))
        return COMPARED(x, y);
    return -1;
}

PyObject *cutaway_py_compare(PyObject *a, PyObject *b, int32_t how)
{
    int known = compared_numbers(a, b, how);

    return known < 0 ? PyObject_RichCompare(a, b, how) : one_more(known ? Py_True : Py_False);
}

int32_t cutaway_py_compares(PyObject *a, PyObject *b, int32_t how)
{
    int known = compared_numbers(a, b, how);
    PyObject *answer;

    if (known >= 0)
        return known;
    answer = PyObject_RichCompare(a, b, how);
    if (!answer)
        return -1;
    known = PyObject_IsTrue(answer);
    Py_DECREF(answer);
    return known;
}

/* --- texts ------------------------------------------------------------------------------------- */

/* Where nobody else has the text it grows in its place, as in CPython's interpreter: a loop that
   adds to one would take quadratic time otherwise. */
PyObject *cutaway_py_append(PyObject **a, PyObject *b, int32_t inplace, int32_t last)
{
    if (PyUnicode_CheckExact(*a) && PyUnicode_CheckExact(b) && *a != b) {
        PyObject *text = *a;
        *a = NULL;
        PyUnicode_Append(&text, b);
        return text;
    }
    return inplace ? cutaway_py_inplace_add(*a, b, last) : cutaway_py_add(*a, b, last);
}
