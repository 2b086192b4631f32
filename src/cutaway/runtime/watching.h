/* Which thread runs which piece of which loop, and when: recorded during a watch.

   Otherwise the cost is a check of one number for each loop, and none for its places. */

#ifndef CUTAWAY_WATCHING_H
#define CUTAWAY_WATCHING_H

#include <stdint.h>

#define CUTAWAY_SEEN_DIMENSIONS 3 /* further ones are not recorded */

enum { CUTAWAY_SEEN_PIECE, CUTAWAY_SEEN_LOOP, CUTAWAY_SEEN_UNDIVIDED };

/* A piece that was run; a loop, after its last piece; or a loop that ran undivided, of which only
   the start is known.  All fields have 8 bytes, the format in which Python reads them. */
typedef struct {
    int64_t kind;
    int64_t loop;   /* its number: a loop that begins later has a greater one */
    int64_t kernel; /* the address of the function that runs its pieces; 0: unknown */
    int64_t part, parts, thread, schedule, ndim; /* `schedule` includes its upper bits */
    int64_t begin, end; /* nanoseconds of a monotonic clock */
    double cost;        /* the estimate for one place; 0 for a piece */
    int64_t bounds[2 * CUTAWAY_SEEN_DIMENSIONS];
    int64_t watch; /* the number of the watch: not 0 once the record is complete */
} cutaway_seen;

extern int64_t cutaway_watch __attribute__((visibility("hidden"))); /* 0: no watch */

/* During a watch: the estimated cost of a place of the loop that this thread begins next. */
extern _Thread_local double cutaway_estimate
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The number of the current watch, 0 for none. */
static inline int64_t cutaway_watcher(void)
{
    return __atomic_load_n(&cutaway_watch, __ATOMIC_RELAXED);
}

int64_t cutaway_now(void);

/* A number for a loop that begins. */
int64_t cutaway_number_loop(void);

/* Write a record.  It is dropped if the watch has ended or the table is full. */
void cutaway_note(const cutaway_seen *seen, int64_t watch);

/* Start a watch, and discard earlier records: -1 if memory is exhausted. */
int cutaway_begin_watch(void);

/* End the watch.  Returns the records, which remain valid until the next watch begins, their
   number, and the number of those that were dropped because the table was full. */
const cutaway_seen *cutaway_end_watch(int64_t *count, int64_t *lost);

/* In the child of a fork: the registered writers do not exist. */
void cutaway_forget_writers(void);

#endif
