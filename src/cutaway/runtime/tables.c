/* Dicts and sets of compiled code: see tables.h. */

#include "tables.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "memory.h"

enum { GROUP = 16, EMPTY = 0x80, REMOVED = 0xFE }; /* tags of places without an entry */

#define MOST_ENTRIES INT32_MAX

/* --- hashes ------------------------------------------------------------------------------------ */

static inline uint64_t folded(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#define FIRST_FACTOR 0x9E3779B97F4A7C15
#define SECOND_FACTOR 0xA0761D6478BD642F

/* All bits of a word count in all bits of its hash: keys may differ in their highest bits alone. */
static inline uint64_t hash_word(uint64_t word)
{
    return folded(word ^ SECOND_FACTOR, FIRST_FACTOR) | (uint64_t)1 << 63;
}

static uint64_t hash_bytes(const char *data, int64_t count)
{
    uint64_t hash = (uint64_t)count, word;

    for (; count >= 8; data += 8, count -= 8) {
        memcpy(&word, data, 8);
        hash = folded(hash ^ word, FIRST_FACTOR);
    }
    word = 0;
    memcpy(&word, data, (size_t)count);
    return folded(hash ^ word, SECOND_FACTOR);
}

/* Texts are equal whatever the width of their characters: those of a wide text that has narrow
   characters alone are hashed as if they were narrow. */
static uint64_t hash_text(const int64_t *slots)
{
    const char *data = (const char *)slots[1];
    int64_t length = slots[2], width = slots[3], needed = 1;
    uint64_t hash = (uint64_t)length;

    if (width > 1)
        needed = cutaway_text_part_width(data, width, 0, length, 1);
    if (needed == width || !length)
        return hash_bytes(data, length * width);
    if (needed == 1) {
        char narrow[256], *text = length <= 256 ? narrow : malloc((size_t)length);
        if (text) {
            cutaway_text_part(text, 1, data, width, 0, length, 1);
            hash = hash_bytes(text, length);
        }
        if (text != narrow)
            free(text);
        return hash;
    }
    for (int64_t k = 0; k < length; k++) {
        uint16_t character = (uint16_t)cutaway_text_character(data, k, width);
        hash = folded(hash ^ character, FIRST_FACTOR);
    }
    return hash;
}

static inline uint64_t bits_of_double(int64_t slot)
{
    double number;

    memcpy(&number, &slot, sizeof(number));
    return number == 0 ? 0 : (uint64_t)slot;
}

static inline uint64_t bits_of_single(int64_t slot)
{
    float number;

    memcpy(&number, &slot, sizeof(number));
    return number == 0 ? 0 : (uint32_t)slot;
}

static uint64_t hash_key(const cutaway_table *table, const int64_t *key)
{
    uint64_t hash = 0;

    for (const char *field = table->fields; *field; field++) {
        switch (*field) {
        case 'w':
            hash = folded(hash ^ (uint64_t)*key++ ^ SECOND_FACTOR, FIRST_FACTOR);
            break;
        case 'f':
            hash = folded(hash ^ bits_of_double(*key++) ^ SECOND_FACTOR, FIRST_FACTOR);
            break;
        case 's':
            hash = folded(hash ^ bits_of_single(*key++) ^ SECOND_FACTOR, FIRST_FACTOR);
            break;
        case 't':
            hash = folded(hash ^ hash_text(key), FIRST_FACTOR);
            key += 4;
        }
    }
    return hash | (uint64_t)1 << 63;
}

static int same_text(const int64_t *one, const int64_t *other)
{
    if (one[2] != other[2])
        return 0;
    if (one[1] == other[1] && one[3] == other[3])
        return 1;
    return cutaway_same_characters((const char *)one[1], (const char *)other[1], one[3], other[3],
                                   one[2]);
}

static int same_key(const cutaway_table *table, const int64_t *one, const int64_t *other)
{
    double first, second;
    float single, another;

    for (const char *field = table->fields; *field; field++, one++, other++) {
        switch (*field) {
        case 'w':
            if (*one != *other)
                return 0;
            break;
        case 'f':
            memcpy(&first, one, sizeof(first));
            memcpy(&second, other, sizeof(second));
            if (!(first == second))
                return 0;
            break;
        case 's':
            memcpy(&single, one, sizeof(single));
            memcpy(&another, other, sizeof(another));
            if (!(single == another))
                return 0;
            break;
        case 't':
            if (!same_text(one, other))
                return 0;
            one += 3;
            other += 3;
        }
    }
    return 1;
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
