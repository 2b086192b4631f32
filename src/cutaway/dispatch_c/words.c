/* Hash tables whose keys are short strings of 32-bit words: fingerprints, and type codes. */

#include "dispatch.h"

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

/* The row of a key, or the empty row where it belongs. */
static word_row *row_of(const word_table *table, const uint32_t *words, size_t length,
                        uint32_t hash)
{
    size_t mask = table->rows_made - 1;

    for (size_t place = hash & mask;; place = (place + 1) & mask) {
        word_row *row = &table->rows[place];
        if (!row->words || (row->hash == hash && row->length == length &&
                            same_words(row->words, words, length)))
            return row;
    }
}

intptr_t words_find(const word_table *table, const uint32_t *words, size_t length)
{
    if (!table->used)
        return 0;
    return row_of(table, words, length, hash_of(words, length))->value;
}

static int grow(word_table *table)
{
    word_table larger = *table;

    larger.rows_made = table->rows_made ? 2 * table->rows_made : FIRST_ROWS;
    larger.rows = PyMem_Calloc(larger.rows_made, sizeof(word_row));
    if (!larger.rows)
        return -1;
    for (size_t k = 0; k < table->rows_made; k++) {
        const word_row *row = &table->rows[k];
        if (row->words)
            *row_of(&larger, row->words, row->length, row->hash) = *row;
    }
    PyMem_Free(table->rows);
    *table = larger;
    return 0;
}

int words_set(word_table *table, const uint32_t *words, size_t length, intptr_t value)
{
    uint32_t hash = hash_of(words, length);
    word_row *row;

    if (table->limit && table->used >= table->limit)
        words_clear(table);
    if (2 * (table->used + 1) > table->rows_made && grow(table) < 0)
        goto no_memory;
    row = row_of(table, words, length, hash);
    if (!row->words) {
        row->words = PyMem_Malloc(length ? length * sizeof(*words) : 1);
        if (!row->words)
            goto no_memory;
        memcpy(row->words, words, length * sizeof(*words));
        row->length = length;
        row->hash = hash;
        table->used++;
    }
    row->value = value;
    return 0;
no_memory:
    PyErr_NoMemory();
    return -1;
}

void words_clear(word_table *table)
{
    for (size_t k = 0; k < table->rows_made; k++)
        PyMem_Free(table->rows[k].words);
    PyMem_Free(table->rows);
    table->rows = NULL;
    table->rows_made = table->used = 0;
}
