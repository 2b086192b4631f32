/* The state of a thread within the loop that it works on; see threads.h. */

#ifndef CUTAWAY_TEAM_H
#define CUTAWAY_TEAM_H

#include <stdint.h>

typedef struct {
    int64_t id;    /* its number among the loop's threads */
    int64_t count; /* threads for loops of its own; 0: as many as allowed */
    int64_t chunk; /* places in a piece; 0: automatic */
} cutaway_member;

extern _Thread_local cutaway_member cutaway_me
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

#endif
