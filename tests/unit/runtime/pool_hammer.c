/* The pool of threads without Python: many callers at once, loops within loops, pieces that fail, and
   forks.  Usage: pool_hammer <threads> <rounds>; says "ok", or what went wrong.

   cc -O2 -D_GNU_SOURCE -I src/cutaway/runtime pool_hammer.c threads.c pieces.c team.c watching.c -lm
   -pthread */

#include "threads.h"
#include "watching.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLERS 4
#define MOST_PLACES 4096

static int rounds;

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "wrong: %s\n", what);
        _exit(1);
    }
}

typedef struct {
    int64_t ndim, sizes[3];
    int64_t depth;   /* loops within this one */
    int64_t failing; /* pieces from here on fail, every second one */
    int64_t threads;
    unsigned char seen[MOST_PLACES]; /* each place once */
    int64_t sums[CUTAWAY_MOST_PARTS];
} loop;

static void run_loop(loop *to_do);

static void mark(loop *of, const int64_t *bounds, int64_t part)
{
    int64_t low[3] = {0, 0, 0}, high[3] = {1, 1, 1};

    for (int64_t k = 0; k < of->ndim; k++) {
        low[k] = bounds[2 * k];
        high[k] = bounds[2 * k + 1];
    }
    for (int64_t i = low[0]; i < high[0]; i++)
        for (int64_t j = low[1]; j < high[1]; j++)
            for (int64_t k = low[2]; k < high[2]; k++) {
                of->seen[(i * of->sizes[1] + j) * of->sizes[2] + k]++;
                of->sums[part]++;
            }
}

static int32_t piece(void *context, const int64_t *bounds, int64_t part, cutaway_exc *exc)
{
    loop *of = context;

    require(cutaway_thread_count() == of->threads, "the number of threads is handed on");
    require(cutaway_thread_id() >= 0 && cutaway_thread_id() < of->threads, "the number of a thread");
    require((uintptr_t)&of > exc->stack_limit, "there is room on the stack");
    mark(of, bounds, part);
    if (of->depth) {
        loop *inner = calloc(1, sizeof(loop));

        inner->ndim = 1;
        inner->sizes[0] = 37;
        inner->sizes[1] = inner->sizes[2] = 1;
        inner->depth = of->depth - 1;
        inner->failing = -1;
        run_loop(inner);
        free(inner);
    }
    if (of->failing >= 0 && part >= of->failing && (part - of->failing) % 2 == 0) {
        exc->index = part;
        exc->frames = 1;
        return 1;
    }
    return 0;
}

static void run_loop(loop *to_do)
{
    int64_t schedule = to_do->sizes[0] % 2 ? CUTAWAY_DYNAMIC : CUTAWAY_STATIC, places = 1, parts;
    cutaway_exc exc = {.stack_limit = 1, .index = -1};
    int32_t status;

    for (int64_t k = 0; k < to_do->ndim; k++)
        places *= to_do->sizes[k];
    to_do->threads = cutaway_thread_count();
    parts = cutaway_parts(to_do->ndim, to_do->sizes, schedule, 1e6);
    status = cutaway_parallel(piece, to_do, to_do->ndim, to_do->sizes, schedule, parts, &exc);
    require(exc.stack_limit == 1, "the caller's limit of the stack stays");
    require(cutaway_thread_id() == 0 || to_do->failing < 0, "the caller is itself again");
    if (to_do->failing >= 0 && to_do->failing < parts) {
        require(status == 1 && exc.index == to_do->failing, "the first piece that fails is told");
        for (int64_t k = 0; k < to_do->failing; k++)
            require(to_do->sums[k] > 0, "pieces in front of it run");
        return;
    }
    require(status == 0, "a loop without failures is done");
    for (int64_t k = 0; k < places; k++)
        require(to_do->seen[k] == 1, "each place is run once");
}

static void *call(void *seed)
{
    unsigned state = (unsigned)(uintptr_t)seed;

    for (int k = 0; k < rounds; k++) {
        loop *one = calloc(1, sizeof(loop));

        one->ndim = 1 + rand_r(&state) % 3;
        for (int d = 0; d < 3; d++)
            one->sizes[d] = d < one->ndim ? 1 + rand_r(&state) % 15 : 1;
        one->depth = rand_r(&state) % 4 == 0 ? 2 : 0;
        one->failing = rand_r(&state) % 4 == 0 ? rand_r(&state) % 3 : -1;
        cutaway_set_thread_count(1 + rand_r(&state) % cutaway_most_threads());
        cutaway_set_chunk_size(rand_r(&state) % 3);
        run_loop(one);
        free(one);
    }
    return NULL;
}

/* The one does not follow a process with threads that forks; the other leaves its memory locked there. */
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
static void fork_meanwhile(void)
{
    for (int k = 0; k < 5; k++) {
        int status;
        pid_t child = fork();

        if (child == 0) {
            rounds = 20;
            alarm(60); /* a child that waits forever is ended, and seen below */
            call((void *)7);
            _exit(0);
        }
        require(child > 0 && waitpid(child, &status, 0) == child, "a child is made");
        require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child has a pool of its own");
    }
}
#else
static void fork_meanwhile(void) {}
#endif

static int is_over;

/* Somebody who watches again and again, and sees only what belongs together. */
static void *watch(void *nothing)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        int64_t seen, lost;
        const cutaway_seen *table;

        require(cutaway_begin_watch() == 0, "there is memory for what is seen");
        for (int k = 0; k < 1000; k++)
            sched_yield();
        table = cutaway_end_watch(&seen, &lost);
        for (int64_t k = 0; k < seen; k++) {
            require(table[k].watch == table[0].watch, "what is seen is of one watch");
            require(table[k].begin <= table[k].end, "what is seen has begun before it ended");
            require(table[k].part < table[k].parts, "a piece is one of its loop");
        }
    }
    return nothing;
}

int main(int count, char **args)
{
    pthread_t callers[CALLERS], watcher;

    require(count == 3, "usage: pool_hammer <threads> <rounds>");
    cutaway_set_most_threads(atoll(args[1]));
    rounds = atoi(args[2]);
    for (int64_t k = 0; k < CALLERS; k++)
        require(pthread_create(&callers[k], NULL, call, (void *)(k + 1)) == 0, "threads");
    require(pthread_create(&watcher, NULL, watch, NULL) == 0, "threads");
    fork_meanwhile();
    for (int64_t k = 0; k < CALLERS; k++)
        pthread_join(callers[k], NULL);
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    pthread_join(watcher, NULL);
    cutaway_close_pool();
    call((void *)99); /* alone */
    puts("ok");
    return 0;
}
