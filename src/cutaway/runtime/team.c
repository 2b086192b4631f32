/* The number of threads: of the process, and of loops that a thread begins. */

#include "team.h"
#include "threads.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

_Thread_local cutaway_member cutaway_me;

static int64_t most; /* 0: not determined yet */

static int64_t within(int64_t least, int64_t count, int64_t greatest)
{
    return count < least ? least : count > greatest ? greatest : count;
}

/* --- the process ------------------------------------------------------------------------------- */

/* The number of processors that the control group may use by its quota of time: 0 if there is none.
   In a container, where quotas are usual, the group's files are at the root. */
static int64_t quota_of_group(void)
{
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "r");
    double quota = 0, period = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%lf %lf", &quota, &period) != 2) /* "max" is not a number */
        quota = 0;
    fclose(file);
    return quota > 0 && period > 0 ? (int64_t)((quota + period - 1) / period) : 0;
}

int64_t cutaway_usable_cores(void)
{
    cpu_set_t *set;
    int64_t cores = 0, quota = quota_of_group();

    /* The system refuses a set that is too small for its processors. */
    for (int room = CPU_SETSIZE; !cores && room <= CPU_SETSIZE * 64; room *= 2) {
        set = CPU_ALLOC(room);
        if (!set)
            break;
        if (sched_getaffinity(0, CPU_ALLOC_SIZE(room), set) == 0)
            cores = CPU_COUNT_S(CPU_ALLOC_SIZE(room), set);
        CPU_FREE(set);
    }
    if (quota > 0 && quota < cores)
        cores = quota;
    return within(1, cores, CUTAWAY_MOST_THREADS);
}

/* A number of threads from the environment; 0 if it is not set. */
static int64_t from_environment(const char *name)
{
    const char *text = getenv(name);
    char *end;
    long count;

    if (!text)
        return 0;
    count = strtol(text, &end, 10);
    return end == text || count < 1 ? 0 : within(1, count, CUTAWAY_MOST_THREADS);
}

int64_t cutaway_most_threads(void)
{
    int64_t known = __atomic_load_n(&most, __ATOMIC_RELAXED), none = 0;

    if (known)
        return known;
    if (!(known = from_environment("CUTAWAY_NUM_THREADS")) &&
        !(known = from_environment("NUMBA_NUM_THREADS")))
        known = cutaway_usable_cores();
    /* Threads that ask first at the same time get the same result. */
    if (!__atomic_compare_exchange_n(&most, &none, known, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return none;
    return known;
}

void cutaway_set_most_threads(int64_t count)
{
    __atomic_store_n(&most, within(1, count, CUTAWAY_MOST_THREADS), __ATOMIC_RELAXED);
}

/* --- the thread -------------------------------------------------------------------------------- */

int64_t cutaway_thread_id(void)
{
    return cutaway_me.id;
}

int64_t cutaway_thread_count(void)
{
    int64_t greatest = cutaway_most_threads();

    return cutaway_me.count > 0 && cutaway_me.count < greatest ? cutaway_me.count : greatest;
}

void cutaway_set_thread_count(int64_t count)
{
    cutaway_me.count = within(1, count, CUTAWAY_MOST_THREADS);
}

int64_t cutaway_chunk_size(void)
{
    return cutaway_me.chunk;
}

void cutaway_set_chunk_size(int64_t size)
{
    if (size > 0)
        cutaway_ask_always(CUTAWAY_CHUNKS, 1); /* from now on: other threads may have set one */
    cutaway_me.chunk = size < 0 ? 0 : size;
}
