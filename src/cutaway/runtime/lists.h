/* Lists of compiled code.  An item takes `item_bytes`: a number as in an array, anything else a slot of
   8 bytes for each part; bit k of `owners` says that slot k owns memory. */

#ifndef CUTAWAY_LISTS_H
#define CUTAWAY_LISTS_H

#include <stddef.h>

#include "cutaway_runtime.h"

enum { CUTAWAY_ITEM_SLOTS = 64 }; /* of an item at most */

typedef struct {
    char *items;
    int64_t size, capacity;
    int64_t item_bytes;
    uint64_t owners;
    PyObject *origin; /* the list of Python that this one stands for while a call runs, or the native
                         one that has it; borrowed */
    int64_t exports;  /* buffers of Python that have its items: while there are some it has no room to
                         spare, and does not grow */
    int64_t spare;    /* its capacity after them */
    int64_t front;    /* room in front of the items, for so many */
    int64_t most;     /* the `maxlen` of a deque; -1 without one */
    int64_t changes;  /* how often items were added or removed, other than by code for `append` */
} cutaway_list;

enum { CUTAWAY_NO_MEMORY = -1, CUTAWAY_EXPORTED = -2 }; /* why there is no room */

/* lowering/layout/parts.py has these offsets. */
_Static_assert(offsetof(cutaway_list, item_bytes) == 24 && offsetof(cutaway_list, owners) == 32 &&
                   offsetof(cutaway_list, exports) == 48 && offsetof(cutaway_list, most) == 72 &&
                   offsetof(cutaway_list, changes) == 80,
               "compiled code has other offsets");

static inline cutaway_list *cutaway_list_of(const void *owner)
{
    return (cutaway_list *)((char *)owner + CUTAWAY_META_BYTES);
}

/* NULL, or why, without room. */
void *cutaway_list_new(int64_t item_bytes, int64_t owners, int64_t capacity);
int32_t cutaway_list_reserve(void *owner, int64_t capacity);
int32_t cutaway_list_grow(void *owner, int64_t more);
int32_t cutaway_list_gap(void *owner, int64_t index, int64_t count);
void cutaway_list_cut(void *owner, int64_t index, int64_t count);
int32_t cutaway_list_add(void *owner, void *other, int64_t start, int64_t step, int64_t count);
void cutaway_list_reverse(void *owner);

#endif
