/* From the record that compiled code fills to an exception.

   Most places raise the same each time: what that is the hook for places is asked once, and kept
   by the specialization.  All else goes to the raise hook, which is Python too. */

#include "dispatch.h"

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

/* What a place raises that raises the same each time, with no Python code to be run for it: a tuple
   (class, arguments, code, line); None for others.  Borrowed; NULL with an exception set. */
static PyObject *plain_site(Specialization *spec, const cutaway_exc *exc)
{
    PyThreadState *thread = PyThreadState_Get();
    PyObject *key, *site = NULL;

    if (!spec->sites && !(spec->sites = PyDict_New()))
        return NULL;
    key = PyLong_FromUnsignedLongLong((unsigned long long)(uintptr_t)exc->table << 16 |
                                      (unsigned long long)exc->index);
    if (!key)
        return NULL;
    site = PyDict_GetItemWithError(spec->sites, key);
    if (!site && !PyErr_Occurred()) {
        PyThreadState_EnterTracing(thread);
        site = PyObject_CallFunction(site_hook, "sL", exc->table, (long long)exc->index);
        PyThreadState_LeaveTracing(thread);
        if (site && site != Py_None && !PyTuple_Check(site))
            PyErr_SetString(PyExc_TypeError, "the hook for places gives a tuple or None");
        if (site && (PyErr_Occurred() || PyDict_SetItem(spec->sites, key, site) < 0))
            Py_CLEAR(site);
        Py_XDECREF(site); /* the dict has it */
    }
    Py_DECREF(key);
    return site;
}

int raise_plainly(Specialization *spec, const cutaway_exc *exc)
{
    PyObject *site, *cls, *arguments, *exception = NULL, *traceback = NULL;
    PyCodeObject *code;
    int line;

    if (exc->frames || !site_hook || exc->index < 0 || exc->index >= 1 << 16)
        return 0;
    site = plain_site(spec, exc);
    if (!site || site == Py_None)
        return !site;
    if (!PyArg_ParseTuple(site, "O!O!O!i", &PyType_Type, &cls, &PyTuple_Type, &arguments,
                          &PyCode_Type, &code, &line))
        return 1;
    Py_INCREF(site); /* another thread may be here as well */
    exception = PyObject_Call(cls, arguments, NULL);
    if (exception)
        traceback = runtime->traceback(code, line, Py_None);
    if (traceback && PyException_SetTraceback(exception, traceback) == 0)
        PyErr_SetObject(cls, exception);
    Py_XDECREF(traceback);
    Py_XDECREF(exception);
    Py_DECREF(site);
    return 1;
}

/* Profilers see none of that but what the user's exception class does (`_runtime.seen`). */
void raise_described(const cutaway_exc *exc)
{
    PyObject *exception, *frames;
    PyThreadState *thread = PyThreadState_Get();

    if (!raise_hook) {
        PyErr_SetString(PyExc_SystemError, "no raise hook is set");
        return;
    }
    frames = frames_of(exc);
    if (!frames)
        return;
    PyThreadState_EnterTracing(thread);
    exception = PyObject_CallFunction(
        raise_hook, "(sL)(LLLL)y#N", exc->table, (long long)exc->index,
        (long long)exc->payload[0], (long long)exc->payload[1], (long long)exc->payload[2],
        (long long)exc->payload[3], (const char *)exc->values, (Py_ssize_t)sizeof(exc->values),
        frames);
    PyThreadState_LeaveTracing(thread);
    if (!exception)
        return;
    if (PyExceptionInstance_Check(exception)) /* raised with the traceback that it brings */
        PyErr_SetObject(PyExceptionInstance_Class(exception), exception);
    else
        PyErr_SetString(PyExc_TypeError, "the raise hook did not give an exception");
    Py_DECREF(exception);
}
