/* Generators of object mode: an object with a frame, which is an array of objects.

   The code of a generator is one function, which continues at the place of its state: all values
   that are live meanwhile are in the frame, where the garbage collector finds them. */

#include "objects.h"

#include <structmember.h>

/* The outcomes of a step of a generator. */
enum { YIELDED, RETURNED, RAISED };

/* `state` is the place to continue: 0 at the start.  The first slots are the arguments, which are
   kept for the generator's life; for the others a table has the number of references that they hold
   in each state. */
typedef struct frame {
    int64_t state;
    PyObject *slots[];
} frame;

/* `value` is the value that is sent, or NULL if an exception is set; then the result. */
typedef int32_t step_function(PyObject *const *env, frame *frame, PyObject **value);

typedef struct {
    PyObject_HEAD
    PyObject *const *env;
    PyObject *keep; /* holds the code and the environment */
    frame *frame;   /* NULL after its end */
    Py_ssize_t arguments, count;
    const unsigned char *owned; /* a row of `count` for each state */
    step_function *step;
    PyObject *name, *qualname, *code, *weakrefs;
    int running;
} generator;

static PyTypeObject ObjectGeneratorType;

PyObject *cutaway_py_generator(PyObject *const *env, PyObject *const *args, int64_t arguments,
                               int64_t count, step_function *step, PyObject *owned)
{
    generator *self = PyObject_GC_New(generator, &ObjectGeneratorType);
    PyCodeObject *code = (PyCodeObject *)env[ENV_CODE];

    if (!self)
        return NULL;
    self->frame = PyMem_Calloc(1, sizeof(frame) + (size_t)count * sizeof(PyObject *));
    self->env = env;
    self->keep = Py_NewRef(env[ENV_KEEP]);
    self->arguments = arguments;
    self->count = count;
    self->owned = (const unsigned char *)PyBytes_AS_STRING(owned);
    self->step = step;
    self->name = Py_NewRef(code->co_name);
    self->qualname = Py_NewRef(code->co_qualname);
    self->code = Py_NewRef((PyObject *)code);
    self->weakrefs = NULL;
    self->running = 0;
    for (Py_ssize_t k = 0; self->frame && k < arguments; k++)
        self->frame->slots[k] = Py_NewRef(args[k]);
    PyObject_GC_Track(self);
    if (!self->frame) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

/* The number of references that a slot holds while the generator is suspended. */
static inline int held_by(const generator *self, const frame *at, Py_ssize_t slot)
{
    return slot < self->arguments ? 1 : self->owned[at->state * self->count + slot];
}

/* Acquire the generator, as one thread at a time may run it; 0 with an exception set if it runs. */
static int take(generator *self)
{
    if (begin_alone(&self->running))
        return 1;
    PyErr_SetString(PyExc_ValueError, "generator already executing");
    return 0;
}

/* End a generator that was acquired: drop the contents of the frame, which is all of it unless its
   code has run to the end. */
static void finish(generator *self, int has_ended)
{
    frame *gone = self->frame;
    Py_ssize_t count = has_ended ? self->arguments : self->count;

    self->frame = NULL;
    end_alone(&self->running);
    for (Py_ssize_t k = 0; gone && k < count; k++)
        for (int left = gone->slots[k] ? held_by(self, gone, k) : 0; left; left--)
            Py_DECREF(gone->slots[k]);
    PyMem_Free(gone);
}

/* Replace a StopIteration, which must not leave a generator, by a RuntimeError. */
static void hide_stop(void)
{
    PyObject *stop, *error;

    if (!PyErr_ExceptionMatches(PyExc_StopIteration))
        return;
    stop = cutaway_taken();
    PyErr_SetString(PyExc_RuntimeError, "generator raised StopIteration");
    error = cutaway_taken();
    PyException_SetCause(error, Py_NewRef(stop));
    PyException_SetContext(error, stop);
    cutaway_set(error);
}

/* Continue with the value that is sent, or with the exception that is set; takes over no reference.
   The generator was acquired, and is released by this. */
static int32_t go_on(generator *self, PyObject **value)
{
    int32_t outcome;

    if (Py_EnterRecursiveCall(" in a generator")) {
        end_alone(&self->running);
        return RAISED;
    }
    Py_INCREF(self);
    if (self->frame->state) /* at the start the value sent is None, and unused */
        Py_XINCREF(*value);
    outcome = self->step(self->env, self->frame, value);
    if (outcome == RAISED)
        hide_stop();
    if (outcome != YIELDED)
        finish(self, 1);
    else
        end_alone(&self->running);
    Py_DECREF(self);
    Py_LeaveRecursiveCall();
    return outcome;
}

static PySendResult generator_am_send(PyObject *object, PyObject *sent, PyObject **result)
{
    static const PySendResult results[] = {PYGEN_NEXT, PYGEN_RETURN, PYGEN_ERROR};
    generator *self = (generator *)object;
    int32_t outcome;

    *result = NULL;
    if (!take(self))
        return PYGEN_ERROR;
    if (!self->frame) {
        end_alone(&self->running);
        *result = Py_NewRef(Py_None);
        return PYGEN_RETURN;
    }
    if (!self->frame->state && sent && sent != Py_None) {
        end_alone(&self->running);
        PyErr_SetString(PyExc_TypeError,
                        "can't send non-None value to a just-started generator");
        return PYGEN_ERROR;
    }
    *result = sent ? sent : Py_None;
    outcome = go_on(self, result);
    if (outcome == RAISED)
        *result = NULL;
    return results[outcome];
}

/* The return value of a generator is the value of the StopIteration that ends it. */
static void set_stop(PyObject *value)
{
    PyObject *stop;

    if (value == Py_None) {
        PyErr_SetNone(PyExc_StopIteration);
        return;
    }
    if ((stop = PyObject_CallOneArg(PyExc_StopIteration, value))) {
        PyErr_SetObject(PyExc_StopIteration, stop);
        Py_DECREF(stop);
    }
}

/* The result of a step, for a method; with `quiet` the usual end sets no exception. */
static PyObject *given(PySendResult result, PyObject *value, int quiet)
{
    if (result == PYGEN_NEXT)
        return value;
    if (result == PYGEN_RETURN && !(quiet && value == Py_None))
        set_stop(value);
    Py_XDECREF(value);
    return NULL;
}

static PyObject *generator_next(PyObject *self)
{
    PyObject *value;
    PySendResult result = generator_am_send(self, Py_None, &value);

    return given(result, value, 1);
}

static PyObject *generator_send(PyObject *self, PyObject *sent)
{
    PyObject *value;
    PySendResult result = generator_am_send(self, sent, &value);

    return given(result, value, 0);
}

/* Continue with the exception that is set, as `go_on`. */
static PySendResult go_on_raising(generator *self, PyObject **value)
{
    int32_t outcome;

    *value = NULL;
    if (!self->frame) {
        end_alone(&self->running);
        return PYGEN_ERROR;
    }
    if (!self->frame->state) {
        const PyCodeObject *code = (const PyCodeObject *)self->code;
        cutaway_py_failed(self->env, -1, code->co_firstlineno);
        hide_stop();
        finish(self, 0);
        return PYGEN_ERROR;
    }
    outcome = go_on(self, value);
    if (outcome == RAISED)
        *value = NULL;
    return outcome == YIELDED ? PYGEN_NEXT : outcome == RETURNED ? PYGEN_RETURN : PYGEN_ERROR;
}

/* Set the exception of the arguments of `throw`; -1 with another one set. */
static int set_thrown(PyObject *type, PyObject *value, PyObject *traceback)
{
    if (traceback == Py_None)
        traceback = NULL;
    if (traceback && !PyTraceBack_Check(traceback)) {
        PyErr_SetString(PyExc_TypeError, "throw() third argument must be a traceback object");
        return -1;
    }
    if (PyExceptionClass_Check(type)) {
        PyErr_Restore(Py_NewRef(type), Py_XNewRef(value), Py_XNewRef(traceback));
        cutaway_set(cutaway_taken());
        return 0;
    }
    if (PyExceptionInstance_Check(type)) {
        if (value && value != Py_None) {
            PyErr_SetString(PyExc_TypeError, "instance exception may not have a separate value");
            return -1;
        }
        if (!traceback)
            cutaway_set(Py_NewRef(type));
        else
            PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(type)), Py_NewRef(type),
                          Py_NewRef(traceback));
        return 0;
    }
    PyErr_Format(PyExc_TypeError,
                 "exceptions must be classes or instances deriving from BaseException, not %s",
                 Py_TYPE(type)->tp_name);
    return -1;
}

static PyObject *generator_throw(generator *self, PyObject *args)
{
    PyObject *type, *value = NULL, *traceback = NULL;
    PySendResult result;

    if (!PyArg_UnpackTuple(args, "throw", 1, 3, &type, &value, &traceback))
        return NULL;
#if THROW_WARNS_OF_THREE
    if (value && PyErr_WarnEx(PyExc_DeprecationWarning,
                              "the (type, exc, tb) signature of throw() is deprecated, use the "
                              "single-arg signature instead.", 1) < 0)
        return NULL;
#endif
    if (set_thrown(type, value, traceback) < 0 || !take(self))
        return NULL;
    result = go_on_raising(self, &value);
    return given(result, value, 0);
}

static PyObject *generator_close(generator *self, PyObject *unused)
{
    PyObject *value;

    if (!take(self))
        return NULL;
    if (!self->frame || !self->frame->state) {
        finish(self, 0);
        Py_RETURN_NONE;
    }
    PyErr_SetNone(PyExc_GeneratorExit);
    switch (go_on_raising(self, &value)) {
    case PYGEN_NEXT:
        Py_DECREF(value);
        PyErr_SetString(PyExc_RuntimeError, "generator ignored GeneratorExit");
        return NULL;
    case PYGEN_RETURN:
#if CLOSE_GIVES_VALUE
        return value;
#else
        Py_DECREF(value);
        Py_RETURN_NONE;
#endif
    default:
        if (!PyErr_ExceptionMatches(PyExc_GeneratorExit) &&
            !PyErr_ExceptionMatches(PyExc_StopIteration))
            return NULL;
        PyErr_Clear();
        Py_RETURN_NONE;
    }
}

/* --- lifetime ---------------------------------------------------------------------------------- */

/* A suspended generator is closed when its last reference is dropped. */
static void generator_finalize(PyObject *object)
{
    generator *self = (generator *)object;
    PyObject *type, *value, *traceback, *ended;

    if (!self->frame || !self->frame->state)
        return;
    PyErr_Fetch(&type, &value, &traceback);
    ended = generator_close(self, NULL);
    if (!ended)
        PyErr_WriteUnraisable(object);
    Py_XDECREF(ended);
    PyErr_Restore(type, value, traceback);
}

static int generator_traverse(generator *self, visitproc visit, void *arg)
{
    for (Py_ssize_t k = 0; self->frame && !self->running && k < self->count; k++)
        for (int held = held_by(self, self->frame, k); held; held--)
            Py_VISIT(self->frame->slots[k]);
    Py_VISIT(self->keep);
    Py_VISIT(self->code);
    return 0;
}

static void generator_dealloc(PyObject *object)
{
    generator *self = (generator *)object;

    PyObject_GC_UnTrack(object);
    if (self->weakrefs)
        PyObject_ClearWeakRefs(object);
    PyObject_GC_Track(object);
    if (PyObject_CallFinalizerFromDealloc(object) < 0)
        return; /* it was resurrected */
    PyObject_GC_UnTrack(object);
    finish(self, 0);
    Py_CLEAR(self->keep);
    Py_CLEAR(self->name);
    Py_CLEAR(self->qualname);
    Py_CLEAR(self->code);
    PyObject_GC_Del(object);
}

/* --- `yield from` ------------------------------------------------------------------------------ */

/* Pass the exception that is set to an iterator, with the results of `PyIter_Send`. */
static PySendResult pass_exception(PyObject *iterator, PyObject **result)
{
    PyObject *error = cutaway_taken(), *method;

    *result = NULL;
    if (PyErr_GivenExceptionMatches(error, PyExc_GeneratorExit)) {
        method = PyObject_GetAttrString(iterator, "close");
        if (!method && !PyErr_ExceptionMatches(PyExc_AttributeError)) {
            Py_DECREF(error);
            return PYGEN_ERROR;
        }
        PyErr_Clear();
        PyObject *closed = method ? PyObject_CallNoArgs(method) : Py_NewRef(Py_None);
        Py_XDECREF(method);
        if (closed)
            cutaway_set(error);
        else
            Py_DECREF(error);
        Py_XDECREF(closed);
        return PYGEN_ERROR;
    }
    method = PyObject_GetAttrString(iterator, "throw");
    if (!method) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
            PyErr_Clear();
            cutaway_set(error);
        }
        else
            Py_DECREF(error);
        return PYGEN_ERROR;
    }
    *result = PyObject_CallOneArg(method, error);
    Py_DECREF(method);
    Py_DECREF(error);
    return *result ? PYGEN_NEXT : PYGEN_ERROR;
}

int32_t cutaway_py_delegate(PyObject *iterator, PyObject **value)
{
    PyObject *sent = *value, *stop, *result = NULL;
    PySendResult outcome;

    if (sent) {
        outcome = PyIter_Send(iterator, sent, &result);
        Py_DECREF(sent);
    }
    else
        outcome = pass_exception(iterator, &result);
    *value = result;
    if (outcome == PYGEN_NEXT)
        return YIELDED;
    if (outcome == PYGEN_RETURN)
        return RETURNED;
    if (!PyErr_ExceptionMatches(PyExc_StopIteration) || sent) {
        if (!sent)
            cutaway_py_thrown();
        return RAISED;
    }
    stop = cutaway_taken();
    *value = PyObject_GetAttrString(stop, "value");
    Py_DECREF(stop);
    return *value ? RETURNED : RAISED;
}

void cutaway_py_thrown(void)
{
    PyObject *error = cutaway_taken(), *context = PyException_GetContext(error);
    PyObject *handled = PyErr_GetHandledException();

    if (!context && handled && handled != error && handled != Py_None)
        PyException_SetContext(error, Py_NewRef(handled));
    Py_XDECREF(context);
    Py_XDECREF(handled);
    cutaway_set(error);
}

/* --- exceptions being handled ------------------------------------------------------------------ */

void cutaway_py_leave_handlers(PyObject **outermost, PyObject **innermost)
{
    *innermost = PyErr_GetHandledException();
    PyErr_SetHandledException(*outermost);
    Py_CLEAR(*outermost);
}

void cutaway_py_enter_handlers(PyObject **outermost, PyObject **innermost)
{
    *outermost = PyErr_GetHandledException();
    PyErr_SetHandledException(*innermost);
    Py_CLEAR(*innermost);
}

/* --- the type ---------------------------------------------------------------------------------- */

static PyObject *get_none(PyObject *self, void *unused)
{
    Py_RETURN_NONE;
}

static PyObject *get_running(generator *self, void *unused)
{
    return PyBool_FromLong(SHARED(self->running));
}

static PyObject *get_suspended(generator *self, void *unused)
{
    int waits = 0;

    if (begin_alone(&self->running)) {
        waits = self->frame && self->frame->state;
        end_alone(&self->running);
    }
    return PyBool_FromLong(waits);
}

static PyObject *get_text(generator *self, void *which)
{
    PyObject *text;

    BEGIN_SECTION(self);
    text = Py_NewRef(which ? self->qualname : self->name);
    END_SECTION();
    return text;
}

static int set_text(generator *self, PyObject *value, void *which)
{
    if (!value || !PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be set to a string object",
                     which ? "__qualname__" : "__name__");
        return -1;
    }
    BEGIN_SECTION(self);
    if (which)
        Py_SETREF(self->qualname, Py_NewRef(value));
    else
        Py_SETREF(self->name, Py_NewRef(value));
    END_SECTION();
    return 0;
}

static PyObject *generator_repr(generator *self)
{
    PyObject *name = get_text(self, (void *)1);
    PyObject *text = PyUnicode_FromFormat("<generator object %S at %p>", name, self);

    Py_DECREF(name);
    return text;
}

static PyGetSetDef generator_getset[] = {
    {"__name__", (getter)get_text, (setter)set_text, NULL, NULL},
    {"__qualname__", (getter)get_text, (setter)set_text, NULL, (void *)1},
    {"gi_running", (getter)get_running, NULL, NULL, NULL},
    {"gi_suspended", (getter)get_suspended, NULL, NULL, NULL},
    {"gi_frame", get_none, NULL, "None: a compiled generator has no frame of Python's.", NULL},
    {"gi_yieldfrom", get_none, NULL, "None: it is not known from outside.", NULL},
    {NULL},
};

static PyMemberDef generator_members[] = {
    {"gi_code", T_OBJECT, offsetof(generator, code), READONLY, NULL},
    {NULL},
};

static PyMethodDef generator_methods[] = {
    {"send", generator_send, METH_O, "send(value): resume with a value; return the next item."},
    {"throw", (PyCFunction)generator_throw, METH_VARARGS,
     "throw(exception): resume with an exception; return the next item."},
    {"close", (PyCFunction)generator_close, METH_NOARGS,
     "close(): end the generator where it is suspended."},
    {NULL},
};

static PyAsyncMethods generator_async = {.am_send = generator_am_send};

static PyTypeObject ObjectGeneratorType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "generator",
    .tp_basicsize = sizeof(generator),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "The generator of a function in object mode.",
    .tp_dealloc = generator_dealloc,
    .tp_traverse = (traverseproc)generator_traverse,
    .tp_finalize = generator_finalize,
    .tp_weaklistoffset = offsetof(generator, weakrefs),
    .tp_repr = (reprfunc)generator_repr,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = generator_next,
    .tp_as_async = &generator_async,
    .tp_methods = generator_methods,
    .tp_members = generator_members,
    .tp_getset = generator_getset,
};

int add_object_generators(PyObject *module)
{
    if (PyType_Ready(&ObjectGeneratorType) < 0)
        return -1;
    return PyModule_AddObjectRef(module, "object_generator", (PyObject *)&ObjectGeneratorType);
}
