/* The GIL around compiled code, and the hooks of the thread pool that need Python. */

#include "compat.h"
#include "gil.h"
#include "threads.h"
#include "watching.h"

/* --- holding and releasing ------------------------------------------------------------------------ */

/* The thread state of a thread whose compiled code runs without the GIL.  A thread of the pool has
   had one since its start.  A function that such code calls may acquire the GIL, and run code that
   releases it again: `deeper` times. */
static _Thread_local PyThreadState *released __attribute__((tls_model("initial-exec")));
static _Thread_local int deeper;

/* Whether this thread holds the GIL.  (PyGILState_Check is not usable: once there are
   subinterpreters it always returns true.) */
static int has_gil(void)
{
    PyThreadState *now = running_state();

#if HAS_THREADS_OWN_STATE
    return now != NULL; /* that of this thread */
#else
    PyThreadState *mine = PyGILState_GetThisThreadState();

    if (!now || !mine || now == mine)
        return now && mine;
    /* The state of another thread, or of this one in a subinterpreter. */
    return PyInterpreterState_Head() != PyInterpreterState_Main() &&
           now->thread_id == PyThread_get_thread_ident();
#endif
}

void cutaway_release_gil(void)
{
    PyThreadState *state = PyEval_SaveThread();

    if (released)
        deeper++;
    released = state;
}

void cutaway_take_gil_back(void)
{
    PyThreadState *state = released;

    if (deeper)
        deeper--;
    else
        released = NULL;
    PyEval_RestoreThread(state);
}

int is_gil_released(void)
{
    return released && !has_gil();
}

enum { HAD, TAKEN_BACK, ENSURED };

cutaway_held cutaway_hold_gil(void)
{
    cutaway_held held = {.way = HAD};

    if (has_gil())
        return held;
    held.way = released ? TAKEN_BACK : ENSURED;
    if (released)
        cutaway_take_gil_back();
    else
        held.state = PyGILState_Ensure();
    return held;
}

void cutaway_end_hold(cutaway_held held)
{
    if (held.way == TAKEN_BACK)
        cutaway_release_gil();
    else if (held.way == ENSURED)
        PyGILState_Release(held.state);
}

/* --- hooks of the pool ---------------------------------------------------------------------------- */

/* Give a thread of the pool a permanent state: NumPy loops raise exceptions, which would be lost
   with a temporary state.  This does not need the GIL. */
static void begin_thread(void)
{
    PyInterpreterState *interpreter = PyInterpreterState_Main();

    if (interpreter)
        released = PyThreadState_New(interpreter);
}

static int begin_region(void)
{
    if (!has_gil())
        return 0;
    cutaway_release_gil();
    return 1;
}

static void end_region(int begun)
{
    if (begun)
        cutaway_take_gil_back();
}

static void *take_error(void)
{
    cutaway_held held = cutaway_hold_gil();
    PyObject *type, *value, *traceback;

    PyErr_Fetch(&type, &value, &traceback);
    if (type)
        PyErr_NormalizeException(&type, &value, &traceback);
    if (value && traceback)
        PyException_SetTraceback(value, traceback);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    cutaway_end_hold(held);
    return value;
}

static void set_error(void *error)
{
    cutaway_held held = cutaway_hold_gil();
    PyObject *value = error;

    if (value) {
        Py_INCREF(Py_TYPE(value));
        PyErr_Restore((PyObject *)Py_TYPE(value), value, PyException_GetTraceback(value));
    }
    else
        PyErr_SetString(PyExc_SystemError, "a piece of a parallel loop failed without an exception");
    cutaway_end_hold(held);
}

static void drop_error(void *error)
{
    cutaway_held held = cutaway_hold_gil();

    Py_XDECREF((PyObject *)error);
    cutaway_end_hold(held);
}

static PyObject *drop_hook;

/* Drop a record, which may own memory: only the table of exceptions knows which. */
static void drop_record(const cutaway_exc *exc)
{
    cutaway_held held = cutaway_hold_gil();
    PyObject *done = NULL;

    if (drop_hook && exc->table) {
        done = PyObject_CallFunction(drop_hook, "sLy#", exc->table, (long long)exc->index,
                                     (const char *)exc->values, (Py_ssize_t)sizeof(exc->values));
        if (!done)
            PyErr_WriteUnraisable(drop_hook);
    }
    Py_XDECREF(done);
    cutaway_end_hold(held);
}

static void lose(void)
{
    cutaway_held held = cutaway_hold_gil();

    PyErr_SetString(PyExc_RuntimeError, "the process was forked within a parallel loop: the threads "
                                        "that worked on the loop are not in the child");
    cutaway_end_hold(held);
}

static const cutaway_thread_hooks hooks = {begin_thread, begin_region, end_region, take_error,
                                           set_error, drop_error, drop_record, lose};

/* --- functions for Python ------------------------------------------------------------------------- */

static PyObject *set_drop_hook(PyObject *module, PyObject *hook)
{
    Py_INCREF(hook);
    Py_XSETREF(drop_hook, hook);
    Py_RETURN_NONE;
}

#define GETTER(name, function)                                                                     \
    static PyObject *name(PyObject *module, PyObject *unused)                                      \
    {                                                                                              \
        return PyLong_FromLongLong((long long)function());                                         \
    }

#define SETTER(name, function)                                                                     \
    static PyObject *name(PyObject *module, PyObject *number)                                      \
    {                                                                                              \
        long long value = PyLong_AsLongLong(number);                                               \
                                                                                                   \
        if (value == -1 && PyErr_Occurred())                                                       \
            return NULL;                                                                           \
        function((int64_t)value);                                                                  \
        Py_RETURN_NONE;                                                                            \
    }

GETTER(thread_id, cutaway_thread_id)
GETTER(thread_count, cutaway_thread_count)
GETTER(most_threads, cutaway_most_threads)
GETTER(usable_cores, cutaway_usable_cores)
GETTER(chunk_size, cutaway_chunk_size)
SETTER(set_thread_count, cutaway_set_thread_count)
SETTER(set_most_threads, cutaway_set_most_threads)
SETTER(set_chunk_size, cutaway_set_chunk_size)

static PyObject *close_pool(PyObject *module, PyObject *unused)
{
    cutaway_close_pool();
    Py_RETURN_NONE;
}

static PyObject *watch_loops(PyObject *module, PyObject *unused)
{
    if (cutaway_begin_watch() < 0)
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *loops_seen(PyObject *module, PyObject *unused)
{
    int64_t count, lost;
    const cutaway_seen *seen = cutaway_end_watch(&count, &lost);

    return Py_BuildValue("(y#L)", seen ? (const char *)seen : "",
                         (Py_ssize_t)((size_t)count * sizeof(*seen)), (long long)lost);
}

static PyMethodDef functions[] = {
    {"set_drop_hook", set_drop_hook, METH_O,
     "set_drop_hook(hook): hook(table, index, values) releases the objects of a record that is "
     "not raised."},
    {"thread_id", thread_id, METH_NOARGS, "thread_id() -> this thread's number in its loop."},
    {"thread_count", thread_count, METH_NOARGS,
     "thread_count() -> threads for this thread's loops."},
    {"set_thread_count", set_thread_count, METH_O,
     "set_thread_count(n): set the number of threads for loops of this thread."},
    {"most_threads", most_threads, METH_NOARGS, "most_threads() -> the most threads of a loop."},
    {"usable_cores", usable_cores, METH_NOARGS, "usable_cores() -> cores that the process may use."},
    {"set_most_threads", set_most_threads, METH_O,
     "set_most_threads(n): set the largest number of threads of a loop."},
    {"chunk_size", chunk_size, METH_NOARGS, "chunk_size() -> places in a piece, 0 for automatic."},
    {"set_chunk_size", set_chunk_size, METH_O,
     "set_chunk_size(n): set the places in a piece, for this thread."},
    {"watch_loops", watch_loops, METH_NOARGS,
     "watch_loops(): record from now on which thread runs which piece of each parallel loop."},
    {"loops_seen", loops_seen, METH_NOARGS,
     "loops_seen() -> the records, as in watching.h, and the number of dropped ones.  Ends the "
     "watch."},
    {NULL, NULL, 0, NULL},
};

/* When the interpreter exits, its state is deleted, and a thread that waits for the GIL ends in the
   middle of a piece: from then on no thread is given one. */
static int close_at_exit(void)
{
    static PyMethodDef closing = {"close_pool", close_pool, METH_NOARGS, NULL};
    PyObject *module = PyImport_ImportModule("atexit"), *function = PyCFunction_New(&closing, NULL);
    PyObject *done = NULL;

    if (module && function)
        done = PyObject_CallMethod(module, "register", "O", function);
    Py_XDECREF(done);
    Py_XDECREF(function);
    Py_XDECREF(module);
    return done ? 0 : -1;
}

int ready_threads(PyObject *module)
{
    cutaway_hooks = &hooks;
    if (PyModule_AddFunctions(module, functions) < 0 ||
        PyModule_AddIntConstant(module, "LEAST_WORK", CUTAWAY_LEAST_WORK) < 0)
        return -1;
    return close_at_exit();
}
