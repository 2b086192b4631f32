/* Loops of functions in object mode for which typed code is tried first (objects.h).

   The state of a loop is a tuple: its dispatcher; the values that it reads from the module and from
   enclosing functions, as rows of a cell or None, a name, the names of attributes, and the value
   that is part of the code; those of them that are passed, as rows without the value; bytes, see
   below; the class of the exception that reports that no types fit; the function to call in all
   other cases; and the results that may be identical to arguments, as pairs of positions. */

#include "objects.h"

#include <string.h>

enum { DISPATCHER, FROZEN, PASSED, REFUSED, NOT_LIFTED, LIFTING, SAME };
enum { MOST_VALUES = 64, REFUSALS = 4, DEEPEST = 50 };

/* The attribute of a module or a class, or NULL: a new reference. */
static PyObject *member(PyObject *owner, PyObject *name)
{
    PyObject *value = NULL;

    if (PyModule_Check(owner))
        item_of(PyModule_GetDict(owner), name, &value);
    else if (PyType_Check(owner))
        value = cutaway_in_class((PyTypeObject *)owner, name);
    return value;
}

/* The current value of a row, or NULL: a new reference. */
static PyObject *now(PyObject *const *env, PyObject *row)
{
    PyObject *cell = PyTuple_GET_ITEM(row, 0), *name = PyTuple_GET_ITEM(row, 1);
    PyObject *attributes = PyTuple_GET_ITEM(row, 2), *value;

    if (cell != Py_None)
        value = value_of_cell(cell);
    else if (item_of(env[ENV_GLOBALS], name, &value) == 0)
        item_of(env[ENV_BUILTINS], name, &value);
    for (Py_ssize_t k = 0; value && k < PyTuple_GET_SIZE(attributes); k++)
        Py_SETREF(value, member(value, PyTuple_GET_ITEM(attributes, k)));
    if (!value)
        PyErr_Clear();
    return value;
}

static int has_changed(PyObject *const *env, PyObject *frozen)
{
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(frozen); k++) {
        PyObject *row = PyTuple_GET_ITEM(frozen, k), *value = now(env, row);

        Py_XDECREF(value); /* the row holds the value that is compared */
        if (value != PyTuple_GET_ITEM(row, 3))
            return 1;
    }
    return 0;
}

enum { FITS, TOO_LARGE, STRANGE };

/* Whether typed code may be tried for the value at a position: integers have a limited size, and
   operators of an object of a user-defined class run that class's code.  -1 with an exception
   set. */
static int kind_of(PyObject *lifting, PyObject *value, Py_ssize_t place, int depth)
{
    PyTypeObject *cls = Py_TYPE(value);
    PyObject *allowed;
    int64_t small;
    int overflow = 0, kind = FITS;

    if (PyLong_CheckExact(value) && !small_integer(value, &small)) {
        (void)PyLong_AsLongLongAndOverflow(value, &overflow);
        return overflow ? TOO_LARGE : FITS;
    }
    if (cls->tp_flags & Py_TPFLAGS_HEAPTYPE) {
        allowed = PyObject_CallMethod(lifting, "allows", "nO", place, cls);
        if (!allowed)
            return -1;
        kind = allowed == Py_True ? FITS : STRANGE;
        Py_DECREF(allowed);
    }
    if (PyTuple_Check(value)) {
        if (depth > DEEPEST)
            return STRANGE;
        for (Py_ssize_t k = 0; !kind && k < PyTuple_GET_SIZE(value); k++)
            kind = kind_of(lifting, PyTuple_GET_ITEM(value, k), place, depth + 1);
    }
    return kind;
}

/* The classes of values, hashed to a number other than 0.  A collision, or a class at the address
   of one that is freed, only makes a loop run as objects. */
static uint64_t classes_of(PyObject *const *values, int64_t count)
{
    uint64_t number = 14695981039346656037u;

    for (int64_t k = 0; k < count; k++)
        number = (number ^ (uint64_t)(uintptr_t)(values[k] ? Py_TYPE(values[k]) : NULL)) *
                 1099511628211u;
    return number | 1;
}

static int is_refused(PyObject *bytes, uint64_t classes)
{
    uint64_t known[REFUSALS];

    memcpy(known, PyByteArray_AS_STRING(bytes), sizeof known);
    for (int k = 0; k < REFUSALS; k++)
        if (known[k] == classes)
            return 1;
    return 0;
}

static void refuse(PyObject *bytes, uint64_t classes)
{
    char *known = PyByteArray_AS_STRING(bytes);

    memmove(known + sizeof classes, known, (REFUSALS - 1) * sizeof classes);
    memcpy(known, &classes, sizeof classes);
}

/* 1 if the exception that is set reports that no types fit: then it is cleared. */
static int does_not_fit(PyObject *state, uint64_t classes)
{
    PyObject *type, *value, *traceback, *lasting;

    if (!PyErr_ExceptionMatches(PyTuple_GET_ITEM(state, NOT_LIFTED)))
        return 0;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    lasting = PyObject_GetAttrString(value, "lasting");
    if (lasting == Py_True)
        refuse(PyTuple_GET_ITEM(state, REFUSED), classes);
    PyErr_Clear();
    Py_XDECREF(lasting);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return 1;
}

/* The values that are missing, as bits; the others are moved together. */
static uint64_t gather(PyObject **values, int64_t *count)
{
    uint64_t missing = 0;
    int64_t there = 0;

    for (int64_t k = 0; k < *count; k++)
        if (values[k])
            values[there++] = values[k];
        else
            missing |= (uint64_t)1 << k;
    *count = there;
    return missing;
}

static PyObject *run(PyObject *state, PyObject **values, int64_t count, int64_t inputs)
{
    PyObject *dispatcher, *result, *passed[MOST_VALUES];
    int64_t more = count - inputs;
    uint64_t missing;

    memcpy(passed, values + inputs, (size_t)more * sizeof *passed);
    missing = gather(values, &inputs);
    if (!missing)
        return PyObject_Vectorcall(PyTuple_GET_ITEM(state, DISPATCHER), values, (size_t)count, NULL);
    memcpy(values + inputs, passed, (size_t)more * sizeof *passed);
    dispatcher = PyObject_CallMethod(PyTuple_GET_ITEM(state, LIFTING), "dispatcher", "K",
                                     (unsigned long long)missing);
    if (!dispatcher)
        return NULL;
    result = PyObject_Vectorcall(dispatcher, values, (size_t)(inputs + more), NULL);
    Py_DECREF(dispatcher);
    return result;
}

/* 1 if two immutable objects are equal to the last bit. */
static int is_same(PyObject *one, PyObject *other)
{
    static const char *const bounds[] = {"start", "stop", "step"};
    int same = 1;

    if (one == other || Py_TYPE(one) != Py_TYPE(other))
        return one == other;
    if (PyFloat_CheckExact(one))
        return !memcmp(&((PyFloatObject *)one)->ob_fval, &((PyFloatObject *)other)->ob_fval,
                       sizeof(double));
    if (PyComplex_CheckExact(one))
        return !memcmp(&((PyComplexObject *)one)->cval, &((PyComplexObject *)other)->cval,
                       sizeof(Py_complex));
    if (PyLong_CheckExact(one) || PyUnicode_CheckExact(one) || PyBytes_CheckExact(one))
        return PyObject_RichCompareBool(one, other, Py_EQ) == 1;
    if (PyTuple_Check(one)) {
        same = PyTuple_GET_SIZE(one) == PyTuple_GET_SIZE(other);
        for (Py_ssize_t k = 0; same && k < PyTuple_GET_SIZE(one); k++)
            same = is_same(PyTuple_GET_ITEM(one, k), PyTuple_GET_ITEM(other, k));
        return same;
    }
    if (!PyRange_Check(one) && !PySlice_Check(one))
        return 0;
    for (int k = 0; same && k < 3; k++) {
        PyObject *a = PyObject_GetAttrString(one, bounds[k]);
        PyObject *b = PyObject_GetAttrString(other, bounds[k]);

        same = a && b && is_same(a, b);
        Py_XDECREF(a);
        Py_XDECREF(b);
    }
    return same;
}

/* Replace a result that is equal to an argument by the argument itself: typed code has created
   another object of the same value. */
static void pass_on(PyObject *result, PyObject *pairs, PyObject *const *args, int64_t count,
                    PyObject *const *more)
{
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(pairs); k++) {
        PyObject *pair = PyTuple_GET_ITEM(pairs, k);
        Py_ssize_t item = 1 + PyLong_AsSsize_t(PyTuple_GET_ITEM(pair, 0));
        Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GET_ITEM(pair, 1));
        PyObject *given = place < count ? args[place] : more[place - count];
        PyObject *made = PyTuple_GET_ITEM(result, item);

        if (given && made != given && is_same(made, given)) {
            PyTuple_SET_ITEM(result, item, Py_NewRef(given));
            Py_DECREF(made);
        }
    }
}

/* Run the loop with its values, of which `kept` are read from the module; None if no types fit. */
static PyObject *run_with(PyObject *state, PyObject *const *args, int64_t count,
                          PyObject *const *kept, int64_t more)
{
    PyObject *values[MOST_VALUES], *result;
    int64_t all = count + more;
    uint64_t classes;
    int kind = FITS;

    memcpy(values, args, (size_t)count * sizeof *values);
    memcpy(values + count, kept, (size_t)more * sizeof *values);
    classes = classes_of(values, all);
    if (is_refused(PyTuple_GET_ITEM(state, REFUSED), classes))
        return Py_NewRef(Py_None);
    for (int64_t k = 0; !kind && k < all; k++)
        if (values[k])
            kind = kind_of(PyTuple_GET_ITEM(state, LIFTING), values[k], k, 0);
    if (kind == STRANGE)
        refuse(PyTuple_GET_ITEM(state, REFUSED), classes);
    if (kind)
        return kind < 0 ? NULL : Py_NewRef(Py_None);
    result = run(state, values, all, count);
    if (result && PyTuple_CheckExact(result) && is_own(result))
        pass_on(result, PyTuple_GET_ITEM(state, SAME), args, count, kept);
    if (!result && does_not_fit(state, classes))
        return Py_NewRef(Py_None);
    return result;
}

/* The same, with the module's current values. */
static PyObject *run_now(PyObject *const *env, PyObject *state, PyObject *const *args,
                         int64_t count)
{
    PyObject *kept[MOST_VALUES], *names = PyTuple_GET_ITEM(state, PASSED), *result;
    int64_t more = PyTuple_GET_SIZE(names), there = 0;

    if (count + more > MOST_VALUES)
        return Py_NewRef(Py_None);
    while (there < more && (kept[there] = now(env, PyTuple_GET_ITEM(names, there))))
        there++;
    result = there == more ? run_with(state, args, count, kept, more) : Py_NewRef(Py_None);
    while (there)
        Py_DECREF(kept[--there]);
    return result;
}

/* The state of a loop: a new reference. */
static PyObject *state_of(PyObject *loop)
{
    static PyObject *name;

    if (!name)
        name = PyUnicode_InternFromString("state");
    return name ? PyObject_GetAttr(loop, name) : NULL;
}

PyObject *cutaway_py_run_loop(PyObject *const *env, PyObject *loop, PyObject *const *args,
                              int64_t count, int32_t lasti, int32_t line)
{
    PyObject *state = state_of(loop), *result, *renewed;

    if (!state)
        return NULL;
    if (state != Py_None && has_changed(env, PyTuple_GET_ITEM(state, FROZEN))) {
        renewed = PyObject_CallMethod(PyTuple_GET_ITEM(state, LIFTING), "renew", "(O)", state);
        Py_DECREF(state);
        if (!renewed)
            return NULL;
        Py_DECREF(renewed);
        state = state_of(loop);
        if (!state)
            return NULL;
    }
    if (state == Py_None)
        return state;
    result = run_now(env, state, args, count);
    Py_DECREF(state);
    if (!result) { /* typed code adds its own line to the traceback */
        PyObject *type, *value, *traceback;

        PyErr_Fetch(&type, &value, &traceback);
        PyErr_Restore(type, value, traceback);
        if (!traceback)
            cutaway_py_failed(env, lasti, line);
    }
    return result;
}
