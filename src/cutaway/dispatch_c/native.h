/* Native containers: the lists, dicts and sets of compiled code as objects of Python.

   A layout is what Python has to know of a type: how values become items, and items objects.  The
   classes that users see are subclasses in `cutaway.typed`, with all that needs no C. */

#ifndef CUTAWAY_NATIVE_H
#define CUTAWAY_NATIVE_H

#include "containers.h"

#pragma GCC visibility push(hidden)

typedef struct {
    PyObject_HEAD
    PyObject *type;        /* the type in compiled code */
    PyObject *contents;    /* a tuple of types: of an item, or of a key and a value */
    Specialization *spec;  /* it has no code: its result describes a tuple of the contents */
    const node *first, *second; /* of an item, or of a key and a value; NULL in an empty container */
    PyTypeObject *cls;
    uint32_t code;         /* of the type */
    char kind;             /* H, Q or I, as in a descriptor */
    char format[3];        /* of the items in a buffer; empty where they are no numbers */
} native_layout;

/* A container that Python has.  Without a layout nothing has determined its contents yet. */
typedef struct {
    PyObject_HEAD
    native_layout *layout;
    void *owner; /* NULL before there is a layout, or a call had it as an empty one */
} native;

enum { FIRST, SECOND }; /* of the contents */

static inline int is_native(PyObject *value)
{
    return PyObject_TypeCheck(value, &NativeListType) || PyObject_TypeCheck(value, &NativeDictType) ||
           PyObject_TypeCheck(value, &NativeSetType);
}

static inline char kind_of_native(PyObject *value)
{
    return PyObject_TypeCheck(value, &NativeListType)   ? 'H'
           : PyObject_TypeCheck(value, &NativeDictType) ? 'I'
                                                        : 'Q';
}

static inline uint32_t code_of_native(PyObject *value)
{
    const native_layout *layout = SHARED(((native *)value)->layout);

    return layout ? layout->code : 0;
}

static inline int is_native_node(const node *n)
{
    return strchr("HQI", n->kind) && n->flags & NATIVE;
}

/* Whether a guard accepts native containers alone: others need a copy, which only a call that was
   resolved makes. */
static inline int refuses_others(const node *n, int how)
{
    return n->flags & NATIVE && !how;
}

static inline PyObject *item_object(const native_layout *layout, const node *n, const char *place)
{
    const node *behind = n;

    if (n->bytes == 8 && n->kind == 'i')
        return integer_from(*(const int64_t *)place);
    if (n->bytes == 8 && n->kind == 'f')
        return PyFloat_FromDouble(*(const double *)place);
    return boxed_item(layout->spec, n, place, owners_of(&behind, 0));
}

/* A key, which lies in slots. */
static inline PyObject *key_object(const native_layout *layout, const char *entry)
{
    const node *behind = layout->first;

    if (layout->first->kind == 'i')
        return integer_from(*(const int64_t *)entry);
    return boxed_slots(layout->spec, layout->first, (const int64_t *)entry, owners_of(&behind, 0));
}

/* --- native.c ------------------------------------------------------------------------------------ */

/* Replace the types of native containers among the constants by their layouts; -1 with an exception
   set. */
int find_layouts(Specialization *self, const node *end);

int unbox_native(const Specialization *spec, const node *n, PyObject *value, int64_t *slot, int how);

/* A new container, a list with room for so many items; NULL without memory. */
void *new_owner(const native_layout *layout, int64_t capacity);

/* The object that has a container: a new one unless it has one.  Takes over the reference. */
PyObject *wrapped(native_layout *layout, void *owner);

/* Write a value as a container has it, with references of its own; -1 with an exception set. */
int take_value(native_layout *layout, int which, PyObject *value, char *target);
void release_value(const node *item, const char *place);

/* Whether a value fits without a conversion. */
int fits_as_it_is(const native_layout *layout, int which, PyObject *value);

/* Determine the contents of a container by a value that is put into it; -1 with an exception set. */
int settle(native *self, PyObject *value);

PyObject *new_iterator(native *of, char what);

PyObject *native_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);
void native_dealloc(native *self);
PyObject *native_begin(native *self, PyObject *layout);
PyObject *native_get_type(native *self, void *unused);
PyObject *native_get_owner(native *self, void *unused);

#pragma GCC visibility pop

#endif
