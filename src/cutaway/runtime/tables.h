/* Dicts and sets of compiled code.

   The entries lie side by side in the order in which they were put there: the slots of a key, then the
   value, which takes `value_bytes` as an item of a list does (none in a set).  Beside them is a table
   of places, in groups of 16: a tag of 7 bits of the hash for each, by which most others are told
   apart at once, and the number of the entry.  An entry that was removed has the hash 0, and goes when
   the table is made anew. */

#ifndef CUTAWAY_TABLES_H
#define CUTAWAY_TABLES_H

#include <stddef.h>

#include "cutaway_runtime.h"

/* The fields of a key, one letter each: w a word, f a float64, s a float32, t a text of 4 slots, q a
   frozenset, which is a table, l a tuple of run-time length, which is a list.  The items of that are
   bytes (b), float64s (d) or float32s (e) side by side, or have fields of their own, in parentheses.
   A key of one word alone has a way of its own. */
typedef struct {
    char *entries;
    int64_t size;      /* entries that are there */
    int64_t used;      /* with those that were removed */
    int64_t room;      /* entries that there is room for */
    uint64_t *hashes;  /* of the entries; 0: removed */
    int32_t *numbers;  /* of the entries, by place */
    uint8_t *tags;     /* by place, and those of the first group once more behind the last */
    int64_t places;    /* a power of two; before the first entry one group, which is shared */
    int64_t filled;    /* places that are not empty, with those whose entry was removed */
    int64_t key_bytes, value_bytes;
    uint64_t key_owners, value_owners;
    const char *fields;
    int64_t changes;   /* bit 0: a value was stored; bit 1: an entry was added or removed */
    PyObject *origin;  /* of Python, as that of a list */
} cutaway_table;

/* lowering/tables.py and lowering/table_probe.py read these fields. */
_Static_assert(offsetof(cutaway_table, hashes) == 32 && offsetof(cutaway_table, numbers) == 40 &&
                   offsetof(cutaway_table, tags) == 48 && offsetof(cutaway_table, places) == 56 &&
                   offsetof(cutaway_table, key_bytes) == 72 &&
                   offsetof(cutaway_table, value_bytes) == 80 &&
                   offsetof(cutaway_table, changes) == 112,
               "compiled code has other offsets");

static inline cutaway_table *cutaway_table_of(const void *owner)
{
    return (cutaway_table *)((char *)owner + CUTAWAY_META_BYTES);
}

static inline char *cutaway_entry_at(const cutaway_table *table, int64_t number)
{
    return table->entries + number * (table->key_bytes + table->value_bytes);
}

/* NULL without memory.  `sizes` are the bytes of a key and of a value, then their owners. */
void *cutaway_table_new(const char *fields, int64_t key_bytes, int64_t key_owners,
                        int64_t value_bytes, int64_t value_owners);

/* The number of the entry with a key, given as its slots or as one word; -1 where there is none. */
int64_t cutaway_table_find(void *owner, const int64_t *key);
int64_t cutaway_table_find_word(void *owner, int64_t key);
int64_t cutaway_table_find_further(void *owner, int64_t key); /* the same, see table_probe.py */

/* The same, and a new entry where there is none: then it is -2 less its number, its key has references
   of its own, and its value is zeros.  -1 without memory. */
int64_t cutaway_table_put(void *owner, const int64_t *key);
int64_t cutaway_table_put_word(void *owner, int64_t key);
int64_t cutaway_table_put_further(void *owner, int64_t key);

void cutaway_table_remove(void *owner, int64_t number);
void cutaway_table_clear(void *owner);
int64_t cutaway_table_next(const void *owner, int64_t number); /* from this entry on; -1 at the end */
int64_t cutaway_table_last(const void *owner);                 /* -1 in an empty one */
void *cutaway_table_copy(const void *owner);
int32_t cutaway_table_reserve(void *owner, int64_t more);

#endif
