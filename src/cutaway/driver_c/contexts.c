/* Devices, and the context of the current thread.

   A context that is current in a thread is used unchanged: CuPy or PyTorch made it so.  Otherwise
   the thread uses the primary context of the device that it has selected, which all libraries
   share. */

#include "driver.h"

#define MOST_DEVICES 64

unsigned generation = 1;

static thread_lock lock; /* of the retained contexts, and of the number */
static CUcontext retained[MOST_DEVICES];
static _Thread_local int selected;
static _Thread_local CUcontext ours; /* the context that this thread made current, */
static _Thread_local unsigned ours_generation; /* and when */

void open_context_lock(void)
{
    lock = (thread_lock){0};
}

static int is_stale(CUcontext context)
{
    return context == ours && ours_generation != SHARED(generation);
}

/* Retain the primary context of a device. */
static int retain(int ordinal)
{
    CUcontext context, before;
    CUdevice device;
    CUresult result;

    if (check(driver.DeviceGet(&device, ordinal), "cuDeviceGet", NULL) < 0)
        return -1;
    Py_BEGIN_ALLOW_THREADS
    result = driver.DevicePrimaryCtxRetain(&context, device);
    Py_END_ALLOW_THREADS
    if (check(result, "cuDevicePrimaryCtxRetain", NULL) < 0)
        return -1;
    LOCK(lock);
    before = retained[ordinal];
    if (!before)
        SHARE(retained[ordinal], context);
    UNLOCK(lock);
    if (before) /* another thread was faster */
        driver.DevicePrimaryCtxRelease(device);
    return 0;
}

/* Make the primary context of a device current. */
static int enter_device(int ordinal, CUcontext *context)
{
    unsigned now;

    if (ordinal < 0 || ordinal >= MOST_DEVICES) {
        PyErr_SetString(PyExc_ValueError, "no such device");
        return -1;
    }
    do { /* until no thread has closed it meanwhile */
        if (!SHARED(retained[ordinal]) && retain(ordinal) < 0)
            return -1;
        LOCK(lock);
        *context = retained[ordinal];
        now = generation;
        UNLOCK(lock);
    } while (!*context);
    if (check(driver.CtxSetCurrent(*context), "cuCtxSetCurrent", NULL) < 0)
        return -1;
    ours = *context;
    ours_generation = now;
    return 0;
}

int current_context(CUcontext *context)
{
    if (require_driver() < 0)
        return -1;
    if (check(driver.CtxGetCurrent(context), "cuCtxGetCurrent", NULL) < 0)
        return -1;
    if (*context && !is_stale(*context))
        return 0;
    return enter_device(selected, context);
}

static PyObject *py_driver_version(PyObject *module, PyObject *unused)
{
    int version;

    if (require_driver() < 0 ||
        check(driver.DriverGetVersion(&version), "cuDriverGetVersion", NULL) < 0)
        return NULL;
    return PyLong_FromLong(version);
}

static PyObject *py_device_count(PyObject *module, PyObject *unused)
{
    int count;

    if (require_driver() < 0 || check(driver.DeviceGetCount(&count), "cuDeviceGetCount", NULL) < 0)
        return NULL;
    return PyLong_FromLong(count);
}

static int device_of(PyObject *ordinal, CUdevice *device)
{
    long number = PyLong_AsLong(ordinal);

    if (number == -1 && PyErr_Occurred())
        return -1;
    return require_driver() < 0 ? -1 : check(driver.DeviceGet(device, (int)number), "cuDeviceGet", NULL);
}

static PyObject *py_device_name(PyObject *module, PyObject *ordinal)
{
    char name[256] = "";
    CUdevice device;

    if (device_of(ordinal, &device) < 0 ||
        check(driver.DeviceGetName(name, sizeof(name) - 1, device), "cuDeviceGetName", NULL) < 0)
        return NULL;
    return PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
}

static PyObject *py_device_memory(PyObject *module, PyObject *ordinal)
{
    size_t bytes;
    CUdevice device;

    if (device_of(ordinal, &device) < 0 ||
        check(driver.DeviceTotalMem(&bytes, device), "cuDeviceTotalMem", NULL) < 0)
        return NULL;
    return PyLong_FromSize_t(bytes);
}

static PyObject *py_device_attribute(PyObject *module, PyObject *args)
{
    PyObject *ordinal;
    int attribute, value;
    CUdevice device;

    if (!PyArg_ParseTuple(args, "Oi", &ordinal, &attribute) || device_of(ordinal, &device) < 0 ||
        check(driver.DeviceGetAttribute(&value, attribute, device), "cuDeviceGetAttribute", NULL) < 0)
        return NULL;
    return PyLong_FromLong(value);
}

static PyObject *py_select(PyObject *module, PyObject *ordinal)
{
    long number = PyLong_AsLong(ordinal);
    CUcontext context;

    if ((number == -1 && PyErr_Occurred()) || require_driver() < 0 ||
        enter_device((int)number, &context) < 0)
        return NULL;
    selected = (int)number;
    Py_RETURN_NONE;
}

static PyObject *py_current_device(PyObject *module, PyObject *unused)
{
    CUcontext context;
    CUdevice device;

    if (current_context(&context) < 0 ||
        check(driver.CtxGetDevice(&device), "cuCtxGetDevice", NULL) < 0)
        return NULL;
    return PyLong_FromLong(device);
}

static PyObject *py_current_context(PyObject *module, PyObject *unused)
{
    CUcontext context;

    if (current_context(&context) < 0)
        return NULL;
    return Py_BuildValue("Ki", (unsigned long long)(uintptr_t)context, (int)SHARED(generation));
}

static PyObject *py_synchronize(PyObject *module, PyObject *unused)
{
    CUcontext context;
    CUresult result;

    if (current_context(&context) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    result = driver.CtxSynchronize();
    Py_END_ALLOW_THREADS
    if (check(result, "cuCtxSynchronize", NULL) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *py_close(PyObject *module, PyObject *unused)
{
    CUcontext contexts[MOST_DEVICES];
    CUdevice device;

    if (!is_driver_usable())
        Py_RETURN_NONE;
    release_all();
    LOCK(lock);
    SHARE(generation, generation + 1);
    memcpy(contexts, retained, sizeof(contexts));
    for (int k = 0; k < MOST_DEVICES; k++)
        SHARE(retained[k], NULL);
    UNLOCK(lock);
    driver.CtxSetCurrent(NULL);
    for (int k = 0; k < MOST_DEVICES; k++) {
        CUcontext context = contexts[k];
        if (context && !has_resources(context) && driver.DeviceGet(&device, k) == 0)
            driver.DevicePrimaryCtxRelease(device); /* kept for the remaining resources */
    }
    ours = NULL;
    selected = 0;
    Py_RETURN_NONE;
}

PyMethodDef context_functions[] = {
    {"driver_version", py_driver_version, METH_NOARGS, "driver_version() -> 12040 for 12.4."},
    {"device_count", py_device_count, METH_NOARGS, "device_count() -> the number of GPUs."},
    {"device_name", py_device_name, METH_O, "device_name(ordinal) -> its name."},
    {"device_memory", py_device_memory, METH_O, "device_memory(ordinal) -> its bytes of memory."},
    {"device_attribute", py_device_attribute, METH_VARARGS,
     "device_attribute(ordinal, attribute) -> its value, by the driver's number of the attribute."},
    {"select", py_select, METH_O, "select(ordinal): use a device in this thread."},
    {"current_device", py_current_device, METH_NOARGS, "current_device() -> its ordinal."},
    {"current_context", py_current_context, METH_NOARGS,
     "current_context() -> (handle, generation) of the context of this thread."},
    {"synchronize", py_synchronize, METH_NOARGS,
     "synchronize(): wait for all operations that were queued in this context."},
    {"close", py_close, METH_NOARGS,
     "close(): release all memory, modules, streams, events and contexts."},
    {NULL, NULL, 0, NULL},
};
