/* The methods and attributes of a dispatcher.

   The Python half adds specializations, and sets which one serves which types; introspection
   queries the outcome of a call.  Calls themselves are in dispatcher.c. */

#include "dispatcher.h"
#include "entering.h"

/* --- for the Python half ----------------------------------------------------------------------- */

/* Parse type codes, one for each parameter, from a tuple; NULL with an exception set. */
static int32_t *read_codes(const Dispatcher *self, PyObject *tuple, Py_ssize_t *count)
{
    int32_t *codes;

    *count = PyTuple_GET_SIZE(self->parameters) + self->star + self->collects_rest +
             self->collects_named;
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

/* Reduce the table to each specialization's own types. */
static int forget_choices(Dispatcher *self)
{
    PyObject *spec;
    int status = 0;

    words_clear(&self->choices);
    for (Py_ssize_t k = 0; status >= 0 && (spec = item_at(self->specializations, k)); k++) {
        const Specialization *one = (Specialization *)spec;
        if (one->codes)
            status = remember(self, one->codes, one->nargs, (Specialization *)spec);
        Py_DECREF(spec);
    }
    return status < 0 ? -1 : 0;
}

/* Append a specialization; -1 with an exception set. */
static int append(Dispatcher *self, Specialization *spec)
{
    PyObject *dropped;
    int status = 0;

    LOCK(self->lock);
    if (self->kept && !is_in(self->kept, spec))
        status = PyList_Append(self->kept, (PyObject *)spec);
    if (status == 0)
        status = PyList_Append(self->specializations, (PyObject *)spec);
    dropped = take_dropped(self);
    UNLOCK(self->lock);
    Py_XDECREF(dropped);
    return status;
}

/* Append to the hot ones, if there is room and it was not dropped meanwhile. */
static void add_to_hot(Dispatcher *self, Specialization *spec)
{
    LOCK(self->lock);
    if (spec->guards_decide && self->hot_count < HOT && is_among(self, spec)) {
        SHARE(self->hot[self->hot_count], spec);
        SHARE(self->hot_count, self->hot_count + 1);
    }
    find_first(self);
    UNLOCK(self->lock);
}

static PyObject *dispatcher_add(Dispatcher *self, PyObject *args)
{
    PyObject *codes = NULL;
    Specialization *spec;
    Py_ssize_t count;

    if (!PyArg_ParseTuple(args, "O!|O", &SpecializationType, &spec, &codes))
        return NULL;
    count = PyTuple_GET_SIZE(self->parameters) + self->star + self->collects_rest +
            self->collects_named;
    if (spec->nargs != count || (codes && spec->codes)) {
        PyErr_SetString(PyExc_ValueError, "the specialization takes other arguments");
        return NULL;
    }
    if (codes) {
        int32_t *read = read_codes(self, codes, &count);
        if (!read)
            return NULL;
        set_codes(spec, read, self->omitted);
    }
    if (append(self, spec) < 0)
        return NULL;
    if (self->mode != OPEN && forget_choices(self) < 0)
        return NULL; /* it may fit calls better for which another one was chosen */
    if (self->mode == OPEN && spec->codes && remember(self, spec->codes, spec->nargs, spec) < 0)
        return NULL;
    add_to_hot(self, spec);
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
    int there;

    if (!PyArg_ParseTuple(args, "OO!", &tuple, &SpecializationType, &spec))
        return NULL;
    codes = read_codes(self, tuple, &count);
    if (!codes)
        return NULL;
    there = remember(self, codes, count, spec);
    PyMem_Free(codes);
    if (!there)
        PyErr_SetString(PyExc_ValueError, "the specialization is another dispatcher's");
    if (there <= 0)
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
    SHARE(self->omitted[place], code);
    Py_RETURN_NONE;
}

/* Make the value of an argument part of its type from now on. */
static PyObject *dispatcher_set_literal(Dispatcher *self, PyObject *args)
{
    Py_ssize_t place, count = PyTuple_GET_SIZE(self->parameters);
    char *literal;

    if (!PyArg_ParseTuple(args, "n", &place))
        return NULL;
    if (place < 0 || place >= count) {
        PyErr_SetString(PyExc_ValueError, "no such parameter");
        return NULL;
    }
    LOCK(self->lock);
    literal = self->literal ? self->literal : PyMem_Calloc((size_t)count, 1);
    if (literal) {
        SHARE(literal[place], 1);
        SHARE(self->literal, literal);
    }
    UNLOCK(self->lock);
    if (!literal)
        return PyErr_NoMemory();
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

/* --- the outcome of a call --------------------------------------------------------------------- */

/* The laid out arguments as a tuple, with `absent` for omitted ones. */
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

/* Determine the way and the specialization for the arguments. */
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
    for (; tried < Py_MIN(SHARED(self->hot_count), SHARED(self->patience)) && !spec; tried++) {
        Specialization *hot = SHARED(self->hot[tried]);
        int fits = guards_accept(hot, arguments);
        if (fits < 0)
            goto done;
        if (fits) {
            spec = hot;
            way = "guards";
        }
    }
    if (!spec && codes_of(self, arguments, codes)) {
        intptr_t choice = words_find(&self->choices, (const uint32_t *)codes, (size_t)count);
        if (!choice && SHARED(self->mode) != OPEN && (choice = choose(self, codes, count)) == -1)
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
    if (arguments.count >= 0) {
        begin_use();
        plan = plan_of(self, &arguments);
        end_use();
    } else {
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
    PyObject *hot;

    begin_use();
    hot = PyTuple_New(SHARED(self->hot_count));
    for (int k = 0; hot && k < PyTuple_GET_SIZE(hot); k++)
        PyTuple_SET_ITEM(hot, k, Py_NewRef((PyObject *)SHARED(self->hot[k])));
    end_use();
    return hot;
}

static PyObject *dispatcher_first(Dispatcher *self, void *unused)
{
    Specialization *first;
    PyObject *found;

    begin_use();
    first = SHARED(self->first);
    found = Py_NewRef(first ? (PyObject *)first : Py_None);
    end_use();
    return found;
}

static const char *const modes[] = {"open", "written", "closed", "objects"};

static PyObject *dispatcher_mode(Dispatcher *self, void *unused)
{
    return PyUnicode_FromString(modes[SHARED(self->mode)]);
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
    SHARE(self->mode, mode);
    if (forget_choices(self) < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyMethodDef dispatcher_methods[] = {
    {"_add", (PyCFunction)dispatcher_add, METH_VARARGS,
     "_add(specialization, codes): add one; without codes only its guards are used."},
    {"_choose", (PyCFunction)dispatcher_choose, METH_O,
     "_choose(codes) -> the best specialization for types, or how many are equally good."},
    {"_remember", (PyCFunction)dispatcher_remember, METH_VARARGS,
     "_remember(codes, specialization): call it for arguments of these types from now on."},
    {"_learn_omitted", (PyCFunction)dispatcher_learn_omitted, METH_VARARGS,
     "_learn_omitted(place, code): set the type of an omitted parameter."},
    {"_set_literal", (PyCFunction)dispatcher_set_literal, METH_VARARGS,
     "_set_literal(place): make the value of this argument part of its type."},
    {"__reduce__", dispatcher_reduce, METH_NOARGS, NULL},
    {"__copy__", dispatcher_copy, METH_NOARGS, NULL},
    {"__deepcopy__", dispatcher_copy, METH_O, NULL},
    {"__dir__", dispatcher_dir, METH_NOARGS, NULL},
    {"_set_defaults", (PyCFunction)dispatcher_set_defaults, METH_O,
     "_set_defaults(values): set the values of omitted parameters; `ABSENT` for those without "
     "one."},
    {"_clear", (PyCFunction)dispatcher_forget_all, METH_NOARGS, "Drop all specializations."},
    {"_set_mode", (PyCFunction)dispatcher_set_mode, METH_O,
     "_set_mode(mode): set 'open', 'written' or 'closed'."},
    {"_set_objects", (PyCFunction)dispatcher_set_objects, METH_VARARGS,
     "_set_objects(rest, named): set object mode, with *args, with **kwargs."},
    {"_plan", (PyCFunction)(void (*)(void))dispatcher_plan, METH_FASTCALL | METH_KEYWORDS,
     "_plan(*args, **kwargs) -> the specialization that a call would select, and by which path, "
     "and the arguments in order; None if they do not fit the parameters."},
    {NULL, NULL, 0, NULL},
};

PyGetSetDef dispatcher_getset[] = {
    {"_made", (getter)dispatcher_specializations, NULL,
     "The specializations in the order they were made.", NULL},
    {"_hot", (getter)dispatcher_hot, NULL,
     "The specializations whose guards are tried first, the hottest first.", NULL},
    {"_first", (getter)dispatcher_first, NULL,
     "The specialization that quick calls try; None where all calls take the general way.", NULL},
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
#if HAS_TYPE_PARAMS
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
