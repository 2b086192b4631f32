/* Integers of object mode that are reused for results, and loops over ranges. */

#include "object_integers.h"

#include <string.h>
#include <structmember.h>

PyObject *cutaway_small_integers[LARGEST - SMALLEST + 1];
struct kept_integers cutaway_kept_integers[2];

void cutaway_py_end(PyObject *object)
{
#if FREE_THREADED
    Py_FatalError("references are counted by CPython where it is free-threaded");
#else
    if (PyLong_CheckExact(object)) {
        size_t digits = digits_of(object);
        struct kept_integers *kept = &cutaway_kept_integers[digits == 2];
        if (digits - 1 < 2 && kept->count < KEPT) {
            object->ob_refcnt = 1;
            kept->objects[kept->count++] = object;
            return;
        }
    }
    _Py_Dealloc(object);
#endif
}

/* --- ranges ------------------------------------------------------------------------------------ */

/* The state of a loop over a range: invisible to programs, as only the loop asks for its items. */
typedef struct {
    PyObject_HEAD
    int64_t next, step, left;
} range_iterator;

static PyObject *range_next(PyObject *object)
{
    range_iterator *self = (range_iterator *)object;
    int64_t number = self->next;

    if (self->left <= 0)
        return NULL;
    self->left--;
    self->next += self->step;
    return integer_result(number, NULL);
}

static PyTypeObject RangeIteratorType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "range_iterator",
    .tp_basicsize = sizeof(range_iterator),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = range_next,
};

/* The offsets of a range's numbers, from the table of its attributes; 0 if there are none. */
static Py_ssize_t start_at, stop_at, step_at;

static Py_ssize_t offset_of(const char *name)
{
    for (const PyMemberDef *one = PyRange_Type.tp_members; one && one->name; one++)
        if (strcmp(one->name, name) == 0 && (one->type == T_OBJECT_EX || one->type == T_OBJECT))
            return one->offset;
    return 0;
}

static inline int number_at(PyObject *range, Py_ssize_t offset, int64_t *number)
{
    PyObject *value = offset ? *(PyObject **)((char *)range + offset) : NULL;

    return value && PyLong_CheckExact(value) && short_integer(value, number);
}

PyObject *cutaway_py_loop(PyObject *value)
{
    int64_t start, stop, step, span;
    range_iterator *self;

    if (!PyRange_Check(value) || !number_at(value, start_at, &start) ||
        !number_at(value, stop_at, &stop) || !number_at(value, step_at, &step))
        return PyObject_GetIter(value);
    if (!(self = PyObject_New(range_iterator, &RangeIteratorType)))
        return NULL;
    span = step > 0 ? stop - start : start - stop;
    self->next = start;
    self->step = step;
    self->left = span > 0 ? 1 + (span - 1) / (step > 0 ? step : -step) : 0;
    return (PyObject *)self;
}

/* --- initialization ---------------------------------------------------------------------------- */

int add_object_integers(void)
{
    start_at = offset_of("start");
    stop_at = offset_of("stop");
    step_at = offset_of("step");
    for (int k = SMALLEST; k <= LARGEST; k++)
        if (!(cutaway_small_integers[k - SMALLEST] = PyLong_FromLong(k)))
            return -1;
    return PyType_Ready(&RangeIteratorType);
}
