/* The C half of dispatch: guard, unbox, call, box.

   A Specialization is compiled code for one signature, with a small descriptor for each argument
   (the language is in runtime/cutaway_runtime.h).  A Dispatcher holds a chain of them, the one
   used last in front.  A call tries each: its guards compare types and layouts and, as they go,
   put the argument's fields into slots.  What no guard accepts goes to the Python half, which
   types, chooses or compiles.  No tuple and no dict is made on the way. */

#include "../runtime/cutaway_runtime.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <pthread.h>
#include <structmember.h>

#define STACK_SLOTS 128                /* slots of arguments and result that need no malloc */
#define STACK_ARGUMENTS 32             /* the same for arguments laid out by keyword */
#define STACK_MARGIN (256 * 1024)      /* of the thread's stack left to C code */

static cutaway_runtime_api *runtime;
static PyObject *raise_hook;
static PyObject *str_resolve;

/* --- descriptors ---------------------------------------------------------------------------- */

typedef struct {
    char kind;            /* as in the descriptor; 'i' signed, 'u' unsigned */
    unsigned char bytes;  /* of a number */
    char layout;          /* of an array */
    unsigned char type;   /* NumPy's number of an array's type */
    unsigned char flags;  /* 1 read-only, 2 unaligned */
    unsigned short count; /* dimensions, items of a tuple, or index of a constant */
} node;

/* Parse one descriptor behind *text into *nodes; -1 with an exception set. */
static int parse_node(const unsigned char **text, const unsigned char *end, node **nodes,
                      node *limit)
{
    node *n = *nodes;
    const unsigned char *t = *text;

    if (t >= end || n >= limit)
        goto bad;
    memset(n, 0, sizeof(*n));
    n->kind = (char)*t++;
    *nodes = n + 1;
    switch (n->kind) {
    case '?': case 'N': case 'O': case 'R':
        break;
    case 'i': case 'u': case 'f': case 'c':
        if (t >= end)
            goto bad;
        n->bytes = *t == 'g' ? 16 : (unsigned char)(*t - '0');
        t++;
        break;
    case 'A':
        if (end - t < 4)
            goto bad;
        n->type = t[0];
        n->count = t[1];
        n->layout = (char)t[2];
        n->flags = t[3];
        t += 4;
        break;
    case 'K':
        if (t >= end)
            goto bad;
        n->count = *t++;
        break;
    case '(':
        while (t < end && *t != ')') {
            n->count++;
            if (parse_node(&t, end, nodes, limit) < 0)
                return -1;
        }
        if (t++ >= end)
            goto bad;
        break;
    default:
        goto bad;
    }
    *text = t;
    return 0;
bad:
    PyErr_SetString(PyExc_ValueError, "a descriptor that cannot be read");
    return -1;
}

/* How many slots a value takes; *n is moved behind it. */
static int count_slots(const node **n)
{
    const node *here = (*n)++;
    int total = 0;

    switch (here->kind) {
    case 'A':
        return 2 + 2 * here->count;
    case 'R':
        return 3;
    case 'c':
        return 2;
    case 'N': case 'O': case 'K':
        return 0;
    case '(':
        for (int k = 0; k < here->count; k++)
            total += count_slots(n);
        return total;
    }
    return 1;
}

/* --- specialisations ------------------------------------------------------------------------ */

typedef struct {
    PyObject_HEAD
    cutaway_entry entry;
    Py_ssize_t nargs;
    int argument_slots, result_slots;
    node *arguments; /* the nodes of all arguments, one after the other */
    node *result;    /* behind them, in the same block */
    PyObject *constants;
    PyObject *keep_alive;
    unsigned long long calls;
} Specialization;

static PyTypeObject SpecializationType;

/* 1: the value fits and its slots are written; 0: it does not fit; -1: an exception is set.
   `lenient` converts as explicit signatures allow. */
static int unbox(const Specialization *spec, const node **n, PyObject *value, int64_t **slots,
                 int lenient);

static int put_integer(const node *n, PyObject *value, int64_t *slot, int lenient)
{
    int overflow;
    long long number;
    PyObject *index = NULL;

    if (PyLong_CheckExact(value)) {
        if (n->bytes != 8 && !lenient)
            return 0;
    }
    else if (PyArray_IsScalar(value, Integer)) {
        PyArray_Descr *descr = PyArray_DescrFromScalar(value);
        int same = descr->kind == n->kind && PyDataType_ELSIZE(descr) == n->bytes;
        Py_DECREF(descr);
        if (!same && !lenient)
            return 0;
    }
    else if (!lenient || !(PyIndex_Check(value) || PyFloat_Check(value)))
        return 0;
    if (n->kind == 'u' && !lenient && PyLong_CheckExact(value))
        return 0;
    if (!PyLong_CheckExact(value)) {
        index = PyFloat_Check(value) ? PyNumber_Long(value) : PyNumber_Index(value);
        if (!index)
            return -1;
        value = index;
    }
    number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow && n->kind == 'u' && n->bytes == 8) {
        number = (long long)PyLong_AsUnsignedLongLong(value);
        overflow = PyErr_Occurred() != NULL;
        PyErr_Clear();
    }
    else if (!overflow && n->kind == 'u' && number < 0)
        overflow = 1;
    else if (!overflow && n->bytes < 8) {
        long long top = 1LL << (8 * n->bytes - (n->kind == 'i'));
        overflow = number >= top || number < (n->kind == 'i' ? -top : 0);
    }
    Py_XDECREF(index);
    if (overflow) {
        PyErr_Format(PyExc_OverflowError, "the integer does not fit in %sint%d",
                     n->kind == 'u' ? "u" : "", 8 * n->bytes);
        return -1;
    }
    *slot = number;
    return 1;
}

static void put_double(int64_t *slot, double number)
{
    memcpy(slot, &number, sizeof(number));
}

static void put_float(int64_t *slot, float number)
{
    *slot = 0;
    memcpy(slot, &number, sizeof(number));
}

static int put_real(const node *n, PyObject *value, int64_t *slot, int lenient)
{
    double number;

    if (n->bytes == 8 && PyFloat_CheckExact(value))
        number = PyFloat_AS_DOUBLE(value);
    else if (n->bytes == 8 && PyArray_IsScalar(value, Double))
        number = PyArrayScalar_VAL(value, Double);
    else if (n->bytes == 4 && PyArray_IsScalar(value, Float))
        number = PyArrayScalar_VAL(value, Float);
    else if (lenient && !PyComplex_Check(value) && PyNumber_Check(value)) {
        number = PyFloat_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred())
            return -1;
    }
    else
        return 0;
    if (n->bytes == 8)
        put_double(slot, number);
    else
        put_float(slot, (float)number);
    return 1;
}

static int put_complex(const node *n, PyObject *value, int64_t *slots, int lenient)
{
    Py_complex number;

    int same = n->bytes == 16
                   ? PyComplex_CheckExact(value) || PyArray_IsScalar(value, CDouble)
                   : PyArray_IsScalar(value, CFloat);

    if (!same && !(lenient && PyNumber_Check(value)))
        return 0;
    number = PyComplex_AsCComplex(value);
    if (number.real == -1.0 && PyErr_Occurred())
        return -1;
    if (n->bytes == 16) {
        put_double(slots, number.real);
        put_double(slots + 1, number.imag);
    }
    else {
        put_float(slots, (float)number.real);
        put_float(slots + 1, (float)number.imag);
    }
    return 1;
}

/* The layout that an array has, with 'C' for one that is both. */
static char layout_of(PyArrayObject *array)
{
    int flags = PyArray_FLAGS(array);

    if (flags & NPY_ARRAY_C_CONTIGUOUS)
        return 'C';
    return flags & NPY_ARRAY_F_CONTIGUOUS ? 'F' : 'A';
}

static int array_fits(const node *n, PyArrayObject *array, int lenient)
{
    int flags = PyArray_FLAGS(array);
    int readonly = !(flags & NPY_ARRAY_WRITEABLE), unaligned = !(flags & NPY_ARRAY_ALIGNED);
    char layout = layout_of(array);

    if (PyArray_NDIM(array) != n->count || PyArray_DESCR(array)->type_num != n->type ||
        !PyArray_ISNOTSWAPPED(array))
        return 0;
    if (lenient)
        return (n->layout == 'A' || n->layout == layout) && (n->flags & 1 || !readonly) &&
               (n->flags & 2 || !unaligned);
    return n->layout == layout && (n->flags & 1) == readonly && (n->flags >> 1) == unaligned;
}

static int put_array(const node *n, PyObject *value, int64_t *slots, int lenient)
{
    PyArrayObject *array = (PyArrayObject *)value;
    const npy_intp *shape, *strides;

    if (lenient ? !PyArray_Check(value) : !PyArray_CheckExact(value))
        return 0;
    if (!array_fits(n, array, lenient))
        return 0;
    shape = PyArray_DIMS(array);
    strides = PyArray_STRIDES(array);
    *slots++ = (int64_t)((uintptr_t)value | 1);
    *slots++ = (int64_t)(uintptr_t)PyArray_DATA(array);
    for (int k = 0; k < n->count; k++)
        *slots++ = shape[k];
    for (int k = 0; k < n->count; k++)
        *slots++ = strides[k];
    return 1;
}

static int put_range(PyObject *value, int64_t *slots)
{
    static const char *const names[] = {"start", "stop", "step"};

    if (!PyRange_Check(value))
        return 0;
    for (int k = 0; k < 3; k++) {
        PyObject *part = PyObject_GetAttrString(value, names[k]);
        if (!part)
            return -1;
        slots[k] = PyLong_AsLongLong(part);
        Py_DECREF(part);
        if (slots[k] == -1 && PyErr_Occurred())
            return -1;
    }
    return 1;
}

static int put_tuple(const Specialization *spec, const node *n, const node **next,
                     PyObject *value, int64_t **slots, int lenient)
{
    if (!PyTuple_CheckExact(value) || PyTuple_GET_SIZE(value) != n->count)
        return 0;
    for (int k = 0; k < n->count; k++) {
        int fits = unbox(spec, next, PyTuple_GET_ITEM(value, k), slots, lenient);
        if (fits <= 0)
            return fits;
    }
    return 1;
}

static int unbox(const Specialization *spec, const node **next, PyObject *value, int64_t **slots,
                 int lenient)
{
    const node *n = (*next)++;
    int64_t *here = *slots;

    switch (n->kind) {
    case 'i': case 'u':
        (*slots)++;
        return put_integer(n, value, here, lenient);
    case 'f':
        (*slots)++;
        return put_real(n, value, here, lenient);
    case 'A':
        *slots += 2 + 2 * n->count;
        return put_array(n, value, here, lenient);
    case '?':
        (*slots)++;
        if (PyBool_Check(value))
            *here = value == Py_True;
        else if (PyArray_IsScalar(value, Bool))
            *here = PyArrayScalar_VAL(value, Bool) != 0;
        else if (lenient && PyNumber_Check(value)) {
            int truth = PyObject_IsTrue(value);
            *here = truth;
            return truth < 0 ? -1 : 1;
        }
        else
            return 0;
        return 1;
    case 'c':
        *slots += 2;
        return put_complex(n, value, here, lenient);
    case 'N':
        return value == Py_None;
    case 'R':
        *slots += 3;
        return put_range(value, here);
    case 'K':
        return value == PyTuple_GET_ITEM(spec->constants, n->count);
    case '(':
        return put_tuple(spec, n, next, value, slots, lenient);
    }
    return 0; /* 'O': only an absent argument */
}

/* A Python integer that fits a digit, which is what nearly all calls pass; 0 for any other. */
static inline int small_integer(PyObject *value, int64_t *slot)
{
#if PY_VERSION_HEX >= 0x030C0000
    if (!PyUnstable_Long_IsCompact((PyLongObject *)value))
        return 0;
    *slot = PyUnstable_Long_CompactValue((PyLongObject *)value);
#else
    Py_ssize_t size = Py_SIZE(value);
    if (size < -1 || size > 1)
        return 0;
    *slot = (int64_t)size * ((PyLongObject *)value)->ob_digit[0]; /* 0 has the size 0 */
#endif
    return 1;
}

/* The usual argument of the usual type, without a call; 0 where unbox has to see to it. */
static inline int unbox_quickly(const node *n, PyObject *value, int64_t *slot)
{
    if (n->bytes != 8)
        return 0;
    if (n->kind == 'i')
        return PyLong_CheckExact(value) && small_integer(value, slot);
    if (n->kind != 'f' || !PyFloat_CheckExact(value))
        return 0;
    put_double(slot, PyFloat_AS_DOUBLE(value));
    return 1;
}

/* All arguments; absent ones are NULL or beyond `given`. */
static int unbox_all(const Specialization *spec, PyObject *const *args, Py_ssize_t given,
                     int64_t *slots, int lenient)
{
    const node *n = spec->arguments;

    if (given > spec->nargs)
        return 0;
    for (Py_ssize_t k = 0; k < spec->nargs; k++) {
        PyObject *value = k < given ? args[k] : NULL;
        int fits;
        if (!value) {
            if (n->kind != 'O')
                return 0;
            n++;
            continue;
        }
        if (unbox_quickly(n, value, slots)) {
            n++;
            slots++;
            continue;
        }
        fits = unbox(spec, &n, value, &slots, lenient);
        if (fits <= 0)
            return fits;
    }
    return 1;
}

/* --- results -------------------------------------------------------------------------------- */

static double get_double(int64_t slot)
{
    double number;
    memcpy(&number, &slot, sizeof(number));
    return number;
}

static double get_float(int64_t slot)
{
    float number;
    memcpy(&number, &slot, sizeof(number));
    return number;
}

/* Whether a Python object is an array of exactly these fields: then it is the result itself. */
static int is_that_array(PyObject *object, const node *n, const int64_t *slots)
{
    PyArrayObject *array = (PyArrayObject *)object;

    if (!PyArray_CheckExact(object) || PyArray_NDIM(array) != n->count ||
        PyArray_DESCR(array)->type_num != n->type ||
        PyArray_DATA(array) != (void *)(uintptr_t)slots[1])
        return 0;
    for (int k = 0; k < n->count; k++)
        if (PyArray_DIM(array, k) != slots[2 + k] ||
            PyArray_STRIDE(array, k) != slots[2 + n->count + k])
            return 0;
    return 1;
}

/* The object that keeps an array's memory; takes over the owner's reference. */
static PyObject *base_of(Specialization *spec, int64_t owner)
{
    if (owner & 1)
        return (PyObject *)(uintptr_t)(owner & ~(int64_t)1);
    if (owner)
        return runtime->wrap((cutaway_meminfo *)(uintptr_t)owner);
    Py_INCREF(spec); /* a constant array lies in the specialisation's own code */
    return (PyObject *)spec;
}

static PyObject *box_array(Specialization *spec, const node *n, const int64_t *slots)
{
    npy_intp shape[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    int flags = n->flags & 1 ? 0 : NPY_ARRAY_WRITEABLE;
    PyObject *base, *array;

    if (slots[0] & 1) {
        PyObject *object = (PyObject *)(uintptr_t)(slots[0] & ~(int64_t)1);
        if (is_that_array(object, n, slots))
            return object; /* its reference is the result's */
    }
    base = base_of(spec, slots[0]);
    if (!base) {
        runtime->decref((void *)(uintptr_t)slots[0]);
        return NULL;
    }
    for (int k = 0; k < n->count; k++) {
        shape[k] = slots[2 + k];
        strides[k] = slots[2 + n->count + k];
    }
    array = PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(n->type), n->count, shape,
                                 strides, (void *)(uintptr_t)slots[1], flags, NULL);
    if (!array) {
        Py_DECREF(base);
        return NULL;
    }
    PyArray_UpdateFlags((PyArrayObject *)array, NPY_ARRAY_UPDATE_ALL);
    if (PyArray_SetBaseObject((PyArrayObject *)array, base) < 0) /* takes over base */
        Py_CLEAR(array);
    return array;
}

static PyObject *box(Specialization *spec, const node **next, const int64_t **slots)
{
    const node *n = (*next)++;
    const int64_t *s = *slots;

    switch (n->kind) {
    case 'i':
        (*slots)++;
        return PyLong_FromLongLong(s[0]);
    case 'u':
        (*slots)++;
        return PyLong_FromUnsignedLongLong((unsigned long long)s[0]);
    case 'f':
        (*slots)++;
        return PyFloat_FromDouble(n->bytes == 8 ? get_double(s[0]) : get_float(s[0]));
    case '?':
        (*slots)++;
        return PyBool_FromLong(s[0] & 1);
    case 'c':
        *slots += 2;
        if (n->bytes == 16)
            return PyComplex_FromDoubles(get_double(s[0]), get_double(s[1]));
        return PyComplex_FromDoubles(get_float(s[0]), get_float(s[1]));
    case 'N':
        Py_RETURN_NONE;
    case 'A':
        *slots += 2 + 2 * n->count;
        return box_array(spec, n, s);
    case 'R':
        *slots += 3;
        return PyObject_CallFunction((PyObject *)&PyRange_Type, "LLL", (long long)s[0],
                                     (long long)s[1], (long long)s[2]);
    case 'K': {
        PyObject *constant = PyTuple_GET_ITEM(spec->constants, n->count);
        Py_INCREF(constant);
        return constant;
    }
    case '(': {
        PyObject *tuple = PyTuple_New(n->count);
        for (int k = 0; k < n->count; k++) {
            /* After a failure go on: each part's memory is owned and must find an end. */
            PyObject *item = box(spec, next, slots);
            if (!item)
                Py_CLEAR(tuple);
            else if (tuple)
                PyTuple_SET_ITEM(tuple, k, item);
            else
                Py_DECREF(item);
        }
        return tuple;
    }
    }
    PyErr_SetString(PyExc_SystemError, "a result that cannot be boxed");
    return NULL;
}

/* --- calling -------------------------------------------------------------------------------- */

static uintptr_t stack_limit(void)
{
    static _Thread_local uintptr_t limit;
    pthread_attr_t attributes;
    void *lowest;
    size_t size;

    if (limit)
        return limit;
    limit = 1;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &lowest, &size) == 0)
            limit = (uintptr_t)lowest + (size > 2 * STACK_MARGIN ? STACK_MARGIN : size / 2);
        pthread_attr_destroy(&attributes);
    }
    return limit;
}

static void raise_described(const cutaway_exc *exc)
{
    PyObject *exception;

    if (!raise_hook) {
        PyErr_SetString(PyExc_SystemError, "no raise hook is set");
        return;
    }
    exception = PyObject_CallFunction(raise_hook, "sL(LLLL)", exc->table, (long long)exc->index,
                                      (long long)exc->payload[0], (long long)exc->payload[1],
                                      (long long)exc->payload[2], (long long)exc->payload[3]);
    if (!exception)
        return;
    if (PyExceptionInstance_Check(exception)) /* raised with the traceback that it brings */
        PyErr_SetObject(PyExceptionInstance_Class(exception), exception);
    else
        PyErr_SetString(PyExc_TypeError, "the raise hook did not give an exception");
    Py_DECREF(exception);
}

/* Run compiled code on slots that are filled, and box its result. */
static PyObject *enter(Specialization *spec, const int64_t *arguments, int64_t *result)
{
    cutaway_exc exc;
    int32_t status;
    PyObject *value = NULL;

    exc.stack_limit = stack_limit();
    Py_INCREF(spec); /* may be forgotten by its dispatcher while it runs */
    spec->calls++;
    status = spec->entry(result, arguments, &exc);
    if (status == 0) {
        const node *n = spec->result;
        const int64_t *slots = result;
        if (n->kind == 'i')
            value = PyLong_FromLongLong(*slots);
        else if (n->kind == 'f' && n->bytes == 8)
            value = PyFloat_FromDouble(get_double(*slots));
        else
            value = box(spec, &n, &slots);
    }
    else if (status == 1)
        raise_described(&exc);
    Py_DECREF(spec);
    return value;
}

/* Try one specialisation.  NULL with *fits 0: the arguments do not fit; with 1: it raised. */
static PyObject *try_call(Specialization *spec, PyObject *const *args, Py_ssize_t given,
                          int lenient, int *fits)
{
    int64_t buffer[STACK_SLOTS], *slots = buffer;
    PyObject *value = NULL;
    int total = spec->argument_slots + spec->result_slots;

    if (total > STACK_SLOTS && !(slots = PyMem_Malloc((size_t)total * sizeof(int64_t)))) {
        *fits = 1;
        return PyErr_NoMemory();
    }
    *fits = unbox_all(spec, args, given, slots, lenient);
    if (*fits > 0)
        value = enter(spec, slots, slots + spec->argument_slots);
    else if (*fits < 0)
        *fits = 1;
    if (slots != buffer)
        PyMem_Free(slots);
    return value;
}

static int parse_all(Specialization *self, PyObject *arguments, PyObject *result)
{
    Py_ssize_t size = PyBytes_GET_SIZE(result);
    node *next, *limit;
    const unsigned char *text;
    const node *n;

    for (Py_ssize_t k = 0; k < self->nargs; k++) {
        if (!PyBytes_Check(PyTuple_GET_ITEM(arguments, k))) {
            PyErr_SetString(PyExc_TypeError, "descriptors are bytes");
            return -1;
        }
        size += PyBytes_GET_SIZE(PyTuple_GET_ITEM(arguments, k));
    }
    self->arguments = next = PyMem_Calloc((size_t)size + 1, sizeof(node)); /* a node a byte */
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
        if (parse_node(&text, text + PyBytes_GET_SIZE(item), &next, limit) < 0)
            return -1;
    }
    n = self->arguments;
    for (Py_ssize_t k = 0; k < self->nargs; k++)
        self->argument_slots += count_slots(&n);
    self->result_slots = count_slots(&n);
    return 0;
}

static PyObject *specialization_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"entry", "arguments", "result", "constants", "keep_alive", NULL};
    PyObject *entry, *arguments, *result, *constants, *keep_alive = Py_None;
    Specialization *self;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!SO!|O", names, &entry, &PyTuple_Type,
                                     &arguments, &result, &PyTuple_Type, &constants, &keep_alive))
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
    if (PyErr_Occurred() || parse_all(self, arguments, result) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int specialization_traverse(Specialization *self, visitproc visit, void *arg)
{
    Py_VISIT(self->constants);
    Py_VISIT(self->keep_alive);
    return 0;
}

static int specialization_clear(Specialization *self)
{
    Py_CLEAR(self->constants);
    Py_CLEAR(self->keep_alive);
    return 0;
}

static void specialization_dealloc(Specialization *self)
{
    PyObject_GC_UnTrack(self);
    specialization_clear(self);
    PyMem_Free(self->arguments);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *specialization_call(Specialization *self, PyObject *args, PyObject *kwargs)
{
    int fits;
    PyObject *value;

    if (kwargs && PyDict_GET_SIZE(kwargs)) {
        PyErr_SetString(PyExc_TypeError, "a specialisation takes no keywords");
        return NULL;
    }
    value = try_call(self, ((PyTupleObject *)args)->ob_item, PyTuple_GET_SIZE(args), 1, &fits);
    if (!value && !fits)
        PyErr_SetString(PyExc_TypeError, "the arguments do not fit this specialisation");
    return value;
}

static PyMemberDef specialization_members[] = {
    {"calls", T_ULONGLONG, offsetof(Specialization, calls), READONLY, "How often it was called."},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject SpecializationType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.dispatch_c._dispatch.Specialization",
    .tp_doc = "Specialization(entry, arguments, result, constants, keep_alive=None)\n\n"
              "Compiled code for one signature; called directly it converts its arguments.",
    .tp_basicsize = sizeof(Specialization),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = specialization_new,
    .tp_dealloc = (destructor)specialization_dealloc,
    .tp_traverse = (traverseproc)specialization_traverse,
    .tp_clear = (inquiry)specialization_clear,
    .tp_call = (ternaryfunc)specialization_call,
    .tp_members = specialization_members,
};

/* --- dispatchers ---------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *half;       /* the Python half */
    PyObject *parameters; /* names, a tuple of interned strings */
    Py_ssize_t positional;
    PyObject *chain;      /* a list of Specializations, the hottest first */
    PyObject *weakrefs;
} Dispatcher;

/* Put keyword arguments into their places; 0 where the call does not fit the parameters. */
static int lay_out(Dispatcher *self, PyObject *const *args, Py_ssize_t given, PyObject *kwnames,
                   PyObject **laid)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters);

    memset(laid, 0, (size_t)count * sizeof(PyObject *));
    memcpy(laid, args, (size_t)given * sizeof(PyObject *));
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(kwnames); k++) {
        PyObject *name = PyTuple_GET_ITEM(kwnames, k);
        Py_ssize_t place = 0;
        while (place < count && PyTuple_GET_ITEM(self->parameters, place) != name)
            place++;
        if (place == count || laid[place])
            return 0; /* unknown, given twice, or not interned: the Python half sees to it */
        laid[place] = args[given + k];
    }
    return 1;
}

/* Ask the Python half for a specialisation, and call that. */
static PyObject *call_slowly(Dispatcher *self, PyObject *const *args, Py_ssize_t given,
                             PyObject *kwnames)
{
    PyObject *positional = PyTuple_New(given), *keywords = PyDict_New();
    PyObject *answer = NULL, *value = NULL;
    int fits = 0;

    if (!positional || !keywords)
        goto done;
    for (Py_ssize_t k = 0; k < given; k++) {
        Py_INCREF(args[k]);
        PyTuple_SET_ITEM(positional, k, args[k]);
    }
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++)
        if (PyDict_SetItem(keywords, PyTuple_GET_ITEM(kwnames, k), args[given + k]) < 0)
            goto done;
    answer = PyObject_CallMethodObjArgs(self->half, str_resolve, positional, keywords, NULL);
    if (!answer)
        goto done;
    if (!PyTuple_Check(answer) || PyTuple_GET_SIZE(answer) != 2 ||
        !Py_IS_TYPE(PyTuple_GET_ITEM(answer, 0), &SpecializationType) ||
        !PyTuple_Check(PyTuple_GET_ITEM(answer, 1))) {
        PyErr_SetString(PyExc_TypeError, "resolve gives a Specialization and a tuple");
        goto done;
    }
    value = try_call((Specialization *)PyTuple_GET_ITEM(answer, 0),
                     ((PyTupleObject *)PyTuple_GET_ITEM(answer, 1))->ob_item,
                     PyTuple_GET_SIZE(PyTuple_GET_ITEM(answer, 1)), 1, &fits);
    if (!value && !fits)
        PyErr_SetString(PyExc_TypeError, "the arguments do not fit their specialisation");
done:
    Py_XDECREF(positional);
    Py_XDECREF(keywords);
    Py_XDECREF(answer);
    return value;
}

/* Move a specialisation to the front of the chain. */
static void promote(Dispatcher *self, Py_ssize_t place)
{
    PyObject **items = ((PyListObject *)self->chain)->ob_item;
    PyObject *hot = items[place];

    for (; place > 0; place--)
        items[place] = items[place - 1];
    items[0] = hot;
}

static PyObject *dispatcher_vectorcall(PyObject *callable, PyObject *const *args, size_t nargsf,
                                       PyObject *kwnames)
{
    Dispatcher *self = (Dispatcher *)callable;
    Py_ssize_t given = PyVectorcall_NARGS(nargsf), filled = given;
    Py_ssize_t count = PyTuple_GET_SIZE(self->parameters);
    PyObject *laid[STACK_ARGUMENTS], *const *fields = args;

    if (given > self->positional)
        return call_slowly(self, args, given, kwnames);
    if (kwnames && PyTuple_GET_SIZE(kwnames)) {
        if (count > STACK_ARGUMENTS || !lay_out(self, args, given, kwnames, laid))
            return call_slowly(self, args, given, kwnames);
        fields = laid;
        filled = count;
    }
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(self->chain); k++) {
        Specialization *spec = (Specialization *)PyList_GET_ITEM(self->chain, k);
        int fits;
        PyObject *value = try_call(spec, fields, filled, 0, &fits);
        if (fits) {
            if (k && k < PyList_GET_SIZE(self->chain) &&
                PyList_GET_ITEM(self->chain, k) == (PyObject *)spec)
                promote(self, k);
            return value;
        }
    }
    return call_slowly(self, args, given, kwnames);
}

static PyObject *dispatcher_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"half", "parameters", "positional", NULL};
    PyObject *half, *parameters;
    Py_ssize_t positional;
    Dispatcher *self;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!n", names, &half, &PyTuple_Type,
                                     &parameters, &positional))
        return NULL;
    self = (Dispatcher *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->vectorcall = dispatcher_vectorcall;
    self->positional = positional;
    Py_INCREF(half);
    self->half = half;
    Py_INCREF(parameters);
    self->parameters = parameters;
    self->chain = PyList_New(0);
    if (!self->chain)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int dispatcher_traverse(Dispatcher *self, visitproc visit, void *arg)
{
    Py_VISIT(self->half);
    Py_VISIT(self->chain);
    return 0;
}

static int dispatcher_clear(Dispatcher *self)
{
    Py_CLEAR(self->half);
    Py_CLEAR(self->chain);
    return 0;
}

static void dispatcher_dealloc(Dispatcher *self)
{
    PyObject_GC_UnTrack(self);
    if (self->weakrefs)
        PyObject_ClearWeakRefs((PyObject *)self);
    dispatcher_clear(self);
    Py_CLEAR(self->parameters);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *dispatcher_repr(Dispatcher *self)
{
    return PyObject_Repr(self->half);
}

/* What the dispatcher does not have itself is its Python half's. */
static PyObject *dispatcher_getattro(PyObject *self, PyObject *name)
{
    PyObject *value = PyObject_GenericGetAttr(self, name);

    if (value || !PyErr_ExceptionMatches(PyExc_AttributeError))
        return value;
    PyErr_Clear();
    return PyObject_GetAttr(((Dispatcher *)self)->half, name);
}

static int dispatcher_setattro(PyObject *self, PyObject *name, PyObject *value)
{
    return PyObject_SetAttr(((Dispatcher *)self)->half, name, value);
}

/* As a class attribute it binds like a function. */
static PyObject *dispatcher_descr_get(PyObject *self, PyObject *object, PyObject *type)
{
    if (object && object != Py_None)
        return PyMethod_New(self, object);
    Py_INCREF(self);
    return self;
}

static PyObject *dispatcher_add(Dispatcher *self, PyObject *spec)
{
    if (!Py_IS_TYPE(spec, &SpecializationType)) {
        PyErr_SetString(PyExc_TypeError, "add takes a Specialization");
        return NULL;
    }
    if (PyList_Append(self->chain, spec) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *dispatcher_forget_all(Dispatcher *self, PyObject *unused)
{
    if (PyList_SetSlice(self->chain, 0, PyList_GET_SIZE(self->chain), NULL) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *dispatcher_specializations(Dispatcher *self, void *unused)
{
    return PyList_AsTuple(self->chain);
}

static PyObject *dispatcher_doc(Dispatcher *self, void *unused)
{
    return PyObject_GetAttrString(self->half, "__doc__");
}

static PyObject *dispatcher_module(Dispatcher *self, void *unused)
{
    return PyObject_GetAttrString(self->half, "__module__");
}

static PyMethodDef dispatcher_methods[] = {
    {"add", (PyCFunction)dispatcher_add, METH_O, "Add a specialisation at the end of the chain."},
    {"clear", (PyCFunction)dispatcher_forget_all, METH_NOARGS, "Drop all specialisations."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef dispatcher_getset[] = {
    {"chain", (getter)dispatcher_specializations, NULL, "The specialisations, hottest first.",
     NULL},
    {"__doc__", (getter)dispatcher_doc, NULL, NULL, NULL},
    {"__module__", (getter)dispatcher_module, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyTypeObject DispatcherType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.dispatch_c._dispatch.Dispatcher",
    .tp_basicsize = sizeof(Dispatcher),
    .tp_vectorcall_offset = offsetof(Dispatcher, vectorcall),
    .tp_weaklistoffset = offsetof(Dispatcher, weakrefs),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_new = dispatcher_new,
    .tp_dealloc = (destructor)dispatcher_dealloc,
    .tp_traverse = (traverseproc)dispatcher_traverse,
    .tp_clear = (inquiry)dispatcher_clear,
    .tp_repr = (reprfunc)dispatcher_repr,
    .tp_call = PyVectorcall_Call,
    .tp_getattro = dispatcher_getattro,
    .tp_setattro = dispatcher_setattro,
    .tp_descr_get = dispatcher_descr_get,
    .tp_methods = dispatcher_methods,
    .tp_getset = dispatcher_getset,
};

/* --- the module ----------------------------------------------------------------------------- */

static PyObject *set_raise_hook(PyObject *module, PyObject *hook)
{
    Py_INCREF(hook);
    Py_XSETREF(raise_hook, hook);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"set_raise_hook", set_raise_hook, METH_O,
     "set_raise_hook(hook): hook(table, index, payload) gives the exception that compiled code "
     "described."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "cutaway.dispatch_c._dispatch",
    .m_doc = "Dispatchers and specialisations.",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__dispatch(void)
{
    PyObject *module;

    import_array();
    runtime = PyCapsule_Import(CUTAWAY_RUNTIME_CAPSULE, 0);
    str_resolve = PyUnicode_InternFromString("resolve");
    if (!runtime || !str_resolve)
        return NULL;
    if (PyType_Ready(&SpecializationType) < 0 || PyType_Ready(&DispatcherType) < 0)
        return NULL;
    module = PyModule_Create(&module_definition);
    if (!module)
        return NULL;
    if (PyModule_AddType(module, &SpecializationType) < 0 ||
        PyModule_AddType(module, &DispatcherType) < 0)
        Py_CLEAR(module);
    return module;
}
