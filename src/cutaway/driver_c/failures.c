/* Error results of the driver, as exceptions.

   The exceptions are made in Python, by a hook, with a result's meaning for users, and a hint. */

#include "driver.h"

static PyObject *failure_hook, *closed_hook;
static PyObject *last_kernel;
static thread_lock lock; /* of all such objects */

PyObject *common_object(PyObject **place)
{
    PyObject *object;

    LOCK(lock);
    object = Py_XNewRef(*place);
    UNLOCK(lock);
    return object;
}

void set_common_object(PyObject **place, PyObject *object)
{
    PyObject *before;

    Py_INCREF(object);
    LOCK(lock);
    before = *place;
    SHARE(*place, object);
    UNLOCK(lock);
    Py_XDECREF(before);
}

PyObject *dict_at(PyObject **place)
{
    PyObject *dict = SHARED(*place);

    if (dict)
        return dict;
    dict = PyDict_New();
    if (dict && !set_once(place, dict))
        Py_DECREF(dict);
    return dict ? SHARED(*place) : NULL;
}

void open_failure_lock(void)
{
    lock = (thread_lock){0};
}

void note_launch(PyObject *name)
{
    if (name != SHARED(last_kernel))
        set_common_object(&last_kernel, name);
}

static const char *asked(CUresult (*ask)(CUresult, const char **), CUresult result)
{
    const char *text = NULL;

    return ask && ask(result, &text) == 0 && text ? text : "";
}

static int raise(PyObject *error)
{
    if (error && PyExceptionInstance_Check(error))
        PyErr_SetObject(PyExceptionInstance_Class(error), error);
    else if (error)
        PyErr_SetString(PyExc_SystemError, "a hook gives an exception");
    Py_XDECREF(error);
    return -1;
}

int check_with(CUresult result, const char *function, const char *kernel, const char *log)
{
    PyObject *before, *hook, *error;

    if (result == 0)
        return 0;
    before = common_object(&last_kernel);
    hook = common_object(&failure_hook);
    if (hook)
        error = PyObject_CallFunction(hook, "siss" "zOs", function, (int)result,
                                      asked(driver.GetErrorName, result),
                                      asked(driver.GetErrorString, result), kernel,
                                      before ? before : Py_None, log);
    else
        error = PyErr_Format(PyExc_RuntimeError, "%s gives %d", function, (int)result);
    Py_XDECREF(hook);
    Py_XDECREF(before);
    return raise(error);
}

int check(CUresult result, const char *function, const char *kernel)
{
    return result == 0 ? 0 : check_with(result, function, kernel, "");
}

int raise_closed(const char *what)
{
    PyObject *hook = common_object(&closed_hook);
    PyObject *error = hook ? PyObject_CallFunction(hook, "s", what)
                           : PyErr_Format(PyExc_RuntimeError, "%s is not open", what);

    Py_XDECREF(hook);
    return raise(error);
}

static PyObject *set_failure_hooks(PyObject *module, PyObject *args)
{
    PyObject *failure, *closed;

    if (!PyArg_ParseTuple(args, "OO", &failure, &closed))
        return NULL;
    set_common_object(&failure_hook, failure);
    set_common_object(&closed_hook, closed);
    Py_RETURN_NONE;
}

PyMethodDef failure_functions[] = {
    {"set_failure_hooks", set_failure_hooks, METH_VARARGS,
     "set_failure_hooks(failure, closed): failure(function, result, name, text, kernel, last "
     "kernel, log) and closed(what) return the exceptions to raise."},
    {NULL, NULL, 0, NULL},
};
