/* Lists, sets and dicts of Python as arguments, and those of compiled code as results.

   An argument is copied into a container of compiled code when all arguments are known to fit, and
   what the call has changed is written back into Python's own after it.  The same list passed twice
   is the same list in compiled code.  A result that is the list of an argument is Python's own. */

#include "dispatch.h"

#include "../runtime/lists.h"
#include "../runtime/tables.h"

enum { ONLY_EMPTY = 1 }; /* flags of a node */

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

/* --- items ------------------------------------------------------------------------------------- */

static int is_number(const node *n)
{
    return strchr("?iufc", n->kind) != NULL;
}

static int bytes_of(const node *n)
{
    const node *behind = n;

    if (n->kind == '?')
        return 1;
    return is_number(n) ? n->bytes : 8 * count_slots(&behind);
}

/* A bit for each slot of a value that owns memory; *n is moved past it. */
static uint64_t owners_of(const node **n, int first)
{
    const node *here = *n, *behind = here;
    int inside = here->kind == '(' || here->kind == 'T' ? here->count : here->kind == 'M';
    uint64_t bits = 0;

    count_slots(&behind);
    if (strchr("AGUHQIVXW", here->kind)) {
        *n = behind;
        return (uint64_t)1 << first;
    }
    (*n)++;
    first += here->kind == 'M';
    for (int k = 0; k < inside; k++) {
        const node *item = *n, *end = item;
        int slots = count_slots(&end);
        bits |= owners_of(n, first);
        first += slots;
    }
    *n = behind;
    return bits;
}

/* A number in a list as slots, and back. */
static void widen(const node *n, const char *item, int64_t *slots)
{
    int parts = n->kind == 'c' ? 2 : 1, bytes = bytes_of(n) / parts;

    for (int k = 0; k < parts; k++) {
        slots[k] = 0;
        memcpy(&slots[k], item + k * bytes, (size_t)bytes);
        if (n->kind == 'i' && bytes < 8)
            slots[k] = (int64_t)((uint64_t)slots[k] << (64 - 8 * bytes)) >> (64 - 8 * bytes);
    }
}

static void narrow(const node *n, const int64_t *slots, char *item)
{
    int parts = n->kind == 'c' ? 2 : 1, bytes = bytes_of(n) / parts;

    for (int k = 0; k < parts; k++)
        memcpy(item + k * bytes, &slots[k], (size_t)bytes);
}

/* --- guards ------------------------------------------------------------------------------------ */

static int items_fit(const Specialization *spec, const node *item, PyObject *list, int how)
{
    Py_ssize_t size = PyList_GET_SIZE(list);
    int64_t scratch[CUTAWAY_ITEM_SLOTS];

    if (item->kind == 'f' && item->bytes == 8 && !(how & LENIENT)) {
        for (Py_ssize_t k = 0; k < size; k++)
            if (!PyFloat_CheckExact(PyList_GET_ITEM(list, k)))
                return 0;
        return 1;
    }
    for (Py_ssize_t k = 0; k < size && k < PyList_GET_SIZE(list); k++) {
        const node *next = item;
        int64_t *slots = scratch;
        int fits = unbox_item(spec, &next, PyList_GET_ITEM(list, k), &slots, how);
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
    if (!PySet_CheckExact(value) || !size_fits(n, PySet_GET_SIZE(value), how))
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
    if (!PyDict_CheckExact(value) || !size_fits(n, PyDict_GET_SIZE(value), how))
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

    *here = 0; /* `hold_list` makes it */
    count_slots(next);
    if (!PyList_CheckExact(value) || !size_fits(n, PyList_GET_SIZE(value), how))
        return 0;
    return items_fit(spec, item, value, how);
}

/* --- arguments --------------------------------------------------------------------------------- */

/* The copy that stands for a list already; NULL where there is none. */
static void *copy_of(const list_copies *copies, PyObject *value)
{
    if (!copies->index) {
        for (size_t k = 0; k < copies->count; k++)
            if (copies->rows[k].value == value)
                return copies->rows[k].owner;
        return NULL;
    }
    for (size_t k = place_of(value, copies->places); copies->index[k];
         k = (k + 1) & (copies->places - 1))
        if (copies->rows[copies->index[k] - 1].value == value)
            return copies->rows[copies->index[k] - 1].owner;
    return NULL;
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

static int note_copy(list_copies *copies, PyObject *value, void *owner, const node *n)
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

/* Where a container has Python's own, for which it stands. */
static PyObject **origin_of(const node *n, void *owner)
{
    return n->kind == 'H' ? &cutaway_list_of(owner)->origin : &cutaway_table_of(owner)->origin;
}

/* Put an item of Python's, which fits, into the slots of a list's item: with references of its own. */
static int put_item(const Specialization *spec, const node **n, PyObject *value, int64_t **slots,
                    list_copies *copies)
{
    const node *here = *n, *first = here;
    int64_t *own = *slots;

    switch (here->kind) {
    case 'H': case 'Q': case 'I':
        *own = (int64_t)(uintptr_t)copied(spec, here, value, copies);
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
static int fill(const Specialization *spec, const node *item, PyObject *value, cutaway_list *list,
                list_copies *copies)
{
    int is_double = item->kind == 'f' && item->bytes == 8;

    for (int64_t k = 0; k < list->capacity && k < PyList_GET_SIZE(value); k++) {
        PyObject *one = PyList_GET_ITEM(value, k);
        char *target = list->items + k * list->item_bytes;
        int64_t scratch[CUTAWAY_ITEM_SLOTS] = {0}, *slots = scratch;
        const node *next = item;
        if (is_double && PyFloat_CheckExact(one)) {
            memcpy(target, &((PyFloatObject *)one)->ob_fval, sizeof(double));
            list->size = k + 1;
            continue;
        }
        if (!is_number(item)) {
            slots = (int64_t *)target;
            memset(target, 0, (size_t)list->item_bytes);
            list->size = k + 1; /* an item that is there in part is released as well */
        }
        if (!put_item(spec, &next, one, &slots, copies))
            return 0;
        if (is_number(item))
            narrow(item, scratch, target);
        list->size = k + 1;
    }
    return 1;
}

/* Put an item where a container has it: a number as in an array, anything else in its slots.  Where
   that fails the slots are whole or zeros, so that they can be released. */
static int put_at(const Specialization *spec, const node *item, PyObject *value, char *target,
                  list_copies *copies)
{
    int64_t scratch[CUTAWAY_ITEM_SLOTS] = {0}, *slots = scratch;
    const node *next = item;

    if (!is_number(item))
        slots = (int64_t *)target;
    if (!put_item(spec, &next, value, &slots, copies))
        return 0;
    if (is_number(item))
        narrow(item, scratch, target);
    return 1;
}

/* Put a key, and in a dict its value, into a table. */
static int put_entry(const Specialization *spec, const node *n, PyObject *key, PyObject *value,
                     void *owner, list_copies *copies)
{
    cutaway_table *table = cutaway_table_of(owner);
    int64_t scratch[CUTAWAY_ITEM_SLOTS] = {0}, *slots = scratch, number;
    const node *next = n + 1, *first = next;
    int done = unbox_item(spec, &next, key, &slots, LENIENT | KNOWN) > 0;

    if (!done)
        return 0;
    for (uint64_t bits = owners_of(&first, 0); bits; bits &= bits - 1)
        if (!(scratch[__builtin_ctzll(bits)] & 1))
            return 0;
    number = runtime->table_put(owner, scratch);
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
    for (int k = 0; k < inside; k++)
        text = put_fields(n, text);
    return text;
}

static void *new_table(const node *n)
{
    const node *key = n + 1, *value = key, *behind = key;
    char fields[CUTAWAY_ITEM_SLOTS + 1];
    const node *next = key;
    uint64_t owners = owners_of(&behind, 0), value_owners = 0;
    int key_slots = count_slots(&value), bytes = 0;

    *put_fields(&next, fields) = 0;
    if (n->kind == 'I') {
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

    if (n->kind == 'H' ? !PyList_CheckExact(value)
                       : n->kind == 'I' ? !PyDict_CheckExact(value) : !PySet_CheckExact(value))
        return NULL;
    owner = copy_of(copies, value);
    if (owner)
        return owner;
    owner = n->kind != 'H' ? new_table(n)
                           : runtime->list_new(bytes_of(item), (int64_t)owners_of(&behind, 0),
                                               PyList_GET_SIZE(value));
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
    filled = n->kind == 'H' ? fill(spec, item, value, cutaway_list_of(owner), copies)
                            : fill_table(spec, n, value, owner, copies);
    END_CRITICAL_SECTION();
    return filled ? owner : NULL;
}

int hold_list(const Specialization *spec, const node *n, PyObject *value, int64_t *slots,
              list_copies *copies)
{
    *slots = (int64_t)(uintptr_t)copied(spec, n, value, copies);
    return *slots != 0;
}

/* --- writing back ------------------------------------------------------------------------------ */

/* An object of slots, of which some own memory: boxing takes over references of its own. */
static PyObject *boxed_slots(Specialization *spec, const node *item, const int64_t *slots)
{
    const node *next = item, *behind = item;

    for (uint64_t bits = owners_of(&behind, 0); bits; bits &= bits - 1)
        runtime->incref((void *)(uintptr_t)slots[__builtin_ctzll(bits)]);
    return box_item(spec, &next, &slots);
}

static PyObject *boxed_item(Specialization *spec, const node *item, const char *place)
{
    int64_t scratch[CUTAWAY_ITEM_SLOTS];

    if (!is_number(item))
        return boxed_slots(spec, item, (const int64_t *)place);
    widen(item, place, scratch);
    return boxed_slots(spec, item, scratch);
}

static PyObject *boxed_at(Specialization *spec, const node *item, const cutaway_list *list,
                          int64_t k)
{
    return boxed_item(spec, item, list->items + k * list->item_bytes);
}

/* Whether an item of a list is that of Python's list still. */
static int is_unchanged(const Specialization *spec, const node *item, const char *place,
                        PyObject *before)
{
    int64_t scratch[CUTAWAY_ITEM_SLOTS] = {0}, *slots = scratch;
    const node *next = item;
    size_t bytes = (size_t)bytes_of(item);
    char number[16];

    if (item->kind == 'f' && item->bytes == 8 && PyFloat_CheckExact(before))
        return memcmp(place, &((PyFloatObject *)before)->ob_fval, sizeof(double)) == 0;
    if (strchr("HQI", item->kind))
        return *origin_of(item, *(void **)place) == before;
    if (unbox_item(spec, &next, before, &slots, LENIENT | KNOWN) <= 0) {
        PyErr_Clear();
        return 0;
    }
    if (!is_number(item))
        return memcmp(place, scratch, bytes) == 0;
    narrow(item, scratch, number);
    return memcmp(place, number, bytes) == 0;
}

/* Make Python's list have the items of the one that stood for it; -1 with an exception set. */
static int write_back(Specialization *spec, const node *n, const cutaway_list *list)
{
    PyObject *origin = list->origin;
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

/* The same for a dict: where entries were added or removed it is filled anew, in their order. */
static int write_dict(Specialization *spec, const node *n, cutaway_table *table)
{
    PyObject *origin = table->origin, *before;
    const node *value_node = n + 1;
    int failed = 0;

    if (!table->changes)
        return 0;
    count_slots(&value_node);
    before = PyDict_Copy(origin);
    if (!before)
        return -1;
    if (table->changes & 2)
        PyDict_Clear(origin);
    for (int64_t k = 0; !failed && k < table->used; k++) {
        const char *entry = cutaway_entry_at(table, k), *place = entry + table->key_bytes;
        PyObject *key, *held;
        if (!table->hashes[k])
            continue;
        key = boxed_slots(spec, n + 1, (const int64_t *)entry);
        held = key ? PyDict_GetItemWithError(before, key) : NULL;
        if (held && is_unchanged(spec, value_node, place, held))
            Py_INCREF(held);
        else
            held = key && !PyErr_Occurred() ? boxed_item(spec, value_node, place) : NULL;
        failed = !held || PyDict_SetItem(origin, key, held) < 0;
        Py_XDECREF(held);
        Py_XDECREF(key);
    }
    Py_DECREF(before);
    return failed ? -1 : 0;
}

static int write_set(Specialization *spec, const node *n, cutaway_table *table)
{
    int failed = 0;

    if (!table->changes)
        return 0;
    failed = PySet_Clear(table->origin) < 0;
    for (int64_t k = 0; !failed && k < table->used; k++) {
        PyObject *key;
        if (!table->hashes[k])
            continue;
        key = boxed_slots(spec, n + 1, (const int64_t *)cutaway_entry_at(table, k));
        failed = !key || PySet_Add(table->origin, key) < 0;
        Py_XDECREF(key);
    }
    return failed ? -1 : 0;
}

static int write_any(Specialization *spec, const node *n, void *owner)
{
    switch (n->kind) {
    case 'I':
        return write_dict(spec, n, cutaway_table_of(owner));
    case 'Q':
        return write_set(spec, n, cutaway_table_of(owner));
    }
    return write_back(spec, n, cutaway_list_of(owner));
}

void begin_copies(list_copies *copies)
{
    copies->rows = copies->few;
    copies->count = copies->places = 0;
    copies->room = sizeof(copies->few) / sizeof(*copies->few);
    copies->index = NULL;
    copies->failed = 0;
}

void end_copies(Specialization *spec, list_copies *copies, int entered)
{
    PyObject *type, *value, *traceback;

    PyErr_Fetch(&type, &value, &traceback);
    for (size_t k = 0; entered && k < copies->count; k++) {
        list_copy *row = &copies->rows[k];
        int failed;
        BEGIN_CRITICAL_SECTION(row->value);
        failed = write_any(spec, row->node, row->owner);
        END_CRITICAL_SECTION();
        if (failed < 0 && !type)
            PyErr_Fetch(&type, &value, &traceback);
        PyErr_Clear();
    }
    for (size_t k = 0; k < copies->count; k++)
        *origin_of(copies->rows[k].node, copies->rows[k].owner) = NULL;
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

PyObject *box_list(Specialization *spec, const node **next, const int64_t *here,
                   const int64_t **slots)
{
    const node *item = *next;
    void *owner = (void *)(uintptr_t)*here;
    cutaway_list *list = cutaway_list_of(owner);
    PyObject *made;

    count_slots(next);
    if (list->origin) {
        made = Py_NewRef(list->origin);
        runtime->decref(owner);
        return made;
    }
    made = PyList_New(list->size);
    for (int64_t k = 0; made && k < list->size; k++) {
        PyObject *one = boxed_at(spec, item, list, k);
        if (one)
            PyList_SET_ITEM(made, k, one);
        else
            Py_CLEAR(made);
    }
    runtime->decref(owner);
    return made;
}

PyObject *box_table(Specialization *spec, const node **next, const int64_t *here,
                    const int64_t **slots)
{
    const node *n = *next - 1, *value_node;
    void *owner = (void *)(uintptr_t)*here;
    cutaway_table *table = cutaway_table_of(owner);
    PyObject *made;
    int failed = 0;

    count_slots(next);
    value_node = *next;
    if (n->kind == 'I')
        count_slots(next);
    if (table->origin) {
        made = Py_NewRef(table->origin);
        runtime->decref(owner);
        return made;
    }
    made = n->kind == 'I' ? PyDict_New() : PySet_New(NULL);
    for (int64_t k = 0; made && !failed && k < table->used; k++) {
        const char *entry = cutaway_entry_at(table, k);
        PyObject *key, *held = NULL;
        if (!table->hashes[k])
            continue;
        key = boxed_slots(spec, n + 1, (const int64_t *)entry);
        if (key && n->kind == 'I') {
            held = boxed_item(spec, value_node, entry + table->key_bytes);
            failed = !held || PyDict_SetItem(made, key, held) < 0;
        }
        else
            failed = !key || PySet_Add(made, key) < 0;
        Py_XDECREF(held);
        Py_XDECREF(key);
    }
    if (failed)
        Py_CLEAR(made);
    runtime->decref(owner);
    return made;
}
