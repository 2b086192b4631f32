/* Operators on objects: inline for exact small integers and floats, by Python for all others. */

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

/* A float as a result.  An operand without other references that is about to be dropped is reused
   as the result: it gets the new value, and no memory is allocated. */
static inline PyObject *real_result(double number, PyObject *a, PyObject *b, int32_t last)
{
    PyObject *reused = NULL;

    if (last & LAST_OF_A && PyFloat_CheckExact(a) && is_own(a))
        reused = a;
    else if (last & LAST_OF_B && PyFloat_CheckExact(b) && is_own(b))
        reused = b;
    if (!reused)
        return PyFloat_FromDouble(number);
    ((PyFloatObject *)reused)->ob_fval = number;
    return one_more(reused);
}

/* The operand that can be reused for an integer, as for a float. */
static inline PyObject *own_integer(PyObject *a, PyObject *b, int32_t last)
{
    return last & LAST_OF_A && is_own(a)   ? a
           : last & LAST_OF_B && is_own(b) ? b
                                           : NULL;
}

/* Integers of any size are left to `int`. */
static inline PyObject *of_any(PyObject *a, PyObject *b, binaryfunc of_integers, binaryfunc general)
{
    return PyLong_CheckExact(a) && PyLong_CheckExact(b) ? of_integers(a, b) : general(a, b);
}

#define ARITHMETIC(name, op, overflows, slot, general)                                     \
    PyObject *cutaway_py_##name(PyObject *a, PyObject *b, int32_t last)                    \
    {                                                                                      \
        int64_t m, n;                                                                      \
        double x, y;                                                                       \
        if (both_short(a, b, &m, &n) && !overflows(m, n, &m))                              \
            return integer_result(m, own_integer(a, b, last));                             \
        if (both_real(a, b, &x, &y))                                                       \
            return real_result(x op y, a, b, last);                                        \
        return of_any(a, b, PyLong_Type.tp_as_number->slot, general);                      \
    }

ARITHMETIC(add, +, __builtin_add_overflow, nb_add, PyNumber_Add)
ARITHMETIC(subtract, -, __builtin_sub_overflow, nb_subtract, PyNumber_Subtract)
ARITHMETIC(multiply, *, __builtin_mul_overflow, nb_multiply, PyNumber_Multiply)
ARITHMETIC(inplace_add, +, __builtin_add_overflow, nb_add, PyNumber_InPlaceAdd)
ARITHMETIC(inplace_subtract, -, __builtin_sub_overflow, nb_subtract, PyNumber_InPlaceSubtract)
ARITHMETIC(inplace_multiply, *, __builtin_mul_overflow, nb_multiply, PyNumber_InPlaceMultiply)

#define DIVISION(name, general)                                                            \
    PyObject *cutaway_py_##name(PyObject *a, PyObject *b, int32_t last)                    \
    {                                                                                      \
        double x, y;                                                                       \
        if (real_of(a, &x) && real_of(b, &y) && y != 0)                                    \
            return real_result(x / y, a, b, last);                                         \
        return general(a, b);                                                              \
    }

DIVISION(divide, PyNumber_TrueDivide)
DIVISION(inplace_divide, PyNumber_InPlaceTrueDivide)

static inline int64_t floor_of(int64_t m, int64_t n)
{
    int64_t quotient = m / n;

    return quotient - ((m % n != 0) & ((m < 0) != (n < 0)));
}

/* An operator with integer results for integers, as in Python, where `possible` holds. */
#define INTEGERS(name, possible, result, slot, general)                                    \
    PyObject *cutaway_py_##name(PyObject *a, PyObject *b)                                  \
    {                                                                                      \
        int64_t m, n;                                                                      \
        if (both_short(a, b, &m, &n) && (possible))                                        \
            return integer_result(result, NULL);                                           \
        return of_any(a, b, PyLong_Type.tp_as_number->slot, general);                      \
    }

#define SHIFTS_LEFT (n >= 0 && n < 32 && !__builtin_mul_overflow(m, (int64_t)1 << n, &m))
#define SHIFTED_RIGHT (m >> (n < 63 ? n : 63))
#define REMAINDER (m - floor_of(m, n) * n)

INTEGERS(floor_divide, n, floor_of(m, n), nb_floor_divide, PyNumber_FloorDivide)
INTEGERS(remainder, n, REMAINDER, nb_remainder, PyNumber_Remainder)
INTEGERS(lshift, SHIFTS_LEFT, m, nb_lshift, PyNumber_Lshift)
INTEGERS(rshift, n >= 0, SHIFTED_RIGHT, nb_rshift, PyNumber_Rshift)
INTEGERS(and, 1, m & n, nb_and, PyNumber_And)
INTEGERS(or, 1, m | n, nb_or, PyNumber_Or)
INTEGERS(xor, 1, m ^ n, nb_xor, PyNumber_Xor)
INTEGERS(inplace_floor_divide, n, floor_of(m, n), nb_floor_divide, PyNumber_InPlaceFloorDivide)
INTEGERS(inplace_remainder, n, REMAINDER, nb_remainder, PyNumber_InPlaceRemainder)
INTEGERS(inplace_lshift, SHIFTS_LEFT, m, nb_lshift, PyNumber_InPlaceLshift)
INTEGERS(inplace_rshift, n >= 0, SHIFTED_RIGHT, nb_rshift, PyNumber_InPlaceRshift)
INTEGERS(inplace_and, 1, m & n, nb_and, PyNumber_InPlaceAnd)
INTEGERS(inplace_or, 1, m | n, nb_or, PyNumber_InPlaceOr)
INTEGERS(inplace_xor, 1, m ^ n, nb_xor, PyNumber_InPlaceXor)

PyObject *cutaway_py_negative(PyObject *value)
{
    int64_t number;

    if (PyLong_CheckExact(value) && short_integer(value, &number))
        return integer_result(-number, NULL);
    return PyNumber_Negative(value);
}

PyObject *cutaway_py_power(PyObject *a, PyObject *b)
{
    double x, y;

    if (PyFloat_CheckExact(a) && PyLong_CheckExact(b) && real_of(a, &x) && real_of(b, &y) && y == 2) {
        if (isfinite(x * x)) /* `pow` has the same result, equally rounded; else it may raise */
            return PyFloat_FromDouble(x * x);
    }
    return PyNumber_Power(a, b, Py_None);
}

PyObject *cutaway_py_inplace_power(PyObject *a, PyObject *b)
{
    return PyNumber_InPlacePower(a, b, Py_None);
}

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

static inline PyObject *compared(PyObject *a, PyObject *b, int32_t how)
{
    if (PyLong_CheckExact(a) && PyLong_CheckExact(b))
        return PyLong_Type.tp_richcompare(a, b, how);
    return PyObject_RichCompare(a, b, how);
}

PyObject *cutaway_py_compare(PyObject *a, PyObject *b, int32_t how)
{
    int known = compared_numbers(a, b, how);

    return known < 0 ? compared(a, b, how) : one_more(known ? Py_True : Py_False);
}

int32_t cutaway_py_compares(PyObject *a, PyObject *b, int32_t how)
{
    int known = compared_numbers(a, b, how);
    PyObject *answer;

    if (known >= 0)
        return known;
    answer = compared(a, b, how);
    if (!answer)
        return -1;
    known = PyObject_IsTrue(answer);
    Py_DECREF(answer);
    return known;
}

/* --- texts ------------------------------------------------------------------------------------- */

/* A text without other references grows in place, as in CPython's interpreter: a loop that appends
   to one would take quadratic time otherwise. */
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
