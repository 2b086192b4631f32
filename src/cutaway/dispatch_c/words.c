/* Hash tables whose keys are short strings of 32-bit words: fingerprints, and type codes. */

#include "words.h"

#include <string.h>

#define FIRST_ROWS 16

static uint32_t hash_of(const uint32_t *words, size_t length)
{
    uint64_t hash = length;

    for (size_t k = 0; k < length; k++) {
        hash = (hash ^ words[k]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

static inline int same_words(const uint32_t *a, const uint32_t *b, size_t length)
{
    for (size_t k = 0; k < length; k++)
        if (a[k] != b[k])
            return 0;
    return 1;
}

/* The row of a key, or the empty row where it belongs: then *there is 0, though another key may
   have been stored there since. */
static inline word_row *row_of(word_rows *all, const uint32_t *words, size_t length, uint32_t hash,
                               int *there)
{
    size_t mask = all->made - 1;

    for (size_t place = hash & mask;; place = (place + 1) & mask) {
        word_row *row = &all->rows[place];
        const uint32_t *known = SHARED(row->words);
        *there = known != NULL;
        if (!known ||
            (row->hash == hash && row->length == length && same_words(known, words, length)))
            return row;
    }
}

intptr_t words_find(const word_table *table, const uint32_t *words, size_t length)
{
    word_rows *now = SHARED(table->now);
    word_row *row;
    int there;

    if (!now)
        return 0;
    row = row_of(now, words, length, hash_of(words, length), &there);
    return there ? SHARED(row->value) : 0;
}

static void free_rows(word_rows *all, int with_words)
{
    for (size_t k = 0; with_words && k < all->made; k++)
        PyMem_Free(all->rows[k].words);
    PyMem_Free(all);
}

/* Rows that are not in use any more: without the GIL a reader may still be in them. */
static void retire(word_table *table, word_rows *gone, int with_words)
{
    if (!FREE_THREADED) {
        free_rows(gone, with_words);
        return;
    }
    gone->has_words = with_words;
    gone->older = table->older;
    table->older = gone;
}

static int grow(word_table *table)
{
    word_rows *before = table->now, *larger;
    size_t made = before ? 2 * before->made : FIRST_ROWS;
    int there;

    larger = PyMem_Calloc(1, sizeof(word_rows) + made * sizeof(word_row));
    if (!larger)
        return -1;
    larger->made = made;
    for (size_t k = 0; before && k < before->made; k++) {
        const word_row *row = &before->rows[k];
        if (row->words)
            *row_of(larger, row->words, row->length, row->hash, &there) = *row;
    }
    SHARE(table->now, larger);
    if (before)
        retire(table, before, 0);
    return 0;
}

static void clear(word_table *table)
{
    word_rows *gone = table->now;

    SHARE(table->now, NULL);
    table->used = 0;
    if (gone)
        retire(table, gone, 1);
}

/* Fill an empty row; -1 if out of memory. */
static int fill_row(word_row *row, const uint32_t *words, size_t length, intptr_t value)
{
    uint32_t *own = PyMem_Malloc(length ? length * sizeof(*words) : 1);

    if (!own)
        return -1;
    memcpy(own, words, length * sizeof(*words));
    row->length = length;
    row->hash = hash_of(words, length);
    row->value = value;
    SHARE(row->words, own);
    return 0;
}

static int set(word_table *table, const uint32_t *words, size_t length, intptr_t value)
{
    word_row *row;
    int there;

    if (table->limit && table->used >= table->limit)
        clear(table);
    if ((!table->now || 2 * (table->used + 1) > table->now->made) && grow(table) < 0)
        return -1;
    row = row_of(table->now, words, length, hash_of(words, length), &there);
    if (there) {
        SHARE(row->value, value);
        return 0;
    }
    table->used++;
    return fill_row(row, words, length, value);
}

int words_set(word_table *table, const uint32_t *words, size_t length, intptr_t value)
{
    int status;

    LOCK(table->lock);
    status = set(table, words, length, value);
    UNLOCK(table->lock);
    if (status < 0)
        PyErr_NoMemory();
    return status;
}

void words_clear(word_table *table)
{
    LOCK(table->lock);
    clear(table);
    UNLOCK(table->lock);
}

void words_end(word_table *table)
{
    clear(table);
    words_drop_older(table);
}

void words_drop_older(word_table *table)
{
    word_rows *older;

    for (word_rows *one = table->older; one; one = older) {
        older = one->older;
        free_rows(one, one->has_words);
    }
    table->older = NULL;
}
