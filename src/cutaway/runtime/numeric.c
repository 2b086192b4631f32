/* Number functions with Python's meaning; see numeric.h. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>

#include "numeric.h"

/* --- floats ----------------------------------------------------------------------------- */

double cutaway_math_fmod(double x, double y)
{
    if (isinf(y) && isfinite(x))
        return x;
    return fmod(x, y);
}

double cutaway_math_remainder(double x, double y)
{
    return remainder(x, y);
}

double cutaway_math_pow(double x, double y)
{
    return pow(x, y);
}

/* CPython has its own gamma functions, which no C library agrees with to the last bit: ask it.
   A domain error comes back as NaN, a range error as infinity. */
static double ask_math(const char *name, double x)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *module = PyImport_ImportModule("math");
    PyObject *answer = module ? PyObject_CallMethod(module, name, "d", x) : NULL;
    double result = answer ? PyFloat_AsDouble(answer) : NAN;

    if (PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError))
            result = INFINITY;
        PyErr_Clear();
    }
    Py_XDECREF(answer);
    Py_XDECREF(module);
    PyGILState_Release(state);
    return result;
}

double cutaway_math_gamma(double x)
{
    return ask_math("gamma", x);
}

double cutaway_math_lgamma(double x)
{
    return ask_math("lgamma", x);
}

double cutaway_math_ldexp(double x, int64_t n)
{
    if (n > INT32_MAX / 2)
        n = INT32_MAX / 2;
    if (n < INT32_MIN / 2)
        n = INT32_MIN / 2;
    return ldexp(x, (int)n);
}

double cutaway_math_frexp_mantissa(double x)
{
    int exponent;
    return frexp(x, &exponent);
}

int64_t cutaway_math_frexp_exponent(double x)
{
    int exponent = 0;
    if (isfinite(x))
        (void)frexp(x, &exponent);
    return exponent;
}

/* The shortest way to the same answer as Python: its own correctly rounded conversions. */
double cutaway_round(double x, int64_t n)
{
    char *text;
    double result;
    PyGILState_STATE state;

    if (!isfinite(x) || n > 323)
        return x;
    if (n < -308)
        return copysign(0.0, x);
    state = PyGILState_Ensure();
    if (n >= 0) {
        text = PyOS_double_to_string(x, 'f', (int)n, 0, NULL);
        result = text ? PyOS_string_to_double(text, NULL, NULL) : NAN;
        PyMem_Free(text);
    }
    else {
        PyObject *number = PyFloat_FromDouble(x);
        PyObject *rounded = number ? PyObject_CallMethod(number, "__round__", "L", n) : NULL;
        result = rounded ? PyFloat_AsDouble(rounded) : INFINITY;
        Py_XDECREF(rounded);
        Py_XDECREF(number);
    }
    if (PyErr_Occurred()) { /* only an overflow gets here */
        PyErr_Clear();
        result = copysign(INFINITY, x);
    }
    PyGILState_Release(state);
    return result;
}

/* Small whole exponents by multiplication, as CPython does, so that 1j ** 2 is exactly -1. */
static Py_complex whole_power(Py_complex base, long n)
{
    Py_complex result = {1.0, 0.0};

    for (unsigned long rest = n < 0 ? 0UL - (unsigned long)n : (unsigned long)n; rest; rest >>= 1) {
        if (rest & 1)
            result = _Py_c_prod(result, base);
        base = _Py_c_prod(base, base);
    }
    return n < 0 ? _Py_c_quot((Py_complex){1.0, 0.0}, result) : result;
}

int32_t cutaway_complex_pow(double a, double b, double c, double d, double *result)
{
    Py_complex base = {a, b}, exponent = {c, d}, power;

    errno = 0;
    if (d == 0.0 && c == floor(c) && fabs(c) <= 100.0)
        power = whole_power(base, (long)c);
    else
        power = _Py_c_pow(base, exponent);
    result[0] = power.real;
    result[1] = power.imag;
    if (errno == EDOM)
        return 1;
    if (errno == ERANGE || ((isinf(power.real) || isinf(power.imag)) && isfinite(a) &&
                            isfinite(b) && isfinite(c) && isfinite(d)))
        return 2;
    return 0;
}

/* --- integers --------------------------------------------------------------------------- */

static uint64_t magnitude(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int64_t cutaway_math_gcd(int64_t a, int64_t b)
{
    return (int64_t)gcd(magnitude(a), magnitude(b));
}

int64_t cutaway_math_lcm(int64_t a, int64_t b)
{
    uint64_t x = magnitude(a), y = magnitude(b);
    if (!x || !y)
        return 0;
    return (int64_t)(x / gcd(x, y) * y);
}

int64_t cutaway_math_ipow(int64_t base, int64_t exponent)
{
    uint64_t result = 1, square = (uint64_t)base;
    while (exponent > 0) {
        if (exponent & 1)
            result *= square;
        square *= square;
        exponent >>= 1;
    }
    return (int64_t)result;
}

int64_t cutaway_math_powmod(int64_t base, int64_t exponent, int64_t modulus)
{
    uint64_t m = magnitude(modulus);
    uint64_t square = magnitude(base) % m, result = 1 % m;

    if (base < 0 && square)
        square = m - square;
    while (exponent > 0) {
        if (exponent & 1)
            result = (uint64_t)((unsigned __int128)result * square % m);
        square = (uint64_t)((unsigned __int128)square * square % m);
        exponent >>= 1;
    }
    if (modulus < 0 && result)
        return (int64_t)(result - m);
    return (int64_t)result;
}

int64_t cutaway_math_perm(int64_t n, int64_t k)
{
    int64_t result = 1;
    if (k > n)
        return 0;
    for (int64_t i = 0; i < k; i++)
        if (__builtin_mul_overflow(result, n - i, &result))
            return -1;
    return result;
}

int64_t cutaway_math_factorial(int64_t n)
{
    return n > 20 ? -1 : cutaway_math_perm(n, n);
}

int64_t cutaway_math_comb(int64_t n, int64_t k)
{
    unsigned __int128 result = 1;
    if (k > n)
        return 0;
    if (k > n - k)
        k = n - k;
    for (int64_t i = 1; i <= k; i++) {
        result = result * (uint64_t)(n - k + i) / (uint64_t)i; /* exact at every step */
        if (result > INT64_MAX)
            return -1;
    }
    return (int64_t)result;
}

int64_t cutaway_math_isqrt(int64_t n)
{
    int64_t root = (int64_t)sqrt((double)n);
    while ((unsigned __int128)root * root > (unsigned __int128)n)
        root--;
    while ((unsigned __int128)(root + 1) * (root + 1) <= (unsigned __int128)n)
        root++;
    return root;
}
