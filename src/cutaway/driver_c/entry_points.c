/* The functions of libcuda: one table, which is filled when the library is opened.

   A program without a GPU never opens it, and no toolkit is needed to build this.  The tests open a
   library of their own with the same functions. */

#include "driver.h"

#include <dlfcn.h>
#include <pthread.h>

driver_functions driver;

enum { CLOSED, OPEN, FORKED };
static int state = CLOSED;
static thread_lock opening;

#define ROW(symbol, field) {symbol, offsetof(driver_functions, field)}

static const struct {
    const char *symbol;
    size_t place;
} table[] = {
    ROW("cuInit", Init),
    ROW("cuDriverGetVersion", DriverGetVersion),
    ROW("cuGetErrorName", GetErrorName),
    ROW("cuGetErrorString", GetErrorString),
    ROW("cuDeviceGetCount", DeviceGetCount),
    ROW("cuDeviceGet", DeviceGet),
    ROW("cuDeviceGetName", DeviceGetName),
    ROW("cuDeviceGetAttribute", DeviceGetAttribute),
    ROW("cuDeviceTotalMem_v2", DeviceTotalMem),
    ROW("cuDevicePrimaryCtxRetain", DevicePrimaryCtxRetain),
    ROW("cuDevicePrimaryCtxRelease_v2", DevicePrimaryCtxRelease),
    ROW("cuCtxGetCurrent", CtxGetCurrent),
    ROW("cuCtxSetCurrent", CtxSetCurrent),
    ROW("cuCtxGetDevice", CtxGetDevice),
    ROW("cuCtxSynchronize", CtxSynchronize),
    ROW("cuMemGetInfo_v2", MemGetInfo),
    ROW("cuMemAlloc_v2", MemAlloc),
    ROW("cuMemFree_v2", MemFree),
    ROW("cuMemHostAlloc", MemHostAlloc),
    ROW("cuMemFreeHost", MemFreeHost),
    ROW("cuMemHostRegister_v2", MemHostRegister),
    ROW("cuMemHostUnregister", MemHostUnregister),
    ROW("cuMemHostGetDevicePointer_v2", MemHostGetDevicePointer),
    ROW("cuMemcpyHtoDAsync_v2", MemcpyHtoDAsync),
    ROW("cuMemcpyDtoHAsync_v2", MemcpyDtoHAsync),
    ROW("cuMemcpyDtoDAsync_v2", MemcpyDtoDAsync),
    ROW("cuMemsetD8Async", MemsetD8Async),
    ROW("cuModuleLoadDataEx", ModuleLoadDataEx),
    ROW("cuModuleUnload", ModuleUnload),
    ROW("cuModuleGetFunction", ModuleGetFunction),
    ROW("cuModuleGetGlobal_v2", ModuleGetGlobal),
    ROW("cuFuncGetAttribute", FuncGetAttribute),
    ROW("cuFuncSetAttribute", FuncSetAttribute),
    ROW("cuOccupancyMaxActiveBlocksPerMultiprocessor", OccupancyMaxActiveBlocks),
    ROW("cuOccupancyMaxPotentialBlockSize", OccupancyMaxPotentialBlockSize),
    ROW("cuStreamCreate", StreamCreate),
    ROW("cuStreamDestroy_v2", StreamDestroy),
    ROW("cuStreamSynchronize", StreamSynchronize),
    ROW("cuStreamQuery", StreamQuery),
    ROW("cuStreamWaitEvent", StreamWaitEvent),
    ROW("cuLaunchHostFunc", LaunchHostFunc),
    ROW("cuEventCreate", EventCreate),
    ROW("cuEventDestroy_v2", EventDestroy),
    ROW("cuEventRecord", EventRecord),
    ROW("cuEventSynchronize", EventSynchronize),
    ROW("cuEventQuery", EventQuery),
    ROW("cuEventElapsedTime", EventElapsedTime),
    ROW("cuLaunchKernel", LaunchKernel),
};

int is_driver_usable(void)
{
    return SHARED(state) == OPEN;
}

int require_driver(void)
{
    int now = SHARED(state);

    if (now == OPEN)
        return 0;
    return raise_closed(now == FORKED ? "fork" : "driver");
}

/* The driver does not survive a fork: the child's state belongs to the parent. */
static void become_child(void)
{
    opening = (thread_lock){0};
    open_failure_lock();
    open_context_lock();
    abandon_all();
    if (state == OPEN)
        state = FORKED;
}

static PyObject *missing(const char *path, const char *why)
{
    return Py_BuildValue("ss", path, why);
}

/* Look up all functions, or report a missing one. */
static PyObject *fill_table(void *library, const char *path)
{
    driver_functions found;

    for (size_t k = 0; k < Py_ARRAY_LENGTH(table); k++) {
        void *function = dlsym(library, table[k].symbol);
        if (!function)
            return missing(path, table[k].symbol);
        memcpy((char *)&found + table[k].place, &function, sizeof(function));
    }
    driver = found;
    Py_RETURN_NONE;
}

/* Open a library, with the lock held: returns the answer of `open`, and sets the driver's
   result. */
static PyObject *open_library(const char *path, CUresult *result)
{
    static int is_watching;
    const char *why;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* stays open: it has threads of its own */
    PyObject *answer;

    if (!library) {
        why = dlerror();
        return missing(path, why ? why : "");
    }
    answer = fill_table(library, path);
    if (answer != Py_None)
        return answer;
    if (!is_watching)
        is_watching = pthread_atfork(NULL, NULL, become_child) == 0;
    Py_BEGIN_ALLOW_THREADS
    *result = driver.Init(0);
    Py_END_ALLOW_THREADS
    if (*result == 0)
        SHARE(state, OPEN);
    return answer;
}

static PyObject *py_open(PyObject *module, PyObject *text)
{
    const char *path = PyUnicode_AsUTF8(text);
    PyObject *answer = NULL;
    CUresult result = 0;
    int is_first;

    if (!path)
        return NULL;
    LOCK(opening);
    is_first = state == CLOSED;
    if (is_first)
        answer = open_library(path, &result);
    UNLOCK(opening);
    if (!is_first && require_driver() < 0)
        return NULL;
    if (!is_first)
        Py_RETURN_NONE;
    if (check(result, "cuInit", NULL) < 0)
        Py_CLEAR(answer);
    return answer;
}

static PyObject *py_forget(PyObject *module, PyObject *unused)
{
    if (is_driver_usable()) {
        release_all();
        SHARE(state, CLOSED);
    }
    note_launch(Py_None);
    Py_RETURN_NONE;
}

static PyObject *py_is_open(PyObject *module, PyObject *unused)
{
    return PyBool_FromLong(is_driver_usable());
}

static PyObject *py_functions(PyObject *module, PyObject *unused)
{
    PyObject *names = PyTuple_New(Py_ARRAY_LENGTH(table));

    for (size_t k = 0; names && k < Py_ARRAY_LENGTH(table); k++) {
        PyObject *name = PyUnicode_FromString(table[k].symbol);
        if (!name)
            Py_CLEAR(names);
        else
            PyTuple_SET_ITEM(names, (Py_ssize_t)k, name);
    }
    return names;
}

PyMethodDef entry_point_functions[] = {
    {"open", py_open, METH_O,
     "open(path): open libcuda and initialize it, once.  Returns (path, reason) if it cannot be "
     "opened, or lacks a function."},
    {"forget", py_forget, METH_NOARGS,
     "forget(): release everything, so that `open` may open another library."},
    {"is_open", py_is_open, METH_NOARGS, "is_open() -> whether the library can be called."},
    {"functions", py_functions, METH_NOARGS,
     "functions() -> the names of the driver's functions in use."},
    {NULL, NULL, 0, NULL},
};
