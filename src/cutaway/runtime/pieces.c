/* The division of a parallel loop into pieces: a function of numbers alone, so that the same loop
   is divided the same way in each run, whichever threads are idle. */

#include "team.h"
#include "threads.h"
#include "watching.h"

#include <math.h>

#define PIECE_WORK 1000.0  /* the least cost of a piece */
#define EVEN_ROWS 8        /* rows per piece from which an uneven division does not matter */
#define CHUNKS_PER_THREAD 8 /* of a dynamic schedule */

double cutaway_least_work = CUTAWAY_LEAST_WORK;

void cutaway_ask_always(int reason, int on)
{
    static int reasons;
    int now = on ? __atomic_or_fetch(&reasons, reason, __ATOMIC_SEQ_CST)
                 : __atomic_and_fetch(&reasons, ~reason, __ATOMIC_SEQ_CST);
    double least = now ? 0 : CUTAWAY_LEAST_WORK;

    __atomic_store(&cutaway_least_work, &least, __ATOMIC_RELAXED);
}

static double places_of(int64_t ndim, const int64_t *sizes)
{
    double places = 1;

    for (int64_t k = 0; k < ndim; k++)
        places *= sizes[k] > 0 ? (double)sizes[k] : 0;
    return places;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t as_count(double number)
{
    return number < CUTAWAY_MOST_PARTS ? (int64_t)number : CUTAWAY_MOST_PARTS;
}

static int64_t parts_of(int64_t ndim, const int64_t *sizes, int64_t schedule, double cost)
{
    double places = places_of(ndim, sizes), work = places * (cost > 0 ? cost : 0);
    double pieces = places; /* the largest number possible */
    int64_t threads = cutaway_thread_count(), chunk = cutaway_chunk_size(), parts;
    int is_dynamic;

    if (threads <= 1 || places < 2 || ndim > CUTAWAY_MOST_DIMENSIONS)
        return 1;
    if (chunk == 0 && work < CUTAWAY_LEAST_WORK)
        return 1;
    if (schedule == CUTAWAY_DYNAMIC)
        pieces = (double)sizes[0];
    is_dynamic = schedule == CUTAWAY_DYNAMIC || schedule == CUTAWAY_DYNAMIC_NEST;
    if (chunk > 0) {
        parts = as_count(pieces / (double)chunk);
        parts = parts > threads ? parts : threads;
    }
    else {
        threads = is_dynamic ? threads * CHUNKS_PER_THREAD : threads;
        parts = least(threads, as_count(work / PIECE_WORK));
    }
    parts = least(parts, as_count(pieces));
    return parts > 1 ? parts : 1;
}

/* Record an undivided loop here, since the pool does not run it. */
static void note_undivided(int64_t ndim, const int64_t *sizes, int64_t schedule, double cost,
                           int64_t watch)
{
    int64_t now = cutaway_now();
    cutaway_seen seen = {
        .kind = CUTAWAY_SEEN_UNDIVIDED,
        .loop = cutaway_number_loop(),
        .part = -1,
        .parts = 1,
        .thread = cutaway_me.id,
        .schedule = schedule,
        .ndim = ndim,
        .begin = now,
        .end = now,
        .cost = cost,
    };

    for (int64_t k = 0; k < ndim && k < CUTAWAY_SEEN_DIMENSIONS; k++)
        seen.bounds[2 * k + 1] = sizes[k];
    cutaway_note(&seen, watch);
}

int64_t cutaway_parts(int64_t ndim, const int64_t *sizes, int64_t schedule, double cost)
{
    int64_t parts = parts_of(ndim, sizes, schedule & CUTAWAY_SCHEDULES, cost);
    int64_t watch = cutaway_watcher();

    if (watch) {
        cutaway_estimate = cost;
        if (parts == 1)
            note_undivided(ndim, sizes, schedule, cost, watch);
    }
    return parts;
}

/* --- boxes --------------------------------------------------------------------------------------- */

/* The start of slab `k` of `slabs`, if each has at least one place and the other places are shared
   out like the pieces, of which `before` of `parts` are in front. */
static int64_t slab_start(int64_t size, int64_t slabs, int64_t k, int64_t before, int64_t parts)
{
    return k + (int64_t)((__int128)(size - slabs) * before / parts);
}

/* The number of slabs into which the first dimension is cut, in proportion to its size.  Each slab
   must have room for its share of the pieces, and a place. */
static int64_t slabs_of(int64_t ndim, const int64_t *sizes, int64_t parts)
{
    double rest = places_of(ndim - 1, sizes + 1), places = rest * (double)sizes[0];
    int64_t slabs, fewest, most = least(parts, sizes[0]);

    if (ndim == 1 || parts == 1)
        return most;
    fewest = (int64_t)ceil((double)parts / rest);
    slabs = (int64_t)floor((double)sizes[0] * pow((double)parts / places, 1.0 / (double)ndim) + 0.5);
    slabs = slabs < fewest ? fewest : slabs;
    return slabs < 1 ? 1 : least(slabs, most);
}

static void whole(int64_t ndim, const int64_t *sizes, int64_t *bounds)
{
    for (int64_t k = 0; k < ndim; k++) {
        bounds[2 * k] = 0;
        bounds[2 * k + 1] = sizes[k] > 0 ? sizes[k] : 0;
    }
}

/* In a nest of loops only the first dimension is cut if that makes pieces of nearly equal size:
   then each works on contiguous memory. */
static int64_t dimensions_to_cut(int64_t ndim, const int64_t *sizes, int64_t schedule, int64_t parts)
{
    if (schedule == CUTAWAY_STATIC)
        return ndim;
    if (schedule == CUTAWAY_DYNAMIC || (schedule == CUTAWAY_DYNAMIC_NEST && sizes[0] >= parts))
        return 1;
    return sizes[0] >= EVEN_ROWS * parts || sizes[0] % parts == 0 ? 1 : ndim;
}

void cutaway_box(int64_t ndim, const int64_t *sizes, int64_t schedule, int64_t parts, int64_t part,
                 int64_t *bounds)
{
    int64_t cut = dimensions_to_cut(ndim, sizes, schedule, parts);

    whole(ndim, sizes, bounds);
    /* Slab by slab: the pieces of a slab have consecutive numbers, and divide it alone. */
    for (int64_t k = 0; k < cut && parts > 1; k++) {
        int64_t slabs = slabs_of(cut - k, sizes + k, parts);
        int64_t slab = ((part + 1) * slabs + parts - 1) / parts - 1;
        int64_t before = parts * slab / slabs, after = parts * (slab + 1) / slabs;

        bounds[2 * k] = slab_start(sizes[k], slabs, slab, before, parts);
        bounds[2 * k + 1] = slab_start(sizes[k], slabs, slab + 1, after, parts);
        part -= before;
        parts = after - before;
    }
}

void cutaway_do_scheduling(int64_t ndim, const int64_t *sizes, int64_t parts, int64_t *schedule)
{
    for (int64_t part = 0; part < parts; part++)
        cutaway_box(ndim, sizes, CUTAWAY_STATIC, parts, part, schedule + 2 * ndim * part);
}
