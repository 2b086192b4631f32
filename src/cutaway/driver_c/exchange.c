/* Arrays of other libraries, by DLPack: CuPy, PyTorch, JAX.

   A class that has `__dlpack_c_exchange_api__` (DLPack 1.3) exports a table of C functions, one of
   which describes a tensor's memory without making an object.  It is looked up once for each class.
   The layout of the structs is that of dlpack.h. */

#include "driver.h"

typedef struct {
    uint32_t major, minor;
} dl_version;

typedef struct {
    int32_t type, id;
} dl_device;

typedef struct {
    uint8_t code, bits;
    uint16_t lanes;
} dl_type;

typedef struct {
    void *data;
    dl_device device;
    int32_t ndim;
    dl_type dtype;
    int64_t *shape, *strides; /* in elements; NULL if it is contiguous */
    uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
    dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *self);
} dl_managed;

typedef struct dl_versioned {
    dl_version version;
    void *context;
    void (*deleter)(struct dl_versioned *self);
    uint64_t flags;
    dl_tensor tensor;
} dl_versioned;

typedef struct dl_header {
    dl_version version;
    struct dl_header *previous;
} dl_header;

typedef struct {
    dl_header header;
    int (*allocate)(dl_tensor *prototype, dl_versioned **made, void *context,
                    void (*set_error)(void *context, const char *kind, const char *message));
    int (*managed_from_object)(void *object, dl_versioned **made);
    int (*object_from_managed)(dl_versioned *tensor, void **made);
    int (*tensor_from_object)(void *object, dl_tensor *filled);
    int (*current_stream)(int32_t device_type, int32_t device, void **stream);
} dl_table;

enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 };
enum { DL_INT, DL_UINT, DL_FLOAT, DL_OPAQUE, DL_BFLOAT, DL_COMPLEX, DL_BOOL };
enum { DL_IS_READONLY = 1 };

#define MOST_CLASSES 256 /* cached classes; then all are forgotten */

static PyObject *tables; /* class -> its capsule, or None */

/* The capsule of a class, or None: a new reference, or NULL with an exception set. */
static PyObject *capsule_of(PyTypeObject *cls)
{
    PyObject *known = dict_at(&tables), *capsule;
    int there = known ? item_of(known, (PyObject *)cls, &capsule) : -1;

    if (there < 0)
        return NULL;
    if (there)
        return capsule;
    capsule = PyObject_GetAttrString((PyObject *)cls, "__dlpack_c_exchange_api__");
    if (!capsule || !PyCapsule_IsValid(capsule, "dlpack_exchange_api")) {
        PyErr_Clear();
        Py_XDECREF(capsule);
        capsule = Py_NewRef(Py_None);
    }
    if (PyDict_GET_SIZE(known) >= MOST_CLASSES)
        PyDict_Clear(known);
    if (PyDict_SetItem(known, (PyObject *)cls, capsule) < 0)
        Py_CLEAR(capsule);
    return capsule;
}

const void *exchange_table(PyTypeObject *cls)
{
    PyObject *capsule = capsule_of(cls);
    const dl_header *header;

    if (!capsule || capsule == Py_None) {
        PyErr_Clear();
        Py_XDECREF(capsule);
        return NULL;
    }
    header = PyCapsule_GetPointer(capsule, "dlpack_exchange_api"); /* the library keeps it */
    Py_DECREF(capsule);
    while (header && header->version.major > 1)
        header = header->previous;
    if (!header || header->version.major != 1 || !((const dl_table *)header)->tensor_from_object)
        return NULL;
    return header;
}

/* NumPy's number of a type; -1 if it has none. */
static int number_of_type(dl_type type)
{
    static const struct {
        uint8_t code, bits;
        int number;
    } rows[] = {
        {DL_BOOL, 8, NPY_BOOL},       {DL_INT, 8, NPY_INT8},      {DL_INT, 16, NPY_INT16},
        {DL_INT, 32, NPY_INT32},      {DL_INT, 64, NPY_INT64},    {DL_UINT, 8, NPY_UINT8},
        {DL_UINT, 16, NPY_UINT16},    {DL_UINT, 32, NPY_UINT32},  {DL_UINT, 64, NPY_UINT64},
        {DL_FLOAT, 16, NPY_HALF},     {DL_FLOAT, 32, NPY_FLOAT},  {DL_FLOAT, 64, NPY_DOUBLE},
        {DL_COMPLEX, 64, NPY_CFLOAT}, {DL_COMPLEX, 128, NPY_CDOUBLE},
        {DL_BFLOAT, 16, NPY_UINT16}, /* its type in arrays of kernels */
    };

    for (size_t k = 0; type.lanes == 1 && k < Py_ARRAY_LENGTH(rows); k++)
        if (rows[k].code == type.code && rows[k].bits == type.bits)
            return rows[k].number;
    return -1;
}

static PyObject *shadow_of_dl(const dl_tensor *tensor, int is_readonly)
{
    npy_intp shape[NPY_MAXDIMS], strides[NPY_MAXDIMS], step;
    int number = number_of_type(tensor->dtype);
    PyArray_Descr *dtype;

    if (number < 0 || tensor->ndim < 0 || tensor->ndim > NPY_MAXDIMS) {
        PyErr_Format(PyExc_TypeError,
                     "a tensor of this type cannot be passed to a kernel: DLPack's code %d of %d bits",
                     tensor->dtype.code, tensor->dtype.bits);
        return NULL;
    }
    dtype = PyArray_DescrFromType(number);
    if (!dtype)
        return NULL;
    step = PyDataType_ELSIZE(dtype);
    for (int k = tensor->ndim - 1; k >= 0; k--) {
        shape[k] = (npy_intp)tensor->shape[k];
        strides[k] = tensor->strides ? (npy_intp)tensor->strides[k] * PyDataType_ELSIZE(dtype) : step;
        step *= shape[k];
    }
    return shadow_of(dtype, tensor->ndim, shape, strides,
                     (uint64_t)(uintptr_t)tensor->data + tensor->byte_offset, is_readonly);
}

PyObject *shadow_of_tensor(const void *table, PyObject *value, int *is_host, int *device)
{
    dl_tensor tensor;

    *is_host = 0;
    if (((const dl_table *)table)->tensor_from_object(value, &tensor) != 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a tensor that its library does not hand out");
        return NULL;
    }
    *device = tensor.device.id;
    if (tensor.device.type == DL_CUDA || tensor.device.type == DL_CUDA_MANAGED)
        return shadow_of_dl(&tensor, 0);
    *is_host = tensor.device.type == DL_CPU || tensor.device.type == DL_CUDA_HOST;
    if (!*is_host)
        PyErr_Format(PyExc_TypeError, "a tensor that is not in the memory of a GPU of NVIDIA's: DLPack's "
                                      "device type %d", tensor.device.type);
    return NULL;
}

int stream_of_library(const void *table, int device, CUstream *stream)
{
    void *found = NULL;

    if (!((const dl_table *)table)->current_stream)
        return 0;
    if (((const dl_table *)table)->current_stream(DL_CUDA, device, &found) != 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_RuntimeError, "the library of a tensor does not tell its stream");
        return -1;
    }
    *stream = found;
    return 1;
}

/* --- exported arrays --------------------------------------------------------------------------- */

/* The references of an exported capsule; both of its forms begin with one of these. */
typedef struct {
    union {
        dl_managed managed;
        dl_versioned versioned;
    } as;
    PyObject *array;
    int64_t sizes[];
} handed_out;

static void drop(handed_out *out)
{
    PyGILState_STATE gil = PyGILState_Ensure();

    Py_DECREF(out->array);
    PyMem_RawFree(out);
    PyGILState_Release(gil);
}

static void drop_managed(dl_managed *self)
{
    drop(self->context);
}

static void drop_versioned(dl_versioned *self)
{
    drop(self->context);
}

/* Drop a capsule that was not consumed. */
static void drop_capsule(PyObject *capsule)
{
    const char *name = PyCapsule_GetName(capsule);

    if (name && (!strcmp(name, "dltensor") || !strcmp(name, "dltensor_versioned")))
        drop(PyCapsule_GetContext(capsule));
}

static dl_type type_of(PyArray_Descr *dtype)
{
    uint8_t bits = (uint8_t)(8 * PyDataType_ELSIZE(dtype));

    switch (dtype->kind) {
    case 'b':
        return (dl_type){DL_BOOL, bits, 1};
    case 'i':
        return (dl_type){DL_INT, bits, 1};
    case 'u':
        return (dl_type){DL_UINT, bits, 1};
    case 'f':
        return (dl_type){DL_FLOAT, bits, 1};
    case 'c':
        return (dl_type){DL_COMPLEX, bits, 1};
    }
    return (dl_type){DL_OPAQUE, 0, 0};
}

/* Fill in a tensor; -1 with an exception set if DLPack does not support the elements. */
static int describe(PyArrayObject *shadow, int device, dl_tensor *tensor, int64_t *sizes)
{
    PyArray_Descr *dtype = PyArray_DESCR(shadow);
    int ndim = PyArray_NDIM(shadow);
    npy_intp size = PyDataType_ELSIZE(dtype);

    tensor->dtype = type_of(dtype);
    if (!tensor->dtype.lanes) {
        PyErr_Format(PyExc_BufferError, "DLPack has no elements of the type %R", dtype);
        return -1;
    }
    tensor->data = PyArray_SIZE(shadow) ? PyArray_DATA(shadow) : NULL;
    tensor->device = (dl_device){DL_CUDA, device};
    tensor->ndim = ndim;
    tensor->shape = sizes;
    tensor->strides = sizes + ndim;
    tensor->byte_offset = 0;
    for (int k = 0; k < ndim; k++) {
        sizes[k] = PyArray_DIM(shadow, k);
        sizes[ndim + k] = PyArray_STRIDE(shadow, k) / size;
        if (PyArray_STRIDE(shadow, k) % size) {
            PyErr_SetString(PyExc_BufferError, "DLPack has no strides of parts of elements");
            return -1;
        }
    }
    return 0;
}

static PyObject *to_dlpack(PyObject *module, PyObject *args)
{
    PyObject *capsule;
    const Data *data;
    int device, is_versioned, filled;
    handed_out *out;

    if (!PyArg_ParseTuple(args, "O!ip", &DataType, &data, &device, &is_versioned) ||
        !is_data_open(data))
        return NULL;
    if (!PyArray_Check(data->shadow)) {
        PyErr_SetString(PyExc_BufferError, "DLPack has no records");
        return NULL;
    }
    out = PyMem_RawCalloc(1, sizeof(*out) + 2 * NPY_MAXDIMS * sizeof(int64_t));
    if (!out)
        return PyErr_NoMemory();
    filled = describe((PyArrayObject *)data->shadow, device,
                      is_versioned ? &out->as.versioned.tensor : &out->as.managed.tensor, out->sizes);
    if (is_versioned) {
        out->as.versioned.version = (dl_version){1, 1};
        out->as.versioned.context = out;
        out->as.versioned.deleter = drop_versioned;
        if (!PyArray_ISWRITEABLE((PyArrayObject *)data->shadow))
            out->as.versioned.flags = DL_IS_READONLY;
    }
    else {
        out->as.managed.context = out;
        out->as.managed.deleter = drop_managed;
    }
    capsule = filled < 0 ? NULL
                         : PyCapsule_New(out, is_versioned ? "dltensor_versioned" : "dltensor",
                                         drop_capsule);
    if (!capsule) {
        PyMem_RawFree(out);
        return NULL;
    }
    PyCapsule_SetContext(capsule, out);
    out->array = (PyObject *)data;
    Py_INCREF(data);
    return capsule;
}

/* Describe the tensor of a capsule, which keeps it alive. */
static PyObject *describe_dlpack(PyObject *module, PyObject *capsule)
{
    const dl_tensor *tensor = NULL;
    int is_readonly = 0;
    PyObject *shadow, *data, *answer = NULL;

    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        const dl_versioned *whole = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        if (whole->version.major == 1)
            tensor = &whole->tensor;
        is_readonly = (whole->flags & DL_IS_READONLY) != 0;
    }
    else if (PyCapsule_IsValid(capsule, "dltensor"))
        tensor = &((const dl_managed *)PyCapsule_GetPointer(capsule, "dltensor"))->tensor;
    if (!tensor || (tensor->device.type != DL_CUDA && tensor->device.type != DL_CUDA_MANAGED)) {
        PyErr_SetString(PyExc_TypeError, "no capsule of DLPack's with memory of a GPU");
        return NULL;
    }
    shadow = shadow_of_dl(tensor, is_readonly);
    if (!shadow)
        return NULL;
    data = PyObject_CallFunction((PyObject *)&DataType, "i()()OO", 0,
                                 PyArray_DESCR((PyArrayObject *)shadow), Py_None);
    if (data) {
        Py_SETREF(((Data *)data)->shadow, shadow);
        answer = Py_BuildValue("KNNCi",
                               (unsigned long long)(tensor->data ? (uintptr_t)tensor->data +
                                                                       tensor->byte_offset
                                                                 : 0),
                               PyObject_GetAttrString(data, "shape"),
                               PyObject_GetAttrString(data, "strides"),
                               (int)PyArray_DESCR((PyArrayObject *)shadow)->type, is_readonly);
        Py_DECREF(data);
    }
    else
        Py_DECREF(shadow);
    return answer;
}

PyMethodDef exchange_functions[] = {
    {"describe_dlpack", describe_dlpack, METH_O,
     "describe_dlpack(capsule) -> (address, shape, strides, letter of the type, whether it is "
     "read-only)."},
    {"to_dlpack", to_dlpack, METH_VARARGS,
     "to_dlpack(data, device, versioned) -> a capsule, as returned by `__dlpack__`."},
    {NULL, NULL, 0, NULL},
};
