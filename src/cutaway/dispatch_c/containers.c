/* Lists, sets and dicts of Python as arguments, and those of compiled code as results.

   An argument is copied into a container of compiled code when all arguments are known to fit, and
   what the call has changed is written back into Python's own after it.  The same list passed twice
   is the same list in compiled code.  A result that is the list of an argument is Python's own. */

#include "native.h"

static size_t place_of(PyObject *value, size_t places)
{
    return ((uintptr_t)value >> 4) * 0x9E3779B97F4A7C15 >> 32 & (places - 1);
}

static void index_row(list_copies *copies, size_t row)
{
    size_t k = place_of(copies->rows[row].value, copies->places);

    while (copies->index[k])
        k = (k + 1) & (copies->places - 1);
    copies->index[k] = row + 1;
}

/* --- guards ------------------------------------------------------------------------------------ */

static int items_fit(const Specialization *spec, const node *item, PyObject *list, int how)
{
    Py_ssize_t size = PySequence_Fast_GET_SIZE(list);
    int64_t scratch[CUTAWAY_ITEM_SLOTS];

    if (item->kind == 'f' && item->bytes == 8 && !(how & LENIENT)) {
        for (Py_ssize_t k = 0; k < size; k++)
            if (!PyFloat_CheckExact(PySequence_Fast_GET_ITEM(list, k)))
                return 0;
        return 1;
    }
    for (Py_ssize_t k = 0; k < size && k < PySequence_Fast_GET_SIZE(list); k++) {
        const node *next = item;
        int64_t *slots = scratch;
        int fits = unbox_item(spec, &next, PySequence_Fast_GET_ITEM(list, k), &slots, how);
        if (fits <= 0)
            return fits;
    }
    return 1;
}

/* Whether a container of so many items may fit: one that is empty fits where the types say so. */
static int size_fits(const node *n, Py_ssize_t size, int how)
{
    return size ? !(n->flags & ONLY_EMPTY) : n->flags & ONLY_EMPTY || how & (LENIENT | KNOWN);
}

static int one_fits(const Specialization *spec, const node *item, PyObject *value, int how)
{
    int64_t scratch[CUTAWAY_ITEM_SLOTS], *slots = scratch;

    return unbox_item(spec, &item, value, &slots, how);
}

int unbox_set(const Specialization *spec, const node **next, PyObject *value, int64_t *here,
              int64_t **slots, int how)
{
    const node *n = *next - 1, *item = *next;
    PyObject *key;
    Py_ssize_t place = 0;
    Py_hash_t hash;
    int fits = 1;

    *here = 0;
    count_slots(next);
    if (is_native(value) || refuses_others(n, how))
        return unbox_native(spec, n, value, here, how);
    if (!is_such(n, value) || !size_fits(n, PySet_GET_SIZE(value), how))
        return 0;
    while (fits > 0 && _PySet_NextEntry(value, &place, &key, &hash))
        fits = one_fits(spec, item, key, how);
    return fits;
}

int unbox_dict(const Specialization *spec, const node **next, PyObject *value, int64_t *here,
               int64_t **slots, int how)
{
    const node *n = *next - 1, *key_node = *next, *value_node;
    PyObject *key, *held;
    Py_ssize_t place = 0;
    int fits = 1;

    *here = 0;
    count_slots(next);
    value_node = *next;
    count_slots(next);
    if (is_native(value) || refuses_others(n, how))
        return unbox_native(spec, n, value, here, how);
    if (!is_such(n, value) || !size_fits(n, PyDict_GET_SIZE(value), how))
        return 0;
    while (fits > 0 && PyDict_Next(value, &place, &key, &held)) {
        fits = one_fits(spec, key_node, key, how);
        if (fits > 0)
            fits = one_fits(spec, value_node, held, how);
    }
    return fits;
}

int unbox_list(const Specialization *spec, const node **next, PyObject *value, int64_t *here,
               int64_t **slots, int how)
{
    const node *n = *next - 1, *item = *next;
    PyObject *items;
    int fits;

    *here = 0; /* `hold_list` makes it */
    count_slots(next);
    if (is_native(value) || refuses_others(n, how))
        return unbox_native(spec, n, value, here, how);
    items = is_such(n, value) ? items_in(n, value) : NULL;
    if (!items)
        return 0;
    fits = size_fits(n, PySequence_Fast_GET_SIZE(items), how);
    if (fits)
        fits = items_fit(spec, item, items, how);
    Py_DECREF(items);
    return fits;
}

/* --- arguments --------------------------------------------------------------------------------- */

static list_copy *row_of(const list_copies *copies, PyObject *value)
{
    if (!copies->index) {
        for (size_t k = 0; k < copies->count; k++)
            if (copies->rows[k].value == value)
                return &copies->rows[k];
        return NULL;
    }
    for (size_t k = place_of(value, copies->places); copies->index[k];
         k = (k + 1) & (copies->places - 1))
        if (copies->rows[copies->index[k] - 1].value == value)
            return &copies->rows[copies->index[k] - 1];
    return NULL;
}

/* The copy that stands for a list already; NULL where there is none.  It is written back if one of the
   arguments that lead to it may be changed. */
static void *copy_of(const list_copies *copies, PyObject *value, const node *n)
{
    list_copy *row = row_of(copies, value);

    if (row && row->node->flags & UNCHANGED)
        row->node = n;
    return row ? row->owner : NULL;
}

/* An index of the rows by their lists; -1 without memory. */
static int make_index(list_copies *copies)
{
    PyMem_Free(copies->index);
    copies->places = 4 * copies->room;
    copies->index = PyMem_Calloc(copies->places, sizeof(*copies->index));
    if (!copies->index)
        return -1;
    for (size_t row = 0; row < copies->count; row++)
        index_row(copies, row);
    return 0;
}

int note_copy(list_copies *copies, PyObject *value, void *owner, const node *n)
{
    if (copies->count == copies->room) {
        size_t room = 4 * copies->room;
        list_copy *rows = PyMem_Malloc(room * sizeof(*rows));
        if (!rows)
            return -1;
        memcpy(rows, copies->rows, copies->count * sizeof(*rows));
        if (copies->rows != copies->few)
            PyMem_Free(copies->rows);
        copies->rows = rows;
        copies->room = room;
        if (make_index(copies) < 0)
            return -1;
    }
    copies->rows[copies->count++] = (list_copy){Py_NewRef(value), owner, n};
    if (copies->index)
        index_row(copies, copies->count - 1);
    return 0;
}

static void *copied(const Specialization *spec, const node *n, PyObject *value,
                    list_copies *copies);

/* Put an item of Python's, which fits, into the slots of a list's item: with references of its own. */
static int put_item(const Specialization *spec, const node **n, PyObject *value, int64_t **slots,
                    list_copies *copies)
{
    const node *here = *n, *first = here;
    int64_t *own = *slots;

    switch (here->kind) {
    case 'H': case 'Q': case 'I':
        *own = 0;
        hold_list(spec, here, value, own, copies);
        if (*own)
            runtime->incref((void *)(uintptr_t)*own);
        (*slots)++;
        count_slots(n);
        return *own != 0;
    case '(': case 'T':
        (*n)++;
        for (int k = 0; k < here->count; k++)
            if (!put_item(spec, n, PyTuple_GET_ITEM(value, k), slots, copies))
                return 0;
        return 1;
    case 'M':
        if (value == Py_None)
            break;
        (*n)++;
        *(*slots)++ = 1;
        return put_item(spec, n, value, slots, copies);
    }
    if (unbox_item(spec, n, value, slots, LENIENT | KNOWN) <= 0)
        return 0;
    for (uint64_t bits = owners_of(&first, 0); bits; bits &= bits - 1)
        if (own[__builtin_ctzll(bits)] & 1)
            Py_INCREF((PyObject *)(uintptr_t)(own[__builtin_ctzll(bits)] & ~(int64_t)1));
    return 1;
}

/* Fill a copy; 0 where the list has other items than the guard saw, or without memory. */
/* Take over the `maxlen` of a deque; 0 where it does not fit. */
static int take_most(PyObject *value, cutaway_list *list)
{
    PyObject *most = PyObject_GetAttrString(value, "maxlen");

    if (most && most != Py_None)
        list->most = PyLong_AsLongLong(most);
    Py_XDECREF(most);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return 0;
    }
    return 1;
}

static int fill_list(const Specialization *spec, const node *item, PyObject *value,
                     cutaway_list *list, list_copies *copies)
{
    int bytes = (int)list->item_bytes, is_whole = is_number(item);

    for (int64_t k = 0; k < list->capacity && k < PySequence_Fast_GET_SIZE(value); k++) {
        PyObject *one = PySequence_Fast_GET_ITEM(value, k);
        char *target = list->items + k * bytes;
        if (!take_number(item, one, target)) {
            if (!is_whole) {
                memset(target, 0, (size_t)bytes);
                list->size = k + 1; /* an item that is there in part is released as well */
            }
            if (!put_at(spec, item, one, target, copies))
                return 0;
        }
        list->size = k + 1;
    }
    return 1;
}

static int fill(const Specialization *spec, const node *n, PyObject *value, cutaway_list *list,
                list_copies *copies)
{
    PyObject *items = items_in(n, value);
    int filled = items && (!(n->flags & DEQUE) || take_most(value, list)) &&
                 fill_list(spec, n + 1, items, list, copies);

    Py_XDECREF(items);
    list->changes = 0;
    return filled;
}

/* Put an item where a container has it: a number as in an array, anything else in its slots.  Where
   that fails the slots are whole or zeros, so that they can be released. */
int put_at(const Specialization *spec, const node *item, PyObject *value, char *target,
           list_copies *copies)
{
    int64_t number[2] = {0, 0}, *slots = is_number(item) ? number : (int64_t *)target;
    const node *next = item;

    if (!put_item(spec, &next, value, &slots, copies))
        return 0;
    if (is_number(item))
        narrow(item, number, target);
    return 1;
}

/* Put a key, and in a dict its value, into a table. */
static int put_entry(const Specialization *spec, const node *n, PyObject *key, PyObject *value,
                     void *owner, list_copies *copies)
{
    cutaway_table *table = cutaway_table_of(owner);
    int64_t scratch[CUTAWAY_ITEM_SLOTS] = {0}, *slots = scratch, number = 0;
    const node *next = n + 1, *first = next;
    int done = put_item(spec, &next, key, &slots, copies);

    if (done)
        number = runtime->table_put(owner, scratch);
    for (uint64_t bits = owners_of(&first, 0); bits; bits &= bits - 1)
        runtime->decref((void *)(uintptr_t)scratch[__builtin_ctzll(bits)]);
    if (!done)
        return 0;
    if (number == -1) {
        copies->failed = 1;
        return 0;
    }
    if (number < -1)
        number = -2 - number;
    if (!value)
        return 1;
    return put_at(spec, next, value, cutaway_entry_at(table, number) + table->key_bytes, copies);
}

static int fill_table(const Specialization *spec, const node *n, PyObject *value, void *owner,
                      list_copies *copies)
{
    PyObject *key, *held;
    Py_ssize_t place = 0;
    Py_hash_t hash;
    int done = 1;

    if (n->kind == 'I')
        while (done && PyDict_Next(value, &place, &key, &held))
            done = put_entry(spec, n, key, held, owner, copies);
    else
        while (done && _PySet_NextEntry(value, &place, &key, &hash))
            done = put_entry(spec, n, key, NULL, owner, copies);
    cutaway_table_of(owner)->changes = 0;
    return done;
}

/* The letters of a key's fields (runtime/tables.h); *n is moved past it. */
static char *put_fields(const node **n, char *text)
{
    const node *here = (*n)++;
    int inside = here->kind == '(' || here->kind == 'T' ? here->count : here->kind == 'M';

    if (here->kind == 'U')
        *text++ = 't';
    else if (here->kind == 'f' || here->kind == 'c')
        for (int k = 0; k < (here->kind == 'c' ? 2 : 1); k++)
            *text++ = here->bytes == (here->kind == 'c' ? 16 : 8) ? 'f' : 's';
    else if (strchr("?iuMD", here->kind))
        *text++ = 'w';
    else if (here->kind == 'Q') {
        *text++ = 'q';
        count_slots(n);
    }
    else if (here->kind == 'H') {
        int size = is_number(*n) ? bytes_of(*n) / ((*n)->kind == 'c' ? 2 : 1) : 0;
        int is_real = size && strchr("fc", (*n)->kind) != NULL;
        *text++ = 'l';
        *text++ = !size ? '(' : is_real && size == 8 ? 'd' : is_real && size == 4 ? 'e' : 'b';
        if (size)
            count_slots(n);
        else {
            text = put_fields(n, text);
            *text++ = ')';
        }
    }
    for (int k = 0; k < inside; k++)
        text = put_fields(n, text);
    return text;
}

void *new_table(char kind, const node *key)
{
    const node *value = key, *behind = key;
    char fields[4 * CUTAWAY_ITEM_SLOTS + 1];
    const node *next = key;
    uint64_t owners = owners_of(&behind, 0), value_owners = 0;
    int key_slots = count_slots(&value), bytes = 0;

    *put_fields(&next, fields) = 0;
    if (kind == 'I') {
        bytes = bytes_of(value);
        next = value;
        value_owners = owners_of(&next, 0);
    }
    return runtime->table_new(fields, 8 * key_slots, (int64_t)owners, bytes, (int64_t)value_owners);
}

/* The copy of a container, which the table of copies owns; NULL where there is none, see `fill`. */
static void *copied(const Specialization *spec, const node *n, PyObject *value,
                    list_copies *copies)
{
    const node *item = n + 1, *behind = item;
    void *owner;
    int filled;

    if (!is_such(n, value))
        return NULL;
    owner = copy_of(copies, value, n);
    if (owner)
        return owner;
    owner = n->kind != 'H' ? new_table(n->kind, item)
                           : runtime->list_new(bytes_of(item), (int64_t)owners_of(&behind, 0),
                                               PyObject_Size(value));
    if (owner && note_copy(copies, value, owner, n) < 0) {
        runtime->decref(owner);
        owner = NULL;
    }
    if (!owner) {
        copies->failed = 1;
        return NULL;
    }
    *origin_of(n, owner) = value;
    BEGIN_CRITICAL_SECTION(value);
    filled = n->kind == 'H' ? fill(spec, n, value, cutaway_list_of(owner), copies)
                            : fill_table(spec, n, value, owner, copies);
    END_CRITICAL_SECTION();
    return filled ? owner : NULL;
}

int hold_list(const Specialization *spec, const node *n, PyObject *value, int64_t *slots,
              list_copies *copies)
{
    if (is_native(value))
        return unbox_native(spec, n, value, slots, LENIENT | KNOWN);
    *slots = (int64_t)(uintptr_t)copied(spec, n, value, copies);
    return *slots != 0;
}
