/* Exceptions and context managers of object mode, where exceptions are objects from the start. */

#include "objects.h"

#include <frameobject.h>

/* --- tracebacks -------------------------------------------------------------------------------- */

/* A traceback with an instruction of the function in front of another, which may be NULL. */
static PyObject *with_instruction(PyObject *const *env, int32_t lasti, int32_t line, PyObject *next)
{
    PyFrameObject *frame = PyFrame_New(PyThreadState_Get(), (PyCodeObject *)env[ENV_CODE],
                                       env[ENV_GLOBALS], NULL);
    PyTracebackObject *entry = frame ? PyObject_GC_New(PyTracebackObject, &PyTraceBack_Type) : NULL;

    if (!entry) {
        Py_XDECREF(frame);
        return NULL;
    }
    entry->tb_next = (PyTracebackObject *)Py_XNewRef(next);
    entry->tb_frame = frame;
    entry->tb_lasti = lasti;
    entry->tb_lineno = line;
    PyObject_GC_Track(entry);
    return (PyObject *)entry;
}

#if HAS_EXCEPTION_OBJECTS

void cutaway_py_failed(PyObject *const *env, int32_t lasti, int32_t line)
{
    PyObject *error, *next, *entry;

    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "an operation failed, and no exception is set");
    error = PyErr_GetRaisedException();
    next = PyException_GetTraceback(error);
    entry = with_instruction(env, lasti, line, next);
    if (!entry || PyException_SetTraceback(error, entry) < 0)
        PyErr_Clear(); /* then the exception lacks the line */
    Py_XDECREF(next);
    Py_XDECREF(entry);
    PyErr_SetRaisedException(error);
}

#else

void cutaway_py_failed(PyObject *const *env, int32_t lasti, int32_t line)
{
    PyObject *type, *value, *next, *entry;

    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "an operation failed, and no exception is set");
    PyErr_Fetch(&type, &value, &next);
    entry = with_instruction(env, lasti, line, next);
    if (!entry) {
        PyErr_Clear(); /* then the exception lacks the line */
        entry = Py_XNewRef(next);
    }
    Py_XDECREF(next);
    PyErr_Restore(type, value, entry);
}

#endif

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

enum { ROWS = 32 };

/* The cached methods of a class with this number, which the class holds. */
static struct {
    uint32_t tag;
    PyObject *enter, *leave;
} known_managers[ROWS];

static PyObject *enter_name, *exit_name;

/* True for an object that can be called with `self` without being bound. */
static int is_method(PyObject *found)
{
    return found && PyType_HasFeature(Py_TYPE(found), Py_TPFLAGS_METHOD_DESCRIPTOR);
}

/* The number of a class whose methods are cached, or 0. */
static uint32_t known_tag(PyTypeObject *type)
{
    uint32_t tag = type->tp_version_tag;
    PyObject *enter, *leave;

    if (!tag || known_managers[tag % ROWS].tag == tag)
        return tag;
    if (!cutaway_in_class_now(type, enter_name, &enter) ||
        !cutaway_in_class_now(type, exit_name, &leave) || type->tp_version_tag != tag ||
        !is_method(enter) || !is_method(leave))
        return 0;
    known_managers[tag % ROWS].tag = tag;
    known_managers[tag % ROWS].enter = enter;
    known_managers[tag % ROWS].leave = leave;
    return tag;
}

/* A special method, looked up in the class only; NULL if there is none, or with an exception. */
static PyObject *special(PyObject *object, PyObject *name)
{
    PyObject *method = cutaway_in_class(Py_TYPE(object), name);

    if (method && Py_TYPE(method)->tp_descr_get)
        Py_SETREF(method, Py_TYPE(method)->tp_descr_get(method, object, (PyObject *)Py_TYPE(object)));
    return method;
}

/* Enter by methods that are looked up and bound. */
static PyObject *enter_slowly(PyObject *manager, PyObject **leave)
{
    static const char *const missed[] = {" (missed __enter__ method)", " (missed __exit__ method)"};
    PyObject *names[] = {enter_name, exit_name}, *methods[] = {NULL, NULL}, *value;
    int first = LOOKS_UP_EXIT_FIRST;

    methods[first] = special(manager, names[first]);
    if (methods[first])
        methods[!first] = special(manager, names[!first]);
    if (!methods[!first]) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_TypeError,
                         "'%.200s' object does not support the context manager protocol%s",
                         Py_TYPE(manager)->tp_name,
                         methods[first] ? missed[!first] : LOOKS_UP_EXIT_FIRST ? missed[first] : "");
        Py_XDECREF(methods[first]);
        return NULL;
    }
    *leave = methods[1];
    value = PyObject_CallNoArgs(methods[0]);
    Py_DECREF(methods[0]);
    return value;
}

PyObject *cutaway_py_enter(PyObject *manager, PyObject **leave, PyObject **self)
{
    uint32_t tag = self ? known_tag(Py_TYPE(manager)) : 0;
    PyObject *args[2], *enter, *value;

    *leave = NULL;
    if (self)
        *self = NULL;
    if (!tag)
        value = enter_slowly(manager, leave);
    else {
        enter = one_more(known_managers[tag % ROWS].enter);
        *leave = one_more(known_managers[tag % ROWS].leave);
        *self = one_more(manager);
        args[1] = manager;
        value = cutaway_py_call(enter, args + 1, 1, NULL);
        one_less(enter);
    }
    if (!value) {
        Py_CLEAR(*leave);
        if (self)
            Py_CLEAR(*self);
    }
    return value;
}

PyObject *cutaway_py_exit_with(PyObject *leave, PyObject *self, PyObject *exception)
{
    PyObject *traceback = PyException_GetTraceback(exception), *args[6], *result;

    args[2] = (PyObject *)Py_TYPE(exception);
    args[3] = exception;
    args[4] = traceback ? traceback : Py_None;
    result = cutaway_py_call_method(leave, self, args + 2, 3, NULL);
    Py_XDECREF(traceback);
    return result;
}

int add_object_exceptions(void)
{
    enter_name = PyUnicode_InternFromString("__enter__");
    exit_name = PyUnicode_InternFromString("__exit__");
    return enter_name && exit_name ? 0 : -1;
}
