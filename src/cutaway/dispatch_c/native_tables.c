/* Native dicts and sets for Python: entries, look-ups, loops. */

#include "native.h"

static cutaway_table *table_of(native *self)
{
    return cutaway_table_of(self->owner);
}

static Py_ssize_t table_length(native *self)
{
    return self->owner ? (Py_ssize_t)table_of(self)->size : 0;
}

static void missing(PyObject *key)
{
    PyObject *args = PyTuple_Pack(1, key);

    if (args)
        PyErr_SetObject(PyExc_KeyError, args);
    Py_XDECREF(args);
}

/* --- keys ---------------------------------------------------------------------------------------- */

/* A key in slots; `held` is an object that has to live as long. */
typedef struct {
    int64_t slots[CUTAWAY_ITEM_SLOTS];
    PyObject *held;
} looked_up;

/* Fill the slots of a key that fits as it is; 0 for any other. */
static int fill_slots(const native_layout *layout, PyObject *key, int64_t *slots)
{
    const node *next = layout->first;
    int fits = unbox_item(layout->spec, &next, key, &slots, KNOWN);

    if (fits < 0)
        PyErr_Clear();
    return fits > 0;
}

/* Fill the slots of a key that is looked up: 1, or 0 for one that cannot be in the table, or -1 with
   an exception set; 2 if it was converted, and an entry that is found may be another one. */
static int read_key(native *self, PyObject *key, looked_up *own)
{
    const node *next = self->layout->first;
    int64_t *slots = own->slots;
    int fits;

    own->held = NULL;
    if (fill_slots(self->layout, key, slots))
        return 1;
    if (PyObject_Hash(key) == -1)
        return -1; /* Python's words for a key that has no hash */
    own->held = PyUnicode_Check(key) ? PyUnicode_FromObject(key) : Py_NewRef(key);
    if (!own->held)
        return -1;
    next = self->layout->first;
    slots = own->slots;
    fits = unbox_item(self->layout->spec, &next, own->held, &slots, LENIENT | KNOWN);
    PyErr_Clear();
    return fits > 0 ? 2 : 0;
}

/* Whether an entry that was found by a converted key has an equal one. */
static int is_same_key(native *self, int64_t number, PyObject *key)
{
    PyObject *own = key_object(self->layout, cutaway_entry_at(table_of(self), number));
    int same = own ? PyObject_RichCompareBool(own, key, Py_EQ) : -1;

    Py_XDECREF(own);
    return same;
}

enum { HAS, READ, REMOVE };

/* Look a key up: 1, 0 where it is not there, -1 with an exception set.  *value becomes its value. */
static int look_up(native *self, PyObject *key, int what, PyObject **value)
{
    looked_up own;
    int how = self->layout ? read_key(self, key, &own) : PyObject_Hash(key) == -1 ? -1 : 0;
    int there = how;

    if (how > 0) {
        BEGIN_CRITICAL_SECTION(self);
        int64_t number = runtime->table_find(self->owner, own.slots);
        there = number < 0 ? 0 : how == 2 ? is_same_key(self, number, key) : 1;
        if (there > 0 && how == 2) { /* the comparison may have run anything */
            number = runtime->table_find(self->owner, own.slots);
            there = number >= 0;
        }
        if (there > 0 && what == READ) {
            const cutaway_table *table = table_of(self);
            *value = item_object(self->layout, self->layout->second,
                                 cutaway_entry_at(table, number) + table->key_bytes);
            there = *value ? 1 : -1;
        }
        if (there > 0 && what == REMOVE)
            runtime->table_remove(self->owner, number);
        END_CRITICAL_SECTION();
    }
    if (self->layout)
        Py_XDECREF(own.held);
    return there;
}

static int table_contains(native *self, PyObject *key)
{
    return look_up(self, key, HAS, NULL);
}

static PyObject *dict_subscript(native *self, PyObject *key)
{
    PyObject *value = NULL;

    if (look_up(self, key, READ, &value) == 0)
        missing(key);
    return value;
}

static PyObject *dict_get(native *self, PyObject *const *args, Py_ssize_t count)
{
    PyObject *value = NULL;

    if (count < 1 || count > 2)
        return PyErr_Format(PyExc_TypeError, "get expected at %s, got %zd",
                            count ? "most 2 arguments" : "least 1 argument", count);
    if (look_up(self, args[0], READ, &value) == 0)
        value = Py_NewRef(count == 2 ? args[1] : Py_None);
    return value;
}

/* --- changes ------------------------------------------------------------------------------------- */

/* Put a key in slots, and in a dict its value, into the table; -1 without memory.  The value becomes
   the one that was there before, or zeros. */
static int put_pair(native *self, const int64_t *slots, void *value, size_t bytes)
{
    char before[8 * CUTAWAY_ITEM_SLOTS];
    int64_t number;

    BEGIN_CRITICAL_SECTION(self);
    number = runtime->table_put(self->owner, slots);
    if (number != -1 && bytes) {
        cutaway_table *table = table_of(self);
        char *place = cutaway_entry_at(table, number < 0 ? -2 - number : number) + table->key_bytes;
        memcpy(before, place, bytes);
        memcpy(place, value, bytes);
        memcpy(value, before, bytes);
    }
    END_CRITICAL_SECTION();
    if (number != -1)
        return 0;
    PyErr_NoMemory();
    return -1;
}

/* Put a key, and in a dict its value, into the table; -1 with an exception set. */
static int put_entry(native *self, PyObject *key, PyObject *value)
{
    char own[8 * CUTAWAY_ITEM_SLOTS], keys[8 * CUTAWAY_ITEM_SLOTS];
    int64_t slots[CUTAWAY_ITEM_SLOTS], number;
    native_layout *layout = self->layout;
    const node *first, *second;
    int failed;

    if (!layout) {
        PyObject *both = value ? PyTuple_Pack(2, key, value) : Py_NewRef(key);
        failed = !both || settle(self, both) < 0;
        Py_XDECREF(both);
        if (failed)
            return -1;
        layout = self->layout;
    }
    first = layout->first;
    second = layout->second;
    if (fill_slots(layout, key, slots)) {
        first = NULL; /* the table takes references of its own, and the caller has the key */
        if (value && unbox_quickly(second, value, &number))
            return put_pair(self, slots, &number, sizeof(number));
    }
    else if (take_value(layout, FIRST, key, keys) < 0)
        return -1;
    else if (is_number(first))
        widen(first, keys, slots);
    else
        memcpy(slots, keys, (size_t)bytes_of(first));
    failed = value && take_value(layout, SECOND, value, own) < 0;
    if (!failed) {
        failed = put_pair(self, slots, own, value ? (size_t)bytes_of(second) : 0) < 0;
        if (value)
            release_value(second, own);
    }
    if (first)
        release_value(first, keys);
    return failed ? -1 : 0;
}

static int dict_ass_subscript(native *self, PyObject *key, PyObject *value)
{
    int there;

    if (value)
        return put_entry(self, key, value);
    there = look_up(self, key, REMOVE, NULL);
    if (there == 0)
        missing(key);
    return there > 0 ? 0 : -1;
}

static PyObject *set_add(native *self, PyObject *key)
{
    if (put_entry(self, key, NULL) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *set_discard(native *self, PyObject *key)
{
    if (look_up(self, key, REMOVE, NULL) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *table_clear(native *self, PyObject *unused)
{
    BEGIN_CRITICAL_SECTION(self);
    if (self->owner)
        runtime->table_clear(self->owner);
    END_CRITICAL_SECTION();
    Py_RETURN_NONE;
}

static PyObject *table_copy(native *self, PyObject *unused)
{
    void *owner = NULL;

    if (!self->layout)
        return PyObject_CallNoArgs((PyObject *)Py_TYPE(self));
    BEGIN_CRITICAL_SECTION(self);
    owner = runtime->table_copy(self->owner);
    END_CRITICAL_SECTION();
    return owner ? wrapped(self->layout, owner) : PyErr_NoMemory();
}

/* --- loops --------------------------------------------------------------------------------------- */

static PyObject *table_iter(native *self)
{
    return new_iterator(self, 'k');
}

static PyObject *table_reversed(native *self, PyObject *unused)
{
    return new_iterator(self, 'K');
}

static PyObject *table_each(native *self, PyObject *what)
{
    const char *letter = PyUnicode_AsUTF8(what);

    if (!letter)
        return NULL;
    if (!*letter || letter[1] || !strchr("kviKVI", *letter)) {
        PyErr_SetString(PyExc_ValueError, "one of k, v, i, or these in upper case");
        return NULL;
    }
    return new_iterator(self, *letter);
}

/* --- the classes --------------------------------------------------------------------------------- */

#define OF_BOTH                                                                                    \
    {"clear", (PyCFunction)table_clear, METH_NOARGS, "Remove all entries."},                      \
    {"copy", (PyCFunction)table_copy, METH_NOARGS, "Return another one with the same entries."},  \
    {"__reversed__", (PyCFunction)table_reversed, METH_NOARGS, "Return an iterator from the end."}, \
    {"_begin", (PyCFunction)native_begin, METH_O, "Give one without a type its layout."}

static PyMethodDef dict_methods[] = {
    OF_BOTH,
    {"get", (PyCFunction)(void (*)(void))dict_get, METH_FASTCALL,
     "Return the value of a key, or the default."},
    {"_each", (PyCFunction)table_each, METH_O, "Iterate over keys, values or items."},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef set_methods[] = {
    OF_BOTH,
    {"add", (PyCFunction)set_add, METH_O, "Put an item into the set."},
    {"discard", (PyCFunction)set_discard, METH_O, "Remove an item if it is there."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef table_getset[] = {
    {"_type", (getter)native_get_type, NULL, "The type in compiled code, or None.", NULL},
    {"_owner", (getter)native_get_owner, NULL, "The address of the container itself.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PySequenceMethods table_as_sequence = {
    .sq_length = (lenfunc)table_length,
    .sq_contains = (objobjproc)table_contains,
};

static PyMappingMethods dict_as_mapping = {
    .mp_length = (lenfunc)table_length,
    .mp_subscript = (binaryfunc)dict_subscript,
    .mp_ass_subscript = (objobjargproc)dict_ass_subscript,
};

#define COMMON                                                \
    .tp_basicsize = sizeof(native),                           \
    .tp_new = native_new,                                     \
    .tp_dealloc = (destructor)native_dealloc,                 \
    .tp_as_sequence = &table_as_sequence,                     \
    .tp_iter = (getiterfunc)table_iter,                       \
    .tp_hash = PyObject_HashNotImplemented,                   \
    .tp_getset = table_getset

PyTypeObject NativeDictType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.dispatch_c._dispatch.NativeDict",
    .tp_doc = "The base of `cutaway.typed.Dict`.",
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_MAPPING,
    .tp_as_mapping = &dict_as_mapping,
    .tp_methods = dict_methods,
    COMMON,
};

PyTypeObject NativeSetType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.dispatch_c._dispatch.NativeSet",
    .tp_doc = "The base of `cutaway.typed.Set`.",
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_methods = set_methods,
    COMMON,
};
