/* The pool: threads that wait for pieces of parallel loops.

   A worker has a mailbox.  A thread with a loop to run puts its job into the mailboxes of idle
   workers, works on the pieces itself, takes the job back from mailboxes that were not read, and
   waits for the workers that did take it.  An idle worker polls its mailbox for a while, then
   sleeps.

   A mailbox is EMPTY, BUSY, or contains a job: so a job is posted and taken back without a lock.  A
   thread waits only for workers that run pieces of its own job, and those in turn for workers that
   run pieces of jobs that they began.  So waits never form a cycle, however loops are nested and
   however many threads begin some; a thread that finds no idle worker runs the whole loop. */

#include "threads.h"
#include "team.h"
#include "watching.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINE 128 /* the bytes that processors fetch together: two lines of 64 */
#define SPINS 2000
#define SPINS_CROWDED 20 /* if there are more threads than cores: another thread needs this one */
#define SPINS_BEFORE_YIELD 200
#define STACK_BYTES ((size_t)8 << 20)
#define STACK_MARGIN (256 * 1024) /* left to C code, as in dispatch_c */
#define MOST_CURSORS 64
#define NEAR_SIZES 4

#define EMPTY ((uintptr_t)0)
#define BUSY ((uintptr_t)1)
#define MEMBERS ((uintptr_t)1024) /* alignment: a job's low address bits number its worker */

enum { SLEEPS = 1, WOKEN = 2 }; /* `asleep` of a worker: it sleeps, or is about to be woken */
#define ASLEEP ((uint32_t)1 << 31) /* in `left` of a job: its thread sleeps */

const cutaway_thread_hooks *cutaway_hooks;

/* The next of a range of pieces: each thread has a range of its own, and helps with others. */
typedef struct {
    _Alignas(LINE) int64_t next;
    int64_t end;
} cursor;

typedef struct {
    /* Fields that workers only read. */
    _Alignas(MEMBERS) cutaway_kernel kernel;
    void *context;
    int64_t ndim;
    const int64_t *sizes;
    int64_t near_sizes[NEAR_SIZES]; /* a copy of a few sizes, to avoid another fetch */
    int64_t schedule, parts, cursors;
    int64_t watch, number; /* the watch that records the loop, and its number there */
    cutaway_member member; /* the initial state of its threads */
    /* The number of workers that have left it: their last access to the job. */
    _Alignas(LINE) uint32_t left;
    /* The first piece that failed.  This and the next fields are protected by the lock. */
    _Alignas(LINE) int64_t first_failed;
    int32_t lock, status;
    void *error;
    cutaway_exc record;
    cursor cursor[MOST_CURSORS];
} job;

typedef struct {
    _Alignas(LINE) uintptr_t box;
    _Alignas(LINE) uint32_t asleep;
    pid_t tid;
    int is_moved; /* set while the worker must avoid the CPU that woke it */
    cpu_set_t allowed;
} worker;

static worker workers[CUTAWAY_MOST_THREADS - 1];
static int64_t running; /* the number of workers */
static int64_t spins = SPINS;
static int is_closed;
static unsigned generation; /* the number of forks between this process and the first */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static int may_start; /* whether forks are watched */

/* --- waiting ------------------------------------------------------------------------------------ */

static inline void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/* Sleep while the word has this value.  The sleep may end for no reason, or by a signal. */
static void sleep_while(uint32_t *word, uint32_t value)
{
    int before = errno;

    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
    errno = before;
}

static void wake(uint32_t *word)
{
    int before = errno;

    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = before;
}

/* Wake a worker that is marked as asleep, on another core than this one.  The kernel may place a
   thread on the core that wakes it: there both would take turns, for milliseconds, though another
   core is idle. */
static void wake_elsewhere(worker *sleeper)
{
    uint32_t asleep = SLEEPS;
    int here = sched_getcpu();
    cpu_set_t others;

    if (!__atomic_compare_exchange_n(&sleeper->asleep, &asleep, WOKEN, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return;
    if (here >= 0 && here < CPU_SETSIZE &&
        sched_getaffinity(sleeper->tid, sizeof(others), &sleeper->allowed) == 0 &&
        CPU_ISSET(here, &sleeper->allowed) && CPU_COUNT(&sleeper->allowed) > 1) {
        others = sleeper->allowed;
        CPU_CLR(here, &others);
        sleeper->is_moved = sched_setaffinity(sleeper->tid, sizeof(others), &others) == 0;
    }
    __atomic_store_n(&sleeper->asleep, 0, __ATOMIC_RELEASE);
    wake(&sleeper->asleep);
}

/* Mark the worker as awake, whichever thread woke it, and let it run on any core again. */
static void note_awake(worker *self)
{
    uint32_t asleep = SLEEPS;

    if (!__atomic_compare_exchange_n(&self->asleep, &asleep, 0, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_ACQUIRE))
        while (__atomic_load_n(&self->asleep, __ATOMIC_ACQUIRE) == WOKEN)
            sched_yield();
    if (self->is_moved)
        sched_setaffinity(0, sizeof(self->allowed), &self->allowed);
    self->is_moved = 0;
}

/* --- failures: rare, so with a lock ------------------------------------------------------------- */

static void lock_failures(job *of)
{
    while (__atomic_exchange_n(&of->lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void drop(int32_t status, void *error, const cutaway_exc *record)
{
    if (!cutaway_hooks)
        return;
    if (status == 2)
        cutaway_hooks->drop_error(error);
    else
        cutaway_hooks->drop_record(record);
}

/* Keep the exception of a piece unless a piece before it raised as well. */
static void note_failure(job *of, int64_t part, int32_t status, const cutaway_exc *record)
{
    void *error = status == 2 && cutaway_hooks ? cutaway_hooks->take_error() : NULL, *other_error;
    cutaway_exc other;
    int32_t other_status;

    lock_failures(of);
    if (part > of->first_failed) {
        __atomic_store_n(&of->lock, 0, __ATOMIC_RELEASE);
        drop(status, error, record);
        return;
    }
    other_status = of->status;
    other_error = of->error;
    other = of->record;
    of->status = status;
    of->error = error;
    of->record = *record;
    __atomic_store_n(&of->first_failed, part, __ATOMIC_RELAXED);
    __atomic_store_n(&of->lock, 0, __ATOMIC_RELEASE);
    if (other_status) /* dropped without the lock: it may wait for the GIL */
        drop(other_status, other_error, &other);
}

/* --- records of a watch ------------------------------------------------------------------------- */

/* Record a piece, or with `part` -1 the whole loop and its estimated cost. */
static void note(const job *of, const int64_t *bounds, int64_t part, int64_t begin, double cost)
{
    cutaway_seen seen = {
        .kind = part < 0 ? CUTAWAY_SEEN_LOOP : CUTAWAY_SEEN_PIECE,
        .loop = of->number,
        .kernel = (int64_t)(uintptr_t)of->kernel,
        .part = part,
        .parts = of->parts,
        .thread = cutaway_me.id,
        .schedule = of->schedule,
        .ndim = of->ndim,
        .begin = begin,
        .end = cutaway_now(),
        .cost = cost,
    };

    for (int64_t k = 0; k < of->ndim && k < CUTAWAY_SEEN_DIMENSIONS; k++) {
        seen.bounds[2 * k] = bounds ? bounds[2 * k] : 0;
        seen.bounds[2 * k + 1] = bounds ? bounds[2 * k + 1] : of->sizes[k];
    }
    cutaway_note(&seen, of->watch);
}

/* --- pieces ------------------------------------------------------------------------------------- */

static void run_piece(job *of, int64_t part, cutaway_exc *exc)
{
    int64_t bounds[2 * CUTAWAY_MOST_DIMENSIONS], begin = 0;
    int32_t status;

    if (part > __atomic_load_n(&of->first_failed, __ATOMIC_RELAXED))
        return;
    cutaway_box(of->ndim, of->sizes, of->schedule & CUTAWAY_SCHEDULES, of->parts, part, bounds);
    exc->frames = 0;
    if (of->watch)
        begin = cutaway_now();
    status = of->kernel(of->context, bounds, part, exc);
    if (of->watch)
        note(of, bounds, part, begin, 0);
    if (status)
        note_failure(of, part, status, exc);
}

/* Take pieces, first from the thread's own cursor, until there are none. */
static void run_pieces(job *of, int64_t member, cutaway_exc *exc)
{
    int64_t at = member % of->cursors, part;

    for (int64_t k = 0; k < of->cursors; k++) {
        cursor *from = &of->cursor[at];

        while (__atomic_load_n(&from->next, __ATOMIC_RELAXED) < from->end) {
            part = __atomic_fetch_add(&from->next, 1, __ATOMIC_RELAXED);
            if (part >= from->end)
                break;
            cutaway_me = of->member; /* a piece starts with the state of the loop's caller */
            cutaway_me.id = member;
            run_piece(of, part, exc);
        }
        if (++at == of->cursors)
            at = 0;
    }
}

/* --- workers ------------------------------------------------------------------------------------ */

/* Wait until the mailbox is not empty, and read it: a job may have been taken back by then. */
static uintptr_t take_from_box(worker *self)
{
    for (;;) {
        for (int64_t k = __atomic_load_n(&spins, __ATOMIC_RELAXED); k > 0; k--) {
            if (__atomic_load_n(&self->box, __ATOMIC_RELAXED) != EMPTY)
                return __atomic_exchange_n(&self->box, BUSY, __ATOMIC_ACQUIRE);
            pause_a_little();
        }
        /* The poster writes the mailbox, then reads `asleep`: one of the two sees the other's
           write. */
        __atomic_exchange_n(&self->asleep, SLEEPS, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&self->box, __ATOMIC_SEQ_CST) == EMPTY)
            sleep_while(&self->asleep, SLEEPS);
        note_awake(self);
    }
}

static void leave(job *of)
{
    /* From here on the job may be freed.  A wake at an address that has been reused has no effect,
       or only a spurious one, after which the sleeper checks again. */
    if (__atomic_fetch_add(&of->left, 1, __ATOMIC_RELEASE) & ASLEEP)
        wake(&of->left);
}

static uintptr_t own_stack_limit(void)
{
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size;

    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &lowest, &size);
        pthread_attr_destroy(&attributes);
    }
    return (uintptr_t)lowest + STACK_MARGIN;
}

static void *work(void *place)
{
    worker *self = place;
    unsigned born = generation;
    cutaway_exc exc;

    self->tid = (pid_t)syscall(SYS_gettid);
    exc.stack_limit = own_stack_limit();
    exc.handled = NULL;
    if (cutaway_hooks)
        cutaway_hooks->begin_thread();
    for (;;) {
        uintptr_t taken = take_from_box(self);

        if (taken < MEMBERS) {
            __atomic_store_n(&self->box, EMPTY, __ATOMIC_RELEASE);
            continue;
        }
        run_pieces((job *)(taken / MEMBERS * MEMBERS), (int64_t)(taken % MEMBERS), &exc);
        if (born != generation) /* the piece has forked: the child is not a thread of the pool */
            return NULL;
        /* In this order, so that the next loop of the same caller finds the worker idle. */
        __atomic_store_n(&self->box, EMPTY, __ATOMIC_RELEASE);
        leave((job *)(taken / MEMBERS * MEMBERS));
    }
}

/* Signals are left to Python's threads, except those of crashes, which handlers must receive. */
static void block_signals(sigset_t *before)
{
    static const int kept[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPROF};
    sigset_t blocked;

    sigfillset(&blocked);
    for (size_t k = 0; k < sizeof(kept) / sizeof(*kept); k++)
        sigdelset(&blocked, kept[k]);
    pthread_sigmask(SIG_SETMASK, &blocked, before);
}

static int start_worker(worker *place)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int failed;

    __atomic_store_n(&place->box, EMPTY, __ATOMIC_RELAXED);
    __atomic_store_n(&place->asleep, 0, __ATOMIC_RELAXED);
    if (pthread_attr_init(&attributes) != 0)
        return -1;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    failed = pthread_create(&thread, &attributes, work, place);
    pthread_attr_destroy(&attributes);
    return failed ? -1 : 0;
}

static void before_fork(void)
{
    pthread_mutex_lock(&starting);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&starting);
}

static void after_fork_in_child(void)
{
    generation++;
    cutaway_forget_writers();
    __atomic_store_n(&running, 0, __ATOMIC_RELAXED);
    pthread_mutex_init(&starting, NULL);
}

/* Installed when the module is loaded: at the first loop another thread may be about to fork. */
__attribute__((constructor)) static void watch_forks(void)
{
    may_start = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
}

/* Start workers up to `count`, or as many as the system allows. */
static void start_workers(int64_t count)
{
    sigset_t before;
    int64_t there;

    pthread_mutex_lock(&starting);
    block_signals(&before);
    for (there = running; may_start && there < count; there++) {
        if (start_worker(&workers[there]) < 0)
            break;
        __atomic_store_n(&running, there + 1, __ATOMIC_RELEASE);
    }
    if (there >= cutaway_usable_cores())
        __atomic_store_n(&spins, SPINS_CROWDED, __ATOMIC_RELAXED);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_unlock(&starting);
}

void cutaway_close_pool(void)
{
    __atomic_store_n(&is_closed, 1, __ATOMIC_RELAXED);
}

/* --- loops -------------------------------------------------------------------------------------- */

/* Post the job to idle workers; returns the end of the mailboxes that it may be in.  Each worker
   gets a number from 1 on; `given` marks the mailboxes that received the job. */
static int64_t give(job *to_do, int64_t wanted, unsigned char *given)
{
    int64_t there = __atomic_load_n(&running, __ATOMIC_ACQUIRE), member = 1, k;

    for (k = 0; k < there && member <= wanted; k++) {
        uintptr_t empty = EMPTY;

        given[k] = __atomic_load_n(&workers[k].box, __ATOMIC_RELAXED) == EMPTY &&
                   __atomic_compare_exchange_n(&workers[k].box, &empty,
                                               (uintptr_t)to_do + (uintptr_t)member, 0,
                                               __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
        if (!given[k])
            continue;
        given[k] = (unsigned char)1;
        member++;
        if (__atomic_load_n(&workers[k].asleep, __ATOMIC_SEQ_CST) == SLEEPS)
            wake_elsewhere(&workers[k]);
    }
    return k;
}

/* Take the job back from mailboxes that still contain it; returns how many workers took it. */
static uint32_t take_back(const job *to_do, int64_t end, const unsigned char *given)
{
    uint32_t taken = 0;

    for (int64_t k = 0; k < end; k++) {
        uintptr_t found;

        if (!given[k])
            continue;
        found = __atomic_load_n(&workers[k].box, __ATOMIC_RELAXED);
        taken += found / MEMBERS * MEMBERS != (uintptr_t)to_do ||
                 !__atomic_compare_exchange_n(&workers[k].box, &found, EMPTY, 0, __ATOMIC_RELAXED,
                                              __ATOMIC_RELAXED);
    }
    return taken;
}

/* Wait until `taken` workers have left the job; -1 if they are lost, in the child of a fork. */
static int wait_for_others(job *done, uint32_t taken, unsigned born)
{
    uint32_t left;

    for (int64_t k = 0; (left = __atomic_load_n(&done->left, __ATOMIC_ACQUIRE) & ~ASLEEP) != taken;
         k++) {
        if (born != generation)
            return -1;
        if (k < __atomic_load_n(&spins, __ATOMIC_RELAXED)) {
            if (k > SPINS_BEFORE_YIELD && k % 16 == 0)
                sched_yield(); /* a worker at this job may need this very core */
            else
                pause_a_little();
            continue;
        }
        left = __atomic_fetch_or(&done->left, ASLEEP, __ATOMIC_ACQUIRE) | ASLEEP;
        if ((left & ~ASLEEP) != taken)
            sleep_while(&done->left, left);
    }
    return 0;
}

static void begin_job(job *to_do, int64_t threads)
{
    int64_t parts = to_do->parts, cursors = threads < parts ? threads : parts;

    if (to_do->ndim <= NEAR_SIZES) {
        for (int64_t k = 0; k < to_do->ndim; k++)
            to_do->near_sizes[k] = to_do->sizes[k];
        to_do->sizes = to_do->near_sizes;
    }
    to_do->cursors = cursors = cursors < MOST_CURSORS ? cursors : MOST_CURSORS;
    for (int64_t k = 0; k < cursors; k++) {
        to_do->cursor[k].next = parts * k / cursors;
        to_do->cursor[k].end = parts * (k + 1) / cursors;
    }
    to_do->member = cutaway_me;
    to_do->left = 0;
    to_do->first_failed = INT64_MAX;
    to_do->lock = to_do->status = 0;
}

/* Report the exception of the loop, if any of its pieces raised. */
static int32_t outcome(job *done, cutaway_exc *exc)
{
    uintptr_t limit = exc->stack_limit;
    void *handled = exc->handled;

    if (done->status == 2 && cutaway_hooks)
        cutaway_hooks->set_error(done->error);
    else if (done->status) {
        *exc = done->record;
        exc->stack_limit = limit;
        exc->handled = handled;
    }
    return done->status;
}

static int32_t run_job(job *to_do, cutaway_exc *exc)
{
    unsigned char given[CUTAWAY_MOST_THREADS];
    cutaway_member before = cutaway_me;
    cutaway_exc own;
    unsigned born = generation;
    int64_t threads = cutaway_thread_count(), end = 0;
    int is_lost;

    threads = threads < to_do->parts ? threads : to_do->parts;
    begin_job(to_do, threads);
    if (!__atomic_load_n(&is_closed, __ATOMIC_RELAXED)) {
        if (__atomic_load_n(&running, __ATOMIC_RELAXED) < threads - 1)
            start_workers(threads - 1);
        end = give(to_do, threads - 1, given);
    }
    own.stack_limit = exc->stack_limit;
    own.handled = exc->handled;
    run_pieces(to_do, 0, &own);
    cutaway_me = before;
    /* In the child of a fork the mailboxes are new. */
    is_lost = end && (born != generation ||
                      wait_for_others(to_do, take_back(to_do, end, given), born) < 0);
    if (is_lost && cutaway_hooks) {
        if (to_do->status)
            drop(to_do->status, to_do->error, &to_do->record);
        cutaway_hooks->lose();
        return 2;
    }
    return outcome(to_do, exc);
}

int32_t cutaway_parallel(cutaway_kernel kernel, void *context, int64_t ndim, const int64_t *sizes,
                         int64_t schedule, int64_t parts, cutaway_exc *exc)
{
    job to_do;
    int begun = 0;
    int32_t status;
    int64_t begin = 0;
    double cost = 0;

    if (parts <= 1) {
        int64_t bounds[2 * CUTAWAY_MOST_DIMENSIONS];

        cutaway_box(ndim, sizes, schedule & CUTAWAY_SCHEDULES, 1, 0, bounds);
        return kernel(context, bounds, 0, exc);
    }
    to_do.kernel = kernel;
    to_do.context = context;
    to_do.ndim = ndim;
    to_do.sizes = sizes;
    to_do.schedule = schedule;
    to_do.parts = parts;
    to_do.watch = cutaway_watcher();
    if (to_do.watch) {
        to_do.number = cutaway_number_loop();
        cost = cutaway_estimate;
        begin = cutaway_now();
    }
    if (cutaway_hooks)
        begun = cutaway_hooks->begin_region();
    status = run_job(&to_do, exc);
    if (to_do.watch)
        note(&to_do, NULL, -1, begin, cost);
    if (cutaway_hooks)
        cutaway_hooks->end_region(begun);
    return status;
}
