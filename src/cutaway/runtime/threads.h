/* Parallel loops: their division into pieces, and the threads that run these.

   Nothing here needs Python; the pool calls hooks where Python is involved. */

#ifndef CUTAWAY_THREADS_H
#define CUTAWAY_THREADS_H

#include "exc.h"

#define CUTAWAY_MOST_PARTS 1024
#define CUTAWAY_MOST_THREADS 256
#define CUTAWAY_MOST_DIMENSIONS 64
#define CUTAWAY_LEAST_WORK 2000 /* nanoseconds: a cheaper loop is not worth another thread */

/* The division of a loop.  Static: boxes of nearly the same size, one for each thread. Dynamic:
   chunks of the first dimension, several for each thread.  The same for nests of loops, which are
   cut along the first dimension alone if it is long enough, else along all.  The bits above the
   lowest byte of a schedule are the function's number for the loop, for a watch. */
enum { CUTAWAY_STATIC, CUTAWAY_DYNAMIC, CUTAWAY_STATIC_NEST, CUTAWAY_DYNAMIC_NEST, CUTAWAY_SCHEDULES = 255 };

/* The threshold below which compiled code runs a loop serially without a call of cutaway_parts. */
extern double cutaway_least_work;
/* Let compiled code call cutaway_parts always, for a reason, or end that for this reason. */
enum { CUTAWAY_CHUNKS = 1, CUTAWAY_WATCH = 2 };
void cutaway_ask_always(int reason, int on);

/* One piece of a parallel loop: run the places of a box of the iteration space.  `bounds` has start
   and stop for each of ndim dimensions (places count from 0, step 1).  `part` is the number of the
   piece, in the order of the space: reductions have a slot for each.  0 done, 1 raise the exception
   of `exc`, 2 a Python exception is set on this thread. */
typedef int32_t (*cutaway_kernel)(void *context, const int64_t *bounds, int64_t part,
                                  cutaway_exc *exc);

/* The number of pieces of a loop; 1 if it is to run serially.  It depends only on the sizes,
   schedule, cost, number of threads and size of chunks.  `cost` is the estimated nanoseconds for
   one place. */
int64_t cutaway_parts(int64_t ndim, const int64_t *sizes, int64_t schedule, double cost);

/* Run all pieces, as many as cutaway_parts returned, on the pool and on the caller's thread.
   Returns the status.  If pieces raise, `exc` receives the record of the first one in order: later
   pieces that have not begun are skipped, earlier ones run to their end. */
int32_t cutaway_parallel(cutaway_kernel kernel, void *context, int64_t ndim, const int64_t *sizes,
                         int64_t schedule, int64_t parts, cutaway_exc *exc);

/* The boxes of all pieces of the static schedule: start and stop for each part and dimension. */
void cutaway_do_scheduling(int64_t ndim, const int64_t *sizes, int64_t parts, int64_t *schedule);

/* The box of one piece. */
void cutaway_box(int64_t ndim, const int64_t *sizes, int64_t schedule, int64_t parts, int64_t part,
                 int64_t *bounds);

/* For the calling thread: its number in the loop that it works on (0 outside of any), the number of
   threads for a loop of its own, and the number of places of a piece (0: automatic).  A setting
   made by a piece holds for that piece; pieces begin with the settings of the loop's caller. */
int64_t cutaway_thread_id(void);
int64_t cutaway_thread_count(void);
void cutaway_set_thread_count(int64_t count); /* clamped to 1 and the largest number */
int64_t cutaway_chunk_size(void);
void cutaway_set_chunk_size(int64_t size); /* less than 0 is 0 */

/* The largest number of threads, including the callers' own.  Initially it is taken from the
   environment, else it is the number of cores that the process may use. */
int64_t cutaway_most_threads(void);
void cutaway_set_most_threads(int64_t count);
int64_t cutaway_usable_cores(void);

/* From now on each loop runs on its caller's thread alone. */
void cutaway_close_pool(void);

/* Functions that the pool calls for Python. */
typedef struct {
    void (*begin_thread)(void);    /* on a new thread */
    int (*begin_region)(void);     /* on the caller, before a loop; returns the end's argument */
    void (*end_region)(int begun); /* after it */
    void *(*take_error)(void);     /* after status 2: the exception, no longer set on this thread */
    void (*set_error)(void *error);
    void (*drop_error)(void *error);
    void (*drop_record)(const cutaway_exc *exc); /* a record that will not be raised */
    void (*lose)(void); /* sets the exception of a loop whose threads are missing after a fork */
} cutaway_thread_hooks;

extern const cutaway_thread_hooks *cutaway_hooks; /* NULL: without Python */

#endif
