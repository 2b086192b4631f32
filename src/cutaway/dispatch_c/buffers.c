/* Texts and buffers: str, bytes, bytearray, memoryview, array.array.

   A str or bytes never changes, and the caller holds it: its fields are read as they are.  The
   others can be resized or released by anybody while compiled code runs, so their memory is held
   by an export (PyObject_GetBuffer) from before the call until after it.  That takes two steps:
   `unbox` looks whether all arguments fit, and then `take_buffers` takes the exports, looks again,
   since a conversion may have run Python code meanwhile, and fills the slots.  Only functions with
   such arguments have the second step. */

#include "dispatch.h"

PyTypeObject *array_type;

int load_array_type(void)
{
    PyObject *module, *type;

    if (array_type)
        return 0;
    module = PyImport_ImportModule("array");
    type = module ? PyObject_GetAttrString(module, "array") : NULL;
    Py_XDECREF(module);
    if (!type)
        return -1;
    if (!PyType_Check(type)) {
        Py_DECREF(type);
        PyErr_SetString(PyExc_TypeError, "array.array is not a class");
        return -1;
    }
    array_type = (PyTypeObject *)type; /* kept for good */
    return 0;
}

/* The class of a buffer, by its letter in a descriptor; NULL for no such letter. */
static PyTypeObject *class_of(char letter)
{
    switch (letter) {
    case 'b':
        return &PyBytes_Type;
    case 'a':
        return &PyByteArray_Type;
    case 'm':
        return &PyMemoryView_Type;
    case 'r':
        return array_type;
    }
    return NULL;
}

/* How many bytes an item of a format takes; 0 for a format that compiled code does not read. */
static Py_ssize_t size_of(char format)
{
    switch (format) {
    case 'b': case 'B': case '?':
        return 1;
    case 'h': case 'H':
        return sizeof(short);
    case 'i': case 'I':
        return sizeof(int);
    case 'l': case 'L':
        return sizeof(long);
    case 'q': case 'Q':
        return sizeof(long long);
    case 'n': case 'N':
        return sizeof(Py_ssize_t);
    case 'f':
        return sizeof(float);
    case 'd':
        return sizeof(double);
    }
    return 0;
}

int is_buffer_descriptor(const node *n)
{
    if (!n->letter || !strchr("bamr", n->letter) || !size_of((char)n->type) || n->count < 1)
        return 0;
    if (n->letter == 'b' && !(n->flags & 1))
        return 0;
    return n->letter == 'm' || (n->count == 1 && n->layout == 'C');
}

int put_string(PyObject *value, int64_t *slots)
{
    if (!PyUnicode_CheckExact(value))
        return 0;
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(value) < 0) /* a string of the old C interface gets its characters */
        return -1;
#endif
    slots[0] = (int64_t)((uintptr_t)value | 1);
    slots[1] = (int64_t)(uintptr_t)PyUnicode_DATA(value);
    slots[2] = PyUnicode_GET_LENGTH(value);
    slots[3] = PyUnicode_KIND(value);
    return 1;
}

/* Whether a view's format is one letter, with or without the sign that means native. */
static int format_is(const Py_buffer *view, char format)
{
    const char *given = view->format ? view->format : "B";

    if (*given == '@')
        given++;
    return given[0] == format && given[1] == '\0' && view->itemsize == size_of(format);
}

/* The layout that a memoryview says it has, with 'C' for one that is both. */
static char layout_of(PyObject *value)
{
    int flags;

    if (!PyMemoryView_Check(value))
        return 'C';
    flags = ((PyMemoryViewObject *)value)->flags;
    if (flags & _Py_MEMORYVIEW_C)
        return 'C';
    return flags & _Py_MEMORYVIEW_FORTRAN ? 'F' : 'A';
}

static int view_fits(const node *n, PyObject *value, const Py_buffer *view)
{
    return view->ndim == n->count && view->shape && view->strides && !view->suboffsets &&
           (n->flags & 1) == (view->readonly != 0) && format_is(view, (char)n->type) &&
           n->layout == layout_of(value);
}

/* Whether a memoryview, or what it is a view of, was released: then its fields mean nothing. */
static int is_released(PyObject *value)
{
    PyMemoryViewObject *view = (PyMemoryViewObject *)value;

    return view->flags & _Py_MEMORYVIEW_RELEASED ||
           view->mbuf->flags & _Py_MANAGED_BUFFER_RELEASED;
}

/* Whether an array.array has the items that a descriptor says. */
static int array_fits(const node *n, PyObject *value)
{
    Py_buffer view;
    int fits;

    if (PyObject_GetBuffer(value, &view, PyBUF_FULL_RO) < 0) {
        PyErr_Clear();
        return 0;
    }
    fits = view_fits(n, value, &view);
    PyBuffer_Release(&view);
    return fits;
}

int put_buffer(const node *n, PyObject *value, int64_t *slots)
{
    if (Py_TYPE(value) != class_of(n->letter))
        return 0;
    switch (n->letter) {
    case 'm':
        return !is_released(value) && view_fits(n, value, PyMemoryView_GET_BUFFER(value));
    case 'r':
        return array_fits(n, value);
    case 'b':
        slots[0] = (int64_t)((uintptr_t)value | 1);
        slots[1] = (int64_t)(uintptr_t)PyBytes_AS_STRING(value);
        slots[2] = PyBytes_GET_SIZE(value);
        slots[3] = 1;
    }
    return 1;
}

/* One argument's memory, held by *next; 0 where it does not fit, or cannot be had. */
static int take_buffer(const node *n, PyObject *value, int64_t *slots, Py_buffer **next)
{
    Py_buffer *view = *next;

    if (PyObject_GetBuffer(value, view, PyBUF_FULL_RO) < 0) {
        PyErr_Clear(); /* released: what is asked next says so */
        return 0;
    }
    if (!view_fits(n, value, view)) {
        PyBuffer_Release(view);
        return 0;
    }
    (*next)++;
    *slots++ = (int64_t)((uintptr_t)value | 1);
    *slots++ = (int64_t)(uintptr_t)view->buf;
    for (int k = 0; k < n->count; k++)
        *slots++ = view->shape[k];
    for (int k = 0; k < n->count; k++)
        *slots++ = view->strides[k];
    return 1;
}

/* The same for a value that is visited; those whose memory need not be held are passed over. */
static int take_visited(const Specialization *spec, const node *n, PyObject *value,
                        int64_t *slots, void *context)
{
    return n->kind != 'B' || n->letter == 'b' || take_buffer(n, value, slots, context);
}

/* The values in one argument, which fits its descriptor. */
static int visit_inside(const Specialization *spec, const node **next, PyObject *value,
                        int64_t **slots, visitor *visit, void *context)
{
    const node *n = *next;
    int64_t *here = *slots;
    int goes_on = 1;

    switch (n->kind) {
    case 'B': case 'Z':
        *slots += count_slots(next);
        return visit(spec, n, value, here, context);
    case 'M':
        if (value == Py_None)
            break;
        (*next)++;
        (*slots)++;
        return visit_inside(spec, next, value, slots, visit, context);
    case 'T': case '(':
        (*next)++;
        for (int k = 0; goes_on && k < n->count; k++)
            goes_on = visit_inside(spec, next, PyTuple_GET_ITEM(value, k), slots, visit, context);
        return goes_on;
    }
    *slots += count_slots(next);
    return 1;
}

/* The argument of a parameter that is not that of *args; NULL for one left out. */
static PyObject *named_argument(const call_arguments *arguments, const node *n, Py_ssize_t place)
{
    PyObject *value = place < arguments->count ? arguments->items[place] : NULL;

    if (n->kind == 'O')
        return NULL;
    return value && value != absent ? value : PyTuple_GET_ITEM(arguments->defaults, place);
}

int visit_values(const Specialization *spec, const call_arguments *arguments, int64_t *slots,
                 visitor *visit, void *context)
{
    const node *n = spec->arguments;
    Py_ssize_t named = spec->nargs - arguments->star;
    int goes_on = 1;

    for (Py_ssize_t k = 0; goes_on && k < named; k++) {
        PyObject *value = named_argument(arguments, n, k);
        if (value)
            goes_on = visit_inside(spec, &n, value, &slots, visit, context);
        else
            n++;
    }
    if (arguments->star)
        n++; /* the tuple, which was not made */
    for (Py_ssize_t k = 0; goes_on && arguments->star && k < arguments->rest_count; k++)
        goes_on = visit_inside(spec, &n, arguments->rest[k], &slots, visit, context);
    return goes_on;
}

int take_buffers(const Specialization *spec, const call_arguments *arguments, int64_t *slots,
                 Py_buffer *held, Py_ssize_t *count)
{
    Py_buffer *next = held;
    int fits = visit_values(spec, arguments, slots, take_visited, &next);

    *count = next - held;
    return fits;
}

void release_buffers(Py_buffer *held, Py_ssize_t count)
{
    while (count)
        PyBuffer_Release(&held[--count]);
}

/* The object that a result came from, whose reference is the result's; or a new one of text or
   bytes that lie in compiled code. */
static PyObject *object_of(int64_t owner)
{
    return owner & 1 ? (PyObject *)(uintptr_t)(owner & ~(int64_t)1) : NULL;
}

PyObject *box_string(const int64_t *slots)
{
    PyObject *object = object_of(slots[0]);

    if (object)
        return object;
    return PyUnicode_FromKindAndData((int)slots[3], (void *)(uintptr_t)slots[1], slots[2]);
}

PyObject *box_buffer(const node *n, const int64_t *slots)
{
    PyObject *object = object_of(slots[0]);

    if (object)
        return object;
    if (n->letter == 'b')
        return PyBytes_FromStringAndSize((char *)(uintptr_t)slots[1], slots[2]);
    PyErr_SetString(PyExc_SystemError, "a buffer without its object");
    return NULL;
}
