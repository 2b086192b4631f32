/* Dicts and sets of compiled code: see tables.h. */

#include "tables.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "keys.h"
#include "memory.h"

enum { GROUP = 16, EMPTY = 0x80, REMOVED = 0xFE }; /* tags of places without an entry */

#define MOST_ENTRIES INT32_MAX

/* --- hashes ------------------------------------------------------------------------------------ */

/* All bits of a word count in all bits of its hash: keys may differ in their highest bits alone. */
static inline uint64_t hash_word(uint64_t word)
{
    return folded(word ^ SECOND_FACTOR, FIRST_FACTOR) | (uint64_t)1 << 63;
}

static inline uint64_t hash_key(const cutaway_table *table, const int64_t *key)
{
    return cutaway_key_hash(table->fields, key);
}

static inline int same_key(const cutaway_table *table, const int64_t *one, const int64_t *other)
{
    return cutaway_same_keys(table->fields, one, other);
}

/* --- places ------------------------------------------------------------------------------------ */

/* A bit for each place of a group whose tag is this. */
static inline uint32_t matches(const uint8_t *tags, uint8_t tag)
{
#ifdef __SSE2__
    __m128i group = _mm_loadu_si128((const __m128i *)tags);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(group, _mm_set1_epi8((char)tag)));
#else
    uint32_t bits = 0;
    for (int k = 0; k < GROUP; k++)
        bits |= (uint32_t)(tags[k] == tag) << k;
    return bits;
#endif
}

static inline uint8_t tag_of(uint64_t hash)
{
    return hash & 0x7F;
}

static inline void set_tag(cutaway_table *table, int64_t place, uint8_t tag)
{
    table->tags[place] = tag;
    if (place < GROUP)
        table->tags[table->places + place] = tag;
}

/* The first place of a hash's way that has no entry. */
static int64_t free_place(const cutaway_table *table, uint64_t hash)
{
    int64_t mask = table->places - 1, place = (int64_t)(hash >> 7) & mask;

    for (int64_t step = GROUP;; place = (place + step) & mask, step += GROUP) {
        uint32_t bits = matches(table->tags + place, EMPTY) |
                        matches(table->tags + place, REMOVED);
        if (bits)
            return (place + __builtin_ctz(bits)) & mask;
    }
}

static void enter(cutaway_table *table, uint64_t hash, int64_t number)
{
    int64_t place = free_place(table, hash);

    table->filled += table->tags[place] == EMPTY;
    set_tag(table, place, tag_of(hash));
    table->numbers[place] = (int32_t)number;
}

static int64_t place_of_number(const cutaway_table *table, int64_t number)
{
    int64_t mask = table->places - 1;
    uint64_t hash = table->hashes[number];

    for (int64_t place = (int64_t)(hash >> 7) & mask, step = GROUP;;
         place = (place + step) & mask, step += GROUP)
        for (uint32_t bits = matches(table->tags + place, tag_of(hash)); bits; bits &= bits - 1) {
            int64_t one = (place + __builtin_ctz(bits)) & mask;
            if (table->numbers[one] == number)
                return one;
        }
}

/* Search along the way of a hash; `SAME` says whether entry `number` has the key. */
#define SEARCH(table, hash, SAME)                                                              \
    for (int64_t mask = (table)->places - 1, place = (int64_t)((hash) >> 7) & mask,            \
                 step = GROUP;                                                                 \
         ; place = (place + step) & mask, step += GROUP) {                                     \
        for (uint32_t bits = matches((table)->tags + place, tag_of(hash)); bits;               \
             bits &= bits - 1) {                                                               \
            int64_t number = (table)->numbers[(place + __builtin_ctz(bits)) & mask];           \
            if (SAME)                                                                          \
                return number;                                                                 \
        }                                                                                      \
        if (matches((table)->tags + place, EMPTY))                                             \
            return -1;                                                                         \
    }

static inline int64_t word_at(const cutaway_table *table, int64_t number)
{
    return *(const int64_t *)cutaway_entry_at(table, number);
}

static inline int64_t find_word(const cutaway_table *table, int64_t key, uint64_t hash)
{
    SEARCH(table, hash, word_at(table, number) == key)
}

static int64_t find_key(const cutaway_table *table, const int64_t *key, uint64_t hash)
{
    SEARCH(table, hash,
           table->hashes[number] == hash &&
               same_key(table, (const int64_t *)cutaway_entry_at(table, number), key))
}

/* --- references -------------------------------------------------------------------------------- */

static void count_slots(const void *slots, uint64_t owners, void (*function)(void *owner))
{
    for (; owners; owners &= owners - 1)
        function(((void *const *)slots)[__builtin_ctzll(owners)]);
}

static void count_entry(const cutaway_table *table, int64_t number, void (*function)(void *owner))
{
    const char *entry = cutaway_entry_at(table, number);

    count_slots(entry, table->key_owners, function);
    count_slots(entry + table->key_bytes, table->value_owners, function);
}

static void count_all(const cutaway_table *table, void (*function)(void *owner))
{
    if (!table->key_owners && !table->value_owners)
        return;
    for (int64_t k = 0; k < table->used; k++)
        if (table->hashes[k])
            count_entry(table, k, function);
}

/* The tags of a table without entries: a search ends there, and nothing is written there. */
static uint8_t no_tags[2 * GROUP] = {
    EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY,
    EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY,
    EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY};

static void free_arrays(cutaway_table *table)
{
    free(table->entries);
    free(table->hashes);
    free(table->numbers);
    if (table->tags != no_tags)
        free(table->tags);
}

static void begin_empty(cutaway_table *table)
{
    table->entries = NULL;
    table->hashes = NULL;
    table->numbers = NULL;
    table->tags = no_tags;
    table->size = table->used = table->room = table->filled = 0;
    table->places = GROUP;
}

static void dispose(cutaway_meminfo *memory)
{
    cutaway_table *table = cutaway_table_of(memory);

    count_all(table, cutaway_decref);
    free_arrays(table);
}

/* --- fields of keys, of which there are few, kept for good -------------------------------------- */

typedef struct known_fields {
    struct known_fields *next;
    char letters[];
} known_fields;

static known_fields *all_fields;
static pthread_mutex_t fields_lock = PTHREAD_MUTEX_INITIALIZER;

static const char *kept_fields(const char *letters)
{
    known_fields *one = __atomic_load_n(&all_fields, __ATOMIC_ACQUIRE);

    for (; one; one = one->next)
        if (!strcmp(one->letters, letters))
            return one->letters;
    pthread_mutex_lock(&fields_lock);
    one = malloc(sizeof(*one) + strlen(letters) + 1);
    if (one) {
        strcpy(one->letters, letters);
        one->next = all_fields;
        __atomic_store_n(&all_fields, one, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&fields_lock);
    return one ? one->letters : NULL;
}

/* --- what compiled code calls ------------------------------------------------------------------- */

void *cutaway_table_new(const char *fields, int64_t key_bytes, int64_t key_owners,
                        int64_t value_bytes, int64_t value_owners)
{
    const char *kept = kept_fields(fields);
    cutaway_meminfo *memory = kept ? cutaway_alloc(sizeof(cutaway_table)) : NULL;
    cutaway_table *table;

    if (!memory)
        return NULL;
    table = cutaway_table_of(memory);
    memset(table, 0, sizeof(*table));
    begin_empty(table);
    table->fields = kept;
    table->key_bytes = key_bytes;
    table->key_owners = (uint64_t)key_owners;
    table->value_bytes = (value_bytes + 7) / 8 * 8;
    table->value_owners = (uint64_t)value_owners;
    memory->dispose = dispose;
    return memory;
}

/* Entries without those that were removed, and places for so many; 0, or -1 without memory. */
static int rebuild(cutaway_table *table, int64_t room)
{
    int64_t places = GROUP, bytes = table->key_bytes + table->value_bytes, size = 0;
    cutaway_table fresh = *table;

    if (room > MOST_ENTRIES)
        return -1;
    while (places / 8 * 7 < room)
        places *= 2;
    room = places / 8 * 7;
    fresh.filled = 0;
    fresh.entries = malloc((size_t)(room * bytes) + 1);
    fresh.hashes = malloc((size_t)room * sizeof(uint64_t));
    fresh.numbers = malloc((size_t)places * sizeof(int32_t));
    fresh.tags = malloc((size_t)(places + GROUP));
    if (!fresh.entries || !fresh.hashes || !fresh.numbers || !fresh.tags) {
        free_arrays(&fresh);
        return -1;
    }
    fresh.places = places;
    fresh.room = room;
    memset(fresh.tags, EMPTY, (size_t)(places + GROUP));
    if (table->size == table->used) {
        if (table->used) {
            memcpy(fresh.entries, table->entries, (size_t)(table->used * bytes));
            memcpy(fresh.hashes, table->hashes, (size_t)table->used * sizeof(uint64_t));
        }
        size = table->used;
    }
    else
        for (int64_t k = 0; k < table->used; k++)
            if (table->hashes[k]) {
                memcpy(fresh.entries + size * bytes, table->entries + k * bytes, (size_t)bytes);
                fresh.hashes[size++] = table->hashes[k];
            }
    fresh.used = size;
    for (int64_t k = 0; k < size; k++)
        enter(&fresh, fresh.hashes[k], k);
    free_arrays(table);
    *table = fresh;
    return 0;
}

int32_t cutaway_table_reserve(void *owner, int64_t more)
{
    cutaway_table *table = cutaway_table_of(owner);

    if (table->used + more <= table->room)
        return 0;
    return rebuild(table, table->size + more);
}

/* A new entry at the end; its number, or -1 without memory. */
static int64_t added(cutaway_table *table, const int64_t *key, uint64_t hash)
{
    int64_t number;
    char *entry;

    /* A search ends at an empty place: some are left. */
    if ((table->used == table->room || table->filled >= table->room) &&
        rebuild(table, table->size < table->room / 2 ? table->room : 2 * table->room + 1) < 0)
        return -1;
    number = table->used++;
    table->size++;
    table->changes |= 2;
    table->hashes[number] = hash;
    enter(table, hash, number);
    entry = cutaway_entry_at(table, number);
    memcpy(entry, key, (size_t)table->key_bytes);
    memset(entry + table->key_bytes, 0, (size_t)table->value_bytes);
    count_slots(entry, table->key_owners, cutaway_incref);
    return -2 - number;
}

int64_t cutaway_table_find_word(void *owner, int64_t key)
{
    return find_word(cutaway_table_of(owner), key, hash_word((uint64_t)key));
}

int64_t cutaway_table_put_word(void *owner, int64_t key)
{
    cutaway_table *table = cutaway_table_of(owner);
    uint64_t hash = hash_word((uint64_t)key);
    int64_t number = find_word(table, key, hash);

    return number < 0 ? added(table, &key, hash) : number;
}

int64_t cutaway_table_find_further(void *owner, int64_t key)
{
    return cutaway_table_find_word(owner, key);
}

int64_t cutaway_table_put_further(void *owner, int64_t key)
{
    return cutaway_table_put_word(owner, key);
}

static int is_word(const cutaway_table *table)
{
    return table->fields[0] == 'w' && !table->fields[1];
}

int64_t cutaway_table_find(void *owner, const int64_t *key)
{
    cutaway_table *table = cutaway_table_of(owner);

    if (is_word(table))
        return find_word(table, *key, hash_word((uint64_t)*key));
    return table->size ? find_key(table, key, hash_key(table, key)) : -1;
}

int64_t cutaway_table_put(void *owner, const int64_t *key)
{
    cutaway_table *table = cutaway_table_of(owner);
    uint64_t hash;
    int64_t number;

    if (is_word(table))
        return cutaway_table_put_word(owner, *key);
    hash = hash_key(table, key);
    number = find_key(table, key, hash);
    return number < 0 ? added(table, key, hash) : number;
}

void cutaway_table_remove(void *owner, int64_t number)
{
    cutaway_table *table = cutaway_table_of(owner);
    int64_t place = place_of_number(table, number);
    int64_t bytes = table->key_bytes + table->value_bytes;
    int64_t held[2 * 64];

    set_tag(table, place, REMOVED);
    table->hashes[number] = 0;
    table->size--;
    table->changes |= 2;
    memcpy(held, cutaway_entry_at(table, number), (size_t)bytes);
    if (!table->size) { /* as new */
        memset(table->tags, EMPTY, (size_t)(table->places + GROUP));
        table->used = table->filled = 0;
    }
    else
        while (!table->hashes[table->used - 1]) /* the last ones are taken from the end, as a stack */
            table->used--;
    count_slots(held, table->key_owners, cutaway_decref);
    count_slots((char *)held + table->key_bytes, table->value_owners, cutaway_decref);
}

void cutaway_table_clear(void *owner)
{
    cutaway_table *table = cutaway_table_of(owner), before = *table;

    begin_empty(table);
    table->changes |= 2;
    count_all(&before, cutaway_decref);
    free_arrays(&before);
}

int64_t cutaway_table_next(const void *owner, int64_t number)
{
    const cutaway_table *table = cutaway_table_of(owner);

    while (number < table->used && !table->hashes[number])
        number++;
    return number < table->used ? number : -1;
}

int64_t cutaway_table_last(const void *owner)
{
    const cutaway_table *table = cutaway_table_of(owner);
    int64_t number = table->used - 1;

    while (number >= 0 && !table->hashes[number])
        number--;
    return number;
}

void *cutaway_table_copy(const void *owner)
{
    const cutaway_table *table = cutaway_table_of(owner);
    cutaway_meminfo *memory =
        cutaway_table_new(table->fields, table->key_bytes, (int64_t)table->key_owners,
                          table->value_bytes, (int64_t)table->value_owners);
    cutaway_table *copy;

    if (!memory || !table->size)
        return memory;
    copy = cutaway_table_of(memory);
    if (rebuild(copy, table->size) < 0) {
        cutaway_decref(memory);
        return NULL;
    }
    for (int64_t k = 0; k < table->used; k++)
        if (table->hashes[k]) {
            int64_t number = copy->used++;
            memcpy(cutaway_entry_at(copy, number), cutaway_entry_at(table, k),
                   (size_t)(table->key_bytes + table->value_bytes));
            copy->hashes[number] = table->hashes[k];
            enter(copy, table->hashes[k], number);
            count_entry(copy, number, cutaway_incref);
        }
    copy->size = copy->used;
    return memory;
}
