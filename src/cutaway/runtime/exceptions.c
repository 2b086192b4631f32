/* Exceptions as Python objects.

   Compiled code raises by a record, and does not create an exception.  One is created, by a hook in
   Python, where the exception leaves the outermost function, or where it reaches a handler. */

#include "compat.h"
#include "cutaway_runtime.h"

static PyObject *raise_hook, *frames_hook, *site_hook;
static PyObject *sites; /* the name of a table -> {place: the hook's result for it} */

PyObject *set_raise_hook(PyObject *module, PyObject *hook)
{
    Py_INCREF(hook);
    Py_XSETREF(raise_hook, hook);
    Py_RETURN_NONE;
}

PyObject *set_frames_hook(PyObject *module, PyObject *hook)
{
    Py_INCREF(hook);
    Py_XSETREF(frames_hook, hook);
    Py_RETURN_NONE;
}

PyObject *set_site_hook(PyObject *module, PyObject *hook)
{
    Py_INCREF(hook);
    Py_XSETREF(site_hook, hook);
    Py_RETURN_NONE;
}

static PyObject *frames_of(const cutaway_exc *exc)
{
    PyObject *frames = PyTuple_New(exc->frames);

    for (Py_ssize_t k = 0; frames && k < exc->frames; k++) {
        PyObject *place =
            Py_BuildValue("(sL)", exc->frame[k].table, (long long)exc->frame[k].index);
        if (!place) {
            Py_DECREF(frames);
            return NULL;
        }
        PyTuple_SET_ITEM(frames, k, place);
    }
    return frames;
}

/* The result of the hook for a place of a table, which is asked once; NULL with an exception set.

   For a place that raises the same exception each time, without running Python code, and for a call
   on the way, (class, arguments, code, line, ...), with None for what is missing, and a code and a
   line for each frame; for a place that compares classes, the classes; None for others. */
static PyObject *known(const char *table, int64_t index)
{
    PyThreadState *thread = PyThreadState_Get();
    PyObject *name, *places = NULL, *key, *found = NULL;

    name = PyUnicode_FromString(table);
    key = PyLong_FromLongLong(index);
    if (name && item_of(sites, name, &places) == 0 && (places = PyDict_New()) &&
        PyDict_SetItem(sites, name, places) < 0)
        Py_CLEAR(places);
    if (places && key) { /* the hook may read the table, which discards its results */
        if (item_of(places, key, &found) == 0) {
            PyObject *hook = Py_NewRef(site_hook); /* the hook may set another */
            PyThreadState_EnterTracing(thread);
            found = PyObject_CallFunction(hook, "OO", name, key);
            PyThreadState_LeaveTracing(thread);
            Py_DECREF(hook);
            if (found && PyDict_SetItem(places, key, found) < 0)
                Py_CLEAR(found);
        }
    }
    Py_XDECREF(places);
    Py_XDECREF(name);
    Py_XDECREF(key);
    return found;
}

PyObject *forget_sites(PyObject *module, PyObject *name)
{
    if (PyDict_DelItem(sites, name) < 0) {
        if (!PyErr_ExceptionMatches(PyExc_KeyError))
            return NULL;
        PyErr_Clear();
    }
    Py_RETURN_NONE;
}

int add_exceptions(void)
{
    sites = PyDict_New();
    return sites ? 0 : -1;
}

/* A traceback with the frames of a site in front; takes over the chain. */
static PyObject *with_frames(PyObject *site, PyObject *chain)
{
    for (Py_ssize_t k = 2; chain && k < PyTuple_GET_SIZE(site); k += 2) {
        PyCodeObject *code = (PyCodeObject *)PyTuple_GET_ITEM(site, k);
        int line = (int)PyLong_AsLong(PyTuple_GET_ITEM(site, k + 1));
        PyObject *longer = cutaway_traceback(code, line, chain);

        Py_DECREF(chain);
        chain = longer;
    }
    return chain;
}

/* The exception of a place whose hook result is cached; NULL, with an exception set on failure. */
static PyObject *plain_exception(const cutaway_exc *exc)
{
    PyObject *site = NULL, *exception, *chain = Py_NewRef(Py_None);

    if (!site_hook || !(site = known(exc->table, exc->index)) || !PyTuple_Check(site) ||
        PyTuple_GET_ITEM(site, 0) == Py_None) {
        Py_XDECREF(site);
        Py_DECREF(chain);
        return NULL;
    }
    exception = PyObject_Call(PyTuple_GET_ITEM(site, 0), PyTuple_GET_ITEM(site, 1), NULL);
    chain = with_frames(site, chain);
    Py_DECREF(site);
    for (Py_ssize_t k = 0; chain && k < exc->frames; k++) {
        PyObject *frame = known(exc->frame[k].table, exc->frame[k].index);
        if (!frame || !PyTuple_Check(frame))
            Py_CLEAR(chain);
        else
            chain = with_frames(frame, chain);
        Py_XDECREF(frame);
    }
    if (exception && chain && chain != Py_None)
        PyException_SetTraceback(exception, chain);
    if (!chain)
        Py_CLEAR(exception);
    Py_XDECREF(chain);
    return exception;
}

/* Profilers see nothing of this but the calls of the user's exception class (`seen`). */
static PyObject *described(const cutaway_exc *exc)
{
    PyObject *exception, *frames;
    PyThreadState *thread = PyThreadState_Get();

    if (!raise_hook) {
        PyErr_SetString(PyExc_SystemError, "no raise hook is set");
        return NULL;
    }
    frames = frames_of(exc);
    if (!frames)
        return NULL;
    PyThreadState_EnterTracing(thread);
    exception = PyObject_CallFunction(
        raise_hook, "(sL)(LLLL)y#N", exc->table, (long long)exc->index,
        (long long)exc->payload[0], (long long)exc->payload[1], (long long)exc->payload[2],
        (long long)exc->payload[3], (const char *)exc->values, (Py_ssize_t)sizeof(exc->values),
        frames);
    PyThreadState_LeaveTracing(thread);
    if (exception && !PyExceptionInstance_Check(exception)) {
        PyErr_SetString(PyExc_TypeError, "the raise hook did not give an exception");
        Py_CLEAR(exception);
    }
    return exception;
}

/* The exception of a record; NULL with one set. */
static PyObject *exception_of(const cutaway_exc *exc)
{
    PyObject *exception = plain_exception(exc);

    return exception || PyErr_Occurred() ? exception : described(exc);
}

static void require_exception(void)
{
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "a function failed, and no exception is set");
}

#if HAS_EXCEPTION_OBJECTS

PyObject *cutaway_taken(void)
{
    require_exception();
    return PyErr_GetRaisedException();
}

void cutaway_set(PyObject *error)
{
    PyErr_SetRaisedException(error);
}

#else

PyObject *cutaway_taken(void)
{
    PyObject *type, *value, *traceback;

    require_exception();
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (value && traceback)
        PyException_SetTraceback(value, traceback);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return value;
}

void cutaway_set(PyObject *error)
{
    PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(error)), error, PyException_GetTraceback(error));
}

#endif

/* Add the calls that an exception came through to the front of its traceback. */
static void add_frames(PyObject *error, const cutaway_exc *exc)
{
    PyThreadState *thread = PyThreadState_Get();
    PyObject *frames, *result = NULL;

    if (!exc->frames || !frames_hook || !(frames = frames_of(exc)))
        return;
    PyThreadState_EnterTracing(thread);
    result = PyObject_CallFunction(frames_hook, "ON", error, frames);
    PyThreadState_LeaveTracing(thread);
    Py_XDECREF(result);
}

void cutaway_raise(const cutaway_exc *exc, int32_t status)
{
    PyObject *error;

    if (status == 1) {
        error = exception_of(exc);
        if (!error)
            return;
        /* raised with the traceback that it has */
        PyErr_SetObject(PyExceptionInstance_Class(error), error);
        Py_DECREF(error);
    } else if (status == 2 && exc->frames) {
        error = cutaway_taken();
        add_frames(error, exc);
        PyErr_Clear();
        cutaway_set(error);
    }
}

static PyObject *object_of(const void *owner)
{
    return (PyObject *)((uintptr_t)owner & ~(uintptr_t)1);
}

/* The exception that was being handled when another was raised becomes its context, as set by
   `raise` in Python: without a cycle. */
static void set_context(PyObject *error, PyObject *handled)
{
    PyObject *context = PyException_GetContext(error);

    Py_XDECREF(context); /* the exception holds a reference */
    if (!handled || handled == Py_None || handled == error || context) {
        Py_XDECREF(handled);
        return;
    }
    for (PyObject *at = handled, *next; (next = PyException_GetContext(at)); at = next) {
        Py_DECREF(next); /* `at` holds a reference */
        if (next == error) {
            PyException_SetContext(at, NULL);
            break;
        }
    }
    PyException_SetContext(error, handled);
}

/* The same for the exception that compiled code is handling; if there is none, for Python's. */
static void set_context_of(PyObject *error, void *handled)
{
    set_context(error, handled ? Py_NewRef(object_of(handled)) : PyErr_GetHandledException());
}

/* Set the exception that a generator raises: a StopIteration is replaced by a RuntimeError. */
int32_t cutaway_generator_raised(cutaway_exc *exc, int32_t status)
{
    cutaway_held held = cutaway_hold_gil();
    PyObject *error, *other;

    cutaway_raise(exc, status);
    exc->frames = 0;
    if (PyErr_ExceptionMatches(PyExc_StopIteration)) {
        error = cutaway_taken();
        set_context_of(error, exc->handled);
        PyErr_SetString(PyExc_RuntimeError, "generator raised StopIteration");
        other = cutaway_taken();
        PyException_SetCause(other, Py_NewRef(error));
        PyException_SetContext(other, error);
        cutaway_set(other);
    }
    cutaway_end_hold(held);
    return 2;
}

void *cutaway_catch(cutaway_exc *exc, int32_t status, void *outer)
{
    cutaway_held held = cutaway_hold_gil();
    PyObject *error = NULL;

    if (status == 2) {
        error = cutaway_taken();
        add_frames(error, exc);
    } else {
        error = exception_of(exc);
        if (!error)
            error = cutaway_taken();
    }
    set_context_of(error, outer ? outer : exc->handled);
    exc->frames = 0;
    cutaway_end_hold(held);
    return (void *)((uintptr_t)error | 1);
}

int32_t cutaway_matches(const char *table, int64_t index, void *owner)
{
    cutaway_held held = cutaway_hold_gil();
    PyObject *classes = known(table, -1 - index);
    int32_t matches = classes && PyErr_GivenExceptionMatches(object_of(owner), classes);

    if (!classes) /* out of memory; the exception propagates */
        PyErr_Clear();
    Py_XDECREF(classes);
    cutaway_end_hold(held);
    return matches;
}

/* A part of an exception or of a part: 0 class, 1 arguments, 2 one of these, 3 name of a class. */
int32_t cutaway_exception_part(void *owner, int32_t what, int64_t index, void **part)
{
    cutaway_held held = cutaway_hold_gil();
    PyObject *whole = object_of(owner), *found;

    switch (what) {
    case 0:
        found = Py_NewRef((PyObject *)Py_TYPE(whole));
        break;
    case 1:
        found = PyObject_GetAttrString(whole, "args");
        break;
    case 2:
        found = PySequence_GetItem(whole, (Py_ssize_t)index);
        break;
    default:
        found = PyObject_GetAttrString(whole, "__name__");
    }
    *part = (void *)((uintptr_t)found | 1);
    cutaway_end_hold(held);
    return found ? 0 : 2;
}

/* An argument as a number of 8 bytes: 0 a float, 1 an integer; 2 the number of arguments. */
int32_t cutaway_exception_number(void *owner, int32_t how, void *number)
{
    cutaway_held held = cutaway_hold_gil();
    PyObject *value = object_of(owner), *converted = NULL;

    if (how == 0) {
        if ((converted = PyNumber_Float(value)))
            *(double *)number = PyFloat_AS_DOUBLE(converted);
    } else if (how == 1) {
        if ((converted = PyNumber_Long(value)))
            *(int64_t *)number = PyLong_AsLongLong(converted);
    } else {
        *(int64_t *)number = PyObject_Size(value);
    }
    Py_XDECREF(converted);
    int32_t status = PyErr_Occurred() ? 2 : 0;
    cutaway_end_hold(held);
    return status;
}

int32_t cutaway_exception_text(void *owner, int64_t *text)
{
    cutaway_held held = cutaway_hold_gil();
    PyObject *string = PyObject_Str(object_of(owner));

    if (string) {
        text[0] = (int64_t)((uintptr_t)string | 1);
        text[1] = (int64_t)(uintptr_t)PyUnicode_DATA(string);
        text[2] = PyUnicode_GET_LENGTH(string);
        text[3] = PyUnicode_KIND(string);
    }
    cutaway_end_hold(held);
    return string ? 0 : 2;
}

void cutaway_set_cause(void *owner, void *cause)
{
    cutaway_held held = cutaway_hold_gil();

    PyException_SetCause(object_of(owner), cause ? Py_NewRef(object_of(cause)) : NULL);
    cutaway_end_hold(held);
}

int32_t cutaway_reraise(void *owner)
{
    cutaway_held held = cutaway_hold_gil();

    cutaway_set(Py_NewRef(object_of(owner)));
    cutaway_end_hold(held);
    return 2;
}
