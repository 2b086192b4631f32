/* Specializations: compiled code for one signature, and its calls. */

#include "containers.h"
#include "entering.h"
#include "native.h"
#include "quick_guards.h"

#include <pthread.h>
#include <structmember.h>

#define STACK_BUFFERS 8           /* exports held by a call that need no malloc */
#define STACK_MARGIN (256 * 1024) /* of the thread's stack left to C code */

_Thread_local uintptr_t known_stack_limit;

uintptr_t find_stack_limit(void)
{
    pthread_attr_t attributes;
    void *lowest;
    size_t size;

    known_stack_limit = 1;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &lowest, &size) == 0)
            known_stack_limit =
                (uintptr_t)lowest + (size > 2 * STACK_MARGIN ? STACK_MARGIN : size / 2);
        pthread_attr_destroy(&attributes);
    }
    return known_stack_limit;
}

/* The bytes of the stack between here and the limit; negative beyond it. */
static intptr_t room(void)
{
    volatile char here = 0;

    return (intptr_t)((uintptr_t)&here - stack_limit());
}

static PyObject *stack_room(PyObject *module, PyObject *unused)
{
    return PyLong_FromSsize_t(room());
}

PyMethodDef stack_functions[] = {
    {"stack_room", stack_room, METH_NOARGS,
     "stack_room() -> bytes of this thread's stack that calls may still use."},
    {NULL, NULL, 0, NULL},
};

int is_too_deep(void)
{
    if (room() >= 0)
        return 0;
    PyErr_SetString(PyExc_RecursionError, "maximum recursion depth exceeded");
    return 1;
}

void begin_exc(cutaway_exc *exc)
{
    exc->stack_limit = stack_limit();
    exc->frames = 0;
    exc->handled = NULL;
}

int32_t enter_released(Specialization *spec, const int64_t *arguments, int64_t *result,
                       cutaway_exc *exc)
{
    cutaway_launcher *launcher = (cutaway_launcher *)(void *)spec->entry;
    int32_t status;

    if (spec->nogil == LAUNCHED)
        return launcher->launch(launcher, arguments);
    runtime->release_gil();
    status = spec->entry(result, arguments, exc);
    runtime->take_gil_back();
    return status;
}

PyObject *raise_for(Specialization *spec, int32_t status, const cutaway_exc *exc)
{
    runtime->raise(exc, status);
    return NULL;
}

PyObject *box_result(Specialization *spec, const int64_t *result)
{
    const node *n = spec->result;

    if (spec->makes_containers)
        return box_with_copies(spec, result);
    return box(spec, &n, &result);
}

/* Unbox one argument; moves *n and *slots past it. */
static inline int unbox_one(const Specialization *spec, const node **n, PyObject *value,
                            int64_t **slots, int lenient)
{
    if (!value || value == absent)
        return (*n)++->kind == 'O';
    return unbox_item(spec, n, value, slots, lenient);
}

static ALWAYS_INLINE int unbox_each(const Specialization *spec, const call_arguments *arguments,
                      int64_t *slots, int lenient)
{
    const node *n = spec->arguments;
    Py_ssize_t named = spec->nargs - arguments->star;
    int fits;

    if (arguments->count > named)
        return 0;
    for (Py_ssize_t k = 0; k < named; k++) {
        PyObject *value = k < arguments->count ? arguments->items[k] : NULL;
        if (lenient && arguments->defaults && (!value || value == absent) && n->kind != 'O')
            value = PyTuple_GET_ITEM(arguments->defaults, k);
        fits = unbox_one(spec, &n, value, &slots, lenient);
        if (fits <= 0)
            return fits;
    }
    if (!arguments->star)
        return 1;
    if (n->kind != '(' || n->count != arguments->rest_count)
        return 0;
    n++;
    for (Py_ssize_t k = 0; k < arguments->rest_count; k++) {
        fits = unbox_one(spec, &n, arguments->rest[k], &slots, lenient);
        if (fits <= 0)
            return fits;
    }
    return 1;
}

/* Unbox all arguments.  Guards raise nothing: values that they refuse, for instance an integer that
   is too large, are for later ways. */
static ALWAYS_INLINE int unbox_all(const Specialization *spec, const call_arguments *arguments,
                            int64_t *slots, int lenient)
{
    int fits = unbox_each(spec, arguments, slots, lenient);

    if (fits < 0 && !lenient) {
        PyErr_Clear();
        fits = 0;
    }
    return fits;
}

/* As `enter`, holding the values among the arguments that need it. */
static PyObject *enter_holding(Specialization *spec, const call_arguments *arguments,
                               int64_t *slots, int way, int *fits)
{
    held_value few[STACK_BUFFERS], *held = few;
    Py_ssize_t count;
    PyObject *value = NULL;
    list_copies copies, *outer;

    if (spec->held > STACK_BUFFERS &&
        !(held = PyMem_Malloc((size_t)spec->held * sizeof(held_value))))
        return PyErr_NoMemory();
    begin_copies(&copies);
    copies.result = slots + spec->argument_slots;
    outer = holding_copies;
    Py_INCREF(spec);
    *fits = hold_values(spec, arguments, slots, held, &count, &copies);
    if (*fits) {
        holding_copies = &copies;
        value = enter(spec, slots, slots + spec->argument_slots, way);
        holding_copies = outer;
    }
    else if (copies.failed) {
        *fits = 1;
        PyErr_NoMemory();
    }
    end_copies(spec, &copies, *fits && !copies.failed);
    Py_DECREF(spec);
    if (value && PyErr_Occurred())
        Py_CLEAR(value);
    release_values(held, count);
    if (held != few)
        PyMem_Free(held);
    return value;
}

/* A call that is entered when its arguments are unboxed. */
typedef struct {
    Specialization *spec;
    const call_arguments *arguments;
    int64_t *slots;
    int way, fits;
    PyObject *value;
} unboxed_call;

static int enter_unboxed(void *context)
{
    unboxed_call *call = context;

    if (call->spec->held || call->spec->natives)
        call->value =
            enter_holding(call->spec, call->arguments, call->slots, call->way, &call->fits);
    else
        call->value =
            enter(call->spec, call->slots, call->slots + call->spec->argument_slots, call->way);
    return call->value || !call->fits ? 0 : -1;
}

/* As `enter`, for arguments that generated code unboxes: it cleans up after the call. */
static PyObject *enter_extended(Specialization *spec, const call_arguments *arguments,
                                int64_t *slots, int way, int *fits)
{
    unboxed_call call = {spec, arguments, slots, way, 1, NULL};
    int status;

    Py_INCREF(spec);
    status = unbox_extensions(spec, arguments, slots, enter_unboxed, &call);
    Py_DECREF(spec);
    *fits = call.fits;
    if (status < 0 || PyErr_Occurred())
        Py_CLEAR(call.value);
    return call.value;
}

int unbox_slowly(const Specialization *spec, const node *n, PyObject *value, int64_t *slots)
{
    int fits = unbox_one(spec, &n, value, &slots, 0);

    if (fits < 0)
        PyErr_Clear();
    return fits > 0;
}

PyObject *try_guards(Specialization *spec, const call_arguments *arguments, int *fits)
{
    int64_t slots[STACK_SLOTS], *here = slots;

    if (!spec->quick || arguments->star)
        return try_call(spec, arguments, 0, BY_GUARD, fits);
    *fits = arguments->count <= spec->nargs;
    for (Py_ssize_t k = 0; *fits && k < spec->nargs; k++) {
        PyObject *value = k < arguments->count ? arguments->items[k] : NULL;
        const struct quick_guard *guard = &spec->quick[k];
        *fits = (value && take_quickly(guard, value, here)) ||
                unbox_slowly(spec, guard->n, value, here);
        here += guard->slots;
    }
    return *fits ? enter(spec, slots, here, BY_GUARD) : NULL;
}

PyObject *try_call(Specialization *spec, const call_arguments *arguments, int lenient, int way,
                   int *fits)
{
    int64_t buffer[STACK_SLOTS], *slots = buffer;
    PyObject *value = NULL;
    int total = spec->argument_slots + spec->result_slots;

    if (total > STACK_SLOTS && !(slots = PyMem_Malloc((size_t)total * sizeof(int64_t)))) {
        *fits = 1;
        return PyErr_NoMemory();
    }
    *fits = unbox_all(spec, arguments, slots, lenient | (way == BY_RESOLUTION || way == BY_CODES ? KNOWN : 0));
    if (*fits > 0 && spec->extensions)
        value = enter_extended(spec, arguments, slots, way, fits);
    else if (*fits > 0 && (spec->held || spec->natives))
        value = enter_holding(spec, arguments, slots, way, fits);
    else if (*fits > 0)
        value = enter(spec, slots, slots + spec->argument_slots, way);
    else if (*fits < 0)
        *fits = 1;
    if (slots != buffer)
        PyMem_Free(slots);
    return value;
}

int guards_accept(const Specialization *spec, const call_arguments *arguments)
{
    int64_t buffer[STACK_SLOTS], *slots = buffer;
    int fits;

    if (spec->argument_slots > STACK_SLOTS &&
        !(slots = PyMem_Malloc((size_t)spec->argument_slots * sizeof(int64_t)))) {
        PyErr_NoMemory();
        return -1;
    }
    fits = unbox_all(spec, arguments, slots, 0);
    if (slots != buffer)
        PyMem_Free(slots);
    return fits;
}

/* Whether all constants that nodes refer to exist, with the right classes. */
static int constants_are_there(const Specialization *self, const node *end)
{
    for (const node *n = self->arguments; n < end; n++) {
        const value_kind *kind = kind_of(n);
        if (kind->refers && !kind->refers(n, self->constants, n >= self->result))
            return 0;
    }
    return 1;
}

/* Whether composites contain no values for generated code: the objects passed to it must be
   held. */
static int composites_are_plain(const node *n, const node *end)
{
    for (; n < end; n++) {
        const node *behind = n, *inner = n;
        if (n->kind != 'P')
            continue;
        for (count_slots(&behind); inner < behind; inner++)
            if (inner->kind == 'Z')
                return 0;
    }
    return 1;
}

static int parse_all(Specialization *self, PyObject *arguments, PyObject *result)
{
    Py_ssize_t size = PyBytes_GET_SIZE(result);
    node *next, *limit;
    const unsigned char *text, *end;
    const node *n;

    for (Py_ssize_t k = 0; k < self->nargs; k++) {
        if (!PyBytes_Check(PyTuple_GET_ITEM(arguments, k))) {
            PyErr_SetString(PyExc_TypeError, "descriptors are bytes");
            return -1;
        }
        size += PyBytes_GET_SIZE(PyTuple_GET_ITEM(arguments, k));
    }
    self->arguments = next = PyMem_Calloc((size_t)size + 1, sizeof(node)); /* one node per byte at
                                                                              most */
    if (!next) {
        PyErr_NoMemory();
        return -1;
    }
    limit = next + size;
    for (Py_ssize_t k = 0; k <= self->nargs; k++) {
        PyObject *item = k < self->nargs ? PyTuple_GET_ITEM(arguments, k) : result;
        text = (const unsigned char *)PyBytes_AS_STRING(item);
        if (k == self->nargs)
            self->result = next;
        end = text + PyBytes_GET_SIZE(item);
        if (parse_node(&text, end, &next, limit) < 0)
            return -1;
        if (text != end) {
            PyErr_SetString(PyExc_ValueError, "a descriptor describes one value");
            return -1;
        }
    }
    if (find_layouts(self, next) < 0)
        return -1;
    if (!constants_are_there(self, next)) {
        PyErr_SetString(PyExc_ValueError, "a descriptor refers to a constant that is not there");
        return -1;
    }
    if (!composites_are_plain(self->arguments, self->result)) {
        PyErr_SetString(PyExc_ValueError, "a descriptor that cannot be read");
        return -1;
    }
    for (n = self->arguments; n < self->result; n++) {
        self->held += n->kind == 'P' ? n->count : 0;
        self->held += n->kind == 'B' && n->letter != 'b';
        if (strchr("HQI", n->kind))
            *(is_native_node(n) ? &self->natives : &self->held) += 1;
        self->extensions += n->kind == 'Z';
    }
    for (n = self->result; n < next; n++)
        self->makes_containers |= strchr("HQI", n->kind) && !is_native_node(n);
    self->guards_decide = 1;
    for (n = self->arguments; n < self->result; n++)
        if (n->kind == 'M') /* it fits values of two types, and is the type of neither */
            self->guards_decide = 0;
    n = self->arguments;
    for (Py_ssize_t k = 0; k < self->nargs; k++)
        self->argument_slots += count_slots(&n);
    self->result_slots = count_slots(&n);
    if (self->held || self->extensions || self->argument_slots + self->result_slots > STACK_SLOTS)
        return 0;
    return make_quick_guards(self);
}

void set_codes(Specialization *self, int32_t *codes, const int32_t *omitted)
{
    const node *n = self->arguments;

    self->codes = codes;
    for (Py_ssize_t k = 0; k < self->nargs; k++) {
        if (n->kind == 'O' && codes[k] != SHARED(omitted[k])) /* another default than the
                                                                 parameter's */
            self->guards_decide = 0;
        count_slots(&n);
    }
}

static PyObject *specialization_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"entry", "arguments", "result", "constants", "keep_alive", "nogil",
                            "launched", NULL};
    PyObject *entry, *arguments, *result, *constants, *keep_alive = Py_None;
    int nogil = 0, launched = 0;
    Specialization *self;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!SO!|Opp", names, &entry, &PyTuple_Type,
                                     &arguments, &result, &PyTuple_Type, &constants, &keep_alive,
                                     &nogil, &launched))
        return NULL;
    self = (Specialization *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->entry = (cutaway_entry)(uintptr_t)PyLong_AsUnsignedLongLong(entry);
    self->nargs = PyTuple_GET_SIZE(arguments);
    Py_INCREF(constants);
    self->constants = constants;
    Py_INCREF(keep_alive);
    self->keep_alive = keep_alive;
    self->nogil = launched ? LAUNCHED : nogil;
    if (PyErr_Occurred() || make_counts(self) < 0 || parse_all(self, arguments, result) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int specialization_traverse(Specialization *self, visitproc visit, void *arg)
{
    Py_VISIT(self->constants);
    Py_VISIT(self->keep_alive);
    Py_VISIT(self->signature);
    return 0;
}

/* There is no tp_clear: like a tuple it is immutable, and the other objects in a cycle have one. */
static void specialization_dealloc(Specialization *self)
{
    PyObject_GC_UnTrack(self);
    Py_XDECREF(self->constants);
    Py_XDECREF(self->keep_alive);
    Py_XDECREF(self->signature);
    PyMem_Free(self->arguments);
    PyMem_Free(self->codes);
    PyMem_Free(self->quick);
    drop_counts(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *call_with(Specialization *self, PyObject *args, int lenient)
{
    call_arguments arguments = {.items = ((PyTupleObject *)args)->ob_item,
                                .count = PyTuple_GET_SIZE(args)};
    int fits;
    PyObject *value;

    value = lenient ? try_call(self, &arguments, 1, BY_CONVERSION, &fits)
                    : try_guards(self, &arguments, &fits);
    if (!value && !fits)
        PyErr_SetString(PyExc_TypeError, "the arguments do not fit this specialization");
    return value;
}

static PyObject *specialization_call(Specialization *self, PyObject *args, PyObject *kwargs)
{
    if (kwargs && PyDict_GET_SIZE(kwargs)) {
        PyErr_SetString(PyExc_TypeError, "a specialization takes no keywords");
        return NULL;
    }
    return call_with(self, args, 1);
}

static PyObject *specialization_exactly(Specialization *self, PyObject *args)
{
    return call_with(self, args, 0);
}

/* --- counters ---------------------------------------------------------------------------------- */

static PyObject *specialization_calls(Specialization *self, void *unused)
{
    unsigned long long total = 0;

    for (int way = 0; way < WAYS; way++)
        total += hits_of(self, way);
    return PyLong_FromUnsignedLongLong(total);
}

static PyObject *specialization_hits(Specialization *self, void *unused)
{
    return Py_BuildValue("{sKsKsKsK}", "guards", hits_of(self, BY_GUARD), "codes",
                         hits_of(self, BY_CODES), "conversion", hits_of(self, BY_CONVERSION),
                         "resolution", hits_of(self, BY_RESOLUTION));
}

static PyObject *specialization_codes(Specialization *self, void *unused)
{
    PyObject *codes;

    if (!self->codes)
        Py_RETURN_NONE;
    codes = PyTuple_New(self->nargs);
    for (Py_ssize_t k = 0; codes && k < self->nargs; k++) {
        PyObject *code = PyLong_FromLong(self->codes[k]);
        if (!code)
            Py_CLEAR(codes);
        else
            PyTuple_SET_ITEM(codes, k, code);
    }
    return codes;
}

static PyMethodDef specialization_methods[] = {
    {"exactly", (PyCFunction)specialization_exactly, METH_VARARGS,
     "exactly(*args): call it if the guards accept the arguments unchanged.  Raises TypeError "
     "otherwise."},
    {NULL, NULL, 0, NULL},
};

static PyObject *specialization_written_back(Specialization *self, void *unused)
{
    PyObject *positions = PyList_New(0);
    const node *n = self->arguments;

    for (Py_ssize_t k = 0; positions && k < self->nargs; k++) {
        const node *here = n;
        PyObject *position;
        int written = 0;

        count_slots(&n);
        for (; here < n; here++)
            written |= strchr("HQI", here->kind) && !(here->flags & UNCHANGED);
        position = written ? PyLong_FromSsize_t(k) : NULL;
        if (written && (!position || PyList_Append(positions, position) < 0))
            Py_CLEAR(positions);
        Py_XDECREF(position);
    }
    return positions;
}

static PyMemberDef specialization_members[] = {
    {"seconds", T_DOUBLE, offsetof(Specialization, seconds), 0, "The time of its compilation."},
    {"signature", T_OBJECT, offsetof(Specialization, signature), 0,
     "Its types, where it was read from a function's overloads; else None."},
    {"objectmode", T_BOOL, offsetof(Specialization, objectmode), 0,
     "Where it was read from a function's overloads: whether it runs with Python's own objects."},
    {NULL, 0, 0, 0, NULL},
};

static PyObject *specialization_entry_point(PyObject *self, void *unused)
{
    return Py_NewRef(self);
}

static PyGetSetDef specialization_getset[] = {
    {"entry_point", specialization_entry_point, NULL,
     "The callable: the specialization itself.", NULL},
    {"calls", (getter)specialization_calls, NULL, "How often it was called.", NULL},
    {"hits", (getter)specialization_hits, NULL,
     "How often calls found it: by its guards, by the codes of the arguments' types, these with a "
     "conversion, or by resolution in Python.",
     NULL},
    {"written_back", (getter)specialization_written_back, NULL,
     "The positions of the arguments whose containers are written back after a call.", NULL},
    {"written_back", (getter)specialization_written_back, NULL,
     "The positions of the arguments whose containers are written back after a call.", NULL},
    {"codes", (getter)specialization_codes, NULL, "The codes of the arguments' types, or None.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject SpecializationType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.dispatch_c._dispatch.Specialization",
    .tp_doc = "Specialization(entry, arguments, result, constants, keep_alive=None, nogil=False, "
              "launched=False)\n\n"
              "Compiled code for one signature; called directly it converts its arguments.",
    .tp_basicsize = sizeof(Specialization),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = specialization_new,
    .tp_dealloc = (destructor)specialization_dealloc,
    .tp_traverse = (traverseproc)specialization_traverse,
    .tp_call = (ternaryfunc)specialization_call,
    .tp_methods = specialization_methods,
    .tp_members = specialization_members,
    .tp_getset = specialization_getset,
};
