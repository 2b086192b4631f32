/* Launches: `kernel[blocks, threads, stream, shared_bytes](...)`.

   A `Configured` is a kernel with its grid; it is called like the dispatcher, and passes its
   arguments to that, which finds the specialization and fills the slots.  In place of machine code
   a specialization of a kernel has a `Launcher`: it passes the addresses of the parameters' slots
   to the driver, so no argument is copied. */

#include "driver.h"

#define STACK_PARAMETERS 64
#define STACK_ARGUMENTS 32
#define USUAL_SHARED_BYTES (48 * 1024) /* more than this must be requested */

enum { ATTRIBUTE_MOST_DYNAMIC_SHARED = 8 };

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *dispatcher;
    PyObject *stream; /* the stream argument, which is kept alive; None for the default one */
    CUstream handle;
    PyObject *resource; /* of Cutaway's own stream, which may be released; None for any other */
    unsigned grid[3], block[3], shared_bytes;
    int is_checked; /* whether to check for errors after each launch */
    unsigned long long launches;
} Configured; /* immutable except the number of launches */

/* The parameters of a launch: set while the dispatcher runs. */
typedef struct {
    Configured *configured;
    CUstream stream;
} launch_order;

static _Thread_local const launch_order *ordered;

static PyObject *look_hook;

/* --- the launch --------------------------------------------------------------------------------- */

/* The function of a kernel in one context. */
typedef struct {
    CUcontext context;
    unsigned generation;
    CUfunction function;
    volatile int32_t *record; /* of the exception that a thread raised; NULL if none can */
    unsigned shared_bytes;    /* the granted size */
    PyObject *kept;           /* the module, and other owners */
} loaded_function; /* launching threads have a copy, with a reference to `kept` */

/* The entry in place of machine code, with the object that contains it. */
typedef struct {
    PyObject_HEAD
    cutaway_launcher entry;
    PyObject *name;
    PyObject *load; /* returns (function, record, objects to keep) for the current context */
    int count;
    int *slots; /* of the parameters */
    int loaded_count;
    loaded_function *loaded;
    thread_lock lock; /* of the loaded functions */
} Launcher;

static Launcher *launcher_of(cutaway_launcher *entry)
{
    return (Launcher *)((char *)entry - offsetof(Launcher, entry));
}

/* The index of the function loaded into a context, or their number; the caller has the lock. */
static int place_of(const Launcher *self, CUcontext context)
{
    unsigned now = SHARED(generation);
    int place = 0;

    while (place < self->loaded_count &&
           !(self->loaded[place].context == context && self->loaded[place].generation == now))
        place++;
    return place;
}

/* The function loaded into a context; 0 if there is none. */
static int find_known(Launcher *self, CUcontext context, loaded_function *found)
{
    int place, there;

    LOCK(self->lock);
    place = place_of(self, context);
    there = place < self->loaded_count;
    if (there) {
        *found = self->loaded[place];
        Py_INCREF(found->kept);
    }
    UNLOCK(self->lock);
    return there;
}

/* Store the function loaded into a context, unless another thread was faster; -1 if out of
   memory. */
static int add_loaded(Launcher *self, CUcontext context, const loaded_function *one)
{
    loaded_function *more;
    int status = 0;

    LOCK(self->lock);
    if (place_of(self, context) == self->loaded_count) {
        more = PyMem_Realloc(self->loaded, (size_t)(self->loaded_count + 1) * sizeof(*more));
        if (more) {
            self->loaded = more;
            Py_INCREF(one->kept);
            more[self->loaded_count++] = *one;
        }
        else
            status = -1;
    }
    UNLOCK(self->lock);
    return status;
}

/* Load the kernel into the current context; -1 with an exception set. */
static int load(Launcher *self, CUcontext context)
{
    unsigned long long function, record;
    unsigned now = SHARED(generation);
    PyObject *kept, *answer = PyObject_CallNoArgs(self->load);
    int status = -1;

    if (!answer)
        return -1;
    if (PyArg_ParseTuple(answer, "KKO", &function, &record, &kept)) {
        const loaded_function one = {context, now, (CUfunction)(uintptr_t)function,
                                     (volatile int32_t *)(uintptr_t)record, USUAL_SHARED_BYTES, kept};
        status = add_loaded(self, context, &one);
        if (status < 0)
            PyErr_NoMemory();
    }
    Py_DECREF(answer);
    return status;
}

/* Forget the functions loaded into closed contexts. */
static void forget_closed(Launcher *self)
{
    int left = 0;
    PyObject *gone = PyList_New(0); /* it releases them, without the lock */

    LOCK(self->lock);
    for (int k = 0; k < self->loaded_count; k++) {
        const loaded_function one = self->loaded[k];
        if (one.generation == SHARED(generation) || !gone || PyList_Append(gone, one.kept) < 0)
            self->loaded[left++] = one;
        else
            Py_DECREF(one.kept);
    }
    self->loaded_count = left;
    UNLOCK(self->lock);
    PyErr_Clear();
    Py_XDECREF(gone);
}

/* The function loaded into a context, loaded first if necessary; -1 with an exception set. */
static int find_loaded(Launcher *self, CUcontext context, loaded_function *found)
{
    while (!find_known(self, context, found)) {
        forget_closed(self);
        if (load(self, context) < 0)
            return -1;
    }
    return 0;
}

/* Request more shared memory than is usual; -1 with an exception set. */
static int allow_shared(Launcher *self, const loaded_function *loaded, unsigned bytes)
{
    CUresult result = 0;
    int place;

    LOCK(self->lock); /* or another thread could reduce it again */
    place = place_of(self, loaded->context);
    if (place == self->loaded_count || self->loaded[place].shared_bytes < bytes)
        result = driver.FuncSetAttribute(loaded->function, ATTRIBUTE_MOST_DYNAMIC_SHARED, (int)bytes);
    if (result == 0 && place < self->loaded_count)
        self->loaded[place].shared_bytes = Py_MAX(self->loaded[place].shared_bytes, bytes);
    UNLOCK(self->lock);
    return check(result, "cuFuncSetAttribute", PyUnicode_AsUTF8(self->name));
}

/* Have Python check for exceptions of threads; -1 with one of them set. */
static int look(void)
{
    PyObject *hook = common_object(&look_hook);
    PyObject *answer = hook ? PyObject_CallNoArgs(hook) : NULL;

    Py_XDECREF(hook);
    Py_XDECREF(answer);
    return answer ? 0 : -1;
}

static int launch_with(Launcher *self, const launch_order *order, const loaded_function *loaded,
                       void **parameters)
{
    const Configured *how = order->configured;
    CUresult result;

    if (how->shared_bytes > loaded->shared_bytes && allow_shared(self, loaded, how->shared_bytes) < 0)
        return -1;
    Py_BEGIN_ALLOW_THREADS /* it waits if the queue is full */
    result = driver.LaunchKernel(loaded->function, how->grid[0], how->grid[1], how->grid[2], how->block[0],
                                 how->block[1], how->block[2], how->shared_bytes, order->stream,
                                 parameters, NULL);
    Py_END_ALLOW_THREADS
    if (result == 0) {
        note_launch(self->name);
        return how->is_checked ? look() : 0;
    }
    return check(result, "cuLaunchKernel", PyUnicode_AsUTF8(self->name));
}

/* Launch with the slots of the parameters; -1 with an exception set. */
static int launch_loaded(Launcher *self, const launch_order *order, const loaded_function *loaded,
                         const int64_t *slots)
{
    void *few[STACK_PARAMETERS], **parameters = few;
    int status;

    if (self->count > STACK_PARAMETERS &&
        !(parameters = PyMem_Malloc((size_t)self->count * sizeof(*parameters)))) {
        PyErr_NoMemory();
        return -1;
    }
    for (int k = 0; k < self->count; k++)
        parameters[k] = (void *)&slots[self->slots[k]]; /* a small number is in the low bytes */
    status = launch_with(self, order, loaded, parameters);
    if (parameters != few)
        PyMem_Free(parameters);
    return status;
}

/* Called in place of machine code: 0, or 2 with an exception set. */
static int32_t launch(cutaway_launcher *entry, const int64_t *slots)
{
    Launcher *self = launcher_of(entry);
    const launch_order *order = ordered;
    loaded_function loaded;
    CUcontext context;
    int status;

    if (!order) {
        PyErr_SetString(PyExc_TypeError, "a kernel is launched with a grid: kernel[blocks, threads](...)");
        return 2;
    }
    if (current_context(&context) < 0 || find_loaded(self, context, &loaded) < 0)
        return 2;
    status = loaded.record && *loaded.record ? look() : 0;
    if (status == 0)
        status = launch_loaded(self, order, &loaded, slots);
    Py_DECREF(loaded.kept);
    return status < 0 ? 2 : 0;
}

static PyObject *launcher_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"name", "load", "slots", NULL};
    PyObject *name, *load_function, *slots;
    Launcher *self;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "UOO!", names, &name, &load_function,
                                     &PyTuple_Type, &slots))
        return NULL;
    self = (Launcher *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->entry.launch = launch;
    Py_INCREF(name);
    self->name = name;
    Py_INCREF(load_function);
    self->load = load_function;
    self->slots = PyMem_Calloc((size_t)PyTuple_GET_SIZE(slots) + 1, sizeof(int));
    if (!self->slots)
        PyErr_NoMemory();
    for (Py_ssize_t k = 0; self->slots && k < PyTuple_GET_SIZE(slots); k++)
        self->slots[self->count++] = (int)PyLong_AsLong(PyTuple_GET_ITEM(slots, k));
    if (PyErr_Occurred())
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int launcher_traverse(Launcher *self, visitproc visit, void *arg)
{
    Py_VISIT(self->load);
    for (int k = 0; k < self->loaded_count; k++)
        Py_VISIT(self->loaded[k].kept);
    return 0;
}

/* There is no tp_clear: like a specialization it is immutable. */
static void launcher_dealloc(Launcher *self)
{
    PyObject_GC_UnTrack(self);
    Py_XDECREF(self->name);
    Py_XDECREF(self->load);
    for (int k = 0; k < self->loaded_count; k++)
        Py_DECREF(self->loaded[k].kept);
    PyMem_Free(self->loaded);
    PyMem_Free(self->slots);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *launcher_address(Launcher *self, void *unused)
{
    return PyLong_FromVoidPtr(&self->entry);
}

/* The handle of the function in the current context, loaded if necessary. */
static PyObject *launcher_function(Launcher *self, PyObject *unused)
{
    CUcontext context;
    loaded_function loaded;

    if (current_context(&context) < 0 || find_loaded(self, context, &loaded) < 0)
        return NULL;
    Py_DECREF(loaded.kept);
    return PyLong_FromVoidPtr(loaded.function);
}

static PyMethodDef launcher_methods[] = {
    {"function", (PyCFunction)launcher_function, METH_NOARGS,
     "function() -> the driver's handle of the kernel in the current context."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef launcher_getset[] = {
    {"address", (getter)launcher_address, NULL, "What a specialization enters.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject LauncherType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.driver_c._driver.Launcher",
    .tp_doc = "Launcher(name, load, slots)\n\nA kernel for one signature: load() gives (function, record, "
              "what to keep) for the current context; the slots of arguments that are its parameters.",
    .tp_basicsize = sizeof(Launcher),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = launcher_new,
    .tp_dealloc = (destructor)launcher_dealloc,
    .tp_traverse = (traverseproc)launcher_traverse,
    .tp_methods = launcher_methods,
    .tp_getset = launcher_getset,
};

/* --- a kernel with its grid --------------------------------------------------------------------- */

/* Pass arguments to the dispatcher, which launches. */
static PyObject *dispatch(Configured *self, CUstream stream, PyObject *const *args, size_t nargs,
                          PyObject *kwnames)
{
    const launch_order order = {self, stream}, *before = ordered;
    PyObject *value;

    if (self->resource != Py_None && !SHARED(((const Resource *)self->resource)->is_open)) {
        raise_closed("stream");
        return NULL;
    }
    ordered = &order;
    value = PyObject_Vectorcall(self->dispatcher, args, nargs, kwnames);
    ordered = before;
    if (value)
        count_one(&self->launches);
    return value;
}

/* The same if some arguments are not numbers. */
static PyObject *dispatch_arrived(Configured *self, PyObject *const *args, Py_ssize_t nargs,
                                  PyObject *kwnames)
{
    Py_ssize_t count = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    PyObject *few[STACK_ARGUMENTS], **arrived = few, *value = NULL;
    arrival state = {.wants_stream = self->stream == Py_None,
                     .handle = (uint64_t)(uintptr_t)self->handle};
    Py_ssize_t k = 0;

    if (count > STACK_ARGUMENTS && !(arrived = PyMem_Malloc((size_t)count * sizeof(*arrived))))
        return PyErr_NoMemory();
    while (k < count && (arrived[k] = arrive(args[k], &state)))
        k++;
    if (k == count)
        value = dispatch(self, state.has_stream ? state.stream : self->handle, arrived, (size_t)nargs,
                         kwnames);
    if (state.has_stream)
        state.handle = (uint64_t)(uintptr_t)state.stream;
    if ((state.kept || state.copied) && depart(&state, value != NULL) < 0)
        Py_CLEAR(value);
    if (arrived != few)
        PyMem_Free(arrived);
    return value;
}

static PyObject *call_configured(PyObject *callable, PyObject *const *args, size_t nargsf,
                                 PyObject *kwnames)
{
    Configured *self = (Configured *)callable;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf), count = nargs;

    if (kwnames)
        count += PyTuple_GET_SIZE(kwnames);
    for (Py_ssize_t k = 0; k < count; k++)
        if (!is_plain(args[k]))
            return dispatch_arrived(self, args, nargs, kwnames);
    return dispatch(self, self->handle, args, (size_t)nargs, kwnames);
}

static PyObject *configured_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"dispatcher", "grid", "block", "stream", "resource", "handle",
                            "shared_bytes", "is_checked", NULL};
    PyObject *dispatcher, *stream, *resource;
    unsigned long long handle;
    unsigned grid[3], block[3], shared_bytes;
    int is_checked;
    Configured *self;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O(III)(III)OOKIp", names, &dispatcher, &grid[0],
                                     &grid[1], &grid[2], &block[0], &block[1], &block[2], &stream,
                                     &resource, &handle, &shared_bytes, &is_checked))
        return NULL;
    if (resource != Py_None && !Py_IS_TYPE(resource, &ResourceType)) {
        PyErr_SetString(PyExc_TypeError, "a resource is needed, or None");
        return NULL;
    }
    self = (Configured *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->vectorcall = call_configured;
    Py_INCREF(dispatcher);
    self->dispatcher = dispatcher;
    Py_INCREF(stream);
    self->stream = stream;
    self->handle = (CUstream)(uintptr_t)handle;
    Py_INCREF(resource);
    self->resource = resource;
    memcpy(self->grid, grid, sizeof(grid));
    memcpy(self->block, block, sizeof(block));
    self->shared_bytes = shared_bytes;
    self->is_checked = is_checked;
    return (PyObject *)self;
}

static int configured_traverse(Configured *self, visitproc visit, void *arg)
{
    Py_VISIT(self->dispatcher);
    Py_VISIT(self->stream);
    return 0;
}

static void configured_dealloc(Configured *self)
{
    PyObject_GC_UnTrack(self);
    Py_XDECREF(self->dispatcher);
    Py_XDECREF(self->stream);
    Py_XDECREF(self->resource);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *configured_grid(Configured *self, void *unused)
{
    return Py_BuildValue("(III)", self->grid[0], self->grid[1], self->grid[2]);
}

static PyObject *configured_block(Configured *self, void *unused)
{
    return Py_BuildValue("(III)", self->block[0], self->block[1], self->block[2]);
}

static PyObject *configured_repr(Configured *self)
{
    return PyUnicode_FromFormat("<%R with %u x %u x %u blocks of %u x %u x %u threads>",
                                self->dispatcher, self->grid[0], self->grid[1], self->grid[2],
                                self->block[0], self->block[1], self->block[2]);
}

static PyMemberDef configured_members[] = {
    {"stream", T_OBJECT, offsetof(Configured, stream), READONLY, "The stream, None for the usual one."},
    {"shared_bytes", T_UINT, offsetof(Configured, shared_bytes), READONLY,
     "The bytes of dynamic shared memory."},
    {"launches", T_ULONGLONG, offsetof(Configured, launches), READONLY, "How often it was launched."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef configured_getset[] = {
    {"grid", (getter)configured_grid, NULL, "How many blocks there are in each direction.", NULL},
    {"block", (getter)configured_block, NULL, "How many threads a block has in each direction.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject ConfiguredType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.driver_c._driver.Configured",
    .tp_doc = "A kernel with its grid, ready to be called.",
    .tp_basicsize = sizeof(Configured),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_vectorcall_offset = offsetof(Configured, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_new = configured_new,
    .tp_dealloc = (destructor)configured_dealloc,
    .tp_traverse = (traverseproc)configured_traverse,
    .tp_repr = (reprfunc)configured_repr,
    .tp_members = configured_members,
    .tp_getset = configured_getset,
};

static PyObject *set_look_hook(PyObject *module, PyObject *hook)
{
    set_common_object(&look_hook, hook);
    Py_RETURN_NONE;
}

PyMethodDef launch_functions[] = {
    {"set_look_hook", set_look_hook, METH_O,
     "set_look_hook(look): look() waits for running kernels, and raises the exception of a "
     "thread."},
    {NULL, NULL, 0, NULL},
};
