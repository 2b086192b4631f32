/* Lists of compiled code: a header that all who share a list refer to, and the items beside it. */

#include "lists.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define LEAST_ITEMS 4 /* of a list that grows for the first time */

static int64_t width(const cutaway_list *list)
{
    return list->item_bytes;
}

/* Count the references of `count` items. */
static void count_items(const cutaway_list *list, const char *items, int64_t count,
                        void (*function)(void *owner))
{
    if (!list->owners)
        return;
    for (int64_t k = 0; k < count; k++) {
        void *const *slots = (void *const *)(items + k * width(list));
        for (uint64_t bits = list->owners; bits; bits &= bits - 1)
            function(slots[__builtin_ctzll(bits)]);
    }
}

/* The block of memory in which the items are. */
static char *base_of(const cutaway_list *list)
{
    return list->items ? list->items - list->front * width(list) : NULL;
}

static void dispose(cutaway_meminfo *memory)
{
    cutaway_list *list = cutaway_list_of(memory);

    count_items(list, list->items, list->size, cutaway_decref);
    free(base_of(list));
}

void *cutaway_list_new(int64_t item_bytes, int64_t owners, int64_t capacity)
{
    cutaway_meminfo *memory = cutaway_alloc(sizeof(cutaway_list));
    cutaway_list *list;

    if (!memory)
        return NULL;
    list = cutaway_list_of(memory);
    memset(list, 0, sizeof(*list));
    list->item_bytes = item_bytes;
    list->owners = (uint64_t)owners;
    list->most = -1;
    memory->dispose = dispose;
    if (capacity && cutaway_list_reserve(memory, capacity)) {
        cutaway_decref(memory);
        return NULL;
    }
    return memory;
}

/* Room for so many items; 0, or why there is none. */
int32_t cutaway_list_reserve(void *owner, int64_t capacity)
{
    cutaway_list *list = cutaway_list_of(owner);
    int64_t bytes, room;
    char *base;

    if (capacity <= list->capacity)
        return 0;
    if (list->exports)
        return CUTAWAY_EXPORTED;
    if (__builtin_add_overflow(capacity, list->front, &room) ||
        __builtin_mul_overflow(room, width(list), &bytes))
        return CUTAWAY_NO_MEMORY;
    base = realloc(base_of(list), bytes ? (size_t)bytes : 1);
    if (!base)
        return CUTAWAY_NO_MEMORY;
    list->items = base + list->front * width(list);
    list->capacity = capacity;
    return 0;
}

/* Room for so many items more, and for a part of those that are there, so that a list that grows item
   by item is copied a few times only. */
int32_t cutaway_list_grow(void *owner, int64_t more)
{
    cutaway_list *list = cutaway_list_of(owner);
    int64_t needed, spare;

    if (__builtin_add_overflow(list->size, more, &needed))
        return CUTAWAY_NO_MEMORY;
    if (needed <= list->capacity)
        return 0;
    if (list->exports)
        return CUTAWAY_EXPORTED;
    if (needed <= list->front) { /* a queue: as many were taken from its front as are moved */
        memcpy(base_of(list), list->items, (size_t)(list->size * width(list)));
        list->items = base_of(list);
        list->capacity += list->front;
        list->front = 0;
        return 0;
    }
    spare = needed / 2 + LEAST_ITEMS;
    if (!cutaway_list_reserve(owner, needed + spare))
        return 0;
    return cutaway_list_reserve(owner, needed);
}

/* Room for so many items in front of the first, and for a part of those that are there. */
static int32_t grow_front(cutaway_list *list, int64_t count)
{
    int64_t front, room, bytes;
    char *base;

    if (list->exports)
        return CUTAWAY_EXPORTED;
    if (count <= list->front)
        return 0;
    if (__builtin_add_overflow(count, list->size / 2 + LEAST_ITEMS, &front) ||
        __builtin_add_overflow(front, list->capacity, &room) ||
        __builtin_mul_overflow(room, width(list), &bytes))
        return CUTAWAY_NO_MEMORY;
    base = malloc(bytes ? (size_t)bytes : 1);
    if (!base)
        return CUTAWAY_NO_MEMORY;
    if (list->size)
        memcpy(base + front * width(list), list->items, (size_t)(list->size * width(list)));
    free(base_of(list));
    list->items = base + front * width(list);
    list->front = front;
    return 0;
}

/* Make room for `count` items in front of the one at `index`, which the caller fills. */
int32_t cutaway_list_gap(void *owner, int64_t index, int64_t count)
{
    cutaway_list *list = cutaway_list_of(owner);
    int32_t failed;
    char *place;

    if (!count)
        return 0;
    if (!index && list->size) {
        failed = grow_front(list, count);
        if (failed)
            return failed;
        list->items -= count * width(list);
        list->front -= count;
        list->capacity += count;
        list->size += count;
        list->changes++;
        return 0;
    }
    failed = cutaway_list_grow(owner, count);
    if (failed)
        return failed;
    list->changes++;
    place = list->items + index * width(list);
    memmove(place + count * width(list), place, (size_t)((list->size - index) * width(list)));
    list->size += count;
    return 0;
}

/* Remove `count` items from `index` on. */
void cutaway_list_cut(void *owner, int64_t index, int64_t count)
{
    cutaway_list *list = cutaway_list_of(owner);
    char *place = list->items + index * width(list), *gone = NULL, few[512];
    size_t bytes = (size_t)(count * width(list));

    if (!count)
        return; /* there may be no memory at all */
    /* The items are released when the list is as it will be: to release one may run anything. */
    if (list->owners) {
        gone = bytes <= sizeof(few) ? few : malloc(bytes);
        if (gone)
            memcpy(gone, place, bytes);
        else
            count_items(list, place, count, cutaway_decref);
    }
    if (!index && count < list->size && !list->exports) {
        list->items += bytes;
        list->front += count;
        list->capacity -= count;
    }
    else
        memmove(place, place + bytes, (size_t)((list->size - index - count) * width(list)));
    list->size -= count;
    list->changes++;
    if (gone)
        count_items(list, gone, count, cutaway_decref);
    if (gone != few)
        free(gone);
}

/* Append `count` items of another list (or the same one) of such items, from `start` on by `step`. */
int32_t cutaway_list_add(void *owner, void *other, int64_t start, int64_t step, int64_t count)
{
    cutaway_list *list = cutaway_list_of(owner);
    const cutaway_list *source = cutaway_list_of(other);
    int32_t failed;
    char *target;

    if (count <= 0)
        return 0;
    failed = cutaway_list_grow(owner, count);
    if (failed)
        return failed;
    target = list->items + list->size * width(list);
    if (step == 1)
        memcpy(target, source->items + start * width(list), (size_t)(count * width(list)));
    else
        for (int64_t k = 0; k < count; k++)
            memcpy(target + k * width(list), source->items + (start + k * step) * width(list),
                   (size_t)width(list));
    count_items(list, target, count, cutaway_incref);
    list->size += count;
    list->changes++;
    return 0;
}

void cutaway_list_reverse(void *owner)
{
    cutaway_list *list = cutaway_list_of(owner);
    char held[512];
    size_t bytes = (size_t)width(list);

    for (int64_t low = 0, high = list->size - 1; low < high; low++, high--) {
        char *first = list->items + low * width(list), *second = list->items + high * width(list);
        memcpy(held, first, bytes);
        memcpy(first, second, bytes);
        memcpy(second, held, bytes);
    }
}
