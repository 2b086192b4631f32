/* The arguments of a launch, on their way to the dispatcher.

   Numbers are passed unchanged; data on a GPU is replaced by its shadow.  Arrays of the host are
   copied to the GPU and, after the launch, back: Python does that (`arrive_hook`), and handles all
   rarer cases. */

#include "driver.h"

static PyObject *arrive_hook, *depart_hook, *is_usual_hook;
static PyObject *usual; /* class -> whether its values go to the dispatcher unchanged */

#define MOST_CLASSES 1024

/* Keep an object alive until the launch has been made; takes over the reference. */
static PyObject *keep(arrival *state, PyObject *object)
{
    int bad;

    if (!object)
        return NULL;
    if (!state->kept && !(state->kept = PyList_New(0))) {
        Py_DECREF(object);
        return NULL;
    }
    bad = PyList_Append(state->kept, object);
    Py_DECREF(object);
    return bad ? NULL : object;
}

static PyObject *shadow_in(PyObject *data)
{
    return is_data_open((const Data *)data) ? ((const Data *)data)->shadow : NULL;
}

/* The copy of the same object that was made before, in this launch. */
static PyObject *copy_made_of(const arrival *state, PyObject *value)
{
    for (Py_ssize_t k = 0; state->copied && k < PyList_GET_SIZE(state->copied); k++) {
        PyObject *pair = PyList_GET_ITEM(state->copied, k);
        if (PyTuple_GET_ITEM(pair, 0) == value)
            return PyTuple_GET_ITEM(pair, 1);
    }
    return NULL;
}

/* Have Python transfer a value to the GPU: the hook returns data, and whether to copy it back. */
static PyObject *arrive_by_hook(PyObject *value, arrival *state)
{
    PyObject *answer, *data = copy_made_of(state, value), *pair, *hook;
    int bad;

    if (data)
        return shadow_in(data);
    hook = common_object(&arrive_hook);
    if (!hook) {
        PyErr_SetString(PyExc_SystemError, "no hook for arguments is set");
        return NULL;
    }
    answer = keep(state, PyObject_CallFunction(hook, "OK", value, (unsigned long long)state->handle));
    Py_DECREF(hook);
    if (!answer)
        return NULL;
    if (!PyTuple_Check(answer) || PyTuple_GET_SIZE(answer) != 2)
        return answer; /* a value that the dispatcher supports */
    data = PyTuple_GET_ITEM(answer, 0);
    if (!PyObject_TypeCheck(data, &DataType)) {
        PyErr_SetString(PyExc_TypeError, "the hook for arguments gives data");
        return NULL;
    }
    /* a pair even if nothing is copied back, so that the same object is transferred once */
    if (!state->copied && !(state->copied = PyList_New(0)))
        return NULL;
    pair = PyTuple_Pack(3, value, data, PyTuple_GET_ITEM(answer, 1));
    bad = !pair || PyList_Append(state->copied, pair) < 0;
    Py_XDECREF(pair);
    return bad ? NULL : shadow_in(data);
}

static PyObject *arrive_tensor(const void *table, PyObject *value, arrival *state)
{
    int is_host, device;
    PyObject *shadow = shadow_of_tensor(table, value, &is_host, &device);

    if (!shadow)
        return is_host ? arrive_by_hook(value, state) : NULL;
    if (state->wants_stream && !state->has_stream) {
        state->has_stream = stream_of_library(table, device, &state->stream);
        if (state->has_stream < 0) {
            Py_DECREF(shadow);
            return NULL;
        }
    }
    return keep(state, shadow);
}

/* Copy a tuple's items, since the tuple is shared. */
static PyObject *copy_items(PyObject *value)
{
    PyObject *items = PyTuple_New(PyTuple_GET_SIZE(value));

    for (Py_ssize_t k = 0; items && k < PyTuple_GET_SIZE(value); k++) {
        Py_INCREF(PyTuple_GET_ITEM(value, k));
        PyTuple_SET_ITEM(items, k, PyTuple_GET_ITEM(value, k));
    }
    return items;
}

PyObject *same_class(PyObject *value, PyObject *items)
{
    PyObject *args, *made;

    if (PyTuple_CheckExact(value))
        return items;
    args = PyTuple_Pack(1, items);
    Py_DECREF(items);
    made = args ? PyTuple_Type.tp_new(Py_TYPE(value), args, NULL) : NULL;
    Py_XDECREF(args);
    return made;
}

/* Convert a tuple, copied if one of its items changes. */
static PyObject *arrive_items(PyObject *value, arrival *state)
{
    PyObject *items = NULL, *arrived = NULL;

    if (Py_EnterRecursiveCall(" in the arguments of a launch"))
        return NULL;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(value); k++) {
        PyObject *item = PyTuple_GET_ITEM(value, k);
        arrived = arrive(item, state);
        if (!arrived || (arrived != item && !items && !(items = copy_items(value))))
            break;
        if (arrived != item) {
            Py_INCREF(arrived);
            PyTuple_SET_ITEM(items, k, arrived);
            Py_DECREF(item);
        }
    }
    Py_LeaveRecursiveCall();
    if (PyErr_Occurred()) {
        Py_XDECREF(items);
        return NULL;
    }
    return items ? keep(state, same_class(value, items)) : value;
}

/* Whether values of a class go to the dispatcher unchanged; -1 with an exception set. */
static int is_usual(PyTypeObject *cls)
{
    PyObject *known = dict_at(&usual), *answer, *hook;
    int there = known ? item_of(known, (PyObject *)cls, &answer) : -1, truth;

    if (there < 0)
        return -1;
    if (there) {
        truth = answer == Py_True;
        Py_DECREF(answer);
        return truth;
    }
    hook = common_object(&is_usual_hook);
    if (!hook)
        return 0;
    answer = PyObject_CallOneArg(hook, (PyObject *)cls);
    Py_DECREF(hook);
    truth = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    if (truth < 0)
        return -1;
    if (PyDict_GET_SIZE(known) >= MOST_CLASSES)
        PyDict_Clear(known);
    if (PyDict_SetItem(known, (PyObject *)cls, truth ? Py_True : Py_False) < 0)
        return -1;
    return truth;
}

PyObject *arrive(PyObject *value, arrival *state)
{
    PyTypeObject *cls = Py_TYPE(value);
    const void *table;
    int as_it_is;

    if (is_plain(value))
        return value;
    if (PyObject_TypeCheck(value, &DataType))
        return shadow_in(value);
    if (PyArray_CheckExact(value))
        return arrive_by_hook(value, state);
    if (PyTuple_Check(value))
        return arrive_items(value, state);
    if (PyArray_IsScalar(value, Number) || PyArray_IsScalar(value, Bool))
        return value;
    table = exchange_table(cls);
    if (table)
        return arrive_tensor(table, value, state);
    as_it_is = is_usual(cls);
    if (as_it_is < 0)
        return NULL;
    return as_it_is ? value : arrive_by_hook(value, state);
}

int depart(arrival *state, int done)
{
    PyObject *answer = NULL, *hook;

    if (done && state->copied) {
        hook = common_object(&depart_hook);
        if (hook)
            answer = PyObject_CallFunction(hook, "OK", state->copied,
                                           (unsigned long long)state->handle);
        done = answer != NULL;
        Py_XDECREF(answer);
        Py_XDECREF(hook);
    }
    Py_CLEAR(state->copied);
    Py_CLEAR(state->kept);
    return done ? 0 : -1;
}

static PyObject *set_argument_hooks(PyObject *module, PyObject *args)
{
    PyObject *arrives, *departs, *asks;

    if (!PyArg_ParseTuple(args, "OOO", &arrives, &departs, &asks))
        return NULL;
    set_common_object(&arrive_hook, arrives);
    set_common_object(&depart_hook, departs);
    set_common_object(&is_usual_hook, asks);
    Py_RETURN_NONE;
}

PyMethodDef argument_functions[] = {
    {"set_argument_hooks", set_argument_hooks, METH_VARARGS,
     "set_argument_hooks(arrive, depart, is_usual): arrive(value, stream) returns (data, whether "
     "to copy it back), or another value; depart([(value, data, back), ...], stream) copies "
     "back; is_usual(class) returns whether values are passed to the dispatcher unchanged."},
    {NULL, NULL, 0, NULL},
};
