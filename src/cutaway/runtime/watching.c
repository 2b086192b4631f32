/* Records of parallel loops during a watch: a table that threads fill concurrently.

   A writer registers first, and then checks whether the watch is still on; the end of a watch turns
   it off first, and then waits for registered writers.  So one of the two sees the other's write,
   and a table is never read or reused while a thread writes to it. */

#include "watching.h"

#include "threads.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#define MOST_SEEN 65536

int64_t cutaway_watch;
_Thread_local double cutaway_estimate;

static cutaway_seen *table;
static int64_t used, loops, watches;
static int64_t writers;

int64_t cutaway_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t cutaway_number_loop(void)
{
    return __atomic_fetch_add(&loops, 1, __ATOMIC_RELAXED);
}

void cutaway_note(const cutaway_seen *seen, int64_t watch)
{
    __atomic_fetch_add(&writers, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&cutaway_watch, __ATOMIC_SEQ_CST) == watch) {
        int64_t place = __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED);

        if (place < MOST_SEEN) {
            table[place] = *seen;
            table[place].watch = watch;
        }
    }
    __atomic_fetch_sub(&writers, 1, __ATOMIC_SEQ_CST);
}

static void wait_for_writers(void)
{
    while (__atomic_load_n(&writers, __ATOMIC_SEQ_CST))
        sched_yield();
}

void cutaway_forget_writers(void)
{
    __atomic_store_n(&writers, 0, __ATOMIC_SEQ_CST);
}

int cutaway_begin_watch(void)
{
    __atomic_store_n(&cutaway_watch, 0, __ATOMIC_SEQ_CST);
    wait_for_writers();
    if (!table && !(table = calloc(MOST_SEEN, sizeof(*table))))
        return -1;
    used = 0;
    cutaway_ask_always(CUTAWAY_WATCH, 1);
    __atomic_store_n(&cutaway_watch, ++watches, __ATOMIC_SEQ_CST);
    return 0;
}

const cutaway_seen *cutaway_end_watch(int64_t *count, int64_t *lost)
{
    __atomic_store_n(&cutaway_watch, 0, __ATOMIC_SEQ_CST);
    cutaway_ask_always(CUTAWAY_WATCH, 0);
    wait_for_writers();
    *count = used < MOST_SEEN ? used : MOST_SEEN;
    *lost = used - *count;
    return table;
}
