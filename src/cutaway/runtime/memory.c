/* Memory of compiled code: counted blocks, and large ones that are kept for the next who asks.

   A page that the system hands out costs as much as to write a few kilobytes, and it is handed
   out when it is first written.  The C library gives large blocks back to the system as soon as
   some of them are free, so a function with an array of a million elements in between would pay
   for its pages in each call.  A few of these blocks are kept here instead. */

#include "cutaway_runtime.h"
#include "memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* --- how many there are ------------------------------------------------------------------------ */

/* Each thread counts by itself: to count with others takes as long as to allocate a small block.
   What a thread that has ended leaves is taken over by the next one that begins. */
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
            return &first_counts; /* what it counts may be off from now on */
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

/* Only the thread itself adds. */
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

/* Ask for large pages where there are some.  From this size on NumPy does, too. */
#define LARGE_BLOCK ((size_t)1 << 22)

static void use_large_pages(void *block, size_t size)
{
#ifdef MADV_HUGEPAGE
    uintptr_t page = 4096, start = ((uintptr_t)block + page - 1) / page * page;

    if (size >= LARGE_BLOCK)
        madvise((void *)start, size - (start - (uintptr_t)block), MADV_HUGEPAGE);
#endif
}

/* --- free blocks that are kept --------------------------------------------------------------- */

/* Smaller blocks are kept by the C library; larger ones are rare, and somebody's memory.  In all
   it is as much as the C library keeps at most, too. */
#define LEAST_KEPT ((size_t)1 << 17)
#define MOST_KEPT ((size_t)17 << 20)
#define KEPT_IN_ALL ((int64_t)64 << 20)
#define PLACES 8

/* Each place is NULL or a block that belongs to whoever swaps it out; so there is no lock, which a
   fork could leave closed. */
static cutaway_meminfo *kept[PLACES];
static int64_t kept_bytes;
static unsigned next_place;

static int is_worth_keeping(size_t size)
{
#ifdef __SANITIZE_ADDRESS__
    return 0; /* it watches for uses after the end of a block's life */
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
        discard(swap_out(place, memory)); /* another thread may have left one there */
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
    /* No room: those that lie there longest go, whose sizes nobody asks for. */
    do {
        unsigned place = __atomic_fetch_add(&next_place, 1, __ATOMIC_RELAXED) % PLACES;

        discard(swap_out(place, memory));
        memory = NULL;
    } while (__atomic_load_n(&kept_bytes, __ATOMIC_RELAXED) > KEPT_IN_ALL);
}

/* --- blocks ------------------------------------------------------------------------------------ */

static cutaway_meminfo *new_block(size_t size, int zeroed)
{
    /* Large blocks come from the system as zeros: calloc need not touch them. */
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
