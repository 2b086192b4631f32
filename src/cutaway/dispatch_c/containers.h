/* What copies of containers and their results share: items in memory, and slots. */

#ifndef CUTAWAY_CONTAINERS_H
#define CUTAWAY_CONTAINERS_H

#include "dispatch.h"

#include "../runtime/lists.h"
#include "../runtime/tables.h"

/* Flags of a node (typing/types/containers.py). */
enum { ONLY_EMPTY = 1, NATIVE = 2, FROZEN = 4, UNCHANGED = 8, DEQUE = 16 };

static inline int is_number(const node *n)
{
    return strchr("?iufc", n->kind) != NULL;
}

static inline int bytes_of(const node *n)
{
    const node *behind = n;

    if (n->kind == '?')
        return 1;
    return is_number(n) ? n->bytes : 8 * count_slots(&behind);
}

/* A bit for each slot of a value that owns memory; *n is moved past it. */
static inline uint64_t owners_of(const node **n, int first)
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
static inline void widen(const node *n, const char *item, int64_t *slots)
{
    int parts = n->kind == 'c' ? 2 : 1, bytes = bytes_of(n) / parts;

    for (int k = 0; k < parts; k++) {
        slots[k] = 0;
        memcpy(&slots[k], item + k * bytes, (size_t)bytes);
        if (n->kind == 'i' && bytes < 8)
            slots[k] = (int64_t)((uint64_t)slots[k] << (64 - 8 * bytes)) >> (64 - 8 * bytes);
    }
}

static inline void narrow(const node *n, const int64_t *slots, char *item)
{
    int parts = n->kind == 'c' ? 2 : 1, bytes = bytes_of(n) / parts;

    for (int k = 0; k < parts; k++)
        memcpy(item + k * bytes, &slots[k], (size_t)bytes);
}

/* A number of 8 bytes of the usual class, as it lies in a list; 0 for any other item. */
static inline int take_number(const node *item, PyObject *value, void *target)
{
    int64_t slot;

    if (!unbox_quickly(item, value, &slot))
        return 0;
    memcpy(target, &slot, sizeof(slot));
    return 1;
}

/* Where a container has Python's own, for which it stands. */
static inline PyObject **origin_of(const node *n, void *owner)
{
    return n->kind == 'H' ? &cutaway_list_of(owner)->origin : &cutaway_table_of(owner)->origin;
}

/* --- containers.c -------------------------------------------------------------------------------- */

/* Put an item where a container has it: a number as in an array, anything else in its slots.  Where
   that fails the slots are whole or zeros, so that they can be released. */
int put_at(const Specialization *spec, const node *item, PyObject *value, char *target,
           list_copies *copies);
void *new_table(char kind, const node *key);

/* --- container_results.c ------------------------------------------------------------------------- */

/* An item of a container, and slots, as an object; the bits of `owners` are the slots that own memory. */
PyObject *boxed_item(Specialization *spec, const node *item, const char *place, uint64_t owners);
PyObject *boxed_slots(Specialization *spec, const node *item, const int64_t *slots, uint64_t owners);

/* Whether a value is of the class that a container stands for. */
static inline int is_such(const node *n, PyObject *value)
{
    switch (n->kind) {
    case 'I':
        return PyDict_CheckExact(value);
    case 'Q':
        return n->flags & FROZEN ? PyFrozenSet_CheckExact(value) : PySet_CheckExact(value);
    }
    if (n->flags & DEQUE)
        return Py_IS_TYPE(value, deque_class);
    return n->flags & FROZEN ? PyTuple_CheckExact(value) : PyList_CheckExact(value);
}

/* A list or a tuple with the items of what is passed in the place of a list: itself, or a new one. */
static inline PyObject *items_in(const node *n, PyObject *value)
{
    PyObject *items = n->flags & DEQUE ? PySequence_List(value) : Py_NewRef(value);

    if (!items)
        PyErr_Clear();
    return items;
}

#endif
