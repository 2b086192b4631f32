/* Counted blocks of memory. */

#ifndef CUTAWAY_MEMORY_H
#define CUTAWAY_MEMORY_H

#include "cutaway_runtime.h"

/* Free a block whose last reference is gone. */
void cutaway_memory_release(cutaway_meminfo *memory);

/* The numbers of blocks allocated and released so far. */
void cutaway_memory_stats(int64_t *allocated, int64_t *released);

#endif
