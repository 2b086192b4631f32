/* NumPy's kinds besides numbers: dtypes, times, records, arrays of them; and opaque objects.

   A dtype in the constants is the compiled code's own and never returned to users: the names of
   fields can be changed in place.  No comparison of dtypes runs Python code. */

#include "dispatch.h"

static PyArray_Descr *dtype_of(const Specialization *spec, const node *n)
{
    return (PyArray_Descr *)PyTuple_GET_ITEM(spec->constants, n->kind == 'G' ? n->type : n->count);
}

static PyArray_DatetimeMetaData *unit_of(PyArray_Descr *dtype)
{
    return &((PyArray_DatetimeDTypeMetaData *)PyDataType_C_METADATA(dtype))->meta;
}

static int same_unit(const PyArray_DatetimeMetaData *a, const PyArray_DatetimeMetaData *b)
{
    return a->base == b->base && a->num == b->num;
}

/* The dtype and the offset of a field without a title. */
static PyArray_Descr *field_of(PyArray_Descr *dtype, PyObject *name, PyObject **offset)
{
    PyObject *field = PyDict_GetItem(PyDataType_FIELDS(dtype), name);

    if (!field || PyTuple_GET_SIZE(field) != 2)
        return NULL;
    *offset = PyTuple_GET_ITEM(field, 1);
    return (PyArray_Descr *)PyTuple_GET_ITEM(field, 0);
}

static int same_fields(PyArray_Descr *known, PyArray_Descr *given)
{
    PyObject *names = PyDataType_NAMES(known), *other = PyDataType_NAMES(given);

    if (!other || !PyTuple_Check(other) || PyTuple_GET_SIZE(names) != PyTuple_GET_SIZE(other) ||
        PyDict_GET_SIZE(PyDataType_FIELDS(given)) != PyTuple_GET_SIZE(other))
        return 0; /* a field with a title is listed twice */
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); k++)
        if (!PyUnicode_CheckExact(PyTuple_GET_ITEM(other, k)))
            return 0; /* its lookup could run Python code */
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); k++) {
        PyObject *name = PyTuple_GET_ITEM(names, k), *mine = NULL, *theirs = NULL;
        PyArray_Descr *inner = field_of(known, name, &mine), *found;
        if (PyUnicode_Compare(name, PyTuple_GET_ITEM(other, k)) != 0)
            return 0;
        found = field_of(given, name, &theirs);
        if (!inner || !found || PyLong_AsLong(mine) != PyLong_AsLong(theirs) ||
            !same_dtype(inner, found))
            return 0;
    }
    return 1;
}

/* Pairs of record dtypes that were found equal: comparing their fields takes longer than the rest
   of a call.  A dtype's fields can be renamed in place, which replaces its tuple of names; one with
   nested records is not cached, since these can be renamed unnoticed. */
#define KEPT_PAIRS 64

static struct {
    PyArray_Descr *known, *given;
    PyObject *names;
} pairs[KEPT_PAIRS];

static size_t place_of(const PyArray_Descr *known, const PyArray_Descr *given)
{
    return (((uintptr_t)known ^ (uintptr_t)given * 3) >> 4) % KEPT_PAIRS;
}

static int were_same(const PyArray_Descr *known, const PyArray_Descr *given)
{
    size_t place = place_of(known, given);

    return pairs[place].known == known && pairs[place].given == given &&
           pairs[place].names == PyDataType_NAMES(given);
}

static void keep_pair(PyArray_Descr *known, PyArray_Descr *given)
{
    PyObject *names = PyDataType_NAMES(given), *offset;
    size_t place = place_of(known, given);

    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); k++) {
        PyArray_Descr *inner = field_of(given, PyTuple_GET_ITEM(names, k), &offset);
        if (!inner || inner->type_num == NPY_VOID)
            return;
    }
    Py_INCREF(known);
    Py_INCREF(given);
    Py_INCREF(names);
    Py_XSETREF(pairs[place].known, known);
    Py_XSETREF(pairs[place].given, given);
    Py_XSETREF(pairs[place].names, names);
}

/* Whether two fields are arrays of the same shape and element type. */
static int same_subarray(const PyArray_Descr *known, const PyArray_Descr *given)
{
    PyObject *shape, *other;

    if (!PyDataType_HASSUBARRAY(known) || !PyDataType_HASSUBARRAY(given))
        return 0;
    shape = PyDataType_SUBARRAY(known)->shape;
    other = PyDataType_SUBARRAY(given)->shape;
    if (PyTuple_GET_SIZE(shape) != PyTuple_GET_SIZE(other))
        return 0;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(shape); k++)
        if (PyLong_AsLong(PyTuple_GET_ITEM(shape, k)) != PyLong_AsLong(PyTuple_GET_ITEM(other, k)))
            return 0;
    return same_dtype(PyDataType_SUBARRAY(known)->base, PyDataType_SUBARRAY(given)->base);
}

int same_dtype(PyArray_Descr *known, PyArray_Descr *given)
{
    int number = known->type_num;

    if (!same_type(given->type_num, number) || !PyDataType_ISNOTSWAPPED(given))
        return 0;
    if (PyTypeNum_ISDATETIME(number))
        return same_unit(unit_of(known), unit_of(given));
    if (PyTypeNum_ISFLEXIBLE(number) && PyDataType_ELSIZE(known) != PyDataType_ELSIZE(given))
        return 0;
    if (number != NPY_VOID)
        return 1;
    if (PyDataType_HASSUBARRAY(known) || PyDataType_HASSUBARRAY(given))
        return same_subarray(known, given);
    if (were_same(known, given))
        return 1;
    if (known->typeobj != given->typeobj || !same_fields(known, given))
        return 0;
    keep_pair(known, given);
    return 1;
}

int dtype_fits(const Specialization *spec, const node *n, PyArray_Descr *given)
{
    return same_dtype(dtype_of(spec, n), given);
}

/* --- arguments ----------------------------------------------------------------------------- */

static int put_time(PyArray_Descr *dtype, PyObject *value, int64_t *slot)
{
    PyDatetimeScalarObject *time = (PyDatetimeScalarObject *)value;

    if (!Py_IS_TYPE(value, dtype->typeobj) || !same_unit(&time->obmeta, unit_of(dtype)))
        return 0;
    *slot = time->obval;
    return 1;
}

static int put_record(const node *n, PyArray_Descr *dtype, PyObject *value, int64_t *slots,
                      int lenient)
{
    PyVoidScalarObject *record = (PyVoidScalarObject *)value;
    int readonly;

    if (!Py_IS_TYPE(value, dtype->typeobj) ||
        !same_dtype(dtype, (PyArray_Descr *)record->descr))
        return 0;
    readonly = !(record->flags & NPY_ARRAY_WRITEABLE);
    if (lenient ? readonly > n->flags : readonly != n->flags)
        return 0;
    slots[0] = (int64_t)((uintptr_t)value | 1);
    slots[1] = (int64_t)(uintptr_t)record->obval;
    return 1;
}

int unbox_time(const Specialization *spec, const node **next, PyObject *value,
               int64_t *here, int64_t **slots, int how)
{
    return put_time(dtype_of(spec, *next - 1), value, here);
}

int unbox_record(const Specialization *spec, const node **next, PyObject *value,
                 int64_t *here, int64_t **slots, int how)
{
    const node *n = *next - 1;

    return put_record(n, dtype_of(spec, n), value, here, how & LENIENT);
}

int unbox_dtype(const Specialization *spec, const node **next, PyObject *value,
                int64_t *here, int64_t **slots, int how)
{
    return PyArray_DescrCheck(value) &&
           same_dtype(dtype_of(spec, *next - 1), (PyArray_Descr *)value);
}

int unbox_opaque(const Specialization *spec, const node **next, PyObject *value,
                 int64_t *here, int64_t **slots, int how)
{
    *here = (int64_t)((uintptr_t)value | 1);
    return (PyObject *)Py_TYPE(value) == PyTuple_GET_ITEM(spec->constants, (*next - 1)->count);
}

/* --- results ------------------------------------------------------------------------------- */

PyArray_Descr *dtype_to_give(const Specialization *spec, const node *n)
{
    PyArray_Descr *dtype;

    if (n->kind == 'A')
        return PyArray_DescrFromType(n->type);
    dtype = dtype_of(spec, n);
    if (PyDataType_HASFIELDS(dtype)) /* this also copies the dtypes of its fields */
        return PyArray_DescrNewByteorder(dtype, NPY_NATIVE);
    Py_INCREF(dtype);
    return dtype;
}

/* Make a record: its owner itself if it is a view of all of that. */
PyObject *box_record(Specialization *spec, const node **next, const int64_t *here,
                     const int64_t **slots)
{
    const node *n = *next - 1;
    node view = *n;
    PyObject *array, *record = NULL;
    PyArray_Descr *dtype = dtype_of(spec, n);

    if (here[0] & 1) {
        PyObject *owner = (PyObject *)(uintptr_t)(here[0] & ~(int64_t)1);
        PyVoidScalarObject *known = (PyVoidScalarObject *)owner;
        if (Py_IS_TYPE(owner, dtype->typeobj) && known->obval == (char *)(uintptr_t)here[1] &&
            same_dtype(dtype, (PyArray_Descr *)known->descr))
            return owner; /* its reference becomes the result's */
    }
    view.kind = 'G';
    view.type = (unsigned char)n->count;
    view.count = 0;
    array = box_array(spec, &view, here);
    if (array)
        record = PyArray_Scalar(PyArray_DATA((PyArrayObject *)array),
                                PyArray_DESCR((PyArrayObject *)array), array);
    Py_XDECREF(array);
    return record;
}

PyObject *box_time(Specialization *spec, const node **next, const int64_t *here,
                   const int64_t **slots)
{
    return PyArray_Scalar((void *)here, dtype_of(spec, *next - 1), NULL);
}

PyObject *box_dtype(Specialization *spec, const node **next, const int64_t *here,
                    const int64_t **slots)
{
    return (PyObject *)dtype_to_give(spec, *next - 1);
}

/* Its reference becomes the result's. */
PyObject *box_opaque(Specialization *spec, const node **next, const int64_t *here,
                     const int64_t **slots)
{
    return (PyObject *)(uintptr_t)(*here & ~(int64_t)1);
}
