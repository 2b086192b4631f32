/* Data on a GPU, and its shadow for the dispatcher.

   The dispatcher's guards, type codes and slots support NumPy arrays and records.  So each array on
   a GPU has a shadow: a NumPy array object with the same dtype, shape and strides, whose memory is
   the GPU's.  It is made once; a launch then costs no more than a call with an array of the host.

   The elements of a shadow must not be read.  So it stays in C, except while a kernel is compiled
   for it, and there only its dtype, shape and flags are read. */

#include "driver.h"

PyObject *shadow_of(PyArray_Descr *dtype, int ndim, const npy_intp *shape, const npy_intp *strides,
                    uint64_t address, int is_readonly)
{
    PyObject *shadow;

    if (!address)
        address = 256; /* no memory: NumPy would allocate some */
    shadow = PyArray_NewFromDescr(&PyArray_Type, dtype, ndim, shape, strides,
                                  (void *)(uintptr_t)address,
                                  is_readonly ? 0 : NPY_ARRAY_WRITEABLE, NULL);
    if (shadow)
        PyArray_UpdateFlags((PyArrayObject *)shadow, NPY_ARRAY_UPDATE_ALL);
    return shadow;
}

/* A record whose memory is a GPU's; takes over the reference of the dtype. */
static PyObject *shadow_of_record(PyArray_Descr *dtype, uint64_t address)
{
    PyTypeObject *cls = dtype->typeobj;
    PyVoidScalarObject *record;

    if (!PyType_IsSubtype(cls, &PyVoidArrType_Type) || !PyDataType_HASFIELDS(dtype)) {
        Py_DECREF(dtype);
        PyErr_SetString(PyExc_TypeError, "a record has a dtype with fields");
        return NULL;
    }
    record = (PyVoidScalarObject *)cls->tp_alloc(cls, 0);
    if (!record) {
        Py_DECREF(dtype);
        return NULL;
    }
    record->obval = (void *)(uintptr_t)address;
    record->descr = (void *)dtype; /* named differently in older NumPys */
    record->flags = NPY_ARRAY_WRITEABLE | NPY_ARRAY_ALIGNED;
    record->base = NULL;
    return (PyObject *)record;
}

int is_data_open(const Data *data)
{
    const Resource *owner = (const Resource *)data->owner;

    if (!Py_IS_TYPE(data->owner, &ResourceType) || SHARED(owner->is_open))
        return 1;
    raise_closed("memory");
    return 0;
}

/* Read the integers of a tuple; returns their number, or -1 with an exception set. */
static int read_sizes(PyObject *tuple, npy_intp *sizes)
{
    Py_ssize_t count;

    if (!PyTuple_Check(tuple) || (count = PyTuple_GET_SIZE(tuple)) > NPY_MAXDIMS) {
        PyErr_SetString(PyExc_TypeError, "a tuple of at most 64 integers is needed");
        return -1;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        sizes[k] = PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple, k));
        if (sizes[k] == -1 && PyErr_Occurred())
            return -1;
    }
    return (int)count;
}

static PyObject *new_shadow(PyArray_Descr *dtype, PyObject *shape, PyObject *strides,
                            unsigned long long address, int is_readonly)
{
    npy_intp sizes[NPY_MAXDIMS], steps[NPY_MAXDIMS];
    int ndim;

    Py_INCREF(dtype);
    if (shape == Py_None)
        return shadow_of_record(dtype, address);
    ndim = read_sizes(shape, sizes);
    if (ndim >= 0 && read_sizes(strides, steps) == ndim)
        return shadow_of(dtype, ndim, sizes, steps, address, is_readonly);
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "as many strides as dimensions are needed");
    Py_DECREF(dtype);
    return NULL;
}

static PyObject *data_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"address", "shape", "strides", "dtype", "owner", "readonly", NULL};
    unsigned long long address;
    PyObject *shape, *strides, *owner;
    PyArray_Descr *dtype;
    int is_readonly = 0;
    Data *self;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "KOOO!O|p", names, &address, &shape, &strides,
                                     &PyArrayDescr_Type, &dtype, &owner, &is_readonly))
        return NULL;
    self = (Data *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->shadow = new_shadow(dtype, shape, strides, address, is_readonly);
    Py_INCREF(owner);
    self->owner = owner;
    if (!self->shadow)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int data_traverse(Data *self, visitproc visit, void *arg)
{
    Py_VISIT(self->owner);
    Py_VISIT(self->stream);
    return 0;
}

static int data_clear(Data *self)
{
    Py_CLEAR(self->stream);
    return 0;
}

static void data_dealloc(Data *self)
{
    PyObject_GC_UnTrack(self);
    if (self->weakrefs)
        PyObject_ClearWeakRefs((PyObject *)self);
    Py_XDECREF(self->shadow);
    Py_XDECREF(self->owner);
    Py_XDECREF(self->stream);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static int is_record(const Data *self)
{
    return !PyArray_Check(self->shadow);
}

static PyObject *tuple_of(int count, const npy_intp *numbers)
{
    PyObject *tuple = PyTuple_New(count);

    for (int k = 0; tuple && k < count; k++) {
        PyObject *number = PyLong_FromSsize_t(numbers[k]);
        if (!number)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, k, number);
    }
    return tuple;
}

static PyObject *data_shape(Data *self, void *unused)
{
    PyArrayObject *shadow = (PyArrayObject *)self->shadow;

    return is_record(self) ? PyTuple_New(0)
                           : tuple_of(PyArray_NDIM(shadow), PyArray_DIMS(shadow));
}

static PyObject *data_strides(Data *self, void *unused)
{
    PyArrayObject *shadow = (PyArrayObject *)self->shadow;

    return is_record(self) ? PyTuple_New(0)
                           : tuple_of(PyArray_NDIM(shadow), PyArray_STRIDES(shadow));
}

static PyObject *data_dtype(Data *self, void *unused)
{
    PyObject *dtype = is_record(self)
                          ? (PyObject *)((PyVoidScalarObject *)self->shadow)->descr
                          : (PyObject *)PyArray_DESCR((PyArrayObject *)self->shadow);

    Py_INCREF(dtype);
    return dtype;
}

/* The address, or 0 if there is no memory. */
static PyObject *data_address(Data *self, void *unused)
{
    PyArrayObject *shadow = (PyArrayObject *)self->shadow;
    void *address;

    if (!is_data_open(self))
        return NULL;
    if (is_record(self))
        address = ((PyVoidScalarObject *)self->shadow)->obval;
    else
        address = PyArray_SIZE(shadow) ? PyArray_DATA(shadow) : NULL;
    return PyLong_FromVoidPtr(address);
}

static PyObject *data_readonly(Data *self, void *unused)
{
    return PyBool_FromLong(!is_record(self) &&
                           !PyArray_ISWRITEABLE((PyArrayObject *)self->shadow));
}

static PyObject *data_order(Data *self, void *unused)
{
    PyArrayObject *shadow = (PyArrayObject *)self->shadow;

    if (is_record(self) || PyArray_IS_C_CONTIGUOUS(shadow))
        return PyUnicode_FromString("C");
    return PyUnicode_FromString(PyArray_IS_F_CONTIGUOUS(shadow) ? "F" : "A");
}

static PyMemberDef data_members[] = {
    {"owner", T_OBJECT, offsetof(Data, owner), READONLY, "What holds the memory."},
    {"stream", T_OBJECT, offsetof(Data, stream), 0,
     "The stream that its operations are queued in, unless they name another one."},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Data, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef data_getset[] = {
    {"shape", (getter)data_shape, NULL, "The sizes.", NULL},
    {"strides", (getter)data_strides, NULL, "The strides in bytes.", NULL},
    {"dtype", (getter)data_dtype, NULL, "The type of the elements.", NULL},
    {"address", (getter)data_address, NULL, "Where it lies in the memory of the GPU.", NULL},
    {"is_readonly", (getter)data_readonly, NULL, "Whether kernels must not write to it.", NULL},
    {"order", (getter)data_order, NULL, "C, F, or A where it is not contiguous.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject DataType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.driver_c._driver.Data",
    .tp_doc = "Data(address, shape, strides, dtype, owner, readonly=False)\n\n"
              "An array on a GPU; with None for a shape, a record.",
    .tp_basicsize = sizeof(Data),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_new = data_new,
    .tp_dealloc = (destructor)data_dealloc,
    .tp_traverse = (traverseproc)data_traverse,
    .tp_clear = (inquiry)data_clear,
    .tp_weaklistoffset = offsetof(Data, weakrefs),
    .tp_members = data_members,
    .tp_getset = data_getset,
};
