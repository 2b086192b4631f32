/* Native containers: their layouts, how they cross, and what lists and tables share. */

#include "native.h"

/* --- the Python half ----------------------------------------------------------------------------- */

/* Call a function of `cutaway.typed`. */
static PyObject *ask(const char *function, PyObject *one, PyObject *other)
{
    PyObject *module = PyImport_ImportModule("cutaway.typed");
    PyObject *asked = module ? PyObject_GetAttrString(module, function) : NULL;
    PyObject *answer = asked ? PyObject_CallFunctionObjArgs(asked, one, other, NULL) : NULL;

    Py_XDECREF(asked);
    Py_XDECREF(module);
    return answer;
}

int settle(native *self, PyObject *value)
{
    PyObject *done = PyObject_CallMethod((PyObject *)self, "_settle", "(O)", value);

    Py_XDECREF(done);
    if (done && !self->layout)
        PyErr_SetString(PyExc_TypeError, "a container without a type");
    return done && self->layout ? 0 : -1;
}

/* --- layouts ------------------------------------------------------------------------------------- */

/* The format of numbers that lie side by side, as in the `struct` module; empty for other items. */
static void find_format(native_layout *self)
{
    static const char *const formats[] = {"?1?", "i1b", "i2h", "i4i", "i8l", "u1B", "u2H", "u4I",
                                          "u8L", "f2e", "f4f", "f8d"};
    const node *n = self->first;
    int bytes = n && is_number(n) ? bytes_of(n) : 0;

    if (self->kind != 'H' || !bytes)
        return;
    if (n->kind == 'c') {
        strcpy(self->format, bytes == 8 ? "Zf" : "Zd");
        return;
    }
    for (size_t k = 0; k < Py_ARRAY_LENGTH(formats); k++)
        if (formats[k][0] == n->kind && formats[k][1] == '0' + bytes)
            self->format[0] = formats[k][2];
}

static PyObject *layout_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *of, *contents, *cls, *text, *constants;
    native_layout *self;
    unsigned int code;
    int kind, is_empty;
    const node *next;

    if (!PyArg_ParseTuple(args, "OIO!O!CpSO!", &of, &code, &PyTuple_Type, &contents, &PyType_Type,
                          &cls, &kind, &is_empty, &text, &PyTuple_Type, &constants))
        return NULL;
    self = (native_layout *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->type = Py_NewRef(of);
    self->contents = Py_NewRef(contents);
    self->cls = (PyTypeObject *)Py_NewRef(cls);
    self->code = code;
    self->kind = (char)kind;
    self->spec = (Specialization *)PyObject_CallFunction((PyObject *)&SpecializationType, "i()OO", 0,
                                                         text, constants);
    if (!self->spec) {
        Py_DECREF(self);
        return NULL;
    }
    if (!is_empty) {
        next = self->first = self->spec->result + 1;
        count_slots(&next);
        self->second = kind == 'I' ? next : NULL;
    }
    find_format(self);
    return (PyObject *)self;
}

static void layout_dealloc(native_layout *self)
{
    Py_XDECREF(self->type);
    Py_XDECREF(self->contents);
    Py_XDECREF(self->spec);
    Py_XDECREF(self->cls);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* There is one for each type, for good: types refer to no other objects of users. */
PyTypeObject LayoutType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.dispatch_c._dispatch.Layout",
    .tp_doc = "Layout(type, code, contents, cls, kind, is_empty, descriptor, constants)\n\n"
              "How the contents of a native container become Python's and back.",
    .tp_basicsize = sizeof(native_layout),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = layout_new,
    .tp_dealloc = (destructor)layout_dealloc,
};

int find_layouts(Specialization *self, const node *end)
{
    PyObject *own = NULL;

    for (const node *n = self->arguments; n < end; n++) {
        PyObject *constant, *layout;
        if (!is_native_node(n) || n->type >= PyTuple_GET_SIZE(self->constants))
            continue; /* the check of constants reports it */
        constant = PyTuple_GET_ITEM(self->constants, n->type);
        if (Py_IS_TYPE(constant, &LayoutType))
            continue;
        if (!own) {
            own = PyTuple_New(PyTuple_GET_SIZE(self->constants));
            if (!own)
                return -1;
            for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(own); k++)
                PyTuple_SET_ITEM(own, k, Py_NewRef(PyTuple_GET_ITEM(self->constants, k)));
            Py_SETREF(self->constants, own);
        }
        layout = ask("layout_of", constant, NULL);
        if (!layout)
            return -1;
        PyTuple_SET_ITEM(own, n->type, layout);
        Py_DECREF(constant);
    }
    return 0;
}

/* --- owners -------------------------------------------------------------------------------------- */

void *new_owner(const native_layout *layout, int64_t capacity)
{
    const node *behind = layout->first;

    if (layout->kind != 'H')
        return layout->first ? new_table(layout->kind, layout->first)
                             : runtime->table_new("", 0, 0, 0, 0);
    return layout->first ? runtime->list_new(bytes_of(layout->first), (int64_t)owners_of(&behind, 0),
                                             capacity)
                         : runtime->list_new(0, 0, 0);
}

static PyObject **object_of(char kind, void *owner)
{
    return kind == 'H' ? &cutaway_list_of(owner)->origin : &cutaway_table_of(owner)->origin;
}

static thread_lock wrapping; /* of the fields that refer to the objects of containers */

/* The object of a container that has one, as a new reference; else NULL, or `made` if it becomes that
   now. */
static PyObject *taken_object(char kind, void *owner, PyObject *made)
{
    PyObject **place = object_of(kind, owner), *object;

    LOCK(wrapping);
    object = *place;
    if (object && (!is_native(object) || !take_if_alive(object)))
        object = NULL; /* the argument that it stands for, or one that is about to be freed */
    if (!object && made)
        *place = object = made;
    UNLOCK(wrapping);
    return object;
}

static native *new_native(PyTypeObject *cls)
{
    native *self = (native *)cls->tp_alloc(cls, 0);

    if (self)
        may_be_taken((PyObject *)self);
    return self;
}

PyObject *wrapped(native_layout *layout, void *owner)
{
    PyObject *object = taken_object(layout->kind, owner, NULL);
    native *self = object ? NULL : new_native(layout->cls);

    if (self) {
        object = taken_object(layout->kind, owner, (PyObject *)self);
        if (object == (PyObject *)self) {
            self->owner = owner;
            if (layout->first)
                self->layout = (native_layout *)Py_NewRef((PyObject *)layout);
            return object;
        }
        Py_DECREF(self); /* another thread was faster */
    }
    runtime->decref(owner);
    return object;
}

PyObject *native_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    return (PyObject *)new_native(type);
}

void native_dealloc(native *self)
{
    if (self->owner) {
        PyObject **place = object_of(kind_of_native((PyObject *)self), self->owner);
        LOCK(wrapping);
        if (*place == (PyObject *)self)
            *place = NULL;
        UNLOCK(wrapping);
        runtime->decref(self->owner);
    }
    Py_XDECREF(self->layout);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* Give a container that is empty a layout, unless it has one; -1 with an exception set. */
static int begin(native *self, native_layout *layout)
{
    void *owner = new_owner(layout, 0), *before = owner;

    if (!owner) {
        PyErr_NoMemory();
        return -1;
    }
    BEGIN_CRITICAL_SECTION(self);
    if (!self->layout) {
        before = self->owner;
        self->owner = owner;
        if (before)
            *object_of(layout->kind, before) = NULL;
        *object_of(layout->kind, owner) = (PyObject *)self;
        if (layout->first)
            SHARE(self->layout, (native_layout *)Py_NewRef((PyObject *)layout));
    }
    END_CRITICAL_SECTION();
    if (before)
        runtime->decref(before);
    return 0;
}

PyObject *native_begin(native *self, PyObject *layout)
{
    if (!Py_IS_TYPE(layout, &LayoutType) ||
        ((native_layout *)layout)->kind != kind_of_native((PyObject *)self)) {
        PyErr_SetString(PyExc_TypeError, "a layout of another container");
        return NULL;
    }
    if (begin(self, (native_layout *)layout) < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyObject *native_get_type(native *self, void *unused)
{
    return Py_NewRef(self->layout ? self->layout->type : Py_None);
}

PyObject *native_get_owner(native *self, void *unused)
{
    return PyLong_FromVoidPtr(self->owner);
}

/* --- guards -------------------------------------------------------------------------------------- */

/* Whether the values that two nodes describe are the same in compiled code: there native containers
   are like any others. */
static int same_values(const node *one, const node *other)
{
    const node *end = one;

    for (count_slots(&end); one < end; one++, other++)
        if (one->kind != other->kind || one->bytes != other->bytes || one->count != other->count ||
            one->layout != other->layout || !strchr("?iufcUNAM(HQI", one->kind) ||
            (strchr("HQI", one->kind) ? (one->flags ^ other->flags) & ~NATIVE
                                      : one->type != other->type || one->flags != other->flags))
            return 0;
    return 1;
}

int unbox_native(const Specialization *spec, const node *n, PyObject *value, int64_t *slot, int how)
{
    native *self = (native *)value;
    native_layout *wanted = NULL;

    if (!is_native(value) || kind_of_native(value) != n->kind)
        return 0;
    if (n->flags & NATIVE)
        wanted = (native_layout *)PyTuple_GET_ITEM(spec->constants, n->type);
    if (!self->layout) {
        if (!wanted || (wanted->first && !how))
            return 0;
        if ((wanted->first || !self->owner) && begin(self, wanted) < 0)
            return -1;
    }
    else if (self->layout != wanted) {
        if (wanted || !how || n->flags & ONLY_EMPTY || !same_values(n + 1, self->layout->first))
            return 0;
        if (n->kind == 'I') {
            const node *second = n + 1;
            count_slots(&second);
            if (!same_values(second, self->layout->second))
                return 0;
        }
    }
    *slot = (int64_t)(uintptr_t)self->owner;
    return 1;
}

/* --- values -------------------------------------------------------------------------------------- */

static const node *node_of(const native_layout *layout, int which)
{
    return which == FIRST ? layout->first : layout->second;
}

int fits_as_it_is(const native_layout *layout, int which, PyObject *value)
{
    int64_t scratch[CUTAWAY_ITEM_SLOTS], *slots = scratch;
    const node *next = node_of(layout, which);
    int fits = unbox_item(layout->spec, &next, value, &slots, KNOWN);

    if (fits < 0)
        PyErr_Clear();
    return fits > 0;
}

void release_value(const node *item, const char *place)
{
    const node *behind = item;

    if (is_number(item))
        return;
    for (uint64_t bits = owners_of(&behind, 0); bits; bits &= bits - 1)
        runtime->decref(((void *const *)place)[__builtin_ctzll(bits)]);
}

int take_value(native_layout *layout, int which, PyObject *value, char *target)
{
    const node *item = node_of(layout, which);
    list_copies copies;
    PyObject *fitting;
    int done;

    if (take_number(item, value, target))
        return 0;
    fitting = fits_as_it_is(layout, which, value)
                  ? Py_NewRef(value)
                  : ask("fitting", PyTuple_GET_ITEM(layout->contents, which), value);
    if (!fitting)
        return -1;
    memset(target, 0, (size_t)bytes_of(item));
    begin_copies(&copies);
    done = put_at(layout->spec, item, fitting, target, &copies);
    if (copies.failed)
        PyErr_NoMemory();
    end_copies(layout->spec, &copies, 0);
    Py_DECREF(fitting);
    if (done)
        return 0;
    release_value(item, target);
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "a value that changed while it was put into a container");
    return -1;
}

/* --- iterators ----------------------------------------------------------------------------------- */

/* What a step reads: l an item of a list, k a key, v a value, i both; in upper case from the end. */
typedef struct {
    PyObject_HEAD
    native *of;
    int64_t next, size;
    char what;
} native_iterator;

PyObject *new_iterator(native *of, char what)
{
    native_iterator *self = PyObject_New(native_iterator, &NativeIteratorType);
    int is_list = what == 'l' || what == 'L', backward = what < 'a';

    if (!self)
        return NULL;
    self->of = (native *)Py_NewRef((PyObject *)of);
    self->what = what;
    self->next = self->size = 0;
    if (of->owner) {
        self->size = is_list ? cutaway_list_of(of->owner)->size : cutaway_table_of(of->owner)->size;
        if (backward)
            self->next = is_list ? self->size - 1 : cutaway_table_of(of->owner)->used - 1;
    }
    return (PyObject *)self;
}

static PyObject *next_of_list(native_iterator *self)
{
    const cutaway_list *list = cutaway_list_of(self->of->owner);
    int64_t k = self->next;

    if (k < 0 || k >= list->size)
        return NULL;
    self->next += self->what == 'l' ? 1 : -1;
    return item_object(self->of->layout, self->of->layout->first, list->items + k * list->item_bytes);
}

static PyObject *next_of_table(native_iterator *self)
{
    const native_layout *layout = self->of->layout;
    const cutaway_table *table = cutaway_table_of(self->of->owner);
    int step = self->what < 'a' ? -1 : 1;
    const char *entry;
    PyObject *key, *value, *pair;

    if (table->size != self->size) {
        self->size = -1; /* it stays so */
        PyErr_Format(PyExc_RuntimeError, "%s changed size during iteration",
                     layout->kind == 'I' ? "dictionary" : "Set");
        return NULL;
    }
    while (self->next >= 0 && self->next < table->used && !table->hashes[self->next])
        self->next += step;
    if (self->next < 0 || self->next >= table->used)
        return NULL;
    entry = cutaway_entry_at(table, self->next);
    self->next += step;
    if ((self->what | 32) == 'k')
        return key_object(layout, entry);
    value = item_object(layout, layout->second, entry + table->key_bytes);
    if ((self->what | 32) == 'v' || !value)
        return value;
    key = key_object(layout, entry);
    pair = key ? PyTuple_Pack(2, key, value) : NULL;
    Py_XDECREF(key);
    Py_DECREF(value);
    return pair;
}

static PyObject *iterator_next(native_iterator *self)
{
    PyObject *value;

    if (!self->of->layout)
        return NULL;
    BEGIN_CRITICAL_SECTION(self->of);
    value = (self->what | 32) == 'l' ? next_of_list(self) : next_of_table(self);
    END_CRITICAL_SECTION();
    return value;
}

static PyObject *iterator_hint(native_iterator *self, PyObject *unused)
{
    int64_t left = self->of->owner && (self->what | 32) == 'l'
                       ? cutaway_list_of(self->of->owner)->size - self->next
                       : self->size;

    return PyLong_FromLongLong(self->what == 'L' ? self->next + 1 : left < 0 ? 0 : left);
}

static void iterator_dealloc(native_iterator *self)
{
    Py_DECREF(self->of);
    PyObject_Free(self);
}

static PyMethodDef iterator_methods[] = {
    {"__length_hint__", (PyCFunction)iterator_hint, METH_NOARGS, "How many items are left."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject NativeIteratorType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.typed.iterator",
    .tp_basicsize = sizeof(native_iterator),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = (destructor)iterator_dealloc,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = (iternextfunc)iterator_next,
    .tp_methods = iterator_methods,
};

/* --- for Python ---------------------------------------------------------------------------------- */

/* CPython calls a method quickly where it is one of the object's own class. */
static PyObject *py_adopt(PyObject *module, PyObject *cls)
{
    const PyTypeObject *base = PyType_Check(cls) ? ((PyTypeObject *)cls)->tp_base : NULL;

    if (base != &NativeListType && base != &NativeDictType && base != &NativeSetType) {
        PyErr_SetString(PyExc_TypeError, "a class of native containers");
        return NULL;
    }
    for (PyMethodDef *method = base->tp_methods; method->ml_name; method++) {
        PyObject *own = PyDescr_NewMethod((PyTypeObject *)cls, method);
        int failed = !own || PyObject_SetAttrString(cls, method->ml_name, own) < 0;
        Py_XDECREF(own);
        if (failed)
            return NULL;
    }
    return Py_NewRef(cls);
}

PyMethodDef native_functions[] = {
    {"adopt", py_adopt, METH_O,
     "adopt(cls) -> cls: give a subclass of a native container its own methods, which are faster."},
    {NULL, NULL, 0, NULL},
};
