/* Guards: whether an argument fits its descriptor, and the slots of its fields. */

#include "dispatch.h"

#include <math.h>
#include <structmember.h>

/* Whether a value is of a class that guards of other kinds can reject at once. */
static inline int is_plain(PyObject *value)
{
    const PyTypeObject *cls = Py_TYPE(value);

    return cls == &PyLong_Type || cls == &PyFloat_Type || cls == &PyBool_Type ||
           cls == &PyArray_Type || cls == &PyTuple_Type || value == Py_None;
}

/* The integer in a NumPy scalar, with its kind and size; 0 for a timedelta64.  It is read from
   memory: a subclass may have its own __index__, and no guard runs Python code. */
static int scalar_integer(PyObject *value, char *kind, int *bytes, int64_t *number)
{
    PyArray_Descr *descr;
    int unused;

    if (Py_IS_TYPE(value, &PyLongArrType_Type)) { /* the usual class */
        *kind = 'i';
        *bytes = sizeof(npy_long);
        *number = PyArrayScalar_VAL(value, Long);
        return 1;
    }
    descr = PyArray_DescrFromScalar(value);
    *kind = descr->kind;
    *bytes = (int)PyDataType_ELSIZE(descr);
    Py_DECREF(descr);
    if (*kind != 'i' && *kind != 'u')
        return 0;
    *number = 0;
    memcpy(number, &PyArrayScalar_VAL(value, Byte), (size_t)*bytes);
    unused = 64 - 8 * *bytes;
    if (*kind == 'i')
        *number = (int64_t)((uint64_t)*number << unused) >> unused;
    return 1;
}

/* Convert another number to an integer, for explicit signatures; NULL with *refused if they do not
   convert it, else with an exception set. */
static PyObject *integer_of(PyObject *value, int *refused)
{
    PyObject *number;

    *refused = 0;
    if (PyArray_IsScalar(value, Bool))
        return PyLong_FromLong(PyArrayScalar_VAL(value, Bool) != 0);
    if (PyFloat_Check(value) || PyArray_IsScalar(value, Floating)) {
        double real = PyFloat_AsDouble(value);
        if (real == -1.0 && PyErr_Occurred())
            return NULL;
        if (real == floor(real) && isfinite(real))
            return PyLong_FromDouble(real);
        number = PyFloat_FromDouble(real);
        if (number)
            PyErr_Format(PyExc_TypeError, "%R is not an integer, which the signature asks for",
                         number);
        Py_XDECREF(number);
        return NULL;
    }
    *refused = !PyIndex_Check(value);
    return *refused ? NULL : PyNumber_Index(value);
}

static int put_integer(const node *n, PyObject *value, int64_t *slot, int lenient)
{
    int overflow, bytes, refused = 0;
    char kind;
    long long number;
    int64_t held;
    PyObject *index = NULL;

    if (PyLong_CheckExact(value)) {
        if (!lenient && (n->bytes != 8 || n->kind == 'u'))
            return 0;
    }
    else if (!lenient && is_plain(value))
        return 0;
    else if (PyBool_Check(value)) {
        *slot = value == Py_True;
        return 1;
    }
    else if (PyArray_IsScalar(value, Integer)) {
        if (!scalar_integer(value, &kind, &bytes, &held))
            return 0;
        if (kind == n->kind && bytes == n->bytes) {
            *slot = held;
            return 1;
        }
        if (!lenient)
            return 0;
        index = kind == 'u' ? PyLong_FromUnsignedLongLong((unsigned long long)held)
                            : PyLong_FromLongLong(held);
    }
    else if (lenient)
        index = integer_of(value, &refused);
    else
        return 0;
    if (!PyLong_CheckExact(value)) {
        if (!index)
            return refused ? 0 : -1;
        value = index;
    }
    number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow && n->kind == 'u' && n->bytes == 8) {
        number = (long long)PyLong_AsUnsignedLongLong(value);
        overflow = PyErr_Occurred() != NULL;
        PyErr_Clear();
    }
    else if (!overflow && n->kind == 'u' && number < 0)
        overflow = 1;
    else if (!overflow && n->bytes < 8) {
        long long top = 1LL << (8 * n->bytes - (n->kind == 'i'));
        overflow = number >= top || number < (n->kind == 'i' ? -top : 0);
    }
    Py_XDECREF(index);
    if (overflow) {
        PyErr_Format(PyExc_OverflowError, "the integer does not fit in %sint%d",
                     n->kind == 'u' ? "u" : "", 8 * n->bytes);
        return -1;
    }
    *slot = number;
    return 1;
}

/* Put a 32-bit float; 0 with an exception set if a finite number overflows to infinity. */
static int put_float(int64_t *slot, double number)
{
    float narrow = (float)number;

    if (isinf(narrow) && isfinite(number)) {
        PyErr_SetString(PyExc_OverflowError, "the number does not fit in float32");
        return 0;
    }
    *slot = 0;
    memcpy(slot, &narrow, sizeof(narrow));
    return 1;
}

/* The same for a 16-bit float. */
static int put_half(int64_t *slot, double number)
{
    *slot = half_of_double(number);
    if ((*slot & 0x7FFF) == 0x7C00 && isfinite(number)) {
        PyErr_SetString(PyExc_OverflowError, "the number does not fit in float16");
        return 0;
    }
    return 1;
}

static int put_real(const node *n, PyObject *value, int64_t *slot, int lenient)
{
    double number;

    if (PyFloat_CheckExact(value) && (lenient || n->bytes == 8))
        number = PyFloat_AS_DOUBLE(value);
    else if (!lenient && is_plain(value))
        return 0;
    else if (PyLong_CheckExact(value)) {
        number = PyLong_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred())
            return -1;
    }
    else if (n->bytes == 8 && PyArray_IsScalar(value, Double))
        number = PyArrayScalar_VAL(value, Double);
    else if (n->bytes == 4 && PyArray_IsScalar(value, Float))
        number = PyArrayScalar_VAL(value, Float);
    else if (n->bytes == 2 && PyArray_IsScalar(value, Half)) {
        *slot = PyArrayScalar_VAL(value, Half);
        return 1;
    }
    else if (lenient && !PyComplex_Check(value) && PyNumber_Check(value) &&
             !PyArray_IsScalar(value, ComplexFloating)) {
        number = PyFloat_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred())
            return -1;
    }
    else
        return 0;
    if (n->bytes < 8)
        return (n->bytes == 4 ? put_float : put_half)(slot, number) ? 1 : -1;
    put_double(slot, number);
    return 1;
}

static int put_complex(const node *n, PyObject *value, int64_t *slots, int lenient)
{
    Py_complex number;

    int same = n->bytes == 16
                   ? PyComplex_CheckExact(value) || PyArray_IsScalar(value, CDouble)
                   : PyArray_IsScalar(value, CFloat);

    if (!same && !(lenient && PyNumber_Check(value)))
        return 0;
    if (same && n->bytes == 8) {
        const char *parts = (const char *)&PyArrayScalar_VAL(value, CFloat);
        slots[0] = slots[1] = 0;
        memcpy(slots, parts, sizeof(float));
        memcpy(slots + 1, parts + sizeof(float), sizeof(float));
        return 1;
    }
    number = PyComplex_AsCComplex(value);
    if (number.real == -1.0 && PyErr_Occurred())
        return -1;
    if (n->bytes == 8)
        return put_float(slots, number.real) && put_float(slots + 1, number.imag) ? 1 : -1;
    put_double(slots, number.real);
    put_double(slots + 1, number.imag);
    return 1;
}

static int put_boolean(PyObject *value, int64_t *slot, int lenient)
{
    int truth, same;

    if (PyBool_Check(value)) {
        *slot = value == Py_True;
        return 1;
    }
    if (!lenient && is_plain(value))
        return 0;
    if (PyArray_IsScalar(value, Bool)) {
        *slot = PyArrayScalar_VAL(value, Bool) != 0;
        return 1;
    }
    if (!lenient || !PyNumber_Check(value))
        return 0;
    truth = PyObject_IsTrue(value);
    same = truth < 0 ? -1 : PyObject_RichCompareBool(value, truth ? Py_True : Py_False, Py_EQ);
    if (same == 0)
        PyErr_Format(PyExc_TypeError, "%R is neither 0 nor 1, and the signature asks for a bool",
                     value);
    *slot = truth;
    return same > 0 ? 1 : -1;
}

/* Whether an array's flags match a layout; an array contiguous in both orders has the layout C. */
static inline int has_layout(char layout, int flags)
{
    switch (layout) {
    case 'C':
        return (flags & NPY_ARRAY_C_CONTIGUOUS) != 0;
    case 'F':
        return (flags & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS)) ==
               NPY_ARRAY_F_CONTIGUOUS;
    }
    return !(flags & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS));
}

static inline int array_fits(const Specialization *spec, const node *n, PyArrayObject *array,
                             int lenient)
{
    const PyArray_Descr *descr = PyArray_DESCR(array);
    int flags = PyArray_FLAGS(array);
    int access = !(flags & NPY_ARRAY_WRITEABLE) + 2 * !(flags & NPY_ARRAY_ALIGNED);

    if (PyArray_NDIM(array) != n->count)
        return 0;
    if (n->kind == 'G' ? !dtype_fits(spec, n, PyArray_DESCR(array))
                       : !same_type(descr->type_num, n->type) || !PyArray_ISNBO(descr->byteorder))
        return 0;
    if (lenient)
        return (n->layout == 'A' || has_layout(n->layout, flags)) && !(access & ~n->flags);
    return has_layout(n->layout, flags) && access == n->flags;
}

static int put_array(const Specialization *spec, const node *n, PyObject *value, int64_t *slots,
                     int lenient)
{
    PyArrayObject *array = (PyArrayObject *)value;
    const npy_intp *shape, *strides;

    if (lenient ? !PyArray_Check(value) : !PyArray_CheckExact(value))
        return 0;
    if (!array_fits(spec, n, array, lenient))
        return 0;
    shape = PyArray_DIMS(array);
    strides = PyArray_STRIDES(array);
    *slots++ = (int64_t)((uintptr_t)value | 1);
    *slots++ = (int64_t)(uintptr_t)PyArray_DATA(array);
    for (int k = 0; k < n->count; k++)
        *slots++ = shape[k];
    for (int k = 0; k < n->count; k++)
        *slots++ = strides[k];
    return 1;
}

/* The offsets of start, stop and step in a range, from the table of its attributes. */
static Py_ssize_t range_offsets[3];

int find_range_fields(void)
{
    static const char *const names[] = {"start", "stop", "step"};

    for (int k = 0; k < 3; k++) {
        const PyMemberDef *member = PyRange_Type.tp_members;
        while (member && member->name && strcmp(member->name, names[k]))
            member++;
        if (!member || !member->name) {
            PyErr_SetString(PyExc_SystemError, "a range has other fields than expected");
            return -1;
        }
        range_offsets[k] = member->offset;
    }
    return 0;
}

static int put_range(PyObject *value, int64_t *slots)
{
    if (!PyRange_Check(value))
        return 0;
    for (int k = 0; k < 3; k++) {
        PyObject *part = *(PyObject **)((char *)value + range_offsets[k]);
        if (PyLong_CheckExact(part) && small_integer(part, &slots[k]))
            continue;
        slots[k] = PyLong_AsLongLong(part);
        if (slots[k] == -1 && PyErr_Occurred())
            return -1;
    }
    return 1;
}

int unbox_items(const Specialization *spec, const node **next, PyObject *value,
                int64_t *here, int64_t **slots, int how)
{
    const node *n = *next - 1;
    PyObject *cls = (PyObject *)&PyTuple_Type;

    if (n->kind == 'T')
        cls = PyTuple_GET_ITEM(spec->constants, n->type);
    if ((PyObject *)Py_TYPE(value) != cls || PyTuple_GET_SIZE(value) != n->count)
        return 0;
    for (int k = 0; k < n->count; k++) {
        int fits = unbox_item(spec, next, PyTuple_GET_ITEM(value, k), slots, how);
        if (fits <= 0)
            return fits;
    }
    return 1;
}

/* A bound of a slice is a value of type int64, which excludes bool. */
static int put_bound(PyObject *value, int64_t *slot)
{
    char kind;
    int bytes;

    if (PyArray_IsScalar(value, Integer))
        return scalar_integer(value, &kind, &bytes, slot) && kind == 'i' && bytes == 8;
    if (!PyLong_Check(value) || PyBool_Check(value))
        return 0;
    *slot = PyLong_AsLongLong(value);
    return *slot == -1 && PyErr_Occurred() ? -1 : 1;
}

/* The present bounds are integers, the others None: which are present is part of the type. */
int unbox_slice(const Specialization *spec, const node **next, PyObject *value,
                int64_t *here, int64_t **slots, int how)
{
    const node *n = *next - 1;
    PySliceObject *slice = (PySliceObject *)value;
    PyObject *parts[3];

    if (!PySlice_Check(value))
        return 0;
    parts[0] = slice->start;
    parts[1] = slice->stop;
    parts[2] = slice->step;
    for (int k = 0; k < 3; k++) {
        int fits = n->flags >> k & 1 ? put_bound(parts[k], here++) : parts[k] == Py_None;
        if (fits <= 0)
            return fits;
    }
    return 1;
}

int unbox_optional(const Specialization *spec, const node **next, PyObject *value,
                   int64_t *here, int64_t **slots, int how)
{
    *here = value != Py_None;
    if (*here)
        return unbox(spec, next, value, slots, how);
    for (int count = count_slots(next); count; count--)
        *(*slots)++ = 0;
    return 1;
}

PyObject *get_member(const Specialization *spec, const node *n, PyObject *value, int place)
{
    PyObject *names = PyTuple_GET_ITEM(spec->constants, n->bytes);

    return PyObject_GenericGetAttr(value, PyTuple_GET_ITEM(names, place));
}

/* An object of a class, by its attributes.  The caller of compiled code reads them again, and holds
   them meanwhile (buffers.c). */
int unbox_composite(const Specialization *spec, const node **next, PyObject *value,
                    int64_t *here, int64_t **slots, int how)
{
    const node *n = *next - 1;
    int fits = (PyObject *)Py_TYPE(value) == PyTuple_GET_ITEM(spec->constants, n->type);

    for (int k = 0; fits > 0 && k < n->count; k++) {
        PyObject *member = get_member(spec, n, value, k);
        if (!member) {
            PyErr_Clear();
            return 0;
        }
        fits = unbox_item(spec, next, member, slots, how);
        Py_DECREF(member);
    }
    return fits;
}

/* One of several objects, by identity: the slot is its index among them. */
int unbox_choice(const Specialization *spec, const node **next, PyObject *value,
                 int64_t *here, int64_t **slots, int how)
{
    PyObject *choices = PyTuple_GET_ITEM(spec->constants, (*next - 1)->count);

    for (*here = 0; *here < PyTuple_GET_SIZE(choices); (*here)++)
        if (PyTuple_GET_ITEM(choices, *here) == value)
            return 1;
    return 0;
}

/* Whether a value is equal to a constant and of its class, one whose comparison runs no Python code
   and cannot fail. */
static int is_literal(PyObject *constant, PyObject *value)
{
    if (value == constant)
        return 1;
    if (Py_TYPE(value) != Py_TYPE(constant))
        return 0;
    if (!PyLong_CheckExact(value) && !PyUnicode_CheckExact(value) && !PyBytes_CheckExact(value))
        return 0;
    return PyObject_RichCompareBool(value, constant, Py_EQ) == 1;
}

/* --- as rows of the table of kinds ----------------------------------------------------------- */

int unbox_integer(const Specialization *spec, const node **next, PyObject *value,
                  int64_t *here, int64_t **slots, int how)
{
    return put_integer(*next - 1, value, here, how & LENIENT);
}

int unbox_real(const Specialization *spec, const node **next, PyObject *value,
               int64_t *here, int64_t **slots, int how)
{
    return put_real(*next - 1, value, here, how & LENIENT);
}

int unbox_complex(const Specialization *spec, const node **next, PyObject *value,
                  int64_t *here, int64_t **slots, int how)
{
    return put_complex(*next - 1, value, here, how & LENIENT);
}

int unbox_boolean(const Specialization *spec, const node **next, PyObject *value,
                  int64_t *here, int64_t **slots, int how)
{
    return put_boolean(value, here, how & LENIENT);
}

int unbox_array(const Specialization *spec, const node **next, PyObject *value,
                int64_t *here, int64_t **slots, int how)
{
    return put_array(spec, *next - 1, value, here, how & LENIENT);
}

int unbox_none(const Specialization *spec, const node **next, PyObject *value,
               int64_t *here, int64_t **slots, int how)
{
    return value == Py_None;
}

int unbox_range(const Specialization *spec, const node **next, PyObject *value,
                int64_t *here, int64_t **slots, int how)
{
    return put_range(value, here);
}

int unbox_same(const Specialization *spec, const node **next, PyObject *value,
               int64_t *here, int64_t **slots, int how)
{
    return value == PyTuple_GET_ITEM(spec->constants, (*next - 1)->count);
}

int unbox_literal(const Specialization *spec, const node **next, PyObject *value,
                  int64_t *here, int64_t **slots, int how)
{
    return is_literal(PyTuple_GET_ITEM(spec->constants, (*next - 1)->count), value);
}
