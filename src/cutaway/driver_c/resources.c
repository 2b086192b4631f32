/* Resources of the driver that must be released.

   Each knows its context, and is released in that, by whatever thread drops the last reference.
   All open ones are in one list, so that after closing the contexts nothing is released twice.
   Changes of the list, and of deferred releases, require the lock; nothing is released under it. */

#include "driver.h"

typedef struct {
    int kind;
    uint64_t handle;
    CUcontext context;
} given; /* to be released */

static thread_lock lock;
static Resource *first;
static int deferring; /* the number of requests to defer releases */
static given *pending;
static size_t pending_count, pending_room;

static void give_back(given one)
{
    CUcontext before = NULL;

    if (driver.CtxGetCurrent(&before) != 0)
        return;
    if (before != one.context && driver.CtxSetCurrent(one.context) != 0)
        return; /* another library destroyed the context, with all its resources */
    switch (one.kind) {
    case DEVICE_MEMORY:
        driver.MemFree(one.handle);
        break;
    case HOST_MEMORY:
        driver.MemFreeHost((void *)(uintptr_t)one.handle);
        break;
    case REGISTERED:
        driver.MemHostUnregister((void *)(uintptr_t)one.handle);
        break;
    case MODULE:
        driver.ModuleUnload((CUmodule)(uintptr_t)one.handle);
        break;
    case STREAM:
        driver.StreamDestroy((CUstream)(uintptr_t)one.handle);
        break;
    case EVENT:
        driver.EventDestroy((CUevent)(uintptr_t)one.handle);
        break;
    }
    if (before != one.context)
        driver.CtxSetCurrent(before);
}

static given given_of(const Resource *self)
{
    return (given){self->kind, self->handle, self->context};
}

static void unlink_resource(Resource *self)
{
    if (self->before)
        self->before->after = self->after;
    else
        first = self->after;
    if (self->after)
        self->after->before = self->before;
    self->before = self->after = NULL;
    SHARE(self->is_open, 0);
}

/* Whether the release could be deferred; else it must happen now. */
static int put_off(const Resource *self)
{
    if (!deferring)
        return 0;
    if (pending_count == pending_room) {
        size_t room = pending_room ? 2 * pending_room : 64;
        given *more = PyMem_Realloc(pending, room * sizeof(*more));
        if (!more)
            return 0;
        pending = more;
        pending_room = room;
    }
    pending[pending_count++] = given_of(self);
    return 1;
}

static void release(Resource *self)
{
    given one = given_of(self);
    int is_ours = 0; /* to be released now */

    LOCK(lock);
    if (self->is_open) {
        unlink_resource(self);
        is_ours = is_driver_usable() && !put_off(self);
    }
    UNLOCK(lock);
    if (!is_ours)
        return;
    Py_BEGIN_ALLOW_THREADS /* it waits for kernels that may use it, and they for callbacks */
    give_back(one);
    Py_END_ALLOW_THREADS
}

/* Take one deferred release; 0 if there is none. */
static int take_pending(given *one)
{
    int there;

    LOCK(lock);
    there = pending_count > 0;
    if (there)
        *one = pending[--pending_count];
    UNLOCK(lock);
    return there;
}

static void release_pending(void)
{
    given one;

    while (take_pending(&one)) {
        Py_BEGIN_ALLOW_THREADS
        give_back(one);
        Py_END_ALLOW_THREADS
    }
}

int has_resources(CUcontext context)
{
    int there = 0;

    LOCK(lock);
    for (const Resource *one = first; one && !there; one = one->after)
        there = one->context == context;
    UNLOCK(lock);
    return there;
}

/* Take one of the resources that closing the contexts releases; 0 if there is none. */
static int close_one(given *closed)
{
    Resource *one;

    LOCK(lock);
    for (one = first; one && one->kind == HOST_MEMORY; one = one->after)
        ; /* NumPy arrays use its memory */
    if (one) {
        *closed = given_of(one);
        unlink_resource(one);
    }
    UNLOCK(lock);
    return one != NULL;
}

void release_all(void)
{
    given one;

    if (is_driver_usable())
        release_pending();
    while (close_one(&one))
        if (is_driver_usable())
            give_back(one);
}

void abandon_all(void)
{
    lock = (thread_lock){0}; /* its holder is not a thread of the child */
    pending_count = 0;
    while (first)
        unlink_resource(first);
}

PyObject *new_resource(int kind, uint64_t handle, uint64_t bytes, CUcontext context)
{
    Resource *self = PyObject_New(Resource, &ResourceType);

    if (!self) {
        give_back((given){kind, handle, context});
        return NULL;
    }
    self->kind = kind;
    self->handle = handle;
    self->bytes = bytes;
    self->context = context;
    self->is_open = 1;
    self->before = NULL;
    LOCK(lock);
    self->after = first;
    if (first)
        first->before = self;
    first = self;
    UNLOCK(lock);
    return (PyObject *)self;
}

static const char *const kind_names[RESOURCE_KINDS] = {"memory", "memory", "memory",
                                                       "module", "stream", "event"};

int read_handle(PyObject *value, int kind, uint64_t *handle)
{
    const Resource *resource = (const Resource *)value;

    if (PyLong_Check(value)) {
        *handle = PyLong_AsUnsignedLongLong(value);
        return *handle == (uint64_t)-1 && PyErr_Occurred() ? -1 : 0;
    }
    if (!Py_IS_TYPE(value, &ResourceType) || resource->kind != kind) {
        PyErr_Format(PyExc_TypeError, "a %s is needed", kind_names[kind]);
        return -1;
    }
    *handle = resource->handle;
    return SHARED(resource->is_open) ? 0 : raise_closed(kind_names[kind]);
}

static void resource_dealloc(Resource *self)
{
    release(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *resource_handle(Resource *self, void *unused)
{
    if (!SHARED(self->is_open)) {
        raise_closed(kind_names[self->kind]);
        return NULL;
    }
    return PyLong_FromUnsignedLongLong(self->handle);
}

static PyObject *resource_is_open(Resource *self, void *unused)
{
    return PyBool_FromLong(SHARED(self->is_open));
}

static PyObject *resource_bytes(Resource *self, void *unused)
{
    return PyLong_FromUnsignedLongLong(self->bytes);
}

static PyObject *resource_release(Resource *self, PyObject *unused)
{
    release(self);
    Py_RETURN_NONE;
}

static PyMethodDef resource_methods[] = {
    {"release", (PyCFunction)resource_release, METH_NOARGS, "release(): give it back now."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef resource_getset[] = {
    {"handle", (getter)resource_handle, NULL, "The driver's handle, or the address.", NULL},
    {"is_open", (getter)resource_is_open, NULL, "Whether it was not released.", NULL},
    {"bytes", (getter)resource_bytes, NULL, "The size of memory.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject ResourceType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "cutaway.driver_c._driver.Resource",
    .tp_doc = "A resource of the driver, released with the last reference.",
    .tp_basicsize = sizeof(Resource),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = (destructor)resource_dealloc,
    .tp_methods = resource_methods,
    .tp_getset = resource_getset,
};

static PyObject *py_defer(PyObject *module, PyObject *unused)
{
    LOCK(lock);
    deferring++;
    UNLOCK(lock);
    Py_RETURN_NONE;
}

static PyObject *py_defer_no_more(PyObject *module, PyObject *unused)
{
    int is_last;

    LOCK(lock);
    is_last = deferring && !--deferring;
    UNLOCK(lock);
    if (is_last && is_driver_usable())
        release_pending();
    Py_RETURN_NONE;
}

static PyObject *py_count_open(PyObject *module, PyObject *unused)
{
    Py_ssize_t count = 0;

    LOCK(lock);
    for (const Resource *one = first; one; one = one->after)
        count++;
    UNLOCK(lock);
    return PyLong_FromSsize_t(count);
}

PyMethodDef resource_functions[] = {
    {"defer", py_defer, METH_NOARGS, "defer(): release nothing until `defer_no_more`."},
    {"defer_no_more", py_defer_no_more, METH_NOARGS, "defer_no_more(): see `defer`."},
    {"count_open", py_count_open, METH_NOARGS, "count_open() -> how many resources are open."},
    {NULL, NULL, 0, NULL},
};
