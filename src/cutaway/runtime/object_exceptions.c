/* Exceptions and context managers of object mode, where they are objects all along. */

#include "objects.h"

#include <frameobject.h>

/* --- where they come from ---------------------------------------------------------------------- */

/* A traceback with an instruction of the function in front of what there is. */
static PyObject *with_instruction(PyObject *const *env, int32_t lasti, int32_t line, PyObject *next)
{
    PyFrameObject *frame = PyFrame_New(PyThreadState_Get(), (PyCodeObject *)env[ENV_CODE],
                                       env[ENV_GLOBALS], NULL);
    PyObject *entry;

    if (!frame)
        return NULL;
    entry = PyObject_CallFunction((PyObject *)&PyTraceBack_Type, "OOii", next ? next : Py_None,
                                  frame, (int)lasti, (int)line);
    Py_DECREF(frame);
    return entry;
}

void cutaway_py_failed(PyObject *const *env, int32_t lasti, int32_t line)
{
    PyObject *type, *value, *next, *entry;

    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "an operation failed, and no exception is set");
    PyErr_Fetch(&type, &value, &next);
    entry = with_instruction(env, lasti, line, next);
    if (!entry) {
        PyErr_Clear(); /* then the exception comes without the line */
        entry = Py_XNewRef(next);
    }
    Py_XDECREF(next);
    PyErr_Restore(type, value, entry);
}

/* --- handlers ---------------------------------------------------------------------------------- */

PyObject *cutaway_py_caught(PyObject **before)
{
    PyObject *error = cutaway_taken();

    *before = PyErr_GetHandledException();
    PyErr_SetHandledException(error);
    return error;
}

void cutaway_py_end_handler(PyObject **before)
{
    PyObject *outer = *before;

    *before = NULL;
    PyErr_SetHandledException(outer);
    Py_XDECREF(outer);
}

static int are_exceptions(PyObject *classes)
{
    if (PyTuple_Check(classes)) {
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(classes); k++)
            if (!PyExceptionClass_Check(PyTuple_GET_ITEM(classes, k)))
                return 0;
        return 1;
    }
    return PyExceptionClass_Check(classes);
}

int32_t cutaway_py_matches(PyObject *exception, PyObject *classes)
{
    if (are_exceptions(classes))
        return PyErr_GivenExceptionMatches(exception, classes);
    PyErr_SetString(PyExc_TypeError,
                    "catching classes that do not inherit from BaseException is not allowed");
    return -1;
}

/* --- raising ----------------------------------------------------------------------------------- */

/* The exception that `raise value` raises; NULL with another one set. */
static PyObject *exception_of(PyObject *value)
{
    PyObject *error;

    if (PyExceptionInstance_Check(value))
        return Py_NewRef(value);
    if (!PyExceptionClass_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "exceptions must derive from BaseException");
        return NULL;
    }
    error = PyObject_CallNoArgs(value);
    if (error && !PyExceptionInstance_Check(error)) {
        PyErr_Format(PyExc_TypeError,
                     "calling %R should have returned an instance of BaseException, not %R", value,
                     Py_TYPE(error));
        Py_CLEAR(error);
    }
    return error;
}

/* Give an exception its cause; -1 with another one set. */
static int set_cause(PyObject *error, PyObject *cause)
{
    PyObject *made = NULL;

    if (PyExceptionClass_Check(cause)) {
        if (!(made = PyObject_CallNoArgs(cause)))
            return -1;
    }
    else if (PyExceptionInstance_Check(cause))
        made = Py_NewRef(cause);
    else if (cause != Py_None) {
        PyErr_SetString(PyExc_TypeError, "exception causes must derive from BaseException");
        return -1;
    }
    PyException_SetCause(error, made);
    return 0;
}

void cutaway_py_raise(PyObject *exception, PyObject *cause)
{
    PyObject *error = exception_of(exception);

    if (error && (!cause || set_cause(error, cause) == 0))
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
}

void cutaway_py_reraise(PyObject *exception)
{
    cutaway_set(Py_NewRef(exception));
}

void cutaway_py_raise_current(PyObject *const *env, int32_t lasti, int32_t line)
{
    PyObject *error = PyErr_GetHandledException();

    if (!error || error == Py_None) {
        Py_XDECREF(error);
        PyErr_SetString(PyExc_RuntimeError, "No active exception to reraise");
        cutaway_py_failed(env, lasti, line);
        return;
    }
    cutaway_set(error);
}

/* --- context managers -------------------------------------------------------------------------- */

static PyObject *dict_of(PyTypeObject *type)
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyType_GetDict(type);
#else
    return Py_XNewRef(type->tp_dict);
#endif
}

/* A special method, looked up in the class alone; NULL where there is none, or with an exception. */
static PyObject *special(PyObject *object, PyObject *name)
{
    PyObject *mro = Py_TYPE(object)->tp_mro, *method = NULL;

    for (Py_ssize_t k = 0; !method && mro && k < PyTuple_GET_SIZE(mro); k++) {
        PyObject *dict = dict_of((PyTypeObject *)PyTuple_GET_ITEM(mro, k));
        if (dict) {
            method = Py_XNewRef(PyDict_GetItemWithError(dict, name));
            Py_DECREF(dict);
        }
    }
    if (method && Py_TYPE(method)->tp_descr_get)
        Py_SETREF(method, Py_TYPE(method)->tp_descr_get(method, object, (PyObject *)Py_TYPE(object)));
    return method;
}

PyObject *cutaway_py_enter(PyObject *manager, PyObject **leave)
{
    static PyObject *enter_name, *exit_name;
    PyObject *enter, *value;
    const char *missed = "";

    *leave = NULL;
    if ((!enter_name && !(enter_name = PyUnicode_InternFromString("__enter__"))) ||
        (!exit_name && !(exit_name = PyUnicode_InternFromString("__exit__"))))
        return NULL;
    enter = special(manager, enter_name);
    *leave = enter ? special(manager, exit_name) : NULL;
    if (!*leave) {
        missed = enter ? " (missed __exit__ method)" : "";
        Py_XDECREF(enter);
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_TypeError,
                         "'%.200s' object does not support the context manager protocol%s",
                         Py_TYPE(manager)->tp_name, missed);
        return NULL;
    }
    value = PyObject_CallNoArgs(enter);
    Py_DECREF(enter);
    if (!value)
        Py_CLEAR(*leave);
    return value;
}

PyObject *cutaway_py_exit_with(PyObject *leave, PyObject *exception)
{
    PyObject *traceback = PyException_GetTraceback(exception), *args[4], *result;

    args[1] = (PyObject *)Py_TYPE(exception);
    args[2] = exception;
    args[3] = traceback ? traceback : Py_None;
    result = PyObject_Vectorcall(leave, args + 1, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    Py_XDECREF(traceback);
    return result;
}
