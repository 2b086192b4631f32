/* Ufuncs made of compiled code: NumPy's objects, whose inner loops are specializations.

   An element-wise loop is compiled as a whole: it receives the three arguments of NumPy's loops in
   three slots.  A loop over parts of arrays is here: it fills the slots of the kernel's arguments,
   arrays without an owner, and calls the kernel once for each part.

   NumPy runs loops without the GIL, and checks for an exception after them. */

#include "ufunc_loops.h"

#define LOOP_SLOTS 3
#define BLOCK 8192          /* bytes of equal elements */
#define MOST_REPEATED 4     /* numbers among the inputs that are expanded to arrays */

/* All objects that a ufunc refers to without keeping them itself; its `obj` is this. */
typedef struct {
    PyObject_HEAD
    PyObject *half; /* the Python object that made it */
    PyObject *name, *doc;
    int count;
    PyUFuncGenericFunction *functions;
    void **data;
    char *types;
} LoopTable;

void raise_in_loop(const cutaway_exc *exc, int32_t status)
{
    PyGILState_STATE state = PyGILState_Ensure();

    if (!PyErr_Occurred()) { /* else it is a Python exception, or that of an earlier part */
        if (status == 1)
            raise_described(exc);
        else
            PyErr_SetString(PyExc_SystemError, "a compiled loop failed without an exception");
    }
    PyGILState_Release(state);
}

int begin_loop(cutaway_exc *exc)
{
    PyGILState_STATE state;

    begin_exc(exc);
    if ((uintptr_t)exc >= exc->stack_limit)
        return 1;
    state = PyGILState_Ensure();
    is_too_deep();
    PyGILState_Release(state);
    return 0;
}

static int32_t enter_loop(const loop_row *row, char **args, const npy_intp *dims,
                          const npy_intp *steps, cutaway_exc *exc)
{
    int64_t slots[LOOP_SLOTS] = {(int64_t)(intptr_t)args, (int64_t)(intptr_t)dims,
                                 (int64_t)(intptr_t)steps};
    int64_t result[1];

    return row->spec->entry(result, slots, exc);
}

/* Count the inputs that are one number for all elements, if all other operands are dense arrays;
   otherwise 0. */
static int count_repeated(const loop_row *row, const npy_intp *steps, int inputs)
{
    int repeated = 0;

    for (int k = 0; k < row->count; k++)
        if (steps[k] == 0 && k < inputs)
            repeated++;
        else if (steps[k] != row->operands[k].bytes)
            return 0;
    return repeated <= MOST_REPEATED && repeated < inputs ? repeated : 0;
}

/* Fill memory with copies of an element. */
static void fill(char *to, const char *element, npy_intp bytes, npy_intp total)
{
    memcpy(to, element, (size_t)bytes);
    for (npy_intp done = bytes; done < total; done *= 2)
        memcpy(to + done, to, (size_t)Py_MIN(done, total - done));
}

/* As `enter_loop`, block by block, with arrays of equal elements in place of numbers: compiled code
   has a version for arrays, and needs none for each combination with numbers. */
static int32_t enter_with_repeated(const loop_row *row, int inputs, char **args, npy_intp count,
                                   const npy_intp *steps, cutaway_exc *exc)
{
    _Alignas(64) char buffers[MOST_REPEATED][BLOCK];
    char *now[MOST_ARGUMENTS];
    npy_intp dense[MOST_ARGUMENTS], done = 0, widest = 1, most;
    int32_t status = 0;
    int used = 0;

    for (int k = 0; k < inputs; k++)
        widest = Py_MAX(widest, row->operands[k].bytes);
    most = BLOCK / widest;
    for (int k = 0; k < row->count; k++) {
        npy_intp bytes = row->operands[k].bytes;
        dense[k] = bytes;
        now[k] = args[k];
        if (steps[k] || k >= inputs)
            continue;
        now[k] = buffers[used++];
        fill(now[k], args[k], bytes, bytes * Py_MIN(count, most));
    }
    while (done < count && !status) {
        npy_intp block = Py_MIN(count - done, most);
        status = enter_loop(row, now, &block, dense, exc);
        done += block;
        for (int k = 0; k < row->count; k++)
            if (steps[k])
                now[k] += block * dense[k];
    }
    return status;
}

static void elementwise_loop(char **args, const npy_intp *dims, const npy_intp *steps, void *data)
{
    const loop_row *row = data;
    cutaway_exc exc;
    int32_t status;
    float_flags flags = saved_flags();

    if (!begin_loop(&exc))
        return;
    if (dims[0] >= 4 && count_repeated(row, steps, row->inputs))
        status = enter_with_repeated(row, row->inputs, args, dims[0], steps, &exc);
    else
        status = enter_loop(row, args, dims, steps, &exc);
    restore_flags(flags);
    if (status)
        raise_in_loop(&exc, status);
}

/* A loop whose code runs elsewhere: NumPy only uses its types. */
static void absent_loop(char **args, const npy_intp *dims, const npy_intp *steps, void *data)
{
    PyGILState_STATE state = PyGILState_Ensure();

    PyErr_SetString(PyExc_SystemError, "this loop has no code for the processor");
    PyGILState_Release(state);
}

/* --- the table of a ufunc's loops -------------------------------------------------------------- */

static void table_dealloc(LoopTable *self)
{
    PyObject_GC_UnTrack(self);
    for (int k = 0; k < self->count; k++) {
        loop_row *row = self->data ? self->data[k] : NULL;
        if (row) {
            Py_XDECREF(row->spec);
            Py_XDECREF(row->contiguous);
            PyMem_Free(row);
        }
    }
    PyMem_Free(self->functions);
    PyMem_Free(self->data);
    PyMem_Free(self->types);
    Py_XDECREF(self->half);
    Py_XDECREF(self->name);
    Py_XDECREF(self->doc);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static int table_traverse(LoopTable *self, visitproc visit, void *arg)
{
    Py_VISIT(self->half);
    for (int k = 0; self->data && k < self->count; k++) {
        loop_row *row = self->data[k];
        if (row) {
            Py_VISIT(row->spec);
            Py_VISIT(row->contiguous);
        }
    }
    return 0;
}

/* There is no tp_clear: the half's attributes break a cycle. */
PyTypeObject LoopTableType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.dispatch_c._dispatch.LoopTable",
    .tp_doc = "The loops of a ufunc, and the other objects that it refers to.",
    .tp_basicsize = sizeof(LoopTable),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = (destructor)table_dealloc,
    .tp_traverse = (traverseproc)table_traverse,
};

/* Read the row of one loop: (types, specialization, contiguous one or None, dimensions, cores,
   places). The specialization is None if the code runs elsewhere. */
static int read_row(LoopTable *self, int k, int nin, int nargs, PyObject *tuple)
{
    PyObject *spec, *contiguous;
    const char *types, *ndims, *cores, *places;
    Py_ssize_t type_count, ndim_count, core_count, place_count;
    core_row *core;

    if (!PyArg_ParseTuple(tuple, "y#OOy#y#y#", &types, &type_count, &spec, &contiguous, &ndims, &ndim_count, &cores, &core_count, &places,
                          &place_count))
        return -1;
    if (type_count != nargs || ndim_count != core_count || (ndim_count && ndim_count != nargs) ||
        (spec != Py_None && !Py_IS_TYPE(spec, &SpecializationType)) ||
        (contiguous != Py_None && !Py_IS_TYPE(contiguous, &SpecializationType))) {
        PyErr_SetString(PyExc_ValueError, "the row of a loop does not fit the ufunc");
        return -1;
    }
    core = PyMem_Calloc(1, sizeof(core_row) + (size_t)place_count * sizeof(int));
    if (!core) {
        PyErr_NoMemory();
        return -1;
    }
    self->data[k] = core;
    if (spec != Py_None)
        core->row.spec = (Specialization *)Py_NewRef(spec);
    if (contiguous != Py_None)
        core->row.contiguous = (Specialization *)Py_NewRef(contiguous);
    core->row.count = nargs;
    core->row.inputs = nin;
    for (Py_ssize_t d = 0; d < place_count; d++)
        core->places[d] = places[d];
    memcpy(self->types + k * nargs, types, (size_t)nargs);
    self->functions[k] = (PyUFuncGenericFunction)(spec == Py_None ? absent_loop
                                                  : ndim_count    ? core_loop
                                                                  : elementwise_loop);
    for (int n = 0; n < nargs; n++) {
        PyArray_Descr *descr = PyArray_DescrFromType(types[n]);
        operand *op = &core->row.operands[n];
        if (!descr)
            return -1;
        op->ndim = (signed char)(ndim_count ? ndims[n] : 0);
        op->core = (signed char)(ndim_count ? cores[n] : 0);
        op->type = types[n];
        op->bytes = PyDataType_ELSIZE(descr);
        Py_DECREF(descr);
    }
    return 0;
}

static LoopTable *new_table(PyObject *name, PyObject *doc, PyObject *half, int nin, int nargs,
                            PyObject *rows)
{
    LoopTable *self = (LoopTable *)PyType_GenericAlloc(&LoopTableType, 0);
    Py_ssize_t count = PyTuple_GET_SIZE(rows);

    if (!self)
        return NULL;
    self->half = Py_NewRef(half);
    self->name = Py_NewRef(name);
    self->doc = Py_NewRef(doc);
    self->count = (int)count;
    self->functions = PyMem_Calloc((size_t)count + 1, sizeof(*self->functions));
    self->data = PyMem_Calloc((size_t)count + 1, sizeof(*self->data));
    self->types = PyMem_Calloc((size_t)count * (size_t)nargs + 1, 1);
    if (!self->functions || !self->data || !self->types) {
        PyErr_NoMemory();
        Py_DECREF(self);
        return NULL;
    }
    for (Py_ssize_t k = 0; k < count; k++)
        if (read_row(self, (int)k, nin, nargs, PyTuple_GET_ITEM(rows, k)) < 0) {
            Py_DECREF(self);
            return NULL;
        }
    return self;
}

static PyObject *make_ufunc(PyObject *module, PyObject *args)
{
    PyObject *name, *doc, *half, *rows, *ufunc;
    int nin, nout, identity;
    const char *layout, *doc_text = NULL;
    LoopTable *table;

    if (!PyArg_ParseTuple(args, "UOOiiizO!", &name, &doc, &half, &nin, &nout, &identity, &layout,
                          &PyTuple_Type, &rows))
        return NULL;
    if (nin + nout > MOST_ARGUMENTS || (doc != Py_None && !(doc_text = PyUnicode_AsUTF8(doc)))) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "a ufunc has at most 32 arguments");
        return NULL;
    }
    table = new_table(name, doc, half, nin, nin + nout, rows);
    if (!table)
        return NULL;
    ufunc = PyUFunc_FromFuncAndDataAndSignature(
        table->functions, table->data, table->types, table->count, nin, nout, identity,
        PyUnicode_AsUTF8(name), doc_text, 0, layout);
    if (!ufunc) {
        Py_DECREF(table);
        return NULL;
    }
    ((PyUFuncObject *)ufunc)->obj = (PyObject *)table; /* the ufunc takes over the reference */
    if (!PyObject_GC_IsTracked(ufunc)) /* NumPy's own are in no cycle */
        PyObject_GC_Track(ufunc);
    return ufunc;
}

/* Mark inputs that a kernel writes to: NumPy passes their own memory, or copies writes back. */
static PyObject *set_writable(PyObject *module, PyObject *args)
{
    PyUFuncObject *ufunc;
    int place;

    if (!PyArg_ParseTuple(args, "O!i", &PyUFunc_Type, &ufunc, &place))
        return NULL;
    if (place < 0 || place >= ufunc->nin) {
        PyErr_SetString(PyExc_ValueError, "there is no such input");
        return NULL;
    }
    if (ufunc->obj && Py_IS_TYPE(ufunc->obj, &LoopTableType)) {
        LoopTable *table = (LoopTable *)ufunc->obj;
        for (int k = 0; k < table->count; k++)
            ((loop_row *)table->data[k])->operands[place].written = 1;
    }
    ufunc->op_flags[place] = NPY_ITER_READWRITE | NPY_ITER_UPDATEIFCOPY;
    Py_RETURN_NONE;
}

/* The numbers that a specialization returns, as NumPy writes dtypes; None if it returns anything
   else. */
static PyObject *returned_numbers(PyObject *module, PyObject *spec)
{
    const node *n;
    Py_ssize_t count;
    PyObject *all;

    if (!Py_IS_TYPE(spec, &SpecializationType)) {
        PyErr_SetString(PyExc_TypeError, "a specialization is wanted");
        return NULL;
    }
    n = ((Specialization *)spec)->result;
    count = n->kind == '(' ? n++->count : 1;
    all = PyTuple_New(count);

    for (Py_ssize_t k = 0; all && k < count; k++, n++) {
        PyObject *one;
        if (n->kind != '?' && n->kind != 'i' && n->kind != 'u' && n->kind != 'f' && n->kind != 'c') {
            Py_DECREF(all);
            Py_RETURN_NONE;
        }
        one = n->kind == '?' ? PyUnicode_FromString("?")
                             : PyUnicode_FromFormat("%c%d", n->kind, (int)n->bytes);
        if (!one)
            Py_CLEAR(all);
        else
            PyTuple_SET_ITEM(all, k, one);
    }
    return all;
}

PyMethodDef ufunc_functions[] = {
    {"make_ufunc", make_ufunc, METH_VARARGS,
     "make_ufunc(name, doc, half, nin, nout, identity, layout, rows): a NumPy ufunc whose loops "
     "are specializations, or None for those that run elsewhere."},
    {"returned_numbers", returned_numbers, METH_O,
     "returned_numbers(specialization): the dtypes of the numbers that it returns, or None."},
    {"set_writable", set_writable, METH_VARARGS,
     "set_writable(ufunc, place): mark an input that the kernel writes to."},
    {NULL, NULL, 0, NULL},
};
