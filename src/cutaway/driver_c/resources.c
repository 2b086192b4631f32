/* Resources: what the driver gave and has to get back.

   Each knows its context, and is released in that, from whatever thread the last reference goes.  All
   that are open are in one list, so that closing the contexts leaves nothing that is released
   twice. */

#include "driver.h"

static Resource *first;
static int deferring;            /* how many ask that nothing is released now */
static struct pending {
    int kind;
    uint64_t handle;
    CUcontext context;
} *pending;
static size_t pending_count, pending_room;

static void give_back(int kind, uint64_t handle, CUcontext context)
{
    CUcontext before = NULL;

    if (driver.CtxGetCurrent(&before) != 0)
        return;
    if (before != context && driver.CtxSetCurrent(context) != 0)
        return; /* somebody else destroyed the context, with all that was in it */
    switch (kind) {
    case DEVICE_MEMORY:
        driver.MemFree(handle);
        break;
    case HOST_MEMORY:
        driver.MemFreeHost((void *)(uintptr_t)handle);
        break;
    case REGISTERED:
        driver.MemHostUnregister((void *)(uintptr_t)handle);
        break;
    case MODULE:
        driver.ModuleUnload((CUmodule)(uintptr_t)handle);
        break;
    case STREAM:
        driver.StreamDestroy((CUstream)(uintptr_t)handle);
        break;
    case EVENT:
        driver.EventDestroy((CUevent)(uintptr_t)handle);
        break;
    }
    if (before != context)
        driver.CtxSetCurrent(before);
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
    self->is_open = 0;
}

/* Whether it could be put off; else it is to be released now. */
static int put_off(const Resource *self)
{
    if (!deferring)
        return 0;
    if (pending_count == pending_room) {
        size_t room = pending_room ? 2 * pending_room : 64;
        struct pending *more = PyMem_Realloc(pending, room * sizeof(*more));
        if (!more)
            return 0;
        pending = more;
        pending_room = room;
    }
    pending[pending_count++] = (struct pending){self->kind, self->handle, self->context};
    return 1;
}

static void release(Resource *self)
{
    if (!self->is_open)
        return;
    unlink_resource(self);
    if (!is_driver_usable() || put_off(self))
        return;
    Py_BEGIN_ALLOW_THREADS /* it waits for kernels that may use it, and they for callbacks */
    give_back(self->kind, self->handle, self->context);
    Py_END_ALLOW_THREADS
}

static void release_pending(void)
{
    while (pending_count) {
        struct pending one = pending[--pending_count];
        Py_BEGIN_ALLOW_THREADS
        give_back(one.kind, one.handle, one.context);
        Py_END_ALLOW_THREADS
    }
}

int has_resources(CUcontext context)
{
    for (const Resource *one = first; one; one = one->after)
        if (one->context == context)
            return 1;
    return 0;
}

void release_all(void)
{
    Resource *next;

    if (is_driver_usable())
        release_pending();
    for (Resource *one = first; one; one = next) {
        next = one->after;
        if (one->kind == HOST_MEMORY) /* arrays of NumPy's lie there */
            continue;
        unlink_resource(one);
        if (is_driver_usable())
            give_back(one->kind, one->handle, one->context);
    }
}

void abandon_all(void)
{
    pending_count = 0;
    while (first)
        unlink_resource(first);
}

PyObject *new_resource(int kind, uint64_t handle, uint64_t bytes, CUcontext context)
{
    Resource *self = PyObject_New(Resource, &ResourceType);

    if (!self) {
        give_back(kind, handle, context);
        return NULL;
    }
    self->kind = kind;
    self->handle = handle;
    self->bytes = bytes;
    self->context = context;
    self->is_open = 1;
    self->before = NULL;
    self->after = first;
    if (first)
        first->before = self;
    first = self;
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
    return resource->is_open ? 0 : raise_closed(kind_names[kind]);
}

static void resource_dealloc(Resource *self)
{
    release(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *resource_handle(Resource *self, void *unused)
{
    if (!self->is_open) {
        raise_closed(kind_names[self->kind]);
        return NULL;
    }
    return PyLong_FromUnsignedLongLong(self->handle);
}

static PyObject *resource_is_open(Resource *self, void *unused)
{
    return PyBool_FromLong(self->is_open);
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
    .tp_doc = "Something of the driver's, which gets it back with the last reference.",
    .tp_basicsize = sizeof(Resource),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = (destructor)resource_dealloc,
    .tp_methods = resource_methods,
    .tp_getset = resource_getset,
};

static PyObject *py_defer(PyObject *module, PyObject *unused)
{
    deferring++;
    Py_RETURN_NONE;
}

static PyObject *py_defer_no_more(PyObject *module, PyObject *unused)
{
    if (deferring && !--deferring && is_driver_usable())
        release_pending();
    Py_RETURN_NONE;
}

static PyObject *py_count_open(PyObject *module, PyObject *unused)
{
    Py_ssize_t count = 0;

    for (const Resource *one = first; one; one = one->after)
        count++;
    return PyLong_FromSsize_t(count);
}

PyMethodDef resource_functions[] = {
    {"defer", py_defer, METH_NOARGS, "defer(): release nothing until `defer_no_more`."},
    {"defer_no_more", py_defer_no_more, METH_NOARGS, "defer_no_more(): see `defer`."},
    {"count_open", py_count_open, METH_NOARGS, "count_open() -> how many resources are open."},
    {NULL, NULL, 0, NULL},
};
