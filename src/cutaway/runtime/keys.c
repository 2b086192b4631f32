/* Keys of dicts and sets: see keys.h. */

#include "keys.h"

#include <stdlib.h>
#include <string.h>

#include "lists.h"

static uint64_t hash_bytes(const char *data, int64_t count)
{
    uint64_t hash = (uint64_t)count, word;

    for (; count >= 8; data += 8, count -= 8) {
        memcpy(&word, data, 8);
        hash = folded(hash ^ word, FIRST_FACTOR);
    }
    word = 0;
    if (count) /* an empty list may have no memory */
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

/* The letters behind those of a tuple's items. */
static const char *behind_items(const char *fields)
{
    int depth = 0;

    do {
        depth += (*fields == '(') - (*fields == ')');
        fields++;
    } while (depth);
    return fields;
}

/* The hash of a frozenset: its items may have been added in any order. */
static uint64_t hash_set(int64_t slot)
{
    const cutaway_table *table = cutaway_table_of((void *)(uintptr_t)slot);
    uint64_t sum = (uint64_t)table->size;

    for (int64_t k = 0; k < table->used; k++)
        if (table->hashes[k])
            sum += folded(table->hashes[k] ^ SECOND_FACTOR, FIRST_FACTOR);
    return sum;
}

static uint64_t hash_fields(const char **fields, const int64_t **key);

/* The hash of a tuple of run-time length; *fields is moved past the letters of its items. */
static uint64_t hash_list(const char **fields, int64_t slot)
{
    const cutaway_list *list = cutaway_list_of((void *)(uintptr_t)slot);
    int64_t bytes = list->size * list->item_bytes;
    const char *inside = *fields + 1, kind = **fields;
    uint64_t hash = (uint64_t)list->size;

    if (kind == 'b')
        hash = hash_bytes(list->items, bytes);
    for (int64_t k = 0; kind == 'd' && k < bytes / 8; k++)
        hash = folded(hash ^ bits_of_double(((int64_t *)list->items)[k]), FIRST_FACTOR);
    for (int64_t k = 0; kind == 'e' && k < bytes / 4; k++)
        hash = folded(hash ^ bits_of_single(((int32_t *)list->items)[k]), FIRST_FACTOR);
    for (int64_t k = 0; kind == '(' && k < list->size; k++) {
        const int64_t *item = (const int64_t *)(list->items + k * list->item_bytes);
        inside = *fields + 1;
        hash = folded(hash ^ hash_fields(&inside, &item), FIRST_FACTOR);
    }
    *fields = behind_items(*fields);
    return hash;
}

/* The hash of fields up to their end, or to a parenthesis. */
static uint64_t hash_fields(const char **fields, const int64_t **next)
{
    uint64_t hash = 0;
    const int64_t *key = *next;

    while (**fields && **fields != ')') {
        switch (*(*fields)++) {
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
            break;
        case 'q':
            hash = folded(hash ^ hash_set(*key++) ^ SECOND_FACTOR, FIRST_FACTOR);
            break;
        case 'l':
            hash = folded(hash ^ hash_list(fields, *key++) ^ SECOND_FACTOR, FIRST_FACTOR);
        }
    }
    *next = key;
    return hash;
}

uint64_t cutaway_key_hash(const char *fields, const int64_t *key)
{
    return hash_fields(&fields, &key) | (uint64_t)1 << 63;
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

static int same_fields(const char **fields, const int64_t *one, const int64_t *other);

static int same_set(int64_t slot, int64_t other)
{
    const cutaway_table *table = cutaway_table_of((void *)(uintptr_t)slot);
    void *owner = (void *)(uintptr_t)other;

    if (slot == other)
        return 1;
    if (table->size != cutaway_table_of(owner)->size)
        return 0;
    for (int64_t k = 0; k < table->used; k++)
        if (table->hashes[k] &&
            cutaway_table_find(owner, (const int64_t *)cutaway_entry_at(table, k)) < 0)
            return 0;
    return 1;
}

static int same_double(int64_t one, int64_t other)
{
    double first, second;

    memcpy(&first, &one, sizeof(first));
    memcpy(&second, &other, sizeof(second));
    return first == second;
}

static int same_single(int32_t one, int32_t other)
{
    float first, second;

    memcpy(&first, &one, sizeof(first));
    memcpy(&second, &other, sizeof(second));
    return first == second;
}

static int same_list(const char *fields, int64_t slot, int64_t another)
{
    const cutaway_list *one = cutaway_list_of((void *)(uintptr_t)slot);
    const cutaway_list *other = cutaway_list_of((void *)(uintptr_t)another);
    int64_t bytes = one->size * one->item_bytes;

    if (one == other || one->size != other->size)
        return one == other;
    if (*fields == 'b')
        return !bytes || memcmp(one->items, other->items, (size_t)bytes) == 0;
    for (int64_t k = 0; *fields == 'd' && k < bytes / 8; k++)
        if (!same_double(((int64_t *)one->items)[k], ((int64_t *)other->items)[k]))
            return 0;
    for (int64_t k = 0; *fields == 'e' && k < bytes / 4; k++)
        if (!same_single(((int32_t *)one->items)[k], ((int32_t *)other->items)[k]))
            return 0;
    for (int64_t k = 0; *fields == '(' && k < bytes; k += one->item_bytes) {
        const char *inside = fields + 1;
        if (!same_fields(&inside, (int64_t *)(one->items + k), (int64_t *)(other->items + k)))
            return 0;
    }
    return 1;
}

static int same_fields(const char **fields, const int64_t *one, const int64_t *other)
{
    for (; **fields && **fields != ')'; one++, other++) {
        switch (*(*fields)++) {
        case 'w':
            if (*one != *other)
                return 0;
            break;
        case 'f':
            if (!same_double(*one, *other))
                return 0;
            break;
        case 's':
            if (!same_single((int32_t)*one, (int32_t)*other))
                return 0;
            break;
        case 't':
            if (!same_text(one, other))
                return 0;
            one += 3;
            other += 3;
            break;
        case 'q':
            if (!same_set(*one, *other))
                return 0;
            break;
        case 'l':
            if (!same_list(*fields, *one, *other))
                return 0;
            *fields = behind_items(*fields);
        }
    }
    return 1;
}

int cutaway_same_keys(const char *fields, const int64_t *one, const int64_t *other)
{
    return same_fields(&fields, one, other);
}
