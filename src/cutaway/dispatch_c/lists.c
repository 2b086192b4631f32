/* Lists of Python as arguments, and lists of compiled code as results.

   An argument is copied into a list of compiled code when all arguments are known to fit, and what
   the call has changed is written back into Python's own list after it: other lengths, other items.
   The same list passed twice is the same list in compiled code.  A result that is the list of an
   argument is Python's own. */

#include "dispatch.h"

#include "../runtime/lists.h"

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
    if (strchr("AGUHVXW", here->kind)) {
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

int unbox_list(const Specialization *spec, const node **next, PyObject *value, int64_t *here,
               int64_t **slots, int how)
{
    const node *n = *next - 1, *item = *next;

    *here = 0; /* `hold_list` makes it */
    count_slots(next);
    if (!PyList_CheckExact(value))
        return 0;
    if (PyList_GET_SIZE(value) ? n->flags & ONLY_EMPTY
                               : !(n->flags & ONLY_EMPTY) && !(how & (LENIENT | KNOWN)))
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

/* Put an item of Python's, which fits, into the slots of a list's item: with references of its own. */
static int put_item(const Specialization *spec, const node **n, PyObject *value, int64_t **slots,
                    list_copies *copies)
{
    const node *here = *n, *first = here;
    int64_t *own = *slots;

    switch (here->kind) {
    case 'H':
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

/* The copy of a list, which the table of copies owns; NULL where there is none, see `fill`. */
static void *copied(const Specialization *spec, const node *n, PyObject *value,
                    list_copies *copies)
{
    const node *item = n + 1, *behind = item;
    void *owner;
    int filled;

    if (!PyList_CheckExact(value))
        return NULL;
    owner = copy_of(copies, value);
    if (owner)
        return owner;
    owner = runtime->list_new(bytes_of(item), (int64_t)owners_of(&behind, 0),
                              PyList_GET_SIZE(value));
    if (owner && note_copy(copies, value, owner, n) < 0) {
        runtime->decref(owner);
        owner = NULL;
    }
    if (!owner) {
        copies->failed = 1;
        return NULL;
    }
    cutaway_list_of(owner)->origin = value;
    BEGIN_CRITICAL_SECTION(value);
    filled = fill(spec, item, value, cutaway_list_of(owner), copies);
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

static PyObject *boxed_at(Specialization *spec, const node *item, const cutaway_list *list,
                          int64_t k)
{
    int64_t scratch[CUTAWAY_ITEM_SLOTS];
    const int64_t *slots = scratch;
    const node *next = item;
    const char *place = list->items + k * list->item_bytes;

    if (is_number(item))
        widen(item, place, scratch);
    else {
        memcpy(scratch, place, (size_t)list->item_bytes);
        for (uint64_t bits = list->owners; bits; bits &= bits - 1) /* boxing takes them over */
            runtime->incref((void *)(uintptr_t)scratch[__builtin_ctzll(bits)]);
    }
    return box_item(spec, &next, &slots);
}

/* Whether an item of a list is that of Python's list still. */
static int is_unchanged(const Specialization *spec, const node *item, const cutaway_list *list,
                        int64_t k, PyObject *before)
{
    int64_t scratch[CUTAWAY_ITEM_SLOTS] = {0}, *slots = scratch;
    const node *next = item;
    const char *place = list->items + k * list->item_bytes;
    char number[16];

    if (item->kind == 'f' && item->bytes == 8 && PyFloat_CheckExact(before))
        return memcmp(place, &((PyFloatObject *)before)->ob_fval, sizeof(double)) == 0;
    if (item->kind == 'H')
        return cutaway_list_of(*(void **)place)->origin == before;
    if (unbox_item(spec, &next, before, &slots, LENIENT | KNOWN) <= 0) {
        PyErr_Clear();
        return 0;
    }
    if (!is_number(item))
        return memcmp(place, scratch, (size_t)list->item_bytes) == 0;
    narrow(item, scratch, number);
    return memcmp(place, number, (size_t)list->item_bytes) == 0;
}

/* Make Python's list have the items of the one that stood for it; -1 with an exception set. */
static int write_back(Specialization *spec, const node *n, const cutaway_list *list)
{
    PyObject *origin = list->origin;
    Py_ssize_t before = PyList_GET_SIZE(origin);
    const node *item = n + 1;

    for (Py_ssize_t k = 0; k < before && k < list->size && k < PyList_GET_SIZE(origin); k++) {
        PyObject *one;
        if (is_unchanged(spec, item, list, k, PyList_GET_ITEM(origin, k)))
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
        failed = write_back(spec, row->node, cutaway_list_of(row->owner));
        END_CRITICAL_SECTION();
        if (failed < 0 && !type)
            PyErr_Fetch(&type, &value, &traceback);
        PyErr_Clear();
    }
    for (size_t k = 0; k < copies->count; k++)
        cutaway_list_of(copies->rows[k].owner)->origin = NULL;
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
