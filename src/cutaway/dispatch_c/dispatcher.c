/* Dispatchers: the path of a call to its specialization.

   Arguments are assigned to parameters; the guards of the specializations used last are tried; then
   the codes of the arguments' types are looked up in the dispatcher's table, where a closed
   dispatcher also stores its choices; other calls go to the Python half. */

#include "dispatcher.h"
#include "entering.h"

#define STACK_ARGUMENTS 32 /* arguments that need no malloc */
#define MOST_CHOICES 4096  /* combinations of types in a dispatcher's table */

/* --- the hot specializations ------------------------------------------------------------------- */

/* The index of a specialization among the hot ones, or their number. */
static int place_among_hot(const Dispatcher *self, const Specialization *spec)
{
    int place = 0;

    while (place < self->hot_count && self->hot[place] != spec)
        place++;
    return place;
}

/* Move a specialization to the front of the hot ones, from `place`, which may be past them. */
static void put_first(Dispatcher *self, Specialization *spec, int place)
{
    if (place == HOT)
        place--; /* the last one is dropped */
    else if (place == self->hot_count)
        SHARE(self->hot_count, place + 1);
    for (; place > 0; place--)
        SHARE(self->hot[place], self->hot[place - 1]);
    SHARE(self->hot[0], spec);
    find_first(self);
}

/* Move a hot specialization that was called to the front. */
static void make_hot(Dispatcher *self, Specialization *spec)
{
    int place;

    if (is_busy(spec)) /* threads that call with different types would displace each other */
        return;
    LOCK(self->lock);
    place = place_among_hot(self, spec);
    if (place && place < self->hot_count)
        put_first(self, spec, place);
    UNLOCK(self->lock);
}

/* Add a specialization that was found by the table to the hot ones. */
static void warm(Dispatcher *self, Specialization *spec)
{
    int place, patience;

    LOCK(self->lock);
    place = place_among_hot(self, spec);
    patience = self->patience;
    if (place < self->hot_count)
        patience = Py_MIN(patience + 1, HOT);
    else if (patience > 1)
        patience--;
    SHARE(self->patience, patience);
    if (!FREE_THREADED || is_among(self, spec)) /* it may have been dropped meanwhile */
        put_first(self, spec, place);
    UNLOCK(self->lock);
}

/* Guards cannot convert: try fewer of them. */
static void lose_patience(Dispatcher *self)
{
    LOCK(self->lock);
    if (self->patience)
        SHARE(self->patience, self->patience - 1);
    find_first(self);
    UNLOCK(self->lock);
}

/* Try the hot ones from `first` on. */
static PyObject *call_hot(Dispatcher *self, const call_arguments *arguments, int first, int *fits)
{
    for (int k = first; k < Py_MIN(SHARED(self->hot_count), SHARED(self->patience)); k++) {
        Specialization *spec = SHARED(self->hot[k]);
        PyObject *value = try_guards(spec, arguments, fits);
        if (*fits) {
            if (k)
                make_hot(self, spec);
            return value;
        }
    }
    *fits = 0;
    return NULL;
}

int codes_of(const Dispatcher *self, const call_arguments *arguments, int32_t *codes)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters);

    if (arguments->count > count)
        return 0;
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *value = k < arguments->count ? arguments->items[k] : NULL;
        const char *literal = SHARED(self->literal);
        if (!value || value == absent)
            codes[k] = SHARED(self->omitted[k]);
        else {
            codes[k] = literal && SHARED(literal[k]) ? code_of_literal(value) : 0;
            if (!codes[k]) /* no type holds it, or its value has not mattered here yet */
                codes[k] = code_of(value);
        }
        if (!codes[k])
            return 0;
    }
    if (self->star)
        codes[count] = code_of_tuple(arguments->rest, arguments->rest_count);
    return !self->star || codes[count];
}

int remember(Dispatcher *self, const int32_t *codes, Py_ssize_t count, Specialization *spec)
{
    int converts = !spec->codes || memcmp(codes, spec->codes, (size_t)count * sizeof(*codes));
    int status;

    LOCK(self->lock);
    status = is_among(self, spec);
    if (status && words_set(&self->choices, (const uint32_t *)codes, (size_t)count,
                            (intptr_t)spec | converts) < 0)
        status = -1;
    UNLOCK(self->lock);
    return status;
}

intptr_t choose(Dispatcher *self, const int32_t *codes, Py_ssize_t count)
{
    Specialization *best;
    int found = select_best(self->specializations, codes, count, SHARED(self->mode) == WRITTEN,
                            &best);
    intptr_t choice = 0;

    if (found == 1) {
        /* the hook for conversions may have dropped it: then it is not chosen */
        int there = remember(self, codes, count, best);
        if (there < 0)
            choice = -1;
        else if (there)
            choice = words_find(&self->choices, (const uint32_t *)codes, (size_t)count);
        Py_DECREF(best);
        return choice;
    }
    if (found >= 0)
        return 0;
    if (!PyErr_ExceptionMatches(PyExc_LookupError))
        return -1;
    PyErr_Clear(); /* a type that was freed: the Python half makes it again */
    return 0;
}

static PyObject *call_choice(Dispatcher *self, intptr_t choice, const call_arguments *arguments,
                             int *fits)
{
    Specialization *spec = (Specialization *)(choice & ~(intptr_t)1);
    int converts = (int)(choice & 1);
    PyObject *value;

    if (!converts && spec->guards_decide)
        warm(self, spec);
    else if (converts && SHARED(self->patience))
        lose_patience(self);
    Py_INCREF(spec); /* a conversion may run any code */
    value = try_call(spec, arguments, 1, converts ? BY_CONVERSION : BY_CODES, fits);
    Py_DECREF(spec);
    return value;
}

static PyObject *call_by_codes(Dispatcher *self, const call_arguments *arguments, int *fits)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters) + self->star;
    int32_t buffer[STACK_ARGUMENTS + 1], *codes = buffer;
    PyObject *value = NULL;
    intptr_t choice = 0;

    *fits = 0;
    if (count > STACK_ARGUMENTS + 1 &&
        !(codes = PyMem_Malloc((size_t)count * sizeof(*codes)))) {
        *fits = 1;
        return PyErr_NoMemory();
    }
    if (codes_of(self, arguments, codes)) {
        choice = words_find(&self->choices, (const uint32_t *)codes, (size_t)count);
        if (!choice && SHARED(self->mode) != OPEN)
            choice = choose(self, codes, count);
    }
    if (choice == -1)
        *fits = 1;
    else if (choice)
        value = call_choice(self, choice, arguments, fits);
    if (codes != buffer)
        PyMem_Free(codes);
    return value;
}

/* Call an existing specialization for the arguments, but not the hot ones before `first`; with
   *fits 0 the Python half has to resolve the call. */
static inline PyObject *call_known(Dispatcher *self, const call_arguments *arguments, int first,
                                   int *fits)
{
    PyObject *value = call_hot(self, arguments, first, fits);

    if (!*fits && PyList_GET_SIZE(self->specializations))
        value = call_by_codes(self, arguments, fits);
    return value;
}

/* Call with arguments that must be laid out first. */
static PyObject *call_laid_out(Dispatcher *self, PyObject *const *args, Py_ssize_t given,
                               PyObject *kwnames, call_arguments *arguments, int *fits)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters);
    PyObject *buffer[STACK_ARGUMENTS], **laid = buffer, *value = NULL;

    *fits = 1;
    if (count > STACK_ARGUMENTS && !(laid = PyMem_Malloc((size_t)count * sizeof(PyObject *))))
        return PyErr_NoMemory();
    *fits = lay_out(self, args, given, kwnames, laid);
    arguments->items = laid;
    arguments->count = count;
    if (*fits) {
        if (kwnames && given + PyTuple_GET_SIZE(kwnames) == SHARED(self->plain))
            learn_order(self, given, kwnames);
        value = call_known(self, arguments, 0, fits);
    }
    if (laid != buffer)
        PyMem_Free(laid);
    return value;
}

/* --- the Python half --------------------------------------------------------------------------- */

/* Call the specialization in the Python half's answer, with its arguments. */
static PyObject *call_answer(Dispatcher *self, PyObject *answer)
{
    call_arguments arguments = {.star = self->star, .defaults = SHARED(self->defaults)};
    PyObject *value, *bound, *rest;
    int fits = 0;

    if (PyExceptionInstance_Check(answer)) { /* raised here: none of our frames is in between */
        PyErr_SetObject(PyExceptionInstance_Class(answer), answer);
        return NULL;
    }
    if (!PyTuple_Check(answer) || PyTuple_GET_SIZE(answer) != 2 ||
        !Py_IS_TYPE(PyTuple_GET_ITEM(answer, 0), &SpecializationType) ||
        !PyTuple_Check(bound = PyTuple_GET_ITEM(answer, 1)) ||
        PyTuple_GET_SIZE(bound) < self->star) {
        PyErr_SetString(PyExc_TypeError, "resolve gives a Specialization and a tuple");
        return NULL;
    }
    arguments.items = ((PyTupleObject *)bound)->ob_item;
    arguments.count = PyTuple_GET_SIZE(bound) - self->star;
    if (self->star) {
        rest = PyTuple_GET_ITEM(bound, arguments.count);
        if (!PyTuple_Check(rest)) {
            PyErr_SetString(PyExc_TypeError, "resolve gives the arguments of *args as a tuple");
            return NULL;
        }
        arguments.rest = ((PyTupleObject *)rest)->ob_item;
        arguments.rest_count = PyTuple_GET_SIZE(rest);
    }
    value = try_call((Specialization *)PyTuple_GET_ITEM(answer, 0), &arguments, 1, BY_RESOLUTION,
                     &fits);
    if (!value && !fits && !PyErr_Occurred())
        PyErr_SetString(PyExc_TypeError, "the arguments do not fit their specialization");
    return value;
}

/* Convert the arguments of a call to a tuple and a dict; 0 with an exception set. */
static int as_objects(PyObject *const *args, Py_ssize_t given, PyObject *kwnames,
                      PyObject **positional, PyObject **keywords)
{
    *keywords = NULL;
    *positional = PyTuple_New(given);
    if (!*positional || !(*keywords = PyDict_New()))
        return 0;
    for (Py_ssize_t k = 0; k < given; k++) {
        Py_INCREF(args[k]);
        PyTuple_SET_ITEM(*positional, k, args[k]);
    }
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++)
        if (PyDict_SetItem(*keywords, PyTuple_GET_ITEM(kwnames, k), args[given + k]) < 0)
            return 0;
    return 1;
}

/* Ask the Python half for a specialization, and call it. */
static PyObject *call_slowly(Dispatcher *self, PyObject *const *args, Py_ssize_t given,
                             PyObject *kwnames)
{
    PyObject *positional, *keywords, *answer = NULL, *value = NULL;

    if (is_too_deep())
        return NULL;
    if (as_objects(args, given, kwnames, &positional, &keywords))
        answer = PyObject_CallMethodObjArgs(self->half, str_resolve, positional, keywords, NULL);
    if (answer)
        value = call_answer(self, answer);
    Py_XDECREF(positional);
    Py_XDECREF(keywords);
    Py_XDECREF(answer);
    return value;
}

/* --- calls ------------------------------------------------------------------------------------- */

/* Make a call that the hot ones before `first` do not accept. */
static PyObject *call_from(Dispatcher *self, PyObject *const *args, Py_ssize_t given,
                           PyObject *kwnames, int first)
{
    call_arguments arguments;
    PyObject *value = NULL;
    int fits = 0;

    if (SHARED(self->mode) == OBJECTS && SHARED(self->plain) < 0)
        value = call_collecting(self, args, given, kwnames, &fits);
    else if (split_rest(self, args, given, &arguments)) {
        if (needs_no_layout(self, &arguments, kwnames))
            value = call_known(self, &arguments, first, &fits);
        else
            value = call_laid_out(self, args, given, kwnames, &arguments, &fits);
    }
    return fits ? value : call_slowly(self, args, given, kwnames);
}

PyObject *call_past_first(Dispatcher *self, PyObject *const *args, Py_ssize_t given)
{
    return call_from(self, args, given, NULL, 1);
}

PyObject *call_unprofiled(PyObject *callable, PyObject *const *args, size_t nargsf,
                          PyObject *kwnames)
{
    return call_from((Dispatcher *)callable, args, PyVectorcall_NARGS(nargsf), kwnames, 0);
}

PyObject *call_any(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    PyObject *value;

    begin_use();
    value = (__builtin_expect(being_profiled(), 0) ? call_profiled : call_unprofiled)(
        callable, args, nargsf, kwnames);
    end_use();
    return value;
}

/* --- the type ---------------------------------------------------------------------------------- */

int set_defaults(Dispatcher *self, PyObject *defaults)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters);

    if (!PyTuple_Check(defaults) || PyTuple_GET_SIZE(defaults) != count || self->defaults) {
        PyErr_SetString(PyExc_ValueError, "defaults are a tuple, one for each parameter, set once");
        return -1;
    }
    SHARE(self->defaults, Py_NewRef(defaults));
    return 0;
}

static PyObject *dispatcher_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"half", "parameters", "positional", "star", "unnamed", "defaults",
                            NULL};
    PyObject *half, *parameters, *defaults = Py_None;
    Py_ssize_t positional, unnamed = 0, count;
    int star = 0;
    Dispatcher *self;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!n|pnO", names, &half, &PyTuple_Type,
                                     &parameters, &positional, &star, &unnamed, &defaults))
        return NULL;
    count = PyTuple_GET_SIZE(parameters);
    if (unnamed < 0 || unnamed > positional || positional > count) {
        PyErr_SetString(PyExc_ValueError, "more positional parameters than parameters");
        return NULL;
    }
    for (Py_ssize_t k = 0; k < count; k++)
        if (!PyUnicode_Check(PyTuple_GET_ITEM(parameters, k))) {
            PyErr_SetString(PyExc_TypeError, "the names of parameters are texts");
            return NULL;
        }
    self = (Dispatcher *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->positional = positional;
    self->unnamed = unnamed;
    self->star = star;
    self->plain = star || positional < count ? -1 : count;
    self->vectorcall = self->plain < 0 ? call_any : way_for(self->plain);
    self->choices.limit = MOST_CHOICES;
    self->patience = HOT;
    Py_INCREF(half);
    self->half = half;
    Py_INCREF(parameters);
    self->parameters = parameters;
    self->omitted = PyMem_Calloc((size_t)count + 1, sizeof(*self->omitted));
    self->specializations = PyList_New(0);
    self->kept = FREE_THREADED ? PyList_New(0) : NULL;
    if (!self->omitted && self->specializations)
        PyErr_NoMemory();
    if (!self->omitted || !self->specializations || (FREE_THREADED && !self->kept) ||
        (defaults != Py_None && set_defaults(self, defaults) < 0))
        Py_CLEAR(self);
    else
        defer_count((PyObject *)self); /* it is in a cycle with its half in any case */
    return (PyObject *)self;
}

static int dispatcher_traverse(Dispatcher *self, visitproc visit, void *arg)
{
    Py_VISIT(self->half);
    Py_VISIT(self->dict);
    Py_VISIT(self->trampoline);
    Py_VISIT(self->specializations);
    Py_VISIT(self->kept);
    Py_VISIT(self->defaults);
    return 0;
}

PyObject *take_dropped(Dispatcher *self)
{
    PyObject *before = self->kept, *now;

    if (!before || PyList_GET_SIZE(before) == PyList_GET_SIZE(self->specializations) ||
        !nobody_calls())
        return NULL;
    now = PyList_GetSlice(self->specializations, 0, PyList_GET_SIZE(self->specializations));
    if (!now) {
        PyErr_Clear(); /* then later */
        return NULL;
    }
    self->kept = now;
    words_drop_older(&self->choices);
    return before;
}

int forget_all(Dispatcher *self)
{
    PyObject *dropped;
    int status;

    LOCK(self->lock);
    words_clear(&self->choices);
    SHARE(self->hot_count, 0);
    find_first(self);
    status =
        PyList_SetSlice(self->specializations, 0, PyList_GET_SIZE(self->specializations), NULL);
    dropped = take_dropped(self);
    UNLOCK(self->lock);
    Py_XDECREF(dropped);
    return status;
}

/* It stays callable, in case that something calls it before the end. */
static int dispatcher_clear(Dispatcher *self)
{
    PyObject *half = self->half;

    Py_INCREF(Py_None);
    self->half = Py_None;
    Py_XDECREF(half);
    Py_CLEAR(self->dict);
    Py_CLEAR(self->trampoline);
    return forget_all(self);
}

static void dispatcher_dealloc(Dispatcher *self)
{
    PyObject_GC_UnTrack(self);
    if (self->weakrefs)
        PyObject_ClearWeakRefs((PyObject *)self);
    words_end(&self->choices);
    PyMem_Free(self->omitted);
    PyMem_Free(self->literal);
    forget_orders(self);
    Py_XDECREF(self->half);
    Py_XDECREF(self->dict);
    Py_XDECREF(self->trampoline);
    Py_XDECREF(self->specializations);
    Py_XDECREF(self->kept);
    Py_XDECREF(self->parameters);
    Py_XDECREF(self->defaults);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

PyTypeObject DispatcherType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.dispatch_c._dispatch.Dispatcher",
    .tp_basicsize = sizeof(Dispatcher),
    .tp_vectorcall_offset = offsetof(Dispatcher, vectorcall),
    .tp_weaklistoffset = offsetof(Dispatcher, weakrefs),
    .tp_dictoffset = offsetof(Dispatcher, dict),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_new = dispatcher_new,
    .tp_dealloc = (destructor)dispatcher_dealloc,
    .tp_traverse = (traverseproc)dispatcher_traverse,
    .tp_clear = (inquiry)dispatcher_clear,
    .tp_repr = dispatcher_repr,
    .tp_call = PyVectorcall_Call,
    .tp_getattro = dispatcher_getattro,
    .tp_setattro = dispatcher_setattro,
    .tp_descr_get = dispatcher_descr_get,
    .tp_methods = dispatcher_methods,
    .tp_getset = dispatcher_getset,
};
