/* Parallel loops: how they are divided into pieces, and the threads that run these.

   Nothing here needs Python; what the pool does for the sake of Python goes through hooks. */

#ifndef CUTAWAY_THREADS_H
#define CUTAWAY_THREADS_H

#include "exc.h"

#define CUTAWAY_MOST_PARTS 1024
#define CUTAWAY_MOST_THREADS 256
#define CUTAWAY_MOST_DIMENSIONS 64
#define CUTAWAY_LEAST_WORK 2000 /* nanoseconds: a loop that takes less is not worth another thread */

/* How a loop is divided.  Static: as many boxes of nearly the same size as there are threads.
   Dynamic: chunks of the first dimension, several for each thread.  The same for nests of loops,
   which are cut along the first dimension alone where it is long enough, else along all.  Above the
   lowest byte of a schedule stands what its function calls the loop, for who watches. */
enum { CUTAWAY_STATIC, CUTAWAY_DYNAMIC, CUTAWAY_STATIC_NEST, CUTAWAY_DYNAMIC_NEST, CUTAWAY_SCHEDULES = 255 };

/* What compiled code compares its estimate with before it asks how a loop is to be divided. */
extern double cutaway_least_work;
/* Let compiled code ask always, for a reason, or no longer for it. */
enum { CUTAWAY_CHUNKS = 1, CUTAWAY_WATCH = 2 };
void cutaway_ask_always(int reason, int on);

/* One piece of a parallel loop: run the places of a box of the iteration space.  `bounds` has start and
   stop for each of ndim dimensions (places count from 0, step 1).  `part` is the number of the
   piece, in the order of the space: reductions have a slot for each.  0 done, 1 raise what `exc`
   says, 2 a Python exception is set on this thread. */
typedef int32_t (*cutaway_kernel)(void *context, const int64_t *bounds, int64_t part,
                                  cutaway_exc *exc);

/* How many pieces a loop is divided into; 1 where it is to run serially.  The same for the same
   sizes, schedule, cost, number of threads and size of chunks.  `cost` is estimated: nanoseconds
   for one place. */
int64_t cutaway_parts(int64_t ndim, const int64_t *sizes, int64_t schedule, double cost);

/* Run all pieces, as many as cutaway_parts said, on the pool and on the caller's thread.  Gives the
   status.  Where pieces raise, `exc` gets the record of the first one in order: pieces above it
   that have not begun are left out, those below run to their end. */
int32_t cutaway_parallel(cutaway_kernel kernel, void *context, int64_t ndim, const int64_t *sizes,
                         int64_t schedule, int64_t parts, cutaway_exc *exc);

/* The boxes of all pieces of the static schedule: start and stop for each part and dimension. */
void cutaway_do_scheduling(int64_t ndim, const int64_t *sizes, int64_t parts, int64_t *schedule);

/* The box of one piece. */
void cutaway_box(int64_t ndim, const int64_t *sizes, int64_t schedule, int64_t parts, int64_t part,
                 int64_t *bounds);

/* Of the calling thread: its number in the loop that it works on (0 outside of any), how many
   threads a loop of its own gets, and how many places a piece is to have (0: as is best).  What a
   piece sets holds for that piece; pieces begin with what the loop's caller has. */
int64_t cutaway_thread_id(void);
int64_t cutaway_thread_count(void);
void cutaway_set_thread_count(int64_t count); /* kept within 1 and the most there may be */
int64_t cutaway_chunk_size(void);
void cutaway_set_chunk_size(int64_t size); /* less than 0 is 0 */

/* How many threads there may be, the callers' own included.  It begins as what the environment
   says, else as the number of cores that the process may use. */
int64_t cutaway_most_threads(void);
void cutaway_set_most_threads(int64_t count);
int64_t cutaway_usable_cores(void);

/* From now on each loop runs on its caller's thread alone. */
void cutaway_close_pool(void);

/* What the pool does for the sake of Python. */
typedef struct {
    void (*begin_thread)(void);    /* on a new thread */
    int (*begin_region)(void);     /* on the caller, before a loop; gives what the end is told */
    void (*end_region)(int begun); /* after it */
    void *(*take_error)(void);     /* after status 2: the exception, no longer on this thread */
    void (*set_error)(void *error);
    void (*drop_error)(void *error);
    void (*drop_record)(const cutaway_exc *exc); /* a record that nobody will raise */
    void (*lose)(void); /* sets the exception of a loop whose threads a fork has left behind */
} cutaway_thread_hooks;

extern const cutaway_thread_hooks *cutaway_hooks; /* NULL: there is no Python */

#endif
