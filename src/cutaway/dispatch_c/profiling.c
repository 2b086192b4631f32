/* Calls that profilers, tracers and other tools observe.

   While one is active a call takes a detour: through a Python function that has the name and the
   source location of the compiled one.  So the interpreter itself reports call, return and
   exception to every tool, as its version does.  That function is

          def function(call): return ~call

   where `~` of a PendingCall makes the call.  An operator and not a call, because calls have events
   of their own.

   This is the only file that reads private fields of the interpreter. */

#define Py_BUILD_CORE_MODULE 1
#include "../runtime/compat.h"
#if HAS_MONITORING
#include <internal/pycore_interp.h>
#else
#include <internal/pycore_runtime.h>
#endif
#undef Py_BUILD_CORE_MODULE

#include "dispatch.h"

#include <frameobject.h>

/* --- detection --------------------------------------------------------------------------------- */

#if !HAS_MONITORING

/* Where the field is not found: a thread that is always traced. */
static _PyCFrame any_frame = {.use_tracing = 255};
static PyThreadState any_thread = {.cframe = &any_frame};
static PyThreadState *const any_thread_address = &any_thread;
PyThreadState *const *running_thread = &any_thread_address;

static int find_profilers(void)
{
    PyThreadState *const *field = (PyThreadState *const *)&_PyRuntime.gilstate.tstate_current;

    if (*field == PyThreadState_Get()) /* in another micro version it might be elsewhere */
        running_thread = field;
    return 0;
}

static int surely_profiled(void)
{
    return PyThreadState_Get()->cframe->use_tracing;
}

#else

/* The tools that observe the events PY_START, PY_RESUME, PY_RETURN and PY_YIELD: a byte of each, in
   the interpreter's table.  Where that is not found: some tool. */
static const uint32_t some_tool = 1;
const uint32_t *start_and_return_tools = &some_tool;

/* Set the events of a tool; the class `sys.monitoring` has functions alone. */
static int set_events(PyObject *monitoring, int tool, int events)
{
    PyObject *done = PyObject_CallMethod(monitoring, "set_events", "ii", tool, events);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* Whether a field shows that a tool observes PY_START; -1 with an exception set. */
static int tells(const uint32_t *field, PyObject *monitoring, int tool)
{
    uint32_t before = *field, within, after;

    if (set_events(monitoring, tool, 1) < 0)
        return -1;
    within = *field;
    if (set_events(monitoring, tool, 0) < 0)
        return -1;
    after = *field;
    return before == after && within == (before | (uint32_t)1 << tool);
}

/* Test the field with an unused tool; 0 if all are in use. */
static int try_out(const uint32_t *field)
{
    PyObject *monitoring = PySys_GetObject("monitoring"), *done;
    int answer = 0;

    for (int tool = 4; monitoring && tool >= 3; tool--) { /* these two have no predefined use */
        done = PyObject_CallMethod(monitoring, "use_tool_id", "is", tool, "cutaway");
        if (!done) {
            PyErr_Clear();
            continue;
        }
        Py_DECREF(done);
        answer = tells(field, monitoring, tool);
        done = PyObject_CallMethod(monitoring, "free_tool_id", "i", tool);
        Py_XDECREF(done);
        return done ? answer : -1;
    }
    return answer;
}

static int find_profilers(void)
{
    const uint32_t *field = (const uint32_t *)&PyInterpreterState_Get()->monitors;
    int right = PY_VERSION_HEX == Py_Version ? 1 : try_out(field);

    if (right > 0) /* in another micro version it might be elsewhere */
        start_and_return_tools = field;
    return right < 0 ? -1 : 0;
}

static int surely_profiled(void)
{
    return 1; /* otherwise the difference is not noticeable */
}

#endif

/* --- the detour -------------------------------------------------------------------------------- */

/* A running call.  All its fields belong to the caller, and are invalid when it is done. */
typedef struct {
    PyObject_HEAD
    PyObject *callable;
    PyObject *const *args; /* NULL: done */
    size_t nargsf;
    PyObject *kwnames;
    PyThreadState *thread; /* the caller's, the only one that may use it */
} PendingCall;

/* Its arguments; NULL with an exception set if it is not running in this thread. */
static PyObject *const *pending_args(PendingCall *call)
{
    if (call->thread != PyThreadState_Get()) { /* the owner may be using it */
        PyErr_SetString(PyExc_RuntimeError, "this call is of another thread");
        return NULL;
    }
    if (!call->args)
        PyErr_SetString(PyExc_RuntimeError, "this call was done already");
    return call->args;
}

static PyObject *pending_invert(PyObject *self)
{
    PendingCall *call = (PendingCall *)self;
    PyObject *const *args = pending_args(call);

    if (!args)
        return NULL;
    call->args = NULL;
    return call_unprofiled(call->callable, args, call->nargsf, call->kwnames);
}

/* `call.arguments`, for tools that record calls: a tuple, keyword arguments at its end. */
static PyObject *pending_arguments(PyObject *self, void *closure)
{
    PendingCall *call = (PendingCall *)self;
    PyObject *const *args = pending_args(call);
    Py_ssize_t count = PyVectorcall_NARGS(call->nargsf);
    PyObject *tuple;

    if (call->kwnames)
        count += PyTuple_GET_SIZE(call->kwnames);
    tuple = args ? PyTuple_New(count) : NULL;
    for (Py_ssize_t k = 0; tuple && k < count; k++) {
        Py_INCREF(args[k]);
        PyTuple_SET_ITEM(tuple, k, args[k]);
    }
    return tuple;
}

static PyGetSetDef pending_attributes[] = {
    {"arguments", pending_arguments, NULL, "The arguments, those by name at the end.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyNumberMethods pending_operators = {.nb_invert = pending_invert};

static PyTypeObject PendingCallType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.dispatch_c._dispatch.PendingCall",
    .tp_doc = "A call of a compiled function that a profiler or tracer sees.",
    .tp_basicsize = sizeof(PendingCall),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_as_number = &pending_operators,
    .tp_getset = pending_attributes,
};

int ready_profiling(void)
{
    return PyType_Ready(&PendingCallType) < 0 ? -1 : find_profilers();
}

/* The code that all trampolines are variants of; a new reference. */
static PyObject *template_code(void)
{
    PyObject *module, *constants, *template = NULL;

    module = Py_CompileString("def function(call): return ~call", "<cutaway>", Py_file_input);
    constants = module ? PyObject_GetAttrString(module, "co_consts") : NULL;
    for (Py_ssize_t k = 0; constants && k < PyTuple_GET_SIZE(constants); k++)
        if (!template && PyCode_Check(PyTuple_GET_ITEM(constants, k)))
            template = Py_NewRef(PyTuple_GET_ITEM(constants, k));
    Py_XDECREF(module);
    Py_XDECREF(constants);
    if (!template && !PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "no code in the trampoline's module");
    return template;
}

/* The template with the name and the location of a function's code. */
static PyObject *code_like(PyObject *code)
{
    static const char *const names[] = {"co_name", "co_qualname", "co_filename",
                                        "co_firstlineno"};
    PyObject *template = template_code(), *made = NULL, *none = PyTuple_New(0);
    PyObject *method = template ? PyObject_GetAttrString(template, "replace") : NULL;
    PyObject *changes = PyDict_New();

    if (!method || !changes || !none)
        goto done;
    for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
        PyObject *value = PyObject_GetAttrString(code, names[k]);
        int status = value ? PyDict_SetItemString(changes, names[k], value) : -1;
        Py_XDECREF(value);
        if (status < 0)
            goto done;
    }
    made = PyObject_Call(method, none, changes);
done:
    Py_XDECREF(template);
    Py_XDECREF(none);
    Py_XDECREF(method);
    Py_XDECREF(changes);
    return made;
}

/* Make the function that profilers see in place of a dispatcher; None if its half has none. */
static PyObject *make_trampoline(PyObject *half)
{
    PyObject *py_func = PyObject_GetAttrString(half, "py_func"), *code = NULL, *made = NULL;

    if (!py_func || !PyFunction_Check(py_func)) {
        PyErr_Clear();
        Py_XDECREF(py_func);
        Py_RETURN_NONE;
    }
    code = code_like(PyFunction_GET_CODE(py_func));
    if (code)
        made = PyFunction_New(code, PyFunction_GET_GLOBALS(py_func));
    Py_DECREF(py_func);
    Py_XDECREF(code);
    return made;
}

/* The trampoline, made once; borrowed.  Profilers do not see its making. */
static PyObject *trampoline_of(dispatcher_head *self)
{
    PyThreadState *thread = PyThreadState_Get();
    PyObject *made, *known = SHARED(self->trampoline);

    if (known)
        return known;
    PyThreadState_EnterTracing(thread);
    made = make_trampoline(self->half);
    PyThreadState_LeaveTracing(thread);
    if (!made)
        return NULL;
    if (set_once(&self->trampoline, made))
        return made;
    Py_DECREF(made); /* another thread has made one */
    return SHARED(self->trampoline);
}

/* The rest of a traceback behind the trampoline's entry, if it begins with that; a new reference,
   which takes over that to `entry`. */
static PyObject *without_entry(PyObject *entry, PyObject *trampoline)
{
    PyTracebackObject *traceback = (PyTracebackObject *)entry;
    PyObject *code, *rest;

    if (!entry)
        return NULL;
    code = (PyObject *)PyFrame_GetCode(traceback->tb_frame);
    Py_DECREF(code); /* the frame holds it */
    if (code != PyFunction_GET_CODE(trampoline))
        return entry;
    rest = (PyObject *)traceback->tb_next;
    Py_XINCREF(rest);
    Py_DECREF(entry);
    return rest;
}

/* Hide the trampoline in the traceback of the exception that is set. */
static void hide_trampoline(PyObject *trampoline)
{
#if !HAS_EXCEPTION_OBJECTS
    PyObject *type, *value, *traceback;

    PyErr_Fetch(&type, &value, &traceback);
    PyErr_Restore(type, value, without_entry(traceback, trampoline));
#else
    PyObject *exception = PyErr_GetRaisedException();
    PyObject *rest = without_entry(PyException_GetTraceback(exception), trampoline);

    PyException_SetTraceback(exception, rest ? rest : Py_None);
    Py_XDECREF(rest);
    PyErr_SetRaisedException(exception);
#endif
}

PyObject *call_profiled(PyObject *callable, PyObject *const *args, size_t nargsf,
                        PyObject *kwnames)
{
    static PyObject *no_arguments[1];
    PyObject *trampoline, *value = NULL;
    PendingCall *call;

    if (!surely_profiled())
        return call_unprofiled(callable, args, nargsf, kwnames);
    trampoline = trampoline_of((dispatcher_head *)callable);
    if (!trampoline)
        return NULL;
    if (trampoline == Py_None)
        return call_unprofiled(callable, args, nargsf, kwnames);
    call = PyObject_New(PendingCall, &PendingCallType);
    if (!call)
        return NULL;
    call->callable = callable;
    call->args = args ? args : no_arguments;
    call->nargsf = nargsf;
    call->kwnames = kwnames;
    call->thread = PyThreadState_Get();
    Py_INCREF(trampoline); /* observers may run any code */
    value = PyObject_CallOneArg(trampoline, (PyObject *)call);
    call->args = NULL;
    Py_DECREF(call);
    if (!value)
        hide_trampoline(trampoline);
    Py_DECREF(trampoline);
    return value;
}
