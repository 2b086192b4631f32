/* Blocks of compiled functions that run as Python (`with objmode`): values in slots are converted
   to objects, the block's own code is called, and its results are converted to values in slots.

   The block's code is a specialization in object mode, which returns a tuple: a number, each
   output, and for each output that may be unbound whether it is bound.  A specialization that is
   never called describes how the inputs become objects: its result is the tuple of the inputs.  The
   outputs are described by others, which take one argument each. */

#include "dispatch.h"

typedef struct {
    PyObject_HEAD
    Specialization *code;
    Specialization *inputs;
    PyObject *outputs; /* a tuple of specializations */
    PyObject *flagged; /* the indices of those outputs that may be unbound */
    PyObject *owners;  /* which slots of the outputs are owners */
    PyObject *failed;  /* failed(place, value, error) makes the exception for an output of another
                          type than declared; without a value for an unbound one */
} Block;

/* Set the exception for an output; an exception that is already set is passed to it. */
static void fail(Block *self, Py_ssize_t place, PyObject *value)
{
    PyObject *type, *error, *traceback, *made;

    PyErr_Fetch(&type, &error, &traceback);
    if (type)
        PyErr_NormalizeException(&type, &error, &traceback);
    if (error && traceback)
        PyException_SetTraceback(error, traceback);
    if (value)
        made = PyObject_CallFunction(self->failed, "nOO", place, value, error ? error : Py_None);
    else
        made = PyObject_CallFunction(self->failed, "n", place);
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
    if (made && PyExceptionInstance_Check(made))
        PyErr_SetObject((PyObject *)Py_TYPE(made), made);
    else if (made)
        PyErr_SetString(PyExc_SystemError, "the output of a block failed without an exception");
    Py_XDECREF(made);
}

/* Whether all outputs are bound; else an exception is set. */
static int have_values(Block *self, PyObject *given)
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->outputs);

    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(self->flagged); k++) {
        Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GET_ITEM(self->flagged, k));
        if (PyTuple_GET_ITEM(given, 1 + count + k) != Py_True) {
            fail(self, place, NULL);
            return 0;
        }
    }
    return 1;
}

/* Put the outputs into slots, which own their references; -1 with an exception set. */
static int unbox_outputs(Block *self, PyObject *given, int64_t *slots)
{
    int64_t *here = slots;
    Py_ssize_t count = PyTuple_GET_SIZE(self->outputs);

    for (Py_ssize_t k = 0; k < count; k++) {
        Specialization *spec = (Specialization *)PyTuple_GET_ITEM(self->outputs, k);
        const node *n = spec->arguments;
        PyObject *value = PyTuple_GET_ITEM(given, 1 + k);
        if (unbox(spec, &n, value, &here, LENIENT | KNOWN) <= 0) {
            fail(self, k, value);
            return -1;
        }
    }
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(self->owners); k++) {
        Py_ssize_t place = PyLong_AsSsize_t(PyTuple_GET_ITEM(self->owners, k));
        runtime->incref((void *)(uintptr_t)slots[place]);
    }
    return 0;
}

int32_t run_block(void *block, const int64_t *inputs, int64_t *outputs)
{
    Block *self = block;
    const node *n = self->inputs->result;
    PyObject *arguments, *given = NULL;
    int status = -1, fits = 1;

    Py_INCREF(self);
    arguments = box(self->inputs, &n, &inputs);
    if (arguments) {
        call_arguments laid = {.items = ((PyTupleObject *)arguments)->ob_item,
                               .count = PyTuple_GET_SIZE(arguments)};
        given = try_call(self->code, &laid, 0, BY_GUARD, &fits);
        Py_DECREF(arguments);
    }
    if (!fits)
        PyErr_SetString(PyExc_SystemError, "a block was given other arguments than it takes");
    if (given && have_values(self, given))
        status = unbox_outputs(self, given, outputs);
    Py_XDECREF(given);
    Py_DECREF(self);
    return status < 0 ? 2 : 0;
}

/* --- the type ---------------------------------------------------------------------------------- */

static int are_specializations(PyObject *tuple)
{
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(tuple); k++) {
        Specialization *spec = (Specialization *)PyTuple_GET_ITEM(tuple, k);
        if (!Py_IS_TYPE((PyObject *)spec, &SpecializationType) || spec->nargs != 1)
            return 0;
    }
    return 1;
}

static PyObject *block_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *code, *inputs, *outputs, *flagged, *owners, *failed;
    Block *self;

    if (!PyArg_ParseTuple(args, "O!O!O!O!O!O", &SpecializationType, &code, &SpecializationType,
                          &inputs, &PyTuple_Type, &outputs, &PyTuple_Type, &flagged, &PyTuple_Type,
                          &owners, &failed))
        return NULL;
    if (!are_specializations(outputs) || ((Specialization *)inputs)->result->kind != '(') {
        PyErr_SetString(PyExc_TypeError, "a block has a tuple of inputs, and single outputs");
        return NULL;
    }
    self = (Block *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    Py_INCREF(code);
    self->code = (Specialization *)code;
    Py_INCREF(inputs);
    self->inputs = (Specialization *)inputs;
    Py_INCREF(outputs);
    self->outputs = outputs;
    Py_INCREF(flagged);
    self->flagged = flagged;
    Py_INCREF(owners);
    self->owners = owners;
    Py_INCREF(failed);
    self->failed = failed;
    return (PyObject *)self;
}

static int block_traverse(Block *self, visitproc visit, void *arg)
{
    Py_VISIT(self->code);
    Py_VISIT(self->inputs);
    Py_VISIT(self->outputs);
    Py_VISIT(self->failed);
    return 0;
}

/* There is no tp_clear, as for specializations. */
static void block_dealloc(Block *self)
{
    PyObject_GC_UnTrack(self);
    Py_XDECREF(self->code);
    Py_XDECREF(self->inputs);
    Py_XDECREF(self->outputs);
    Py_XDECREF(self->flagged);
    Py_XDECREF(self->owners);
    Py_XDECREF(self->failed);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

PyTypeObject BlockType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.dispatch_c._dispatch.Block",
    .tp_doc = "Block(code, inputs, outputs, flagged, owners, failed)\n\n"
              "A block of a compiled function that runs as Python: its code, a specialization in "
              "object mode; how its inputs become objects; the types of its outputs.",
    .tp_basicsize = sizeof(Block),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = block_new,
    .tp_dealloc = (destructor)block_dealloc,
    .tp_traverse = (traverseproc)block_traverse,
};

/* --- for Python -------------------------------------------------------------------------------- */

/* Convert a value through slots and back. */
static PyObject *converted(PyObject *module, PyObject *args)
{
    int64_t fixed[64], *slots = fixed, *here;
    const int64_t *first;
    Specialization *spec;
    PyObject *value, *owners, *made = NULL;
    const node *n;
    int fits;

    if (!PyArg_ParseTuple(args, "O!OO!", &SpecializationType, &spec, &value, &PyTuple_Type,
                          &owners))
        return NULL;
    if (spec->argument_slots > 64 &&
        !(slots = PyMem_Malloc((size_t)spec->argument_slots * sizeof(int64_t))))
        return PyErr_NoMemory();
    n = spec->arguments;
    here = slots;
    fits = unbox(spec, &n, value, &here, LENIENT | KNOWN);
    if (fits > 0) {
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(owners); k++)
            runtime->incref(
                (void *)(uintptr_t)slots[PyLong_AsSsize_t(PyTuple_GET_ITEM(owners, k))]);
        n = spec->result;
        first = slots;
        made = box(spec, &n, &first);
    }
    else if (fits == 0)
        PyErr_SetString(PyExc_TypeError, "the value does not fit");
    if (slots != fixed)
        PyMem_Free(slots);
    return made;
}

/* Whether a value in slots must be kept alive by more than references to its owners. */
static PyObject *is_held(PyObject *module, PyObject *spec)
{
    if (!Py_IS_TYPE(spec, &SpecializationType)) {
        PyErr_SetString(PyExc_TypeError, "is_held takes a specialization");
        return NULL;
    }
    return PyBool_FromLong(((Specialization *)spec)->held || ((Specialization *)spec)->extensions);
}

PyMethodDef block_functions[] = {
    {"converted", converted, METH_VARARGS,
     "converted(spec, value, owners) -> the value, converted to the type of the specialization's "
     "only argument, which is that of its result.  Raises the exceptions of unboxing."},
    {"is_held", is_held, METH_O,
     "is_held(spec) -> whether calls have to hold a reference to an argument."},
    {NULL, NULL, 0, NULL},
};
