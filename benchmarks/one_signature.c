/* Entries for one signature each, written by hand: what an entry that is compiled for a signature
   could be at best.  `one_signature.py` builds them, and measures them beside the dispatcher.

   They do what the dispatcher's quick way does, with all that it reads from guards as constants:
   look for profilers, check classes, dtypes and flags, fill slots, check the stack, hold and count
   the specialization, enter compiled code by its address, box.  `add_in_line` has the addition in
   the place of compiled code: no slots at all. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>
#include <stddef.h>
#include <stdint.h>

#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    unsigned long long calls;
    PyObject *held;
} entry;

typedef struct {
    char before[40];
    uintptr_t stack_limit;
    int64_t frames;
    char behind[520];
} record;

static const volatile int profiled = 0;
static _Thread_local uintptr_t stack_limit __attribute__((tls_model("initial-exec"))) = 1;
static PyObject *kept[262];
static PyArray_Descr *doubles;

static int32_t add(int64_t *result, const int64_t *slots, record *exc)
{
    *result = slots[0] + slots[1];
    return 0;
}

static int32_t one(int64_t *result, const int64_t *slots, record *exc)
{
    *result = 1;
    return 0;
}

/* Not constants, so that they are called as compiled code is. */
static int32_t (*volatile add_address)(int64_t *, const int64_t *, record *) = add;
static int32_t (*volatile one_address)(int64_t *, const int64_t *, record *) = one;

static inline int is_other_call(size_t nargsf, PyObject *kwnames, Py_ssize_t count)
{
    return UNLIKELY(PyVectorcall_NARGS(nargsf) != count || kwnames || profiled);
}

static inline int take_integer(PyObject *value, int64_t *slot)
{
    if (!PyLong_CheckExact(value))
        return 0;
#if PY_VERSION_HEX >= 0x030C0000
    if (!PyUnstable_Long_IsCompact((PyLongObject *)value))
        return 0;
    *slot = PyUnstable_Long_CompactValue((PyLongObject *)value);
#else
    if (Py_SIZE(value) < -1 || Py_SIZE(value) > 1)
        return 0;
    *slot = (int64_t)Py_SIZE(value) * ((PyLongObject *)value)->ob_digit[0];
#endif
    return 1;
}

static inline int take_line(PyObject *value, int64_t *slots)
{
    const int flags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_WRITEABLE | NPY_ARRAY_ALIGNED;
    PyArrayObject *array = (PyArrayObject *)value;

    if (!PyArray_CheckExact(value) || PyArray_DESCR(array) != doubles ||
        PyArray_NDIM(array) != 1 || (PyArray_FLAGS(array) & flags) != flags)
        return 0;
    slots[0] = (int64_t)((uintptr_t)value | 1);
    slots[1] = (int64_t)(uintptr_t)PyArray_DATA(array);
    slots[2] = PyArray_DIM(array, 0);
    slots[3] = PyArray_STRIDE(array, 0);
    return 1;
}

static inline PyObject *integer_from(int64_t number)
{
    uint64_t place = (uint64_t)number + 5;

    if (place >= 262)
        return PyLong_FromLongLong(number);
    Py_INCREF(kept[place]);
    return kept[place];
}

static inline PyObject *enter(entry *self, int32_t (*function)(int64_t *, const int64_t *, record *),
                              const int64_t *slots)
{
    record exc;
    int64_t result;
    PyObject *held = self->held, *value = NULL;

    exc.stack_limit = stack_limit;
    exc.frames = 0;
    if (UNLIKELY((uintptr_t)&exc < exc.stack_limit))
        return PyErr_NoMemory();
    Py_INCREF(held);
    self->calls++;
    if (function(&result, slots, &exc) == 0)
        value = integer_from(result);
    Py_DECREF(held);
    return value;
}

#define ENTRY(name)                                                                               \
    static PyObject *name(PyObject *callable, PyObject *const *args, size_t nargsf,                \
                          PyObject *kwnames)

static PyObject *miss(void)
{
    PyErr_SetString(PyExc_TypeError, "other arguments");
    return NULL;
}

ENTRY(call_nothing)
{
    Py_RETURN_NONE;
}

ENTRY(call_add)
{
    int64_t slots[2];

    if (is_other_call(nargsf, kwnames, 2) || !take_integer(args[0], slots) ||
        !take_integer(args[1], slots + 1))
        return miss();
    return enter((entry *)callable, add_address, slots);
}

ENTRY(call_add_in_line)
{
    int64_t a, b;

    if (is_other_call(nargsf, kwnames, 2) || !take_integer(args[0], &a) ||
        !take_integer(args[1], &b))
        return miss();
    ((entry *)callable)->calls++;
    return integer_from(a + b);
}

ENTRY(call_line)
{
    int64_t slots[4];

    if (is_other_call(nargsf, kwnames, 1) || !take_line(args[0], slots))
        return miss();
    return enter((entry *)callable, one_address, slots);
}

ENTRY(call_three_lines)
{
    int64_t slots[12];

    if (is_other_call(nargsf, kwnames, 3) || !take_line(args[0], slots) ||
        !take_line(args[1], slots + 4) || !take_line(args[2], slots + 8))
        return miss();
    return enter((entry *)callable, one_address, slots);
}

static PyTypeObject entry_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "one_signature.Entry",
    .tp_basicsize = sizeof(entry),
    .tp_vectorcall_offset = offsetof(entry, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
};

static struct PyModuleDef module_definition = {PyModuleDef_HEAD_INIT, .m_name = "one_signature",
                                               .m_size = -1};

PyMODINIT_FUNC PyInit_one_signature(void)
{
    static const struct {
        const char *name;
        vectorcallfunc call;
    } entries[] = {{"nothing", call_nothing}, {"add", call_add}, {"add_in_line", call_add_in_line},
                   {"line", call_line}, {"three_lines", call_three_lines}};
    PyObject *module;

    import_array();
    if (PyType_Ready(&entry_type) < 0 || !(module = PyModule_Create(&module_definition)))
        return NULL;
    doubles = PyArray_DescrFromType(NPY_DOUBLE);
    for (int k = 0; k < 262; k++)
        kept[k] = PyLong_FromLong(k - 5);
    for (size_t k = 0; k < Py_ARRAY_LENGTH(entries); k++) {
        entry *made = PyObject_New(entry, &entry_type);
        if (!made)
            return NULL;
        made->vectorcall = entries[k].call;
        made->calls = 0;
        made->held = Py_NewRef(Py_Ellipsis);
        if (PyModule_AddObject(module, entries[k].name, (PyObject *)made) < 0)
            return NULL;
    }
    return module;
}
