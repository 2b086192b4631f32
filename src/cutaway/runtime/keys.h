/* The hash and the equality of keys, which are slots; their fields are letters (tables.h). */

#ifndef CUTAWAY_KEYS_H
#define CUTAWAY_KEYS_H

#include "tables.h"

#define FIRST_FACTOR 0x9E3779B97F4A7C15
#define SECOND_FACTOR 0xA0761D6478BD642F

static inline uint64_t folded(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The hash has its highest bit; equal keys have equal ones. */
uint64_t cutaway_key_hash(const char *fields, const int64_t *key);
int cutaway_same_keys(const char *fields, const int64_t *one, const int64_t *other);

#endif
