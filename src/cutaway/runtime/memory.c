/* Memory of compiled code: counted blocks, with large ones cached for reuse.

   A page from the system costs as much as writing a few kilobytes, paid when it is first written.
   The C library returns large blocks to the system as soon as some of them are free, so a function
   with an intermediate array of a million elements would pay for its pages in each call.  A few of
   these blocks are cached here instead. */

#include "cutaway_runtime.h"
#include "memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* --- statistics -------------------------------------------------------------------------------- */

/* Each thread has counters of its own: an atomic counter takes as long as the allocation of a small
   block.  The counters of a thread that has ended are reused by the next thread that starts. */
typedef struct counts {
    int64_t allocations, releases;
    int in_use;
    struct counts *next;
} counts;

static counts first_counts = {.in_use = 1}, *all_counts = &first_counts;
static _Thread_local counts *own_counts __attribute__((tls_model("initial-exec")));
static pthread_key_t end_of_thread;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

static void leave_counts(void *own)
{
    own_counts = NULL;
    __atomic_store_n(&((counts *)own)->in_use, 0, __ATOMIC_RELEASE);
}

static void prepare(void)
{
    pthread_key_create(&end_of_thread, leave_counts);
}

static __attribute__((noinline)) counts *take_counts(void)
{
    counts *own = __atomic_load_n(&all_counts, __ATOMIC_ACQUIRE);

    pthread_once(&prepared, prepare);
    for (; own; own = own->next) {
        int nobody = 0;

        if (__atomic_compare_exchange_n(&own->in_use, &nobody, 1, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            break;
    }
    if (!own) {
        own = calloc(1, sizeof(*own));
        if (!own)
            return &first_counts; /* out of memory: from now on the counts may be inexact */
        own->in_use = 1;
        own->next = __atomic_load_n(&all_counts, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(&all_counts, &own->next, own, 0, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED))
            ;
    }
    pthread_setspecific(end_of_thread, own);
    own_counts = own;
    return own;
}

static inline counts *counts_of_thread(void)
{
    return own_counts ? own_counts : take_counts();
}

/* Only the thread itself writes its counters. */
static inline void count_one(int64_t *number)
{
    __atomic_store_n(number, __atomic_load_n(number, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

void cutaway_memory_stats(int64_t *allocated, int64_t *released)
{
    *allocated = *released = 0;
    for (counts *one = __atomic_load_n(&all_counts, __ATOMIC_ACQUIRE); one; one = one->next) {
        *allocated += __atomic_load_n(&one->allocations, __ATOMIC_RELAXED);
        *released += __atomic_load_n(&one->releases, __ATOMIC_RELAXED);
    }
}

/* --- large blocks ------------------------------------------------------------------------------ */

/* Request huge pages if available.  NumPy does so from this size on, too. */
#define LARGE_BLOCK ((size_t)1 << 22)

static void use_large_pages(void *block, size_t size)
{
#ifdef MADV_HUGEPAGE
    uintptr_t page = 4096, start = ((uintptr_t)block + page - 1) / page * page;

    if (size >= LARGE_BLOCK)
        madvise((void *)start, size - (start - (uintptr_t)block), MADV_HUGEPAGE);
#endif
}

/* --- the cache of free blocks ------------------------------------------------------------------ */

/* Smaller blocks are cached by the C library; larger ones are rare, and too much memory to hold
   back. The total is limited to the same size as the C library's cache. */
#define LEAST_KEPT ((size_t)1 << 17)
#define MOST_KEPT ((size_t)17 << 20)
#define KEPT_IN_ALL ((int64_t)64 << 20)
#define PLACES 8

/* Each entry is NULL or a block, owned by the thread that swaps it out; so there is no lock, which
   a fork could leave locked. */
static cutaway_meminfo *kept[PLACES];
static int64_t kept_bytes;
static unsigned next_place;

static int is_worth_keeping(size_t size)
{
#ifdef __SANITIZE_ADDRESS__
    return 0; /* it detects uses after the end of a block's life */
#else
    return size >= LEAST_KEPT && size <= MOST_KEPT;
#endif
}

static cutaway_meminfo *swap_out(unsigned place, cutaway_meminfo *other)
{
    return __atomic_exchange_n(&kept[place], other, __ATOMIC_ACQ_REL);
}

static void count_kept(const cutaway_meminfo *memory, int sign)
{
    __atomic_fetch_add(&kept_bytes, sign * (int64_t)memory->capacity, __ATOMIC_RELAXED);
}

static void discard(cutaway_meminfo *memory)
{
    if (memory) {
        count_kept(memory, -1);
        free(memory->block);
    }
}

static cutaway_meminfo *take_kept(size_t size)
{
    for (unsigned place = 0; place < PLACES; place++) {
        cutaway_meminfo *memory = NULL;

        if (__atomic_load_n(&kept[place], __ATOMIC_RELAXED))
            memory = swap_out(place, NULL);
        if (!memory)
            continue;
        if (memory->capacity >= size && memory->capacity - size <= size / 4) {
            count_kept(memory, -1);
            return memory;
        }
        discard(swap_out(place, memory)); /* another thread may have stored a block meanwhile */
    }
    return NULL;
}

static void keep(cutaway_meminfo *memory)
{
    count_kept(memory, 1);
    for (unsigned place = 0; place < PLACES; place++) {
        cutaway_meminfo *none = NULL;

        if (__atomic_load_n(&kept_bytes, __ATOMIC_RELAXED) <= KEPT_IN_ALL &&
            __atomic_compare_exchange_n(&kept[place], &none, memory, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
            return;
    }
    /* The cache is full: the oldest blocks are evicted, as their sizes are not in demand. */
    do {
        unsigned place = __atomic_fetch_add(&next_place, 1, __ATOMIC_RELAXED) % PLACES;

        discard(swap_out(place, memory));
        memory = NULL;
    } while (__atomic_load_n(&kept_bytes, __ATOMIC_RELAXED) > KEPT_IN_ALL);
}

/* --- blocks ------------------------------------------------------------------------------------ */

static cutaway_meminfo *new_block(size_t size, int zeroed)
{
    /* The system returns large blocks as zeros: calloc need not write them. */
    void *block = zeroed ? calloc(1, size) : malloc(size);
    cutaway_meminfo *memory;

    if (!block)
        return NULL;
    use_large_pages(block, size);
    memory = (cutaway_meminfo *)(((uintptr_t)block + CUTAWAY_META_BYTES - 1) /
                                 CUTAWAY_META_BYTES * CUTAWAY_META_BYTES);
    memory->block = block;
    memory->capacity = size;
    return memory;
}

static cutaway_meminfo *allocate(int64_t nbytes, int zeroed)
{
    cutaway_meminfo *memory = NULL;
    size_t size;

    if (nbytes < 0 || nbytes > INT64_MAX - 3 * CUTAWAY_META_BYTES)
        return NULL;
    size = (size_t)nbytes + 2 * CUTAWAY_META_BYTES;
    if (is_worth_keeping(size))
        memory = take_kept(size);
    if (memory && zeroed)
        memset((char *)memory + CUTAWAY_META_BYTES, 0, (size_t)nbytes);
    if (!memory)
        memory = new_block(size, zeroed);
    if (!memory)
        return NULL;
    memory->references = 1;
    memory->dispose = NULL;
    count_one(&counts_of_thread()->allocations);
    return memory;
}

cutaway_meminfo *cutaway_alloc(int64_t nbytes)
{
    return allocate(nbytes, 0);
}

cutaway_meminfo *cutaway_alloc_zeroed(int64_t nbytes)
{
    return allocate(nbytes, 1);
}

void cutaway_memory_release(cutaway_meminfo *memory)
{
    if (memory->dispose)
        memory->dispose(memory);
    count_one(&counts_of_thread()->releases);
    if (is_worth_keeping(memory->capacity))
        keep(memory);
    else
        free(memory->block);
}
