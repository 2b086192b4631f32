/* The common declarations of the driver's module.

   entry_points.c  the functions of libcuda, in one table
   failures.c      error results, as exceptions
   contexts.c      devices, and the context of the current thread
   resources.c     memory, modules, streams, events: resources to be released
   operations.c    the operations on them for Python
   arrays.c        data on a GPU, and its shadows
   exchange.c      data of other libraries, by DLPack
   arguments.c     the arguments of a launch
   resolving.c     arguments that Python types
   launching.c     launches
   _driver.c       the module

   Shared data is read by `SHARED`, or under the lock of its owner (`runtime/compat.h`); no Python
   code may run under a lock, and a forked child has all locks open.

   The driver's own names are those of cuda.h, which is not needed: its interface is stable. */

#ifndef CUTAWAY_DRIVER_H
#define CUTAWAY_DRIVER_H

#include "../runtime/compat.h"
#include "../runtime/cutaway_runtime.h"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL cutaway_driver_numpy
#ifndef CUTAWAY_DRIVER_MODULE /* one file imports NumPy's API for all */
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <stddef.h>
#include <structmember.h>

#pragma GCC visibility push(hidden)

typedef int CUresult; /* 0: success */
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

/* The functions of libcuda that are called, each with the version whose types these are. */
typedef struct {
    CUresult (*Init)(unsigned flags);
    CUresult (*DriverGetVersion)(int *version);
    CUresult (*GetErrorName)(CUresult result, const char **name);
    CUresult (*GetErrorString)(CUresult result, const char **text);
    CUresult (*DeviceGetCount)(int *count);
    CUresult (*DeviceGet)(CUdevice *device, int ordinal);
    CUresult (*DeviceGetName)(char *name, int length, CUdevice device);
    CUresult (*DeviceGetAttribute)(int *value, int attribute, CUdevice device);
    CUresult (*DeviceTotalMem)(size_t *bytes, CUdevice device);
    CUresult (*DevicePrimaryCtxRetain)(CUcontext *context, CUdevice device);
    CUresult (*DevicePrimaryCtxRelease)(CUdevice device);
    CUresult (*CtxGetCurrent)(CUcontext *context);
    CUresult (*CtxSetCurrent)(CUcontext context);
    CUresult (*CtxGetDevice)(CUdevice *device);
    CUresult (*CtxSynchronize)(void);
    CUresult (*MemGetInfo)(size_t *available, size_t *total);
    CUresult (*MemAlloc)(CUdeviceptr *address, size_t bytes);
    CUresult (*MemFree)(CUdeviceptr address);
    CUresult (*MemHostAlloc)(void **address, size_t bytes, unsigned flags);
    CUresult (*MemFreeHost)(void *address);
    CUresult (*MemHostRegister)(void *address, size_t bytes, unsigned flags);
    CUresult (*MemHostUnregister)(void *address);
    CUresult (*MemHostGetDevicePointer)(CUdeviceptr *device, void *host, unsigned flags);
    CUresult (*MemcpyHtoDAsync)(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
    CUresult (*MemcpyDtoHAsync)(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
    CUresult (*MemcpyDtoDAsync)(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
    CUresult (*MemsetD8Async)(CUdeviceptr to, unsigned char byte, size_t bytes, CUstream stream);
    CUresult (*ModuleLoadDataEx)(CUmodule *module, const void *image, unsigned count, int *options,
                                 void **values);
    CUresult (*ModuleUnload)(CUmodule module);
    CUresult (*ModuleGetFunction)(CUfunction *function, CUmodule module, const char *name);
    CUresult (*ModuleGetGlobal)(CUdeviceptr *address, size_t *bytes, CUmodule module,
                                const char *name);
    CUresult (*FuncGetAttribute)(int *value, int attribute, CUfunction function);
    CUresult (*FuncSetAttribute)(CUfunction function, int attribute, int value);
    CUresult (*OccupancyMaxActiveBlocks)(int *blocks, CUfunction function, int block_size,
                                         size_t shared_bytes);
    CUresult (*OccupancyMaxPotentialBlockSize)(int *grid, int *block, CUfunction function,
                                               size_t (*shared_of)(int block), size_t shared_bytes,
                                               int limit);
    CUresult (*StreamCreate)(CUstream *stream, unsigned flags);
    CUresult (*StreamDestroy)(CUstream stream);
    CUresult (*StreamSynchronize)(CUstream stream);
    CUresult (*StreamQuery)(CUstream stream);
    CUresult (*StreamWaitEvent)(CUstream stream, CUevent event, unsigned flags);
    CUresult (*LaunchHostFunc)(CUstream stream, void (*function)(void *), void *data);
    CUresult (*EventCreate)(CUevent *event, unsigned flags);
    CUresult (*EventDestroy)(CUevent event);
    CUresult (*EventRecord)(CUevent event, CUstream stream);
    CUresult (*EventSynchronize)(CUevent event);
    CUresult (*EventQuery)(CUevent event);
    CUresult (*EventElapsedTime)(float *milliseconds, CUevent start, CUevent end);
    CUresult (*LaunchKernel)(CUfunction function, unsigned grid_x, unsigned grid_y,
                             unsigned grid_z, unsigned block_x, unsigned block_y,
                             unsigned block_z, unsigned shared_bytes, CUstream stream,
                             void **parameters, void **extra);
} driver_functions;

extern driver_functions driver;
extern PyMethodDef entry_point_functions[], failure_functions[], context_functions[];
extern PyMethodDef operation_functions[], argument_functions[], exchange_functions[];
extern PyMethodDef resolving_functions[], launch_functions[];
extern PyTypeObject ResourceType, DataType, CellType, LauncherType, ConfiguredType;

/* --- entry_points.c ---------------------------------------------------------------------------- */

/* 0 if libcuda may be called; -1 with an exception set if it is not open, or the process is a fork
   of one that used it. */
int require_driver(void);
int is_driver_usable(void); /* the same, without an exception */

/* --- failures.c -------------------------------------------------------------------------------- */

enum {
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
};

/* 0 for a success; -1 with the exception for an error result of a libcuda function.  `kernel` is
   the name of the launched one, or NULL. */
int check(CUresult result, const char *function, const char *kernel);

/* The same with a text that the driver wrote, for instance a log. */
int check_with(CUresult result, const char *function, const char *kernel, const char *log);

/* Record the last launched kernel, which a later failure may be of; takes a reference. */
void note_launch(PyObject *name);

/* Raise Python's error for the use of a closed object; -1. */
int raise_closed(const char *what);

/* Read an object that threads share, such as a hook: a new reference, or NULL; and replace it. */
PyObject *common_object(PyObject **place);
void set_common_object(PyObject **place, PyObject *object);

/* A dict that threads share, made at the first use; NULL with an exception set. */
PyObject *dict_at(PyObject **place);

/* In a forked child: the holder of a file's lock is not a thread of the child. */
void open_failure_lock(void), open_context_lock(void);

/* --- contexts.c -------------------------------------------------------------------------------- */

/* The context of this thread: the current one, whoever made it so, or the primary one of the device
   that the thread has selected.  -1 with an exception set. */
int current_context(CUcontext *context);

/* Closed contexts may be made again at the same address: this number distinguishes them. */
extern unsigned generation;

/* --- resources.c ------------------------------------------------------------------------------- */

enum { DEVICE_MEMORY, HOST_MEMORY, REGISTERED, MODULE, STREAM, EVENT, RESOURCE_KINDS };

/* A resource of the driver that must be released, with its context. */
typedef struct Resource {
    PyObject_HEAD
    int kind;
    int is_open;
    uint64_t handle; /* an address, or a handle */
    uint64_t bytes;  /* of memory */
    CUcontext context;
    struct Resource *before, *after; /* in the list of all open ones */
} Resource;

/* Wrap a resource of the current context; on failure NULL, and the resource is released. */
PyObject *new_resource(int kind, uint64_t handle, uint64_t bytes, CUcontext context);

/* Release all but host memory, which may be in use; and whether anything of a context is left. */
void release_all(void);
int has_resources(CUcontext context);

/* In a forked child: they belong to the parent. */
void abandon_all(void);

/* The handle of a resource, or of an integer; -1 with an exception set. */
int read_handle(PyObject *value, int kind, uint64_t *handle);

extern PyMethodDef resource_functions[];

/* --- arrays.c ---------------------------------------------------------------------------------- */

/* Data on a GPU: an array, or a record.  `shadow` is its form for the dispatcher's guards: a NumPy
   array or record whose memory is the GPU's.  Its elements must not be read, so Python never gets
   it, except while a kernel is compiled. */
typedef struct {
    PyObject_HEAD
    PyObject *shadow;
    PyObject *owner;  /* the owner of the memory */
    PyObject *stream; /* the stream of operations on it, or NULL */
    PyObject *weakrefs;
} Data;

/* A NumPy array whose memory is a GPU's.  It takes over the reference of the dtype. */
PyObject *shadow_of(PyArray_Descr *dtype, int ndim, const npy_intp *shape, const npy_intp *strides,
                    uint64_t address, int is_readonly);

/* Whether the memory of data is still allocated; else an exception is set. */
int is_data_open(const Data *data);

/* --- exchange.c -------------------------------------------------------------------------------- */

/* The table of DLPack's C functions of a class; NULL if it has none. */
const void *exchange_table(PyTypeObject *cls);

/* The shadow of another library's tensor: a new reference; NULL with an exception set, or with
   *is_host if its memory is not a GPU's. */
PyObject *shadow_of_tensor(const void *table, PyObject *value, int *is_host, int *device);

/* The library's current stream; -1 with an exception set. */
int stream_of_library(const void *table, int device, CUstream *stream);

/* --- arguments.c ------------------------------------------------------------------------------- */

/* The state of the arguments of one launch. */
typedef struct {
    PyObject *kept;   /* a list of objects to be kept alive until the end; NULL before the first */
    PyObject *copied; /* a list of (host, device) pairs to be copied back; NULL before the first */
    CUstream stream;  /* of the library that an argument comes from */
    int has_stream;
    int wants_stream;
    uint64_t handle;  /* of the launch's stream */
} arrival;

/* Whether a value goes to the dispatcher unchanged, as most numbers do. */
static inline int is_plain(PyObject *value)
{
    const PyTypeObject *cls = Py_TYPE(value);

    return cls == &PyLong_Type || cls == &PyFloat_Type || cls == &PyBool_Type || value == Py_None;
}

/* Convert a value for the dispatcher, borrowed; NULL with an exception set. */
PyObject *arrive(PyObject *value, arrival *state);
/* A tuple of the same class with other items, without calling the class; takes over the reference
   to the items. */
PyObject *same_class(PyObject *value, PyObject *items);

/* Copy back where necessary, and release all held objects; `done` if the launch was made. -1 with
   an exception set. */
int depart(arrival *state, int done);

#pragma GCC visibility pop

#endif
