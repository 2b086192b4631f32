/* Counted blocks of memory.c. */

#ifndef CUTAWAY_MEMORY_H
#define CUTAWAY_MEMORY_H

#include "cutaway_runtime.h"

/* The last reference to a block is gone. */
void cutaway_memory_release(cutaway_meminfo *memory);

/* How many blocks there have been, and how many of them are gone. */
void cutaway_memory_stats(int64_t *allocated, int64_t *released);

#endif
