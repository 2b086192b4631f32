/* Quick guards: the expected fields of each argument of a specialization. */

#include "native.h"
#include "quick_guards.h"

_Static_assert(offsetof(PyLongScalarObject, obval) == offsetof(PyDoubleScalarObject, obval),
               "numbers of 8 bytes lie at one place in NumPy's scalars");

/* Set the array flags that a node requires, and their mask; array_fits checks the same. */
static void set_flags(struct quick_guard *guard)
{
    const node *n = guard->n;

    guard->mask = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_WRITEABLE | NPY_ARRAY_ALIGNED;
    if (n->layout == 'C')
        guard->flags = NPY_ARRAY_C_CONTIGUOUS;
    else {
        guard->mask |= NPY_ARRAY_F_CONTIGUOUS;
        guard->flags = n->layout == 'F' ? NPY_ARRAY_F_CONTIGUOUS : 0;
    }
    if (!(n->flags & 1))
        guard->flags |= NPY_ARRAY_WRITEABLE;
    if (!(n->flags & 2))
        guard->flags |= NPY_ARRAY_ALIGNED;
}

/* The usual dtype of arrays of a type; borrowed, for NumPy never frees its own, and the
   specialization holds its constants. */
static const PyArray_Descr *usual_dtype(const Specialization *spec, const node *n)
{
    PyArray_Descr *dtype;

    if (n->kind == 'G')
        return (PyArray_Descr *)PyTuple_GET_ITEM(spec->constants, n->type);
    dtype = PyArray_DescrFromType(n->type);
    if (!dtype)
        PyErr_Clear();
    Py_XDECREF(dtype);
    return dtype;
}

/* Set the guard of a number of one class in Python, and another one in NumPy of the same layout. */
static void set_number(struct quick_guard *guard)
{
    const node *n = guard->n;

    if (n->kind == '?') {
        guard->how = BOOLEAN;
        guard->cls = &PyBool_Type;
    }
    else if (n->kind == 'i' && n->bytes == 8) {
        guard->how = INTEGER;
        guard->cls = &PyLong_Type;
        guard->scalar = sizeof(npy_long) == 8 ? &PyLongArrType_Type : NULL;
    }
    else if (n->kind == 'f' && n->bytes == 8) {
        guard->how = REAL;
        guard->cls = &PyFloat_Type;
        guard->scalar = &PyDoubleArrType_Type;
    }
}

/* Set the guard of the values that nodes from *n on describe, with memory for those of items at
   items; both are moved past the used part. */
static void set_guard(const Specialization *spec, struct quick_guard *guard, const node **n,
                      struct quick_guard **items)
{
    const node *here = *n;
    struct quick_guard *inner = *items;

    guard->n = here;
    count_slots(n);
    set_number(guard);
    if (here->kind == 'W')
        guard->how = OBJECT;
    else if (here->kind == 'N')
        guard->cls = Py_TYPE(Py_None);
    else if (strchr("HQI", here->kind)) { /* a native one: calls with others hold values */
        const native_layout *layout =
            (native_layout *)PyTuple_GET_ITEM(spec->constants, here->type);
        guard->how = CONTAINER;
        guard->cls = layout->cls;
        guard->layout = layout;
    }
    else if (here->kind == 'A' || here->kind == 'G') {
        guard->how = here->count == 1 ? LINE : ARRAY;
        guard->dtype = usual_dtype(spec, here);
        guard->cls = guard->dtype ? &PyArray_Type : NULL;
        guard->count = here->count;
        set_flags(guard);
    }
    else if (here->kind == '(' || here->kind == 'T') {
        guard->how = ITEMS_OF;
        guard->cls = here->kind == '(' ? &PyTuple_Type
                                       : (PyTypeObject *)PyTuple_GET_ITEM(spec->constants, here->type);
        guard->count = here->count;
        guard->items = inner;
        *items += here->count;
        for (here++; inner < guard->items + guard->count; inner++)
            set_guard(spec, inner, &here, items);
    }
}

int make_quick_guards(Specialization *self)
{
    const node *n = self->arguments, *first;
    struct quick_guard *items;

    self->quick = PyMem_Calloc((size_t)(self->result - n) + 1, sizeof(*self->quick)); /* one per
                                                                                         node */
    if (!self->quick) {
        PyErr_NoMemory();
        return -1;
    }
    items = self->quick + self->nargs;
    for (Py_ssize_t k = 0; k < self->nargs; k++) {
        first = n;
        set_guard(self, &self->quick[k], &n, &items);
        self->quick[k].slots = count_slots(&first);
    }
    return 0;
}

int64_t *take_rarer(const struct quick_guard *guard, PyObject *value, int64_t *slots)
{
    if (guard->how == BOOLEAN)
        *slots++ = value == Py_True;
    if (guard->how == CONTAINER) {
        if (((native *)value)->layout != guard->layout)
            return NULL;
        *slots++ = (int64_t)(uintptr_t)((native *)value)->owner;
    }
    if (guard->how != ITEMS_OF)
        return slots;
    if (PyTuple_GET_SIZE(value) != guard->count)
        return NULL;
    for (int k = 0; k < guard->count && slots; k++)
        slots = take_quickly(&guard->items[k], PyTuple_GET_ITEM(value, k), slots);
    return slots;
}
