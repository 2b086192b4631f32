/* Results of the driver's that are no success, as exceptions.

   The exceptions are made in Python, by a hook: what a result means for the user, and what helps, is
   said there. */

#include "driver.h"

static PyObject *failure_hook, *closed_hook;
static PyObject *last_kernel;

void note_launch(PyObject *name)
{
    if (name == last_kernel)
        return;
    Py_INCREF(name);
    Py_XSETREF(last_kernel, name);
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
    PyObject *before;

    if (result == 0)
        return 0;
    before = last_kernel ? last_kernel : Py_None;
    return raise(failure_hook
                     ? PyObject_CallFunction(failure_hook, "siss" "zOs", function, (int)result,
                                             asked(driver.GetErrorName, result),
                                             asked(driver.GetErrorString, result), kernel, before,
                                             log)
                     : PyErr_Format(PyExc_RuntimeError, "%s gives %d", function, (int)result));
}

int check(CUresult result, const char *function, const char *kernel)
{
    return result == 0 ? 0 : check_with(result, function, kernel, "");
}

int raise_closed(const char *what)
{
    return raise(closed_hook ? PyObject_CallFunction(closed_hook, "s", what)
                             : PyErr_Format(PyExc_RuntimeError, "%s is not open", what));
}

static PyObject *set_failure_hooks(PyObject *module, PyObject *args)
{
    PyObject *failure, *closed;

    if (!PyArg_ParseTuple(args, "OO", &failure, &closed))
        return NULL;
    Py_INCREF(failure);
    Py_XSETREF(failure_hook, failure);
    Py_INCREF(closed);
    Py_XSETREF(closed_hook, closed);
    Py_RETURN_NONE;
}

PyMethodDef failure_functions[] = {
    {"set_failure_hooks", set_failure_hooks, METH_VARARGS,
     "set_failure_hooks(failure, closed): failure(function, result, name, text, kernel, last kernel, "
     "log) and closed(what) give the exceptions to raise."},
    {NULL, NULL, 0, NULL},
};
