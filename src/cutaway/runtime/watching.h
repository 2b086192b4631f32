/* Which thread runs which piece of which loop, and when: noted while somebody watches.

   Otherwise it costs a look at one number for each loop, and none for its places. */

#ifndef CUTAWAY_WATCHING_H
#define CUTAWAY_WATCHING_H

#include <stdint.h>

#define CUTAWAY_SEEN_DIMENSIONS 3 /* more of them are not noted */

enum { CUTAWAY_SEEN_PIECE, CUTAWAY_SEEN_LOOP, CUTAWAY_SEEN_UNDIVIDED };

/* A piece that was run; a loop, after its last piece; or one that ran undivided, of which only is
   known that it began.  All fields are 8 bytes, which is how Python reads them. */
typedef struct {
    int64_t kind;
    int64_t loop;   /* its number, which grows: a loop that begins later has a greater one */
    int64_t kernel; /* the address of what runs its pieces; 0 where it is not known */
    int64_t part, parts, thread, schedule, ndim; /* `schedule` as it was given, with what stands above */
    int64_t begin, end; /* nanoseconds, of a clock that only goes forward */
    double cost;        /* of one place, as it was estimated; of a piece 0 */
    int64_t bounds[2 * CUTAWAY_SEEN_DIMENSIONS];
    int64_t watch; /* who watched: not 0 once all of it is there */
} cutaway_seen;

extern int64_t cutaway_watch __attribute__((visibility("hidden"))); /* 0: nobody watches */

/* While somebody watches: what was estimated for a place of the loop that this thread begins next. */
extern _Thread_local double cutaway_estimate
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Who watches now, 0 for nobody. */
static inline int64_t cutaway_watcher(void)
{
    return __atomic_load_n(&cutaway_watch, __ATOMIC_RELAXED);
}

int64_t cutaway_now(void);

/* The number of the loop that begins. */
int64_t cutaway_number_loop(void);

/* Note something for who watches.  It is left out where nobody does any more, or where there is no
   room left. */
void cutaway_note(const cutaway_seen *seen, int64_t watch);

/* Watch from now on, forgetting what was seen before: -1 where there is no memory. */
int cutaway_begin_watch(void);

/* Watch no longer.  Gives what was seen, which stays until the next watch begins, and how much of it
   had no room. */
const cutaway_seen *cutaway_end_watch(int64_t *count, int64_t *lost);

/* In the child of a fork: who was writing is not there. */
void cutaway_forget_writers(void);

#endif
