/* Native lists for Python: items, slices, growth, and the buffer of numbers. */

#include "native.h"

static int64_t size_of(native *self)
{
    return self->owner ? cutaway_list_of(self->owner)->size : 0;
}

static Py_ssize_t list_length(native *self)
{
    return (Py_ssize_t)size_of(self);
}

static PyObject *refuse(PyObject *error, const char *text)
{
    PyErr_SetString(error, text);
    return NULL;
}

/* --- items --------------------------------------------------------------------------------------- */

/* The value of an index; -1 with an exception set. */
static int read_index(PyObject *key, int64_t *index)
{
    if (PyLong_CheckExact(key) && small_integer(key, index))
        return 0;
    if (!PyIndex_Check(key)) {
        PyErr_Format(PyExc_TypeError, "list indices must be integers or slices, not %.200s",
                     Py_TYPE(key)->tp_name);
        return -1;
    }
    *index = PyNumber_AsSsize_t(key, PyExc_IndexError);
    return *index == -1 && PyErr_Occurred() ? -1 : 0;
}

/* The item at an index that counts from the end if it is negative; NULL without an exception where
   there is none. */
static inline char *place_at(native *self, int64_t index)
{
    const cutaway_list *list = self->owner ? cutaway_list_of(self->owner) : NULL;

    if (!list)
        return NULL;
    if (index < 0)
        index += list->size;
    return (uint64_t)index < (uint64_t)list->size ? list->items + index * list->item_bytes : NULL;
}

static PyObject *item_of_list(native *self, int64_t index)
{
    PyObject *value = NULL;
    const char *place;

    BEGIN_CRITICAL_SECTION(self);
    place = place_at(self, index);
    if (place)
        value = item_object(self->layout, self->layout->first, place);
    END_CRITICAL_SECTION();
    return place ? value : refuse(PyExc_IndexError, "list index out of range");
}

/* For `PySequence_GetItem`, which has added the length to a negative index already. */
static PyObject *list_item(native *self, Py_ssize_t index)
{
    return index < 0 ? refuse(PyExc_IndexError, "list index out of range") : item_of_list(self, index);
}

/* A new list with some of the items. */
static PyObject *part_of(native *self, int64_t start, int64_t step, int64_t count)
{
    void *owner = new_owner(self->layout, count);
    int64_t last = start + step * (count - 1);
    int failed = !owner;

    BEGIN_CRITICAL_SECTION(self); /* another thread may have shortened the list */
    if (!failed && start < size_of(self) && last < size_of(self))
        failed = runtime->list_add(owner, self->owner, start, step, count) != 0;
    END_CRITICAL_SECTION();
    if (!failed)
        return wrapped(self->layout, owner);
    if (owner)
        runtime->decref(owner);
    return PyErr_NoMemory();
}

static PyObject *slice_of(native *self, PyObject *slice)
{
    Py_ssize_t start, stop, step, count;

    if (PySlice_Unpack(slice, &start, &stop, &step) < 0)
        return NULL;
    count = PySlice_AdjustIndices(list_length(self), &start, &stop, step);
    if (!self->layout)
        return PyObject_CallNoArgs((PyObject *)Py_TYPE(self));
    return part_of(self, start, step, count);
}

static PyObject *list_subscript(native *self, PyObject *key)
{
    int64_t index;

    if (PySlice_Check(key))
        return slice_of(self, key);
    return read_index(key, &index) < 0 ? NULL : item_of_list(self, index);
}

/* --- changes ------------------------------------------------------------------------------------- */

/* Set the exception for an answer of the runtime, if it is one; -1 then. */
static int check_room(int32_t failed)
{
    if (failed == CUTAWAY_EXPORTED)
        PyErr_SetString(PyExc_BufferError, "Existing exports of data: object cannot be re-sized");
    else if (failed)
        PyErr_NoMemory();
    return failed ? -1 : 0;
}

/* Exchange an item for another one; 0 where there is none. */
static int exchange(native *self, int64_t index, void *value, size_t bytes)
{
    char before[8 * CUTAWAY_ITEM_SLOTS], *place;

    BEGIN_CRITICAL_SECTION(self);
    place = place_at(self, index);
    if (place) {
        memcpy(before, place, bytes);
        memcpy(place, value, bytes);
    }
    END_CRITICAL_SECTION();
    if (place)
        memcpy(value, before, bytes);
    return place != NULL;
}

static int store_item(native *self, int64_t index, PyObject *value)
{
    char own[8 * CUTAWAY_ITEM_SLOTS];
    int64_t number;
    int there = 0;

    if (self->layout && unbox_quickly(self->layout->first, value, &number))
        there = exchange(self, index, &number, sizeof(number));
    else if (self->layout) {
        if (take_value(self->layout, FIRST, value, own) < 0)
            return -1;
        there = exchange(self, index, own, (size_t)bytes_of(self->layout->first));
        release_value(self->layout->first, own); /* it may run anything */
    }
    if (there)
        return 0;
    PyErr_SetString(PyExc_IndexError, "list assignment index out of range");
    return -1;
}

/* Remove an item; NULL, or the item if that is asked for, else None. */
static PyObject *take_out(native *self, int64_t index, int as_object, const char *missing)
{
    PyObject *value = NULL;
    int32_t failed = 0;
    char *place;

    BEGIN_CRITICAL_SECTION(self);
    place = place_at(self, index);
    if (place) {
        cutaway_list *list = cutaway_list_of(self->owner);
        failed = list->exports ? CUTAWAY_EXPORTED : 0;
        if (!failed)
            value = as_object ? item_object(self->layout, self->layout->first, place)
                              : Py_NewRef(Py_None);
        if (value)
            runtime->list_cut(self->owner, (place - list->items) / list->item_bytes, 1);
    }
    END_CRITICAL_SECTION();
    if (!place)
        return refuse(PyExc_IndexError, missing);
    return check_room(failed) < 0 ? NULL : value;
}

static int list_ass_subscript(native *self, PyObject *key, PyObject *value)
{
    int64_t index;
    PyObject *done;

    if (PySlice_Check(key))
        done = value ? PyObject_CallMethod((PyObject *)self, "_store_part", "(OO)", key, value)
                     : PyObject_CallMethod((PyObject *)self, "_remove_part", "(O)", key);
    else if (read_index(key, &index) < 0)
        return -1;
    else if (value)
        return store_item(self, index, value);
    else
        done = take_out(self, index, 0, "list assignment index out of range");
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* Put an item at the end, which takes over its references; 0, or why there is no room. */
static int32_t put_last(native *self, const void *value, size_t bytes)
{
    cutaway_list *list = cutaway_list_of(self->owner);
    int32_t failed = 0;

    BEGIN_CRITICAL_SECTION(self);
    if (list->size == list->capacity)
        failed = runtime->list_grow(self->owner, 1);
    if (!failed)
        memcpy(list->items + list->size++ * (int64_t)bytes, value, bytes);
    END_CRITICAL_SECTION();
    return failed;
}

static PyObject *list_append(native *self, PyObject *value)
{
    char own[8 * CUTAWAY_ITEM_SLOTS];
    int64_t number;
    int32_t failed = 0;

    if (!self->layout && settle(self, value) < 0)
        return NULL;
    if (unbox_quickly(self->layout->first, value, &number)) {
        if (check_room(put_last(self, &number, sizeof(number))) < 0)
            return NULL;
        Py_RETURN_NONE;
    }
    if (take_value(self->layout, FIRST, value, own) < 0)
        return NULL;
    failed = put_last(self, own, (size_t)bytes_of(self->layout->first));
    if (!failed)
        Py_RETURN_NONE;
    release_value(self->layout->first, own);
    check_room(failed);
    return NULL;
}

static PyObject *list_pop(native *self, PyObject *const *args, Py_ssize_t count)
{
    int64_t index = -1;

    if (count > 1)
        return PyErr_Format(PyExc_TypeError, "pop expected at most 1 argument, got %zd", count);
    if (count && read_index(args[0], &index) < 0)
        return NULL;
    if (!size_of(self))
        return refuse(PyExc_IndexError, "pop from empty list");
    return take_out(self, index, 1, "pop index out of range");
}

/* A list of values as that of compiled code, with a reference of its own; NULL with an exception
   set. */
static void *filled(native_layout *layout, PyObject *values)
{
    void *owner = new_owner(layout, PyObject_LengthHint(values, 0));
    PyObject *iterator = owner ? PyObject_GetIter(values) : NULL, *value;
    cutaway_list *list = owner ? cutaway_list_of(owner) : NULL;

    if (!owner && !PyErr_Occurred())
        PyErr_NoMemory();
    while (iterator && (value = PyIter_Next(iterator))) {
        int done = check_room(runtime->list_grow(owner, 1)) == 0 &&
                   take_value(layout, FIRST, value, list->items + list->size * list->item_bytes) == 0;
        list->size += done;
        Py_DECREF(value);
        if (!done)
            break;
    }
    Py_XDECREF(iterator);
    if (!PyErr_Occurred())
        return owner;
    if (owner)
        runtime->decref(owner);
    return NULL;
}

/* Put the items of another list in the place of some. */
static int32_t replace_items(native *self, int64_t start, int64_t stop, void *others)
{
    const cutaway_list *source = cutaway_list_of(others);
    cutaway_list *list = cutaway_list_of(self->owner);
    int64_t count = source->size;
    int32_t failed = 0;

    start = start < 0 ? 0 : start > list->size ? list->size : start;
    stop = stop < start ? start : stop > list->size ? list->size : stop;
    if (count == stop - start) { /* they change places: no other item moves */
        char *place = list->items + start * list->item_bytes, *other = source->items;
        for (char *end = other + count * list->item_bytes; other < end; other++, place++) {
            char held = *place;
            *place = *other;
            *other = held;
        }
        return 0;
    }
    if (list->exports)
        return CUTAWAY_EXPORTED;
    /* At the end first, where they get their references: what may fail leaves all as it was. */
    failed = runtime->list_add(self->owner, others, 0, 1, count);
    if (!failed && start + count < list->size) {
        int64_t bytes = list->item_bytes, behind = list->size - count - start;
        char *held = malloc((size_t)(count * bytes) + 1), *place = list->items + start * bytes;
        if (!held) {
            runtime->list_cut(self->owner, list->size - count, count);
            return CUTAWAY_NO_MEMORY;
        }
        memcpy(held, place + behind * bytes, (size_t)(count * bytes));
        memmove(place + count * bytes, place, (size_t)(behind * bytes));
        memcpy(place, held, (size_t)(count * bytes));
        free(held);
    }
    if (!failed)
        runtime->list_cut(self->owner, start + count, stop - start);
    return failed;
}

static PyObject *list_replace(native *self, PyObject *args)
{
    Py_ssize_t start, stop;
    PyObject *values;
    void *others;
    int32_t failed;

    if (!PyArg_ParseTuple(args, "nnO", &start, &stop, &values))
        return NULL;
    if (!self->layout) { /* the class determines it by the values, if there are any */
        if (PySequence_Size(values) > 0)
            PyErr_SetString(PyExc_TypeError, "a list without a type");
        if (PyErr_Occurred())
            return NULL;
        Py_RETURN_NONE;
    }
    others = filled(self->layout, values);
    if (!others)
        return NULL;
    BEGIN_CRITICAL_SECTION(self);
    failed = replace_items(self, start, stop, others);
    END_CRITICAL_SECTION();
    runtime->decref(others);
    if (check_room(failed) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *list_reverse(native *self, PyObject *unused)
{
    BEGIN_CRITICAL_SECTION(self);
    if (self->owner)
        runtime->list_reverse(self->owner);
    END_CRITICAL_SECTION();
    Py_RETURN_NONE;
}

/* --- loops --------------------------------------------------------------------------------------- */

static PyObject *list_iter(native *self)
{
    return new_iterator(self, 'l');
}

static PyObject *list_reversed(native *self, PyObject *unused)
{
    return new_iterator(self, 'L');
}

static int list_contains(native *self, PyObject *value)
{
    int same = 0;

    for (int64_t k = 0; !same && k < size_of(self); k++) {
        PyObject *item = item_of_list(self, k);
        if (!item)
            return -1;
        same = PyObject_RichCompareBool(item, value, Py_EQ);
        Py_DECREF(item);
    }
    return same;
}

/* --- the buffer ---------------------------------------------------------------------------------- */

static int list_get_buffer(native *self, Py_buffer *view, int flags)
{
    static char nothing;
    native_layout *layout = self->layout;
    cutaway_list *list;
    Py_ssize_t *shape;

    view->obj = NULL;
    if (!layout || !*layout->format) {
        PyErr_SetString(PyExc_BufferError, "a list of numbers alone has a buffer");
        return -1;
    }
    shape = PyMem_Malloc(2 * sizeof(*shape));
    if (!shape) {
        PyErr_NoMemory();
        return -1;
    }
    BEGIN_CRITICAL_SECTION(self);
    list = cutaway_list_of(self->owner);
    if (!list->exports++) {
        list->spare = list->capacity;
        list->capacity = list->size;
    }
    view->buf = list->items ? list->items : &nothing;
    shape[0] = list->size;
    END_CRITICAL_SECTION();
    view->itemsize = shape[1] = bytes_of(layout->first);
    view->len = shape[0] * shape[1];
    view->readonly = 0;
    view->ndim = 1;
    view->format = flags & PyBUF_FORMAT ? layout->format : NULL;
    view->shape = flags & PyBUF_ND ? &shape[0] : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &shape[1] : NULL;
    view->suboffsets = NULL;
    view->internal = shape;
    view->obj = Py_NewRef((PyObject *)self);
    return 0;
}

static void list_release_buffer(native *self, Py_buffer *view)
{
    cutaway_list *list = cutaway_list_of(self->owner);

    BEGIN_CRITICAL_SECTION(self);
    if (!--list->exports && list->spare > list->capacity)
        list->capacity = list->spare;
    END_CRITICAL_SECTION();
    PyMem_Free(view->internal);
}

/* --- the class ----------------------------------------------------------------------------------- */

static PyMethodDef list_methods[] = {
    {"append", (PyCFunction)list_append, METH_O, "Put an item at the end."},
    {"pop", (PyCFunction)(void (*)(void))list_pop, METH_FASTCALL, "Remove an item, and return it."},
    {"reverse", (PyCFunction)list_reverse, METH_NOARGS, "Reverse the order of the items."},
    {"__reversed__", (PyCFunction)list_reversed, METH_NOARGS, "Return an iterator from the end."},
    {"_replace", (PyCFunction)list_replace, METH_VARARGS,
     "_replace(start, stop, values): put the values in the place of the items between two indices."},
    {"_begin", (PyCFunction)native_begin, METH_O, "Give a list without a type its layout."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef list_getset[] = {
    {"_type", (getter)native_get_type, NULL, "The type in compiled code, or None.", NULL},
    {"_owner", (getter)native_get_owner, NULL, "The address of the container itself.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PySequenceMethods list_as_sequence = {
    .sq_length = (lenfunc)list_length,
    .sq_item = (ssizeargfunc)list_item,
    .sq_contains = (objobjproc)list_contains,
};

static PyMappingMethods list_as_mapping = {
    .mp_length = (lenfunc)list_length,
    .mp_subscript = (binaryfunc)list_subscript,
    .mp_ass_subscript = (objobjargproc)list_ass_subscript,
};

static PyBufferProcs list_as_buffer = {
    .bf_getbuffer = (getbufferproc)list_get_buffer,
    .bf_releasebuffer = (releasebufferproc)list_release_buffer,
};

PyTypeObject NativeListType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.dispatch_c._dispatch.NativeList",
    .tp_doc = "The base of `cutaway.typed.List`.",
    .tp_basicsize = sizeof(native),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_SEQUENCE,
    .tp_new = native_new,
    .tp_dealloc = (destructor)native_dealloc,
    .tp_as_sequence = &list_as_sequence,
    .tp_as_mapping = &list_as_mapping,
    .tp_as_buffer = &list_as_buffer,
    .tp_iter = (getiterfunc)list_iter,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_methods = list_methods,
    .tp_getset = list_getset,
};
