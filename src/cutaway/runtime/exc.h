/* The errors of compiled code. */

#ifndef CUTAWAY_EXC_H
#define CUTAWAY_EXC_H

#include <stdint.h>

#define CUTAWAY_VALUES 32
#define CUTAWAY_FRAMES 16

/* The record of an exception; lowering/build/raising.py knows the offsets. */
typedef struct {
    const char *table;
    int64_t index;
    int64_t payload[4];
    uintptr_t stack_limit;
    int64_t frames; /* how many calls it has come through, as far as they are recorded */
    void *handled;  /* the exception that compiled code is handling: an owner, borrowed */
    int64_t values[CUTAWAY_VALUES]; /* slots of arguments that were computed */
    struct {
        const char *table;
        int64_t index;
    } frame[CUTAWAY_FRAMES]; /* the innermost first */
} cutaway_exc;

#endif
