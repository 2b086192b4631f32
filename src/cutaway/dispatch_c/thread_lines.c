/* Records of threads' calls without the GIL: the number of calls of a specialization, and whether a
   thread is in a call at all.

   Each thread has a cache line in each table, which it alone writes; so it never waits for another
   one.  There are a few of them; the last one is shared by all further threads, which write it by
   atomic operations. */

#include "entering.h"

#if FREE_THREADED

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

_Thread_local int own_line;
struct thread_line thread_lines[LINES];

#define NOBODYS ((uint32_t)1 << COMMON | 1) /* 0 stands for a line that is not known */

static uint32_t lines_in_use = NOBODYS; /* bits */
static pthread_key_t end_of_thread;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static int can_look; /* whether all threads can be made to see earlier writes */

static void leave_line(void *line)
{
    own_line = COMMON; /* for code that runs after this, if any */
    __atomic_fetch_and(&lines_in_use, ~((uint32_t)1 << (intptr_t)line), __ATOMIC_RELEASE);
}

/* In a child process there are no other threads. */
static void become_child(void)
{
    for (int line = 0; line < LINES; line++)
        if (line != own_line)
            thread_lines[line].calls = 0;
    lines_in_use = (uint32_t)1 << own_line | NOBODYS;
}

static void prepare(void)
{
    pthread_key_create(&end_of_thread, leave_line);
    pthread_atfork(NULL, NULL, become_child);
    can_look = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/* Assign a line to the thread for good: a thread at the shared one stays there. */
int take_line(void)
{
    uint32_t used = __atomic_load_n(&lines_in_use, __ATOMIC_RELAXED);

    pthread_once(&prepared, prepare);
    own_line = COMMON;
    while (own_line == COMMON && ~used) {
        int line = __builtin_ctz(~used);
        if (__atomic_compare_exchange_n(&lines_in_use, &used, used | (uint32_t)1 << line, 0,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            if (pthread_setspecific(end_of_thread, (void *)(intptr_t)line))
                return COMMON; /* if out of memory the line is lost */
            own_line = line;
        }
    }
    return own_line;
}

/* A thread records a call before it reads the specialization, without a fence of its own. */
int nobody_calls(void)
{
    int nobody;

    pthread_once(&prepared, prepare);
    nobody = can_look && syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
    for (int line = 0; nobody && line < LINES; line++)
        nobody = __atomic_load_n(&thread_lines[line].calls, __ATOMIC_ACQUIRE) == 0;
    return nobody;
}

int make_counts(Specialization *self)
{
    size_t size = LINES * sizeof(struct call_counts);

    self->counts = aligned_alloc(_Alignof(struct call_counts), size);
    if (!self->counts) {
        PyErr_NoMemory();
        return -1;
    }
    memset(self->counts, 0, size);
    return 0;
}

void drop_counts(Specialization *self)
{
    free(self->counts);
}

unsigned long long hits_of(const Specialization *self, int way)
{
    unsigned long long total = 0;

    for (int line = 0; line < LINES; line++)
        total += __atomic_load_n(&self->counts[line].hits[way], __ATOMIC_RELAXED);
    return total;
}

int is_busy(const Specialization *self)
{
    enum { EACH = 16 };

    return __atomic_load_n(&self->counts[line_of_thread()].hits[BY_GUARD], __ATOMIC_RELAXED) % EACH != 1;
}

#else

int nobody_calls(void)
{
    return 1; /* a caller holds the specialization */
}

int make_counts(Specialization *self)
{
    return 0;
}

void drop_counts(Specialization *self)
{
}

unsigned long long hits_of(const Specialization *self, int way)
{
    return self->hits[way];
}

int is_busy(const Specialization *self)
{
    return 0;
}

#endif
