/* Containers after a call: what it has changed is written back into Python's own, and results are made
   objects. */

#include "native.h"

/* --- writing back ------------------------------------------------------------------------------ */

_Thread_local list_copies *holding_copies, *boxing_copies;
static _Thread_local int within; /* values that are made objects of what they are in */

/* An object of slots, of which `owners` own memory: boxing takes over references of its own. */
PyObject *boxed_slots(Specialization *spec, const node *item, const int64_t *slots,
                             uint64_t owners)
{
    const node *next = item;
    PyObject *value;

    for (uint64_t bits = owners; bits; bits &= bits - 1)
        runtime->incref((void *)(uintptr_t)slots[__builtin_ctzll(bits)]);
    within++;
    value = box_item(spec, &next, &slots);
    within--;
    return value;
}

/* Note the object that a container has become, if others refer to it: they get the same one. */
static void note_boxed(const node *n, void *owner, PyObject *made)
{
    int64_t own = within ? 2 : 1; /* what it is in has one, and the value that is made an object */

    if (!made || !boxing_copies || ((cutaway_meminfo *)owner)->references <= own)
        return;
    if (note_copy(boxing_copies, made, owner, n) < 0)
        return; /* without memory each becomes an object of its own */
    runtime->incref(owner);
    *origin_of(n, owner) = made;
}

PyObject *box_with_copies(Specialization *spec, const int64_t *result)
{
    list_copies own, *outer = boxing_copies;
    int is_held = holding_copies && holding_copies->result == result, depth = within;
    const node *n = spec->result;
    PyObject *value;

    if (!is_held)
        begin_copies(&own);
    boxing_copies = is_held ? holding_copies : &own;
    within = 0;
    value = box(spec, &n, &result);
    within = depth;
    boxing_copies = outer;
    if (!is_held)
        end_copies(spec, &own, 0);
    return value;
}

PyObject *boxed_item(Specialization *spec, const node *item, const char *place,
                                   uint64_t owners)
{
    int64_t scratch[CUTAWAY_ITEM_SLOTS];
    const node *next = item;
    const int64_t *slots = scratch;

    if (item->bytes == 8 && (item->kind == 'i' || item->kind == 'f'))
        memcpy(scratch, place, 8);
    else if (is_number(item))
        widen(item, place, scratch);
    else
        return boxed_slots(spec, item, (const int64_t *)place, owners);
    return box_item(spec, &next, &slots);
}

static PyObject *boxed_at(Specialization *spec, const node *item, const cutaway_list *list,
                          int64_t k)
{
    return boxed_item(spec, item, list->items + k * list->item_bytes, list->owners);
}

static int has_same_slots(const Specialization *spec, const node *item, const char *place,
                          PyObject *before)
{
    int64_t scratch[CUTAWAY_ITEM_SLOTS], *slots = scratch;
    const node *next = item;
    size_t bytes = (size_t)bytes_of(item);
    char number[16];

    memset(scratch, 0, is_number(item) ? sizeof(number) : bytes);
    if (unbox_item(spec, &next, before, &slots, LENIENT | KNOWN) <= 0) {
        PyErr_Clear();
        return 0;
    }
    if (!is_number(item))
        return memcmp(place, scratch, bytes) == 0;
    narrow(item, scratch, number);
    return memcmp(place, number, bytes) == 0;
}

/* Whether an item of a list is that of Python's list still. */
static inline int is_unchanged(const Specialization *spec, const node *item, const char *place,
                               PyObject *before)
{
    int64_t number;

    if (take_number(item, before, &number))
        return memcmp(place, &number, sizeof(number)) == 0;
    if (strchr("HQI", item->kind))
        return *origin_of(item, *(void **)place) == before;
    return has_same_slots(spec, item, place, before);
}

/* Make Python's deque have the items of the one that stood for it; -1 with an exception set. */
static int write_deque(Specialization *spec, const node *n, const cutaway_list *list, PyObject *origin)
{
    PyObject *before = PySequence_List(origin), *after = PyList_New(0), *done = NULL;
    int changed = before && PyList_GET_SIZE(before) != list->size, failed = !before || !after;

    for (int64_t k = 0; !failed && k < list->size; k++) {
        PyObject *one = k < PyList_GET_SIZE(before) ? PyList_GET_ITEM(before, k) : NULL;
        if (one && is_unchanged(spec, n + 1, list->items + k * list->item_bytes, one))
            Py_INCREF(one);
        else {
            changed = 1;
            one = boxed_at(spec, n + 1, list, k);
        }
        failed = !one || PyList_Append(after, one) < 0;
        Py_XDECREF(one);
    }
    if (!failed && changed) {
        done = PyObject_CallMethod(origin, "clear", NULL);
        if (done)
            Py_SETREF(done, PyObject_CallMethod(origin, "extend", "(O)", after));
        failed = !done;
    }
    Py_XDECREF(done);
    Py_XDECREF(before);
    Py_XDECREF(after);
    return failed ? -1 : 0;
}

/* Make Python's list have the items of the one that stood for it; -1 with an exception set. */
static int write_back(Specialization *spec, const node *n, const cutaway_list *list, PyObject *origin)
{
    Py_ssize_t before = PyList_GET_SIZE(origin);
    const node *item = n + 1;

    for (Py_ssize_t k = 0; k < before && k < list->size && k < PyList_GET_SIZE(origin); k++) {
        PyObject *one;
        if (is_unchanged(spec, item, list->items + k * list->item_bytes, PyList_GET_ITEM(origin, k)))
            continue;
        one = boxed_at(spec, item, list, k);
        if (!one || PyList_SetItem(origin, k, one) < 0)
            return -1;
    }
    if (list->size < PyList_GET_SIZE(origin))
        return PyList_SetSlice(origin, list->size, PyList_GET_SIZE(origin), NULL);
    for (Py_ssize_t k = PyList_GET_SIZE(origin); k < list->size; k++) {
        PyObject *one = boxed_at(spec, item, list, k);
        if (!one || PyList_Append(origin, one) < 0) {
            Py_XDECREF(one);
            return -1;
        }
        Py_DECREF(one);
    }
    return 0;
}

/* Put the entries of a table into Python's dict or set, with the values that `before`, a dict, has
   already where they are the same; -1 with an exception set. */
static int put_entries(Specialization *spec, const node *n, const cutaway_table *table,
                       PyObject *target, PyObject *before)
{
    const node *value_node = n + 1;
    int failed = 0;

    count_slots(&value_node);
    for (int64_t k = 0; !failed && k < table->used; k++) {
        const char *entry = cutaway_entry_at(table, k), *place = entry + table->key_bytes;
        PyObject *key, *held;
        if (!table->hashes[k])
            continue;
        key = boxed_slots(spec, n + 1, (const int64_t *)entry, table->key_owners);
        if (n->kind == 'Q') {
            failed = !key || PySet_Add(target, key) < 0;
            Py_XDECREF(key);
            continue;
        }
        held = key && before ? PyDict_GetItemWithError(before, key) : NULL;
        if (held && is_unchanged(spec, value_node, place, held))
            Py_INCREF(held);
        else
            held = key && !PyErr_Occurred() ? boxed_item(spec, value_node, place, table->value_owners)
                                            : NULL;
        failed = !held || PyDict_SetItem(target, key, held) < 0;
        Py_XDECREF(held);
        Py_XDECREF(key);
    }
    return failed ? -1 : 0;
}

/* The same for a dict: where entries were added or removed it is filled anew, in their order. */
static int write_dict(Specialization *spec, const node *n, const cutaway_table *table,
                      PyObject *origin)
{
    PyObject *before;
    int failed;

    if (!table->changes)
        return 0;
    before = PyDict_Copy(origin);
    if (!before)
        return -1;
    if (table->changes & 2)
        PyDict_Clear(origin);
    failed = put_entries(spec, n, table, origin, before);
    Py_DECREF(before);
    return failed;
}

static int write_set(Specialization *spec, const node *n, const cutaway_table *table,
                     PyObject *origin)
{
    if (!table->changes)
        return 0;
    return PySet_Clear(origin) < 0 ? -1 : put_entries(spec, n, table, origin, NULL);
}

static int write_any(Specialization *spec, const node *n, void *owner, PyObject *origin)
{
    if (n->flags & FROZEN)
        return 0;
    switch (n->kind) {
    case 'I':
        return write_dict(spec, n, cutaway_table_of(owner), origin);
    case 'Q':
        return write_set(spec, n, cutaway_table_of(owner), origin);
    }
    return (n->flags & DEQUE ? write_deque : write_back)(spec, n, cutaway_list_of(owner), origin);
}

void begin_copies(list_copies *copies)
{
    copies->rows = copies->few;
    copies->count = copies->places = 0;
    copies->room = sizeof(copies->few) / sizeof(*copies->few);
    copies->index = NULL;
    copies->failed = 0;
    copies->result = NULL;
}

void end_copies(Specialization *spec, list_copies *copies, int entered)
{
    PyObject *type, *value, *traceback;
    list_copies *outer = boxing_copies;

    PyErr_Fetch(&type, &value, &traceback);
    boxing_copies = copies;
    for (size_t k = 0; entered && k < copies->count; k++) {
        list_copy row_now = copies->rows[k], *row = &row_now; /* more may come */
        int failed;
        if (row->node->flags & UNCHANGED)
            continue;
        BEGIN_CRITICAL_SECTION(row->value);
        failed = write_any(spec, row->node, row->owner, row->value);
        END_CRITICAL_SECTION();
        if (failed < 0 && !type)
            PyErr_Fetch(&type, &value, &traceback);
        PyErr_Clear();
    }
    boxing_copies = outer;
    for (size_t k = 0; k < copies->count; k++) {
        PyObject **origin = origin_of(copies->rows[k].node, copies->rows[k].owner);
        if (*origin == copies->rows[k].value) /* a native object may have taken its place */
            *origin = NULL;
    }
    for (size_t k = 0; k < copies->count; k++) {
        runtime->decref(copies->rows[k].owner);
        Py_DECREF(copies->rows[k].value);
    }
    if (copies->rows != copies->few)
        PyMem_Free(copies->rows);
    PyMem_Free(copies->index);
    PyErr_Restore(type, value, traceback);
}

/* --- results ----------------------------------------------------------------------------------- */

/* The object that a container of a built-in type has already, as a new reference, or NULL: one that
   was an argument and has become native as well is Python's own. */
static PyObject *object_of(const void *owner, PyObject *origin)
{
    if (origin && is_native(origin) && boxing_copies)
        for (size_t k = 0; k < boxing_copies->count; k++)
            if (boxing_copies->rows[k].owner == owner)
                origin = boxing_copies->rows[k].value;
    return Py_XNewRef(origin);
}

static PyObject *box_deque(Specialization *spec, const node *n, void *owner)
{
    cutaway_list *list = cutaway_list_of(owner);
    PyObject *made = list->most < 0
                         ? PyObject_CallNoArgs((PyObject *)deque_class)
                         : PyObject_CallFunction((PyObject *)deque_class, "()L", list->most);

    note_boxed(n, owner, made);
    for (int64_t k = 0; made && k < list->size; k++) {
        PyObject *one = boxed_at(spec, n + 1, list, k);
        PyObject *done = one ? PyObject_CallMethod(made, "append", "(O)", one) : NULL;
        Py_XDECREF(one);
        if (!done)
            Py_CLEAR(made);
        Py_XDECREF(done);
    }
    runtime->decref(owner);
    return made;
}

PyObject *box_list(Specialization *spec, const node **next, const int64_t *here,
                   const int64_t **slots)
{
    const node *item = *next, *n = item - 1;
    void *owner = (void *)(uintptr_t)*here;
    cutaway_list *list = cutaway_list_of(owner);
    PyObject *made;
    int is_tuple;

    count_slots(next);
    if (n->flags & NATIVE)
        return wrapped((native_layout *)PyTuple_GET_ITEM(spec->constants, n->type), owner);
    made = object_of(owner, list->origin);
    if (made) {
        runtime->decref(owner);
        return made;
    }
    is_tuple = n->flags & FROZEN;
    if (n->flags & DEQUE)
        return box_deque(spec, n, owner);
    made = is_tuple ? PyTuple_New(list->size) : PyList_New(list->size);
    if (!is_tuple)
        note_boxed(n, owner, made);
    for (int64_t k = 0; made && k < list->size; k++) {
        PyObject *one = boxed_at(spec, item, list, k);
        if (!one)
            Py_CLEAR(made);
        else if (is_tuple)
            PyTuple_SET_ITEM(made, k, one);
        else
            PyList_SET_ITEM(made, k, one);
    }
    if (is_tuple) /* what is in it cannot refer to it */
        note_boxed(n, owner, made);
    runtime->decref(owner);
    return made;
}

PyObject *box_table(Specialization *spec, const node **next, const int64_t *here,
                    const int64_t **slots)
{
    const node *n = *next - 1;
    void *owner = (void *)(uintptr_t)*here;
    cutaway_table *table = cutaway_table_of(owner);
    PyObject *made;

    count_slots(next);
    if (n->kind == 'I')
        count_slots(next);
    if (n->flags & NATIVE)
        return wrapped((native_layout *)PyTuple_GET_ITEM(spec->constants, n->type), owner);
    made = object_of(owner, table->origin);
    if (made) {
        runtime->decref(owner);
        return made;
    }
    made = n->kind == 'I' ? PyDict_New() : n->flags & FROZEN ? PyFrozenSet_New(NULL) : PySet_New(NULL);
    if (!(n->flags & FROZEN))
        note_boxed(n, owner, made);
    if (made && put_entries(spec, n, table, made, NULL) < 0)
        Py_CLEAR(made);
    if (n->flags & FROZEN) /* one that others have seen cannot be filled */
        note_boxed(n, owner, made);
    runtime->decref(owner);
    return made;
}
