/* Texts and buffers: str, bytes, bytearray, memoryview, array.array.

   A str or bytes is immutable, and the caller holds it: its fields are read directly.  The others
   can be resized or released while compiled code runs, so their memory is held by an export
   (PyObject_GetBuffer) from before the call until after it.  That takes two steps: `unbox` checks
   whether all arguments fit, and then `take_buffers` takes the exports, checks again, since a
   conversion may have run Python code meanwhile, and fills the slots.  Only functions with such
   arguments have the second step. */

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
    SHARE(array_type, (PyTypeObject *)type); /* never released */
    return 0;
}

/* The class of a buffer, by its letter in a descriptor; NULL for an invalid letter. */
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

/* The size of an item of a format; 0 for a format that compiled code does not support. */
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

int unbox_string(const Specialization *spec, const node **next, PyObject *value, int64_t *here,
                 int64_t **slots, int how)
{
    if (!PyUnicode_CheckExact(value))
        return 0;
    if (ready_text(value) < 0)
        return -1;
    here[0] = (int64_t)((uintptr_t)value | 1);
    here[1] = (int64_t)(uintptr_t)PyUnicode_DATA(value);
    here[2] = PyUnicode_GET_LENGTH(value);
    here[3] = PyUnicode_KIND(value);
    return 1;
}

/* Whether a view's format is one letter, optionally with the prefix for native. */
static int format_is(const Py_buffer *view, char format)
{
    const char *given = view->format ? view->format : "B";

    if (*given == '@')
        given++;
    return given[0] == format && given[1] == '\0' && view->itemsize == size_of(format);
}

/* The layout of a memoryview, 'C' for one that is both C- and F-contiguous. */
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

/* Whether a memoryview, or the object behind it, was released: then its fields are invalid. */
static int is_released(PyObject *value)
{
    PyMemoryViewObject *view = (PyMemoryViewObject *)value;

    return view->flags & _Py_MEMORYVIEW_RELEASED ||
           view->mbuf->flags & _Py_MANAGED_BUFFER_RELEASED;
}

/* Whether an array.array has the item type of a descriptor. */
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

int unbox_buffer(const Specialization *spec, const node **next, PyObject *value, int64_t *here,
                 int64_t **slots, int how)
{
    const node *n = *next - 1;

    if (Py_TYPE(value) != class_of(n->letter))
        return 0;
    switch (n->letter) {
    case 'm':
        return !is_released(value) && view_fits(n, value, PyMemoryView_GET_BUFFER(value));
    case 'r':
        return array_fits(n, value);
    case 'b':
        here[0] = (int64_t)((uintptr_t)value | 1);
        here[1] = (int64_t)(uintptr_t)PyBytes_AS_STRING(value);
        here[2] = PyBytes_GET_SIZE(value);
        here[3] = 1;
    }
    return 1;
}

/* Hold one argument's memory in *next; 0 if it does not fit, or cannot be exported. */
static int take_buffer(const node *n, PyObject *value, int64_t *slots, held_value **next)
{
    Py_buffer *view = &(*next)->view;

    if (PyObject_GetBuffer(value, view, PyBUF_FULL_RO) < 0) {
        PyErr_Clear(); /* released: the next check reports it */
        return 0;
    }
    if (!view_fits(n, value, view)) {
        PyBuffer_Release(view);
        return 0;
    }
    (*next)++->member = NULL;
    *slots++ = (int64_t)((uintptr_t)value | 1);
    *slots++ = (int64_t)(uintptr_t)view->buf;
    for (int k = 0; k < n->count; k++)
        *slots++ = view->shape[k];
    for (int k = 0; k < n->count; k++)
        *slots++ = view->strides[k];
    return 1;
}

typedef struct {
    held_value *next;
    list_copies *copies;
} holding;

/* Hold a visited value.  A member of a composite is put into its slots again, if replaced. */
static int hold_visited(const Specialization *spec, const node *n, PyObject *value,
                        int64_t *slots, void *context)
{
    held_value **next = &((holding *)context)->next;

    if (strchr("HQI", n->kind))
        return hold_list(spec, n, value, slots, ((holding *)context)->copies);
    if (n->kind != 'P')
        return n->kind != 'B' || n->letter == 'b' || take_buffer(n, value, slots, next);
    (*next)++->member = value;
    return 1;
}

static int visit_inside(const Specialization *spec, const node **next, PyObject *value,
                        int64_t **slots, visitor *visit, void *context);

/* Visit the members of a composite. */
static int visit_members(const Specialization *spec, const node *n, const node **next,
                         PyObject *value, int64_t **slots, visitor *visit, void *context)
{
    int goes_on = 1;

    for (int k = 0; goes_on > 0 && k < n->count; k++) {
        PyObject *member = get_member(spec, n, value, k);
        const node *inner = *next;
        int64_t *here = *slots;
        if (!member) {
            PyErr_Clear();
            return 0;
        }
        Py_INCREF(member); /* the visitor takes a reference */
        goes_on = visit(spec, n, member, here, context);
        goes_on = goes_on && unbox(spec, &inner, member, &here, LENIENT | KNOWN) > 0;
        if (goes_on)
            goes_on = visit_inside(spec, next, member, slots, visit, context);
        else
            PyErr_Clear();
        Py_DECREF(member);
    }
    return goes_on;
}

/* Visit the values in one argument, which fits its descriptor. */
static int visit_inside(const Specialization *spec, const node **next, PyObject *value,
                        int64_t **slots, visitor *visit, void *context)
{
    const node *n = *next;
    int64_t *here = *slots;
    int goes_on = 1;

    switch (n->kind) {
    case 'B': case 'Z': case 'H': case 'Q': case 'I':
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
    case 'P':
        (*next)++;
        return visit_members(spec, n, next, value, slots, visit, context);
    }
    *slots += count_slots(next);
    return 1;
}

/* The argument of a parameter other than *args; NULL for an omitted one. */
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

int hold_values(const Specialization *spec, const call_arguments *arguments, int64_t *slots,
                held_value *held, Py_ssize_t *count, list_copies *copies)
{
    holding context = {held, copies};
    int fits = visit_values(spec, arguments, slots, hold_visited, &context);

    *count = context.next - held;
    return fits;
}

void release_values(held_value *held, Py_ssize_t count)
{
    while (count--)
        if (held[count].member)
            Py_DECREF(held[count].member);
        else
            PyBuffer_Release(&held[count].view);
}

/* The object that a result came from; its reference becomes the result's. */
static PyObject *object_of(int64_t owner)
{
    return owner & 1 ? (PyObject *)(uintptr_t)(owner & ~(int64_t)1) : NULL;
}

PyObject *box_any_string(Specialization *spec, const node **next, const int64_t *here,
                         const int64_t **slots)
{
    PyObject *object = object_of(here[0]);

    if (object)
        return object;
    object = PyUnicode_FromKindAndData((int)here[3], (void *)(uintptr_t)here[1], here[2]);
    runtime->decref((void *)(uintptr_t)here[0]); /* of text that compiled code has made */
    return object;
}

PyObject *box_any_buffer(Specialization *spec, const node **next, const int64_t *here,
                         const int64_t **slots)
{
    const node *n = *next - 1;
    PyObject *object = object_of(here[0]);

    if (object)
        return object;
    if (n->letter == 'b') {
        object = PyBytes_FromStringAndSize((char *)(uintptr_t)here[1], here[2]);
        runtime->decref((void *)(uintptr_t)here[0]);
        return object;
    }
    PyErr_SetString(PyExc_SystemError, "a buffer without its object");
    return NULL;
}
