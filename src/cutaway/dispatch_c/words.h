/* Tables of words; the value 0 stands for none. */

#ifndef CUTAWAY_WORDS_H
#define CUTAWAY_WORDS_H

#include "../runtime/compat.h"

#pragma GCC visibility push(hidden)

typedef struct {
    uint32_t *words;
    size_t length;
    uint32_t hash;
    intptr_t value;
} word_row;

/* The rows of a table.  Readers take no lock: a row is complete before its words are set, and
   replaced rows stay, without the GIL, as long as the table. */
typedef struct word_rows {
    struct word_rows *older; /* kept rows of an earlier table */
    int has_words;           /* of those: whether their words are freed with them */
    size_t made;
    word_row rows[];
} word_rows;

typedef struct {
    word_rows *now;   /* NULL while there are none */
    word_rows *older;
    size_t used;
    size_t limit; /* the number of rows at which the table is emptied; 0: none */
    thread_lock lock; /* held by writers */
} word_table;

intptr_t words_find(const word_table *table, const uint32_t *words, size_t length);
int words_set(word_table *table, const uint32_t *words, size_t length, intptr_t value);
void words_clear(word_table *table);
void words_end(word_table *table); /* no thread reads it any more */
void words_drop_older(word_table *table); /* no thread reads replaced rows */

#pragma GCC visibility pop

#endif
