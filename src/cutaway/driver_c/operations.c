/* The driver's operations for Python, one function for each of the driver's.

   Addresses and handles are integers, or the resources that have them.  Long operations run without
   the GIL. */

#include "driver.h"

/* --- memory ------------------------------------------------------------------------------------ */

static PyObject *allocate(PyObject *module, PyObject *size)
{
    size_t bytes = PyLong_AsSize_t(size);
    CUdeviceptr address;
    CUcontext context;
    CUresult result;

    if ((bytes == (size_t)-1 && PyErr_Occurred()) || current_context(&context) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    result = driver.MemAlloc(&address, bytes);
    Py_END_ALLOW_THREADS
    if (check(result, "cuMemAlloc", NULL) < 0)
        return NULL;
    return new_resource(DEVICE_MEMORY, address, bytes, context);
}

static PyObject *allocate_host(PyObject *module, PyObject *args)
{
    unsigned long long bytes;
    unsigned flags;
    void *address;
    CUcontext context;
    CUresult result;

    if (!PyArg_ParseTuple(args, "KI", &bytes, &flags) || current_context(&context) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    result = driver.MemHostAlloc(&address, bytes, flags);
    Py_END_ALLOW_THREADS
    if (check(result, "cuMemHostAlloc", NULL) < 0)
        return NULL;
    return new_resource(HOST_MEMORY, (uintptr_t)address, bytes, context);
}

static PyObject *register_host(PyObject *module, PyObject *args)
{
    unsigned long long address, bytes;
    unsigned flags;
    CUcontext context;
    CUresult result;

    if (!PyArg_ParseTuple(args, "KKI", &address, &bytes, &flags) || current_context(&context) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    result = driver.MemHostRegister((void *)(uintptr_t)address, bytes, flags);
    Py_END_ALLOW_THREADS
    if (check(result, "cuMemHostRegister", NULL) < 0)
        return NULL;
    return new_resource(REGISTERED, address, bytes, context);
}

static PyObject *device_address(PyObject *module, PyObject *memory)
{
    uint64_t host;
    CUdeviceptr address;
    CUcontext context;

    if (read_handle(memory, HOST_MEMORY, &host) < 0 || current_context(&context) < 0 ||
        check(driver.MemHostGetDevicePointer(&address, (void *)(uintptr_t)host, 0),
              "cuMemHostGetDevicePointer", NULL) < 0)
        return NULL;
    return PyLong_FromUnsignedLongLong(address);
}

static PyObject *memory_info(PyObject *module, PyObject *unused)
{
    size_t available, total;
    CUcontext context;

    if (current_context(&context) < 0 ||
        check(driver.MemGetInfo(&available, &total), "cuMemGetInfo", NULL) < 0)
        return NULL;
    return Py_BuildValue("KK", (unsigned long long)available, (unsigned long long)total);
}

/* The parameters of the three copies: source, target, size, stream, and whether to wait. */
typedef struct {
    unsigned long long to, from, bytes;
    uint64_t stream;
    int waits;
} copy_order;

static int read_order(PyObject *args, copy_order *order)
{
    PyObject *stream;
    CUcontext context;

    return PyArg_ParseTuple(args, "KKKOp", &order->to, &order->from, &order->bytes, &stream,
                            &order->waits) &&
           read_handle(stream, STREAM, &order->stream) == 0 && current_context(&context) == 0;
}

/* Wait for a stream, while other threads run; -1 with an exception set. */
static int wait_for_stream(uint64_t stream)
{
    CUresult result;

    Py_BEGIN_ALLOW_THREADS
    result = driver.StreamSynchronize((CUstream)(uintptr_t)stream);
    Py_END_ALLOW_THREADS
    return check(result, "cuStreamSynchronize", NULL);
}

/* The result of queueing a copy: None, or NULL with an exception set. */
static PyObject *queued(CUresult result, const char *function, const copy_order *order)
{
    if (check(result, function, NULL) < 0)
        return NULL;
    if (order->waits && wait_for_stream(order->stream) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *copy_to_device(PyObject *module, PyObject *args)
{
    copy_order order;
    CUresult result;

    if (!read_order(args, &order))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    result = driver.MemcpyHtoDAsync(order.to, (const void *)(uintptr_t)order.from, order.bytes,
                                    (CUstream)(uintptr_t)order.stream);
    Py_END_ALLOW_THREADS
    return queued(result, "cuMemcpyHtoDAsync", &order);
}

static PyObject *copy_to_host(PyObject *module, PyObject *args)
{
    copy_order order;
    CUresult result;

    if (!read_order(args, &order))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    result = driver.MemcpyDtoHAsync((void *)(uintptr_t)order.to, order.from, order.bytes,
                                    (CUstream)(uintptr_t)order.stream);
    Py_END_ALLOW_THREADS
    return queued(result, "cuMemcpyDtoHAsync", &order);
}

static PyObject *copy_on_device(PyObject *module, PyObject *args)
{
    copy_order order;
    CUresult result;

    if (!read_order(args, &order))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    result = driver.MemcpyDtoDAsync(order.to, order.from, order.bytes,
                                    (CUstream)(uintptr_t)order.stream);
    Py_END_ALLOW_THREADS
    return queued(result, "cuMemcpyDtoDAsync", &order);
}

static PyObject *fill(PyObject *module, PyObject *args)
{
    unsigned long long to, bytes;
    unsigned char byte;
    PyObject *stream;
    uint64_t handle;
    CUcontext context;

    if (!PyArg_ParseTuple(args, "KbKO", &to, &byte, &bytes, &stream) ||
        read_handle(stream, STREAM, &handle) < 0 || current_context(&context) < 0 ||
        check(driver.MemsetD8Async(to, byte, bytes, (CUstream)(uintptr_t)handle),
              "cuMemsetD8Async", NULL) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* --- modules ----------------------------------------------------------------------------------- */

enum { JIT_MAX_REGISTERS = 0, JIT_ERROR_LOG = 5, JIT_ERROR_LOG_BYTES = 6, JIT_OPTIMIZATION = 7,
       JIT_LINES = 13 };
#define LOG_BYTES 8192

/* The options are those of the driver's PTX compiler. */
static PyObject *load_module(PyObject *module, PyObject *args)
{
    Py_buffer image;
    int level, registers, lines;
    int options[5] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES, JIT_OPTIMIZATION};
    void *values[5];
    unsigned count = 3;
    char *log;
    CUcontext context;
    CUmodule loaded;
    CUresult result;
    PyObject *answer = NULL;

    if (!PyArg_ParseTuple(args, "y*iii", &image, &level, &registers, &lines))
        return NULL;
    log = PyMem_Calloc(LOG_BYTES, 1);
    if (!log)
        PyErr_NoMemory();
    if (!log || current_context(&context) < 0)
        goto end;
    values[0] = log;
    values[1] = (void *)(uintptr_t)(LOG_BYTES - 1);
    values[2] = (void *)(uintptr_t)level;
    if (registers) {
        options[count] = JIT_MAX_REGISTERS;
        values[count++] = (void *)(uintptr_t)registers;
    }
    if (lines) {
        options[count] = JIT_LINES;
        values[count++] = (void *)(uintptr_t)1;
    }
    Py_BEGIN_ALLOW_THREADS
    result = driver.ModuleLoadDataEx(&loaded, image.buf, count, options, values);
    Py_END_ALLOW_THREADS
    if (check_with(result, "cuModuleLoadDataEx", NULL, log) == 0)
        answer = new_resource(MODULE, (uintptr_t)loaded, 0, context);
end:
    PyMem_Free(log);
    PyBuffer_Release(&image);
    return answer;
}

static PyObject *function_of(PyObject *module, PyObject *args)
{
    PyObject *loaded;
    const char *name;
    uint64_t handle;
    CUfunction function;
    CUcontext context;

    if (!PyArg_ParseTuple(args, "Os", &loaded, &name) || read_handle(loaded, MODULE, &handle) < 0 ||
        current_context(&context) < 0 ||
        check(driver.ModuleGetFunction(&function, (CUmodule)(uintptr_t)handle, name),
              "cuModuleGetFunction", name) < 0)
        return NULL;
    return PyLong_FromUnsignedLongLong((uintptr_t)function);
}

static PyObject *global_of(PyObject *module, PyObject *args)
{
    PyObject *loaded;
    const char *name;
    uint64_t handle;
    CUdeviceptr address;
    size_t bytes;
    CUcontext context;
    CUresult result;

    if (!PyArg_ParseTuple(args, "Os", &loaded, &name) || read_handle(loaded, MODULE, &handle) < 0 ||
        current_context(&context) < 0)
        return NULL;
    result = driver.ModuleGetGlobal(&address, &bytes, (CUmodule)(uintptr_t)handle, name);
    if (result == CUDA_ERROR_NOT_FOUND)
        Py_RETURN_NONE;
    if (check(result, "cuModuleGetGlobal", NULL) < 0)
        return NULL;
    return Py_BuildValue("KK", address, (unsigned long long)bytes);
}

static PyObject *function_attribute(PyObject *module, PyObject *args)
{
    unsigned long long function;
    int attribute, value;
    CUcontext context;

    if (!PyArg_ParseTuple(args, "Ki", &function, &attribute) || current_context(&context) < 0 ||
        check(driver.FuncGetAttribute(&value, attribute, (CUfunction)(uintptr_t)function),
              "cuFuncGetAttribute", NULL) < 0)
        return NULL;
    return PyLong_FromLong(value);
}

static PyObject *active_blocks(PyObject *module, PyObject *args)
{
    unsigned long long function, shared;
    int size, blocks;
    CUcontext context;

    if (!PyArg_ParseTuple(args, "KiK", &function, &size, &shared) ||
        current_context(&context) < 0 ||
        check(driver.OccupancyMaxActiveBlocks(&blocks, (CUfunction)(uintptr_t)function, size, shared),
              "cuOccupancyMaxActiveBlocksPerMultiprocessor", NULL) < 0)
        return NULL;
    return PyLong_FromLong(blocks);
}

static PyObject *potential_block_size(PyObject *module, PyObject *args)
{
    unsigned long long function, shared;
    int limit, grid, block;
    CUcontext context;

    if (!PyArg_ParseTuple(args, "KKi", &function, &shared, &limit) ||
        current_context(&context) < 0 ||
        check(driver.OccupancyMaxPotentialBlockSize(&grid, &block, (CUfunction)(uintptr_t)function,
                                                    NULL, shared, limit),
              "cuOccupancyMaxPotentialBlockSize", NULL) < 0)
        return NULL;
    return Py_BuildValue("ii", grid, block);
}

/* --- streams and events ------------------------------------------------------------------------ */

/* The result of a query: whether all work is done. */
static PyObject *is_done(CUresult result, const char *function)
{
    if (result == CUDA_ERROR_NOT_READY)
        Py_RETURN_FALSE;
    if (check(result, function, NULL) < 0)
        return NULL;
    Py_RETURN_TRUE;
}

static PyObject *new_stream(PyObject *module, PyObject *flags)
{
    unsigned long given = PyLong_AsUnsignedLong(flags);
    CUstream stream;
    CUcontext context;

    if (PyErr_Occurred() || current_context(&context) < 0 ||
        check(driver.StreamCreate(&stream, (unsigned)given), "cuStreamCreate", NULL) < 0)
        return NULL;
    return new_resource(STREAM, (uintptr_t)stream, 0, context);
}

static PyObject *stream_synchronize(PyObject *module, PyObject *stream)
{
    uint64_t handle;
    CUcontext context;

    if (read_handle(stream, STREAM, &handle) < 0 || current_context(&context) < 0 ||
        wait_for_stream(handle) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *stream_query(PyObject *module, PyObject *stream)
{
    uint64_t handle;
    CUcontext context;

    if (read_handle(stream, STREAM, &handle) < 0 || current_context(&context) < 0)
        return NULL;
    return is_done(driver.StreamQuery((CUstream)(uintptr_t)handle), "cuStreamQuery");
}

static PyObject *stream_wait(PyObject *module, PyObject *args)
{
    PyObject *stream, *event;
    uint64_t waiting, awaited;
    CUcontext context;

    if (!PyArg_ParseTuple(args, "OO", &stream, &event) ||
        read_handle(stream, STREAM, &waiting) < 0 || read_handle(event, EVENT, &awaited) < 0 ||
        current_context(&context) < 0 ||
        check(driver.StreamWaitEvent((CUstream)(uintptr_t)waiting, (CUevent)(uintptr_t)awaited, 0),
              "cuStreamWaitEvent", NULL) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* Run in a thread of the driver: calls the callback, whose exceptions are ignored. */
static void run_callback(void *data)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *callback = data, *answer = PyObject_CallNoArgs(callback);

    if (!answer)
        PyErr_WriteUnraisable(callback);
    Py_XDECREF(answer);
    Py_DECREF(callback);
    PyGILState_Release(gil);
}

static PyObject *call_later(PyObject *module, PyObject *args)
{
    PyObject *stream, *callback;
    uint64_t handle;
    CUcontext context;
    CUresult result;

    if (!PyArg_ParseTuple(args, "OO", &stream, &callback) ||
        read_handle(stream, STREAM, &handle) < 0 || current_context(&context) < 0)
        return NULL;
    Py_INCREF(callback); /* released after the call */
    Py_BEGIN_ALLOW_THREADS
    result = driver.LaunchHostFunc((CUstream)(uintptr_t)handle, run_callback, callback);
    Py_END_ALLOW_THREADS
    if (check(result, "cuLaunchHostFunc", NULL) < 0) {
        Py_DECREF(callback);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *new_event(PyObject *module, PyObject *flags)
{
    unsigned long given = PyLong_AsUnsignedLong(flags);
    CUevent event;
    CUcontext context;

    if (PyErr_Occurred() || current_context(&context) < 0 ||
        check(driver.EventCreate(&event, (unsigned)given), "cuEventCreate", NULL) < 0)
        return NULL;
    return new_resource(EVENT, (uintptr_t)event, 0, context);
}

static PyObject *event_record(PyObject *module, PyObject *args)
{
    PyObject *stream, *event;
    uint64_t recorded, in;
    CUcontext context;

    if (!PyArg_ParseTuple(args, "OO", &event, &stream) || read_handle(event, EVENT, &recorded) < 0 ||
        read_handle(stream, STREAM, &in) < 0 || current_context(&context) < 0 ||
        check(driver.EventRecord((CUevent)(uintptr_t)recorded, (CUstream)(uintptr_t)in),
              "cuEventRecord", NULL) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *event_synchronize(PyObject *module, PyObject *event)
{
    uint64_t handle;
    CUcontext context;
    CUresult result;

    if (read_handle(event, EVENT, &handle) < 0 || current_context(&context) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    result = driver.EventSynchronize((CUevent)(uintptr_t)handle);
    Py_END_ALLOW_THREADS
    if (check(result, "cuEventSynchronize", NULL) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *event_query(PyObject *module, PyObject *event)
{
    uint64_t handle;
    CUcontext context;

    if (read_handle(event, EVENT, &handle) < 0 || current_context(&context) < 0)
        return NULL;
    return is_done(driver.EventQuery((CUevent)(uintptr_t)handle), "cuEventQuery");
}

static PyObject *elapsed_time(PyObject *module, PyObject *args)
{
    PyObject *start, *end;
    uint64_t first, last;
    float milliseconds;
    CUcontext context;

    if (!PyArg_ParseTuple(args, "OO", &start, &end) || read_handle(start, EVENT, &first) < 0 ||
        read_handle(end, EVENT, &last) < 0 || current_context(&context) < 0 ||
        check(driver.EventElapsedTime(&milliseconds, (CUevent)(uintptr_t)first,
                                      (CUevent)(uintptr_t)last),
              "cuEventElapsedTime", NULL) < 0)
        return NULL;
    return PyFloat_FromDouble(milliseconds);
}

PyMethodDef operation_functions[] = {
    {"allocate", allocate, METH_O, "allocate(bytes) -> device memory."},
    {"allocate_host", allocate_host, METH_VARARGS,
     "allocate_host(bytes, flags) -> pinned host memory: 1 for all contexts, 2 the GPU reads it, "
     "4 write-combined."},
    {"register_host", register_host, METH_VARARGS,
     "register_host(address, bytes, flags): pin host memory."},
    {"device_address", device_address, METH_O,
     "device_address(memory) -> the GPU's address of host memory."},
    {"memory_info", memory_info, METH_NOARGS, "memory_info() -> (free bytes, total bytes)."},
    {"copy_to_device", copy_to_device, METH_VARARGS,
     "copy_to_device(to, from, bytes, stream, waits)."},
    {"copy_to_host", copy_to_host, METH_VARARGS, "copy_to_host(to, from, bytes, stream, waits)."},
    {"copy_on_device", copy_on_device, METH_VARARGS,
     "copy_on_device(to, from, bytes, stream, waits)."},
    {"fill", fill, METH_VARARGS, "fill(address, byte, bytes, stream): set each byte."},
    {"load_module", load_module, METH_VARARGS,
     "load_module(image, level, registers, lines) -> a module from a cubin, or from PTX with a zero "
     "at its end."},
    {"function_of", function_of, METH_VARARGS, "function_of(module, name) -> its handle."},
    {"global_of", global_of, METH_VARARGS,
     "global_of(module, name) -> (address, bytes), or None if there is none."},
    {"function_attribute", function_attribute, METH_VARARGS,
     "function_attribute(function, attribute) -> its value, by the driver's number of the "
     "attribute."},
    {"active_blocks", active_blocks, METH_VARARGS,
     "active_blocks(function, threads, shared bytes) -> how many blocks a multiprocessor holds."},
    {"potential_block_size", potential_block_size, METH_VARARGS,
     "potential_block_size(function, shared bytes, limit) -> (blocks, threads)."},
    {"new_stream", new_stream, METH_O, "new_stream(flags) -> a stream."},
    {"stream_synchronize", stream_synchronize, METH_O, "stream_synchronize(stream): wait for it."},
    {"stream_query", stream_query, METH_O, "stream_query(stream) -> whether all in it is done."},
    {"stream_wait", stream_wait, METH_VARARGS, "stream_wait(stream, event): it waits for an event."},
    {"call_later", call_later, METH_VARARGS,
     "call_later(stream, callback): a thread of the driver's calls it, in the stream's order."},
    {"new_event", new_event, METH_O, "new_event(flags) -> an event: 1 to block, 2 without timing."},
    {"event_record", event_record, METH_VARARGS, "event_record(event, stream)."},
    {"event_synchronize", event_synchronize, METH_O, "event_synchronize(event): wait for it."},
    {"event_query", event_query, METH_O, "event_query(event) -> whether it came to pass."},
    {"elapsed_time", elapsed_time, METH_VARARGS, "elapsed_time(start, end) -> milliseconds."},
    {NULL, NULL, 0, NULL},
};
