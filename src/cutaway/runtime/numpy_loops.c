/* The addresses of NumPy's own inner loops, of functions of its dtypes, and of the runtime's own
   loops.

   This is a separate extension since it needs NumPy's headers: `_runtime` is built without them and
   is loaded by every process, this only by those whose code calls such a loop. NumPy's C API is
   imported with the first function of a dtype, so that the runtime's own loops are available for
   any NumPy.

   Compiled code receives the address of a cutaway_loop, which exists as long as the process. */

#include "compat.h"
#include "cutaway_runtime.h"
#include "half.h"
#include "loop_address.h"
#include "numpy_numbers.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define NO_IMPORT_UFUNC
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#include <math.h>
#include <stddef.h>
#include <string.h>

/* --- loops of ufuncs ------------------------------------------------------------------------- */

/* The expected counts are those of NumPy: if the header reads others, its struct differs. */
static PyObject *ufunc_loop(PyObject *module, PyObject *args)
{
    PyObject *object;
    PyUFuncObject *ufunc;
    int row, inputs, outputs, rows;

    if (!PyArg_ParseTuple(args, "Oiiii", &object, &row, &inputs, &outputs, &rows))
        return NULL;
    if (Py_TYPE(object)->tp_basicsize < (Py_ssize_t)sizeof(PyUFuncObject))
        Py_RETURN_NONE;
    ufunc = (PyUFuncObject *)object;
    if (ufunc->nin != inputs || ufunc->nout != outputs || ufunc->nargs != inputs + outputs ||
        ufunc->ntypes != rows || row < 0 || row >= rows || !ufunc->functions || !ufunc->functions[row])
        Py_RETURN_NONE;
    Py_INCREF(ufunc); /* permanently: the function may be called at any time */
    return address_of_loop((void *)ufunc->functions[row], ufunc->data ? ufunc->data[row] : NULL);
}

/* --- functions of dtypes --------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t offset;
} array_functions[] = {
    {"argmax", offsetof(PyArray_ArrFuncs, argmax)},
    {"argmin", offsetof(PyArray_ArrFuncs, argmin)},
    {"argsort", offsetof(PyArray_ArrFuncs, argsort) + NPY_QUICKSORT * sizeof(void *)},
    {"dot", offsetof(PyArray_ArrFuncs, dotfunc)},
    {"nonzero", offsetof(PyArray_ArrFuncs, nonzero)},
    {"sort", offsetof(PyArray_ArrFuncs, sort) + NPY_QUICKSORT * sizeof(void *)},
    {"stable_argsort", offsetof(PyArray_ArrFuncs, argsort) + NPY_STABLESORT * sizeof(void *)},
    {"stable_sort", offsetof(PyArray_ArrFuncs, sort) + NPY_STABLESORT * sizeof(void *)},
};

static int import_numpy(void)
{
    return PyArray_API ? 0 : _import_array();
}

/* Elements that are objects need the GIL; those with a size of their own, an array of that size. */
static int is_plain(PyObject *array)
{
    int number = PyArray_TYPE((PyArrayObject *)array);

    return (PyTypeNum_ISNUMBER(number) || PyTypeNum_ISBOOL(number) ||
            PyTypeNum_ISDATETIME(number)) &&
           PyArray_ISBEHAVED((PyArrayObject *)array);
}

/* --- partitions ------------------------------------------------------------------------------ */

/* A dtype exports no functions for these, so NumPy is called with arrays, and the GIL is held.  The
   caller has checked the ranks, so only memory can run out; then -1 is returned. */
static PyArrayObject *array_over(void *start, npy_intp count, PyArray_Descr *dtype)
{
    Py_INCREF(dtype); /* takes over this reference */
    return (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, dtype, 1, &count, NULL, start,
                                                 NPY_ARRAY_CARRAY, NULL);
}

static int part(void *start, npy_intp count, npy_intp *ranks, npy_intp n, npy_intp *places,
                PyObject *like)
{
    PyGILState_STATE held = PyGILState_Ensure();
    PyArray_Descr *whole = PyArray_DescrFromType(NPY_INTP);
    PyArrayObject *line = array_over(start, count, PyArray_DESCR((PyArrayObject *)like));
    PyArrayObject *wanted = array_over(ranks, n, whole);
    PyObject *found = NULL;
    int status = -1;

    if (line && wanted && places) {
        found = PyArray_ArgPartition(line, wanted, 0, NPY_INTROSELECT);
        if (found) {
            memcpy(places, PyArray_DATA((PyArrayObject *)found), count * sizeof(npy_intp));
            status = 0;
        }
    } else if (line && wanted)
        status = PyArray_Partition(line, wanted, 0, NPY_INTROSELECT);
    Py_XDECREF(line);
    Py_XDECREF(wanted);
    Py_XDECREF(found);
    Py_XDECREF(whole);
    if (status < 0)
        PyErr_Clear(); /* the caller raises MemoryError */
    PyGILState_Release(held);
    return status;
}

/* --- a function by its name ------------------------------------------------------------------ */

static PyObject *array_function(PyObject *module, PyObject *args)
{
    const char *name, *functions;
    PyObject *array;
    void *function;

    if (!PyArg_ParseTuple(args, "sO", &name, &array) || import_numpy() < 0)
        return NULL;
    if (!PyArray_Check(array) || !is_plain(array))
        Py_RETURN_NONE;
    if (!strcmp(name, "part")) {
        Py_INCREF(array);
        return address_of_loop((void *)part, array);
    }
    functions = (const char *)PyDataType_GetArrFuncs(PyArray_DESCR((PyArrayObject *)array));
    for (size_t k = 0; k < sizeof(array_functions) / sizeof(*array_functions); k++) {
        if (strcmp(name, array_functions[k].name))
            continue;
        memcpy(&function, functions + array_functions[k].offset, sizeof(function));
        if (!function)
            break;
        Py_INCREF(array); /* permanently: it is the last argument of each call */
        return address_of_loop(function, array);
    }
    Py_RETURN_NONE;
}

/* --- the runtime's own loops ----------------------------------------------------------------- */

/* For a NumPy whose structs are unknown: call the C library's function for each element.
   `function` is passed in the place of the data of NumPy's loops. */
#define LOOPS(type)                                                                              \
    static void one_##type(char **args, const npy_intp *sizes, const npy_intp *steps,            \
                           void *function)                                                       \
    {                                                                                            \
        type (*of)(type) = (type(*)(type))function;                                              \
        for (npy_intp k = 0; k < sizes[0]; k++)                                                  \
            *(type *)(args[1] + k * steps[1]) = of(*(type *)(args[0] + k * steps[0]));           \
    }                                                                                            \
    static void two_##type(char **args, const npy_intp *sizes, const npy_intp *steps,            \
                           void *function)                                                       \
    {                                                                                            \
        type (*of)(type, type) = (type(*)(type, type))function;                                  \
        for (npy_intp k = 0; k < sizes[0]; k++)                                                  \
            *(type *)(args[2] + k * steps[2]) =                                                  \
                of(*(type *)(args[0] + k * steps[0]), *(type *)(args[1] + k * steps[1]));        \
    }

LOOPS(double)
LOOPS(float)

/* Compute with floats of 16 bits in the wider format. */
static void one_half(char **args, const npy_intp *sizes, const npy_intp *steps, void *function)
{
    float (*of)(float) = (float (*)(float))function;

    for (npy_intp k = 0; k < sizes[0]; k++)
        *(uint16_t *)(args[1] + k * steps[1]) =
            half_of_double(of(single_of_half(*(uint16_t *)(args[0] + k * steps[0]))));
}

static void two_half(char **args, const npy_intp *sizes, const npy_intp *steps, void *function)
{
    float (*of)(float, float) = (float (*)(float, float))function;

    for (npy_intp k = 0; k < sizes[0]; k++)
        *(uint16_t *)(args[2] + k * steps[2]) =
            half_of_double(of(single_of_half(*(uint16_t *)(args[0] + k * steps[0])),
                              single_of_half(*(uint16_t *)(args[1] + k * steps[1]))));
}

#define ONE(name, of)                                                                            \
    {"numpy." name ".d.d", {(void *)one_double, (void *)of}},                                    \
    {"numpy." name ".e.e", {(void *)one_half, (void *)of##f}},                                   \
    {"numpy." name ".f.f", {(void *)one_float, (void *)of##f}}
#define TWO(name, of)                                                                            \
    {"numpy." name ".dd.d", {(void *)two_double, (void *)of}},                                   \
    {"numpy." name ".ee.e", {(void *)two_half, (void *)of##f}},                                  \
    {"numpy." name ".ff.f", {(void *)two_float, (void *)of##f}}

static const struct {
    const char *name;
    cutaway_loop loop;
} own_loops[] = {
    ONE("absolute", fabs), ONE("arccos", acos), ONE("arccosh", acosh), ONE("arcsin", asin),
    ONE("arcsinh", asinh), ONE("arctan", atan), ONE("arctanh", atanh), ONE("cbrt", cbrt),
    ONE("ceil", ceil), ONE("cos", cos), ONE("cosh", cosh), ONE("exp", exp), ONE("exp2", exp2),
    ONE("expm1", expm1), ONE("fabs", fabs), ONE("floor", floor), ONE("log", log),
    ONE("log10", log10), ONE("log1p", log1p), ONE("log2", log2), ONE("rint", rint),
    ONE("sin", sin), ONE("sinh", sinh), ONE("sqrt", sqrt), ONE("tan", tan), ONE("tanh", tanh),
    ONE("trunc", trunc),
    TWO("arctan2", atan2), TWO("copysign", copysign), TWO("fmax", fmax), TWO("fmin", fmin),
    TWO("fmod", fmod), TWO("hypot", hypot), TWO("nextafter", nextafter), TWO("power", pow),
};

static PyObject *own_loop(PyObject *module, PyObject *wanted)
{
    const char *name = PyUnicode_AsUTF8(wanted);

    if (!name)
        return NULL;
    for (size_t k = 0; k < sizeof(own_loops) / sizeof(*own_loops); k++)
        if (!strcmp(name, own_loops[k].name))
            return PyLong_FromVoidPtr((void *)&own_loops[k].loop);
    Py_RETURN_NONE;
}

/* --- the module ------------------------------------------------------------------------------ */

static PyMethodDef methods[] = {
    {"ufunc_loop", ufunc_loop, METH_VARARGS,
     "ufunc_loop(ufunc, row, nin, nout, ntypes): the address of a loop, or None."},
    {"array_function", array_function, METH_VARARGS,
     "array_function(name, array): the address of a function of the array's dtype, or None."},
    {"number_function", number_function, METH_VARARGS,
     "number_function(name, loop, lanes, is_masked): the address of a function of numbers, or None."},
    {"own_loop", own_loop, METH_O,
     "own_loop(name): the address of a loop of the runtime, or None."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "cutaway.runtime._numpy_loops",
    .m_doc = "The addresses of NumPy's inner loops and of functions of its dtypes.",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__numpy_loops(void)
{
    PyObject *module = new_module(&module_definition);

    if (module && PyModule_AddIntConstant(module, "UFUNC_BYTES", sizeof(PyUFuncObject)) < 0)
        Py_CLEAR(module);
    return module;
}
