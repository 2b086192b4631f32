/* Arguments on their way to the Python half of a kernel's dispatcher, which types them and
   compiles.

   Shadows of data on a GPU are among them, and to read an element of one would end the process: a
   debugger that shows the variables of a frame would, or a traceback with its variables.  So Python
   gets stand-ins, small arrays of the same type; and while it lays out arguments, opaque cells. */

#include "driver.h"

typedef struct {
    PyObject_HEAD
    PyObject *value;
} Cell;

static void cell_dealloc(Cell *self)
{
    Py_XDECREF(self->value);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

PyTypeObject CellType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.driver_c._driver.Cell",
    .tp_doc = "An argument of a launch.",
    .tp_basicsize = sizeof(Cell),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = (destructor)cell_dealloc,
};

static PyObject *in_cell(PyObject *value)
{
    Cell *cell = PyObject_New(Cell, &CellType);

    if (cell) {
        Py_INCREF(value);
        cell->value = value;
    }
    return (PyObject *)cell;
}

/* The value of a cell; any other object itself.  A new reference. */
static PyObject *out_of_cell(PyObject *object)
{
    PyObject *value = Py_IS_TYPE(object, &CellType) ? ((Cell *)object)->value : object;

    Py_INCREF(value);
    return value;
}

/* Map a function over the items of a tuple. */
static PyObject *each_item(PyObject *tuple, PyObject *(*change)(PyObject *))
{
    PyObject *made = PyTuple_New(PyTuple_GET_SIZE(tuple));

    for (Py_ssize_t k = 0; made && k < PyTuple_GET_SIZE(tuple); k++) {
        PyObject *item = change(PyTuple_GET_ITEM(tuple, k));
        if (!item)
            Py_CLEAR(made);
        else
            PyTuple_SET_ITEM(made, k, item);
    }
    return made;
}

/* Map a function over the values of a dict. */
static PyObject *each_value(PyObject *dict, PyObject *(*change)(PyObject *))
{
    PyObject *made = PyDict_New(), *key, *value;
    Py_ssize_t at = 0;

    while (made && PyDict_Next(dict, &at, &key, &value)) {
        PyObject *changed = change(value);
        if (!changed || PyDict_SetItem(made, key, changed) < 0)
            Py_CLEAR(made);
        Py_XDECREF(changed);
    }
    return made;
}

/* --- stand-ins ------------------------------------------------------------------------------------ */

/* An array of the same dtype, dimensions, order and flags with two elements along the first axes. */
static PyObject *small_array(PyArrayObject *like)
{
    PyArray_Descr *dtype = PyArray_DESCR(like);
    int ndim = PyArray_NDIM(like), flags = PyArray_FLAGS(like);
    int is_f = !(flags & NPY_ARRAY_C_CONTIGUOUS) && flags & NPY_ARRAY_F_CONTIGUOUS;
    int is_plain = flags & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS);
    npy_intp shape[NPY_MAXDIMS], strides[NPY_MAXDIMS], bytes = 8 * PyDataType_ELSIZE(dtype) + 1;
    npy_intp step = (is_plain ? 1 : 2) * PyDataType_ELSIZE(dtype);
    PyObject *room = PyArray_ZEROS(1, &bytes, NPY_UINT8, 0), *made;

    if (!room)
        return NULL;
    for (int k = 0; k < ndim; k++) {
        int axis = is_f ? k : ndim - 1 - k;
        shape[axis] = axis < 2 ? 2 : 1;
        strides[axis] = step;
        step *= shape[axis];
    }
    Py_INCREF(dtype);
    made = PyArray_NewFromDescr(&PyArray_Type, dtype, ndim, shape, strides,
                                PyArray_BYTES((PyArrayObject *)room) + !(flags & NPY_ARRAY_ALIGNED),
                                flags & NPY_ARRAY_WRITEABLE, NULL);
    if (!made || PyArray_SetBaseObject((PyArrayObject *)made, room) < 0) { /* takes over the
                                                                              reference */
        if (!made)
            Py_DECREF(room);
        Py_XDECREF(made);
        return NULL;
    }
    PyArray_UpdateFlags((PyArrayObject *)made, NPY_ARRAY_UPDATE_ALL);
    return made;
}

static PyObject *small_record(PyVoidScalarObject *like)
{
    PyArray_Descr *dtype = (void *)like->descr;
    char *zeros = PyMem_Calloc((size_t)PyDataType_ELSIZE(dtype) + 1, 1);
    PyObject *made = zeros ? PyArray_Scalar(zeros, dtype, NULL) : PyErr_NoMemory();

    PyMem_Free(zeros);
    return made;
}

/* A readable value of the same type; a new reference. */
static PyObject *stand_in(PyObject *value)
{
    PyObject *items;

    if (PyObject_TypeCheck(value, &DataType))
        value = ((Data *)value)->shadow;
    if (PyArray_Check(value))
        return small_array((PyArrayObject *)value);
    if (PyArray_IsScalar(value, Void) && PyDataType_HASFIELDS((PyArray_Descr *)(void *)(
                                             (PyVoidScalarObject *)value)->descr))
        return small_record((PyVoidScalarObject *)value);
    if (!PyTuple_Check(value)) {
        Py_INCREF(value);
        return value;
    }
    if (Py_EnterRecursiveCall(" in the arguments of a launch"))
        return NULL;
    items = each_item(value, stand_in);
    Py_LeaveRecursiveCall();
    return items ? same_class(value, items) : NULL;
}

static PyObject *py_stand_in(PyObject *module, PyObject *value)
{
    return stand_in(value);
}

/* --- the Python half's answer --------------------------------------------------------------------- */

/* A bound argument, out of its cell; those of *args are in a tuple. */
static PyObject *uncovered(PyObject *object)
{
    return PyTuple_CheckExact(object) ? each_item(object, out_of_cell) : out_of_cell(object);
}

/* The arguments as laid out by `bind`. */
static PyObject *in_places(PyObject *bind, PyObject *positional, PyObject *keywords)
{
    PyObject *args = each_item(positional, in_cell), *named = each_value(keywords, in_cell);
    PyObject *bound = args && named ? PyObject_CallFunctionObjArgs(bind, args, named, NULL) : NULL;
    PyObject *made = NULL;

    if (bound && PyTuple_Check(bound))
        made = each_item(bound, uncovered);
    else if (bound)
        PyErr_SetString(PyExc_TypeError, "bound arguments are a tuple");
    Py_XDECREF(args);
    Py_XDECREF(named);
    Py_XDECREF(bound);
    return made;
}

static PyObject *resolve(PyObject *module, PyObject *all)
{
    PyObject *ask, *bind, *positional, *keywords, *args, *named, *answer = NULL, *made = NULL;

    if (!PyArg_ParseTuple(all, "OOO!O!", &ask, &bind, &PyTuple_Type, &positional, &PyDict_Type,
                          &keywords))
        return NULL;
    args = each_item(positional, stand_in);
    named = each_value(keywords, stand_in);
    if (args && named)
        answer = PyObject_CallFunctionObjArgs(ask, args, named, NULL);
    Py_XDECREF(args);
    Py_XDECREF(named);
    if (!answer || !PyTuple_Check(answer) || PyTuple_GET_SIZE(answer) != 2)
        return answer; /* an exception that the call raises */
    made = in_places(bind, positional, keywords);
    if (made)
        made = Py_BuildValue("ON", PyTuple_GET_ITEM(answer, 0), made);
    Py_DECREF(answer);
    return made;
}

PyMethodDef resolving_functions[] = {
    {"resolve", resolve, METH_VARARGS,
     "resolve(ask, bind, args, kwargs): ask(args, kwargs) gives a specialization for stand-ins, or an "
     "exception; bind(args, kwargs) puts cells into their places.  The answer for a dispatcher."},
    {"stand_in", py_stand_in, METH_O,
     "stand_in(value) -> a value of the same type whose memory can be read."},
    {NULL, NULL, 0, NULL},
};
