/* A driver of GPUs for the tests: the functions of libcuda that Cutaway calls, over memory of the host.

   It checks what a GPU would not forgive: memory that is freed twice or belongs to another context,
   handles that are none, copies beyond the end.  What went wrong is counted by `fake_faults`, and the
   first is told by `fake_fault`.  It records launches with the bytes of their parameters, whose sizes it
   reads in the PTX; it fails when it is told to; and a launch may call back, so that a test can play the
   kernel.  Nothing is ever run on a thread of its own. */

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int CUresult;
typedef unsigned long long CUdeviceptr;

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101, INVALID_CONTEXT = 201, INVALID_PTX = 218,
       INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600 };
enum { MOST = 4096, DEVICES = 2, PARAMETERS = 256, BYTES = 16384 };
enum { MEMORY = 1, HOST, REGISTERED, MODULE, STREAM, EVENT };

typedef struct {
    int device, live, users;
} context;

typedef struct {
    int kind, live;
    uintptr_t handle;
    size_t bytes;
    context *owner;
} thing;

typedef struct {
    char name[256];
    int count, sizes[PARAMETERS];
    int shared;
    struct module *module;
} function;

typedef struct module {
    int count;
    function functions[16];
    char global[64];
    int64_t *value;
} module;

typedef struct {
    struct timespec at;
    int is_recorded;
} event;

typedef struct {
    char name[256];
    unsigned grid[3], block[3], shared;
    uintptr_t stream;
    int count, sizes[PARAMETERS];
    unsigned char bytes[BYTES];
    int device;
} launch;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static context contexts[64];
static int contexts_made;
static context *primary[DEVICES];
static __thread context *current;
static thing things[MOST];
static int things_made;
static launch last;
static long launches, faults;
static char first_fault[512];
static char failing[64];
static int fail_at, fail_with, calls_of_failing;
static long calls;
static char trail[65536];
static int keeps_trail;
static int is_quick; /* it checks and records nothing of a launch, so that what is around it is measured */
static int (*play)(const char *name, void **parameters, int count);
static int devices_there = DEVICES, major_version = 8;
static char last_log[8192];

static void fault(const char *what, const char *function)
{
    if (!faults++)
        snprintf(first_fault, sizeof(first_fault), "%s: %s", function, what);
}

/* What each function begins with: it is counted, and fails when it is its turn. */
static CUresult begin(const char *name)
{
    CUresult result = 0;

    if (is_quick)
        return 0;
    pthread_mutex_lock(&lock);
    calls++;
    if (keeps_trail && strlen(trail) + strlen(name) + 2 < sizeof(trail)) {
        strcat(trail, name);
        strcat(trail, " ");
    }
    if (failing[0] && !strcmp(failing, name) && ++calls_of_failing == fail_at)
        result = fail_with;
    pthread_mutex_unlock(&lock);
    return result;
}

#define BEGIN                           \
    do {                                \
        CUresult turn = begin(__func__); \
        if (turn)                       \
            return turn;                \
    } while (0)

#define IN_CONTEXT                        \
    do {                                  \
        if (!current || !current->live) { \
            fault("no context", __func__); \
            return INVALID_CONTEXT;       \
        }                                 \
    } while (0)

static thing *add(int kind, uintptr_t handle, size_t bytes)
{
    thing *one = NULL;

    pthread_mutex_lock(&lock);
    for (int k = 0; k < things_made && !one; k++)
        if (!things[k].live)
            one = &things[k];
    if (!one && things_made < MOST)
        one = &things[things_made++];
    if (one)
        *one = (thing){kind, 1, handle, bytes, current};
    pthread_mutex_unlock(&lock);
    return one;
}

static thing *find(int kind, uintptr_t handle)
{
    thing *found = NULL;

    pthread_mutex_lock(&lock);
    for (int k = 0; k < things_made; k++)
        if (things[k].live && things[k].kind == kind && things[k].handle == handle)
            found = &things[k];
    pthread_mutex_unlock(&lock);
    return found;
}

/* Take something back; NULL with a fault where it is not there, or another context's. */
static thing *take(int kind, uintptr_t handle, const char *function)
{
    thing *one = find(kind, handle);

    if (!one)
        fault("a handle that is none, or was given back", function);
    else if (one->owner != current)
        fault("something of another context", function);
    if (one)
        one->live = 0;
    return one;
}

/* The memory that has all these bytes. */
static thing *memory_with(CUdeviceptr address, size_t bytes)
{
    thing *found = NULL;

    pthread_mutex_lock(&lock);
    for (int k = 0; k < things_made; k++) {
        const thing *one = &things[k];
        if (one->live && (one->kind == MEMORY || one->kind == HOST) && address >= one->handle &&
            address + bytes <= one->handle + one->bytes)
            found = &things[k];
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Whether a module has a global there. */
static int is_global(CUdeviceptr address, size_t bytes)
{
    int found = 0;

    pthread_mutex_lock(&lock);
    for (int k = 0; k < things_made; k++)
        if (things[k].live && things[k].kind == MODULE)
            found |= address == (uintptr_t)((module *)things[k].handle)->value && bytes <= 8;
    pthread_mutex_unlock(&lock);
    return found;
}

static int is_stream(uintptr_t stream)
{
    return stream <= 2 || stream >= 0xF000000000000000u || find(STREAM, stream);
}

/* --- what tests ask ---------------------------------------------------------------------------- */

void fake_reset(void)
{
    faults = launches = calls = 0;
    first_fault[0] = failing[0] = trail[0] = last_log[0] = '\0';
    keeps_trail = is_quick = 0;
    play = NULL;
    devices_there = DEVICES;
    major_version = 8;
}

long fake_faults(void) { return faults; }
const char *fake_fault(void) { return first_fault; }
long fake_launches(void) { return launches; }
long fake_calls(void) { return calls; }
const char *fake_trail(void) { return trail; }
void fake_keep_trail(int yes) { keeps_trail = yes; trail[0] = '\0'; }
void fake_play(int (*played)(const char *, void **, int)) { play = played; }
void fake_be_quick(int yes) { is_quick = yes; }
void fake_devices(int count) { devices_there = count; }
void fake_major(int number) { major_version = number; }

void fake_fail(const char *name, int at, int result)
{
    snprintf(failing, sizeof(failing), "%s", name);
    fail_at = at;
    fail_with = result;
    calls_of_failing = 0;
}

/* Where the module that was loaded last has its global, 0 where it has none. */
unsigned long long fake_global(void)
{
    for (int k = things_made; k--;)
        if (things[k].live && things[k].kind == MODULE && ((module *)things[k].handle)->value)
            return (uintptr_t)((module *)things[k].handle)->value;
    return 0;
}

/* How many of a kind are live; 0 for all. */
int fake_live(int kind)
{
    int count = 0;

    for (int k = 0; k < things_made; k++)
        count += things[k].live && (!kind || things[k].kind == kind);
    return count;
}

int fake_contexts(void)
{
    int count = 0;

    for (int k = 0; k < contexts_made && k < 64; k++)
        count += contexts[k].live;
    return count;
}

const char *fake_last_name(void) { return last.name; }
void fake_last_shape(unsigned *numbers)
{
    memcpy(numbers, last.grid, sizeof(last.grid));
    memcpy(numbers + 3, last.block, sizeof(last.block));
    numbers[6] = last.shared;
    numbers[7] = (unsigned)last.device;
}
unsigned long long fake_last_stream(void) { return last.stream; }
int fake_last_count(void) { return last.count; }
int fake_last_parameter(int which, unsigned char *bytes)
{
    int at = 0;

    for (int k = 0; k < which; k++)
        at += last.sizes[k];
    memcpy(bytes, last.bytes + at, (size_t)last.sizes[which]);
    return last.sizes[which];
}

/* --- the driver -------------------------------------------------------------------------------- */

CUresult cuInit(unsigned flags)
{
    BEGIN;
    return devices_there ? 0 : 100;
}

CUresult cuDriverGetVersion(int *version)
{
    BEGIN;
    *version = 12040;
    return 0;
}

CUresult cuGetErrorName(CUresult result, const char **name)
{
    static const struct {
        int result;
        const char *name;
    } rows[] = {{1, "CUDA_ERROR_INVALID_VALUE"}, {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                {100, "CUDA_ERROR_NO_DEVICE"}, {101, "CUDA_ERROR_INVALID_DEVICE"},
                {201, "CUDA_ERROR_INVALID_CONTEXT"}, {218, "CUDA_ERROR_INVALID_PTX"},
                {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"}, {400, "CUDA_ERROR_INVALID_HANDLE"},
                {500, "CUDA_ERROR_NOT_FOUND"}, {600, "CUDA_ERROR_NOT_READY"},
                {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
                {702, "CUDA_ERROR_LAUNCH_TIMEOUT"}, {719, "CUDA_ERROR_LAUNCH_FAILED"}};

    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
        if (rows[k].result == result) {
            *name = rows[k].name;
            return 0;
        }
    return INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult result, const char **text)
{
    *text = "the fake driver has no words for it";
    return 0;
}

CUresult cuDeviceGetCount(int *count)
{
    BEGIN;
    *count = devices_there;
    return 0;
}

CUresult cuDeviceGet(int *device, int ordinal)
{
    BEGIN;
    *device = ordinal;
    return ordinal >= 0 && ordinal < devices_there ? 0 : INVALID_DEVICE;
}

CUresult cuDeviceGetName(char *name, int length, int device)
{
    BEGIN;
    snprintf(name, (size_t)length, "Fake %d", device);
    return 0;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, int device)
{
    BEGIN;
    *value = attribute == 75   ? major_version + device
             : attribute == 76 ? 0
             : attribute == 10 ? 32
             : attribute == 39 ? 2048
             : attribute == 1  ? 1024
                               : 1000 + attribute;
    return 0;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    BEGIN;
    *bytes = (size_t)1 << 34;
    return 0;
}

CUresult cuDevicePrimaryCtxRetain(context **made, int device)
{
    BEGIN;
    if (!primary[device] || !primary[device]->live) {
        primary[device] = &contexts[contexts_made++ % 64];
        *primary[device] = (context){device, 1, 0};
    }
    primary[device]->users++;
    *made = primary[device];
    return 0;
}

CUresult cuDevicePrimaryCtxRelease_v2(int device)
{
    BEGIN;
    if (!primary[device] || !primary[device]->live || primary[device]->users < 1) {
        fault("a context that nobody has", __func__);
        return INVALID_CONTEXT;
    }
    if (!--primary[device]->users) {
        primary[device]->live = 0;
        for (int k = 0; k < things_made; k++)
            if (things[k].live && things[k].owner == primary[device]) {
                things[k].live = 0;
                fault("it goes with its context", "cuDevicePrimaryCtxRelease");
            }
    }
    return 0;
}

CUresult cuCtxGetCurrent(context **found)
{
    BEGIN;
    *found = current;
    return 0;
}

CUresult cuCtxSetCurrent(context *wanted)
{
    BEGIN;
    if (wanted && !wanted->live)
        return INVALID_CONTEXT;
    current = wanted;
    return 0;
}

CUresult cuCtxGetDevice(int *device)
{
    BEGIN;
    IN_CONTEXT;
    *device = current->device;
    return 0;
}

CUresult cuCtxSynchronize(void)
{
    BEGIN;
    IN_CONTEXT;
    return 0;
}

CUresult cuMemGetInfo_v2(size_t *available, size_t *total)
{
    BEGIN;
    IN_CONTEXT;
    *available = (size_t)1 << 33;
    *total = (size_t)1 << 34;
    return 0;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
    void *memory;

    BEGIN;
    IN_CONTEXT;
    if (!bytes)
        return INVALID_VALUE;
    if (bytes > (size_t)1 << 33 || posix_memalign(&memory, 256, bytes))
        return OUT_OF_MEMORY;
    memset(memory, 0xA5, bytes);
    add(MEMORY, (uintptr_t)memory, bytes);
    *address = (uintptr_t)memory;
    return 0;
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
    BEGIN;
    IN_CONTEXT;
    if (!take(MEMORY, address, __func__))
        return INVALID_VALUE;
    free((void *)(uintptr_t)address);
    return 0;
}

CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned flags)
{
    BEGIN;
    IN_CONTEXT;
    if (!bytes || posix_memalign(address, 4096, bytes))
        return INVALID_VALUE;
    add(HOST, (uintptr_t)*address, bytes);
    return 0;
}

CUresult cuMemFreeHost(void *address)
{
    BEGIN;
    IN_CONTEXT;
    if (!take(HOST, (uintptr_t)address, __func__))
        return INVALID_VALUE;
    free(address);
    return 0;
}

CUresult cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags)
{
    BEGIN;
    IN_CONTEXT;
    if (find(REGISTERED, (uintptr_t)address))
        return 712;
    add(REGISTERED, (uintptr_t)address, bytes);
    return 0;
}

CUresult cuMemHostUnregister(void *address)
{
    BEGIN;
    IN_CONTEXT;
    return take(REGISTERED, (uintptr_t)address, __func__) ? 0 : INVALID_VALUE;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags)
{
    BEGIN;
    IN_CONTEXT;
    if (!find(HOST, (uintptr_t)host))
        return INVALID_VALUE;
    *device = (uintptr_t)host;
    return 0;
}

static CUresult copy(void *to, const void *from, size_t bytes, uintptr_t stream, const char *name)
{
    if (!is_stream(stream)) {
        fault("a stream that is none", name);
        return INVALID_HANDLE;
    }
    memmove(to, from, bytes);
    return 0;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, uintptr_t stream)
{
    BEGIN;
    IN_CONTEXT;
    if (!memory_with(to, bytes) && !is_global(to, bytes)) {
        fault("memory that is not there", __func__);
        return INVALID_VALUE;
    }
    return copy((void *)(uintptr_t)to, from, bytes, stream, __func__);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, uintptr_t stream)
{
    BEGIN;
    IN_CONTEXT;
    if (!memory_with(from, bytes)) {
        fault("memory that is not there", __func__);
        return INVALID_VALUE;
    }
    return copy(to, (const void *)(uintptr_t)from, bytes, stream, __func__);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, uintptr_t stream)
{
    BEGIN;
    IN_CONTEXT;
    if (!memory_with(to, bytes) || !memory_with(from, bytes)) {
        fault("memory that is not there", __func__);
        return INVALID_VALUE;
    }
    return copy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes, stream, __func__);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t bytes, uintptr_t stream)
{
    BEGIN;
    IN_CONTEXT;
    if (!memory_with(to, bytes))
        return INVALID_VALUE;
    memset((void *)(uintptr_t)to, byte, bytes);
    return 0;
}

/* The size of a parameter that PTX declares: `.param .u64 .ptr .align 1 name`, `.param .b8 name[16]`. */
static int size_of_parameter(const char *text, const char *end)
{
    static const char *const types[] = {".u8", ".s8", ".b8", ".pred", ".u16", ".s16", ".b16", ".f16",
                                        ".u32", ".s32", ".b32", ".f32", ".u64", ".s64", ".b64", ".f64"};
    static const int sizes[] = {1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8};
    const char *bracket = memchr(text, '[', (size_t)(end - text));
    int count = bracket ? atoi(bracket + 1) : 1;

    for (size_t k = 0; k < sizeof(types) / sizeof(*types); k++) {
        const char *found = strstr(text, types[k]);
        if (found && found < end && found[strlen(types[k])] == ' ')
            return count * sizes[k];
    }
    return 0;
}

static void read_entry(const char *text, module *into)
{
    function *one = &into->functions[into->count++];
    const char *open = strchr(text, '('), *close = open ? strchr(open, ')') : NULL, *here, *end;

    sscanf(text, ".entry %255[^ (\n]", one->name);
    one->module = into;
    if (!close)
        return;
    for (here = open; (here = strstr(here, ".param")) && here < close; here = end) {
        end = strpbrk(here, ",)");
        one->sizes[one->count++] = size_of_parameter(here + 6, end);
    }
}

CUresult cuModuleLoadDataEx(module **made, const void *image, unsigned count, int *options, void **values)
{
    const char *text = image, *here;
    module *one;

    BEGIN;
    IN_CONTEXT;
    if (!memcmp(image, "\177ELF", 4)) { /* machine code, of which nothing is known but that it is */
        one = calloc(1, sizeof(*one));
        one->count = -1;
        add(MODULE, (uintptr_t)one, 0);
        *made = one;
        return 0;
    }
    if (!strstr(text, ".version")) {
        for (unsigned k = 0; k < count; k++)
            if (options[k] == 5)
                snprintf(values[k], (size_t)(uintptr_t)values[k + 1], "ptxas fake, line 1; syntax error");
        return INVALID_PTX;
    }
    one = calloc(1, sizeof(*one));
    for (here = text; (here = strstr(here, ".entry ")) && one->count < 16; here++)
        read_entry(here, one);
    if (strstr(text, ".global .align 8 .u64 cutaway_error")) {
        strcpy(one->global, "cutaway_error");
        one->value = calloc(1, 8);
    }
    add(MODULE, (uintptr_t)one, 0);
    *made = one;
    return 0;
}

CUresult cuModuleUnload(module *one)
{
    BEGIN;
    IN_CONTEXT;
    if (!take(MODULE, (uintptr_t)one, __func__))
        return INVALID_HANDLE;
    free(one->value);
    free(one);
    return 0;
}

CUresult cuModuleGetFunction(function **found, module *one, const char *name)
{
    BEGIN;
    IN_CONTEXT;
    if (!find(MODULE, (uintptr_t)one)) {
        fault("a module that is not there", __func__);
        return INVALID_HANDLE;
    }
    if (one->count < 0) {
        one->count = 1;
        snprintf(one->functions[0].name, sizeof(one->functions[0].name), "%s", name);
        one->functions[0].module = one;
    }
    for (int k = 0; k < one->count; k++)
        if (!strcmp(one->functions[k].name, name)) {
            *found = &one->functions[k];
            return 0;
        }
    return NOT_FOUND;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, module *one, const char *name)
{
    BEGIN;
    IN_CONTEXT;
    if (!one->value || strcmp(one->global, name))
        return NOT_FOUND;
    *address = (uintptr_t)one->value;
    *bytes = 8;
    return 0;
}

CUresult cuFuncGetAttribute(int *value, int attribute, function *one)
{
    BEGIN;
    IN_CONTEXT;
    *value = 100 + attribute;
    return 0;
}

CUresult cuFuncSetAttribute(function *one, int attribute, int value)
{
    BEGIN;
    IN_CONTEXT;
    if (value > 99 * 1024)
        return INVALID_VALUE;
    one->shared = value;
    return 0;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, function *one, int size, size_t shared)
{
    BEGIN;
    IN_CONTEXT;
    *blocks = 2048 / size;
    return 0;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, function *one, size_t (*shared_of)(int),
                                          size_t shared, int limit)
{
    BEGIN;
    IN_CONTEXT;
    *grid = 10;
    *block = 256;
    return 0;
}

CUresult cuStreamCreate(uintptr_t *stream, unsigned flags)
{
    BEGIN;
    IN_CONTEXT;
    *stream = (uintptr_t)calloc(1, 16);
    add(STREAM, *stream, 0);
    return 0;
}

CUresult cuStreamDestroy_v2(uintptr_t stream)
{
    BEGIN;
    IN_CONTEXT;
    if (!take(STREAM, stream, __func__))
        return INVALID_HANDLE;
    free((void *)stream);
    return 0;
}

CUresult cuStreamSynchronize(uintptr_t stream)
{
    BEGIN;
    IN_CONTEXT;
    return is_stream(stream) ? 0 : INVALID_HANDLE;
}

CUresult cuStreamQuery(uintptr_t stream)
{
    BEGIN;
    IN_CONTEXT;
    return is_stream(stream) ? 0 : INVALID_HANDLE;
}

CUresult cuStreamWaitEvent(uintptr_t stream, event *one, unsigned flags)
{
    BEGIN;
    IN_CONTEXT;
    return is_stream(stream) && find(EVENT, (uintptr_t)one) ? 0 : INVALID_HANDLE;
}

CUresult cuLaunchHostFunc(uintptr_t stream, void (*called)(void *), void *data)
{
    BEGIN;
    IN_CONTEXT;
    called(data);
    return 0;
}

CUresult cuEventCreate(event **made, unsigned flags)
{
    BEGIN;
    IN_CONTEXT;
    *made = calloc(1, sizeof(**made));
    add(EVENT, (uintptr_t)*made, 0);
    return 0;
}

CUresult cuEventDestroy_v2(event *one)
{
    BEGIN;
    IN_CONTEXT;
    if (!take(EVENT, (uintptr_t)one, __func__))
        return INVALID_HANDLE;
    free(one);
    return 0;
}

CUresult cuEventRecord(event *one, uintptr_t stream)
{
    BEGIN;
    IN_CONTEXT;
    if (!find(EVENT, (uintptr_t)one) || !is_stream(stream))
        return INVALID_HANDLE;
    clock_gettime(CLOCK_MONOTONIC, &one->at);
    one->is_recorded = 1;
    return 0;
}

CUresult cuEventSynchronize(event *one)
{
    BEGIN;
    IN_CONTEXT;
    return find(EVENT, (uintptr_t)one) ? 0 : INVALID_HANDLE;
}

CUresult cuEventQuery(event *one)
{
    BEGIN;
    IN_CONTEXT;
    return find(EVENT, (uintptr_t)one) ? 0 : INVALID_HANDLE;
}

CUresult cuEventElapsedTime(float *milliseconds, event *start, event *end)
{
    BEGIN;
    IN_CONTEXT;
    if (!start->is_recorded || !end->is_recorded)
        return INVALID_HANDLE;
    *milliseconds = (float)(1e3 * (double)(end->at.tv_sec - start->at.tv_sec) +
                            1e-6 * (double)(end->at.tv_nsec - start->at.tv_nsec));
    return 0;
}

CUresult cuLaunchKernel(function *one, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        uintptr_t stream, void **parameters, void **extra)
{
    int at = 0;

    if (is_quick)
        return 0;
    BEGIN;
    IN_CONTEXT;
    if (!find(MODULE, (uintptr_t)one->module)) {
        fault("a kernel whose module is gone", __func__);
        return INVALID_HANDLE;
    }
    if (block_x * block_y * block_z > 1024)
        return INVALID_VALUE;
    if (!is_stream(stream)) {
        fault("a stream that is none", __func__);
        return INVALID_HANDLE;
    }
    if (shared > 48 * 1024 && (int)shared > one->shared)
        return INVALID_VALUE;
    if (play) {
        int result = play(one->name, parameters, one->count);
        if (result)
            return result;
    }
    pthread_mutex_lock(&lock);
    snprintf(last.name, sizeof(last.name), "%s", one->name);
    memcpy(last.grid, (unsigned[3]){grid_x, grid_y, grid_z}, sizeof(last.grid));
    memcpy(last.block, (unsigned[3]){block_x, block_y, block_z}, sizeof(last.block));
    last.shared = shared;
    last.stream = stream;
    last.device = current->device;
    last.count = one->count;
    for (int k = 0; k < one->count; k++) {
        last.sizes[k] = one->sizes[k];
        memcpy(last.bytes + at, parameters[k], (size_t)one->sizes[k]);
        at += one->sizes[k];
    }
    launches++;
    pthread_mutex_unlock(&lock);
    return 0;
}
