/* The specialization for a call: conversions between types, and the ranking (SPEC B5, B6). */

#include "dispatch.h"

#define MOST_CONVERSIONS (1 << 16)

PyObject *conversion_hook;

/* Kinds by pair of codes, plus one: 0 stands for a pair that is not known yet. */
static word_table conversions = {.limit = MOST_CONVERSIONS};

static int remember_conversion(int32_t source, int32_t wanted, int kind)
{
    uint32_t pair[2] = {(uint32_t)source, (uint32_t)wanted};

    return words_set(&conversions, pair, 2, kind + 1);
}

/* The kind of the conversion from one type to another; -1 with an exception set. */
static int conversion_of(int32_t source, int32_t wanted)
{
    uint32_t pair[2] = {(uint32_t)source, (uint32_t)wanted};
    PyObject *answer;
    long kind;

    if (source == wanted)
        return EXACT;
    kind = (long)words_find(&conversions, pair, 2) - 1;
    if (kind >= 0)
        return (int)kind;
    if (!conversion_hook) {
        PyErr_SetString(PyExc_SystemError, "no hook for conversions is set");
        return -1;
    }
    answer = PyObject_CallFunction(conversion_hook, "ii", (int)source, (int)wanted);
    if (!answer)
        return -1;
    kind = PyLong_AsLong(answer);
    Py_DECREF(answer);
    if (kind == -1 && PyErr_Occurred())
        return -1;
    if (kind < EXACT || kind > NONE) {
        PyErr_SetString(PyExc_ValueError, "there is no such kind of conversion");
        return -1;
    }
    return remember_conversion(source, wanted, (int)kind) < 0 ? -1 : (int)kind;
}

/* Rank a specialization for a call by the number of conversions of each kind, the worst first. 1:
   it is a candidate; 0: it is not; -1: an exception is set. */
static int rank(const Specialization *spec, const int32_t *codes, Py_ssize_t count,
                int unsafe_allowed, int counts[4])
{
    memset(counts, 0, 4 * sizeof(*counts));
    if (!spec->codes || spec->nargs != count)
        return 0;
    for (Py_ssize_t k = 0; k < count; k++) {
        int kind = conversion_of(codes[k], spec->codes[k]);
        if (kind < 0)
            return -1;
        if (kind == NONE || (kind == UNSAFE && !unsafe_allowed))
            return 0;
        counts[UNSAFE - kind]++;
    }
    return 1;
}

static int compare_counts(const int *a, const int *b)
{
    for (int k = 0; k < 4; k++)
        if (a[k] != b[k])
            return a[k] - b[k];
    return 0;
}

int select_best(PyObject *specializations, const int32_t *codes, Py_ssize_t count,
                int unsafe_allowed, Specialization **best)
{
    int lowest[4], counts[4], winners = 0;

    *best = NULL;
    for (Py_ssize_t k = 0;; k++) {
        Specialization *spec = (Specialization *)item_at(specializations, k);
        int fits, order;
        if (!spec)
            break;
        /* the hook for conversions may run any code */
        fits = rank(spec, codes, count, unsafe_allowed, counts);
        if (fits < 0) {
            Py_DECREF(spec);
            Py_CLEAR(*best);
            return -1;
        }
        order = !winners ? -1 : compare_counts(counts, lowest);
        if (fits && order < 0) {
            memcpy(lowest, counts, sizeof(counts));
            winners = 0;
            Py_XSETREF(*best, spec);
            spec = NULL;
        }
        winners += fits && order <= 0;
        Py_XDECREF(spec);
    }
    if (winners != 1)
        Py_CLEAR(*best);
    return winners;
}

static PyObject *set_conversion_hook(PyObject *module, PyObject *hook)
{
    Py_INCREF(hook);
    Py_XSETREF(conversion_hook, hook);
    Py_RETURN_NONE;
}

static PyObject *set_conversions(PyObject *module, PyObject *args)
{
    PyObject *codes;
    const char *kinds;
    Py_ssize_t length, count;

    if (!PyArg_ParseTuple(args, "O!y#", &PyTuple_Type, &codes, &kinds, &length))
        return NULL;
    count = PyTuple_GET_SIZE(codes);
    if (length != count * count) {
        PyErr_SetString(PyExc_ValueError, "a kind is needed for each pair of codes");
        return NULL;
    }
    for (Py_ssize_t k = 0; k < length; k++) {
        long source = PyLong_AsLong(PyTuple_GET_ITEM(codes, k / count));
        long wanted = PyLong_AsLong(PyTuple_GET_ITEM(codes, k % count));
        if (PyErr_Occurred() ||
            remember_conversion((int32_t)source, (int32_t)wanted, kinds[k]) < 0)
            return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *py_conversion(PyObject *module, PyObject *args)
{
    int source, wanted, kind;

    if (!PyArg_ParseTuple(args, "ii", &source, &wanted))
        return NULL;
    kind = conversion_of(source, wanted);
    return kind < 0 ? NULL : PyLong_FromLong(kind);
}

PyMethodDef selection_functions[] = {
    {"set_conversion_hook", set_conversion_hook, METH_O,
     "set_conversion_hook(hook): hook(source, wanted) returns the kind of a conversion between "
     "two type codes, 0 exact to 4 none; it is called once for each pair."},
    {"set_conversions", set_conversions, METH_VARARGS,
     "set_conversions(codes, kinds): set the kinds of all conversions among codes, a byte each, "
     "row by row."},
    {"conversion", py_conversion, METH_VARARGS,
     "conversion(source, wanted) -> the kind of the conversion between two type codes."},
    {NULL, NULL, 0, NULL},
};
