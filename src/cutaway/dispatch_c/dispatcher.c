/* Dispatchers: the way of a call to its specialization.

   Arguments are put into their places; the guards of the specializations used last are tried;
   then the codes of the arguments' types are looked up in the dispatcher's table, where a closed
   dispatcher also keeps what it chose; what is not in there goes to the Python half. */

#include "dispatch.h"

#define STACK_ARGUMENTS 32 /* arguments that need no malloc */
#define HOT 4              /* specializations whose guards are tried first */
#define MOST_CHOICES 4096  /* combinations of types that a dispatcher keeps in its table */

/* What a dispatcher does with arguments for which nothing was compiled: compile; use one of the
   written signatures, whatever is lost; or use what there is, where nothing is lost. */
enum { OPEN, WRITTEN, CLOSED };

typedef struct {
    DISPATCHER_HEAD
    PyObject *parameters;  /* names, a tuple of interned strings; that of *args is not among them */
    Py_ssize_t positional; /* how many of them can be passed by position */
    Py_ssize_t unnamed;    /* how many of those by position only */
    int star;              /* whether there is *args */
    int mode;
    PyObject *defaults;       /* NULL, or a value for each parameter, `absent` where there is none */
    int32_t *omitted;         /* the code of each parameter that is left out, 0 while not known */
    char *literal;            /* NULL, or for each parameter whether its value is its type */
    PyObject *specializations; /* a list of them, in the order they were made */
    Specialization *hot[HOT]; /* some of them, the hottest first */
    int hot_count;
    int patience; /* how many of them are tried: fewer, while calls find others */
    word_table choices; /* codes to a Specialization; bit 0 set where it converts */
} Dispatcher;

/* --- arguments into their places --------------------------------------------------------------- */

/* The place of the parameter that a keyword names; -1 if there is none. */
static inline Py_ssize_t place_of(const Dispatcher *self, PyObject *name)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters);

    for (Py_ssize_t place = self->unnamed; place < count; place++)
        if (PyTuple_GET_ITEM(self->parameters, place) == name)
            return place;
    for (Py_ssize_t place = self->unnamed; place < count; place++)
        if (PyUnicode_Compare(PyTuple_GET_ITEM(self->parameters, place), name) == 0)
            return place; /* the same text in another object */
    return -1;
}

/* Put arguments into their places, those of *args aside; 0 where the call does not fit. */
static inline int lay_out(Dispatcher *self, PyObject *const *args, Py_ssize_t given, PyObject *kwnames,
                   PyObject **laid)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters);
    Py_ssize_t first = Py_MIN(given, self->positional);

    for (Py_ssize_t k = 0; k < first; k++)
        laid[k] = args[k];
    for (Py_ssize_t k = first; k < count; k++)
        laid[k] = NULL;
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++) {
        Py_ssize_t place = place_of(self, PyTuple_GET_ITEM(kwnames, k));
        if (place < 0 || laid[place])
            return 0; /* unknown, or given twice: the Python half says so */
        laid[place] = args[given + k];
    }
    for (Py_ssize_t k = 0; self->mode == WRITTEN && self->defaults && k < count; k++)
        if (!laid[k]) /* the types of a default are those of a signature, which omits nothing */
            laid[k] = PyTuple_GET_ITEM(self->defaults, k);
    return 1;
}

/* Whether the arguments are in their places as they come. */
static inline int needs_no_layout(const Dispatcher *self, const call_arguments *arguments,
                                  PyObject *kwnames)
{
    if (kwnames && PyTuple_GET_SIZE(kwnames))
        return 0;
    return arguments->count == PyTuple_GET_SIZE(self->parameters) || self->mode != WRITTEN;
}

/* --- a specialization for them ----------------------------------------------------------------- */

/* Put a specialization at the head of the hot ones, from `place`, which may be past them. */
static void make_hot(Dispatcher *self, Specialization *spec, int place)
{
    if (place == HOT)
        place--; /* the last one makes room */
    else if (place == self->hot_count)
        self->hot_count++;
    for (; place > 0; place--)
        self->hot[place] = self->hot[place - 1];
    self->hot[0] = spec;
}

static PyObject *call_hot(Dispatcher *self, const call_arguments *arguments, int *fits)
{
    for (int k = 0; k < Py_MIN(self->hot_count, self->patience); k++) {
        Specialization *spec = self->hot[k];
        PyObject *value = try_guards(spec, arguments, fits);
        if (*fits) {
            if (k && k < self->hot_count && self->hot[k] == spec)
                make_hot(self, spec, k);
            return value;
        }
    }
    *fits = 0;
    return NULL;
}

/* The codes of the arguments' types, one after the other; 0 where one is not known. */
static int codes_of(const Dispatcher *self, const call_arguments *arguments, int32_t *codes)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters);

    if (arguments->count > count)
        return 0;
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *value = k < arguments->count ? arguments->items[k] : NULL;
        if (!value || value == absent)
            codes[k] = self->omitted[k];
        else {
            codes[k] = self->literal && self->literal[k] ? code_of_literal(value) : 0;
            if (!codes[k]) /* no type holds it, or its value has not come to matter here */
                codes[k] = code_of(value);
        }
        if (!codes[k])
            return 0;
    }
    if (self->star)
        codes[count] = code_of_tuple(arguments->rest, arguments->rest_count);
    return !self->star || codes[count];
}

static int remember(Dispatcher *self, const int32_t *codes, Py_ssize_t count,
                    Specialization *spec)
{
    int converts = !spec->codes || memcmp(codes, spec->codes, (size_t)count * sizeof(*codes));

    return words_set(&self->choices, (const uint32_t *)codes, (size_t)count,
                     (intptr_t)spec | converts);
}

/* What a closed dispatcher chooses for the codes, as its table keeps it; 0 where it is not one
   specialization, which the Python half will explain; -1 with an exception set. */
static intptr_t choose(Dispatcher *self, const int32_t *codes, Py_ssize_t count)
{
    Specialization *best;
    int found = select_best(self->specializations, codes, count, self->mode == WRITTEN, &best);
    intptr_t choice = 0;

    if (found == 1) {
        /* the hook for conversions may have dropped it: then it is not chosen */
        int there = PySequence_Contains(self->specializations, (PyObject *)best);
        if (there < 0 || (there && remember(self, codes, count, best) < 0))
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
    PyErr_Clear(); /* a type that is gone: the Python half makes it anew */
    return 0;
}

static PyObject *call_choice(Dispatcher *self, intptr_t choice, const call_arguments *arguments,
                             int *fits)
{
    Specialization *spec = (Specialization *)(choice & ~(intptr_t)1);
    int converts = (int)(choice & 1), place = 0;
    PyObject *value;

    if (!converts && spec->guards_decide) {
        while (place < self->hot_count && self->hot[place] != spec)
            place++;
        if (place < self->hot_count)
            self->patience = Py_MIN(self->patience + 1, HOT);
        else if (self->patience > 1)
            self->patience--;
        make_hot(self, spec, place);
    }
    else if (converts && self->patience)
        self->patience--; /* no guard takes what has to be converted */
    Py_INCREF(spec); /* a conversion may run anything */
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
        if (!choice && self->mode != OPEN)
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

/* Call what there is for the arguments; with *fits 0 the Python half has to see to it. */
static inline PyObject *call_known(Dispatcher *self, const call_arguments *arguments, int *fits)
{
    PyObject *value = call_hot(self, arguments, fits);

    if (!*fits && PyList_GET_SIZE(self->specializations))
        value = call_by_codes(self, arguments, fits);
    return value;
}

/* Call with arguments that must be put into their places first. */
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
    if (*fits)
        value = call_known(self, arguments, fits);
    if (laid != buffer)
        PyMem_Free(laid);
    return value;
}

/* --- the Python half --------------------------------------------------------------------------- */

/* Call what the Python half answered: a specialization, and all arguments in their places. */
static PyObject *call_answer(Dispatcher *self, PyObject *answer)
{
    call_arguments arguments = {.star = self->star, .defaults = self->defaults};
    PyObject *value, *bound, *rest;
    int fits = 0;

    if (PyExceptionInstance_Check(answer)) { /* raised here: no frame of ours is in between */
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

/* The arguments of a call as a tuple and a dict; 0 with an exception set. */
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

/* Ask the Python half for a specialization, and call that. */
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

/* The arguments beyond the positional parameters are those of *args; 0 if there is none. */
static inline int split_rest(const Dispatcher *self, PyObject *const *args, Py_ssize_t given,
                             call_arguments *arguments)
{
    arguments->items = args;
    arguments->count = given;
    arguments->star = self->star;
    arguments->defaults = self->defaults;
    if (given <= self->positional) {
        arguments->rest = NULL;
        arguments->rest_count = 0;
        return 1;
    }
    arguments->count = self->positional;
    arguments->rest = args + self->positional;
    arguments->rest_count = given - self->positional;
    return self->star;
}

PyObject *call_unprofiled(PyObject *callable, PyObject *const *args, size_t nargsf,
                          PyObject *kwnames)
{
    Dispatcher *self = (Dispatcher *)callable;
    Py_ssize_t given = PyVectorcall_NARGS(nargsf);
    call_arguments arguments;
    PyObject *value = NULL;
    int fits = 0;

    if (split_rest(self, args, given, &arguments)) {
        if (needs_no_layout(self, &arguments, kwnames))
            value = call_known(self, &arguments, &fits);
        else
            value = call_laid_out(self, args, given, kwnames, &arguments, &fits);
    }
    return fits ? value : call_slowly(self, args, given, kwnames);
}

static PyObject *dispatcher_vectorcall(PyObject *callable, PyObject *const *args, size_t nargsf,
                                       PyObject *kwnames)
{
    if (__builtin_expect(being_profiled(), 0))
        return call_profiled(callable, args, nargsf, kwnames);
    return call_unprofiled(callable, args, nargsf, kwnames);
}

/* --- the type ---------------------------------------------------------------------------------- */

/* Once and for all: calls under way point into the tuple. */
static int set_defaults(Dispatcher *self, PyObject *defaults)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters);

    if (!PyTuple_Check(defaults) || PyTuple_GET_SIZE(defaults) != count || self->defaults) {
        PyErr_SetString(PyExc_ValueError, "defaults are a tuple, one for each parameter, set once");
        return -1;
    }
    Py_INCREF(defaults);
    self->defaults = defaults;
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
    self->vectorcall = dispatcher_vectorcall;
    self->positional = positional;
    self->unnamed = unnamed;
    self->star = star;
    self->choices.limit = MOST_CHOICES;
    self->patience = HOT;
    Py_INCREF(half);
    self->half = half;
    Py_INCREF(parameters);
    self->parameters = parameters;
    self->omitted = PyMem_Calloc((size_t)count + 1, sizeof(*self->omitted));
    self->specializations = PyList_New(0);
    if (!self->omitted && self->specializations)
        PyErr_NoMemory();
    if (!self->omitted || !self->specializations ||
        (defaults != Py_None && set_defaults(self, defaults) < 0))
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int dispatcher_traverse(Dispatcher *self, visitproc visit, void *arg)
{
    Py_VISIT(self->half);
    Py_VISIT(self->dict);
    Py_VISIT(self->trampoline);
    Py_VISIT(self->specializations);
    Py_VISIT(self->defaults);
    return 0;
}

/* Drop all specializations.  Nothing refers to them when the first one goes. */
static int forget_all(Dispatcher *self)
{
    words_clear(&self->choices);
    self->hot_count = 0;
    return PyList_SetSlice(self->specializations, 0, PyList_GET_SIZE(self->specializations), NULL);
}

/* It stays one that can be called, in case that something does before the end. */
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
    words_clear(&self->choices);
    PyMem_Free(self->omitted);
    PyMem_Free(self->literal);
    Py_XDECREF(self->half);
    Py_XDECREF(self->dict);
    Py_XDECREF(self->trampoline);
    Py_XDECREF(self->specializations);
    Py_XDECREF(self->parameters);
    Py_XDECREF(self->defaults);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* --- for the Python half ----------------------------------------------------------------------- */

/* Type codes, one for each parameter, from a tuple; NULL with an exception set. */
static int32_t *read_codes(const Dispatcher *self, PyObject *tuple, Py_ssize_t *count)
{
    int32_t *codes;

    *count = PyTuple_GET_SIZE(self->parameters) + self->star;
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) != *count) {
        PyErr_Format(PyExc_ValueError, "a tuple of %zd type codes is needed", *count);
        return NULL;
    }
    codes = PyMem_Malloc(((size_t)*count + 1) * sizeof(*codes));
    if (!codes)
        PyErr_NoMemory();
    for (Py_ssize_t k = 0; codes && k < *count; k++) {
        long code = PyLong_AsLong(PyTuple_GET_ITEM(tuple, k));
        if (code <= 0 || code > INT32_MAX) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "a type code is a positive int32");
            PyMem_Free(codes);
            return NULL;
        }
        codes[k] = (int32_t)code;
    }
    return codes;
}

/* Keep in the table only that each specialization serves its own types. */
static int forget_choices(Dispatcher *self)
{
    words_clear(&self->choices);
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(self->specializations); k++) {
        Specialization *spec = (Specialization *)PyList_GET_ITEM(self->specializations, k);
        if (spec->codes && remember(self, spec->codes, spec->nargs, spec) < 0)
            return -1;
    }
    return 0;
}

static PyObject *dispatcher_add(Dispatcher *self, PyObject *args)
{
    PyObject *codes = NULL;
    Specialization *spec;
    Py_ssize_t count;

    if (!PyArg_ParseTuple(args, "O!|O", &SpecializationType, &spec, &codes))
        return NULL;
    if (codes) {
        int32_t *read = read_codes(self, codes, &count);
        if (!read)
            return NULL;
        if (count != spec->nargs || spec->codes) {
            PyMem_Free(read);
            PyErr_SetString(PyExc_ValueError, "the specialization takes other arguments");
            return NULL;
        }
        set_codes(spec, read, self->omitted);
    }
    if (PyList_Append(self->specializations, (PyObject *)spec) < 0)
        return NULL;
    if (self->mode != OPEN && forget_choices(self) < 0)
        return NULL; /* it may serve better what another one was chosen for */
    if (self->mode == OPEN && spec->codes && remember(self, spec->codes, spec->nargs, spec) < 0)
        return NULL;
    if (spec->guards_decide && self->hot_count < HOT)
        self->hot[self->hot_count++] = spec;
    Py_RETURN_NONE;
}

static PyObject *dispatcher_choose(Dispatcher *self, PyObject *tuple)
{
    Py_ssize_t count;
    int32_t *codes = read_codes(self, tuple, &count);
    Specialization *best;
    int found;

    if (!codes)
        return NULL;
    found = select_best(self->specializations, codes, count, self->mode == WRITTEN, &best);
    PyMem_Free(codes);
    if (found < 0)
        return NULL;
    if (found == 1)
        return (PyObject *)best;
    return PyLong_FromLong(found);
}

static PyObject *dispatcher_remember(Dispatcher *self, PyObject *args)
{
    PyObject *tuple;
    Specialization *spec;
    Py_ssize_t count;
    int32_t *codes;
    int there, bad;

    if (!PyArg_ParseTuple(args, "OO!", &tuple, &SpecializationType, &spec))
        return NULL;
    there = PySequence_Contains(self->specializations, (PyObject *)spec);
    if (there <= 0) {
        if (!there)
            PyErr_SetString(PyExc_ValueError, "the specialization is another dispatcher's");
        return NULL;
    }
    codes = read_codes(self, tuple, &count);
    if (!codes)
        return NULL;
    bad = remember(self, codes, count, spec);
    PyMem_Free(codes);
    if (bad < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *dispatcher_learn_omitted(Dispatcher *self, PyObject *args)
{
    Py_ssize_t place;
    int code;

    if (!PyArg_ParseTuple(args, "ni", &place, &code))
        return NULL;
    if (place < 0 || place >= PyTuple_GET_SIZE(self->parameters) || code <= 0) {
        PyErr_SetString(PyExc_ValueError, "no such parameter or type code");
        return NULL;
    }
    self->omitted[place] = code;
    Py_RETURN_NONE;
}

/* From now on the value of an argument is part of its type. */
static PyObject *dispatcher_set_literal(Dispatcher *self, PyObject *args)
{
    Py_ssize_t place, count = PyTuple_GET_SIZE(self->parameters);

    if (!PyArg_ParseTuple(args, "n", &place))
        return NULL;
    if (place < 0 || place >= count) {
        PyErr_SetString(PyExc_ValueError, "no such parameter");
        return NULL;
    }
    if (!self->literal && !(self->literal = PyMem_Calloc((size_t)count, 1)))
        return PyErr_NoMemory();
    self->literal[place] = 1;
    Py_RETURN_NONE;
}

static PyObject *dispatcher_forget_all(Dispatcher *self, PyObject *unused)
{
    if (forget_all(self) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *dispatcher_set_defaults(Dispatcher *self, PyObject *defaults)
{
    if (set_defaults(self, defaults) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* --- what would become of a call ---------------------------------------------------------------- */

/* The arguments in their places as a tuple, with `absent` for what is left out. */
static PyObject *places_as_tuple(const Dispatcher *self, const call_arguments *arguments)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters);
    PyObject *tuple = PyTuple_New(count + self->star);

    for (Py_ssize_t k = 0; tuple && k < count; k++) {
        PyObject *value = k < arguments->count ? arguments->items[k] : NULL;
        value = value ? value : absent;
        Py_INCREF(value);
        PyTuple_SET_ITEM(tuple, k, value);
    }
    if (tuple && self->star) {
        PyObject *rest = PyTuple_New(arguments->rest_count);
        for (Py_ssize_t k = 0; rest && k < arguments->rest_count; k++) {
            Py_INCREF(arguments->rest[k]);
            PyTuple_SET_ITEM(rest, k, arguments->rest[k]);
        }
        if (!rest) {
            Py_DECREF(tuple);
            return NULL;
        }
        PyTuple_SET_ITEM(tuple, count, rest);
    }
    return tuple;
}

/* On which way the arguments would find which specialization. */
static PyObject *plan_of(Dispatcher *self, const call_arguments *arguments)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters) + self->star;
    int32_t *codes = PyMem_Calloc((size_t)count + 1, sizeof(*codes));
    PyObject *places, *plan = NULL;
    Specialization *spec = NULL;
    const char *way = "resolution";
    int tried = 0;

    if (!codes)
        return PyErr_NoMemory();
    for (; tried < Py_MIN(self->hot_count, self->patience) && !spec; tried++) {
        int fits = guards_accept(self->hot[tried], arguments);
        if (fits < 0)
            goto done;
        if (fits) {
            spec = self->hot[tried];
            way = "guards";
        }
    }
    if (!spec && codes_of(self, arguments, codes)) {
        intptr_t choice = words_find(&self->choices, (const uint32_t *)codes, (size_t)count);
        if (!choice && self->mode != OPEN && (choice = choose(self, codes, count)) == -1)
            goto done;
        spec = (Specialization *)(choice & ~(intptr_t)1);
        if (spec)
            way = choice & 1 ? "conversion" : "codes";
    }
    places = places_as_tuple(self, arguments);
    if (places)
        plan = Py_BuildValue("{ss sO si sN}", "way", way, "specialization",
                             spec ? (PyObject *)spec : Py_None, "guards", tried, "arguments",
                             places);
done:
    PyMem_Free(codes);
    return plan;
}

static PyObject *dispatcher_plan(PyObject *callable, PyObject *const *args, Py_ssize_t given,
                                 PyObject *kwnames)
{
    Dispatcher *self = (Dispatcher *)callable;
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters);
    PyObject **laid, *plan = NULL;
    call_arguments arguments;

    if (!split_rest(self, args, given, &arguments))
        Py_RETURN_NONE;
    laid = PyMem_Malloc(((size_t)count + 1) * sizeof(PyObject *));
    if (!laid)
        return PyErr_NoMemory();
    if (!needs_no_layout(self, &arguments, kwnames)) {
        arguments.items = laid;
        arguments.count = lay_out(self, args, given, kwnames, laid) ? count : -1;
    }
    if (arguments.count >= 0)
        plan = plan_of(self, &arguments);
    else {
        plan = Py_None;
        Py_INCREF(plan);
    }
    PyMem_Free(laid);
    return plan;
}

static PyObject *dispatcher_specializations(Dispatcher *self, void *unused)
{
    return PyList_AsTuple(self->specializations);
}

static PyObject *dispatcher_hot(Dispatcher *self, void *unused)
{
    PyObject *hot = PyTuple_New(self->hot_count);

    for (int k = 0; hot && k < self->hot_count; k++) {
        Py_INCREF(self->hot[k]);
        PyTuple_SET_ITEM(hot, k, (PyObject *)self->hot[k]);
    }
    return hot;
}

static const char *const modes[] = {"open", "written", "closed"};

static PyObject *dispatcher_mode(Dispatcher *self, void *unused)
{
    return PyUnicode_FromString(modes[self->mode]);
}

static PyObject *dispatcher_set_mode(Dispatcher *self, PyObject *value)
{
    int mode = 0;

    while (mode < 3 && !(PyUnicode_Check(value) &&
                         PyUnicode_CompareWithASCIIString(value, modes[mode]) == 0))
        mode++;
    if (mode == 3) {
        PyErr_SetString(PyExc_ValueError, "a dispatcher is 'open', 'written' or 'closed'");
        return NULL;
    }
    self->mode = mode;
    if (forget_choices(self) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef dispatcher_methods[] = {
    {"_add", (PyCFunction)dispatcher_add, METH_VARARGS,
     "_add(specialization, codes): add one; without codes only its guards are used."},
    {"_choose", (PyCFunction)dispatcher_choose, METH_O,
     "_choose(codes) -> the best specialization for types, or how many are equally good."},
    {"_remember", (PyCFunction)dispatcher_remember, METH_VARARGS,
     "_remember(codes, specialization): what calls with arguments of these types call."},
    {"_learn_omitted", (PyCFunction)dispatcher_learn_omitted, METH_VARARGS,
     "_learn_omitted(place, code): the type of a parameter that is left out."},
    {"_set_literal", (PyCFunction)dispatcher_set_literal, METH_VARARGS,
     "_set_literal(place): the value of this argument is part of its type."},
    {"__reduce__", dispatcher_reduce, METH_NOARGS, NULL},
    {"__copy__", dispatcher_copy, METH_NOARGS, NULL},
    {"__deepcopy__", dispatcher_copy, METH_O, NULL},
    {"__dir__", dispatcher_dir, METH_NOARGS, NULL},
    {"_set_defaults", (PyCFunction)dispatcher_set_defaults, METH_O,
     "_set_defaults(values): for parameters that are left out; `ABSENT` for those without one."},
    {"_clear", (PyCFunction)dispatcher_forget_all, METH_NOARGS, "Drop all specializations."},
    {"_set_mode", (PyCFunction)dispatcher_set_mode, METH_O,
     "_set_mode(mode): 'open', 'written' or 'closed'."},
    {"_plan", (PyCFunction)(void (*)(void))dispatcher_plan, METH_FASTCALL | METH_KEYWORDS,
     "_plan(*args, **kwargs) -> on which way they would find which specialization, and the "
     "arguments in their places; None where they do not fit the parameters."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef dispatcher_getset[] = {
    {"_made", (getter)dispatcher_specializations, NULL,
     "The specializations in the order they were made.", NULL},
    {"_hot", (getter)dispatcher_hot, NULL,
     "The specializations whose guards are tried first, the hottest first.", NULL},
    {"_mode", (getter)dispatcher_mode, NULL,
     "'open': new types are compiled for; 'written': arguments are converted to the signatures; "
     "'closed': the same, where nothing is lost.",
     NULL},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {"__name__", get_of_function, set_string, NULL, "__name__"},
    {"__qualname__", get_of_function, set_string, NULL, "__qualname__"},
    {"__module__", get_of_function, set_anything, NULL, "__module__"},
    {"__doc__", get_of_function, set_anything, NULL, "__doc__"},
    {"__annotations__", get_of_function, set_annotations, NULL, "__annotations__"},
#if PY_VERSION_HEX >= 0x030C0000
    {"__type_params__", get_of_function, set_type_params, NULL, "__type_params__"},
#endif
    {"__defaults__", get_of_function, refuse_change, NULL, "__defaults__"},
    {"__kwdefaults__", get_of_function, refuse_change, NULL, "__kwdefaults__"},
    {"__code__", get_of_function, refuse_change, NULL, "__code__"},
    {"__closure__", get_of_function, NULL, NULL, "__closure__"},
    {"__globals__", get_of_function, NULL, NULL, "__globals__"},
    {"__builtins__", get_of_function, NULL, NULL, "__builtins__"},
    {NULL, NULL, NULL, NULL, NULL},
};

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
